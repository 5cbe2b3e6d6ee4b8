// copy between registers and shared or global memory, each thread its own row (dispatch.md 8.2).
//
// The thread partition is the register layout's; the memory side only contributes strides. Every walk of the register
// window is paired with the run of the memory window that covers the same elements: thread walks say where the thread
// starts, memory walks become atoms (extent, stride in memory, stride in registers) that the thread loops over.
#include <algorithm>

#include "compiler/dispatch/blocks/emit.h"
#include "compiler/dispatch/blocks/iters.h"
#include "compiler/dispatch/blocks/operands.h"
#include "compiler/dispatch/blocks/sharing.h"
#include "compiler/dispatch/blocks/swizzled.h"
#include "compiler/dispatch/blocks/threads.h"
#include "compiler/dispatch/blocks/vector_copies.h"
#include "compiler/dispatch/blocks/width.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch::variants::copy_reg {
namespace {

using ir::Expr;
using layout::Axis;
using layout::Unit;

struct Atom {
  Walk memory;
  std::int64_t registers;  // stride in elements
};

Unit unit_of(ir::ExecScope scope) {
  switch (scope) {
    case ir::ExecScope::Cluster: return Unit::Cluster;
    case ir::ExecScope::Cta: return Unit::Cta;
    case ir::ExecScope::Warpgroup: return Unit::Warpgroup;
    case ir::ExecScope::Warp: return Unit::Warp;
    case ir::ExecScope::Thread: break;
  }
  return Unit::Thread;
}

// From 0.26 on a thread axis may be strided, and may count in several walks: fragments of matrices are served, too.
bool takes_fragments(const CallContext& context) { return context.kernel.dialect() >= text::Dialect::V0_26; }

// Whether the register side hands every thread one row of registers.
Reason not_register_rows(CallContext& context, const ir::Region& region, const Window& window) {
  std::string_view name = ir::spoken_name(*region.buffer);
  if (window.swizzle) return cat("the register layout of ", name, " is swizzled");
  for (const layout::Iter& it : window.tile.shard) {
    if (!it.extent.is_constant() || !it.stride.is_constant()) return cat(name, " has an extent known only at run time");
  }
  // As declared, not as fused: 8 groups of 4 lanes are a matrix fragment also where they happen to count lanes in
  // order.
  std::uint32_t seen = 0;
  for (const layout::Iter& it : region.buffer->layout->tile->shard) {
    std::string_view axis = layout::axis_name(it.axis);
    if (it.axis == Axis::m) continue;
    if (layout::is_memory_axis(it.axis)) return cat(name, " lies on axis ", axis, ", not in registers");
    Unit unit = layout::axis_subscope(it.axis);
    if (unit != Unit::Thread && unit != Unit::Warp && unit != Unit::Warpgroup) {
      return cat("axis ", axis, " of ", name, " does not count threads");
    }
    if (layout::axis_scope(it.axis) < unit_of(context.scope.kind)) {
      return cat("axis ", axis, " of ", name, " spans a ", layout::unit_name(layout::axis_scope(it.axis)),
                 ", wider than ", ir::exec_scope_name(context.scope.kind), " scope");
    }
    if (takes_fragments(context)) continue;
    if (!it.stride.is(1)) {
      return cat(name, " has stride ", layout::to_string(it.stride), " on ", axis, ", a row a thread has stride 1");
    }
    std::uint32_t bit = std::uint32_t{1} << static_cast<int>(it.axis);
    if (seen & bit) return cat("axis ", axis, " occurs twice in the layout of ", name);
    seen |= bit;
  }
  for (const auto& [axis, value] : window.offset) {
    if (axis != Axis::m && !value.is(0)) {
      return cat("the region of ", name, " starts at ", layout::to_string(value), " on axis ", layout::axis_name(axis));
    }
  }
  return {};
}

Reason reg_applicable(CallContext& context) {
  if (Reason r = not_within_cta(context); !r.empty()) return r;
  const CopyOperands& o = copy_operands(context);
  if (!o.invalid.empty()) return o.invalid;
  if (!o.local_shared && !o.local_global) return wrong_pair(o, "reg moves registers <-> shared or global");
  bool to_registers = o.dst.buffer->scope == ir::StorageScope::Local;
  const WindowResult& registers = window(context, to_registers);
  if (!registers) return registers.error();
  if (Reason r = not_register_rows(context, o.on(to_registers), *registers); !r.empty()) return r;
  if (const WindowResult& memory = window(context, !to_registers); !memory) return memory.error();
  return not_all_active(context);
}

// A side of the copy with its window.
struct Side {
  const ir::Region& region;
  const Window& window;
  std::string_view name() const { return ir::spoken_name(*region.buffer); }
};

// What a thread has of the registers, and where its part of the memory begins.
struct Partition {
  Expr base;
  Expr guard;                        // null: every thread takes part
  Walks threads;                     // of the memory side
  std::vector<std::size_t> in_turn;  // register walks that the thread loops over
};

// What a digit of an axis becomes where the registers take only a part of it. Empty: it is done.
Reason narrow(const Side& r, const layout::Iter& it, std::int64_t extent, std::int64_t full, Expr& digit, Expr& guard) {
  bool replicated =
      std::ranges::any_of(r.window.tile.replica, [&](const layout::Iter& x) { return x.axis == it.axis; });
  if (!replicated) {
    Expr inside = ir::binary(ir::ExprKind::LT, digit, Expr(extent));
    guard = guard ? ir::logical_and(guard, inside) : inside;
    return {};
  }
  // The copies of the partition take the same part each, as long as they tile the axis.
  std::int64_t copies = 1;
  for (const layout::Iter& x : r.window.tile.replica) {
    if (x.axis != it.axis || !x.extent.is_constant() || !x.stride.is_constant()) continue;
    if (x.stride.value() % extent != 0) return cat("replicas of ", r.name(), " interleave with its rows");
    copies *= x.extent.value();
  }
  if (copies * extent != full) return cat("rows and replicas of ", r.name(), " do not fill the scope");
  digit = digit % Expr(extent);
  return {};
}

// Walks of one axis, shard and replica, must count its values: sorted by stride, each begins at a multiple of where the
// one before it ends. Values that none of them reaches take no part.
Reason guard_strided(const Side& r, Axis axis, Expr value, std::int64_t full, Expr& guard) {
  std::vector<std::pair<std::int64_t, std::int64_t>> walks;  // stride, extent
  for (const layout::Iters* iters : {&r.window.tile.shard, &r.window.tile.replica}) {
    for (const layout::Iter& x : *iters) {
      if (x.axis != axis || x.extent.is(1)) continue;
      if (!x.extent.is_constant() || !x.stride.is_constant() || x.stride.value() <= 0) {
        return cat(r.name(), " has a step on axis ", layout::axis_name(axis), " that is known only at run time");
      }
      walks.emplace_back(x.stride.value(), x.extent.value());
    }
  }
  std::ranges::sort(walks);
  auto keep = [&](Expr inside) { guard = guard ? ir::logical_and(guard, inside) : inside; };
  std::int64_t end = 1;
  for (const auto& [stride, extent] : walks) {
    if (stride < end || stride % end != 0) {
      return cat("walks of ", r.name(), " on axis ", layout::axis_name(axis), " overlap: one has stride ", stride,
                 ", those below it count to ", end);
    }
    if (stride > end) {
      keep(ir::binary(ir::ExprKind::EQ, value / Expr(end) % Expr(stride / end), Expr(0)));
    }
    end = stride * extent;
  }
  if (end > full) {
    return cat(r.name(), " is spread over ", end, " on axis ", layout::axis_name(axis), ", the scope has ", full);
  }
  if (end < full) keep(ir::binary(ir::ExprKind::LT, value, Expr(end)));
  return {};
}

// The same for layouts whose thread axes are strided or counted in several walks.
Reason divide_fragment(CallContext& context, const Side& r, const Side& memory, const Runs& runs, Partition& out) {
  std::uint32_t guarded = 0;
  for (std::size_t i = 0; i < r.window.tile.shard.size(); ++i) {
    const layout::Iter& it = r.window.tile.shard[i];
    if (it.axis == Axis::m) {
      out.in_turn.push_back(i);
      continue;
    }
    const std::int64_t full = axis_extent(context, it.axis);
    const Expr value = axis_value(context, it.axis);
    if (!value || full <= 0) return cat("no index for axis ", layout::axis_name(it.axis));
    const std::uint32_t bit = std::uint32_t{1} << static_cast<int>(it.axis);
    if (!(guarded & bit)) {
      if (Reason why = guard_strided(r, it.axis, value, full, out.guard); !why.empty()) return why;
    }
    guarded |= bit;
    Expr digit = it.stride.is(1) ? value : value / it.stride.expr();
    if (it.stride.value() * it.extent.value() < full) digit = digit % it.extent.expr();
    std::span<const Walk> run = runs.run(i);
    out.threads.insert(out.threads.end(), run.begin(), run.end());
    out.base = out.base + place(run, widen_for(*memory.region.buffer, ir::simplify(digit)));
  }
  if (out.in_turn.empty()) return cat(r.name(), " has one element a thread, nothing to loop over");
  return {};
}

Reason divide(CallContext& context, const Side& r, const Side& memory, const Runs& runs, Partition& out) {
  out.base = memory.window.start().expr();
  if (takes_fragments(context)) return divide_fragment(context, r, memory, runs, out);
  for (std::size_t i = 0; i < r.window.tile.shard.size(); ++i) {
    const layout::Iter& it = r.window.tile.shard[i];
    if (it.axis == Axis::m) {
      out.in_turn.push_back(i);
      continue;
    }
    std::int64_t extent = it.extent.value(), full = axis_extent(context, it.axis);
    Expr digit = axis_value(context, it.axis);
    if (!digit || full <= 0) return cat("no index for axis ", layout::axis_name(it.axis));
    if (extent > full) {
      return cat(r.name(), " is spread over ", extent, " on axis ", layout::axis_name(it.axis), ", the scope has ",
                 full);
    }
    if (extent < full) {
      if (Reason why = narrow(r, it, extent, full, digit, out.guard); !why.empty()) return why;
    }
    std::span<const Walk> run = runs.run(i);
    out.threads.insert(out.threads.end(), run.begin(), run.end());
    out.base = out.base + place(run, widen_for(*memory.region.buffer, digit));
  }
  if (out.in_turn.empty()) return cat(r.name(), " has one element a thread, nothing to loop over");
  return {};
}

// What a thread loops over.
struct Loops {
  std::vector<Atom> atoms;      // outermost first
  std::int64_t per_thread = 1;  // elements
  std::int64_t tail = 1;        // neighbouring elements on both sides, from the inside
};

// Register walks by stride, not joined again, so that each keeps its own run (X8).
Loops loops_of(const Side& r, const Runs& runs, std::vector<std::size_t> order) {
  const layout::Iters& shard = r.window.tile.shard;
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return shard[a].stride.value() > shard[b].stride.value(); });
  Loops out;
  for (std::size_t i : order) {
    std::span<const Walk> run = runs.run(i);
    out.per_thread *= shard[i].extent.value();
    std::int64_t inner = 1;
    std::vector<Atom> part;
    for (std::size_t k = run.size(); k-- > 0;) {
      if (run[k].extent != 1) part.push_back({run[k], shard[i].stride.value() * inner});
      inner *= run[k].extent;
    }
    out.atoms.insert(out.atoms.end(), part.rbegin(), part.rend());
  }
  for (std::size_t i = out.atoms.size(); i-- > 0;) {
    const Atom& a = out.atoms[i];
    if (a.memory.unit || a.memory.stride != out.tail || a.registers != out.tail) break;
    out.tail *= a.memory.extent;
  }
  return out;
}

