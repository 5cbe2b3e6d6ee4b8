// The modules of Python's library that scripts use and what becomes of the others: they are unknown, and so is what
// comes from them.
#include "compiler/script/codes.h"
#include "compiler/script/generators.h"
#include "compiler/script/python/identity.h"
#include "compiler/script/python/inspect.h"
#include "compiler/script/python/json.h"
#include "compiler/script/python/methods.h"
#include "compiler/script/python/more_names.h"
#include "compiler/script/python/paths.h"

namespace tilewright::script {

namespace python {
namespace {

Value nothing(Interpreter&, const Arguments&, Value) { return Value::none(); }

Value builtin_class(Interpreter& in, std::string_view name) { return Value::object(class_named(in, name)); }

// ---- contextlib -----------------------------------------------------------------------------------------------------

Value null_enter(Interpreter&, const Arguments& args, Value) {
  Instance* self = args.positional.empty() ? nullptr : args.positional[0].as<Instance>();
  Value* result = self ? self->find("enter_result") : nullptr;
  return result ? *result : Value::none();
}

Value nullcontext(Interpreter& in, const Arguments& args, Value) {
  Class* cls = shared_class(in, "contextlib.nullcontext", [&] {
    Class* made = make_class(in, "nullcontext", {class_named(in, "object")});
    add_method(in, made, "__enter__", null_enter);
    add_method(in, made, "__exit__", nothing);
    return made;
  });
  Instance* instance = in.make<Instance>();
  instance->cls = cls;
  instance->set("enter_result", args.positional.empty() ? Value::none() : args.positional[0]);
  return Value::object(instance);
}

Value suppress(Interpreter& in, const Arguments& args, Value) {
  Instance* instance = in.make<Instance>();
  instance->cls = shared_class(in, kSuppress, [&] { return make_class(in, "suppress", {class_named(in, "object")}); });
  instance->set("types", in.tuple({args.positional.begin(), args.positional.end()}));
  return Value::object(instance);
}

// with manager(): runs the generator to its `yield`, and from there on where the block is left.
Iterator* generator_of(const Arguments& args) {
  Instance* self = args.positional.empty() ? nullptr : args.positional[0].as<Instance>();
  Value* generator = self ? self->find(kGenerator) : nullptr;
  return generator ? generator->as<Iterator>() : nullptr;
}

// A generator that was given up meanwhile: what it does is not known.
Value generator_lost(const Arguments& args) {
  Instance* self = args.positional.empty() ? nullptr : args.positional[0].as<Instance>();
  Value* generator = self ? self->find(kGenerator) : nullptr;
  return generator && generator->is_opaque() ? *generator : Value::opaque("a context manager");
}

Value generator_enter(Interpreter& in, const Arguments& args, Value) {
  Iterator* generator = generator_of(args);
  if (!generator) return generator_lost(args);
  Value item;
  const Next next = in.next_of(Value::object(generator), &item, args.call);
  if (next == Next::Failed) return Value::error();
  if (next != Next::End) return item;
  return in.fail(code::kRaised, args.call, "the generator of this context manager did not yield", {}, "RuntimeError");
}

// The exception that a block is left by, of the arguments of __exit__.
Value exception_of(Interpreter& in, const Arguments& args) {
  const Value given = args.positional[2];
  if (given.as<Instance>() || given.is_opaque()) return given;
  Class* cls = args.positional[1].as<Class>();
  if (!cls) return Value::opaque("an exception that is not known");
  return Value::object(make_exception(in, cls, {given}));
}

Value generator_exit(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "__exit__", 4, 4)) return Value::error();
  Iterator* generator = generator_of(args);
  if (!generator) return generator_lost(args);
  const bool failed = !args.positional[1].is_none();
  const Value exception = failed ? exception_of(in, args) : Value();
  Value item;
  const Next next = failed ? throw_into(in, generator, exception, &item, args.call)
                           : in.next_of(Value::object(generator), &item, args.call);
  if (next == Next::End) return Value::boolean(failed);
  if (next == Next::Unknown) return item;
  if (next == Next::Item) {
    return in.fail(code::kRaised, args.call, "the generator of this context manager yields twice", {}, "RuntimeError");
  }
  if (!failed || !in.has_pending()) return Value::error();
  Pending pending = in.take_pending();
  const bool same = !pending.fatal && pending.exception.is_object() && in.is_identical(pending.exception, exception);
  if (same) return Value::boolean(false);  // it goes on as it was
  return raise_again(in, pending, args.call);
}

Value call_manager(Interpreter& in, const Arguments& args, Value self);

// @manager(...) above a function: each call of it runs within a manager of its own, made of the same arguments.
Value generator_decorates(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "a context manager", 2, 2)) return Value::error();
  Instance* self = args.positional[0].as<Instance>();
  Value* made_by = self ? self->find(kMadeBy) : nullptr;
  if (!made_by) return generator_lost(args);
  const Value wrap = in.modules().prelude_of("python/contextlib.py", "_within");
  if (wrap.is_error()) return wrap;
  return call(in, wrap, {*made_by, args.positional[1]}, args.call);
}

