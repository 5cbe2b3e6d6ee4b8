#include "compiler/syntax/free_names.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "compiler/syntax/effects.h"
#include "compiler/syntax/walk.h"

namespace tilewright::syntax {
namespace {

constexpr std::uint32_t kDeepest = 400;  // statements nested deeper are not looked at: no script has them

bool is_name(const Node* n, std::string_view text) {
  auto* ref = as<NameRef>(n);
  return ref && ref->name.text == text;
}

// `if __name__ == "__main__":` is how a script is run; what it needs is no less needed.
bool is_main(const Node* condition) {
  auto* c = as<Compare>(condition);
  return c && is_name(c->first, "__name__");
}

// Does a handler wait for a name that is not there?
bool expects_name_error(const Try* t) {
  auto catches = [](const Node* type) {
    return !type || is_name(type, "NameError") || is_name(type, "Exception") || is_name(type, "BaseException") ||
           is_name(type, "UnboundLocalError");
  };
  return std::ranges::any_of(t->handlers, [&](const Handler& h) {
    auto* several = as<Tuple>(h.type);
    return several ? std::ranges::any_of(several->elements, catches) : catches(h.type);
  });
}

// `with pytest.raises(...):` and the like.
bool expects_failure(const Node* value) {
  auto* call = as<Call>(value);
  auto* attribute = call ? as<Attribute>(call->function) : nullptr;
  auto* ref = call ? as<NameRef>(call->function) : nullptr;
  std::string_view name = attribute ? attribute->name.text : ref ? ref->name.text : std::string_view();
  return name == "raises" || name == "suppress" || name.starts_with("assertRaises");
}

struct HashOfName {
  std::size_t operator()(const Name& name) const { return name.hash; }
};

// Names, nearly always few: most that are looked for are not among them, and a bit for each says so.
class NameList {
 public:
  void add(const Name& name) {
    bits_ |= bit_of(name);
    list_.push_back(name);
    if (list_.size() < kFew) return;
    for (std::size_t i = places_.empty() ? 0 : list_.size() - 1; i < list_.size(); ++i) places_.emplace(list_[i], i);
  }
  // Where the first of this name is.
  std::optional<std::size_t> find(const Name& name) const {
    if (!(bits_ & bit_of(name))) return std::nullopt;
    if (list_.size() < kFew) {
      const auto at = std::ranges::find(list_, name);
      return at == list_.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - list_.begin()));
    }
    const auto at = places_.find(name);
    return at == places_.end() ? std::nullopt : std::optional(at->second);
  }
  bool contains(const Name& name) const { return find(name).has_value(); }
  const std::vector<Name>& list() const { return list_; }

 private:
  static constexpr std::size_t kFew = 64;
  static std::uint64_t bit_of(const Name& name) { return std::uint64_t{1} << (name.hash & 63); }
  std::uint64_t bits_ = 0;
  std::vector<Name> list_;
  std::unordered_map<Name, std::size_t, HashOfName> places_;
};

class Collector {
 public:
  explicit Collector(FreeNames& out) : out_(out) {}

  void run(Stmt statement) {
    out_.scopes.push_back({});
    open_.push_back({Kind::Module, 0, {}, {}});
    Effects effects = effects_of({&statement, 1});
    out_.bound = std::move(effects.bound);
    out_.stars = effects.stars;
    if (auto* from = as<ImportFrom>(statement); from && from->module == "__future__") {
      out_.future_annotations =
          std::ranges::any_of(from->names, [](const ImportedName& n) { return n.name == "annotations"; });
    }
    visit(statement);
    std::ranges::stable_sort(out_.free, {}, [](const FreeName& f) { return f.name.at.begin; });
  }

 private:
  enum class Kind : std::uint8_t { Module, Function, Class, Comprehension };
  struct Open {
    Kind kind;
    std::uint32_t scope;
    NameList bound;
    NameList outer;  // declared `global` or `nonlocal`
  };

  void read(const Name& name) {
    if (name.at.end <= name.at.begin || silent_ > 0) return;
    for (std::size_t i = open_.size(); i-- > 1;) {
      const Open& scope = open_[i];
      if (scope.kind == Kind::Class && i + 1 != open_.size()) continue;
      if (scope.outer.contains(name)) continue;
      if (scope.bound.contains(name)) return;
    }
    constexpr std::string_view kWriters[] = {"exec", "globals", "locals", "vars"};
    if (std::ranges::find(kWriters, name.text) != std::end(kWriters)) out_.writes_globals = true;
    add({name, function_, open_.back().scope, conditional_});
  }

