// Executors for many runs at once.
//
// A *slot* is an executor that serves one run at a time: a GPU, one of several simulators, a worker on another machine.
// A pool holds slots; a run borrows one whenever it has something to execute, so kernels are compiled while others are
// on the device. A run is bound to the kind of its first answer to `device()`, since its kernels are compiled for that.
//
// A slot that loses what it was given (the process that held the GPU ended, the connection broke) has to say again that
// it is there before it is used again; the run is tried again, on any slot of the same kind. A slot that is not there,
// or does not come back, is left out from then on, and the others go on.
#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <expected>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "compiler/run/executor.h"

namespace tilewright::work {

struct Slot {
  std::string name;  // "gpu 0", "sim", for people
  std::unique_ptr<run::Executor> executor;
};

// Safe from any thread. Outlives its borrowers.
class SlotPool {
 public:
  // `pause`: before a slot that was there and is not any more is asked again; twice, the second one is longer.
  explicit SlotPool(std::vector<Slot> slots, std::chrono::milliseconds pause = std::chrono::seconds(1));
  std::size_t size() const { return places_.size(); }
  // As executors have it, of the first slot.
  std::string place() const { return places_.empty() ? std::string() : places_.front()->slot.executor->place(); }
  // Why no slot is left; nothing: there is one, or it was not asked yet.
  std::optional<std::string> stranded() const;
  // "gpu 1: the driver does not start", of each slot that was left out.
  std::vector<std::string> left_out() const;

  // How often a run is tried, where slots lose it.
  static constexpr int kAttempts = 3;

 private:
  friend class Borrower;
  // What a run is compiled for. Slots of one kind are as good as each other.
  struct Kind {
    run::DeviceInfo device;
    bool cubins = false;
    bool is(const Kind& other) const;
  };
  struct Place {
    Slot slot;
    enum class State : std::uint8_t { Unasked, Ready, Gone } state = State::Unasked;
    bool busy = false;
    std::size_t bound = 0;  // runs that are bound to its kind since it answered
    std::optional<Kind> kind;
    std::string reason;  // of Gone
  };

  // Asks a slot that was not asked yet whether it is there. With the lock held before and afterwards.
  void ask(Place& place, std::unique_lock<std::mutex>& lock, const std::stop_token& stop);
  void tell_change();
  void await_change(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);
  std::string why_stranded() const;
  std::expected<Kind, std::string> choose(const std::stop_token& stop);
  Place* take(const Kind& kind, const std::stop_token& stop);
  void give_back(Place& place, run::Status status, const std::string& message);

  const std::chrono::milliseconds pause_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::uint64_t changes_ = 0;
  std::vector<std::unique_ptr<Place>> places_;
};

// One run's view of a pool. Of one thread.
class Borrower : public run::Executor {
 public:
  explicit Borrower(SlotPool& pool) : pool_(pool) {}
  ~Borrower() override;
  Borrower(const Borrower&) = delete;
  Borrower& operator=(const Borrower&) = delete;

  std::string place() const override { return place_.empty() ? pool_.place() : place_; }
  bool runs_cubins() const override { return !kind_ || kind_->cubins; }
  std::expected<run::DeviceInfo, std::string> device(const std::stop_token& stop) override;
  run::Outcome execute(const run::Bound& bound, const std::stop_token& stop) override;
  // Where a slot of its kind compiles; whatever runs on that slot goes on.
  std::expected<toolchain::Artifacts, toolchain::Error> compile(const toolchain::Request& request) override;

  const std::string& where() const { return where_; }  // the slot of the last execution; empty: none yet
  int attempts() const { return attempts_; }           // that the longest execution took; 0: none yet
  // "gpu 0: the process ended", of each attempt that was lost.
  const std::vector<std::string>& lost() const { return lost_; }

 private:
  SlotPool& pool_;
  std::optional<SlotPool::Kind> kind_;
  std::string where_, place_;
  int attempts_ = 0;
  std::vector<std::string> lost_;
};

}  // namespace tilewright::work
