// Something to be done at a time, unless it is no longer wanted by then. All alarms of the process share one thread,
// which begins with the first: setting one costs no thread of its own.
#pragma once
#include <chrono>
#include <functional>

namespace tilewright::threads {

class AlarmClock;

class Alarm {
 public:
  // Calls `ring` after `time`, on the alarms' thread: it is short, and destroys no alarm.
  Alarm(std::chrono::milliseconds time, std::function<void()> ring);
  // It does not ring afterwards; one that rings is waited for.
  ~Alarm();
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

 private:
  friend class AlarmClock;
  AlarmClock& clock_;
  std::chrono::steady_clock::time_point time_;
  std::function<void()> ring_;
};

}  // namespace tilewright::threads
