// What NVIDIA's compiler made of a kernel's accesses to memory, as far as a profile counts otherwise for it: it joins
// accesses of a lane to elements that follow each other into wider ones, and drops those whose value it has already.
//
// Requests are joined at a place if what comes of it has the widths of its instructions, in the same shares; else its
// wide ones may have come from elsewhere. A read whose place has none in the machine code is left out, but only where
// the others make up the whole code: as many requests as it has instructions for each warp. Else its instructions may
// stand at another place.
//
// Read off the machine code by place of the script (server/work/machine_accesses.h). What it does not say is how often
// an instruction is executed: accesses that are taken out of a loop, or dropped in some rounds alone, count as the
// script writes them.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>

#include "compiler/ir/by_origin.h"

namespace tilewright::simulate {

enum class AccessKind : std::uint8_t { GlobalRead, GlobalWrite, SharedRead, SharedWrite };
inline constexpr std::size_t kAccessKinds = 4;

// By bytes of a lane: 1, 2, 4, 8, 16.
using ByWidth = std::array<std::uint64_t, 5>;
inline std::size_t width_number(std::int64_t bytes) {
  return std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(bytes)) - 1), 4);
}

struct MachineAccesses {
  struct Kind {
    ByWidth code{};  // instructions
    // Counted by a profile, of warps: requests as the script writes them, and those that are left, by width as well.
    std::uint64_t written = 0, made = 0;
    ByWidth counted{};

    // Widths of instructions, or-ed; 0: there is none.
    std::uint32_t widths() const {
      std::uint32_t out = 0;
      for (std::size_t i = 0; i < code.size(); ++i) out |= code[i] ? 1u << i : 0;
      return out;
    }
    // The requests have the widths of the instructions in as much the same shares as rounds of loops allow.
    bool is_alike() const;
  };
  struct Place {
    std::array<Kind, kAccessKinds> kinds{};
    bool is_clear = true;  // false: an instruction accesses memory whose kind it does not say
  };
  ir::ByOrigin<Place> places{};
  // Every access of the code is at a place of the script.
  bool is_whole = false;
  // Instructions that access so, each executed once by a warp that comes there; none: some are in loops.
  std::array<std::optional<std::uint64_t>, kAccessKinds> once{};
};

}  // namespace tilewright::simulate
