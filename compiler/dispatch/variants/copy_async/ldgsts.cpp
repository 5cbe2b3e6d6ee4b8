// copy_async from global to shared memory by cp.async, vector by vector (copy_async.md 2).
//
// The sharing out is that of copy/gmem_smem; only the instruction differs, and it exists for 4, 8 and 16 bytes alone.
// Nothing is waited for here: the script commits and waits (copy_async.md 7).
#include "compiler/dispatch/blocks/emit.h"
#include "compiler/dispatch/blocks/operands.h"
#include "compiler/dispatch/blocks/partition.h"
#include "compiler/dispatch/blocks/row_call.h"
#include "compiler/dispatch/blocks/swizzled.h"
#include "compiler/dispatch/blocks/threads.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch::variants::copy_async_ldgsts {
namespace {

using ir::Expr;

constexpr std::array<int, 3> kWidths = {128, 64, 32};  // bits

const intrinsics::Intrinsic& instruction() {
  static const intrinsics::Intrinsic& row = row_of("P29");
  return row;
}

Reason applicable(CallContext& context) {
  if (Reason r = no_such_instruction(context, instruction(), "cp.async"); !r.empty()) return r;
  if (context.scope.kind == ir::ExecScope::Cluster)
    return "works at thread, warp, warpgroup and cta scope, not at cluster scope";
  const CopyOperands& o = copy_operands(context);
  if (!o.invalid.empty()) return o.invalid;
  if (!o.global_to_shared) return wrong_pair(o, "ldgsts moves global -> shared");
  if (Reason r = not_all_active(context); !r.empty()) return r;
  if (!o.elements) return "an extent of the region is known only at run time";
  std::int64_t threads = thread_count(context);
  if (*o.elements % threads != 0) {
    return cat("region of ", *o.elements, " elements is not divisible by ", threads, " threads");
  }
  return {};
}

constexpr Predicate kPredicates[] = {{"ldgsts_applicable", applicable}};

}  // namespace

std::span<const Predicate> predicates() { return kPredicates; }

Planned plan(CallContext& context) {
  const CopyOperands& o = copy_operands(context);
  const ir::Buffer &global = *o.src.buffer, &shared = *o.dst.buffer;
  const WindowResult &g_window = window(context, false), &s_window = window(context, true);
  if (!g_window || !s_window) return decline(g_window ? s_window.error() : g_window.error());
  const std::int64_t threads = thread_count(context);
  auto share = [&](std::span<const int> widths, bool with_one) {
    return partition(global, *g_window, shared, *s_window, *o.elements, threads, o.bits, widths, with_one);
  };
  auto p = share(kWidths, false);
  if (!p) {
    // What a plain copy could do tells what is in the way.
    auto narrow = share(kCopyWidths, true);
    if (!narrow) return decline(std::move(narrow.error()));
    return decline(cat("the widest access that fits shapes, pitches and starts has ", narrow->vec * o.bits / 8,
                       narrow->vec * o.bits == 8 ? " byte" : " bytes", ", cp.async moves 4, 8 or 16 aligned bytes"));
  }
  const std::int64_t bytes = p->vec * o.bits / 8;

  ir::BodyBuilder out(context.call.origin);
  Expr tid = thread_index(context);
  Expr r = round_variable("r", p->outer);
  RoundAddress shared_address(out, p->swizzle, p->loop ? &*p->loop : nullptr, shared_offset(*p, Expr(0), tid), "s");
  ir::BodyBuilder round(context.call.origin);
  Expr s = shared_address.at(r, shared_offset(*p, r, tid));
  Expr g = ir::simplify(global_offset(*p, widen_for(global, r), widen_for(global, tid)));
  bind_offsets(round, s, "s_offset", g, "g_offset");
  round.add<ir::Evaluate>(row_call(
      instruction(), {element_pointer(context, &shared, s), element_pointer(context, &global, g), Expr(bytes)}));
  add_rounds(out, r, p->outer, round.finish(), ir::LoopKind::Unrolled);

  Plan plan{.body = out.finish()};
  plan.fact("vec_elems", p->vec);
  plan.fact("vec_bits", bytes * 8);
  plan.fact("threads", p->threads);
  plan.fact("outer", p->outer);
  plan.summary =
      cat(headline(context, "ldgsts"), ", ", bytes, " bytes, ", p->vec, p->vec == 1 ? " element " : " elements ",
          worker_name(context.scope.kind), ", ", p->outer, p->outer == 1 ? " round" : " rounds");
  return plan;
}

}  // namespace tilewright::dispatch::variants::copy_async_ldgsts
