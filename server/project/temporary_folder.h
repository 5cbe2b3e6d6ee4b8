// A folder of this process, in the system's place for such.
#pragma once
#include <filesystem>

namespace tilewright::project {

// Readable by this user alone. It is removed, with all that is in it, when the object ends.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  // Empty: it could not be made.
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace tilewright::project
