#include "compiler/threads/alarm.h"

#include <condition_variable>
#include <mutex>
#include <set>
#include <stop_token>
#include <thread>
#include <utility>

namespace tilewright::threads {

class AlarmClock {
 public:
  static AlarmClock& of_process() {
    static AlarmClock clock;
    return clock;
  }

  void set(const Alarm& alarm) {
    bool sooner = false;
    {
      std::lock_guard lock(mutex_);
      if (!thread_.joinable()) thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
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
  void run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      wakes_ = alarms_.empty() ? Time::max() : alarms_.begin()->first;
      const auto is_sooner = [&] { return !alarms_.empty() && alarms_.begin()->first < wakes_; };
      if (alarms_.empty()) {
        changed_.wait(lock, stop, is_sooner);
        continue;
      }
      if (std::chrono::steady_clock::now() < wakes_) {
        changed_.wait_until(lock, stop, wakes_, is_sooner);
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
  std::condition_variable_any changed_;
  std::set<std::pair<Time, const Alarm*>> alarms_;
  Time wakes_ = Time::max();  // to when the thread sleeps, if nothing comes sooner
  const Alarm* ringing_ = nullptr;
  std::jthread thread_;  // joined before the others go
};

Alarm::Alarm(std::chrono::milliseconds time, std::function<void()> ring)
    : time_(std::chrono::steady_clock::now() + time), ring_(std::move(ring)) {
  AlarmClock::of_process().set(*this);
}

Alarm::~Alarm() { AlarmClock::of_process().drop(*this); }

}  // namespace tilewright::threads
