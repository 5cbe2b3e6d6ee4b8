// Scripts as a build server builds them: each compiled as far as NVIDIA's tools go, and what was found kept as long as
// it holds.
//
// What is kept of a script is small: its findings at their places, its kernels with their resources, and what its
// imports led to. A script is built again when its text, its settings or one of those files has changed, or when other
// architectures are asked for: this process looks at times and sizes of files, and where they differ, or it has not
// seen the script yet, at what other processes kept (kept_builds.h). Safe from any thread: two who want the same script
// at once both build it.
#pragma once
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/toolchain/toolchain.h"
#include "server/project/workspace.h"
#include "server/work/build_types.h"
#include "server/work/kept_builds.h"

namespace tilewright::work {

class Builder {
 public:
  explicit Builder(const toolchain::Options& tools)
      : tools_(tools), builds_(tools.cache, tools_.identity(), workspace_) {}

  struct Answer {
    std::shared_ptr<const BuiltScript> script;  // null: stopped
    bool anew = true;                           // it was built for this; else nothing has changed since
  };
  // `jobs`: how many of its kernels NVIDIA's tools may work on at once.
  Answer build(const std::string& path, const BuildOptions& options, unsigned jobs, const std::stop_token& stop);
  // The files that a script imports, absolute and sorted: it is evaluated for that, no further. None where it cannot be
  // read.
  std::vector<std::string> imports(const std::string& path, const std::stop_token& stop);
  // The next build of these scripts is a full one: nothing that was kept is used for it, NVIDIA's tools' work neither.
  // How many of them are to be.
  std::size_t forget(const std::vector<std::string>& paths);
  // What runs of the script on the simulator came to, as the caller kept it for the script as it is now and for the
  // same words; none where nothing was kept.
  std::optional<std::string> kept_runs(const std::string& path, const BuildOptions& options, const std::string& words);
  void keep_runs(const std::string& path, const BuildOptions& options, const std::string& words,
                 const std::string& bytes);
  // Settings may be others now.
  void reload() { workspace_.files_changed(); }

  project::ScriptLooks& looks() { return workspace_.looks(); }
  // For runs of the same kernels.
  toolchain::Toolchain& tools() { return tools_; }

 private:
  struct Kept {
    BuildOptions options;
    project::FileState state;
    std::filesystem::path settings;  // empty: none
    project::FileState settings_state;
    std::vector<std::pair<std::filesystem::path, project::FileState>> bases;  // that the settings extend
    script::DialectHints dialect_hints;                                       // besides the settings
    std::vector<project::ImportedFile> imports;
    std::shared_ptr<const BuiltScript> script;
  };
  bool holds(const Kept& kept, const std::string& path, const BuildOptions& options) const;
  struct Made;
  std::shared_ptr<const Kept> known(const std::string& path);
  std::shared_ptr<BuiltScript> make(Kept& kept, const std::string& path, const Made& how);
  bool compile(session::Compiled& compiled, const Kept& kept, const Made& how, BuiltScript& out);

  project::Workspace workspace_;  // imported files, each read once
  toolchain::Toolchain tools_;
  KeptBuilds builds_;
  std::mutex mutex_;
  std::unordered_set<std::string> forgotten_;                          // paths whose next build is a full one
  std::unordered_map<std::string, std::shared_ptr<const Kept>> kept_;  // by path
};

}  // namespace tilewright::work
