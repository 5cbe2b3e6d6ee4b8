#include "compiler/dispatch/blocks/width.h"

#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch {

Widths width_candidates(int bits, std::span<const int> widths, bool with_one) {
  Widths out;
  for (int w : widths) {
    if (bits <= 0 || w < bits || w % bits != 0) continue;
    std::int64_t n = w / bits;
    if (out.size == 0 || out.counts[out.size - 1] != n) out.counts[out.size++] = n;
  }
  if (with_one && (out.size == 0 || out.counts[out.size - 1] != 1)) out.counts[out.size++] = 1;
  return out;
}

bool base_allows(const ir::Buffer& buffer, std::int64_t elements) {
  if (elements == 1) return true;
  if (buffer.elem_offset && !ir::provably_divisible(buffer.elem_offset, elements)) return false;
  std::int64_t bits = elements * buffer.dtype.storage_bits() * buffer.dtype.lanes;
  return buffer.align <= 0 || bits <= std::int64_t{buffer.align} * 8;
}

}  // namespace tilewright::dispatch
