// Waiting on a condition variable that several threads share.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace tilewright::threads {

// Waits until `holds()`, with the lock held as it is for the condition variable's own wait, and looks again each
// `period` without being woken: glibc before 2.41 can lose a wake-up where several threads wait (its bug 25847), and
// `period` is what such a loss then costs at most.
template <class Period, class Holds>
void wait_patiently(std::condition_variable& wake, std::unique_lock<std::mutex>& lock, Period period, Holds holds) {
  while (!wake.wait_for(lock, period, holds)) {
  }
}

}  // namespace tilewright::threads
