// Tests on the simulator that need not be run again: what they came to is kept as builds are (work/kept_builds.h).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "protocol/bsp_data.h"
#include "server/work/build.h"

namespace tilewright::bsp {

struct TestsOf {
  std::string script;
  work::BuildOptions build;
  std::string words;  // what else decides what its tests come to
};

// Is all that tests of the script read in its text and its imports? Not where a comment names other files.
bool are_kept(const std::string& script);
// In the order of their entries; none: they have to be run.
std::optional<std::vector<protocol::bsp::TestRun>> kept_tests(work::Builder& builder, const TestsOf& tests);
// Keeps them if each passed, or ran without anything to compare with.
void keep_tests(work::Builder& builder, const TestsOf& tests, const std::vector<protocol::bsp::TestRun>& runs);

}  // namespace tilewright::bsp
