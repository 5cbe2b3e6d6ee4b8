// The functions of Python's builtin scope, and how its values are made when they are asked for.
#include "compiler/script/builtins.h"

#include <algorithm>
#include <bitset>
#include <charconv>
#include <cmath>

#include "compiler/expr/analyzer.h"
#include "compiler/expr/promote.h"
#include "compiler/intrinsics/say.h"
#include "compiler/ir/kernel.h"
#include "compiler/script/aliases.h"
#include "compiler/script/codes.h"
#include "compiler/script/instance_names.h"
#include "compiler/script/python/builtins.h"
#include "compiler/script/python/lazy_iterators.h"
#include "compiler/script/python/more_names.h"
#include "compiler/script/python/set_order.h"
#include "compiler/script/python/unicode.h"
#include "compiler/script/stop_iteration.h"
#include "compiler/script/worlds.h"

namespace tilewright::script {

namespace python {
namespace {

using syntax::Operator;

Value iterator(Interpreter& in, std::vector<Value> items, text::Span span) {
  if (!reserve(in, span, items.size() * sizeof(Value))) return Value::error();
  Iterator* it = in.make<Iterator>();
  it->items = std::move(items);
  return Value::object(it);
}

// Calls a dunder method of an instance of a script's class; nothing when the class has none.
std::optional<Value> call_dunder(Interpreter& in, Value v, std::string_view name, std::initializer_list<Value> args,
                                 text::Span span) {
  Instance* instance = v.as<Instance>();
  if (!instance || !instance->cls->find(name)) return std::nullopt;
  Value bound = in.attribute(v, name, span);
  if (bound.is_error()) return bound;
  return call(in, bound, args, span);
}

// A function of `T` applied to operands of the kernel that are constants: T.abs(x), T.round(x), ...
Value runtime_call(Interpreter& in, std::string_view name, std::initializer_list<Value> args, text::Span span) {
  Value function = in.attribute(tirx_namespace(in), name, span);
  return function.is_error() ? function : call(in, function, args, span);
}

// A value that only the GPU knows: Python's functions of numbers look at it while the kernel is made.
bool is_of_run_time(Value v) {
  if (v.as<BufferValue>()) return true;
  const ir::Expr e = v.is_expr() ? ir::simplify(v.as_expr()) : ir::Expr();
  return e && !ir::constant(e) && !e.as<ir::FloatImm>();
}

Value refused_at_run_time(Interpreter& in, const Arguments& args, std::string_view name, std::string instead) {
  return in.fail(code::kType, args.call,
                 std::string(name) + "() is Python's and needs numbers: this is a value of the kernel at run time",
                 "write " + std::move(instead), "TypeError");
}

// ---- sequences --------------------------------------------------------------------------------------------------

Value py_len(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "len", 1, 1)) return Value::error();
  Value v = args.positional[0];
  auto size = [](std::size_t n) { return Value::integer(static_cast<std::int64_t>(n)); };
  if (Str* s = v.as<Str>())
    return in.charge_text(s->text.size(), args.call) ? size(text_length(s->text)) : Value::error();
  if (List* l = v.as<List>()) return size(l->items.size());
  if (Tuple* t = v.as<Tuple>()) return size(t->items.size());
  if (Dict* d = v.as<Dict>()) return size(d->items.size());
  if (Set* s = v.as<Set>()) return size(s->entries.items.size());
  if (Range* r = v.as<Range>()) return Value::integer(r->length());
  if (auto result = call_dunder(in, v, "__len__", {}, args.call)) return *result;
  if (Class* cls = v.as<Class>(); cls && cls->is_enum) return size(enum_members(cls).size());
  if (auto text = text_value(v)) return size(text_length(*text));
  return wrong_type(in, args.at(0), "len", "something with a length", v);
}

Value py_enumerate(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "enumerate", {"iterable", "start"}, 1);
  if (!a) return Value::error();
  std::int64_t at = 0;
  if (a.has(1)) {
    auto start = in.as_int(a[1], a.span(1), "the start of enumerate()");
    if (!start) return Value::error();
    at = *start;
  }
  const Value over = a[0];
  if (over.as<List>() || comes_by_items({&over, 1}))
    return lazy_iterator(in, Over::Enumerate, Value(), {&over, 1}, args.call, at);
  auto items = in.iterate(a[0], a.span(0));
  if (!items) return Value::error();
  const bool drawn = has_drawn_order(over);
  for (Value& v : *items) {
    if (!in.step(args.call)) return Value::error();
    v = in.tuple({drawn ? of_drawn_order() : in.big(static_cast<__int128>(at)), v});
    if (at < INT64_MAX) ++at;
  }
  return iterator(in, std::move(*items), args.call);
}

// The items of each positional argument.
std::optional<std::vector<std::vector<Value>>> iterate_all(Interpreter& in, const Arguments& args, std::size_t first) {
  std::vector<std::vector<Value>> all;
  for (std::size_t i = first; i < args.positional.size(); ++i) {
    auto items = in.iterate(args.positional[i], args.at(i));
    if (!items) return std::nullopt;
    all.push_back(std::move(*items));
  }
  return all;
}

