#include "compiler/run/simulated_executor.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "compiler/ir/origin.h"
#include "compiler/run/parallel.h"
#include "compiler/simulate/hazards/causes.h"
#include "compiler/simulate/profile/details.h"
#include "compiler/threads/alarm.h"

namespace tilewright::run {
namespace {

using namespace ir;

}  // namespace

simulate::Inputs launch_inputs(const Bound& bound, const BoundLaunch& launch,
                               const std::function<simulate::Tensor(std::size_t)>& memory) {
  simulate::Inputs inputs;
  // Every buffer has its place in each launch: one kernel may leave pointers and tensor maps for the next.
  for (std::size_t at = 0; at < bound.job.buffers.size(); ++at) {
    const JobBuffer& buffer = bound.job.buffers[at];
    auto own = std::ranges::find(launch.tensors, buffer.name, &BoundTensor::name);
    const bool named = own != launch.tensors.end();
    if (!named && bound.launches.size() == 1) continue;
    simulate::Tensor t = memory(at);
    if (named) t.shape = own->shape;
    t.written = named && own->role != Role::Input;
    t.place = static_cast<std::uint32_t>(at + 1);
    (named ? inputs.tensors : inputs.others).emplace(buffer.name, std::move(t));
  }
  for (const auto& [name, value] : bound.values)
    inputs.scalars.emplace(name, value.real ? simulate::Scalar(value.floating) : simulate::Scalar(value.integer));
  for (const auto& [name, value] : launch.extents) inputs.scalars.insert_or_assign(name, simulate::Scalar(value));
  return inputs;
}

namespace {

// Another launch comes behind what there is, with CTAs and arrows of its own.
void append(simulate::TimelineRecord& to, simulate::TimelineRecord more) {
  std::uint64_t time = 0;
  for (const auto& e : to.events) time = std::max(time, e.time + 1);
  for (auto& e : more.events) {
    e.time += time;
    e.process += to.processes;
    e.flow += e.flow ? to.flows : 0;
  }
  for (auto& n : more.names) n.process += to.processes;
  to.processes += more.processes;
  to.flows += more.flows;
  std::ranges::move(more.events, std::back_inserter(to.events));
  std::ranges::move(more.names, std::back_inserter(to.names));
  to.left_out += more.left_out;
}

}  // namespace

Outcome simulate_bound(const Bound& bound, const simulate::Options& options, unsigned char poison,
                       simulate::DetailsByKernel* details) {
  Outcome out;
  std::vector<Contents> contents;
  std::vector<bool> defined;
  for (const JobBuffer& b : bound.job.buffers) {
    contents.push_back(Contents::of_size(b.bytes));
    defined.push_back(b.role != Role::Output);
    if (b.role == Role::Output) {
      std::memset(contents.back().data(), poison, contents.back().size());
    } else {
      copy_bytes(contents.back().data(), b.contents.data(), b.bytes);
    }
  }
  std::vector<bool> by_kernel(bound.job.buffers.size());
  std::vector<std::vector<std::uint8_t>> written(bound.job.buffers.size());
  for (const BoundLaunch& launch : bound.launches) {
    auto memory = [&](std::size_t at) {
      simulate::Tensor t;
      t.defined = defined[at];
      t.by_kernel = by_kernel[at];
      t.bytes.resize(contents[at].size());
      copy_bytes(reinterpret_cast<char*>(t.bytes.data()), contents[at].data(), bound.job.buffers[at].bytes);
      return t;
    };
    const simulate::Inputs inputs = launch_inputs(bound, launch, memory);
    simulate::Result result = details && options.profile
                                  ? simulate::run_profiled(*launch.kernel, inputs, options, (*details)[launch.kernel])
                                  : simulate::run(*launch.kernel, inputs, options);
    out.printed += result.printed;
    append(out.timeline, std::move(result.timeline));
    for (auto& [number, place] : result.profile.places) out.profile.push_back(place);
    out.profiled_rows.merge(result.profile.rows);
    std::ranges::move(result.seen, std::back_inserter(out.seen));
    out.unseen += result.unseen;
    out.produced.resize(options.blame.size());
    for (std::size_t i = 0; i < result.produced.size(); ++i)
      if (result.produced[i]) out.produced[i] = result.produced[i];
    out.findings.insert(out.findings.end(), result.findings.begin(), result.findings.end());
    // What ran to its end has left values, and they are compared whatever was found.
    if (!result.finished || result.verdict == simulate::Verdict::Incomplete) {
      bool error = result.verdict == simulate::Verdict::Error;
      auto severity = error ? simulate::Severity::Error : simulate::Severity::Incomplete;
      auto finding = std::ranges::find(result.findings, severity, &simulate::Finding::severity);
      out.status = error ? Status::Fault : Status::Incomplete;
      out.message = finding == result.findings.end() ? "the simulator does not run it" : finding->message;
      return out;
    }
    for (std::size_t i = 0; i < bound.job.buffers.size(); ++i) {
      auto left = result.tensors.find(bound.job.buffers[i].name);
      if (left == result.tensors.end()) continue;
      copy_bytes(contents[i].data(), reinterpret_cast<const char*>(left->second.bytes.data()),
                 bound.job.buffers[i].bytes);
      if (auto mask = result.written.find(bound.job.buffers[i].name); mask != result.written.end()) {
        written[i].resize(mask->second.size());
        for (std::size_t b = 0; b < mask->second.size(); ++b) written[i][b] |= mask->second[b];
      }
      auto own = std::ranges::find(launch.tensors, bound.job.buffers[i].name, &BoundTensor::name);
      if (own != launch.tensors.end() && own->role != Role::Input) defined[i] = by_kernel[i] = true;
    }
  }
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const JobBuffer& b = bound.job.buffers[i];
    BufferOutcome& o = out.buffers.emplace_back();
    o.contents = contents[i];
    o.written = std::move(written[i]);
    if (b.role == Role::Input) o.changed = count_different(b.contents.data(), contents[i].data(), b.bytes);
  }
  return out;
}

