// How long a kernel takes on a device: a model, from a part of its grid on the simulator and constants that were
// measured (compiler/simulate/profile/rates.h).
//
// The simulator counts what CTAs ask of each part of an SM, and a clock for each warp says how long a CTA takes that
// has its SM for itself (profile/pace.h). From there on: waves of CTAs one after the other, the parts of the busiest
// SM, the L2 cache and the memory of all SMs together. The largest of these bounds the kernel; that they hide each
// other in part only is in how they are put together (together_us). The error of the model on kernels that it was not
// made from is the interval.
#pragma once
#include <cstdint>
#include <map>
#include <stop_token>
#include <string>

#include "compiler/ir/target.h"
#include "compiler/lower/lowered.h"
#include "compiler/run/host_value.h"
#include "compiler/simulate/profile/details.h"
#include "compiler/simulate/profile/pace_record.h"
#include "compiler/simulate/profile/rates.h"

namespace tilewright::run {

struct TimeRequest {
  std::map<std::string, Number, std::less<>> values{};  // of scalars and extents
  int resident = 1;                                     // CTAs that one SM holds at a time
  std::uint64_t steps = 400'000'000;                    // of the simulator, in all
  std::uint64_t ctas = 4;                               // that are simulated, at most
  // What NVIDIA's compiler made of the kernel's accesses, which counts then; null: they count as they are written. The
  // time is of those that are written: its constants were held against kernels so.
  const simulate::MachineAccesses* accesses = nullptr;
};

// Parts that can bound a kernel, each alone, in microseconds.
struct TimeParts {
  double ctas = 0;                        // launches of the busiest SM's CTAs
  double path = 0;                        // waves of CTAs, each as long as the longest path through it
  double issue = 0;                       // instructions of the busiest SM
  double special = 0;                     // its exponentials, quotients and the like
  double shared = 0;                      // its wavefronts of shared memory
  double l2 = 0;                          // its bytes to and from the L2 cache
  double tensor = 0;                      // its products
  double device_l2 = 0, device_dram = 0;  // bytes of all SMs together
};

struct TimeModel {
  std::string why;  // there is no model: for what reason; nothing else holds then
  const simulate::Rates* rates = nullptr;
  double us = 0, low = 0, high = 0;  // 90 % of kernels lie between
  double launch = 0;                 // us, of a launch that does nothing
  TimeParts parts;
  std::string_view bound;  // the name of the largest part: "path", "issue", ...
  std::uint64_t ctas = 0, simulated = 0, waves = 0;
  int resident = 1;
  std::uint64_t tensor_bytes = 0, sectors = 0, multiplied = 0;  // of the whole grid; sectors as `counted` has them
  simulate::PaceRecord pace;                                    // of the CTAs that were simulated
  simulate::ProfileRecord counted;                              // the same
  simulate::ProfileDetails details;                             // beside them

  double operations_per_second() const { return us > 0 ? static_cast<double>(multiplied) / (us * 1e-6) : 0; }
};

// Null: nothing was measured for it.
const simulate::Rates* rates_of(ir::Target target);

TimeModel model_time(const lower::LoweredKernel& kernel, ir::Target target, const TimeRequest& request,
                     const std::stop_token& stop = {});

}  // namespace tilewright::run
