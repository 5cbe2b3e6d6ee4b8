#include "compiler/expr/arena.h"

#include <algorithm>
#include <cassert>

namespace tilewright {
namespace {
thread_local Arena* current_arena = nullptr;
}

void Arena::add_block(std::size_t bytes) {
  blocks_.push_back({std::make_unique_for_overwrite<std::byte[]>(bytes), bytes});
  reserved_ += bytes;
  cursor_ = blocks_.back().memory.get();
  end_ = cursor_ + bytes;
}

void* Arena::allocate_slow(std::size_t bytes, std::size_t align) {
  // Blocks double up to 64 KiB: a small kernel costs little, a large one few calls of the allocator.
  std::size_t block = reserved_ == 0 ? 4096 : std::clamp<std::size_t>(reserved_, 256, 65536);
  add_block(std::max(block, bytes + align));
  return allocate(bytes, align);
}

bool Arena::owns(const void* p) const {
  auto at = reinterpret_cast<std::uintptr_t>(p);
  for (const Block& block : blocks_) {
    auto begin = reinterpret_cast<std::uintptr_t>(block.memory.get());
    if (at >= begin && at - begin < block.size) return true;
  }
  return false;
}

Arena& Arena::current() {
  assert(current_arena && "no ArenaScope on this thread");
  return *current_arena;
}

ArenaScope::ArenaScope(Arena& arena) : previous_(std::exchange(current_arena, &arena)) {}
ArenaScope::~ArenaScope() { current_arena = previous_; }

}  // namespace tilewright
