#include "server/project/temporary_folder.h"

#include <cstdlib>
#include <string>
#include <system_error>

namespace tilewright::project {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::error_code ec;
  std::string pattern = (fs::temp_directory_path(ec) / "tilewright-XXXXXX").string();
  if (!ec && ::mkdtemp(pattern.data())) path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ec;
  if (!path_.empty()) fs::remove_all(path_, ec);
}

}  // namespace tilewright::project
