// The GPU architecture that a kernel is compiled for.
#pragma once
#include <optional>
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

}  // namespace tilewright::ir
