#include "compiler/dispatch/variants/copy_async/tma_problem.h"

#include <bit>

#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch::tma {
namespace {

// 0..3, when the layout's swizzle is the one that the hardware applies for elements of this size (V7).
std::expected<int, Reason> hardware_swizzle(const ir::Buffer& shared, int bits) {
  const auto& z = shared.layout->swizzle;
  if (!z) return 0;
  if (z->swizzle_len == 0) return 0;
  const int chunk = std::countr_zero(static_cast<unsigned>(128 / bits));
  if (!z->inner || z->swizzle_len > 3 || z->atom_len != 3 || z->per_element != chunk) {
    return refuse(cat("the swizzle of ", ir::spoken_name(shared), " (", z->per_element, ",", z->swizzle_len, ",",
                      z->atom_len, ") is none that the hardware applies to elements of ", bits, " bits: (", chunk,
                      ",1,3), (", chunk, ",2,3) or (", chunk, ",3,3)"));
  }
  return z->swizzle_len;
}

Dim elements_before(const ir::Buffer& buffer) { return buffer.elem_offset ? Dim(buffer.elem_offset) : Dim(0); }

// The iters of the global layout under each dimension of the buffer.
std::expected<layout::Grouped, Reason> global_layout(const ir::Buffer& global) {
  if (global.layout->swizzle)
    return refuse(cat(ir::spoken_name(global), " is swizzled; a tensor map describes strides only"));
  auto canonical = layout::canonicalize(*global.layout, layout::Fusion::Cuda);
  if (!canonical) return refuse(std::move(canonical.error().message));
  const layout::Shape shape = ir::shape_of(global);
  auto grouped = layout::group(*canonical->tile, shape);
  // Fusing may have hidden symbolic extents that the declared layout shows.
  if (!grouped) grouped = layout::group(*global.layout->tile, shape);
  if (!grouped) return refuse(std::move(grouped.error().message));
  if (!grouped->layout.replica.empty()) return refuse(cat(ir::spoken_name(global), " has a replicated layout"));
  for (const layout::Iter& it : grouped->layout.shard) {
    if (it.axis != layout::Axis::m && !it.extent.is(1)) {
      return refuse(cat(ir::spoken_name(global), " is distributed over axis ", layout::axis_name(it.axis)));
    }
  }
  for (const auto& [axis, value] : grouped->layout.offset) {
    if (axis != layout::Axis::m && !value.is(0)) {
      return refuse(cat(ir::spoken_name(global), " has an offset on axis ", layout::axis_name(axis)));
    }
  }
  return std::move(*grouped);
}

}  // namespace

std::expected<Problem, Reason> problem_of(const ir::Region& global, const ir::Region& shared,
                                          const Window& shared_window) {
  Problem out;
  const ir::Buffer &g = *global.buffer, &s = *shared.buffer;
  out.bits = g.dtype.storage_bits() * g.dtype.lanes;
  if (out.bits < 8 || out.bits > 64 || !std::has_single_bit(static_cast<unsigned>(out.bits))) {
    return refuse(cat("elements of ", out.bits, " bits: a tensor map has 8, 16, 32 or 64"));
  }
  auto swizzle = hardware_swizzle(s, out.bits);
  if (!swizzle) return refuse(std::move(swizzle.error()));
  out.swizzle = *swizzle;
  if (Reason why = not_plain(shared_window, ir::spoken_name(s)); !why.empty()) return refuse(std::move(why));
  out.shared_start = elements_before(s) + shared_window.start();
  const std::int64_t period = out.swizzle ? std::int64_t{128} << out.swizzle : 128;
  if (!provably_divisible(elements_before(s) * Dim(out.bits / 8), period)) {
    return refuse(cat(ir::spoken_name(s), " starts at element ", layout::to_string(elements_before(s)),
                      " of its storage, ",
                      out.swizzle ? "which the hardware's swizzle needs on a multiple of " : "not on a multiple of ",
                      period, " bytes"));
  }

  auto grouped = global_layout(g);
  if (!grouped) return refuse(std::move(grouped.error()));
  out.global_base = elements_before(g) + layout::offset_on(grouped->layout.offset, layout::Axis::m);
  std::vector<std::int64_t> extents;  // of the runs that are more than one element
  for (std::size_t d = 0; d < g.rank(); ++d) {
    const ir::Range& range = global.ranges[d];
    const Dim start(range.min);
    const std::int64_t extent = *ir::constant(range.extent);
    std::vector<layout::Iter> iters;
    for (std::size_t i = grouped->separators[d]; i < grouped->separators[d + 1]; ++i) {
      if (!grouped->layout.shard[i].extent.is(1)) iters.push_back(grouped->layout.shard[i]);
    }
    if (iters.empty()) {
      out.runs.push_back({.shape = 1, .stride = 0, .start = start, .extent = extent});
    } else {
      Dim unit = 1;
      for (std::size_t i = 1; i < iters.size(); ++i) unit = unit * iters[i].extent;
      if (iters.size() > 1 && (!unit.is_constant() || extent % unit.value() != 0 || !provably_divisible(start, unit))) {
        return refuse(cat("dimension ", d, " of ", ir::spoken_name(g), " consists of blocks of ",
                          layout::to_string(unit), " elements, and the region does not start and end with one"));
      }
      out.runs.push_back({.shape = iters[0].extent,
                          .stride = iters[0].stride,
                          .start = iters.size() > 1 ? floordiv(start, unit) : start,
                          .extent = iters.size() > 1 ? extent / unit.value() : extent});
      for (std::size_t i = 1; i < iters.size(); ++i) {
        out.runs.push_back(
            {.shape = iters[i].extent, .stride = iters[i].stride, .start = 0, .extent = iters[i].extent.value()});
      }
    }
  }
  for (const GlobalRun& run : out.runs) {
    if (run.extent != 1) extents.push_back(run.extent);
  }

  Walks walks;
  for (const layout::Iter& it : shared_window.tile.shard) {
    walks.push_back(walk_of(it));
    if (walks.back().unit) return refuse(cat(ir::spoken_name(s), " has a pitch known only at run time"));
  }
  if (extents.empty()) return out;
  std::optional<Runs> cut = group(walks, extents);
  if (!cut) {
    return refuse(cat("the region of ", ir::spoken_name(s), " cannot be cut where the dimensions of ",
                      ir::spoken_name(g), " are"));
  }
  std::size_t k = 0;
  for (GlobalRun& run : out.runs) {
    if (run.extent == 1) continue;
    for (const Walk& w : cut->run(k)) {
      if (w.extent != 1) run.shards.push_back(w);
    }
    ++k;
  }
  return out;
}

}  // namespace tilewright::dispatch::tma
