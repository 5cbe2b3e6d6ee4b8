// Text inside other text.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace tilewright::text {

// In double quotes, as Python and C both read it: quotes, backslashes and control characters are escaped.
void append_quoted(std::string& out, std::string_view text);

// As the path of a URI (RFC 3986): all bytes but letters, digits and -._~/ as %XX.
void append_uri_path(std::string& out, std::string_view path);

// A place of a text that a terminal or an editor would obey or hide rather than show: a control character (C0, DEL, C1;
// line ends and tabs are some), a bidirectional control, a character without width, or a byte that is no UTF-8.
struct Hidden {
  std::size_t at = std::string_view::npos;  // npos: there is none
  std::size_t size = 0;                     // in bytes
  char32_t code = 0;                        // the character, or the byte
  bool is_byte = false;                     // no UTF-8
  explicit operator bool() const { return at != std::string_view::npos; }
};
Hidden find_hidden(std::string_view text, std::size_t from = 0);

// How a hidden place is written.
enum class Escape : std::uint8_t {
  Python,  // \x1b, \u202e
  Cxx,     // \033, \u202e: inside a literal of C++ it means the same character
  Json,    // \u001b; a byte that is no UTF-8 becomes U+FFFD
};
void append_escaped(std::string& out, const Hidden& hidden, Escape as);

// For people, on one line: every hidden place as Python escapes it. Names and paths are shown so.
std::string visible(std::string_view text);
// The same of a text that may have several lines: line ends and tabs stay.
std::string visible_lines(std::string_view text);
// The same of a message of ours that repeats text of others: a line end stays where the next line is indented, as the
// lines of our lists are.
std::string visible_message(std::string_view text);

}  // namespace tilewright::text
