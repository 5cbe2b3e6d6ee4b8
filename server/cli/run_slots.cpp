#include "server/cli/run_slots.h"

#include "compiler/threads/in_order.h"
#include "server/cli/confirm.h"
#include "server/project/console.h"
#include "server/project/run_targets.h"
#include "server/remote/executor.h"
#include "server/work/executors.h"
#include "server/work/run.h"

namespace tilewright::cli {

bool is_elsewhere(const std::string& on) { return !on.empty() && !project::is_local_target(on); }

namespace {

remote::RemoteOptions elsewhere_of(const RunOptions& options, const std::function<void(const std::string&)>& progress,
                                   const std::stop_token& stop) {
  remote::RemoteOptions out;
  out.deadline_seconds = std::chrono::duration<double>(gpu_of(options).deadline).count();
  out.simulator_seconds = options.deadline.value_or(0);
  out.silence = options.patience;
  out.answer = options.give_up;
  out.simulator_steps = options.steps;
  out.simulator_jobs = threads::threads_of(options.jobs);
  out.progress = progress;
  if (!progress) out.told = [](const std::string& what) { tell(what); };
  out.confirm = [stop](const std::string& question) { return confirm(question, stop); };
  return out;
}

std::expected<work::LocalSlots, run::Failure> here_of(const RunOptions& options,
                                                      std::shared_ptr<const std::atomic<unsigned>> cores) {
  auto simulator = simulator_of(options);
  if (!simulator) return std::unexpected(simulator.error());
  work::LocalSlots out;
  out.gpu = gpu_of(options);
  out.devices = options.devices;
  out.simulator = std::move(*simulator);
  out.simulators = threads::threads_of(options.jobs);
  out.deadline = simulator_deadline(options);
  out.cores = std::move(cores);
  return out;
}

}  // namespace

std::expected<std::vector<work::Slot>, run::Failure> slots_for(const RunOptions& options,
                                                               std::shared_ptr<const std::atomic<unsigned>> cores,
                                                               const std::function<void(const std::string&)>& progress,
                                                               const std::stop_token& stop) {
  remote::SlotOptions slots;
  if (is_elsewhere(options.on)) {
    if (!options.clusters.empty() || !options.watches.empty())
      return std::unexpected(run::Failure{"--clusters and --watch show the simulator of this machine",
                                          "leave out --on " + options.on + ", or say --on sim"});
    slots.elsewhere = elsewhere_of(options, progress, stop);
  } else {
    auto here = here_of(options, std::move(cores));
    if (!here) return std::unexpected(here.error());
    slots.here = std::move(*here);
  }
  slots.left_out = [](const std::string& why) { project::sayf(stderr, "tilewright: left out: %s\n", why.c_str()); };
  return remote::slots_for(options.on, options.paths.front(), slots, stop);
}

}  // namespace tilewright::cli
