// Values of literals, as Python reads them.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace tilewright::syntax {

struct IntegerValue {
  __int128 value = 0;
  bool too_large = false;  // beyond 127 bits: `value` means nothing
};
// `text` is an integer token: decimal, 0x, 0o or 0b, with underscores.
IntegerValue integer_value(std::string_view text);

// `text` is a float token, with underscores. Too large a number is infinite, as in Python.
double float_value(std::string_view text);

// What stands before the text of a string literal: prefix letters and quotes.
struct StringStart {
  bool raw = false;
  bool bytes = false;
  bool format = false;
};
StringStart string_start(std::string_view text);

// Appends the meaning of an escape sequence (with its backslash) to `to`. Text gets UTF-8, bytes get one byte. What
// UTF-8 cannot hold (a lone surrogate) and names (\N{...}) become U+FFFD. An unknown escape stays as it is.
void append_escape(std::string_view escape, bool bytes, std::string& to);

// Appends text as it stands, with Python's normal line breaks. What is no UTF-8 becomes U+FFFD, except in bytes.
void append_verbatim(std::string_view text, bool bytes, std::string& to);
// Whether append_verbatim would change anything.
bool is_verbatim(std::string_view text, bool bytes);

}  // namespace tilewright::syntax
