#include "compiler/script/slices.h"

#include <algorithm>
#include <utility>

namespace tilewright::script {

std::optional<std::size_t> element_position(Interpreter& in, std::size_t size, Value index, text::Span span) {
  auto i = in.as_int(index, span, "an index");
  if (!i) return std::nullopt;
  std::int64_t k = *i < 0 ? *i + static_cast<std::int64_t>(size) : *i;
  if (k >= 0 && std::cmp_less(k, size)) return static_cast<std::size_t>(k);
  in.fail(code::kIndex, span,
          "index " + std::to_string(*i) + " is out of range: there are " + std::to_string(size) + " elements", {},
          "IndexError");
  return std::nullopt;
}

std::optional<SliceRange> slice_range(Interpreter& in, const Slice& slice, std::size_t size, text::Span span) {
  auto n = static_cast<std::int64_t>(size);
  SliceRange r;
  if (!slice.step.is_none()) {
    auto step = in.as_int(slice.step, span, "the step of a slice");
    if (!step) return std::nullopt;
    // No sequence is longer than this, and a larger step would not fit where it is multiplied.
    r.step = std::clamp<std::int64_t>(*step, -(std::int64_t{1} << 40), std::int64_t{1} << 40);
  }
  if (r.step == 0) {
    in.fail(code::kValue, span, "the step of a slice cannot be zero", {}, "ValueError");
    return std::nullopt;
  }
  std::int64_t low = r.step > 0 ? 0 : -1, high = r.step > 0 ? n : n - 1;
  auto bound = [&](Value v, std::int64_t absent) -> std::optional<std::int64_t> {
    if (v.is_none()) return absent;
    auto given = in.as_int(v, span, "a bound of a slice");
    if (!given) return std::nullopt;
    return std::clamp(*given < 0 ? *given + n : *given, low, high);
  };
  auto start = bound(slice.start, r.step > 0 ? low : high), stop = bound(slice.stop, r.step > 0 ? high : low);
  if (!start || !stop) return std::nullopt;
  r.start = *start;
  r.stop = *stop;
  std::int64_t reach = r.step > 0 ? r.stop - r.start : r.start - r.stop;
  std::int64_t stride = r.step > 0 ? r.step : -r.step;
  r.count = reach > 0 ? (reach - 1) / stride + 1 : 0;
  return r;
}

bool assign_slice(Interpreter& in, List& list, const Slice& slice, Value value, text::Span span) {
  auto items = in.iterate(value, span);
  if (!items) return false;
  auto r = slice_range(in, slice, list.items.size(), span);
  if (!r || !in.reserve(items->size() * sizeof(Value), span)) return false;
  if (!in.charge(items->size() + list.items.size(), span)) return false;
  if (r->step != 1) {
    if (std::cmp_not_equal(items->size(), r->count)) {
      in.fail(code::kValue, span,
              "a slice of " + std::to_string(r->count) + " elements cannot take " + std::to_string(items->size()), {},
              "ValueError");
      return false;
    }
    for (std::int64_t i = 0; i < r->count; ++i) list.items[r->at(i)] = (*items)[static_cast<std::size_t>(i)];
    return true;
  }
  in.heap().count(items->size() * sizeof(Value));
  auto from = list.items.begin() + r->start;
  from = list.items.erase(from, from + r->count);
  list.items.insert(from, items->begin(), items->end());
  return true;
}

bool delete_slice(Interpreter& in, List& list, const Slice& slice, text::Span span) {
  auto r = slice_range(in, slice, list.items.size(), span);
  if (!r || !in.charge(list.items.size(), span)) return false;
  if (r->count == 0) return true;
  if (r->step < 0) *r = {r->start + (r->count - 1) * r->step, 0, -r->step, r->count};
  std::size_t kept = 0;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    auto behind = static_cast<std::int64_t>(i) - r->start;
    bool goes = behind >= 0 && behind % r->step == 0 && behind / r->step < r->count;
    if (!goes) list.items[kept++] = list.items[i];
  }
  list.items.resize(kept);
  return true;
}

}  // namespace tilewright::script
