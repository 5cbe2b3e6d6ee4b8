// Statements, from tree nodes to nodes of ast.h.
#include "compiler/syntax/convert.h"

#include <algorithm>
#include <string>

#include "compiler/syntax/bound_names.h"
#include "compiler/syntax/patterns.h"

namespace tilewright::syntax {
namespace {

class Statements : public Patterns {
 public:
  using Patterns::Patterns;

  Converted run() {
    Items<Stmt> found(stmts_);
    if (!placement_.wrapped) {
      statements(found);
    } else {
      bool first = true;
      children([&](Kind kind) {
        if (kind != Kind::if_statement || !std::exchange(first, false)) return;
        children([&](Kind inner, Field) {
          if (inner == Kind::block) statements(found);
        });
      });
    }
    if (found.empty()) return {};
    return {found.front(), found.size() == 1, yields_, is_suspect()};
  }

  Exprs parts() {
    Items<Expr> found(exprs_);
    readable_parts(found);
    return found.copy(arena_);
  }

 private:
  Stmt broken_statement_here(Extent at) {
    Items<Expr> parts(exprs_);
    readable_parts(parts);
    return broken_statement(text_, at, parts.copy(arena_), arena_);
  }

  // ---- statements --------------------------------------------------------------------------------------------------
  // All statements among the children of this node: a module, a block, or what is broken.
  void statements(Items<Stmt>& into) {
    children([&](Kind kind) {
      if (is_statement(kind)) {
        into.push(statement(kind));
      } else if (kind == Kind::block) {  // lines that are indented without reason
        if (too_deep(here())) return;
        ++depth_;
        statements(into);
        --depth_;
      } else if (kind == Kind::error) {
        into.push(broken_statement_here(trimmed(here())));
      }
    });
  }

  Stmts block() {
    auto body = std::ranges::lower_bound(placement_.bodies, ts_node_start_byte(node()), {}, &Body::parsed);
    if (body != placement_.bodies.end() && body->parsed < ts_node_end_byte(node())) {
      yields_ = yields_ || body->yields;
      return body->statements;
    }
    if (too_deep(here())) return {};
    ++depth_;
    Items<Stmt> items(stmts_);
    statements(items);
    --depth_;
    return items.copy(arena_);
  }

  // Where a compound statement ends: with the last statement of its last block. (The node goes on to the next line.)
  static Extent until(Extent at, Stmts block) { return {at.begin, block.empty() ? at.end : block.back()->at.end}; }

  Stmt statement(Kind kind) {
    Extent at = here();
    if (too_deep(at)) return broken_statement(text_, trimmed(at), {}, arena_);
    ++depth_;
    Stmt s = statement_of(kind, at);
    --depth_;
    return s;
  }

  Stmt statement_of(Kind kind, Extent at) {
    switch (kind) {
      case Kind::expression_statement: return is_hurt() ? broken_statement_here(trimmed(at)) : expression_statement(at);
      case Kind::if_statement: return if_statement(at);
      case Kind::while_statement: return while_statement(at);
      case Kind::for_statement: return for_statement(at);
      case Kind::try_statement: return try_statement(at);
      case Kind::with_statement: return with_statement(at);
      case Kind::match_statement: return match_statement(trimmed(at));
      case Kind::function_definition: return function(at, {}, at.begin);
      case Kind::class_definition: return class_definition(at, {}, at.begin);
      case Kind::decorated_definition: return decorated(at);
      default: break;
    }
    if (is_hurt()) return broken_statement_here(trimmed(at));
    switch (kind) {
      case Kind::return_statement: return arena_.make<Return>(Node{NodeKind::Return, at}, only_child());
      case Kind::raise_statement: {
        auto [value, cause] = two(Field::exception, Field::cause);
        return arena_.make<Raise>(Node{NodeKind::Raise, at}, value, cause);
      }
      case Kind::assert_statement: {
        auto [condition, message] = two(Field::condition, Field::message);
        return arena_.make<Assert>(Node{NodeKind::Assert, at}, required(condition, at), message);
      }
      case Kind::delete_statement: {
        Items<Expr> targets(exprs_);
        elements(targets);
        return arena_.make<Delete>(Node{NodeKind::Delete, at}, targets.copy(arena_));
      }
      case Kind::pass_statement: return arena_.make<Pass>(Node{NodeKind::Pass, at});
      case Kind::break_statement: return arena_.make<Break>(Node{NodeKind::Break, at});
      case Kind::continue_statement: return arena_.make<Continue>(Node{NodeKind::Continue, at});
      case Kind::global_statement: return arena_.make<Global>(Node{NodeKind::Global, at}, identifiers());
      case Kind::nonlocal_statement: return arena_.make<Nonlocal>(Node{NodeKind::Nonlocal, at}, identifiers());
      case Kind::import_statement: return import_statement(at);
      case Kind::import_from_statement: return import_from(at);
      case Kind::type_alias_statement: {
        Name alias;
        Expr value = nullptr;
        children([&](Kind, Field field) {
          if (field == Field::name) alias = name();
          if (field == Field::value) value = expression();
        });
        return arena_.make<TypeAlias>(Node{NodeKind::TypeAlias, at}, alias, required(value, at));
      }
      default: return broken_statement_here(trimmed(at));
    }
  }

