// What stands at a place of a script: the syntax around it, and the tile primitives evaluated there.
#pragma once
#include <string>
#include <vector>

#include "compiler/session/snapshot.h"
#include "compiler/syntax/ast.h"

namespace tilewright::ide {

struct Found {
  const syntax::Tree::Statement* statement = nullptr;  // null: between statements
  std::vector<const syntax::Node*> path;               // from the statement down to the innermost node at the place

  const syntax::Node* innermost() const { return path.empty() ? nullptr : path.back(); }
  // The node `up` levels above the innermost; null: there is none.
  const syntax::Node* above(std::size_t up) const { return up < path.size() ? path[path.size() - 1 - up] : nullptr; }
  std::uint32_t begin(const syntax::Node* node) const { return statement->offset + node->at.begin; }
  std::uint32_t end(const syntax::Node* node) const { return statement->offset + node->at.end; }
  text::Span span(const syntax::Node* node) const { return {statement->node->id, node->at.begin, node->at.end}; }
};
// As syntax::path_at.
Found look(const syntax::Tree& tree, std::uint32_t offset);

// `T.ptx.mbarrier.init` as written; empty for anything but names joined by dots.
std::string dotted(const syntax::Node* node);
// What a function or class says of itself: the first paragraph of its docstring, unindented. Empty: nothing.
std::string docstring(syntax::Stmts body);
// The call whose callee the innermost node is a part of; null: none.
const syntax::Call* called(const Found& found);

// One evaluated tile primitive.
struct EvaluatedCall {
  const session::Compiled* compiled = nullptr;
  const session::CompiledKernel* kernel = nullptr;
  const dispatch::CallReport* report = nullptr;
  const text::Anchors& anchors() const { return compiled->evaluation->anchors; }
};
// Those written in the bytes [begin, end) of `source`, by architecture, entry and order of evaluation.
std::vector<EvaluatedCall> calls_in(const session::Analysis& analysis, const text::Source& source, std::uint32_t begin,
                                    std::uint32_t end);

// The kernel of this entry; null: there is none.
const session::CompiledKernel* find_kernel(const session::Compiled& compiled, std::string_view entry,
                                           std::string_view name);

}  // namespace tilewright::ide
