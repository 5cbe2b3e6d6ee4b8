// One launch of a trial (trial.h): bound to made-up values, behind the kernels that run before it, and run on the
// simulator in one schedule after the other.
#pragma once
#include <cstdint>
#include <deque>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/run/bind.h"
#include "compiler/run/trial.h"
#include "compiler/simulate/profile/pace_record.h"

namespace tilewright::run {

class TrialLaunch {
 public:
  // Numbers that differ: (i + 5) % below, or, where each element has `step` of its own below that, i * step.
  struct Differing {
    std::int64_t below = 0, step = 0;
  };
  // How integers that decide something are made up: all 0 where nothing is said here.
  struct Integers {
    const std::unordered_set<const ir::Var*>& plain;  // tensors that decide nothing: random
    std::unordered_map<const ir::Var*, Differing> differing{};
  };

  // The error says why the kernel cannot be launched so.
  static std::expected<TrialLaunch, std::string> make(const lower::LoweredKernel& kernel, const TrialBudget& budget,
                                                      const Bindings& values, const Integers& integers,
                                                      const std::stop_token& stop);

  const JobLaunch& launch() const { return bound_.job.launches.back(); }
  const Bound& bound() const { return bound_; }
  std::int64_t bytes() const { return bound_.job.bytes(); }  // of all tensors
  // The clusters of these numbers; none: all of them. `beside`: on several cores where the budget says so.
  simulate::Result run(simulate::Timing timing, std::span<const std::uint64_t> clusters, std::uint64_t steps,
                       bool beside = false) const;
  // One of them, with asynchronous work as late as it may be: what it asks for, and the model of its time.
  simulate::Result run_paced(std::uint64_t cluster, std::uint64_t steps, simulate::PaceRecord& pace) const;

 private:
  TrialLaunch(Bound bound, const TrialBudget& budget, std::stop_token stop);
  void make_up(const lower::LoweredKernel& kernel, const Integers& integers);
  void make_up(std::size_t buffer, bool is_plain, const Differing* differing);
  bool fill_as_said(std::size_t buffer);    // false: the script does not say what it holds
  std::optional<std::string> run_before();  // the error

  Bound bound_;
  const TrialBudget& budget_;
  std::stop_token stop_;
  std::deque<std::vector<std::byte>> patterns_;
  std::vector<simulate::Tensor> memory_;  // of each buffer, as the kernel finds it
};

}  // namespace tilewright::run
