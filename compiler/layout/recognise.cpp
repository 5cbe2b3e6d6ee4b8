// The inverse questions (layout.md 5.9): is this layout a product of that one, and what is the other factor?
//
// Both products put, for every dimension, the run of one factor before the run of the other. So the recognisers group
// the product by the shape that has both extents of each dimension side by side, compare the known factor's run with
// its end of the pair, and what is left over is the answer.
#include "compiler/layout/detail.h"

namespace tilewright::layout {
namespace {

using detail::TileResult;
using Answer = Result<std::optional<Layout>>;
using TileAnswer = Result<std::optional<TileLayout>>;

// [t0/f0, f0, t1/f1, f1, ...], or with the factor first.
std::optional<Shape> paired(ShapeView whole, ShapeView factor, bool factor_first) {
  if (whole.size() != factor.size()) return std::nullopt;
  Shape out;
  out.reserve(2 * whole.size());
  for (std::size_t d = 0; d < whole.size(); ++d) {
    if (!provably_divisible(whole[d], factor[d])) return std::nullopt;
    Dim other = floordiv(whole[d], factor[d]);
    out.push_back(factor_first ? factor[d] : other);
    out.push_back(factor_first ? other : factor[d]);
  }
  return out;
}

// The pair of runs 2d, 2d+1 as one.
std::span<const Iter> pair_of_runs(const Grouped& g, std::size_t d) {
  return {g.layout.shard.data() + g.separators[2 * d], g.separators[2 * d + 2] - g.separators[2 * d]};
}

bool same_step(const Iter& a, const Iter& b, bool compare_strides = true) {
  if (!provably_equal(a.extent, b.extent)) return false;
  if (a.extent.is(1)) return true;
  return a.axis == b.axis && (!compare_strides || provably_equal(a.stride, b.stride));
}

Iters without(const Iters& all, const Iters& taken) {
  Iters left = all;
  for (const Iter& t : taken) {
    auto at = std::ranges::find_if(left, [&](const Iter& i) { return layout::same(i, t); });
    if (at != left.end()) left.erase(at);
  }
  return left;
}

Offsets difference(const Offsets& a, const Offsets& b) {
  Offsets out = a;
  for (const auto& [axis, value] : b) add_offset(out, axis, Dim(0) - value);
  detail::drop_zero_offsets(out);
  return out;
}

// Table 2.2 over all thread axes of `l`. False: an iter does not split, so the factor is not in there.
bool split_axes(TileLayout& l, Unit scope) {
  Iters out;
  auto split = [&](const Iter& i) {
    if (is_memory_axis(i.axis)) {
      out.push_back(i);
      return true;
    }
    std::optional<detail::Split> to = detail::split_axis(i.axis, scope);
    if (!to) {
      // An axis that already counts inside the scope or beyond it stays; no other can be told apart.
      if (axis_scope(i.axis) < scope && axis_subscope(i.axis) > scope) return false;
      out.push_back(i);
      return true;
    }
    Dim n = to->extent, reach = i.extent * i.stride;
    if (provably_less_equal(reach, n - 1)) {
      out.push_back({i.extent, i.stride, to->inner});
    } else if (provably_divisible(n, i.stride) && provably_divisible(reach, n)) {
      out.push_back({floordiv(reach, n), 1, to->outer});
      out.push_back({floordiv(n, i.stride), i.stride, to->inner});
    } else if (provably_divisible(i.stride, n)) {
      out.push_back({i.extent, floordiv(i.stride, n), to->outer});
    } else {
      return false;
    }
    return true;
  };
  if (!std::ranges::all_of(l.shard, split)) return false;
  l.shard = std::move(out);
  out.clear();
  if (!std::ranges::all_of(l.replica, split)) return false;
  l.replica = std::move(out);
  Offsets offsets;
  for (const auto& [axis, value] : l.offset) {
    std::optional<detail::Split> to = detail::split_axis(axis, scope);
    if (!to || is_memory_axis(axis)) {
      add_offset(offsets, axis, value);
      continue;
    }
    add_offset(offsets, to->outer, floordiv(value, to->extent));
    add_offset(offsets, to->inner, floormod(value, to->extent));
  }
  detail::drop_zero_offsets(offsets);
  l.offset = std::move(offsets);
  return true;
}

// Divides the iters by what `tile` multiplied them with; false where that leaves a remainder.
bool unscale(Iters& iters, const TileLayout& inner) {
  for (Iter& i : iters) {
    if (i.extent.is(1) || !detail::on_axis(inner.shard, i.axis)) continue;
    Dim w = detail::span_on(inner, i.axis);
    if (!provably_divisible(i.stride, w)) return false;
    i.stride = floordiv(i.stride, w);
  }
  return true;
}

TileAnswer tile_inner(const TileLayout& inner, const TileLayout& tiled, ShapeView tiled_shape, ShapeView inner_shape,
                      Fusion fusion) {
  TileResult in = detail::canonical(inner, fusion);
  if (!in) return std::unexpected(in.error());
  TileResult whole = detail::canonical(tiled, fusion);
  if (!whole) return std::unexpected(whole.error());
  auto scope_in = detail::scope_of(*in), scope_whole = detail::scope_of(*whole);
  if (!scope_in) return std::unexpected(scope_in.error());
  if (!scope_whole) return std::unexpected(scope_whole.error());
  if (*scope_in && *scope_whole) {
    auto [in_narrow, in_wide] = **scope_in;
    auto [whole_narrow, whole_wide] = **scope_whole;
    if (in_narrow != whole_narrow || in_wide < whole_wide) return std::nullopt;
    if (whole_wide < in_wide && fusion == Fusion::Cuda && !split_axes(*whole, in_wide)) return std::nullopt;
  }
  std::optional<Shape> shape = paired(tiled_shape, inner_shape, false);
  if (!shape)
    return detail::fail("is_tile_inner: the shape is not a multiple of " + detail::shape_text(inner_shape), *whole,
                        tiled_shape);
  Result<Grouped> g = detail::group_for("is_tile_inner", *whole, *shape);
  if (!g) return std::unexpected(g.error());
  Result<Grouped> h = detail::group_for("is_tile_inner", *in, inner_shape);
  if (!h) return std::unexpected(h.error());
  TileLayout outer;
  for (std::size_t d = 0; d < inner_shape.size(); ++d) {
    std::span<const Iter> pair = pair_of_runs(*g, d), own = detail::run(*h, d);
    if (own.size() > pair.size()) return std::nullopt;
    std::size_t front = pair.size() - own.size();
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (!same_step(pair[front + i], own[i])) return std::nullopt;
    }
    detail::append(outer.shard, pair.first(front));
  }
  outer.replica = without(whole->replica, in->replica);
  if (!unscale(outer.shard, *in) || !unscale(outer.replica, *in)) return std::nullopt;
  outer.offset = difference(whole->offset, in->offset);
  detail::drop_units(outer.shard);
  return outer;
}

TileAnswer tile_outer(const TileLayout& outer, const TileLayout& tiled, ShapeView tiled_shape, ShapeView outer_shape,
                      Fusion fusion) {
  TileResult out = detail::canonical(outer, fusion);
  if (!out) return std::unexpected(out.error());
  TileResult whole = detail::canonical(tiled, fusion);
  if (!whole) return std::unexpected(whole.error());
  auto scope_out = detail::scope_of(*out), scope_whole = detail::scope_of(*whole);
  if (!scope_out) return std::unexpected(scope_out.error());
  if (!scope_whole) return std::unexpected(scope_whole.error());
  const TileLayout reference = *whole;
  if (*scope_out && *scope_whole) {
    auto [out_narrow, out_wide] = **scope_out;
    auto [whole_narrow, whole_wide] = **scope_whole;
    if (out_wide != whole_wide || whole_narrow < out_narrow) return std::nullopt;
    if (whole_narrow > out_narrow && fusion == Fusion::Cuda && !split_axes(*whole, out_narrow)) return std::nullopt;
  }
  std::optional<Shape> shape = paired(tiled_shape, outer_shape, true);
  if (!shape)
    return detail::fail("is_tile_outer: the shape is not a multiple of " + detail::shape_text(outer_shape), *whole,
                        tiled_shape);
  Result<Grouped> g = detail::group_for("is_tile_outer", *whole, *shape);
  if (!g) return std::unexpected(g.error());
  Result<Grouped> h = detail::group_for("is_tile_outer", *out, outer_shape);
  if (!h) return std::unexpected(h.error());
  TileLayout inner;
  for (std::size_t d = 0; d < outer_shape.size(); ++d) {
    std::span<const Iter> pair = pair_of_runs(*g, d), own = detail::run(*h, d);
    if (own.size() > pair.size()) return std::nullopt;
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (!same_step(pair[i], own[i], false)) return std::nullopt;
    }
    detail::append(inner.shard, pair.subspan(own.size()));
  }
  inner.replica = without(whole->replica, out->replica);
  inner.offset = difference(whole->offset, out->offset);
  detail::drop_units(inner.shard);
  // Strides of the outer factor were not looked at: the product itself must come out again.
  Shape inner_shape;
  for (std::size_t d = 0; d < outer_shape.size(); ++d) inner_shape.push_back((*shape)[2 * d + 1]);
  Result<Layout> again = tile(detail::plain(inner), detail::plain(*out), outer_shape, inner_shape, fusion);
  if (!again || !layout::same(*again, detail::plain(reference))) return std::nullopt;
  return inner;
}

