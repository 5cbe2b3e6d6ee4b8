// Sizes, spans, scopes and equality: everything that looks at a layout without changing it (layout.md 5.2, 5.3, 5.11).
#include "compiler/layout/detail.h"

namespace tilewright::layout {
namespace {

bool same(const Iters& a, const Iters& b) {
  return std::ranges::equal(a, b, [](const Iter& x, const Iter& y) { return layout::same(x, y); });
}

bool same(const Offsets& a, const Offsets& b) {
  return std::ranges::equal(
      a, b, [](const auto& x, const auto& y) { return x.first == y.first && provably_equal(x.second, y.second); });
}

// 1 + sum of (extent - 1) * stride over the iters that `counts` accepts, plus the accepted offsets.
template <class F>
Dim reach(const TileLayout& l, F&& counts) {
  Dim total = 1;
  for (const Iters* part : {&l.shard, &l.replica}) {
    for (const Iter& i : *part) {
      if (counts(i.axis) && !i.extent.is(1)) total = total + (i.extent - 1) * i.stride;
    }
  }
  for (const auto& [axis, value] : l.offset) {
    if (counts(axis)) total = total + value;
  }
  return total;
}

Dim larger(Dim a, Dim b) {
  if (provably_less_equal(a, b)) return b;
  if (provably_less_equal(b, a)) return a;
  return Dim(expr::index_binary(expr::ExprKind::Max, a.expr(), b.expr()));
}

}  // namespace

bool same(const Iter& a, const Iter& b) {
  return a.axis == b.axis && provably_equal(a.extent, b.extent) && provably_equal(a.stride, b.stride);
}

bool same(const Layout& a, const Layout& b) {
  if (a.swizzle != b.swizzle || a.tile.has_value() != b.tile.has_value()) return false;
  if (!a.tile) return true;
  return same(a.tile->shard, b.tile->shard) && same(a.tile->replica, b.tile->replica) &&
         same(a.tile->offset, b.tile->offset);
}

void add_offset(Offsets& offsets, Axis axis, Dim value) {
  auto at = std::ranges::lower_bound(offsets, axis, {}, &std::pair<Axis, Dim>::first);
  if (at != offsets.end() && at->first == axis) {
    at->second = at->second + value;
  } else {
    offsets.insert(at, {axis, value});
  }
}

Dim offset_on(const Offsets& offsets, Axis axis) {
  for (const auto& [on, value] : offsets) {
    if (on == axis) return value;
  }
  return 0;
}

Dim size(const Layout& l) { return l.tile ? detail::product(l.tile->shard) : Dim(l.swizzle ? l.swizzle->period() : 1); }

Result<Dim> size(const Layout& l, Axis axis) {
  if (!l.is_tile()) return detail::fail("size of one axis is asked of a plain tile layout only", l);
  Dim total = 1;
  for (const Iter& i : l.tile->shard) {
    if (i.axis == axis) total = total * i.extent;
  }
  return total;
}

Dim span(const Layout& l) { return l.tile ? reach(*l.tile, is_memory_axis) : Dim(l.swizzle ? l.swizzle->period() : 1); }

Result<Dim> span(const Layout& l, Axis axis) {
  if (!l.is_tile()) return detail::fail("span of one axis is asked of a plain tile layout only", l);
  return detail::span_on(*l.tile, axis);
}

// A layout that spreads over threads needs what one thread holds; any other must hold every element, and its padding
// (N10). The XOR of a swizzle moves elements inside aligned blocks, the last of which must be whole: 2^(M+B) elements
// where high bits are XORed down, a whole period where low bits are XORed up.
Result<Dim> allocation_elements(const Layout& l, Dim elements) {
  Dim needed = elements;
  if (l.tile) {
    unsigned memory = 0;
    for (const Iters* part : {&l.tile->shard, &l.tile->replica}) {
      for (const Iter& i : *part) {
        if (is_memory_axis(i.axis)) memory |= 1u << static_cast<int>(i.axis);
      }
    }
    if (memory & (memory - 1)) return detail::fail("an allocation has one memory axis; ask for the span of each", l);
    needed = has_thread_axis(l) ? span(l) : larger(elements, span(l));
  }
  if (!l.swizzle) return needed;
  const Swizzle& z = *l.swizzle;
  std::int64_t block = z.inner ? std::int64_t{1} << (z.per_element + z.swizzle_len) : z.period();
  return floordiv(needed + (block - 1), block) * block;
}

bool has_thread_axis(const Layout& l) {
  auto on_thread = [](const Iter& i) { return is_thread_axis(i.axis); };
  return l.tile && (std::ranges::any_of(l.tile->shard, on_thread) || std::ranges::any_of(l.tile->replica, on_thread));
}

bool is_swizzle(const Layout& l) { return l.is_bare_swizzle(); }

bool is_trivial(const Layout& l) {
  if (!l.is_tile() || !l.tile->replica.empty()) return false;
  Result<TileLayout> c = detail::canonical(*l.tile, Fusion::Off);
  if (!c || !c->offset.empty() || c->shard.size() > 1) return false;
  return c->shard.empty() || (is_memory_axis(c->shard[0].axis) && c->shard[0].stride.is(1));
}

Result<std::optional<std::pair<Unit, Unit>>> scope_of(const Layout& l) {
  return l.tile ? detail::scope_of(*l.tile) : std::optional<std::pair<Unit, Unit>>();
}

Result<void> check_shape(const Layout& l, ShapeView shape) {
  for (Dim extent : shape) {
    if (extent.is_constant() && extent.value() < 0) return detail::fail("negative extent", l, shape);
  }
  if (l.is_bare_swizzle()) return {};
  Dim have = size(l), want = detail::product(shape);
  if (have.is_constant() && want.is_constant() && have.value() != want.value())
    return detail::fail("the layout holds " + to_string(have) + " elements, the shape " + to_string(want), l, shape);
  return {};
}

Result<void> verify_well_formed(const Layout& l) {
  if (!l.tile) return {};
  for (const Iters* part : {&l.tile->shard, &l.tile->replica}) {
    for (const Iter& i : *part) {
      if (i.extent.is_constant() && i.extent.value() < 0) return detail::fail("negative extent", l);
      if (i.stride.is_constant() && i.stride.value() < 0) return detail::fail("negative stride", l);
    }
  }
  auto scope = scope_of(l);
  if (!scope) return std::unexpected(scope.error());
  return {};
}

namespace detail {

Dim span_on(const TileLayout& l, Axis axis) {
  return reach(l, [&](Axis a) { return a == axis; });
}

// The thread axes must form one chain of units: thread -> warp -> warpgroup -> cta, each link given by one axis or by
// several that agree. The walk follows the links upwards from the narrowest unit; a link it does not pass is an axis
// that nothing connects to the others.
Result<std::optional<std::pair<Unit, Unit>>> scope_of(const TileLayout& l) {
  constexpr int kUnits = 6;
  constexpr std::uint8_t kNone = 255;
  std::uint8_t parent[kUnits] = {kNone, kNone, kNone, kNone, kNone, kNone};
  bool any = false;
  auto add = [&](Axis axis) {
    if (!is_thread_axis(axis)) return true;
    auto unit = static_cast<int>(axis_subscope(axis));
    auto in = static_cast<std::uint8_t>(axis_scope(axis));
    bool agrees = parent[unit] == kNone || parent[unit] == in;
    parent[unit] = in;
    return agrees;
  };
  bool agree = true;
  for (const Iters* part : {&l.shard, &l.replica}) {
    for (const Iter& i : *part) {
      any |= is_thread_axis(i.axis);
      agree &= add(i.axis);
    }
  }
  if (!any) return std::nullopt;
  for (const auto& [axis, value] : l.offset) agree &= add(axis);
  if (!agree) return fail("conflicting thread axes: one unit is counted inside two different scopes", l);

  int narrowest = kUnits - 1;
  while (parent[narrowest] == kNone) --narrowest;
  int at = narrowest, links = 0;
  while (parent[at] != kNone) {
    at = parent[at];  // always wider: the walk ends
    ++links;
  }
  int present = static_cast<int>(std::ranges::count_if(parent, [](std::uint8_t p) { return p != kNone; }));
  if (links != present) return fail("disconnected thread axes: no axis says how their units contain each other", l);
  return std::pair(static_cast<Unit>(narrowest), static_cast<Unit>(at));
}

}  // namespace detail
}  // namespace tilewright::layout
