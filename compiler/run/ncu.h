// Samples of program counters by Nsight Compute's command line, `ncu`, for machines that have it and no CUPTI beside
// it.
//
// It starts a process of its own that runs the kernels (helper.h), lets it run a round, samples the next one, and
// writes the samples of each instruction as a table when that process has ended.
#pragma once
#include <chrono>
#include <expected>
#include <filesystem>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/run/job.h"

namespace tilewright::run {

struct NcuOrder {
  std::filesystem::path program, helper;  // ncu, and what calls helper_main
  std::vector<std::string> environment;   // these as GpuOptions has them
  std::string library, management;
  int device = 0;
  std::chrono::milliseconds patience{70'000};  // of all
};

// The job's own kernels alone are sampled. The process is not confined: ncu works inside of it.
std::expected<Samples, std::string> sampled_by_ncu(const NcuOrder& order, const Job& job, const std::stop_token& stop);

// What it wrote of a round whose kernels have these names. The error is ncu's own where it says why there is no table.
std::expected<Samples, std::string> samples_of_ncu(std::string_view written, std::span<const std::string> symbols);

}  // namespace tilewright::run
