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

Cargo::Cargo(std::int64_t size, bool trace)
    : bytes(static_cast<std::size_t>(size)),
      defined(static_cast<std::size_t>(size)),
      tags(trace ? static_cast<std::size_t>(size) : 0) {}

}  // namespace tilewright::simulate
