// Calls, parameter binding, and the definition of functions and classes.
#include <algorithm>
#include <unordered_set>

#include "compiler/script/interpreter.h"
#include "compiler/script/mode_guard.h"
#include "compiler/script/python/python.h"
#include "compiler/script/python/support.h"
#include "compiler/script/surface.h"
#include "compiler/text/nearest.h"

namespace tilewright::script {

using syntax::ParamKind;

namespace {

// ClassVar[...], InitVar[...] and KW_ONLY annotate no field.
bool is_class_level(const syntax::Node* annotation) {
  if (auto* s = syntax::as<syntax::Subscript>(annotation)) annotation = s->object;
  std::string_view name;
  if (auto* r = syntax::as<syntax::NameRef>(annotation)) name = r->name.text;
  if (auto* a = syntax::as<syntax::Attribute>(annotation)) name = a->name.text;
  return name == "ClassVar" || name == "InitVar" || name == "KW_ONLY";
}

// C3 linearisation is more than scripts need: depth first, left to right, later duplicates win their place.
void linearise(Class* cls, std::vector<Class*>& out) {
  if (cls->bases.size() <= 1) {
    out.push_back(cls);
    if (!cls->bases.empty()) out.insert(out.end(), cls->bases[0]->mro.begin(), cls->bases[0]->mro.end());
    return;
  }
  std::vector<Class*> all{cls};
  for (Class* base : cls->bases) all.insert(all.end(), base->mro.begin(), base->mro.end());
  std::unordered_set<Class*> seen;
  for (auto c = all.rbegin(); c != all.rend(); ++c) {
    if (seen.insert(*c).second) out.push_back(*c);
  }
  std::reverse(out.begin(), out.end());
}

}  // namespace

Bound::Bound(Interpreter& in, const Arguments& args, std::string_view function,
             std::initializer_list<std::string_view> names, std::size_t required, bool extra_keywords)
    : values_(names.size()), given_(names.size()), spans_(names.size(), args.call) {
  auto name = [&](std::size_t i) { return names.begin()[i]; };
  if (args.positional.size() > names.size()) {
    in.fail(code::kArguments, args.at(names.size()),
            std::string(function) + " takes at most " + std::to_string(names.size()) + " positional arguments, " +
                std::to_string(args.positional.size()) + " are given");
    ok_ = false;
    return;
  }
  for (std::size_t i = 0; i < args.positional.size(); ++i) {
    values_[i] = args.positional[i];
    given_[i] = true;
    spans_[i] = args.at(i);
  }
  for (const Keyword& k : args.keywords) {
    std::size_t i = 0;
    while (i < names.size() && name(i) != k.name) ++i;
    if (i == names.size()) {
      if (extra_keywords) continue;
      in.unknown_keyword(function, k, {names.begin(), names.size()});
      ok_ = false;
      return;
    }
    if (given_[i]) {
      in.fail(code::kArguments, k.span, std::string(function) + " is given '" + std::string(k.name) + "' twice");
      ok_ = false;
      return;
    }
    values_[i] = k.value;
    given_[i] = true;
    spans_[i] = k.span;
  }
  for (std::size_t i = 0; i < required; ++i) {
    if (given_[i]) continue;
    in.fail(code::kArguments, args.call, std::string(function) + " needs the argument '" + std::string(name(i)) + "'");
    ok_ = false;
    return;
  }
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (values_[i].is_poison()) {  // its cause has been reported
      in.fail({}, spans_[i], {});
      ok_ = false;
      return;
    }
  }
}

Value Interpreter::unknown_keyword(std::string_view function, const Keyword& k,
                                   std::span<const std::string_view> known) {
  text::Nearest nearest(k.name, text::Nearest::Among::Few);
  for (std::string_view name : known) nearest.consider(name);
  std::string meant(nearest.found());
  fail(code::kArguments, k.at_name(), std::string(function) + " has no argument '" + std::string(k.name) + "'",
       meant.empty() ? "" : "did you mean " + meant + "=?");
  if (!meant.empty() && k.name_span) offer({text::Fix::Kind::Replace, "Replace by " + meant, meant});
  return Value::error();
}

Value Interpreter::call(Value function, std::span<const Value> arguments, text::Span span) {
  Arguments args;
  args.positional = arguments;
  args.call = span;
  args.function = span;
  return call(function, args);
}