Value call_manager(Interpreter& in, const Arguments& args, Value self) {
  const Value generator = in.call(self, args);
  if (generator.is_error() || generator.is_poison() || generator.is_opaque() || generator.as<Instance>())
    return generator;
  if (!generator.as<Iterator>()) {
    return in.fail(code::kRaised, args.call, "what @contextmanager wraps gives no iterator: it has no yield", {},
                   "TypeError");
  }
  Instance* instance = in.make<Instance>();
  instance->cls = shared_class(in, "contextlib._GeneratorContextManager", [&] {
    Class* made = make_class(in, "_GeneratorContextManager", {class_named(in, "object")});
    add_method(in, made, "__enter__", generator_enter);
    add_method(in, made, "__exit__", generator_exit);
    add_method(in, made, "__call__", generator_decorates);
    return made;
  });
  instance->set(kGenerator, generator);
  Dict* keywords = in.make<Dict>();
  for (const Keyword& k : args.keywords) in.dict_set(keywords, in.string(k.name), k.value);
  const Value given = in.tuple({args.positional.begin(), args.positional.end()});
  instance->set(kMadeBy, in.tuple({in.native("contextmanager", call_manager, self), given, Value::object(keywords)}));
  return Value::object(instance);
}

// A function that makes such managers; of a method one that is bound as methods are.
Value contextmanager(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "contextmanager", 1, 1)) return Value::error();
  Function* f = args.positional[0].as<Function>();
  if (!f) return args.positional[0];
  Function* copy = in.make<Function>();
  *copy = *f;
  Dict* attributes = in.make<Dict>();
  copy->attributes = Value::object(attributes);
  in.dict_set(attributes, in.string(kManaged), in.native("contextmanager", call_manager, args.positional[0]));
  return Value::object(copy);
}

Value closing_exit(Interpreter& in, const Arguments& args, Value) {
  Instance* self = args.positional.empty() ? nullptr : args.positional[0].as<Instance>();
  Value* thing = self ? self->find("enter_result") : nullptr;
  if (!thing) return Value::none();
  const Value closed = call(in, in.attribute(*thing, "close", args.call), {}, args.call);
  return closed.is_error() ? closed : Value::none();
}

Value closing(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "closing", 1, 1)) return Value::error();
  Instance* instance = in.make<Instance>();
  instance->cls = shared_class(in, "contextlib.closing", [&] {
    Class* made = make_class(in, "closing", {class_named(in, "object")});
    add_method(in, made, "__enter__", null_enter);
    add_method(in, made, "__exit__", closing_exit);
    return made;
  });
  instance->set("enter_result", args.positional[0]);
  return Value::object(instance);
}

constexpr Entry kContextlib[] = {
    {"nullcontext", nullcontext}, {"suppress", suppress}, {"contextmanager", contextmanager}, {"closing", closing}};

// ---- types, abc, warnings, logging, ... -----------------------------------------------------------------------------

Value simple_namespace(Interpreter& in, const Arguments& args, Value) {
  Instance* instance = in.make<Instance>();
  instance->cls = shared_class(in, "types.SimpleNamespace",
                               [&] { return make_class(in, "SimpleNamespace", {class_named(in, "object")}); });
  for (const Keyword& k : args.keywords) instance->set(k.name, k.value);
  return Value::object(instance);
}

constexpr Entry kTypes[] = {
    {"SimpleNamespace", simple_namespace},
    {"MappingProxyType", given_back},
    {"NoneType", nullptr, [](Interpreter& in) { return Value::object(type_of(in, Value::none())); }},
};
Value abstract_method(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "abstractmethod", 1, 1)) return Value::error();
  Function* f = args.positional[0].as<Function>();
  if (!f) return args.positional[0];
  if (f->attributes.is_none()) f->attributes = Value::object(in.make<Dict>());
  if (Dict* own = f->attributes.as<Dict>()) in.dict_set(own, in.string(kAbstract), Value::boolean(true));
  return args.positional[0];
}
Value abstract_property(Interpreter& in, const Arguments& args, Value self) {
  const Value marked = abstract_method(in, args, self);
  return marked.is_error() ? marked : call(in, builtin_class(in, "property"), {marked}, args.call);
}

