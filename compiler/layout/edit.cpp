// Structural edits (layout.md 5.10): views of the same bytes under another element width, broadcasts, permutations.
#include <bit>

#include "compiler/layout/detail.h"

namespace tilewright::layout {
namespace {

// The axis whose unit is one element: `m` in most layouts, the column of tensor memory, the free axis of Trainium.
// Changing the element width changes distances on this axis and on no other (N9).
Axis element_axis(const TileLayout& l) {
  for (Axis axis : {Axis::m, Axis::TCol, Axis::F}) {
    if (detail::on_axis(l.shard, axis)) return axis;
  }
  return Axis::m;
}

std::optional<int> log2_exact(std::int64_t n) {
  if (n <= 0 || !std::has_single_bit(static_cast<std::uint64_t>(n))) return std::nullopt;
  return std::countr_zero(static_cast<std::uint64_t>(n));
}

Result<std::optional<Swizzle>> scaled(const Layout& l, std::int64_t n, int sign) {
  if (!l.swizzle) return std::nullopt;
  std::optional<int> bits = log2_exact(n);
  if (!bits) return detail::fail("a swizzle changes its element width by powers of two, not " + std::to_string(n), l);
  Swizzle z = *l.swizzle;
  Result<Layout> made = make_swizzle(z.per_element + sign * *bits, z.swizzle_len, z.atom_len, z.inner);
  if (!made) return detail::fail("elements wider than the unbroken chunk of the swizzle", l);
  return made->swizzle;
}

bool is_permutation(std::span<const int> permutation, std::size_t n) {
  if (permutation.size() != n) return false;
  std::vector<bool> seen(n);
  for (int p : permutation) {
    if (p < 0 || static_cast<std::size_t>(p) >= n || seen[p]) return false;
    seen[p] = true;
  }
  return true;
}

}  // namespace

Layout storage(const Layout& l) {
  if (!l.tile) return l;
  Layout out = l;
  auto on_thread = [](const Iter& i) { return is_thread_axis(i.axis); };
  std::erase_if(out.tile->shard, on_thread);
  std::erase_if(out.tile->replica, on_thread);
  std::erase_if(out.tile->offset, [](const auto& o) { return is_thread_axis(o.first); });
  return out;
}

Result<Layout> unpack(const Layout& l, std::int64_t n) {
  if (n <= 0) return detail::fail("unpack by " + std::to_string(n), l);
  Result<std::optional<Swizzle>> swizzle = scaled(l, n, +1);
  if (!swizzle) return std::unexpected(swizzle.error());
  Layout out{*swizzle, l.tile};
  if (!l.tile) return out;
  Axis axis = element_axis(*l.tile);
  for (Iters* part : {&out.tile->shard, &out.tile->replica}) {
    for (Iter& i : *part) {
      if (i.axis == axis) i.stride = i.stride * n;
    }
  }
  for (auto& [on, value] : out.tile->offset) {
    if (on == axis) value = value * n;
  }
  out.tile->shard.push_back({n, 1, axis});
  return out;
}

Result<Layout> pack(const Layout& l, std::int64_t n) {
  if (n <= 0) return detail::fail("pack by " + std::to_string(n), l);
  Result<std::optional<Swizzle>> swizzle = scaled(l, n, -1);
  if (!swizzle) return std::unexpected(swizzle.error());
  Layout out{*swizzle, l.tile};
  if (!l.tile) return out;
  TileLayout& t = *out.tile;
  if (t.shard.empty()) return detail::fail("pack: no iter holds the elements to pack", l);
  Iter& last = t.shard.back();
  if (!is_memory_axis(last.axis) || !last.stride.is(1) || !provably_divisible(last.extent, n))
    return detail::fail("pack by " + std::to_string(n) +
                            ": the last iter must walk memory with stride 1 over a multiple of that many elements",
                        l);
  last.extent = floordiv(last.extent, n);
  bool whole = true;
  auto divide = [&](Dim& d) {
    whole &= provably_divisible(d, n);
    d = floordiv(d, n);
  };
  for (Iters* part : {&t.shard, &t.replica}) {
    for (Iter& i : *part) {
      if (&i != &last && i.axis == last.axis && !i.extent.is(1)) divide(i.stride);
    }
  }
  for (auto& [on, value] : t.offset) {
    if (on == last.axis) divide(value);
  }
  if (!whole) return detail::fail("pack by " + std::to_string(n) + ": a stride or offset is not a multiple of it", l);
  return out;
}

Result<Layout> broadcast(const Layout& l, Dim n, int position, Axis axis) {
  if (!l.tile) return detail::fail("broadcast: a bare swizzle has no iters", l);
  auto count = static_cast<int>(l.tile->shard.size());
  int at = position < 0 ? count + 1 + position : position;
  if (at < 0 || at > count) return detail::fail("broadcast: no position " + std::to_string(position), l);
  Layout out = l;
  out.tile->shard.insert(out.tile->shard.begin() + at, Iter{n, 0, axis});
  return out;
}

Result<Layout> permute_dims(const Layout& l, std::span<const int> permutation) {
  if (!l.is_tile()) return detail::fail("permute_dims: a tile layout is needed", l);
  if (!is_permutation(permutation, l.tile->shard.size()))
    return detail::fail("permute_dims: not a permutation of the " + std::to_string(l.tile->shard.size()) + " iters", l);
  Layout out = l;
  for (std::size_t i = 0; i < permutation.size(); ++i) out.tile->shard[i] = l.tile->shard[permutation[i]];
  return out;
}

Result<Layout> permute_by_groups(const Layout& l, std::span<const std::size_t> separators,
                                 std::span<const int> permutation) {
  if (!l.is_tile()) return detail::fail("permute_by_groups: a tile layout is needed", l);
  bool runs = !separators.empty() && separators.front() == 0 && separators.back() == l.tile->shard.size() &&
              std::ranges::is_sorted(separators);
  if (!runs) return detail::fail("permute_by_groups: the separators do not cut the iters into runs", l);
  if (!is_permutation(permutation, separators.size() - 1))
    return detail::fail(
        "permute_by_groups: not a permutation of the " + std::to_string(separators.size() - 1) + " runs", l);
  Layout out = l;
  out.tile->shard.clear();
  for (int g : permutation) {
    detail::append(out.tile->shard, {l.tile->shard.data() + separators[g], separators[g + 1] - separators[g]});
  }
  return out;
}

}  // namespace tilewright::layout
