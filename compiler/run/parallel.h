// Work on large tensors, over all cores.
#pragma once
#include <cstdint>

#include "compiler/threads/in_parallel.h"

namespace tilewright::run {

using threads::in_parallel;
using threads::in_pieces;

// Memory is copied and compared in pieces of this many bytes: large beside the cost of handing one out, small beside
// the work of a core.
inline constexpr std::int64_t kPiece = std::int64_t{1} << 20;

void copy_bytes(char* to, const char* from, std::int64_t bytes);
// The number of places at which the two differ.
std::int64_t count_different(const char* a, const char* b, std::int64_t bytes);

}  // namespace tilewright::run
