// Files for the command line: reading them, finding a script's root, and the loader of imports below it.
#pragma once
#include <expected>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler/script/interpreter.h"

namespace tilewright::cli {

// The whole file; the error names the file and the reason.
std::expected<std::string, std::string> read_file(const std::filesystem::path& path);
// Writes to a temporary beside it and renames: a reader never sees half a file. The error names file and reason.
std::expected<void, std::string> write_file(const std::filesystem::path& path, std::string_view content);

// Imports resolve below the root (design.md): the nearest folder with tilewright.toml, else the top of the chain of
// __init__.py, else the script's own folder; symbolic links resolved first.
class FileLoader : public script::Loader {
 public:
  explicit FileLoader(const std::filesystem::path& script);
  std::shared_ptr<const syntax::Tree> load(std::string_view module, int level, std::string_view importer) override;
  const std::filesystem::path& root() const { return root_; }

 protected:
  // The tree of a file that exists; null: it cannot be read.
  virtual std::shared_ptr<const syntax::Tree> read(const std::filesystem::path& file);

 private:
  std::filesystem::path root_;
  std::map<std::string, std::shared_ptr<const syntax::Tree>> loaded_;
};

// A file, all .py files below a folder (sorted), or "-" for standard input.
std::expected<std::vector<std::string>, std::string> expand(const std::vector<std::string>& arguments);

}  // namespace tilewright::cli
