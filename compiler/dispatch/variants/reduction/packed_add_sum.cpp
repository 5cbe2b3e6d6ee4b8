// The sum of a row of one thread, two float32 additions in an instruction (compute.md 8.1): eight partial sums, brought
// together in pairs. The order of the additions is not that of a plain loop, and subnormal numbers count as zero: the
// result can differ from that of `local` in the last bits (Q27).
#include "compiler/dispatch/blocks/emit.h"
#include "compiler/dispatch/blocks/partial_row.h"
#include "compiler/dispatch/blocks/row_call.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch::variants::sum_packed_add_sum {
namespace {

using ir::Expr;
constexpr Predicate kPackedAddSumPredicates[] = {{"packed_add_sum", not_one_float_row}};

// (p[j], p[j + 1]) += (x, y)
void pair_sum(CallContext& context, const PartialRow& row, ir::BodyBuilder& out, std::int64_t j, Expr x, Expr y) {
  Expr own = row_call(row_of("make_float2"), {row.partial(Expr(j)), row.partial(Expr(j + 1))}),
       other = row_call(row_of("make_float2"), {x, y});
  out.add<ir::Evaluate>(row_call(row_of("add_float2"), {element_pointer(context, row.partials(), Expr(j)), own, other,
                                                        ir::string_imm("rn"), ir::bool_imm(true)}));
}

const ir::Stmt* body(CallContext& context, const PartialRow& row) {
  return row.write(
      {.first =
           [&](ir::BodyBuilder& out) {
             Expr i = round_variable("i", PartialRow::kChunk);
             add_rounds(out, i, PartialRow::kChunk, row.set_partial(i, row.element(i)), ir::LoopKind::Unrolled);
             if (row.accumulates()) {
               out.push(row.set_partial(Expr(0), ir::add(row.partial(Expr(0)), row.result())));
             }
           },
       .next =
           [&](ir::BodyBuilder& out, Expr from) {
             for (std::int64_t j = 0; j < PartialRow::kChunk; j += 2) {
               pair_sum(context, row, out, j, row.element(from + Expr(j)), row.element(from + Expr(j + 1)));
             }
           },
       .last =
           [&](ir::BodyBuilder& out) {
             for (auto [to, from] : {std::pair(0, 2), std::pair(4, 6), std::pair(0, 4)}) {
               pair_sum(context, row, out, to, row.partial(Expr(from)), row.partial(Expr(from + 1)));
             }
             out.push(row.set_result(ir::add(row.partial(Expr(0)), row.partial(Expr(1)))));
           }});
}

}  // namespace

std::span<const Predicate> predicates() { return kPackedAddSumPredicates; }

Planned plan(CallContext& context) {
  const PartialRow row(context, PartialRow::kChunk);
  Plan plan{.body = body(context, row)};
  row.describe(plan);
  const std::int64_t additions = 4 * (row.chunks() - 1) + 3;
  plan.fact("packed_adds", additions);
  plan.summary = cat(reduction_headline(context, "packed_add_sum"), ", ", row.elements(), " elements a thread, ",
                     additions, " packed additions (add.rn.ftz.f32x2), in another order than one by one");
  return plan;
}

}  // namespace tilewright::dispatch::variants::sum_packed_add_sum
