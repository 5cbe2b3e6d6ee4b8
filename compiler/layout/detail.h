// What the files of this room share. Nothing here is for others.
#pragma once
#include <algorithm>
#include <string>
#include <utility>

#include "compiler/layout/layout.h"

namespace tilewright::layout::detail {

using TileResult = Result<TileLayout>;

// "reason: layout S[...], shape [4, 8]".
std::unexpected<Error> fail(std::string reason, const Layout& l);
std::unexpected<Error> fail(std::string reason, const TileLayout& l);
std::unexpected<Error> fail(std::string reason, const Layout& l, ShapeView shape);
std::unexpected<Error> fail(std::string reason, const TileLayout& l, ShapeView shape);
inline std::unexpected<Error> refuse(std::string why) { return std::unexpected(Error{std::move(why)}); }
std::string shape_text(ShapeView shape);
std::string short_text(const TileLayout& l);

inline Dim product(ShapeView shape) {
  Dim p = 1;
  for (Dim d : shape) p = p * d;
  return p;
}
inline Dim product(std::span<const Iter> iters) {
  Dim p = 1;
  for (const Iter& i : iters) p = p * i.extent;
  return p;
}

inline Layout plain(TileLayout tile) { return {std::nullopt, std::move(tile)}; }
inline TileLayout identity(Dim elements) { return {{Iter{elements, 1, Axis::m}}, {}, {}}; }
// The tile part; for a bare swizzle the identity over `elements`.
inline TileLayout tile_of(const Layout& l, Dim elements) { return l.tile ? *l.tile : identity(elements); }

void drop_units(Iters& shard);
void fuse_contiguous(Iters& shard);
void add_offsets(Offsets& to, const Offsets& from);
void drop_zero_offsets(Offsets& offsets);

TileResult canonical(TileLayout l, Fusion fusion);
// 5.5 without an error text: apply() falls back silently.
bool try_group(const TileLayout& l, ShapeView shape, Grouped& out);
Result<Grouped> group_for(std::string_view what, const TileLayout& l, ShapeView shape);

inline std::span<const Iter> run(const Grouped& g, std::size_t d) {
  return {g.layout.shard.data() + g.separators[d], g.separators[d + 1] - g.separators[d]};
}
inline void append(Iters& to, std::span<const Iter> from) { to.insert(to.end(), from.begin(), from.end()); }

Result<std::optional<std::pair<Unit, Unit>>> scope_of(const TileLayout& l);
Dim span_on(const TileLayout& l, Axis axis);
inline bool on_axis(std::span<const Iter> iters, Axis axis) {
  return std::ranges::any_of(iters, [&](const Iter& i) { return i.axis == axis; });
}

// Table 2.1: what the axis becomes, and by what its strides are multiplied.
std::pair<Axis, std::int64_t> fused_axis(Axis axis, std::pair<Unit, Unit> scope);
// Table 2.2: the two axes that `axis` splits into at `scope`, and the extent of the inner one.
struct Split {
  Axis outer, inner;
  std::int64_t extent;
};
std::optional<Split> split_axis(Axis axis, Unit scope);

}  // namespace tilewright::layout::detail