// Both direct-sum recognisers: the known factor has the second (right) or the first (left) extent of every pair.
TileAnswer direct_sum_factor(std::string_view what, const TileLayout& known, const TileLayout& sum,
                             ShapeView interleaved, ShapeView known_shape, bool right, Fusion fusion) {
  if (interleaved.size() != 2 * known_shape.size())
    return detail::fail(
        std::string(what) + ": the interleaved shape needs twice the rank of " + detail::shape_text(known_shape), sum,
        interleaved);
  TileResult own = detail::canonical(known, fusion);
  if (!own) return std::unexpected(own.error());
  TileResult whole = detail::canonical(sum, fusion);
  if (!whole) return std::unexpected(whole.error());
  Result<Grouped> g = detail::group_for(what, *whole, interleaved);
  if (!g) return std::unexpected(g.error());
  Result<Grouped> h = detail::group_for(what, *own, known_shape);
  if (!h) return std::unexpected(h.error());
  TileLayout other;
  for (std::size_t d = 0; d < known_shape.size(); ++d) {
    std::span<const Iter> mine = detail::run(*g, 2 * d + (right ? 1 : 0)), expected = detail::run(*h, d);
    if (!std::ranges::equal(mine, expected, [](const Iter& a, const Iter& b) { return same_step(a, b); }))
      return std::nullopt;
    detail::append(other.shard, detail::run(*g, 2 * d + (right ? 0 : 1)));
  }
  other.replica = without(whole->replica, own->replica);
  other.offset = difference(whole->offset, own->offset);
  return other;
}

