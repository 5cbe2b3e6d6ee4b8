// Lines of a script's text, as edits need them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string_view>

namespace tilewright::ide {

// Of the line that holds `offset`: its first byte.
inline std::uint32_t line_begin(std::string_view text, std::uint32_t offset) {
  std::size_t newline = offset ? text.rfind('\n', offset - 1) : text.npos;
  return newline == text.npos ? 0 : static_cast<std::uint32_t>(newline + 1);
}

// Where its line break begins, or the text ends.
inline std::uint32_t line_end(std::string_view text, std::uint32_t offset) {
  auto end = static_cast<std::uint32_t>(std::min(text.find('\n', offset), text.size()));
  return end > offset && text[end - 1] == '\r' ? end - 1 : end;
}

}  // namespace tilewright::ide
