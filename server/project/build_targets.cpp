#include "server/project/build_targets.h"

#include <algorithm>
#include <filesystem>

#include "server/project/files.h"

namespace tilewright::project {
namespace fs = std::filesystem;
namespace {

// The nearest folder with settings, from the script's own up to the workspace's; empty: there is none.
fs::path folder_of(const fs::path& script, const fs::path& root, std::map<fs::path, fs::path>& known) {
  const fs::path folder = script.parent_path();
  const auto [at, fresh] = known.try_emplace(folder);
  if (!fresh) return at->second;
  std::error_code ec;
  fs::path found;
  if (fs::exists(folder / "tilewright.toml", ec)) {
    found = folder;
  } else if (folder != root && folder.has_relative_path()) {
    found = folder_of(folder, root, known);
  }
  return known[folder] = found;
}

std::string shown(const fs::path& path, const fs::path& root) {
  const fs::path relative = path.lexically_relative(root);
  return relative.empty() || relative == "." ? path.filename().string() : relative.string();
}

}  // namespace

BuildTargets::BuildTargets(const std::string& root, ScriptLooks& looks) {
  std::error_code ec;
  fs::path top = fs::weakly_canonical(root, ec);
  if (ec) top = root;
  std::map<fs::path, fs::path> folders;
  std::map<std::string, BuildTarget> targets;
  ScriptSearch search(looks);
  for (const std::string& script : expand({top.string()}, search).files) {
    const fs::path folder = folder_of(script, top, folders);
    const fs::path path = folder.empty() ? fs::path(script) : folder;
    BuildTarget& target = targets[path.string()];
    target.path = path.string();
    target.folder = !folder.empty();
    target.name = shown(path, top);
    target.scripts.push_back(script);
    if (target.folder) single_[script] = {script, false, shown(script, top), {script}};
  }
  for (auto& [path, target] : targets) targets_.push_back(std::move(target));
}

const BuildTarget* BuildTargets::find(const std::string& path) const {
  const auto at = std::ranges::lower_bound(targets_, path, {}, &BuildTarget::path);
  if (at != targets_.end() && at->path == path) return &*at;
  const auto one = single_.find(path);
  return one == single_.end() ? nullptr : &one->second;
}

std::vector<const BuildTarget*> BuildTargets::of_script(const std::string& path) const {
  std::vector<const BuildTarget*> out;
  for (const BuildTarget& target : targets_)
    if (std::ranges::binary_search(target.scripts, path)) out.push_back(&target);
  return out;
}

}  // namespace tilewright::project
