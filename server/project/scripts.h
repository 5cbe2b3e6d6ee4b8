// Which of a folder's Python files are tile scripts: a file that speaks of tvm or carries a `# tilewright:` comment, or
// that imports, from below its root, one that does. The others hold no kernels and are not looked at.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tilewright::project {

class ScriptSearch {
 public:
  // Reads `path` and, as far as needed, what it imports. A file that cannot be read counts as a script, so that the
  // error is told.
  bool is_script(const std::filesystem::path& path);

 private:
  struct File {
    bool speaks = false;                         // of tvm, or to us
    std::vector<std::filesystem::path> imports;  // below its root; empty when `speaks`
  };
  const File& look(const std::filesystem::path& path);

  std::map<std::filesystem::path, File> files_;
};

}  // namespace tilewright::project
