#include "server/cli/run_slots.h"

#include "server/ide/run.h"

namespace tilewright::cli {

std::expected<std::vector<ide::Slot>, run::Failure> slots_for(const RunOptions& o,
                                                              std::shared_ptr<const std::atomic<unsigned>> cores,
                                                              const std::stop_token& stop) {
  auto simulator = simulator_of(o);
  if (!simulator) return std::unexpected(simulator.error());
  ide::LocalSlots local;
  local.gpu = gpu_of(o);
  local.devices = o.devices;
  local.simulator = std::move(*simulator);
  local.simulators = threads_of(o.jobs);
  local.cores = std::move(cores);
  auto slots = ide::slots_on(o.on, local, stop);
  if (!slots) return std::unexpected(ide::no_gpu(slots.error()));
  return std::move(*slots);
}

}  // namespace tilewright::cli
