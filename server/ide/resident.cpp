#include "server/ide/resident.h"

#include <malloc.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>

namespace tilewright::ide {
namespace {

constexpr std::size_t kMuch = 32u << 20;
std::atomic<std::size_t> resident_before = 0;

}  // namespace

std::size_t resident_bytes() {
  std::size_t pages = 0, resident = 0;
  if (std::FILE* f = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(f, "%zu %zu", &pages, &resident) != 2) resident = 0;
    std::fclose(f);
  }
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
