// What one thing costs on a device: the constants of the model of time (pace.h, server/work/time_model.h).
//
// Measured with the micro-kernels of tests/gpu/timing, whose README says how each constant follows from them.
#pragma once
#include <string_view>

namespace tilewright::simulate {

// Times are cycles of an SM, throughputs are of an SM, if nothing else is said.
struct Rates {
  std::string_view arch, device, date;
  double clock_ghz = 0;  // of the SMs while it was measured
  int capability = 0, sms = 0;
  // Latencies. Of `l2` and `dram`, of a load from a register's point of view; `dram` beyond the L2 cache.
  double arithmetic = 0, special = 0, shuffle = 0;
  double shared = 0, l1 = 0, l2 = 0, dram = 0;
  double cta_sync = 0, cta_sync_warp = 0;  // of a barrier of the CTA, and more of it for each warp
  double barrier = 0;                      // from the last arrival on an mbarrier to the first instruction after it
  double box = 0;                          // of a bulk or tensor copy beside its bytes, to its barrier
  double product = 0;                      // of a wgmma beside its own cycles
  // Throughputs.
  double issue = 0;              // instructions of warps a cycle
  double special_cycles = 0;     // of an exponential, a quotient or the like of a warp
  double l2_bytes = 0;           // a cycle, to and from one SM
  double box_bytes = 0;          // a cycle, of the bulk and tensor copies of one SM
  double box_each = 0;           // cycles that each of them takes at least
  double tensor_operations = 0;  // of 16-bit products a cycle: 2 m n k
  double device_l2_bytes = 0;    // a cycle, of all SMs together, by loads and stores
  double device_box_bytes = 0;   // the same, by bulk and tensor copies
  double device_dram_bytes = 0;  // the same
  // Launches.
  double launch_us = 0;                   // from one kernel's begin to the next one's, of one that does nothing
  double cta_launch = 0, cta_thread = 0;  // of an SM for each CTA, and more of it for each of its threads
  double cta = 0;                         // of a CTA beside its instructions, where others wait for its place
};

inline constexpr Rates kH100{.arch = "sm_90a",
                             .device = "NVIDIA H100 80GB HBM3",
                             .date = "2026-11-26",
                             .clock_ghz = 1.98,
                             .capability = 90,
                             .sms = 132,
                             .arithmetic = 4,
                             .special = 17,
                             .shuffle = 25,
                             .shared = 29,
                             .l1 = 39,
                             .l2 = 291,
                             .dram = 693,
                             .cta_sync = 12,
                             .cta_sync_warp = 2,
                             .barrier = 20,
                             .box = 360,
                             .product = 66,
                             .issue = 3.9,
                             .special_cycles = 2,
                             .l2_bytes = 64,
                             .box_bytes = 110,
                             .box_each = 133,
                             .tensor_operations = 4096,
                             .device_l2_bytes = 3200,
                             .device_box_bytes = 3930,
                             .device_dram_bytes = 1520,
                             .launch_us = 0.77,
                             .cta_launch = 115,
                             .cta_thread = 0.11,
                             .cta = 300};

}  // namespace tilewright::simulate