std::size_t shortest(const std::vector<std::vector<Value>>& all) {
  std::size_t n = all.empty() ? 0 : all[0].size();
  for (auto& items : all) n = std::min(n, items.size());
  return n;
}

Value py_zip(Interpreter& in, const Arguments& args, Value) {
  const bool lists = std::ranges::any_of(args.positional, [](Value v) { return v.as<List>() != nullptr; });
  if ((lists || comes_by_items(args.positional)) && args.keywords.empty()) {
    return lazy_iterator(in, Over::Zip, Value(), args.positional, args.call);
  }
  auto all = iterate_all(in, args, 0);
  if (!all) return Value::error();
  std::size_t n = shortest(*all);
  if (const Keyword* strict = keyword(args, "strict")) {
    auto wanted = in.truth(strict->value, strict->span);
    if (!wanted) return Value::error();
    for (auto& items : *all) {
      if (*wanted && items.size() != n) {
        return in.fail(code::kValue, args.call, "zip(strict=True) was given iterables of different lengths", {},
                       "ValueError");
      }
    }
  }
  std::vector<Value> rows;
  for (std::size_t i = 0; i < n; ++i) {
    if (!in.step(args.call)) return Value::error();
    std::vector<Value> row;
    for (auto& items : *all) row.push_back(items[i]);
    rows.push_back(in.tuple(std::move(row)));
  }
  return iterator(in, std::move(rows), args.call);
}

Value py_map(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "map", 2, SIZE_MAX)) return Value::error();
  if (is_callback(args.positional[0]) || comes_by_items(args.positional.subspan(1))) {
    return lazy_iterator(in, Over::Map, args.positional[0], args.positional.subspan(1), args.call);
  }
  auto all = iterate_all(in, args, 1);
  if (!all) return Value::error();
  std::vector<Value> results;
  for (std::size_t i = 0, n = shortest(*all); i < n; ++i) {
    if (!in.step(args.call)) return Value::error();
    std::vector<Value> row;
    for (auto& items : *all) row.push_back(items[i]);
    Value v = in.call(args.positional[0], row, args.call);
    if (v.is_error()) return v;
    results.push_back(v);
  }
  return iterator(in, std::move(results), args.call);
}

Value py_filter(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "filter", 2, 2)) return Value::error();
  if (is_callback(args.positional[0]) || comes_by_items(args.positional.subspan(1))) {
    return lazy_iterator(in, Over::Filter, args.positional[0], args.positional.subspan(1), args.call);
  }
  auto items = in.iterate(args.positional[1], args.at(1));
  if (!items) return Value::error();
  std::vector<Value> kept;
  for (Value v : *items) {
    if (!in.step(args.call)) return Value::error();
    Value test = args.positional[0].is_none() ? v : call(in, args.positional[0], {v}, args.call);
    if (test.is_error() || test.is_opaque()) return test;
    auto t = in.truth(test, args.call);
    if (!t) return Value::error();
    if (*t) kept.push_back(v);
  }
  return iterator(in, std::move(kept), args.call);
}

Value py_reversed(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "reversed", 1, 1)) return Value::error();
  if (auto result = call_dunder(in, args.positional[0], "__reversed__", {}, args.call)) return *result;
  auto items = in.iterate(args.positional[0], args.at(0));
  if (!items) return Value::error();
  std::reverse(items->begin(), items->end());
  return iterator(in, std::move(*items), args.call);
}

Value py_sorted(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "sorted", {"iterable", "key", "reverse"}, 1);
  if (!a) return Value::error();
  auto items = in.iterate(a[0], a.span(0));
  if (!items) return Value::error();
  bool reverse = false;
  if (a.has(2)) {
    auto t = in.truth(a[2], a.span(2));
    if (!t) return Value::error();
    reverse = *t;
  }
  if (!sort(in, *items, a.has(1) ? a[1] : Value::none(), reverse, args.call)) return Value::error();
  return in.list(std::move(*items));
}

Value py_sum(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "sum", {"iterable", "start"}, 1);
  if (!a) return Value::error();
  auto items = in.iterate(a[0], a.span(0));
  if (!items) return Value::error();
  Value total = a.given(1) ? a[1] : Value::integer(0);
  for (std::size_t i = 0; i < items->size(); ++i) {
    if (!in.step(args.call)) return Value::error();
    Value item = (*items)[i];
    // The first run-time item stands alone: 0 + x would only add a node.
    total = i == 0 && !a.given(1) && item.is_expr() ? item : in.binary(Operator::Add, total, item, args.call);
    if (total.is_error()) return total;
  }
  return total;
}