Value Interpreter::call(Value function, const Arguments& arguments) {
  switch (function.tag) {
    case Tag::Opaque:
    case Tag::Poison:
    case Tag::Error: return function;
    case Tag::Object: break;
    default: return fail(code::kType, arguments.function, std::string(type_name(function)) + " cannot be called");
  }
  if (MetaVar* m = function.as<MetaVar>()) return call(m->value, arguments);
  if (Native* n = function.as<Native>()) return n->function(*this, arguments, n->self);
  if (Function* f = function.as<Function>()) return call_function(f, arguments);
  if (BoundMethod* m = function.as<BoundMethod>()) {
    if (Function* f = m->function.as<Function>()) return call_function(f, arguments, m->self);
    std::vector<Value> values{m->self};
    values.insert(values.end(), arguments.positional.begin(), arguments.positional.end());
    Arguments with_self = arguments;
    with_self.positional = values;
    with_self.spans = {};
    if (Native* n = m->function.as<Native>()) return n->function(*this, with_self, Value());
    return call(m->function, with_self);
  }
  if (LambdaFunction* l = function.as<LambdaFunction>()) {
    ModeGuard guard(*this);
    Scope* scope = make<Scope>();
    scope->parent = l->closure;
    if (!bind_parameters(l->def->params, l->defaults, arguments, Value(), false, scope, "the lambda"))
      return Value::error();
    guard.enter(l->kernel_mode && script_mode_, l->anchor, l->keep);
    constexpr std::uint32_t kLevels = 3;
    if (!enter(kLevels, arguments.call)) return Value::error();
    Value v = eval(l->def->body, scope);
    leave(kLevels);
    return v;
  }
  if (Class* cls = function.as<Class>()) return construct(cls, arguments);
  if (DataTypeValue* d = function.as<DataTypeValue>()) return call_dtype(*this, d, arguments);
  if (Jit* jit = function.as<Jit>()) {
    (void)jit;
    return fail(code::kJit, arguments.function, "a @T.jit function is not called: it is specialised",
                "write f.specialize(NAME=value, ...)");
  }
  if (function.as<KernelValue>()) {
    if (!kernel_) return Value::opaque("the launch of a kernel");
    return fail(code::kUnsupported, arguments.function, "a kernel cannot be called from a kernel");
  }
  if (Namespace* n = function.as<Namespace>()) {  // T.ptx.mma(...), T.ptx.mma.sp(...)
    if (n->record) return call_intrinsic(*this, n->record->detail, arguments);
  }
  if (Instance* instance = function.as<Instance>()) {
    if (instance->cls->find("__call__")) return call(attribute(function, "__call__", arguments.function), arguments);
    if (instance->cls->has_unknown_base) return Value::opaque("a class with an unknown base");
  }
  if (function.as<TypeAnnotation>()) return function;
  return fail(code::kType, arguments.function, std::string(type_name(function)) + " cannot be called");
}

namespace {

// What a function is called with, parameter by parameter.
class ParameterBinder {
 public:
  ParameterBinder(Interpreter& in, std::span<const syntax::Parameter> params, const Arguments& arguments,
                  std::string_view name, bool has_self)
      : in_(in),
        params_(params),
        arguments_(arguments),
        name_(name),
        has_self_(has_self),
        used_(arguments.keywords.size()) {}

  // False: an error is pending.
  bool bind(const syntax::Parameter& p, const Value* default_value, Value self, Scope* into) {
    if (p.kind == ParamKind::VarArgs) {
      into->set(p.name, rest_of_positional(self));
      return true;
    }
    if (p.kind == ParamKind::VarKeywords) {
      into->set(p.name, rest_of_keywords());
      return true;
    }
    if (p.kind != ParamKind::KeywordOnly) {
      if (waits_for_self()) {
        into->set(p.name, self);
        took_self_ = true;
        return true;
      }
      if (next_ < arguments_.positional.size()) {
        into->set(p.name, arguments_.positional[next_++]);
        return true;
      }
    }
    if (const Value* given = p.kind == ParamKind::PositionalOnly ? nullptr : keyword(p.name.text)) {
      into->set(p.name, *given);
      return true;
    }
    if (default_value) {
      into->set(p.name, *default_value);
      return true;
    }
    if (unknown()) return false;  // what is missing was meant there
    in_.fail(code::kArguments, arguments_.call,
             std::string(name_) + " needs the argument '" + std::string(p.name.text) + "'");
    return false;
  }

