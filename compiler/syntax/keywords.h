// The words that cannot be names.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace tilewright::syntax {

inline constexpr std::array<std::string_view, 35> kKeywords = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};

// By length: a bit for each first letter (its low five bits) of a keyword. Most names end here.
inline constexpr auto kKeywordStarts = [] {
  std::array<std::uint32_t, 9> starts{};
  for (std::string_view word : kKeywords) starts[word.size()] |= 1u << (word[0] & 31);
  return starts;
}();

inline bool is_keyword(std::string_view word) {
  if (word.empty() || word.size() >= kKeywordStarts.size()) return false;
  if (!(kKeywordStarts[word.size()] >> (word[0] & 31) & 1)) return false;
  return std::ranges::binary_search(kKeywords, word);
}

}  // namespace tilewright::syntax
