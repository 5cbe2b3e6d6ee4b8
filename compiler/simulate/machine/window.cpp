// The shared windows of the CTAs of a cluster.
#include <algorithm>

#include "compiler/intrinsics/say.h"
#include "compiler/simulate/calls/calls.h"
#include "compiler/simulate/codes.h"
#include "compiler/simulate/machine/machine.h"

namespace tilewright::simulate {

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