  std::pair<Expr, Expr> two(Field first, Field second) {
    std::pair<Expr, Expr> found{};
    children([&](Kind, Field field) {
      if (field == first) found.first = expression();
      if (field == second) found.second = expression();
    });
    return found;
  }

  std::span<const Name> identifiers() {
    Items<Name> names(names_);
    children([&](Kind kind) {
      if (kind == Kind::identifier) names.push(name());
    });
    return names.copy(arena_);
  }

  Stmt expression_statement(Extent at) {
    Stmt s = nullptr;
    children([&](Kind kind) {
      if (kind == Kind::assignment) {
        s = assignment(at);
      } else if (kind == Kind::augmented_assignment) {
        s = augmented(at);
      } else if (is_expression(kind)) {
        s = arena_.make<ExprStmt>(Node{NodeKind::ExprStmt, at}, expression());
      }
    });
    return s ? s : broken_statement_here(at);
  }

  Stmt assignment(Extent at) {
    if (is_hurt()) return broken_statement_here(at);
    Items<Expr> targets(exprs_);
    Expr annotation = nullptr;
    Expr value = nullptr;
    assignment_parts(targets, annotation, value);
    if (annotation) {
      Expr target = targets.empty() ? broken(at) : targets.front();
      suspect_ = suspect_ || !is_single_target(target);
      return arena_.make<AnnAssign>(Node{NodeKind::AnnAssign, at}, target, annotation, value);
    }
    return arena_.make<Assign>(Node{NodeKind::Assign, at}, targets.copy(arena_), required(value, at));
  }

  // `a = b = v`: the right side is an assignment again.
  void assignment_parts(Items<Expr>& targets, Expr& annotation, Expr& value) {
    children([&](Kind kind, Field field) {
      if (field == Field::left) targets.push(target());
      if (field == Field::type) annotation = expression();
      if (field != Field::right) return;
      if (kind != Kind::assignment) {
        value = expression();
      } else if (is_hurt()) {
        value = broken_expression();
      } else if (!too_deep(here())) {
        ++depth_;
        assignment_parts(targets, annotation, value);
        --depth_;
      }
    });
  }

  Stmt augmented(Extent at) {
    if (is_hurt()) return broken_statement_here(at);
    Expr target = nullptr;
    Expr value = nullptr;
    Operator op = Operator::Add;
    children([&](Kind, Field field) {
      if (field == Field::left) target = expression();
      if (field == Field::right) value = expression();
      if (field == Field::operator_) op = binary_operator(view(here()));
    });
    suspect_ = suspect_ || !is_single_target(target);
    return arena_.make<AugAssign>(Node{NodeKind::AugAssign, at}, required(target, at), op, required(value, at));
  }

  // The expression of a header, or a Broken if anything between its keyword and its colon is.
  Expr header(Expr e, Extent at, bool hurt) { return hurt ? broken(at) : required(e, at); }

  Stmts clause_block() {
    Stmts found;
    children([&](Kind kind) {
      if (kind == Kind::block) found = block();
    });
    return found;
  }

