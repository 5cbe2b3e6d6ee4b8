// Calls and the binding of parameters.
#include <algorithm>

#include "compiler/script/aliases.h"
#include "compiler/script/arrivals.h"
#include "compiler/script/generators.h"
#include "compiler/script/interpreter.h"
#include "compiler/script/mode_guard.h"
#include "compiler/script/plain_calls.h"
#include "compiler/script/python/support.h"
#include "compiler/script/surface.h"
#include "compiler/script/tirx/tirx.h"
#include "compiler/text/nearest.h"

namespace tilewright::script {

using syntax::ParamKind;

Bound::Bound(Interpreter& in, const Arguments& args, std::string_view function,
             std::initializer_list<std::string_view> names, std::size_t required, bool extra_keywords) {
  if (names.size() > std::size(few_)) many_.resize(names.size());
  all_ = std::span(many_.empty() ? few_ : many_.data(), names.size());
  for (Argument& a : all_) a.span = args.call;
  auto name = [&](std::size_t i) { return names.begin()[i]; };
  if (args.positional.size() > names.size()) {
    in.fail(code::kArguments, args.at(names.size()),
            std::string(function) + " takes at most " + std::to_string(names.size()) + " positional arguments, " +
                std::to_string(args.positional.size()) + " are given");
    ok_ = false;
    return;
  }
  for (std::size_t i = 0; i < args.positional.size(); ++i) {
    all_[i] = {args.positional[i], args.at(i), true};
  }
  for (const Keyword& k : args.keywords) {
    std::size_t i = 0;
    while (i < names.size() && name(i) != k.name) ++i;
    if (i == names.size()) {
      if (extra_keywords) continue;
      in.unknown_keyword(function, k, {names.begin(), names.size()});
      ok_ = false;
      return;
    }
    if (all_[i].given) {
      in.fail(code::kArguments, k.span, std::string(function) + " is given '" + std::string(k.name) + "' twice");
      ok_ = false;
      return;
    }
    all_[i] = {k.value, k.span, true};
  }
  for (std::size_t i = 0; i < required; ++i) {
    if (all_[i].given) continue;
    in.fail(code::kArguments, args.call, std::string(function) + " needs the argument '" + std::string(name(i)) + "'");
    ok_ = false;
    return;
  }
  for (const Argument& a : all_) {
    if (a.value.is_poison()) {  // its cause has been reported
      in.fail({}, a.span, {});
      ok_ = false;
      return;
    }
  }
}

Value Interpreter::unknown_keyword(std::string_view function, const Keyword& k,
                                   std::span<const std::string_view> known) {
  text::Nearest nearest(k.name, text::Nearest::Among::Few);
  for (std::string_view name : known) nearest.consider(name);
  std::string meant(nearest.found());
  fail(code::kArguments, k.at_name(), std::string(function) + " has no argument '" + std::string(k.name) + "'",
       meant.empty() ? "" : "did you mean " + meant + "=?");
  if (!meant.empty() && k.name_span) offer({text::Fix::Kind::Replace, "Replace by " + meant, meant});
  return Value::error();
}

std::string_view Interpreter::written(text::Span span) const {
  if (!top_level_ || span.anchor != anchor_ || span.end > top_level_->text.size() || span.end < span.begin) return {};
  return std::string_view(top_level_->text).substr(span.begin, span.end - span.begin);
}

text::Span Interpreter::with_keyword(text::Span value, std::string_view name) const {
  const std::string_view before = written({value.anchor, 0, value.begin});
  const std::size_t equals = before.find_last_not_of(" \t");
  if (equals == before.npos || before[equals] != '=') return value;
  const std::size_t end = before.find_last_not_of(" \t", equals - 1);
  if (end == before.npos || !before.substr(0, end + 1).ends_with(name)) return value;
  return {value.anchor, static_cast<std::uint32_t>(end + 1 - name.size()), value.end};
}

Value Interpreter::call(Value function, std::span<const Value> arguments, text::Span span) {
  Arguments args;
  args.positional = arguments;
  args.call = span;
  args.function = span;
  return call(function, args);
}

Value Interpreter::call(Value function, const Arguments& arguments) {
  if (function.is_opaque()) return unknown_call(function, {}, arguments) ? function : Value::error();
  switch (function.tag) {
    case Tag::Poison:
    case Tag::Error: return function;
    case Tag::Object: break;
    default:
      fail(code::kType, arguments.function, std::string(type_name(function)) + " cannot be called");
      return is_plain(function) ? certainly() : Value::error();
  }
  if (Function* f = function.as<Function>()) return call_function(f, arguments);
  if (BoundMethod* m = function.as<BoundMethod>()) {
    if (Function* f = m->function.as<Function>()) return call_function(f, arguments, m->self);
  }
  // What calls another value in turn counts as a function of the script does.
  constexpr std::uint32_t kLevels = 2;
  if (!step(arguments.call) || !enter(kLevels, arguments.call)) return Value::error();
  Value v = call_other(function, arguments);
  leave(kLevels);
  return v;
}

Value Interpreter::call_other(Value function, const Arguments& arguments) {
  if (MetaVar* m = function.as<MetaVar>()) return call(m->value, arguments);
  if (Native* n = function.as<Native>()) {
    if (n->self.is_object() && n->self.is_opaque()) {  // a method of what is not known any more
      return unknown_call(n->self, {}, arguments) ? n->self : Value::error();
    }
    const Value v = n->function(*this, arguments, n->self);
    ++acts_;
    if (!v.is_opaque()) return v;
    if (n->name == "exec" || n->name == "eval") {  // code that is not followed, on names that it is given
      for (Value given : arguments.positional) {
        if (!lose(given, v.reason())) return Value::error();
      }
    }
    const Value one = one_given(*this, v, n, arguments);
    return may_raise(arguments.call) ? one : Value::error();
  }
  if (BoundMethod* m = function.as<BoundMethod>()) {
    std::vector<Value> values{m->self};
    values.insert(values.end(), arguments.positional.begin(), arguments.positional.end());
    Arguments with_self = arguments;
    with_self.positional = values;
    with_self.spans = {};
    if (Native* n = m->function.as<Native>()) {
      const Value v = n->function(*this, with_self, Value());
      ++acts_;
      return !v.is_opaque() || may_raise(arguments.call) ? v : Value::error();
    }
    return call(m->function, with_self);
  }
  if (LambdaFunction* l = function.as<LambdaFunction>()) {
    reuse_.note_call();
    ++acts_;
    ModeGuard guard(*this);
    ScopeGuard call(*this, l->closure, Scope::Kind::Function);
    Scope* scope = call.scope;
    if (!bind_parameters(l->def->params, l->defaults, arguments, Value(), false, scope, "the lambda"))
      return Value::error();
    guard.enter(l->kernel_mode && script_mode_, l->anchor, l->keep);
    constexpr std::uint32_t kLevels = 3;
    if (!enter(kLevels, arguments.call)) return Value::error();
    Value v = eval(l->def->body, scope);
    leave(kLevels);
    return v;
  }
  if (Class* cls = function.as<Class>()) {
    const Value v = construct(cls, arguments);
    const bool may_refuse = v.is_opaque() && cls->construct && (cls->name == "int" || cls->name == "float");
    return !may_refuse || may_raise(arguments.call) ? v : Value::error();
  }
  if (DataTypeValue* d = function.as<DataTypeValue>()) return call_dtype(*this, d, arguments);
  if (Jit* jit = function.as<Jit>()) {
    (void)jit;
    return fail(code::kJit, arguments.function, "a @T.jit function is not called: it is specialised",
                "write f.specialize(NAME=value, ...)");
  }
  if (function.as<KernelValue>()) {
    if (!kernel_) return Value::opaque("the launch of a kernel");
    return fail(code::kUnsupported, arguments.function, "a kernel cannot be called from a kernel");
  }
  if (Namespace* n = function.as<Namespace>()) {  // T.ptx.mma(...), T.ptx.mma.sp(...)
    if (is_instruction(*n)) return call_instruction(*this, *n, arguments);
    if (n->record) return call_intrinsic(*this, release_of(*this, *n), n->record->detail, arguments);
  }
  if (Instance* instance = function.as<Instance>()) {
    if (instance->cls->find("__call__")) return call(attribute(function, "__call__", arguments.function), arguments);
    if (instance->cls->has_unknown_base) {
      constexpr const char* kWhy = "a class with an unknown base";
      return lose_methods(*this, instance, kWhy) && lose(function, kWhy) ? Value::opaque(kWhy) : Value::error();
    }
  }
  if (function.as<TypeAnnotation>()) return function;
  fail(code::kType, arguments.function, std::string(type_name(function)) + " cannot be called");
  // An object of a class of the script has what is written in it.
  const Instance* instance = function.as<Instance>();
  return instance && python::is_of_scripts(instance->cls) ? certainly() : Value::error();
}

namespace {

// What a function is called with, parameter by parameter.
class ParameterBinder {
 public:
  ParameterBinder(Interpreter& in, std::span<const syntax::Parameter> params, const Arguments& arguments,
                  std::string_view name, bool has_self)
      : in_(in),
        params_(params),
        arguments_(arguments),
        name_(name),
        has_self_(has_self),
        used_(arguments.keywords.size()) {}

