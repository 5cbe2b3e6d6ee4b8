// How long a worker is waited for before it is given up.
#pragma once
#include <algorithm>
#include <chrono>
#include <string>

namespace tilewright::remote {

struct Patience {
  // From the first word to a worker to its greeting: a machine that is far away, whose driver sleeps, or that starts a
  // container first.
  std::chrono::seconds greeting{120};
  // That a worker which was asked says nothing. It answers pings at once, whatever it works on.
  std::chrono::seconds silence{30};
  // Of one run or compilation: from its first message to its answer, its time in the worker's queue included.
  std::chrono::seconds answer{3600};

  // `seconds` for a worker that says nothing, before its greeting as well as afterwards.
  void set_silence(int seconds) {
    greeting = std::chrono::seconds(seconds);
    silence = std::min(silence, greeting);
  }
};
inline constexpr int kLongestPatience = 30 * 86400;

inline std::string seconds_text(std::chrono::seconds time) { return std::to_string(time.count()) + " s"; }

}  // namespace tilewright::remote
