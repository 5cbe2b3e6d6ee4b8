// What may have changed where something that is not known is called or changed.
//
// A function that is not known may change the lists, dicts, sets and instances that it is given. A value that is not
// known may be one of several objects, each of which has other names: what is changed through it changes one of them.
// In both cases the objects become unknown. Functions of Python and of packages that are known to read only are left
// out, and so are numbers, text, tuples, frozen dataclasses, members of enumerations and functions.
#include "compiler/script/aliases.h"

#include <algorithm>

#include "compiler/script/instance_names.h"
#include "compiler/script/interpreter.h"
#include "compiler/script/worlds.h"
#include "compiler/syntax/effects.h"

namespace tilewright::script {

namespace {

// Packages whose functions change no list, dict or instance of the script, but for those named below.
constexpr std::string_view kReaders[] = {
    "argparse",  "ast",      "atexit",     "collections", "einops",     "nvtx",       "psutil",   "wandb",
    "copy",      "csv",      "ctypes",     "cuda",        "cupy",       "datetime",   "difflib",  "fnmatch",
    "functools", "glob",     "hashlib",    "inspect",     "io",         "itertools",  "jax",      "json",
    "logging",   "loguru",   "math",       "matplotlib",  "ml_dtypes",  "numpy",      "os",       "pandas",
    "pathlib",   "pickle",   "platform",   "pprint",      "pynvml",     "pytest",     "re",       "rich",
    "scipy",     "shutil",   "statistics", "string",      "struct",     "subprocess", "sys",      "tabulate",
    "tempfile",  "textwrap", "time",       "toml",        "tomli",      "tomllib",    "torch",    "tqdm",
    "traceback", "triton",   "tvm",        "typing",      "unittest",   "uuid",       "warnings", "yaml",
    "heapq",     "bisect",   "random",     "operator",    "contextlib",
};
// Their functions that do change what they are given; and methods that keep it.
constexpr std::string_view kChangers[] = {"heapify", "heappop", "heappush",    "heappushpop",  "heapreplace",
                                          "iadd",    "insort",  "insort_left", "insort_right", "setitem",
                                          "delitem", "shuffle", "copyto"};
constexpr std::string_view kKeepers[] = {"add",    "append", "appendleft", "extend",
                                         "insert", "put",    "setdefault", "update"};

// Methods of loggers, whatever package they come from.
constexpr std::string_view kLogs[] = {"debug", "info", "warning", "error", "critical", "exception"};

bool is_among(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// The package that what is not known comes from; empty: another reason.
std::string_view package_of(std::string_view reason) {
  constexpr std::string_view kModule = "the module '";
  if (!reason.starts_with(kModule) || !reason.ends_with('\'')) return {};
  reason = reason.substr(kModule.size(), reason.size() - kModule.size() - 1);
  return reason.substr(0, reason.find('.'));
}

// Does what is not known come from a package that reads only, or from Python's own surroundings?
bool is_of_reader(std::string_view reason) {
  if (reason.starts_with("os.environ")) return true;
  constexpr std::string_view kOwn[] = {
      "sys.modules", "sys.argv",       "a call outside of the script", "a traceback",  "id()", "dir()",
      "tvm",         "a class of tvm", "the launch of a kernel",       "an annotation"};
  if (is_among(kOwn, reason)) return true;
  const std::string_view package = package_of(reason);
  return !package.empty() && is_among(kReaders, package);
}

bool may_hold_changing(Value v) {
  if (v.is_opaque()) return true;
  if (!v.is_object()) return false;
  switch (v.o->type) {
    case Type::List:
    case Type::Tuple:
    case Type::Dict:
    case Type::Set:
    case Type::Iterator:
    case Type::Instance:
    case Type::Function:
    case Type::Lambda:
    case Type::BoundMethod: return true;
    case Type::Native: return v.as<Native>()->self.is_object();
    default: return false;
  }
}

// The values that it holds.
template <class F>
void for_parts(Value v, F part) {
  if (!v.is_object()) return;
  // What became unknown holds what it held.
  if (auto* list = dynamic_cast<List*>(v.o)) std::ranges::for_each(list->items, part);
  if (auto* tuple = dynamic_cast<Tuple*>(v.o)) std::ranges::for_each(tuple->items, part);
  if (auto* iterator = dynamic_cast<Iterator*>(v.o)) {
    std::ranges::for_each(iterator->items, part);
    if (iterator->source) std::ranges::for_each(iterator->source->parts(), part);
  }
  if (auto* dict = dynamic_cast<Dict*>(v.o)) {
    for (const auto& [key, value] : dict->items) part(value);
    for (Object* view : dict->views) part(Value::object(view));
  }
  if (auto* instance = dynamic_cast<Instance*>(v.o)) {
    for (const auto& [name, value] : instance->attributes) part(value);
  }
}

// Is it of a kind that is changed in place?
bool may_change(const Object* o) {
  switch (o->type) {
    case Type::List:
    case Type::Dict:
    case Type::Set:
    case Type::Iterator: return true;
    case Type::Instance: {
      const Class* cls = static_cast<const Instance*>(o)->cls;
      return !cls->is_frozen && !cls->is_enum && !cls->is_exception;
    }
    default: return false;
  }
}

// What a function that is not known is given, it may call.
std::vector<Value> callbacks_among(const Arguments& arguments) {
  std::vector<Value> given;
  for (Value v : arguments.positional) {
    if (is_callback(v)) given.push_back(v);
  }
  for (const Keyword& k : arguments.keywords) {
    if (is_callback(k.value)) given.push_back(k.value);
  }
  return given;
}

}  // namespace

bool holds_changing(Value v) {
  bool any = false;
  for_parts(v, [&](Value part) { any = any || (part.is_object() && may_hold_changing(part)); });
  return any;
}

void Interpreter::may_be(const char* why, Value v) {
  if (!may_hold_changing(v)) return;
  Aliases& known = aliases_[why];
  if (v.is_object()) {
    if (known.objects.insert(v.o).second) heap_.count(kEntryBytes);
  } else if (std::string_view(v.reason()) != why && known.reasons.insert(v.reason()).second) {
    heap_.count(kEntryBytes);
  }
}

void Interpreter::may_be_within(const char* why, Value v) {
  for_parts(v, [&](Value part) { may_be(why, part); });
}

Value one_within(Interpreter& in, Value unknown, Value container, text::Span at) {
  if (!holds_changing(container)) return unknown;
  const Value one = Value::opaque(in.depends_on(unknown, at));
  in.may_be_within(one.reason(), container);
  return one;
}

Value one_given(Interpreter& in, Value unknown, const Native* function, const Arguments& arguments) {
  constexpr std::string_view kOther[] = {"isinstance", "issubclass", "hasattr",  "len",   "bool", "int", "float",
                                         "str",        "repr",       "callable", "hash",  "abs",  "any", "all",
                                         "sum",        "range",      "print",    "index", "count"};
  const bool several = arguments.positional.size() > 1;  // a default, or one of several
  const bool changing = holds_changing(function->self) || std::ranges::any_of(arguments.positional, [&](Value v) {
                          return holds_changing(v) || (several && v.is_object() && may_hold_changing(v));
                        });
  if (is_among(kOther, function->name)) return unknown;
  for (Value v : callbacks_among(arguments)) {  // it may not have been called, or not as often as Python does
    if (!in.lose(v, unknown.reason())) return Value::error();
  }
  for (Value v : arguments.positional) {  // nor an iterator asked
    auto* it = v.is_object() ? dynamic_cast<Iterator*>(v.o) : nullptr;
    if (it && it->source && !in.lose(v, unknown.reason())) return Value::error();
  }
  if (!changing) return unknown;
  const Value one = Value::opaque(in.depends_on(unknown, arguments.call));
  in.may_be_within(one.reason(), function->self);
  for (Value v : arguments.positional) {
    in.may_be_within(one.reason(), v);
    if (several) in.may_be(one.reason(), v);
  }
  return one;
}

std::size_t Interpreter::joined_into_objects(Snapshot& state, const char* why) {
  std::vector<Value> parted;
  const std::size_t changed = state.join_into_objects(why, parted);
  for (Value v : parted) may_be(why, v);
  return changed;
}

Value Interpreter::joined_values(Value a, Value b, const char* why) {
  if (is_same(a, b)) return a;
  may_be(why, a);
  may_be(why, b);
  return Value::opaque(why);
}

bool Interpreter::has_aliases(Value unknown) const {
  if (!unknown.is_opaque()) return false;
  if (unknown.is_object()) return true;
  return aliases_.contains(unknown.reason());
}

bool Interpreter::lose(Value v, const char* why) {
  std::vector<Value> todo{v};
  std::unordered_set<Object*> met;
  std::unordered_set<std::string_view> met_reasons;
  auto look = [&](Value item) {
    if (may_hold_changing(item)) todo.push_back(item);
  };
  auto changes = [&](Object* o) {
    become_unknown(o, why);
    ++unknowns_;
    assume();
  };
  while (!todo.empty()) {
    const Value at = todo.back();
    todo.pop_back();
    if (at.is_opaque() && met_reasons.insert(at.reason()).second) {
      if (auto known = aliases_.find(at.reason()); known != aliases_.end()) {
        for (Object* o : known->second.objects) look(Value::object(o));
        for (const std::string& reason : known->second.reasons) todo.push_back(Value::opaque(reason.c_str()));
      }
    }
    if (!at.is_object() || !met.insert(at.o).second) continue;
    constexpr std::size_t kWork = 128;  // of a visit, in values that are touched
    if (!charge(kWork, at_)) return false;
    Object* o = at.o;
    const auto* instance = dynamic_cast<Instance*>(o);
    if (instance && is_of_prelude(instance->cls->scope)) continue;
    for_parts(at, look);
    if (auto* method = dynamic_cast<BoundMethod*>(o)) {
      look(method->self);
      look(method->function);
    }
    std::vector<Value> changed;
    add_changed_by(*this, at, why, changed);
    if (auto* it = dynamic_cast<Iterator*>(o); it && it->source) it->source->add_changed(*this, why, changed);
    std::ranges::for_each(changed, look);
    if (auto* native = dynamic_cast<Native*>(o)) look(native->self);
    if (auto* dict = dynamic_cast<Dict*>(o); dict && dict->owner) look(Value::object(dict->owner));
    if (may_change(o)) changes(o);
    if (instance && may_change(o)) lose_names(*this, instance, why);
  }
  return true;
}

bool lose_methods(Interpreter& in, const Instance* instance, const char* why) {
  for (const Class* c : instance->cls->mro) {
    if (!c->scope || !c->scope->parent || is_of_prelude(c->scope)) continue;
    for (const Scope::Binding& b : std::vector(c->scope->bindings))
      if (b.value.as<Function>() && !in.lose(b.value, why)) return false;
  }
  return true;
}

bool Interpreter::unknown_arguments(Value function, Value unknown, const Arguments& arguments) {
  if (!function.as<Function>() && !function.as<BoundMethod>() && !function.as<LambdaFunction>()) return true;
  const char* why = unknown.reason();
  ++acts_;
  if (!lose(function, why)) return false;
  return std::ranges::all_of(arguments.positional, [&](Value v) { return lose(v, why); }) &&
         std::ranges::all_of(arguments.keywords, [&](const Keyword& k) { return lose(k.value, why); });
}

Value unknown_result(Interpreter& in, Value function, const Arguments& arguments) {
  const std::vector<Value> callbacks = callbacks_among(arguments);
  if (!function.is_opaque() || callbacks.empty()) return function;
  const Value one = Value::opaque(in.depends_on(function, arguments.call));
  for (Value v : callbacks) in.may_be(one.reason(), v);
  return one;
}

bool Interpreter::unknown_call(Value function, std::string_view name, const Arguments& arguments) {
  const std::string_view reason = function.reason();
  const char* why = function.reason();
  const bool container = function.is_object() && !dynamic_cast<Instance*>(function.o);
  const bool reader = function.tag == Tag::Opaque && is_of_reader(reason);
  if (container || (reader && is_among(kKeepers, name))) {  // a method that keeps what it is given
    for (Value v : arguments.positional) may_be(why, v);
    return true;
  }
  if (is_among(kLogs, name)) return true;
  if (kernel_ && function.tag == Tag::Opaque && reason.starts_with("a statement that failed")) {
    fail(code::kOpaque, arguments.call, "this call is not known here: " + whence(function), remedy(function));
    return false;
  }
  const std::vector<Value> callbacks = callbacks_among(arguments);
  const auto known = function.tag == Tag::Opaque ? aliases_.find(function.reason()) : aliases_.end();
  const bool is_one = known != aliases_.end() && std::ranges::any_of(known->second.objects, [](Object* o) {
                        return is_callback(Value::object(o));
                      });
  if (kernel_ && (is_one || (!reader && !callbacks.empty()))) {
    const std::string_view adds = is_one ? "" : ", and it may call what adds to the kernel";
    fail(code::kOpaque, arguments.call, "this call is not known here" + std::string(adds) + ": " + whence(function),
         remedy(function));
    return false;
  }
  if (!callbacks.empty()) {
    ++acts_;
    const char* call = depends_on(function, arguments.call);
    if (!std::ranges::all_of(callbacks, [&](Value v) { return lose(v, call); })) return false;
  }
  if (reader && !is_among(kChangers, name)) return true;
  ++acts_;
  std::vector<Value> changed;
  if (!reader && has_aliases(function)) changed.push_back(function);
  for (Value v : arguments.positional) changed.push_back(v);
  for (const Keyword& k : arguments.keywords) changed.push_back(k.value);
  std::erase_if(changed, [](Value v) { return !may_hold_changing(v); });
  if (changed.empty()) return true;
  const char* call = depends_on(function, arguments.call);
  for (Value v : changed)
    if (const Instance* given = v.as<Instance>(); given && !lose_methods(*this, given, call)) return false;
  return std::ranges::all_of(changed, [&](Value v) { return lose(v, call); });
}

bool leaves_function(Value decorator) {
  constexpr std::string_view kPackages[] = {"pytest", "unittest", "hypothesis", "parameterized", "tvm",  "torch",
                                            "atexit", "nvtx",     "typing",     "absl",          "numba"};
  const std::string_view reason = decorator.reason();
  const bool dotted = reason.find(' ') == reason.npos;  // "pytest.mark"
  const std::string_view package = dotted ? reason.substr(0, reason.find('.')) : package_of(reason);
  return reason == "tvm" || (!package.empty() && is_among(kPackages, package));
}

Value unfollowed_call(Interpreter& in, const Function* f, const Arguments& arguments, Value self) {
  const std::string kind = f->def->is_async ? "the asynchronous function '" : "the generator function '";
  const char* why = in.keep(kind + std::string(f->def->name.text) + "'" + '\0').data();
  in.assume();
  const auto lost = [&](Value v) { return in.lose(v, why); };
  bool done = lost(self) && std::ranges::all_of(arguments.positional, lost);
  for (const Keyword& k : arguments.keywords) done = done && lost(k.value);
  for (const syntax::Name& name : syntax::effects_of(f->def->body).changed) {
    Value* v = in.find_binding(name, f->closure);
    done = done && (!v || lost(*v));
  }
  for (const syntax::Node* statement : f->def->body) {
    auto* global = syntax::as<syntax::Global>(statement);
    auto* nonlocal = syntax::as<syntax::Nonlocal>(statement);
    if (!global && !nonlocal) continue;
    for (const syntax::Name& name : global ? global->names : nonlocal->names) {
      if (Value* v = in.find_binding(name, f->closure)) *v = Value::opaque(why);
    }
  }
  return done ? Value::opaque(why) : Value::error();
}

}  // namespace tilewright::script
