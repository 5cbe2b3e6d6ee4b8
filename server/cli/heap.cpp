#include "server/cli/heap.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace tilewright::cli {

void prepare_heap() {
#ifdef __GLIBC__
  constexpr int kStep = 64 << 20;
  ::mallopt(M_TOP_PAD, kStep);
  ::mallopt(M_TRIM_THRESHOLD, kStep);
  ::mallopt(M_MMAP_THRESHOLD, kStep / 2);  // setting one of the three fixes all of them
  const auto end_of_heap = [] { return reinterpret_cast<std::uintptr_t>(::sbrk(0)); };
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t begin = (end_of_heap() + page - 1) / page * page;
  void* volatile more = std::malloc(256 << 10);  // more than a new heap has
  std::free(more);
  if (const std::uintptr_t end = end_of_heap(); end > begin)
    ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace tilewright::cli
