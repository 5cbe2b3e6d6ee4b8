// What NVIDIA's compiler made of a kernel's accesses to memory, as far as a profile counts otherwise for it: it joins
// accesses of a lane to elements that follow each other into wider ones, and drops those whose value it has already.
//
// A read whose place has none in the machine code is left out, but only where the others make up the whole code: as
// many requests as it has instructions for each warp. Else its instructions may stand at another place.
//
// Read off the machine code by place of the script (server/work/machine_accesses.h). What it does not say is how often
// an instruction is executed: accesses that are taken out of a loop, or dropped in some rounds alone, count as the
// script writes them.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/ir/stmt.h"

namespace tilewright::simulate {

enum class AccessKind : std::uint8_t { GlobalRead, GlobalWrite, SharedRead, SharedWrite };
inline constexpr std::size_t kAccessKinds = 4;

struct MachineAccesses {
  struct Kind {
    std::uint32_t widths = 0;  // bytes of a lane and instruction, powers of two up to 16, or-ed; 0: there is none
    // Counted by a profile, of warps: requests as the script writes them, and those that are left.
    std::uint64_t written = 0, made = 0;
  };
  struct Place {
    ir::Origin origin;
    std::array<Kind, kAccessKinds> kinds{};
    bool is_clear = true;  // false: an instruction accesses memory whose kind it does not say
  };
  std::vector<Place> places;
  // Every access of the code is at a place of the script.
  bool is_whole = false;
  // Instructions that access so, each executed once by a warp that comes there; none: some are in loops.
  std::array<std::optional<std::uint64_t>, kAccessKinds> once{};
};

}  // namespace tilewright::simulate
