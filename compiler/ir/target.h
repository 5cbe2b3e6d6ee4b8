// The GPU architecture that a kernel is compiled for.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tilewright::ir {

struct Target {
  int major = 9;
  int minor = 0;
  char suffix = 'a';  // 'a' architecture-specific, 'f' family-specific, 0 none

  int number() const { return major * 10 + minor; }  // 90, 100, 103
  bool at_least(int sm) const { return number() >= sm; }
  std::string name() const {
    std::string text = "sm_" + std::to_string(number());
    if (suffix) text += suffix;
    return text;
  }
  friend bool operator==(const Target&, const Target&) = default;
};

// "sm_90a", "sm_100a", "sm_80"; nothing for a name that NVIDIA has not given out. Architecture-specific code begins
// with sm_90a, family-specific code with sm_100f.
std::optional<Target> parse_target(std::string_view text);

// All names that NVIDIA has given out, in the order in which they are tried where none is given: sm_90a, then by
// number, and of one number the general code, the architecture-specific, the family-specific.
std::span<const Target> known_targets();
// Some of them: bit i stands for known_targets()[i].
using TargetSet = std::uint64_t;
TargetSet set_of(Target target);                    // empty: a target of no known name
std::optional<Target> first_of(TargetSet targets);  // nothing: the set is empty

}  // namespace tilewright::ir
