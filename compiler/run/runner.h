// Runs jobs on a GPU, one after the other, each as safe as a process of its own.
//
// A helper process (helper.h) holds the CUDA context. It serves job after job while they go well; after a fault, a
// deadline or a crash it is killed, and the next job finds a new one.
#pragma once
#include <chrono>
#include <filesystem>
#include <stop_token>

#include "compiler/run/job.h"
#include "compiler/toolchain/helper_process.h"

namespace tilewright::run {

struct RunnerOptions {
  std::string library = "libcuda.so.1";
  int device = 0;
  // One job: upload, all launches, download. Then the process is killed, and the kernel with it.
  std::chrono::milliseconds deadline{10'000};
  // Starting the driver and making a context.
  std::chrono::milliseconds start_limit{60'000};
  // The program that calls helper_main, and what to start it with. Empty: this very binary.
  std::filesystem::path helper;
  std::vector<std::string> helper_arguments{"gpu-helper"};
  // The driver looks for its library and devices there (LD_LIBRARY_PATH, CUDA_VISIBLE_DEVICES): "NAME=VALUE".
  std::vector<std::string> environment;
};

class Runner {
 public:
  explicit Runner(RunnerOptions options);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  // Starts the process if need be. The error says why there is no GPU to be had.
  std::expected<DeviceInfo, std::string> device(const std::stop_token& stop = {});
  Outcome run(const Job& job, const std::stop_token& stop = {});
  // Processes started so far.
  int processes() const { return processes_; }

 private:
  RunnerOptions options_;
  std::unique_ptr<toolchain::HelperProcess> helper_;
  std::optional<DeviceInfo> device_;
  int processes_ = 0;
};

}  // namespace tilewright::run
