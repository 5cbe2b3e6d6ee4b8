#include "compiler/ir/target.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <vector>

namespace tilewright::ir {
namespace {

constexpr int kNumbers[] = {50, 52, 53, 60, 61,  62,  70,  72,  75,  80,  86,
                            87, 88, 89, 90, 100, 101, 103, 107, 110, 120, 121};

// The first number that has code of this kind.
constexpr int first_with(char suffix) { return suffix == 'f' ? 100 : suffix == 'a' ? 90 : 0; }

constexpr std::size_t count_names() {
  std::size_t n = 0;
  for (int number : kNumbers) {
    for (char suffix : {'\0', 'a', 'f'}) n += number >= first_with(suffix);
  }
  return n;
}

}  // namespace

std::optional<Target> parse_target(std::string_view text) {
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
  if (std::ranges::find(kNumbers, number) == std::end(kNumbers) || number < first_with(suffix)) return std::nullopt;
  return Target{number / 10, number % 10, suffix};
}

std::span<const Target> known_targets() {
  static const std::vector<Target> all = [] {
    std::vector<Target> made{Target{}};
    for (int number : kNumbers) {
      for (char suffix : {'\0', 'a', 'f'}) {
        Target target{number / 10, number % 10, suffix};
        if (number >= first_with(suffix) && target != made.front()) made.push_back(target);
      }
    }
    return made;
  }();
  static_assert(count_names() <= 64, "a TargetSet holds them all");
  return all;
}

TargetSet set_of(Target target) {
  const auto found = std::ranges::find(known_targets(), target);
  if (found == known_targets().end()) return 0;
  return TargetSet{1} << (found - known_targets().begin());
}

std::optional<Target> first_of(TargetSet targets) {
  if (!targets) return std::nullopt;
  return known_targets()[static_cast<std::size_t>(std::countr_zero(targets))];
}

}  // namespace tilewright::ir
