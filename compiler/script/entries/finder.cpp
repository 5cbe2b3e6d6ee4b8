#include "compiler/script/entries/finder.h"

#include <algorithm>

#include "compiler/script/python/support.h"
#include "compiler/script/unbound.h"
#include "compiler/syntax/run_comment.h"
#include "compiler/syntax/walk.h"
#include "compiler/text/letters.h"
#include "compiler/text/nearest.h"

namespace tilewright::script {

bool names_kernel_decorator(const syntax::Node* node) {
  if (auto* c = syntax::as<syntax::Call>(node)) node = c->function;
  if (auto* a = syntax::as<syntax::Attribute>(node)) {
    // `@T.function` of tvm_tirx; tf has a decorator of that name.
    auto* module = syntax::as<syntax::NameRef>(a->object);
    if (a->name.text == "function") return module && module->name.text != "tf";
    return a->name.text == "prim_func" || a->name.text == "jit";
  }
  if (auto* r = syntax::as<syntax::NameRef>(node)) return r->name.text == "prim_func" || r->name.text == "jit";
  return false;
}

bool names_traced_decorator(const syntax::Node* node) {
  auto* c = syntax::as<syntax::Call>(node);
  auto* a = c ? syntax::as<syntax::Attribute>(c->function) : nullptr;
  return a && a->name.text == "kernel" &&
         std::ranges::any_of(c->keywords, [](const syntax::Keyword& k) { return k.name.text == "warps"; });
}

namespace {

// Whether the kernel, or a function or a class that it names, names what a failed statement of a module would have
// made: what it lacks there would be lost without a word.
bool names_what_failed(Function* kernel) {
  std::vector<Value> left{Value::object(kernel)};
  std::unordered_set<const void*> seen;
  bool failed = false;
  const auto add = [&](Value v) {
    failed = failed || v.is_poison();
    if (const Instance* instance = v.as<Instance>()) v = Value::object(instance->cls);
    if ((v.as<Function>() || v.as<Class>()) && seen.insert(v.o).second) left.push_back(v);
  };
  while (!left.empty() && !failed) {
    const Value v = left.back();
    left.pop_back();
    if (const Class* cls = v.as<Class>()) {
      for (std::size_t i = 0; cls->scope && i < cls->scope->bindings.size(); ++i) add(cls->scope->bindings[i].value);
      continue;
    }
    const Function* f = v.as<Function>();
    const auto value_of = [&](const syntax::Node* n) {
      auto* name = syntax::as<syntax::NameRef>(n);
      const Scope::Binding* b = nullptr;
      for (Scope* s = f->closure; name && s && !b; s = s->parent) b = s->find(name->name);
      return b ? b->value : Value::none();
    };
    syntax::for_all(f->def, [&](const syntax::Node* n) {
      auto* attribute = syntax::as<syntax::Attribute>(n);  // of a module of the script
      const Value object = attribute ? value_of(attribute->object) : Value::none();
      const Namespace* module = object.as<Namespace>();
      const Scope::Binding* b = module && module->scope ? module->scope->find(attribute->name) : nullptr;
      add(b ? b->value : value_of(n));
    });
  }
  return failed;
}

// A decorator that makes a kernel, or was meant to.
bool is_like_kernel_decorator(const syntax::Node* node) {
  if (names_kernel_decorator(node) || names_traced_decorator(node)) return true;
  if (auto* c = syntax::as<syntax::Call>(node)) node = c->function;
  auto* a = syntax::as<syntax::Attribute>(node);
  auto* r = syntax::as<syntax::NameRef>(a ? a->object : node);
  if (a && r && r->name.text == "T" && text::edit_distance(a->name.text, "jit", 1) <= 1) return true;
  std::string_view name = a ? a->name.text : r ? r->name.text : std::string_view();
  return text::edit_distance(name, "prim_func", 2) <= 2;
}

// Is a kernel defined somewhere in these statements?
bool defines_kernel(syntax::Stmts body, int depth = 0) {
  if (depth > 50) return false;
  for (const syntax::Node* node : body) {
    if (auto* f = syntax::as<syntax::FunctionDef>(node)) {
      if (std::any_of(f->decorators.begin(), f->decorators.end(), is_like_kernel_decorator)) return true;
      if (defines_kernel(f->body, depth + 1)) return true;
    } else if (auto* i = syntax::as<syntax::If>(node)) {
      if (defines_kernel(i->then_body, depth + 1) || defines_kernel(i->else_body, depth + 1)) return true;
    } else if (auto* w = syntax::as<syntax::With>(node)) {
      if (defines_kernel(w->body, depth + 1)) return true;
    } else if (auto* l = syntax::as<syntax::For>(node)) {
      if (defines_kernel(l->body, depth + 1)) return true;
    } else if (auto* c = syntax::as<syntax::ClassDef>(node)) {
      if (defines_kernel(c->body, depth + 1)) return true;
    } else if (auto* t = syntax::as<syntax::Try>(node)) {
      if (defines_kernel(t->body, depth + 1)) return true;
    }
  }
  return false;
}

// A function of the host that is bound by its own name.
Function* host_function(const Scope::Binding& b) {
  Function* f = b.value.as<Function>();
  return f && f->mode == FunctionMode::Host && b.name == f->def->name.text ? f : nullptr;
}

bool defines_kernel_in_methods(const Class* cls) {
  return std::ranges::any_of(cls->mro, [](const Class* c) {
    return c->scope && std::ranges::any_of(c->scope->bindings, [](const Scope::Binding& b) {
             Function* f = host_function(b);
             return f && defines_kernel(f->def->body);
           });
  });
}

// Does the text name `path`, as a word of its own?
bool names(std::string_view text, std::string_view path) {
  for (std::size_t at = text.find(path); at != std::string_view::npos; at = text.find(path, at + 1)) {
    const std::size_t end = at + path.size();
    if ((at == 0 || !text::is_ascii_name_byte(text[at - 1])) &&
        (end >= text.size() || !text::is_ascii_name_byte(text[end])))
      return true;
  }
  return false;
}

// The names that the text calls: words with a bracket behind them.
std::vector<std::string_view> called_names(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t at = text.find('('); at != std::string_view::npos; at = text.find('(', at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && text::is_ascii_name_byte(text[begin - 1])) --begin;
    if (begin < at) out.push_back(text.substr(begin, at - begin));
  }
  return out;
}

}  // namespace

