// The sum of a row of one thread, two float32 additions in an instruction (compute.md 8.1): eight partial sums, brought
// together in pairs. The order of the additions is not that of a plain loop, and subnormal numbers count as zero: the
// result can differ from that of `local` in the last bits (Q27).
#include "compiler/dispatch/blocks/emit.h"
#include "compiler/dispatch/blocks/lanes.h"
#include "compiler/dispatch/blocks/reduction.h"
#include "compiler/dispatch/blocks/row_call.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch::variants::sum_packed_add_sum {
namespace {

using ir::Expr;
constexpr Predicate kPredicates[] = {{"packed_add_sum", not_one_float_row}};
constexpr std::int64_t kPartials = 8;

class Writer {
 public:
  explicit Writer(CallContext& context)
      : context_(context),
        r_(reduction(context)),
        out_(context.call.origin),
        partial_(local_lanes(r_.src.buffer, kPartials)) {}

  const ir::Stmt* write(std::int64_t chunks, std::int64_t rest) {
    const ir::Buffer& dst = *r_.dst.buffer;
    Expr result = ir::load(&dst, Arena::current().copy(result_index(r_, Expr(0))));
    out_.add<ir::Alloc>(partial_);
    Expr i = round_variable("i", kPartials);
    add_rounds(out_, i, kPartials, store(i, element(i)), ir::LoopKind::Unrolled);
    if (r_.accumulates) out_.push(store(Expr(0), ir::add(partial(Expr(0)), result)));
    if (chunks > 1) {
      Expr c = round_variable("c", chunks - 1);
      ir::BodyBuilder chunk(context_.call.origin);
      Expr base = (c + Expr(1)) * Expr(kPartials);
      for (std::int64_t j = 0; j < kPartials; j += 2)
        pair_sum(chunk, j, element(base + Expr(j)), element(base + Expr(j + 1)));
      add_rounds(out_, c, chunks - 1, chunk.finish(), ir::LoopKind::Unrolled);
    }
    if (rest > 0) {
      Expr t = round_variable("t", rest);
      Expr sum = ir::add(partial(Expr(0)), element(Expr(chunks * kPartials) + t));
      add_rounds(out_, t, rest, store(Expr(0), sum), ir::LoopKind::Unrolled);
    }
    for (auto [to, from] : {std::pair(0, 2), std::pair(4, 6), std::pair(0, 4)})
      pair_sum(out_, to, partial(Expr(from)), partial(Expr(from + 1)));
    out_.add<ir::Store>(&dst, Arena::current().copy(result_index(r_, Expr(0))),
                        ir::add(partial(Expr(0)), partial(Expr(1))));
    return out_.finish();
  }

 private:
  Expr element(Expr i) { return ir::load(r_.src.buffer, Arena::current().copy(source_index(r_, Expr(0), i))); }
  Expr partial(Expr i) { return ir::load(partial_, {&i, 1}); }
  const ir::Stmt* store(Expr i, Expr value) {
    return ir::make_stmt<ir::Store>(context_.call.origin, partial_, Arena::current().copy(std::span<const Expr>(&i, 1)),
                                    value);
  }
  // (p[j], p[j + 1]) += (x, y)
  void pair_sum(ir::BodyBuilder& out, std::int64_t j, Expr x, Expr y) {
    Expr own = row_call(row_of("C45"), {partial(Expr(j)), partial(Expr(j + 1))}),
         other = row_call(row_of("C45"), {x, y});
    out.add<ir::Evaluate>(row_call(row_of("P102"), {element_pointer(context_, partial_, Expr(j)), own, other,
                                                    ir::string_imm("rn"), ir::bool_imm(true)}));
  }

  CallContext& context_;
  const Reduction& r_;
  ir::BodyBuilder out_;
  const ir::Buffer* partial_;
};

}  // namespace

std::span<const Predicate> predicates() { return kPredicates; }

Planned plan(CallContext& context) {
  const std::int64_t n = reduction(context).summands(), chunks = n / kPartials, rest = n % kPartials;
  Plan plan{.body = Writer(context).write(chunks, rest)};
  plan.fact("elements", n);
  plan.fact("chunks", chunks);
  plan.fact("rest", rest);
  plan.fact("packed_adds", 4 * (chunks - 1) + 3);
  plan.summary = cat(reduction_headline(context, "packed_add_sum"), ", ", n, " elements a thread, ",
                     4 * (chunks - 1) + 3, " packed additions (add.rn.ftz.f32x2), in another order than one by one");
  return plan;
}

}  // namespace tilewright::dispatch::variants::sum_packed_add_sum
