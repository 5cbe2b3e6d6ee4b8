// The answer of `tilewright run`, for people and as JSON (protocol/schema/run.json).
#pragma once
#include <string>

#include "server/render/json.h"
#include "server/render/terminal.h"
#include "server/work/run.h"

namespace tilewright::render {

// What the command line's exit status says: 0 verified or nothing to compare with, 1 wrong, or the script has errors, 2
// not run, 130 stopped.
int run_status(const work::RunAnswer& answer);

// The report, or why there is none. Null: it was stopped.
Json run_json(const work::RunAnswer& answer);
// Of an answer with a report.
std::string run_text(const work::RunAnswer& answer, const Colours& colours);
// What is said beside the report: diagnostics of the script, and why it was not run.
std::string run_messages(const work::RunAnswer& answer, const Colours& colours);
// "copy.py:14": the line that is to blame for what went wrong: of a fault, of the simulator's first finding, of who
// wrote the first wrong element, of the script's first error, else that of the kernel; empty: none is known.
std::string run_place(const work::RunAnswer& answer);
// A refusal that has no answer yet: an option that makes no sense.
Json run_refusal(std::string_view status, const run::Failure& failure);

}  // namespace tilewright::render