constexpr Entry kAbc[] = {
    {"abstractmethod", abstract_method},
    {"abstractproperty", abstract_property},
    {"abstractclassmethod", abstract_method},
    {"abstractstaticmethod", abstract_method},
    {"ABC", nullptr, [](Interpreter& in) { return typing_marker(in, "ABC"); }},
    {"ABCMeta", nullptr, [](Interpreter& in) { return typing_marker(in, "ABCMeta"); }},
};
constexpr Entry kWarnings[] = {
    {"warn", nothing}, {"filterwarnings", nothing}, {"simplefilter", nothing}, {"catch_warnings", nullcontext}};
constexpr Entry kString[] = {
    {"ascii_lowercase", nullptr, [](Interpreter& in) { return in.string("abcdefghijklmnopqrstuvwxyz"); }},
    {"ascii_uppercase", nullptr, [](Interpreter& in) { return in.string("ABCDEFGHIJKLMNOPQRSTUVWXYZ"); }},
    {"digits", nullptr, [](Interpreter& in) { return in.string("0123456789"); }},
};

// textwrap.dedent: the margin that all lines but the blank ones share is taken away, and blank lines become empty.
Value dedent(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "dedent", 1, 1)) return Value::error();
  const auto text = in.as_string(args.positional[0], args.at(0), "a text");
  if (!text || !in.charge(text->size(), args.call)) return Value::error();
  std::vector<std::string_view> lines;
  for (std::string_view rest = *text;;) {
    const std::size_t end = rest.find('\n');
    lines.push_back(rest.substr(0, end));
    if (lines.back().find_first_not_of(" \t") == rest.npos) lines.back() = {};
    if (end == rest.npos) break;
    rest.remove_prefix(end + 1);
  }
  std::optional<std::string_view> margin;
  for (std::string_view line : lines) {
    if (line.empty()) continue;
    const std::string_view indent = line.substr(0, line.find_first_not_of(" \t"));
    const auto [shared, other] = std::ranges::mismatch(margin.value_or(indent), indent);
    margin = indent.substr(0, static_cast<std::size_t>(other - indent.begin()));
  }
  std::string out;
  for (std::string_view line : lines) {
    if (line.data() != lines[0].data() || out.size()) out += '\n';
    out += line.empty() ? line : line.substr(margin->size());
  }
  return in.string(out);
}

constexpr Entry kTextwrap[] = {{"dedent", known<dedent>}};
constexpr Entry kScript[] = {{"ir_module", given_back}};

// ---- pytest: parameters of tests name entries (script.md 4) -----------------------------------------------------

// A row of a parametrize list: its values, whatever its id and marks are.
Value pytest_param(Interpreter& in, const Arguments& args, Value) {
  if (args.positional.size() == 1) return args.positional[0];
  return in.tuple({args.positional.begin(), args.positional.end()});
}

// Ends the test, as an exception would.
Value pytest_end(Interpreter& in, const Arguments& args, Value) {
  Class* cls = shared_class(in, "pytest.outcome", [&] {
    Class* made = make_class(in, kTestOutcome, {class_named(in, "Exception")});
    made->is_exception = true;
    return made;
  });
  return in.raise(Value::object(make_exception(in, cls, {args.positional.begin(), args.positional.end()})), args.call);
}

Value pytest_raises(Interpreter& in, const Arguments&, Value) {
  Instance* instance = in.make<Instance>();
  instance->cls =
      shared_class(in, kExpectedFailure, [&] { return make_class(in, "raises", {class_named(in, "object")}); });
  instance->cls->has_unknown_base = true;
  return Value::object(instance);
}

constexpr Entry kPytest[] = {{"param", pytest_param}, {"skip", pytest_end}, {"xfail", pytest_end},
                             {"fail", pytest_end},    {"exit", pytest_end}, {"raises", pytest_raises}};

// ---- modules
// ----------------------------------------------------------------------------------------------------------

using Fallback = Value (*)(Interpreter&, std::string_view);

// A name of a module that we know but do not follow.
Value unknown(Interpreter& in, std::string_view name) { return opaque_named(in, std::string(name)); }
Value absent(Interpreter&, std::string_view) { return Value::error(); }
Value nothing_named(Interpreter&, std::string_view) { return Value::none(); }

