#include "server/cli/output_names.h"

#include <cctype>

namespace tilewright::cli {
namespace fs = std::filesystem;

fs::path script_words(const std::string& script) {
  const fs::path stem = fs::path(script).lexically_normal().relative_path().replace_extension();
  fs::path below;
  for (const fs::path& part : stem) {
    if (part != "..") below /= part;
  }
  return below;
}

std::string file_words(std::string_view expression) {
  constexpr std::size_t kLongest = 80;
  std::string out;
  for (char c : expression) {
    const bool word = std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-';
    if (word) {
      out += c;
    } else if (!out.empty() && out.back() != '_') {
      out += '_';
    }
    if (out.size() == kLongest) break;
  }
  while (out.ends_with('_') || out.ends_with('.')) out.pop_back();
  return out;
}

}  // namespace tilewright::cli
