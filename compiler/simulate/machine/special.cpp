// Special registers: who a thread is and how the launch looks.
#include <array>

#include "compiler/simulate/machine/machine.h"

namespace tilewright::simulate {
namespace {

constexpr std::string_view kLanes[] = {"laneid",          "lanemask_eq",
                                       "lanemask_le",     "lanemask_lt",
                                       "lanemask_ge",     "lanemask_gt",
                                       "warpid",          "nwarpid",
                                       "thread_rank",     "smid",
                                       "nsmid",           "gridid",
                                       "cluster_ctarank", "cluster_nctarank",
                                       "clock",           "clock_hi",
                                       "clock64",         "globaltimer",
                                       "globaltimer_lo",  "globaltimer_hi",
                                       "total_smem_size", "dynamic_smem_size",
                                       "aggr_smem_size"};
constexpr std::string_view kVectors[] = {"tid",       "ntid",       "ctaid",         "nctaid",
                                         "clusterid", "nclusterid", "cluster_ctaid", "cluster_nctaid"};

// "ctaid.y": the vector's number and the dimension.
std::optional<std::pair<std::size_t, std::size_t>> vector_of(std::string_view name) {
  if (name.size() < 3 || name[name.size() - 2] != '.') return std::nullopt;
  const char d = name.back();
  if (d < 'x' || d > 'z') return std::nullopt;
  for (std::size_t i = 0; i < std::size(kVectors); ++i)
    if (kVectors[i] == name.substr(0, name.size() - 2)) return std::pair(i, static_cast<std::size_t>(d - 'x'));
  return std::nullopt;
}

}  // namespace

// What the kernel has of shared memory, in units of 128 bytes; `aggr` is with what the system reserves.
std::int64_t Machine::shared_bytes(std::string_view name) const {
  constexpr std::int64_t kUnit = 128;
  std::int64_t all = 0, dynamic = 0;
  for (std::size_t i = 0; i < program_.shared.size(); ++i) {
    all += program_.shared[i].bytes;
    if (kernel_.shared[i].dynamic) dynamic += program_.shared[i].bytes;
  }
  if (name == "dynamic_smem_size") return dynamic;
  return (all + kUnit - 1) / kUnit * kUnit + (name == "aggr_smem_size" ? kWindowStart : 0);
}

bool Machine::knows_register(std::string_view name) {
  for (std::string_view known : kLanes)
    if (known == name) return true;
  return vector_of(name).has_value();
}

std::int64_t Machine::special_register(const Thread& t, std::string_view name) {
  if (auto vector = vector_of(name)) {
    const std::size_t d = vector->second;
    std::int64_t in_block = t.linear, in_cluster = t.cta;
    for (std::size_t k = 0; k < d; ++k) {
      in_block /= launch_.block[k];
      in_cluster /= launch_.cluster[k];
    }
    const std::int64_t own = in_cluster % launch_.cluster[d];
    const std::array<std::int64_t, 8> values = {in_block % launch_.block[d],
                                                launch_.block[d],
                                                current_cta_[d] + own,
                                                launch_.grid[d],
                                                current_cta_[d] / launch_.cluster[d],
                                                launch_.grid[d] / launch_.cluster[d],
                                                own,
                                                launch_.cluster[d]};
    return values[vector->first];
  }
  const std::uint32_t lane = t.linear % 32;
  const std::uint32_t below = (1u << lane) - 1;
  if (name == "laneid") return lane;
  if (name == "lanemask_eq") return 1u << lane;
  if (name == "lanemask_lt") return below;
  if (name == "lanemask_le") return below | 1u << lane;
  if (name == "lanemask_ge") return ~below;
  if (name == "lanemask_gt") return ~(below | 1u << lane);
  if (name == "warpid") return t.linear / 32;
  if (name == "nwarpid") return (launch_.cta_threads + 31) / 32;
  if (name == "thread_rank") return t.linear;
  if (name == "nsmid") return 1;
  if (name == "cluster_ctarank") return t.cta;
  if (name == "cluster_nctarank") return launch_.cluster_ctas;
  if (name.starts_with("clock") || name.starts_with("globaltimer")) {
    const std::uint64_t now = tick();
    return static_cast<std::int64_t>(name.ends_with("_hi")                      ? now >> 32
                                     : name == "clock" || name.ends_with("_lo") ? now & 0xffffffff
                                                                                : now);
  }
  if (name.ends_with("smem_size")) return shared_bytes(name);
  return 0;  // smid, gridid: there is one
}

}  // namespace tilewright::simulate
