// The layouts of the buffers that the statements of some lines touch.
#pragma once
#include <functional>
#include <vector>

#include "server/ide/layout_at.h"

namespace tilewright::ide {

// Each buffer once, in the order of the kernels and of their statements. `is_meant`: is a place of a script among the
// lines? The calls that led to a statement count, too. The caller keeps the compilation, to which the answer points.
std::vector<LayoutAt> line_layouts(const Script& script, const session::Compiled& compiled,
                                   const std::function<bool(const text::Anchors::Place&)>& is_meant,
                                   const LayoutAsked& asked);

}  // namespace tilewright::ide
