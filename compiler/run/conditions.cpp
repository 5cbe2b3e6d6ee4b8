#include "compiler/run/conditions.h"

#include <dlfcn.h>

#include <algorithm>
#include <utility>

namespace tilewright::run {
namespace {

using Result = int;
constexpr Result kSuccess = 0;
constexpr int kClockSm = 1, kClockMemory = 2, kOnDie = 0;

// nvml.h: nvmlClocksEventReason*.
constexpr std::uint64_t kSetClocks = 0x2, kPowerCap = 0x4, kHardware = 0x8, kSyncBoost = 0x10, kHeat = 0x20,
                        kHardwareHeat = 0x40, kPowerBrake = 0x80;
constexpr std::pair<std::uint64_t, std::string_view> kReasons[] = {
    {kSetClocks, "clocks were set"},  {kPowerCap, "power limit"},
    {kHardware, "hardware slowdown"}, {kSyncBoost, "clocks of a group of devices"},
    {kHeat, "temperature"},           {kHardwareHeat, "temperature limit of the hardware"},
    {kPowerBrake, "power brake"},
};

}  // namespace

std::vector<std::string> throttle_words(std::uint64_t reasons) {
  std::vector<std::string> out;
  for (const auto& [bit, words] : kReasons)
    if (reasons & bit) out.emplace_back(words);
  return out;
}

bool is_throttled(std::uint64_t reasons) {
  return (reasons & (kPowerCap | kHardware | kHeat | kHardwareHeat | kPowerBrake)) != 0;
}

struct Monitor::Functions {
  void* library = nullptr;
  Result (*init)() = nullptr;
  Result (*shutdown)() = nullptr;
  Result (*by_bus_id)(const char*, void**) = nullptr;
  Result (*driver_version)(char*, unsigned) = nullptr;
  const char* (*error)(Result) = nullptr;
  // What a device may not tell.
  Result (*clock)(void*, int, unsigned*) = nullptr;
  Result (*highest_clock)(void*, int, unsigned*) = nullptr;
  Result (*temperature)(void*, int, unsigned*) = nullptr;
  Result (*reasons)(void*, unsigned long long*) = nullptr;
  Result (*power)(void*, unsigned*) = nullptr;
};

Monitor::Monitor(const std::string& library, const std::string& bus_id) : nvml_(std::make_unique<Functions>()) {
  Functions& f = *nvml_;
  f.library = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!f.library) {
    seen_.absent = "there is no " + library;
    return;
  }
  auto find = [&](auto& function, const char* symbol) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(f.library, symbol));
    return function != nullptr;
  };
  const bool found = find(f.init, "nvmlInit_v2") && find(f.shutdown, "nvmlShutdown") &&
                     find(f.by_bus_id, "nvmlDeviceGetHandleByPciBusId_v2") &&
                     find(f.driver_version, "nvmlSystemGetDriverVersion") && find(f.error, "nvmlErrorString");
  find(f.clock, "nvmlDeviceGetClockInfo");
  find(f.highest_clock, "nvmlDeviceGetMaxClockInfo");
  find(f.temperature, "nvmlDeviceGetTemperature");
  find(f.reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
  find(f.power, "nvmlDeviceGetPowerUsage");
  if (!found) {
    seen_.absent = library + " is no management library";
    return;
  }
  if (Result r = f.init(); r != kSuccess) {
    seen_.absent = std::string("the management library does not start: ") + f.error(r);
    return;
  }
  if (Result r = f.by_bus_id(bus_id.c_str(), &device_); r != kSuccess) {
    seen_.absent = std::string("the management library does not know the device: ") + f.error(r);
    device_ = nullptr;
    return;
  }
  char version[96] = "";
  if (f.driver_version(version, sizeof version) == kSuccess) seen_.driver = version;
  unsigned limit = 0;
  if (f.highest_clock && f.highest_clock(device_, kClockSm, &limit) == kSuccess)
    seen_.sm_limit = static_cast<int>(limit);
}

Monitor::~Monitor() {
  if (nvml_->init && nvml_->shutdown && seen_.absent.empty()) nvml_->shutdown();
  if (nvml_->library) ::dlclose(nvml_->library);
}

void Monitor::sample() {
  if (!device_) return;
  const Functions& f = *nvml_;
  unsigned value = 0;
  const bool first = seen_.samples++ == 0;
  if (f.clock && f.clock(device_, kClockSm, &value) == kSuccess) {
    const int clock = static_cast<int>(value);
    seen_.sm_least = first ? clock : std::min(seen_.sm_least, clock);
    seen_.sm_most = std::max(seen_.sm_most, clock);
  }
  if (f.clock && f.clock(device_, kClockMemory, &value) == kSuccess) seen_.memory_clock = static_cast<int>(value);
  if (f.temperature && f.temperature(device_, kOnDie, &value) == kSuccess) {
    seen_.last_celsius = static_cast<int>(value);
    if (first) seen_.first_celsius = seen_.last_celsius;
  }
  if (f.power && f.power(device_, &value) == kSuccess) seen_.watts = std::max(seen_.watts, value / 1000.0);
  unsigned long long reasons = 0;
  if (f.reasons && f.reasons(device_, &reasons) == kSuccess) seen_.reasons |= reasons;
}

}  // namespace tilewright::run