Value any_all(Interpreter& in, const Arguments& args, std::string_view name, bool stop_at) {
  if (!takes(in, args, name, 1, 1)) return Value::error();
  const Value iterator = in.iterator_of(args.positional[0], args.at(0));
  if (iterator.is_error()) return iterator;
  const std::vector<Value> kept;
  Interpreter::OwnRounds rounds(in, kept);
  for (Value v;; rounds.end_round()) {
    if (!in.step(args.call)) return Value::error();
    const Next next = in.next_of(iterator, &v, args.at(0));
    if (next == Next::Failed) return Value::error();
    if (next == Next::End) return Value::boolean(!stop_at);
    if (v.is_opaque() || v.is_poison()) return v;
    auto t = in.truth(v, args.call);
    if (!t) return Value::error();
    if (*t == stop_at) return Value::boolean(stop_at);
  }
}

Value py_any(Interpreter& in, const Arguments& args, Value) { return any_all(in, args, "any", true); }
Value py_all(Interpreter& in, const Arguments& args, Value) { return any_all(in, args, "all", false); }

// min() and max(): Python's on known values; with a run-time operand, the kernel's Min and Max.
Value extremum(Interpreter& in, const Arguments& args, bool largest) {
  std::string_view name = largest ? "max" : "min";
  Value key, fallback;
  bool has_fallback = false;
  for (const Keyword& k : args.keywords) {
    if (k.name == "key") {
      key = k.value;
    } else if (k.name == "default") {
      fallback = k.value;
      has_fallback = true;
    } else {
      return in.fail(code::kArguments, k.span,
                     std::string(name) + "() takes no keyword argument '" + std::string(k.name) + "'");
    }
  }
  std::vector<Value> items(args.positional.begin(), args.positional.end());
  if (items.empty()) return in.fail(code::kArguments, args.call, std::string(name) + "() needs an argument");
  if (items.size() == 1) {
    auto inner = in.iterate(items[0], args.at(0));
    if (!inner) return Value::error();
    items = std::move(*inner);
    if (items.empty()) {
      if (has_fallback) return fallback;
      return in.fail(code::kValue, args.at(0), std::string(name) + "() of nothing has no value", {}, "ValueError");
    }
  }
  for (Value v : items) {
    if (v.is_opaque() || v.is_poison()) return v;
  }
  bool runtime = std::any_of(items.begin(), items.end(), [&](Value v) { return v.is_expr() || v.as<BufferValue>(); });
  if (runtime && key.is_none() && items.size() > 1 && std::ranges::any_of(items, is_of_run_time))
    return refused_at_run_time(in, args, name, "T." + std::string(name) + "(a, b)");
  if (runtime && key.is_none()) {
    auto literal = [&](Value v) { return !v.is_expr() && !v.as<BufferValue>(); };
    ir::Expr best = in.as_expr(items[0], args.at(0));
    bool best_literal = literal(items[0]);
    for (std::size_t i = 1; best && i < items.size(); ++i) {
      ir::Expr next = in.as_expr(items[i], args.at(std::min(i, args.positional.size())));
      if (!next) return Value::error();
      auto made = ir::apply_operator(largest ? ir::ExprKind::Max : ir::ExprKind::Min, best, next, best_literal,
                                     literal(items[i]), in.in_script_mode());
      if (!made) return in.fail(code::kType, args.call, made.error());
      best = *made;
      best_literal = best_literal && literal(items[i]);
    }
    return best ? Value::expr(best) : Value::error();
  }
  std::size_t best = 0;
  std::vector<Value> kept(1);
  Value& best_key = kept[0];
  Interpreter::OwnRounds rounds(in, kept);
  for (std::size_t i = 0; i < items.size(); ++i, rounds.end_round()) {
    if (!in.step(args.call)) return Value::error();
    Value k = key.is_none() ? items[i] : call(in, key, {items[i]}, args.call);
    if (k.is_error() || k.is_opaque()) return k;
    if (i > 0) {
      auto better = largest ? less(in, best_key, k, args.call) : less(in, k, best_key, args.call);
      if (!better) return Value::error();
      if (!*better) continue;
    }
    best = i;
    best_key = k;
  }
  return items[best];
}

Value py_min(Interpreter& in, const Arguments& args, Value) { return extremum(in, args, false); }
Value py_max(Interpreter& in, const Arguments& args, Value) { return extremum(in, args, true); }

Value py_iter(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "iter", 1, 2)) return Value::error();
  Value v = args.positional[0];
  if (args.positional.size() == 2) return Value::opaque("iter() with a sentinel");
  if (v.as<Iterator>()) return v;
  // Its items one by one: which one comes first is not known.
  if (has_drawn_order(v))
    return iterator(in, std::vector(v.as<Set>()->entries.items.size(), of_drawn_order()), args.call);
  if (v.as<List>() || v.as<Dict>() || v.as<Set>()) return in.iterator_of(v, args.call);
  if (Instance* i = v.as<Instance>(); i && i->cls->find("__iter__")) return in.iterator_of(v, args.call);
  if (auto result = call_dunder(in, v, "__iter__", {}, args.call)) return *result;
  auto items = in.iterate(v, args.at(0));
  return items ? iterator(in, std::move(*items), args.call) : Value::error();
}

