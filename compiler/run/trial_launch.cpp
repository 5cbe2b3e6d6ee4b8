#include "compiler/run/trial_launch.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "compiler/run/element.h"
#include "compiler/run/fill.h"
#include "compiler/run/simulated_executor.h"
#include "compiler/simulate/codes.h"
#include "compiler/simulate/machine/pages.h"

namespace tilewright::run {
namespace {

// For as long as the type and the stretch allow.
void fill_differing(ir::DataType dtype, std::vector<std::byte>& to, const TrialLaunch::Differing& how) {
  const auto width = static_cast<std::size_t>(dtype.bits / 8);
  if (width == 0) return;
  const int digits = dtype.bits - (dtype.is_uint() ? 0 : 1);
  const std::int64_t below = digits < 62 ? std::min(how.below, std::int64_t{1} << digits) : how.below;
  for (std::size_t at = 0; at + width <= to.size(); at += width) {
    const auto i = static_cast<std::int64_t>(at / width);
    const std::int64_t value = how.step ? std::min(i * how.step, below - 1) : (i + 5) % below;
    std::memcpy(to.data() + at, &value, std::min(width, sizeof value));
  }
}

}  // namespace

TrialLaunch::TrialLaunch(Bound bound, const TrialBudget& budget, std::stop_token stop)
    : bound_(std::move(bound)), budget_(budget), stop_(std::move(stop)) {}

std::expected<TrialLaunch, std::string> TrialLaunch::make(const lower::LoweredKernel& kernel, const TrialBudget& budget,
                                                          const Bindings& values, const Integers& integers,
                                                          const std::stop_token& stop) {
  std::vector<const lower::LoweredKernel*> in_turn = budget.before;
  in_turn.push_back(&kernel);
  auto bound = bind(std::span(std::as_const(in_turn)), values);
  if (!bound) return std::unexpected("it cannot be launched with small values: " + bound.error());
  if (bound->job.bytes() > budget.bytes)
    return std::unexpected("its tensors take " + std::to_string(bound->job.bytes() >> 30) + " GB, and " +
                           std::to_string(budget.bytes >> 30) + " are tried at most");
  TrialLaunch out(std::move(*bound), budget, stop);
  out.make_up(kernel, integers);
  if (auto error = out.run_before()) return std::unexpected(std::move(*error));
  return out;
}

void TrialLaunch::make_up(const lower::LoweredKernel& kernel, const Integers& integers) {
  std::unordered_set<std::string_view> plain;
  std::unordered_map<std::string_view, const Differing*> differing;
  for (const lower::KernelParam& p : kernel.plan.params) {
    if (!p.tensor) continue;
    if (integers.plain.contains(p.tensor->data)) plain.insert(p.tensor->name);
    if (const auto own = integers.differing.find(p.tensor->data); own != integers.differing.end())
      differing[p.tensor->name] = &own->second;
  }
  for (std::size_t i = 0; i < bound_.job.buffers.size(); ++i) {
    const std::string_view name = bound_.tensors[i].name;
    const auto own = differing.find(name);
    make_up(i, plain.contains(name), own == differing.end() ? nullptr : own->second);
  }
}

// Tensors of any size: a short stretch again and again, or all 0. An integer that the kernel writes, too, may be a
// counter: it starts at 0.
void TrialLaunch::make_up(std::size_t buffer, bool is_plain, const Differing* differing) {
  const JobBuffer& b = bound_.job.buffers[buffer];
  const BoundTensor& tensor = bound_.tensors[buffer];
  simulate::Tensor& t = memory_.emplace_back();
  t.defined = b.role != Role::Output;
  t.made_up = b.bytes;
  if (t.defined && fill_as_said(buffer)) return;
  const bool decides = tensor.dtype.is_integral() && !is_plain;
  const bool counted = decides && differing && tensor.role == Role::Input;
  if (!t.defined || (tensor.dtype.is_integral() && tensor.role != Role::Input) || (decides && !counted)) return;
  const std::int64_t stretch = simulate::Pages::pattern_for(b.bytes);
  std::vector<std::byte>& bytes = patterns_.emplace_back(static_cast<std::size_t>(stretch));
  if (counted) {
    fill_differing(tensor.dtype, bytes, *differing);
  } else {
    fill_random(tensor.dtype, reinterpret_cast<char*>(bytes.data()), stretch, buffer + 1);
  }
  t.pattern = bytes;
}

bool TrialLaunch::fill_as_said(std::size_t buffer) {
  constexpr std::int64_t kMostBytes = std::int64_t{16} << 20;
  const BoundTensor& tensor = bound_.tensors[buffer];
  const auto said = budget_.fills.find(tensor.name);
  simulate::Tensor& t = memory_[buffer];
  if (said == budget_.fills.end() || t.made_up > kMostBytes) return false;
  const std::optional<Contents> contents = filled(said->second, tensor.dtype, t.made_up, buffer + 1);
  if (!contents) return false;
  const auto bytes = std::as_bytes(std::span(contents->view()));
  t.bytes.assign(bytes.begin(), bytes.end());
  t.made_up = 0;
  return true;
}

// What the kernels before it leave is what it finds; what they do wrong is told of themselves.
std::optional<std::string> TrialLaunch::run_before() {
  if (bound_.launches.size() < 2) return std::nullopt;
  if (bound_.job.bytes() > budget_.memory)
    return "the tensors of its sequence take " + std::to_string(bound_.job.bytes() >> 20) + " MB, and " +
           std::to_string(budget_.memory >> 20) + " are tried at most";
  for (simulate::Tensor& t : memory_) {
    if (!t.bytes.empty()) continue;
    t.bytes.resize(static_cast<std::size_t>(std::exchange(t.made_up, 0)));
    for (std::size_t at = 0; at < t.bytes.size() && !t.pattern.empty(); ++at)
      t.bytes[at] = t.pattern[at % t.pattern.size()];
    t.pattern = {};
  }
  for (const BoundLaunch& launch : std::span(bound_.launches).first(bound_.launches.size() - 1)) {
    simulate::Options options;
    options.max_steps = budget_.steps;
    options.max_bytes = budget_.memory;
    options.stop = stop_;
    auto memory = [&](std::size_t at) { return memory_[at]; };
    simulate::Result result = simulate::run(*launch.kernel, launch_inputs(bound_, launch, memory), options);
    if (!result.finished) return "the kernels before it in its sequence do not come to their end";
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      auto left = result.tensors.find(bound_.job.buffers[i].name);
      if (left == result.tensors.end()) continue;
      memory_[i].bytes = std::move(left->second.bytes);
      auto own = std::ranges::find(launch.tensors, bound_.job.buffers[i].name, &BoundTensor::name);
      if (own != launch.tensors.end() && own->role != Role::Input) memory_[i].defined = memory_[i].by_kernel = true;
    }
  }
  return std::nullopt;
}

