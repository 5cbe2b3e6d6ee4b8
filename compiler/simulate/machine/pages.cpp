#include "compiler/simulate/machine/pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <new>

namespace tilewright::simulate {
namespace {

// A memory file with the pattern, closed when its mappings are made: they keep it.
class PatternFile {
 public:
  explicit PatternFile(std::span<const std::byte> pattern) : fd_(memfd_create("pattern", MFD_CLOEXEC)) {
    for (std::size_t at = 0; fd_ >= 0 && at < pattern.size();) {
      const ssize_t n = write(fd_, pattern.data() + at, pattern.size() - at);
      if (n <= 0) break;
      at += static_cast<std::size_t>(n);
      good_ = at == pattern.size();
    }
  }
  ~PatternFile() {
    if (fd_ >= 0) close(fd_);
  }
  PatternFile(const PatternFile&) = delete;
  PatternFile& operator=(const PatternFile&) = delete;

  bool map_over(std::byte* to, std::size_t bytes) const {
    return good_ &&
           mmap(to, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, fd_, 0) != MAP_FAILED;
  }

 private:
  int fd_ = -1;
  bool good_ = false;
};

}  // namespace

std::int64_t Pages::pattern_for(std::int64_t bytes) {
  constexpr std::int64_t kLongest = std::int64_t{1} << 20;
  const std::int64_t page = sysconf(_SC_PAGESIZE);
  return std::clamp<std::int64_t>((bytes + page - 1) / page * page, page, kLongest);
}

Pages::Pages(std::int64_t bytes, std::span<const std::byte> pattern) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  size_ = (std::max<std::size_t>(1, static_cast<std::size_t>(bytes)) + page - 1) / page * page;
  void* place = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<std::byte*>(place);
  if (pattern.empty()) return;
  const PatternFile file(pattern);
  for (std::size_t at = 0; at < size_; at += pattern.size()) {
    if (file.map_over(data_ + at, std::min(pattern.size(), size_ - at))) continue;
    munmap(data_, size_);
    throw std::bad_alloc();
  }
}

Pages::~Pages() { munmap(data_, size_); }

}  // namespace tilewright::simulate
