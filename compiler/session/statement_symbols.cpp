#include "compiler/session/statement_symbols.h"

#include <algorithm>
#include <map>

#include "compiler/syntax/walk.h"

namespace tilewright::session {
namespace {

using namespace syntax;

class StatementIndexer {
 public:
  explicit StatementIndexer(StatementSymbols& out) : out_(out) {}

  void run(Stmt statement) {
    open_.push_back({0, false, {}, {}});
    declare(statement);
    visit(statement);
    known_keywords();
    std::ranges::stable_sort(out_.occurrences, {},
                             [](const Occurrence& o) { return std::uint64_t{o.begin} << 32 | o.end; });
  }

 private:
  struct Open {
    std::uint32_t scope;
    bool is_class;
    std::unordered_map<std::string_view, std::uint32_t> names;
    std::vector<std::string_view> outer;  // declared global or nonlocal
  };

  // ---- declaring
  // ------------------------------------------------------------------------------------------------------

  std::uint32_t bind(std::string_view name, SymbolKind kind, const Node* node, const Node* value = nullptr,
                     const Node* type = nullptr) {
    Open& here = open_.back();
    if (here.scope == 0) {
      out_.module.push_back({name, hash_name(name), kind, node, value, type, false});
      return 0;
    }
    if (std::ranges::find(here.outer, name) != here.outer.end()) return 0;
    auto [it, fresh] = here.names.try_emplace(name, static_cast<std::uint32_t>(out_.symbols.size()));
    if (fresh) {
      Symbol s;
      s.name = name;
      s.kind = kind;
      s.node = node;
      s.value = value;
      s.type = type;
      s.scope = here.scope;
      out_.symbols.push_back(s);
    } else if (kind != SymbolKind::Variable) {
      // A definition says more than an assignment before it.
      Symbol& s = out_.symbols[it->second];
      if (s.kind == SymbolKind::Variable) {
        s.kind = kind;
        s.node = node;
      }
    }
    return it->second;
  }

  void declare_target(const Node* target, const Node* value, const Node* type = nullptr) {
    if (!target) return;
    if (auto* ref = as<NameRef>(target)) {
      bind(ref->name.text, SymbolKind::Variable, nullptr, value, type);
    } else if (target->kind == NodeKind::Tuple || target->kind == NodeKind::List || target->kind == NodeKind::Starred) {
      for_children(target, [&](const Node* part) { declare_target(part, nullptr); });
    } else {
      declare_named(target);
    }
  }

  // Calls `bound(name)` for each name that a pattern binds and `read(expression)` for what it reads (syntax/ast.h).
  template <class Bound, class Read>
  static void for_pattern(const Node* n, Bound bound, Read read) {
    if (!n) return;
    if (auto* ref = as<NameRef>(n)) {
      if (ref->name.text != "_") bound(ref->name);
    } else if (auto* call = as<Call>(n)) {
      read(call->function);
      for (const Node* arg : call->args) for_pattern(arg, bound, read);
      for (const Keyword& k : call->keywords) for_pattern(k.value, bound, read);
    } else if (auto* dict = as<Dict>(n)) {
      for (const DictItem& item : dict->items) {
        if (item.key) read(item.key);
        for_pattern(item.value, bound, read);
      }
    } else if (n->kind == NodeKind::List || n->kind == NodeKind::Set || n->kind == NodeKind::Starred) {
      for_children(n, [&](const Node* part) { for_pattern(part, bound, read); });
    } else if (auto* named = as<NamedExpr>(n)) {
      for_pattern(named->value, bound, read);
      bound(named->name);
    } else {
      read(n);
    }
  }

  void declare_pattern(const Node* n) {
    for_pattern(n, [&](const Name& name) { bind(name.text, SymbolKind::Variable, nullptr); }, [](const Node*) {});
  }

  // Assignment expressions bind in the function around them, wherever they stand in an expression.
  void declare_named(const Node* n) {
    if (!n) return;
    if (auto* w = as<NamedExpr>(n)) bind(w->name.text, SymbolKind::Variable, nullptr, w->value);
    if (n->kind == NodeKind::Lambda) return;
    for_children(n, [&](const Node* child) { declare_named(child); });
  }

  void leave_to_outer(std::string_view name) {
    if (open_.back().scope != 0) return open_.back().outer.push_back(name);
    out_.module.push_back({name, hash_name(name), SymbolKind::Variable, nullptr, nullptr, nullptr, true});
  }

  void declare_all(Stmts body) {
    for (const Node* n : body) declare(n);
  }

