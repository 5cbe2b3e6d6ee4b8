// What changes secretly from timed launch to timed launch: how far the contents of a buffer are rotated, and which of
// the launches are checked. A kernel that keeps a result, or that works only where it is checked, cannot know.
//
// Random contents are as good when they are rotated by whole elements: the same numbers in other places. A rotation
// costs two copies within the device. Where the order of the elements does not matter (a maximum, a sum of integers, a
// histogram), it changes no result: so a few launches more, whose times are dropped, find elements replaced by others:
// half of them or more, or all, by a few, again and again, or all by a stretch that is repeated, so that neighbours
// still differ.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/run/job.h"

namespace tilewright::run {

// Launches more, of replaced elements, of a job's kernels and of its rivals each; checked, and not timed.
inline constexpr int kMixed = 8;

// What a launch finds in a buffer: its first contents, rotated to the left by so many bytes; then a stretch that is
// filled with what it begins with, again and again: the elements at `of` of the first contents, one after the other, or
// the `kept` bytes that are there. Bytes throughout.
struct Turn {
  std::int64_t by = 0, begin = 0, bytes = 0;
  std::int64_t kept = 0;
  std::vector<std::int64_t> of{};  // this and `kept` are not there: nothing is replaced
};
// Of each buffer. Empty: the first contents.
using Turns = std::vector<Turn>;

class Secret {
 public:
  // From the system's random numbers.
  Secret();
  explicit Secret(std::uint64_t seed) : seed_(seed) {}
  // A number below `end`, which is at least 1.
  std::uint64_t below(std::uint64_t end);
  // A rotation of each buffer that allows one.
  Turns turns(const Job& job);
  // The same, with elements replaced.
  Turns mixed(const Job& job);
  // `some` of the numbers below `all`, in order.
  std::vector<bool> choose(std::size_t some, std::size_t all);

 private:
  std::int64_t drawn(std::int64_t end);

  std::uint64_t seed_ = 0, drawn_ = 0;
};

// Buffers whose contents a rotation changes.
int turning(const Job& job);

}  // namespace tilewright::run
