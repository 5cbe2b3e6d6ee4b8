// Where the unit looks for scale factors (gemm.md 3.7, 5.4): row r of a tile in lane r mod 32, of every quarter of the
// lanes alike, cell r div 32 of consecutive 32-bit columns. The factors of one K step are neighbouring bytes of a cell;
// the instruction descriptor says which.
#include "compiler/dispatch/variants/gemm_async/tcgen05_problem.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch {
namespace {

using ir::Expr;
using layout::Axis;
using layout::Dim;

constexpr std::int64_t kCell = 4;  // bytes in a column
constexpr std::int64_t kMost = 1 << 16;
// Coordinates of index `i` over a run, on one axis.
std::int64_t on(std::span<const layout::Iter> run, std::int64_t i, Axis axis) {
  std::int64_t sum = 0;
  for (std::size_t k = run.size(); k-- > 0;) {
    const std::int64_t extent = run[k].extent.value();
    if (run[k].axis == axis) sum += i % extent * run[k].stride.value();
    i /= extent;
  }
  return sum;
}

struct Sliced {
  layout::TileLayout tile;
  layout::Iters rows, columns;
  std::int64_t row_count = 1, column_count = 0;
};

std::expected<Sliced, Reason> sliced(const ir::Region& region, std::string_view name) {
  const ir::Buffer& buffer = *region.buffer;
  if (buffer.layout->swizzle) return refuse(cat(name, " is swizzled; tensor memory has lanes and columns only"));
  Sliced out;
  std::vector<layout::Range> ranges;
  for (std::size_t d = 0; d < region.ranges.size(); ++d) {
    const ir::Range& r = region.ranges[d];
    const std::int64_t* n = ir::constant(r.extent);
    if (!n || *n < 1 || *n > kMost)
      return refuse(cat("an extent of ", name, " is no constant: ", ir::to_string(r.extent)));
    const Dim begin = ir::is_constant(buffer.shape[d], 1) ? Dim(0) : Dim(r.min);  // of one element, the index is 0
    ranges.push_back({begin, begin + Dim(*n)});
    const bool last = d + 1 == region.ranges.size();
    if (!last && *n != 1 && out.row_count != 1) {
      return refuse(cat(name, " has more than two extents larger than 1: ", ir::to_string(region)));
    }
    if (last) out.column_count = *n;
    if (!last && *n != 1) out.row_count = *n;
  }
  auto part = layout::slice(*buffer.layout, ir::shape_of(buffer), ranges);
  if (!part) return refuse(std::move(part.error().message));
  if (!*part || !(*part)->tile)
    return refuse(cat("region ", ir::to_string(region), " is not one strided block of its layout"));
  out.tile = std::move(*(*part)->tile);
  for (const layout::Iter& it : out.tile.shard) {
    if (!it.extent.is_constant() || !it.stride.is_constant())
      return refuse(cat(name, " has a layout known only at run time"));
  }
  const Dim shape[] = {Dim(out.row_count), Dim(out.column_count)};
  auto grouped = layout::group(layout::TileLayout{out.tile.shard, {}, {}}, shape);
  if (!grouped) return refuse(std::move(grouped.error().message));
  const auto cut = static_cast<std::ptrdiff_t>(grouped->separators[1]);
  const layout::Iters& shard = grouped->layout.shard;
  out.rows.assign(shard.begin(), shard.begin() + cut);
  out.columns.assign(shard.begin() + cut, shard.end());
  return out;
}

// Row r is in lane r mod 32, cell r div 32, and all four quarters hold it (G7).
Reason misplaced_rows(const Sliced& s, std::string_view name) {
  if (s.row_count % 32 != 0) return cat(name, " has ", s.row_count, " rows, not a multiple of 32");
  for (std::int64_t r = 0; r < s.row_count; ++r) {
    const std::int64_t lane = on(s.rows, r, Axis::TLane), byte = on(s.rows, r, Axis::TCol);
    if (lane == r % 32 && byte == kCell * (r / 32)) continue;
    return cat("row ", r, " of ", name, " lies in lane ", lane, ", ", byte,
               " bytes from the first; the unit reads it in lane ", r % 32, ", ", kCell * (r / 32),
               " bytes on: use sf_tmem_layout or TMEMPool.alloc_sf");
  }
  const layout::Iters& replica = s.tile.replica;
  if (replica.size() == 1 && layout::same(replica[0], {4, 32, Axis::TLane})) return {};
  return cat("the layout of ", name, " does not repeat its 32 lanes in all four quarters, R[4:32@TLane]");
}

// The factors of each step: `per_step` neighbouring bytes of one cell; or several steps share them.
std::expected<std::vector<std::int64_t>, Reason> steps_of(const Sliced& s, std::string_view name, std::int64_t steps,
                                                          std::int64_t q) {
  const std::int64_t n = s.column_count;
  if (n != q && n != q * steps && n != q * steps * 4) {
    return refuse(cat(name, " has ", n, " factors along K; ", steps, " steps of ", q, " take ", q, ", ", q * steps,
                      " or ", q * steps * 4));
  }
  // Shared by all of them (G11), one group a step, or each group written four times (G12).
  const std::int64_t stride = n == q ? 0 : n / steps, repeats = n == q * steps * 4 && n != q ? 4 : 1;
  std::vector<std::int64_t> out;
  for (std::int64_t t = 0; t < steps; ++t) {
    const std::int64_t first = on(s.columns, t * stride, Axis::TCol);
    for (std::int64_t i = 0; i < q * repeats; ++i) {
      const std::int64_t byte = on(s.columns, t * stride + i, Axis::TCol), wanted = first + i / repeats;
      if (on(s.columns, t * stride + i, Axis::TLane) == 0 && byte == wanted) continue;
      return refuse(repeats == 4 ? cat(name, " has ", n, " factors for ", steps, " steps of ", q,
                                       ": four times as many, and they do not repeat (sf_reuse=4)")
                                 : cat("factor ", i, " of K step ", t, " of ", name, " lies ", byte - first,
                                       " bytes from the step's first; they must be neighbours"));
    }
    out.push_back(first);
  }
  return out;
}

}  // namespace

