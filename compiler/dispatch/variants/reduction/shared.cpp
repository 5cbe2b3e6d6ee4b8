// Reductions of tiles in shared memory (compute.md 8.8).
//
// A group of g lanes makes one result: each of them reduces every g-th summand, then they exchange by shuffles, and the
// first writes. All threads that belong to a whole group go through every step, also where there is no result left for
// them: so the lanes that a shuffle names are there by construction (Q24, Q25).
#include <algorithm>
#include <bit>

#include "compiler/dispatch/blocks/elementwise.h"
#include "compiler/dispatch/blocks/emit.h"
#include "compiler/dispatch/blocks/lanes.h"
#include "compiler/dispatch/blocks/reduction.h"
#include "compiler/dispatch/blocks/threads.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch::variants::reduce_shared {
namespace {

using ir::Expr;

Reason stored(CallContext& context) {
  const Reduction& r = reduction(context);
  if (!r.invalid.empty()) return r.invalid;
  return not_stored_in(r, ir::is_shared, "shared reduces tiles in shared memory");
}

Reason valid(CallContext& context) {
  const Reduction& r = reduction(context);
  if (!r.invalid.empty()) return r.invalid;
  if (context.scope.kind == ir::ExecScope::Cluster) return "unsupported exec_scope cluster for shared reduction";
  if (!ir::is_shared(r.src.buffer->scope) || !ir::is_shared(r.dst.buffer->scope))
    return not_stored_in(r, ir::is_shared, "shared reduces tiles in shared memory");
  if (Reason why = types_differ(r); !why.empty()) return why;
  if (!context.launch().has_block) return "the number of threads of the CTA is not known before the launch";
  if (Reason why = not_one_dimensional(context); !why.empty()) return why;
  if (!r.bad_axes.empty()) return r.bad_axes;
  if (Reason why = wrong_size(r); !why.empty()) return why;
  return not_all_here(context);  // Q18
}

constexpr Predicate kSharedPredicates[] = {{"storage_scope", stored}, {"shared_valid", valid}};

struct Shares {
  std::int64_t threads = 1, group = 1, parallel = 1, steps = 1, inner = 1;
};

Shares share(const Reduction& r, std::int64_t threads) {
  Shares s{.threads = threads};
  const auto summands = static_cast<std::uint64_t>(r.summands());
  const std::uint64_t most =
      std::min<std::uint64_t>({std::bit_ceil(summands), 32, static_cast<std::uint64_t>(threads)});
  s.group = static_cast<std::int64_t>(std::bit_floor(most));  // Q25
  s.parallel = threads / s.group;
  s.steps = (r.outputs() + s.parallel - 1) / s.parallel;
  s.inner = (r.summands() + s.group - 1) / s.group;
  return s;
}

class Writer {
 public:
  Writer(CallContext& context, const Shares& shares)
      : context_(context),
        r_(reduction(context)),
        s_(shares),
        out_(context.call.origin),
        value_(local_lanes(r_.src.buffer, 1)) {}

  const ir::Stmt* write() {
    const std::int64_t working = s_.parallel * s_.group;
    Expr tid = thread_index(context_);
    ir::BodyBuilder all(context_.call.origin);
    out_.add<ir::Alloc>(value_);
    Expr step = round_variable("step", s_.steps);
    ir::BodyBuilder body(context_.call.origin);
    one_step(body, step * Expr(s_.parallel) + tid / Expr(s_.group), tid % Expr(s_.group), mask(tid, working));
    add_rounds(all, step, s_.steps, body.finish());
    out_.push(guarded(working < s_.threads, tid, working, all.finish()));
    add_barrier(context_, out_);
    return out_.finish();
  }

 private:
  const ir::Stmt* guarded(bool wanted, Expr x, std::int64_t end, const ir::Stmt* body) {
    if (!wanted) return body;
    Expr inside = ir::binary(ir::ExprKind::LT, x, Expr(end));
    return ir::make_stmt<ir::If>(context_.call.origin, inside, body, static_cast<const ir::Stmt*>(nullptr));
  }