Value py_next(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "next", 1, 2)) return Value::error();
  Value v = args.positional[0];
  if (v.as<Iterator>()) {
    Value item;
    const Next next = in.next_of(v, &item, args.call);
    if (next == Next::Failed) return Value::error();
    if (next != Next::End) return item;
    if (args.positional.size() == 2) return args.positional[1];
    return stop_iteration(in, v, "the iterator has no more items", args.call);
  }
  auto result = call_dunder(in, v, "__next__", {}, args.call);
  if (!result) return wrong_type(in, args.at(0), "next", "an iterator", v);
  if (result->is_error() && args.positional.size() == 2) {
    Pending pending = in.take_pending();
    if (is_exception(in, pending, "StopIteration")) return args.positional[1];
    return raise_again(in, pending, args.call);
  }
  return *result;
}

// ---- numbers ------------------------------------------------------------------------------------------------------

Value py_abs(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "abs", 1, 1)) return Value::error();
  Value v = args.positional[0];
  if (auto i = in.as_big(v)) return in.big(*i < 0 && *i != -*i ? -*i : *i);
  if (v.is_float()) return Value::floating(std::abs(v.f));
  if (is_of_run_time(v)) return refused_at_run_time(in, args, "abs", "T.abs(x)");
  if (in.can_be_expr(v)) return runtime_call(in, "abs", {v}, args.call);
  if (auto result = call_dunder(in, v, "__abs__", {}, args.call)) return *result;
  return wrong_type(in, args.at(0), "abs", "a number", v);
}

Value py_round(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "round", {"number", "ndigits"}, 1);
  if (!a) return Value::error();
  Value v = a[0];
  if (v.as<Instance>() && v.as<Instance>()->cls->find("__round__")) {
    return in.call(in.attribute(v, "__round__", args.call), args.positional.subspan(1), args.call);
  }
  if (!a.has(1)) {
    if (auto i = in.as_big(v)) return in.big(*i);
    if (v.is_float()) {
      // Halves go to the even neighbour in C's default rounding mode, as in Python.
      if (auto i = float_to_int(std::nearbyint(v.f))) return Value::integer(*i);
      if (std::fabs(v.f) < 1e38) return in.big(static_cast<__int128>(v.f));
      in.fail(code::kValue, a.span(0), "this number has no integer near it", {},
              std::isnan(v.f) ? "ValueError" : "OverflowError");
      return std::isfinite(v.f) ? Value::error() : in.certainly();
    }
    if (is_of_run_time(v)) return refused_at_run_time(in, args, "round", "T.round(x)");
    if (in.can_be_expr(v)) return runtime_call(in, "round", {v}, args.call);
    return wrong_type(in, a.span(0), "round", "a number", v);
  }
  auto digits = in.as_int(a[1], a.span(1), "the number of digits");
  if (!digits) return Value::error();
  if (auto i = in.as_big(v)) {
    if (*digits >= 0) return in.big(*i);
    if (*digits < -37) return Value::integer(0);
    __int128 unit = 1;
    for (std::int64_t d = *digits; d < 0; ++d) unit *= 10;
    __int128 down = *i / unit * unit, rest = *i - down;
    if (rest < 0) {
      down -= unit;
      rest += unit;
    }
    bool up = rest > unit / 2 || (rest == unit / 2 && (down / unit) % 2 != 0);
    return in.big(up ? down + unit : down);
  }
  if (!v.is_float()) return wrong_type(in, a.span(0), "round", "a number", v);
  if (!std::isfinite(v.f) || *digits > 300) return v;
  if (*digits < 0) {
    double unit = std::pow(10.0, static_cast<double>(-std::max<std::int64_t>(*digits, -400)));
    return Value::floating(std::isfinite(unit) ? std::nearbyint(v.f / unit) * unit : 0.0);
  }
  // Decimal rounding of the exact binary value, by way of its decimal text.
  char text[700];
  auto [end, error] = std::to_chars(text, text + sizeof text, v.f, std::chars_format::fixed, static_cast<int>(*digits));
  double rounded = v.f;
  if (error == std::errc()) std::from_chars(text, end, rounded);
  return Value::floating(rounded);
}

Value py_divmod(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "divmod", 2, 2)) return Value::error();
  if (std::ranges::any_of(args.positional, is_of_run_time))
    return refused_at_run_time(in, args, "divmod", "a // b and a % b");
  if (auto own = call_dunder(in, args.positional[0], "__divmod__", {args.positional[1]}, args.call)) return *own;
  Value q = in.binary(Operator::FloorDiv, args.positional[0], args.positional[1], args.call);
  if (q.is_error()) return q;
  Value r = in.binary(Operator::Mod, args.positional[0], args.positional[1], args.call);
  return r.is_error() ? r : in.tuple({q, r});
}

Value py_pow(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "pow", {"base", "exp", "mod"}, 2);
  if (!a) return Value::error();
  if (!a.has(2)) return in.binary(Operator::Pow, a[0], a[1], args.call);
  auto base = in.as_int(a[0], a.span(0), "the base"), exponent = in.as_int(a[1], a.span(1), "the exponent"),
       modulus = in.as_int(a[2], a.span(2), "the modulus");
  if (!base || !exponent || !modulus) return Value::error();
  if (*modulus == 0) return in.fail(code::kValue, a.span(2), "the modulus must not be zero", {}, "ValueError");
  if (*exponent < 0) return Value::opaque("a modular inverse");
  __int128 m = *modulus, result = 1 % m, power = *base % m;
  for (std::int64_t e = *exponent; e > 0; e >>= 1) {
    if (e & 1) result = result * power % m;
    power = power * power % m;
  }
  if (result != 0 && (result < 0) != (m < 0)) result += m;
  return in.big(result);
}