// The loops around accesses of `v` elements; nothing: they cannot be cut so.
std::optional<std::vector<Atom>> around(std::vector<Atom> outer, std::int64_t v) {
  while (v > 1) {
    Walk& last = outer.back().memory;
    if (last.extent <= v) {
      if (v % last.extent != 0) return std::nullopt;
      v /= last.extent;
      outer.pop_back();
    } else {
      if (last.extent % v != 0) return std::nullopt;
      last = {last.extent / v, last.stride * v, last.unit};
      outer.back().registers *= v;
      v = 1;
    }
  }
  return outer;
}

bool aligned(const Side& r, const Side& memory, const Walks& threads, std::int64_t v, const std::vector<Atom>& outer) {
  if (v == 1) return true;
  if (memory.window.swizzle && v > memory.window.swizzle->chunk()) return false;  // X11
  for (const Atom& a : outer) {
    if (!step_divisible(a.memory, v) || a.registers % v != 0) return false;
  }
  for (const Walk& w : threads) {  // X9
    if (w.extent != 1 && !step_divisible(w, v)) return false;
  }
  return layout::provably_divisible(memory.window.start(), v) && layout::provably_divisible(r.window.start(), v) &&
         base_allows(*memory.region.buffer, v) && base_allows(*r.region.buffer, v);
}

