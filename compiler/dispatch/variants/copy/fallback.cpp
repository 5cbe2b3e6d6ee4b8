// copy element by element in one thread: what is left when nothing faster applies (dispatch.md 8.4).
#include "compiler/dispatch/blocks/emit.h"
#include "compiler/dispatch/blocks/operands.h"
#include "compiler/dispatch/blocks/threads.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch::variants::copy_fallback {
namespace {

using ir::Expr;

Reason fallback_applicable(CallContext& context) {
  const CopyOperands& o = copy_operands(context);
  if (!o.invalid.empty()) return o.invalid;
  for (const ir::Region* r : {&o.dst, &o.src}) {
    if (r->buffer->scope == ir::StorageScope::Tmem) {
      return cat(ir::spoken_name(*r->buffer),
                 " is in tensor memory, which only copy_async and the tcgen05 instructions reach");
    }
    // X13: one thread cannot touch the registers of another.
    if (layout::has_thread_axis(*r->buffer->layout)) {
      return cat(ir::spoken_name(*r->buffer),
                 " is spread over the registers of several threads, and the fallback runs in one");
    }
  }
  return parted(context);
}

constexpr Predicate kFallbackPredicates[] = {{"fallback_applicable", fallback_applicable}};

// The guard that admits one thread of each instance; null where every thread is an instance.
Expr guard(CallContext& context, std::int64_t thread) {
  Expr index;
  switch (context.scope.kind) {
    case ir::ExecScope::Warp: index = context.scope_id(ir::ScopeBinding::WarpThread); break;
    case ir::ExecScope::Warpgroup: index = context.scope_id(ir::ScopeBinding::WarpgroupThread); break;
    case ir::ExecScope::Cta: index = context.linear_thread(); break;
    default: return {};
  }
  return ir::binary(ir::ExprKind::EQ, index, Expr(thread));
}

}  // namespace

std::span<const Predicate> predicates() { return kFallbackPredicates; }

Planned plan(CallContext& context) {
  const CopyOperands& o = copy_operands(context);
  const ir::ExecScope kind = context.scope.kind;
  if (kind == ir::ExecScope::Cluster) return decline("cluster scope has no single thread that could work for all");
  auto thread = first_active_thread(context);
  if (!thread) return decline(std::move(thread.error()));

  std::vector<Expr> dst, src;
  for (const ir::Range& r : o.dst.ranges) dst.push_back(r.min);
  for (const ir::Range& r : o.src.ranges) src.push_back(r.min);
  std::vector<const ir::Var*> loops;
  std::vector<Expr> extents;
  std::size_t k = 0;
  for (std::size_t d = 0; d < dst.size(); ++d) {
    Expr extent = o.dst.ranges[d].extent;
    if (ir::is_constant(extent, 1)) continue;
    while (k < src.size() && ir::is_constant(o.src.ranges[k].extent, 1)) ++k;
    std::string name = cat("i", loops.size());
    ir::Var* var = ir::make_var(Arena::current().copy(std::string_view(name)), extent.dtype(), ir::VarRole::Loop);
    ir::Interval bound = ir::bounds(extent);
    var->range = {0, bound.hi == ir::Interval::kMax ? bound.hi : bound.hi - 1};
    loops.push_back(var);
    extents.push_back(extent);
    dst[d] = ir::simplify(dst[d] + Expr(var));
    src[k] = ir::simplify(src[k] + Expr(var));
    ++k;
  }
  const ir::Origin origin = context.call.origin;
  const ir::Stmt* body =
      ir::make_stmt<ir::Store>(origin, o.dst.buffer, Arena::current().copy(dst), ir::load(o.src.buffer, src));
  for (std::size_t i = loops.size(); i-- > 0;) {
    body = ir::make_stmt<ir::For>(origin, loops[i], ir::zero(extents[i].dtype()), extents[i], Expr(),
                                  ir::LoopKind::Serial, ir::UnrollHint::None, std::string_view(), body);
  }
  if (Expr one = guard(context, *thread)) {
    body = ir::make_stmt<ir::If>(origin, one, body, static_cast<const ir::Stmt*>(nullptr));
  }
  Plan plan{.body = body};
  plan.summary = cat(headline(context, "fallback"), ", element by element");
  if (kind != ir::ExecScope::Thread) {
    plan.summary +=
        cat(" in ", kind == ir::ExecScope::Warp ? "lane " : "thread ", *thread, " of the ", ir::exec_scope_name(kind));
  }
  plan.caution =
      cat(context.call.primitive, "/fallback: ", scope_text(*o.src.buffer), " -> ", scope_text(*o.dst.buffer), " at ",
          ir::exec_scope_name(context.call.scope), " scope goes element by element through one thread");
  return plan;
}

}  // namespace tilewright::dispatch::variants::copy_fallback