  void declare(const Node* n) {
    if (!n) return;
    switch (n->kind) {
      case NodeKind::Assign:
        for (const Node* t : as<Assign>(n)->targets) declare_target(t, as<Assign>(n)->value);
        return declare_named(as<Assign>(n)->value);
      case NodeKind::AugAssign: declare_target(as<AugAssign>(n)->target, nullptr); return;
      case NodeKind::AnnAssign:
        declare_target(as<AnnAssign>(n)->target, as<AnnAssign>(n)->value, as<AnnAssign>(n)->annotation);
        return;
      case NodeKind::For:
        declare_target(as<For>(n)->target, nullptr);
        declare_all(as<For>(n)->body);
        return declare_all(as<For>(n)->else_body);
      case NodeKind::While:
        declare_named(as<While>(n)->condition);
        declare_all(as<While>(n)->body);
        return declare_all(as<While>(n)->else_body);
      case NodeKind::If:
        declare_named(as<If>(n)->condition);
        declare_all(as<If>(n)->then_body);
        return declare_all(as<If>(n)->else_body);
      case NodeKind::With:
        for (const WithItem& item : as<With>(n)->items) declare_target(item.target, item.value);
        return declare_all(as<With>(n)->body);
      case NodeKind::Try:
        declare_all(as<Try>(n)->body);
        for (const Handler& h : as<Try>(n)->handlers) {
          if (!h.bound.text.empty()) bind(h.bound.text, SymbolKind::Variable, nullptr);
          declare_all(h.body);
        }
        declare_all(as<Try>(n)->else_body);
        return declare_all(as<Try>(n)->final_body);
      case NodeKind::FunctionDef: {
        auto* f = as<FunctionDef>(n);
        bind(f->name.text, is_kernel(*f) ? SymbolKind::Kernel : SymbolKind::Function, n);
        return;
      }
      case NodeKind::ClassDef: bind(as<ClassDef>(n)->name.text, SymbolKind::Class, n); return;
      case NodeKind::Import:
        for (const ImportedName& i : as<Import>(n)->names) bind(i.bound.text, SymbolKind::Import, n);
        return;
      case NodeKind::ImportFrom:
        for (const ImportedName& i : as<ImportFrom>(n)->names) {
          if (i.name != "*") bind(i.bound.text, SymbolKind::Import, n);
        }
        return;
      case NodeKind::Global:
        for (const Name& name : as<Global>(n)->names) leave_to_outer(name.text);
        return;
      case NodeKind::Nonlocal:
        for (const Name& name : as<Nonlocal>(n)->names) leave_to_outer(name.text);
        return;
      case NodeKind::Match:
        declare_named(as<Match>(n)->subject);
        for (const MatchCase& c : as<Match>(n)->cases) {
          declare_pattern(c.pattern);
          declare_named(c.guard);
          declare_all(c.body);
        }
        return;
      case NodeKind::TypeAlias: bind(as<TypeAlias>(n)->name.text, SymbolKind::Variable, nullptr); return;
      case NodeKind::BrokenStmt:
        for (const Name& name : as<BrokenStmt>(n)->names) bind(name.text, SymbolKind::Variable, nullptr);
        return;
      case NodeKind::ExprStmt: return declare_named(as<ExprStmt>(n)->value);
      default: return;
    }
  }

  // ---- using
  // ----------------------------------------------------------------------------------------------------------

  // A symbol of the statement, or with kOutside a name that it takes from outside.
  std::uint32_t resolve(std::string_view name) {
    for (std::size_t i = open_.size(); i-- > 1;) {
      if (open_[i].is_class && i + 1 != open_.size()) continue;
      auto it = open_[i].names.find(name);
      if (it != open_[i].names.end()) return it->second;
    }
    auto [it, fresh] = outside_.try_emplace(name, static_cast<std::uint32_t>(out_.outside.size()));
    if (fresh) out_.outside.push_back({name, hash_name(name)});
    return it->second | StatementSymbols::kOutside;
  }

  void occurs(const Name& name, std::uint32_t symbol, Role role) {
    if (name.at.end <= name.at.begin) return;
    out_.occurrences.push_back({name.at.begin, name.at.end, symbol, role});
  }
  void occurs(const Name& name, Role role) { occurs(name, resolve(name.text), role); }

