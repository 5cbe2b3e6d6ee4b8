#include "protocol/long_texts.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>

namespace tilewright::protocol {
namespace {

constexpr std::size_t kLong = 512;
// The first character of what stands for a long text. A message that has it itself is left as it is.
constexpr char kMark = '\x01';
constexpr std::string_view kMarkEscaped = "\\u0001";

// The bytes of the code point that begins at `at`, which is no ASCII; 0: it is none.
std::size_t length_of(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u; };
  const auto follows = [&](std::size_t i, unsigned least = 0x80, unsigned most = 0xBF) {
    return byte(i) >= least && byte(i) <= most;
  };
  const unsigned first = byte(0);
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF)
    return follows(1, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF) && follows(2) ? 3 : 0;
  if (first >= 0xF0 && first <= 0xF4)
    return follows(1, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF) && follows(2) && follows(3) ? 4 : 0;
  return 0;
}

// Characters that stand in a text of JSON as they are.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> table{};
  for (int c = 0x20; c < 0x80; ++c) table[c] = c != '"' && c != '\\';
  return table;
}();
bool is_plain(char c) { return kPlain[static_cast<unsigned char>(c)]; }

// What is written so. None: the library is to read it.
std::optional<std::string> unescaped(std::string_view written) {
  std::string out;
  out.reserve(written.size());
  for (std::size_t at = 0; at < written.size();) {
    std::size_t end = at;
    while (end < written.size() && is_plain(written[end])) ++end;
    if (end < written.size() && static_cast<unsigned char>(written[end]) >= 0x80) {
      const std::size_t length = length_of(written, end);
      if (length == 0) return std::nullopt;
      out.append(written.substr(at, end + length - at));
      at = end + length;
      continue;
    }
    out.append(written.substr(at, end - at));
    if (end == written.size()) break;
    constexpr std::string_view kWritten = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
    const std::size_t which =
        written[end] == '\\' && end + 1 < written.size() ? kWritten.find(written[end + 1]) : std::string_view::npos;
    if (which == std::string_view::npos) return std::nullopt;
    out += kMeant[which];
    at = end + 2;
  }
  return out;
}

bool is_name_of_member(std::string_view body, std::size_t behind) {
  const std::size_t next = body.find_first_not_of(" \t\r\n", behind);
  return next != body.npos && body[next] == ':';
}

}  // namespace

std::size_t end_of_text(std::string_view body, std::size_t at) {
  for (std::size_t from = at + 1;;) {
    const std::size_t end = body.find('"', from);
    if (end == body.npos) return body.size();
    std::size_t escapes = 0;
    while (body[end - 1 - escapes] == '\\') ++escapes;
    if (escapes % 2 == 0) return end;
    from = end + 1;
  }
}

std::string without_long_texts(std::string_view body, std::vector<std::string>& texts) {
  std::string out;
  if (body.size() < kLong || ::memmem(body.data(), body.size(), kMarkEscaped.data(), kMarkEscaped.size())) return out;
  std::size_t copied = 0;
  for (std::size_t at = body.find('"'); at != body.npos; at = body.find('"', at)) {
    const std::size_t end = end_of_text(body, at);
    if (end == body.size()) break;
    if (end - at > kLong && !is_name_of_member(body, end + 1)) {
      if (auto text = unescaped(body.substr(at + 1, end - at - 1))) {
        out.append(body.substr(copied, at + 1 - copied)).append(kMarkEscaped).append(std::to_string(texts.size()));
        texts.push_back(std::move(*text));
        copied = end;
      }
    }
    at = end + 1;
  }
  if (!texts.empty()) out.append(body.substr(copied));
  return out;
}

void put_back(text::MessageJson& json, std::vector<std::string>& texts) {
  if (json.is_structured()) {
    for (auto& part : json) put_back(part, texts);
    return;
  }
  if (!json.is_string()) return;
  auto& text = json.get_ref<std::string&>();
  if (!text.starts_with(kMark)) return;
  std::size_t which = texts.size();
  std::from_chars(text.data() + 1, text.data() + text.size(), which);
  if (which < texts.size()) text = std::move(texts[which]);
}

bool append_quoted(std::string& out, std::string_view text) {
  const std::size_t before = out.size();
  out.reserve(before + text.size() + text.size() / 16 + 2);
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_plain(text[end])) ++end;
    if (end < text.size() && static_cast<unsigned char>(text[end]) >= 0x80) {
      const std::size_t length = length_of(text, end);
      if (length == 0) {
        out.resize(before);
        return false;
      }
      out.append(text.substr(at, end + length - at));
      at = end + length;
      continue;
    }
    out.append(text.substr(at, end - at));
    if (end == text.size()) break;
    constexpr std::string_view kMeant = "\"\\\b\f\n\r\t", kWritten = "\"\\bfnrt";
    const std::size_t which = kMeant.find(text[end]);
    if (which == std::string_view::npos) {
      out.resize(before);
      return false;
    }
    out += '\\';
    out += kWritten[which];
    at = end + 1;
  }
  out += '"';
  return true;
}

}  // namespace tilewright::protocol
