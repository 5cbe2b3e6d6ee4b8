// Instructions of 0.27 write their value into their first operand. One that stood within an expression becomes a
// statement before the one that uses it, and the expression uses the name that it writes.
#include <algorithm>

#include "compiler/migrate/rewriter.h"
#include "compiler/syntax/walk.h"

namespace tilewright::migrate {

using namespace syntax;

// Only the body of a kernel, or of what is inlined there, can declare a scalar.
bool Rewriter::is_kernel_code() const {
  if (functions_.empty() || alone_) return false;
  return std::ranges::any_of(functions_.back()->decorators, [&](const Node* d) {
    auto* call = as<Call>(d);
    const std::string path = names_.path(call ? call->function : d);
    return path == "T.prim_func" || path == "T.jit" || path == "T.inline" || path == "T.macro";
  });
}

std::string Rewriter::fresh_name(std::string_view path) {
  const std::string base(path.substr(path.rfind('.') + 1));
  auto is_used = [&](const std::string& name) {
    return taken_.contains(name) || std::ranges::any_of(tree_.statements(), [&](const Tree::Statement& s) {
             return std::ranges::any_of(s.node->names, [&](const Name& n) { return n.text == name; });
           });
  };
  std::string name = base;
  for (int i = 1; is_used(name); ++i) name = base + "_" + std::to_string(i);
  taken_.insert(name);
  return name;
}

// False: it stays where it is.
bool Rewriter::hoist(const Call& call) {
  if (!hoist_ || !is_kernel_code()) return false;
  for (const Parsed& rule : parsed_rules(to_)) {
    auto* target = as<NameRef>(rule.target());
    if (!target || !rule.is) continue;
    auto found = match(rule, call, names_, at_->node->text);
    if (!found) continue;
    const std::string name = fresh_name(names_.path(call.function));
    found->bound[target->name.text] = Binding{{}, name};
    std::vector<std::string> lines;
    for (const Tree::Statement& s : rule.is->statements()) {
      auto text = rendered(*found, s.node->statement, s.node->text);
      if (!text) return false;
      lines.push_back(std::move(*text));
    }
    hoist_->again.push_back(lines.back());
    std::ranges::move(lines, std::back_inserter(hoist_->first));
    edit(call.at, name);
    return true;
  }
  return false;
}

void Rewriter::put_before(const Node* statement, const std::vector<std::string>& lines, const std::string& indent) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n" + indent;
  // What replaces the statement from its first byte on begins there, too.
  const std::uint32_t begin = at_->offset + statement->at.begin;
  auto same = std::ranges::find(out_.edits, begin, &Edit::begin);
  if (same != out_.edits.end()) {
    same->text.insert(0, text);
  } else {
    out_.edits.push_back({begin, begin, std::move(text)});
  }
}

void Rewriter::with_hoisting(const Node* statement, const std::function<void()>& visit) {
  const std::optional<std::string> indent = indentation(statement);
  // `elif` has no line of its own before it.
  const bool is_elif = at_->node->text.compare(statement->at.begin, 4, "elif") == 0;
  Hoist own{statement, {}, {}};
  Hoist* outer = std::exchange(hoist_, indent && !is_elif ? &own : nullptr);
  visit();
  hoist_ = outer;
  if (!own.first.empty()) put_before(statement, own.first, *indent);
}

// Its condition is evaluated before each turn: the instructions stand before the loop, and at the end of its body.
void Rewriter::visit_while(const While& loop) {
  const std::optional<std::string> indent = indentation(&loop);
  bool jumps = false;
  for (const Node* s : loop.body) for_all(s, [&](const Node* n) { jumps |= as<Continue>(n) != nullptr; });
  const std::optional<std::string> inner = loop.body.empty() ? std::nullopt : indentation(loop.body.back());
  Hoist own{&loop, {}, {}};
  Hoist* outer = std::exchange(hoist_, indent && inner && !jumps ? &own : nullptr);
  visit(loop.condition);
  hoist_ = nullptr;
  for (const Node* s : loop.body) visit(s);
  for (const Node* s : loop.else_body) visit(s);
  hoist_ = outer;
  if (own.first.empty()) return;
  put_before(&loop, own.first, *indent);
  const Node* last = loop.body.back();
  std::string again;
  for (const std::string& line : own.again) again += (again.empty() ? "" : "\n" + *inner) + line;
  if (as<Pass>(last)) return edit(last->at, again);
  const std::uint32_t end = last->at.end;
  edit({end, end}, "\n" + *inner + again);
}

}  // namespace tilewright::migrate
