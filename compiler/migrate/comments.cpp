#include "compiler/migrate/comments.h"

#include <algorithm>

namespace tilewright::migrate {
namespace {

// Behind a string that begins at `at`.
std::size_t behind_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::size_t quotes = text.substr(at, 3) == std::string(3, quote) ? 3 : 1;
  const std::string end(quotes, quote);
  for (at += quotes; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text.substr(at, quotes) == end) {
      return at + quotes;
    }
  }
  return text.size();
}

// The comments of a piece of a script that begins outside of strings, each from its # on.
std::vector<std::string_view> comments_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '"' || text[at] == '\'') {
      at = behind_string(text, at);
    } else if (text[at] == '#') {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string_view line = text.substr(at, end - at);
      out.push_back(line.substr(0, line.find_last_not_of(" \r") + 1));
      at = end;
    } else {
      ++at;
    }
  }
  return out;
}

}  // namespace

std::vector<Edit> with_comments(std::string_view text, std::vector<Edit> edits) {
  std::vector<Edit> out;
  for (Edit& e : edits) {
    std::string lost;
    const std::size_t line = e.begin == 0 ? 0 : text.rfind('\n', e.begin - 1) + 1;
    const std::size_t indent = text.find_first_not_of(' ', line) - line;
    // A line that a backslash continues takes no comment before it.
    const bool continued = line >= 2 && text[line - 2] == '\\';
    for (std::string_view comment : comments_of(text.substr(e.begin, e.end - e.begin)))
      if (!continued && !e.text.contains(comment)) lost += std::string(indent, ' ').append(comment) += '\n';
    if (!lost.empty()) {
      const auto at = static_cast<std::uint32_t>(line);
      const auto here = std::ranges::find_if(out, [&](const Edit& had) { return had.begin == at && had.end == at; });
      if (here != out.end()) {
        here->text += lost;
      } else if (out.empty() || out.back().end <= line) {
        // Else what another edit replaces from before this line on has its own place for them.
        out.push_back({at, at, std::move(lost)});
      }
    }
    out.push_back(std::move(e));
  }
  return out;
}

}  // namespace tilewright::migrate
