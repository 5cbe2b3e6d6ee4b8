// The timeline of a simulated run in Chrome's trace format: what ui.perfetto.dev and chrome://tracing open.
#pragma once
#include <string>

#include "server/ide/run.h"

namespace tilewright::render {

// One JSON object, one event a line, in order of time. A microsecond of the viewer is a step of the simulator.
std::string timeline_json(const ide::RunAnswer& answer);

}  // namespace tilewright::render
