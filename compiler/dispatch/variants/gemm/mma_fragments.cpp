#include "compiler/dispatch/variants/gemm/mma_fragments.h"

#include <algorithm>
#include <numeric>

#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch {
namespace {

using layout::Axis;
using layout::Dim;
using layout::Iter;
using layout::Iters;

bool is_thread(const Iter& it) { return layout::is_thread_axis(it.axis); }

std::int64_t product(std::span<const Iter> iters, bool threads) {
  std::int64_t n = 1;
  for (const Iter& it : iters) n *= is_thread(it) == threads ? it.extent.value() : 1;
  return n;
}

std::string text(std::span<const Iter> iters) {
  return layout::to_short_string({std::nullopt, layout::TileLayout{Iters(iters.begin(), iters.end()), {}, {}}});
}

// The iters cut where `shape` cuts.
std::optional<std::vector<Iters>> cut(const Iters& list, std::span<const Dim> shape) {
  auto grouped = layout::group(layout::TileLayout{list, {}, {}}, shape);
  if (!grouped) return std::nullopt;
  std::vector<Iters> out;
  for (std::size_t i = 0; i + 1 < grouped->separators.size(); ++i) {
    const auto& shard = grouped->layout.shard;
    out.emplace_back(shard.begin() + static_cast<std::ptrdiff_t>(grouped->separators[i]),
                     shard.begin() + static_cast<std::ptrdiff_t>(grouped->separators[i + 1]));
  }
  return out;
}

// Threads first, then registers, each by descending stride.
std::vector<std::size_t> canonical_order(const Iters& list) {
  std::vector<std::size_t> order(list.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {},
                           [&](std::size_t i) { return std::pair(!is_thread(list[i]), -list[i].stride.value()); });
  return order;
}

Reason align_one(const MmaOperand& anchor, MmaOperand& follower, MmaDim dim) {
  const Iters &from = anchor.list(dim), &list = follower.list(dim);
  std::vector<Dim> extents;
  for (const Iter& it : from) extents.push_back(it.extent);
  auto groups = cut(list, extents);
  if (!groups) {
    return cat(mma_dim_name(dim), " of ", follower.role, ", ", text(list), ", cannot be cut where that of ",
               anchor.role, " is, ", text(from));
  }
  Iters out;
  for (std::size_t i : canonical_order(from)) out.insert(out.end(), (*groups)[i].begin(), (*groups)[i].end());
  follower.list(dim) = std::move(out);
  return {};
}

// One entry of a fragment: so many lanes or registers, at that stride where the hardware pins it.
struct Pinned {
  std::int64_t extent;
  std::optional<std::int64_t> stride;
  bool thread;
};
constexpr bool kLane = true, kRegister = false;

struct Pattern {
  std::vector<Pinned> lanes, registers;
};

struct Cut {
  Iters warps, tiles;
  std::vector<std::int64_t> pairs;
};

std::string wanted(const Pinned& p) {
  return cat(p.extent, p.thread ? " lanes" : " registers", p.stride ? cat(" at stride ", *p.stride) : std::string());
}

// `threads`, `registers`: of the dimension's anchor.
std::expected<Cut, Reason> carve(const Iters& list, std::int64_t threads, std::int64_t registers,
                                 const Pattern& pattern, std::string_view what) {
  auto total = [](const std::vector<Pinned>& entries) {
    std::int64_t n = 1;
    for (const Pinned& p : entries) n *= p.extent;
    return n;
  };
  const std::int64_t lanes = total(pattern.lanes), pairs = total(pattern.registers);
  if (threads % lanes != 0 || registers % pairs != 0) {
    return refuse(cat(what, " is held by ", threads, threads == 1 ? " thread in " : " threads in ", registers,
                      registers == 1 ? " register" : " registers", "; the fragment has multiples of ", lanes, " and ",
                      pairs));
  }
  std::vector<Dim> shape = {threads / lanes};
  std::vector<const Pinned*> entries = {nullptr};
  for (const Pinned& p : pattern.lanes) {
    shape.emplace_back(p.extent);
    entries.push_back(&p);
  }
  shape.emplace_back(registers / pairs);
  entries.push_back(nullptr);
  for (const Pinned& p : pattern.registers) {
    shape.emplace_back(p.extent);
    entries.push_back(&p);
  }
  auto groups = cut(list, shape);
  if (!groups) return refuse(cat(what, ", ", text(list), ", cannot be cut as the fragment is"));
  Cut out{.warps = (*groups)[0], .tiles = {}, .pairs = {}};
  out.tiles = (*groups)[pattern.lanes.size() + 1];
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Pinned* p = entries[i];
    if (!p) continue;
    const Iters& run = (*groups)[i];
    const bool fits = p->extent == 1 || (run.size() == 1 && is_thread(run[0]) == p->thread &&
                                         (!p->stride || run[0].stride.is(*p->stride)));
    if (!fits) return refuse(cat(what, " has ", text(run), " where the fragment has ", wanted(*p)));
    if (i > pattern.lanes.size() + 1) out.pairs.push_back(p->extent == 1 ? 0 : run[0].stride.value());
  }
  std::erase_if(out.warps, [](const Iter& it) { return it.extent.is(1); });
  for (const Iter& it : out.tiles) {
    if (!it.extent.is(1) && is_thread(it)) {
      return refuse(cat(what, " is spread over threads, ", text(out.tiles), ", where the tiles of D are in registers"));
    }
  }
  for (const Iter& it : out.warps) {
    if (is_thread(it) && it.stride.value() % 32 == 0) continue;
    return refuse(cat(what, " is spread, ", text(out.warps), ", over what is not a step of whole warps"));
  }
  return out;
}

