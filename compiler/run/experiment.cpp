#include "compiler/run/experiment.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "compiler/run/element.h"
#include "compiler/run/parallel.h"
#include "compiler/run/simulated_executor.h"
#include "compiler/toolchain/digest.h"

namespace tilewright::run {
namespace {

Bindings bindings_of(std::span<const lower::LoweredKernel* const> kernels, const Wanted& wanted) {
  Bindings out;
  out.values = wanted.values;
  for (const lower::LoweredKernel* kernel : kernels) {
    // Raw pointers take what they are given; for the rest the shapes bind extents.
    for (const lower::KernelParam& p : kernel->plan.params) {
      if (p.kind != lower::ParamKind::Pointer || p.tensor) continue;
      auto array = wanted.inputs.find(param_name(p));
      if (array != wanted.inputs.end())
        out.raw_bytes[array->first] = static_cast<std::int64_t>(array->second.array.data.size());
    }
    for (const ir::Param& p : kernel->kernel->params) {
      if (!p.buffer) continue;
      auto array = wanted.inputs.find(p.buffer->name);
      if (array != wanted.inputs.end()) out.shapes[array->first] = tensor_shape(array->second.array, p.buffer->dtype);
    }
  }
  return out;
}

// The bytes of the fewest elements that take whole ones.
std::int64_t whole_bytes(ir::DataType dtype) {
  const std::int64_t bits = dtype.element().storage_bits();
  return bits <= 0 ? 0 : std::lcm(bits, std::int64_t{8}) / 8;
}

}  // namespace

std::expected<Experiment, Failure> Experiment::set_up(std::vector<const lower::LoweredKernel*> kernels, Wanted wanted,
                                                      const std::string& name) {
  Experiment e(std::move(wanted));
  auto bound = run::bind(kernels, bindings_of(kernels, e.wanted_));
  if (!bound) return std::unexpected(Failure{name + " cannot be launched: " + bound.error(), {}});
  e.report.bound = std::move(*bound);
  e.kernels_ = std::move(kernels);
  e.report.seed = e.wanted_.seed;
  Job& job = e.report.bound.job;
  job.warmups = e.wanted_.warmups;
  job.repeats = e.wanted_.repeats;
  job.schedules = e.wanted_.schedules;
  job.samples = e.wanted_.samples;
  e.report.tensors.resize(job.buffers.size());
  e.sum_ = longest_sum(e.report.bound);

  auto unknown = [&](const std::string& tensor) {
    std::string known;
    for (const JobBuffer& b : job.buffers) known += (known.empty() ? "" : ", ") + b.name;
    return std::unexpected(Failure{"the kernel has no tensor " + tensor, "it has " + (known.empty() ? "none" : known)});
  };
  for (const auto* given : {&e.wanted_.inputs, &e.wanted_.expected}) {
    for (const auto& [tensor, array] : *given)
      if (!e.buffer_named(tensor)) return unknown(tensor);
  }
  for (const auto* fills : {&e.wanted_.fills, &e.wanted_.expected_fills}) {
    for (const auto& [tensor, fill] : *fills) {
      auto at = e.buffer_named(tensor);
      if (!at) return unknown(tensor);
      const ir::DataType dtype = e.report.bound.tensors[*at].dtype;
      if (fill.kind != Fill::Kind::Poison && !filled(fill, dtype, 0, 0))
        return std::unexpected(
            Failure{tensor + "=" + fill.text + ": " + ir::dtype_name(dtype) + " has no numbers", {}});
      if (fills == &e.wanted_.fills && fill.kind == Fill::Kind::Poison) e.wanted_.outputs.push_back(tensor);
    }
  }
  for (const std::string& tensor : e.wanted_.outputs) {
    auto at = e.buffer_named(tensor);
    if (!at) return unknown(tensor);
    job.buffers[*at].role = e.report.bound.tensors[*at].role = Role::Output;
  }
  for (std::size_t i = 0; i < job.buffers.size(); ++i)
    if (auto failure = e.take(i)) return std::unexpected(*failure);
  if (std::int64_t bytes = job.host_bytes(); bytes > e.wanted_.memory_limit) {
    return std::unexpected(Failure{"the tensors take " + std::to_string(bytes) +
                                       " bytes of this machine's memory; at most " +
                                       std::to_string(e.wanted_.memory_limit) + " are used",
                                   "allow more with --memory-limit GIGABYTES"});
  }
  for (const auto& [tensor, given] : e.wanted_.expected) {
    const BoundTensor& b = e.report.bound.tensors[*e.buffer_named(tensor)];
    if (auto fits = matches(given.array, b.dtype, array_shape(b)); !fits)
      return std::unexpected(Failure{given.from + ": " + fits.error(), {}});
  }
  return e;
}

std::expected<void, Failure> Experiment::set_rivals(std::vector<const lower::LoweredKernel*> kernels,
                                                    const std::string& name) {
  Job& job = report.bound.job;
  report.rival = name;
  std::vector<const lower::LoweredKernel*> both = kernels_;
  both.insert(both.end(), kernels.begin(), kernels.end());
  auto bound = run::bind(both, bindings_of(both, wanted_));
  if (!bound) return std::unexpected(Failure{name + " cannot be launched beside it: " + bound.error(), {}});
  const bool same = std::ranges::equal(bound->job.buffers, job.buffers, [](const JobBuffer& a, const JobBuffer& b) {
    return a.name == b.name && a.bytes == b.bytes;
  });
  if (!same) return std::unexpected(Failure{name + " has other tensors than " + report.kernel, {}});
  job.rivals.assign(bound->job.launches.begin() + static_cast<std::ptrdiff_t>(kernels_.size()),
                    bound->job.launches.end());
  return {};
}

// Where the first contents of a buffer come from; those that are given.
std::optional<Failure> Experiment::take(std::size_t i) {
  JobBuffer& b = report.bound.job.buffers[i];
  BoundTensor& tensor = report.bound.tensors[i];
  auto given = wanted_.inputs.find(b.name);
  if (given == wanted_.inputs.end()) {
    auto fill = wanted_.fills.find(b.name);
    const bool filled = fill != wanted_.fills.end() && fill->second.kind != Fill::Kind::Poison;
    if (filled && b.role == Role::Output) b.role = tensor.role = Role::InOut;
    report.tensors[i].source = filled ? fill->second.text : b.role == Role::Output ? "poison" : "random";
    return std::nullopt;
  }
  const auto& [from, array] = given->second;
  auto fits = matches(array, tensor.dtype, array_shape(tensor));
  if (!fits && tensor.dtype != ir::kUInt8) return Failure{from + ": " + fits.error(), {}};
  if (static_cast<std::int64_t>(array.data.size()) != b.bytes) {
    return Failure{
        from + " has " + std::to_string(array.data.size()) + " bytes, " + b.name + " takes " + std::to_string(b.bytes),
        {}};
  }
  if (b.role == Role::Output) b.role = tensor.role = Role::InOut;
  b.contents = array.data;
  report.tensors[i].source = from;
  return std::nullopt;
}

void Experiment::fill() {
  for (std::size_t i = 0; i < report.bound.job.buffers.size(); ++i) {
    JobBuffer& b = report.bound.job.buffers[i];
    if (b.role == Role::Output || wanted_.inputs.contains(b.name)) continue;
    std::uint64_t seed = wanted_.seed;
    for (char c : b.name) seed = seed * 1099511628211ull + static_cast<unsigned char>(c);
    auto fill = wanted_.fills.find(b.name);
    const Fill with = fill == wanted_.fills.end() ? Fill() : fill->second;
    const ir::DataType dtype = report.bound.tensors[i].dtype;
    b.contents = *filled(with, dtype, b.bytes, seed);
    // Random numbers are as good in other places; not where an order of the results is found out by the first ones.
    if (with.kind == Fill::Kind::Random && wanted_.unordered.empty()) b.turn = whole_bytes(dtype);
  }
}

void Experiment::execute(Executor& executor, const std::stop_token& stop) {
  Job& job = report.bound.job;
  if (job.repeats > 0) {
    std::int64_t moved = 0;
    for (const JobBuffer& b : job.buffers) moved += b.role == Role::InOut ? 0 : b.bytes;
    constexpr std::int64_t kAlign = 16;
    job.copy_bytes = moved / 2 / kAlign * kAlign;
  }
  report.outcome = executor.execute(report.bound, stop);
  if (report.outcome.status != Status::Done) return;
  if (!report.outcome.measured.cold.empty()) report.timing = timing_of(report);
  for (const auto& [tensor, given] : wanted_.expected)
    compare_with(*buffer_named(tensor), given.array.data, given.from);
  for (const auto& [tensor, fill] : wanted_.expected_fills) {
    const std::size_t i = *buffer_named(tensor);
    compare_with(i, *filled(fill, report.bound.tensors[i].dtype, report.bound.job.buffers[i].bytes, wanted_.seed),
                 fill.text);
  }
}

std::optional<std::size_t> Experiment::buffer_named(std::string_view name) const {
  const auto& buffers = report.bound.job.buffers;
  auto at = std::ranges::find(buffers, name, &JobBuffer::name);
  if (at == buffers.end()) return std::nullopt;
  return static_cast<std::size_t>(at - buffers.begin());
}

void Experiment::compare_with(std::size_t i, std::string_view expected, const std::string& from) {
  TensorReport& t = report.tensors[i];
  ir::DataType dtype = report.bound.tensors[i].dtype;
  t.expected_from = from;
  t.zeros = std::ranges::all_of(expected, [](char byte) { return byte == 0; });
  const bool sums = !wanted_.absolute && sum_.terms > 1 && dtype.is_floating();
  t.tolerance = tolerance_of(dtype, sum_, sums ? largest_magnitude(dtype, expected) : 0);
  if (wanted_.relative) t.tolerance.relative = *wanted_.relative;
  if (wanted_.absolute) t.tolerance.absolute = *wanted_.absolute;
  const BufferOutcome& left = report.outcome.buffers[i];
  if (left.written.empty()) {
    const bool unordered = wanted_.unordered.contains(report.bound.job.buffers[i].name);
    auto held = [&](std::string_view got) {
      if (!unordered) return compare(dtype, got, expected, t.tolerance);
      return compare(dtype, in_any_order(i, got), in_any_order(i, expected), t.tolerance);
    };
    t.comparison = held(left.contents);
    if (!left.later.empty()) t.later = held(left.later);
    // One that is not as expected says more than those that are.
    for (const Contents& contents : left.schedules) {
      Comparison other = held(contents);
      if (!t.schedule || other.mismatches > t.schedule->mismatches) t.schedule = other;
    }
    return;
  }
  // What the CTAs that ran have not written is not looked at.
  std::string got(expected);
  for (std::size_t b = 0; b < std::min(left.written.size(), got.size()); ++b)
    if (left.written[b]) got[b] = left.contents.data()[b];
  t.comparison = compare(dtype, got, expected, t.tolerance);
}

// A number, a scalar or extent of the kernels, or what a tensor of one element holds after the run.
std::optional<std::int64_t> Experiment::number_of(std::string_view word) const {
  if (const auto number = inputs::parse_number(word)) return number->integer;
  const Bound& bound = report.bound;
  if (auto it = bound.extents.find(word); it != bound.extents.end()) return it->second;
  if (auto it = bound.values.find(word); it != bound.values.end()) return it->second.integer;
  const auto at = buffer_named(word.substr(0, word.find('[')));
  if (!at) return std::nullopt;
  const BoundTensor& t = bound.tensors[*at];
  const Contents& left = t.role == Role::Input ? bound.job.buffers[*at].contents : report.outcome.buffers[*at].contents;
  const std::int64_t width = t.dtype.storage_bits() / 8;
  if (!t.dtype.is_integral() || t.bytes != width || static_cast<std::int64_t>(left.size()) != width)
    return std::nullopt;
  const std::uint64_t bits = element_bits(t.dtype, left, 0);
  const auto value = decode_element(t.dtype, bits);
  return value ? std::optional(static_cast<std::int64_t>(*value)) : std::nullopt;
}

// The elements that are compared, in their order by value.
std::string Experiment::in_any_order(std::size_t i, std::string_view contents) const {
  const BoundTensor& t = report.bound.tensors[i];
  const Unordered& part = wanted_.unordered.find(t.name)->second;
  const auto from = part.whole() ? 0 : number_of(part.from), to = part.whole() ? 0 : number_of(part.to);
  const std::int64_t rows = t.shape.empty() ? 0 : t.shape.front();
  if (part.whole() || !from || !to || !t.compact || rows <= 0) return in_order(t.dtype, contents);
  const auto row = static_cast<std::size_t>(t.bytes / rows);
  const std::int64_t last = std::clamp<std::int64_t>(*to, 0, rows), first = std::clamp<std::int64_t>(*from, 0, last);
  return in_order(t.dtype,
                  contents.substr(static_cast<std::size_t>(first) * row, static_cast<std::size_t>(last - first) * row));
}

std::expected<void, Failure> Experiment::expect(const std::string& tensor, const GivenArray& given) {
  const auto at = buffer_named(tensor);
  if (!at) return std::unexpected(Failure{given.from + ": the kernel has no tensor " + tensor, {}});
  const BoundTensor& t = report.bound.tensors[*at];
  if (t.role == Role::Input || report.tensors[*at].comparison) return {};
  if (auto fits = matches(given.array, t.dtype, array_shape(t)); !fits)
    return std::unexpected(Failure{given.from + ": " + tensor + ": " + fits.error(), {}});
  compare_with(*at, given.array.data, given.from);
  return {};
}

std::expected<void, Failure> Experiment::expect(const lower::LoweredKernel& reference, const std::string& name,
                                                Executor& executor, const Cubin& cubin, const std::stop_token& stop) {
  auto expected = results_of(reference, name, executor, cubin, 0, stop);
  if (!expected) return std::unexpected(expected.error());
  expect(*expected);
  return {};
}

std::expected<Expected, Failure> Experiment::results_of(const lower::LoweredKernel& reference, const std::string& name,
                                                        Executor& executor, const Cubin& cubin,
                                                        std::uint64_t host_steps, const std::stop_token& stop) const {
  auto failed = [&](const std::string& what) {
    return std::unexpected(Failure{"the reference " + name + " " + what, {}});
  };
  const lower::LoweredKernel* one[] = {&reference};
  auto bound = run::bind(one, bindings_of(one, wanted_));
  if (!bound) return failed("cannot be launched: " + bound.error());
  for (std::size_t i = 0; i < bound->tensors.size(); ++i) {
    JobBuffer& b = bound->job.buffers[i];
    auto mine = buffer_named(b.name);
    if (!mine || report.bound.tensors[*mine].dtype != bound->tensors[i].dtype ||
        report.bound.job.buffers[*mine].bytes != b.bytes)
      return failed("has a tensor " + b.name + " that " + report.kernel + " has not, or not of that type and size");
    b.role = bound->tensors[i].role = report.bound.tensors[*mine].role;
    b.contents = report.bound.job.buffers[*mine].contents;
  }
  // It was asked for, and can be stopped: only a reference that does not end has to be.
  simulate::Options options;
  options.max_steps = host_steps ? host_steps : 200'000'000'000;
  options.max_ctas = ~std::uint64_t{0};
  options.stop = stop;
  Expected out;
  out.where = "reference " + name + " on the host";
  Outcome outcome = simulate_bound(*bound, options);
  if (outcome.status == Status::Fault) return failed("fails on the host: " + outcome.message);
  if (outcome.status == Status::Stopped || stop.stop_requested()) return std::unexpected(Failure{});
  if (outcome.status != Status::Done && !executor.runs_cubins())
    return failed("cannot be executed here: " + outcome.message);
  if (outcome.status != Status::Done) {
    out.where = "reference " + name + " on the GPU";
    auto made = cubin();
    if (!made) return std::unexpected(made.error());
    bound->job.launches.front().cubin = std::move(*made);
    bound->job.repeats = 0;
    outcome = executor.execute(*bound, stop);
    if (outcome.status == Status::Stopped) return std::unexpected(Failure{});
    if (outcome.status != Status::Done) return failed("fails: " + outcome.message);
  }
  out.sum = longest_sum(*bound);
  for (std::size_t i = 0; i < bound->tensors.size(); ++i)
    if (bound->tensors[i].role != Role::Input) out.tensors[bound->tensors[i].name] = outcome.buffers[i].contents;
  return out;
}

void Experiment::expect(const Expected& expected) {
  sum_ = {std::max(sum_.terms, expected.sum.terms), std::max(sum_.unit, expected.sum.unit)};
  for (const auto& [tensor, contents] : expected.tensors) {
    const auto mine = buffer_named(tensor);
    if (!mine || report.bound.tensors[*mine].role == Role::Input || report.tensors[*mine].comparison) continue;
    compare_with(*mine, contents, expected.where);
  }
}

bool Experiment::lacks_expectations() const {
  for (std::size_t i = 0; i < report.tensors.size(); ++i)
    if (report.bound.tensors[i].role != Role::Input && !report.tensors[i].comparison) return true;
  return false;
}

void Experiment::locate_fault() {
  simulate::Options options;
  options.max_steps = 50'000'000;
  const Outcome found = simulate_bound(report.bound, options);
  if (found.status != Status::Fault) return;
  const auto error = std::ranges::find(found.findings, simulate::Severity::Error, &simulate::Finding::severity);
  if (error != found.findings.end()) report.fault = error->origin.span;
  report.fault_reason = found.message;
}

void Experiment::locate_mismatches(const std::stop_token& stop) {
  simulate::Options options;
  options.max_steps = 400'000'000;
  options.max_ctas = ~std::uint64_t{0};
  options.seed = 0;  // of the first schedule, whose results are compared
  options.stop = stop;
  std::vector<std::size_t> wrong;
  for (std::size_t i = 0; i < report.tensors.size(); ++i) {
    const std::optional<Comparison>& c = report.tensors[i].comparison;
    if (!c || !c->mismatches) continue;
    const ir::DataType element = report.bound.tensors[i].dtype.element();
    const int width = decode_element(element, 0) ? element.storage_bits() : 8;
    wrong.push_back(i);
    options.blame.push_back({report.bound.tensors[i].name, c->first * width / 8});
  }
  if (wrong.empty()) return;
  const Outcome found = simulate_bound(report.bound, options);
  for (std::size_t i = 0; i < wrong.size() && i < found.produced.size(); ++i)
    report.tensors[wrong[i]].producer = found.produced[i];
}

void Experiment::digest() {
  const auto& buffers = report.outcome.buffers;
  in_parallel(buffers.size(), [&](std::size_t i) {
    report.tensors[i].digest = toolchain::hex(toolchain::sha256(buffers[i].contents));
  });
}

// What timed launches left of other inputs, with what they leave alone: as close as it has to be to what is expected.
void Experiment::compare_timed() {
  for (std::size_t i = 0; i < report.outcome.buffers.size(); ++i) {
    const BufferOutcome& b = report.outcome.buffers[i];
    if (b.alone.empty()) continue;
    TensorReport& t = report.tensors[i];
    const ir::DataType dtype = report.bound.tensors[i].dtype;
    const Tolerance tolerance =
        t.comparison ? t.tolerance : tolerance_of(dtype, sum_, largest_magnitude(dtype, b.alone));
    t.alone = compare(dtype, b.timed, b.alone, tolerance);
  }
}

void Experiment::judge() {
  compare_timed();
  // The simulator's own findings have their places.
  if (report.outcome.status == Status::Fault && report.outcome.findings.empty()) locate_fault();
  run::judge(report);
}

}  // namespace tilewright::run
