// The process in which NVIDIA's tools run. It is this very binary, started again; whatever happens to it happens to one
// request only.
//
// The parent speaks records over a socket, one request at a time:
//   {op: compile, nvrtc, builtins, memory, cpu, source, option...} -> {status: done, code, message, log, ptx, cubin}
//   {op: disassemble, tool, memory, cpu, cubin}                    -> {status: done, code, message, sass}
// and with each "reads...": the files and folders that it may open, of the first request once and for all (confine.h);
// or {status: failed, message} when the tool could not be used at all. Limits come with each request and are set before
// it is looked at. When the parent goes away, even in the middle of a compilation, the helper and what it started end.
#pragma once
#include "compiler/toolchain/helper_loop.h"

namespace tilewright::toolchain {

// Serves until the parent closes the connection; returns the exit status. For a hidden subcommand
// (`Options::helper_arguments`), before anything else in `main` has started threads.
int helper_main(int fd_in = kHelperFd, int fd_out = kHelperFd);

}  // namespace tilewright::toolchain
