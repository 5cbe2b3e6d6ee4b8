// Files for the command line: reading them, finding a script's root, and the loader of imports below it.
#pragma once
#include <expected>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/script/loader.h"
#include "compiler/syntax/decoding.h"
#include "compiler/syntax/tree.h"

namespace tilewright::project {

inline constexpr std::uintmax_t kLargestScript = 64u << 20;
// Of a file that is imported or looked through without having been named: more is no script.
inline constexpr std::uintmax_t kMostScriptBytes = 4u << 20;
// The whole file ("-": standard input), unless it is larger than `limit` bytes; the error names the file and the
// reason.
std::expected<std::string, std::string> read_file(const std::filesystem::path& path,
                                                  std::uintmax_t limit = kLargestScript);
// A script's text as its first lines say that it is encoded (PEP 263). What is no text stays as it is, with the reason.
struct ScriptText {
  std::string text;
  std::optional<syntax::Rejection> undecodable;
};
// As read_file. This is the one place where the bytes of a script become text.
std::expected<ScriptText, std::string> read_script(const std::filesystem::path& path,
                                                   std::uintmax_t limit = kLargestScript);
// As toolchain::write_output: whole or not at all, and what is no regular file is written and not replaced.
std::expected<void, std::string> write_file(const std::filesystem::path& path, std::string_view content);
// The same of parts that follow each other.
std::expected<void, std::string> write_file(const std::filesystem::path& path,
                                            std::initializer_list<std::string_view> parts);

// A document is named by its absolute path, or by another URI (untitled:Untitled-1) where it is no file.
inline bool is_file(std::string_view path_or_uri) { return path_or_uri.starts_with('/'); }

// The root below which a script's imports resolve: the nearest folder with tilewright.toml, else the top of
// the chain of __init__.py, else the script's own folder; symbolic links resolved first.
std::filesystem::path import_root(const std::filesystem::path& script);

// The file that `module` (dotted; `level` counts leading dots) means when `importer` imports it; none: nothing below
// the root.
std::optional<std::filesystem::path> resolve_import(const std::filesystem::path& root, std::string_view module,
                                                    int level, const std::filesystem::path& importer);

// The names of what could be imported from the package `module`, as resolve_import() looks for it. Nothing: there is no
// such folder below the root.
std::optional<std::vector<std::string>> modules_beside(const std::filesystem::path& root, std::string_view module,
                                                       int level, const std::filesystem::path& importer);

class FileLoader : public script::Loader {
 public:
  explicit FileLoader(const std::filesystem::path& script) : root_(import_root(script)) {}
  std::shared_ptr<const syntax::Tree> load(std::string_view module, int level, std::string_view importer) override;
  std::optional<std::vector<std::string>> beside(std::string_view module, int level,
                                                 std::string_view importer) override;
  const std::filesystem::path& root() const { return root_; }

 protected:
  // The tree of a file that exists; null: it cannot be read.
  virtual std::shared_ptr<const syntax::Tree> read(const std::filesystem::path& file);

 private:
  std::filesystem::path root_;
  std::map<std::string, std::shared_ptr<const syntax::Tree>> loaded_;
};

// Files as named, "-" for standard input, and of a folder all tile scripts below it, sorted.
struct Expansion {
  std::vector<std::string> files;
  std::size_t passed_over = 0;       // Python files of folders that hold no kernels
  std::vector<std::string> missing;  // arguments that name nothing
  // Links found in a folder that lead out of its checkout. They are not looked at: what a checkout says of others'
  // files is nothing that should be shown, in a log of CI for one.
  std::vector<std::string> outside;
};
Expansion expand(const std::vector<std::string>& arguments);
class ScriptSearch;
// The same, for a caller that looks again and again: what was seen of files is remembered.
Expansion expand(const std::vector<std::string>& arguments, ScriptSearch& search);

}  // namespace tilewright::project
