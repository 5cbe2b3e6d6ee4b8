// Elementwise operations on tiles in registers, each thread its own elements (compute.md 5).
//
// The destination drives. Its walks are ordered, threads first and then memory from the largest stride down; every
// source is cut where the destination is and put into the same order, so that equal positions are the same element.
// When the threads agree they can be dropped: what is left are the registers of one thread, walked side by side.
#include <algorithm>
#include <numeric>

#include "compiler/dispatch/blocks/coverage.h"
#include "compiler/dispatch/blocks/elementwise.h"
#include "compiler/dispatch/blocks/emit.h"
#include "compiler/dispatch/blocks/iters.h"
#include "compiler/dispatch/blocks/packed.h"
#include "compiler/dispatch/blocks/threads.h"
#include "compiler/dispatch/blocks/width.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch::variants::elementwise_reg {
namespace {

using ir::Expr;
using layout::TileLayout;

bool is_local(ir::StorageScope scope) { return scope == ir::StorageScope::Local; }

Reason not_a_tile_layout(const ir::Region& region) {
  const layout::Layout& l = *region.buffer->layout;
  if (l.is_tile()) return {};
  std::string_view name = ir::spoken_name(*region.buffer);
  return l.is_bare_swizzle() ? cat("anchor layout is swizzle: ", name, " is no tile in registers")
                             : cat("anchor layout is ComposeLayout, not TileLayout: ", name);
}

Reason elementwise_reg_applicable(CallContext& context) {
  const Elementwise& e = elementwise(context);
  if (context.scope.kind == ir::ExecScope::Cluster) return "unsupported scope cluster";
  if (Reason r = not_all_here(context); !r.empty()) return r;
  if (!e.invalid.empty()) return e.invalid;
  if (Reason r = not_stored_in(e, is_local, "reg works on tiles in registers"); !r.empty()) return r;
  if (auto mode = packed_rounding(context.call); !mode) return mode.error();
  if (Reason r = not_a_tile_layout(e.dst); !r.empty()) return r;
  if (Reason r = not_spread_over_scope(context, e.dst); !r.empty()) return r;
  if (Reason r = not_broadcast(e); !r.empty()) return r;
  if (!e.elements) return "an extent of the destination is known only at run time";
  for (const ir::Region* region : e.regions()) {
    if (Reason r = of_another_warp(context, *region); !r.empty()) return r;
    if (region == &e.dst) continue;
    if (Reason r = replicas_differ(e.dst, *region); !r.empty()) return r;
  }
  return {};
}

constexpr Predicate kRegPredicates[] = {{"elementwise_reg", elementwise_reg_applicable}};

// The registers of one thread that belong to an operand, in the common order.
struct Registers {
  const ir::Buffer* buffer = nullptr;
  Walks walks{};
  layout::Dim start{};
};

bool constant_walks(const TileLayout& tile) {
  return std::ranges::all_of(tile.shard,
                             [](const layout::Iter& it) { return it.extent.is_constant() && it.stride.is_constant(); });
}

layout::Shape extents_of(const ir::Region& region) {
  layout::Shape out;
  for (const ir::Range& r : region.ranges) out.push_back(layout::Dim(r.extent));
  return out;
}

// The source's walks over the destination's dimensions: those that it lacks, or has only one of, repeat it.
std::expected<TileLayout, Reason> lifted(const ir::Region& dst, const ir::Region& src, const TileLayout& tile) {
  layout::Shape to = extents_of(dst), from = extents_of(src);
  if (std::ranges::equal(to, from, [](layout::Dim a, layout::Dim b) { return layout::provably_equal(a, b); }))
    return tile;
  auto grouped = layout::group(tile, from);
  if (!grouped) return std::unexpected(std::move(grouped.error().message));
  TileLayout out = tile;
  out.shard.clear();
  const std::size_t lead = to.size() - from.size();
  for (std::size_t d = 0; d < to.size(); ++d) {
    if (d < lead || (from[d - lead].is(1) && !to[d].is(1))) {
      out.shard.push_back({to[d], 0, layout::Axis::m});
      continue;
    }
    const layout::Iters& iters = grouped->layout.shard;
    const std::vector<std::size_t>& cuts = grouped->separators;
    out.shard.insert(out.shard.end(), iters.begin() + static_cast<std::ptrdiff_t>(cuts[d - lead]),
                     iters.begin() + static_cast<std::ptrdiff_t>(cuts[d - lead + 1]));
  }
  return out;
}

// Threads first, then memory, each from the largest stride down.
std::vector<std::size_t> order_of(const layout::Iters& shard) {
  std::vector<std::size_t> order(shard.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    const bool x = layout::is_thread_axis(shard[a].axis), y = layout::is_thread_axis(shard[b].axis);
    return x != y ? x : shard[a].stride.value() > shard[b].stride.value();
  });
  return order;
}

