#include "compiler/simulate/memory.h"

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

void transfer(View to, View from, std::int64_t bytes) {
  const auto n = static_cast<std::size_t>(bytes);
  std::memmove(to.bytes, from.bytes, n);
  std::memmove(to.defined, from.defined, n);
  if (to.tags && from.tags) std::memmove(to.tags, from.tags, n * sizeof(std::uint32_t));
}

Cargo::Cargo(std::int64_t size, bool trace)
    : bytes(static_cast<std::size_t>(size)),
      defined(static_cast<std::size_t>(size)),
      tags(trace ? static_cast<std::size_t>(size) : 0) {}

}  // namespace tilewright::simulate
