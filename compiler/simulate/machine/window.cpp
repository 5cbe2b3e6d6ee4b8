// The shared windows of the CTAs of a cluster.
#include <algorithm>

#include "compiler/intrinsics/say.h"
#include "compiler/simulate/calls/calls.h"
#include "compiler/simulate/codes.h"
#include "compiler/simulate/machine/machine.h"

namespace tilewright::simulate {

std::uint64_t Machine::generic(std::uint64_t address) const {
  if (address >> kOffsetBits || address == 0) return address;
  std::uint64_t rank = address >> kRankShift;
  auto place = static_cast<std::int64_t>(address & ((1u << kRankShift) - 1));
  const std::size_t per_cta = program_.shared.size();
  if (rank >= group_ctas_) return address;
  for (std::size_t i = 0; i < per_cta; ++i) {
    std::uint64_t number = first_shared_ + rank * per_cta + i;
    const Block& block = blocks_[number];
    if (place >= block.base && place < block.base + std::max<std::int64_t>(1, block.size))
      return pointer_to(number, place - block.base);
  }
  return address;
}

std::optional<std::uint32_t> Machine::rank_of(std::uint64_t pointer) const {
  std::uint64_t number = generic(pointer) >> kOffsetBits;
  const std::size_t per_cta = program_.shared.size();
  if (number < first_shared_ || number >= first_shared_ + per_cta * group_ctas_) return std::nullopt;
  return static_cast<std::uint32_t>((number - first_shared_) / per_cta);
}

std::int64_t Machine::place_of(std::uint64_t pointer) const {
  pointer = generic(pointer);
  std::uint64_t number = pointer >> kOffsetBits;
  return (number < blocks_.size() ? blocks_[number].base : 0) + offset_of(pointer);
}

std::optional<std::uint32_t> Machine::window_address(std::uint64_t pointer) const {
  auto rank = rank_of(pointer);
  if (!rank) return std::nullopt;
  return *rank << kRankShift | static_cast<std::uint32_t>(place_of(pointer));
}

std::uint64_t Machine::in_cta(std::uint64_t pointer, std::uint32_t rank) const {
  pointer = generic(pointer);
  auto own = rank_of(pointer);
  if (!own) return pointer;
  const std::size_t per_cta = program_.shared.size();
  std::uint64_t number = (pointer >> kOffsetBits) - *own * per_cta + rank * per_cta;
  return pointer_to(number, offset_of(pointer));
}

// An address outside of the CTA's own window is none of .shared::cta, also where it was mapped there (PTX ISA 5.1.6,
// "shared state space": ".shared" alone means .shared::cta; 9.7.13.15.13, mbarrier.arrive).
void Machine::check_own_window(const Thread& t, const Site& site) {
  const auto rank = rank_of(arg(t, site, 0));
  if (!rank || *rank == t.cta || foresees()) return;
  Finding f;
  f.code = code::kPointer;
  f.message = "T." + site.text + " takes an address in the shared memory of its own CTA (.shared::cta), and this one " +
              "leads into CTA " + std::to_string(*rank) + " of the cluster";
  f.hint = site.call->meaning == Meaning::MbarrierArrive
               ? "write {mbarrier_arrive_remote}(address), or {mbarrier_arrive}(bar, cta_id, pred)"_row_text
               : "use an instruction of .shared::cluster, or let the other CTA do it";
  report(std::move(f), &t);
}

bool Machine::alive(const Thread& t, std::uint64_t pointer, std::string_view what) {
  auto rank = rank_of(pointer);
  if (!rank || *rank == t.cta || !ended_[*rank]) return true;
  finding(code::kEndedCta, Severity::Error,
          std::string(what) + " in the shared memory of CTA " + std::to_string(*rank) +
              " of the cluster, which has ended: a cluster_sync before the end is missing",
          &t);
  return false;
}

}  // namespace tilewright::simulate
