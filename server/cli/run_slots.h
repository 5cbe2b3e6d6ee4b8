// Where `tilewright run --on` executes.
#pragma once
#include <atomic>
#include <expected>
#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "server/cli/run_options.h"
#include "server/work/slots.h"

namespace tilewright::cli {

// Is it a place elsewhere that --on names? Else it is this machine's GPU or the simulator.
bool is_elsewhere(const std::string& on);
// The slots that --on names; the settings beside the first script know the name of a place elsewhere. A simulator here
// takes `cores` whenever a run begins; may be null. `progress` hears what goes on elsewhere, from other threads.
// Members of a pool that cannot be reached are told on standard error.
std::expected<std::vector<work::Slot>, run::Failure> slots_for(const RunOptions& options,
                                                               std::shared_ptr<const std::atomic<unsigned>> cores,
                                                               const std::function<void(const std::string&)>& progress,
                                                               const std::stop_token& stop);

}  // namespace tilewright::cli
