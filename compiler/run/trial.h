// A kernel tried out on the simulator within a budget: is its synchronisation right, as far as a short look can tell?
//
// No inputs are given here. Symbolic extents get small values and awkward ones, scalars small ones that lead no access
// out of its tensor, floating tensors random numbers. Integers that decide nothing are random, too; where one is an
// index, a size or a condition all of the tensor is 0, so that an index that is read from memory stays inside. What
// that cannot show is said, not passed over.
#pragma once
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "compiler/lower/lowered.h"
#include "compiler/run/host_value.h"
#include "compiler/simulate/simulate.h"

namespace tilewright::run {

struct TrialBudget {
  std::uint64_t steps = 4'000'000;                // of each schedule
  std::uint64_t ctas = 4;                         // or one cluster, where that is larger
  std::int64_t bytes = std::int64_t{16} << 30;    // of all tensors: they take addresses, and memory where it is touched
  std::int64_t memory = std::int64_t{256} << 20;  // of threads, shared memory and tensor maps
  std::int64_t extent = 128;                      // of what has no value
  bool awkward = true;                            // extents and scalars are tried at awkward values, too
  std::map<std::string, Number, std::less<>> values{};  // of scalars and extents that the script says
};

struct Trial {
  std::vector<simulate::Finding> findings;  // errors and warnings; their places are the kernel's
  // Why something was not looked at, each once; empty: all of the kernel was.
  struct Left {
    std::string why;
    ir::Origin origin{};  // nowhere: the kernel
  };
  std::vector<Left> unchecked;
  std::vector<std::string> tried;  // values that were made up: "`layer` = 1, 0 and 2"
  bool stopped = false;            // asked to; nothing else holds then
};

// Two schedules: asynchronous work as late as it may be, and at random.
Trial try_out(const lower::LoweredKernel& kernel, const TrialBudget& budget = {}, const std::stop_token& stop = {});

}  // namespace tilewright::run
