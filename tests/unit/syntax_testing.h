// What the tests of the syntax room share.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "compiler/syntax/dump.h"
#include "compiler/syntax/tree.h"

namespace tilewright::syntax::testing {

inline std::shared_ptr<const text::Source> source(std::string_view text) {
  return std::make_shared<text::Source>("test.py", std::string(text));
}
inline std::shared_ptr<const Tree> parse(std::string_view text) { return Tree::parse(source(text)); }

// The statements, one a line.
inline std::string statements(const Tree& tree, DumpOptions options = {}) {
  std::string all;
  for (const Tree::Statement& s : tree.statements()) {
    if (!all.empty()) all += '\n';
    all += dump(s.node->statement, options);
  }
  return all;
}

// The errors, one a line: `line:column message`, from 1, with the text between brackets.
inline std::string errors(const Tree& tree) {
  std::string all;
  for (const SyntaxError& e : tree.errors()) {
    text::LineColumn at = tree.source()->position(e.begin);
    if (!all.empty()) all += '\n';
    all += std::to_string(at.line + 1) + ':' + std::to_string(at.column + 1) + ' ' + e.message;
    all += " [" + std::string(tree.source()->text().substr(e.begin, e.end - e.begin)) + ']';
  }
  return all;
}

// Everything that can be observed, as text: two trees with the same are the same.
inline std::string everything(const Tree& tree) {
  std::string all;
  for (const Tree::Statement& s : tree.statements()) {
    all += std::to_string(s.offset) + ' ' + dump(s.node->statement, {.extents = true}) + '\n';
  }
  all += errors(tree) + '\n';
  for (const Directive& d : tree.directives()) {
    all += std::to_string(d.offset) + ',' + std::to_string(d.line) + ' ' + std::string(d.text) + '\n';
  }
  return all;
}

// The one statement of a text without errors.
inline std::string one(std::string_view text) {
  auto tree = parse(text);
  return errors(*tree) + statements(*tree);
}
// The value of an expression.
inline std::string value(std::string_view text) {
  std::string all = one(text);
  constexpr std::string_view kBegin = "(expr ";
  return all.starts_with(kBegin) ? all.substr(kBegin.size(), all.size() - kBegin.size() - 1) : all;
}

}  // namespace tilewright::syntax::testing
