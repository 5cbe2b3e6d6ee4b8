// Kernels made again from the text of a script, and run on the simulator as a client's job says.
#pragma once
#include "server/worker/job.h"

namespace tilewright::worker {

// `order` holds the contents; what buffers hold afterwards goes to `results`, one each, but for inputs that stayed as
// they were. `clusters` is told how many have ended, and of how many. What is wrong with the script is the outcome's
// message.
Ending run_script_job(const protocol::worker::Script& script, run::Job order, std::span<const run::Contents> results,
                      const run::Contents& clusters);

}  // namespace tilewright::worker