EntryFinder::EntryFinder(Evaluation& e, Interpreter& in, const EvaluateOptions& options)
    : e_(e), in_(in), options_(options), tile_script_(means_tile_script(e.tree->source()->text())) {}

void EntryFinder::run() {
  find_factories();
  configs_.find();
  comments();
  for (const std::string& text : options_.entries) expression(text, EntryKind::Requested, {});
  if (!options_.entries.empty()) return;
  module_bindings();
  failures();
  if (e_.stopped) return;
  configs_.run();
  parametrized();
  defaults();
  unbound();
  unread();
  open();
  without_entry();
}

void EntryFinder::find_factories() {
  // "gemm.specialize", of each @T.jit function of the module, and classes whose methods define kernels: whose text
  // names one may make some.
  std::vector<std::string> specialised;
  for (auto& b : e_.module->bindings) {
    if (b.value.as<Jit>()) specialised.push_back(std::string(b.name) + ".specialize");
    if (Class* cls = b.value.as<Class>(); cls && b.name == cls->name) {
      if (defines_kernel_in_methods(cls)) specialised.push_back(cls->name);
      if (b.name.starts_with("Test")) add_test_methods(cls);
    }
    Function* f = b.value.as<Function>();
    if (!f || f->mode != FunctionMode::Host || b.name != f->def->name.text) continue;
    functions_.push_back({f->def->name, f, defines_kernel(f->def->body)});
  }
  std::vector<bool> makes(functions_.size());
  // Parametrised tests may reach a factory in ways that the text does not show.
  bool any = !specialised.empty() || std::ranges::any_of(functions_, &Candidate::direct);
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    makes[i] = functions_[i].direct || (any && !functions_[i].function->parametrize.empty()) ||
               std::ranges::any_of(specialised, [&](const std::string& path) {
                 return names(functions_[i].function->keep->text, path);
               });
  }
  // Who calls one that makes kernels makes some, too.
  std::unordered_map<std::string_view, std::vector<std::size_t>> callers;
  std::vector<std::size_t> todo;
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    if (makes[i]) todo.push_back(i);
  }
  for (std::size_t i = 0; !todo.empty() && i < functions_.size(); ++i) {
    if (makes[i]) continue;
    for (std::string_view name : called_names(functions_[i].function->keep->text)) callers[name].push_back(i);
  }
  while (!todo.empty()) {
    const std::size_t made = todo.back();
    todo.pop_back();
    for (std::size_t i : std::exchange(callers[functions_[made].name.text], {})) {
      if (!makes[i]) todo.push_back(i);
      makes[i] = true;
    }
  }
  std::vector<Candidate> kept;
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    if (makes[i]) kept.push_back(functions_[i]);
  }
  functions_ = std::move(kept);
  for (const Candidate& c : functions_) makers_.insert(c.name.text);
}

