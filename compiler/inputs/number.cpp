#include "compiler/inputs/number.h"

#include <charconv>
#include <system_error>

namespace tilewright::inputs {

std::optional<Number> parse_number(std::string_view text) {
  if (text == "true" || text == "True") return Number::of(std::int64_t{1});
  if (text == "false" || text == "False") return Number::of(std::int64_t{0});
  bool negative = text.starts_with('-');
  std::string_view digits = negative ? text.substr(1) : text;
  bool hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
  if (hexadecimal) digits.remove_prefix(2);
  std::uint64_t magnitude = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, hexadecimal ? 16 : 10);
  if (error == std::errc{} && end == digits.data() + digits.size()) {
    auto value = static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
    // Bits beyond int64 only as an unsigned pattern.
    if (negative && value > 0) return std::nullopt;
    return Number::of(value);
  }
  double real = 0;
  auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), real);
  if (failure == std::errc{} && stop == text.data() + text.size() && !text.empty()) return Number::of(real);
  return std::nullopt;
}

}  // namespace tilewright::inputs
