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

namespace {

// Where `count_` keeps the first suffix of a name that may be free: no name has such a character.
std::string hint_of(std::string_view base) { return std::string(base) + '\n'; }

// The suffix of `x_12` is 12, that of `x` is 0; `base` becomes `x`.
int cut_suffix(std::string_view& base) {
  const std::size_t digits = base.find_last_not_of("0123456789") + 1;
  if (digits < 2 || digits == base.size() || base[digits - 1] != '_') return 0;
  int suffix = 0;
  const auto [end, error] = std::from_chars(base.data() + digits, base.data() + base.size(), suffix);
  if (error != std::errc()) return 0;
  base = base.substr(0, digits - 1);
  return suffix;
}

}  // namespace

void Names::close() {
  for (std::size_t keep = marks_.back(); taken_.size() > keep; taken_.pop_back()) {
    const std::string& name = taken_.back();
    --count_[name];
    std::string_view base = name;
    if (const int suffix = cut_suffix(base); suffix > 0) {
      if (auto hint = count_.find(hint_of(base)); hint != count_.end()) hint->second = std::min(hint->second, suffix);
    }
  }
  marks_.pop_back();
}

std::string Names::take(std::string_view wanted) {
  std::string base = identifier(wanted);
  std::string name = base;
  int* hint = nullptr;
  for (int suffix = 1;; ++suffix) {
    int& uses = count_[name];
    if (uses == 0 && !std::ranges::binary_search(reserved_, name)) {
      ++uses;
      if (hint) *hint = suffix;
      break;
    }
    if (!hint) {
      hint = &count_[hint_of(base)];
      suffix = std::max(suffix, *hint);
    }
    char digits[12];
    auto [end, ec] = std::to_chars(digits, digits + sizeof digits, suffix);
    name.assign(base).append("_").append(digits, end);
  }
  taken_.push_back(name);
  return name;
}

}  // namespace tilewright::text
