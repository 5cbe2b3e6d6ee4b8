#include "compiler/text/escape.h"

#include <algorithm>
#include <array>

namespace tilewright::text {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

// Without width, or steering the order of what follows (Unicode's Default_Ignorable_Code_Point, line separators and
// interlinear annotations), in ascending order.
struct Range {
  char32_t first, last;
};
constexpr std::array kInvisible{
    Range{0xAD, 0xAD},       Range{0x34F, 0x34F},     Range{0x61C, 0x61C},   Range{0x115F, 0x1160},
    Range{0x17B4, 0x17B5},   Range{0x180B, 0x180F},   Range{0x200B, 0x200F}, Range{0x2028, 0x202E},
    Range{0x2060, 0x206F},   Range{0x3164, 0x3164},   Range{0xFE00, 0xFE0F}, Range{0xFEFF, 0xFEFF},
    Range{0xFFA0, 0xFFA0},   Range{0xFFF0, 0xFFFB},   Range{0xFFFE, 0xFFFF}, Range{0x1BCA0, 0x1BCA3},
    Range{0x1D173, 0x1D17A}, Range{0xE0000, 0xE0FFF},
};

bool is_hidden(char32_t c) {
  if (c < 0x20 || (c >= 0x7F && c < 0xA0)) return true;
  const auto* range = std::ranges::lower_bound(kInvisible, c, {}, &Range::last);
  return range != kInvisible.end() && c >= range->first;
}

// The character that begins at `at` and its length; length 0: no UTF-8.
std::pair<char32_t, std::size_t> decoded(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  if (first < 0x80) return {first, 1};
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || at + size > text.size()) return {first, 0};
  char32_t code = first & (0x7Fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    const auto next = static_cast<unsigned char>(text[at + i]);
    if ((next & 0xC0) != 0x80) return {first, 0};
    code = code << 6 | (next & 0x3Fu);
  }
  const bool too_long = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  if (too_long || (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF) return {first, 0};
  return {code, size};
}

void append_hex(std::string& out, char32_t code, int digits) {
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) out += kHex[code >> shift & 15];
}

void append_unit(std::string& out, char32_t code) { append_hex(out += "\\u", code, 4); }

enum class Keep { Nothing, IndentedLines, Lines };

std::string shown(std::string_view text, Keep keep) {
  std::string out;
  std::size_t from = 0;
  for (Hidden h = find_hidden(text); h; h = find_hidden(text, from)) {
    out += text.substr(from, h.at - from);
    const bool line = h.code == '\n' && keep == Keep::IndentedLines && text.substr(h.at + 1).starts_with("  ");
    if (line || (keep == Keep::Lines && (h.code == '\n' || h.code == '\t'))) {
      out += text[h.at];
    } else {
      append_escaped(out, h, Escape::Python);
    }
    from = h.at + h.size;
  }
  return out += text.substr(from);
}

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\t': out += "\\t"; break;
      case '\r': out += "\\r"; break;
      default:
        // In octal: C reads as many hexadecimal digits as follow.
        if (byte < 0x20 || byte == 0x7F)
          append_escaped(out, {0, 1, byte}, Escape::Cxx);
        else
          out += c;
    }
  }
  out += '"';
}

void append_uri_path(std::string& out, std::string_view path) {
  static constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/",
                                    kUpper = "0123456789ABCDEF";
  for (char c : path) {
    if (kPlain.find(c) != kPlain.npos) {
      out += c;
    } else {
      auto byte = static_cast<unsigned char>(c);
      out += {'%', kUpper[byte >> 4], kUpper[byte & 15]};
    }
  }
}

Hidden find_hidden(std::string_view text, std::size_t from) {
  for (std::size_t i = from; i < text.size();) {
    if (const auto byte = static_cast<unsigned char>(text[i]); byte >= 0x20 && byte < 0x7F) {
      ++i;
      continue;
    }
    const auto [code, size] = decoded(text, i);
    if (size == 0) return {i, 1, code, true};
    if (is_hidden(code)) return {i, size, code, false};
    i += size;
  }
  return {};
}

void append_escaped(std::string& out, const Hidden& hidden, Escape as) {
  const char32_t code = hidden.code;
  if (as == Escape::Json) {
    if (hidden.is_byte) {
      out += "\xEF\xBF\xBD";
    } else if (code < 0x10000) {
      append_unit(out, code);
    } else {
      append_unit(out, 0xD800 + ((code - 0x10000) >> 10));
      append_unit(out, 0xDC00 + ((code - 0x10000) & 0x3FF));
    }
  } else if (as == Escape::Cxx && (code < 0x80 || hidden.is_byte)) {
    for (int shift : {6, 3, 0}) (shift == 6 ? out += '\\' : out) += kHex[code >> shift & 7];
  } else if (as == Escape::Python && (code == '\n' || code == '\t' || code == '\r')) {
    out += code == '\n' ? "\\n" : code == '\t' ? "\\t" : "\\r";
  } else if (as == Escape::Python && code < 0x100) {
    append_hex(out += "\\x", code, 2);
  } else if (code < 0x10000) {
    append_unit(out, code);
  } else {
    append_hex(out += "\\U", code, 8);
  }
}

std::string visible(std::string_view text) { return shown(text, Keep::Nothing); }

std::string visible_lines(std::string_view text) { return shown(text, Keep::Lines); }

std::string visible_message(std::string_view text) { return shown(text, Keep::IndentedLines); }

}  // namespace tilewright::text