  // if and elif: each elif is an If that is all of the else before it. Built from the last to the first.
  struct Branch {
    Extent at;
    Expr condition;
    Stmts body;
  };
  Stmt if_statement(Extent at) {
    Items<Branch> branches(branches_);
    branches.push({at, nullptr, {}});
    Stmts last;  // the else
    bool hurt = false;
    children([&](Kind kind, Field field) {
      if (field == Field::condition) {
        branches.span()[0].condition = expression();
      } else if (field == Field::consequence) {
        Stmts body = block();
        branches.span()[0].body = body;
      } else if (kind == Kind::elif_clause) {
        if (depth_ + branches.size() >= kMaxDepth) return void(too_deep_here());
        Branch branch{here(), nullptr, {}};
        bool clause_hurt = false;
        children([&](Kind inner, Field inner_field) {
          if (inner_field == Field::condition) branch.condition = expression();
          if (inner_field == Field::consequence) branch.body = block();
          clause_hurt = clause_hurt || inner == Kind::error;
        });
        branch.condition = header(branch.condition, branch.at, clause_hurt);
        branches.push(branch);
      } else if (kind == Kind::else_clause) {
        last = clause_block();
      } else if (kind == Kind::error) {
        hurt = true;
      }
    });
    branches.span()[0].condition = header(branches.front().condition, at, hurt);
    Stmt s = nullptr;
    auto all = branches.span();
    for (std::size_t i = all.size(); i-- > 0;) {
      Extent extent = until(until(all[i].at, all[i].body), last);
      s = arena_.make<If>(Node{NodeKind::If, extent}, all[i].condition, all[i].body, last);
      last = arena_.copy(std::span<const Stmt>(&s, 1));
    }
    return s;
  }
  void too_deep_here() {
    unsigned depth = std::exchange(depth_, kMaxDepth);
    too_deep(here());
    depth_ = depth;
  }

  Stmt while_statement(Extent at) {
    Expr condition = nullptr;
    Stmts body;
    Stmts otherwise;
    bool hurt = false;
    children([&](Kind kind, Field field) {
      if (field == Field::condition) condition = expression();
      if (kind == Kind::block) body = block();
      if (kind == Kind::else_clause) otherwise = clause_block();
      hurt = hurt || kind == Kind::error;
    });
    return arena_.make<While>(Node{NodeKind::While, until(until(at, body), otherwise)}, header(condition, at, hurt),
                              body, otherwise);
  }

  Stmt for_statement(Extent at) {
    Expr target = nullptr;
    Expr iterable = nullptr;
    Stmts body;
    Stmts otherwise;
    bool is_async = false;
    bool hurt = false;
    children([&](Kind kind, Field field) {
      if (field == Field::left) target = this->target();
      if (field == Field::right) iterable = expression();
      if (kind == Kind::block) body = block();
      if (kind == Kind::else_clause) otherwise = clause_block();
      is_async = is_async || kind == Kind::token_async;
      hurt = hurt || kind == Kind::error;
    });
    return arena_.make<For>(Node{NodeKind::For, until(until(at, body), otherwise)}, required(target, at),
                            header(iterable, at, hurt), body, otherwise, is_async);
  }

  Stmt try_statement(Extent at) {
    Items<Handler> handlers(handlers_);
    Stmts body;
    Stmts otherwise;
    Stmts last;
    Extent end = at;
    children([&](Kind kind) {
      if (kind == Kind::block) {
        body = block();
        end = until(at, body);
      } else if (kind == Kind::except_clause) {
        Handler handler{};
        children([&](Kind inner, Field field) {
          if (field == Field::type) handler.type = expression();
          if (field == Field::name) handler.bound = name();
          if (inner == Kind::block) handler.body = block();
        });
        end = until(end, handler.body);
        handlers.push(handler);
      } else if (kind == Kind::else_clause) {
        otherwise = clause_block();
        end = until(end, otherwise);
      } else if (kind == Kind::finally_clause) {
        last = clause_block();
        end = until(end, last);
      }
    });
    return arena_.make<Try>(Node{NodeKind::Try, end}, body, handlers.copy(arena_), otherwise, last);
  }

  Stmt with_statement(Extent at) {
    Items<WithItem> items(with_items_);
    Stmts body;
    bool is_async = false;
    children([&](Kind kind) {
      if (kind == Kind::with_item) {
        auto [value, target] = two(Field::value, Field::alias);
        suspect_ = suspect_ || !is_target(target);
        items.push({is_hurt() ? broken(here()) : required(value, here()), target});
      } else if (kind == Kind::error) {
        items.push({broken_expression(), nullptr});
      } else if (kind == Kind::block) {
        body = block();
      } else if (kind == Kind::token_async) {
        is_async = true;
      }
    });
    return arena_.make<With>(Node{NodeKind::With, until(at, body)}, items.copy(arena_), body, is_async);
  }