Value py_ord(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "ord", 1, 1)) return Value::error();
  Str* s = args.positional[0].as<Str>();
  if (!s || text_length(s->text) != 1)
    return wrong_type(in, args.at(0), "ord", "a string of one character", args.positional[0]);
  std::size_t size = 0;
  return Value::integer(code_point_of(s->text, &size));
}

Value py_chr(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "chr", 1, 1)) return Value::error();
  auto c = in.as_int(args.positional[0], args.at(0), "a code point");
  if (!c) return Value::error();
  if (*c < 0 || *c > 0x10FFFF || (*c >= 0xD800 && *c < 0xE000)) {
    return in.fail(code::kValue, args.at(0), std::to_string(*c) + " is not a code point", {}, "ValueError");
  }
  auto byte = [](std::int64_t b) { return static_cast<char>(b); };
  std::string text;
  if (*c < 0x80) {
    text = {byte(*c)};
  } else if (*c < 0x800) {
    text = {byte(0xC0 | *c >> 6), byte(0x80 | (*c & 0x3F))};
  } else if (*c < 0x10000) {
    text = {byte(0xE0 | *c >> 12), byte(0x80 | (*c >> 6 & 0x3F)), byte(0x80 | (*c & 0x3F))};
  } else {
    text = {byte(0xF0 | *c >> 18), byte(0x80 | (*c >> 12 & 0x3F)), byte(0x80 | (*c >> 6 & 0x3F)),
            byte(0x80 | (*c & 0x3F))};
  }
  return in.string(text);
}

Value in_base(Interpreter& in, const Arguments& args, std::string_view name, unsigned base, std::string_view prefix) {
  if (!takes(in, args, name, 1, 1)) return Value::error();
  auto v = in.as_big(args.positional[0]);
  if (!v) return wrong_type(in, args.at(0), name, "an integer", args.positional[0]);
  unsigned __int128 rest = *v < 0 ? -static_cast<unsigned __int128>(*v) : static_cast<unsigned __int128>(*v);
  std::string digits;
  do {
    digits += "0123456789abcdef"[rest % base];
    rest /= base;
  } while (rest != 0);
  std::reverse(digits.begin(), digits.end());
  return in.string((*v < 0 ? "-" : "") + std::string(prefix) + digits);
}

Value py_hex(Interpreter& in, const Arguments& args, Value) { return in_base(in, args, "hex", 16, "0x"); }
Value py_oct(Interpreter& in, const Arguments& args, Value) { return in_base(in, args, "oct", 8, "0o"); }
Value py_bin(Interpreter& in, const Arguments& args, Value) { return in_base(in, args, "bin", 2, "0b"); }

// ---- objects --------------------------------------------------------------------------------------------------------

Value py_isinstance(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "isinstance", 2, 2)) return Value::error();
  return instance_answer(in, args.positional[0], args.positional[1]);
}

bool is_subclass_of_any(const Class* cls, Value classinfo, int depth) {
  if (Tuple* t = classinfo.as<Tuple>(); t && depth < 32) {
    return std::any_of(t->items.begin(), t->items.end(),
                       [&](Value c) { return is_subclass_of_any(cls, c, depth + 1); });
  }
  return is_subclass(cls, classinfo.as<Class>());
}

Value py_issubclass(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "issubclass", 2, 2)) return Value::error();
  Class* cls = args.positional[0].as<Class>();
  if (!cls) return wrong_type(in, args.at(0), "issubclass", "a class", args.positional[0]);
  return Value::boolean(is_subclass_of_any(cls, args.positional[1], 0));
}

// A name is kept, and a finding may quote it.
constexpr std::size_t kNameCopies = 3;

Value py_getattr(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "getattr", 2, 3)) return Value::error();
  Value object = args.positional[0];
  if (object.is_opaque() || object.is_poison()) return object;
  if (args.positional[1].is_opaque() || args.positional[1].is_poison()) return args.positional[1];
  auto name = in.as_string(args.positional[1], args.at(1), "the name of an attribute");
  if (!name || !reserve(in, args.call, kNameCopies * name->size())) return Value::error();
  std::string_view kept = in.keep(*name);  // the string may be changed by what the attribute runs
  if (args.positional.size() == 2) return in.attribute(object, kept, args.call);
  if (auto v = find_attribute(in, object, kept, args.call)) return *v;
  if (!object.as<Instance>()) in.assume();  // an attribute that is not known here, perhaps
  return in.has_pending() ? Value::error() : args.positional[2];
}

