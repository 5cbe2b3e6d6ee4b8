#include "compiler/dispatch/blocks/warpgroup_registers.h"

#include <algorithm>

#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch {
namespace {

using layout::Axis;

// Threads of the warpgroup from one value of the axis to the next; 0: no axis inside of a warpgroup.
std::int64_t threads_of(Axis axis) {
  switch (axis) {
    case Axis::laneid:
    case Axis::tid_in_wg: return 1;
    case Axis::wid_in_wg: return 32;
    default: return 0;
  }
}

bool is_threads(std::span<const layout::Iter> run, std::int64_t distance) {
  return run.size() == 1 && run[0].stride.is_constant() && run[0].stride.value() * threads_of(run[0].axis) == distance;
}

bool is_memory(std::span<const layout::Iter> run) {
  return std::ranges::all_of(run, [](const layout::Iter& it) {
    const bool known = it.extent.is_constant() && it.stride.is_constant();
    return known && (it.axis == Axis::m || it.extent.is(1));
  });
}

Walks walks_of(std::span<const layout::Iter> run) {
  Walks out;
  for (const layout::Iter& it : run) out.push_back(walk_of(it));
  return out;
}

// The extents of the region that are not 1: rows and columns.
std::expected<std::vector<std::int64_t>, Reason> extents_of(const ir::Region& region) {
  std::vector<std::int64_t> out;
  for (const ir::Range& r : region.ranges) {
    const std::int64_t* extent = ir::constant(r.extent);
    if (!extent) return refuse(cat("an extent of ", region_text(region), " is known only at run time"));
    if (*extent != 1) out.push_back(*extent);
  }
  if (out.size() == 2) return out;
  return refuse(cat("a matrix has two extents larger than 1, ", region_text(region), " has ", out.size()));
}

}  // namespace

ir::Expr WarpgroupRegisters::at(std::int64_t tile, std::int64_t half, std::int64_t group, std::int64_t e) const {
  ir::Expr place = start.expr() + dispatch::place(tiles, ir::Expr(tile)) + dispatch::place(halves, ir::Expr(half)) +
                   dispatch::place(groups, ir::Expr(group)) + dispatch::place(neighbours, ir::Expr(e));
  return ir::simplify(place);
}

bool WarpgroupRegisters::fills_words(std::int64_t count) const {
  if (count == 1) return true;
  auto whole = [&](const Walk& walk) { return walk.extent == 1 || walk.stride % count == 0; };
  const Walks row = fuse(neighbours);
  return row.size() == 1 && row[0].stride == 1 && row[0].extent % count == 0 &&
         layout::provably_divisible(start, count) && std::ranges::all_of(tiles, whole) &&
         std::ranges::all_of(halves, whole) && std::ranges::all_of(groups, whole) &&
         (!buffer->elem_offset || ir::provably_divisible(buffer->elem_offset, count));
}

std::expected<WarpgroupRegisters, Reason> warpgroup_registers(const ir::Region& region, std::int64_t neighbours) {
  const std::string name(ir::spoken_name(*region.buffer));
  auto extents = extents_of(region);
  if (!extents) return refuse(std::move(extents.error()));
  WarpgroupRegisters out{.buffer = region.buffer, .rows = (*extents)[0], .columns = (*extents)[1]};
  if (out.rows % 64 != 0) return refuse(cat(name, " has ", out.rows, " rows here, wgmma has a multiple of 64"));
  if (out.columns % (4 * neighbours) != 0) {
    return refuse(cat(name, " has ", out.columns, " columns here, not a multiple of ", 4 * neighbours));
  }
  auto window = window_of(region);
  if (!window) return refuse(std::move(window.error()));
  if (window->swizzle) return refuse(cat("the registers of ", name, " are swizzled"));
  if (!window->tile.replica.empty()) return refuse(cat(name, " is replicated over threads"));
  for (const auto& [axis, value] : window->offset) {
    if (axis == Axis::m || value.is(0)) continue;
    return refuse(
        cat("the region of ", name, " starts at ", layout::to_string(value), " on ", layout::axis_name(axis)));
  }
  auto wrong = [&](std::string_view what) {
    return refuse(cat("the layout of ", name, " has not ", what, " where wgmma has: see ",
                      neighbours == 2 ? "wgmma_accumulator_layout and " : "", "wgmma_operand_layout"));
  };
  const layout::Dim shape[] = {out.rows / 64, 4, 2, 8, out.columns / (4 * neighbours), 4, neighbours};
  auto grouped = layout::group(window->tile, shape);
  if (!grouped) return wrong("its rows and columns");
  auto run = [&](std::size_t i) {
    const std::size_t first = grouped->separators[i], last = grouped->separators[i + 1];
    return std::span<const layout::Iter>(grouped->layout.shard).subspan(first, last - first);
  };
  if (!is_threads(run(1), 32)) return wrong("16 rows a warp");
  if (!is_threads(run(3), 4)) return wrong("eight rows of a warp four lanes apart");
  if (!is_threads(run(5), 1)) return wrong(cat("neighbouring lanes ", neighbours, " columns apart"));
  for (std::size_t i : {0, 2, 4, 6}) {
    if (!is_memory(run(i))) return wrong("registers of one thread");
  }
  out.start = layout::offset_on(window->offset, Axis::m);
  out.tiles = walks_of(run(0));
  out.halves = walks_of(run(2));
  out.groups = walks_of(run(4));
  out.neighbours = walks_of(run(6));
  return out;
}

}  // namespace tilewright::dispatch