  // Was all taken that was given? False: an error is pending.
  bool all_taken() {
    if (next_ < arguments_.positional.size()) {
      in_.fail(code::kArguments, arguments_.at(next_),
               std::string(name_) + " takes " + std::to_string(next_) + " positional arguments, " +
                   std::to_string(arguments_.positional.size()) + " are given");
      return false;
    }
    for (std::size_t i = 0; i < used_.size(); ++i) {
      if (used_[i]) continue;
      const Keyword& k = arguments_.keywords[i];
      if (!unknown())
        in_.fail(code::kArguments, k.at_name(), std::string(name_) + " is given '" + std::string(k.name) + "' twice");
      return false;
    }
    return true;
  }

 private:
  bool waits_for_self() const { return has_self_ && !took_self_; }

  Value rest_of_positional(Value self) {
    std::vector<Value> rest;
    if (waits_for_self()) {
      rest.push_back(self);
      took_self_ = true;
    }
    for (; next_ < arguments_.positional.size(); ++next_) rest.push_back(arguments_.positional[next_]);
    return in_.tuple(std::move(rest));
  }

  Value rest_of_keywords() {
    Dict* rest = in_.make<Dict>();
    for (std::size_t i = 0; i < used_.size(); ++i) {
      if (used_[i]) continue;
      used_[i] = true;
      in_.dict_set(rest, in_.string(arguments_.keywords[i].name), arguments_.keywords[i].value);
    }
    return Value::object(rest);
  }

  const Value* keyword(std::string_view name) {
    for (std::size_t i = 0; i < used_.size(); ++i) {
      if (used_[i] || arguments_.keywords[i].name != name) continue;
      used_[i] = true;
      return &arguments_.keywords[i].value;
    }
    return nullptr;
  }

  // Fails at the first keyword that no parameter takes; false: each is taken by one.
  bool unknown() {
    std::vector<std::string_view> known;
    for (const syntax::Parameter& p : params_) {
      if (p.kind == ParamKind::VarKeywords) return false;
      const bool named = p.kind == ParamKind::Positional || p.kind == ParamKind::KeywordOnly;
      if (named && !(has_self_ && &p == params_.data())) known.push_back(p.name.text);
    }
    auto is_unknown = [&](const Keyword& k) { return std::ranges::find(known, k.name) == known.end(); };
    auto found = std::ranges::find_if(arguments_.keywords, is_unknown);
    if (found == arguments_.keywords.end()) return false;
    in_.unknown_keyword(name_, *found, known);
    return true;
  }

  Interpreter& in_;
  std::span<const syntax::Parameter> params_;
  const Arguments& arguments_;
  std::string_view name_;
  bool has_self_, took_self_ = false;
  std::size_t next_ = 0;  // positional argument
  std::vector<bool> used_;
};

}  // namespace

bool Interpreter::bind_parameters(std::span<const syntax::Parameter> params, std::span<const Value> defaults,
                                  const Arguments& arguments, Value self, bool has_self, Scope* into,
                                  std::string_view name) {
  ParameterBinder binder(*this, params, arguments, name, has_self);
  std::size_t next_default = 0;
  for (const syntax::Parameter& p : params) {
    const Value* default_value = nullptr;
    if (p.default_value) {
      if (next_default < defaults.size()) default_value = &defaults[next_default];
      ++next_default;
    }
    if (!binder.bind(p, default_value, self, into)) return false;
  }
  return binder.all_taken();
}