simulate::Result TrialLaunch::run(simulate::Timing timing, std::span<const std::uint64_t> clusters, std::uint64_t steps,
                                  bool beside) const {
  simulate::Options options;
  options.races = true;
  options.goes_on_unknown = true;
  options.max_steps = steps;
  options.max_bytes = budget_.memory;
  options.chosen.assign(clusters.begin(), clusters.end());
  options.max_ctas = ~std::uint64_t{0};  // the steps are what takes time
  options.timing = timing;
  options.jobs = beside ? budget_.jobs : 1;
  options.stop = stop_;
  const BoundLaunch& last = bound_.launches.back();
  return simulate::run(*last.kernel, launch_inputs(bound_, last, [&](std::size_t at) { return memory_[at]; }), options);
}

simulate::Result TrialLaunch::run_paced(std::uint64_t cluster, std::uint64_t steps, simulate::PaceRecord& pace) const {
  simulate::Options options;
  options.goes_on_unknown = true;
  options.profile = true;
  options.max_steps = steps;
  options.max_bytes = budget_.memory;
  options.chosen = {cluster};
  options.stop = stop_;
  const BoundLaunch& last = bound_.launches.back();
  return simulate::run_paced(*last.kernel, launch_inputs(bound_, last, [&](std::size_t at) { return memory_[at]; }),
                             options, pace);
}

}  // namespace tilewright::run
