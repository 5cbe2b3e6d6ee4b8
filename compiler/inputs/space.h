// A space of settings to choose from, in a few words: `BM=64,128 STAGES=2..6 if BM * STAGES <= 512`.
#pragma once
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::inputs {

struct Space {
  struct Axis {
    std::string name;
    std::vector<std::string> values;  // as a script writes them: 64, "float16", True
  };
  std::vector<Axis> axes;
  std::string condition;  // of Python's integers, comparisons and `and`, `or`, `not`; empty: all points are meant
};

// NAME=VALUE,VALUE ... and NAME=FIRST..LAST or FIRST..LAST..STEP, both ends among them; then perhaps `if CONDITION`.
// The error says what cannot be read.
std::expected<Space, std::string> parse_space(std::string_view text);

// A value for each axis, of all points for which the condition holds; the last axis changes first. The error: the
// condition cannot be read or decided, or there are more than `most` points before it is asked.
std::expected<std::vector<std::vector<std::string>>, std::string> points_of(const Space& space, std::size_t most);

// The value of an integer expression of Python with these names, true and false as 1 and 0. The error says what is not
// an integer, or is outside of 64 bits.
std::expected<std::int64_t, std::string> integer_of(std::string_view expression, const std::vector<Space::Axis>& names,
                                                    const std::vector<std::string>& values);

}  // namespace tilewright::inputs
