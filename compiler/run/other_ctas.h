// Does what was found in some CTAs of a launch hold for all of them?
//
// It does where each of the others does as one that was run, and at a distance: branches, loops, barriers and addresses
// in shared memory do not depend on the CTA, or come out as in a cluster that was run (a class); addresses in global
// memory are sums of a part that depends on the cluster alone and one that does not; no cluster touches what another
// writes; and each access stays inside its tensor. Nothing of that is guessed: what is not shown is said not to be.
//
// Where that is not shown of clusters, it is tried of the rounds of persistent loops (cta_rounds.cpp): a class
// is then the sequence of what the rounds decide, and no cluster touches in any round what another writes in any.
#pragma once
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "compiler/run/bind.h"

namespace tilewright::run {

struct OtherCtas {
  std::string differ;                    // why they may differ, for people; empty: they do not
  std::vector<std::uint64_t> worth_run;  // clusters without which it cannot be shown, if it can with them
};
// Of the last launch, by the clusters of these numbers that were run. After a stop, and where it would take too long,
// nothing is shown.
OtherCtas other_ctas(const lower::LoweredKernel& kernel, const Bound& bound, std::span<const std::uint64_t> run,
                     const std::stop_token& stop = {});

}  // namespace tilewright::run
