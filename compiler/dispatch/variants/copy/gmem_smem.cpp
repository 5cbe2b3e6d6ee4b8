// copy between global and shared memory, by vector accesses of the whole scope (dispatch.md 8.1).
#include "compiler/dispatch/blocks/emit.h"
#include "compiler/dispatch/blocks/operands.h"
#include "compiler/dispatch/blocks/partition.h"
#include "compiler/dispatch/blocks/swizzled.h"
#include "compiler/dispatch/blocks/threads.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch::variants::copy_gmem_smem {
namespace {

using ir::Expr;

Reason applicable(CallContext& context) {
  if (context.scope.kind == ir::ExecScope::Cluster)
    return "works at thread, warp, warpgroup and cta scope, not at cluster scope";
  const CopyOperands& o = copy_operands(context);
  if (!o.invalid.empty()) return o.invalid;
  if (!o.global_to_shared && !o.shared_to_global) return wrong_pair(o, "gmem_smem moves global <-> shared");
  if (Reason r = not_all_active(context); !r.empty()) return r;
  if (!o.elements) return "an extent of the region is known only at run time";
  std::int64_t threads = thread_count(context);
  if (*o.elements % threads != 0) {
    return cat("region of ", *o.elements, " elements is not divisible by ", threads, " threads");
  }
  return {};
}

constexpr Predicate kPredicates[] = {{"gmem_smem_applicable", applicable}};

}  // namespace

std::span<const Predicate> predicates() { return kPredicates; }

Planned plan(CallContext& context) {
  const CopyOperands& o = copy_operands(context);
  const bool to_shared = o.global_to_shared;
  const ir::Buffer &global = *o.on(!to_shared).buffer, &shared = *o.on(to_shared).buffer;
  const WindowResult &g_window = window(context, !to_shared), &s_window = window(context, to_shared);
  if (!g_window || !s_window) return decline(g_window ? s_window.error() : g_window.error());
  auto p = partition(global, *g_window, shared, *s_window, *o.elements, thread_count(context), o.bits, kCopyWidths);
  if (!p) return decline(std::move(p.error()));
  const int bits = static_cast<int>(p->vec * o.bits);

  ir::BodyBuilder out(context.call.origin);
  Expr tid = thread_index(context);
  Expr r = round_variable("r", p->outer);
  RoundAddress shared_address(out, p->swizzle, p->loop ? &*p->loop : nullptr, shared_offset(*p, Expr(0), tid), "s");
  ir::BodyBuilder round(context.call.origin);
  Expr s = shared_address.at(r, shared_offset(*p, r, tid));
  Expr g = ir::simplify(global_offset(*p, widen_for(global, r), widen_for(global, tid)));
  add_copy(context, round, bits, o.dst.buffer, to_shared ? s : g, to_shared ? "s_offset" : "g_offset", o.src.buffer,
           to_shared ? g : s, to_shared ? "g_offset" : "s_offset");
  add_rounds(out, r, p->outer, round.finish());

  Plan plan{.body = out.finish()};
  plan.fact("vec_elems", p->vec);
  plan.fact("vec_bits", bits);
  plan.fact("threads", p->threads);
  plan.fact("outer", p->outer);
  plan.summary =
      cat(headline(context, "gmem_smem"), ", ", bits, "-bit, ", p->vec, p->vec == 1 ? " element " : " elements ",
          worker_name(context.scope.kind), ", ", p->outer, p->outer == 1 ? " round" : " rounds");
  return plan;
}

}  // namespace tilewright::dispatch::variants::copy_gmem_smem
