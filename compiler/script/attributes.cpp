// Attribute access and subscripts.
#include <algorithm>

#include "compiler/script/aliases.h"
#include "compiler/script/body/frames.h"
#include "compiler/script/foreign.h"
#include "compiler/script/instance_names.h"
#include "compiler/script/interpreter.h"
#include "compiler/script/python/methods.h"
#include "compiler/script/python/namespaces.h"
#include "compiler/script/python/support.h"
#include "compiler/script/slices.h"
#include "compiler/script/spelling.h"
#include "compiler/script/surface.h"
#include "compiler/script/tirx/modules.h"
#include "compiler/script/tirx/tirx.h"
#include "compiler/script/worlds.h"
#include "compiler/syntax/walk.h"
#include "compiler/text/nearest.h"

namespace tilewright::script {

namespace {

Value bind(Interpreter& in, Value found, Value self, Class* owner, text::Span span) {
  if (Function* f = found.as<Function>()) {
    BoundMethod* m = in.make<BoundMethod>();
    m->function = Value::object(f);
    m->self = self;
    return Value::object(m);
  }
  if (found.as<LambdaFunction>() || (found.as<Native>() && found.as<Native>()->self.is_ellipsis())) {
    BoundMethod* m = in.make<BoundMethod>();
    m->function = found;
    m->self = self;
    return Value::object(m);
  }
  if (Instance* descriptor = found.as<Instance>(); descriptor && descriptor->cls->find("__get__")) {
    const Value args[] = {self, Value::object(owner)};
    return in.call(in.attribute(found, "__get__", span), args, span);
  }
  if (Property* p = found.as<Property>()) return in.call(p->getter, std::span<const Value>(&self, 1), span);
  if (StaticMethod* s = found.as<StaticMethod>()) return s->function;
  if (ClassMethod* c = found.as<ClassMethod>()) {
    BoundMethod* m = in.make<BoundMethod>();
    m->function = c->function;
    m->self = Value::object(owner);
    return Value::object(m);
  }
  return found;
}

// One kernel for each set of compile-time values, defaults included (surface.md 2.2).
Value specialise(Interpreter& in, const Arguments& args, Value self) {
  Jit* jit = self.as<Jit>();
  const Function* f = jit->function;
  if (!args.positional.empty()) {
    return in.fail(code::kJit, args.at(0), "specialize() takes its values by keyword", "write NAME=value");
  }
  std::vector<Value> key;
  std::size_t next_default = 0;
  for (const syntax::Parameter& p : f->def->params) {
    Value value = Value::ellipsis();
    if (p.default_value) {
      if (next_default < f->defaults.size()) value = f->defaults[next_default];
      ++next_default;
    }
    for (const Keyword& k : args.keywords) {
      if (k.name == p.name.text) value = k.value;
    }
    key.push_back(value);
  }
  for (const Keyword& k : args.keywords) {
    if (k.value.as<List>() || k.value.as<Dict>() || k.value.as<Set>()) {
      return in.fail(
          code::kJit, k.span,
          "the value of '" + std::string(k.name) + "' must be hashable, not " + std::string(type_name(k.value)),
          k.value.as<List>() ? "write a tuple" : "");
    }
  }
  auto same = [&](const std::vector<Value>& other) {
    for (std::size_t i = 0; i < key.size(); ++i) {
      if (!in.equals(key[i], other[i])) return false;
    }
    return true;
  };
  bool known = std::all_of(args.keywords.begin(), args.keywords.end(), [&](const Keyword& k) {
    return std::any_of(f->def->params.begin(), f->def->params.end(),
                       [&](const syntax::Parameter& p) { return p.name.text == k.name; });
  });
  for (auto& [cached, value] : jit->cache) {
    if (known && same(cached)) return value;
  }
  Value v = in.reuse().evaluate(jit->function, &args, jit->is_private, jit->persistent);
  if (!v.is_error() && known) jit->cache.emplace_back(std::move(key), v);
  return v;
}

// Where the surface lists what objects of a type have.
std::string_view space_of(Type type) {
  switch (type) {
    case Type::Buffer: return "buffer";
    case Type::Axis: return "axis";
    case Type::Iter: return "Iter";
    default: return "Layout";
  }
}

// May an object of the class have an attribute of this name? Not if all its classes have __slots__ and none lists it.
bool has_room_for(const Class* cls, std::string_view name) {
  if (cls->is_enum || cls->is_exception || cls->has_unknown_base) return true;
  auto lists = [](Value v, std::string_view wanted) {
    Str* text = v.as<Str>();
    const bool is_private = text && text->text.starts_with("__") && wanted.starts_with('_');  // "_A__x"
    return v.is_opaque() || (text && (text->text == wanted || (is_private && wanted.ends_with(text->text))));
  };
  for (const Class* c : cls->mro) {
    const bool of_script = c->scope && c->scope->parent;
    Scope::Binding* slots = c->scope ? c->scope->find("__slots__") : nullptr;
    if (!of_script && (c->name == "object" || python::is_marker(c))) continue;
    if (!slots) return true;
    const List* list = slots->value.as<List>();
    const Tuple* tuple = slots->value.as<Tuple>();
    const Dict* dict = slots->value.as<Dict>();
    if (dict || slots->value.as<Set>() || lists(slots->value, name) || lists(slots->value, "__dict__")) return true;
    if (!list && !tuple) continue;
    for (Value v : list ? list->items : tuple->items) {
      if (lists(v, name) || lists(v, "__dict__")) return true;
    }
  }
  return false;
}

// The same; an error is pending where it may not.
bool takes_attribute(Interpreter& in, const Class* cls, std::string_view name, text::Span span) {
  if (has_room_for(cls, name)) return true;
  in.fail(code::kAttribute, span, "'" + std::string(name) + "' is in no __slots__ of '" + cls->name + "'", {},
          "AttributeError");
  in.certainly();
  return false;
}

// The script's own __setattr__; null: there is none.
Value* setter_of(Class* cls) {
  for (Class* c : cls->mro) {
    Scope::Binding* b = c->scope && c->scope->parent ? c->scope->find("__setattr__") : nullptr;
    if (b) return &b->value;
  }
  return nullptr;
}

void consider_members(const Class* cls, Nearby& near) {
  for (const Class* c : cls->mro) {
    if (!c->scope) continue;
    for (const Scope::Binding& b : c->scope->bindings) near.consider(b.name);
  }
}

// Of `T.ptx.cp_async` ".ptx.cp_async" and the name before it; null: it begins with something else.
std::pair<std::string, const syntax::NameRef*> path_of(const syntax::Attribute* node) {
  std::string path;
  const syntax::Node* at = node;
  for (; const auto* a = syntax::as<syntax::Attribute>(at); at = a->object)
    path.insert(0, "." + std::string(a->name.text));
  return {path, syntax::as<syntax::NameRef>(at)};
}

}  // namespace

Value Interpreter::denoted(const Record& record) {
  if (auto known = denoted_.find(&record); known != denoted_.end()) return known->second;
  // It is no work of the script: its limits do not depend on who asked first.
  std::size_t bytes = heap_.bytes();
  Value v = record.make ? record.make(*this, record, Value()) : native(record.name, record.function);
  heap_.reset(bytes);
  if (!v.is_error()) denoted_.emplace(&record, v);
  return v;
}

Value Interpreter::member_of(Value object, std::string_view space, std::string_view name) {
  const Record* record = surface_->find(space, name);
  if (!record) return Value::error();
  return record->make ? record->make(*this, *record, object) : native(record->name, record->function, object);
}

// Two names in a row, `outer.name.next`, of which the second does not follow, or of which the first is not there: it
// was another name that is near, and that has the second.
void Interpreter::look_along(const syntax::Attribute* node, Scope* scope) {
  if (!errors_.pending || errors_.pending->diagnostic.code != code::kAttribute) return;
  // A name of another release, T.ptx.cp_async.commit_group, is found missing at its first part: the hint says what
  // stands for all of it.
  if (errors_.pending->diagnostic.hint.find(" is 0.") != std::string::npos) {
    auto [path, first] = path_of(node);
    Pending failed = take_pending();
    const Value root = first ? eval(first, scope) : Value::none();
    errors_.pending.reset();
    if (const Namespace* space = root.as<Namespace>(); space && space->path == "T") {
      const std::size_t dot = path.rfind('.');
      std::string advice = surface_->advice("T" + path.substr(0, dot), path.substr(dot + 1));
      if (advice.starts_with("T" + path + " is ")) failed.diagnostic.hint = std::move(advice);
    }
    errors_.pending = std::move(failed);
    return;
  }
  auto* before = syntax::as<syntax::Attribute>(node->object);
  if (!before) return;
  const text::Span at = span(before->name.at);
  const bool first_is_wrong = errors_.pending->diagnostic.span == at;
  if (first_is_wrong && !errors_.pending->refused) return;
  if (!first_is_wrong && errors_.pending->diagnostic.span != span(node->name.at)) return;
  if (!first_is_wrong && !errors_.pending->diagnostic.hint.empty()) return;
  Pending failed = take_pending();
  Value outer = eval(before->object, scope);
  errors_.pending.reset();
  if (Namespace* n = outer.as<Namespace>(); n && !n->space.empty()) {
    text::Nearest nearest(before->name.text, text::Nearest::Among::Few);
    for (const Record* r : surface_->names(n->space)) {
      if (!r->is_offered() || r->children.empty()) continue;
      const Record* next = surface_->find(r->children, node->name.text);
      if (next && next->is_offered()) nearest.consider(r->name);
    }
    if (std::string meant(nearest.found()); !meant.empty()) {
      failed.diagnostic.span = at;
      failed.diagnostic.hint = "did you mean " + std::string(n->space) + "." + meant + "?";
      failed.diagnostic.fix = fix_of_hint(failed.diagnostic.hint);
    }
  }
  errors_.pending = std::move(failed);
}

// Does the package import `from .name`, which binds the module as its attribute, too?
static bool imports_submodule(const syntax::Tree& package, std::string_view name) {
  if (!package.source()->path().ends_with("__init__.py")) return false;
  std::vector<const syntax::Node*> todo;
  for (const syntax::Tree::Statement& s : package.statements()) todo.push_back(s.node->statement);
  while (!todo.empty()) {
    const syntax::Node* node = todo.back();
    todo.pop_back();
    if (!node) continue;
    auto* import = syntax::as<syntax::ImportFrom>(node);
    if (import && import->level == 1 && import->module.substr(0, import->module.find('.')) == name) return true;
    syntax::for_children(node, [&](const syntax::Node* child) { todo.push_back(child); });
  }
  return false;
}

Value Interpreter::attribute_of_namespace(Namespace* n, std::string_view name, text::Span span) {
  if (n->scope) {
    if (auto* b = n->scope->find(name)) return b->value;
  } else if (is_set_in_module(*this, *n, name)) {
    return Value::opaque(keep(n->path + "." + std::string(name) + ", which the script sets" + '\0').data());
  } else if (n->lookup) {
    Value v = n->lookup(*this, *n, name);
    if (errors_.pending && errors_.pending->diagnostic.span == text::Span()) errors_.pending->diagnostic.span = span;
    if (!v.is_error() || errors_.pending) return v;
  }
  std::string message = "'" + n->path + "' has no attribute '" + std::string(name) + "'";
  if (n->scope) {
    const syntax::Name asked{name, syntax::hash_name(name), {}};
    if (Value v = modules_.may_be(n->scope, asked, true); !v.is_none()) return v;
    for (const Modules::Run& run : modules_.runs()) {
      if (run.scope == n->scope && imports_submodule(*run.tree, name))
        return Value::opaque("a module that is not followed");
    }
    Nearby near(name);
    for (const Scope::Binding& b : n->scope->bindings) near.consider(b.name);
    return refuse(code::kAttribute, span, std::move(message), near.hint(), "AttributeError");
  }
  if (n->space.empty() && !n->record && !is_dialect_module(n->path)) {  // a module that we know in part
    return fail(code::kAttribute, span, std::move(message), {}, "AttributeError");
  }
  if (lists_name(n->path, name) && !surface_->is_of_another_release(n->space, name))
    return Value::opaque("a module that is not followed");
  if (std::string below = surface_->below(n->space, name); !below.empty()) {
    refuse(code::kAttribute, span, std::move(message), "write " + n->path + "." + below, "AttributeError");
    offer({text::Fix::Kind::Replace, "Replace by " + below, below});
    return Value::error();
  }
  return refuse(code::kAttribute, span, std::move(message), modules_.advice_of(*n, name), "AttributeError");
}

Value Interpreter::attribute_of_instance(Instance* instance, std::string_view name, text::Span span) {
  const Value object = Value::object(instance);
  // Data descriptors of the class come before the instance's own attributes, as in Python.
  if (instance->cls->mro.size() > 64 && !charge(instance->cls->mro.size(), span)) return Value::error();
  Value* in_class = instance->cls->find(name);
  if (in_class && in_class->as<Property>() && !in_class->as<Property>()->cached) {
    return bind(*this, *in_class, object, instance->cls, span);
  }
  if (Instance* d = in_class ? in_class->as<Instance>() : nullptr;
      d && d->cls->find("__get__") && d->cls->find("__set__")) {
    return bind(*this, *in_class, object, instance->cls, span);
  }
  if (instance->attributes.size() > 64 && !charge(instance->attributes.size(), span)) return Value::error();
  if (Value* own = instance->find(name)) return *own;
  if (in_class) {
    Value v = bind(*this, *in_class, object, instance->cls, span);
    if (Property* p = in_class->as<Property>(); p && p->cached && !v.is_error())
      set_in_instance(*this, instance, name, v);
    return v;
  }
  if (name == "__class__") return Value::object(instance->cls);
  if (name == "__dict__") {
    return Value::object(names_of(*this, instance));
  }
  Value result;
  if (python_attribute(*this, object, name, &result)) return result;
  if (Value* getter = instance->cls->find("__getattr__")) {
    Value args[] = {string(name)};
    return call(bind(*this, *getter, object, instance->cls, span), args, span);
  }
  if (instance->cls->has_unknown_base) return Value::opaque("a class with an unknown base");
  std::string hint = is_of_prelude(instance->cls->scope) ? surface_->advice("T." + instance->cls->name, name) : "";
  if (hint.empty()) {
    Nearby near(name);
    for (auto& [key, value] : instance->attributes) near.consider(key);
    consider_members(instance->cls, near);
    hint = near.hint();
  }
  refuse(code::kAttribute, span, "'" + instance->cls->name + "' object has no attribute '" + std::string(name) + "'",
         std::move(hint), "AttributeError");
  errors_.pending->refused =
      errors_.pending->refused && python::is_of_scripts(instance->cls) && !name.starts_with("__");
  return Value::error();
}

Value Interpreter::attribute_of_class(Class* cls, std::string_view name, text::Span span) {
  if (cls->mro.size() > 64 && !charge(cls->mro.size(), span)) return Value::error();
  if (Value* v = cls->find(name)) {
    if (StaticMethod* s = v->as<StaticMethod>()) return s->function;
    if (v->as<ClassMethod>()) return bind(*this, *v, Value::object(cls), cls, span);
    if (Instance* d = v->as<Instance>(); d && d->cls->find("__get__")) return bind(*this, *v, Value::none(), cls, span);
    return *v;
  }
  Value result;
  if (python_attribute(*this, Value::object(cls), name, &result)) return result;
  const bool module = std::ranges::any_of(cls->scope ? cls->scope->bindings : std::vector<Scope::Binding>(),
                                          [](const Scope::Binding& b) { return b.value.as<KernelValue>(); });
  if (cls->has_unknown_base || module) return Value::opaque("a class with an unknown base");
  Nearby near(name);
  consider_members(cls, near);
  refuse(code::kAttribute, span, "class '" + cls->name + "' has no attribute '" + std::string(name) + "'", near.hint(),
         "AttributeError");
  errors_.pending->refused = errors_.pending->refused && python::is_of_scripts(cls) && !name.starts_with("__");
  return Value::error();
}

Value Interpreter::attribute_of_super(Super* s, std::string_view name, text::Span span) {
  Class* actual = s->self.as<Instance>() ? s->self.as<Instance>()->cls : s->self.as<Class>();
  bool past = false;
  if (actual && s->after) {
    for (Class* c : actual->mro) {
      if (past && c->scope) {
        if (auto* b = c->scope->find(name)) return bind(*this, b->value, s->self, actual, span);
      }
      past = past || c == s->after;
    }
  }
  if (name == "__init__")
    return native("__init__", [](Interpreter&, const Arguments&, Value) { return Value::none(); });
  if (actual && actual->has_unknown_base) return Value::opaque("a class with an unknown base");
  Class* object = python::class_named(*this, "object");  // which classes without a base do not list
  if (Value* method = object ? object->find(name) : nullptr) return bind(*this, *method, s->self, object, span);
  return fail(code::kAttribute, span, "no base class has '" + std::string(name) + "'", {}, "AttributeError");
}

Value Interpreter::attribute_of_surface(Value object, std::string_view name, text::Span span) {
  std::string_view space = space_of(object.o->type);
  Value result = member_of(object, space, name);
  if (!result.is_error() || errors_.pending) return result;
  std::string hint = surface_->advice(space, name);
  if (object.as<BufferValue>() && (hint.empty() || hint.starts_with("did you mean"))) {
    if (std::string foreign = foreign_hint(ForeignSpace::Buffer, name, dialect_); !foreign.empty())
      hint = std::move(foreign);
  }
  refuse(code::kAttribute, span,
         (object.as<BufferValue>() ? "a buffer" : std::string(type_name(object))) + " has no attribute '" +
             std::string(name) + "'",
         std::move(hint), "AttributeError");
  // What every object of the reference has is not listed.
  errors_.pending->refused = errors_.pending->refused && !errors_.pending->diagnostic.hint.empty();
  return Value::error();
}

namespace {

// False: a region has no such attribute of its own.
bool attribute_of_region(Interpreter& in, const ir::Region& r, std::string_view name, Value* result) {
  if (name == "buffer" || (name == "source" && in.dialect() >= text::Dialect::V0_27)) {
    *result = in.buffer_value(r.buffer);
  } else if (name == "region") {
    std::vector<Value> items;
    for (const ir::Range& range : r.ranges) {
      items.push_back(in.tuple({Value::expr(range.min), Value::expr(range.extent)}));
    }
    *result = in.list(std::move(items));
  } else if (name == "dtype") {
    *result = in.string(ir::dtype_name(r.buffer->dtype));
  } else {
    return false;
  }
  return true;
}

// T.attr(...).__enter__(): the attributes hold to the end of the block, wherever __exit__ is called. Error tag without
// a pending error: it has no such attribute.
Value attribute_of_frame(Interpreter& in, Value frame, std::string_view name) {
  if (frame.as<Frame>()->kind != FrameKind::Attribute) return method_of_frame(in, frame, name);
  if (!in.kernel()) return Value::error();
  if (name == "__exit__") {
    return in.native(name, [](Interpreter&, const Arguments&, Value) { return Value::boolean(false); }, frame);
  }
  if (name != "__enter__") return Value::error();
  return in.native(
      name,
      [](Interpreter& i, const Arguments& args, Value self) {
        const Frame* f = self.as<Frame>();
        if (!i.require_kernel(args.call, "a frame")) return Value::error();
        i.kernel()->attributes(i.origin(args.call), f->attributes, f->node);
        return self;
      },
      frame);
}

// The same kernel under another symbol.
Value with_attr(Interpreter& in, const Arguments& args, Value self) {
  KernelValue* kernel = self.as<KernelValue>();
  const bool traced = kernel->source && kernel->source->mode == FunctionMode::Traced;
  Str* key = args.positional.size() == 2 ? args.positional[0].as<Str>() : nullptr;
  Str* symbol = key ? args.positional[1].as<Str>() : nullptr;
  if (!traced || !symbol || key->text != "global_symbol" || symbol->text == kernel->kernel.name) return self;
  KernelValue* named = in.make<KernelValue>();
  named->kernel = kernel->kernel;
  named->kernel.name = in.keep(symbol->text);
  named->failed = kernel->failed;
  named->source = kernel->source;
  named->def_anchor = kernel->def_anchor;
  return Value::object(named);
}

Value attribute_of_kernel(Interpreter& in, Value object, std::string_view name) {
  if (name == "__name__") return in.string(object.as<KernelValue>()->kernel.name);
  if (name == "with_attr") return in.native(name, with_attr, object);
  if (name == "with_attrs") {
    return in.native(name, [](Interpreter&, const Arguments&, Value self) { return self; }, object);
  }
  if (name == "script") {
    return in.native(
        "script",
        [](Interpreter& in, const Arguments&, Value self) {
          return in.string(ir::print_script(self.as<KernelValue>()->kernel));
        },
        object);
  }
  const KernelValue* kernel = object.as<KernelValue>();
  if (kernel->source && kernel->source->mode == FunctionMode::Traced) {
    if (name == "func" || name == "mod") return object;
    if (name == "name") return in.string(kernel->kernel.name);
    if (name == "arch") return in.string(kernel->kernel.target.name());
  }
  return Value::opaque("an attribute of a kernel");
}

}  // namespace

Value Interpreter::attribute(Value object, std::string_view name, text::Span span) {
  if (MetaVar* m = object.as<MetaVar>()) object = m->value;
  if (object.is_opaque()) return may_raise(span) ? object : Value::error();
  Value result;
  switch (object.tag) {
    case Tag::Error:
    case Tag::Poison:
    case Tag::Opaque: return object;
    case Tag::Expr:
      if (expr_attribute(*this, object, name, span, &result)) return result;
      return fail(code::kAttribute, span, "a run-time expression has no attribute '" + std::string(name) + "'",
                  foreign_hint(ForeignSpace::Scalar, name, dialect_), "AttributeError");
    default: break;
  }
  switch (object.is_object() ? object.o->type : Type::Str) {
    case Type::Namespace: return attribute_of_namespace(object.as<Namespace>(), name, span);
    case Type::Instance: return attribute_of_instance(object.as<Instance>(), name, span);
    case Type::Class: return attribute_of_class(object.as<Class>(), name, span);
    case Type::Super: return attribute_of_super(object.as<Super>(), name, span);
    case Type::Buffer:
    case Type::Layout:
    case Type::LayoutSpec:
    case Type::Axis:
    case Type::Iter: return attribute_of_surface(object, name, span);
    case Type::Region:
      if (attribute_of_region(*this, object.as<RegionValue>()->region, name, &result)) return result;
      break;
    case Type::Jit:
      if (name == "specialize") return native("specialize", specialise, object);
      break;
    case Type::Frame:
      if (Value v = attribute_of_frame(*this, object, name); !v.is_error()) return v;
      break;
    case Type::Kernel: return attribute_of_kernel(*this, object, name);
    case Type::TypeAnnotation:  // as 0.26 prints the type of a pointer: T.handle("uint64", "shared").ty
      if (name == "ty" && dialect_ >= text::Dialect::V0_26) return object;
      break;
    case Type::DataType:
      if (name == "dtype" && dialect_ >= text::Dialect::V0_26)
        return string(ir::dtype_name(object.as<DataTypeValue>()->dtype));
      break;
    default: break;
  }
  if (python_attribute(*this, object, name, &result)) return result;
  const std::optional<bool> of_python = python::has_python_name(*this, object, name);
  if (of_python == true) {  // calling it may change the object
    const std::string what = std::string(type_name(object)) + "." + std::string(name) + ", which is not followed here";
    const char* why = keep(what + '\0').data();
    may_be(why, object);
    return Value::opaque(why);
  }
  fail(code::kAttribute, span, std::string(type_name(object)) + " has no attribute '" + std::string(name) + "'", {},
       "AttributeError");
  return of_python ? certainly() : Value::error();
}

static bool is_member(const Class* cls, std::string_view name) {
  const Scope::Binding* own = cls->is_enum && cls->scope ? cls->scope->find(name) : nullptr;
  const Instance* member = own ? own->value.as<Instance>() : nullptr;
  return member && member->cls == cls;
}

static bool no_assignment(Interpreter& in, std::string message, text::Span span) {
  in.fail(code::kAttribute, span, std::move(message), {}, "AttributeError");
  return !in.certainly().is_error();
}

// Does a named tuple refuse to set this name? Its own class refuses all, a class derived from it the fields.
static bool is_kept_by_tuple(Class* cls, std::string_view name) {
  Value* found = cls->find("_fields");
  Tuple* fields = found ? found->as<Tuple>() : nullptr;
  if (!fields || !cls->find("_field_defaults")) return false;
  if (cls->scope->find("_fields")) return true;
  return std::ranges::any_of(fields->items, [&](Value v) { return v.as<Str>() && v.as<Str>()->text == name; });
}

static Scope* running_module(Interpreter& in) {
  return in.modules().runs().empty() ? nullptr : in.modules().runs().back().scope;
}

// `name`: empty where it is not known. False: a limit is pending.
static bool set_in_running_module(Interpreter& in, Value object, std::string_view name, Value value) {
  Scope* names = running_module(in);
  if (names && name.empty()) return python::bind_any(in, names, object, value);
  if (names) names->set(in.keep(name), Value::opaque("sys.modules"));
  return true;
}

static void set_in_python(Interpreter& in, const Namespace& module, std::string_view name) {
  note_set_in_module(in, module, name);
  // A function of Python itself, which this module finds under its name alone.
  Scope* names = module.path == "builtins" ? running_module(in) : nullptr;
  if (names && !names->find(name)) names->set(in.keep(name), Value::opaque("a name that the script sets in builtins"));
}

bool Interpreter::set_attribute(Value object, std::string_view name, Value value, text::Span span) {
  if (object.is_opaque()) {
    may_be(object.reason(), value);
    // It may be the module that runs: setattr(sys.modules[__name__], "rows", 64).
    const bool module = std::string_view(object.reason()) == "sys.modules";
    if (module && !set_in_running_module(*this, object, name, value)) return false;
    return !has_aliases(object) || lose(object);
  }
  if (object.is_poison()) return true;
  if (Instance* instance = object.as<Instance>()) {
    if (Value* in_class = instance->cls->find(name)) {
      if (Property* p = in_class->as<Property>(); p && !p->setter.is_none()) {
        Value args[] = {object, value};
        return !call(p->setter, args, span).is_error();
      } else if (p && !p->cached) {
        return no_assignment(
            *this, "property '" + std::string(name) + "' of '" + instance->cls->name + "' has no setter", span);
      }
      if (Instance* d = in_class->as<Instance>(); d && d->cls->find("__set__")) {
        Value args[] = {object, value};
        return !call(attribute(*in_class, "__set__", span), args, span).is_error();
      }
    }
    if (Value* setter = setter_of(instance->cls)) {
      Value args[] = {string(name), value};
      return !call(bind(*this, *setter, object, instance->cls, span), args, span).is_error();
    }
    if (instance->cls->is_frozen || is_kept_by_tuple(instance->cls, name)) {
      const char* what = instance->cls->is_frozen ? "a frozen dataclass" : "a named tuple";
      return no_assignment(*this, "cannot assign to field '" + std::string(name) + "' of " + what, span);
    }
    // A meta class keeps the element of a scalar: reading it is a load, assigning it stores (surface.md 2.4).
    if (Value* old = instance->find(name); old && script_mode_) {
      const ir::Buffer* scalar = nullptr;
      if (old->is_expr()) {
        if (const auto* l = old->as_expr().as<ir::Load>(); l && ir::is_one_element(*l->buffer)) scalar = l->buffer;
      } else if (BufferValue* b = old->as<BufferValue>(); b && ir::is_one_element(*b->buffer)) {
        scalar = b->buffer;
      }
      if (scalar && can_be_expr(value)) {
        ir::Expr e = as_expr(value, stored_at(span));
        return e && emit_store(scalar, e, span);
      }
    }
    if (!takes_attribute(*this, instance->cls, name, span)) return false;
    if (instance->attributes.size() > 64 && !charge(instance->attributes.size(), span)) return false;
    set_in_instance(*this, instance, keep(name), value);
    heap_.count(64 + name.size());
    return true;
  }
  if (Class* cls = object.as<Class>()) {
    if (is_of_prelude(cls->scope)) reuse_.touch_prelude();
    heap_.count(64 + name.size());
    if (is_member(cls, name))
      return no_assignment(*this, "'" + std::string(name) + "' is a member of the enum '" + cls->name + "'", span);
    if (cls->scope) cls->scope->set(keep(name), value);
    return true;
  }
  if (Namespace* n = object.as<Namespace>()) {
    if (is_of_prelude(n->scope)) reuse_.touch_prelude();
    heap_.count(64 + name.size());
    if (n->scope) n->scope->set(keep(name), value);
    if (!n->scope) set_in_python(*this, *n, name);
    return true;
  }
  if (Function* f = object.as<Function>()) {
    if (is_of_prelude(f->closure)) reuse_.touch_prelude();
    if (f->attributes.is_none()) f->attributes = Value::object(make<Dict>());
    // Null: which attributes it has is not known, and stays so.
    if (Dict* own = f->attributes.as<Dict>()) dict_set(own, string(name), value);
    return true;
  }
  if (script_mode_) {
    fail(code::kAssignment, span,
         "cannot assign to attribute '" + std::string(name) + "' of " + std::string(type_name(object)),
         "an attribute target must denote a scalar of a meta-class instance");
    return false;
  }
  return true;  // host code around the kernel: attributes of things we do not model
}

namespace {

// What stands in the brackets, where a tuple or a list alone counts as its items: A[idx] is A[*idx].
std::span<const Value> unpacked(std::span<const Value> indices, bool single) {
  if (!single || indices.size() != 1) return indices;
  if (Tuple* t = indices[0].as<Tuple>()) return t->items;
  if (List* l = indices[0].as<List>()) return l->items;
  return indices;
}

// T.float32[M, N] as an annotation
Value array_type(Interpreter& in, const DataTypeValue& element, std::span<const Value> indices, bool single) {
  DataTypeValue* out = in.make<DataTypeValue>();
  out->dtype = element.dtype;
  out->subscripted = true;
  if (single && indices.size() == 1 && indices[0].as<Tuple>()) {
    out->shape = indices[0].as<Tuple>()->items;
  } else {
    out->shape.assign(indices.begin(), indices.end());
  }
  return Value::object(out);
}

// An item, or for a slice those that it takes.
Value element_of(Interpreter& in, const std::vector<Value>& items, bool is_list, Value index, text::Span span) {
  if (Slice* s = index.as<Slice>()) {
    auto taken = slice_range(in, *s, items.size(), span);
    if (!taken) return Value::error();
    std::vector<Value> out;
    out.reserve(static_cast<std::size_t>(taken->count));
    for (std::int64_t i = 0; i < taken->count; ++i) out.push_back(items[taken->at(i)]);
    return is_list ? in.list(std::move(out)) : in.tuple(std::move(out));
  }
  auto at = element_position(in, items.size(), index, span);
  return at ? items[*at] : Value::error();
}

// What each index of it gives; null: they give several things.
const Value* only_item(Value container) {
  List* list = container.as<List>();
  Tuple* tuple = container.as<Tuple>();
  const std::vector<Value>* items = list ? &list->items : tuple ? &tuple->items : nullptr;
  if (!items || items->empty()) return nullptr;
  const Value first = items->front();
  return std::ranges::all_of(*items, [&](Value v) { return is_same(v, first); }) ? items->data() : nullptr;
}

// The same of what has to be gone through first.
Value element_of_iterated(Interpreter& in, Value object, Value index, text::Span span) {
  auto items = in.iterate(object, span);
  if (!items) return Value::error();
  Value v = element_of(in, *items, true, index, span);
  if (!object.as<Str>() || !v.as<List>()) return v;
  std::string joined;
  for (Value part : v.as<List>()->items) joined += part.as<Str>()->text;
  return in.string(joined);
}

}  // namespace

Value Interpreter::subscript(Value object, std::span<const Value> indices, bool single, text::Span span) {
  if (MetaVar* m = object.as<MetaVar>()) object = m->value;
  if (object.is_opaque()) return may_raise(span) ? object : Value::error();
  if (object.is_poison() || object.is_error()) return object;
  if (BufferValue* b = object.as<BufferValue>()) return index_buffer(*this, b->buffer, unpacked(indices, single), span);
  if (RegionValue* r = object.as<RegionValue>()) return index_region(*this, r->region, unpacked(indices, single), span);
  if (LayoutBuilder* s = object.as<LayoutBuilder>()) {
    return layout_subscript(*this, s, unpacked(indices, single), span);
  }
  if (DataTypeValue* d = object.as<DataTypeValue>()) return array_type(*this, *d, indices, single);
  Value index = single ? indices[0] : tuple({indices.begin(), indices.end()});
  if (index.is_opaque()) {
    if (const Value* only = only_item(object)) return may_raise(span) ? *only : Value::error();
    return one_within(*this, index, object, span);
  }
  if (index.is_poison()) return index;
  if (Slice* s = index.as<Slice>()) {
    for (Value bound : {s->start, s->stop, s->step}) {
      if (bound.is_opaque()) return bound;
    }
  }
  if (object.as<Dict>()) {
    if (Value unknown = unknown_within(index); !unknown.is_none()) return unknown;
  }
  if (TypeAnnotation* t = object.as<TypeAnnotation>()) {
    TypeAnnotation* out = make<TypeAnnotation>();
    *out = *t;
    out->inner = index;
    return Value::object(out);
  }
  if (auto* view = values_view(object)) {
    const std::string made = view->has_keys ? "items()" : "values()";
    fail(code::kType, span, made + " of a dict cannot be indexed", "make a list of it: list(d." + made + ")[i]");
    return certainly();
  }
  if (List* l = object.as<List>()) return element_of(*this, l->items, true, index, span);
  if (Range* r = index.as<Slice>() ? object.as<Range>() : nullptr) {
    const auto at = slice_range(*this, *index.as<Slice>(), static_cast<std::size_t>(r->length()), span);
    if (!at) return Value::error();
    Range* out = make<Range>();
    out->start = r->start + at->start * r->step;
    out->stop = r->start + at->stop * r->step;
    out->step = r->step * at->step;
    return Value::object(out);
  }
  if (Tuple* t = object.as<Tuple>()) return element_of(*this, t->items, false, index, span);
  if (object.as<Range>() || object.as<Str>()) return element_of_iterated(*this, object, index, span);
  if (Dict* d = object.as<Dict>()) {
    if (Value* v = dict_find(d, index)) return *v;
    if (errors_.pending) return Value::error();
    return fail(code::kIndex, span, "key " + repr(index).substr(0, 80) + " is not in the dict", {}, "KeyError");
  }
  if (Class* cls = object.as<Class>()) {
    if (Value* getter = cls->find("__class_getitem__")) {
      const ClassMethod* method = getter->as<ClassMethod>();
      const Value args[] = {object, index};
      return call(method ? method->function : *getter, args, span);
    }
    Str* member = cls->is_enum ? index.as<Str>() : nullptr;
    return member ? attribute(object, member->text, span) : object;  // list[int], dict[str, int], ... in annotations
  }
  if (Namespace* n = object.as<Namespace>(); n && is_instruction(*n))
    return fail(code::kType, span, n->path + " takes words one after the other",
                "write all of them as one text, T.ptx[\"...\"]");
  if (Namespace* n = object.as<Namespace>(); n && n->space == "T.ptx" && dialect() >= text::Dialect::V0_27)
    return instruction_named(*this, index, span);
  if (object.as<Native>() || object.as<Namespace>()) return object;
  if (Instance* instance = object.as<Instance>()) {
    if (instance->cls->find("__getitem__")) {
      return call(attribute(object, "__getitem__", span), std::span<const Value>(&index, 1), span);
    }
    if (instance->cls->has_unknown_base) return Value::opaque("a class with an unknown base");
  }
  if (object.is_expr()) {
    return fail(code::kIndex, span, "an element cannot be indexed", "give all indices at once: A[i, j]");
  }
  fail(code::kType, span, std::string(type_name(object)) + " cannot be indexed");
  return is_plain(object) ? certainly() : Value::error();
}

bool Interpreter::set_subscript(Value object, std::span<const Value> indices, bool single, Value value,
                                text::Span span) {
  if (MetaVar* m = object.as<MetaVar>()) object = m->value;
  if (object.is_opaque()) {
    if (std::string_view(object.reason()) == "globals()") {
      fail(code::kOpaque, span, "which name of the module this binds is not followed here");
      return false;
    }
    may_be(object.reason(), value);
    return !has_aliases(object) || lose(object);
  }
  if (object.is_poison()) return true;
  if (BufferValue* b = object.as<BufferValue>()) {
    if (single && indices.size() == 1) {
      if (Tuple* t = indices[0].as<Tuple>()) return store_buffer(*this, b->buffer, t->items, value, span);
    }
    return store_buffer(*this, b->buffer, indices, value, span);
  }
  Value index = single ? indices[0] : tuple({indices.begin(), indices.end()});
  if (List* l = object.as<List>()) {
    Slice* slice = index.as<Slice>();
    if (slice) {
      for (Value part : {slice->start, slice->stop, slice->step, value}) {
        if (!part.is_opaque()) continue;
        become_unknown(l, part.reason());
        may_be(part.reason(), value);
        may_be_within(part.reason(), value);
        return true;
      }
    }
    if (index.is_opaque()) {  // it may be any of them
      for (Value& item : l->items) item = joined_values(item, value, index.reason());
      return true;
    }
    if (slice) return assign_slice(*this, *l, *slice, value, span);
    auto at = element_position(*this, l->items.size(), index, span);
    if (!at) return false;
    l->items[*at] = value;
    return true;
  }
  if (Dict* d = object.as<Dict>()) {
    dict_set(d, index, value);
    return !errors_.pending;
  }
  if (Instance* instance = object.as<Instance>()) {
    if (instance->cls->find("__setitem__")) {
      Value args[] = {index, value};
      return !call(attribute(object, "__setitem__", span), args, span).is_error();
    }
    if (instance->cls->has_unknown_base) return true;
  }
  fail(code::kType, span, std::string(type_name(object)) + " does not support assignment to an index");
  return false;
}

}  // namespace tilewright::script
