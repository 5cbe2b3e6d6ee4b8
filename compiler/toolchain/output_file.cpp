#include "compiler/toolchain/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <tuple>

#include "compiler/process/fd.h"
#include "compiler/process/file.h"
#include "compiler/text/escape.h"

namespace tilewright::toolchain {
namespace fs = std::filesystem;
namespace {

using Done = std::expected<void, std::string>;

Done failed(const char* what, const fs::path& path, int error, const char* and_then = "") {
  return std::unexpected(std::string("cannot ") + what + " " + text::visible(path.string()) + ": " +
                         std::strerror(error) + and_then);
}

// What a path means once its links are followed: a file in a folder without links, or a descriptor of this process.
struct Target {
  fs::path folder, name;
  std::optional<int> descriptor;
};

// "/proc/PID/fd" is where /dev/fd, /dev/stdout and /proc/self/fd lead.
bool holds_our_descriptors(const fs::path& folder) {
  const std::string text = folder.string();
  return text.starts_with("/proc/" + std::to_string(::getpid()) + "/") && text.ends_with("/fd");
}

std::optional<int> number_of(const std::string& name) {
  int number = -1;
  auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (wrong != std::errc() || end != name.data() + name.size() || number < 0) return std::nullopt;
  return number;
}

std::expected<Target, int> resolved(fs::path path) {
  constexpr int kMostLinks = 40;  // as the kernel's own
  for (int links = 0; links < kMostLinks; ++links) {
    std::error_code error;
    const fs::path folder = fs::canonical(path.has_parent_path() ? path.parent_path() : fs::path("."), error);
    if (error) return std::unexpected(error.value());
    const fs::path name = path.filename();
    if (name.empty() || name == "." || name == "..") return std::unexpected(EISDIR);
    if (holds_our_descriptors(folder)) {
      if (auto number = number_of(name.string())) return Target{{}, {}, number};
    }
    const fs::path leads_to = fs::read_symlink(folder / name, error);
    if (error) return Target{folder, name, std::nullopt};  // no link, or nothing yet
    path = folder / leads_to;                              // an absolute one replaces the folder
  }
  return std::unexpected(ELOOP);
}

// umask() cannot be asked without being set, for all threads.
mode_t mask() {
  static const mode_t known = [] {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("Umask:")) return static_cast<mode_t>(std::strtoul(line.c_str() + 6, nullptr, 8));
    }
    return mode_t{022};
  }();
  return known;
}

int write_parts(int fd, std::span<const std::string_view> parts) {
  for (std::string_view part : parts)
    if (!process::write_all(fd, part)) return errno;
  return 0;
}

// The temporary takes on what `old` had. Without the old group no group has its rights.
void take_over(int fd, const struct stat& old) {
  mode_t mode = old.st_mode & 0777;
  const bool other_group = old.st_gid != ::getegid();
  if (old.st_uid != ::geteuid()) std::ignore = ::fchown(fd, old.st_uid, static_cast<gid_t>(-1));
  if (other_group && ::fchown(fd, static_cast<uid_t>(-1), old.st_gid) != 0) mode &= ~static_cast<mode_t>(070);
  std::ignore = ::fchmod(fd, mode);
}

Done replace(const fs::path& path, const Target& to, const struct stat* old, std::span<const std::string_view> parts) {
  const char* kept = old ? "; the file is as it was" : "";
  std::string temporary = (to.folder / ".tilewright-XXXXXX").string();
  process::Fd file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!file) return failed("create", path, errno, kept);
  auto give_up = [&](const char* what, int error) {
    ::unlink(temporary.c_str());
    return failed(what, path, error, kept);
  };
  if (int error = write_parts(file.get(), parts)) return give_up("write", error);
  if (old) {
    take_over(file.get(), *old);
  } else {
    std::ignore = ::fchmod(file.get(), 0666 & ~mask());
  }
  // No fsync: after a power cut a file is written again by whatever wrote it.
  const int fd = file.release();
  if (::close(fd) != 0) return give_up("write", errno);
  if (::rename(temporary.c_str(), (to.folder / to.name).c_str()) != 0) return give_up("replace", errno);
  return {};
}

}  // namespace

Done write_output(const fs::path& path, std::span<const std::string_view> parts) {
  const auto to = resolved(path);
  if (!to) return failed("create", path, to.error());
  if (to->descriptor) {
    process::Fd own(::fcntl(*to->descriptor, F_DUPFD_CLOEXEC, 0));
    if (!own) return failed("write", path, errno);
    if (int error = write_parts(own.get(), parts)) return failed("write", path, error);
    return {};
  }
  struct stat old{};
  const fs::path file = to->folder / to->name;
  if (::lstat(file.c_str(), &old) != 0) {
    return errno == ENOENT ? replace(path, *to, nullptr, parts) : failed("create", path, errno);
  }
  if (S_ISREG(old.st_mode)) return replace(path, *to, &old, parts);
  if (S_ISDIR(old.st_mode)) return failed("write", path, EISDIR);
  process::Fd opened(::open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY));
  if (!opened) return failed("write", path, errno);
  if (int error = write_parts(opened.get(), parts)) return failed("write", path, error);
  return {};
}

}  // namespace tilewright::toolchain
