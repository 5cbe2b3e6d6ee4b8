#include "compiler/syntax/effects.h"

#include <algorithm>

#include "compiler/syntax/walk.h"

namespace tilewright::syntax {
namespace {

// The name that `a`, `a.b`, `a[i].c` start with; null: another expression.
const NameRef* root_of(const Node* n) {
  while (n && n->kind != NodeKind::NameRef) {
    if (auto* a = as<Attribute>(n)) {
      n = a->object;
    } else if (auto* s = as<Subscript>(n)) {
      n = s->object;
    } else {
      return nullptr;
    }
  }
  return as<NameRef>(n);
}

// Without recursion: statements may be nested as deeply as their parser allows.
class Collector {
 public:
  explicit Collector(Effects& out) : out_(out) {}

  void run(Stmts body) {
    all(body, false);
    while (!todo_.empty()) {
      auto [node, in_loop] = todo_.back();
      todo_.pop_back();
      visit(node, in_loop);
    }
    std::ranges::stable_sort(out_.bound, {}, [](const Name& n) { return n.at.begin; });
  }

 private:
  void one(const Node* n, bool in_loop) {
    // Names and literals, half of all nodes, do nothing.
    if (n && (n->kind > NodeKind::EllipsisLit || n->kind == NodeKind::FString)) todo_.push_back({n, in_loop});
  }
  void all(std::span<const Node* const> nodes, bool in_loop) {
    for (const Node* n : nodes) one(n, in_loop);
  }
  void bind(const Name& name) {
    if (!name.text.empty()) out_.bound.push_back(name);
  }
  void target(const Node* n, bool in_loop) {
    if (auto* ref = as<NameRef>(n)) return out_.bound.push_back(ref->name);  // nearly always
    add_targets(n, out_.bound);
    std::vector<const Node*> todo{n};
    while (!todo.empty()) {
      const Node* t = todo.back();
      todo.pop_back();
      if (!t) continue;
      if (t->kind == NodeKind::Tuple || t->kind == NodeKind::List || t->kind == NodeKind::Starred) {
        for_children(t, [&](const Node* part) { todo.push_back(part); });
      } else if (t->kind != NodeKind::NameRef) {
        if (const NameRef* root = root_of(t)) out_.changed.push_back(root->name);
        one(t, in_loop);
      }
    }
  }
  void pattern(const Node* root) {
    std::vector<const Node*> todo{root};
    while (!todo.empty()) {
      const Node* n = todo.back();
      todo.pop_back();
      if (!n) continue;
      if (auto* ref = as<NameRef>(n)) {
        if (ref->name.text != "_") bind(ref->name);
      } else if (auto* call = as<Call>(n)) {
        for (const Node* arg : call->args) todo.push_back(arg);
        for (const Keyword& k : call->keywords) todo.push_back(k.value);
      } else if (auto* dict = as<Dict>(n)) {
        for (const DictItem& item : dict->items) todo.push_back(item.value);
      } else if (auto* named = as<NamedExpr>(n)) {
        bind(named->name);
        todo.push_back(named->value);
      } else if (n->kind == NodeKind::List || n->kind == NodeKind::Set || n->kind == NodeKind::Starred) {
        for_children(n, [&](const Node* part) { todo.push_back(part); });
      }
    }
  }

  void visit(const Node* n, bool in_loop) {
    switch (n->kind) {
      case NodeKind::Assign:
        for (const Node* t : as<Assign>(n)->targets) target(t, in_loop);
        return one(as<Assign>(n)->value, in_loop);
      case NodeKind::AugAssign: target(as<AugAssign>(n)->target, in_loop); return one(as<AugAssign>(n)->value, in_loop);
      case NodeKind::AnnAssign: target(as<AnnAssign>(n)->target, in_loop); return one(as<AnnAssign>(n)->value, in_loop);
      case NodeKind::Delete:
        for (const Node* t : as<Delete>(n)->targets) target(t, in_loop);
        return;
      case NodeKind::For:
        target(as<For>(n)->target, in_loop);
        one(as<For>(n)->iterable, in_loop);
        all(as<For>(n)->body, true);
        return all(as<For>(n)->else_body, in_loop);
      case NodeKind::While:
        one(as<While>(n)->condition, in_loop);
        all(as<While>(n)->body, true);
        return all(as<While>(n)->else_body, in_loop);
      case NodeKind::With:
        for (const WithItem& item : as<With>(n)->items) {
          one(item.value, in_loop);
          if (item.target) target(item.target, in_loop);
        }
        return all(as<With>(n)->body, in_loop);
      case NodeKind::Try:
        all(as<Try>(n)->body, in_loop);
        for (const Handler& h : as<Try>(n)->handlers) {
          bind(h.bound);
          all(h.body, in_loop);
        }
        all(as<Try>(n)->else_body, in_loop);
        return all(as<Try>(n)->final_body, in_loop);
      case NodeKind::Match:
        one(as<Match>(n)->subject, in_loop);
        for (const MatchCase& c : as<Match>(n)->cases) {
          pattern(c.pattern);
          one(c.guard, in_loop);
          all(c.body, in_loop);
        }
        return;
      case NodeKind::FunctionDef: return bind(as<FunctionDef>(n)->name);
      case NodeKind::ClassDef: return bind(as<ClassDef>(n)->name);
      case NodeKind::TypeAlias: return bind(as<TypeAlias>(n)->name);
      case NodeKind::Import:
        for (const ImportedName& i : as<Import>(n)->names) bind(i.bound);
        return;
      case NodeKind::ImportFrom:
        for (const ImportedName& i : as<ImportFrom>(n)->names) {
          if (i.name == "*")
            out_.stars = true;
          else
            bind(i.bound);
        }
        return;
      case NodeKind::BrokenStmt:
        for (const Name& name : as<BrokenStmt>(n)->names) bind(name);
        return;
      case NodeKind::NamedExpr: bind(as<NamedExpr>(n)->name); return one(as<NamedExpr>(n)->value, in_loop);
      case NodeKind::Call:
        if (auto* method = as<Attribute>(as<Call>(n)->function)) {
          if (const NameRef* root = root_of(method->object)) out_.changed.push_back(root->name);
        }
        return for_children(n, [&](const Node* child) { one(child, in_loop); });
      case NodeKind::Break: out_.breaks = out_.breaks || !in_loop; return;
      case NodeKind::Continue: out_.continues = out_.continues || !in_loop; return;
      case NodeKind::Return:
      case NodeKind::Raise:
        out_.returns = true;
        return for_children(n, [&](const Node* child) { one(child, in_loop); });
      case NodeKind::Lambda: return;
      default: return for_children(n, [&](const Node* child) { one(child, in_loop); });
    }
  }

  struct Todo {
    const Node* node;
    bool in_loop;
  };
  Effects& out_;
  std::vector<Todo> todo_;
};

}  // namespace

void add_targets(const Node* target, std::vector<Name>& bound) {
  std::vector<const Node*> todo{target};
  while (!todo.empty()) {
    const Node* n = todo.back();
    todo.pop_back();
    if (!n) continue;
    if (auto* ref = as<NameRef>(n)) {
      bound.push_back(ref->name);
    } else if (n->kind == NodeKind::Tuple || n->kind == NodeKind::List || n->kind == NodeKind::Starred) {
      for_children(n, [&](const Node* part) { todo.push_back(part); });
    }
  }
}

Effects effects_of(Stmts body) {
  Effects out;
  Collector(out).run(body);
  return out;
}

}  // namespace tilewright::syntax
