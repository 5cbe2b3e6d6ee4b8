// From the dispatched kernel to the lowered form.
#pragma once
#include <expected>
#include <string>

#include "compiler/ir/printer.h"
#include "compiler/lower/lowered.h"
#include "compiler/text/context.h"

namespace tilewright::lower {

// Diagnostics with errors were reported to the context.
struct Failed {};

// Splits host and device part, resolves scope ids, applies layouts, flattens buffers and builds the launch plan.
// All findings are reported, not only the first. `dispatched.failed` gives Failed without a further word.
std::expected<LoweredKernel, Failed> lower(const dispatch::Dispatched& dispatched, const text::Context& context);

// The lowered form in TVMScript spelling: `T.launch_thread` frames, flat buffers, `layout=None` (surface.md 17).
// `origins`: where each statement's text begins and where it came from; null: not asked for.
std::string print_lowered(const LoweredKernel& kernel, std::vector<ir::PrintedOrigin>* origins = nullptr);

}  // namespace tilewright::lower
