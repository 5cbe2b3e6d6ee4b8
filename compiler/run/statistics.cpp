#include "compiler/run/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace tilewright::run {
namespace {

// Between the two nearest, as far as it lies between them.
double quantile(const std::vector<double>& sorted, double part) {
  const double at = part * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double median_of(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  return quantile(sorted, 0.5);
}

// How likely a standard normal number is at least so far from 0.
double two_sided(double z) { return std::erfc(std::fabs(z) / std::sqrt(2.0)); }

// The smaller sum of ranks of one sign, and how likely it is. Exact by counting the signs that lead there, for few
// pairs; by the normal law for many. Ties share their ranks, and zeros speak for neither.
double signed_rank_probability(const std::vector<double>& differences) {
  std::vector<double> values;
  for (double d : differences)
    if (d != 0) values.push_back(d);
  const std::size_t n = values.size();
  if (n == 0) return 1;
  std::ranges::sort(values, {}, [](double d) { return std::fabs(d); });
  double positive = 0, all = 0, ties = 0;
  for (std::size_t from = 0; from < n;) {
    std::size_t to = from;
    while (to < n && std::fabs(values[to]) == std::fabs(values[from])) ++to;
    const double count = static_cast<double>(to - from), rank = (static_cast<double>(from + to) + 1) / 2;
    for (std::size_t i = from; i < to; ++i) positive += values[i] > 0 ? rank : 0;
    all += rank * count;
    ties += count * count * count - count;
    from = to;
  }
  const double least = std::min(positive, all - positive), count = static_cast<double>(n);
  constexpr std::size_t kExact = 25;
  if (n <= kExact && ties == 0) {
    std::vector<double> ways(n * (n + 1) / 2 + 1);
    ways[0] = 1;
    for (std::size_t rank = 1; rank <= n; ++rank)
      for (std::size_t sum = ways.size(); sum-- > rank;) ways[sum] += ways[sum - rank];
    double fewer = 0;
    for (std::size_t sum = 0; sum <= static_cast<std::size_t>(least); ++sum) fewer += ways[sum];
    return std::min(1.0, 2 * fewer / std::ldexp(1.0, static_cast<int>(n)));
  }
  const double variance = count * (count + 1) * (2 * count + 1) / 24 - ties / 48;
  if (variance <= 0) return 1;
  return two_sided((std::fabs(positive - all / 2) - 0.5) / std::sqrt(variance));
}

}  // namespace

Spread spread_of(std::span<const double> measured) {
  std::vector<double> sorted(measured.begin(), measured.end());
  std::ranges::sort(sorted);
  Spread s{quantile(sorted, 0.5), sorted.front(), sorted.back(), quantile(sorted, 0.2), quantile(sorted, 0.8)};
  constexpr std::size_t kFewest = 5;
  if (measured.size() < kFewest || s.median <= 0) return s;
  const std::size_t half = measured.size() / 2;
  const double drift = std::fabs(median_of(measured.first(half)) - median_of(measured.last(half)));
  s.stable = s.p80 - s.p20 <= 0.05 * s.median && drift <= 0.03 * s.median;
  return s;
}

std::optional<Contest> contest(std::span<const double> first, std::span<const double> second) {
  const std::size_t n = std::min(first.size(), second.size());
  constexpr std::size_t kFewest = 6;
  if (n < kFewest) return std::nullopt;
  std::vector<double> differences;
  for (std::size_t i = 0; i < n; ++i) {
    if (!(first[i] > 0) || !(second[i] > 0)) return std::nullopt;
    differences.push_back(std::log(second[i] / first[i]));
  }
  std::vector<double> means;
  means.reserve(n * (n + 1) / 2);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i; j < n; ++j) means.push_back((differences[i] + differences[j]) / 2);
  std::ranges::sort(means);
  // As many means below the interval as the test lets the ranks of one sign add up to.
  const double count = static_cast<double>(n);
  const double cut = count * (count + 1) / 4 - 1.96 * std::sqrt(count * (count + 1) * (2 * count + 1) / 24);
  const auto outside = static_cast<std::size_t>(std::max(0.0, std::floor(cut)));
  Contest c;
  c.ratio = std::exp(quantile(means, 0.5));
  c.least = std::exp(means[outside]);
  c.most = std::exp(means[means.size() - 1 - outside]);
  c.probability = signed_rank_probability(differences);
  c.significant = c.probability < 0.01 && (c.least > 1 || c.most < 1);
  return c;
}

}  // namespace tilewright::run
