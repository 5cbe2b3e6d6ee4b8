// Where `tilewright run --on` executes.
#pragma once
#include <atomic>
#include <expected>
#include <memory>
#include <stop_token>
#include <vector>

#include "server/cli/run_options.h"
#include "server/ide/slots.h"

namespace tilewright::cli {

// The slots of a batch. A simulator takes `cores` whenever a run begins.
std::expected<std::vector<ide::Slot>, run::Failure> slots_for(const RunOptions& options,
                                                              std::shared_ptr<const std::atomic<unsigned>> cores,
                                                              const std::stop_token& stop);

}  // namespace tilewright::cli