  // False: an error is pending.
  bool bind(const syntax::Parameter& p, const Value* default_value, Value self, Scope* into) {
    if (p.kind == ParamKind::VarArgs) {
      into->set(p.name, rest_of_positional(self));
      return true;
    }
    if (p.kind == ParamKind::VarKeywords) {
      into->set(p.name, rest_of_keywords());
      return true;
    }
    if (p.kind != ParamKind::KeywordOnly) {
      if (waits_for_self()) {
        into->set(p.name, self);
        took_self_ = true;
        return true;
      }
      if (next_ < arguments_.positional.size()) {
        into->set(p.name, arguments_.positional[next_++]);
        return true;
      }
    }
    if (const Value* given = p.kind == ParamKind::PositionalOnly ? nullptr : keyword(p.name.text)) {
      into->set(p.name, *given);
      return true;
    }
    if (default_value) {
      into->set(p.name, *default_value);
      return true;
    }
    if (unknown()) return false;  // what is missing was meant there
    in_.fail(code::kArguments, arguments_.call,
             std::string(name_) + " needs the argument '" + std::string(p.name.text) + "'");
    return false;
  }

  // Was all taken that was given? False: an error is pending.
  bool all_taken() {
    if (next_ < arguments_.positional.size()) {
      in_.fail(code::kArguments, arguments_.at(next_),
               std::string(name_) + " takes " + std::to_string(next_) + " positional arguments, " +
                   std::to_string(arguments_.positional.size()) + " are given");
      return false;
    }
    for (std::size_t i = 0; i < used_.size(); ++i) {
      if (used_[i]) continue;
      const Keyword& k = arguments_.keywords[i];
      if (!unknown())
        in_.fail(code::kArguments, k.at_name(), std::string(name_) + " is given '" + std::string(k.name) + "' twice");
      return false;
    }
    return true;
  }

