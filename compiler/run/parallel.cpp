#include "compiler/run/parallel.h"

#include <cstring>

namespace tilewright::run {
namespace {

// Memory that is the same, the usual case, is passed over at memcmp's speed.
constexpr std::int64_t kBlock = 4096;

std::int64_t count_in_piece(const char* a, const char* b, std::int64_t bytes) {
  std::int64_t different = 0;
  for (std::int64_t at = 0; at < bytes; at += kBlock) {
    std::int64_t n = std::min(kBlock, bytes - at);
    if (std::memcmp(a + at, b + at, static_cast<std::size_t>(n)) == 0) continue;
    for (std::int64_t i = at; i < at + n; ++i) different += a[i] != b[i];
  }
  return different;
}

}  // namespace

void copy_bytes(char* to, const char* from, std::int64_t bytes) {
  in_pieces(bytes, kPiece, [&](std::int64_t at, std::int64_t end) {
    std::memcpy(to + at, from + at, static_cast<std::size_t>(end - at));
  });
}

std::int64_t count_different(const char* a, const char* b, std::int64_t bytes) {
  std::atomic<std::int64_t> different = 0;
  in_pieces(bytes, kPiece,
            [&](std::int64_t at, std::int64_t end) { different += count_in_piece(a + at, b + at, end - at); });
  return different;
}

}  // namespace tilewright::run