std::span<const Entry> no_names() { return {}; }
std::span<const Entry> contextlib_names() { return kContextlib; }
std::span<const Entry> types_names() { return kTypes; }
std::span<const Entry> abc_names() { return kAbc; }
std::span<const Entry> warnings_names() { return kWarnings; }
std::span<const Entry> string_names() { return kString; }
std::span<const Entry> textwrap_names() { return kTextwrap; }
std::span<const Entry> script_names() { return kScript; }
std::span<const Entry> pytest_names() { return kPytest; }

Value builtin_name(Interpreter& in, std::string_view name) {
  Value* v = in.builtins().find(name);
  return v && name.find('.') == name.npos ? *v : Value::error();
}

struct Module {
  std::string_view name;
  std::span<const Entry> (*names)();
  Fallback fallback;             // for other names; an Error tag without a pending error: there is no such name
  std::string_view script = {};  // the file of the prelude that defines more of its names
};
constexpr Module kModules[] = {
    {"math", math_names, math_function},
    {"functools", functools_names, unknown, "python/functools.py"},
    {"operator", operator_names, unknown},
    {"itertools", itertools_names, unknown, "python/itertools.py"},
    {"heapq", heapq_names, unknown},
    {"bisect", bisect_names, unknown},
    {"dataclasses", dataclasses_names, unknown},
    {"enum", enum_names, unknown},
    {"collections", collections_names, unknown, "python/collections.py"},
    {"collections.abc", no_names, typing_marker},
    {"typing", typing_names, typing_marker},
    {"typing_extensions", typing_names, typing_marker},
    {"numbers", no_names, typing_marker},
    {"abc", abc_names, unknown},
    {"copy", copy_names, absent},
    {"os", environment_names, unknown},
    {"os.path", os_path_names, unknown},
    {"sys", sys_names, unknown},
    {"inspect", inspect_names, unknown},
    {"json", json_names, unknown},
    {"types", types_names, unknown},
    {"contextlib", contextlib_names, unknown, "python/contextlib.py"},
    {"warnings", warnings_names, unknown},
    {"string", string_names, unknown},
    {"textwrap", textwrap_names, unknown},
    {"builtins", no_names, builtin_name},
    {"__future__", no_names, nothing_named},
    {"tvm.script.ir", script_names, unknown},
    {"pytest", pytest_names, unknown},
    {"numpy", numpy_names, numpy_name},
    {"torch", torch_names, torch_name},
    {"torch.cuda", torch_cuda_names, torch_cuda_name},
    {"random", random_names, random_name},
    {"ml_dtypes", no_names, ml_dtypes_name},
    {"re", re_names, unknown, "python/re.py"},
    {"argparse", no_names, unknown, "python/argparse.py"},
    {"pathlib", no_names, unknown, "python/pathlib.py"},
};

const Module* find_module(std::string_view dotted) {
  for (const Module& m : kModules) {
    if (m.name == dotted) return &m;
  }
  return nullptr;
}

Value lookup(Interpreter& in, Namespace& self, std::string_view name) {
  const Module* module = find_module(self.path);
  if (!module) return Value::error();
  if (const Entry* entry = find_entry(module->names(), name)) {
    if (entry->make) return entry->make(in);
    Value who = entry->function == opaque_function ? in.string(self.path + "." + std::string(name)) : Value::none();
    return in.native(entry->name, entry->function, who);
  }
  std::string inner = self.path + "." + std::string(name);
  if (find_module(inner)) return python_module(in, inner);
  if (!module->script.empty() && !name.starts_with("__")) {
    const Value defined = in.modules().prelude_of(std::string(module->script), name);
    if (!defined.is_error() || in.has_pending()) return defined;
  }
  if (module->fallback == unknown) return unknown(in, inner);
  return module->fallback(in, name);
}

}  // namespace

namespace {

bool is_of_shared_class(Interpreter& in, Value v, std::string_view key) {
  Value* hidden = in.builtins().find(key);
  Instance* instance = v.as<Instance>();
  return hidden && instance && Value::object(instance->cls).o == hidden->o;
}

}  // namespace

bool is_expected_failure(Interpreter& in, Value v) { return is_of_shared_class(in, v, kExpectedFailure); }
bool is_suppressing(Interpreter& in, Value v) { return is_of_shared_class(in, v, kSuppress); }

}  // namespace python

Value python_module(Interpreter& in, std::string_view dotted) {
  if (!python::find_module(dotted)) return Value::none();
  return in.name_space(std::string(dotted), python::lookup);
}

}  // namespace tilewright::script