Value py_hasattr(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "hasattr", 2, 2)) return Value::error();
  auto name = in.as_string(args.positional[1], args.at(1), "the name of an attribute");
  if (!name || !reserve(in, args.call, kNameCopies * name->size())) return Value::error();
  const auto found = find_attribute(in, args.positional[0], in.keep(*name), args.call);
  if (in.has_pending()) return Value::error();
  return found && may_be_missing(*found) ? *found : Value::boolean(found.has_value());
}

Value py_setattr(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "setattr", 3, 3)) return Value::error();
  if (args.positional[0].is_opaque()) {
    Str* text = args.positional[1].as<Str>();
    const std::string_view name = text ? in.keep(text->text) : std::string_view();
    return in.set_attribute(args.positional[0], name, args.positional[2], args.call) ? Value::none() : Value::error();
  }
  if (args.positional[1].is_opaque()) {  // it may be any of its attributes
    const bool done = lose_any_name(in, args.positional[0], args.positional[1].reason(), args.positional[2]);
    return done ? Value::none() : Value::error();
  }
  auto name = in.as_string(args.positional[1], args.at(1), "the name of an attribute");
  if (!name) return Value::error();
  if (!reserve(in, args.call, name->size() + sizeof(Value))) return Value::error();
  return in.set_attribute(args.positional[0], in.keep(*name), args.positional[2], args.call) ? Value::none()
                                                                                             : Value::error();
}

Value py_delattr(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "delattr", 2, 2)) return Value::error();
  if (args.positional[0].is_opaque()) return Value::none();
  if (args.positional[1].is_opaque()) {
    const bool done = lose_any_name(in, args.positional[0], args.positional[1].reason(), Value::none());
    return done ? Value::none() : Value::error();
  }
  auto name = in.as_string(args.positional[1], args.at(1), "the name of an attribute");
  if (!name) return Value::error();
  Instance* instance = args.positional[0].as<Instance>();
  if (instance && erase_in_instance(in, instance, *name)) return Value::none();
  if (Class* cls = args.positional[0].as<Class>(); cls && erase_in_class(cls, *name)) return Value::none();
  return in.fail(code::kAttribute, args.call, "there is no attribute '" + std::string(*name) + "' to delete", {},
                 "AttributeError");
}

Value py_callable(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "callable", 1, 1)) return Value::error();
  return Value::boolean(is_callable(args.positional[0]));
}

Value py_repr(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "repr", 1, 1)) return Value::error();
  if (const Value unknown = unknown_in_text(in, args.positional[0]); !unknown.is_none()) return unknown;
  auto text = repr_of(in, args.positional[0]);
  return text && in.step(args.call) ? in.string(*text) : Value::error();
}

Value py_ascii(Interpreter& in, const Arguments& args, Value self) {
  const Value text = py_repr(in, args, self);
  Str* s = text.as<Str>();
  return s && in.charge_text(s->text.size(), args.call) ? in.string(escaped(s->text)) : s ? Value::error() : text;
}

Value py_format(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "format", 1, 2)) return Value::error();
  std::string_view spec;
  if (args.positional.size() == 2) {
    auto given = in.as_string(args.positional[1], args.at(1), "a format");
    if (!given) return Value::error();
    spec = *given;
  }
  auto text = in.format(args.positional[0], spec, args.call);
  return text ? in.string(*text) : Value::error();
}

Value py_hash(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "hash", 1, 1)) return Value::error();
  Value v = args.positional[0];
  const Set* set = v.as<Set>();
  if (v.as<List>() || v.as<Dict>() || (set && !set->is_frozen)) {
    wrong_type(in, args.at(0), "hash", "a hashable value", v);
    return in.certainly();
  }
  in.hash(v);  // counts the steps
  if (in.has_pending()) return Value::error();
  const auto h = lasting_hash(v);
  return h ? Value::integer(*h) : Value::opaque("hash(), which differs from process to process for this value");
}

// Addresses differ from run to run, and nothing here may: id() is unknown.
Value py_id(Interpreter&, const Arguments&, Value) { return Value::opaque("id()"); }

Value py_vars(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "vars", 0, 1)) return Value::error();
  Instance* instance = args.positional.empty() ? nullptr : args.positional[0].as<Instance>();
  if (!instance) return Value::opaque("vars()");
  if (!in.charge(4 * instance->attributes.size(), args.call)) return Value::error();
  return Value::object(names_of(in, instance));
}

Value py_dir(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "dir", 0, 1)) return Value::error();
  if (args.positional.empty()) return Value::opaque("dir()");
  std::vector<std::string> names;
  Value v = args.positional[0];
  if (Instance* instance = v.as<Instance>()) {
    if (!in.charge(16 * instance->attributes.size(), args.call)) return Value::error();
    for (auto& [name, value] : instance->attributes) {
      if (may_be_missing(value)) return value;
      names.push_back(name);
    }
  }
  Class* cls = v.as<Class>() ? v.as<Class>() : type_of(in, v);
  if (!cls->scope || !cls->scope->parent) return Value::opaque("dir()");
  for (Class* c : cls->mro) {
    if (!c->scope) continue;
    if (!in.charge(16 * c->scope->bindings.size(), args.call)) return Value::error();
    for (auto& b : c->scope->bindings) names.emplace_back(b.name);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<Value> items;
  for (const std::string& name : names) {
    if (!in.step(args.call)) return Value::error();
    items.push_back(in.string(name));
  }
  return in.list(std::move(items));
}

