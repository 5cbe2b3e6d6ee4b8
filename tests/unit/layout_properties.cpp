// The algebra of layouts against brute force: every operation is compared with the map that it denotes, enumerated
// element by element on random layouts. A failure prints the seed; TILEWRIGHT_SEED repeats a run.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>

#include "compiler/expr/analyzer.h"
#include "tests/unit/catch.h"
#include "tests/unit/layout_text.h"

namespace tilewright::layout {
namespace {

using test::show;
using Ints = std::vector<std::int64_t>;
// The value on every axis; absent axes are zero.
using Point = std::array<std::int64_t, kAxisCount>;

// ---- the model: section 1 and 5.1 of layout.md, written down as slowly as they read --------------------------------

Point place(const TileLayout& l, std::int64_t x) {
  Point at{};
  for (std::size_t i = l.shard.size(); i-- > 0;) {
    std::int64_t e = l.shard[i].extent.value();
    std::int64_t digit = i == 0 ? x : x % e;
    x /= e;
    at[static_cast<int>(l.shard[i].axis)] += digit * l.shard[i].stride.value();
  }
  for (const auto& [axis, value] : l.offset) at[static_cast<int>(axis)] += value.value();
  return at;
}

std::set<Point> replicas(const TileLayout& l) {
  std::set<Point> all = {Point{}};
  for (const Iter& r : l.replica) {
    std::set<Point> next;
    for (const Point& p : all) {
      for (std::int64_t i = 0; i < r.extent.value(); ++i) {
        Point q = p;
        q[static_cast<int>(r.axis)] += i * r.stride.value();
        next.insert(q);
      }
    }
    all = next;
  }
  return all;
}

// CUDA's reading of thread axes: everything as a thread number in the CTA.
Point in_threads(Point p) {
  auto take = [&](Axis a, std::int64_t unit) {
    p[static_cast<int>(Axis::tx)] += p[static_cast<int>(a)] * unit;
    p[static_cast<int>(a)] = 0;
  };
  take(Axis::laneid, 1);
  take(Axis::wid_in_wg, 32);
  take(Axis::warpid, 32);
  take(Axis::tid_in_wg, 1);
  take(Axis::wgid, 128);
  return p;
}

std::set<Point> in_threads(const std::set<Point>& points) {
  std::set<Point> out;
  for (const Point& p : points) out.insert(in_threads(p));
  return out;
}

Point plus(Point a, const Point& b) {
  for (int i = 0; i < kAxisCount; ++i) a[i] += b[i];
  return a;
}

std::int64_t elements(const TileLayout& l) {
  std::int64_t n = 1;
  for (const Iter& i : l.shard) n *= i.extent.value();
  return n;
}

std::int64_t span_of(const TileLayout& l, Axis axis) {
  std::int64_t span = 1;
  for (const Iters* part : {&l.shard, &l.replica}) {
    for (const Iter& i : *part) {
      if (i.axis == axis) span += (i.extent.value() - 1) * i.stride.value();
    }
  }
  for (const auto& [a, value] : l.offset) span += a == axis ? value.value() : 0;
  return span;
}

Ints unflatten(std::int64_t x, const Ints& shape) {
  Ints c(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    c[d] = x % shape[d];
    x /= shape[d];
  }
  return c;
}
std::int64_t flatten(const Ints& c, const Ints& shape) {
  std::int64_t x = 0;
  for (std::size_t d = 0; d < c.size(); ++d) x = x * shape[d] + c[d];
  return x;
}
std::int64_t product(const Ints& shape) {
  std::int64_t n = 1;
  for (std::int64_t e : shape) n *= e;
  return n;
}
Shape dims(const Ints& v) { return Shape(v.begin(), v.end()); }

Point point(const IntCoordinates& at) {
  Point p{};
  for (const auto& [axis, value] : at) p[static_cast<int>(axis)] = value;
  return p;
}
Point point_of(const Layout& l, std::int64_t x) {
  Result<IntCoordinates> at = apply(l, x);
  REQUIRE(at);
  return point(*at);
}
Layout plain(TileLayout t) { return {std::nullopt, std::move(t)}; }

// ---- generators ----------------------------------------------------------------------------------------------------

struct Gen {
  unsigned seed;
  std::mt19937 rng;

  Gen() {
    const char* fixed = std::getenv("TILEWRIGHT_SEED");
    seed = fixed ? static_cast<unsigned>(std::strtoul(fixed, nullptr, 10)) : std::random_device()();
    rng.seed(seed);
  }

