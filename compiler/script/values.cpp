// Making values, and what they are called.
#include "compiler/layout/notation.h"
#include "compiler/script/interpreter.h"
#include "compiler/script/python/set_order.h"
#include "compiler/script/worlds.h"

namespace tilewright::script {

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
  // From 0.26 on a swizzle stands over a tile always.
  if (dialect_ >= text::Dialect::V0_26 && layout.is_bare_swizzle()) layout = layout::over_identity(layout);
  store_->layouts.push_back(std::move(layout));
  heap_.count(sizeof(layout::Layout) + 256);
  LayoutValue* l = make<LayoutValue>();
  l->layout = &store_->layouts.back();
  l->in_kernel = store_ != module_store_;
  return Value::object(l);
}

std::string_view Interpreter::keep(std::string_view text) { return Arena::current().copy(text); }

// A list, dict or set, itself or within a tuple; None: there is none.
static Value unhashable_within(Value key, int depth) {
  constexpr int kDeepest = 16;
  const Set* set = key.as<Set>();
  if (key.as<List>() || key.as<Dict>() || (set && !set->is_frozen)) return key;
  Tuple* tuple = depth < kDeepest ? key.as<Tuple>() : nullptr;
  for (std::size_t i = 0; tuple && i < tuple->items.size(); ++i) {
    if (const Value part = unhashable_within(tuple->items[i], depth + 1); part.is_object()) return part;
  }
  return Value::none();
}

void Interpreter::dict_set(Dict* dict, Value key, Value value) {
  if (key.is_poison()) {  // no look-up would find it
    assume();
    return;
  }
  const Tuple* tuple = key.as<Tuple>();
  const bool is_plain = key.as<Str>() || (tuple && tuple->hash != 0);
  if (Value unknown = is_plain ? Value::none() : unknown_within(key);
      !unknown.is_none()) {  // it may be any of the keys
    may_be(unknown.reason(), value);
    spoil_views(dict, true);
    return become_unknown(dict->owner ? dict->owner : dict, unknown.reason());
  }
  if (const Value part = is_plain ? Value::none() : unhashable_within(key, 0); part.is_object()) {
    fail(code::kType, at_, std::string(type_name(part)) + " cannot be a key: it has no hash", {}, "TypeError");
    certainly();
    return;
  }
  Instance* instance = dict->owner ? Value::object(dict->owner).as<Instance>() : nullptr;
  if (Str* name = instance ? key.as<Str>() : nullptr) instance->set(name->text, value);  // it is their __dict__
  if (Value* v = dict_find(dict, key)) {
    spoil_views(dict, false);
    *v = value;
    return;
  }
  dict_append(dict, key, value);
}

void Interpreter::dict_append(Dict* dict, Value key, Value value) {
  spoil_views(dict, true);
  dict->items.emplace_back(key, value);
  heap_.count(kEntryBytes);
  if (Set* set = dict->owner ? Value::object(dict->owner).as<Set>() : nullptr) budget_.spend(python::note_added(*set));
  if (dict->items.size() <= 8) return;
  if (dict->index.size() + 1 == dict->items.size()) {
    dict->index.add(hash(key), dict->items.size() - 1);
    return;
  }
  dict->index.clear();  // first time, or after a removal
  for (std::size_t i = 0; i < dict->items.size(); ++i) dict->index.add(hash(dict->items[i].first), i);
}

bool Interpreter::dict_add(Dict* dict, const Dict& more, text::Span span) {
  if (!charge(more.items.size(), span) || !reserve(more.items.size() * kEntryBytes, span)) return false;
  for (std::size_t i = 0; i < more.items.size(); ++i) {  // `more` may be the dict itself
    auto [key, value] = more.items[i];
    dict_set(dict, key, value);
    if (errors_.pending) return false;
  }
  return true;
}

Value* Interpreter::dict_find(Dict* dict, Value key) {
  const auto at = dict_position(dict, key);
  return at ? &dict->items[*at].second : nullptr;
}

std::optional<std::size_t> Interpreter::dict_position(Dict* dict, Value key) {
  if (key.is_opaque() || key.is_poison()) return std::nullopt;
  const auto& items = dict->items;  // which a comparison may change
  if (items.size() > 8 && dict->index.size() == items.size()) {
    std::size_t passed = 0;  // colliding keys cost steps, or a script could stall here
    const auto is_key = [&](std::size_t at) {
      return at < items.size() && equals(items[at].first, key) && at < items.size();
    };
    const auto found = dict->index.find(hash(key), is_key, passed);
    budget_.spend(passed / 4);
    return found;
  }
  budget_.spend(items.size() / 8);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (equals(items[i].first, key) && i < items.size()) return i;
  }
  return std::nullopt;
}

bool is_plain(Value v) {
  switch (v.tag) {
    case Tag::None:
    case Tag::Bool:
    case Tag::Int:
    case Tag::Float: return true;
    default: return v.as<Str>() || v.as<List>() || v.as<Tuple>() || v.as<Dict>() || v.as<Set>() || v.as<Range>();
  }
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
    case Type::Scope: return "a scope";
    case Type::Unknown: return "an unknown value";
  }
  return "a value";
}

}  // namespace tilewright::script
