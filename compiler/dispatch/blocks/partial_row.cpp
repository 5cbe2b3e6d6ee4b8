#include "compiler/dispatch/blocks/partial_row.h"

#include "compiler/dispatch/blocks/emit.h"
#include "compiler/dispatch/blocks/lanes.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch {

using ir::Expr;

PartialRow::PartialRow(CallContext& context, std::int64_t partials)
    : context_(context), r_(reduction(context)), partials_(local_lanes(r_.src.buffer, partials)) {}

Expr PartialRow::element(Expr i) const {
  return ir::load(r_.src.buffer, Arena::current().copy(source_index(r_, Expr(0), i)));
}
Expr PartialRow::partial(Expr i) const { return ir::load(partials_, {&i, 1}); }
Expr PartialRow::result() const { return ir::load(r_.dst.buffer, Arena::current().copy(result_index(r_, Expr(0)))); }

const ir::Stmt* PartialRow::set_partial(Expr i, Expr value) const {
  return ir::make_stmt<ir::Store>(context_.call.origin, partials_, Arena::current().copy(std::span<const Expr>(&i, 1)),
                                  value);
}
const ir::Stmt* PartialRow::set_result(Expr value) const {
  return ir::make_stmt<ir::Store>(context_.call.origin, r_.dst.buffer, Arena::current().copy(result_index(r_, Expr(0))),
                                  value);
}

const ir::Stmt* PartialRow::write(const Steps& steps) const {
  ir::BodyBuilder out(context_.call.origin);
  out.add<ir::Alloc>(partials_);
  steps.first(out);
  if (chunks() > 1) {
    Expr c = round_variable("c", chunks() - 1);
    ir::BodyBuilder chunk(context_.call.origin);
    steps.next(chunk, (c + Expr(1)) * Expr(kChunk));
    add_rounds(out, c, chunks() - 1, chunk.finish(), ir::LoopKind::Unrolled);
  }
  if (rest() > 0) {
    Expr t = round_variable("t", rest());
    Expr next = combined(context_, partial(Expr(0)), element(Expr(chunks() * kChunk) + t));
    add_rounds(out, t, rest(), set_partial(Expr(0), next), ir::LoopKind::Unrolled);
  }
  steps.last(out);
  return out.finish();
}

void PartialRow::describe(Plan& plan) const {
  plan.fact("elements", elements());
  plan.fact("chunks", chunks());
  plan.fact("rest", rest());
}

}  // namespace tilewright::dispatch
