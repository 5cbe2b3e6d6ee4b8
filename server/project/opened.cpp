#include "server/project/opened.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "compiler/process/fd.h"
#include "compiler/text/escape.h"
#include "server/project/user.h"

namespace tilewright::project {
namespace fs = std::filesystem;
namespace {

// Named by its number: it was opened by the process that started us.
bool is_own_descriptor(const std::string& path) {
  return path == "/dev/stdin" || path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/");
}

}  // namespace

std::expected<process::Fd, std::string> open_file(const fs::path& path) {
  auto refused = [&](const std::string& why) {
    return std::unexpected("cannot read " + text::visible(path.string()) + ": " + why);
  };
  // Without O_NONBLOCK a pipe waits for a writer, and without O_NOCTTY a terminal may become ours.
  process::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) return refused(errno == ENXIO ? "it is a socket or a device, no file" : std::strerror(errno));
  struct stat s{};
  if (::fstat(file.get(), &s) != 0) return refused(std::strerror(errno));
  if (S_ISREG(s.st_mode) || S_ISDIR(s.st_mode)) return file;
  if (is_own_descriptor(path.string())) {
    ::fcntl(file.get(), F_SETFL, ::fcntl(file.get(), F_GETFL) & ~O_NONBLOCK);
    return file;
  }
  if (S_ISCHR(s.st_mode) && s.st_rdev == makedev(1, 3)) return file;
  return refused(S_ISFIFO(s.st_mode) ? "it is a pipe, no file; - reads standard input" : "it is a device, no file");
}

std::expected<fs::path, std::string> file_below(const fs::path& root, const fs::path& folder, std::string_view name) {
  const fs::path path(name);
  auto refused = [&](const std::string& why) {
    return std::unexpected("'" + text::visible(name) + "' " + why + ": a comment names files below " +
                           text::visible(root.string()));
  };
  if (path.is_absolute()) return refused("is an absolute path");
  if (std::ranges::find(path, fs::path("..")) != path.end()) return refused("leads upward");
  std::error_code ec;
  fs::path real = fs::weakly_canonical(folder / path, ec);
  const fs::path top = fs::weakly_canonical(root, ec);
  if (ec || !lies_below(real, top)) return refused("leads out of the script's root by a link");
  return real;
}

}  // namespace tilewright::project
