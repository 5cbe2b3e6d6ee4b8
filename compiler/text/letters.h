// Characters of names.
#pragma once

namespace tilewright::text {

// May it begin a name: an ASCII letter or `_`.
constexpr bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// May it be in a name of PTX, of CUDA or of a setting: an ASCII letter, a digit or `_`.
constexpr bool is_ascii_name_byte(char c) { return begins_name(c) || (c >= '0' && c <= '9'); }

// May it be in a name of a script: a letter of any alphabet (a byte of UTF-8 beyond ASCII), a digit or `_`.
constexpr bool is_name_byte(char c) { return is_ascii_name_byte(c) || static_cast<unsigned char>(c) >= 0x80; }

}  // namespace tilewright::text
