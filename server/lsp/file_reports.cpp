#include "server/lsp/file_reports.h"

#include <algorithm>

namespace tilewright::lsp {
namespace {

constexpr std::size_t kMostKept = 4000;

}  // namespace

std::shared_ptr<const FileReport> FileReports::find(const std::string& path, const session::Settings* settings) {
  std::shared_ptr<const Kept> kept;
  {
    std::lock_guard lock(mutex_);
    auto it = kept_.find(path);
    if (it == kept_.end()) return nullptr;
    kept = it->second;
  }
  bool stands = kept->settings.get() == settings && kept->file == workspace_.state_of(path) &&
                std::ranges::all_of(kept->imports, [&](const project::ImportedFile& i) { return workspace_.still(i); });
  if (!stands) return nullptr;
  std::lock_guard lock(mutex_);
  ++reused_;
  return kept->report;
}

void FileReports::keep(const std::string& path, project::FileState file,
                       std::shared_ptr<const session::Settings> settings, std::vector<project::ImportedFile> imports,
                       std::shared_ptr<const FileReport> report) {
  auto kept = std::make_shared<Kept>(std::move(file), std::move(settings), std::move(imports), std::move(report));
  std::lock_guard lock(mutex_);
  ++made_;
  if (kept_.size() >= kMostKept && !kept_.contains(path)) kept_.clear();  // made again when asked for
  kept_[path] = std::move(kept);
}

void FileReports::forget(const std::string& path) {
  std::lock_guard lock(mutex_);
  kept_.erase(path);
}

void FileReports::clear() {
  std::lock_guard lock(mutex_);
  kept_.clear();
}

FileReports::Counts FileReports::counts() const {
  std::lock_guard lock(mutex_);
  return {kept_.size(), made_, reused_};
}

}  // namespace tilewright::lsp
