// Whether this machine's kernel confines the processes that work for a worker's clients (toolchain/confine.h).
#pragma once
#include <string>

namespace tilewright::worker {

// "confinement: seccomp, Landlock files+network+signals (ABI 7)": for the worker's first line.
std::string confinement_words();

// Empty if a worker may serve: the kernel confines to the floor, or `unconfined` was said. A worker that listens on
// the network needs one of both; one on its standard streams (ssh, Slurm) or on a Unix socket works for the user who
// started it, who is warned on standard error. Else what is missing.
std::string wrong_with_confinement(bool for_strangers, bool unconfined);

}  // namespace tilewright::worker
