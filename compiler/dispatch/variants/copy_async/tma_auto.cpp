// copy_async between global and shared memory by tensor maps, release 0.26: the box is derived (copy_async.md 12.2).
//
// plan_auto() finds box and loops, map_of() describes the box to the host, and what is emitted here is the loop.
#include "compiler/dispatch/blocks/emit.h"
#include "compiler/dispatch/variants/copy_async/tma_auto_plan.h"
#include "compiler/dispatch/variants/copy_async/tma_issue.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch::variants::copy_async_tma_auto {
namespace {

using ir::Expr;

constexpr std::int64_t kMostUnrolled = 64;  // loops of more rounds stay loops

Expr digit_of(Expr value, std::int64_t divisor, std::int64_t modulus, std::int64_t extent) {
  if (divisor > 1) value = value / Expr(divisor);
  return divisor * modulus < extent ? value % Expr(modulus) : value;
}

// Where instruction `round` begins.
struct Place {
  std::vector<Expr> coordinates;  // innermost first
  Expr shared;                    // in elements of the storage
};
Place place_of(const tma::AutoPlan& plan, Expr round) {
  std::vector<Expr> at;
  for (const tma::SpecDim& d : plan.spec.dims) at.push_back(tma::as_expr(d.start));
  Place out{.coordinates = {}, .shared = tma::as_expr(plan.shared_start)};
  const std::int64_t issues = plan.issues();
  std::int64_t divisor = 1;
  for (std::size_t i = plan.axes.size(); i-- > 0;) {
    const tma::IssueAxis& axis = plan.axes[i];
    const Expr value = digit_of(round, divisor, axis.extent, issues);
    out.shared = out.shared + value * Expr(axis.stride);
    for (const tma::Digit& d : axis.digits) at[d.dim] = at[d.dim] + digit_of(value, d.divisor, d.modulus, axis.extent);
    divisor *= axis.extent;
  }
  for (Expr e : at) out.coordinates.push_back(ir::cast(ir::kInt32, ir::simplify(e)));
  return out;
}

}  // namespace

std::span<const Predicate> predicates() { return tma::copy_predicates(); }

Planned plan(CallContext& context) {
  const std::optional<tma::Sides> sides = tma::sides_of(context.call);
  const ir::Buffer &global = *sides->global.buffer, &shared = *sides->shared.buffer;
  if (global.dtype != shared.dtype) {
    return decline(cat("tma_auto stage=dtype: shared dtype=", ir::dtype_name(shared.dtype),
                       " and global dtype=", ir::dtype_name(global.dtype),
                       " differ; use dispatch=\"tma_explicit\" when the mapping or "
                       "hardware legality is only known at runtime"));
  }
  auto config = tma::read_config(context.call, sides->to_shared, tma::Variety::Auto);
  if (!config) return decline(std::move(config.error()));
  auto found = tma::plan_auto(*sides, *config, context.target());
  if (!found) {
    tma::note_target(context, *config);
    return decline(std::move(found.error()));
  }
  auto map = tma::map_of(context, global, found->spec, *config);
  if (!map) return decline(std::move(map.error()));

  const std::int64_t issues = found->issues();
  Expr round = round_variable("issue", issues);
  const Place at = place_of(*found, round);
  // The pointer is to the storage of the buffer; its own offset is part of where the region starts.
  const layout::Dim own = tma::element_offset(shared);
  Expr pointer = element_pointer(context, &shared, ir::simplify(at.shared - tma::as_expr(own)));
  auto issue = tma::instruction(context, found->spec, *config, tma::address_of(**map), pointer, at.coordinates);
  if (!issue) return decline(std::move(issue.error()));
  if (config->prefetch) tma::prefetch(context, **map);

  ir::BodyBuilder out(context.call.origin);
  add_rounds(out, round, issues, ir::make_stmt<ir::Evaluate>(context.call.origin, *issue),
             issues <= kMostUnrolled ? ir::LoopKind::Unrolled : ir::LoopKind::Serial);
  Plan plan{.body = out.finish()};
  std::vector<std::int64_t> steps;
  for (const tma::IssueAxis& axis : found->axes) steps.push_back(axis.stride);
  plan.remarks = tma::hardware_remarks(context, *sides, found->spec, *config, found->shared_start, steps);
  tma::describe(context, plan, "tma_auto", **map, found->spec, issues);
  return plan;
}

}  // namespace tilewright::dispatch::variants::copy_async_tma_auto
