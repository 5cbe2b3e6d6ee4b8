#include "compiler/dispatch/blocks/local_view.h"

#include <algorithm>
#include <bit>

#include "compiler/dispatch/blocks/coverage.h"
#include "compiler/dispatch/blocks/operands.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch {
namespace {

using layout::Axis;
using layout::Iter;

// A dimension of a region as its layout holds it: walks over threads and walks over memory, in order.
struct Held {
  layout::Iters iters;

  std::int64_t threads() const { return count(true); }
  std::int64_t registers() const { return count(false); }
  bool trivial() const { return threads() == 1 && registers() == 1; }

  Walks memory() const {
    Walks out;
    for (const Iter& it : iters) {
      if (!layout::is_thread_axis(it.axis) && !it.extent.is(1)) out.push_back(walk_of(it));
    }
    return out;
  }

 private:
  std::int64_t count(bool of_threads) const {
    std::int64_t n = 1;
    for (const Iter& it : iters) n *= layout::is_thread_axis(it.axis) == of_threads ? it.extent.value() : 1;
    return n;
  }
};

// Neighbours that continue each other are one walk; registers are counted, wherever they lie.
layout::Iters pattern(const Held& held) {
  layout::Iters out;
  for (const Iter& it : held.iters) {
    if (it.extent.is(1)) continue;
    const bool thread = layout::is_thread_axis(it.axis);
    const bool joins = !out.empty() && (thread ? out.back().axis == it.axis &&
                                                     layout::provably_equal(out.back().stride, it.extent * it.stride)
                                               : !layout::is_thread_axis(out.back().axis));
    if (joins) {
      out.back() = {out.back().extent * it.extent, thread ? it.stride : layout::Dim(1), it.axis};
    } else {
      out.push_back({it.extent, thread ? it.stride : layout::Dim(1), it.axis});
    }
  }
  return out;
}
bool held_alike(const Held& a, const Held& b) {
  return std::ranges::equal(pattern(a), pattern(b), [](const Iter& x, const Iter& y) { return layout::same(x, y); });
}

std::expected<std::vector<Held>, Reason> grouped(const layout::TileLayout& tile, layout::ShapeView shape,
                                                 std::string_view name) {
  auto runs = layout::group(tile, shape);
  if (!runs) return std::unexpected(cat("the layout of ", name, " cannot be cut where its dimensions are"));
  std::vector<Held> out;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    Held& held = out.emplace_back();
    for (std::size_t k = runs->separators[d]; k < runs->separators[d + 1]; ++k) {
      const Iter& it = runs->layout.shard[k];
      if (!it.extent.is_constant() || !it.stride.is_constant()) {
        return std::unexpected(cat("the layout of ", name, " is known only at run time"));
      }
      held.iters.push_back(it);
    }
  }
  return out;
}

std::int64_t threads_in(const layout::TileLayout& tile) {
  std::int64_t n = 1;
  for (const Iter& it : tile.shard) {
    const bool cooperates = it.axis == Axis::laneid || it.axis == Axis::tid_in_wg || it.axis == Axis::tx;
    if (cooperates && it.extent.is_constant()) n *= it.extent.value();
  }
  return n;
}

