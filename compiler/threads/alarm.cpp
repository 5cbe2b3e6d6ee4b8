#include "compiler/threads/alarm.h"

#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

namespace tilewright::threads {

class AlarmClock {
 public:
  // It lives as long as the process. A process that was forked off (by Python, say) has no thread of the other one's,
  // and gets a clock of its own.
  static AlarmClock& of_process() {
    static std::atomic<AlarmClock*> made = nullptr;
    AlarmClock* known = made.load();
    if (known && known->process_ == ::getpid()) return *known;
    auto own = std::make_unique<AlarmClock>();
    if (!made.compare_exchange_strong(known, own.get())) return *known;  // another thread's, of this moment
    return *own.release();
  }

  void set(const Alarm& alarm) {
    bool sooner = false;
    {
      std::lock_guard lock(mutex_);
      if (!runs_) std::thread([this] { run(); }).detach();
      runs_ = true;
      alarms_.emplace(alarm.time_, &alarm);
      sooner = alarm.time_ < wakes_;
    }
    if (sooner) changed_.notify_all();
  }

  void drop(const Alarm& alarm) {
    std::unique_lock lock(mutex_);
    alarms_.erase({alarm.time_, &alarm});  // the thread may wake at its time, and finds nothing to do
    changed_.wait(lock, [&] { return ringing_ != &alarm; });
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wakes_ = alarms_.empty() ? Time::max() : alarms_.begin()->first;
      const auto is_sooner = [&] { return !alarms_.empty() && alarms_.begin()->first < wakes_; };
      if (alarms_.empty()) {
        changed_.wait(lock, is_sooner);
        continue;
      }
      if (std::chrono::steady_clock::now() < wakes_) {
        changed_.wait_until(lock, wakes_, is_sooner);
        continue;
      }
      const Alarm* const alarm = alarms_.begin()->second;
      alarms_.erase(alarms_.begin());
      ringing_ = alarm;
      lock.unlock();
      alarm->ring_();
      lock.lock();
      ringing_ = nullptr;
      changed_.notify_all();
    }
  }

  using Time = std::chrono::steady_clock::time_point;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::pair<Time, const Alarm*>> alarms_;
  Time wakes_ = Time::max();  // to when the thread sleeps, if nothing comes sooner
  const Alarm* ringing_ = nullptr;
  bool runs_ = false;  // its thread
  const pid_t process_ = ::getpid();
};

Alarm::Alarm(std::chrono::milliseconds time, std::function<void()> ring)
    : clock_(AlarmClock::of_process()), time_(std::chrono::steady_clock::now() + time), ring_(std::move(ring)) {
  clock_.set(*this);
}

Alarm::~Alarm() { clock_.drop(*this); }

}  // namespace tilewright::threads
