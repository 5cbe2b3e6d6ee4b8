#include "server/remote/launch.h"

#include <mutex>

#include "compiler/process/program.h"
#include "server/remote/slurm.h"

namespace tilewright::remote {
namespace {

class CommandLauncher : public Launcher {
 public:
  CommandLauncher(const Place& place, bool terminal) : words_(worker_command(place, terminal)) {}
  int slots() const override { return 1; }
  std::expected<std::vector<std::string>, run::Failure> command(const std::stop_token&) override { return words_; }

 private:
  std::vector<std::string> words_;
};

class SlurmLauncher : public Launcher {
 public:
  SlurmLauncher(const Place& place, Told told) : place_(place), told_(std::move(told)), slots_(slurm_slots(place)) {}
  int slots() const override { return slots_; }

  std::expected<std::vector<std::string>, run::Failure> command(const std::stop_token& stop) override {
    const std::scoped_lock lock(mutex_);
    if (allocation_ && allocation_->lost(stop)) {
      if (!allocation_->can_be_renewed() || lost_ >= kRenewals) return std::unexpected(taken_away());
      ++lost_;
      if (told_) told_("job " + allocation_->job() + " has ended; asking the cluster for another");
      allocation_.reset();
    }
    if (!allocation_) {
      auto made = Allocation::obtain(place_, told_, stop);
      if (!made) return std::unexpected(made.error());
      allocation_ = std::move(*made);
      started_ = 0;
    }
    // Homes are shared on most clusters: what runs here is there under the same name.
    auto program = place_.command;
    if (program.empty()) program.push_back(process::this_program().string());
    return step_command(place_.slurm, allocation_->job(), program, started_++ >= slots_);
  }

 private:
  static constexpr int kRenewals = 3;

  run::Failure taken_away() const {
    if (!allocation_->can_be_renewed()) return {"job " + allocation_->job() + ", in which this runs, has ended", {}};
    return {
        place_.name + ": the allocation has ended " + std::to_string(kRenewals + 1) +
            " times while it was used, the last was job " + allocation_->job(),
        "`sacct -j " + allocation_->job() + "` says why: preempted, cancelled, or its time was over (time=MINUTES)"};
  }

  const Place place_;
  const Told told_;
  const int slots_;
  std::mutex mutex_;
  std::unique_ptr<Allocation> allocation_;
  int lost_ = 0;
  int started_ = 0;  // workers in this allocation
};

}  // namespace

std::unique_ptr<Launcher> make_launcher(const Place& place, bool terminal, Told told) {
  switch (place.kind) {
    case Kind::Ssh:
    case Kind::Exec: return std::make_unique<CommandLauncher>(place, terminal);
    case Kind::Slurm: return std::make_unique<SlurmLauncher>(place, std::move(told));
    case Kind::Tls:
    case Kind::Tcp:
    case Kind::Unix: break;
  }
  return nullptr;
}

}  // namespace tilewright::remote
