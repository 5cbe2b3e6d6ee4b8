#include "server/endpoint/descriptors.h"

#include <sys/resource.h>

#include <algorithm>

namespace tilewright::endpoint {
namespace {

constexpr rlim_t kMost = 65'536;

std::size_t limit_now() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return 256;
  return static_cast<std::size_t>(std::min(files.rlim_cur, kMost));
}

}  // namespace

std::size_t raise_descriptor_limit() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
    const rlim_t wanted = std::min(files.rlim_max, kMost);
    if (files.rlim_cur < wanted) {
      files.rlim_cur = wanted;
      ::setrlimit(RLIMIT_NOFILE, &files);
    }
  }
  return limit_now();
}

std::size_t most_connections() { return std::max<std::size_t>(4, limit_now() / 2 / kFilesOfConnection); }
std::size_t most_files_of_clients() { return std::max<std::size_t>(16, limit_now() / 2); }

}  // namespace tilewright::endpoint
