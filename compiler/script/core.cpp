// Scopes, errors, limits and the making of values.
#include <algorithm>
#include <cmath>

#include "compiler/expr/dtype_names.h"
#include "compiler/ir/origin.h"
#include "compiler/script/habits.h"
#include "compiler/script/interpreter.h"
#include "compiler/script/memo.h"
#include "compiler/script/probe.h"
#include "compiler/script/surface.h"
#include "compiler/text/nearest.h"

namespace tilewright::script {

using syntax::Name;

// ---- scopes ---------------------------------------------------------------------------------------------------

namespace {
constexpr std::size_t kIndexFrom = 16;  // bindings from which a scope keeps an index
}

Scope::Binding* Scope::find(const Name& name) {
  if (!index.empty()) {
    auto [from, to] = index.equal_range(name.hash);
    for (auto it = from; it != to; ++it) {
      if (bindings[it->second].name == name.text) return &bindings[it->second];
    }
    return nullptr;
  }
  for (Binding& b : bindings) {
    if (b.hash == name.hash && b.name == name.text) return &b;
  }
  return nullptr;
}

Scope::Binding* Scope::find(std::string_view name) { return find(Name{name, syntax::hash_name(name), {}}); }

void Scope::set(const Name& name, Value value) {
  if (Binding* b = find(name)) {
    b->value = value;
    return;
  }
  bindings.push_back({name.hash, name.text, value});
  if (bindings.size() < kIndexFrom) return;
  if (index.empty()) {
    for (std::uint32_t i = 0; i < bindings.size(); ++i) index.emplace(bindings[i].hash, i);
  } else {
    index.emplace(name.hash, static_cast<std::uint32_t>(bindings.size() - 1));
  }
}

bool Scope::erase(const Name& name) {
  Binding* found = find(name);
  if (!found) return false;
  bindings.erase(bindings.begin() + (found - bindings.data()));
  if (index.empty()) return true;
  index.clear();
  for (std::uint32_t i = 0; i < bindings.size(); ++i) index.emplace(bindings[i].hash, i);
  return true;
}

void Scope::set(std::string_view name, Value value) { set(Name{name, syntax::hash_name(name), {}}, value); }

bool is_of_prelude(const Scope* scope) {
  while (scope && scope->parent) scope = scope->parent;
  return scope && scope->is_prelude;
}

Value* Class::find(std::string_view name) {
  for (Class* c : mro) {
    if (!c->scope) continue;
    if (auto* b = c->scope->find(name)) return &b->value;
  }
  return nullptr;
}

Value* Instance::find(std::string_view name) {
  for (auto& [key, value] : attributes) {
    if (key == name) return &value;
  }
  return nullptr;
}

void Instance::set(std::string_view name, Value value) {
  if (Value* v = find(name)) {
    *v = value;
  } else {
    attributes.emplace_back(std::string(name), value);
  }
}

// ---- interpreter ----------------------------------------------------------------------------------------------

Interpreter::Interpreter(text::Context context, text::Anchors& anchors, Loader* loader, const EvaluateOptions& options,
                         std::shared_ptr<Store> store)
    : context_(std::move(context)),
      anchors_(anchors),
      loader_(loader),
      target_(options.target),
      find_target_(options.find_target),
      dialect_(options.dialect.value_or(options.project_dialect)),
      surface_(&surface_of(dialect_)),
      probe_(options.probe),
      probed_(options.probe ? options.probe->node : nullptr),
      store_(store),
      module_store_(std::move(store)),
      memo_(options.memo),
      step_limit_(context_.limits.steps),
      memory_limit_(context_.limits.memory_bytes) {
  builtins_ = make<Scope>();
  builtins_->kind = Scope::Kind::Module;
  install_builtins();
}

Interpreter::~Interpreter() = default;

void Interpreter::install_builtins() { install_python_builtins(*this, builtins_); }

namespace {

// The calls that led here; of a deep recursion its two ends.
std::vector<text::Span> short_chain(const ir::CallSite* innermost) {
  constexpr std::size_t kInner = 12, kOuter = 4;
  std::vector<text::Span> chain = ir::call_chain(innermost);
  if (chain.size() > kInner + kOuter) chain.erase(chain.begin() + kOuter, chain.end() - kInner);
  return chain;
}

}  // namespace

Value Interpreter::fail(std::string_view code, text::Span span, std::string message, std::string hint,
                        std::string_view python_type) {
  if (pending_) return Value::error();  // the first cause is the one to report
  Pending p;
  p.type = python_type;
  p.diagnostic = {code, text::Severity::Error, std::move(message), span, {}, std::move(hint), {}};
  p.diagnostic.chain = short_chain(chain_);
  if (!kernel_) p.diagnostic.related = called_from();
  pending_ = std::move(p);
  return Value::error();
}

Value Interpreter::raise(Value exception, text::Span span) {
  std::string type = "Exception", message;
  if (Instance* instance = exception.as<Instance>()) {
    type = instance->cls->name;
    if (Value* args = instance->find("args")) {
      if (Tuple* t = args->as<Tuple>()) {
        for (Value v : t->items) message += (message.empty() ? "" : ", ") + str(v);
      }
    }
  } else if (Class* cls = exception.as<Class>()) {
    type = cls->name;
  } else if (exception.is_opaque() || exception.is_poison()) {
    type = "an exception";
  }
  fail(code::kRaised, span, message.empty() ? type : type + ": " + message, {}, "Exception");
  if (pending_) {
    pending_->exception = exception;
    pending_->type = keep(type);
  }
  return Value::error();
}

Pending Interpreter::take_pending() {
  Pending p = std::move(*pending_);
  pending_.reset();
  return p;
}

bool Interpreter::report_pending() {
  if (!pending_) return true;
  bool fatal = pending_->fatal;
  if (kernel_) kernel_->failed = true;
  // An error without a code came from a poisoned value: its cause has been reported already.
  if (!pending_->diagnostic.code.empty()) context_.report(pending_->diagnostic);
  if (!fatal) pending_.reset();
  return !fatal;
}

void Interpreter::warn(std::string_view code, text::Span span, std::string message, std::string hint,
                       text::Severity severity) {
  text::Diagnostic d{code, severity, std::move(message), span, {}, std::move(hint), {}};
  d.chain = short_chain(chain_);
  context_.report(std::move(d));
}

bool Interpreter::reserve(std::uint64_t bytes, text::Span span) {
  // The arena of a kernel and the objects of the script share one budget.
  std::uint64_t limit = memory_limit_, used = heap_.bytes() + Arena::current().bytes();
  if (used <= limit && bytes <= limit - used) return true;
  fail(code::kLimit, span,
       "the script needs more than " + std::to_string(context_.limits.memory_bytes >> 20) + " MB to evaluate",
       "look for data that grows without end, or raise the limit in tilewright.toml");
  pending_->fatal = true;
  return false;
}

Value Interpreter::weighed(Value v, text::Span span) {
  Weight w = weights_.of(v.as_expr());
  if (w.nodes <= kMaxExpressionNodes && w.depth <= kMaxExpressionDepth) return v;
  bool deep = w.depth > kMaxExpressionDepth;
  return fail(
      code::kLimit, span,
      deep ? "the expression is nested more than " + std::to_string(kMaxExpressionDepth) + " deep"
           : "the expression has more than " + std::to_string(kMaxExpressionNodes) + " parts when it is written out",
      "keep parts of it in a variable: x: T.let = ...");
}

bool Interpreter::enter(std::uint32_t levels, text::Span span) {
  depth_ += levels;
  if (depth_ <= context_.limits.depth) return true;
  depth_ -= levels;
  bool first = !pending_;
  fail(code::kLimit, span, "evaluation is nested more than " + std::to_string(context_.limits.depth) + " deep",
       "look for a recursion without an end", "RecursionError");
  if (first) pending_->unwinds = true;
  return false;
}

bool Interpreter::step(text::Span span) {
  ++steps_;
  bool small = heap_.bytes() <= memory_limit_ && kernel_nodes_ <= kMaxKernelNodes;
  if ((steps_ & 255) != 0 && steps_ < step_limit_ && small) return true;
  if (pending_) return false;
  if (kernel_nodes_ > kMaxKernelNodes) {
    fail(code::kLimit, span, "the kernel has more than " + std::to_string(kMaxKernelNodes) + " parts of expressions",
         "use loops of the kernel instead of statements made one by one");
    pending_->fatal = true;
    return false;
  }
  if (steps_ >= step_limit_) {
    fail(code::kLimit, span, "the script takes more than " + std::to_string(context_.limits.steps) + " steps",
         "look for a loop that does not end, or raise the limit in tilewright.toml");
    pending_->fatal = true;
    return false;
  }
  if (!reserve(0, span)) return false;
  if (context_.stop.stop_requested()) {
    fail(code::kCancelled, span, "evaluation was cancelled");
    pending_->fatal = true;
    return false;
  }
  return true;
}

// ---- making values --------------------------------------------------------------------------------------------

Value Interpreter::string(std::string_view text) {
  Str* s = make<Str>();
  s->text = text;
  heap_.count(text.size());
  return Value::object(s);
}

Value Interpreter::list(std::vector<Value> items) {
  List* l = make<List>();
  heap_.count(items.size() * sizeof(Value));
  l->items = std::move(items);
  return Value::object(l);
}

Value Interpreter::tuple(std::vector<Value> items) {
  Tuple* t = make<Tuple>();
  heap_.count(items.size() * sizeof(Value));
  t->items = std::move(items);
  return Value::object(t);
}

Value Interpreter::big(__int128 value) {
  if (value >= INT64_MIN && value <= INT64_MAX) return Value::integer(static_cast<std::int64_t>(value));
  BigInt* b = make<BigInt>();
  b->value = value;
  return Value::object(b);
}

Value Interpreter::native(std::string_view name, NativeFunction function, Value self) {
  Native* n = make<Native>();
  n->name = name;
  n->function = function;
  n->self = self;
  return Value::object(n);
}

Value Interpreter::name_space(std::string path, Value (*lookup)(Interpreter&, Namespace&, std::string_view)) {
  Namespace* n = make<Namespace>();
  n->path = std::move(path);
  n->lookup = lookup;
  return Value::object(n);
}

Value Interpreter::buffer_value(const ir::Buffer* buffer) {
  BufferValue* b = make<BufferValue>();
  b->buffer = buffer;
  return Value::object(b);
}

Value Interpreter::layout_value(layout::Layout layout) {
  store_->layouts.push_back(std::move(layout));
  heap_.count(sizeof(layout::Layout) + 256);
  LayoutValue* l = make<LayoutValue>();
  l->layout = &store_->layouts.back();
  l->in_kernel = store_ != module_store_;
  return Value::object(l);
}

std::string_view Interpreter::keep(std::string_view text) { return Arena::current().copy(text); }

void Interpreter::dict_set(Dict* dict, Value key, Value value) {
  if (key.is_opaque() || key.is_poison()) return;  // nobody could ever look it up
  if (Value* v = dict_find(dict, key)) {
    *v = value;
    return;
  }
  dict->items.emplace_back(key, value);
  heap_.count(2 * sizeof(Value));
  if (dict->items.size() <= 8) return;
  if (dict->index.size() + 1 == dict->items.size()) {
    dict->index.emplace(hash(key), dict->items.size() - 1);
    return;
  }
  dict->index.clear();  // first time, or after a removal
  for (std::size_t i = 0; i < dict->items.size(); ++i) dict->index.emplace(hash(dict->items[i].first), i);
}

Value* Interpreter::dict_find(Dict* dict, Value key) {
  if (key.is_opaque() || key.is_poison()) return nullptr;
  if (dict->items.size() > 8 && dict->index.size() == dict->items.size()) {
    auto [from, to] = dict->index.equal_range(hash(key));
    for (auto it = from; it != to; ++it, ++steps_) {  // colliding keys cost steps, or a script could stall here
      if (equals(dict->items[it->second].first, key)) return &dict->items[it->second].second;
    }
    return nullptr;
  }
  steps_ += dict->items.size() / 8;
  for (auto& [k, v] : dict->items) {
    if (equals(k, key)) return &v;
  }
  return nullptr;
}

// ---- conversions ----------------------------------------------------------------------------------------------

std::optional<__int128> Interpreter::as_big(Value v) {
  if (v.is_int()) return v.i;
  if (v.is_bool()) return v.b ? 1 : 0;
  if (BigInt* b = v.as<BigInt>()) return b->value;
  if (Instance* instance = v.as<Instance>(); instance && instance->cls->is_int_enum) {
    if (Value* inner = instance->find("value")) return as_big(*inner);
  }
  return std::nullopt;
}

std::optional<double> Interpreter::as_number(Value v) {
  if (v.is_float()) return v.f;
  if (auto i = as_big(v)) return static_cast<double>(*i);
  return std::nullopt;
}

std::optional<std::int64_t> Interpreter::as_int(Value v, text::Span span, std::string_view what) {
  if (auto i = as_big(v); i && *i >= INT64_MIN && *i <= INT64_MAX) return static_cast<std::int64_t>(*i);
  if (v.is_expr()) {
    if (const std::int64_t* c = ir::constant(v.as_expr())) return *c;
  }
  if (MetaVar* m = v.as<MetaVar>()) return as_int(m->value, span, what);
  if (v.is_opaque()) {
    fail(code::kOpaque, span, std::string(what) + " is not known here: it comes from " + v.why,
         "give the value in the script, or name an entry with known arguments");
  } else if (v.is_poison()) {
    fail({}, span, {});
  } else if (!v.is_error()) {
    fail(code::kType, span, std::string(what) + " must be an integer constant, not " + std::string(type_name(v)));
  }
  return std::nullopt;
}

std::optional<std::string_view> Interpreter::as_string(Value v, text::Span span, std::string_view what) {
  if (Str* s = v.as<Str>()) return s->text;
  if (v.is_expr()) {
    if (const auto* imm = v.as_expr().as<ir::StringImm>()) return imm->value;
  }
  if (DataTypeValue* d = v.as<DataTypeValue>()) return keep(ir::dtype_name(d->dtype));
  if (Instance* instance = v.as<Instance>(); instance && instance->cls->is_enum) {
    if (Value* inner = instance->find("value")) return as_string(*inner, span, what);
  }
  if (v.is_opaque()) {
    fail(code::kOpaque, span, std::string(what) + " is not known here: it comes from " + v.why);
  } else if (v.is_poison()) {
    fail({}, span, {});
  } else if (!v.is_error()) {
    fail(code::kType, span, std::string(what) + " must be a string, not " + std::string(type_name(v)));
  }
  return std::nullopt;
}

bool Interpreter::can_be_expr(Value v) {
  switch (v.tag) {
    case Tag::Bool:
    case Tag::Int:
    case Tag::Float:
    case Tag::Expr: return true;
    case Tag::Object: break;
    default: return false;
  }
  if (v.as<BigInt>()) return true;
  if (BufferValue* b = v.as<BufferValue>()) return ir::is_one_element(*b->buffer);
  if (MetaVar* m = v.as<MetaVar>()) return can_be_expr(m->value);
  if (Instance* instance = v.as<Instance>()) return instance->cls->is_int_enum;
  return false;
}

ir::Expr Interpreter::as_expr(Value v, text::Span span, std::string_view what) {
  switch (v.tag) {
    case Tag::Bool: return ir::bool_imm(v.b);
    case Tag::Int: return ir::literal(v.i);
    case Tag::Float: return ir::literal(v.f);
    case Tag::Expr: return v.as_expr();
    case Tag::Opaque:
      fail(code::kOpaque, span, std::string(what) + " is not known here: it comes from " + v.why,
           "give the value in the script, or name an entry with known arguments");
      return {};
    case Tag::Error: return {};
    case Tag::Poison:  // its cause has been reported; stop silently
      fail({}, span, {});
      return {};
    default: break;
  }
  if (BigInt* b = v.as<BigInt>()) {
    if (b->value >= 0 && b->value <= static_cast<__int128>(UINT64_MAX)) {
      return ir::int_imm(ir::kUInt64, static_cast<std::int64_t>(static_cast<std::uint64_t>(b->value)));
    }
    fail(code::kValue, span, "the integer does not fit 64 bits", {}, "OverflowError");
    return {};
  }
  if (BufferValue* b = v.as<BufferValue>()) {
    if (ir::is_one_element(*b->buffer)) {
      ir::Expr index = ir::int_imm(ir::kInt32, 0);
      return ir::load(b->buffer, {&index, 1});
    }
    fail(code::kType, span,
         std::string(what) + " must be a scalar; this is the whole buffer " + std::string(b->buffer->name),
         "index it: " + std::string(b->buffer->name) + "[...]");
    return {};
  }
  if (MetaVar* m = v.as<MetaVar>()) return as_expr(m->value, span, what);
  if (Instance* instance = v.as<Instance>(); instance && instance->cls->is_int_enum) {
    if (Value* inner = instance->find("value")) return as_expr(*inner, span, what);
  }
  if (RegionValue* r = v.as<RegionValue>()) {
    fail(code::kRegion, span,
         std::string(what) + " must be a scalar; this is a region of " + std::string(r->region.buffer->name),
         "give one index a dimension, or use T.ramp or .vload for a vector");
    return {};
  }
  fail(code::kType, span, std::string(what) + " must be a number or an expression, not " + std::string(type_name(v)));
  return {};
}

std::optional<ir::DataType> Interpreter::as_dtype(Value v, text::Span span) {
  if (DataTypeValue* d = v.as<DataTypeValue>()) return d->dtype;
  if (v.is_poison()) {
    fail({}, span, {});
    return std::nullopt;
  }
  auto text = as_string(v, span, "a dtype");
  if (!text) return std::nullopt;
  if (auto d = ir::parse_dtype(*text)) return d;
  text::Nearest nearest(*text, text::Nearest::Among::Few);
  for (std::string_view name : ir::dtype_names()) nearest.consider(name);
  std::string meant(dtype_known_as(*text));
  if (meant.empty()) meant = nearest.found();
  fail(code::kType, span, "unknown dtype \"" + std::string(*text) + "\"",
       meant.empty() ? "for example float16, bfloat16, int32, uint8x16" : "did you mean \"" + meant + "\"?");
  if (!meant.empty()) offer({text::Fix::Kind::Replace, "Replace by " + meant, "\"" + meant + "\""});
  return std::nullopt;
}

std::optional<std::vector<ir::Expr>> Interpreter::as_extents(Value v, text::Span span, std::string_view what) {
  std::vector<ir::Expr> extents;
  if (v.as<List>() || v.as<Tuple>() || v.as<Iterator>() || v.as<Range>()) {
    auto items = iterate(v, span);
    if (!items) return std::nullopt;
    for (Value item : *items) {
      ir::Expr e = as_expr(item, span, what);
      if (!e) return std::nullopt;
      extents.push_back(e);
    }
  } else {
    ir::Expr e = as_expr(v, span, what);
    if (!e) return std::nullopt;
    extents.push_back(e);
  }
  for (ir::Expr e : extents) {
    if (!e.dtype().is_integral()) {
      fail(code::kType, span, std::string(what) + " must be integers, not " + ir::dtype_name(e.dtype()));
      return std::nullopt;
    }
  }
  return extents;
}

std::optional<ir::Region> Interpreter::as_region(Value v, text::Span span) {
  if (RegionValue* r = v.as<RegionValue>()) return r->region;
  if (BufferValue* b = v.as<BufferValue>()) return ir::full_region(b->buffer);
  if (v.is_expr()) {  // A[i, j] with every index given is a one-element region
    if (const auto* l = v.as_expr().as<ir::Load>()) {
      std::vector<ir::Range> ranges;
      for (ir::Expr index : l->indices) ranges.push_back({index, ir::int_imm(ir::kInt32, 1)});
      return ir::Region{l->buffer, Arena::current().copy(ranges)};
    }
  }
  if (v.is_poison()) {
    fail({}, span, {});
  } else if (v.is_opaque()) {
    fail(code::kOpaque, span, std::string("this operand is not known here: it comes from ") + v.why);
  } else if (!v.is_error()) {
    fail(code::kRegion, span, "a tile is needed here, not " + std::string(type_name(v)),
         "pass a buffer or a slice of one, such as A[0:32, 0:32]");
  }
  return std::nullopt;
}

std::optional<ir::Operand> Interpreter::as_operand(Value v, text::Span span) {
  ir::Operand operand;
  operand.span = span;
  if (v.as<RegionValue>() || v.as<BufferValue>()) {
    operand.region = *as_region(v, span);
    return operand;
  }
  if (v.is_expr()) {
    if (const auto* l = v.as_expr().as<ir::Load>(); l && !l->buffer->is_scalar) {
      operand.region = *as_region(v, span);
      return operand;
    }
  }
  if (Str* s = v.as<Str>()) {
    operand.value = ir::string_imm(keep(s->text));
    return operand;
  }
  if (v.is_none()) return operand;
  ir::Expr e = as_expr(v, span, "this operand");
  if (!e) return std::nullopt;
  operand.value = e;
  return operand;
}

std::optional<layout::Dim> Interpreter::as_dim(Value v, text::Span span, std::string_view what) {
  if (auto i = as_big(v); i && *i >= INT64_MIN && *i <= INT64_MAX) return layout::Dim(static_cast<std::int64_t>(*i));
  ir::Expr e = as_expr(v, span, what);
  if (!e) return std::nullopt;
  if (!e.dtype().is_integral()) {
    fail(code::kType, span, std::string(what) + " must be an integer, not " + ir::dtype_name(e.dtype()));
    return std::nullopt;
  }
  return layout::Dim(e);
}

std::optional<layout::Shape> Interpreter::as_shape(Value v, text::Span span, std::string_view what) {
  layout::Shape shape;
  if (!v.as<List>() && !v.as<Tuple>()) {
    auto d = as_dim(v, span, what);
    if (!d) return std::nullopt;
    shape.push_back(*d);
    return shape;
  }
  auto items = iterate(v, span);
  if (!items) return std::nullopt;
  for (Value item : *items) {
    auto d = as_dim(item, span, what);
    if (!d) return std::nullopt;
    shape.push_back(*d);
  }
  return shape;
}

std::optional<layout::Layout> Interpreter::as_layout(Value v, text::Span span) {
  if (LayoutValue* l = v.as<LayoutValue>()) return *l->layout;
  if (v.is_poison()) {
    fail({}, span, {});
  } else if (v.is_opaque()) {
    fail(code::kOpaque, span, std::string("this layout is not known here: it comes from ") + v.why);
  } else if (LayoutSpec* s = v.as<LayoutSpec>()) {
    return layout::Layout{std::nullopt, s->tile};
  } else if (!v.is_error()) {
    fail(code::kLayout, span, "a layout is needed here, not " + std::string(type_name(v)));
  }
  return std::nullopt;
}

std::string_view type_name(Value v) {
  switch (v.tag) {
    case Tag::Error:
    case Tag::Poison: return "a value with an error";
    case Tag::Opaque: return "an unknown value";
    case Tag::None: return "None";
    case Tag::Ellipsis: return "ellipsis";
    case Tag::NotImplemented: return "NotImplemented";
    case Tag::Bool: return "bool";
    case Tag::Int: return "int";
    case Tag::Float: return "float";
    case Tag::Expr: return "a run-time expression";
    case Tag::Object: break;
  }
  switch (v.o->type) {
    case Type::Str: return "str";
    case Type::BigInt: return "int";
    case Type::List: return "list";
    case Type::Tuple: return "tuple";
    case Type::Dict: return "dict";
    case Type::Set: return "set";
    case Type::Range: return "range";
    case Type::Slice: return "slice";
    case Type::Iterator: return "an iterator";
    case Type::Function:
    case Type::Lambda:
    case Type::BoundMethod:
    case Type::Native:
    case Type::Intrinsic: return "a function";
    case Type::Class: return "a class";
    case Type::Instance: return static_cast<Instance*>(v.o)->cls->name;
    case Type::Namespace: return "a module";
    case Type::Property: return "a property";
    case Type::StaticMethod:
    case Type::ClassMethod: return "a method";
    case Type::Super: return "super";
    case Type::Buffer: return "a buffer";
    case Type::Region: return "a region of a buffer";
    case Type::Layout: return "a layout";
    case Type::LayoutSpec: return "a layout specification";
    case Type::LayoutBuilder: return "a layout builder";
    case Type::Axis: return "an axis";
    case Type::AxisTerm: return "an offset on an axis";
    case Type::Iter: return "a layout iter";
    case Type::DataType: return "a dtype";
    case Type::Frame: return "a frame";
    case Type::Kernel: return "a kernel";
    case Type::Jit: return "a @T.jit function";
    case Type::MetaVar: return "a meta value";
    case Type::PendingStore: return "a store";
    case Type::TensorMapType:
    case Type::TypeAnnotation: return "a type annotation";
    case Type::Exec: return "a scope";
  }
  return "a value";
}

}  // namespace tilewright::script
