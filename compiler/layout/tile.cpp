// Products of layouts (layout.md 5.6, 5.7).
//
// `tile` repeats an inner tile: outer strides count whole inner tiles, that is, they are multiplied by the inner span
// of their axis. `direct_sum` interleaves two layouts as they are. Both are one walk over the dimensions: the outer
// (left) run, then the inner (right) run.
#include "compiler/layout/detail.h"

namespace tilewright::layout {
namespace {

using detail::TileResult;

TileResult interleave(std::string_view what, TileLayout outer, const TileLayout& inner, ShapeView outer_shape,
                      ShapeView inner_shape, Fusion fusion) {
  Result<Grouped> o = detail::group_for(what, outer, outer_shape);
  if (!o) return std::unexpected(o.error());
  Result<Grouped> i = detail::group_for(what, inner, inner_shape);
  if (!i) return std::unexpected(i.error());
  TileLayout out;
  out.shard.reserve(o->layout.shard.size() + i->layout.shard.size());
  for (std::size_t d = 0; d < outer_shape.size(); ++d) {
    detail::append(out.shard, detail::run(*o, d));
    detail::append(out.shard, detail::run(*i, d));
  }
  out.replica = inner.replica;
  detail::append(out.replica, outer.replica);
  out.offset = inner.offset;
  detail::add_offsets(out.offset, outer.offset);
  return detail::canonical(std::move(out), fusion);
}

TileResult tile_parts(const TileLayout& inner, const TileLayout& outer, ShapeView outer_shape, ShapeView inner_shape,
                      Fusion fusion) {
  TileResult i = detail::canonical(inner, fusion);
  if (!i) return i;
  TileResult o = detail::canonical(outer, fusion);
  if (!o) return o;
  // What an outer step of one means on an axis that the inner tile walks. Offset and replica of the inner tile count
  // (N7): offsets are better left to the result. The outer replica steps over whole tiles too, and an outer offset on
  // such an axis has no meaning that both readings share (N8).
  auto scale = [&](Iter& iter) {
    if (detail::on_axis(i->shard, iter.axis)) iter.stride = iter.stride * detail::span_on(*i, iter.axis);
  };
  for (Iter& iter : o->shard) scale(iter);
  for (Iter& iter : o->replica) scale(iter);
  for (const auto& [axis, value] : o->offset) {
    if (detail::on_axis(i->shard, axis))
      return detail::fail("tile: the outer layout has an offset on axis " + std::string(axis_name(axis)) +
                              ", which the inner one walks; add it to the result instead",
                          outer);
  }
  return interleave("tile", *std::move(o), *i, outer_shape, inner_shape, fusion);
}

// Recomposed only, never reduced to a bare swizzle: the extent of the tile part stays known.
Result<Layout> recompose(const Layout& like, TileResult tile) {
  if (!tile) return std::unexpected(tile.error());
  return Layout{like.swizzle, *std::move(tile)};
}

}  // namespace

Result<Layout> tile(const Layout& inner, const Layout& outer, ShapeView outer_shape, ShapeView inner_shape,
                    Fusion fusion) {
  if (!outer.is_tile()) return detail::fail("tile: the outer layout is a tile layout", outer);
  if (outer_shape.size() != inner_shape.size()) return detail::fail("tile: shapes differ in rank", outer, outer_shape);
  return recompose(inner, tile_parts(detail::tile_of(inner, detail::product(inner_shape)), *outer.tile, outer_shape,
                                     inner_shape, fusion));
}

Result<Layout> tile_to(const Layout& l, ShapeView to_shape, ShapeView current_shape, Fusion fusion) {
  if (to_shape.size() != current_shape.size()) return detail::fail("tile_to: shapes differ in rank", l, to_shape);
  Shape factors;
  factors.reserve(to_shape.size());
  for (std::size_t d = 0; d < to_shape.size(); ++d) {
    bool whole = provably_divisible(to_shape[d], current_shape[d]) && !to_shape[d].is(0);
    if (!whole)
      return detail::fail("tile_to: dimension " + std::to_string(d) + ": " + to_string(to_shape[d]) +
                              " is not a multiple of " + to_string(current_shape[d]),
                          l, to_shape);
    factors.push_back(floordiv(to_shape[d], current_shape[d]));
  }
  return tile(l, row_major(factors), factors, current_shape, fusion);
}

Result<Layout> direct_sum(const Layout& right, const Layout& left, ShapeView left_shape, ShapeView right_shape,
                          Fusion fusion) {
  if (!left.is_tile()) return detail::fail("direct_sum: the left layout is a tile layout", left);
  if (left_shape.size() != right_shape.size())
    return detail::fail("direct_sum: shapes differ in rank", left, left_shape);
  TileResult l = detail::canonical(*left.tile, fusion);
  if (!l) return std::unexpected(l.error());
  TileResult r = detail::canonical(detail::tile_of(right, detail::product(right_shape)), fusion);
  if (!r) return std::unexpected(r.error());
  return recompose(right, interleave("direct_sum", *std::move(l), *r, left_shape, right_shape, fusion));
}

}  // namespace tilewright::layout