void EntryFinder::add_test_methods(Class* cls) {
  if (!cls->scope) return;
  for (const Scope::Binding& b : cls->scope->bindings) {
    Function* f = b.name.starts_with("test") ? host_function(b) : nullptr;
    if (!f || f->def->params.empty()) continue;
    const std::string_view name = in_.keep(cls->name + "()." + std::string(b.name));
    functions_.push_back({{name, syntax::hash_name(name), f->def->name.at}, f, defines_kernel(f->def->body), cls});
  }
}

void EntryFinder::collect(Value v, std::vector<KernelValue*>& out) {
  Seen seen;
  collect(v, out, seen, 0);
}

void EntryFinder::collect(Value v, std::vector<KernelValue*>& out, Seen& seen, int depth) {
  if (depth > 4) return;
  if (KernelValue* k = v.as<KernelValue>()) out.push_back(k);
  if (!v.as<List>() && !v.as<Tuple>() && !v.as<Dict>() && !v.as<Class>()) return;
  auto [known, added] = seen.emplace(v.o, depth);
  if (!added && known->second <= depth) return;
  known->second = depth;
  if (List* l = v.as<List>())
    for (Value item : l->items) collect(item, out, seen, depth + 1);
  if (Tuple* t = v.as<Tuple>())
    for (Value item : t->items) collect(item, out, seen, depth + 1);
  if (Dict* d = v.as<Dict>())
    for (auto& [key, item] : d->items) collect(item, out, seen, depth + 1);
  if (Class* c = v.as<Class>(); c && c->scope)
    for (auto& b : c->scope->bindings) collect(b.value, out, seen, depth + 1);
}

void EntryFinder::name_again(const KernelValue* kernel, const std::string& text) {
  auto known = std::ranges::find_if(
      e_.entries, [&](const Entry& e) { return e.kernels.size() == 1 && e.kernels.front() == kernel; });
  if (known == e_.entries.end() || known->kind != EntryKind::Module) return;
  const bool meant = std::ranges::any_of(e_.tree->directives(), [&](const syntax::Directive& d) {
    auto run = syntax::run_comment(d);
    if (!run) return false;
    const std::vector<std::string_view> names = run->kernels();
    return std::ranges::find(names, text) != names.end();
  });
  if (meant) known->expression = text;
}

