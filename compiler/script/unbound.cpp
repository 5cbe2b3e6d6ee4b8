// Names that nothing binds, and names whose value is not known because what binds them was not followed.
//
// Host code is followed as far as it can be. Where it cannot (a loop over unknown values, a statement that failed here
// and would not in Python, a limit), what it may bind is an unknown value, so that a name that is still not bound is
// one that Python would refuse, too. That is said once: afterwards the name is poison.
#include "compiler/script/unbound.h"

#include <algorithm>

#include "compiler/script/aliases.h"
#include "compiler/script/foreign.h"
#include "compiler/script/homes.h"
#include "compiler/script/interpreter.h"
#include "compiler/script/spelling.h"
#include "compiler/script/surface.h"
#include "compiler/syntax/effects.h"
#include "compiler/syntax/tree.h"

namespace tilewright::script {
namespace {

// What Python, or the program that runs a script, puts there.
constexpr std::string_view kGiven[] = {
    "__annotations__", "__builtins__",  "__cached__",  "__dict__",     "__doc__",     "__loader__", "__module__",
    "__package__",     "__path__",      "metadata",    "__qualname__", "__spec__",    "_",          "display",
    "get_ipython",     "reveal_locals", "reveal_type", "WindowsError", "__IPYTHON__", "__class__",
};

Scope* module_of(Scope* scope) {
  while (scope->parent || scope->frozen_from) scope = scope->parent ? scope->parent : scope->frozen_from;
  return scope;
}

bool names(const std::vector<syntax::Name>& all, const syntax::Name& name) {
  return std::ranges::find(all, name) != all.end();
}

}  // namespace

bool is_given(std::string_view name) { return std::ranges::find(kGiven, name) != std::end(kGiven); }

Value Interpreter::refuse(std::string_view code, text::Span span, std::string message, std::string hint,
                          std::string_view python_type) {
  if (errors_.pending) return Value::error();
  fail(code, span, std::move(message), std::move(hint), python_type);
  errors_.pending->refused = true;
  errors_.pending->diagnostic.fix = fix_of_hint(errors_.pending->diagnostic.hint);
  return Value::error();
}

// The module may have any name: what it would be. None: its names are those that it binds.
// Might it bind names that its text does not? Most statements have none of the words that do, and need no look at what
// they take and give.
static bool writes_globals(const syntax::TopLevel& s) {
  constexpr std::string_view kWriters[] = {"exec", "globals", "locals", "vars"};
  const bool has_word = std::ranges::any_of(kWriters, [&](std::string_view word) {
    return std::ranges::binary_search(s.names, syntax::hash_name(word), {}, &syntax::Name::hash);
  });
  return (has_word || s.text.find("global_enum") != s.text.npos) && s.free_names().writes_globals;
}

Value Modules::everything_of(Scope* module) const {
  for (const Open& open : open_) {
    if (open.scope == module) return open.names;
  }
  for (const Run& run : runs_) {
    if (run.scope != module) continue;
    for (const syntax::Tree::Statement& s : run.tree->statements()) {
      if (writes_globals(*s.node)) return Value::opaque("names that are made while the module runs");
    }
  }
  return Value::none();
}

Value Modules::may_be(Scope* module, const syntax::Name& name, bool from_outside) {
  if (Value v = everything_of(module); !v.is_none()) return v;
  const syntax::Name getter{"__getattr__", syntax::hash_name("__getattr__"), {}};
  for (const Run& run : runs_) {
    if (run.scope != module) continue;
    const auto& statements = run.tree->statements();
    if (from_outside && !run.tree->errors().empty()) return Value::opaque("a file that cannot be read as Python");
    if (from_outside && run.statement < statements.size()) return Value::opaque("a module that imports itself");
    for (std::size_t i = 0; i < statements.size(); ++i) {
      const std::vector<syntax::Name>& bound = statements[i].node->free_names().bound;
      if (names(bound, getter)) return Value::opaque("a module that makes its names when asked");
      // What is bound below is not there yet. What was bound above, and is not, was bound in some runs only.
      if (i <= run.statement && names(bound, name)) return Value::opaque("a name that only some runs bind");
      // A function may be called in ways that are not followed.
      if (statements[i].node->statement->kind == syntax::NodeKind::FunctionDef && names(bound, name) &&
          syntax::as<syntax::FunctionDef>(statements[i].node->statement)->name.text != name.text) {
        return Value::opaque("a name that a function binds");
      }
    }
  }
  return Value::none();
}

bool Modules::is_refused(const syntax::Name& name) const { return names(refused_, name); }

Value Interpreter::unbound(const syntax::Name& name, Scope* scope, text::Span span) {
  modules_.note_asked();  // what follows depends on more than the values that a kernel reads
  if (name.text == "metadata") {
    return fail(code::kOpaque, span, "this constant was omitted when the kernel was printed",
                "print the kernel with its metadata, or write the value here");
  }
  Scope* module = module_of(scope);
  if (modules_.refused() >= kMostRefused) {
    module->set(name, Value::poison());
    return fail({}, span, {}, {}, "NameError");
  }
  for (const Modules::Run& run : modules_.runs())
    budget_.spend(run.tree->statements().size() / 4);  // which are looked through
  Value unknown = kernel_ ? modules_.everything_of(module) : modules_.may_be(module, name, false);
  if (!unknown.is_none()) return unknown;
  if (is_given(name.text)) return Value::opaque("the one who runs the script");
  std::string hint, in_t;
  const syntax::Name t{"T", syntax::hash_name("T"), {}};
  // Within a kernel a name of another language is meant as one of this; outside it may be an import that is missing.
  const std::string_view all = top_level_ && span.anchor == anchor_ ? std::string_view(top_level_->text) : "";
  const std::string_view path = path_at(all, span.begin);
  const auto foreign = foreign_name(ForeignSpace::Any, path.empty() ? name.text : path, dialect_);
  bool later = false;
  for (Scope* s = scope; s; s = s->parent) later = later || (s->frozen_from && s->frozen_from->find(name));
  if (later) {
    hint = "outside a kernel @T.inline sees its surroundings as they are where it is defined: define this above it";
  } else if (foreign && kernel_) {
    hint = foreign->hint;
  } else if (std::string line = import_line(*surface_, name.text); !line.empty()) {
    hint = "add: " + line;
  } else if (foreign) {
    hint = foreign->hint;
  } else if (surface_->find("T", name.text) && find_binding(t, scope)) {
    in_t = "T." + std::string(name.text);
    hint = "write " + in_t;
  } else if (modules_.refused() < kMostSuggested) {
    Nearby near(name.text);
    for (Scope* s = scope; s; s = s->parent) {
      for (const Scope::Binding& b : s->bindings) {
        if (!b.value.is_poison()) near.consider(b.name);
      }
    }
    for (std::string_view known : builtins_.names()) near.consider(known);
    hint = near.hint();
  }
  refuse(code::kName, span, "name '" + std::string(name.text) + "' is not defined", std::move(hint), "NameError");
  if (!in_t.empty()) offer({text::Fix::Kind::Replace, "Replace by " + in_t, in_t});
  if (tries_ == 0 && !later) {
    modules_.refuse(name);
    module->set(name, Value::poison());
  }
  return Value::error();
}

void Interpreter::leave_unknown(syntax::Stmts body, Scope* scope, Value unknown, bool known) {
  const syntax::Effects effects = syntax::effects_of(body);
  for (const syntax::Name& name : effects.bound) {
    if (known || !scope->find(name)) scope->set(name, unknown);
  }
  if (effects.stars) modules_.open(module_of(scope), unknown);
  if (!known) return;
  std::vector<Value> changed;
  for (const syntax::Name& name : effects.changed) {
    Value* v = find_binding(name, scope);
    if (!v) continue;
    if (unknown.is_opaque()) {
      changed.push_back(*v);
    } else if (v->as<List>() || v->as<Dict>() || v->as<Set>()) {
      *v = unknown;
    }
  }
  if (!unknown.is_opaque()) return;
  add_changed_by_statements(*this, body, scope, unknown.reason(), changed);
  for (Value v : changed) {  // by any of its names
    if (!lose(v, unknown.reason())) return;
  }
}

bool Interpreter::lose_left(const Pending& p, const char* why) {
  return std::ranges::all_of(p.through,
                             [&](const Function* f) {
                               return f->mode != FunctionMode::Host ||
                                      lose(Value::object(const_cast<Function*>(f)), why);
                             }) &&
         std::ranges::all_of(p.given, [&](Value v) { return lose(v, why); });
}

bool Interpreter::go_on_after(const Pending& limit) {
  if (limit.diagnostic.code != code::kLimit) return false;
  budget_.extend(heap_.bytes() + Arena::current().bytes());
  return true;
}

}  // namespace tilewright::script
