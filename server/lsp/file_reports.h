// Diagnostics of files that are not open, remembered between polls of workspace/diagnostic.
//
// A report stands while everything that it depends on is what it was: the file, its settings, and whatever its imports
// found, or did not find. To see that takes a look at the time and size of each of these files, no reading.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "protocol/lsp.h"
#include "server/project/workspace.h"

namespace tilewright::lsp {

struct FileReport {
  bool is_script = false;  // false: a file of Python that holds no kernels
  std::vector<protocol::Diagnostic> diagnostics;
};

// Safe from any thread.
class FileReports {
 public:
  struct Counts {
    std::size_t kept = 0, made = 0, reused = 0;
  };

  explicit FileReports(const project::Workspace& workspace) : workspace_(workspace) {}

  // Null: there is none, or it does not stand any more.
  std::shared_ptr<const FileReport> find(const std::string& path, const session::Settings* settings);
  // `file` is the state before it was read; `imports` are those of its analysis.
  void keep(const std::string& path, project::FileState file, std::shared_ptr<const session::Settings> settings,
            std::vector<project::ImportedFile> imports, std::shared_ptr<const FileReport> report);
  void forget(const std::string& path);
  void clear();
  Counts counts() const;

 private:
  struct Kept {
    project::FileState file;
    std::shared_ptr<const session::Settings> settings;  // compared by identity: they are made again when they change
    std::vector<project::ImportedFile> imports;
    std::shared_ptr<const FileReport> report;
  };
  const project::Workspace& workspace_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Kept>> kept_;
  std::size_t made_ = 0, reused_ = 0;
};

}  // namespace tilewright::lsp
