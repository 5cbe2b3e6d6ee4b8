// Slurm's own commands, which place the work: nothing of Slurm is linked.
//
// A command of ours that wants workers of a cluster makes one *allocation* (allocation.h) with room for all slots, and
// starts each worker as a *step* in it: a step begins in some 40 ms and waits in no queue, so hundreds of short jobs
// share what was waited for once.
#pragma once
#include <string>
#include <vector>

#include "server/remote/place.h"

namespace tilewright::remote {

// Asks for the allocation, and holds it while `cat` reads from the standard input: its starter need only end for
// the allocation to end as well.
std::vector<std::string> salloc_command(const SlurmWish& wish, int slots);
// A worker in the job. `program`: the words that start tilewright on the node. `again`: in the place of one that was
// lost, whose step may hold its share for another minute; where no GPU is in it, that is not waited for.
std::vector<std::string> step_command(const SlurmWish& wish, const std::string& job,
                                      const std::vector<std::string>& program, bool again = false);

// Digits of a job's number: Slurm counts in 32 bits.
inline constexpr std::size_t kLongestJob = 10;

// "gpu:h100:1" for `times` slots: "gpu:h100:2".
std::string times_gres(const std::string& gres, int times);
// "16G" for `times` slots: "32G".
std::string times_memory(const std::string& mem, int times);

// What salloc says about the job on a line of its standard error.
struct SallocWord {
  enum class Kind : std::uint8_t { None, Pending, Granted, Revoked, Error } kind = Kind::None;
  std::string text;  // the job's number, or what is wrong
};
SallocWord read_salloc(std::string_view line);

// Why a job waits, as squeue names it, for people.
std::string pending_reason(std::string_view reason);
// Does it wait for something that never comes, however long one waits?
bool waits_forever(std::string_view reason);

}  // namespace tilewright::remote
