// The object that globals() gives: it reads and binds the names of the module.
#include "compiler/script/python/namespaces.h"

#include <algorithm>

#include "compiler/script/codes.h"
#include "compiler/script/instance_names.h"
#include "compiler/script/python/support.h"

namespace tilewright::script::python {
namespace {

// What the script defines itself or has as data; modules, what comes from them and kernels keep their names.
bool may_be_bound_again(Value v) {
  const Class* cls = v.as<Class>();
  const bool of_script = cls && cls->scope && cls->scope->parent;
  return !v.as<Namespace>() && !v.as<Native>() && !v.as<KernelValue>() && (!cls || of_script);
}

}  // namespace

bool bind_any(Interpreter& in, Scope* scope, Value unknown, Value value) {
  for (Scope::Binding& b : scope->bindings) {
    if (!may_be_bound_again(b.value)) continue;
    in.may_be(unknown.reason(), b.value);
    b.value = unknown;
  }
  in.may_be(unknown.reason(), value);
  return in.charge(4 * scope->bindings.size(), {});
}

namespace {

constexpr std::string_view kNamespaceNames = "<names>";  // the module's scope

Scope* names_of(const Arguments& args) {
  Instance* self = args.positional.empty() ? nullptr : args.positional[0].as<Instance>();
  Value* names = self ? self->find(kNamespaceNames) : nullptr;
  return names ? names->as<Scope>() : nullptr;
}

Dict* as_dict(Interpreter& in, Scope* scope) {
  Dict* dict = in.make<Dict>();
  for (const Scope::Binding& b : std::vector(scope->bindings)) in.dict_set(dict, in.string(b.name), b.value);
  return dict;
}

bool bind(Interpreter& in, Scope* scope, Value name, Value value, text::Span span) {
  if (name.is_opaque()) return bind_any(in, scope, name, value);
  auto text = in.as_string(name, span, "the name of a variable");
  if (!text || !in.reserve(2 * text->size(), span)) return false;
  scope->set(in.keep(*text), value);
  return true;
}

// The name's value; null: nothing binds it.
Value* find(Interpreter& in, Scope* scope, Value name) {
  auto text = name.as<Str>();
  Scope::Binding* b = text && in.charge_text(text->text.size(), {}) ? scope->find(text->text) : nullptr;
  return b ? &b->value : nullptr;
}

Value get_item(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "__getitem__", 2, 2)) return Value::error();
  if (args.positional[1].is_opaque()) return args.positional[1];
  if (Value* v = find(in, names_of(args), args.positional[1])) return *v;
  return in.fail(code::kIndex, args.call, "no name " + in.repr(args.positional[1]) + " is bound in the module", {},
                 "KeyError");
}
Value set_item(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "__setitem__", 3, 3)) return Value::error();
  const bool bound = bind(in, names_of(args), args.positional[1], args.positional[2], args.call);
  return bound ? Value::none() : Value::error();
}
Value delete_item(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "__delitem__", 2, 2)) return Value::error();
  Scope* scope = names_of(args);
  Str* name = args.positional[1].as<Str>();
  if (!name) return bind_any(in, scope, Value::opaque("globals()"), Value::none()) ? Value::none() : Value::error();
  return scope->erase(syntax::Name{name->text, syntax::hash_name(name->text), {}})
             ? Value::none()
             : in.fail(code::kIndex, args.call, "no name " + in.repr(args.positional[1]) + " is bound in the module",
                       {}, "KeyError");
}
Value get(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "get", 2, 3)) return Value::error();
  if (args.positional[1].is_opaque()) return args.positional[1];
  if (Value* v = find(in, names_of(args), args.positional[1])) return *v;
  return args.positional.size() == 3 ? args.positional[2] : Value::none();
}
Value set_default(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "setdefault", 2, 3)) return Value::error();
  if (Value* v = find(in, names_of(args), args.positional[1])) return *v;
  const Value given = args.positional.size() == 3 ? args.positional[2] : Value::none();
  return bind(in, names_of(args), args.positional[1], given, args.call) ? given : Value::error();
}
Value pop(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "pop", 2, 3)) return Value::error();
  const Value found = get(in, args, Value());
  Arguments name = args;
  name.positional = args.positional.first(2);
  if (found.is_error() || (args.positional.size() == 3 && !find(in, names_of(args), args.positional[1]))) return found;
  const Value done = delete_item(in, name, Value());
  return done.is_error() ? done : found;
}
Value contains(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "__contains__", 2, 2)) return Value::error();
  if (args.positional[1].is_opaque()) return args.positional[1];
  const Value* found = find(in, names_of(args), args.positional[1]);
  return found && may_be_missing(*found) ? *found : Value::boolean(found != nullptr);
}
Value update(Interpreter& in, const Arguments& args, Value) {
  Arguments rest = args;
  rest.positional = args.positional.subspan(1);
  rest.spans = {};
  for (Value v : rest.positional)
    if (v.is_opaque()) return bind_any(in, names_of(args), v, v) ? Value::none() : Value::error();
  const Value made = class_named(in, "dict")->construct(in, rest, Value::object(class_named(in, "dict")));
  if (made.is_error()) return made;
  if (made.is_opaque()) return bind_any(in, names_of(args), made, made) ? Value::none() : Value::error();
  for (const auto& [name, value] : std::vector(made.as<Dict>()->items)) {
    if (!bind(in, names_of(args), name, value, args.call)) return Value::error();
  }
  return Value::none();
}

