// The largest or smallest of a row of one thread, three numbers in an instruction (compute.md 8.1): four partial
// results, brought together at the end.
#include "compiler/dispatch/blocks/emit.h"
#include "compiler/dispatch/blocks/lanes.h"
#include "compiler/dispatch/blocks/reduction.h"
#include "compiler/dispatch/blocks/row_call.h"
#include "compiler/dispatch/words.h"

namespace tilewright::dispatch::variants::reduce_three_input {
namespace {

using ir::Expr;
constexpr Predicate kPredicates[] = {{"3input_maxmin", not_one_float_row}};
constexpr std::int64_t kChunk = 8, kPartials = 4;

class Writer {
 public:
  explicit Writer(CallContext& context)
      : context_(context),
        r_(reduction(context)),
        out_(context.call.origin),
        partial_(local_lanes(r_.src.buffer, kPartials)) {}

  const ir::Stmt* write(std::int64_t chunks, std::int64_t rest) {
    const std::span<const Expr> to = Arena::current().copy(result_index(r_, Expr(0)));
    Expr result = ir::load(r_.dst.buffer, to);
    out_.add<ir::Alloc>(partial_);
    for (std::int64_t i = 0; i < kPartials; ++i) {
      Expr a = element(Expr(2 * i)), b = element(Expr(2 * i + 1));
      out_.push(store(i, i == 0 && r_.accumulates ? three(a, b, result) : combined(context_, a, b)));
    }
    if (chunks > 1) {
      Expr c = round_variable("c", chunks - 1);
      ir::BodyBuilder chunk(context_.call.origin);
      Expr base = (c + Expr(1)) * Expr(kChunk);
      for (std::int64_t i = 0; i < kPartials; ++i)
        chunk.push(store(i, three(partial(i), element(base + Expr(2 * i)), element(base + Expr(2 * i + 1)))));
      add_rounds(out_, c, chunks - 1, chunk.finish(), ir::LoopKind::Unrolled);
    }
    if (rest > 0) {
      Expr t = round_variable("t", rest);
      Expr next = combined(context_, partial(0), element(Expr(chunks * kChunk) + t));
      add_rounds(out_, t, rest, store(0, next), ir::LoopKind::Unrolled);
    }
    out_.add<ir::Store>(r_.dst.buffer, to, combined(context_, partial(0), partial(1)));
    out_.add<ir::Store>(r_.dst.buffer, to, three(result, partial(2), partial(3)));
    return out_.finish();
  }

 private:
  Expr element(Expr i) { return ir::load(r_.src.buffer, Arena::current().copy(source_index(r_, Expr(0), i))); }
  Expr partial(std::int64_t i) {
    Expr at(i);
    return ir::load(partial_, {&at, 1});
  }
  const ir::Stmt* store(std::int64_t i, Expr value) {
    Expr at(i);
    return ir::make_stmt<ir::Store>(context_.call.origin, partial_,
                                    Arena::current().copy(std::span<const Expr>(&at, 1)), value);
  }
  Expr three(Expr a, Expr b, Expr c) {
    return row_call(row_of(context_.call.primitive == "max" ? "P95" : "P96"), {a, b, c});
  }

  CallContext& context_;
  const Reduction& r_;
  ir::BodyBuilder out_;
  const ir::Buffer* partial_;
};

}  // namespace

std::span<const Predicate> predicates() { return kPredicates; }

Planned plan(CallContext& context) {
  const Reduction& r = reduction(context);
  const std::int64_t n = r.summands(), chunks = n / kChunk, rest = n % kChunk;
  const std::int64_t threes = 4 * (chunks - 1) + 1 + (r.accumulates ? 1 : 0);
  Plan plan{.body = Writer(context).write(chunks, rest)};
  plan.fact("elements", n);
  plan.fact("chunks", chunks);
  plan.fact("rest", rest);
  plan.fact("three_inputs", threes);
  plan.summary = cat(reduction_headline(context, "3input_maxmin"), ", ", n, " elements a thread, ", threes,
                     threes == 1 ? " instruction" : " instructions", " with three inputs");
  return plan;
}

}  // namespace tilewright::dispatch::variants::reduce_three_input
