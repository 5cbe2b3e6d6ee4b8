// The names of scope ids that no script has named.
#pragma once
#include "compiler/expr/expr.h"
#include "compiler/text/words.h"

namespace tilewright::dispatch {

inline constexpr auto kScopeIdNames = text::words_of<ir::ScopeBinding>(
    {"cluster", "cta", "cta_in_cluster", "wg", "warp", "warp_in_wg", "lane", "tid", "tid_in_wg", "cta_in_pair"});

}  // namespace tilewright::dispatch
