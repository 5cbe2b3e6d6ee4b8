// What several commands need.
#include <algorithm>
#include <cstdio>

#include "server/cli/commands.h"
#include "server/render/report.h"

namespace tilewright::cli {

std::optional<ir::Target> target_option(const std::string& text) {
  // The numbers that NVIDIA has given out; architecture-specific code begins with sm_90a, family-specific with sm_100f.
  static constexpr int kNumbers[] = {50, 52, 53, 60, 61,  62,  70,  72,  75,  80, 86,
                                     87, 88, 89, 90, 100, 101, 103, 110, 120, 121};
  auto target = ir::parse_target(text);
  if (target && (std::ranges::find(kNumbers, target->number()) == std::end(kNumbers) ||
                 target->number() < (target->suffix == 'f'   ? 100
                                     : target->suffix == 'a' ? 90
                                                             : 0)))
    target.reset();
  if (!target)
    fail_usage("unknown architecture '" + text + "'", "for example sm_80, sm_90a, sm_100a, sm_103a, sm_120a");
  return target;
}

int fail_usage(const std::string& message, const std::string& remedy) {
  std::fprintf(stderr, "tilewright: %s\n", message.c_str());
  if (!remedy.empty()) std::fprintf(stderr, "  %s\n", remedy.c_str());
  return kUsage;
}

std::string call_report(const dispatch::CallReport& call, const text::Anchors& anchors) {
  return render::call_report(call, anchors, render::colours(stdout));
}

}  // namespace tilewright::cli
