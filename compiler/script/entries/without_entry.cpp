// Kernels that no entry leads to and of which nothing else was said: in methods that are not called, in functions whose
// decorator is not known, in functions that functions give back. Each function is named once.
#include <algorithm>
#include <utility>

#include "compiler/script/codes.h"
#include "compiler/script/entries/finder.h"
#include "compiler/syntax/statement_bit.h"

namespace tilewright::script {
namespace {

constexpr int kDeepestMaker = 50;

bool lies_in(const syntax::Extent& outer, const syntax::Extent& inner) {
  return outer.begin <= inner.begin && inner.end <= outer.end;
}

// `@X.prim_func`, `@prim_func`, `@T.jit`, `@T.function`, `@X.kernel(warps=...)`: other packages have a `jit` as well.
bool is_of_tile_scripts(const syntax::Node* decorator) {
  if (names_traced_decorator(decorator)) return true;
  if (auto* c = syntax::as<syntax::Call>(decorator)) decorator = c->function;
  auto* bare = syntax::as<syntax::NameRef>(decorator);
  auto* a = syntax::as<syntax::Attribute>(decorator);
  if (!a) return bare && bare->name.text == "prim_func";
  auto* module = syntax::as<syntax::NameRef>(a->object);
  const bool of_dialect = module && module->name.text == "T";
  return a->name.text == "prim_func" || (of_dialect && (a->name.text == "jit" || a->name.text == "function"));
}

bool makes_kernel(const syntax::FunctionDef& f) { return std::ranges::any_of(f.decorators, is_of_tile_scripts); }

// The bodies of a statement that is no function and no class.
std::vector<syntax::Stmts> bodies_of(const syntax::Node* node) {
  if (auto* i = syntax::as<syntax::If>(node)) return {i->then_body, i->else_body};
  if (auto* w = syntax::as<syntax::With>(node)) return {w->body};
  if (auto* l = syntax::as<syntax::For>(node)) return {l->body};
  if (auto* t = syntax::as<syntax::Try>(node)) return {t->body};
  return {};
}

// `is_direct`: becomes false where it stands in a further function.
const syntax::FunctionDef* first_kernel(syntax::Stmts body, bool& is_direct, int depth = 0) {
  for (const syntax::Node* node : body) {
    if (depth > kDeepestMaker) return nullptr;
    auto* f = syntax::as<syntax::FunctionDef>(node);
    auto* c = syntax::as<syntax::ClassDef>(node);
    if (f && makes_kernel(*f)) return f;
    std::vector<syntax::Stmts> inner = f ? std::vector{f->body} : c ? std::vector{c->body} : bodies_of(node);
    for (syntax::Stmts one : inner) {
      auto* found = first_kernel(one, is_direct, depth + 1);
      is_direct = is_direct && !(found && f);
      if (found) return found;
    }
  }
  return nullptr;
}

void add_makers(syntax::Stmts body, const syntax::ClassDef* of, std::vector<EntryFinder::KernelMaker>& out,
                int depth = 0) {
  if (depth > kDeepestMaker) return;
  for (const syntax::Node* node : body) {
    if (auto* f = syntax::as<syntax::FunctionDef>(node)) {
      bool is_direct = true;
      auto* kernel = makes_kernel(*f) ? nullptr : first_kernel(f->body, is_direct);
      if (kernel) out.push_back({f, kernel, of, is_direct});
    } else if (auto* c = syntax::as<syntax::ClassDef>(node)) {
      add_makers(c->body, c, out, depth + 1);
    } else {
      for (syntax::Stmts one : bodies_of(node)) add_makers(one, of, out, depth + 1);
    }
  }
}

// What a module does only where it is run as a program: below `if __name__ == "__main__":`, or in the `else` of its
// opposite.
syntax::Stmts body_of_program(const syntax::Node* statement) {
  auto* guard = syntax::as<syntax::If>(statement);
  auto* compare = guard ? syntax::as<syntax::Compare>(guard->condition) : nullptr;
  if (!compare || compare->ops.size() != 1) return {};
  auto is_name = [](const syntax::Node* n) {
    auto* name = syntax::as<syntax::NameRef>(n);
    return name && name->name.text == "__name__";
  };
  auto is_main = [](const syntax::Node* n) {
    auto* text = syntax::as<syntax::StringLit>(n);
    return text && text->value == "__main__";
  };
  const syntax::Node *left = compare->first, *right = compare->rest.front();
  if (!(is_name(left) && is_main(right)) && !(is_main(left) && is_name(right))) return {};
  switch (compare->ops.front()) {
    case syntax::Operator::Eq: return guard->then_body;
    case syntax::Operator::Ne: return guard->else_body;
    default: return {};
  }
}

// "build(n)", without the self of methods.
std::string signature_of(const syntax::FunctionDef& f, bool is_method) {
  std::string out(f.name.text);
  out += '(';
  bool first = is_method;
  for (const syntax::Parameter& p : f.params) {
    if (!std::exchange(first, false)) out += (out.back() == '(' ? "" : ", ") + std::string(p.name.text);
  }
  return out + ")";
}

}  // namespace

bool EntryFinder::is_accounted_for(const KernelMaker& m, std::uint32_t anchor) const {
  auto is_within = [&](const Function* f) { return f && f->anchor == anchor && lies_in(m.function->at, f->def->at); };
  auto makes = [&](const KernelValue* k) { return is_within(k->source); };
  const auto& made = in_.kernels();
  if (std::ranges::any_of(made, makes) || std::ranges::any_of(seen_, makes)) return true;
  if (std::ranges::any_of(forgotten_, is_within) || std::ranges::any_of(told_, is_within)) return true;
  if (std::ranges::any_of(in_.unread(), [&](const Interpreter::Unread& u) { return is_within(u.function); }))
    return true;
  if (!m.of && named_as_reference(m.function->name.text)) return true;
  // One that was called to its end makes none where it stands, as those do that expect an error.
  const bool ended = std::ranges::any_of(functions_, [&](const Candidate& c) {
    return c.called && c.function->anchor == anchor && c.function->def == m.function;
  });
  // A call of it has not run its body.
  const bool is_later = m.function->is_generator || m.function->is_async;
  if (ended && m.is_direct && !is_later) return true;
  auto is_here = [&](text::Span span) {
    return span.anchor == anchor && lies_in(m.function->at, {span.begin, span.end});
  };
  if (std::ranges::any_of(e_.open_factories, [&](const Factory& f) { return is_here(f.span); })) return true;
  return std::ranges::any_of(e_.diagnostics, [&](const text::Diagnostic& d) {
    return (d.code == code::kNeedsEntry || d.code == code::kUnchecked) && is_here(d.span);
  });
}

void EntryFinder::without_entry() {
  auto is_error = [](const text::Diagnostic& d) { return d.severity == text::Severity::Error; };
  if (std::ranges::any_of(e_.diagnostics, is_error)) return;  // what a kernel lacks may come from that
  static syntax::StatementBit concerns;
  const auto makes_any = [](const syntax::TopLevel& statement) {
    std::vector<KernelMaker> makers;
    add_makers({&statement.statement, 1}, nullptr, makers);
    return !makers.empty() || !body_of_program(statement.statement).empty();
  };
  for (const syntax::Tree::Statement& s : e_.tree->statements()) {
    if (!concerns.of(*s.node, makes_any)) continue;
    std::vector<KernelMaker> makers;
    add_makers({&s.node->statement, 1}, nullptr, makers);
    for (const KernelMaker& m : makers) {
      if (!is_accounted_for(m, s.node->id)) tell_without_entry(m, s.node->id);
    }
    for (const syntax::Node* node : body_of_program(s.node->statement)) {
      auto* f = syntax::as<syntax::FunctionDef>(node);
      if (!f || !makes_kernel(*f)) continue;
      const std::string name(f->name.text);
      tell_unchecked({s.node->id, f->name.at.begin, f->name.at.end}, name, name,
                     "it is made only where the file is run as a program", "put it above the test of __name__");
    }
  }
}

// `what` is said of it in the finding, `name` in the list of what was not checked.
void EntryFinder::tell_unchecked(text::Span span, const std::string& name, const std::string& what,
                                 const std::string& why, std::string hint) {
  text::Diagnostic& d = e_.diagnostics.emplace_back();
  d.code = code::kUnchecked;
  d.severity = text::Severity::Information;
  d.span = span;
  d.message = what + " is not checked: " + why;
  d.hint = std::move(hint);
  e_.unchecked.push_back({name, why, span});
}

void EntryFinder::tell_without_entry(const KernelMaker& m, std::uint32_t anchor) {
  const std::string name(m.function->name.text), method = signature_of(*m.function, m.of != nullptr);
  const std::string path = m.of ? std::string(m.of->name.text) + "." + method : method;
  // A decorator that is not known made something else of it.
  const Scope::Binding* bound = m.of ? nullptr : e_.module->find(m.function->name);
  const bool hidden = bound && bound->value.is_opaque();
  const std::string why = hidden ? name + " depends on " + bound->value.reason() : "no entry leads to it";
  const std::string call = m.of ? std::string(m.of->name.text) + "(...)." + name + "(...)" : method;
  std::string hint;
  if (!hidden && !m.function->is_async)
    hint = "name one in a comment: # tilewright: entry " + (m.function->is_generator ? "next(" + call + ")" : call) +
           (m.is_direct ? "" : "(...)");
  tell_unchecked({anchor, m.function->name.at.begin, m.function->name.at.end}, path,
                 "the kernel " + std::string(m.kernel->name.text) + " in " + path, why, std::move(hint));
}

}  // namespace tilewright::script
