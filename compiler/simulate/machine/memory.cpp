#include "compiler/simulate/machine/memory.h"

#include <cstring>

namespace tilewright::simulate {

OwnedBlock::OwnedBlock(std::string_view name, std::int64_t size, bool trace)
    : Block{name, size, nullptr, nullptr, nullptr, 0},
      storage(static_cast<std::size_t>(size)),
      shadow(static_cast<std::size_t>(size)),
      origins(trace ? static_cast<std::size_t>(size) : 0) {
  bytes = storage.data();
  defined = shadow.data();
  tags = trace ? origins.data() : nullptr;
}

OwnedBlock::OwnedBlock(std::string_view name, std::int64_t size, std::span<const std::byte> pattern, bool written)
    : Block{name, size, nullptr, nullptr, nullptr, 0} {
  const std::vector<std::byte> ones(written ? static_cast<std::size_t>(Pages::pattern_for(size)) : 0, std::byte{1});
  made_up.emplace(size, pattern);
  made_up_shadow.emplace(size, ones);
  bytes = made_up->data();
  defined = reinterpret_cast<std::uint8_t*>(made_up_shadow->data());
}

void transfer(View to, View from, std::int64_t bytes) {
  const auto n = static_cast<std::size_t>(bytes);
  common::copy(to.bytes, from.bytes, n);
  common::copy(to.defined, from.defined, n);
  if (to.tags && from.tags) std::memmove(to.tags, from.tags, n * sizeof(std::uint32_t));
}

Memory Memory::global_only() const {
  Memory out;
  const auto count = static_cast<std::ptrdiff_t>(first_shared);
  out.global_numbers = global_numbers;
  out.blocks.assign(blocks.begin(), blocks.begin() + count);
  out.watched.assign(watched.begin(), watched.begin() + count);
  out.by_kernel = by_kernel;
  return out;
}

std::uint32_t Memory::put(const Block& block, std::uint32_t place, bool is_watched) {
  if (place == 0) {
    place = static_cast<std::uint32_t>(blocks.size());
    blocks.emplace_back();
    watched.emplace_back();
  }
  blocks[place] = block;
  watched[place] = is_watched;
  return place;
}

std::uint64_t Memory::generic_of_window(std::uint64_t address) const {
  std::uint64_t rank = address >> kRankShift;
  auto place = static_cast<std::int64_t>(address & ((1u << kRankShift) - 1));
  if (rank >= ctas) return address;
  for (std::size_t i = 0; i < shared_each; ++i) {
    std::uint64_t number = first_shared + rank * shared_each + i;
    const Block& block = blocks[number];
    if (place >= block.base && place < block.base + std::max<std::int64_t>(1, block.size))
      return pointer_to(number, place - block.base);
  }
  return address;
}

std::optional<std::uint32_t> Memory::rank_of(std::uint64_t pointer) const {
  std::uint64_t number = generic(pointer) >> kOffsetBits;
  if (number < first_shared || number >= first_shared + shared_each * ctas) return std::nullopt;
  return static_cast<std::uint32_t>((number - first_shared) / shared_each);
}

std::int64_t Memory::place_of(std::uint64_t pointer) const {
  pointer = generic(pointer);
  std::uint64_t number = pointer >> kOffsetBits;
  return (number < blocks.size() ? blocks[number].base : 0) + offset_of(pointer);
}

std::optional<std::uint32_t> Memory::window_address(std::uint64_t pointer) const {
  auto rank = rank_of(pointer);
  if (!rank) return std::nullopt;
  return *rank << kRankShift | static_cast<std::uint32_t>(place_of(pointer));
}

std::uint64_t Memory::in_cta(std::uint64_t pointer, std::uint32_t rank) const {
  pointer = generic(pointer);
  auto own = rank_of(pointer);
  if (!own) return pointer;
  std::uint64_t number = (pointer >> kOffsetBits) - *own * shared_each + rank * shared_each;
  return pointer_to(number, offset_of(pointer));
}

Cargo::Cargo(std::int64_t size, bool trace)
    : bytes(static_cast<std::size_t>(size)),
      defined(static_cast<std::size_t>(size)),
      tags(trace ? static_cast<std::size_t>(size) : 0) {}

}  // namespace tilewright::simulate