std::expected<layout::Iters, Reason> threads_of(const layout::Iters& shard, const layout::Iters& replica) {
  auto canonical = layout::canonicalize({std::nullopt, TileLayout{shard, replica, {}}}, layout::Fusion::Cuda);
  if (!canonical) return std::unexpected(std::move(canonical.error().message));
  layout::Iters out;
  std::ranges::copy_if(canonical->tile->shard, std::back_inserter(out),
                       [](const layout::Iter& it) { return layout::is_thread_axis(it.axis); });
  return out;
}

Walks memory_of(const layout::Iters& shard) {
  Walks out;
  for (const layout::Iter& it : shard) {
    if (!layout::is_thread_axis(it.axis) && !it.extent.is(1)) out.push_back(walk_of(it));
  }
  return out;
}

// The registers of all tiles of the call, the destination first.
std::expected<std::vector<Registers>, Reason> align(const Elementwise& e) {
  std::vector<Registers> out;
  auto anchor = register_window(e.dst);
  if (!anchor) return std::unexpected(std::move(anchor.error()));
  const layout::Iters& shard = anchor->tile.shard;
  if (!constant_walks(anchor->tile)) return std::unexpected("an extent of the destination is known only at run time");
  const std::vector<std::size_t> order = order_of(shard);
  layout::Shape extents;
  for (const layout::Iter& it : shard) extents.push_back(it.extent);
  std::optional<layout::Iters> threads;
  for (const ir::Region* region : e.regions()) {
    auto window = register_window(*region);
    if (!window) return std::unexpected(std::move(window.error()));
    auto tile = lifted(e.dst, *region, window->tile);
    if (!tile) return std::unexpected(std::move(tile.error()));
    auto grouped = layout::group(*tile, extents);
    if (!grouped || !constant_walks(grouped->layout)) {
      return std::unexpected(cat("the layout of ", ir::spoken_name(*region->buffer), " cannot be cut where that of ",
                                 ir::spoken_name(*e.dst.buffer), " is"));
    }
    layout::Iters ordered;
    for (std::size_t i : order) {
      for (std::size_t k = grouped->separators[i]; k < grouped->separators[i + 1]; ++k)
        ordered.push_back(grouped->layout.shard[k]);
    }
    auto own = threads_of(ordered, tile->replica);
    if (!own) return std::unexpected(std::move(own.error()));
    if (!threads) threads = *own;
    if (!std::ranges::equal(*own, *threads,
                            [](const layout::Iter& a, const layout::Iter& b) { return layout::same(a, b); })) {
      return std::unexpected(
          cat("thread part mismatch between anchor and operand after alignment: ", ir::spoken_name(*region->buffer),
              " is held by other threads than ", ir::spoken_name(*e.dst.buffer)));
    }
    out.push_back({region->buffer, memory_of(ordered), window->start()});
  }
  return out;
}

