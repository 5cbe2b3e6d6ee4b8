// The process that holds an allocation of Slurm: this binary once more, in a session of its own, between the command
// that wants workers and salloc.
//
// Why a process: a client that is killed cannot give anything back, and salloc by itself would stay in the queue, or
// keep the nodes until their time is over. The holder reads from a pipe whose other end the client has; when that ends,
// for whatever reason, so does the allocation, at once or, with `keep`, when it was not in use for so long. If the
// holder is killed, the kernel tells salloc to end (PR_SET_PDEATHSIG), which gives the job back, waiting or granted.
//
//   tilewright slurm-holder RECORD KEEP KEY salloc …
//
// It writes a line for each thing that happens: "pending JOB", "granted JOB", "error WORDS".
#pragma once
#include <string>
#include <vector>

namespace tilewright::remote {

// The words that start it. `record`: where the next command finds the allocation; empty: nowhere, and `keep` is 0.
std::vector<std::string> holder_command(const std::string& record, int keep, const std::string& key,
                                        const std::vector<std::string>& salloc);
int slurm_holder_main(int argc, char** argv);

}  // namespace tilewright::remote
