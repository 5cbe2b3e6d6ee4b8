// What a simulated run asks of the hardware, as a table and as JSON (server/work/profile.h).
#pragma once
#include <string>
#include <string_view>

#include "server/render/json.h"
#include "server/render/terminal.h"
#include "server/work/profile.h"

namespace tilewright::render {

// Lines that cost most first, `kMostLines` of them, then the advice.
std::string profile_text(const work::ProfileAnswer& profile, const text::Anchors& anchors, const Colours& c);
// How accesses of threads were counted, in words (empty: as NVIDIA's compiler makes them, and that is as the script
// writes them) and as JSON.
std::string made_text(const work::ProfileAnswer& profile);
Json made_json(const work::ProfileAnswer& profile);
Json profile_json(const work::ProfileAnswer& profile, const text::Anchors& anchors);
// A line of a script as a cell of a table: without its indentation, 48 characters at most.
std::string shortened_line(std::string_view text);

}  // namespace tilewright::render
