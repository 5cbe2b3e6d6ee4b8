// The process that holds the GPU: this very binary, started again, as for NVIDIA's compiler (toolchain/helper_loop.h).
//
//   {op: open, library, management, device} -> {device} or {status: failed, message}
//   {op: run, plan, cubins, memory} -> an Outcome (job.h); contents are read and written in the memory that was given
// After a fault it has answered it ends: its context can do nothing more.
#pragma once
#include "compiler/toolchain/helper_loop.h"

namespace tilewright::run {

// Serves until the parent closes the connection; returns the exit status. For a hidden subcommand. The process is
// confined before the driver starts (driver_reach.h), unless `unconfined`.
int helper_main(bool unconfined = false, int fd_in = toolchain::kHelperFd, int fd_out = toolchain::kHelperFd);

}  // namespace tilewright::run
