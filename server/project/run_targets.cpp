#include "server/project/run_targets.h"

#include <algorithm>

namespace tilewright::project {

bool is_local_target(std::string_view name) { return std::ranges::find(kRunTargets, name) != kRunTargets.end(); }

std::vector<std::string> run_targets(const Config& config) {
  std::vector<std::string> out(kRunTargets.begin(), kRunTargets.end());
  auto add = [&](const std::string& name) {
    if (std::ranges::find(out, name) == out.end()) out.push_back(name);
  };
  for (const auto& [name, remote] : config.remotes) add(name);
  for (const auto& [name, pool] : config.pools) add(name);
  return out;
}

}  // namespace tilewright::project
