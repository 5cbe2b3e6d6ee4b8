#include "server/ide/hint_words.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace tilewright::ide {
namespace {

// Where code ends and the sentence goes on.
constexpr std::string_view kSentence[] = {" above", " where ", " after ", " to end ", " at the top",
                                          " in it", " into ",  " from ",  " and ",    " for "};

// The code from the beginning of `rest` on: up to a comma or semicolon outside of brackets and quotes, or a word of the
// sentence around it.
std::string_view code_at(std::string_view rest) {
  if (rest.starts_with('`')) return rest.substr(1, rest.find('`', 1) - 1);
  int depth = 0;
  char quote = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const char c = rest[i];
    if (quote) {
      if (c == '\\') ++i;
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '"') quote = c;
    depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
    if (depth > 0 || quote) continue;
    if (c == ',' || c == ';') return rest.substr(0, i);
    const std::string_view from_here = rest.substr(i);
    if (std::ranges::any_of(kSentence, [&](std::string_view w) { return from_here.starts_with(w); }))
      return rest.substr(0, i);
  }
  return rest;
}

}  // namespace

std::string code_in(std::string_view hint) {
  for (std::string_view verb : {"write ", "parentheses: ", "writes "}) {
    const std::size_t at = hint.find(verb);
    if (at == hint.npos || (at > 0 && hint[at - 1] != ' ')) continue;
    const std::string_view code = code_at(hint.substr(at + verb.size()));
    if (code.empty() || code.find("...") != code.npos || code.find('<') != code.npos) return {};
    return std::string(code);
  }
  return {};
}

std::string name_after(std::string_view hint, std::string_view word) {
  const std::size_t at = hint.find(word);
  if (at == hint.npos) return {};
  std::string_view rest = hint.substr(at + word.size());
  const auto end = std::ranges::find_if(rest, [](unsigned char c) { return !std::isalnum(c) && c != '_' && c != '.'; });
  rest = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
  while (rest.ends_with('.')) rest.remove_suffix(1);
  return std::string(rest);
}

}  // namespace tilewright::ide
