// The process that holds the GPU: this very binary, started again, as for NVIDIA's compiler (toolchain/helper_loop.h).
//
//   {op: open, library, device} -> {device} or {status: failed, message}
//   {op: run, plan, cubins, memory} -> an Outcome (job.h); contents are read and written in the memory that was given
// After a fault it has answered it ends: its context can do nothing more.
#pragma once
#include "compiler/toolchain/helper_loop.h"

namespace tilewright::run {

// Serves until the parent closes the connection; returns the exit status. For a hidden subcommand.
int helper_main(int fd_in = toolchain::kHelperFd, int fd_out = toolchain::kHelperFd);

}  // namespace tilewright::run
