// What a simulated run asks of the hardware, as a table and as JSON (server/work/profile.h).
#pragma once
#include <string>

#include "server/render/json.h"
#include "server/render/terminal.h"
#include "server/work/profile.h"

namespace tilewright::render {

// Lines that cost most first, `kMostLines` of them, then the advice.
std::string profile_text(const work::RunAnswer& answer, const Colours& c);
Json profile_json(const work::RunAnswer& answer);

}  // namespace tilewright::render