Reason same_warps(const Iters& a, std::string_view a_name, const Iters& b, std::string_view b_name, MmaDim dim) {
  if (std::ranges::equal(a, b, [](const Iter& x, const Iter& y) { return layout::same(x, y); })) return {};
  return cat(mma_dim_name(dim), " of ", b_name, " is spread over warps ", b.empty() ? "not at all" : text(b),
             ", that of ", a_name, " ", a.empty() ? "not at all" : text(a));
}

// Constant iters on registers and one thread axis.
Reason unfit(const MmaOperand& o, const layout::TileLayout& tile) {
  const std::string_view name = ir::spoken_name(*o.buffer);
  std::optional<Axis> threads;
  for (const Iter& it : tile.shard) {
    if (!it.extent.is_constant() || !it.stride.is_constant()) return cat(name, " has a layout known only at run time");
    if (!is_thread(it)) {
      if (it.axis != Axis::m) return cat(name, " is distributed over axis ", layout::axis_name(it.axis));
      continue;
    }
    if (threads && *threads != it.axis) {
      return cat(o.role, " is spread over more than one thread axis, ", layout::axis_name(*threads), " and ",
                 layout::axis_name(it.axis));
    }
    threads = it.axis;
  }
  return {};
}

// Every thread that holds a part of the buffer must hold a part of the region (G24).
Reason leaves_threads_out(const MmaOperand& o, const layout::TileLayout& whole, const layout::TileLayout& part) {
  for (const auto& [axis, value] : part.offset) {
    const bool own = layout::provably_equal(value, layout::offset_on(whole.offset, axis));
    if (!layout::is_thread_axis(axis) || (own && value.is(0))) continue;
    return cat("the region of ", ir::spoken_name(*o.buffer), " starts at ", layout::to_string(value), " on ",
               layout::axis_name(axis), ": each thread multiplies its own registers, so a slice cannot choose threads");
  }
  auto constant = [](const Iter& it) { return it.extent.is_constant(); };
  if (!std::ranges::all_of(whole.shard, constant)) return {};
  const std::int64_t all = product(whole.shard, true), here = product(part.shard, true);
  if (all == here) return {};
  return cat("the region of ", ir::spoken_name(*o.buffer), " is held by ", here, " of ", all,
             " threads: each thread multiplies its own registers, so a slice cannot choose threads");
}

}  // namespace

std::string_view mma_dim_name(MmaDim dim) { return dim == MmaDim::M ? "M" : dim == MmaDim::N ? "N" : "K"; }

std::expected<MmaOperand, Reason> mma_operand(std::string_view role, const ir::Region& region, MmaDim rows,
                                              MmaDim columns) {
  const ir::Buffer& buffer = *region.buffer;
  MmaOperand out{.role = role, .buffer = &buffer, .dims = {rows, columns}};
  std::vector<layout::Range> ranges;
  std::vector<Dim> extents;
  for (const ir::Range& r : region.ranges) {
    ranges.push_back({Dim(r.min), Dim(r.min) + Dim(r.extent)});
    if (!ir::is_constant(ir::simplify(r.extent), 1)) extents.emplace_back(r.extent);
  }
  auto sliced = layout::slice(*buffer.layout, ir::shape_of(buffer), ranges);
  if (!sliced) return refuse(std::move(sliced.error().message));
  if (!*sliced || !(*sliced)->tile) {
    return refuse(cat("region ", ir::to_string(region), " of ", role, " is not one strided block of its layout"));
  }
  auto canonical = layout::canonicalize({std::nullopt, (*sliced)->tile});
  if (!canonical) return refuse(std::move(canonical.error().message));
  const layout::TileLayout& tile = *canonical->tile;
  if (Reason why = unfit(out, tile); !why.empty()) return refuse(std::move(why));
  if (Reason why = leaves_threads_out(out, *buffer.layout->tile, tile); !why.empty()) return refuse(std::move(why));
  auto groups = cut(tile.shard, extents);
  if (!groups || groups->size() != 2) {
    return refuse(cat("the layout of ", role, ", ", text(tile.shard), ", cannot be cut into ",
                      layout::to_string(extents[0]), " rows and ", layout::to_string(extents[1]), " columns"));
  }
  out.lists[0] = std::move((*groups)[0]);
  out.lists[1] = std::move((*groups)[1]);
  out.start = layout::offset_on(tile.offset, Axis::m);
  return out;
}

