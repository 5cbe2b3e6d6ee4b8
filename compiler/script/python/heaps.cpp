// The modules `heapq` and `bisect`. A heap is a list whose order a script can see, so each step is Python's own: what
// is taken from the root leaves a hole that moves down to a leaf, and the last item moves up from there.
#include <algorithm>

#include "compiler/script/codes.h"
#include "compiler/script/python/support.h"

namespace tilewright::script::python {
namespace {

// The list of a call, whose items are all known; null: an error is pending, or `unknown` is the answer.
List* heap_of(Interpreter& in, const Arguments& args, std::string_view name, std::size_t count, Value* unknown) {
  if (!takes(in, args, name, count, count)) return nullptr;
  List* heap = args.positional[0].as<List>();
  if (!heap) {
    wrong_type(in, args.at(0), name, "a list", args.positional[0]);
    return nullptr;
  }
  for (Value v : args.positional) {
    const Value found = in.unknown_within(v);
    if (found.is_none()) continue;
    // Where it stands in the heap is not known, nor is the order of the others.
    if (in.lose(args.positional[0], found.reason())) *unknown = found;
    return nullptr;
  }
  return heap;
}

// Moves the item at `at` up to where its parent is not larger. False: an error is pending.
bool move_up(Interpreter& in, std::vector<Value>& items, std::size_t from, std::size_t at, text::Span span) {
  const Value item = items[at];
  while (at > from) {
    const std::size_t parent = (at - 1) / 2;
    auto smaller = less(in, item, items[parent], span);
    if (!smaller) return false;
    if (!*smaller) break;
    items[at] = items[parent];
    at = parent;
  }
  items[at] = item;
  return true;
}

bool move_down(Interpreter& in, std::vector<Value>& items, std::size_t at, text::Span span) {
  const std::size_t begin = at;
  const Value item = items[at];
  std::size_t child = 2 * at + 1;
  while (child < items.size()) {
    if (!in.step(span)) return false;
    if (child + 1 < items.size()) {
      auto left = less(in, items[child], items[child + 1], span);
      if (!left) return false;
      if (!*left) ++child;
    }
    items[at] = items[child];
    at = child;
    child = 2 * at + 1;
  }
  items[at] = item;
  return move_up(in, items, begin, at, span);
}

Value heappush(Interpreter& in, const Arguments& args, Value) {
  Value unknown = Value::error();
  List* heap = heap_of(in, args, "heappush", 2, &unknown);
  if (!heap) return unknown;
  if (!reserve(in, args.call, sizeof(Value))) return Value::error();
  std::vector<Value> items = heap->items;  // an __lt__ of the script may change the list
  items.push_back(args.positional[1]);
  if (!move_up(in, items, 0, items.size() - 1, args.call)) return Value::error();
  heap->items = std::move(items);
  return Value::none();
}

Value replace_root(Interpreter& in, List* heap, Value item, text::Span span) {
  std::vector<Value> items = heap->items;
  const Value root = std::exchange(items[0], item);
  if (!move_down(in, items, 0, span)) return Value::error();
  heap->items = std::move(items);
  return root;
}

Value empty_heap(Interpreter& in, text::Span span) {
  return in.fail(code::kIndex, span, "the heap is empty", {}, "IndexError");
}

Value heappop(Interpreter& in, const Arguments& args, Value) {
  Value unknown = Value::error();
  List* heap = heap_of(in, args, "heappop", 1, &unknown);
  if (!heap) return unknown;
  if (heap->items.empty()) return empty_heap(in, args.call);
  if (!work(in, args.call, heap->items.size())) return Value::error();
  const Value last = heap->items.back();
  heap->items.pop_back();
  return heap->items.empty() ? last : replace_root(in, heap, last, args.call);
}

Value heapreplace(Interpreter& in, const Arguments& args, Value) {
  Value unknown = Value::error();
  List* heap = heap_of(in, args, "heapreplace", 2, &unknown);
  if (!heap) return unknown;
  if (heap->items.empty()) return empty_heap(in, args.call);
  return replace_root(in, heap, args.positional[1], args.call);
}

Value heappushpop(Interpreter& in, const Arguments& args, Value) {
  Value unknown = Value::error();
  List* heap = heap_of(in, args, "heappushpop", 2, &unknown);
  if (!heap) return unknown;
  if (heap->items.empty()) return args.positional[1];
  auto smaller = less(in, heap->items[0], args.positional[1], args.call);
  if (!smaller) return Value::error();
  return *smaller ? replace_root(in, heap, args.positional[1], args.call) : args.positional[1];
}

Value heapify(Interpreter& in, const Arguments& args, Value) {
  Value unknown = Value::error();
  List* heap = heap_of(in, args, "heapify", 1, &unknown);
  if (!heap) return unknown;
  std::vector<Value> items = heap->items;
  for (std::size_t i = items.size() / 2; i-- > 0;) {
    if (!move_down(in, items, i, args.call)) return Value::error();
  }
  heap->items = std::move(items);
  return Value::none();
}

// The first items of what is sorted.
template <bool Largest>
Value extremes(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, Largest ? "nlargest" : "nsmallest", {"n", "iterable", "key"}, 2);
  if (!a) return Value::error();
  auto n = in.as_int(a[0], a.span(0), "n");
  auto items = n ? in.iterate(a[1], a.span(1)) : std::nullopt;
  if (!items || !sort(in, *items, a.has(2) ? a[2] : Value::none(), Largest, args.call)) return Value::error();
  items->resize(std::min(items->size(), static_cast<std::size_t>(std::max<std::int64_t>(*n, 0))));
  return in.list(std::move(*items));
}

constexpr Entry kHeapq[] = {
    {"heappush", heappush},
    {"heappop", known<heappop>},
    {"heapify", known<heapify>},
    {"heapreplace", heapreplace},
    {"heappushpop", heappushpop},
    {"nlargest", known<extremes<true>>},
    {"nsmallest", known<extremes<false>>},
};

// ---- bisect ---------------------------------------------------------------------------------------------------------

// Where the value belongs in a list that is sorted; nothing: an error is pending, or `unknown` is the answer.
std::optional<std::size_t> place(Interpreter& in, const Arguments& args, bool right, Value* unknown) {
  Bound a(in, args, "bisect", {"a", "x", "lo", "hi", "key"}, 2);
  if (!a) return std::nullopt;
  auto items = in.iterate(a[0], a.span(0));
  auto lo = a.has(2) ? in.as_int(a[2], a.span(2), "lo") : std::optional<std::int64_t>(0);
  if (!items || !lo) return std::nullopt;
  const auto size = static_cast<std::int64_t>(items->size());
  auto hi = a.has(3) ? in.as_int(a[3], a.span(3), "hi") : std::optional<std::int64_t>(size);
  if (!hi) return std::nullopt;
  std::int64_t first = std::clamp<std::int64_t>(*lo, 0, size), last = std::clamp<std::int64_t>(*hi, 0, size);
  while (first < last) {
    const std::int64_t middle = (first + last) / 2;
    Value item = (*items)[static_cast<std::size_t>(middle)];
    if (a.has(4)) item = call(in, a[4], {item}, args.call);
    if (item.is_error()) return std::nullopt;
    if (const Value found = in.unknown_within(item); !found.is_none()) {
      *unknown = found;
      return std::nullopt;
    }
    auto smaller = right ? less(in, a[1], item, args.call) : less(in, item, a[1], args.call);
    if (!smaller) return std::nullopt;
    if (*smaller != right) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return static_cast<std::size_t>(first);
}

template <bool Right>
Value bisect(Interpreter& in, const Arguments& args, Value) {
  Value unknown = Value::error();
  auto at = place(in, args, Right, &unknown);
  return at ? Value::integer(static_cast<std::int64_t>(*at)) : unknown;
}

template <bool Right>
Value insort(Interpreter& in, const Arguments& args, Value) {
  Value unknown = Value::error();
  auto at = place(in, args, Right, &unknown);
  List* list = args.positional.empty() ? nullptr : args.positional[0].as<List>();
  if (!at && unknown.is_opaque() && list)
    return in.lose(args.positional[0], unknown.reason()) ? unknown : Value::error();
  if (!at) return unknown;
  if (!list) return wrong_type(in, args.at(0), "insort", "a list", args.positional[0]);
  if (!reserve(in, args.call, sizeof(Value)) || !work(in, args.call, list->items.size() / 4)) return Value::error();
  list->items.insert(list->items.begin() + static_cast<std::ptrdiff_t>(std::min(*at, list->items.size())),
                     args.positional[1]);
  return Value::none();
}

constexpr Entry kBisect[] = {
    {"bisect", known<bisect<true>>}, {"bisect_right", known<bisect<true>>}, {"bisect_left", known<bisect<false>>},
    {"insort", known<insort<true>>}, {"insort_right", known<insort<true>>}, {"insort_left", known<insort<false>>},
};

}  // namespace

std::span<const Entry> heapq_names() { return kHeapq; }
std::span<const Entry> bisect_names() { return kBisect; }

}  // namespace tilewright::script::python
