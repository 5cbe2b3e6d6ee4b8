// Elementwise forms that take two neighbouring elements in one instruction (compute.md 4).
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "compiler/dispatch/blocks/elementwise.h"

namespace tilewright::dispatch {

inline constexpr std::int64_t kPackedWidth = 2;  // the only one there is

// What rounding_mode= says of a call: "rz" where it says nothing (Q6). Error: it names no mode.
std::expected<std::string_view, Reason> packed_rounding(const ir::TileCall& call);

// The instruction that serves two elements of this call, as people call it ("add.rz.ftz.f32x2"); empty: there is none
// for the operation, its types or the target.
std::string packed_form(CallContext& context);
// dst[k], dst[k + 1] of it. `pairs`: the two values of each source; `dst` starts on a multiple of two elements.
void add_packed(CallContext& context, ir::BodyBuilder& out, const ir::Buffer* dst, ir::Expr k,
                std::span<const std::array<ir::Expr, 2>> pairs);

// `rounding_mode` given to a call whose plan is scalar has no effect (Q6).
void note_scalar_rounding(Plan& plan, CallContext& context);

}  // namespace tilewright::dispatch
