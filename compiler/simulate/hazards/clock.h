// Vector clocks.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace tilewright::simulate {

// Each entry becomes the later of both; what is missing at the end is 0.
inline void catch_up(std::vector<std::uint32_t>& times, const std::vector<std::uint32_t>& others) {
  if (times.size() < others.size()) times.resize(others.size());
  for (std::size_t i = 0; i < others.size(); ++i) times[i] = std::max(times[i], others[i]);
}

}  // namespace tilewright::simulate
