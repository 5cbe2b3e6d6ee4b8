#include "server/cli/run_slots.h"

#include <filesystem>

#include "server/cli/confirm.h"
#include "server/ide/executors.h"
#include "server/ide/run.h"
#include "server/project/console.h"
#include "server/project/run_targets.h"
#include "server/remote/executor.h"

namespace tilewright::cli {

bool is_elsewhere(const std::string& on) { return !on.empty() && !project::is_local_target(on); }

std::expected<std::vector<ide::Slot>, run::Failure> slots_elsewhere(
    const RunOptions& options, const std::string& script, const std::function<void(const std::string&)>& progress,
    const std::stop_token& stop) {
  if (!options.clusters.empty() || !options.watches.empty() || !options.trace.empty())
    return std::unexpected(run::Failure{"--clusters, --watch and --trace show the simulator of this machine",
                                        "leave out --on " + options.on + ", or say --on sim"});
  std::error_code ec;
  const std::filesystem::path place = std::filesystem::absolute(script);
  auto config = project::find_config(std::filesystem::is_directory(place, ec) ? place / "script.py" : place);
  if (!config) return std::unexpected(run::Failure{config.error(), {}});
  remote::RemoteOptions elsewhere;
  elsewhere.deadline_seconds = std::chrono::duration<double>(gpu_of(options).deadline).count();
  elsewhere.simulator_seconds = options.deadline.value_or(0);
  elsewhere.silence = options.patience;
  elsewhere.answer = options.give_up;
  elsewhere.simulator_steps = options.steps;
  elsewhere.simulator_jobs = threads_of(options.jobs);
  elsewhere.progress = progress;
  if (!progress) elsewhere.told = [](const std::string& what) { tell(what); };
  elsewhere.confirm = [stop](const std::string& question) { return confirm(question, stop); };
  auto found = remote::slots_at(options.on, *config, elsewhere, stop);
  if (!found) return std::unexpected(found.error());
  for (const run::Failure& f : found->left_out) project::sayf(stderr, "tilewright: left out: %s\n", f.message.c_str());
  return std::move(found->slots);
}

std::expected<std::vector<ide::Slot>, run::Failure> slots_for(const RunOptions& options,
                                                              std::shared_ptr<const std::atomic<unsigned>> cores,
                                                              const std::stop_token& stop) {
  if (is_elsewhere(options.on)) return slots_elsewhere(options, options.paths.front(), {}, stop);
  auto simulator = simulator_of(options);
  if (!simulator) return std::unexpected(simulator.error());
  ide::LocalSlots local;
  local.gpu = gpu_of(options);
  local.devices = options.devices;
  local.simulator = std::move(*simulator);
  local.simulators = threads_of(options.jobs);
  local.deadline = simulator_deadline(options);
  local.cores = std::move(cores);
  return ide::slots_on(options.on, local, stop);
}

}  // namespace tilewright::cli
