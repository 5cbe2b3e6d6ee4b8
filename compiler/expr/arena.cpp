#include "compiler/expr/arena.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <mutex>

namespace tilewright {
namespace {
thread_local Arena* current_arena = nullptr;

constexpr std::size_t kSmallest = 4096, kLargest = 65536;

// A sanitizer that looks for uses of freed memory is to see each block end.
#if defined(TILEWRIGHT_SANITIZED)
constexpr bool kKeepsBlocks = false;
#else
constexpr bool kKeepsBlocks = true;
#endif

// Blocks of arenas that are gone, for those that come. Each edit makes kernels again and drops the ones before, on
// other threads: what they leave is mapped already, and taking it waits for no heap.
class SpareBlocks {
 public:
  static SpareBlocks& of_process() {
    static auto* all = new SpareBlocks;  // arenas of static objects outlive it otherwise
    return *all;
  }
  // Null: there is none of that size.
  std::unique_ptr<std::byte[]> take(std::size_t bytes) {
    if (!is_kept(bytes)) return nullptr;
    std::lock_guard lock(mutex_);
    auto& blocks = of_size(bytes);
    if (blocks.empty()) return nullptr;
    auto block = std::move(blocks.back());
    blocks.pop_back();
    held_ -= bytes;
    return block;
  }
  void give(std::unique_ptr<std::byte[]> block, std::size_t bytes) {
    if (!is_kept(bytes)) return;
    std::lock_guard lock(mutex_);
    if (held_ + bytes > kMostHeld) return;
    of_size(bytes).push_back(std::move(block));
    held_ += bytes;
  }

 private:
  static constexpr std::size_t kMostHeld = 4u << 20;
  static constexpr bool is_kept(std::size_t bytes) {
    return kKeepsBlocks && std::has_single_bit(bytes) && kSmallest <= bytes && bytes <= kLargest;
  }
  std::vector<std::unique_ptr<std::byte[]>>& of_size(std::size_t bytes) {
    return blocks_[static_cast<std::size_t>(std::countr_zero(bytes / kSmallest))];
  }
  std::mutex mutex_;
  static constexpr std::size_t kSizes = std::bit_width(kLargest / kSmallest);
  std::array<std::vector<std::unique_ptr<std::byte[]>>, kSizes> blocks_;  // of 4 KiB, 8 KiB ... 64 KiB
  std::size_t held_ = 0;
};

}  // namespace

Arena::~Arena() {
  for (Block& block : blocks_) SpareBlocks::of_process().give(std::move(block.memory), block.size);
}

void Arena::add_block(std::unique_ptr<std::byte[]> memory, std::size_t bytes) {
  blocks_.push_back({std::move(memory), bytes});
  reserved_ += bytes;
  cursor_ = blocks_.back().memory.get();
  end_ = cursor_ + bytes;
}

void* Arena::allocate_slow(std::size_t bytes, std::size_t align) {
  // Blocks double up to 64 KiB: a small kernel costs little, a large one few calls of the allocator.
  std::size_t block = std::clamp(std::bit_ceil(reserved_), kSmallest, kLargest);
  block = std::max(block, bytes + align);
  auto memory = SpareBlocks::of_process().take(block);
  if (!memory) memory = std::make_unique_for_overwrite<std::byte[]>(block);
  add_block(std::move(memory), block);
  return allocate(bytes, align);
}

bool Arena::owns(const void* p) const {
  auto at = reinterpret_cast<std::uintptr_t>(p);
  auto inside = [&](const std::byte* memory, std::size_t size) {
    auto begin = reinterpret_cast<std::uintptr_t>(memory);
    return at >= begin && at - begin < size;
  };
  return inside(first_.data(), first_.size()) ||
         std::ranges::any_of(blocks_, [&](const Block& block) { return inside(block.memory.get(), block.size); });
}

Arena& Arena::current() {
  assert(current_arena && "no ArenaScope on this thread");
  return *current_arena;
}

ArenaScope::ArenaScope(Arena& arena) : previous_(std::exchange(current_arena, &arena)) {}
ArenaScope::~ArenaScope() { current_arena = previous_; }

}  // namespace tilewright
