// The model of a kernel's time, as a table and as JSON (server/work/time.h).
#pragma once
#include <string>

#include "server/render/json.h"
#include "server/render/terminal.h"
#include "server/work/time.h"

namespace tilewright::render {

struct TimedKernel {
  std::string name, entry;
  std::string occupancy;  // "2 CTAs per SM, bound by shared memory; registers are not known"; empty: not known
  work::TimeAnswer answer;
};

std::string time_text(const TimedKernel& kernel, const text::Anchors& anchors, const Colours& c);
Json time_json(const TimedKernel& kernel, const text::Anchors& anchors);

}  // namespace tilewright::render
