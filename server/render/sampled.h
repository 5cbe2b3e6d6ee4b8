// Samples of a GPU's program counters, as a table and as JSON (server/work/sampled.h).
#pragma once
#include <string>

#include "server/render/json.h"
#include "server/work/sampled.h"

namespace tilewright::render {

// Lines with most samples first, `kMostLines` of them, each with what its warps waited for.
std::string sampled_text(const work::RunAnswer& answer);
Json sampled_json(const work::RunAnswer& answer);

}  // namespace tilewright::render
