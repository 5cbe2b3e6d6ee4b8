// What a build server builds: the tile scripts of a workspace, by target.
//
// A folder with a `tilewright.toml` is one target with all scripts below it, except those below another such folder; a
// script that no such folder holds is a target of its own. A target is named by its path, and so is a single script of
// a folder's target, where it alone is asked for.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "server/project/scripts.h"

namespace tilewright::project {

struct BuildTarget {
  std::string path;  // absolute: the folder, or the script
  bool folder = false;
  std::string name;                  // relative to the workspace, for people
  std::vector<std::string> scripts;  // absolute, sorted
};

// The targets of a workspace, sorted by path. Reads the folders again.
class BuildTargets {
 public:
  BuildTargets(const std::string& root, ScriptLooks& looks);
  const std::vector<BuildTarget>& all() const { return targets_; }
  // By path; a script of a folder's target is found as a target with that script alone. Null: neither.
  const BuildTarget* find(const std::string& path) const;
  // Those that a script belongs to.
  std::vector<const BuildTarget*> of_script(const std::string& path) const;

 private:
  std::vector<BuildTarget> targets_;
  std::map<std::string, BuildTarget> single_;  // scripts of folders
};

}  // namespace tilewright::project
