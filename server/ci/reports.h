// What a build found, in the formats that people and CI systems read.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "server/ci/baseline.h"
#include "server/ci/client.h"
#include "server/render/terminal.h"

namespace tilewright::ci {

struct Report {
  std::string root;  // of the workspace: paths are shown relative to it
  Outcome outcome;
  std::vector<Change> changes;  // against a baseline
  bool compared = false;        // there was one
};

// Exit status of the command line: 0 fine, 1 scripts have errors, tests failed or kernels became worse, 2 something
// could not be looked at.
int status_of(const Report& report);

// `format`: sarif, github, junit or json (schema/build.json).
std::string report_text(const Report& report, std::string_view format);
// For people: findings, failed tests, regressions; and below them, for standard error, one line that counts.
std::string for_people(const Report& report, const render::Colours& colours);
std::string summary(const Report& report);

}  // namespace tilewright::ci
