// Functions and classes as a script defines them, and the objects of classes.
#include <algorithm>
#include <unordered_set>

#include "compiler/script/aliases.h"
#include "compiler/script/class_scope.h"
#include "compiler/script/interpreter.h"
#include "compiler/script/python/enums.h"
#include "compiler/script/python/python.h"
#include "compiler/script/python/support.h"
#include "compiler/script/surface.h"
#include "compiler/syntax/effects.h"

namespace tilewright::script {

namespace {

// The last name of `dataclasses.InitVar[int]`, `ClassVar`, `KW_ONLY`; of a text the same.
std::string_view annotated_as(const syntax::Node* annotation) {
  if (auto* s = syntax::as<syntax::Subscript>(annotation)) annotation = s->object;
  if (auto* r = syntax::as<syntax::NameRef>(annotation)) return r->name.text;
  if (auto* a = syntax::as<syntax::Attribute>(annotation)) return a->name.text;
  return {};
}

// Annotated names are what dataclasses and named tuples are made of.
void collect_fields(Interpreter& in, Class* cls, syntax::Stmts body) {
  std::vector<Value> for_init, by_keyword;
  bool keywords = false;
  for (const syntax::Node* node : body) {
    auto* a = syntax::as<syntax::AnnAssign>(node);
    auto* name = syntax::as<syntax::NameRef>(a ? a->target : nullptr);
    if (!name) continue;
    const std::string_view kind = annotated_as(a->annotation);
    keywords |= kind == "KW_ONLY";
    if (kind == "ClassVar" || kind == "KW_ONLY") continue;
    const std::string_view field = in.private_name(name->name.text, cls->scope);
    cls->fields.emplace_back(field);
    if (kind == "InitVar") for_init.push_back(in.string(field));
    if (keywords) by_keyword.push_back(in.string(field));
  }
  if (!for_init.empty()) cls->scope->set(kInitOnly, in.tuple(std::move(for_init)));
  if (!by_keyword.empty()) cls->scope->set(kByKeyword, in.tuple(std::move(by_keyword)));
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

Value enum_member(Interpreter& in, Class* cls, const Arguments& arguments) {
  if (arguments.positional.size() >= 2 && python::enum_members(cls).empty()) {
    return python::enum_by_call(in, cls, arguments);
  }
  if (arguments.positional.size() != 1) {
    return in.fail(code::kArguments, arguments.call, cls->name + " takes one value");
  }
  Value wanted = arguments.positional[0];
  if (wanted.as<Instance>() && wanted.as<Instance>()->cls == cls) return wanted;
  if (python::is_flag_class(cls) && !wanted.is_opaque()) {
    return python::flag_member(in, cls, wanted, arguments.call);
  }
  for (auto& b : cls->scope->bindings) {
    Instance* member = b.value.as<Instance>();
    if (!member || member->cls != cls) continue;
    if (Value* v = member->find("value"); v && in.equals(*v, wanted)) return b.value;
  }
  if (Value* missing = cls->find("_missing_"); missing && missing->as<ClassMethod>()) {
    const Value made =
        in.call(in.attribute(Value::object(cls), "_missing_", arguments.call), {&wanted, 1}, arguments.call);
    if (!made.is_none()) return made;
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

// What a meta class allocated must be reachable from it, or no statement could ever name it (surface.md 2.4).
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

// The function of the script that a method of this name is; null: it is none of the script's.
static Function* script_function(const Value* method) {
  if (!method) return nullptr;
  if (StaticMethod* s = method->as<StaticMethod>()) return s->function.as<Function>();
  if (ClassMethod* c = method->as<ClassMethod>()) return c->function.as<Function>();
  return method->as<Function>();
}

// What the script's methods of a class may change becomes unknown, now and wherever a value with that reason is called.
static bool lose_methods(Interpreter& in, const Class* cls, const char* why) {
  for (const Class* c : cls->mro) {
    if (!c->scope || !c->scope->parent) continue;
    for (Scope::Binding& b : std::vector(c->scope->bindings)) {
      Function* f = script_function(&b.value);
      if (!f) continue;
      const Value method = Value::object(f);
      in.may_be(why, method);
      if (!in.lose(method, why)) return false;
    }
  }
  return true;
}

static Value unfollowed_object(Interpreter& in, const Class* cls, const Arguments& arguments, const std::string& what) {
  in.assume();
  const char* why = in.keep(what + '\0').data();
  for (Value v : arguments.positional) in.may_be(why, v);
  for (const Keyword& k : arguments.keywords) in.may_be(why, k.value);
  return lose_methods(in, cls, why) ? Value::opaque(why) : Value::error();
}

Value Interpreter::initialise(Class* cls, const Arguments& arguments, Value self) {
  Value* init = cls->find("__init__");
  if (!init) {
    if (script_function(cls->find("__new__"))) return Value::none();  // which took the arguments
    if (cls->has_unknown_base) {
      constexpr const char* kWhy = "a class with an unknown base";
      return lose_methods(*this, cls, kWhy) ? Value::opaque(kWhy) : Value::error();
    }
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

// Do classes of the script between it and its built-in base have methods? Those are not followed.
static bool adds_methods(const Class* cls, const Class* base) {
  for (const Class* c : cls->mro) {
    if (c == base) return false;
    if (c->construct || !c->scope) continue;
    for (const Scope::Binding& b : c->scope->bindings) {
      const bool native = b.value.as<Native>();
      if (native || b.value.as<Property>() || b.value.as<LambdaFunction>() || script_function(&b.value)) return true;
    }
  }
  return false;
}

static bool is_of_dict(Interpreter& in, const Class* cls) {
  const Class* methods = cls->bases.empty() ? nullptr : python::class_named(in, "builtins.dict methods");
  return methods && std::ranges::find(cls->mro, methods) != cls->mro.end();
}

// Is it a method that @abstractmethod marks?
static bool is_abstract(Value v) {
  if (StaticMethod* s = v.as<StaticMethod>()) v = s->function;
  if (ClassMethod* c = v.as<ClassMethod>()) v = c->function;
  if (Property* p = v.as<Property>()) v = p->getter;
  Function* f = v.as<Function>();
  Dict* attributes = f ? f->attributes.as<Dict>() : nullptr;
  return attributes && std::ranges::any_of(attributes->items, [](const auto& entry) {
           Str* name = entry.first.template as<Str>();
           return name && name->text == python::kAbstract;
         });
}

// The first abstract method that nothing below it replaces, of a class that may not have one; empty: there is none.
static std::string_view left_abstract(Class* cls) {
  auto keeps_watch = [](Class* c) {
    return (python::is_marker(c) && (c->name == "ABC" || c->name == "Protocol")) ||
           (c->scope && c->scope->find(python::kHasAbstract));
  };
  if (std::ranges::none_of(cls->mro, keeps_watch)) return {};
  for (Class* c : cls->mro) {
    if (!c->scope) continue;
    for (const Scope::Binding& b : c->scope->bindings) {
      if (is_abstract(b.value) && is_abstract(*cls->find(b.name))) return b.name;
    }
  }
  return {};
}

Value Interpreter::construct(Class* cls, const Arguments& arguments) {
  if (const std::string_view method = left_abstract(cls); !method.empty()) {
    fail(code::kType, arguments.call,
         "no object of the abstract class " + cls->name + " can be made: '" + std::string(method) + "' is abstract",
         "define '" + std::string(method) + "' in a class derived from it");
    return certainly();
  }
  for (Class* c : cls->mro) {
    if (!c->construct) continue;
    if (cls->is_exception && c != cls && cls->find("__init__")) break;
    if (c != cls && c->name == "dict" && adds_methods(cls, c)) break;
    if (!cls->is_exception && !cls->is_enum && adds_methods(cls, c)) {
      return unfollowed_object(*this, cls, arguments, "an object of a class derived from " + c->name);
    }
    return c->construct(*this, arguments, Value::object(cls));
  }
  if (cls->is_enum) return enum_member(*this, cls, arguments);
  for (const std::string_view name : {"__getattribute__", "__delattr__"}) {
    if (!script_function(cls->find(name))) continue;
    return unfollowed_object(*this, cls, arguments, "an object whose class has its own " + std::string(name));
  }
  // When it runs is not followed.
  if (Value* finalizer = cls->find("__del__"); finalizer && script_function(finalizer)) {
    if (!lose(*finalizer, keep("__del__ of " + cls->name + '\0').data())) return Value::error();
  }
  Instance* instance = nullptr;
  if (Function* maker = script_function(cls->find("__new__"))) {
    const Value made = call_function(maker, arguments, Value::object(cls));
    instance = made.as<Instance>();
    if (!instance || std::ranges::find(instance->cls->mro, cls) == instance->cls->mro.end()) return made;
  } else {
    instance = make<Instance>();
    instance->cls = cls;
  }
  if (is_of_dict(*this, cls) && !instance->find(python::kInnerDict)) {
    instance->set(python::kInnerDict, Value::object(make<Dict>()));
  }
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
  hold(scope);
  f->anchor = anchor_;
  f->keep = top_level_;
  for (const syntax::Parameter& p : def->params) {
    if (!p.default_value) continue;
    Value v = eval(p.default_value, scope);
    if (v.is_error()) {
      if (script_mode_ || kernel_) return v;
      if (errors_.pending->fatal || errors_.pending->refused) return v;
      errors_.pending.reset();
      v = Value::opaque("a default that cannot be evaluated here");
    }
    f->defaults.push_back(v);
  }
  return apply_decorators(def->decorators, Value::object(f), scope);
}

// `@X.prim_func`, `@X.kernel`, `@kernel`; `@nki.jit`, which is Trainium's, and that of others who write GPU kernels;
// any decorator of a function with an `X.Buffer`. Other packages have a `jit` of their own.
static bool is_kernel_decorator(const syntax::Node* node, const syntax::FunctionDef& def) {
  if (auto* c = syntax::as<syntax::Call>(node)) node = c->function;
  auto* made = syntax::as<syntax::Attribute>(node);
  auto* package = syntax::as<syntax::NameRef>(made ? made->object : nullptr);
  auto* bare = syntax::as<syntax::NameRef>(node);
  const std::string_view name = made ? made->name.text : bare ? bare->name.text : std::string_view();
  constexpr std::string_view kOfKernels[] = {"nki", "triton", "gluon", "cuda", "tilelang"};
  const bool jits =
      name == "jit" && package && std::ranges::find(kOfKernels, package->name.text) != std::end(kOfKernels);
  if (name == "prim_func" || name == "kernel" || jits) return true;
  return std::ranges::any_of(def.params, [](const syntax::Parameter& p) {
    auto* c = syntax::as<syntax::Call>(p.annotation);
    auto* a = syntax::as<syntax::Attribute>(c ? c->function : nullptr);
    return a && a->name.text == "Buffer" && syntax::as<syntax::NameRef>(a->object);
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
          if (errors_.pending->fatal || errors_.pending->refused) return values;
          errors_.pending.reset();
        } else if (Str* s = names.as<Str>()) {
          value.as<Function>()->parametrize.emplace_back(s->text, values);
        }
        continue;
      }
    }
    Value decorator = eval(node, scope);
    if (decorator.is_error()) return decorator;
    if (decorator.is_poison()) return decorator;
    if (decorator.is_opaque()) {
      Function* f = value.as<Function>();
      if (f && is_kernel_decorator(node, *f->def)) unread_.push_back({f, node, span(node), decorator.reason()});
      if (value.as<Class>()) assume();
      if (value.as<KernelValue>() || value.as<Jit>() || leaves_function(decorator)) continue;
      assume();
      const char* why = depends_on(decorator, span(node));
      if (is_callback(value) && !lose(value, why)) return Value::error();
      may_be(why, value);
      value = Value::opaque(why);
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

// What Python tells others of a new class: a metaclass, descriptors in it, its nearest base that asks. None: it is
// ready; else what stands for the class.
static Value announce_class(Interpreter& in, const syntax::ClassDef* def, Class* cls, Scope* scope) {
  std::vector<Keyword> keywords;
  for (const syntax::Keyword& k : def->keywords) {
    const Value v = in.eval(k.value, scope);
    if (v.is_error()) return v;
    if (k.name.text.empty()) continue;
    if (cls->is_enum && k.name.text == "boundary") cls->scope->set(python::kBoundary, Value::none());
    if (k.name.text != "metaclass") {
      keywords.push_back({k.name.text, v, in.span(k.value), in.span(k.name.at)});
      continue;
    }
    Class* meta = v.as<Class>();
    if (meta && python::is_marker(meta) && meta->name == "ABCMeta")
      cls->scope->set(python::kHasAbstract, Value::none());
    if (!meta || !meta->scope || !meta->scope->parent) continue;  // Python's own
    const Value unknown = Value::opaque("a class with a metaclass of its own");
    for (Scope::Binding& b : meta->scope->bindings) {
      if (b.value.as<Function>() || script_function(&b.value)) continue;
      if (!in.lose(b.value, unknown.reason())) return Value::error();
      b.value = unknown;
    }
    in.assume();
    const bool lost = lose_methods(in, meta, unknown.reason()) && lose_methods(in, cls, unknown.reason());
    return lost ? unknown : Value::error();
  }
  for (const Scope::Binding& b : std::vector(cls->scope->bindings)) {
    Instance* descriptor = b.value.as<Instance>();
    if (!descriptor || !descriptor->cls->find("__set_name__")) continue;
    const Value args[] = {Value::object(cls), in.string(b.name)};
    const text::Span at = in.span(def->name.at);
    if (in.call(in.attribute(b.value, "__set_name__", at), args, at).is_error()) return Value::error();
  }
  for (Class* base : cls->mro) {
    if (base == cls || !base->scope) continue;
    Scope::Binding* b = base->scope->find("__init_subclass__");
    if (!b) continue;
    Function* f = script_function(&b->value);
    if (!f) break;
    Arguments arguments;
    arguments.keywords = keywords;
    arguments.call = arguments.function = in.span(def->name.at);
    if (in.call_function(f, arguments, Value::object(cls)).is_error()) return Value::error();
    break;
  }
  return Value::none();
}

namespace {

// In the scope of a class while its body runs: the class. No identifier, so scripts cannot see it.
constexpr std::string_view kClassItself = "<class>";

bool is_private(std::string_view name) { return name.size() > 2 && name.starts_with("__") && !name.ends_with("__"); }

// The names that its body has bound, as others than its own text see them.
void end_class_body(Interpreter& in, Class* cls) {
  Scope* scope = cls->scope;
  for (const Scope::Binding& b : std::vector(scope->bindings)) {
    if (!is_private(b.name)) continue;
    scope->set(in.private_name(b.name, scope), b.value);
    scope->erase({b.name, b.hash, {}});
  }
  scope->erase({kClassItself, syntax::hash_name(kClassItself), {}});
  scope->erase({kBoundInClass, syntax::hash_name(kBoundInClass), {}});
}

}  // namespace

std::string_view Interpreter::private_name(std::string_view name, Scope* scope) {
  // The reference evaluates the expressions of a kernel apart from the class around it.
  if (!is_private(name) || in_script_mode()) return name;
  for (Scope* s = scope; s; s = s->parent) {
    Scope::Binding* b = s->find(s->kind == Scope::Kind::Class ? kClassItself : "__class__");
    Class* cls = b ? b->value.as<Class>() : nullptr;
    if (!cls) continue;
    const std::string_view bare =
        std::string_view(cls->name).substr(std::min(cls->name.find_first_not_of('_'), cls->name.size()));
    return bare.empty() ? name : keep("_" + std::string(bare) + std::string(name));
  }
  return name;
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
      if (v.is_opaque() && has_aliases(v) && !lose(v)) return Value::error();  // its metaclass makes this one, too
    }
  }
  std::size_t ancestors = 1;  // each class of a long chain keeps all of its own
  for (Class* base : cls->bases) ancestors += base->mro.size();
  text::Span name = span(def->name.at);
  if (!python::work(*this, name, ancestors) || !reserve(ancestors * sizeof(Class*), name)) return Value::error();
  linearise(cls, cls->mro);
  const auto dict = std::ranges::find_if(cls->mro, [](const Class* c) { return c->construct && c->name == "dict"; });
  if (dict != cls->mro.end()) cls->mro.insert(dict, python::dict_methods_class(*this));
  heap_.count(cls->mro.capacity() * sizeof(Class*));
  cls->scope = make<Scope>();
  cls->scope->kind = Scope::Kind::Class;
  cls->scope->parent = scope;
  hold(scope);
  cls->scope->set(kClassItself, Value::object(cls));
  if (scope->parent) {  // within a function, whose names it does not see under a name that it binds
    std::vector<Value> bound;
    for (const syntax::Name& name : syntax::effects_of(def->body).bound)
      bound.push_back(string(std::string(name.text)));
    if (!charge(bound.size(), name)) return Value::error();
    cls->scope->set(kBoundInClass, tuple(std::move(bound)));
  }
  Flow flow = Flow::Normal;
  for (std::size_t i = 0; cls->is_enum && i < def->body.size() && flow == Flow::Normal; ++i) {
    flow = exec_host(def->body.subspan(i, 1), cls->scope);
    if (flow == Flow::Normal && !python::number_autos(*this, cls)) flow = Flow::Error;
  }
  if (!cls->is_enum) flow = exec_host(def->body, cls->scope);
  if (flow == Flow::Error) return Value::error();
  for (auto& b : cls->scope->bindings) {
    if (Function* f = b.value.as<Function>()) f->owner = cls;
    if (StaticMethod* s = b.value.as<StaticMethod>(); s && s->function.as<Function>())
      s->function.as<Function>()->owner = cls;
    if (ClassMethod* c = b.value.as<ClassMethod>(); c && c->function.as<Function>())
      c->function.as<Function>()->owner = cls;
    if (Property* p = b.value.as<Property>()) {
      if (Function* f = p->getter.as<Function>()) f->owner = cls;
      if (Function* f = p->setter.as<Function>()) f->owner = cls;
    }
  }
  collect_fields(*this, cls, def->body);
  end_class_body(*this, cls);
  finish_class(*this, cls);
  if (errors_.pending) return Value::error();
  if (Value end = announce_class(*this, def, cls, scope); !end.is_none()) return end;
  return apply_decorators(def->decorators, Value::object(cls), scope);
}

}  // namespace tilewright::script
