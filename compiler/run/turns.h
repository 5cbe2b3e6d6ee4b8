// What changes secretly from timed launch to timed launch: how far the contents of a buffer are rotated, and which of
// the launches are checked. A kernel that keeps a result, or that works only where it is checked, cannot know.
//
// Random contents are as good when they are rotated by whole elements: the same numbers in other places. A rotation
// costs two copies within the device.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/run/job.h"

namespace tilewright::run {

// By how many bytes each buffer is rotated to the left. Empty: none is.
using Turns = std::vector<std::int64_t>;

class Secret {
 public:
  // From the system's random numbers.
  Secret();
  explicit Secret(std::uint64_t seed) : seed_(seed) {}
  // A number below `end`, which is at least 1.
  std::uint64_t below(std::uint64_t end);
  // A rotation of each buffer that allows one.
  Turns turns(const Job& job);
  // `some` of the numbers below `all`, in order.
  std::vector<bool> choose(std::size_t some, std::size_t all);

 private:
  std::uint64_t seed_ = 0, drawn_ = 0;
};

// Buffers whose contents a rotation changes.
int turning(const Job& job);

}  // namespace tilewright::run
