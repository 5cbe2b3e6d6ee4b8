// Runs of a script's kernels for answers: on the simulator, or on this machine's GPU.
#pragma once
#include <expected>
#include <string>

#include "server/mcp/tool.h"
#include "server/work/run.h"

namespace tilewright::mcp {

// Of the arguments `entry`, `on` and `seconds`; `request` says the rest. The error: it could not begin, or had no end
// in its time.
std::expected<work::RunAnswer, std::string> executed(const Question& question, work::RunRequest request);
Parameter seconds_parameter();

}  // namespace tilewright::mcp
