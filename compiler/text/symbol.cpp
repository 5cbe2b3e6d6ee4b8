#include "compiler/text/symbol.h"

#include <algorithm>

#include "compiler/text/escape.h"

namespace tilewright::text {
namespace {

bool is_plain(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

std::optional<std::string> too_long(std::string_view name) {
  if (name.empty()) return "it is empty";
  if (name.size() <= kLongestSymbol) return std::nullopt;
  return "it has " + std::to_string(name.size()) + " bytes, and " + std::to_string(kLongestSymbol) + " are the most";
}

// The character of `text` at byte `at`, for people, and its place from 1.
std::string character_at(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
  const auto before = std::ranges::count_if(text.substr(0, at), [](char c) { return (c & 0xC0) != 0x80; });
  return "it has '" + visible(text.substr(at, end - at)) + "' at character " + std::to_string(before + 1);
}

std::optional<std::string> first_other(std::string_view text, std::string_view allowed) {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (!is_plain(text[i]) && allowed.find(text[i]) == std::string_view::npos) return character_at(text, i);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> why_no_symbol(std::string_view name) {
  if (auto why = too_long(name)) return why;
  if (auto why = first_other(name, "")) return why;
  if (name[0] >= '0' && name[0] <= '9') return "it begins with a digit";
  return std::nullopt;
}

std::optional<std::string> why_no_function(std::string_view name) {
  if (auto why = too_long(name)) return why;
  if (auto why = first_other(name, ":")) return why;
  std::string_view rest = name.starts_with("::") ? name.substr(2) : name;
  for (;;) {
    const std::size_t end = std::min(rest.find("::"), rest.size());
    const std::string_view part = rest.substr(0, end);
    if (auto why = why_no_symbol(part)) return part.empty() ? "a part of it is empty" : why;
    if (std::ranges::binary_search(kCxxKeywords, part)) return "'" + std::string(part) + "' is a keyword of C++";
    if (end == rest.size()) return std::nullopt;
    rest.remove_prefix(end + 2);
  }
}

std::optional<std::string> why_no_word(std::string_view text) {
  if (text.size() > kLongestSymbol) return too_long(text);
  return first_other(text, ".:%+-");
}

}  // namespace tilewright::text