// print(..., file=object): what its own `write` is given. None: it goes elsewhere.
Value print_into(Interpreter& in, const Arguments& args) {
  const Keyword* file = keyword(args, "file");
  Instance* target = file ? file->value.as<Instance>() : nullptr;
  Value* write = target ? target->cls->find("write") : nullptr;
  if (!write || !write->as<Function>()) return Value::none();
  auto part = [&](std::string_view name, std::string_view absent) -> std::optional<std::string> {
    const Keyword* k = keyword(args, name);
    if (!k || k->value.is_none()) return std::string(absent);
    Str* text = k->value.as<Str>();
    return text ? std::optional(text->text) : std::nullopt;
  };
  const auto between = part("sep", " "), end = part("end", "\n");
  auto write_part = [&](Value part) {
    return call(in, in.attribute(file->value, "write", args.call), {part}, args.call);
  };
  const Value unknown = Value::opaque("a text that print() makes");
  for (std::size_t i = 0; i < args.positional.size(); ++i) {
    if (i > 0 && write_part(between ? in.string(*between) : unknown).is_error()) return Value::error();
    Value part = unknown_in_text(in, args.positional[i]);
    if (part.is_none()) part = in.string(in.str(args.positional[i]));
    if (in.has_pending() || write_part(part).is_error()) return Value::error();
  }
  if (write_part(end ? in.string(*end) : unknown).is_error()) return Value::error();
  const Keyword* flush = keyword(args, "flush");
  const auto flushes = flush ? in.truth(flush->value, args.call) : std::optional(false);
  if (!flushes) return Value::error();
  return *flushes ? call(in, in.attribute(file->value, "flush", args.call), {}, args.call) : Value::boolean(true);
}

// Python prints while the kernel is built: what a value is when it runs is not there to print.
Value py_print(Interpreter& in, const Arguments& args, Value) {
  for (std::size_t i = 0; in.kernel() && i < args.positional.size(); ++i) {
    const Value v = args.positional[i];
    const bool runtime = (v.is_expr() && !ir::constant(v.as_expr())) || v.as<BufferValue>() || v.as<RegionValue>();
    if (!runtime) continue;
    std::string what(in.written(args.at(i)));
    if (what.empty() || what.find('\n') != what.npos) what = "...";
    const std::string type = v.is_expr() ? ir::dtype_name(v.as_expr()->dtype) : std::string();
    const bool fraction = type.starts_with("float") || type.starts_with("bfloat");
    const std::string format = fraction ? " = %f\\n\", " : type == "int64" ? " = %lld\\n\", " : " = %d\\n\", ";
    const std::string shown = fraction && type != "float32" && type != "float64" ? "T.float32(" + what + ")" : what;
    in.warn(
        code::kPrinted, args.call, "print() runs while the kernel is built, and prints no value of the running one",
        "write " + intrinsics::say(intrinsics::row_of("printf"), in.dialect()) + "(\"" + what + format + shown + ")");
    break;
  }
  const Value written = print_into(in, args);
  return written.is_error() ? written : Value::none();
}

Value function(Interpreter& in, const Builtin& row) { return in.native(row.name, row.function); }

// What reads files, runs text as code or looks at the interpreter itself: never done, the result is unknown.
Value outside(Interpreter& in, const Builtin& row) {
  return in.native(row.name, opaque_function, in.string(std::string(row.name) + "()"));
}

// The other names that Python has everywhere.
Value unfollowed(Interpreter&, const Builtin&) { return Value::opaque("a builtin that is not followed"); }

