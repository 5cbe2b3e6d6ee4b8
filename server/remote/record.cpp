#include "server/remote/record.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

#include "server/project/environment.h"
#include "server/remote/slurm.h"

namespace tilewright::remote {
namespace {

constexpr std::string_view kSuffix = ".slurm";

// Which byte of a record is locked by whom; the bytes need not exist.
enum class Party : std::uint8_t { User = 0, Holder = 1 };

// Locks of the open file, not of the process: they end with the last descriptor of it, and threads see each other's.
flock lock_of(Party party) {
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(party);
  lock.l_len = 1;
  return lock;
}

bool take_lock(int fd, Party party) {
  struct flock lock = lock_of(party);
  return ::fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

// Has another one this lock? Nothing: a file system without locks does not say.
std::optional<bool> is_locked(int fd, Party party) {
  struct flock lock = lock_of(party);
  if (::fcntl(fd, F_OFD_GETLK, &lock) != 0) return std::nullopt;
  return lock.l_type != F_UNLCK;
}

bool has_name(int fd) {
  struct stat s{};
  return ::fstat(fd, &s) == 0 && s.st_nlink > 0;
}

std::string read_small(int fd) {
  std::array<char, 4096> bytes;
  const auto got = ::pread(fd, bytes.data(), bytes.size(), 0);
  return {bytes.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
}

}  // namespace

std::string wish_key(const SlurmWish& wish, int slots) {
  const char* conf = std::getenv("SLURM_CONF");  // two clusters number their jobs alike
  std::string key = "slots=" + std::to_string(slots) + ",cpus=" + std::to_string(wish.cpus) +
                    ",nodes=" + std::to_string(wish.nodes) + ",gres=" + wish.gres + ",mem=" + wish.mem;
  for (const auto& [name, value] : wish.options) key += "," + name + "=" + value;
  key += ",conf=" + std::string(conf ? conf : "");
  std::ranges::replace(key, '\n', ' ');
  return key;
}

std::filesystem::path record_folder() {
  auto folder_in = [](const char* variable, const char* below) -> std::filesystem::path {
    const char* base = std::getenv(variable);
    if (!base || base[0] != '/') return {};
    auto folder = std::filesystem::path(base) / below;
    std::error_code ec;
    std::filesystem::create_directories(folder.parent_path(), ec);
    ::mkdir(folder.c_str(), 0700);
    // What others could write into would let them choose the job that we use.
    struct stat s{};
    if (::stat(folder.c_str(), &s) != 0 || !S_ISDIR(s.st_mode) || s.st_uid != ::geteuid()) return {};
    if ((s.st_mode & (S_IWGRP | S_IWOTH)) != 0 || ::access(folder.c_str(), W_OK) != 0) return {};
    return folder;
  };
  for (const auto& [variable, below] : {std::pair{"XDG_RUNTIME_DIR", "tilewright"},
                                        {"XDG_STATE_HOME", "tilewright"},
                                        {"HOME", ".local/state/tilewright"}}) {
    if (auto folder = folder_in(variable, below); !folder.empty()) return folder;
  }
  return {};
}

std::filesystem::path new_record(const std::filesystem::path& folder) {
  const auto drawn = static_cast<std::uint32_t>(project::random_bits());
  return folder / (std::to_string(::getpid()) + "-" + std::to_string(drawn) + std::string(kSuffix));
}

Record::~Record() {
  if (fd_ >= 0) ::close(fd_);
}

std::optional<Record> Record::create(const std::filesystem::path& path, const std::string& job,
                                     const std::string& key) {
  Record record(path, ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (record.fd_ < 0) return std::nullopt;
  take_lock(record.fd_, Party::Holder);
  const std::string text = job + "\n" + key + "\n";
  const bool written = ::write(record.fd_, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (!written) record.remove();
  // A process that saw it before its lock was there has removed it.
  if (!written || !has_name(record.fd_)) return std::nullopt;
  record.job_ = job;
  return record;
}

std::optional<Record> Record::claim(const std::filesystem::path& path, const std::string& key) {
  Record record(path, ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (record.fd_ < 0 || !record.lock()) return std::nullopt;
  if (!has_name(record.fd_)) return std::nullopt;
  if (is_locked(record.fd_, Party::Holder) == false) {
    record.remove();
    return std::nullopt;
  }
  const std::string text = read_small(record.fd_);
  const auto line = text.find('\n');
  if (line == std::string::npos || text.substr(line + 1) != key + "\n") return std::nullopt;
  record.job_ = text.substr(0, line);
  if (record.job_.empty() || record.job_.size() > kLongestJob ||
      record.job_.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  return record;
}

bool Record::lock() const { return take_lock(fd_, Party::User); }

bool Record::in_use() const { return is_locked(fd_, Party::User).value_or(false); }

void Record::remove() const { ::unlink(path_.c_str()); }

std::vector<std::filesystem::path> records_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> out;
  std::error_code ec;
  for (std::filesystem::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec)) {
    if (it->path().extension() == kSuffix) out.push_back(it->path());
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace tilewright::remote
