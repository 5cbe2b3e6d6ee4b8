// Waiting for a while, or until a stop is requested.
#pragma once
#include <chrono>
#include <stop_token>

namespace tilewright::threads {

// Waits for `time`. False: `stop` was requested, and the wait ended at once.
bool pause(std::chrono::milliseconds time, const std::stop_token& stop);

}  // namespace tilewright::threads
