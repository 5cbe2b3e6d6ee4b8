// Tables of names written as one text, with a blank between them.
#pragma once
#include <string_view>

namespace tilewright::text {

// Is `word`, as a whole, one of the words?
inline bool lists_word(std::string_view words, std::string_view word) {
  if (word.empty()) return false;
  for (std::size_t at = words.find(word); at != words.npos; at = words.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' ')) return true;
  }
  return false;
}

}  // namespace tilewright::text