Value Interpreter::call_function(Function* f, const Arguments& arguments, Value self) {
  bool has_self = !self.is_none();
  if (!step(arguments.call)) return Value::error();
  if (f->mode == FunctionMode::PrimFunc || f->mode == FunctionMode::Jit) {
    return fail(code::kUnsupported, arguments.call, "a kernel cannot be called here");
  }
  bool script = f->mode == FunctionMode::Inline || f->mode == FunctionMode::Macro;
  std::string_view name =
      f->owner && f->def->name.text == "__init__" ? std::string_view(f->owner->name) : f->def->name.text;
  if (script && !require_kernel(arguments.call, std::string(name) + " is inlined into a kernel: it"))
    return Value::error();
  if (f->def->is_async) return Value::opaque("an asynchronous function");
  if (f->def->is_generator) return Value::opaque("a generator function");

  ModeGuard guard(*this);
  Scope* scope = make<Scope>();
  heap_.count(128);
  scope->parent = f->is_hygienic || !script_scope_ ? f->closure : script_scope_;
  scope->kind = Scope::Kind::Function;
  auto left_by_error = [&] {
    if (pending_) pending_->through.push_back(f);
    return Value::error();
  };
  if (!bind_parameters(f->def->params, f->defaults, arguments, self, has_self, scope, name)) return left_by_error();
  if (f->owner) scope->set("__class__", Value::object(f->owner));
  const std::size_t calls = host_calls_.size();
  const bool by_name = arguments.call == text::Span{f->anchor, f->def->name.at.begin, f->def->name.at.end};
  if (!kernel_ && arguments.call && !by_name) host_calls_.push_back({arguments.call, name});
  if (kernel_ && arguments.call) chain_ = Arena::current().make<ir::CallSite>(arguments.call, chain_);
  guard.enter(script, f->anchor, f->keep);
  constexpr std::uint32_t kLevels = 4;  // a call takes more of the C++ stack than an expression
  if (!enter(kLevels, arguments.call)) return Value::error();
  Scope* outer_script_scope = script_scope_;
  Value outer_return = return_value_;
  return_value_ = Value::none();
  const bool left = std::exchange(perhaps_left_, false), returned = std::exchange(perhaps_returned_, false);
  Flow flow = script ? exec_script(f->def->body, scope) : exec_host(f->def->body, scope);
  Value result = return_value_;
  if (perhaps_returned_ && flow == Flow::Normal) result = Value::opaque("a loop over unknown values");
  perhaps_left_ = left;
  perhaps_returned_ = returned;
  return_value_ = outer_return;
  script_scope_ = outer_script_scope;
  leave(kLevels);
  host_calls_.resize(std::min(calls, host_calls_.size()));
  if (flow == Flow::Error) return left_by_error();
  return script ? Value::none() : result;
}

namespace {

Value enum_member(Interpreter& in, Class* cls, const Arguments& arguments) {
  if (arguments.positional.size() != 1) {
    return in.fail(code::kArguments, arguments.call, cls->name + " takes one value");
  }
  Value wanted = arguments.positional[0];
  if (wanted.as<Instance>() && wanted.as<Instance>()->cls == cls) return wanted;
  for (auto& b : cls->scope->bindings) {
    Instance* member = b.value.as<Instance>();
    if (!member || member->cls != cls) continue;
    if (Value* v = member->find("value"); v && in.equals(*v, wanted)) return b.value;
  }
  return in.fail(code::kValue, arguments.call, in.repr(wanted) + " is not a valid " + cls->name, {}, "ValueError");
}

// The buffers that a value reaches.
std::vector<const ir::Buffer*> reachable_buffers(Value from) {
  constexpr std::size_t kObjects = 100'000;  // beyond them what a value holds is not looked at
  std::vector<const ir::Buffer*> out;
  std::vector<Value> todo{from};
  std::vector<Object*> seen;
  while (!todo.empty()) {
    Value v = todo.back();
    todo.pop_back();
    if (v.is_expr()) {
      if (const auto* l = v.as_expr().as<ir::Load>()) out.push_back(l->buffer);
      continue;
    }
    if (!v.is_object() || std::find(seen.begin(), seen.end(), v.o) != seen.end()) continue;
    seen.push_back(v.o);
    if (seen.size() > kObjects) break;
    if (BufferValue* b = v.as<BufferValue>()) out.push_back(b->buffer);
    if (RegionValue* r = v.as<RegionValue>()) out.push_back(r->region.buffer);
    if (List* l = v.as<List>()) todo.insert(todo.end(), l->items.begin(), l->items.end());
    if (Tuple* t = v.as<Tuple>()) todo.insert(todo.end(), t->items.begin(), t->items.end());
    if (Dict* d = v.as<Dict>())
      for (auto& [k, item] : d->items) todo.push_back(item);
    if (Instance* i = v.as<Instance>())
      for (auto& [k, item] : i->attributes) todo.push_back(item);
    if (MetaVar* m = v.as<MetaVar>()) todo.push_back(m->value);
  }
  return out;
}

// What a meta class allocated must be reachable from it, or nobody could ever name it (surface.md 2.4).
bool owns_all(Interpreter& in, Class* cls, Value self, std::span<const ir::Buffer* const> made, text::Span call) {
  const std::vector<const ir::Buffer*> owned = reachable_buffers(self);
  const auto lost = std::ranges::count_if(made, [&](const ir::Buffer* b) {
    return std::ranges::none_of(owned, [&](const ir::Buffer* o) { return o == b || o->data == b->data; });
  });
  if (lost == 0) return true;
  in.fail(code::kMetaClass, call,
          cls->name + " allocates " + std::to_string(lost) + " buffer" + (lost > 1 ? "s" : "") +
              " that its attributes do not reach",
          "keep every allocated buffer in an attribute of self");
  return false;
}

}  // namespace

