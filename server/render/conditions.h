// What a device was like while it was measured, as JSON.
#pragma once
#include "compiler/run/conditions.h"
#include "server/render/json.h"

namespace tilewright::render {

inline Json conditions_json(const run::Conditions& c) {
  if (!c.absent.empty()) return {{"absent", c.absent}};
  return {{"driver", c.driver},
          {"sm_mhz", {c.sm_least, c.sm_most}},
          {"sm_limit_mhz", c.sm_limit},
          {"memory_mhz", c.memory_clock},
          {"celsius", {c.first_celsius, c.last_celsius}},
          {"watts", c.watts},
          {"throttled", run::is_throttled(c.reasons)},
          {"reasons", run::throttle_words(c.reasons)},
          {"samples", c.samples}};
}

}  // namespace tilewright::render
