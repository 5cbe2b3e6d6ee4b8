#include "server/ide/logical_lines.h"

#include <algorithm>

namespace tilewright::ide {
namespace {

// Follows strings, brackets and comments from one line to the next.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  // Where the logical line that begins at `at` ends, behind its line break; sets whether it ends with a colon.
  std::uint32_t end_of(std::uint32_t at, std::uint32_t end, bool& opens) {
    int depth = 0;
    char last = 0;
    while (at < end) {
      const char c = text_[at];
      if (c == '#') {
        while (at < end && text_[at] != '\n') ++at;
        continue;
      }
      if (c == '"' || c == '\'') {
        at = behind_string(at, end);
        last = '"';
        continue;
      }
      if (c == '\\' && at + 1 < end && text_[at + 1] == '\n') {
        at += 2;
        continue;
      }
      if (c == '\n' && depth <= 0) {
        opens = last == ':';
        return at + 1;
      }
      if (c == '(' || c == '[' || c == '{') ++depth;
      if (c == ')' || c == ']' || c == '}') --depth;
      if (c != ' ' && c != '\t' && c != '\r' && c != '\n') last = c;
      ++at;
    }
    opens = last == ':';
    return end;
  }

 private:
  std::uint32_t behind_string(std::uint32_t at, std::uint32_t end) const {
    const char quote = text_[at];
    const bool triple = text_.substr(at, 3) == std::string(3, quote);
    at += triple ? 3 : 1;
    while (at < end) {
      if (text_[at] == '\\') {
        at += 2;
      } else if (triple ? text_.substr(at, 3) == std::string(3, quote) : text_[at] == quote) {
        return at + (triple ? 3 : 1);
      } else if (!triple && text_[at] == '\n') {
        return at;
      } else {
        ++at;
      }
    }
    return end;
  }

  std::string_view text_;
};

class Places {
 public:
  Places(const std::vector<LogicalLine>& lines) : lines_(lines) {}

  void before(std::size_t i) { add({lines_[i].begin, lines_[i].indent}); }
  // After the line and the block that it opens.
  void after(std::size_t i) {
    std::size_t next = i + 1;
    while (next < lines_.size() && lines_[next].indent > lines_[i].indent) ++next;
    add({lines_[next - 1].end, lines_[i].indent});
  }
  // The line that opens the block of line i; `i` itself: none.
  std::size_t opener(std::size_t i) const {
    for (std::size_t up = i; up-- > 0;)
      if (lines_[up].indent < lines_[i].indent) return up;
    return i;
  }
  std::vector<StatementPlace> take() { return std::move(out_); }

 private:
  void add(StatementPlace place) {
    if (std::ranges::find(out_, place) == out_.end()) out_.push_back(place);
  }

  const std::vector<LogicalLine>& lines_;
  std::vector<StatementPlace> out_;
};

bool is_else(std::string_view text, const LogicalLine& line) {
  const std::string_view words = text.substr(line.begin + line.indent);
  return words.starts_with("else") || words.starts_with("elif");
}

}  // namespace

std::vector<LogicalLine> logical_lines(std::string_view text, Stretch range) {
  std::vector<LogicalLine> out;
  Scanner scanner(text);
  const auto end = std::min<std::uint32_t>(range.end, static_cast<std::uint32_t>(text.size()));
  for (std::uint32_t at = range.begin; at < end;) {
    LogicalLine line{.begin = at};
    std::uint32_t first = at;
    while (first < end && (text[first] == ' ' || text[first] == '\t')) ++first;
    line.indent = first - at;
    line.end = scanner.end_of(first, end, line.opens);
    const bool empty = first >= end || text[first] == '\n' || text[first] == '\r' || text[first] == '#';
    if (!empty) out.push_back(line);
    at = line.end;
  }
  return out;
}

std::vector<StatementPlace> statement_places(std::string_view text, const std::vector<LogicalLine>& lines,
                                             const std::vector<std::uint32_t>& near) {
  Places places(lines);
  if (lines.empty()) return {};
  const std::uint32_t body =
      std::ranges::min_element(lines, [](auto& a, auto& b) { return a.begin < b.begin; })->indent;
  std::vector<std::size_t> level;
  for (std::uint32_t at : near) {
    auto line = std::ranges::find_if(lines, [&](const LogicalLine& l) { return at >= l.begin && at < l.end; });
    if (line != lines.end()) level.push_back(static_cast<std::size_t>(line - lines.begin()));
  }
  auto inside = [&](std::size_t i) { return lines[i].indent > body; };
  while (!level.empty()) {
    std::vector<std::size_t> outer;
    for (std::size_t i : level) {
      if (!inside(i)) continue;
      if (!is_else(text, lines[i])) places.before(i);
      const bool followed = [&] {  // by its else, which belongs to it
        std::size_t next = i + 1;
        while (next < lines.size() && lines[next].indent > lines[i].indent) ++next;
        return next < lines.size() && lines[next].indent == lines[i].indent && is_else(text, lines[next]);
      }();
      if (!followed) places.after(i);
      const std::size_t up = places.opener(i);
      if (up != i && std::ranges::find(outer, up) == outer.end()) outer.push_back(up);
    }
    level = std::move(outer);
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (inside(i) && !is_else(text, lines[i])) places.before(i);
    if (inside(i) && !lines[i].opens && (i + 1 == lines.size() || lines[i + 1].indent < lines[i].indent))
      places.after(i);
  }
  return places.take();
}

}  // namespace tilewright::ide
