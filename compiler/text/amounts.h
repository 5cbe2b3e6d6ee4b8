// How messages and tables say amounts.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstdio>
#include <string>
#include <string_view>

namespace tilewright::text {

// "1 kernel", "3 kernels": for words whose plural has an s.
template <std::integral Number>
std::string counted(Number n, std::string_view one) {
  return std::to_string(n) + " " + std::string(one) + (n == 1 ? "" : "s");
}

// A number as printf writes it with `format`, which has one conversion of a double and gives at most 63 bytes.
inline std::string formatted(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// The columns that UTF-8 takes on a terminal, near enough: one a character; bytes that continue one take none.
inline std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

// The text in so many columns, filled with blanks on its right, or on its left.
inline std::string padded(std::string_view text, std::size_t width, bool to_the_right = false) {
  const std::string space(width - std::min(width, columns_of(text)), ' ');
  return to_the_right ? space + std::string(text) : std::string(text) + space;
}

}  // namespace tilewright::text
