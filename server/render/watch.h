// What watches saw, as a table and as JSON.
#pragma once
#include <string>

#include "compiler/run/report.h"
#include "server/render/json.h"

namespace tilewright::render {

// One table a watch: rows by CTA, iteration and thread. Neighbouring threads that saw the same share a row, and of many
// rows the first are shown.
std::string watches_text(const run::Report& report);
Json watches_json(const run::Report& report);

}  // namespace tilewright::render
