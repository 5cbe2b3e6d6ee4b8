// Runs jobs on a GPU, one after the other, each as safe as a process of its own.
//
// A helper process (helper.h) holds the CUDA context. It serves job after job while they go well; after a fault, a
// deadline or a crash it is killed, and the next job finds a new one.
#pragma once
#include <chrono>
#include <filesystem>
#include <memory>

#include "compiler/run/executor.h"
#include "compiler/toolchain/helper_process.h"

namespace tilewright::run {

struct GpuOptions {
  std::string library = "libcuda.so.1";
  std::string management = "libnvidia-ml.so.1";  // tells clocks and temperature; what is not there is no error
  // CUPTI, for jobs that want samples: files or names for the loader, the best first; and where none is, a file `ncu`.
  std::vector<std::string> profilers{"libcupti.so.13", "libcupti.so.12"};
  int device = 0;
  // One job: all launches, and a second more for every 256 MB of tensors, which are moved and compared several times.
  // Then the process is killed, and the kernel with it.
  std::chrono::milliseconds deadline{10'000};
  // Starting the driver and making a context.
  std::chrono::milliseconds start_limit{60'000};
  // Bytes of this machine's memory that one job's tensors may take: what they hold at first and what they are found to
  // hold afterwards. Memory of the device is limited by the device.
  std::int64_t memory_limit = default_memory_limit();
  // The program that calls helper_main, and what to start it with. Empty: this very binary.
  std::filesystem::path helper;
  std::vector<std::string> helper_arguments{"gpu-helper"};
  // The driver looks for its library and devices there (LD_LIBRARY_PATH, CUDA_VISIBLE_DEVICES): "NAME=VALUE".
  std::vector<std::string> environment;
};

class GpuExecutor : public Executor {
 public:
  explicit GpuExecutor(GpuOptions options);
  ~GpuExecutor() override;
  GpuExecutor(const GpuExecutor&) = delete;
  GpuExecutor& operator=(const GpuExecutor&) = delete;

  // Starts the process if need be.
  std::expected<DeviceInfo, std::string> device(const std::stop_token& stop = {}) override;
  Outcome execute(const Bound& bound, const std::stop_token& stop = {}) override { return run(bound.job, stop); }
  // Of the jobs from now on.
  void set_deadline(std::chrono::milliseconds deadline) { options_.deadline = deadline; }
  // The job is all that it takes.
  Outcome run(const Job& job, const std::stop_token& stop = {});
  // Processes started so far.
  int processes() const { return processes_; }

 private:
  Outcome run_once(const Job& job, const std::stop_token& stop);

  GpuOptions options_;
  std::unique_ptr<toolchain::HelperProcess> helper_;
  std::optional<DeviceInfo> device_;
  int processes_ = 0;
  bool samples_ = false;     // the process has loaded CUPTI
  bool unconfined_ = false;  // it is to be started so: CUPTI reached for what a confined process does not have
};

}  // namespace tilewright::run
