#include "compiler/syntax/errors.h"

#include <algorithm>
#include <string>
#include <utility>

#include "compiler/syntax/acceptance.h"
#include "compiler/syntax/vocabulary.h"

namespace tilewright::syntax {
namespace {

std::uint32_t line_end(std::string_view text, std::uint32_t at) {
  return static_cast<std::uint32_t>(std::min(text.find_first_of("\r\n", at), text.size()));
}

// The parser inserts a name wherever an expression is missing.
bool wants_name(std::string_view before) {
  static constexpr std::string_view kWords[] = {"def", "class", "as", "import", "global", "nonlocal", "from"};
  before = before.substr(0, before.find_last_not_of(" \t\f\r\n") + 1);
  if (before.ends_with('.')) return true;
  before = before.substr(before.find_last_not_of("abcdefghijklmnopqrstuvwxyz") + 1);
  return std::ranges::find(kWords, before) != std::end(kWords);
}

std::string of_missing(TSNode node, std::string_view before) {
  switch (kind_of(node)) {
    case Kind::indented_block: return "expected an indented block";
    case Kind::block_header: return "unexpected indent";
    case Kind::closing_quote: return "unterminated string";
    case Kind::valid_escape: return "malformed escape in this string";
    case Kind::header_rest: return "this header is not complete";
    case Kind::handler: return "expected 'except' or 'finally'";
    case Kind::identifier: return wants_name(before) ? "expected a name" : "expected an expression";
    default: break;
  }
  // Of other tokens the parser inserts the cheapest, which need not be what the author meant.
  static constexpr std::string_view kTelling[] = {")", "]", "}", ":", ",", "=", "in", "import", "else"};
  std::string name = ts_node_type(node);
  bool telling = !ts_node_is_named(node) && std::ranges::find(kTelling, name) != std::end(kTelling);
  return telling ? "expected '" + name + "'" : "syntax error";
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
  bool escape = end > begin + 1 && text[begin] == '\\' && text[begin + 1] != '\r' && text[begin + 1] != '\n';
  return {begin, std::max(begin, end), escape ? "malformed escape in this string" : "syntax error"};
}

}  // namespace

SyntaxError fault_error(const Fault& fault, std::string_view text) {
  std::string bracket(1, text[fault.at.begin]);
  switch (fault.kind) {
    case Fault::Kind::UnclosedBracket: return {fault.at.begin, fault.at.end, "unclosed '" + bracket + "'"};
    case Fault::Kind::UnmatchedBracket: return {fault.at.begin, fault.at.end, "unmatched '" + bracket + "'"};
    case Fault::Kind::UnterminatedString: return {fault.at.begin, fault.at.end, "unterminated string"};
    case Fault::Kind::TooDeep: return {fault.at.begin, fault.at.end, "nested too deeply"};
  }
  return {};
}

std::optional<SyntaxError> first_error(const TSTree* tree, std::string_view text) {
  std::optional<SyntaxError> found;
  TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
  for (bool down = true; !found;) {
    TSNode node = ts_tree_cursor_current_node(&cursor);
    if (down && ts_node_has_error(node)) {
      if (ts_node_is_missing(node)) {
        std::uint32_t at = ts_node_start_byte(node);
        if (kind_of(node) != Kind::block_header) {  // what is missing is missed behind the last token
          while (at > 0 && std::string_view(" \t\f\r\n").find(text[at - 1]) != std::string_view::npos) --at;
        }
        found = SyntaxError{at, at, of_missing(node, text.substr(0, at))};
      } else if (kind_of(node) == Kind::error) {
        found = of_error(node, text);
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
  if (found || !ts_node_has_error(ts_tree_root_node(tree))) return found;
  // What is hidden in the tree, such as the line break that two statements on a line lack.
  for (Rejection& r : check_errors(ts_tree_root_node(tree), text)) {
    return SyntaxError{static_cast<std::uint32_t>(r.begin), static_cast<std::uint32_t>(r.end), std::move(r.message)};
  }
  return found;
}

}  // namespace tilewright::syntax