Value Interpreter::initialise(Class* cls, const Arguments& arguments, Value self) {
  Value* init = cls->find("__init__");
  if (!init) {
    if (cls->has_unknown_base) return Value::opaque("a class with an unknown base");
    if (cls->is_exception || (arguments.positional.empty() && arguments.keywords.empty())) return Value::none();
    return fail(code::kArguments, arguments.call, cls->name + "() takes no arguments");
  }
  const bool frozen = std::exchange(cls->is_frozen, false);  // a dataclass initialises its own fields
  Value r;
  if (Function* f = init->as<Function>()) {
    r = call_function(f, arguments, self);
  } else {
    Value bound = attribute(self, "__init__", arguments.call);
    r = bound.is_error() ? bound : call(bound, arguments);
  }
  cls->is_frozen = frozen;
  return r.is_error() ? r : Value::none();
}

Value Interpreter::construct(Class* cls, const Arguments& arguments) {
  for (Class* c : cls->mro) {
    if (!c->construct) continue;
    if (cls->is_exception && c != cls && cls->find("__init__")) break;
    return c->construct(*this, arguments, Value::object(cls));
  }
  if (cls->is_enum) return enum_member(*this, cls, arguments);
  Instance* instance = make<Instance>();
  instance->cls = cls;
  Value self = Value::object(instance);
  std::size_t allocated = kernel_ ? kernel_->allocated().size() : 0;
  if (cls->is_exception) instance->set("args", tuple({arguments.positional.begin(), arguments.positional.end()}));
  if (Value r = initialise(cls, arguments, self); !r.is_none()) return r;
  if (!cls->is_meta || !kernel_) return self;
  const bool owned = owns_all(*this, cls, self, kernel_->allocated().subspan(allocated), arguments.call);
  return owned ? self : Value::error();
}

// ---- definitions ----------------------------------------------------------------------------------------------

Value Interpreter::define_function(const syntax::FunctionDef* def, Scope* scope) {
  Function* f = make<Function>();
  f->def = def;
  f->closure = scope;
  f->anchor = anchor_;
  f->keep = top_level_;
  for (const syntax::Parameter& p : def->params) {
    if (!p.default_value) continue;
    Value v = eval(p.default_value, scope);
    if (v.is_error()) {
      if (script_mode_ || kernel_) return v;
      if (pending_->fatal || pending_->refused) return v;
      pending_.reset();
      v = Value::opaque("a default that cannot be evaluated here");
    }
    f->defaults.push_back(v);
  }
  return apply_decorators(def->decorators, Value::object(f), scope);
}

// `@X.prim_func`; `@X.jit` of a function with an `X.Buffer`, for other packages have a `jit` of their own.
static bool is_kernel_decorator(const syntax::Node* node, const syntax::FunctionDef& def) {
  if (auto* c = syntax::as<syntax::Call>(node)) node = c->function;
  if (auto* r = syntax::as<syntax::NameRef>(node)) return r->name.text == "prim_func";
  auto* made = syntax::as<syntax::Attribute>(node);
  if (!made || made->name.text != "jit") return made && made->name.text == "prim_func";
  auto* package = syntax::as<syntax::NameRef>(made->object);
  return package && std::ranges::any_of(def.params, [&](const syntax::Parameter& p) {
           auto* c = syntax::as<syntax::Call>(p.annotation);
           auto* a = syntax::as<syntax::Attribute>(c ? c->function : nullptr);
           auto* of = syntax::as<syntax::NameRef>(a ? a->object : nullptr);
           return of && a->name.text == "Buffer" && of->name.text == package->name.text;
         });
}

