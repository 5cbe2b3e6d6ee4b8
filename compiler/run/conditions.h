// What the device was like while it was measured: clocks, temperature, power, and what slowed it down. As the driver's
// management library tells it (NVML), which is looked up at run time.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tilewright::run {

struct Conditions {
  std::string absent;             // why nothing is known; empty: what follows is
  std::string driver;             // "580.65.06"
  int sm_least = 0, sm_most = 0;  // megahertz, of all samples
  int sm_limit = 0;               // the highest that the device has; 0: not told
  int memory_clock = 0;           // megahertz
  int first_celsius = 0, last_celsius = 0;
  double watts = 0;           // the most; 0: not told
  std::uint64_t reasons = 0;  // NVML's bits, of all samples
  int samples = 0;
};
// NVML's reasons for slower clocks in words; those of an idle device are none.
std::vector<std::string> throttle_words(std::uint64_t reasons);
// Was the device held back by heat, power or the hardware? Clocks that were set on purpose are not among them.
bool is_throttled(std::uint64_t reasons);

// Samples of one device, gathered while kernels run. Made in the process that holds the GPU.
class Monitor {
 public:
  // `bus_id`: the device's address on the bus, as the driver writes it.
  Monitor(const std::string& library, const std::string& bus_id);
  ~Monitor();
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  void sample();
  const Conditions& conditions() const { return seen_; }

 private:
  struct Functions;
  std::unique_ptr<Functions> nvml_;
  void* device_ = nullptr;
  Conditions seen_;
};

}  // namespace tilewright::run
