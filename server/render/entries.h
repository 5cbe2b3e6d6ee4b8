// The answer of `tilewright entries` as JSON (protocol/schema/entries.json).
#pragma once
#include <string_view>

#include "server/render/json.h"

namespace tilewright::render {

Json entries_json(const script::Evaluation& evaluation);
// A file that could not be read.
Json no_entries_json(std::string_view file, std::string_view message);

}  // namespace tilewright::render