// The dimensions of a region and where it starts in a thread's registers. All threads of the tile take part.
struct Side {
  std::vector<Held> dims;
  layout::Dim start;
};
std::expected<Side, Reason> side_of(CallContext& context, const ir::Region& region, std::string_view role) {
  std::string_view name = ir::spoken_name(*region.buffer);
  const layout::TileLayout& whole = *region.buffer->layout->tile;
  for (const Iter& it : whole.shard) {
    if (layout::is_thread_axis(it.axis) && it.stride.is(0))
      return std::unexpected(cat("thread dim with zero stride in ", role, ": ", name));
  }
  for (const Iter& it : whole.replica) {
    if (layout::is_thread_axis(it.axis)) return std::unexpected(cat("thread axis in replica for ", role, ": ", name));
  }
  auto part = part_of_layout(region);
  if (!part || !part->tile) {
    return std::unexpected(cat("get_local_region failed for ", role, ": ", region_text(region),
                               " is not one strided block of its layout"));
  }
  if (threads_in(*part->tile) != threads_in(whole)) {
    return std::unexpected(cat("get_local_region failed for ", role, ": ", region_text(region),
                               " takes in only some of the threads that hold ", name));
  }
  if (Reason r = of_another_warp(context, region); !r.empty()) return std::unexpected(std::move(r));
  layout::Shape shape;
  for (const ir::Range& r : region.ranges) shape.push_back(layout::Dim(r.extent));
  auto dims = grouped(*part->tile, shape, name);
  if (!dims) return std::unexpected(std::move(dims.error()));
  return Side{std::move(*dims), layout::offset_on(part->tile->offset, Axis::m)};
}

// The distances of the lanes that a walk goes over (Q22).
std::expected<void, Reason> add_distances(const Iter& it, std::vector<std::int64_t>& out) {
  const std::int64_t e = it.extent.value(), s = it.stride.value();
  if (e == 1) return {};
  if (it.axis != Axis::laneid || !std::has_single_bit(static_cast<std::uint64_t>(e)) || s <= 0 ||
      !std::has_single_bit(static_cast<std::uint64_t>(s)) || s * e > 32) {
    return std::unexpected(cat("lanes exchange over powers of two, not over ", e, " steps of ", s, " on axis ",
                               layout::axis_name(it.axis)));
  }
  for (std::int64_t m = s; m < s * e; m *= 2) out.push_back(m);
  return {};
}

void append(Walks& to, Walks more) { to.insert(to.end(), more.begin(), more.end()); }

bool same_region(const Reduction& r) {
  if (r.dst.buffer != r.src.buffer || r.dst.ranges.size() != r.src.ranges.size()) return false;
  for (std::size_t d = 0; d < r.dst.ranges.size(); ++d) {
    if (!ir::provably_equal(r.dst.ranges[d].min, r.src.ranges[d].min)) return false;
    if (!ir::provably_equal(r.dst.ranges[d].extent, r.src.ranges[d].extent)) return false;
  }
  return true;
}

bool covers(const ir::Region& region) {
  for (std::size_t d = 0; d < region.ranges.size(); ++d) {
    if (!ir::is_constant(region.ranges[d].min, 0)) return false;
    if (!ir::provably_equal(region.ranges[d].extent, region.buffer->shape[d])) return false;
  }
  return true;
}

std::unexpected<Reason> mismatch(const std::string& detail) {
  return std::unexpected(cat("mismatch dst/src layout for reduction: ", detail));
}

}  // namespace

std::expected<LocalView, Reason> local_view(CallContext& context, bool exchange) {
  const Reduction& r = reduction(context);
  auto src = side_of(context, r.src, "src"), dst = side_of(context, r.dst, "dst");
  if (!src || !dst) return std::unexpected(std::move(src ? dst.error() : src.error()));
  if (!r.bad_axes.empty()) return std::unexpected(r.bad_axes);
  LocalView view;
  view.source_start = src->start;
  view.destination_start = dst->start;
  view.in_place = same_region(r);
  std::size_t at = 0;  // of the destination's dimensions
  auto next = [&]() -> const Held* {
    while (at < dst->dims.size() && dst->dims[at].trivial()) ++at;
    return at < dst->dims.size() ? &dst->dims[at++] : nullptr;
  };
  for (std::size_t d = 0; d < src->dims.size(); ++d) {
    const Held& held = src->dims[d];
    Held wanted = held;
    if (r.reduced[d]) {
      append(view.summand, held.memory());
      std::erase_if(wanted.iters, [](const Iter& it) { return !layout::is_thread_axis(it.axis); });
      for (const Iter& it : wanted.iters) {
        if (!exchange) continue;
        if (auto ok = add_distances(it, view.distances); !ok) return std::unexpected(std::move(ok.error()));
      }
    }
    if (wanted.trivial()) continue;
    const Held* given = next();
    if (!given) return mismatch(cat("dimension ", d, " of the source has no counterpart"));
    if (!held_alike(wanted, *given))
      return mismatch(cat("dimension ", d, " of the source is held by other threads, or in other parts"));
    append(view.destination, given->memory());
    if (!r.reduced[d]) append(view.source, held.memory());
  }
  if (next()) return mismatch("the destination has a dimension that the source has not");
  std::ranges::sort(view.distances);
  return view;
}