  Stmt match_statement(Extent at) {
    Expr subject = nullptr;
    Items<MatchCase> cases(cases_);
    match_parts(subject, cases);
    return arena_.make<Match>(Node{NodeKind::Match, at}, required(subject, at), cases.copy(arena_));
  }

  void match_parts(Expr& subject, Items<MatchCase>& cases) {
    children([&](Kind kind, Field field) {
      if (field == Field::subject) subject = expression();
      if (kind == Kind::block) match_parts(subject, cases);  // cases that are indented without reason
      if (kind != Kind::case_clause) return;
      Extent at = here();
      MatchCase c{};
      bool hurt = false;
      children([&](Kind inner, Field inner_field) {
        if (inner_field == Field::pattern) c.pattern = pattern();
        if (inner_field == Field::guard) c.guard = required(only_child(), here());
        if (inner == Kind::block) c.body = block();
        hurt = hurt || inner == Kind::error;
      });
      c.pattern = header(c.pattern, at, hurt);
      cases.push(c);
    });
  }

  Stmt decorated(Extent at) {
    Items<Expr> decorators(exprs_);
    Stmt s = nullptr;
    children([&](Kind kind) {
      if (kind == Kind::decorator) {
        decorators.push(is_hurt() ? broken_expression() : required(only_child(), here()));
      } else if (kind == Kind::error) {
        decorators.push(broken_expression());
      } else if (kind == Kind::function_definition) {
        s = function(here(), decorators.copy(arena_), at.begin);
      } else if (kind == Kind::class_definition) {
        s = class_definition(here(), decorators.copy(arena_), at.begin);
      }
    });
    if (s) return s;
    at = trimmed(at);
    return arena_.make<BrokenStmt>(Node{NodeKind::BrokenStmt, at}, decorators.copy(arena_), std::span<const Name>{});
  }

  // `begin`: of the first decorator. A header that cannot be read spoils the definition: no call of it could be right.
  Stmt function(Extent at, Exprs decorators, std::uint32_t begin) {
    Name function_name;
    Items<Parameter> params(params_);
    Expr returns = nullptr;
    Stmts body;
    Extent header = at;
    bool is_async = false;
    bool hurt = false;
    bool outer = std::exchange(yields_, false);
    children([&](Kind kind, Field field) {
      if (field == Field::name) {
        function_name = name();
      } else if (kind == Kind::parameters) {
        hurt = hurt || is_hurt();
        parameters(params);
        header.end = here().end;
      } else if (field == Field::return_type) {
        returns = expression();
      } else if (kind == Kind::block) {
        body = block();
      } else if (kind == Kind::token_async) {
        is_async = true;
      } else if (kind == Kind::error) {
        hurt = true;
      }
    });
    bool is_generator = std::exchange(yields_, outer);
    Extent all = {begin, until(at, body).end};
    if (hurt) return broken_definition(all, decorators, function_name);
    return arena_.make<FunctionDef>(Node{NodeKind::FunctionDef, all}, function_name, params.copy(arena_), returns,
                                    decorators, body, is_async, is_generator, header);
  }

  Stmt broken_definition(Extent at, Exprs parts, Name defined) {
    std::span<const Name> names;
    if (!defined.text.empty()) names = arena_.copy(std::span<const Name>(&defined, 1));
    return arena_.make<BrokenStmt>(Node{NodeKind::BrokenStmt, at}, parts, names);
  }

  Stmt class_definition(Extent at, Exprs decorators, std::uint32_t begin) {
    Name class_name;
    Items<Expr> bases(exprs_);
    Items<Keyword> keywords(keywords_);
    Stmts body;
    bool hurt = false;
    bool outer = yields_;
    children([&](Kind kind, Field field) {
      if (field == Field::name) class_name = name();
      if (kind == Kind::argument_list) arguments(bases, keywords);
      if (kind == Kind::block) body = block();
      hurt = hurt || kind == Kind::error;
    });
    yields_ = outer;
    Extent all = {begin, until(at, body).end};
    if (hurt) return broken_definition(all, decorators, class_name);
    return arena_.make<ClassDef>(Node{NodeKind::ClassDef, all}, class_name, bases.copy(arena_), keywords.copy(arena_),
                                 decorators, body);
  }