std::expected<Scales, Reason> scales_of(const ir::Region& region, std::string_view name, std::int64_t rows,
                                        std::int64_t steps, std::int64_t per_step) {
  auto s = sliced(region, name);
  if (!s) return refuse(std::move(s.error()));
  if (s->row_count < rows) return refuse(cat(name, " has ", s->row_count, " rows, ", rows, " are multiplied"));
  if (Reason why = misplaced_rows(*s, name); !why.empty()) return refuse(std::move(why));
  auto at = steps_of(*s, name, steps, per_step);
  if (!at) return refuse(std::move(at.error()));
  for (const auto& [axis, value] : s->tile.offset) {
    if (axis == Axis::TCol || value.is(0)) continue;
    return refuse(cat("the region of ", name, " starts at ", layout::to_string(value), " on ", layout::axis_name(axis),
                      "; the unit reads from lane 0"));
  }
  Scales out{.buffer = region.buffer,
             .element = ir::simplify(layout::offset_on(s->tile.offset, Axis::TCol).expr()),
             .steps = std::move(*at),
             .rows = s->row_count};
  // H5: one factor in any byte, two in byte 0 or 2, four in byte 0.
  for (std::int64_t step : out.steps) {
    if (ir::provably_divisible(out.element + Expr(step), per_step)) continue;
    return refuse(cat("the factors of ", name, " start at byte ", ir::to_string(ir::simplify(out.element + Expr(step))),
                      " of their columns; ", per_step, " at a time start at a multiple of ", per_step));
  }
  return out;
}

Expr Scales::column(std::int64_t row, std::int64_t t) const {
  return ir::simplify((element + Expr(steps[static_cast<std::size_t>(t)] + kCell * (row / 32))) / Expr(kCell));
}
Expr Scales::id(std::int64_t t) const {
  return ir::simplify((element + Expr(steps[static_cast<std::size_t>(t)])) % Expr(kCell));
}

}  // namespace tilewright::dispatch
