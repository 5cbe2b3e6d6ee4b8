#include "server/ide/resident.h"

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>

namespace tilewright::ide {
namespace {

constexpr std::size_t kMuch = 32u << 20;
std::atomic<std::size_t> resident_before = 0;

}  // namespace

std::size_t resident_bytes() {
  // Asked twice for each analysis, so that the file stays open.
  static const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  char text[128];
  const ssize_t size = file < 0 ? 0 : ::pread(file, text, sizeof text, 0);
  const char* const end = text + std::max<ssize_t>(size, 0);
  const char* const at = std::find<const char*>(text, end, ' ');  // after the pages in all
  std::size_t resident = 0;
  if (at != end) std::from_chars(at + 1, end, resident);
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

bool resident_has_grown() {
  const std::size_t now = resident_bytes();
  if (now < resident_before) resident_before = now;
  return now > resident_before + kMuch;
}

void give_free_memory_back() {
  ::malloc_trim(0);
  resident_before = resident_bytes();
}

}  // namespace tilewright::ide