  // The first of each name is enough, and most of them are a `T` once more.
  void add(FreeName found) {
    if (auto at = free_.find(found.name)) {
      FreeName& known = out_.free[*at];
      if (found.name.at.begin < known.name.at.begin) known = found;
      return;
    }
    free_.add(found.name);
    out_.free.push_back(found);
  }

  template <class F>
  void within(Kind kind, Stmts body, const std::vector<Name>& bound, F&& inside) {
    Effects effects = effects_of(body);
    Open open{kind, static_cast<std::uint32_t>(out_.scopes.size()), {}, {}};
    for (const Name& name : bound) open.bound.add(name);
    for (const Name& name : effects.bound) open.bound.add(name);
    declared_outer(body, open.outer);
    for (const Name& name : open.outer.list()) {
      // `global x` and an assignment bind it in the module.
      if (open.bound.contains(name)) out_.bound.push_back(name);
    }
    FreeNames::Scope& made = out_.scopes.emplace_back();
    made.parent = open_.back().scope;
    if (kind != Kind::Class) {
      for (const Name& name : open.bound.list()) made.names.push_back(name.text);
    }
    open_.push_back(std::move(open));
    inside();
    open_.pop_back();
  }

  static void declared_outer(Stmts body, NameList& outer) {
    std::vector<const Node*> todo(body.begin(), body.end());
    while (!todo.empty()) {
      const Node* n = todo.back();
      todo.pop_back();
      if (!n || n->kind == NodeKind::FunctionDef || n->kind == NodeKind::ClassDef || n->kind == NodeKind::Lambda) {
        continue;
      }
      if (auto* g = as<Global>(n)) std::ranges::for_each(g->names, [&](const Name& name) { outer.add(name); });
      if (auto* g = as<Nonlocal>(n)) std::ranges::for_each(g->names, [&](const Name& name) { outer.add(name); });
      if (n->kind >= NodeKind::ExprStmt) for_children(n, [&](const Node* child) { todo.push_back(child); });
    }
  }

  void all(std::span<const Node* const> nodes) {
    for (const Node* n : nodes) visit(n);
  }

  // Some runs come here.
  template <class F>
  void perhaps(bool conditional, F&& inside) {
    bool outer = std::exchange(conditional_, conditional_ || conditional);
    inside();
    conditional_ = outer;
  }

  void visit(const Node* n) {
    if (!n || depth_ > kDeepest) return;
    ++depth_;
    look(n);
    --depth_;
  }

  void look(const Node* n) {
    switch (n->kind) {
      case NodeKind::NameRef: return read(as<NameRef>(n)->name);
      case NodeKind::If: return branch(as<If>(n));
      case NodeKind::IfExp: return choice(as<IfExp>(n));
      case NodeKind::BoolOp: visit(as<BoolOp>(n)->left); return perhaps(true, [&] { visit(as<BoolOp>(n)->right); });
      case NodeKind::Try: return attempt(as<Try>(n));
      case NodeKind::With: return with(as<With>(n));
      case NodeKind::For: {
        auto* f = as<For>(n);
        visit(f->iterable);
        visit(f->target);
        all(f->body);
        return perhaps(true, [&] { all(f->else_body); });
      }
      case NodeKind::While: {
        auto* w = as<While>(n);
        visit(w->condition);
        all(w->body);
        return perhaps(true, [&] { all(w->else_body); });
      }
      case NodeKind::FunctionDef: return function(as<FunctionDef>(n));
      case NodeKind::ClassDef: {
        auto* c = as<ClassDef>(n);
        all(c->decorators);
        // Binds the members of an enumeration in its module.
        for (const Node* decorator : c->decorators) {
          auto* attribute = as<Attribute>(decorator);
          auto* name = as<NameRef>(decorator);
          if ((attribute ? attribute->name.text : name ? name->name.text : "") == "global_enum") {
            out_.writes_globals = true;
          }
        }
        all(c->bases);
        for (const Keyword& k : c->keywords) visit(k.value);
        return within(Kind::Class, c->body, {}, [&] { all(c->body); });
      }
      case NodeKind::Lambda: return lambda(as<Lambda>(n));
      case NodeKind::Comprehension: return comprehension(as<Comprehension>(n));
      case NodeKind::AnnAssign: {
        auto* a = as<AnnAssign>(n);
        perhaps(true, [&] { visit(a->annotation); });
        visit(a->value);
        return visit(a->target);
      }
      case NodeKind::Match: return match(as<Match>(n));
      case NodeKind::Broken:
      case NodeKind::BrokenStmt: return;  // its own finding stands there
      default: return for_children(n, [&](const Node* child) { visit(child); });
    }
  }