std::expected<DeviceInfo, std::string> SimulatedExecutor::device(const std::stop_token&) {
  DeviceInfo info;
  info.name = "simulator";
  return info;
}

namespace {

// What another schedule adds to the first: findings, bytes that differ, bytes that kept the poison of each.
void add(Outcome& out, Outcome other, const Bound& bound, std::array<unsigned char, 2> poisons) {
  const Job& job = bound.job;
  for (simulate::Finding& f : other.findings) {
    const bool known = std::ranges::any_of(
        out.findings, [&](const simulate::Finding& had) { return simulate::tell_the_same(had, f); });
    if (!known) out.findings.push_back(std::move(f));
  }
  simulate::put_causes_first(out.findings, bound.launches.size() == 1 ? bound.launches.front().kernel : nullptr);
  if (other.status != Status::Done) {
    other.findings = std::move(out.findings);
    // What was asked for was of the first.
    other.seen = std::move(out.seen);
    other.unseen = out.unseen;
    other.timeline = std::move(out.timeline);
    other.profile = std::move(out.profile);
    other.profiled_rows = std::move(out.profiled_rows);
    out = std::move(other);
    return;
  }
  for (std::size_t i = 0; i < out.buffers.size(); ++i) {
    const char *one = out.buffers[i].contents.data(), *two = other.buffers[i].contents.data();
    const std::int64_t bytes = job.buffers[i].bytes;
    std::int64_t unwritten = 0;
    if (const auto& written = out.buffers[i].written; !written.empty()) {
      for (std::int64_t at = 0; at < bytes; ++at)
        out.buffers[i].unstable += written[static_cast<std::size_t>(at)] && one[at] != two[at];
      continue;
    }
    if (job.buffers[i].role == Role::Output) {
      for (std::int64_t at = 0; at < bytes; ++at) {
        const bool kept = one[at] == static_cast<char>(poisons[0]) && two[at] == static_cast<char>(poisons[1]);
        unwritten += kept;
        if (kept) other.buffers[i].contents.data()[at] = one[at];
      }
    }
    out.buffers[i].unwritten = unwritten;
    const std::int64_t differ = count_different(one, two, bytes);
    out.buffers[i].unstable = std::max(out.buffers[i].unstable, differ);
    if (differ > 0) out.buffers[i].schedules.push_back(std::move(other.buffers[i].contents));
  }
}

}  // namespace

