#include "server/cli/run_slots.h"

#include <filesystem>

#include "server/cli/confirm.h"
#include "server/ide/run.h"
#include "server/project/run_targets.h"
#include "server/remote/executor.h"

namespace tilewright::cli {

bool is_elsewhere(const std::string& on) { return !on.empty() && !project::is_local_target(on); }

std::expected<std::vector<ide::Slot>, run::Failure> slots_elsewhere(
    const RunOptions& o, const std::string& script, const std::function<void(const std::string&)>& progress,
    const std::stop_token& stop) {
  if (!o.clusters.empty() || !o.watches.empty() || !o.trace.empty())
    return std::unexpected(run::Failure{"--clusters, --watch and --trace show the simulator of this machine",
                                        "leave out --on " + o.on + ", or say --on sim"});
  std::error_code ec;
  const std::filesystem::path place = std::filesystem::absolute(script);
  auto config = project::find_config(std::filesystem::is_directory(place, ec) ? place / "script.py" : place);
  if (!config) return std::unexpected(run::Failure{config.error(), {}});
  remote::RemoteOptions options;
  options.deadline_seconds = o.deadline;
  options.simulator_steps = o.steps;
  options.simulator_jobs = threads_of(o.jobs);
  options.progress = progress;
  if (!progress) options.told = [](const std::string& what) { complain("tilewright: " + what + "\n"); };
  options.confirm = [stop](const std::string& question) { return confirm(question, stop); };
  auto found = remote::slots_at(o.on, *config, options, stop);
  if (!found) return std::unexpected(found.error());
  for (const run::Failure& f : found->left_out) std::fprintf(stderr, "tilewright: left out: %s\n", f.message.c_str());
  return std::move(found->slots);
}

std::expected<std::vector<ide::Slot>, run::Failure> slots_for(const RunOptions& o,
                                                              std::shared_ptr<const std::atomic<unsigned>> cores,
                                                              const std::stop_token& stop) {
  if (is_elsewhere(o.on)) return slots_elsewhere(o, o.paths.front(), {}, stop);
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