  // `self.x = value` in a method: x is a field of the class, unless its body binds the name.
  void field(const Attribute* a, const Node* value, const Node* type) {
    auto* self = as<NameRef>(a->object);
    if (!self || open_.size() < 2 || !open_[open_.size() - 2].is_class) return;
    auto* method = as<FunctionDef>(out_.scopes[open_.back().scope - 1].node);
    if (!method || method->params.empty() || method->params[0].name.text != self->name.text) return;
    const Open& around = open_[open_.size() - 2];
    if (around.names.contains(a->name.text)) return occurs(a->name, around.names.at(a->name.text), Role::Write);
    auto [it, fresh] =
        fields_.try_emplace({around.scope, a->name.text}, static_cast<std::uint32_t>(out_.symbols.size()));
    if (fresh) {
      Symbol s;
      s.name = a->name.text;
      s.kind = SymbolKind::Field;
      s.value = value;
      s.type = type;
      s.scope = around.scope;
      out_.symbols.push_back(s);
    }
    occurs(a->name, it->second, Role::Write);
  }

  void target(const Node* n, const Node* value = nullptr, const Node* type = nullptr) {
    if (!n) return;
    if (auto* ref = as<NameRef>(n)) return occurs(ref->name, Role::Write);
    if (auto* a = as<Attribute>(n)) {
      visit(a->object);
      return field(a, value, type);
    }
    if (n->kind == NodeKind::Tuple || n->kind == NodeKind::List || n->kind == NodeKind::Starred) {
      return for_children(n, [&](const Node* part) { target(part); });
    }
    visit(n);
  }

  void visit_all(std::span<const Node* const> nodes) {
    for (const Node* n : nodes) visit(n);
  }

  // A scope of its own while `inside` runs.
  template <class F>
  void within(const Node* n, bool is_class, F&& inside) {
    out_.scopes.push_back({n->at.begin, n->at.end, open_.back().scope, n});
    const auto id = static_cast<std::uint32_t>(out_.scopes.size());
    open_.push_back({id, is_class, {}, {}});
    inside();
    open_.pop_back();
  }

  void parameters(std::span<const Parameter> params, const Node* function) {
    for (const Parameter& p : params) {
      std::uint32_t s = bind(p.name.text, SymbolKind::Parameter, function, p.default_value, p.annotation);
      occurs(p.name, s, Role::Define);
      if (function) out_.parameters[function].push_back(s);
    }
  }

  void visit(const Node* n) {
    if (!n) return;
    switch (n->kind) {
      case NodeKind::NameRef: return occurs(as<NameRef>(n)->name, Role::Read);
      case NodeKind::NamedExpr: visit(as<NamedExpr>(n)->value); return occurs(as<NamedExpr>(n)->name, Role::Write);
      case NodeKind::Assign:
        visit(as<Assign>(n)->value);
        for (const Node* t : as<Assign>(n)->targets) target(t, as<Assign>(n)->value);
        return;
      case NodeKind::AugAssign: visit(as<AugAssign>(n)->value); return target(as<AugAssign>(n)->target);
      case NodeKind::AnnAssign:
        visit(as<AnnAssign>(n)->annotation);
        visit(as<AnnAssign>(n)->value);
        return target(as<AnnAssign>(n)->target, as<AnnAssign>(n)->value, as<AnnAssign>(n)->annotation);
      case NodeKind::For:
        visit(as<For>(n)->iterable);
        target(as<For>(n)->target);
        visit_all(as<For>(n)->body);
        return visit_all(as<For>(n)->else_body);
      case NodeKind::With:
        for (const WithItem& item : as<With>(n)->items) {
          visit(item.value);
          target(item.target);
        }
        return visit_all(as<With>(n)->body);
      case NodeKind::Try: return try_(as<Try>(n));
      case NodeKind::Global:
        for (const Name& name : as<Global>(n)->names) occurs(name, Role::Read);
        return;
      case NodeKind::Nonlocal:
        for (const Name& name : as<Nonlocal>(n)->names) occurs(name, Role::Read);
        return;
      case NodeKind::Import:
        for (const ImportedName& i : as<Import>(n)->names) occurs(i.bound, Role::Write);
        return;
      case NodeKind::ImportFrom:
        for (const ImportedName& i : as<ImportFrom>(n)->names) {
          if (i.name != "*") occurs(i.bound, Role::Write);
        }
        return;
      case NodeKind::Call: return call(as<Call>(n));
      case NodeKind::FunctionDef: return function(as<FunctionDef>(n));
      case NodeKind::ClassDef: return class_(as<ClassDef>(n));
      case NodeKind::Lambda: return lambda(as<Lambda>(n));
      case NodeKind::Comprehension: return comprehension(as<Comprehension>(n));
      case NodeKind::Match: return match(as<Match>(n));
      case NodeKind::TypeAlias: occurs(as<TypeAlias>(n)->name, Role::Write); return visit(as<TypeAlias>(n)->value);
      default: for_children(n, [&](const Node* child) { visit(child); });
    }
  }