// keys(), items(), copy() and so on of the names as they are now.
Value all_names(Interpreter& in, const Arguments& args, Value) {
  if (!in.charge(16 * names_of(args)->bindings.size(), args.call)) return Value::error();
  return Value::object(as_dict(in, names_of(args)));
}
template <const char* const& Method>
Value of_dict(Interpreter& in, const Arguments& args, Value self) {
  const Value dict = all_names(in, args, self);
  return dict.is_error() ? dict : call(in, in.attribute(dict, Method, args.call), {}, args.call);
}
constexpr const char *kKeys = "keys", *kItems = "items", *kValues = "values", *kIter = "__iter__", *kLen = "__len__";

Value names_object(Interpreter& in, Scope* module) {
  Class* cls = shared_class(in, "builtins.globals", [&] {
    Class* made = make_class(in, "dict", {class_named(in, "object")});
    constexpr Entry kMethods[] = {
        {"__getitem__", get_item},    {"__setitem__", set_item},
        {"__delitem__", delete_item}, {"get", get},
        {"setdefault", set_default},  {"pop", pop},
        {"update", update},           {"__contains__", contains},
        {"copy", all_names},          {"keys", of_dict<kKeys>},
        {"items", of_dict<kItems>},   {"values", of_dict<kValues>},
        {"__iter__", of_dict<kIter>}, {"__len__", of_dict<kLen>},
    };
    for (const Entry& e : kMethods) add_method(in, made, e.name, e.function);
    return made;
  });
  Instance* instance = in.make<Instance>();
  instance->cls = cls;
  instance->set(kNamespaceNames, Value::object(module));
  return Value::object(instance);
}

// Code that is not followed: it may bind any name of the module, and change any object that a name leads to.
Value run_code(Interpreter& in, Scope* scope, Scope* module) {
  const Value unknown = Value::opaque("exec()");
  for (Scope* s = scope; s; s = s->parent) {
    for (const Scope::Binding& b : std::vector(s->bindings)) {
      if (!in.lose(b.value, unknown.reason())) return Value::error();
    }
  }
  if (scope == module && !bind_any(in, module, unknown, Value::none())) return Value::error();
  return Value::none();
}

}  // namespace

Value call_on_names(Interpreter& in, const syntax::Call* call, Value function, Scope* scope) {
  Native* native = function.as<Native>();
  if (!native || in.kernel()) return Value::none();
  const bool vars = native->name == "vars" && native->self.is_none();
  const bool executes = native->name == "exec" && native->self.is_none();
  if (!vars && !executes && !native->self.as<Str>()) return Value::none();
  const bool globals = native->name == "globals", locals = vars || native->name == "locals";
  Scope* module = scope;
  while (module->parent) module = module->parent;
  if (module->frozen_from) return Value::none();
  const std::size_t given = call->args.size() + call->keywords.size();
  if (executes && given == 1) {
    const Value code = in.eval(call->args.empty() ? call->keywords[0].value : call->args[0], scope);
    const Value done = code.is_error() ? code : run_code(in, scope, module);
    return done.is_error() ? done : Value::opaque("exec()");
  }
  if (given != 0 || !(globals || (locals && scope == module))) return Value::none();
  return names_object(in, module);
}

}  // namespace tilewright::script::python
