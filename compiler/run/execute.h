// The side of a job that talks to the driver. It lives in a process of its own (helper.h): a fault of a kernel leaves a
// context that can do nothing any more, and a hang leaves one that can only be killed.
//
// A result is verified, not believed (design idea 11). Each buffer lies between guard zones in an allocation of its
// own. A verifying round finds poison in every output; there are two, over different poisons, so that a byte not
// wrote is told from a byte that happens to look like poison. Inputs are read back and compared.
//
// What the buffers hold at first lies on the device once more, where there is room, so that each further round costs a
// copy at the speed of the device's memory and not of the bus.
#pragma once
#include <span>

#include "compiler/run/driver.h"
#include "compiler/run/job.h"

namespace tilewright::run {

class Gpu {
 public:
  // Initialises the driver and takes the primary context of a device. The error is for people.
  // `management` is the library that tells clocks and temperature; `profilers` are where CUPTI may be, for jobs that
  // want samples.
  static std::expected<Gpu, std::string> open(const std::string& library, int device, std::string management,
                                              std::vector<std::string> profilers = {});

  const DeviceInfo& device() const { return device_; }
  // Leaves in `results`, one a buffer and as long, what the buffers hold after the first round, and in as many more
  // what a timed round leaves otherwise; the outcome names those of inputs that stayed as they were by nothing at all.
  // After a Fault the context is spent: the process has to end.
  Outcome execute(const Job& job, std::span<const Contents> results);

 private:
  Driver driver_;
  DeviceInfo device_;
  cu::Context context_ = nullptr;
  std::string bus_id_, management_;
  std::vector<std::string> profilers_;
};

}  // namespace tilewright::run
