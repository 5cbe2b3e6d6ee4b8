#include "compiler/syntax/literals.h"

#include <charconv>
#include <limits>

namespace tilewright::syntax {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 99;
}

void append_code_point(char32_t c, std::string& to) {
  if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) c = kReplacement;
  if (c < 0x80) {
    to += static_cast<char>(c);
  } else if (c < 0x800) {
    to += static_cast<char>(0xC0 | (c >> 6));
    to += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    to += static_cast<char>(0xE0 | (c >> 12));
    to += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    to += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    to += static_cast<char>(0xF0 | (c >> 18));
    to += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    to += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    to += static_cast<char>(0x80 | (c & 0x3F));
  }
}

// Length of the well-formed UTF-8 sequence at the start of `text`, or 0.
std::size_t sequence_length(std::string_view text) {
  auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  auto follows = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return follows(1) ? 2 : 0;
  if ((lead & 0xF0) == 0xE0) {
    bool fine = follows(1) && follows(2) && !(lead == 0xE0 && byte(1) < 0xA0) && !(lead == 0xED && byte(1) > 0x9F);
    return fine ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    bool fine = follows(1) && follows(2) && follows(3) && !(lead == 0xF0 && byte(1) < 0x90) &&
                !(lead == 0xF4 && byte(1) > 0x8F);
    return fine ? 4 : 0;
  }
  return 0;
}

std::string without_underscores(std::string_view text) {
  std::string digits;
  digits.reserve(text.size());
  for (char c : text) {
    if (c != '_') digits += c;
  }
  return digits;
}

}  // namespace

IntegerValue integer_value(std::string_view text) {
  unsigned base = 10;
  if (text.size() > 2 && text[0] == '0') {
    char letter = static_cast<char>(text[1] | 0x20);
    base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 10;
    if (base != 10) text.remove_prefix(2);
  }
  constexpr auto kMax = ~static_cast<unsigned __int128>(0) >> 1;
  unsigned __int128 value = 0;
  for (char c : text) {
    if (c == '_') continue;
    auto digit = static_cast<unsigned>(digit_value(c));
    if (digit >= base) break;
    if (value > (kMax - digit) / base) return {0, true};
    value = value * base + digit;
  }
  return {static_cast<__int128>(value), false};
}

double float_value(std::string_view text) {
  std::string digits = without_underscores(text);
  if (digits.starts_with('.')) digits.insert(0, 1, '0');
  double value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc::result_out_of_range) return value;
  // Too large or too small: from_chars does not say which, the number's own magnitude does.
  std::size_t exponent = digits.find_first_of("eE");
  long long shift = 0;
  if (exponent != std::string::npos) {
    std::size_t begin = exponent + 1;
    bool negative = begin < digits.size() && digits[begin] == '-';
    if (begin < digits.size() && (digits[begin] == '-' || digits[begin] == '+')) ++begin;
    for (std::size_t i = begin; i < digits.size() && shift < 1'000'000'000; ++i) shift = shift * 10 + (digits[i] - '0');
    if (negative) shift = -shift;
  }
  std::string_view mantissa = std::string_view(digits).substr(0, exponent);
  std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  std::size_t first = mantissa.find_first_of("123456789");
  if (first == std::string_view::npos) return 0;
  long long magnitude =
      shift + (first < point ? static_cast<long long>(point - first) : -static_cast<long long>(first - point));
  return magnitude > 0 ? std::numeric_limits<double>::infinity() : 0.0;
}

StringStart string_start(std::string_view text) {
  StringStart start;
  for (char c : text) {
    char lower = static_cast<char>(c | 0x20);
    if (lower == 'r') start.raw = true;
    if (lower == 'b') start.bytes = true;
    if (lower == 'f') start.format = true;
    if (c == '"' || c == '\'') break;
  }
  return start;
}

void append_escape(std::string_view escape, bool bytes, std::string& to) {
  auto number = [&](std::size_t from, unsigned base) {
    char32_t value = 0;
    for (char c : escape.substr(from)) {
      auto digit = static_cast<unsigned>(digit_value(c));
      if (digit >= base || value > 0x10FFFF) break;
      value = value * base + digit;
    }
    return value;
  };
  auto append = [&](char32_t c) { bytes ? void(to += static_cast<char>(c & 0xFF)) : append_code_point(c, to); };
  if (escape.size() < 2) return void(to += escape);
  switch (escape[1]) {
    case '\n':
    case '\r': return;
    case '\\':
    case '\'':
    case '"': return void(to += escape[1]);
    case 'a': return void(to += '\a');
    case 'b': return void(to += '\b');
    case 'f': return void(to += '\f');
    case 'n': return void(to += '\n');
    case 'r': return void(to += '\r');
    case 't': return void(to += '\t');
    case 'v': return void(to += '\v');
    case 'x': return append(number(2, 16));
    case 'u':
    case 'U':
      if (bytes) break;
      return append(number(2, 16));
    case 'N':
      if (bytes) break;
      return append(kReplacement);
    default:
      if (escape[1] >= '0' && escape[1] <= '7') return append(number(1, 8));
  }
  to += escape;
}

bool is_verbatim(std::string_view text, bool bytes) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto c = static_cast<unsigned char>(text[i]);
    if (c == '\r') return false;
    if (c < 0x80 || bytes) continue;
    std::size_t length = sequence_length(text.substr(i));
    if (length == 0) return false;
    i += length - 1;
  }
  return true;
}

void append_verbatim(std::string_view text, bool bytes, std::string& to) {
  if (is_verbatim(text, bytes)) return void(to += text);
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '\r') {
      to += '\n';
      i += text.substr(i, 2) == "\r\n" ? 2 : 1;
      continue;
    }
    std::size_t length = bytes ? 1 : sequence_length(text.substr(i));
    if (length == 0) {
      append_code_point(kReplacement, to);
      ++i;
    } else {
      to += text.substr(i, length);
      i += length;
    }
  }
}

}  // namespace tilewright::syntax
