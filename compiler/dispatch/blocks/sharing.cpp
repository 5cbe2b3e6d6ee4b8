#include "compiler/dispatch/blocks/sharing.h"

#include "compiler/dispatch/blocks/emit.h"
#include "compiler/dispatch/blocks/operands.h"
#include "compiler/dispatch/blocks/swizzled.h"
#include "compiler/dispatch/blocks/threads.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch {

Reason not_within_cta(const CallContext& context) {
  if (context.scope.kind != ir::ExecScope::Cluster) return {};
  return "works at thread, warp, warpgroup and cta scope, not at cluster scope";
}

Reason not_shared_evenly(CallContext& context) {
  if (Reason r = not_all_active(context); !r.empty()) return r;
  const CopyOperands& o = copy_operands(context);
  if (!o.elements) return "an extent of the region is known only at run time";
  std::int64_t threads = thread_count(context);
  if (*o.elements % threads == 0) return {};
  return cat("region of ", *o.elements, " elements is not divisible by ", threads, " threads");
}

const ir::Stmt* shared_rounds(CallContext& context, const Partition& p, const ir::Buffer& global, ir::LoopKind kind,
                              const Access& access) {
  ir::BodyBuilder out(context.call.origin);
  ir::Expr tid = thread_index(context);
  ir::Expr r = round_variable("r", p.outer);
  RoundAddress shared_address(out, p.swizzle, p.loop ? &*p.loop : nullptr, shared_offset(p, ir::Expr(0), tid), "s");
  ir::BodyBuilder round(context.call.origin);
  ir::Expr s = shared_address.at(r, shared_offset(p, r, tid));
  ir::Expr g = ir::simplify(global_offset(p, widen_for(global, r), widen_for(global, tid)));
  access(round, s, g);
  add_rounds(out, r, p.outer, round.finish(), kind);
  return out.finish();
}

void describe_sharing(Plan& plan, CallContext& context, const Partition& p, int vector_bits, std::string_view variant,
                      std::string_view width) {
  plan.fact("vec_elems", p.vec);
  plan.fact("vec_bits", vector_bits);
  plan.fact("threads", p.threads);
  plan.fact("outer", p.outer);
  plan.summary = cat(headline(context, variant), ", ", width, ", ", p.vec, p.vec == 1 ? " element " : " elements ",
                     worker_name(context.scope.kind), ", ", p.outer, p.outer == 1 ? " round" : " rounds");
}

}  // namespace tilewright::dispatch
