// A number that a script's comments and options write.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace tilewright::inputs {

// A number as the host part computes it: an integer of at most 64 bits (bool is 0 or 1), or a double.
struct Number {
  bool real = false;
  std::int64_t integer = 0;
  double floating = 0;

  static Number of(std::int64_t v) { return {false, v, static_cast<double>(v)}; }
  static Number of(double v) { return {true, static_cast<std::int64_t>(0), v}; }
  double as_double() const { return real ? floating : static_cast<double>(integer); }
};

// "128", "-3", "0x40", "1.5", "true".
std::optional<Number> parse_number(std::string_view text);

}  // namespace tilewright::inputs