// The walks over pairs, where the registers come in neighbours that start on even ones (Q4).
std::optional<Walks> pairs_of(const Registers& r, bool aligned) {
  auto cut = carve(r.walks, kPackedWidth);
  if (!cut || cut->empty() || cut->back().extent != kPackedWidth || cut->back().stride != 1) return std::nullopt;
  cut->pop_back();
  if (!aligned) return cut;
  const bool even = std::ranges::all_of(*cut, [](const Walk& w) { return step_divisible(w, kPackedWidth); });
  if (!even || !layout::provably_divisible(r.start, kPackedWidth) || !base_allows(*r.buffer, kPackedWidth)) {
    return std::nullopt;
  }
  return cut;
}

bool pack(CallContext& context, std::vector<Registers>& all) {
  if (packed_form(context).empty()) return false;
  const bool cast = elementwise(context).op == ElementOp::Cast;
  std::vector<Registers> packed;
  for (const Registers& r : all) {
    // Sources of arithmetic are read one by one.
    auto walks = pairs_of(r, cast || &r == &all.front());
    if (!walks) return false;
    packed.push_back({r.buffer, std::move(*walks), r.start});
  }
  all = std::move(packed);
  return true;
}

Expr element(CallContext& context, const Registers& r, Expr at) {
  return ir::load(context.kernel.flat_view(r.buffer), {&at, 1});
}

}  // namespace

std::span<const Predicate> predicates() { return kRegPredicates; }

Planned plan(CallContext& context) {
  const Elementwise& e = elementwise(context);
  auto registers = align(e);
  if (!registers) return decline(std::move(registers.error()));
  const std::int64_t per_thread = product(registers->front().walks);
  const bool packed = pack(context, *registers);
  const std::int64_t vec = packed ? kPackedWidth : 1, rounds = per_thread / vec;

  ir::BodyBuilder out(context.call.origin), body(context.call.origin);
  Expr round = round_variable("f", rounds);
  auto at = [&](const Registers& r, std::int64_t lane) {
    Expr walked = r.walks.empty() ? Expr(0) : place(r.walks, round);
    return ir::simplify(r.start.expr() + walked + Expr(lane));
  };
  std::vector<std::array<Expr, 2>> values;
  for (std::size_t next = 1; const Source& s : e.sources) {
    if (!s.is_region()) {
      Expr scalar = read_once(out, s.scalar);
      values.push_back({scalar, scalar});
      continue;
    }
    const Registers& r = (*registers)[next++];
    values.push_back({element(context, r, at(r, 0)), packed ? element(context, r, at(r, 1)) : Expr()});
  }
  const Registers& dst = registers->front();
  if (packed) {
    add_packed(context, body, dst.buffer, at(dst, 0), values);
  } else {
    std::vector<Expr> single;
    for (const auto& v : values) single.push_back(v[0]);
    auto value = element_value(e, single);
    if (!value) return decline(std::move(value.error()));
    Expr index = at(dst, 0);
    body.add<ir::Store>(context.kernel.flat_view(dst.buffer), Arena::current().copy(std::span<const Expr>(&index, 1)),
                        *value);
  }
  // Written out in full: registers cannot be counted at run time.
  add_rounds(out, round, rounds, body.finish(), ir::LoopKind::Unrolled);

  Plan plan{.body = out.finish()};
  plan.fact("vec_elems", vec);
  plan.fact("per_thread", per_thread);
  plan.fact("outer", rounds);
  if (packed) plan.facts.emplace_back("packed", packed_form(context));
  plan.summary = cat(elementwise_headline(context, "reg"), ", ", per_thread,
                     per_thread == 1 ? " register element a thread, " : " register elements a thread, ",
                     packed ? cat("two at a time (", packed_form(context), ")") : std::string("one at a time"));
  if (!packed) note_scalar_rounding(plan, context);
  std::vector<ir::Region> sources;
  for (const Source& s : e.sources) {
    if (s.is_region()) sources.push_back(s.region);
  }
  note_overlap(plan, e.dst, sources);
  return plan;
}

}  // namespace tilewright::dispatch::variants::elementwise_reg
