// Reductions of tiles in registers (compute.md 8.2 to 8.7): by each thread alone, or by a warp or warpgroup whose
// threads hold a tile together. There each thread reduces what it holds; the lanes of a warp combine their parts by
// shuffles where the destination repeats its elements over them (the lane pattern) or the call says thread_reduce=True.
#include "compiler/dispatch/blocks/emit.h"
#include "compiler/dispatch/blocks/local_view.h"
#include "compiler/dispatch/blocks/options.h"
#include "compiler/dispatch/blocks/row_call.h"
#include "compiler/dispatch/blocks/threads.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch::variants::reduce_local {
namespace {

using ir::Expr;

bool is_local(ir::StorageScope scope) { return scope == ir::StorageScope::Local; }

bool exchanges(const CallContext& context) {
  Expr given = option(context.call, "thread_reduce");
  const std::int64_t* flag = given ? ir::constant(given) : nullptr;
  return flag && *flag;
}

// How a call is served: by each thread, or together.
struct Way {
  bool alone = false, pattern = false;
  std::expected<LocalView, Reason> view = std::unexpected(Reason());
};
const Way& way(CallContext& context) {
  return context.once<Way>([&] {
    Way out;
    if (context.scope.kind == ir::ExecScope::Thread) {
      out.alone = true;
      return out;
    }
    out.pattern = context.scope.kind == ir::ExecScope::Warp && is_lane_pattern(reduction(context));
    out.view = out.pattern ? lane_view(context) : local_view(context, exchanges(context));
    return out;
  });
}

Reason stored(CallContext& context) {
  const Reduction& r = reduction(context);
  if (!r.invalid.empty()) return r.invalid;
  return not_stored_in(r, is_local, "local reduces tiles in registers");
}

Reason spread(const ir::Region& region) {
  if (!region.buffer->layout || !layout::has_thread_axis(*region.buffer->layout)) return {};
  return cat(ir::spoken_name(*region.buffer), " is spread over the registers of several threads: take its .local()");
}

Reason valid(CallContext& context) {
  const Reduction& r = reduction(context);
  if (!r.invalid.empty()) return r.invalid;
  if (!is_local(r.src.buffer->scope) || !is_local(r.dst.buffer->scope))
    return not_stored_in(r, is_local, "local reduces tiles in registers");
  if (Reason why = types_differ(r); !why.empty()) return why;
  const ir::ExecScope scope = context.scope.kind;
  if (scope == ir::ExecScope::Thread) {
    if (!r.bad_axes.empty()) return r.bad_axes;
    return wrong_size(r);  // Q17
  }
  if (!r.known()) return "an extent is known only at run time";
  if (scope != ir::ExecScope::Warp && scope != ir::ExecScope::Warpgroup)
    return cat("unsupported exec_scope ", ir::exec_scope_name(scope), " for local reduction");
  if (scope == ir::ExecScope::Warpgroup && exchanges(context))
    return "thread_reduce=True is only supported in warp scope: combine the warps through shared memory";
  if (!r.src.buffer->layout || !r.dst.buffer->layout) return "layouts required for view-based local reduction";
  if (!r.src.buffer->layout->is_tile() || !r.dst.buffer->layout->is_tile())
    return "TileLayout required for view-based local reduction";
  if (Reason why = not_all_here(context); !why.empty()) return why;  // Q18
  return way(context).view ? Reason() : way(context).view.error();
}

constexpr Predicate kLocalPredicates[] = {{"storage_scope", stored}, {"local_valid", valid}};

Reason not_possible(const Reduction& r, const Way& w) {
  if (w.alone) {
    for (const ir::Region* region : {&r.src, &r.dst}) {
      if (Reason why = spread(*region); !why.empty()) return why;
    }
    return reduced_in_place(r);
  }
  if (!w.view->distances.empty() && r.dtype().is_float8())
    return cat("lanes do not exchange ", ir::dtype_name(r.dtype()), ": cast the tile to a wider type first");
  if (!w.view->in_place) return reduced_in_place(r);
  // The registers hold the old value and the only summand at once (Q23).
  if (w.view->summands() > 1) return "works in place: there is room for the results, not for the summands";
  if (r.accumulates) return "works in place and accumulates: the old value would count twice";
  return {};
}

// All results of one thread, one after the other.
const ir::Stmt* write(CallContext& context, const LocalView& v) {
  const Reduction& r = reduction(context);
  Arena& arena = Arena::current();
  ir::BodyBuilder out(context.call.origin), body(context.call.origin);
  const ir::Buffer *dst = context.kernel.flat_view(r.dst.buffer), *src = context.kernel.flat_view(r.src.buffer);
  auto walked = [](const Walks& walks, Expr x) { return walks.empty() ? Expr(0) : place(walks, x); };
  Expr i = round_variable("i", v.results()), red = round_variable("red", v.summands());
  Expr at = ir::simplify(v.destination_start.expr() + walked(v.destination, i));
  Expr from = ir::simplify(v.source_start.expr() + walked(v.source, i) + walked(v.summand, red));
  const std::span<const Expr> to = arena.copy(std::span<const Expr>(&at, 1));
  Expr value = ir::load(dst, to), old;
  const bool keep = r.accumulates && !v.distances.empty();  // it may not go through the shuffles
  if (!v.in_place) {
    if (keep) old = body.let("old", value);
    if (keep || !r.accumulates) body.add<ir::Store>(dst, to, identity(context, r.dtype()));
    Expr next = combined(context, value, ir::load(src, arena.copy(std::span<const Expr>(&from, 1))));
    add_rounds(body, red, v.summands(), ir::make_stmt<ir::Store>(context.call.origin, dst, to, next),
               ir::LoopKind::Unrolled);
  }
  add_shuffles(context, body, dst, at, v.distances, ir::int_imm(ir::kUInt32, 0xFFFFFFFF), 32);
  if (keep) body.add<ir::Store>(dst, to, combined(context, value, old));
  add_rounds(out, i, v.results(), body.finish(), ir::LoopKind::Unrolled);
  return out.finish();
}

}  // namespace

std::span<const Predicate> predicates() { return kLocalPredicates; }

Planned plan(CallContext& context) {
  const Reduction& r = reduction(context);
  const Way& w = way(context);
  if (Reason why = not_possible(r, w); !why.empty()) return decline(std::move(why));
  Plan plan{.body = w.alone ? reduce_in_thread(context, ir::LoopKind::Unrolled) : write(context, *w.view)};
  plan.summary = reduction_headline(context, "local");
  if (w.alone) {
    describe_thread(plan, r, "registers a thread");
    return plan;
  }
  const LocalView& v = *w.view;
  plan.facts.emplace_back("form", std::string(w.pattern ? "lanes" : "view"));
  plan.fact("results", v.results());
  plan.fact("summands", v.summands());
  plan.facts.emplace_back("distances", v.distances);
  plan.summary += cat(", ", v.results(), v.results() == 1 ? " result of " : " results of ", v.summands(),
                      v.summands() == 1 ? " register a thread" : " registers a thread");
  if (v.distances.empty()) return plan;
  std::string list;
  for (std::int64_t m : v.distances) list += cat(list.empty() ? "" : ", ", m);
  plan.summary += cat(", then the lanes at distance ", list);
  return plan;
}

}  // namespace tilewright::dispatch::variants::reduce_local
