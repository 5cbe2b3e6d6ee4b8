// Files, settings and imports around the open documents.
//
// Files are read where no open document stands for them, parsed once, and read again when their time of change differs.
// A document's loader lives until something that it could have read changed: then the document gets a new one, and its
// kernels are evaluated again as far as the imported values differ.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "compiler/session/session.h"
#include "protocol/lsp.h"

namespace tilewright::lsp {

// A file as far as it matters without reading it.
struct FileState {
  bool exists = false;
  std::filesystem::file_time_type time;
  std::uintmax_t size = 0;
  std::shared_ptr<const syntax::Tree> open;  // the document that stands for it; null: none
  friend bool operator==(const FileState&, const FileState&) = default;
};

// What an import led to when it was looked up.
struct ImportedFile {
  std::filesystem::path root;
  std::string module;
  int level = 0;
  std::string importer;
  std::string path;  // empty: no script of ours
  FileState state;
};

// The imports of one analysis, with a record of what they found.
class RecordingLoader : public script::Loader {
 public:
  virtual std::vector<ImportedFile> imports() const = 0;
};

class Workspace {
 public:
  using Json = protocol::Json;

  // ---- of the thread that owns the session --------------------------------------------------------------------------
  void set_folders(std::vector<std::string> folders) { folders_ = std::move(folders); }
  const std::vector<std::string>& folders() const { return folders_; }
  // The client's section `tilewright`. The error names what is wrong with it; what is right is used all the same.
  std::string configure(const Json& section);
  // From tilewright.toml and the client's section. `problem` is set where the file cannot be used.
  std::shared_ptr<const session::Settings> settings(const std::string& path, std::string* problem = nullptr);
  std::shared_ptr<script::Loader> loader(const std::string& path);
  // An open document stands for its file from now on; null: it does not any more. The other documents whose imports
  // may have found it, which need another look.
  std::vector<std::string> set_document(const std::string& path, std::shared_ptr<const syntax::Tree> tree);
  // Files changed on disk: settings and imports are looked up again.
  void files_changed();

  // ---- from any thread ----------------------------------------------------------------------------------------------
  std::shared_ptr<const syntax::Tree> tree_of(const std::filesystem::path& file);
  FileState state_of(const std::filesystem::path& file) const;
  // Would the import find the same today?
  bool still(const ImportedFile& import) const;
  // For one analysis of a file that is not open: no document needs to be told when something that it read changes.
  std::shared_ptr<RecordingLoader> recording_loader(const std::filesystem::path& file);

 private:
  class DocumentLoader;
  class FileImports;
  struct Known {
    std::filesystem::file_time_type time;
    std::uintmax_t size = 0;
    std::shared_ptr<const syntax::Tree> tree;
  };

  std::vector<std::string> folders_;
  std::vector<std::string> architectures_, entries_;
  bool deny_fallback_ = false;
  std::map<std::string, std::shared_ptr<const session::Settings>> settings_;
  std::map<std::string, std::shared_ptr<DocumentLoader>> loaders_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const syntax::Tree>> documents_;
  std::map<std::string, Known> files_;
};

}  // namespace tilewright::lsp