 private:
  bool waits_for_self() const { return has_self_ && !took_self_; }

  Value rest_of_positional(Value self) {
    std::vector<Value> rest;
    if (waits_for_self()) {
      rest.push_back(self);
      took_self_ = true;
    }
    for (; next_ < arguments_.positional.size(); ++next_) rest.push_back(arguments_.positional[next_]);
    return in_.tuple(std::move(rest));
  }

  Value rest_of_keywords() {
    Dict* rest = in_.make<Dict>();
    for (std::size_t i = 0; i < used_.size(); ++i) {
      if (used_[i]) continue;
      used_[i] = true;
      in_.dict_set(rest, in_.string(arguments_.keywords[i].name), arguments_.keywords[i].value);
    }
    return Value::object(rest);
  }

  const Value* keyword(std::string_view name) {
    for (std::size_t i = 0; i < used_.size(); ++i) {
      if (used_[i] || arguments_.keywords[i].name != name) continue;
      used_[i] = true;
      return &arguments_.keywords[i].value;
    }
    return nullptr;
  }

  // Fails at the first keyword that no parameter takes; false: each is taken by one.
  bool unknown() {
    std::vector<std::string_view> known;
    for (const syntax::Parameter& p : params_) {
      if (p.kind == ParamKind::VarKeywords) return false;
      const bool named = p.kind == ParamKind::Positional || p.kind == ParamKind::KeywordOnly;
      if (named && !(has_self_ && &p == params_.data())) known.push_back(p.name.text);
    }
    auto is_unknown = [&](const Keyword& k) { return std::ranges::find(known, k.name) == known.end(); };
    auto found = std::ranges::find_if(arguments_.keywords, is_unknown);
    if (found == arguments_.keywords.end()) return false;
    in_.unknown_keyword(name_, *found, known);
    return true;
  }