  void branch(const If* i) {
    visit(i->condition);
    perhaps(!is_main(i->condition), [&] {
      all(i->then_body);
      all(i->else_body);
    });
  }

  void choice(const IfExp* i) {
    visit(i->condition);
    perhaps(true, [&] {
      visit(i->then_value);
      visit(i->else_value);
    });
  }

  // Names that are not there are no surprise in a body whose failure is expected.
  void body(Stmts statements, bool failure_expected) {
    silent_ += failure_expected ? 1 : 0;
    all(statements);
    silent_ -= failure_expected ? 1 : 0;
  }

  void attempt(const Try* t) {
    body(t->body, expects_name_error(t));
    for (const Handler& h : t->handlers) {
      visit(h.type);
      perhaps(true, [&] { all(h.body); });
    }
    all(t->else_body);
    all(t->final_body);
  }

  void with(const With* w) {
    bool expected = false;
    for (const WithItem& item : w->items) {
      visit(item.value);
      visit(item.target);
      expected = expected || expects_failure(item.value);
    }
    body(w->body, expected);
  }

  void lambda(const Lambda* l) {
    std::vector<Name> params;
    for (const Parameter& p : l->params) {
      visit(p.default_value);
      params.push_back(p.name);
    }
    within(Kind::Function, {}, params, [&] { visit(l->body); });
  }

  // The first iterable is evaluated outside.
  void comprehension(const Comprehension* c) {
    std::vector<Name> bound;
    for (const ComprehensionClause& clause : c->clauses) add_targets(clause.target, bound);
    if (!c->clauses.empty()) visit(c->clauses.front().iterable);
    within(Kind::Comprehension, {}, bound, [&] {
      for (std::size_t i = 0; i < c->clauses.size(); ++i) {
        if (i > 0) visit(c->clauses[i].iterable);
        visit(c->clauses[i].condition);
      }
      visit(c->element);
      visit(c->value);
    });
  }

  void match(const Match* m) {
    visit(m->subject);
    for (const MatchCase& c : m->cases) {
      pattern(c.pattern);
      perhaps(true, [&] {
        visit(c.guard);
        all(c.body);
      });
    }
  }

  // Of a pattern the roots of dotted names and the functions of calls are read.
  void pattern(const Node* n) {
    if (!n || n->kind == NodeKind::NameRef) return;
    if (auto* call = as<Call>(n)) {
      visit(call->function);
      for (const Node* arg : call->args) pattern(arg);
      for (const Keyword& k : call->keywords) pattern(k.value);
    } else if (n->kind == NodeKind::Attribute) {
      visit(n);
    } else {
      for_children(n, [&](const Node* part) { pattern(part); });
    }
  }

  void function(const FunctionDef* f) {
    all(f->decorators);
    std::vector<Name> params;
    for (const Parameter& p : f->params) params.push_back(p.name);
    for (const Parameter& p : f->params) visit(p.default_value);
    // Parameters known at compile time may stand in annotations. Some Pythons never evaluate these.
    within(Kind::Comprehension, {}, params, [&] {
      perhaps(true, [&] {
        for (const Parameter& p : f->params) visit(p.annotation);
        visit(f->returns);
      });
    });
    // Names that Python puts into methods.
    params.push_back(Name{"__class__", hash_name("__class__"), {}});
    const FunctionDef* outer = std::exchange(function_, f);
    bool conditional = std::exchange(conditional_, false);
    within(Kind::Function, f->body, params, [&] { all(f->body); });
    function_ = outer;
    conditional_ = conditional;
  }

  FreeNames& out_;
  std::vector<Open> open_;
  const FunctionDef* function_ = nullptr;
  bool conditional_ = false;
  NameList free_;             // those of `out_.free`
  std::uint32_t silent_ = 0;  // code around that waits for a name that is not there
  std::uint32_t depth_ = 0;
};

}  // namespace

FreeNames free_names_of(Stmt statement) {
  FreeNames out;
  if (statement) Collector(out).run(statement);
  return out;
}

}  // namespace tilewright::syntax
