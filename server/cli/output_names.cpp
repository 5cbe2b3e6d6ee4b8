#include "server/cli/output_names.h"

#include <cctype>

#include "compiler/text/digest.h"

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

std::string file_name(const std::string& symbol) {
  constexpr std::size_t kLongest = 100;  // with an entry, an architecture and endings a name of a file has at most 255
  if (symbol.size() <= kLongest) return symbol;
  text::Digest digest;
  digest.add(symbol);
  return symbol.substr(0, kLongest) + "_" + std::to_string(digest.a);
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
