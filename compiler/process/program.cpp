#include "compiler/process/program.h"

#include <system_error>

namespace tilewright::process {

std::filesystem::path this_program() {
  std::error_code ec;
  return std::filesystem::read_symlink("/proc/self/exe", ec);
}

std::string last_words(std::string_view text) {
  constexpr std::size_t kMost = 300;
  while (!text.empty()) {
    const auto last = text.find_last_not_of(" \t\r\n");
    if (last == std::string_view::npos) break;
    text = text.substr(0, last + 1);
    const auto line = text.rfind('\n');
    std::string words(text.substr(line == std::string_view::npos ? 0 : line + 1));
    std::erase_if(words, [](unsigned char c) { return c < ' ' || c == 0x7f; });
    if (!words.empty()) return words.substr(0, kMost);
    text = text.substr(0, line == std::string_view::npos ? 0 : line);
  }
  return {};
}

}  // namespace tilewright::process