  int pick(int n) { return static_cast<int>(rng() % n); }
  bool chance(int percent) { return pick(100) < percent; }
  template <class T>
  T of(std::initializer_list<T> items) {
    return items.begin()[pick(static_cast<int>(items.size()))];
  }

  std::int64_t extent() { return of<std::int64_t>({1, 2, 2, 2, 3, 4, 4, 6, 8}); }
  Axis axis() { return of({Axis::m, Axis::m, Axis::m, Axis::laneid, Axis::warpid}); }
  std::int64_t stride() { return of<std::int64_t>({0, 1, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32}); }

  // Half of the layouts are compact along their axes, so that fusion and grouping find something to do.
  TileLayout tile(int most = 4, bool extras = true, bool memory = false) {
    TileLayout l;
    int n = pick(most + 1);
    bool compact = chance(60);
    std::map<Axis, std::int64_t> next;
    l.shard.resize(n);
    for (int i = n; i-- > 0;) {
      Axis a = memory ? Axis::m : axis();
      std::int64_t e = extent();
      std::int64_t& s = next.try_emplace(a, 1).first->second;
      l.shard[i] = {e, compact && chance(90) ? s : stride(), a};
      s *= e;
    }
    if (chance(40)) std::shuffle(l.shard.begin(), l.shard.end(), rng);
    if (extras && chance(30)) l.replica.push_back({extent(), stride(), memory ? Axis::m : axis()});
    if (extras && chance(10)) l.replica.push_back({extent(), stride(), memory ? Axis::m : axis()});
    if (extras && chance(30)) add_offset(l.offset, memory ? Axis::m : axis(), pick(9));
    if (extras && chance(20)) add_offset(l.offset, memory ? Axis::m : axis(), pick(9));
    return l;
  }

  // A shape of the layout: its extents, randomly cut and joined, or an unrelated factorisation.
  Ints shape(std::int64_t n, int rank_most = 4) {
    Ints out;
    while (static_cast<int>(out.size()) + 1 < rank_most && chance(75)) {
      std::vector<std::int64_t> divisors;
      for (std::int64_t d = 1; d <= n; ++d) {
        if (n % d == 0) divisors.push_back(d);
      }
      std::int64_t d = divisors[pick(static_cast<int>(divisors.size()))];
      out.push_back(d);
      n /= d;
    }
    out.push_back(n);
    if (chance(15)) out.insert(out.begin() + pick(static_cast<int>(out.size()) + 1), 1);
    return out;
  }

  // A shape that the layout splits along: iters are multiplied up run by run, now and then cut in two.
  Ints grouped_shape(const TileLayout& l, std::size_t rank) {
    Ints out(rank, 1);
    std::size_t d = 0;
    for (const Iter& i : l.shard) {
      std::int64_t e = i.extent.value();
      if (d + 1 < rank && chance(35)) ++d;
      if (d + 1 < rank && e % 2 == 0 && chance(25)) {
        out[d] *= 2;
        ++d;
        e /= 2;
      }
      out[d] *= e;
    }
    return out;
  }

