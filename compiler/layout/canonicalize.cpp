// The canonical form (layout.md 5.4): no unit iters, thread axes fused into the widest one that a scope allows,
// neighbours that walk on where the other stops fused into one. It keeps the map; it is not unique for equal maps.
#include <tuple>

#include "compiler/layout/detail.h"

namespace tilewright::layout {
namespace detail {

void drop_units(Iters& shard) {
  if (shard.empty()) return;
  Axis first = shard[0].axis;
  std::erase_if(shard, [](const Iter& i) { return i.extent.is(1); });
  if (shard.empty()) shard.push_back({1, 1, first});
}

void fuse_contiguous(Iters& shard) {
  if (shard.size() < 2) return;
  std::size_t at = 0;
  for (std::size_t i = 1; i < shard.size(); ++i) {
    const Iter& next = shard[i];
    Iter& current = shard[at];
    if (current.axis == next.axis && provably_equal(next.extent * next.stride, current.stride)) {
      current.extent = current.extent * next.extent;
      current.stride = next.stride;
    } else {
      shard[++at] = next;
    }
  }
  shard.resize(at + 1);
}

void add_offsets(Offsets& to, const Offsets& from) {
  for (const auto& [axis, value] : from) add_offset(to, axis, value);
}

void drop_zero_offsets(Offsets& offsets) {
  std::erase_if(offsets, [](const auto& o) { return o.second.is(0); });
}

namespace {

void fuse_scopes(TileLayout& l, std::pair<Unit, Unit> scope) {
  for (Iters* part : {&l.shard, &l.replica}) {
    for (Iter& i : *part) {
      auto [axis, factor] = fused_axis(i.axis, scope);
      i.axis = axis;
      if (factor != 1) i.stride = i.stride * factor;
    }
  }
  Offsets fused;
  for (const auto& [on, value] : l.offset) {
    auto [axis, factor] = fused_axis(on, scope);
    add_offset(fused, axis, value * factor);  // two axes may meet in one: their offsets add up (N4)
  }
  l.offset = std::move(fused);
}

// Any fixed order serves: the replica is a set. Symbols keep the order in which they were written.
bool replica_before(const Iter& a, const Iter& b) {
  auto key = [](Dim d) { return d.is_constant() ? std::pair(0, d.value()) : std::pair(1, std::int64_t{0}); };
  return std::tuple(a.axis, key(a.stride), key(a.extent)) < std::tuple(b.axis, key(b.stride), key(b.extent));
}

}  // namespace

TileResult canonical(TileLayout l, Fusion fusion) {
  auto scope = scope_of(l);
  if (!scope) return std::unexpected(scope.error());
  drop_units(l.shard);
  drop_zero_offsets(l.offset);
  if (fusion == Fusion::Cuda && *scope) fuse_scopes(l, **scope);
  fuse_contiguous(l.shard);
  if (l.replica.size() > 1) std::ranges::stable_sort(l.replica, replica_before);
  return l;
}

}  // namespace detail

Result<Layout> canonicalize(const Layout& l, Fusion fusion) {
  if (!l.tile) return l;
  detail::TileResult tile = detail::canonical(*l.tile, fusion);
  if (!tile) return std::unexpected(tile.error());
  Layout out{l.swizzle, *std::move(tile)};
  if (l.swizzle) {
    // Swizzle over the identity is the swizzle alone; the extent is the buffer's business (N18).
    const TileLayout& t = *out.tile;
    bool identity = t.replica.empty() && t.offset.empty() && t.shard.size() <= 1 &&
                    (t.shard.empty() || (is_memory_axis(t.shard[0].axis) && t.shard[0].stride.is(1)));
    if (identity) out.tile.reset();
  }
  return out;
}

}  // namespace tilewright::layout