// The copies of a thread, in rounds.
const ir::Stmt* copies(CallContext& context, const Side& r, const Side& memory, Expr base,
                       const std::vector<Atom>& outer, int bits, std::int64_t rounds, const LoadHints& hints) {
  const CopyOperands& o = copy_operands(context);
  const bool to_registers = o.dst.buffer->scope == ir::StorageScope::Local;
  ir::BodyBuilder out(context.call.origin);
  Expr round = round_variable("r", rounds);
  Walks memory_loop, register_loop;
  for (const Atom& a : outer) {
    memory_loop.push_back(a.memory);
    register_loop.push_back({a.memory.extent, a.registers});
  }
  RoundAddress address(out, memory.window.swizzle, &memory_loop, base, "s");
  ir::BodyBuilder body(context.call.origin);
  Expr wide_round = widen_for(*memory.region.buffer, round);
  Expr at = address.at(round, base + (memory_loop.empty() ? Expr(0) : place(memory_loop, wide_round)));
  Expr reg = ir::simplify(r.window.start().expr() + (register_loop.empty() ? Expr(0) : place(register_loop, round)));
  add_copy(context, body, bits, o.dst.buffer, to_registers ? reg : at, to_registers ? "r_offset" : "s_offset",
           o.src.buffer, to_registers ? at : reg, to_registers ? "s_offset" : "r_offset", hints);
  add_rounds(out, round, rounds, body.finish());
  return out.finish();
}

