// The timeline of a run: in Chrome's trace format, which ui.perfetto.dev and chrome://tracing open, and as
// stretches and arrows for editors that draw it themselves.
#pragma once
#include <string>

#include "server/render/json.h"
#include "server/work/run.h"

namespace tilewright::render {

// One JSON object, one event a line, in order of time. A microsecond of the viewer is one of a GPU, or a step of the
// simulator.
std::string timeline_json(const work::RunAnswer& answer);

// Of a run on a GPU with a timeline: what the marks cost, what was recorded.
std::string marks_text(const work::RunAnswer& answer);
Json marks_json(const work::RunAnswer& answer);

// {unit, processes, tracks, spans, arrows, left_out}; null: the run has no timeline. Lines are those of the script,
// from 0. Of a GPU the first CTAs whose events are together at most `most`; the simulator keeps to such a bound by
// itself.
Json timeline_tracks(const work::RunAnswer& answer, std::size_t most);

}  // namespace tilewright::render