Value Interpreter::apply_decorators(syntax::Exprs decorators, Value value, Scope* scope) {
  for (std::size_t i = decorators.size(); i-- > 0;) {
    const syntax::Node* node = decorators[i];
    // Literal parametrize lists are entries (script.md 4), whatever module provides the decorator.
    if (auto* c = syntax::as<syntax::Call>(node)) {
      auto* a = syntax::as<syntax::Attribute>(c->function);
      if (a && a->name.text == "parametrize" && c->args.size() >= 2 && value.as<Function>()) {
        Value names = eval(c->args[0], scope);
        Value values = names.is_error() ? names : eval(c->args[1], scope);
        if (values.is_error()) {
          if (pending_->fatal || pending_->refused) return values;
          pending_.reset();
        } else if (Str* s = names.as<Str>()) {
          value.as<Function>()->parametrize.emplace_back(s->text, values);
        }
        continue;
      }
    }
    Value decorator = eval(node, scope);
    if (decorator.is_error()) return decorator;
    if (decorator.is_poison()) return decorator;
    if (decorator.is_opaque()) {  // a decorator of the host world: the function itself stays known
      Function* f = value.as<Function>();
      if (f && is_kernel_decorator(node, *f->def)) unread_.push_back({f, node, span(node), decorator.why});
      continue;
    }
    Arguments args;
    args.positional = {&value, 1};
    args.call = span(node);
    args.function = span(node);
    value = call(decorator, args);
    if (value.is_error()) return value;
  }
  return value;
}

Value Interpreter::define_class(const syntax::ClassDef* def, Scope* scope) {
  Class* cls = make<Class>();
  cls->name = def->name.text;
  for (const syntax::Node* base : def->bases) {
    Value v = eval(base, scope);
    if (v.is_error()) return v;
    if (Class* b = v.as<Class>()) {
      cls->bases.push_back(b);
      cls->is_meta |= b->is_meta;
      cls->is_enum |= b->is_enum;
      cls->is_int_enum |= b->is_int_enum;
      cls->is_exception |= b->is_exception;
      cls->has_unknown_base |= b->has_unknown_base;
    } else {
      cls->has_unknown_base = true;
    }
  }
  std::size_t ancestors = 1;  // each class of a long chain keeps all of its own
  for (Class* base : cls->bases) ancestors += base->mro.size();
  text::Span name = span(def->name.at);
  if (!python::work(*this, name, ancestors) || !reserve(ancestors * sizeof(Class*), name)) return Value::error();
  linearise(cls, cls->mro);
  heap_.count(cls->mro.capacity() * sizeof(Class*));
  cls->scope = make<Scope>();
  cls->scope->kind = Scope::Kind::Class;
  cls->scope->parent = scope;
  Flow flow = exec_host(def->body, cls->scope);
  if (flow == Flow::Error) return Value::error();
  for (auto& b : cls->scope->bindings) {
    if (Function* f = b.value.as<Function>()) f->owner = cls;
    if (StaticMethod* s = b.value.as<StaticMethod>(); s && s->function.as<Function>())
      s->function.as<Function>()->owner = cls;
    if (ClassMethod* c = b.value.as<ClassMethod>(); c && c->function.as<Function>())
      c->function.as<Function>()->owner = cls;
    if (Property* p = b.value.as<Property>(); p && p->getter.as<Function>()) p->getter.as<Function>()->owner = cls;
  }
  // Annotated names are what dataclasses and named tuples are made of.
  for (const syntax::Node* node : def->body) {
    if (auto* a = syntax::as<syntax::AnnAssign>(node)) {
      auto* name = syntax::as<syntax::NameRef>(a->target);
      if (name && !is_class_level(a->annotation)) cls->fields.emplace_back(name->name.text);
    }
  }
  finish_class(*this, cls);
  if (pending_) return Value::error();
  return apply_decorators(def->decorators, Value::object(cls), scope);
}

}  // namespace tilewright::script
