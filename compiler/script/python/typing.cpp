// Type hints: names that are subscripted, combined and forgotten. Most are marker classes (support.h), so that
// isinstance() with an abstract class still answers and classes may derive from Generic, Protocol, ABC, ...
#include "compiler/script/codes.h"
#include "compiler/script/python/identity.h"
#include "compiler/script/python/types.h"

namespace tilewright::script::python {
namespace {

Value cast(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "cast", 2, 2)) return Value::error();
  return args.positional[1];
}

// ParamSpec("P"), TypeVarTuple("Ts"): some type.
Value type_variable(Interpreter& in, const Arguments&, Value) { return typing_marker(in, "Any"); }

Class* type_variable_class(Interpreter& in) {
  return shared_class(in, "typing.TypeVar", [&] {
    Class* cls = make_class(in, "TypeVar", {class_named(in, "object")});
    cls->has_unknown_base = true;  // what annotations do with it is not followed
    return cls;
  });
}

// TypeVar("T"): the same; from release 0.27 of the dialect on it may be an extent of a signature, and has its name.
Value named_type_variable(Interpreter& in, const Arguments& args, Value self) {
  if (in.dialect() < text::Dialect::V0_27 || args.positional.empty() || !args.positional[0].as<Str>()) {
    return type_variable(in, args, self);
  }
  Instance* made = in.make<Instance>();
  made->cls = type_variable_class(in);
  made->set("__name__", args.positional[0]);
  bool plain = args.positional.size() == 1;
  for (const Keyword& k : args.keywords) plain = plain && k.name != "bound";
  made->set("__plain__", Value::boolean(plain));
  return Value::object(made);
}

// NewType("Name", base): calling it gives its argument back.
Value new_type(Interpreter& in, const Arguments&, Value) { return in.native("NewType", given_back); }

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

constexpr Entry kTypingNames[] = {
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
    {"TypeVar", named_type_variable},
    {"ParamSpec", type_variable},
    {"TypeVarTuple", type_variable},
    {"overload", given_back},
    {"final", given_back},
    {"override", given_back},
    {"no_type_check", given_back},
    {"runtime_checkable", given_back},
    {"get_type_hints", opaque_function},
    {"get_origin", opaque_function},
    {"get_args", opaque_function},
};

}  // namespace

std::span<const Entry> typing_names() { return kTypingNames; }

Value typing_marker(Interpreter& in, std::string_view name) {
  std::string key = "typing." + std::string(name);
  if (Class* cls = class_named(in, key)) return Value::object(cls);
  Class* cls = make_marker(in, name);
  in.builtins().set(in.string(key).as<Str>()->text, Value::object(cls));  // bindings hold views
  return Value::object(cls);
}

}  // namespace tilewright::script::python
