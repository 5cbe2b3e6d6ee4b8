// Type hints: names that are subscripted, combined and forgotten. Most are marker classes (support.h), so that
// isinstance() with an abstract class still answers and classes may derive from Generic, Protocol, ABC, ...
#include "compiler/script/codes.h"
#include "compiler/script/python/types.h"

namespace tilewright::script::python {
namespace {

Value identity(Interpreter& in, const Arguments& args, Value) {
  return args.positional.empty() ? in.native("decorator", identity) : args.positional[0];
}

Value cast(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "cast", 2, 2)) return Value::error();
  return args.positional[1];
}

// TypeVar("T"), ParamSpec("P"): some type.
Value type_variable(Interpreter& in, const Arguments&, Value) { return typing_marker(in, "Any"); }

// NewType("Name", base): calling it gives its argument back.
Value new_type(Interpreter& in, const Arguments&, Value) { return in.native("NewType", identity); }

Value construct_plain_dict(Interpreter& in, const Arguments& args, Value self) {
  return construct_dict(in, args, self);
}

Value typed_dict(Interpreter& in) {
  return Value::object(shared_class(in, "typing.TypedDict", [&] {
    return make_class(in, "TypedDict", {class_named(in, "object")}, construct_plain_dict);
  }));
}

template <const char* const& Name>
Value builtin_class(Interpreter& in) {
  return Value::object(class_named(in, Name));
}
constexpr const char *kList = "list", *kDict = "dict", *kTuple = "tuple", *kSet = "set", *kStr = "str", *kType = "type";

constexpr Entry kNames[] = {
    {"TYPE_CHECKING", nullptr, [](Interpreter&) { return Value::boolean(false); }},
    {"List", nullptr, builtin_class<kList>},
    {"Dict", nullptr, builtin_class<kDict>},
    {"Tuple", nullptr, builtin_class<kTuple>},
    {"Set", nullptr, builtin_class<kSet>},
    {"FrozenSet", nullptr, builtin_class<kSet>},
    {"Text", nullptr, builtin_class<kStr>},
    {"Type", nullptr, builtin_class<kType>},
    {"TypedDict", nullptr, typed_dict},
    {"cast", cast},
    {"NewType", new_type},
    {"TypeVar", type_variable},
    {"ParamSpec", type_variable},
    {"TypeVarTuple", type_variable},
    {"overload", identity},
    {"final", identity},
    {"override", identity},
    {"no_type_check", identity},
    {"runtime_checkable", identity},
    {"get_type_hints", opaque_function},
    {"get_origin", opaque_function},
    {"get_args", opaque_function},
};

}  // namespace

std::span<const Entry> typing_names() { return kNames; }

Value typing_marker(Interpreter& in, std::string_view name) {
  std::string key = "typing." + std::string(name);
  if (Class* cls = class_named(in, key)) return Value::object(cls);
  Class* cls = make_marker(in, name);
  in.builtins().set(in.string(key).as<Str>()->text, Value::object(cls));  // bindings hold views
  return Value::object(cls);
}

}  // namespace tilewright::script::python
