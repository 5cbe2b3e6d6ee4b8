#include "server/work/occupancy.h"

#include <algorithm>

#include "compiler/text/amounts.h"

namespace tilewright::work {
namespace {

struct Limits {
  int capability;
  int warps, ctas;
  std::int64_t shared;  // bytes
};
constexpr Limits kLimits[] = {
    {80, 64, 32, 164 << 10},  {86, 48, 16, 100 << 10},  {87, 48, 16, 164 << 10},
    {89, 48, 24, 100 << 10},  {90, 64, 32, 228 << 10},  {100, 64, 32, 228 << 10},
    {101, 48, 24, 228 << 10}, {103, 64, 32, 228 << 10}, {120, 48, 24, 100 << 10},
};
// The same on all of them: the register file, the granularity in which a warp takes of it, and what the system keeps of
// a CTA's shared memory.
constexpr std::int64_t kRegisters = 65536, kRegisterUnit = 256, kReservedShared = 1024, kSharedUnit = 128;

std::int64_t rounded(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

std::optional<Occupancy> occupancy(ir::Target target, std::int64_t threads, std::int64_t registers,
                                   std::int64_t shared) {
  auto limits = std::ranges::find(kLimits, target.number(), &Limits::capability);
  if (limits == std::end(kLimits) || threads <= 0 || threads > 1024 || registers < 0 || shared < 0) {
    return std::nullopt;
  }
  std::int64_t warps = (threads + 31) / 32;
  Occupancy best;
  std::int64_t ctas = limits->ctas;
  best.bound = "CTAs";
  auto bound = [&](std::int64_t n, const char* by) {
    if (n >= ctas) return;
    ctas = n;
    best.bound = by;
  };
  bound(limits->warps / warps, "warps");
  if (registers > 0) bound(kRegisters / rounded(registers * 32, kRegisterUnit) / warps, "registers");
  bound(limits->shared / rounded(shared + kReservedShared, kSharedUnit), "shared memory");
  if (ctas == 0) return std::nullopt;
  best.ctas = static_cast<int>(ctas);
  best.warps = static_cast<int>(ctas * warps);
  best.warp_limit = limits->warps;
  best.threads = threads;
  best.registers = registers;
  best.shared = shared;
  return best;
}

std::optional<Occupancy> occupancy(const lower::LaunchPlan& plan, ir::Target target, std::int64_t registers) {
  const std::optional<std::int64_t> threads = plan.launch.threads();
  if (!threads) return std::nullopt;
  return occupancy(target, *threads, registers, plan.static_shared_bytes + plan.dynamic_shared_bytes);
}

std::string occupancy_words(const Occupancy& fits) {
  return text::counted(static_cast<std::uint64_t>(fits.ctas), "CTA") + " per SM, " +
         std::to_string(fits.warps * 100 / fits.warp_limit) + " % of its warps, bound by " + fits.bound +
         (fits.registers ? "" : "; registers are not available before NVIDIA's compiler has run");
}

}  // namespace tilewright::work
