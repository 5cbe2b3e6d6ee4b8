// The layout of a box of a buffer (layout.md 5.8).
//
// A dimension is a run of iters; the box takes [begin, begin + length) of it. Written in the digits of the run, begin
// decides the offset: the digit of every iter times its stride. What is left to describe is how the index walks on
// from there, and that is affine in three cases only:
//
//   peel   the faster digits of begin are zero and the length is a multiple of their extents: they stay whole
//   fits   the next digit, the pivot, does not run over its extent: it becomes shorter, all slower digits stand still
//   wrap   the pivot runs over exactly once and in the middle: two halves, `one step of the slower digit minus what
//          the pivot went back` apart. The slower digit must be able to take that step (N3).
//
// A test that cannot be proven counts as failed: the answer is "no one affine layout", never a wrong one.
#include "compiler/layout/detail.h"

namespace tilewright::layout {
namespace {

// Appends the sliced run to `out`; false where no affine layout exists.
bool slice_run(Iters run, Range range, TileLayout& out) {
  if (run.empty()) return false;
  Dim length = range.end - range.begin;
  if (length.is_constant() && length.value() <= 0) return false;
  detail::drop_units(run);
  detail::fuse_contiguous(run);
  if (run.size() == 1) {
    out.shard.push_back({length, run[0].stride, run[0].axis});
    if (!range.begin.is(0)) add_offset(out.offset, run[0].axis, range.begin * run[0].stride);
    return true;
  }

  const std::size_t n = run.size();
  std::vector<Dim> digit(n);
  Dim left = range.begin;
  for (std::size_t k = n; k-- > 0;) {
    digit[k] = floormod(left, run[k].extent);
    left = floordiv(left, run[k].extent);
    if (!digit[k].is(0)) add_offset(out.offset, run[k].axis, digit[k] * run[k].stride);
  }

  std::size_t pivot = n;  // one past: iters from here on stay whole
  Dim rest = length;
  while (pivot > 0 && digit[pivot - 1].is(0) && provably_divisible(rest, run[pivot - 1].extent)) {
    --pivot;
    rest = floordiv(rest, run[pivot].extent);
  }
  auto kept = [&] { detail::append(out.shard, {run.data() + pivot, n - pivot}); };
  if (pivot == 0) {
    if (!rest.is(1)) return false;
    kept();
    return true;
  }
  const Iter& p = run[pivot - 1];
  Dim d = digit[pivot - 1];
  if (provably_less_equal(d + rest, p.extent)) {
    out.shard.push_back({rest, p.stride, p.axis});
    kept();
    return true;
  }
  if (pivot < 2 || !provably_divisible(rest, 2)) return false;
  const Iter& slower = run[pivot - 2];
  Dim half = floordiv(rest, 2);
  if (!provably_equal(d + half, p.extent) || slower.axis != p.axis) return false;
  if (!provably_less_equal(digit[pivot - 2] + 2, slower.extent)) return false;
  out.shard.push_back({2, slower.stride - (p.extent - half) * p.stride, p.axis});
  out.shard.push_back({half, p.stride, p.axis});
  kept();
  return true;
}

Result<std::optional<Layout>> slice_with(const Layout& l, ShapeView shape, std::span<const Range> region, Fusion fusion,
                                         bool own_offset) {
  if (region.size() != shape.size())
    return detail::fail("slice: a region of rank " + std::to_string(region.size()), l, shape);
  detail::TileResult canonical = detail::canonical(detail::tile_of(l, detail::product(shape)), fusion);
  if (!canonical) return std::unexpected(canonical.error());
  Result<Grouped> grouped = detail::group_for("slice", *canonical, shape);
  if (!grouped) return std::unexpected(grouped.error());
  TileLayout out;
  out.shard.reserve(grouped->layout.shard.size() + 1);
  if (own_offset) out.offset = canonical->offset;  // N2
  for (std::size_t d = 0; d < shape.size(); ++d) {
    std::span<const Iter> run = detail::run(*grouped, d);
    Range range = region[d];
    // The one index that there is: a ring of one stage is where it is, whatever variable counts its stages.
    if (shape[d].is(1) && !range.begin.is_constant() && provably_equal(range.end - range.begin, 1)) range = {0, 1};
    if (!slice_run(Iters(run.begin(), run.end()), range, out)) return std::nullopt;
  }
  out.replica = std::move(canonical->replica);
  return Layout{l.swizzle, std::move(out)};
}

}  // namespace

Result<std::optional<Layout>> slice(const Layout& l, ShapeView shape, std::span<const Range> region, Fusion fusion) {
  return slice_with(l, shape, region, fusion, true);
}

Result<std::optional<Layout>> slice_relative(const Layout& l, ShapeView shape, std::span<const Range> region,
                                             Fusion fusion) {
  return slice_with(l, shape, region, fusion, false);
}

}  // namespace tilewright::layout
