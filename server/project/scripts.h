// Which Python files are tile scripts: a file that speaks of tvm or of `prim_func`, or carries a `# tilewright:`
// comment, or that imports, from below its root, one that does. The others hold no kernels and are not looked at.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace tilewright::project {

// What single files say, remembered while their time of change and their size are the same. Safe from any thread.
class ScriptLooks {
 public:
  struct Look {
    bool speaks = false;                         // of tvm, or to us
    std::vector<std::filesystem::path> imports;  // below its root; empty when it speaks
  };
  // A file that cannot be read speaks, so that the reason is reported.
  std::shared_ptr<const Look> at(const std::filesystem::path& path);
  void clear();  // files came or went: imports may lead elsewhere

 private:
  struct Kept {
    std::filesystem::file_time_type time;
    std::uintmax_t size = 0;
    std::shared_ptr<const Look> look;
  };
  std::mutex mutex_;
  std::map<std::filesystem::path, Kept> kept_;
};

// Decides about files as they are now; each is looked at once. Of one thread.
class ScriptSearch {
 public:
  ScriptSearch() : own_(std::make_unique<ScriptLooks>()), looks_(*own_) {}
  explicit ScriptSearch(ScriptLooks& looks) : looks_(looks) {}
  // Looks at `path` and, as far as needed, at what it imports.
  bool is_script(const std::filesystem::path& path);

 private:
  std::unique_ptr<ScriptLooks> own_;
  ScriptLooks& looks_;
  std::map<std::filesystem::path, bool> known_;
};

}  // namespace tilewright::project
