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

// "sm_90a", "sm_100a", "sm_80"; nothing for anything else.
inline std::optional<Target> parse_target(std::string_view text) {
  if (!text.starts_with("sm_")) return std::nullopt;
  text.remove_prefix(3);
  int number = 0, digits = 0;
  while (!text.empty() && text[0] >= '0' && text[0] <= '9' && digits < 4) {
    number = number * 10 + (text[0] - '0');
    text.remove_prefix(1);
    ++digits;
  }
  if (digits < 2 || text.size() > 1) return std::nullopt;
  char suffix = text.empty() ? '\0' : text[0];
  if (suffix != '\0' && suffix != 'a' && suffix != 'f') return std::nullopt;
  return Target{number / 10, number % 10, suffix};
}

}  // namespace tilewright::ir