constexpr Predicate kRegPredicates[] = {{"reg_applicable", reg_applicable}};

}  // namespace

std::span<const Predicate> predicates() { return kRegPredicates; }

Planned plan(CallContext& context) { return plan_as(context, "reg", {}); }

Planned plan_as(CallContext& context, std::string_view variant, const LoadHints& hints) {
  const CopyOperands& o = copy_operands(context);
  if (!o.elements) return decline("an extent of the region is known only at run time");
  const bool to_registers = o.dst.buffer->scope == ir::StorageScope::Local;
  const WindowResult &register_window = window(context, to_registers), &memory_window = window(context, !to_registers);
  if (!register_window || !memory_window) {
    return decline(register_window ? memory_window.error() : register_window.error());
  }
  const Side r{o.on(to_registers), *register_window}, memory{o.on(!to_registers), *memory_window};
  if (Reason why = not_plain(memory.window, memory.name()); !why.empty()) return decline(std::move(why));
  if (memory.region.buffer->scope == ir::StorageScope::Global && memory.window.swizzle) {
    return decline(cat("the global side ", memory.name(), " is swizzled"));
  }

  std::vector<std::int64_t> extents;
  Walks memory_walks;
  for (const layout::Iter& it : r.window.tile.shard) extents.push_back(it.extent.value());
  for (const layout::Iter& it : memory.window.tile.shard) memory_walks.push_back(walk_of(it));
  std::optional<Runs> runs = group(memory_walks, extents);
  if (!runs) {
    return decline(cat("the layout of ", memory.name(), " cannot be cut where the registers of ", r.name(), " are"));
  }
  Partition part;
  if (Reason why = divide(context, r, memory, *runs, part); !why.empty()) return decline(std::move(why));
  const Loops loops = loops_of(r, *runs, part.in_turn);

  std::int64_t vec = 0;
  std::vector<Atom> outer;
  for (std::int64_t v : width_candidates(o.bits, kCopyWidths)) {
    if (loops.tail % v != 0 || !is_copy_width(v * o.bits)) continue;
    auto rest = around(loops.atoms, v);
    if (!rest || !aligned(r, memory, part.threads, v, *rest)) continue;
    vec = v;
    outer = std::move(*rest);
    break;
  }
  if (vec == 0) return decline(cat("no access width fits: elements of ", o.bits, " bits"));

  const int bits = static_cast<int>(vec * o.bits);
  const std::int64_t per_thread = loops.per_thread, rounds = per_thread / vec;
  Plan plan{.body = copies(context, r, memory, part.base, outer, bits, rounds, hints)};
  if (part.guard) {
    plan.body =
        ir::make_stmt<ir::If>(context.call.origin, part.guard, plan.body, static_cast<const ir::Stmt*>(nullptr));
  }
  plan.fact("vec_bits", bits);
  plan.fact("per_thread", per_thread);
  plan.summary = cat(headline(context, variant), ", ", bits, "-bit, ", per_thread,
                     per_thread == 1 ? " register element a thread, " : " register elements a thread, ", rounds,
                     rounds == 1 ? " round" : " rounds");
  return plan;
}

}  // namespace tilewright::dispatch::variants::copy_reg