bool is_lane_pattern(const Reduction& r) {
  auto src = layout::canonicalize(*r.src.buffer->layout, layout::Fusion::Off);
  auto dst = layout::canonicalize(*r.dst.buffer->layout, layout::Fusion::Off);
  if (!src || !dst) return false;
  std::int64_t reach = 1, width = 1;
  bool lanes = false, repeated = false;
  for (const Iter& it : src->tile->shard) {
    if (it.axis != Axis::laneid || !it.extent.is_constant() || !it.stride.is_constant()) continue;
    lanes = true;
    reach += std::abs(it.stride.value()) * (it.extent.value() - 1);
  }
  for (const Iter& it : dst->tile->replica) {
    if (it.axis != Axis::laneid || !it.extent.is_constant()) continue;
    repeated = true;
    width *= it.extent.value();
  }
  return lanes && repeated && reach == 32 && width <= 32 && std::has_single_bit(static_cast<std::uint64_t>(width));
}

std::expected<LocalView, Reason> lane_view(CallContext& context) {
  const Reduction& r = reduction(context);
  if (!r.bad_axes.empty()) return std::unexpected(r.bad_axes);
  if (!covers(r.src) || !covers(r.dst)) return std::unexpected("lanes exchange whole tiles, not regions of them");
  const layout::TileLayout &from = *r.src.buffer->layout->tile, &to = *r.dst.buffer->layout->tile;
  auto src = grouped(from, ir::shape_of(*r.src.buffer), ir::spoken_name(*r.src.buffer));
  if (!src) return std::unexpected(std::move(src.error()));
  LocalView view;
  view.in_place = r.src.buffer == r.dst.buffer;
  view.source_start = layout::offset_on(from.offset, Axis::m);
  view.destination_start = layout::offset_on(to.offset, Axis::m);
  Held stays, holds{to.shard};
  for (std::size_t d = 0; d < src->size(); ++d) {
    const Held& held = (*src)[d];
    if (!r.reduced[d]) {
      stays.iters.insert(stays.iters.end(), held.iters.begin(), held.iters.end());
      continue;
    }
    if (held.registers() != 1)
      return std::unexpected(cat("dimension ", d, " is reduced and does not live in lanes alone"));
    for (const Iter& it : held.iters) {
      if (auto ok = add_distances(it, view.distances); !ok) return std::unexpected(std::move(ok.error()));
    }
  }
  std::vector<std::int64_t> repeated;
  for (const Iter& it : to.replica) {
    if (auto ok = add_distances(it, repeated); !ok) return std::unexpected(std::move(ok.error()));
  }
  std::ranges::sort(view.distances);
  std::ranges::sort(repeated);
  if (view.distances != repeated || !from.replica.empty()) {
    return std::unexpected(cat(ir::spoken_name(*r.dst.buffer), " is not repeated over the lanes that ",
                               ir::spoken_name(*r.src.buffer), " is reduced over"));
  }
  if (!held_alike(stays, holds)) return mismatch("what stays is held by other lanes, or in another order");
  view.destination = holds.memory();
  view.source = stays.memory();
  return view;
}

}  // namespace tilewright::dispatch
