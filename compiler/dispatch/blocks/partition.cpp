#include "compiler/dispatch/blocks/partition.h"

#include <algorithm>
#include <numeric>

#include "compiler/dispatch/words.h"

namespace tilewright::dispatch {
namespace {

using ir::Expr;

Walks walks_of(const layout::TileLayout& tile) {
  Walks out;
  out.reserve(tile.shard.size());
  for (const layout::Iter& it : tile.shard) out.push_back(walk_of(it));
  return out;
}

bool divisible(std::span<const Walk> walks, std::int64_t v) {
  return std::ranges::all_of(walks, [v](const Walk& w) { return w.extent == 1 || w.stride % v == 0; });
}

// The run is `v` neighbouring elements in order.
bool contiguous(std::span<const Walk> run) {
  std::int64_t next = 1;
  for (std::size_t i = run.size(); i-- > 0;) {
    if (run[i].extent == 1) continue;
    if (run[i].stride != next) return false;
    next *= run[i].extent;
  }
  return true;
}

// Whether `v` elements an access work: a tail of v neighbours on both sides, a block of threads before it, and every
// other step and start a multiple of v.
bool fits(const Partition& p, std::int64_t v, int bits, const ir::Buffer& global, const ir::Buffer& shared) {
  if (!is_copy_width(v * bits)) return false;
  if (v == 1) return true;
  if (p.swizzle && v > p.swizzle->chunk()) return false;
  // X5: the global tail is v neighbours, too. In fused walks that is the last walk or nothing.
  const Walk& last = p.global.back();
  if (last.stride != 1 || last.extent % v != 0) return false;
  Walks g = p.global;
  g.back() = {last.extent / v, v};
  if (p.threads > 1) {
    auto carved = carve(g, p.threads);
    if (!carved) return false;
    g = std::move(*carved);
  }
  g.push_back({v, 1});
  std::vector<std::int64_t> shape;
  for (const Walk& w : g) shape.push_back(w.extent);
  std::optional<Runs> s = group(p.shared, shape);
  if (!s || !contiguous(s->run(shape.size() - 1))) return false;
  std::span<const Walk> rest(s->walks.data(), s->cuts[shape.size() - 1]);
  if (!divisible(rest, v) || !divisible(std::span(g).first(g.size() - 1), v)) return false;
  if (!layout::provably_divisible(p.global_start, v) || !layout::provably_divisible(p.shared_start, v)) return false;
  return base_allows(global, v) && base_allows(shared, v);
}

Expr offset(const Walks& walks, const layout::Dim& start, const Partition& p, Expr f, Expr t) {
  std::int64_t shape[] = {p.outer, p.threads, p.vec};
  if (std::optional<Runs> runs = group(walks, shape)) {
    return start.expr() + place(runs->run(0), f) + place(runs->run(1), t);
  }
  return start.expr() + place(walks, f * Expr(p.threads * p.vec) + t * Expr(p.vec));
}

}  // namespace

std::expected<Partition, Reason> partition(const ir::Buffer& global, const Window& g, const ir::Buffer& shared,
                                           const Window& s, std::int64_t elements, std::int64_t threads, int bits,
                                           std::span<const int> widths, bool with_one) {
  if (g.swizzle) return std::unexpected(cat("the global side ", ir::spoken_name(global), " is swizzled"));
  // The order of the walk is that of the strides, so they must be numbers.
  for (const ir::Buffer* b : {&global, &shared}) {
    if (Reason r = symbolic_pitch(*b); !r.empty()) return std::unexpected(std::move(r));
  }
  if (Reason r = not_plain(g, ir::spoken_name(global)); !r.empty()) return std::unexpected(std::move(r));
  if (Reason r = not_plain(s, ir::spoken_name(shared)); !r.empty()) return std::unexpected(std::move(r));

  Partition p{.global_start = g.start(), .shared_start = s.start(), .swizzle = s.swizzle, .threads = threads};
  Walks gw = walks_of(g.tile), sw = walks_of(s.tile);
  std::vector<std::int64_t> extents;
  for (const Walk& w : gw) extents.push_back(w.extent);
  std::vector<std::size_t> order(gw.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return gw[a].stride > gw[b].stride; });
  if (std::optional<Runs> runs = group(sw, extents)) {
    Walks sorted_g, sorted_s;
    for (std::size_t i : order) {
      sorted_g.push_back(gw[i]);
      std::span<const Walk> run = runs->run(i);
      sorted_s.insert(sorted_s.end(), run.begin(), run.end());
    }
    p.global = fuse(sorted_g);
    p.shared = fuse(sorted_s);
  } else {
    // X6: the shared side cannot follow the order, so the global side keeps its own.
    p.global = fuse(gw);
    p.shared = fuse(sw);
  }
  for (std::int64_t v : width_candidates(bits, widths, with_one)) {
    if (elements % (threads * v) != 0 || !fits(p, v, bits, global, shared)) continue;
    p.vec = v;
    p.outer = elements / (threads * v);
    std::int64_t shape[] = {p.outer, threads * v};
    if (std::optional<Runs> runs = group(p.shared, shape)) {
      std::span<const Walk> run = runs->run(0);
      p.loop = Walks(run.begin(), run.end());
    }
    return p;
  }
  return std::unexpected(cat("no access width fits: elements of ", bits, " bits"));
}

Expr global_offset(const Partition& p, Expr f, Expr t) { return offset(p.global, p.global_start, p, f, t); }
Expr shared_offset(const Partition& p, Expr f, Expr t) { return offset(p.shared, p.shared_start, p, f, t); }

}  // namespace tilewright::dispatch
