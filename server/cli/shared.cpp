// What several commands need.
#include <algorithm>
#include <cstdio>

#include "server/cli/commands.h"
#include "server/render/report.h"

namespace tilewright::cli {

std::optional<ir::Target> target_option(const std::string& text) {
  auto target = ir::parse_target(text);
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
