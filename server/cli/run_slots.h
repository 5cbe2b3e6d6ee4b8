// Where `tilewright run --on` executes.
#pragma once
#include <atomic>
#include <expected>
#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "server/cli/run_options.h"
#include "server/ide/slots.h"

namespace tilewright::cli {

// Is it a place elsewhere that --on names? Else it is this machine's GPU or the simulator.
bool is_elsewhere(const std::string& on);
// The slots of a place elsewhere; the settings beside `script` know its name. Members of a pool that cannot be reached
// are told on standard error. `progress` hears what goes on, from other threads.
std::expected<std::vector<ide::Slot>, run::Failure> slots_elsewhere(
    const RunOptions& options, const std::string& script, const std::function<void(const std::string&)>& progress,
    const std::stop_token& stop);
// The slots of a batch. A simulator takes `cores` whenever a run begins.
std::expected<std::vector<ide::Slot>, run::Failure> slots_for(const RunOptions& options,
                                                              std::shared_ptr<const std::atomic<unsigned>> cores,
                                                              const std::stop_token& stop);

}  // namespace tilewright::cli
