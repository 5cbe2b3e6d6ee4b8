// The two vector copies: variants of their own in 0.25, one variant from 0.26 on (vec_auto.cpp).
#pragma once
#include "compiler/dispatch/blocks/load_hints.h"
#include "compiler/dispatch/variant.h"

namespace tilewright::dispatch::variants {

namespace copy_gmem_smem {
std::span<const Predicate> predicates();
Planned plan_as(CallContext& context, std::string_view variant);  // which the report names
}  // namespace copy_gmem_smem

namespace copy_reg {
std::span<const Predicate> predicates();
Planned plan_as(CallContext& context, std::string_view variant, const LoadHints& hints);
}  // namespace copy_reg

}  // namespace tilewright::dispatch::variants
