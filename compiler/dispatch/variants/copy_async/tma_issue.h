// What tma_auto and tma_explicit have in common once they have a plan: the map, its prefetch, the instruction, and what
// the hardware makes of it otherwise than the reference believes.
#pragma once
#include <span>

#include "compiler/dispatch/variants/copy_async/tma_config.h"
#include "compiler/dispatch/variants/copy_async/tma_layouts.h"

namespace tilewright::dispatch::tma {

// The map of a spec: an earlier one of the kernel, or a new one noted in the journal.
std::expected<const TensorMap*, Reason> map_of(CallContext& context, const ir::Buffer& tensor, const Spec& spec,
                                               const Config& config);
ir::Expr address_of(const TensorMap& map);
// One warp brings the map into its cache at the start of the kernel, once a map.
void prefetch(CallContext& context, const TensorMap& map);

// The instruction, for coordinates innermost first; an error where the target has no such.
std::expected<ir::Expr, Reason> instruction(CallContext& context, const Spec& spec, const Config& config, ir::Expr map,
                                            ir::Expr shared, std::span<const ir::Expr> coordinates);

// The copy is refused: says so where another target has the instruction that it means.
void note_target(CallContext& context, const Config& config);

// Where data does not land as the layout of shared memory says, or is not combined: the reference does not ask.
// `steps`: how far apart the boxes are, in elements.
std::vector<Remark> hardware_remarks(const CallContext& context, const Sides& sides, const Spec& spec,
                                     const Config& config, Dim start, std::span<const std::int64_t> steps);

// The facts that both report, and the summary.
void describe(CallContext& context, Plan& plan, std::string_view variant, const TensorMap& map, const Spec& spec,
              std::int64_t issues);

ir::Expr as_expr(Dim d);

}  // namespace tilewright::dispatch::tma
