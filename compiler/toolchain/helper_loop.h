// The life of a helper process, whatever it helps with: one request after the other over records, until the parent is
// gone.
#pragma once
#include <functional>
#include <span>

#include "compiler/process/fd.h"
#include "compiler/toolchain/record.h"

namespace tilewright::toolchain {

// The descriptor at which the parent puts the socket; standard output stays free for what tools may print.
inline constexpr int kHelperFd = 3;

// Answers a request, with the files that came beside it.
using Serve = std::function<Record(const Record& request, std::span<const process::Fd> files)>;

// Sees the first request before anything is done about it, and before there are other threads: confines the process.
using Prepare = std::function<void(const Record& first)>;

// Answers requests with `serve` until the connection ends; returns the exit status. When the parent goes away, even
// while `serve` works, this process and what it started end at once. To be called before the process has other threads;
// it leaves no core file, and stands in the root folder, so that what tools write down is the same everywhere.
int serve_records(int fd_in, int fd_out, const Prepare& prepare, const Serve& serve);

}  // namespace tilewright::toolchain