void EntryFinder::add(EntryKind kind, std::string text, text::Span span, std::vector<KernelValue*> kernels) {
  if (kind == EntryKind::Module && kernels.size() == 1 && seen_.contains(kernels[0])) name_again(kernels[0], text);
  std::erase_if(kernels, [&](KernelValue* k) { return seen_.contains(k); });
  if (kernels.empty()) return;
  const auto lacks = [](const KernelValue* k) { return !k->failed && k->source && names_what_failed(k->source); };
  if (kind == EntryKind::Requested && !in_.failures().empty() && std::ranges::any_of(kernels, lacks)) {
    reported_failures();
  }
  for (KernelValue* k : kernels) {
    seen_.insert(k);
    for (Candidate& c : functions_) {
      const syntax::Extent whole = c.function->def->at;
      const bool within =
          !c.of || (k->source && whole.begin <= k->source->def->at.begin && k->source->def->at.end <= whole.end);
      c.served = c.served || (within && k->def_anchor == c.function->anchor);
    }
  }
  e_.entries.push_back({kind, std::move(text), span, std::move(kernels)});
}

Value EntryFinder::specialise(Jit* jit) {
  Arguments none;
  none.call = {jit->function->anchor, jit->function->def->name.at.begin, jit->function->def->name.at.end};
  Value v = in_.reuse().evaluate(jit->function, &none, jit->is_private, jit->persistent);
  if (v.is_error()) {
    in_.take_pending();
    return Value::none();
  }
  return v;
}

void EntryFinder::module_bindings() {
  Seen seen;  // by all bindings: a kernel is listed once, under the first
  for (std::size_t i = 0; i < e_.module->bindings.size(); ++i) {
    Scope::Binding b = e_.module->bindings[i];
    if (Jit* jit = b.value.as<Jit>())
      jit_binding(b, jit);
    else if (KernelValue* k = b.value.as<KernelValue>())
      add(EntryKind::Module, std::string(b.name), k->kernel.span, {k});
    else
      container_binding(b, seen);
  }
}

void EntryFinder::jit_binding(const Scope::Binding& b, Jit* jit) {
  const bool closed = std::ranges::none_of(jit->function->def->params, [](const syntax::Parameter& p) {
    auto* a = syntax::as<syntax::Attribute>(p.annotation);
    return a && a->name.text == "constexpr" && !p.default_value;
  });
  if (!closed) {
    open_jits_.push_back(jit);
  } else if (jit->cache.empty()) {
    std::vector<KernelValue*> kernels;
    collect(specialise(jit), kernels);
    add(EntryKind::Defaults, std::string(b.name) + ".specialize()",
        kernels.empty() ? text::Span() : kernels[0]->kernel.span, kernels);
  }
}

void EntryFinder::container_binding(const Scope::Binding& b, Seen& seen) {
  if (Dict* d = b.value.as<Dict>()) {
    if (auto [known, added] = seen.emplace(d, 0); !added && known->second == 0) return;
    for (auto& [key, item] : std::vector(d->items)) {
      std::vector<KernelValue*> kernels;
      collect(item, kernels, seen, 0);
      for (KernelValue* k : kernels) {
        add(EntryKind::Module, std::string(b.name) + "[" + spelled(key) + "]", k->kernel.span, {k});
      }
    }
    return;
  }
  std::vector<KernelValue*> kernels;
  collect(b.value, kernels, seen, 0);
  for (std::size_t n = 0; n < kernels.size(); ++n) {
    KernelValue* k = kernels[n];
    const std::string part =
        b.value.as<Class>() ? "." + std::string(k->source->def->name.text) : "[" + std::to_string(n) + "]";
    add(EntryKind::Module, std::string(b.name) + part, k->kernel.span, {k});
  }
}

bool EntryFinder::makes_kernels(const syntax::Tree::Statement& s) const {
  const std::vector<std::string_view> called = called_names(s.node->text);
  if (std::ranges::any_of(called, [&](std::string_view name) { return makers_.contains(name); })) return true;
  syntax::Exprs decorators;  // of a kernel itself
  if (auto* d = syntax::as<syntax::FunctionDef>(s.node->statement)) decorators = d->decorators;
  if (auto* d = syntax::as<syntax::ClassDef>(s.node->statement)) decorators = d->decorators;
  return std::ranges::any_of(decorators, names_kernel_decorator);
}

