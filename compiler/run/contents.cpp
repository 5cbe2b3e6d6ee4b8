#include "compiler/run/contents.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <new>

#include "compiler/process/fd.h"

namespace tilewright::run {

struct Contents::Block {
  ~Block() { ::munmap(data, size); }
  Block(process::Fd fd, void* data, std::size_t size) : fd(std::move(fd)), data(static_cast<char*>(data)), size(size) {}
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  process::Fd fd;
  char* data;
  std::size_t size;
};

Contents Contents::of_size(std::int64_t bytes) {
  Contents out;
  if (bytes <= 0) return out;
  process::Fd fd(::memfd_create("tensor", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd || ::ftruncate(fd.get(), bytes) != 0) throw std::bad_alloc();
  // A process that gets it for a job could cut it, and a read of the mapping here would then end in SIGBUS.
  if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) throw std::bad_alloc();
  auto size = static_cast<std::size_t>(bytes);
  void* at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
  out.block_ = std::make_shared<Block>(std::move(fd), at, size);
  return out;
}

Contents Contents::mapped(int fd, std::int64_t bytes) {
  Contents out;
  struct stat file{};
  if (bytes <= 0 || ::fstat(fd, &file) != 0 || file.st_size < bytes) return out;
  auto size = static_cast<std::size_t>(bytes);
  void* at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED) return out;
  out.block_ = std::make_shared<Block>(process::Fd(::fcntl(fd, F_DUPFD_CLOEXEC, 0)), at, size);
  return out;
}

Contents Contents::copied(std::string_view text) {
  Contents out = of_size(static_cast<std::int64_t>(text.size()));
  out.put(0, text);
  return out;
}

void Contents::put(std::size_t at, std::string_view bytes) const {
  constexpr std::size_t kCall = 16384;  // from here on, what a page costs is more than what a call of the system does
  while (bytes.size() >= kCall) {
    const auto written = ::pwrite(descriptor(), bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (written <= 0) break;  // interrupted, say: the rest goes through the mapping
    at += static_cast<std::size_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  if (!bytes.empty()) std::memcpy(data() + at, bytes.data(), bytes.size());
}

char* Contents::data() const { return block_ ? block_->data : nullptr; }
std::size_t Contents::size() const { return block_ ? block_->size : 0; }
int Contents::descriptor() const { return block_ ? block_->fd.get() : -1; }

}  // namespace tilewright::run
