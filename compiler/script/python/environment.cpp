// The modules `os` and `sys`: what a script may ask of its surroundings, answered without looking at them. What the
// environment holds is not known, but for what the script itself puts there.
#include <algorithm>

#include "compiler/script/codes.h"
#include "compiler/script/python/support.h"
#include "compiler/script/traced/kernel.h"

namespace tilewright::script::python {
namespace {

constexpr std::string_view kSet = "<set>";  // what the script has put there

Value environ(Interpreter& in);

// Where a machine and a user are described, which is no switch of a kernel.
constexpr std::string_view kOfMachine[] = {
    "CUDA_VISIBLE_DEVICES", "HOME", "HOSTNAME", "LOCAL_RANK", "PATH", "RANK", "TMPDIR", "USER", "WORLD_SIZE"};

// The switches of the traced library and of its kernels: a script is read as where none of them is set.
bool is_switch(Interpreter& in, const Str* name) {
  if (!name) return false;
  if (name->text.starts_with("TIRX_")) return true;
  return uses_traced_library(in) && std::ranges::find(kOfMachine, name->text) == std::end(kOfMachine);
}

// What a variable holds, as far as the script has put it there.
Value variable(Interpreter& in, const Arguments& args, std::size_t first) {
  if (args.positional.size() <= first) {
    return in.fail(code::kArguments, args.call, "the name of an environment variable is needed");
  }
  Value name = args.positional[first];
  if (name.is_opaque() || name.is_poison()) return name;
  Dict* set = environ(in).as<Instance>()->find(kSet)->as<Dict>();
  if (!set) return Value::opaque("os.environ");
  if (Value* known = in.dict_find(set, name)) return *known;
  Str* text = name.as<Str>();
  return opaque_named(in, text ? "os.environ[\"" + text->text.substr(0, 40) + "\"]" : "os.environ");
}

// The same with what it is where it is not set.
Value variable_or(Interpreter& in, const Arguments& args, std::size_t first) {
  const Value v = variable(in, args, first);
  if (!v.is_opaque() || !is_switch(in, args.positional[first].as<Str>())) return v;
  for (const Keyword& k : args.keywords) {
    if (k.name == "default") return k.value;
  }
  return args.positional.size() > first + 1 ? args.positional[first + 1] : Value::none();
}

Value getenv(Interpreter& in, const Arguments& args, Value) { return variable_or(in, args, 0); }
Value environ_get(Interpreter& in, const Arguments& args, Value) { return variable_or(in, args, 1); }
Value environ_item(Interpreter& in, const Arguments& args, Value) { return variable(in, args, 1); }

Value environ_set(Interpreter& in, const Arguments& args, Value) {
  Dict* set = environ(in).as<Instance>()->find(kSet)->as<Dict>();
  if (set && args.positional.size() == 3) in.dict_set(set, args.positional[1], args.positional[2]);
  return Value::none();
}
// What it is, or what it becomes where it is not set; where that is not known, it stays so.
Value environ_set_default(Interpreter& in, const Arguments& args, Value self) {
  const Value v = variable(in, args, 1);
  if (args.positional.size() != 3 || !v.is_opaque() || !is_switch(in, args.positional[1].as<Str>())) return v;
  const Value done = environ_set(in, args, self);
  return done.is_error() ? done : args.positional[2];
}
// Changes that are not followed one by one.
Value environ_changed(Interpreter& in, const Arguments&, Value) {
  environ(in).as<Instance>()->set(kSet, Value::opaque("os.environ"));
  return Value::opaque("os.environ");
}
Value environ_contains(Interpreter& in, const Arguments& args, Value) {
  Value v = variable(in, args, 1);
  if (v.is_opaque() && is_switch(in, args.positional[1].as<Str>())) return Value::boolean(false);
  return v.is_opaque() || v.is_error() ? v : Value::boolean(true);
}
Value environ_unknown(Interpreter&, const Arguments&, Value) { return Value::opaque("os.environ"); }

Value environ(Interpreter& in) {
  in.assume();
  constexpr std::string_view kKey = "os.environ";
  if (Value* v = in.builtins().find(kKey)) return *v;
  Class* cls = make_class(in, "environ", {class_named(in, "object")});
  add_method(in, cls, "get", environ_get);
  add_method(in, cls, "setdefault", environ_set_default);
  for (std::string_view name : {"pop", "update", "clear", "__delitem__"}) {
    add_method(in, cls, name, environ_changed);
  }
  add_method(in, cls, "__getitem__", environ_item);
  add_method(in, cls, "__setitem__", environ_set);
  add_method(in, cls, "__contains__", environ_contains);
  for (std::string_view name : {"__iter__", "__len__", "copy", "keys", "values", "items"}) {
    add_method(in, cls, name, environ_unknown);
  }
  Instance* instance = in.make<Instance>();
  instance->cls = cls;
  instance->set(kSet, Value::object(in.make<Dict>()));
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
  return Value::opaque("sys.argv");
}

// torch as a script finds it where it asks whether a device is in use: none is while scripts are read.
Value not_initialised(Interpreter& in, const Arguments&, Value) {
  in.assume();
  return Value::boolean(false);
}
Value lookup_idle(Interpreter& in, Namespace& self, std::string_view name) {
  if (self.path == "torch.cuda" && name == "is_initialized") return in.native(name, not_initialised);
  if (self.path == "torch" && name == "cuda") return in.name_space("torch.cuda", lookup_idle);
  return in.attribute(python_module(in, self.path), name, {});
}

// What was imported is not followed.
Value modules_get(Interpreter& in, const Arguments& args, Value) {
  in.assume();
  Str* name = args.positional.size() > 1 ? args.positional[1].as<Str>() : nullptr;
  return name && name->text == "torch" ? in.name_space("torch", lookup_idle) : Value::opaque("sys.modules");
}
Value modules_unknown(Interpreter&, const Arguments&, Value) { return Value::opaque("sys.modules"); }
Value modules(Interpreter& in) {
  Class* made = shared_class(in, "sys.modules", [&] {
    Class* cls = make_class(in, "modules", {class_named(in, "object")});
    add_method(in, cls, "get", modules_get);
    for (std::string_view name : {"__getitem__", "__contains__", "__iter__", "__len__", "pop", "keys", "values",
                                  "items", "setdefault", "update", "__setitem__", "__delitem__"}) {
      add_method(in, cls, name, modules_unknown);
    }
    return cls;
  });
  Instance* instance = in.make<Instance>();
  instance->cls = made;
  return Value::object(instance);
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
