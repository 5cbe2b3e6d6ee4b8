#include "compiler/text/names.h"

#include <algorithm>
#include <charconv>

namespace tilewright::text {

std::string identifier(std::string_view text) {
  constexpr std::size_t kLongest = 255;
  std::string out;
  out.reserve(std::min(text.size(), kLongest));
  for (char c : text.substr(0, kLongest)) {
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    out += plain ? c : '_';
  }
  if (out.empty()) return "v";
  if (out[0] >= '0' && out[0] <= '9') out.insert(out.begin(), '_');
  // Two leading underscores belong to implementations.
  if (out.size() > 1 && out[0] == '_' && out[1] == '_') out.insert(out.begin(), 'v');
  return out;
}

void Names::close() {
  for (std::size_t keep = marks_.back(); taken_.size() > keep; taken_.pop_back()) --count_[taken_.back()];
  marks_.pop_back();
}

std::string Names::take(std::string_view wanted) {
  std::string base = identifier(wanted);
  std::string name = base;
  for (int suffix = 1;; ++suffix) {
    int& uses = count_[name];
    if (uses == 0 && !std::ranges::binary_search(reserved_, name)) {
      ++uses;
      break;
    }
    char digits[12];
    auto [end, ec] = std::to_chars(digits, digits + sizeof digits, suffix);
    name.assign(base).append("_").append(digits, end);
  }
  taken_.push_back(name);
  return name;
}

}  // namespace tilewright::text
