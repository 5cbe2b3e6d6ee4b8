#include "compiler/process/file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace tilewright::process {

bool read_all(int fd, std::string& bytes, std::size_t limit) {
  struct stat status{};
  if (::fstat(fd, &status) != 0 || status.st_size < 0 || static_cast<std::size_t>(status.st_size) > limit) return false;
  bytes.resize(static_cast<std::size_t>(status.st_size));
  std::size_t at = 0;
  while (at < bytes.size()) {
    ssize_t got = ::pread(fd, bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) break;  // it was truncated meanwhile
    at += static_cast<std::size_t>(got);
  }
  bytes.resize(at);
  return true;
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

}  // namespace tilewright::process
