// Runs bound kernels on a worker, as if it were here.
//
// A run is sent again when its connection is lost before the answer: with the next attempt, so that of two that may
// then be under way only the later one can end (protocol/worker.h). Kernels have no other effect than their arrays, so
// a second run of one is as good as the first.
#pragma once
#include <functional>
#include <memory>
#include <optional>

#include "compiler/run/executor.h"
#include "server/remote/link.h"
#include "server/work/executors.h"
#include "server/work/slots.h"

namespace tilewright::remote {

struct RemoteOptions {
  double deadline_seconds = 0;         // of a kernel on a GPU; 0: as the worker has it
  double simulator_seconds = 0;        // of a simulated job; 0: as the worker has it
  std::optional<int> silence, answer;  // seconds instead of those of the place (patience.h)
  std::uint64_t simulator_steps = 0;   // 0: as the simulator has it
  unsigned simulator_jobs = 1;         // cores of the worker that one run may use
  // What goes on, in words: "2 runs come first on lab". From another thread.
  std::function<void(const std::string&)> progress;
  // What is waited for before there is a worker, in words: "waiting in the queue of partition gpu, 3 ahead"; nothing:
  // as `progress`.
  std::function<void(const std::string&)> told;
  // Asks the user whether a machine without tilewright should get this one; empty if there is no user to ask.
  std::function<bool(const std::string& question)> confirm;
};

class RemoteExecutor final : public run::Executor {
 public:
  // `worker`: what the link's worker said of itself.
  RemoteExecutor(std::shared_ptr<Link> link, protocol::worker::InitializeResult worker, RemoteOptions options);

  std::string place() const override { return link_->name(); }
  bool runs_cubins() const override {
    return worker_.executes == protocol::worker::kExecutesWords[protocol::worker::Executes::Gpu];
  }
  std::expected<run::DeviceInfo, std::string> device(const std::stop_token& stop = {}) override;
  std::expected<toolchain::Artifacts, toolchain::Error> compile(const toolchain::Request& request) override;
  run::Outcome execute(const run::Bound& bound, const std::stop_token& stop = {}) override;

 private:
  Called<run::Outcome> attempt(Client& client, protocol::worker::JobOpenParams& open, const run::Bound& bound,
                               Client::Time end, const std::stop_token& stop);
  void tell(const std::string& what) const {
    if (options_.progress) options_.progress(what);
  }

  const std::shared_ptr<Link> link_;
  const protocol::worker::InitializeResult worker_;
  const RemoteOptions options_;
};

// An executor for each slot of the place, connected. The error says why it cannot be used.
std::expected<std::vector<work::Slot>, run::Failure> slots_at(const Place& place, const RemoteOptions& options,
                                                              const std::stop_token& stop);

// The slots of an address, of a remote or of a pool; of a pool those of its members that can be reached, and why the
// others cannot be. The error: there is no such place, or none can be reached.
struct Reachable {
  std::vector<work::Slot> slots;
  std::vector<run::Failure> left_out;
};
std::expected<Reachable, run::Failure> slots_at(std::string_view word, const project::Config& config,
                                                const RemoteOptions& options, const std::stop_token& stop);

// The slots that `on` names: this machine's for a target of project::kRunTargets or an empty word, else those of a
// place that the settings beside `script` (a script or a folder) know. `left_out` hears of members of a pool that
// cannot be reached.
struct SlotOptions {
  work::LocalSlots here;
  RemoteOptions elsewhere;
  std::function<void(const std::string&)> left_out;
};
std::expected<std::vector<work::Slot>, run::Failure> slots_for(const std::string& on, const std::string& script,
                                                               const SlotOptions& options, const std::stop_token& stop);

}  // namespace tilewright::remote
