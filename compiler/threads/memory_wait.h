// Waiting for memory: what must be done although the machine has none at this moment.
#pragma once

#include <chrono>
#include <new>
#include <thread>

namespace tilewright::threads {

// Does `work`, and again each ten milliseconds for `patience` while it throws std::bad_alloc: what other threads hold
// is given back when their requests end. False if there was no memory in all that time.
template <class Work>
bool when_there_is_memory(std::chrono::milliseconds patience, Work&& work) {
  constexpr std::chrono::milliseconds kBetween{10};
  for (auto waited = std::chrono::milliseconds(0);; waited += kBetween) {
    try {
      work();
      return true;
    } catch (const std::bad_alloc&) {
      if (waited >= patience) return false;
    }
    std::this_thread::sleep_for(kBetween);
  }
}

}  // namespace tilewright::threads
