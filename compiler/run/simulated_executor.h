// Bound kernels on the simulator: what a GPU would leave, on any machine, with the line of what goes wrong.
#pragma once
#include <chrono>
#include <functional>

#include "compiler/run/executor.h"
#include "compiler/simulate/simulate.h"

namespace tilewright::simulate {
struct ProfileDetails;
using DetailsByKernel = std::map<const lower::LoweredKernel*, ProfileDetails>;
}  // namespace tilewright::simulate

namespace tilewright::run {

// What a launch is given: its numbers, and each buffer's memory as `memory(number)` makes it, with shape and place.
simulate::Inputs launch_inputs(const Bound& bound, const BoundLaunch& launch,
                               const std::function<simulate::Tensor(std::size_t)>& memory);

// All launches in turn, once. Outputs hold `poison` in each byte that is not written. Fault: a finding that a GPU would
// suffer from. Incomplete: not modelled, or over a limit. `details`: with a profile, of each
// kernel; null: they are left out.
Outcome simulate_bound(const Bound& bound, const simulate::Options& options, unsigned char poison = 0xFF,
                       simulate::DetailsByKernel* details = nullptr);

// What one job on the simulator may take unless the caller says otherwise.
inline constexpr std::chrono::milliseconds kSimulatorDeadline{3'600'000};

class SimulatedExecutor : public Executor {
 public:
  // Every job runs in so many schedules, from the same contents: asynchronous work as late as it may be, as early, and
  // then at random. What the first leaves is what comes back; the others add what they find, and what differs.
  // `deadline`: of all schedules of one job together.
  explicit SimulatedExecutor(int schedules = 1, simulate::Options options = {},
                             std::chrono::milliseconds deadline = kSimulatorDeadline)
      : schedules_(schedules), options_(std::move(options)), deadline_(deadline) {}

  bool runs_cubins() const override { return false; }
  // There is always one.
  std::expected<DeviceInfo, std::string> device(const std::stop_token& stop = {}) override;
  Outcome execute(const Bound& bound, const std::stop_token& stop = {}) override;

  bool profiles() const { return options_.profile; }
  // Where the next job's profile adds what it finds beside its counts, by kernel; they stay there during the job.
  void add_details_to(simulate::DetailsByKernel* details) { details_ = details; }

 private:
  Outcome execute_all(const Bound& bound, const std::stop_token& stop);

  int schedules_;
  simulate::Options options_;
  std::chrono::milliseconds deadline_;
  simulate::DetailsByKernel* details_ = nullptr;
};

}  // namespace tilewright::run
