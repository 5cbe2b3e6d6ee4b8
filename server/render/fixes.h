// Fixes of findings in reports, and what `tilewright fix` says.
#pragma once
#include <string>
#include <vector>

#include "compiler/text/json.h"
#include "server/render/formats.h"
#include "server/work/build_finding.h"
#include "server/work/checked.h"
#include "server/work/fix.h"

namespace tilewright::render {

// [{title, edits: [{range, text}]}] of a finding of the file, the best first; empty: it has none.
text::Json fixes_json(const session::Finding& found, const work::CheckedFile& file);

// Was some fix of the finding not tried for lack of time?
bool has_untried(const session::Finding& found, const work::CheckedFile& file);

// As fixes_json, for reports in other formats.
std::vector<work::BuildFinding::Fix> fixes_of(const session::Finding& found, const work::CheckedFile& file);

// Without the diff: a line a fix, and what is left.
std::string fixed_text(const std::string& path, const work::FixedScript& fixed);
text::Json fixed_json(const std::string& path, const work::FixedScript& fixed);

}  // namespace tilewright::render
