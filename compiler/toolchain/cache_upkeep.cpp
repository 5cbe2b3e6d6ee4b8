#include "compiler/toolchain/cache_upkeep.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <iterator>

#include "compiler/process/fd.h"

namespace tilewright::toolchain {
namespace {

namespace fs = std::filesystem;

// Temporary files of a process that died are removed after this long.
constexpr auto kAbandoned = std::chrono::hours(1);

std::expected<process::Fd, std::string> locked(const fs::path& folder) {
  process::Fd lock(::open((folder / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!lock) return std::unexpected(folder.string() + ": " + std::strerror(errno));
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
    return std::unexpected(folder.string() + ": another process is removing entries");
  return lock;
}

void remove_abandoned(const fs::path& folder) {
  const auto now = fs::file_time_type::clock::now();
  std::error_code error;
  for (fs::directory_iterator it(folder / "tmp", error), end; !error && it != end; it.increment(error)) {
    std::error_code gone;
    const auto time = fs::last_write_time(it->path(), gone);
    if (!gone && now - time > kAbandoned) fs::remove(it->path(), gone);
  }
}

}  // namespace

std::vector<CacheEntry> cache_entries(const fs::path& folder) {
  std::vector<CacheEntry> out;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder / "entries", error), end; !error && it != end; it.increment(error)) {
    struct stat status{};
    if (::stat(it->path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    out.push_back({status.st_mtim, static_cast<std::uint64_t>(status.st_size), it->path().string()});
  }
  return out;
}

std::size_t corrupt_entries(const fs::path& folder) {
  std::error_code error;
  const fs::directory_iterator aside(folder / "corrupt", error);
  return error ? 0 : static_cast<std::size_t>(std::distance(begin(aside), end(aside)));
}

std::expected<Trimmed, std::string> trim_cache(const fs::path& folder, std::uint64_t goal, std::uint64_t limit) {
  Trimmed out;
  std::error_code error;
  if (!fs::exists(folder, error)) return out;
  auto lock = locked(folder);
  if (!lock) return std::unexpected(lock.error());
  std::vector<CacheEntry> entries = cache_entries(folder);
  out.left_entries = entries.size();
  for (const CacheEntry& entry : entries) out.left_bytes += entry.size;
  if (out.left_bytes > limit) {
    std::ranges::sort(entries, [](const CacheEntry& a, const CacheEntry& b) {
      return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
    });
    for (const CacheEntry& entry : entries) {
      if (out.left_bytes <= goal) break;
      // Gone already: another process has removed it.
      const bool removed = ::unlink(entry.path.c_str()) == 0;
      if (!removed && errno != ENOENT) return std::unexpected(entry.path + ": " + std::strerror(errno));
      out.entries += removed;
      out.bytes += removed ? entry.size : 0;
      out.left_bytes -= entry.size;
      --out.left_entries;
    }
  }
  remove_abandoned(folder);
  return out;
}

std::expected<Trimmed, std::string> clear_cache(const fs::path& folder) {
  auto out = trim_cache(folder, 0, 0);
  if (!out) return out;
  std::error_code error;
  fs::remove_all(folder / "corrupt", error);
  if (error) return std::unexpected((folder / "corrupt").string() + ": " + error.message());
  return out;
}

}  // namespace tilewright::toolchain
