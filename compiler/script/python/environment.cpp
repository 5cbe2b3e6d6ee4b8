// The modules `os` and `sys`: what a script may ask of its surroundings, answered without looking at them. No variable
// of the environment is set, so every tuning switch takes its default.
#include "compiler/script/codes.h"
#include "compiler/script/python/support.h"

namespace tilewright::script::python {
namespace {

// The default that comes with a question for a variable.
Value default_answer(Interpreter& in, const Arguments& args, std::size_t first) {
  if (const Keyword* k = keyword(args, "default")) return k->value;
  if (args.positional.size() <= first) {
    return in.fail(code::kArguments, args.call, "the name of an environment variable is needed");
  }
  return args.positional.size() > first + 1 ? args.positional[first + 1] : Value::none();
}

Value getenv(Interpreter& in, const Arguments& args, Value) {
  in.assume();
  return default_answer(in, args, 0);
}
Value environ_get(Interpreter& in, const Arguments& args, Value) { return default_answer(in, args, 1); }

Value environ_getitem(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "__getitem__", 2, 2)) return Value::error();
  auto name = in.as_string(args.positional[1], args.at(1), "the name of an environment variable");
  if (!name) return Value::error();
  return in.fail(code::kIndex, args.call, "the environment variable " + std::string(*name) + " is not set here",
                 "scripts are evaluated without an environment: use os.environ.get(name, default)", "KeyError");
}

Value environ_nothing(Interpreter&, const Arguments&, Value) { return Value::none(); }
Value environ_contains(Interpreter&, const Arguments&, Value) { return Value::boolean(false); }
Value environ_empty(Interpreter& in, const Arguments&, Value) { return in.list({}); }
Value environ_copy(Interpreter& in, const Arguments&, Value) { return Value::object(in.make<Dict>()); }
Value environ_len(Interpreter&, const Arguments&, Value) { return Value::integer(0); }

Value environ(Interpreter& in) {
  in.assume();
  constexpr std::string_view kKey = "os.environ";
  if (Value* v = in.builtins().find(kKey)) return *v;
  Class* cls = make_class(in, "environ", {class_named(in, "object")});
  add_method(in, cls, "get", environ_get);
  add_method(in, cls, "pop", environ_get);
  add_method(in, cls, "setdefault", environ_get);
  add_method(in, cls, "update", environ_nothing);
  add_method(in, cls, "copy", environ_copy);
  add_method(in, cls, "__getitem__", environ_getitem);
  add_method(in, cls, "__setitem__", environ_nothing);
  add_method(in, cls, "__contains__", environ_contains);
  add_method(in, cls, "__len__", environ_len);
  for (std::string_view name : {"__iter__", "keys", "values", "items"}) add_method(in, cls, name, environ_empty);
  Instance* instance = in.make<Instance>();
  instance->cls = cls;
  in.builtins().set(kKey, Value::object(instance));
  return Value::object(instance);
}

constexpr Entry kOs[] = {
    {"environ", nullptr, environ},
    {"getenv", getenv},
    {"_exit", py_exit},
    {"abort", py_exit},
    {"name", nullptr, [](Interpreter& in) { return in.string("posix"); }},
    {"sep", nullptr, [](Interpreter& in) { return in.string("/"); }},
    {"linesep", nullptr, [](Interpreter& in) { return in.string("\n"); }},
};

// What differs from one machine to the next: an answer for most, of which the script may make something else there.
Value version_info(Interpreter& in) {
  in.assume();
  return in.tuple({Value::integer(3), Value::integer(11), Value::integer(0), in.string("final"), Value::integer(0)});
}

Value version(Interpreter& in) {
  in.assume();
  return in.string("3.11.0");
}
Value platform(Interpreter& in) {
  in.assume();
  return in.string("linux");
}
Value argv(Interpreter& in) {
  in.assume();
  return in.list({in.string("script.py")});
}
Value modules(Interpreter& in) {
  in.assume();
  return Value::object(in.make<Dict>());
}

constexpr Entry kSys[] = {
    {"exit", py_exit},
    {"version_info", nullptr, version_info},
    {"version", nullptr, version},
    {"maxsize", nullptr, [](Interpreter&) { return Value::integer(INT64_MAX); }},
    {"byteorder", nullptr, [](Interpreter& in) { return in.string("little"); }},
    {"platform", nullptr, platform},
    {"argv", nullptr, argv},
    {"modules", nullptr, modules},
};

}  // namespace

Value py_exit(Interpreter& in, const Arguments& args, Value) {
  std::string said;
  if (!args.positional.empty()) {
    auto text = text_of(in, args.positional[0]);
    if (!text) return Value::error();
    said = ": " + text->substr(0, 200);
  }
  return in.fail(code::kRaised, args.call, "SystemExit" + said, {}, "SystemExit");
}

std::span<const Entry> environment_names() { return kOs; }
std::span<const Entry> sys_names() { return kSys; }

}  // namespace tilewright::script::python
