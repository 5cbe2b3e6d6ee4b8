// The largest or smallest of a row of one thread, three numbers in an instruction (compute.md 8.1): four partial
// results, brought together at the end.
#include "compiler/dispatch/blocks/partial_row.h"
#include "compiler/dispatch/blocks/row_call.h"
#include "compiler/dispatch/words.h"

namespace tilewright::dispatch::variants::reduce_three_input {
namespace {

using ir::Expr;
constexpr Predicate kThreeInputPredicates[] = {{"3input_maxmin", not_one_float_row}};
constexpr std::int64_t kPartials = 4;

const ir::Stmt* body(CallContext& context, const PartialRow& row) {
  auto three = [&](Expr a, Expr b, Expr c) {
    return row_call(context.call.primitive == "max" ? row_of("max3") : row_of("min3"), {a, b, c});
  };
  return row.write(
      {.first =
           [&](ir::BodyBuilder& out) {
             for (std::int64_t i = 0; i < kPartials; ++i) {
               Expr a = row.element(Expr(2 * i)), b = row.element(Expr(2 * i + 1));
               const bool with_old = i == 0 && row.accumulates();
               out.push(row.set_partial(Expr(i), with_old ? three(a, b, row.result()) : combined(context, a, b)));
             }
           },
       .next =
           [&](ir::BodyBuilder& out, Expr from) {
             for (std::int64_t i = 0; i < kPartials; ++i) {
               Expr a = row.element(from + Expr(2 * i)), b = row.element(from + Expr(2 * i + 1));
               out.push(row.set_partial(Expr(i), three(row.partial(Expr(i)), a, b)));
             }
           },
       .last =
           [&](ir::BodyBuilder& out) {
             out.push(row.set_result(combined(context, row.partial(Expr(0)), row.partial(Expr(1)))));
             out.push(row.set_result(three(row.result(), row.partial(Expr(2)), row.partial(Expr(3)))));
           }});
}

}  // namespace

std::span<const Predicate> predicates() { return kThreeInputPredicates; }

Planned plan(CallContext& context) {
  const PartialRow row(context, kPartials);
  Plan plan{.body = body(context, row)};
  row.describe(plan);
  const std::int64_t threes = 4 * (row.chunks() - 1) + 1 + (row.accumulates() ? 1 : 0);
  plan.fact("three_inputs", threes);
  plan.summary = cat(reduction_headline(context, "3input_maxmin"), ", ", row.elements(), " elements a thread, ", threes,
                     threes == 1 ? " instruction" : " instructions", " with three inputs");
  return plan;
}

}  // namespace tilewright::dispatch::variants::reduce_three_input