// Does the module make kernels below the statement of this number?
bool EntryFinder::kernels_below(std::size_t number) const {
  const auto& statements = e_.tree->statements();
  return std::any_of(
      statements.begin() + static_cast<std::ptrdiff_t>(std::min(number + 1, statements.size())), statements.end(),
      [&](const syntax::Tree::Statement& s) { return defines_kernel({&s.node->statement, 1}) || makes_kernels(s); });
}

// The script would not be imported: what Python raises there, with nothing unknown before it. A script that ends itself
// once its kernels are there has done what it was to do.
bool EntryFinder::ends_module(const Pending& p, std::size_t number) const {
  if (!p.certain || !tile_script_ || p.type == python::kTestOutcome) return false;
  return p.type != "SystemExit" || kernels_below(number);
}

void EntryFinder::failures() {
  if (in_.failures().empty()) return;
  std::unordered_map<const syntax::Node*, std::size_t> numbers;
  for (std::size_t i = 0; i < e_.tree->statements().size(); ++i)
    numbers.emplace(e_.tree->statements()[i].node->statement, i);
  for (const Failure& f : in_.failures()) {
    const std::string_view code = f.pending.diagnostic.code;
    if (code.empty() || code == code::kOpaque) continue;
    text::Anchors::Place place = e_.anchors.resolve(f.pending.diagnostic.span);
    if (!place.source) continue;
    bool mine = false;
    if (auto found = numbers.find(f.statement); found != numbers.end()) {
      // Parts of kernels outside of any, and compile-time values that do not fit, are mistakes wherever they stand.
      mine = makes_kernels(e_.tree->statements()[found->second]) || code == code::kOutside || code == code::kJit ||
             ends_module(f.pending, found->second);
    }
    mine = mine || (f.pending.refused && tile_script_);
    // A limit that host code met may be ours alone: the kernels that need its names say so as errors.
    // That of a module which it certainly ends is said at the import.
    bool limit = code == code::kLimit && (numbers.contains(f.statement) || !f.pending.certain);
    if (mine || limit) {
      e_.diagnostics.push_back(f.pending.diagnostic);
      told(f.pending);
    }
    if (limit && !mine) e_.diagnostics.back().severity = text::Severity::Information;
  }
}

void EntryFinder::unbound() {
  std::vector<KernelValue*> all = in_.kernels();
  // One that has an entry under another symbol is the same kernel.
  auto is_known = [&](const KernelValue* k) {
    return seen_.contains(k) || std::ranges::any_of(seen_, [&](const KernelValue* s) {
             return s->kernel.arena == k->kernel.arena && s->kernel.name != k->kernel.name;
           });
  };
  std::erase_if(all, is_known);
  for (KernelValue* k : all) add(EntryKind::Call, std::string(k->kernel.name), k->kernel.span, {k});
}

void EntryFinder::served(const Function* f) {
  for (Candidate& c : functions_) c.served = c.served || c.function == f;
}

std::string EntryFinder::spelled(Value v) {
  Instance* member = v.as<Instance>();
  Value* name = member && member->cls->is_enum ? member->find("name") : nullptr;
  if (name) return member->cls->name + "." + in_.str(*name);
  if (Tuple* t = v.as<Tuple>(); t && !t->items.empty()) {
    std::string out = "(";
    for (Value item : t->items) out += (out.size() == 1 ? "" : ", ") + spelled(item);
    return out + (t->items.size() == 1 ? ",)" : ")");
  }
  if (v.as<DataTypeValue>()) return "\"" + in_.str(v) + "\"";
  if (v.as<Namespace>()) return "<unknown>";  // a module: no argument that a text could write
  return in_.repr(v);
}

}  // namespace tilewright::script