  Interpreter& in_;
  std::span<const syntax::Parameter> params_;
  const Arguments& arguments_;
  std::string_view name_;
  bool has_self_, took_self_ = false;
  std::size_t next_ = 0;  // positional argument
  std::vector<bool> used_;
};

}  // namespace

bool Interpreter::bind_parameters(std::span<const syntax::Parameter> params, std::span<const Value> defaults,
                                  const Arguments& arguments, Value self, bool has_self, Scope* into,
                                  std::string_view name) {
  ParameterBinder binder(*this, params, arguments, name, has_self);
  std::size_t next_default = 0;
  for (const syntax::Parameter& p : params) {
    const Value* default_value = nullptr;
    if (p.default_value) {
      if (next_default < defaults.size()) default_value = &defaults[next_default];
      ++next_default;
    }
    if (!binder.bind(p, default_value, self, into)) return false;
  }
  return binder.all_taken();
}

Flow Interpreter::run_function(syntax::Stmts body, Scope* scope) {
  Arrivals here(*this, false);
  Flow flow = exec_host(body, scope);
  here.close();
  if (flow == Flow::Normal && here.any(Flow::Return)) flow = Flow::Return;  // its end returns what None is
  return here.join(Flow::Return, flow);
}

// What functools.cache or contextmanager left with a function that they made; None: it is none of theirs.
static Value made_of(const Function* f, std::string_view by) {
  Dict* own = f->attributes.as<Dict>();
  if (!own) return Value::none();
  for (const auto& [key, value] : own->items) {
    Str* name = key.as<Str>();
    if (name && name->text == by) return value;
  }
  return Value::none();
}

static Value call_with_self(Interpreter& in, Value function, const Arguments& arguments, Value self) {
  if (self.is_none()) return in.call(function, arguments);
  std::vector<Value> values{self};
  values.insert(values.end(), arguments.positional.begin(), arguments.positional.end());
  Arguments with_self = arguments;
  with_self.positional = values;
  with_self.spans = {};
  return in.call(function, with_self);
}

static Value call_cached(Interpreter& in, const Tuple& cached, const Arguments& arguments, Value self) {
  Function* f = cached.items[0].as<Function>();
  Dict* results = cached.items[1].as<Dict>();
  std::vector<Value> parts{self};
  parts.insert(parts.end(), arguments.positional.begin(), arguments.positional.end());
  for (const Keyword& k : arguments.keywords) {
    parts.push_back(in.string(k.name));
    parts.push_back(k.value);
  }
  if (!in.charge(4 * parts.size(), arguments.call)) return Value::error();
  const Value key = in.tuple(std::move(parts));
  const bool known = results && in.unknown_within(key).is_none();
  if (Value* found = known ? in.dict_find(results, key) : nullptr) return *found;
  if (in.has_pending()) return Value::error();
  const Value made = in.call_function(f, arguments, self);
  if (!made.is_error() && known && Value::object(results).as<Dict>()) in.dict_set(results, key, made);
  return in.has_pending() ? Value::error() : made;
}

PlainCalls* Interpreter::plain_calls_of(Function* f, LocalNames& own) {
  constexpr std::uint32_t kFewCalls = 16;
  if (++own.calls <= kFewCalls || kernel_ || probe_ || worlds_ > 0 || !f->closure || f->closure->parent) return nullptr;
  if (!own.plain || !own.plain->is_of(f)) own.plain = std::make_shared<PlainCalls>(f);
  return own.plain.get();
}

Value Interpreter::call_function(Function* f, const Arguments& arguments, Value self) {
  bool has_self = !self.is_none();
  reuse_.note_call();
  ++acts_;
  if (!step(arguments.call)) return Value::error();
  if (f->mode == FunctionMode::PrimFunc || f->mode == FunctionMode::Jit) {
    return fail(code::kUnsupported, arguments.call, "a kernel cannot be called here");
  }
  bool script = f->mode == FunctionMode::Inline || f->mode == FunctionMode::Macro;
  std::string_view name =
      f->owner && f->def->name.text == "__init__" ? std::string_view(f->owner->name) : f->def->name.text;
  if (script && !require_kernel(arguments.call, std::string(name) + " is inlined into a kernel: it"))
    return Value::error();
  if (f->def->is_async || (script && f->def->is_generator)) return unfollowed_call(*this, f, arguments, self);
  if (!f->attributes.is_none()) {
    const Value manager = made_of(f, python::kManaged), cached = made_of(f, python::kCached);
    if (!manager.is_none()) return call_with_self(*this, manager, arguments, self);
    if (const Tuple* parts = kernel_ ? nullptr : cached.as<Tuple>()) return call_cached(*this, *parts, arguments, self);
  }

  LocalNames* own =
      !script && f->mode == FunctionMode::Host && !is_of_prelude(f->closure) ? locals_of(f->def) : nullptr;
  std::unique_ptr<PlainKey> key;  // of a call whose result is to be kept
  PlainCalls* plain = own && !has_self ? plain_calls_of(f, *own) : nullptr;
  if (plain) {
    if (const auto known = plain->find(*this, arguments, key)) return errors_.pending ? Value::error() : *known;
  }
  const std::uint64_t assumed = errors_.assumed;
  ModeGuard guard(*this);
  ScopeGuard call(*this, f->is_hygienic || !script_scope_ ? f->closure : script_scope_, Scope::Kind::Function);
  Scope* scope = call.scope;
  auto left_by_error = [&] {
    if (!errors_.pending) return Value::error();
    errors_.pending->through.push_back(f);
    for (const syntax::Parameter& p : f->def->params) {
      Scope::Binding* b = script ? nullptr : scope->find(p.name);
      if (b && b->value.is_object()) errors_.pending->given.push_back(b->value);
    }
    return Value::error();
  };
  if (!bind_parameters(f->def->params, f->defaults, arguments, self, has_self, scope, name)) {
    // A decorator that is not known may have made another function of it.
    const bool mangled = std::ranges::any_of(arguments.keywords, [](const Keyword& k) {
      return k.name.starts_with('_') && k.name.find("__") != k.name.npos;  // a private name may be meant
    });
    const bool plain = f->def->decorators.empty() && !mangled;
    if (errors_.pending && errors_.pending->diagnostic.code == code::kArguments && plain) certainly();
    return left_by_error();
  }
  if (f->owner) scope->set("__class__", Value::object(f->owner));
  scope->locals = own;
  if (f->def->is_generator) {
    const Value generator = make_generator(*this, f, scope);
    return generator.is_none() ? unfollowed_call(*this, f, arguments, self) : generator;
  }
  const std::size_t calls = errors_.calls.size();
  const bool by_name = arguments.call == text::Span{f->anchor, f->def->name.at.begin, f->def->name.at.end};
  if (!kernel_ && arguments.call && !by_name) errors_.calls.push_back({arguments.call, name});
  if (kernel_ && arguments.call) chain_ = Arena::current().make<ir::CallSite>(arguments.call, chain_);
  guard.enter(script, f->anchor, f->keep);
  constexpr std::uint32_t kLevels = 4;  // a call takes more of the C++ stack than an expression
  if (!enter(kLevels, arguments.call)) return Value::error();
  Scope* outer_script_scope = script_scope_;
  Value outer_return = return_value_;
  return_value_ = Value::none();
  Flow flow = script ? exec_script(f->def->body, scope) : run_function(f->def->body, scope);
  Value result = return_value_;
  return_value_ = outer_return;
  script_scope_ = outer_script_scope;
  leave(kLevels);
  errors_.calls.resize(std::min(calls, errors_.calls.size()));
  if (flow == Flow::Error) return left_by_error();
  if (key && !errors_.pending && errors_.assumed == assumed) plain->keep(*this, std::move(key), arguments, result);
  return result;
}

}  // namespace tilewright::script
