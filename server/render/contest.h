// Which of two series of measurements is the faster one, as JSON.
#pragma once
#include <optional>

#include "compiler/run/statistics.h"
#include "server/render/json.h"

namespace tilewright::render {

// Null: there were too few pairs.
inline Json contest_json(const std::optional<run::Contest>& c) {
  if (!c) return nullptr;
  return {{"ratio", c->ratio},
          {"interval", {c->least, c->most}},
          {"probability", c->probability},
          {"significant", c->significant}};
}

}  // namespace tilewright::render
