// What lies in an artifact cache (cache.h), and how it is made smaller. Safe beside processes that use it.
#pragma once
#include <cstdint>
#include <ctime>
#include <expected>
#include <filesystem>
#include <string>
#include <vector>

namespace tilewright::toolchain {

struct CacheEntry {
  timespec used{};  // when it was used last
  std::uint64_t size = 0;
  std::string path;
};
// In no order. Those that come or go meanwhile may be among them or not.
std::vector<CacheEntry> cache_entries(const std::filesystem::path& folder);
// Entries that were set aside because their digest was wrong.
std::size_t corrupt_entries(const std::filesystem::path& folder);

struct Trimmed {
  std::uint64_t entries = 0, bytes = 0;            // removed
  std::uint64_t left_entries = 0, left_bytes = 0;  // still there
};
// Removes the entries not used for longest until at most `goal` bytes are left, and what dead processes left behind.
// One process at a time does this: the error says that another one is at it, or why the folder cannot be changed.
// `limit`: nothing is done where no more than this is there.
std::expected<Trimmed, std::string> trim_cache(const std::filesystem::path& folder, std::uint64_t goal,
                                               std::uint64_t limit);
// The same of everything, those set aside as well.
std::expected<Trimmed, std::string> clear_cache(const std::filesystem::path& folder);

}  // namespace tilewright::toolchain
