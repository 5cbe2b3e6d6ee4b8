#include "compiler/run/sample.h"

#include <algorithm>
#include <array>

namespace tilewright::run {
namespace {

std::uint64_t ctas_of_cluster(const JobLaunch& launch) {
  return static_cast<std::uint64_t>(launch.cluster[0] * launch.cluster[1] * launch.cluster[2]);
}

// "3", or "(3, 0, 1)" with as many numbers as the grid has axes.
std::string first_cta(const JobLaunch& launch, std::uint64_t cluster, std::size_t axes) {
  std::string out;
  for (std::size_t d = 0; d < axes; ++d) {
    const std::uint64_t count = clusters_along(launch)[d];
    out += (d ? ", " : "") + std::to_string(cluster % count * static_cast<std::uint64_t>(launch.cluster[d]));
    cluster /= count;
  }
  return axes == 1 ? out : "(" + out + ")";
}

}  // namespace

std::array<std::uint64_t, 3> clusters_along(const JobLaunch& launch) {
  std::array<std::uint64_t, 3> out{};
  for (std::size_t d = 0; d < 3; ++d)
    out[d] = static_cast<std::uint64_t>(launch.grid[d] / std::max<std::int64_t>(1, launch.cluster[d]));
  return out;
}

std::uint64_t clusters_of(const JobLaunch& launch) {
  const auto [x, y, z] = clusters_along(launch);
  return x * y * z;
}

std::vector<std::uint64_t> sample_of(const JobLaunch& launch, std::uint64_t ctas) {
  const auto [x, y, z] = clusters_along(launch);
  const std::uint64_t all = x * y * z, most = std::max<std::uint64_t>(1, ctas / ctas_of_cluster(launch));
  std::vector<std::uint64_t> out;
  auto add = [&](std::uint64_t cluster) {
    if (cluster < all && out.size() < most && std::ranges::find(out, cluster) == out.end()) out.push_back(cluster);
  };
  if (all <= most)
    for (std::uint64_t n = 0; n < all; ++n) out.push_back(n);
  // The weightiest first.
  if (all == 0) return out;
  for (std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, all - 1, x, x * y, all / 2, all - 2, x - 1}) add(n);
  for (std::uint64_t n = 2; n < 4; ++n) add(n);
  std::ranges::sort(out);
  return out;
}

std::string sample_text(const JobLaunch& launch, std::span<const std::uint64_t> clusters) {
  const std::size_t axes = launch.grid[2] > 1 ? 3 : launch.grid[1] > 1 ? 2 : 1;
  std::string out = ctas_of_cluster(launch) > 1 ? "the clusters of CTA " : "CTA ";
  for (std::size_t i = 0; i < clusters.size(); ++i)
    out += (i == 0 ? "" : i + 1 == clusters.size() ? " and " : ", ") + first_cta(launch, clusters[i], axes);
  out += " of " + std::to_string(launch.grid[0]);
  for (std::size_t d = 1; d < axes; ++d) out += " x " + std::to_string(launch.grid[d]);
  return out;
}

}  // namespace tilewright::run
