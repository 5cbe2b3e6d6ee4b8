// An LR parser knows where it stopped, rarely why. The scanner of lines knows the usual reasons (a bracket, a quote),
// so its finding words the error of a line; and a header that becomes readable with a `:` behind it lacked just that.
#include "compiler/syntax/errors.h"

#include <algorithm>
#include <map>
#include <string>

#include "compiler/syntax/lines.h"
#include "compiler/syntax/vocabulary.h"

namespace tilewright::syntax {
namespace {

std::uint32_t line_end(std::string_view text, std::uint32_t at) {
  return static_cast<std::uint32_t>(std::min(text.find_first_of("\r\n", at), text.size()));
}

SyntaxError of_fault(const Fault& fault, std::string_view text) {
  std::string bracket(1, text[fault.at.begin]);
  switch (fault.kind) {
    case Fault::Kind::UnclosedBracket:
      return {fault.at.begin, fault.at.end, "unclosed '" + bracket + "'"};
    case Fault::Kind::UnmatchedBracket:
      return {fault.at.begin, fault.at.end, "unmatched '" + bracket + "'"};
    case Fault::Kind::UnterminatedString:
      return {fault.at.begin, fault.at.end, "unterminated string"};
    case Fault::Kind::TooDeep:
      return {fault.at.begin, fault.at.end, "nested too deeply"};
  }
  return {};
}

std::string of_missing(TSNode node) {
  switch (kind_of(node)) {
    case Kind::indented_block:
      return "expected an indented block";
    case Kind::block_header:
      return "unexpected indent";
    case Kind::closing_quote:
      return "unterminated string";
    case Kind::valid_escape:
      return "malformed escape in this string";
    case Kind::handler:
      return "expected 'except' or 'finally'";
    case Kind::identifier:
      return "expected a name";
    default:
      break;
  }
  std::string name = ts_node_type(node);
  return ts_node_is_named(node) ? "expected " + name : "expected '" + name + "'";
}

// The token that the parser stumbled over: the first error within the error.
SyntaxError of_error(TSNode node, std::string_view text) {
  for (bool deeper = true; deeper;) {
    deeper = false;
    for (std::uint32_t i = 0; i < std::min(ts_node_child_count(node), 64u) && !deeper; ++i) {
      TSNode child = ts_node_child(node, i);
      if (kind_of(child) != Kind::error) continue;
      node = child;
      deeper = true;
    }
  }
  std::uint32_t begin = ts_node_start_byte(node);
  std::uint32_t end = std::min(ts_node_end_byte(node), line_end(text, begin));
  return {begin, std::max(begin, end), "syntax error"};
}

// All errors of the tree, none within another.
std::vector<SyntaxError> all_errors(const TSTree* tree, std::string_view text) {
  std::vector<SyntaxError> found;
  TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
  for (bool down = true;;) {
    TSNode node = ts_tree_cursor_current_node(&cursor);
    if (down && ts_node_has_error(node)) {
      if (ts_node_is_missing(node)) {
        std::uint32_t at = ts_node_start_byte(node);
        if (kind_of(node) != Kind::block_header) {  // what is missing is missed behind the last token
          while (at > 0 && std::string_view(" \t\f\r\n").find(text[at - 1]) != std::string_view::npos) --at;
        }
        found.push_back({at, at, of_missing(node)});
      } else if (kind_of(node) == Kind::error) {
        found.push_back(of_error(node, text));
      } else if (ts_tree_cursor_goto_first_child(&cursor)) {
        continue;
      }
    }
    down = true;
    if (ts_tree_cursor_goto_next_sibling(&cursor)) continue;
    if (!ts_tree_cursor_goto_parent(&cursor)) break;
    down = false;
  }
  ts_tree_cursor_delete(&cursor);
  return found;
}

// Whether a header is complete but for its colon.
bool lacks_colon(const Line& line, std::string_view text, Parser& parser) {
  bool header = line.word == Word::Definition || line.word == Word::Async || line.word == Word::Compound ||
                line.word == Word::Clause;
  if (!header || line.has_colon) return false;
  std::string_view written = text.substr(line.begin, line.end - line.begin);
  std::string probe;
  if (line.word == Word::Clause) {
    bool of_try = written.starts_with("except") || written.starts_with("finally");
    probe = of_try ? "try: 0\n" : "if 0: 0\n";
  }
  probe += written;
  probe += ": 0\n";
  if (written.starts_with("try")) probe += "finally: 0\n";
  TreePtr tree = parser.parse(probe);
  return tree && !ts_node_has_error(ts_tree_root_node(tree.get()));
}

}  // namespace

std::vector<SyntaxError> read_errors(const TSTree* tree, std::string_view text, Parser& parser) {
  LineScan scan = scan_lines(text);
  std::map<std::size_t, SyntaxError> by_line;
  for (std::size_t i = 0; i < scan.lines.size(); ++i) {
    if (scan.lines[i].fault) by_line.emplace(i, of_fault(scan.faults[*scan.lines[i].fault], text));
  }
  for (SyntaxError& error : all_errors(tree, text)) {
    auto after = std::ranges::upper_bound(scan.lines, error.begin, {}, &Line::begin);
    std::size_t index = after == scan.lines.begin() ? 0 : static_cast<std::size_t>(after - scan.lines.begin()) - 1;
    if (by_line.contains(index)) continue;
    if (index < scan.lines.size() && lacks_colon(scan.lines[index], text, parser)) {
      error = {scan.lines[index].end, scan.lines[index].end, "expected ':'"};
    }
    by_line.emplace(index, std::move(error));
  }
  std::vector<SyntaxError> errors;
  for (auto& [line, error] : by_line) errors.push_back(std::move(error));
  if (errors.empty() && ts_node_has_error(ts_tree_root_node(tree))) {
    errors.push_back({0, line_end(text, 0), "syntax error"});
  }
  return errors;
}

}  // namespace tilewright::syntax
