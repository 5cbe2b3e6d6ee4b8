// Who executes kernels on this machine: its GPUs, or the simulator.
#pragma once
#include <atomic>
#include <expected>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/run/experiment.h"
#include "compiler/run/gpu_executor.h"
#include "compiler/run/simulated_executor.h"
#include "compiler/simulate/simulate.h"
#include "server/work/slots.h"

namespace tilewright::work {

// Who executes on a target of project::kRunTargets; empty: the GPU where there is one, else the simulator. The
// simulator tries `schedules` orders of asynchronous work, and as many steps in each as its options say; all of it may
// take as long as `deadline`.
std::unique_ptr<run::Executor> executor_on(std::string_view target, const run::GpuOptions& gpu, int schedules,
                                           const simulate::Options& simulator, const std::stop_token& stop,
                                           std::chrono::milliseconds deadline = run::kSimulatorDeadline);

// The same for many runs at once: a slot for each of this machine's GPUs, or so many simulators.
struct LocalSlots {
  run::GpuOptions gpu;
  std::vector<int> devices;  // the driver's numbers; empty: all that it has
  int schedules = 3;
  simulate::Options simulator;
  unsigned simulators = 1;
  std::chrono::milliseconds deadline = run::kSimulatorDeadline;  // of a simulated run
  // The cores that a simulator takes from then on; null: as many as its options say.
  std::shared_ptr<const std::atomic<unsigned>> cores;
};
// Why nothing can be run without a GPU, and what to do: `why` is the driver's reason.
run::Failure no_gpu(const std::string& why);
// The error: the target is a GPU, and there is none.
std::expected<std::vector<Slot>, run::Failure> slots_on(std::string_view target, const LocalSlots& options,
                                                        const std::stop_token& stop);

}  // namespace tilewright::work
