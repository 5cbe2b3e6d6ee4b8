// What the marks of a kernel recorded (compiler/cuda/marks.h): a build of its own, which no other result uses, that
// writes the clock before and after each tile primitive and each wait.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace tilewright::run {

// The variable of the module that takes them.
inline constexpr const char* kMarksSymbol = "tilewright_marks";
// More is not taken from a device.
inline constexpr std::int64_t kMostMarkBytes = 16 << 20;

struct MarkRecord {
  std::vector<std::string> bytes;     // of that variable after one round, one a launch
  std::vector<double> plain, marked;  // microseconds of rounds with and without marks, in turn, on the device
};

}  // namespace tilewright::run