namespace {

// "clusters 0 to 1 of 8". Empty: all of them; a failure: there is none of that number.
std::string part_text(const JobLaunch& launch, const simulate::Options::Part& part, bool* none) {
  if (part.is_all()) return {};
  std::uint64_t all = 1;
  for (std::size_t d = 0; d < 3; ++d)
    all *= static_cast<std::uint64_t>(launch.grid[d] / std::max<std::int64_t>(1, launch.cluster[d]));
  *none = part.begin >= std::min(part.end, all);
  const std::string noun = launch.cluster == std::array<std::int64_t, 3>{1, 1, 1} ? "CTA" : "cluster";
  const std::string of = " of " + std::to_string(all);
  if (*none) return noun + " " + std::to_string(part.begin) + of;
  const std::uint64_t count = (std::min(part.end, all) - part.begin + part.step - 1) / part.step;
  if (count == all) return {};
  if (count == 1) return noun + " " + std::to_string(part.begin) + of;
  std::string out =
      noun + "s " + std::to_string(part.begin) + " to " + std::to_string(part.begin + (count - 1) * part.step) + of;
  if (part.step > 1) out += " in steps of " + std::to_string(part.step);
  return out;
}

}  // namespace

namespace {

// Requests a stop when the caller does, or when the time is over.
class Deadline {
 public:
  Deadline(std::chrono::milliseconds time, const std::stop_token& outer)
      : outer_(outer, [this] { source_.request_stop(); }), alarm_(time, [this] {
          is_over_ = true;
          source_.request_stop();
        }) {}
  std::stop_token token() const { return source_.get_token(); }
  bool is_over() const { return is_over_; }

 private:
  std::stop_source source_;
  std::atomic<bool> is_over_{false};
  std::stop_callback<std::function<void()>> outer_;
  threads::Alarm alarm_;
};

}  // namespace

Outcome SimulatedExecutor::execute(const Bound& bound, const std::stop_token& stop) {
  const Deadline deadline(deadline_, stop);
  Outcome out = execute_all(bound, deadline.token());
  if (!deadline.is_over() || stop.stop_requested() || out.status != Status::Stopped) return out;
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%g", std::chrono::duration<double>(deadline_).count());
  out = {};
  out.status = Status::Timeout;
  out.message = "the simulator was ended after the " + std::string(seconds) + " s it may take";
  return out;
}

Outcome SimulatedExecutor::execute_all(const Bound& bound, const std::stop_token& stop) {
  constexpr std::array<unsigned char, 2> kPoisons = {0xFF, 0x7B};
  Outcome out;
  bool none = false;
  const std::string part = part_text(bound.job.launches[0], options_.clusters, &none);
  if (none) {
    out.status = Status::Incomplete;
    out.message = "there is no " + part;
    return out;
  }
  const int schedules = bound.job.schedules > 0 ? bound.job.schedules : schedules_;
  for (int schedule = 0; schedule < schedules && out.status == Status::Done; ++schedule) {
    using enum simulate::Timing;
    simulate::Options options = options_;
    options.stop = stop;
    if (options_.progress && schedules > 1) {
      const auto all = static_cast<std::uint64_t>(schedules), before = static_cast<std::uint64_t>(schedule);
      options.progress = [&, all, before](std::uint64_t done, std::uint64_t of) {
        options_.progress(before * of + done, all * of);
      };
    }
    options.timing = schedule == 0 ? Latest : schedule == 1 ? Earliest : Random;
    options.seed = static_cast<std::uint64_t>(schedule);
    // Of the first one, whose results are compared.
    if (schedule > 0) options.timeline = options.max_seen = 0;
    if (schedule > 0) options.profile = false;
    Outcome one = simulate_bound(bound, options, kPoisons[schedule == 0 ? 0 : 1], details_);
    if (stop.stop_requested()) {
      one.status = Status::Stopped;
      return one;
    }
    if (schedule == 0) {
      out = std::move(one);
    } else {
      add(out, std::move(one), bound, kPoisons);
    }
  }
  out.part = part;
  return out;
}

}  // namespace tilewright::run
