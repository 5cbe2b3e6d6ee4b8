#include "compiler/run/time_model.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "compiler/run/bind.h"
#include "compiler/run/sample.h"
#include "compiler/run/trial_launch.h"
#include "compiler/simulate/codes.h"

namespace tilewright::run {
namespace {

constexpr std::int64_t kCache = std::int64_t{40} << 20;  // bytes that stay in the L2 cache from launch to launch
constexpr double kPower = 3;  // how parts that bound a kernel add up: 1, one after the other; infinite, hidden
// The middle 90 % of the kernels of tests/gpu/timing/held_out.txt lie between these factors of what the model says; of
// those of fresh.txt, 93 % do.
constexpr double kLow = 0.81, kHigh = 1.61;

// Values for all that a launch needs; the error names what has none.
std::expected<Bindings, std::string> values_of(const lower::LoweredKernel& kernel, const TimeRequest& request) {
  Bindings out;
  const auto give = [&](const std::string& name) -> bool {
    const auto found = request.values.find(name);
    if (found != request.values.end()) out.values[name] = found->second;
    return found != request.values.end();
  };
  for (const lower::ExtentBinding& e : kernel.plan.extents)
    if (std::string name(e.var->name); !give(name))
      return std::unexpected("the extent `" + name + "` has no value: give it by --set " + name + "=N");
  for (const lower::KernelParam& p : kernel.plan.params) {
    if (p.kind == lower::ParamKind::Pointer && !p.tensor) out.raw_bytes[param_name(p)] = std::int64_t{1} << 20;
    if (p.kind != lower::ParamKind::Scalar || p.value) continue;
    const std::string name = param_name(p);
    if (give(name)) continue;
    if (!p.dtype.is_floating())
      return std::unexpected("the scalar `" + name + "` has no value: give it by --set " + name + "=N");
    out.values[name] = Number::of(1.0);
  }
  return out;
}

// What the simulated CTAs ask for, all together.
struct Asked {
  double issue = 0, special = 0, wavefronts = 0;
  double read = 0, written = 0, copied = 0;  // sectors
  double in_part = 0;                        // written, beyond those that would hold the same bytes
  double multiplied = 0;
};

// Instructions of warps that NVIDIA's compiler leaves of those of the simulator's program. The shares were fitted to
// how many instructions 105 kernels execute (tests/gpu/timing/counted.txt), and to no time.
double issued(const simulate::PaceRecord& pace, double warps) {
  using Class = simulate::InstructionClass;
  constexpr double kPrologue = 15;                         // of each warp
  constexpr double kIntegers = 0.15, kMostIntegers = 0.5;  // of integers; of all others, what they are at most
  constexpr double kControl = 0.1, kQuotient = 3;
  double integers = 0, others = 0;
  for (const auto& [number, place] : pace.places) {
    const auto of = [&](Class c) { return static_cast<double>(place.instructions[static_cast<std::size_t>(c)]) / 32; };
    integers += of(Class::Integer);
    others += of(Class::Control) * kControl + of(Class::Float) - static_cast<double>(place.fused) / 32 +
              of(Class::Conversion) + kQuotient * of(Class::Special) + 16 * of(Class::Double) + of(Class::Memory) +
              of(Class::Call);
  }
  return kPrologue * warps + others + std::min(kIntegers * integers, kMostIntegers * others);
}

Asked asked_of(const simulate::ProfileRecord& counted, const simulate::PaceRecord& pace, double warps) {
  Asked out;
  for (const auto& [number, place] : counted.places) {
    out.wavefronts += static_cast<double>(place.shared_read.units + place.shared_write.units + place.atomics);
    out.read += static_cast<double>(place.global_read.units);
    out.written += static_cast<double>(place.global_write.units + place.atomics);
    out.in_part += static_cast<double>(place.global_write.units - place.global_write.ideal);
    out.copied += static_cast<double>(place.copied_sectors);
    out.multiplied += static_cast<double>(place.multiplied);
  }
  for (const auto& [number, place] : pace.places)
    out.special +=
        static_cast<double>(place.instructions[static_cast<std::size_t>(simulate::InstructionClass::Special)]) / 32;
  out.issue = issued(pace, warps);
  return out;
}

// Before settle(): with the requests that may be joined or left out.
simulate::ProfileRecord as_written(const TimeModel& m) {
  simulate::ProfileRecord out;
  out.places = m.counted.places;
  for (const auto& [number, place] : m.details.as_written) out.places[number].add(place);
  return out;
}

struct Named {
  std::string_view name;
  double us;
};

// Bytes of tensors that a kernel reads and that it writes.
struct Footprint {
  double all = 0, read = 0, written = 0;
};

Footprint footprint_of(const Bound& bound) {
  Footprint out;
  for (const JobBuffer& b : bound.job.buffers) {
    const auto bytes = static_cast<double>(b.bytes);
    out.all += bytes;
    if (b.role != Role::Output) out.read += bytes;
    if (b.role != Role::Input) out.written += bytes;
  }
  return out;
}

// A launch that does nothing, and what the parts take together.
void put_together(TimeModel& m, const Asked& asked, const Footprint& bytes, double threads) {
  const simulate::Rates& r = *m.rates;
  const double us = 1e-3 / r.clock_ghz;  // of a cycle
  const double each = 1 / static_cast<double>(m.simulated);
  const auto sms = static_cast<std::uint64_t>(r.sms);
  const std::uint64_t share = (m.ctas + sms - 1) / sms;
  const std::uint64_t together = std::clamp<std::uint64_t>(share, 1, static_cast<std::uint64_t>(m.resident));
  m.waves = (m.ctas + sms * together - 1) / (sms * together);
  const double all = static_cast<double>(m.ctas) * each, of_sm = static_cast<double>(share) * each;
  // A sector that stores fill in part costs the L2 cache as much again.
  const double by_threads = (asked.read + asked.written + asked.in_part) * 32, by_copies = asked.copied * 32;
  m.multiplied = static_cast<std::uint64_t>(asked.multiplied * all);
  m.parts.path = static_cast<double>(m.waves) * (m.pace.cycles * each + r.cta) * us;
  m.parts.issue = asked.issue * of_sm / r.issue * us;
  m.parts.special = asked.special * of_sm * r.special_cycles * us;
  m.parts.shared = asked.wavefronts * of_sm * us;
  m.parts.l2 = (by_threads / r.l2_bytes + by_copies / r.box_bytes) * of_sm * us;
  m.parts.tensor = asked.multiplied * of_sm / r.tensor_operations * us;
  m.parts.device_l2 = (by_threads / r.device_l2_bytes + by_copies / r.device_box_bytes) * all * us;
  if (bytes.all > kCache) {
    const double moved = std::min((asked.read + asked.copied) * 32 * all, bytes.read) +
                         std::min((asked.written + asked.copied) * 32 * all, bytes.written);
    m.parts.device_dram = moved / r.device_dram_bytes * us;
  }
  m.parts.ctas = static_cast<double>(share) * (r.cta_launch + r.cta_thread * threads) * us;
  const Named parts[] = {
      {"ctas", m.parts.ctas},       {"path", m.parts.path},           {"issue", m.parts.issue},
      {"special", m.parts.special}, {"shared", m.parts.shared},       {"l2", m.parts.l2},
      {"tensor", m.parts.tensor},   {"device_l2", m.parts.device_l2}, {"device_dram", m.parts.device_dram}};
  double sum = 0;
  const Named* largest = parts;
  for (const Named& part : parts) {
    sum += std::pow(part.us, kPower);
    if (part.us > largest->us) largest = &part;
  }
  m.bound = largest->name;
  m.launch = r.launch_us;
  m.us = m.launch + std::pow(sum, 1 / kPower);
  m.low = m.us * kLow;
  m.high = m.us * kHigh;
}

}  // namespace

const simulate::Rates* rates_of(ir::Target target) {
  return target.number() == simulate::kH100.capability ? &simulate::kH100 : nullptr;
}

TimeModel model_time(const lower::LoweredKernel& kernel, ir::Target target, const TimeRequest& request,
                     const std::stop_token& stop) {
  TimeModel out;
  out.resident = std::max(1, request.resident);
  out.rates = rates_of(target);
  if (!out.rates) {
    out.why = "not measured: the constants of " + target.name() + " are not known, those of " +
              std::string(simulate::kH100.arch) + " are";
    return out;
  }
  auto values = values_of(kernel, request);
  if (!values) {
    out.why = values.error();
    return out;
  }
  const std::unordered_set<const ir::Var*> plain;
  TrialBudget budget;
  budget.memory = std::int64_t{1} << 30;
  auto launch = TrialLaunch::make(kernel, budget, *values, {.plain = plain}, stop);
  if (!launch) {
    out.why = launch.error();
    return out;
  }
  if (request.accesses) out.details.accesses = *request.accesses;
  std::uint64_t steps = 0, clusters = 0;
  for (std::uint64_t cluster : sample_of(launch->launch(), request.ctas)) {
    if (clusters > 0 && steps + steps / clusters > request.steps) break;
    out.pace.details = &out.details;
    simulate::Result result = launch->run_paced(cluster, request.steps, out.pace);
    out.pace.details = nullptr;
    steps += result.steps;
    if (stop.stop_requested()) out.why = "stopped";
    if (!result.finished || result.verdict == simulate::Verdict::Incomplete) {
      const auto because = std::ranges::find_if(result.findings, [](const simulate::Finding& f) {
        return f.severity == simulate::Severity::Incomplete || f.severity == simulate::Severity::Error;
      });
      if (out.why.empty() && !result.finished)
        out.why = because == result.findings.end() ? "the simulator does not run it" : because->message;
    }
    if (!out.why.empty()) return out;
    ++clusters;
    for (auto& [number, place] : result.profile.places) {
      auto [at, fresh] = out.counted.places.try_emplace(number);
      if (fresh) at->second.origin = place.origin;
      at->second.add(place);
    }
    for (const auto& [buffer, rows] : result.profile.rows) {
      auto [at, fresh] = out.counted.rows.try_emplace(buffer, rows);
      if (!fresh) at->second.add(rows);
    }
  }
  // Each cluster was a run of its own: what orders nothing in one may be needed in another.
  if (clusters > 1) out.details.barriers.clear();
  out.simulated = out.pace.ctas;
  out.ctas =
      clusters_of(launch->launch()) * std::max<std::uint64_t>(1, out.pace.ctas / std::max<std::uint64_t>(1, clusters));
  out.tensor_bytes = static_cast<std::uint64_t>(launch->bytes());
  const auto& block = launch->launch().block;
  const auto threads = static_cast<double>(block[0] * block[1] * block[2]);
  const double warps = static_cast<double>(out.simulated) * std::ceil(threads / 32);
  put_together(out, asked_of(as_written(out), out.pace, warps), footprint_of(launch->bound()), threads);
  simulate::settle(out.details, out.counted);
  std::uint64_t sectors = 0;
  for (const auto& [number, place] : out.counted.places)
    sectors += place.global_read.units + place.global_write.units + place.atomics + place.copied_sectors;
  out.sectors = static_cast<std::uint64_t>(static_cast<double>(sectors) * static_cast<double>(out.ctas) /
                                           static_cast<double>(out.simulated));
  return out;
}

}  // namespace tilewright::run
