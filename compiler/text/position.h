// Places in a text as other people count them.
#pragma once
#include <cstdint>

namespace tilewright::text {

// Line and column, both from 0; the unit of the column is named by the function that made it.
struct LineColumn {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  friend bool operator==(const LineColumn&, const LineColumn&) = default;
};

enum class Encoding { Utf8, Utf16, Utf32 };

// Length in bytes of the UTF-8 sequence that `lead` opens; 1 for a stray byte, so that bad text still advances.
constexpr std::uint32_t sequence_length(unsigned char lead) {
  if (lead < 0xC0) return 1;
  if (lead < 0xE0) return 2;
  if (lead < 0xF0) return 3;
  return lead < 0xF8 ? 4 : 1;
}

// How many units a sequence of `bytes` counts.
constexpr std::uint32_t units(std::uint32_t bytes, Encoding encoding) {
  switch (encoding) {
    case Encoding::Utf8: return bytes;
    case Encoding::Utf16: return bytes == 4 ? 2 : 1;
    case Encoding::Utf32: return 1;
  }
  return 1;
}

}  // namespace tilewright::text
