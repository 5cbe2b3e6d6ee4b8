// A store of cache entries that several machines share, as a cache (cache.h) sees it: names and bytes. Who can open
// sockets implements it. Nothing that it gives is believed: the cache holds the digest of the whole entry and the full
// key against what it asked for.
#pragma once
#include <optional>
#include <string>

namespace tilewright::toolchain {

class SharedStore {
 public:
  virtual ~SharedStore() = default;
  // The entry of this name; nothing: there is none, or the store does not answer in the time that it is given. Any
  // thread.
  virtual std::optional<std::string> get(const std::string& name) = 0;
  // Offers an entry. Returns at once; delivery is not guaranteed. Any thread.
  virtual void put(const std::string& name, std::string bytes) = 0;
};

}  // namespace tilewright::toolchain