  void try_(const Try* n) {
    visit_all(n->body);
    for (const Handler& h : n->handlers) {
      visit(h.type);
      if (!h.bound.text.empty()) occurs(h.bound, Role::Write);
      visit_all(h.body);
    }
    visit_all(n->else_body);
    visit_all(n->final_body);
  }

  void class_(const ClassDef* n) {
    occurs(n->name, Role::Write);
    visit_all(n->decorators);
    visit_all(n->bases);
    for (const Keyword& k : n->keywords) visit(k.value);
    within(n, true, [&] {
      declare_all(n->body);
      visit_all(n->body);
    });
  }

  void lambda(const Lambda* n) {
    for (const Parameter& p : n->params) visit(p.default_value);
    within(n, false, [&] {
      parameters(n->params, nullptr);
      visit(n->body);
    });
  }

  void comprehension(const Comprehension* n) {
    within(n, false, [&] {
      for (const ComprehensionClause& clause : n->clauses) declare_target(clause.target, nullptr);
      for (const ComprehensionClause& clause : n->clauses) {
        visit(clause.iterable);
        target(clause.target);
        visit(clause.condition);
      }
      visit(n->element);
      visit(n->value);
    });
  }

  void match(const Match* n) {
    visit(n->subject);
    for (const MatchCase& c : n->cases) {
      for_pattern(c.pattern, [&](const Name& name) { occurs(name, Role::Write); }, [&](const Node* e) { visit(e); });
      visit(c.guard);
      visit_all(c.body);
    }
  }

  void call(const Call* n) {
    visit(n->function);
    visit_all(n->args);
    std::uint32_t symbol = 0;
    const Node* known = nullptr;
    bool outside = false;
    if (auto* ref = as<NameRef>(n->function)) {
      symbol = resolve(ref->name.text);
      outside = symbol & StatementSymbols::kOutside;
      if (!outside && out_.symbols[symbol].kind == SymbolKind::Function)
        known = as<FunctionDef>(out_.symbols[symbol].node);
    }
    for (const Keyword& k : n->keywords) {
      if (known && !k.name.text.empty()) known_.push_back({k.name, known});
      if (outside && !k.name.text.empty()) out_.keywords.push_back({k.name, symbol & ~StatementSymbols::kOutside});
      visit(k.value);
    }
  }

  void function(const FunctionDef* f) {
    occurs(f->name, Role::Write);
    visit_all(f->decorators);
    for (const Parameter& p : f->params) {
      visit(p.annotation);
      visit(p.default_value);
    }
    visit(f->returns);
    within(f, false, [&] {
      parameters(f->params, f);
      declare_all(f->body);
      visit_all(f->body);
    });
  }

  // Keyword arguments mean parameters, which exist once every function was visited.
  void known_keywords() {
    for (auto& [name, function] : known_) {
      auto it = out_.parameters.find(function);
      if (it == out_.parameters.end()) continue;
      for (std::uint32_t s : it->second) {
        if (out_.symbols[s].name == name.text) occurs(name, s, Role::Read);
      }
    }
  }

  struct KnownKeyword {
    Name name;
    const Node* function;
  };
  StatementSymbols& out_;
  std::vector<Open> open_;
  std::unordered_map<std::string_view, std::uint32_t> outside_;
  std::map<std::pair<std::uint32_t, std::string_view>, std::uint32_t> fields_;  // by the scope of their class
  std::vector<KnownKeyword> known_;
};

}  // namespace

StatementSymbols statement_symbols(std::shared_ptr<const TopLevel> statement) {
  StatementSymbols out;
  out.of = std::move(statement);
  StatementIndexer(out).run(out.of->statement);
  return out;
}

std::vector<std::shared_ptr<const StatementSymbols>> KnownStatements::of(const Tree& tree) {
  std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<const StatementSymbols>> out;
  out.reserve(tree.statements().size());
  for (const Tree::Statement& s : tree.statements()) {
    auto& known = known_[s.node.get()];
    if (!known) known = std::make_shared<const StatementSymbols>(statement_symbols(s.node));
    out.push_back(known);
  }
  constexpr std::size_t kOthers = 64;
  if (known_.size() <= out.size() + kOthers) return out;
  known_.clear();
  for (const auto& s : out) known_.emplace(s->of.get(), s);
  return out;
}

}  // namespace tilewright::session
