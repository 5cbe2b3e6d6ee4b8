// What a worker offers, and what it lets a client take.
#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "compiler/run/gpu_executor.h"
#include "compiler/toolchain/toolchain.h"
#include "protocol/worker.h"

namespace tilewright::worker {

using protocol::worker::Executes;

struct Options {
  Executes executes = Executes::Simulator;
  std::vector<int> devices;  // of the driver, one a slot; of the simulator one number a slot
  protocol::worker::Limits limits;
  std::int64_t held_bytes = 0;  // of all jobs' arrays together
  // What the simulator takes beside the arrays: of one job, and of all together.
  std::int64_t simulator_bytes = std::int64_t{1} << 32, simulators_bytes = std::int64_t{1} << 32;
  std::size_t compilations = 2;  // at once
  std::size_t clients = 64;      // at once
  // Opened, and nothing comes of it for so long: the job is given up, for others want its memory.
  std::chrono::milliseconds stalled{60'000};
  bool compiles = true;
  run::GpuOptions gpu;
  toolchain::Options tools;
};

}  // namespace tilewright::worker
