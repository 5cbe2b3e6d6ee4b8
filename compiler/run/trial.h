// A kernel tried out on the simulator within a budget: is its synchronisation right, as far as a short look can tell?
//
// Inputs are those that the script's run comments give. Others are made up: symbolic extents get small values and
// awkward ones, scalars small ones that lead no access out of its tensor, floating tensors random numbers. Integers
// that decide nothing are random, too; where one is an index, a size or a condition all of the tensor is 0, and then
// numbers that differ, for each tensor as large as every access stays in its own, and then some that lie far apart and
// grow: rows of several elements where a list says where they begin. What that cannot show is said, not passed over.
//
// A part of the grid is tried first; all of it where the budget lets that. Else it is shown, where it can be, that the
// other CTAs do the same elsewhere (other_ctas.h), or it is said which CTAs were tried.
#pragma once
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "compiler/inputs/fill.h"
#include "compiler/lower/lowered.h"
#include "compiler/run/host_value.h"
#include "compiler/simulate/simulate.h"

namespace tilewright::run {

struct TrialBudget {
  std::uint64_t steps = 80'000'000;  // of each schedule, and a tenth of what a whole grid may take
  // A part of the grid is run in each schedule (sample.h); all of it, where that is expected to take no more than
  // `whole` steps, in one.
  std::uint64_t ctas = 64;
  std::uint64_t whole = 800'000'000;
  unsigned jobs = 1;                              // cores for a whole grid
  std::int64_t bytes = std::int64_t{16} << 30;    // of all tensors: they take addresses, and memory where it is touched
  std::int64_t memory = std::int64_t{256} << 20;  // of threads, shared memory and tensor maps
  std::int64_t extent = 128;                      // of what has no value
  bool awkward = true;  // extents and scalars are tried at awkward values, too, and integers that decide something
  std::map<std::string, Number, std::less<>> values{};       // of scalars and extents that the script says
  std::map<std::string, inputs::Fill, std::less<>> fills{};  // of tensors that the script says
  std::vector<const lower::LoweredKernel*> before{};         // run before it on the same tensors: `sequence a then b`

  // While a text is typed: a short look.
  static TrialBudget brief() { return {.steps = 4'000'000, .ctas = 4, .whole = 0, .awkward = false}; }
};

struct Trial {
  std::vector<simulate::Finding> findings;  // errors and warnings; their places are the kernel's
  // Why something was not looked at, each once; empty: all of the kernel was.
  struct Left {
    std::string why;
    ir::Origin origin{};  // nowhere: the kernel
  };
  std::vector<Left> unchecked;
  // Why a part of the grid stands for all of it, where nothing is unchecked; empty: all of it was run.
  std::string shown;
  std::vector<std::string> tried;  // values that were made up: "`layer` = 1, 0 and 2"
  bool stopped = false;            // asked to; nothing else holds then
};

// Two schedules: asynchronous work as late as it may be, and at random.
Trial try_out(const lower::LoweredKernel& kernel, const TrialBudget& budget = {}, const std::stop_token& stop = {});

}  // namespace tilewright::run
