// A job on the simulator, in a process of its own: this very binary, started again, which makes the kernels from the
// script's text and runs them.
//
//   {op: simulate, order, script} + descriptors of contents and of results -> {outcome, findings} or {failed}
#pragma once
#include "compiler/toolchain/helper_loop.h"
#include "compiler/toolchain/helper_process.h"
#include "server/worker/job.h"

namespace tilewright::worker {

std::expected<std::unique_ptr<toolchain::HelperProcess>, std::string> start_simulated_job();
// The process is of no use afterwards. What it uses beside the job's arrays is at most `most` bytes, and is taken from
// `memory`, which all simulated jobs share; beyond either it is ended.
Ending run_simulated(toolchain::HelperProcess& process, const Job& job, std::int64_t most, Budget& memory);

// The process itself: serves until its parent closes the connection; returns the exit status. For a hidden subcommand.
int simulated_job_main();

}  // namespace tilewright::worker
