// Which clusters of a grid stand for all of it, where not all of them are tried.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compiler/run/job.h"

namespace tilewright::run {

// Along each axis of the grid, and all together.
std::array<std::uint64_t, 3> clusters_along(const JobLaunch& launch);
std::uint64_t clusters_of(const JobLaunch& launch);

// Numbers of clusters (x of the grid first), in order: the first, the last and the middle one, neighbours along each
// axis and the end of the first row; as many as `ctas` allows, at least one. All of them where that suffices.
std::vector<std::uint64_t> sample_of(const JobLaunch& launch, std::uint64_t ctas);

// "CTA 0, 1 and 15 of 16", "CTA (0, 0), (1, 0) and (7, 3) of 8 x 4"; of clusters, their first CTAs.
std::string sample_text(const JobLaunch& launch, std::span<const std::uint64_t> clusters);

}  // namespace tilewright::run
