#include "compiler/toolchain/owned_path.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <system_error>
#include <utility>

namespace tilewright::toolchain {
namespace {

namespace fs = std::filesystem;

std::vector<uid_t>& owners() {
  static std::vector<uid_t> users;
  return users;
}

bool trusted(uid_t user) {
  static const uid_t root_owner = [] {
    struct stat root{};
    return ::lstat("/", &root) == 0 ? root.st_uid : 0;
  }();
  return user == 0 || user == ::geteuid() || user == root_owner || std::ranges::find(owners(), user) != owners().end();
}

// What is wrong with one component. `last`: nothing follows it, so that its own entries count.
std::string wrong_with(const fs::path& at, const struct stat& s, bool last) {
  if (!trusted(s.st_uid))
    return at.string() + " belongs to another user (number " + std::to_string(s.st_uid) +
           "); TILEWRIGHT_CUDA_OWNERS=" + std::to_string(s.st_uid) + " trusts that user";
  if (S_ISLNK(s.st_mode)) return {};  // its mode means nothing
  if (S_ISDIR(s.st_mode) && (s.st_mode & S_ISVTX) && !last) return {};
  const bool private_group = ::geteuid() != 0 && s.st_gid == ::geteuid();
  const char* who = (s.st_mode & S_IWOTH)                     ? "all users"
                    : (s.st_mode & S_IWGRP) && !private_group ? "its group"
                                                              : nullptr;
  if (!who) return {};
  return at.string() + " can be changed by " + who + "; chmod go-w " + at.string() + " ends that";
}

}  // namespace

void trust_owners(std::vector<uid_t> users) { owners() = std::move(users); }

std::string changeable_by_others(const fs::path& path) {
  constexpr int kMostLinks = 40;  // as the kernel follows
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  if (error) return path.string() + ": " + error.message();
  std::deque<fs::path> left;
  for (const fs::path& part : whole)
    if (!part.empty() && part != "/") left.push_back(part);
  fs::path at = "/";
  int links = 0;
  for (;;) {
    struct stat s{};
    if (::lstat(at.c_str(), &s) != 0) return at.string() + ": " + std::strerror(errno);
    if (std::string wrong = wrong_with(at, s, left.empty()); !wrong.empty()) return wrong;
    if (S_ISLNK(s.st_mode)) {
      if (++links > kMostLinks) return path.string() + " leads through more than 40 links";
      const fs::path target = fs::read_symlink(at, error);
      if (error) return at.string() + ": " + error.message();
      fs::path parts = target.relative_path();
      auto where = left.begin();
      for (const fs::path& part : parts)
        if (!part.empty()) where = std::next(left.insert(where, part));
      at = target.is_absolute() ? fs::path("/") : at.parent_path();
      continue;
    }
    // ".." is followed as the kernel does: `at` has no links left, and what lies above was looked at on the way down.
    while (!left.empty() && (left.front() == "." || left.front() == "..")) {
      if (left.front() == "..") at = at.parent_path();
      left.pop_front();
    }
    if (left.empty()) return {};
    at /= left.front();
    left.pop_front();
  }
}

}  // namespace tilewright::toolchain
