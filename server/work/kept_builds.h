// Builds of scripts (build.h) kept across processes, in the artifact cache: in its folder and in what machines share.
//
// A build is a function of what was read and of who read it: the script's text and its place below its root, the text
// of every file that its imports led to and where they led to nothing, the settings, what was asked for, this very
// program (by its build id) and NVIDIA's tools. All of that is compared before a kept build is used, contents by
// SHA-256, never times of files. Paths are kept relative to the root, so that another checkout finds them.
//
// Two steps. The first entry, named by everything but the imports, holds what they led to when it was made, with the
// build. Where they lead to the same files with other contents, an entry named by these as well may hold the build (a
// branch that was left and taken up again).
//
// What a kept build says is believed as a whole (that a script has no errors, say), so it carries a digest with the key
// of the process that keeps it (toolchain/cache.h). A shared store without a common key has none for us.
//
// Runs on the simulator are functions of the same things, and are kept beside builds: as bytes of the caller, under an
// identity that stands for all of them.
//
// A build is not kept where that would not be all: where a script asks for its own path, or is told of paths outside of
// its root.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "compiler/toolchain/cache.h"
#include "server/project/load.h"
#include "server/project/workspace.h"
#include "server/work/build_types.h"

namespace tilewright::work {

class KeptBuilds {
 public:
  // `tools`: identity of NVIDIA's tools; empty: there are none.
  KeptBuilds(toolchain::CacheOptions cache, std::string tools, const project::Workspace& workspace);

  struct Found {
    std::shared_ptr<BuiltScript> script;
    std::vector<project::ImportedFile> imports;
  };
  // `config`: the script's. Any thread.
  std::optional<Found> find(const std::string& path, const BuildOptions& options, const project::Config& config);
  // What was made of `file`, whose imports led to these. Any thread.
  void keep(const project::LoadedFile& file, const BuildOptions& options,
            const std::vector<project::ImportedFile>& imports, const BuiltScript& script);

  // What decides what a script does, as a digest: of its text, what it imports, its settings, this program. None where
  // no build of it is kept. Any thread.
  std::optional<std::string> identity(const std::string& path, const BuildOptions& options);
  // Any thread.
  std::optional<std::string> find_runs(const std::string& identity, const std::string& words);
  void keep_runs(const std::string& identity, const std::string& words, const std::string& bytes);

 private:
  toolchain::Record key_of(const std::filesystem::path& path, std::string_view text, const project::Config& config,
                           const BuildOptions& options) const;
  // What these imports lead to now: false where one leads elsewhere.
  bool follow(std::vector<project::ImportedFile>& imports);
  // The digest of the text that an import would be given; empty: it cannot be read.
  std::string digest_of(const std::string& file, const project::FileState& state);

  const std::string program_, tools_;  // no program: nothing is kept, for its origin would not be known
  const project::Workspace& workspace_;
  toolchain::Cache cache_;
  struct Digested {
    project::FileState state;
    std::string digest;
  };
  std::mutex mutex_;
  std::map<std::string, Digested> digests_;  // of imported files that have not changed for a while
};

}  // namespace tilewright::work
