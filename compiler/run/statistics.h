// What repeated measurements say, and what they do not.
#pragma once
#include <optional>
#include <span>

namespace tilewright::run {

// Of measurements in the order in which they were made.
struct Spread {
  double median = 0, least = 0, most = 0;
  double p20 = 0, p80 = 0;  // a fifth lies below the one, and above the other
  // Neither scattered nor drifting: p20 and p80 lie within 5 % of each other, and the medians of the two halves within
  // 3 %. Never of fewer than five.
  bool stable = false;
};
// Of at least one.
Spread spread_of(std::span<const double> measured);

// Two series that were measured in pairs, one after the other: by how much is the second one slower?
//
// Wilcoxon's signed-rank test of the logarithms of the ratios asks how likely such pairs are if there is no difference;
// the estimate is the median of their pairwise means (Hodges and Lehmann), its interval the means that the test would
// not reject at 5 %. Neither minds a few outliers, and both take drifts that both series share out.
struct Contest {
  double ratio = 1;            // second to first: above 1, the first one is faster
  double least = 1, most = 1;  // the interval that holds it in 95 of 100 such experiments
  double probability = 1;      // of a difference as large as this by chance
  bool significant = false;    // probability below 1 %, and 1 outside of the interval
};
// Nothing of fewer than six pairs, which can show nothing.
std::optional<Contest> contest(std::span<const double> first, std::span<const double> second);

}  // namespace tilewright::run
