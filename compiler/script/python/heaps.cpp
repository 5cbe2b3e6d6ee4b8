// The modules `heapq` and `bisect`. A heap is a list whose order a script can see, so each step is Python's own: what
// is taken from the root leaves a hole that moves down to a leaf, and the last item moves up from there.
#include <algorithm>

#include "compiler/script/codes.h"
#include "compiler/script/python/support.h"

namespace tilewright::script::python {
namespace {

// -1, 0 or 1 of two plain values of one type, or of tuples as far as such values decide; nothing: it takes a
// comparison.
std::optional<int> plain_order(Value a, Value b, int depth = 0) {
  if (a.is_int() && b.is_int()) return a.i < b.i ? -1 : a.i > b.i;
  if (!a.is_object() || !b.is_object() || a.o->type != b.o->type) return std::nullopt;
  if (a.o == b.o && a.o->type == Type::Str) return 0;
  if (Str* x = a.as<Str>()) {
    const int order = x->text.compare(b.as<Str>()->text);
    return order < 0 ? -1 : order > 0;
  }
  constexpr int kDeepest = 4;
  Tuple *x = a.as<Tuple>(), *y = b.as<Tuple>();
  if (!x || depth > kDeepest) return std::nullopt;
  const std::size_t shorter = std::min(x->items.size(), y->items.size());
  for (std::size_t i = 0; i < shorter; ++i) {
    const auto order = plain_order(x->items[i], y->items[i], depth + 1);
    if (!order || *order != 0) return order;
  }
  return x->items.size() < y->items.size() ? -1 : x->items.size() > y->items.size();
}

// The list of a call. What is not known counts where it is compared: items that a step does not touch stay where they
// are, whatever they are.
class Heap {
 public:
  Heap(Interpreter& in, const Arguments& args, std::string_view name, std::size_t count) : in_(in), span_(args.call) {
    if (!takes(in, args, name, count, count)) return;
    const Value given = args.positional[0];
    if (given.is_opaque() || given.is_poison()) {
      answer_ = given;
      return;
    }
    list_ = given.as<List>();
    if (!list_) wrong_type(in, args.at(0), name, "a list", given);
  }
  explicit operator bool() const { return list_ != nullptr; }
  // What a call gives whose steps could not be followed: an error that is pending, or what is not known.
  Value answer() const { return answer_; }
  std::vector<Value>& items() { return list_->items; }

  // a < b; nothing: see answer(). A comparison of the script's may change the list, which ends the call as in Python.
  std::optional<bool> smaller(Value a, Value b) {
    if (const auto order = plain_order(a, b)) return *order < 0;
    if (!is_plain(a) || !is_plain(b)) {
      Value unknown = in_.unknown_within(a);
      if (unknown.is_none()) unknown = in_.unknown_within(b);
      if (!unknown.is_none()) {  // where it stands in the heap is not known, nor is the order of the others
        if (in_.lose(Value::object(list_), unknown.reason())) answer_ = unknown;
        return std::nullopt;
      }
    }
    const std::size_t size = list_->items.size();
    const auto found = less(in_, a, b, span_);
    if (found && list_->items.size() != size) {
      in_.fail(code::kValue, span_, "the list changed its size while it was compared", {}, "RuntimeError");
      return std::nullopt;
    }
    return found;
  }

  // Moves the item at `at` up to where its parent is not larger.
  bool move_up(std::size_t from, std::size_t at) {
    const Value item = list_->items[at];
    while (at > from) {
      const std::size_t parent = (at - 1) / 2;
      const auto goes_up = smaller(item, list_->items[parent]);
      if (!goes_up) return false;
      if (!*goes_up) break;
      list_->items[at] = list_->items[parent];
      list_->items[parent] = item;
      at = parent;
    }
    return true;
  }

  bool move_down(std::size_t at) {
    const std::size_t begin = at, size = list_->items.size();
    std::size_t child = 2 * at + 1;
    while (child < size) {
      if (!in_.step(span_)) return false;
      if (child + 1 < size) {
        const auto left = smaller(list_->items[child], list_->items[child + 1]);
        if (!left) return false;
        if (!*left) ++child;
      }
      std::swap(list_->items[at], list_->items[child]);
      at = child;
      child = 2 * at + 1;
    }
    return move_up(begin, at);
  }

  // The root, with `item` in its place.
  Value replace_root(Value item) {
    const Value root = std::exchange(list_->items[0], item);
    return move_down(0) ? root : answer_;
  }

 private:
  Interpreter& in_;
  const text::Span span_;
  List* list_ = nullptr;
  Value answer_ = Value::error();
};

Value heappush(Interpreter& in, const Arguments& args, Value) {
  Heap heap(in, args, "heappush", 2);
  if (!heap) return heap.answer();
  if (!reserve(in, args.call, sizeof(Value))) return Value::error();
  heap.items().push_back(args.positional[1]);
  return heap.move_up(0, heap.items().size() - 1) ? Value::none() : heap.answer();
}

Value empty_heap(Interpreter& in, text::Span span) {
  return in.fail(code::kIndex, span, "the heap is empty", {}, "IndexError");
}

Value heappop(Interpreter& in, const Arguments& args, Value) {
  Heap heap(in, args, "heappop", 1);
  if (!heap) return heap.answer();
  if (heap.items().empty()) return empty_heap(in, args.call);
  const Value last = heap.items().back();
  heap.items().pop_back();
  return heap.items().empty() ? last : heap.replace_root(last);
}

Value heapreplace(Interpreter& in, const Arguments& args, Value) {
  Heap heap(in, args, "heapreplace", 2);
  if (!heap) return heap.answer();
  return heap.items().empty() ? empty_heap(in, args.call) : heap.replace_root(args.positional[1]);
}

Value heappushpop(Interpreter& in, const Arguments& args, Value) {
  Heap heap(in, args, "heappushpop", 2);
  if (!heap) return heap.answer();
  if (heap.items().empty()) return args.positional[1];
  const auto smaller = heap.smaller(heap.items()[0], args.positional[1]);
  if (!smaller) return heap.answer();
  return *smaller ? heap.replace_root(args.positional[1]) : args.positional[1];
}

Value heapify(Interpreter& in, const Arguments& args, Value) {
  Heap heap(in, args, "heapify", 1);
  if (!heap) return heap.answer();
  for (std::size_t i = heap.items().size() / 2; i-- > 0;) {
    if (!heap.move_down(i)) return heap.answer();
  }
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
    {"heappop", heappop},
    {"heapify", heapify},
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
  List* list = args.positional.empty() ? nullptr : args.positional[0].as<List>();
  if (auto given = unknown_argument(args))
    return !list || in.lose(args.positional[0], given->reason()) ? *given : Value::error();
  Value unknown = Value::error();
  auto at = place(in, args, Right, &unknown);
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
    {"insort", insort<true>},        {"insort_right", insort<true>},        {"insort_left", insort<false>},
};

}  // namespace

std::span<const Entry> heapq_names() { return kHeapq; }
std::span<const Entry> bisect_names() { return kBisect; }

}  // namespace tilewright::script::python
