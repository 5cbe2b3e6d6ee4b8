// Findings that stand by themselves (ide/build_finding.h) in the words that people and CI systems read: lines of a
// terminal, SARIF 2.1.0, GitHub's workflow commands.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "server/render/json.h"
#include "server/render/terminal.h"
#include "server/work/build_finding.h"

namespace tilewright::render {

// "copy.py:14:8: error[TW3104]: message" with notes and hint below.
std::string finding_text(const work::BuildFinding& finding, const Colours& colours);
// "::error file=copy.py,line=14,...::message".
std::string github_line(const work::BuildFinding& finding);

// One object of `results`.
Json sarif_result(const work::BuildFinding& finding);
// One object of `toolExecutionNotifications`; `level`: error, warning or note.
Json sarif_note(std::string_view level, std::string_view message);
// The whole log. `codes`: those of the results, each of which becomes a rule. `successful`: the tool could do its work.
std::string sarif_log(Json results, const std::set<std::string>& codes, const Json& notes, bool successful);

// A path as the reference of a URI: relative ones stay relative.
std::string uri_reference(std::string_view path);

}  // namespace tilewright::render
