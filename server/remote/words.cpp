#include "server/remote/words.h"

#include <algorithm>

namespace tilewright::remote {

std::expected<std::vector<std::string>, std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool begun = false;  // '' is a word, too
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool last = i + 1 == text.size();
    if (quote == '\'') {
      if (c == '\'') {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '\\') {
      if (last) return std::unexpected("it ends in a backslash that takes nothing");
      const bool taken = quote == 0 || std::string_view("\"\\$`").find(text[i + 1]) != std::string_view::npos;
      if (!taken) word += c;
      word += text[++i];
      begun = true;
    } else if (c == '"' || (c == '\'' && quote == 0)) {
      quote = quote == 0 ? c : '\0';
      begun = true;
    } else if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      if (begun) words.push_back(std::move(word));
      word.clear();
      begun = false;
    } else {
      word += c;
      begun = true;
    }
  }
  if (quote != 0) return std::unexpected(std::string("a ") + quote + " is open at its end");
  if (begun) words.push_back(std::move(word));
  return words;
}

std::string quoted_word(std::string_view word) {
  std::string out;
  if (word.starts_with("~/")) {
    out = "~/";
    word.remove_prefix(2);
    if (word.empty()) return out;
  }
  const bool plain = !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./:@%+,=").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain) return out.append(word);
  out += '\'';
  for (char c : word) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out += '\'';
}

}  // namespace tilewright::remote
