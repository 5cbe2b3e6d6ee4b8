#include "server/work/executors.h"

#include <algorithm>

namespace tilewright::work {
namespace {

simulate::Options whole_grid(simulate::Options options) {
  options.races = true;
  options.max_ctas = ~std::uint64_t{0};  // the steps are what takes time
  return options;
}

// A simulator beside others: how many cores it takes is found when a run begins.
class SharingSimulator : public run::Executor {
 public:
  SharingSimulator(int schedules, simulate::Options options, std::chrono::milliseconds deadline,
                   std::shared_ptr<const std::atomic<unsigned>> cores)
      : schedules_(schedules), options_(std::move(options)), deadline_(deadline), cores_(std::move(cores)) {}
  bool runs_cubins() const override { return false; }
  std::expected<run::DeviceInfo, std::string> device(const std::stop_token& stop) override {
    return run::SimulatedExecutor().device(stop);
  }
  run::Outcome execute(const run::Bound& bound, const std::stop_token& stop) override {
    simulate::Options options = options_;
    options.jobs = std::max(1u, cores_->load());
    return run::SimulatedExecutor(schedules_, std::move(options), deadline_).execute(bound, stop);
  }

 private:
  int schedules_;
  simulate::Options options_;
  std::chrono::milliseconds deadline_;
  std::shared_ptr<const std::atomic<unsigned>> cores_;
};

}  // namespace

run::Failure no_gpu(const std::string& why) {
  return {
      "there is no GPU to run on: " + why,
      "run this on a machine with an NVIDIA GPU and its driver (nvidia-smi shows them); here kernels can be checked "
      "and compiled"};
}

std::unique_ptr<run::Executor> executor_on(std::string_view target, const run::GpuOptions& gpu, int schedules,
                                           const simulate::Options& simulator, const std::stop_token& stop,
                                           std::chrono::milliseconds deadline) {
  if (target != "sim") {
    auto executor = std::make_unique<run::GpuExecutor>(gpu);
    if (target == "gpu" || executor->device(stop)) return executor;
  }
  return std::make_unique<run::SimulatedExecutor>(schedules, whole_grid(simulator), deadline);
}

std::expected<std::vector<Slot>, run::Failure> slots_on(std::string_view target, const LocalSlots& options,
                                                        const std::stop_token& stop) {
  std::vector<Slot> out;
  if (target != "sim") {
    run::GpuOptions gpu = options.gpu;
    if (!options.devices.empty()) gpu.device = options.devices.front();
    auto first = std::make_unique<run::GpuExecutor>(gpu);
    const auto device = first->device(stop);
    if (device) {
      std::vector<int> numbers;  // each once: runs that share a device would be in each other's times
      for (int number : options.devices)
        if (std::ranges::find(numbers, number) == numbers.end()) numbers.push_back(number);
      for (int i = 0; options.devices.empty() && i < device->devices; ++i) numbers.push_back(i);
      for (int number : numbers) {
        gpu.device = number;
        out.push_back({"gpu " + std::to_string(number), std::make_unique<run::GpuExecutor>(gpu)});
      }
      out.front().executor = std::move(first);
      return out;
    }
    if (target == "gpu") return std::unexpected(no_gpu(device.error()));
  }
  for (unsigned i = 0; i < options.simulators; ++i) {
    simulate::Options simulator = whole_grid(options.simulator);
    if (options.cores) {
      out.push_back(
          {"sim", std::make_unique<SharingSimulator>(options.schedules, simulator, options.deadline, options.cores)});
    } else {
      out.push_back({"sim", std::make_unique<run::SimulatedExecutor>(options.schedules, simulator, options.deadline)});
    }
  }
  return out;
}

}  // namespace tilewright::work
