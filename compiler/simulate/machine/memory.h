// Addresses and blocks of memory in a run.
//
// A pointer is a block number above and a byte offset below; block 0 does not exist, so null points nowhere. Local
// blocks are numbered from kLocalBlocks and mean the running thread's own frame. Every shared allocation of every CTA
// of the cluster is a block of its own, so that leaving it is seen; it also has a place in its CTA's shared window. A
// number without a block is such a window address: the CTA's rank in bits 24 and up, the place below, as the hardware
// has it for 32-bit shared addresses.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "compiler/simulate/machine/common.h"
#include "compiler/simulate/machine/pages.h"

namespace tilewright::simulate {

inline constexpr int kOffsetBits = 40;
inline constexpr std::uint64_t kOffsetMask = (std::uint64_t{1} << kOffsetBits) - 1;
inline constexpr std::uint64_t kLocalBlocks = 1u << 23;
inline std::uint64_t pointer_to(std::uint64_t block, std::int64_t offset) {
  return block << kOffsetBits | (static_cast<std::uint64_t>(offset) & kOffsetMask);
}
inline std::int64_t offset_of(std::uint64_t pointer) {
  return static_cast<std::int64_t>(pointer << (64 - kOffsetBits)) >> (64 - kOffsetBits);
}
inline std::uint64_t moved(std::uint64_t pointer, std::int64_t bytes) {
  return (pointer & ~kOffsetMask) | ((pointer + static_cast<std::uint64_t>(bytes)) & kOffsetMask);
}

// Do the bytes from one pointer on and those from another have any in common?
inline bool share_bytes(std::uint64_t a, std::int64_t a_bytes, std::uint64_t b, std::int64_t b_bytes) {
  return a >> kOffsetBits == b >> kOffsetBits && offset_of(a) < offset_of(b) + b_bytes &&
         offset_of(b) < offset_of(a) + a_bytes;
}

// The shared window of a CTA starts behind what the system reserves; 24 bits of place, then the rank.
inline constexpr std::int64_t kWindowStart = 1024;
inline constexpr int kRankShift = 24;

// Bytes with their shadow: which were written, and (tracing) where each came from.
struct Block {
  std::string_view name;
  std::int64_t size = 0;
  std::byte* bytes = nullptr;
  std::uint8_t* defined = nullptr;
  std::uint32_t* tags = nullptr;
  std::int64_t base = 0;  // shared: place in the window; decides what is aligned
};

struct OwnedBlock : Block {
  OwnedBlock(std::string_view name, std::int64_t size, bool trace);
  // All of it made up of the pattern (pages.h), and all written or nothing.
  OwnedBlock(std::string_view name, std::int64_t size, std::span<const std::byte> pattern, bool written);
  std::vector<std::byte> storage;
  std::vector<std::uint8_t> shadow;
  std::vector<std::uint32_t> origins;
  std::optional<Pages> made_up, made_up_shadow;  // instead of the vectors
};

// A part of a block. What may be global memory is read and written by these functions and not through the pointers:
// clusters that run beside one another (grid.h) can get to the same bytes before their histories tell it, and what they
// have done is thrown away. Until then they must not do what C++ leaves undefined, so these accesses are relaxed
// atomics, of whole words where the place and the count allow it (common.h).
struct View {
  std::byte* bytes = nullptr;
  std::uint8_t* defined = nullptr;
  std::uint32_t* tags = nullptr;

  View at(std::int64_t offset) const { return {bytes + offset, defined + offset, tags ? tags + offset : nullptr}; }
  void get(void* to, std::int64_t count) const;
  void put(const void* from, std::int64_t count) const;
  // Up to eight bytes, as the lowest ones of a number.
  std::uint64_t number(std::int64_t count) const { return common::get_number(bytes, static_cast<std::size_t>(count)); }
  void put_number(std::uint64_t number, std::int64_t count) const {
    common::put_number(bytes, number, static_cast<std::size_t>(count));
  }
  void fill(std::byte value, std::int64_t count) const;
  // The first of `count` bytes that were not written; `count`: there is none.
  std::int64_t hole(std::int64_t count) const;
  bool is_written(std::int64_t count) const { return hole(count) == count; }
  void mark(bool written, std::int64_t count) const;
  void drop_tags(std::int64_t count) const {
    if (tags) std::fill_n(tags, count, 0u);
  }
};
// Bytes, shadow and origins from one place to another, which does not begin within the first.
void transfer(View to, View from, std::int64_t bytes);

inline void View::get(void* to, std::int64_t count) const { common::get(to, bytes, static_cast<std::size_t>(count)); }
inline void View::put(const void* from, std::int64_t count) const {
  common::put(bytes, from, static_cast<std::size_t>(count));
}
inline void View::fill(std::byte value, std::int64_t count) const {
  common::fill(bytes, value, static_cast<std::size_t>(count));
}
inline std::int64_t View::hole(std::int64_t count) const {
  return static_cast<std::int64_t>(common::find_zero(defined, static_cast<std::size_t>(count)));
}
inline void View::mark(bool written, std::int64_t count) const {
  common::fill(defined, std::byte{written}, static_cast<std::size_t>(count));
}

// Bytes on their way, with shadow and origins.
struct Cargo {
  std::vector<std::byte> bytes;
  std::vector<std::uint8_t> defined;
  std::vector<std::uint32_t> tags;

  Cargo() = default;
  Cargo(std::int64_t size, bool trace);
  std::int64_t size() const { return static_cast<std::int64_t>(bytes.size()); }
  View view() { return {bytes.data(), defined.data(), tags.empty() ? nullptr : tags.data()}; }
};

// All blocks that a pointer may lead to, but those of a thread's frame: global memory, and the shared memory of the
// CTAs that run together.
struct Memory {
  std::vector<std::unique_ptr<OwnedBlock>> globals, others, shared;
  std::vector<std::uint64_t> global_numbers;  // the blocks of `globals`
  std::vector<Block> blocks;                  // by number; shared ones are of the group that runs
  std::uint64_t first_shared = 0;
  std::size_t shared_each = 0, ctas = 1;        // shared blocks of a CTA; CTAs
  std::vector<char> watched;                    // by block: there may be races
  std::unordered_set<std::uint64_t> by_kernel;  // blocks that an earlier kernel has written

  // Another memory with the same global blocks, and no shared ones.
  Memory global_only() const;
  // Returns the number of the block: `place`, or the next one where that is 0.
  std::uint32_t put(const Block& block, std::uint32_t place, bool is_watched);

  // The pointer that a window address stands for; what is none stays as it is.
  std::uint64_t generic(std::uint64_t address) const {
    return address >> kOffsetBits || address == 0 ? address : generic_of_window(address);
  }
  std::uint64_t generic_of_window(std::uint64_t address) const;
  std::optional<std::uint32_t> window_address(std::uint64_t pointer) const;  // nothing: not shared memory
  std::optional<std::uint32_t> rank_of(std::uint64_t pointer) const;         // of the CTA whose shared memory it is
  std::uint64_t in_cta(std::uint64_t pointer, std::uint32_t rank) const;     // the same place in another CTA
  std::int64_t place_of(std::uint64_t pointer) const;  // what decides alignment and swizzles: the absolute address
};

}  // namespace tilewright::simulate
