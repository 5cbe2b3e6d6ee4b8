// Why a sampled warp did not issue an instruction: the hardware's reasons in words, and what to do about each.
#pragma once
#include <string_view>

namespace tilewright::work {

struct StallReason {
  std::string_view name;    // as run::Samples::reasons has it
  std::string_view words;   // what the warp waited for
  std::string_view advice;  // what to do where it is the most of a line; empty: nothing is wrong
};

// The entry of `name`; one that is not known has its name as its words and no advice.
StallReason stall_reason(std::string_view name);

}  // namespace tilewright::work
