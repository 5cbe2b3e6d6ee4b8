// What tuning came to, as a table and as JSON: the record that others can look up later (protocol/schema/tune.json).
#pragma once
#include <expected>
#include <string>

#include "server/render/json.h"
#include "server/render/terminal.h"
#include "server/work/tune.h"

namespace tilewright::render {

std::string tune_text(const work::TuneAnswer& answer, bool changed, const Colours& c);
// `changed`: the script has another text than when it was loaded.
Json tune_json(const work::TuneAnswer& answer, std::string_view file, bool changed);
// The answer of such a record, as far as another call goes on from it. The error says where it is none.
std::expected<work::TuneAnswer, std::string> read_tune(std::string_view record);
// 0: there is a best candidate; 1: none is right; 2: nothing could be tuned; 130: stopped.
int tune_status(const work::TuneAnswer& answer);

}  // namespace tilewright::render