  // ---- imports -----------------------------------------------------------------------------------------------------
  // `a.b` as one text, though blanks may stand around its dots.
  std::string_view dotted() {
    std::string_view whole = view(here());
    if (whole.find_first_of(" \t\f\\\r\n#") == std::string_view::npos) return whole;
    std::string joined;
    children([&](Kind kind) {
      if (kind != Kind::identifier) return;
      if (!joined.empty()) joined += '.';
      joined += view(here());
    });
    return arena_.copy(std::string_view(joined));
  }

  ImportedName imported(Kind kind, bool whole) {
    ImportedName import{{}, {}, here()};
    auto dotted_name = [&] {
      import.name = dotted();
      if (whole) {
        import.bound = name();
      } else {  // `import a.b` binds a
        bool first = true;
        children([&](Kind inner, Field) {
          if (inner == Kind::identifier && std::exchange(first, false)) import.bound = name();
        });
      }
    };
    if (kind == Kind::dotted_name) {
      dotted_name();
    } else {
      children([&](Kind, Field field) {
        if (field == Field::name) dotted_name();
        if (field == Field::alias) import.bound = name();
      });
    }
    return import;
  }

  Stmt import_statement(Extent at) {
    Items<ImportedName> names(imports_);
    children([&](Kind kind, Field field) {
      if (field == Field::name) names.push(imported(kind, false));
    });
    return arena_.make<Import>(Node{NodeKind::Import, at}, names.copy(arena_));
  }

  Stmt import_from(Extent at) {
    Items<ImportedName> names(imports_);
    std::string_view module;
    int level = 0;
    children([&](Kind kind, Field field) {
      if (kind == Kind::relative_import) {
        children([&](Kind inner, Field) {
          if (inner == Kind::import_prefix) level = static_cast<int>(std::ranges::count(view(here()), '.'));
          if (inner == Kind::dotted_name) module = dotted();
        });
      } else if (field == Field::module_name) {
        module = dotted();
      } else if (field == Field::name) {
        names.push(imported(kind, true));
      } else if (kind == Kind::wildcard_import) {
        names.push({"*", Name{{}, 0, here()}, here()});
      }
    });
    return arena_.make<ImportFrom>(Node{NodeKind::ImportFrom, at}, module, level, names.copy(arena_));
  }

  std::vector<Stmt> stmts_;
  std::vector<Branch> branches_;
  std::vector<Handler> handlers_;
  std::vector<MatchCase> cases_;
  std::vector<WithItem> with_items_;
  std::vector<Name> names_;
  std::vector<ImportedName> imports_;
};

std::uint32_t place(std::span<const Stretch> stretches, std::size_t index, std::uint32_t parsed) {
  const Stretch& s = stretches[index == 0 ? 0 : index - 1];
  return std::min(s.begin + (std::max(parsed, s.parsed) - s.parsed), s.end);
}

}  // namespace

std::uint32_t Placement::begin_of(std::uint32_t parsed) const {
  auto after = std::ranges::upper_bound(stretches, parsed, {}, &Stretch::parsed);
  return place(stretches, static_cast<std::size_t>(after - stretches.begin()), parsed);
}

std::uint32_t Placement::end_of(std::uint32_t parsed) const {
  auto after = std::ranges::lower_bound(stretches, parsed, {}, &Stretch::parsed);
  return place(stretches, static_cast<std::size_t>(after - stretches.begin()), parsed);
}

Converted convert(const TSTree* tree, std::string_view text, const Placement& placement, Arena& arena,
                  std::vector<SyntaxError>& errors) {
  return Statements(tree, text, placement, arena, errors).run();
}

Exprs convert_parts(const TSTree* tree, std::string_view text, const Placement& placement, Arena& arena) {
  std::vector<SyntaxError> ignored;  // what is broken has its error already
  return Statements(tree, text, placement, arena, ignored).parts();
}

Stmt broken_statement(std::string_view text, Extent at, Exprs parts, Arena& arena) {
  std::vector<Name> names;
  for (Extent bound : bound_names(text, at)) {
    std::string_view name = text.substr(bound.begin, bound.end - bound.begin);
    names.push_back({name, hash_name(name), bound});
  }
  return arena.make<BrokenStmt>(Node{NodeKind::BrokenStmt, at}, parts, arena.copy(names));
}

}  // namespace tilewright::syntax