constexpr Builtin kFunctions[] = {
    {"len", function, {}, known<py_len>},
    {"enumerate", function, {}, known<py_enumerate>},
    {"zip", function, {}, known<py_zip>},
    {"map", function, {}, known<py_map>},
    {"filter", function, {}, known<py_filter>},
    {"reversed", function, {}, known<py_reversed>},
    {"sorted", function, {}, known<py_sorted>},
    {"sum", function, {}, known<py_sum>},
    {"any", function, {}, known<py_any>},
    {"all", function, {}, known<py_all>},
    {"min", function, {}, known<py_min>},
    {"max", function, {}, known<py_max>},
    {"iter", function, {}, known<py_iter>},
    {"next", function, {}, py_next},
    {"abs", function, {}, known<py_abs>},
    {"round", function, {}, known<py_round>},
    {"divmod", function, {}, known<py_divmod>},
    {"pow", function, {}, known<py_pow>},
    {"ord", function, {}, known<py_ord>},
    {"chr", function, {}, known<py_chr>},
    {"hex", function, {}, known<py_hex>},
    {"oct", function, {}, known<py_oct>},
    {"bin", function, {}, known<py_bin>},
    {"isinstance", function, {}, py_isinstance},
    {"issubclass", function, {}, known<py_issubclass>},
    {"getattr", function, {}, py_getattr},
    {"hasattr", function, {}, known<py_hasattr>},
    {"setattr", function, {}, py_setattr},
    {"delattr", function, {}, py_delattr},
    {"callable", function, {}, known<py_callable>},
    {"repr", function, {}, known<py_repr>},
    {"ascii", function, {}, known<py_ascii>},
    {"format", function, {}, known<py_format>},
    {"hash", function, {}, known<py_hash>},
    {"id", function, {}, known<py_id>},
    {"vars", function, {}, known<py_vars>},
    {"dir", function, {}, known<py_dir>},
    {"print", function, {}, py_print},
    {"open", outside},
    {"eval", outside},
    {"exec", function, {}, py_exec},
    {"compile", outside},
    {"__import__", outside},
    {"input", outside},
    {"breakpoint", outside},
    {"exit", function, {}, py_exit},
    {"quit", function, {}, py_exit},
    {"globals", outside},
    {"locals", outside},
    {"aiter", outside},
    {"anext", outside},
    {"BaseExceptionGroup", unfollowed},
    {"BlockingIOError", unfollowed},
    {"BrokenPipeError", unfollowed},
    {"BytesWarning", unfollowed},
    {"ChildProcessError", unfollowed},
    {"ConnectionAbortedError", unfollowed},
    {"ConnectionRefusedError", unfollowed},
    {"ConnectionResetError", unfollowed},
    {"EncodingWarning", unfollowed},
    {"ExceptionGroup", unfollowed},
    {"InterruptedError", unfollowed},
    {"IsADirectoryError", unfollowed},
    {"NotADirectoryError", unfollowed},
    {"ProcessLookupError", unfollowed},
    {"PythonFinalizationError", unfollowed},
    {"ReferenceError", unfollowed},
    {"TabError", unfollowed},
    {"UnicodeTranslateError", unfollowed},
    {"__build_class__", unfollowed},
    {"copyright", unfollowed},
    {"credits", unfollowed},
    {"help", unfollowed},
    {"license", unfollowed},
    {"NotImplemented", [](Interpreter&, const Builtin&) { return Value::not_implemented(); }},
    {"Ellipsis", [](Interpreter&, const Builtin&) { return Value::ellipsis(); }},
    {"__debug__", [](Interpreter&, const Builtin&) { return Value::boolean(true); }},
};

}  // namespace

BuiltinTable builtin_functions() { return table_of<kFunctions>(); }

}  // namespace python

namespace {

using python::Builtin;
using python::BuiltinTable;

const std::array<BuiltinTable, 3>& tables() {
  static const std::array<BuiltinTable, 3> tables{python::builtin_types(), python::builtin_exceptions(),
                                                  python::builtin_functions()};
  return tables;
}

std::size_t number_of_names() {
  std::size_t n = 0;
  for (const BuiltinTable& table : tables()) n += table.rows.size();
  return n;
}

// False: none of the tables has a name of this hash. What is asked for most are a script's own names.
bool may_be_builtin(std::uint32_t hash) {
  constexpr std::size_t kBits = 4096;
  static const auto kNames = [] {
    std::bitset<kBits> out;
    for (const BuiltinTable& table : tables()) {
      for (const Builtin& row : table.rows) out.set(syntax::hash_name(row.name) % kBits);
    }
    return out;
  }();
  return kNames[hash % kBits];
}

}  // namespace

Builtins::Builtins(Interpreter& in) : in_(in), made_(number_of_names(), Value::error()) {}

Value* Builtins::find(const syntax::Name& name) {
  const auto kept = [&]() -> Value* {
    Scope::Binding* b = kept_.find(name);
    return b ? &b->value : nullptr;
  };
  if (!may_be_builtin(name.hash)) return kept();
  Value* made = made_.data();
  for (const BuiltinTable& table : tables()) {
    const std::size_t place = table.place(name);
    if (place == table.rows.size()) {
      made += place;
      continue;
    }
    Value& value = made[place];
    if (!value.is_error()) return &value;
    // It is no work of the script: its limits do not depend on which names it asks for.
    const std::size_t bytes = in_.heap().bytes();
    value = table.rows[place].make(in_, table.rows[place]);
    in_.heap().reset(bytes);
    return &value;
  }
  return kept();
}

Value* Builtins::find(std::string_view name) { return find(syntax::Name{name, syntax::hash_name(name), {}}); }

bool Builtins::has(const syntax::Name& name) {
  const auto lists = [&](const BuiltinTable& table) { return table.place(name) != table.rows.size(); };
  return (may_be_builtin(name.hash) && std::ranges::any_of(tables(), lists)) || kept_.find(name);
}

void Builtins::set(std::string_view key, Value value) { kept_.set(key, value); }

std::vector<std::string_view> Builtins::names() const {
  std::vector<std::string_view> names;
  for (const BuiltinTable& table : tables()) {
    for (const Builtin& row : table.rows) names.push_back(row.name);
  }
  for (const Scope::Binding& b : kept_.bindings) names.push_back(b.name);
  return names;
}

}  // namespace tilewright::script
