// Comparison, truth, equality, hashes and iteration of values.
#include <algorithm>
#include <cmath>
#include <functional>

#include "compiler/script/operators.h"
#include "compiler/script/python/lazy_iterators.h"
#include "compiler/script/python/numpy_scalars.h"
#include "compiler/script/python/set_order.h"
#include "compiler/script/python/support.h"
#include "compiler/script/rendering.h"
#include "compiler/script/worlds.h"
#include "compiler/text/search.h"

namespace tilewright::script {

using syntax::Operator;

namespace {

// Is `a` in `b`? A truth, or what is not known.
Value is_in(Interpreter& in, Value a, Value b, text::Span span) {
  Value unknown = in.unknown_within(a);
  if (!unknown.is_none()) return unknown;
  if (Str* s = b.as<Str>()) {
    Str* part = a.as<Str>();
    if (!part) {
      return in.fail(code::kType, span, "'in <string>' needs a string on the left");
    }
    if (!in.charge_text(s->text.size(), span)) return Value::error();
    return Value::boolean(text::find_first(s->text, part->text) != std::string::npos);
  }
  if (Dict* d = b.as<Dict>()) return Value::boolean(in.dict_find(d, a) != nullptr);
  if (Set* s = b.as<Set>()) return Value::boolean(in.dict_find(&s->entries, a) != nullptr);
  if (Instance* instance = b.as<Instance>(); instance && instance->cls->find("__contains__")) {
    Value r = in.call(in.attribute(b, "__contains__", span), std::span<const Value>(&a, 1), span);
    if (r.is_error() || r.is_opaque()) return r;
    auto t = in.truth(r, span);
    return t ? Value::boolean(*t) : Value::error();
  }
  // What comes item by item is asked for no further one once it is found.
  const bool by_items = python::comes_by_items({&b, 1});
  const Value source = by_items ? in.iterator_of(b, span) : b;
  if (source.is_error()) return source;
  while (true) {
    auto items = python::items_up_to(in, source, 1, span, unknown);
    if (!items) return Value::error();
    for (Value item : *items) {
      if (in.equals(item, a)) return Value::boolean(true);
      if (in.has_pending()) return Value::error();
      if (unknown.is_none()) unknown = in.unknown_within(item);
    }
    if (!by_items || items->empty()) return unknown.is_none() ? Value::boolean(false) : unknown;
  }
}

// a == b, where both are known at least in part.
Value equality(Interpreter& in, Operator op, Value a, Value b) {
  const bool same = in.equals(a, b);
  if (in.has_pending()) return Value::error();
  if (same) return Value::boolean(op == Operator::Eq);
  if (!a.is_object() || !b.is_object()) return Value::boolean(op == Operator::Ne);
  Value unknown = in.unknown_within(a);
  if (unknown.is_none()) unknown = in.unknown_within(b);
  return unknown.is_none() ? Value::boolean(op == Operator::Ne) : unknown;
}

bool is_scalar_of_kernel(Value v) {
  BufferValue* buffer = v.as<BufferValue>();
  return v.is_expr() || (buffer && ir::is_one_element(*buffer->buffer));
}

Value compare_run_time(Interpreter& in, Operator op, Value a, Value b, text::Span span) {
  ir::Expr ea = in.as_expr(a, span, "the left side"), eb = ea ? in.as_expr(b, span, "the right side") : ir::Expr();
  if (!eb) return Value::error();
  auto made = ir::apply_operator(expr_kind(op), ea, eb, !a.is_expr() && !a.is_object(), !b.is_expr() && !b.is_object(),
                                 in.in_script_mode());
  if (made) return Value::expr(*made);
  bool mismatch = made.error().starts_with("mismatched");
  return in.fail(code::kType, span, made.error(), mismatch ? "cast one side, e.g. T.uint32(x)" : "");
}

// `c`: -1, 0 or 1, as the left side is smaller, equal or larger.
Value ordered(Operator op, int c) {
  switch (op) {
    case Operator::Lt: return Value::boolean(c < 0);
    case Operator::Le: return Value::boolean(c <= 0);
    case Operator::Gt: return Value::boolean(c > 0);
    default: return Value::boolean(c >= 0);
  }
}
template <class T>
int sign_of(const T& x, const T& y) {
  return x < y ? -1 : x > y;
}

const std::vector<Value>* sequence_items(Value v) {
  if (List* l = v.as<List>()) return &l->items;
  if (Tuple* t = v.as<Tuple>()) return &t->items;
  return nullptr;
}

// By the first items that differ.
Value compare_sequences(Interpreter& in, Operator op, const std::vector<Value>& x, const std::vector<Value>& y,
                        text::Span span) {
  for (std::size_t i = 0; i < x.size() && i < y.size(); ++i) {
    if (in.equals(x[i], y[i])) continue;
    if (!in.enter(2, span)) return Value::error();
    Value v = in.compare(op, x[i], y[i], span);
    in.leave(2);
    return v;
  }
  return ordered(op, sign_of(x.size(), y.size()));
}

// By which holds the other.
Value compare_sets(Interpreter& in, Operator op, Set* x, Set* y) {
  const bool less = op == Operator::Lt || op == Operator::Le, strict = op == Operator::Lt || op == Operator::Gt;
  Set *inner = less ? x : y, *outer = less ? y : x;
  const bool inside = std::ranges::all_of(inner->entries.items,
                                          [&](auto& entry) { return in.dict_find(&outer->entries, entry.first); });
  return Value::boolean(inside && (!strict || x->entries.items.size() != y->entries.items.size()));
}

// <, <=, >, >= of values that Python compares.
Value compare_order(Interpreter& in, Operator op, Value a, Value b, text::Span span) {
  if (auto x = in.as_big(a), y = in.as_big(b); x && y) return ordered(op, sign_of(*x, *y));
  if (auto x = in.as_number(a), y = in.as_number(b); x && y) {
    if (std::isnan(*x) || std::isnan(*y)) return Value::boolean(false);
    return ordered(op, sign_of(*x, *y));
  }
  if (Str* x = a.as<Str>(), *y = b.as<Str>(); x && y) {
    if (!in.charge_text(std::min(x->text.size(), y->text.size()), span)) return Value::error();
    return ordered(op, x->text.compare(y->text));
  }
  const bool alike = a.is_object() && b.is_object() && a.o->type == b.o->type;  // a list has no order with a tuple
  if (auto *x = sequence_items(a), *y = sequence_items(b); x && y && alike)
    return compare_sequences(in, op, *x, *y, span);
  if (Set* x = a.as<Set>(), *y = b.as<Set>(); x && y) return compare_sets(in, op, x, y);
  return undefined_between(in, op, a, b, span);
}

// The operator that says the same with its sides exchanged.
Operator mirrored(Operator op) {
  switch (op) {
    case Operator::Lt: return Operator::Gt;
    case Operator::Le: return Operator::Ge;
    case Operator::Gt: return Operator::Lt;
    case Operator::Ge: return Operator::Le;
    default: return op;
  }
}

Value not_implemented_or(Interpreter& in, Value v, bool negated, text::Span span) {
  if (!negated || v.is_error() || v.is_opaque() || v.tag == Tag::NotImplemented) return v;
  auto t = in.truth(v, span);
  return t ? Value::boolean(!*t) : Value::error();
}

// What the methods of the classes of both sides give. NotImplemented: neither has one that answers.
Value by_methods(Interpreter& in, Operator op, Value a, Value b, text::Span span) {
  auto ask = [&](Value object, Operator by, Value other) {
    Instance* instance = object.as<Instance>();
    if (!instance) return Value::not_implemented();
    const bool negated = by == Operator::Ne && !instance->cls->find("__ne__");
    const char* name = negated ? "__eq__" : dunder(by);
    if (!instance->cls->find(name)) return Value::not_implemented();
    const Value method = in.attribute(object, name, span);
    const Value v = method.is_error() ? method : in.call(method, std::span<const Value>(&other, 1), span);
    return not_implemented_or(in, v, negated, span);
  };
  const Value v = ask(a, op, b);
  return v.tag == Tag::NotImplemented ? ask(b, mirrored(op), a) : v;
}

// a == b as containers ask it, by the methods of the classes of both. Nothing: they have none that answers.
std::optional<bool> equal_by_methods(Interpreter& in, Value a, Value b, text::Span span) {
  const Value v = by_methods(in, Operator::Eq, a, b, span);
  if (v.tag == Tag::NotImplemented) return std::nullopt;
  return !v.is_error() && in.truth(v, span).value_or(false);
}

}  // namespace

Value Interpreter::compare(Operator op, Value a, Value b, text::Span span) {
  if (MetaVar* m = a.as<MetaVar>()) a = m->value;
  if (MetaVar* m = b.as<MetaVar>()) b = m->value;
  if (op == Operator::Is || op == Operator::IsNot) {
    if (a.is_opaque()) return a;
    if (b.is_opaque()) return b;
    const bool same_kind = a.numpy == b.numpy;  // np.True_ is not True
    return Value::boolean((same_kind && is_identical(a, b)) == (op == Operator::Is));
  }
  if (a.is_poison()) return a;
  if (b.is_poison()) return b;
  if (op == Operator::In || op == Operator::NotIn) {
    if (b.is_opaque() || a.is_opaque()) return b.is_opaque() ? b : a;
    if (auto text = b.as<Instance>() ? python::text_value(b) : std::nullopt) b = string(std::string(*text));
    Value found = is_in(*this, a, b, span);
    return found.is_bool() ? Value::boolean(found.b == (op == Operator::In)) : found;
  }
  if ((is_scalar_of_kernel(a) && can_be_expr(b)) || (is_scalar_of_kernel(b) && can_be_expr(a))) {
    return compare_run_time(*this, op, a, b, span);
  }
  if (a.is_opaque()) return a;
  if (b.is_opaque()) return b;
  if ((a.is_expr() && b.as<Str>()) || (b.is_expr() && a.as<Str>())) {
    return fail(code::kType, span, "a run-time expression cannot be compared with a string");
  }
  if (Value v = by_methods(*this, op, a, b, span); v.tag != Tag::NotImplemented) return v;
  if (a.numpy != NumpyType::None || b.numpy != NumpyType::None) {
    if (Value v = python::numpy_binary(op, a, b); !v.is_none()) return v;
  }
  if (op == Operator::Eq || op == Operator::Ne) {
    at_ = span;
    return equality(*this, op, a, b);
  }
  return compare_order(*this, op, a, b, span);
}

std::optional<bool> Interpreter::truth(Value v, text::Span span) {
  if (v.is_opaque()) {
    fail(code::kOpaque, span, "this condition is not known here: " + whence(v), remedy(v));
    return std::nullopt;
  }
  switch (v.tag) {
    case Tag::Bool: return v.b;
    case Tag::Int: return v.i != 0;
    case Tag::Float: return v.f != 0;
    case Tag::None: return false;
    case Tag::Opaque:
    case Tag::Poison: assume(); return false;
    case Tag::Ellipsis:
    case Tag::NotImplemented: return true;
    case Tag::Error: return std::nullopt;
    case Tag::Expr: {
      if (const std::int64_t* c = ir::constant(v.as_expr())) return *c != 0;
      fail(code::kCondition, span, "a run-time expression has no truth value here",
           "only `if`, `while` and conditional expressions of a kernel may test it");
      return std::nullopt;
    }
    case Tag::Object: break;
  }
  if (Str* s = v.as<Str>()) return !s->text.empty();
  if (List* l = v.as<List>()) return !l->items.empty();
  if (Tuple* t = v.as<Tuple>()) return !t->items.empty();
  if (Dict* d = v.as<Dict>()) return !d->items.empty();
  if (Set* s = v.as<Set>()) return !s->entries.items.empty();
  if (Range* r = v.as<Range>()) return r->length() != 0;
  if (MetaVar* m = v.as<MetaVar>()) return truth(m->value, span);
  if (Instance* instance = v.as<Instance>()) {
    for (const char* name : {"__bool__", "__len__"}) {
      if (!instance->cls->find(name)) continue;
      Value r = call(attribute(v, name, span), std::span<const Value>(), span);
      if (r.is_error()) return std::nullopt;
      return truth(r, span);
    }
  }
  return true;
}

bool Interpreter::is_identical(Value a, Value b) {
  if (a.tag != b.tag) return false;
  switch (a.tag) {
    case Tag::Bool: return a.b == b.b;
    case Tag::Int: return a.i == b.i;
    case Tag::Float: return a.f == b.f;
    case Tag::Expr: return a.e == b.e;
    case Tag::Object: return a.o == b.o;
    case Tag::Opaque: return false;
    default: return true;
  }
}

// Comparing such values compares others.
static bool holds_values(Type type) {
  switch (type) {
    case Type::List:
    case Type::Tuple:
    case Type::Dict:
    case Type::Set:
    case Type::Slice:
    case Type::Instance: return true;
    default: return false;
  }
}

static bool is_object_with_eq(Value v) {
  Instance* instance = v.as<Instance>();
  return instance && instance->cls->find("__eq__");
}

// A member of an enum of strings is its text.
static bool same_text(Value a, Value b) {
  auto x = python::text_value(a), y = python::text_value(b);
  return x && y && *x == *y;
}

bool Interpreter::equals(Value a, Value b) {
  // Containers that share their parts can take for ever to compare: the caller's next step notices that the steps are
  // spent.
  budget_.spend(1);
  if (budget_.is_exceeded()) return false;
  if (a.tag == Tag::Object && b.tag == Tag::Object && a.o->type == b.o->type) {
    const bool same = a.o == b.o && (a.o->type == Type::Str || a.o->type == Type::Tuple);
    if (same || a.o->type == Type::Str) return same || equal_objects(a, b);
    if (const Tuple *x = a.as<Tuple>(), *y = b.as<Tuple>(); x) {
      if (x->hash != 0 && y->hash != 0 && x->hash != y->hash) return false;
      if (!enter_value(0)) return false;
      const bool equal = equal_items(x->items, y->items);
      leave(1);
      return equal;
    }
  }
  if (auto x = as_big(a), y = as_big(b); x && y) return *x == *y;
  if (auto x = as_number(a), y = as_number(b); x && y) return *x == *y;
  if (a.is_expr() && b.is_expr()) return a.e == b.e || ir::structurally_equal(a.as_expr(), b.as_expr());
  if (is_identical(a, b)) return true;
  if (a.is_opaque() || b.is_opaque()) assume();
  if (is_object_with_eq(a) || is_object_with_eq(b)) {
    if (!enter_value(0)) return false;
    const std::optional<bool> same = equal_by_methods(*this, a, b, at_);
    leave(1);
    if (same) return *same;
  }
  if (a.tag != Tag::Object || b.tag != Tag::Object) return false;
  if (DataTypeValue* d = a.as<DataTypeValue>()) {
    if (DataTypeValue* e = b.as<DataTypeValue>()) return d->dtype == e->dtype;
    if (Str* s = b.as<Str>()) return ir::parse_dtype(s->text) == d->dtype;
  }
  if (b.as<DataTypeValue>() && a.as<Str>()) return equals(b, a);
  if (a.as<Dict>() && !python::inner_dict_of(b).is_none()) return equals(a, python::inner_dict_of(b));
  if (b.as<Dict>() && !python::inner_dict_of(a).is_none()) return equals(python::inner_dict_of(a), b);
  if (a.o->type != b.o->type) return same_text(a, b);
  if (!holds_values(a.o->type)) return equal_objects(a, b);
  if (!enter_value(0)) return false;
  const bool same = equal_objects(a, b);
  leave(1);
  return same;
}

bool Interpreter::equal_items(const std::vector<Value>& x, const std::vector<Value>& y) {
  bool same = x.size() == y.size();
  if (same) budget_.spend(x.size());
  for (std::size_t i = 0; same && i < x.size(); ++i) same = equals(x[i], y[i]);
  return same;
}

bool Interpreter::equal_dicts(Dict* x, Dict* y) {
  bool same = x->items.size() == y->items.size();
  for (std::size_t i = 0; same && i < x->items.size(); ++i) {
    Value* other = dict_find(y, x->items[i].first);
    same = other && equals(x->items[i].second, *other);
  }
  return same;
}

bool Interpreter::equal_instances(Value a, Value b) {
  Instance *x = a.as<Instance>(), *y = b.as<Instance>();
  if (x->cls != y->cls) return same_text(a, b);
  if (!x->cls->is_dataclass) return false;
  bool same = true;
  for (std::size_t i = 0; same && i < x->attributes.size(); ++i) {
    const std::string& name = x->attributes[i].first;
    if (!python::is_compared_field(*this, x->cls, name)) continue;
    Value* other = y->find(name);
    same = other && equals(x->attributes[i].second, *other);
  }
  return same;
}

bool Interpreter::equal_objects(Value a, Value b) {
  switch (a.o->type) {
    case Type::Str: {
      const std::string &x = a.as<Str>()->text, &y = b.as<Str>()->text;
      if (x.size() == y.size()) budget_.spend(x.size() / 64);
      return x == y;
    }
    case Type::List: {
      auto *x = values_view(a), *y = values_view(b);
      if (x && y && x->has_keys && y->has_keys) return equal_dicts(x->of, y->of);
      return !x && !y && equal_items(a.as<List>()->items, b.as<List>()->items);
    }
    case Type::Tuple: return equal_items(a.as<Tuple>()->items, b.as<Tuple>()->items);
    case Type::Dict: return equal_dicts(a.as<Dict>(), b.as<Dict>());
    case Type::Set: {
      Set *x = a.as<Set>(), *y = b.as<Set>();
      return x->entries.items.size() == y->entries.items.size() &&
             std::ranges::all_of(x->entries.items, [&](auto& entry) { return dict_find(&y->entries, entry.first); });
    }
    case Type::Range: {
      Range *x = a.as<Range>(), *y = b.as<Range>();
      return x->length() == y->length() && (x->length() == 0 || (x->start == y->start && x->step == y->step));
    }
    case Type::Slice: {
      Slice *x = a.as<Slice>(), *y = b.as<Slice>();
      return equals(x->start, y->start) && equals(x->stop, y->stop) && equals(x->step, y->step);
    }
    case Type::BoundMethod: {
      BoundMethod *x = a.as<BoundMethod>(), *y = b.as<BoundMethod>();
      return is_identical(x->function, y->function) && is_identical(x->self, y->self);
    }
    case Type::Native: {
      Native *x = a.as<Native>(), *y = b.as<Native>();
      return x->function == y->function && x->name == y->name && is_identical(x->self, y->self);
    }
    case Type::Axis: return a.as<AxisValue>()->axis == b.as<AxisValue>()->axis;
    case Type::Iter: return layout::same(a.as<IterValue>()->iter, b.as<IterValue>()->iter);
    case Type::Layout: return layout::same(*a.as<LayoutValue>()->layout, *b.as<LayoutValue>()->layout);
    case Type::Buffer: return a.as<BufferValue>()->buffer == b.as<BufferValue>()->buffer;
    case Type::Instance: return equal_instances(a, b);
    default: return false;
  }
}

// Is its hash the same whatever the script does?
static bool has_lasting_hash(Value v) {
  if (const Tuple* t = v.as<Tuple>()) return t->hash != 0;
  return v.is_none() || v.is_bool() || v.is_int() || v.is_float() || v.as<Str>();
}

std::size_t Interpreter::hash(Value v) {
  // As with equals(): a spent budget ends it; equal values still get equal hashes while there is any.
  budget_.spend(1);
  if (budget_.is_exceeded()) return 0;
  if (v.is_int()) return std::hash<std::int64_t>()(v.i);
  if (const Str* s = v.as<Str>()) {
    if (s->hash == 0) {
      budget_.spend(s->text.size() / 64);
      s->hash = std::hash<std::string_view>()(s->text);
    }
    return s->hash;
  }
  auto mix = [](std::size_t seed, std::size_t h) {
    return seed ^ (h + 0x9e3779b97f4a7c15ull + (seed << 6) + (seed >> 2));
  };
  if (auto x = as_big(v)) return std::hash<std::int64_t>()(static_cast<std::int64_t>(*x));
  if (v.is_float()) {
    if (v.f == std::floor(v.f) && std::fabs(v.f) < 9e18)
      return std::hash<std::int64_t>()(static_cast<std::int64_t>(v.f));
    return std::hash<double>()(v.f);
  }
  if (v.is_expr()) return ir::structural_hash(v.as_expr());
  if (auto text = python::text_value(v)) {
    budget_.spend(text->size() / 64);
    return std::hash<std::string_view>()(*text);
  }
  if (Tuple* t = v.as<Tuple>()) {
    if (t->hash != 0) return t->hash;
    std::size_t h = 7;
    if (!enter_value(0)) return 0;
    for (Value item : t->items) h = mix(h, hash(item));
    leave(1);
    if (!budget_.is_exceeded() && std::ranges::all_of(t->items, has_lasting_hash)) t->hash = h;
    return h;
  }
  if (DataTypeValue* d = v.as<DataTypeValue>()) return std::hash<std::string>()(ir::dtype_name(d->dtype));
  if (AxisValue* a = v.as<AxisValue>()) return static_cast<std::size_t>(a->axis);
  if (Instance* instance = v.as<Instance>();
      instance && (instance->cls->find("__eq__") || instance->cls->is_dataclass)) {
    return static_cast<std::size_t>(Type::Instance);
  }
  // Equal lists and layouts may be different objects: one bucket by type keeps `equals` in charge.
  if (v.is_object() &&
      (v.o->type == Type::Layout || v.o->type == Type::List || v.o->type == Type::Dict || v.o->type == Type::Set ||
       v.o->type == Type::Range || v.o->type == Type::Slice || v.o->type == Type::Iter)) {
    return static_cast<std::size_t>(v.o->type);
  }
  return static_cast<std::size_t>(v.tag) * 31 + std::hash<std::int64_t>()(v.i);
}

// What is left of an iterator whose items come one by one, behind those in `out`.
static std::optional<std::vector<Value>> drained(Interpreter& in, Value iterator, std::vector<Value> out,
                                                 text::Span span) {
  Value item;
  Interpreter::OwnRounds rounds(in, out);
  while (true) {
    switch (in.next_of(iterator, &item, span)) {
      case Next::End: return out;
      case Next::Failed: return std::nullopt;
      case Next::Unknown:
        in.fail(code::kOpaque, span,
                "this cannot be iterated here: " + (item.is_opaque() ? in.whence(item) : "it has an error"),
                item.is_opaque() ? in.remedy(item) : "");
        return std::nullopt;
      case Next::Item: break;
    }
    if (!python::reserve(in, span, sizeof(Value))) return std::nullopt;
    out.push_back(item);
    rounds.end_round();
  }
}

// What an object gives at 0, 1, 2, ... until it raises an IndexError.
static std::optional<std::vector<Value>> by_index(Interpreter& in, Value v, text::Span span) {
  std::vector<Value> out;
  while (true) {
    const Value index = Value::integer(static_cast<std::int64_t>(out.size()));
    const Value item = in.subscript(v, {&index, 1}, true, span);
    if (item.is_error()) {
      if (!in.has_pending()) return std::nullopt;
      Pending pending = in.take_pending();
      if (python::is_exception(in, pending, "IndexError")) return out;
      python::raise_again(in, pending, span);
      return std::nullopt;
    }
    if (item.is_opaque()) {
      in.fail(code::kOpaque, span, "this cannot be iterated here: " + in.whence(item), in.remedy(item));
      return std::nullopt;
    }
    if (!python::reserve(in, span, sizeof(Value))) return std::nullopt;
    out.push_back(item);
  }
}

std::optional<std::vector<Value>> Interpreter::iterate(Value v, text::Span span) {
  if (MetaVar* m = v.as<MetaVar>()) return iterate(m->value, span);
  if (List* l = v.as<List>()) {
    if (!charge(l->items.size(), span) || !reserve(l->items.size() * sizeof(Value), span)) return std::nullopt;
    return l->items;
  }
  if (Tuple* t = v.as<Tuple>()) {
    if (!charge(t->items.size(), span) || !reserve(t->items.size() * sizeof(Value), span)) return std::nullopt;
    return t->items;
  }
  std::vector<Value> out;
  if (Str* s = v.as<Str>(); s && (!charge(16 * s->text.size(), span) || !reserve(s->text.size() * 128, span)))
    return std::nullopt;
  if (Dict* d = v.as<Dict>(); d && !charge(d->items.size(), span)) return std::nullopt;
  if (Set* s = v.as<Set>(); s && !charge(s->entries.items.size(), span)) return std::nullopt;
  if (Iterator* it = v.as<Iterator>()) {
    out.assign(it->items.begin() + static_cast<std::ptrdiff_t>(std::min(it->next, it->items.size())), it->items.end());
    it->next = it->items.size();
    if (!it->source && !it->is_running) return out;
    return drained(*this, v, std::move(out), span);
  }
  if (Range* r = v.as<Range>()) {
    std::int64_t n = r->length();
    if (n > static_cast<std::int64_t>(budget_.whole().memory_bytes / sizeof(Value))) {
      fail(code::kLimit, span, "iterating over " + std::to_string(n) + " numbers takes too much memory");
      return std::nullopt;
    }
    if (!python::work(*this, span, static_cast<std::size_t>(n))) return std::nullopt;
    out.reserve(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) out.push_back(Value::integer(r->start + i * r->step));
    return out;
  }
  if (Dict* d = v.as<Dict>()) {
    for (auto& [k, value] : d->items) out.push_back(k);
    return out;
  }
  if (Set* s = v.as<Set>()) return python::walked_items(*this, *s, span);
  if (Str* s = v.as<Str>()) {
    for (std::size_t i = 0; i < s->text.size();) {
      std::size_t n = 1;
      while (i + n < s->text.size() && (s->text[i + n] & 0xC0) == 0x80) ++n;
      out.push_back(string(std::string_view(s->text).substr(i, n)));
      i += n;
    }
    return out;
  }
  if (Class* cls = v.as<Class>(); cls && cls->is_enum) return python::enum_members(cls);
  if (Instance* instance = v.as<Instance>(); instance && instance->cls->find("__iter__")) {
    Value r = call(attribute(v, "__iter__", span), std::span<const Value>(), span);
    if (r.is_error()) return std::nullopt;
    Instance* own = r.as<Instance>();
    if (own && own->cls->find("__next__")) return drained(*this, r, {}, span);
    if (!own) return iterate(r, span);
  }
  if (Instance* instance = v.as<Instance>(); instance && instance->cls->find("__getitem__")) {
    return by_index(*this, v, span);
  }
  if (v.is_opaque()) {
    fail(code::kOpaque, span, "this cannot be iterated here: " + whence(v), remedy(v));
  } else if (v.is_poison()) {
    fail({}, span, {});
  } else if (!v.is_error()) {
    fail(code::kType, span, std::string(type_name(v)) + " cannot be iterated");
    if (is_plain(v)) certainly();
  }
  return std::nullopt;
}

}  // namespace tilewright::script
