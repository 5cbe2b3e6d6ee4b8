#include "compiler/syntax/decoding.h"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

namespace tilewright::syntax {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// The offset of the first byte that is not part of well-formed UTF-8 (no surrogates, no overlong forms), or npos.
std::size_t find_malformed_utf8(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    for (std::uint64_t eight; i + sizeof eight <= text.size(); i += sizeof eight) {
      std::memcpy(&eight, text.data() + i, sizeof eight);
      if (eight & 0x8080808080808080) break;
    }
    if (i == text.size()) break;
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    std::size_t length = 0;
    unsigned char low = 0x80;
    unsigned char high = 0xBF;
    if (lead >= 0xC2 && lead <= 0xDF) {
      length = 2;
    } else if (lead >= 0xE0 && lead <= 0xEF) {
      length = 3;
      if (lead == 0xE0) low = 0xA0;
      if (lead == 0xED) high = 0x9F;
    } else if (lead >= 0xF0 && lead <= 0xF4) {
      length = 4;
      if (lead == 0xF0) low = 0x90;
      if (lead == 0xF4) high = 0x8F;
    } else {
      return i;
    }
    if (i + length > text.size()) return i;
    for (std::size_t k = 1; k < length; ++k) {
      const auto byte = static_cast<unsigned char>(text[i + k]);
      if (byte < low || byte > high) return i;
      low = 0x80;
      high = 0xBF;
    }
    i += length;
  }
  return std::string_view::npos;
}

std::string_view first_line(std::string_view text) { return text.substr(0, text.find_first_of("\r\n")); }

std::string_view after_first_line(std::string_view text) {
  const std::size_t end = text.find_first_of("\r\n");
  if (end == std::string_view::npos) return {};
  const bool pair = text[end] == '\r' && end + 1 < text.size() && text[end + 1] == '\n';
  return text.substr(end + (pair ? 2 : 1));
}

// The encoding that a line's comment names, if it does.
std::optional<std::string_view> cookie_of(std::string_view line) {
  const std::size_t hash = line.find_first_not_of(" \t\f");
  if (hash == std::string_view::npos || line[hash] != '#') return std::nullopt;
  constexpr std::string_view kKey = "coding";
  for (std::size_t at = line.find(kKey, hash); at != std::string_view::npos; at = line.find(kKey, at + 1)) {
    std::size_t begin = at + kKey.size();
    if (begin >= line.size() || (line[begin] != ':' && line[begin] != '=')) continue;
    begin = std::min(line.find_first_not_of(" \t", begin + 1), line.size());
    std::size_t end = begin;
    const auto belongs = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
             c == '.';
    };
    while (end < line.size() && belongs(line[end])) ++end;
    if (end > begin) return line.substr(begin, end - begin);
  }
  return std::nullopt;
}

bool is_blank_or_comment(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t\f");
  return first == std::string_view::npos || line[first] == '#';
}

// The cookie may stand on the first line, or on the second if the first holds no code.
std::optional<std::string_view> find_cookie(std::string_view text) {
  const std::string_view line = first_line(text);
  if (const auto cookie = cookie_of(line)) return cookie;
  if (!is_blank_or_comment(line)) return std::nullopt;
  return cookie_of(first_line(after_first_line(text)));
}

// Lower case, with `-` for `_`.
std::string normal_spelling(std::string_view name) {
  std::string normal(name);
  for (char& c : normal) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '_') c = '-';
  }
  return normal;
}

// Beside a byte order mark, Python takes no other name than this one.
bool is_plain_utf8(const std::string& normal) { return normal == "utf-8" || normal.starts_with("utf-8-"); }

// The names that Python has for UTF-8 and Latin-1 become "utf-8" and "iso-8859-1".
std::string normal_name(std::string_view name) {
  std::string normal = normal_spelling(name);
  constexpr std::array<std::string_view, 6> kUtf8 = {"utf-8", "utf8", "u8", "utf", "utf8-ucs4", "cp65001"};
  constexpr std::array<std::string_view, 8> kLatin1 = {"latin-1", "iso-8859-1", "iso-latin-1", "latin1",
                                                       "latin",   "l1",         "iso8859-1",   "8859"};
  if (std::ranges::find(kUtf8, normal) != kUtf8.end() || is_plain_utf8(normal)) return "utf-8";
  for (const std::string_view latin : kLatin1) {
    if (normal == latin || (normal.starts_with(latin) && normal[latin.size()] == '-')) return "iso-8859-1";
  }
  return normal;
}

class Converter {
 public:
  explicit Converter(const std::string& encoding) : handle_(iconv_open("UTF-8", encoding.c_str())) {}
  ~Converter() {
    if (*this) iconv_close(handle_);
  }
  Converter(const Converter&) = delete;
  Converter& operator=(const Converter&) = delete;

  explicit operator bool() const { return handle_ != reinterpret_cast<iconv_t>(-1); }

  std::expected<std::string, Rejection> convert(std::string_view bytes, const std::string& encoding) {
    std::string input(bytes);
    std::string output(bytes.size() * 4 + 16, '\0');
    char* from = input.data();
    char* to = output.data();
    std::size_t from_left = input.size();
    std::size_t to_left = output.size();
    if (iconv(handle_, &from, &from_left, &to, &to_left) == static_cast<std::size_t>(-1) ||
        iconv(handle_, nullptr, nullptr, &to, &to_left) == static_cast<std::size_t>(-1)) {
      const std::size_t at = bytes.size() - from_left;
      return std::unexpected(Rejection{at, std::min(at + 1, bytes.size()), "this byte is not " + encoding});
    }
    output.resize(output.size() - to_left);
    return output;
  }

 private:
  iconv_t handle_;
};

// iconv knows most of Python's names; these it spells differently.
std::string iconv_name(const std::string& encoding) {
  if (encoding.starts_with("windows-") || encoding.starts_with("iso-")) return encoding;
  if (encoding == "mac-roman" || encoding == "macroman") return "macintosh";
  if (encoding.starts_with("cp") || encoding.starts_with("koi8")) return encoding;
  return encoding;
}

}  // namespace

std::expected<Decoded, Rejection> decode(std::string_view bytes) {
  const bool marked = bytes.starts_with(kByteOrderMark);
  const std::size_t shift = marked ? kByteOrderMark.size() : 0;
  const std::string_view body = bytes.substr(shift);
  if (const std::size_t null = bytes.find('\0'); null != std::string_view::npos) {
    return std::unexpected(Rejection{null, null + 1, "a script cannot contain null bytes"});
  }

  std::string encoding = "utf-8";
  if (const auto cookie = find_cookie(body)) {
    encoding = normal_name(*cookie);
    const auto begin = static_cast<std::size_t>(cookie->data() - bytes.data());
    if (marked && !is_plain_utf8(normal_spelling(*cookie))) {
      return std::unexpected(
          Rejection{begin, begin + cookie->size(), "beside a byte order mark the coding cookie can only be utf-8"});
    }
    if (encoding != "utf-8") {
      Converter converter(iconv_name(encoding));
      if (!converter) {
        return std::unexpected(Rejection{begin, begin + cookie->size(), "unknown encoding: " + encoding});
      }
      auto text = converter.convert(body, encoding);
      if (!text) return std::unexpected(std::move(text.error()));
      return Decoded{std::move(*text), std::move(encoding)};
    }
  }
  if (const std::size_t bad = find_malformed_utf8(body); bad != std::string_view::npos) {
    return std::unexpected(Rejection{shift + bad, shift + bad + 1, "this byte is not UTF-8"});
  }
  return Decoded{std::string(body), std::move(encoding)};
}

}  // namespace tilewright::syntax
