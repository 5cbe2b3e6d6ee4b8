// What both regions of a copy have in common from 0.26 on, whatever variant serves it (dispatch.md 8).
#pragma once
#include "compiler/dispatch/variant.h"

namespace tilewright::dispatch {

// How the regions of a copy or copy_async differ; empty: they may be copied, or the release does not ask.
Reason unequal_regions(const ir::TileCall& call, text::Dialect release);

}  // namespace tilewright::dispatch
