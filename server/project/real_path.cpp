#include "server/project/real_path.h"

#include <climits>
#include <cstdlib>

namespace tilewright::project {

std::filesystem::path real_path(const std::filesystem::path& path, std::error_code& ec) {
  char real[PATH_MAX];
  if (::realpath(path.c_str(), real)) {
    ec.clear();
    return real;
  }
  return std::filesystem::weakly_canonical(path, ec);
}

}  // namespace tilewright::project
