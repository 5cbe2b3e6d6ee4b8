// A content-addressed store of compiled artifacts on disk, shared by any number of processes.
//
// One file an entry, named by the SHA-256 of its key. A file appears by rename, so a reader sees a whole entry or none;
// no lock is taken to read or to write. What a reader finds is still not believed: the digest over the whole entry
// and the full key are compared on every hit. An entry that fails is moved aside for a later look, counted, and made
// again. With a key the digest is keyed (HMAC): who can write into the folder, a job of CI for a pull request say, but
// lacks the key makes no entry that is believed. Whatever goes wrong on disk (full, read-only, gone) costs the cache
// and never the caller.
//
// The last use of an entry is its file's modification time. When the store outgrows its limit, one process at a time
// (an advisory lock decides which) removes the entries not used for longest, down to nine tenths of the limit. The
// others go on meanwhile, so the limit is soft: what is written during one look at the store may lie above it until the
// next.
#pragma once
#include <atomic>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/toolchain/record.h"
#include "compiler/toolchain/shared_store.h"

namespace tilewright::toolchain {

struct CacheOptions {
  std::filesystem::path folder;                    // made when missing; empty: no cache
  std::uint64_t limit_bytes = 2ull << 30;          // of all entries together, in file bytes
  std::uint64_t entry_limit_bytes = 256ull << 20;  // a larger entry is not kept
  std::shared_ptr<SharedStore> shared{};           // asked where there is nothing in the folder; null: none
  std::string key{};                               // of the digests in the folder; empty: they are not keyed
  // The key, asked for once: when the first entry is read or written. The error: the folder is not used, which is told.
  // May be missing: `key` says it.
  std::function<std::expected<std::string, std::string>()> find_key{};
  std::string shared_key{};  // of those in the shared store, which all who share it know; empty: they are not keyed
  // Hears once that an entry's digest is none of this key, and the entry is made again; and why there is no key. From
  // any thread.
  std::function<void(const std::string&)> told{};
};

// Counted since this process opened the cache.
struct CacheCounts {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t corrupt = 0;  // entries set aside
  std::uint64_t stored = 0;
  std::uint64_t failed = 0;  // entries that could not be written
  std::uint64_t evicted = 0;
  std::uint64_t shared = 0;  // hits that came from the shared store
};

class Cache {
 public:
  explicit Cache(CacheOptions options) : options_(std::move(options)) {}

  // The value stored under exactly this key.
  std::optional<Record> load(const Record& key);
  // Keeps `value` under `key`; an older value is replaced. False when it could not be kept.
  bool store(const Record& key, const Record& value);
  // Removes the entries not used for longest until the store is within its limit. `store` calls it when it must.
  void evict();

  CacheCounts counts() const;
  // Where an entry with this key lies, whether or not it is there.
  std::filesystem::path path_of(const Record& key) const;

 private:
  std::optional<Record> load_shared(const Record& key);
  const std::string* folder_key();
  void tell_unsealed();
  bool write(const std::filesystem::path& path, std::string_view entry);
  void set_aside(const std::filesystem::path& path);

  CacheOptions options_;
  std::atomic<std::uint64_t> hits_{0}, misses_{0}, corrupt_{0}, stored_{0}, failed_{0}, evicted_{0}, shared_{0};
  std::atomic<bool> told_{false};
  std::once_flag key_asked_;
  bool has_key_ = true;
  std::mutex size_mutex_;
  // Bytes believed to be in the store; unknown until the first look. Other processes write too, so it is only a hint of
  // when to look again.
  std::optional<std::uint64_t> believed_bytes_;
  std::uint64_t written_since_look_ = 0;
};

}  // namespace tilewright::toolchain
