#include "compiler/toolchain/cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <system_error>

#include "compiler/process/fd.h"
#include "compiler/process/file.h"
#include "compiler/toolchain/cache_upkeep.h"
#include "compiler/toolchain/digest.h"

namespace tilewright::toolchain {
namespace {

namespace fs = std::filesystem;

// An entry is: magic, digest of all that follows, then the record {"key": key, fields of the value...}. The digest is
// SHA-256, under the second magic an HMAC of it.
constexpr std::string_view kMagic = "TWCACHE1", kKeyedMagic = "TWCACHE2";
constexpr std::size_t kHeader = kMagic.size() + sizeof(Digest);
static_assert(kMagic.size() == kKeyedMagic.size());

// How many corrupt entries are kept for a look.
constexpr std::size_t kAsideLimit = 16;

std::string name_of(const Record& key) { return hex(sha256(encode(key))); }

Digest digest_of(std::string_view body, const std::string& secret) {
  return secret.empty() ? sha256(body) : hmac_sha256(secret, body);
}

std::string sealed(std::string_view body, const std::string& secret) {
  const Digest digest = digest_of(body, secret);
  std::string bytes(secret.empty() ? kMagic : kKeyedMagic);
  bytes.reserve(kHeader + body.size());
  bytes.append(reinterpret_cast<const char*>(digest.data()), digest.size()).append(body);
  return bytes;
}

std::optional<Record> open_entry(std::string_view bytes, std::string_view key, const std::string& secret) {
  if (bytes.size() < kHeader || !bytes.starts_with(secret.empty() ? kMagic : kKeyedMagic)) return std::nullopt;
  std::string_view body = bytes.substr(kHeader);
  Digest digest = digest_of(body, secret);
  if (std::memcmp(digest.data(), bytes.data() + kMagic.size(), digest.size()) != 0) return std::nullopt;
  auto record = decode(body);
  if (!record || record->empty() || record->front().first != "key" || record->front().second != key)
    return std::nullopt;
  record->erase(record->begin());
  return record;
}

}  // namespace

fs::path Cache::path_of(const Record& key) const {
  std::string name = name_of(key);
  return options_.folder / "entries" / name.substr(0, 2) / name.substr(2);
}

std::optional<Record> Cache::load(const Record& key) {
  if (options_.folder.empty()) return load_shared(key);
  const fs::path path = path_of(key);
  process::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  const std::string* secret = file ? folder_key() : nullptr;
  if (!secret) return load_shared(key);
  std::string bytes;
  std::optional<Record> value;
  if (process::read_all(file.get(), bytes, options_.entry_limit_bytes)) value = open_entry(bytes, encode(key), *secret);
  if (!value) {
    tell_unsealed();
    set_aside(path);
    return load_shared(key);
  }
  ++hits_;
  timespec now[2] = {{0, UTIME_OMIT}, {0, UTIME_NOW}};
  ::futimens(file.get(), now);  // a read-only store simply has no order of use
  return value;
}

// What others made is kept here as well, so that it is asked for once.
std::optional<Record> Cache::load_shared(const Record& key) {
  auto bytes = options_.shared ? options_.shared->get(name_of(key)) : std::nullopt;
  auto value = bytes ? open_entry(*bytes, encode(key), options_.shared_key) : std::nullopt;
  if (bytes && !value) {
    ++corrupt_;
    tell_unsealed();
  }
  if (!value) {
    ++misses_;
    return std::nullopt;
  }
  ++hits_;
  ++shared_;
  if (const std::string* secret = folder_key()) {
    const bool same = *secret == options_.shared_key;
    write(path_of(key), same ? *bytes : sealed(std::string_view(*bytes).substr(kHeader), *secret));
  }
  return value;
}

bool Cache::store(const Record& key, const Record& value) {
  if (options_.folder.empty() && !options_.shared) return false;
  Record entry{{"key", encode(key)}};
  entry.insert(entry.end(), value.begin(), value.end());
  const std::string body = encode(entry);
  if (kHeader + body.size() > std::min(options_.entry_limit_bytes, options_.limit_bytes)) {
    ++failed_;
    return false;
  }
  const std::string* secret = folder_key();
  const bool kept = secret && write(path_of(key), sealed(body, *secret));
  if (options_.shared) options_.shared->put(name_of(key), sealed(body, options_.shared_key));
  return kept;
}

// Null: nothing is kept in the folder.
const std::string* Cache::folder_key() {
  if (options_.folder.empty()) return nullptr;
  std::call_once(key_asked_, [this] {
    if (!options_.find_key) return;
    auto found = options_.find_key();
    has_key_ = found.has_value();
    if (found)
      options_.key = std::move(*found);
    else if (options_.told)
      options_.told("nothing is kept between processes: " + found.error());
  });
  return has_key_ ? &options_.key : nullptr;
}

void Cache::tell_unsealed() {
  if (options_.told && !told_.exchange(true))
    options_.told("the cache holds an entry without the digest of this user's key: what it stands for is made again");
}

bool Cache::write(const fs::path& path, std::string_view entry) {
  auto failed = [&] {
    ++failed_;
    return false;
  };
  const fs::path folder = options_.folder / "tmp";
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  fs::create_directories(folder, error);
  std::string temporary = (folder / (path.filename().string().substr(0, 16) + ".XXXXXX")).string();
  process::Fd file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!file) return failed();
  // No fsync: after a power cut the digest tells, and an artifact can be made again.
  if (!process::write_all(file.get(), entry) || ::rename(temporary.c_str(), path.c_str()) != 0) {
    ::unlink(temporary.c_str());
    return failed();
  }
  ++stored_;

  bool look = false;
  {
    std::lock_guard lock(size_mutex_);
    written_since_look_ += entry.size();
    if (believed_bytes_) *believed_bytes_ += entry.size();
    // Others write as well: look for ourselves at first, when we believe it full, and now and then.
    look =
        !believed_bytes_ || *believed_bytes_ > options_.limit_bytes || written_since_look_ > options_.limit_bytes / 16;
  }
  if (look) evict();
  return true;
}

void Cache::evict() {
  if (options_.folder.empty()) return;
  const auto trimmed = trim_cache(options_.folder, options_.limit_bytes / 10 * 9, options_.limit_bytes);
  if (!trimmed) return;  // another process is at it
  evicted_ += trimmed->entries;
  std::lock_guard guard(size_mutex_);
  believed_bytes_ = trimmed->left_bytes;
  written_since_look_ = 0;
}

void Cache::set_aside(const fs::path& path) {
  ++corrupt_;
  std::error_code error;
  fs::path aside = options_.folder / "corrupt";
  fs::create_directories(aside, error);
  std::size_t kept = 0;
  for (fs::directory_iterator it(aside, error), end; !error && it != end; it.increment(error)) ++kept;
  // By name, so that the same entry going bad twice fills one place. Where it cannot be moved it is removed.
  if (kept < kAsideLimit && ::rename(path.c_str(), (aside / path.filename()).c_str()) == 0) return;
  ::unlink(path.c_str());
}

CacheCounts Cache::counts() const {
  return {hits_.load(),   misses_.load(),  corrupt_.load(), stored_.load(),
          failed_.load(), evicted_.load(), shared_.load()};
}

}  // namespace tilewright::toolchain