Reason align(MmaOperands& o) {
  const std::pair<MmaOperand*, std::pair<MmaOperand*, MmaDim>> followers[] = {{&o.d, {&o.a, MmaDim::M}},
                                                                              {&o.d, {&o.c, MmaDim::M}},
                                                                              {&o.d, {&o.b, MmaDim::N}},
                                                                              {&o.d, {&o.c, MmaDim::N}},
                                                                              {&o.a, {&o.b, MmaDim::K}}};
  for (const auto& [anchor, follower] : followers) {
    if (Reason why = align_one(*anchor, *follower.first, follower.second); !why.empty()) return why;
  }
  const std::pair<MmaOperand*, MmaDim> anchors[] = {{&o.d, MmaDim::M}, {&o.d, MmaDim::N}, {&o.a, MmaDim::K}};
  for (const auto& [anchor, dim] : anchors) {
    Iters list;
    for (std::size_t i : canonical_order(anchor->list(dim))) list.push_back(anchor->list(dim)[i]);
    anchor->list(dim) = std::move(list);
  }
  return {};
}

std::expected<MmaMatch, Reason> match_fragments(const MmaOperands& o, std::int64_t k) {
  const Pattern rows{{{8, 4, kLane}}, {{2, {}, kRegister}}};
  const Pattern depth{{{4, 1, kLane}}, {{k / 8, {}, kRegister}, {2, 1, kRegister}}};
  // Column g of B is eight lanes, which D has as four lanes and a pair.
  const Pattern across{{{4, 8, kLane}}, {{2, 4, kLane}}};
  const Pattern columns_of_d{{{4, 1, kLane}}, {{2, 1, kRegister}}};
  struct Part {
    const MmaOperand& operand;
    MmaFragment MmaMatch::* fragment;
    MmaDim dim;
    const Pattern& pattern;
  };
  const Part parts[] = {
      {o.d, &MmaMatch::d, MmaDim::M, rows},  {o.d, &MmaMatch::d, MmaDim::N, columns_of_d},
      {o.a, &MmaMatch::a, MmaDim::M, rows},  {o.a, &MmaMatch::a, MmaDim::K, depth},
      {o.b, &MmaMatch::b, MmaDim::K, depth}, {o.b, &MmaMatch::b, MmaDim::N, across},
      {o.c, &MmaMatch::c, MmaDim::M, rows},  {o.c, &MmaMatch::c, MmaDim::N, columns_of_d},
  };
  MmaMatch out;
  for (const Part& part : parts) {
    const Iters& anchor = (part.dim == MmaDim::K ? o.a : o.d).list(part.dim);
    auto carved = carve(part.operand.list(part.dim), product(anchor, true), product(anchor, false), part.pattern,
                        cat(mma_dim_name(part.dim), " of ", part.operand.role));
    if (!carved) return std::unexpected(std::move(carved.error()));
    MmaFragment& f = out.*part.fragment;
    const std::size_t at = part.operand.dims[0] == part.dim ? 0 : 1;
    f.warps[at] = std::move(carved->warps);
    f.tiles[at] = std::move(carved->tiles);
    f.pairs[at] = std::move(carved->pairs);
  }
  auto warps = [](const MmaOperand& operand, const MmaFragment& f, MmaDim dim) -> const Iters& {
    return f.warps[operand.dims[0] == dim ? 0 : 1];
  };
  for (auto [dim, other, fragment] : {std::tuple(MmaDim::M, &o.a, &out.a), std::tuple(MmaDim::M, &o.c, &out.c),
                                      std::tuple(MmaDim::N, &o.b, &out.b), std::tuple(MmaDim::N, &o.c, &out.c)}) {
    if (Reason why = same_warps(warps(o.d, out.d, dim), "D", warps(*other, *fragment, dim), other->role, dim);
        !why.empty()) {
      return refuse(std::move(why));
    }
  }
  if (const Iters& spread = warps(o.a, out.a, MmaDim::K); !spread.empty()) {
    return refuse(cat("K is spread over warps, ", text(spread), ", and nothing adds their sums up"));
  }
  if (Reason why = same_warps(warps(o.a, out.a, MmaDim::K), "A", warps(o.b, out.b, MmaDim::K), "B", MmaDim::K);
      !why.empty()) {
    return refuse(std::move(why));
  }
  return out;
}

std::int64_t register_of(std::span<const Iter> iters, std::int64_t index) {
  std::int64_t sum = 0;
  for (std::size_t i = iters.size(); i-- > 0;) {
    sum += index % iters[i].extent.value() * iters[i].stride.value();
    index /= iters[i].extent.value();
  }
  return sum;
}

}  // namespace tilewright::dispatch
