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
#include <optional>
#include <string>
#include <vector>

#include "compiler/session/session.h"
#include "server/project/files.h"
#include "server/project/scripts.h"

namespace tilewright::project {

// A file as far as it matters without reading it.
struct FileState {
  bool exists = false;
  std::filesystem::file_time_type time;
  std::uintmax_t size = 0;
  std::shared_ptr<const syntax::Tree> open;  // the document that stands for it; null: none
  friend bool operator==(const FileState&, const FileState&) = default;
};

// What an import led to when it was looked up, or which names a folder had when those were asked for.
struct ImportedFile {
  std::filesystem::path root;
  std::string module;
  int level = 0;
  std::string importer;
  std::string path;  // empty: no script of ours
  FileState state;
  std::string digest;  // SHA-256 of the text that was imported, hexadecimal; empty: there is none
  bool asks_for_its_path = false;
  bool listing = false;  // `module` is the folder, and `digest` that of its names; empty: there is no such folder
};
// As a listing's digest.
std::string digest_of(const std::optional<std::vector<std::string>>& names);

// Says that text __file__?
bool asks_for_its_path(std::string_view text);

// The imports of one analysis, with a record of what they found.
class RecordingLoader : public script::Loader {
 public:
  virtual std::vector<ImportedFile> imports() const = 0;
};

// What the editor's own settings say, beside those of tilewright.toml.
struct ClientSettings {
  std::vector<std::string> architectures, entries;  // empty: found out
  // By document, as Workspace::settings names it: the user wants to see this one for architectures of its own.
  std::map<std::string, std::vector<std::string>> architectures_of;
  bool deny_fallback = false;
  std::optional<text::Dialect> dialect;  // of scripts that do not say, in folders whose settings do not
};

class Workspace {
 public:
  // ---- of the thread that owns the session --------------------------------------------------------------------------
  void set_folders(std::vector<std::string> folders);
  const std::vector<std::string>& folders() const { return folders_; }
  void configure(ClientSettings client);
  std::shared_ptr<script::Loader> loader(const std::string& path);
  // An open document stands for its file from now on; null: it does not any more. The other documents whose imports
  // may have found it, which need another look.
  std::vector<std::string> set_document(const std::string& path, std::shared_ptr<const syntax::Tree> tree);
  // The documents whose imports would find other files on disk today, which need another look. Looks at the time and
  // the size of each file, for clients that watch none.
  std::vector<std::string> changed_on_disk();
  // Files changed on disk: settings and imports are looked up again.
  void files_changed();

  // ---- from any thread ----------------------------------------------------------------------------------------------
  // From tilewright.toml and the client's own: the same object until one of them changes. `problem` says why a file of
  // settings cannot be used; the defaults stand for it.
  struct Settings {
    std::shared_ptr<const session::Settings> settings;
    std::string problem;
    std::vector<std::string> run_targets;  // run_targets.h
  };
  Settings settings(const std::string& path);
  ScriptLooks& looks() { return looks_; }
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

  void forget_settings();  // with settings_mutex_

  std::vector<std::string> folders_;  // changed under settings_mutex_
  std::map<std::string, std::shared_ptr<DocumentLoader>> loaders_;
  ScriptLooks looks_;

  std::mutex settings_mutex_;
  ClientSettings client_;
  std::map<std::string, Settings> settings_;  // by folder
  std::uint64_t settings_age_ = 0;            // how often they were forgotten

  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const syntax::Tree>> documents_;
  std::map<std::string, Known> files_;
};

}  // namespace tilewright::project
