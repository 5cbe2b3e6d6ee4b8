// Small helpers for reading what tools print.
#pragma once
#include <charconv>
#include <optional>
#include <string_view>

namespace tilewright::toolchain {

inline std::string_view trimmed(std::string_view text) {
  std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// Takes the next line off `text`, without its end; nothing at the end of the text.
inline std::optional<std::string_view> next_line(std::string_view& text) {
  if (text.empty()) return std::nullopt;
  std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

// Takes a decimal number off the front of `text`, after blanks.
inline std::optional<int> take_number(std::string_view& text) {
  std::size_t start = text.find_first_not_of(" \t");
  if (start == std::string_view::npos) return std::nullopt;
  int value = 0;
  auto [end, error] = std::from_chars(text.data() + start, text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

// Takes `prefix` off the front of `text`, after blanks.
inline bool take_word(std::string_view& text, std::string_view prefix) {
  std::size_t start = text.find_first_not_of(" \t");
  if (start == std::string_view::npos || !text.substr(start).starts_with(prefix)) return false;
  text.remove_prefix(start + prefix.size());
  return true;
}

}  // namespace tilewright::toolchain
