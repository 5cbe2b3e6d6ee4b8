#include "compiler/syntax/bound_names.h"

#include <algorithm>

namespace tilewright::syntax {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct Token {
  Extent at;
  bool is_word;
};

// Words and single characters; strings are left out as far as their quotes pair up.
std::vector<Token> tokens(std::string_view text, Extent at) {
  std::vector<Token> found;
  bool import = false;
  for (std::uint32_t i = at.begin; i < at.end;) {
    char c = text[i];
    if ((c == '\n' || c == '\r') && !import) break;
    if (is_letter(c) || is_digit(c)) {
      std::uint32_t begin = i;
      while (i < at.end && (is_letter(text[i]) || is_digit(text[i]))) ++i;
      found.push_back({{begin, i}, !is_digit(c)});
      std::string_view word = text.substr(begin, i - begin);
      if (found.size() == 1) import = word == "import" || word == "from";
    } else if (c == '"' || c == '\'') {
      std::size_t close = text.substr(0, at.end).find_first_of(c == '"' ? "\"\n" : "'\n", i + 1);
      i = close == std::string_view::npos ? at.end : static_cast<std::uint32_t>(close) + (text[close] == c ? 1 : 0);
    } else if (c == '#') {
      while (i < at.end && text[i] != '\n') ++i;
    } else {
      if (c != ' ' && c != '\t' && c != '\f' && c != '\\' && c != '\n' && c != '\r')
        found.push_back({{i, i + 1}, false});
      ++i;
    }
  }
  return found;
}

}  // namespace

std::vector<Extent> bound_names(std::string_view text, Extent at) {
  constexpr std::uint32_t kLongest = 4096;  // of a statement that means to bind something
  at.end = std::min(at.end, at.begin + kLongest);
  std::vector<Token> all = tokens(text, at);
  std::vector<Extent> names;
  auto spelled = [&](std::size_t i) {
    return i < all.size() ? text.substr(all[i].at.begin, all[i].at.end - all[i].at.begin) : std::string_view();
  };
  auto add = [&](std::size_t i) {
    if (i < all.size() && all[i].is_word) names.push_back(all[i].at);
  };
  // A name on its own between commas, brackets and the ends of a target.
  auto add_targets = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::string_view before = i > begin ? spelled(i - 1) : "";
      std::string_view after = i + 1 < end ? spelled(i + 1) : "";
      constexpr std::string_view kBefore = "(,[*=";
      constexpr std::string_view kAfter = "),]=:+-*/%@&|^<>";
      bool free = before.empty() || kBefore.find(before[0]) != std::string_view::npos;
      bool ends = after.empty() || kAfter.find(after[0]) != std::string_view::npos;
      if (free && ends) add(i);
    }
  };

  std::size_t first = spelled(0) == "async" ? 1 : 0;
  std::string_view word = spelled(first);
  if (word == "def" || word == "class") {
    add(first + 1);
  } else if (word == "import" || word == "from") {
    std::size_t i = 0;
    while (i < all.size() && spelled(i) != "import") ++i;
    for (++i; i < all.size(); ++i) {
      if (spelled(i - 1) == "." || spelled(i + 1) == "as" || spelled(i) == "as") continue;
      add(i);
    }
  } else if (word == "for") {
    std::size_t end = first + 1;
    while (end < all.size() && spelled(end) != "in" && spelled(end) != ":") ++end;
    add_targets(first + 1, end);
  } else if (word == "with") {
    for (std::size_t i = first; i + 1 < all.size(); ++i) {
      if (spelled(i) == "as") add(i + 1);
    }
  } else {
    std::size_t equal = 0;
    for (std::size_t i = 1, depth = 0; i < all.size(); ++i) {
      std::string_view token = spelled(i);
      if (token == "(" || token == "[" || token == "{") ++depth;
      if ((token == ")" || token == "]" || token == "}") && depth > 0) --depth;
      if (token != "=" || depth > 0) continue;
      bool pair = spelled(i - 1) == "!" || spelled(i - 1) == "=" || spelled(i + 1) == "=";
      if (!pair) equal = i;
    }
    if (equal > 0 && spelled(1) == ":") equal = 1;  // x: T = v
    if (equal > 0) {
      add_targets(0, equal);
    } else if (spelled(1) == ":") {
      add(0);
    }
  }
  return names;
}

}  // namespace tilewright::syntax
