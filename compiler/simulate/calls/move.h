// A contiguous run of bytes on its way: bulk copies, cp.async, asynchronous stores.
#pragma once
#include <optional>

#include "compiler/simulate/machine/machine.h"
#include "compiler/simulate/machine/value.h"

namespace tilewright::simulate {

class Move final : public Operation {
 public:
  Move(Queue queue, std::int64_t bytes) : Operation(queue), bytes(bytes) {}

  bool take(Machine& m, Thread& t) override;
  bool land(Machine& m, Thread& t) override;
  std::span<const std::uint64_t> signals() const override { return barriers; }
  std::int64_t counted_bytes() const override { return bytes; }
  std::uint64_t reads_from() const override { return source; }
  bool covers(std::uint64_t pointer, std::int64_t count) const override;

  std::int64_t bytes;
  std::uint64_t source = 0;          // 0: `cargo` was filled at the issue
  std::int64_t given = -1;           // so many bytes are read there, and the others are zero; -1: all
  std::int64_t left = 0, right = 0;  // so many bytes at either end are not read, and hold nothing afterwards
  std::uint64_t source_at() const { return moved(source, left); }
  std::int64_t source_bytes() const { return given < 0 ? bytes - left - right : given; }
  std::uint32_t lacks = 0;  // the read that a value of the cargo comes from without having one
  Cargo cargo;
  // Places that get it all. As many barriers count the bytes, or none.
  std::vector<std::uint64_t> destinations, barriers;
  std::optional<Combine> combine{};  // into what is there, element by element of `type`
  ir::DataType type{};
  std::uint32_t byte_mask = 0xffff;  // of every 16 bytes
  bool generic = false;              // Accessed::generic
};

// Checks the places of a copy at its issue: inside their buffers, aligned, alive. Destinations hold nothing from now on
// until it lands.
bool claim(Machine& m, Thread& t, Move& move, std::int64_t align);
// Multicast: the one destination and its barrier become those at the same places in every CTA of the mask. False: the
// mask names CTAs that there are not.
bool spread(Machine& m, const Thread& t, std::uint64_t mask, std::vector<std::uint64_t>& destinations,
            std::vector<std::uint64_t>& barriers, int cta_group = 1);
// Memory that is about to be written by something under way.
void poison(Machine& m, View at, std::int64_t bytes);
// Combines `bytes` of elements of `type` into memory.
void combine_into(Combine op, ir::DataType type, View to, View from, std::int64_t bytes);

}  // namespace tilewright::simulate
