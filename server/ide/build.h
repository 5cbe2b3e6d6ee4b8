// Scripts as a build server builds them: each compiled as far as NVIDIA's tools go, and what was found kept as long as
// it holds.
//
// What is kept of a script is small: its findings at their places, its kernels with their resources, and what its
// imports led to. A script is built again when its text, its settings or one of those files has changed, or when other
// architectures are asked for. Safe from any thread: two who want the same script at once both build it.
#pragma once
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/text/source.h"
#include "compiler/toolchain/toolchain.h"
#include "server/project/workspace.h"

namespace tilewright::ide {

struct BuildPlace {
  std::string path;             // absolute
  text::LineColumn begin, end;  // from 0, columns in UTF-16 units
};

struct BuildFinding {
  BuildPlace at;
  text::Severity severity = text::Severity::Error;
  std::string code, message, hint;
  struct Related {
    BuildPlace at;
    std::string message;
  };
  std::vector<Related> related;
};

struct BuiltKernel {
  std::string name, symbol, entry, architecture;
  std::int64_t dynamic_shared_bytes = 0;
  std::optional<toolchain::KernelResources> resources;
  std::string unknown;    // why there are no resources
  bool may_pass = false;  // that reason: the tools were killed, say
};

// What a build of a script is told.
struct BuildOptions {
  std::vector<std::string> architectures, entries;  // empty: found out
  bool deny_fallback = false;
  bool operator==(const BuildOptions&) const = default;
};

struct BuiltScript {
  std::string path;
  std::string unreadable;  // why it cannot be read; then there is nothing else
  std::vector<BuildFinding> findings;
  std::vector<BuiltKernel> kernels;
  std::size_t errors = 0, warnings = 0;
  bool failed() const { return errors > 0 || !unreadable.empty(); }
};

class Builder {
 public:
  explicit Builder(toolchain::Options tools) : tools_(std::move(tools)) {}

  struct Answer {
    std::shared_ptr<const BuiltScript> script;  // null: stopped
    bool anew = true;                           // it was built for this; else nothing has changed since
  };
  // `jobs`: how many of its kernels NVIDIA's tools may work on at once.
  Answer build(const std::string& path, const BuildOptions& options, unsigned jobs, const std::stop_token& stop);
  // The files that a script imports, absolute and sorted: it is evaluated for that, no further. None where it cannot be
  // read.
  std::vector<std::string> imports(const std::string& path);
  // What was kept of these scripts is built anew. Their number.
  std::size_t forget(const std::vector<std::string>& paths);
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
    std::vector<project::ImportedFile> imports;
    std::shared_ptr<const BuiltScript> script;
  };
  bool holds(const Kept& kept, const std::string& path, const BuildOptions& options) const;
  std::shared_ptr<BuiltScript> make(Kept& kept, const std::string& path, unsigned jobs, const std::stop_token& stop);
  bool compile(session::Compiled& compiled, unsigned jobs, const std::stop_token& stop, BuiltScript& out);

  project::Workspace workspace_;  // imported files, each read once
  toolchain::Toolchain tools_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const Kept>> kept_;  // by path
};

}  // namespace tilewright::ide