  // The lanes of the thread's warp that work: all, but for the last warp of a ragged number.
  static Expr mask(Expr tid, std::int64_t working) {
    const Expr all = ir::int_imm(ir::kUInt32, 0xFFFFFFFF);
    if (working % 32 == 0) return all;
    const Expr some = ir::int_imm(ir::kUInt32, (std::int64_t{1} << (working % 32)) - 1);
    if (working < 32) return some;
    return ir::select(ir::binary(ir::ExprKind::LT, tid, Expr(working / 32 * 32)), all, some);
  }

  void one_step(ir::BodyBuilder& body, Expr p, Expr lane, Expr mask) {
    Arena& arena = Arena::current();
    Expr zero(0);
    const std::span<const Expr> own = arena.copy(std::span<const Expr>(&zero, 1));
    Expr value = ir::load(value_, own);
    p = ir::simplify(p);
    const bool ragged = s_.steps * s_.parallel != r_.outputs();
    body.add<ir::Store>(value_, own, identity(context_, r_.dtype()));
    Expr t = round_variable("t", s_.inner);
    Expr k = ir::simplify(t * Expr(s_.group) + lane);
    const ir::Stmt* take = ir::make_stmt<ir::Store>(
        context_.call.origin, value_, own,
        combined(context_, value, ir::load(r_.src.buffer, arena.copy(source_index(r_, p, k)))));
    take = guarded(s_.inner * s_.group != r_.summands(), k, r_.summands(), take);
    take = guarded(ragged, p, r_.outputs(), take);
    add_rounds(body, t, s_.inner, take);
    std::vector<std::int64_t> distances;
    for (std::int64_t m = 1; m < s_.group; m *= 2) distances.push_back(m);
    add_shuffles(context_, body, value_, zero, distances, mask, s_.group);
    const std::span<const Expr> to = arena.copy(result_index(r_, p));
    Expr result = r_.accumulates ? combined(context_, ir::load(r_.dst.buffer, to), value) : value;
    const ir::Stmt* store = ir::make_stmt<ir::Store>(context_.call.origin, r_.dst.buffer, to, result);
    store = guarded(ragged, p, r_.outputs(), store);
    body.push(guarded(s_.group > 1, lane, 1, store));
  }

  CallContext& context_;
  const Reduction& r_;
  const Shares& s_;
  ir::BodyBuilder out_;
  const ir::Buffer* value_;  // what the thread has so far
};

}  // namespace

std::span<const Predicate> predicates() { return kSharedPredicates; }

Planned plan(CallContext& context) {
  const Reduction& r = reduction(context);
  const bool alone = context.scope.kind == ir::ExecScope::Thread;
  if (alone) {
    if (Reason why = reduced_in_place(r); !why.empty()) return decline(std::move(why));
  }
  if (!alone && !r.known()) return decline("an extent is known only at run time");
  const std::int64_t threads = member_count(context);
  if (threads <= 0) return decline("the number of threads of the CTA is not known before the launch");
  const Shares s = alone ? Shares{} : share(r, threads);
  if (s.group > 1 && r.dtype().is_float8()) {
    return decline(cat("lanes do not exchange ", ir::dtype_name(r.dtype()), ": cast the tile to a wider type first"));
  }
  Plan plan{.body = alone ? reduce_in_thread(context, ir::LoopKind::Serial) : Writer(context, s).write()};
  plan.summary = reduction_headline(context, "shared");
  if (alone) {
    describe_thread(plan, r, "elements by each thread");
  } else {
    plan.fact("threads", s.threads);
    plan.fact("group", s.group);
    plan.fact("parallel", s.parallel);
    plan.fact("steps", s.steps);
    plan.fact("inner", s.inner);
    plan.fact("shuffles", std::countr_zero(static_cast<std::uint64_t>(s.group)));
    plan.summary += cat(", ", s.group, s.group == 1 ? " lane a result, " : " lanes a result, ", s.parallel,
                        " at a time, ", s.steps, s.steps == 1 ? " step" : " steps");
    note_overlap(plan, r.dst, std::span<const ir::Region>(&r.src, 1));
  }
  const ir::Region regions[] = {r.dst, r.src};
  note_repetition(plan, context, regions, r.accumulates || r.dst.buffer->data == r.src.buffer->data);
  return plan;
}

}  // namespace tilewright::dispatch::variants::reduce_shared
