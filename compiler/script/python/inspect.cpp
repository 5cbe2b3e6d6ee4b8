// The module `inspect`, as far as scripts make signatures with it: Parameter and Signature.
#include "compiler/script/python/inspect.h"

#include "compiler/script/codes.h"

namespace tilewright::script::python {
namespace {

constexpr std::string_view kKinds[] = {"POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD", "VAR_POSITIONAL", "KEYWORD_ONLY",
                                       "VAR_KEYWORD"};

Value make_parameter(Interpreter& in, const Arguments& args, Value cls) {
  Bound a(in, args, "inspect.Parameter", {"name", "kind", "default", "annotation"}, 2);
  if (!a) return Value::error();
  Instance* made = in.make<Instance>();
  made->cls = cls.as<Class>();
  const Value empty = in.attribute(cls, "empty", args.call);
  made->set("name", a[0]);
  made->set("kind", a[1]);
  made->set("default", a.given(2) ? a[2] : empty);
  made->set("annotation", a.given(3) ? a[3] : empty);
  return Value::object(made);
}

Value make_signature(Interpreter& in, const Arguments& args, Value cls) {
  Bound a(in, args, "inspect.Signature", {"parameters", "return_annotation"}, 0);
  if (!a) return Value::error();
  auto items = a.has(0) ? in.iterate(a[0], a.span(0)) : std::vector<Value>();
  if (!items) return Value::error();
  Dict* by_name = in.make<Dict>();
  for (Value item : *items) {
    Instance* parameter = item.as<Instance>();
    Value* name = parameter ? parameter->find("name") : nullptr;
    if (!name)
      return in.fail(code::kType, a.span(0), "inspect.Signature takes parameters: inspect.Parameter(name, kind)");
    in.dict_set(by_name, *name, item);
  }
  Instance* made = in.make<Instance>();
  made->cls = cls.as<Class>();
  made->set("parameters", Value::object(by_name));
  return Value::object(made);
}

Value parameter_class(Interpreter& in) {
  return Value::object(shared_class(in, "inspect.Parameter", [&] {
    Class* cls = make_class(in, "Parameter", {class_named(in, "object")}, make_parameter);
    for (std::size_t i = 0; i < std::size(kKinds); ++i) {
      cls->scope->set(kKinds[i], Value::integer(static_cast<std::int64_t>(i)));
    }
    cls->scope->set("empty", Value::object(make_class(in, "_empty", {class_named(in, "object")})));
    cls->has_unknown_base = true;  // replace() and others
    return cls;
  }));
}

Value signature_class(Interpreter& in) {
  return Value::object(shared_class(in, "inspect.Signature", [&] {
    Class* cls = make_class(in, "Signature", {class_named(in, "object")}, make_signature);
    cls->has_unknown_base = true;  // bind() and others
    return cls;
  }));
}

constexpr Entry kInspectNames[] = {{"Parameter", nullptr, parameter_class}, {"Signature", nullptr, signature_class}};

}  // namespace

std::span<const Entry> inspect_names() { return kInspectNames; }

}  // namespace tilewright::script::python