  bool canonical_ok(const TileLayout& l) { return canonicalize(plain(l)).has_value(); }
  TileLayout sound_tile(int most = 4, bool extras = true, bool memory = false) {
    for (;;) {
      TileLayout l = tile(most, extras, memory);
      if (canonical_ok(l)) return l;
    }
  }
};

// ---- properties ----------------------------------------------------------------------------------------------------

TEST_CASE("property: apply is the model, by index, by coordinate, by expression", "[layout]") {
  Gen g;
  INFO("seed " << g.seed);
  Arena arena;
  ArenaScope scope(arena);
  for (int round = 0; round < 1500; ++round) {
    TileLayout l = g.tile();
    std::int64_t n = elements(l);
    Ints shape = g.shape(n);
    INFO(show(plain(l)));
    ir::Var* x = ir::make_var("x", ir::kInt32);
    x->range = {0, n - 1};
    Result<Coordinates> symbolic = apply(plain(l), ir::Expr(x));
    REQUIRE(symbolic);
    for (int sample = 0; sample < 6; ++sample) {
      std::int64_t at = g.pick(static_cast<int>(n));
      Point want = place(l, at);
      REQUIRE(point_of(plain(l), at) == want);
      Result<IntCoordinates> by_shape = apply(plain(l), unflatten(at, shape), dims(shape));
      REQUIRE(by_shape);
      REQUIRE(point(*by_shape) == want);
      for (const auto& [axis, e] : *symbolic) {
        ir::Expr v = ir::substitute(e, [&](const ir::Var*) { return ir::Expr(at); });
        REQUIRE(ir::is_constant(v, want[static_cast<int>(axis)]));
      }
    }
  }
}

TEST_CASE("property: canonicalize preserves the map", "[layout]") {
  Gen g;
  INFO("seed " << g.seed);
  int fused = 0;
  for (int round = 0; round < 3000; ++round) {
    TileLayout l = g.sound_tile();
    INFO(show(plain(l)));
    for (Fusion fusion : {Fusion::Off, Fusion::Cuda}) {
      Layout c = canonicalize(plain(l), fusion).value();
      bool threads = fusion == Fusion::Cuda;
      INFO(show(c));
      // Canonical is final, but for the stride of a lone unit iter: fusion scales it, and means nothing by it.
      if (!c.tile->shard.empty() && !c.tile->shard[0].extent.is(1)) REQUIRE(same(canonicalize(c, fusion).value(), c));
      auto seen = [&](const Point& p) { return threads ? in_threads(p) : p; };
      for (std::int64_t x = 0; x < elements(l); ++x) REQUIRE(seen(place(*c.tile, x)) == seen(place(l, x)));
      if (threads) {
        REQUIRE(in_threads(replicas(*c.tile)) == in_threads(replicas(l)));
      } else {
        REQUIRE(replicas(*c.tile) == replicas(l));
      }
      fused += c.tile->shard.size() < l.shard.size();
    }
  }
  CHECK(fused > 500);
}

// 5.5: every prefix product of the shape falls between two neighbouring prefix products of the extents, and divides.
bool groupable(const TileLayout& l, const Ints& shape) {
  Ints prefix = {1};
  for (const Iter& i : l.shard) prefix.push_back(prefix.back() * i.extent.value());
  if (product(shape) != prefix.back()) return false;
  std::int64_t q = 1;
  for (std::int64_t e : shape) {
    q *= e;
    bool found = prefix.size() == 1 ? q == 1 : false;
    for (std::size_t k = 0; k + 1 < prefix.size() && !found; ++k) found = q % prefix[k] == 0 && prefix[k + 1] % q == 0;
    if (!found) return false;
  }
  return true;
}

TEST_CASE("property: group preserves the map and succeeds exactly when the closed form says so", "[layout]") {
  Gen g;
  INFO("seed " << g.seed);
  int yes = 0, no = 0;
  for (int round = 0; round < 6000; ++round) {
    TileLayout l = g.tile();
    if (l.shard.empty()) continue;
    Ints shape = g.chance(50) ? g.shape(elements(l)) : g.grouped_shape(l, 1 + g.pick(4));
    if (g.chance(5)) shape.back() *= 2;
    INFO(show(plain(l)) << " shape " << Catch::Detail::stringify(shape));
    Result<Grouped> grouped = group(l, dims(shape));
    REQUIRE(grouped.has_value() == groupable(l, shape));
    (grouped ? yes : no)++;
    if (!grouped) continue;
    REQUIRE(grouped->separators.size() == shape.size() + 1);
    for (std::size_t d = 0; d < shape.size(); ++d) {
      std::int64_t run = 1;
      for (std::size_t i = grouped->separators[d]; i < grouped->separators[d + 1]; ++i)
        run *= grouped->layout.shard[i].extent.value();
      REQUIRE(run == shape[d]);
    }
    for (std::int64_t x = 0; x < elements(l); ++x) REQUIRE(place(grouped->layout, x) == place(l, x));
    REQUIRE(replicas(grouped->layout) == replicas(l));
  }
  CHECK(yes > 1000);
  CHECK(no > 300);
}

TEST_CASE("property: the tile law, and its recognisers", "[layout]") {
  Gen g;
  INFO("seed " << g.seed);
  int recognised = 0, tried = 0;
  for (int round = 0; round < 2500; ++round) {
    bool extras = g.chance(20);
    TileLayout inner = g.sound_tile(3, extras), outer = g.sound_tile(3, extras);
    if (inner.shard.empty() || outer.shard.empty() || elements(inner) * elements(outer) > 2000) continue;
    outer.offset.clear();
    std::size_t rank = 1 + g.pick(3);
    Ints is = g.grouped_shape(inner, rank), os = g.grouped_shape(outer, rank);
    INFO("inner " << show(plain(inner)) << " outer " << show(plain(outer)));
    Result<Layout> tiled = tile(plain(inner), plain(outer), dims(os), dims(is));
    if (!tiled) {
      // Canonical iters are larger than the written ones: some cuts of the written form no longer exist.
      REQUIRE((tiled.error().message.find("does not split") != std::string::npos ||
               tiled.error().message.find("thread axes") != std::string::npos));
      continue;
    }
    INFO("tiled " << show(*tiled));
    TileLayout ci = *canonicalize(plain(inner))->tile;
    auto scale = [&](Point p) {
      for (int a = 0; a < kAxisCount; ++a) {
        bool walked = std::ranges::any_of(ci.shard, [&](const Iter& i) { return static_cast<int>(i.axis) == a; });
        if (walked) p[a] *= span_of(ci, static_cast<Axis>(a));
      }
      return p;
    };
    Ints whole(rank);
    for (std::size_t d = 0; d < rank; ++d) whole[d] = os[d] * is[d];
    for (std::int64_t x = 0; x < product(whole); ++x) {
      Ints c = unflatten(x, whole), o(rank), i(rank);
      for (std::size_t d = 0; d < rank; ++d) {
        o[d] = c[d] / is[d];
        i[d] = c[d] % is[d];
      }
      REQUIRE(place(*tiled->tile, x) == plus(scale(place(outer, flatten(o, os))), place(inner, flatten(i, is))));
    }
    std::set<Point> both;
    for (const Point& a : replicas(outer)) {
      for (const Point& b : replicas(inner)) both.insert(plus(scale(a), b));
    }
    REQUIRE(replicas(*tiled->tile) == both);

    if (!inner.replica.empty() || !outer.replica.empty() || !inner.offset.empty()) continue;
    // What is found multiplies back to the product, whether or not it is the factor that went in.
    ++tried;
    Result<std::optional<Layout>> factor = is_tile_inner(plain(inner), *tiled, dims(whole), dims(is));
    if (factor && *factor) {
      Result<Layout> again = tile(plain(inner), **factor, dims(os), dims(is));
      REQUIRE(again);
      REQUIRE(same(*again, *tiled));
      ++recognised;
    }
    factor = is_tile_outer(plain(outer), *tiled, dims(whole), dims(os));
    if (factor && *factor) {
      Result<Layout> again = tile(**factor, plain(outer), dims(os), dims(is));
      REQUIRE(again);
      REQUIRE(same(*again, *tiled));
      ++recognised;
    }
  }
  CHECK(tried > 300);
  CHECK(recognised > tried);
}

TEST_CASE("property: the direct-sum law, and its recognisers", "[layout]") {
  Gen g;
  INFO("seed " << g.seed);
  int laws = 0, recognised = 0;
  for (int round = 0; round < 2500; ++round) {
    TileLayout right = g.sound_tile(3), left = g.sound_tile(3);
    if (right.shard.empty() || left.shard.empty() || elements(right) * elements(left) > 2000) continue;
    std::size_t rank = 1 + g.pick(3);
    Ints rs = g.grouped_shape(right, rank), ls = g.grouped_shape(left, rank);
    INFO("right " << show(plain(right)) << " left " << show(plain(left)));
    Result<Layout> sum = direct_sum(plain(right), plain(left), dims(ls), dims(rs));
    if (!sum) continue;
    ++laws;
    INFO("sum " << show(*sum));
    Ints interleaved;
    for (std::size_t d = 0; d < rank; ++d) {
      interleaved.push_back(ls[d]);
      interleaved.push_back(rs[d]);
    }
    for (std::int64_t x = 0; x < product(interleaved); ++x) {
      Ints c = unflatten(x, interleaved), l(rank), r(rank);
      for (std::size_t d = 0; d < rank; ++d) {
        l[d] = c[2 * d];
        r[d] = c[2 * d + 1];
      }
      REQUIRE(place(*sum->tile, x) == plus(place(left, flatten(l, ls)), place(right, flatten(r, rs))));
    }
    Result<std::optional<Layout>> other = is_direct_sum_right(plain(right), *sum, dims(interleaved), dims(rs));
    if (other && *other) {
      for (std::int64_t x = 0; x < product(ls); ++x) REQUIRE(place(*(*other)->tile, x) == place(left, x));
      ++recognised;
    }
    other = is_direct_sum_left(plain(left), *sum, dims(interleaved), dims(ls));
    if (other && *other) {
      for (std::int64_t x = 0; x < product(rs); ++x) REQUIRE(place(*(*other)->tile, x) == place(right, x));
      ++recognised;
    }
  }
  CHECK(laws > 500);
  CHECK(recognised > laws / 2);
}

TEST_CASE("property: a slice is right whenever it is a layout", "[layout]") {
  Gen g;
  INFO("seed " << g.seed);
  int found = 0, none = 0, wraps = 0;
  for (int round = 0; round < 20000; ++round) {
    TileLayout l = g.sound_tile(4);
    if (l.shard.empty() || elements(l) > 1500) continue;
    Ints shape = g.grouped_shape(l, 1 + g.pick(3));
    std::vector<Range> region;
    Ints begin, length;
    for (std::int64_t e : shape) {
      std::int64_t b = g.chance(30) ? 0 : g.pick(static_cast<int>(e));
      std::int64_t n = g.chance(30) ? e - b : 1 + g.pick(static_cast<int>(e - b));
      if (g.chance(30) && n > 1) n -= n % 2;
      begin.push_back(b);
      length.push_back(n);
      region.push_back({b, b + n});
    }
    Result<std::optional<Layout>> s = slice(plain(l), dims(shape), region);
    if (!s) continue;  // the canonical form does not split along this shape
    INFO(show(plain(l)) << " shape " << Catch::Detail::stringify(shape) << " begin " << Catch::Detail::stringify(begin)
                        << " length " << Catch::Detail::stringify(length));
    std::vector<Point> want;
    for (std::int64_t x = 0; x < product(length); ++x) {
      Ints c = unflatten(x, length);
      for (std::size_t d = 0; d < c.size(); ++d) c[d] += begin[d];
      want.push_back(place(l, flatten(c, shape)));
    }
    if (!*s) {
      ++none;
      continue;
    }
    ++found;
    INFO(show(**s));
    REQUIRE(elements(*(*s)->tile) == product(length));
    for (std::size_t x = 0; x < want.size(); ++x) REQUIRE(place(*(*s)->tile, static_cast<std::int64_t>(x)) == want[x]);
    REQUIRE(replicas(*(*s)->tile) == replicas(l));
    wraps += (*s)->tile->shard.size() > shape.size() ? 1 : 0;
    Result<std::optional<Layout>> relative = slice_relative(plain(l), dims(shape), region);
    REQUIRE((relative && *relative));
    TileLayout whole = *(*relative)->tile;
    for (const auto& [axis, value] : l.offset) add_offset(whole.offset, axis, value);
    REQUIRE(place(whole, 0) == want[0]);
  }
  CHECK(found > 5000);
  CHECK(none > 500);
  CHECK(wraps > 500);
}

TEST_CASE("property: pack undoes unpack, both keep the bits where they are", "[layout]") {
  Gen g;
  INFO("seed " << g.seed);
  for (int round = 0; round < 1500; ++round) {
    TileLayout l = g.tile(3, true, true);
    std::int64_t n = g.of<std::int64_t>({2, 4, 8});
    INFO(show(plain(l)) << " by " << n);
    Layout wide = unpack(plain(l), n).value();
    for (std::int64_t x = 0; x < elements(l); ++x) {
      for (std::int64_t i = 0; i < n; ++i)
        REQUIRE(place(*wide.tile, x * n + i)[static_cast<int>(Axis::m)] ==
                place(l, x)[static_cast<int>(Axis::m)] * n + i);
    }
    Layout back = pack(wide, n).value();
    for (std::int64_t x = 0; x < elements(l); ++x) REQUIRE(place(*back.tile, x) == place(l, x));
    REQUIRE(replicas(*back.tile) == replicas(l));
  }
}

TEST_CASE("property: storage is what one thread sees", "[layout]") {
  Gen g;
  INFO("seed " << g.seed);
  for (int round = 0; round < 1500; ++round) {
    TileLayout l = g.tile();
    TileLayout s = *storage(plain(l)).tile;
    INFO(show(plain(l)));
    // The memory coordinates of all elements are those of the storage layout.
    auto memory = [](Point p) {
      for (int a = 0; a < kAxisCount; ++a) {
        if (is_thread_axis(static_cast<Axis>(a))) p[a] = 0;
      }
      return p;
    };
    std::set<Point> all, local;
    for (std::int64_t x = 0; x < elements(l); ++x) all.insert(memory(place(l, x)));
    for (std::int64_t x = 0; x < elements(s); ++x) local.insert(place(s, x));
    REQUIRE(all == local);
  }
}

TEST_CASE("property: permuting groups permutes coordinates", "[layout]") {
  Gen g;
  INFO("seed " << g.seed);
  int done = 0;
  for (int round = 0; round < 2000; ++round) {
    TileLayout l = g.tile();
    if (l.shard.empty()) continue;
    Ints shape = g.grouped_shape(l, 3);
    Result<Grouped> grouped = group(l, dims(shape));
    if (!grouped) continue;
    std::vector<int> perm = {0, 1, 2};
    std::shuffle(perm.begin(), perm.end(), g.rng);
    Layout p = permute_by_groups(plain(grouped->layout), grouped->separators, perm).value();
    Ints permuted = {shape[perm[0]], shape[perm[1]], shape[perm[2]]};
    for (std::int64_t x = 0; x < product(shape); ++x) {
      Ints c = unflatten(x, permuted), original(3);
      for (int d = 0; d < 3; ++d) original[perm[d]] = c[d];
      REQUIRE(place(*p.tile, x) == place(l, flatten(original, shape)));
    }
    ++done;
  }
  CHECK(done > 500);
}

TEST_CASE("property: swizzles are involutions, periodic, permutations of their block", "[layout]") {
  Arena arena;
  ArenaScope scope(arena);
  Gen g;
  INFO("seed " << g.seed);
  for (int m = 0; m <= 4; ++m) {
    for (int b = 0; b <= 3; ++b) {
      for (int a = b; a <= 4; ++a) {
        for (bool inner : {true, false}) {
          Swizzle z{m, b, a, inner};
          CAPTURE(m, b, a, inner);
          std::int64_t period = z.period(), block = std::int64_t{1} << (m + b);
          std::vector<bool> hit(period);
          for (std::int64_t x = 0; x < period; ++x) {
            std::int64_t y = z.apply(x);
            REQUIRE((y >= 0 && y < period && !hit[y]));
            hit[y] = true;
            REQUIRE(z.apply(y) == x);
            REQUIRE(z.apply(x + 5 * period) == y + 5 * period);
            if (inner) REQUIRE(y / block == x / block);
            REQUIRE(y % z.chunk() == x % z.chunk());
          }
          ir::Var* v = ir::make_var("x", ir::kInt32);
          v->range = {0, 4 * period};
          ir::Expr e = ir::simplify(z.apply(ir::Expr(v) * ir::Expr(4) + ir::Expr(g.pick(64))));
          ir::Expr plain_e = z.apply(ir::Expr(v) * ir::Expr(4) + ir::Expr(0));
          for (int sample = 0; sample < 8; ++sample) {
            std::int64_t at = g.pick(static_cast<int>(period));
            auto value = [&](ir::Expr x) { return ir::substitute(x, [&](const ir::Var*) { return ir::Expr(at); }); };
            REQUIRE(ir::is_constant(value(plain_e), z.apply(at * 4)));
            REQUIRE(ir::constant(value(e)) != nullptr);
          }
        }
      }
    }
  }
}

TEST_CASE("property: simplified swizzled addresses keep their value", "[layout]") {
  Arena arena;
  ArenaScope scope(arena);
  Gen g;
  INFO("seed " << g.seed);
  ir::Var* tid = ir::make_var("tid", ir::kInt32);
  ir::Var* f = ir::make_var("f", ir::kInt32);
  tid->range = {0, 127};
  f->range = {0, 7};
  for (int round = 0; round < 1500; ++round) {
    Swizzle z{g.pick(5), 1 + g.pick(3), 3, g.chance(80)};
    ir::Expr x = ir::Expr(tid) / ir::Expr(1 << g.pick(5)) * ir::Expr(1 << g.pick(8)) +
                 ir::Expr(tid) % ir::Expr(1 << g.pick(5)) * ir::Expr(1 << g.pick(6)) +
                 ir::Expr(f) * ir::Expr(1 << g.pick(11)) + ir::Expr(g.pick(2) * g.pick(2000));
    ir::Expr e = ir::simplify(z.apply(x));
    INFO(ir::to_string(x) << " -> " << ir::to_string(e));
    for (int sample = 0; sample < 8; ++sample) {
      std::int64_t a = g.pick(128), b = g.pick(8);
      auto value = [&](ir::Expr v) {
        return *ir::constant(ir::substitute(v, [&](const ir::Var* var) { return ir::Expr(var == tid ? a : b); }));
      };
      REQUIRE(value(e) == z.apply(value(x)));
    }
  }
}

// ---- tables of the hardware
// ------------------------------------------------------------------------------------------

// surface.md 11.3: the byte address of an element of an MMA shared tile.
std::int64_t mma_byte(std::int64_t outer, std::int64_t r, std::int64_t byte, std::int64_t rows, std::int64_t row_bytes,
                      std::int64_t w) {
  std::int64_t row_atoms = rows / 8, column_atoms = row_bytes / w;
  std::int64_t column_atom = byte / w, row_atom = r / 8, rr = r % 8, c = byte % w;
  std::int64_t chunk = c / 16;
  if (w == 128) chunk ^= rr & 7;
  if (w == 64) chunk ^= (rr >> 1) & 3;
  if (w == 32) chunk ^= (rr >> 2) & 1;
  return ((outer * column_atoms + column_atom) * row_atoms + row_atom) * (8 * w) + rr * w + chunk * 16 + c % 16;
}

TEST_CASE("mma_shared_layout is the byte formula of surface.md 11.3", "[layout]") {
  for (const char* name : {"float4_e2m1fn", "uint8", "float16", "float32", "float64"}) {
    ir::DataType t = *ir::parse_dtype(name);
    int bits = t.storage_bits();
    for (int mode = 1; mode <= 3; ++mode) {
      std::int64_t w = 16 << mode, atom = w * 8 / bits;
      for (const Ints& shape : {Ints{8, atom}, Ints{16, atom * 2}, Ints{24, atom * 3}, Ints{2, 16, atom * 2},
                                Ints{2, 3, 8, atom}, Ints{1, 64, atom}, Ints{3, 8, atom * 2}}) {
        CAPTURE(name, mode, shape);
        Layout l = mma_shared_layout(t, static_cast<SwizzleMode>(mode), dims(shape)).value();
        REQUIRE(swizzle_mode_of(l) == static_cast<SwizzleMode>(mode));
        std::int64_t rows = shape[shape.size() - 2], columns = shape.back();
        for (std::int64_t x = 0; x < product(shape); ++x) {
          Ints c = unflatten(x, shape);
          std::int64_t outer = x / (rows * columns), bit = c.back() * bits;
          std::int64_t want = mma_byte(outer, c[c.size() - 2], bit / 8, rows, columns * bits / 8, w) * 8 + bit % 8;
          Result<IntCoordinates> at = apply(l, c, dims(shape));
          REQUIRE(at);
          REQUIRE(at->size() == 1);
          REQUIRE((*at)[0].second * bits == want);
        }
        // The rule of 6: the atom tiled along the rows first, then over the whole shape.
        Shape atom_shape = mma_atom_shape(t, static_cast<SwizzleMode>(mode), ShapeView(dims(shape))).value();
        Shape column = atom_shape;
        column[column.size() - 2] = rows;
        Layout first = tile_to(mma_atom_layout(t, static_cast<SwizzleMode>(mode)).value(), column, atom_shape).value();
        Layout tiled = canonicalize(tile_to(first, dims(shape), column).value()).value();
        REQUIRE(show(tiled) == show(l));
      }
    }
  }
}

TEST_CASE("tcgen05 fragments are the tables of 7.3", "[layout]") {
  int layouts = 0;
  for (const char* name : {"16x64b", "16x128b", "16x256b"}) {
    const std::string instruction = name;
    const std::int64_t unit = instruction == "16x64b" ? 2 : instruction == "16x128b" ? 4 : 8;
    const std::int64_t per_repeat = unit / 2;  // registers of one repeat
    for (std::int64_t n = 1; n * unit <= 256; n *= 2) {
      for (std::int64_t rows : {64, 128}) {
        for (ir::DataType t : {ir::kFloat32, ir::kFloat16}) {
          const std::int64_t k = 32 / t.bits, columns = unit * n * k, used = per_repeat * n;
          CAPTURE(instruction, n, rows, t.bits);
          Layout l = tcgen05_atom_layout(instruction, rows, columns, t).value();
          ++layouts;
          std::int64_t seen = 0;
          for (std::int64_t w = 0; w < 4; ++w) {
            for (std::int64_t lane = 0; lane < 32; ++lane) {
              for (std::int64_t slab = 0; slab < rows / 64; ++slab) {
                for (std::int64_t r = 0; r < used; ++r) {
                  std::int64_t row = rows == 64 ? 16 * w : 32 * w + 16 * slab, column = 0;
                  if (instruction == "16x64b") {
                    row += (lane >> 2) + 8 * (lane & 1);
                    column = ((lane >> 1) & 1) + 2 * r;
                  } else if (instruction == "16x128b") {
                    row += (lane >> 2) + 8 * (r & 1);
                    column = (lane & 3) + 4 * (r >> 1);
                  } else {
                    row += (lane >> 2) + 8 * ((r >> 1) & 1);
                    column = (r & 1) + 2 * (lane & 3) + 8 * (r >> 2);
                  }
                  for (std::int64_t half = 0; half < k; ++half) {
                    Result<IntCoordinates> at = apply(l, Ints{row, column * k + half}, dims(Ints{rows, columns}));
                    Point p = point(at.value());
                    REQUIRE(p[static_cast<int>(Axis::wid_in_wg)] == w);
                    REQUIRE(p[static_cast<int>(Axis::laneid)] == lane);
                    REQUIRE(p[static_cast<int>(Axis::m)] == (slab * used + r) * k + half);
                    ++seen;
                  }
                }
              }
            }
          }
          REQUIRE(seen == rows * columns);
        }
      }
    }
  }
  CHECK(layouts == 84);
}

TEST_CASE("scale factors land in the columns of gemm.md 5.4", "[layout]") {
  for (std::int64_t rows : {32, 128, 256}) {
    for (std::int64_t q : {1, 2, 4}) {
      for (std::int64_t groups : {1, 2, 3, 4, 6, 8}) {
        std::int64_t sf_k = q * groups, m = rows / 32, g = 4 / q;
        while (groups % g) g /= 2;
        CAPTURE(rows, q, groups);
        Layout l = sf_tmem_layout(rows, sf_k, q).value();
        for (std::int64_t r = 0; r < rows; ++r) {
          for (std::int64_t k = 0; k < sf_k; ++k) {
            std::int64_t i = k % q, p = k / q % g, ko = k / q / g;
            Point at = point(apply(l, Ints{r, k}, dims(Ints{rows, sf_k})).value());
            REQUIRE(at[static_cast<int>(Axis::TLane)] == r % 32);
            REQUIRE(at[static_cast<int>(Axis::TCol)] == i + 4 * (r / 32) + q * p + 4 * m * ko);
          }
        }
      }
    }
  }
  Layout s = sf_smem_layout(256, 8, 1).value();
  for (std::int64_t r = 0; r < 256; ++r) {
    for (std::int64_t k = 0; k < 8; ++k) {
      std::int64_t want = r / 128 * 512 * 2 + r % 128 / 32 * 4 + r % 32 * 16 + k / 4 * 512 + k % 4;
      REQUIRE(point(apply(s, Ints{r, k}, dims(Ints{256, 8})).value())[static_cast<int>(Axis::m)] == want);
    }
  }
}

TEST_CASE("property: symbolic extents agree with numbers put in later", "[layout]") {
  Gen g;
  INFO("seed " << g.seed);
  Arena arena;
  ArenaScope scope(arena);
  const ir::Var* M = ir::make_var("M", ir::kInt32, ir::VarRole::Extent);
  const ir::Var* b = ir::make_var("b", ir::kInt32);
  for (int round = 0; round < 400; ++round) {
    // A layout whose slowest iter is symbolic, sliced at a symbolic place of its first dimension.
    TileLayout l = g.sound_tile(3, false, true);
    std::int64_t rest = elements(l);
    std::int64_t stride = span_of(l, Axis::m);
    l.shard.insert(l.shard.begin(), Iter{Dim(ir::Expr(M)), stride, Axis::m});
    const Shape shape = {Dim(ir::Expr(M)), rest};
    std::int64_t rows = 1 + g.pick(4);
    const std::vector<Range> region = {{Dim(ir::Expr(b)), Dim(ir::Expr(b) + ir::Expr(rows))}, {0, rest}};
    INFO(show(plain(l)));
    Result<std::optional<Layout>> s = slice(plain(l), shape, region);
    REQUIRE(s);
    REQUIRE(*s);
    std::int64_t size = 8 + g.pick(20), begin = g.pick(4);
    auto number = [&](Dim d) {
      ir::Expr v = ir::substitute(d.expr(), [&](const ir::Var* var) { return ir::Expr(var == M ? size : begin); });
      return *ir::constant(v);
    };
    auto numeric = [&](TileLayout t) {
      for (Iter& i : t.shard) i = {number(i.extent), number(i.stride), i.axis};
      for (auto& [axis, value] : t.offset) value = number(value);
      return t;
    };
    TileLayout whole = numeric(l), part = numeric(*(*s)->tile);
    REQUIRE(elements(part) == rows * rest);
    for (std::int64_t x = 0; x < rows * rest; ++x) REQUIRE(place(part, x) == place(whole, x + begin * rest));
  }
}

}  // namespace
}  // namespace tilewright::layout
