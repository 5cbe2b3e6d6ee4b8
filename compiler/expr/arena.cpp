#include "compiler/expr/arena.h"

#include <algorithm>
#include <cassert>

namespace tilewright {
namespace {
thread_local Arena* current_arena = nullptr;
}

void* Arena::allocate_slow(std::size_t bytes, std::size_t align) {
  // Blocks double up to 64 KiB: a small kernel costs little, a large one few calls of the allocator.
  std::size_t block = std::clamp<std::size_t>(reserved_, 4096, 65536);
  block = std::max(block, bytes + align);
  blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(block));
  reserved_ += block;
  cursor_ = reinterpret_cast<std::uintptr_t>(blocks_.back().get());
  end_ = cursor_ + block;
  return allocate(bytes, align);
}

Arena& Arena::current() {
  assert(current_arena && "no ArenaScope on this thread");
  return *current_arena;
}

ArenaScope::ArenaScope(Arena& arena) : previous_(std::exchange(current_arena, &arena)) {}
ArenaScope::~ArenaScope() { current_arena = previous_; }

}  // namespace tilewright