Answer as_layout(TileAnswer answer, const std::optional<Swizzle>& swizzle = std::nullopt) {
  if (!answer) return std::unexpected(answer.error());
  if (!*answer) return std::nullopt;
  return Layout{swizzle, *std::move(answer)};
}

}  // namespace

Answer is_tile_inner(const Layout& inner, const Layout& tiled, ShapeView tiled_shape, ShapeView inner_shape,
                     Fusion fusion) {
  // A swizzle wraps the whole product, so both sides have it, or neither.
  if (inner.swizzle != tiled.swizzle) return std::nullopt;
  return as_layout(tile_inner(detail::tile_of(inner, detail::product(inner_shape)),
                              detail::tile_of(tiled, detail::product(tiled_shape)), tiled_shape, inner_shape, fusion));
}

Answer is_tile_outer(const Layout& outer, const Layout& tiled, ShapeView tiled_shape, ShapeView outer_shape,
                     Fusion fusion) {
  if (!outer.is_tile()) return std::nullopt;
  return as_layout(
      tile_outer(*outer.tile, detail::tile_of(tiled, detail::product(tiled_shape)), tiled_shape, outer_shape, fusion),
      tiled.swizzle);
}

Answer is_direct_sum_right(const Layout& right, const Layout& sum, ShapeView interleaved_shape, ShapeView right_shape,
                           Fusion fusion) {
  if (right.swizzle != sum.swizzle) return std::nullopt;
  return as_layout(direct_sum_factor("is_direct_sum_right", detail::tile_of(right, detail::product(right_shape)),
                                     detail::tile_of(sum, detail::product(interleaved_shape)), interleaved_shape,
                                     right_shape, true, fusion));
}

Answer is_direct_sum_left(const Layout& left, const Layout& sum, ShapeView interleaved_shape, ShapeView left_shape,
                          Fusion fusion) {
  // The left factor of a swizzled sum is a plain tile layout; the reference also takes one under the same swizzle.
  if (left.swizzle && left.swizzle != sum.swizzle) return std::nullopt;
  return as_layout(direct_sum_factor("is_direct_sum_left", detail::tile_of(left, detail::product(left_shape)),
                                     detail::tile_of(sum, detail::product(interleaved_shape)), interleaved_shape,
                                     left_shape, false, fusion),
                   sum.swizzle);
}

}  // namespace tilewright::layout
