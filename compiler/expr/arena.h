// Bump allocation for nodes that live and die together.
//
// What is made while a kernel is evaluated, dispatched and lowered is immutable once built and dropped as a whole:
// nodes are plain pointers, never freed one by one. The arena in use is ambient to the thread (ArenaScope), as an
// allocator and no more: no answer depends on which it is, and what returns nodes says which arena owns them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tilewright {

class Arena {
 public:
  Arena() = default;
  // Takes its nodes from `first`, which outlives it, until that is full.
  explicit Arena(std::span<std::byte> first) : cursor_(first.data()), end_(cursor_ + first.size()), first_(first) {}
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  void* allocate(std::size_t bytes, std::size_t align) {
    std::size_t gap = (0 - reinterpret_cast<std::uintptr_t>(cursor_)) & (align - 1);
    auto room = static_cast<std::size_t>(end_ - cursor_);
    if (room < gap || room - gap < bytes) return allocate_slow(bytes, align);
    std::byte* at = cursor_ + gap;
    cursor_ = at + bytes;
    return at;
  }

  // Nodes are never destroyed: they may hold only other arena data.
  template <class T, class... Args>
  T* make(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>, "arena nodes are dropped without destructors");
    return new (allocate(sizeof(T), alignof(T))) T{std::forward<Args>(args)...};
  }

  template <class T>
  std::span<const T> copy(std::span<const T> items) {
    static_assert(std::is_trivially_destructible_v<T> && std::is_copy_constructible_v<T>);
    if (items.empty()) return {};
    T* to = static_cast<T*>(allocate(items.size_bytes(), alignof(T)));
    std::uninitialized_copy(items.begin(), items.end(), to);
    return {to, items.size()};
  }
  template <class T>
  std::span<const T> copy(const std::vector<T>& items) {
    return copy(std::span<const T>(items));
  }
  std::string_view copy(std::string_view text) {
    if (text.empty()) return {};
    char* to = static_cast<char*>(allocate(text.size(), 1));
    std::memcpy(to, text.data(), text.size());
    return {to, text.size()};
  }

  // Makes the next block exactly that large: for an arena whose size can be told beforehand.
  void reserve(std::size_t bytes) { add_block(std::make_unique_for_overwrite<std::byte[]>(bytes), bytes); }

  std::size_t bytes() const { return reserved_; }
  // Whether `p` points into memory of this arena.
  bool owns(const void* p) const;

  // The arena of this thread's innermost ArenaScope. There must be one.
  static Arena& current();

 private:
  friend class ArenaScope;
  void* allocate_slow(std::size_t bytes, std::size_t align);
  void add_block(std::unique_ptr<std::byte[]> memory, std::size_t bytes);

  std::byte* cursor_ = nullptr;
  std::byte* end_ = nullptr;
  std::size_t reserved_ = 0;
  struct Block {
    std::unique_ptr<std::byte[]> memory;
    std::size_t size;
  };
  std::vector<Block> blocks_;
  std::span<std::byte> first_;  // not its own
};

// An arena for nodes that a question needs and its answer does not: the first of them lie beside it, on the stack.
class ScratchArena : public Arena {
 public:
  ScratchArena() : Arena(std::span(beside_)) {}

 private:
  alignas(std::max_align_t) std::byte beside_[4096];
};

class ArenaScope {
 public:
  explicit ArenaScope(Arena& arena);
  ~ArenaScope();
  ArenaScope(const ArenaScope&) = delete;
  ArenaScope& operator=(const ArenaScope&) = delete;

 private:
  Arena* previous_;
};

}  // namespace tilewright
