// A layout and the pipeline of a kernel as texts, for editors without pictures and for terminals.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "server/ide/layout_at.h"
#include "server/ide/pipeline.h"
#include "server/render/json.h"

namespace tilewright::views {

// What it is, what its parts do, the picture as a table, and what the kernel's accesses cost.
std::string layout_text(const ide::LayoutAt& layout);
// "128 bits a lane, 2-way bank conflict: ...", or why that is not known.
std::string access_words(const ide::LayoutAt::Access& access);
// What `tilewright layout --lines` says of the buffers that are touched at `place` (protocol/schema/layout.json).
render::Json layouts_json(std::string_view place, std::span<const ide::LayoutAt> layouts,
                          const session::Compiled& compiled);
// Buffers with who fills and drains them, barriers with who arrives and waits, and where threads meet, each with the
// line of the script.
std::string pipeline_text(const ide::Pipeline& pipeline);

}  // namespace tilewright::views
