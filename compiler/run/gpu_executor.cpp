#include "compiler/run/gpu_executor.h"

#include <algorithm>
#include <limits>

#include "compiler/run/ncu.h"
#include "compiler/run/turns.h"

namespace tilewright::run {
namespace {

using toolchain::field;
using toolchain::HelperProcess;
using toolchain::Record;
using toolchain::take;

// The driver maps what it likes; only our own buffers could grow, and the limit of the options bounds those.
constexpr std::uint64_t kAnyMemory = std::numeric_limits<std::uint64_t>::max();

Outcome lost(HelperProcess::Failure failure) {
  Outcome out;
  switch (failure.kind) {
    case HelperProcess::Failure::Kind::Time: out.status = Status::Timeout; break;
    case HelperProcess::Failure::Kind::Stopped: out.status = Status::Stopped; break;
    default: out.status = Status::Lost; break;
  }
  out.message = std::move(failure.message);
  return out;
}

// Other than that there is no CUPTI at all.
bool is_unexplained(std::string_view absent) { return !absent.empty() && !absent.starts_with("there is no"); }

bool is_ncu(const std::string& profiler) { return std::filesystem::path(profiler).filename() == "ncu"; }

std::string libraries_of(const std::vector<std::string>& profilers) {
  std::string out;
  for (const std::string& one : profilers)
    if (!is_ncu(one)) out += one + "\n";
  return out;
}

}  // namespace

GpuExecutor::GpuExecutor(GpuOptions options) : options_(std::move(options)) {
  // Not its resolved name: the file may have been replaced by a newer build while this process runs.
  if (options_.helper.empty()) options_.helper = "/proc/self/exe";
  options_.environment.push_back("LC_ALL=C");
}
GpuExecutor::~GpuExecutor() = default;

std::expected<DeviceInfo, std::string> GpuExecutor::device(const std::stop_token& stop) {
  if (helper_ && device_) return *device_;
  auto open = [&](const std::vector<std::string>& arguments) -> std::expected<DeviceInfo, std::string> {
    auto started = HelperProcess::start({options_.helper, arguments, options_.environment, "kernel"});
    if (!started) return std::unexpected(started.error());
    ++processes_;
    helper_ = std::move(*started);
    auto answer = helper_->call({{"op", "open"},
                                 {"library", options_.library},
                                 {"management", options_.management},
                                 {"profilers", samples_ ? libraries_of(options_.profilers) : std::string()},
                                 {"device", std::to_string(options_.device)}},
                                options_.start_limit, kAnyMemory, stop);
    auto given_up = [&](std::string why) {
      helper_.reset();
      return std::unexpected(std::move(why));
    };
    if (!answer) return given_up(answer.error().message);
    if (field(*answer, "status") == "failed") return given_up(take(*answer, "message"));
    auto device = decode_device(*answer);
    if (!device) return given_up(device.error());
    device_ = *device;
    return *device_;
  };
  auto opened = open(unconfined_ ? std::vector<std::string>{"gpu-helper", "unconfined"} : options_.helper_arguments);
  // Where the driver lies or works in a way that driver_reach.h does not know, the user's own kernels run without
  // confinement, and the device's name says so. A worker for strangers demands it by another argument.
  const bool demanded = options_.helper_arguments != std::vector<std::string>{"gpu-helper"};
  if (opened || stop.stop_requested() || !opened.error().starts_with("the "))
    return opened;  // "no driver", "no such device"
  if (demanded) return std::unexpected(opened.error() + " (in a process that opens the driver's files alone)");
  if (!open({"gpu-helper", "unconfined"})) return opened;
  device_->name += " (its process is not confined)";
  return *device_;
}

// What wants samples has a process of its own: CUPTI must not be in the way of what others measure. Where it fails in a
// confined one and confinement is not demanded, the user's own kernels run once more without it.
Outcome GpuExecutor::run(const Job& job, const std::stop_token& stop) {
  if (!job.samples) return run_once(job, stop);
  helper_.reset();
  samples_ = true;
  Outcome out = run_once(job, stop);
  const bool demanded = options_.helper_arguments != std::vector<std::string>{"gpu-helper"};
  if (out.samples && is_unexplained(out.samples->absent) && !demanded) {
    helper_.reset();
    unconfined_ = true;
    if (Outcome again = run_once(job, stop); again.samples && again.samples->absent.empty()) out = std::move(again);
    unconfined_ = false;
  }
  helper_.reset();
  samples_ = false;
  const auto ncu = std::ranges::find_if(options_.profilers, is_ncu);
  const bool lacks = out.samples && !out.samples->absent.empty() && !is_unexplained(out.samples->absent);
  if (!lacks || demanded || ncu == options_.profilers.end()) return out;
  auto read = sampled_by_ncu({*ncu, options_.helper, options_.environment, options_.library, options_.management,
                              options_.device, options_.start_limit + options_.deadline},
                             job, stop);
  if (read)
    out.samples = std::move(*read);
  else
    out.samples->absent += "; " + read.error();
  return out;
}

Outcome GpuExecutor::run_once(const Job& job, const std::stop_token& stop) {
  Outcome out;
  if (std::int64_t bytes = job.host_bytes(); bytes > options_.memory_limit) {
    out.status = Status::NotLaunched;
    out.message = "the tensors take " + std::to_string(bytes) + " bytes of this machine's memory; at most " +
                  std::to_string(options_.memory_limit) + " are used";
    return out;
  }
  // A job that refuses before its launch must not be blamed for a context that its predecessor lost.
  if (auto device = this->device(stop); !device) {
    out.status = stop.stop_requested() ? Status::Stopped : Status::NoDriver;
    out.message = device.error();
    return out;
  }
  // Memory that is not touched costs nothing: of an unchanged input nothing comes back.
  const std::vector<Contents> results = results_for(job);
  Message message = encode(job, results);
  std::chrono::milliseconds patience = options_.deadline + std::chrono::milliseconds(job.bytes() * 1000 / (256 << 20));
  // Each timed round fills, copies and empties memory of the device, at hundreds of gigabytes a second.
  const std::int64_t rounds = job.repeats > 0 ? job.warmups + job.repeats : 0;
  patience += std::chrono::milliseconds(rounds * (1 + (job.bytes() + job.copy_bytes) / (64 << 20)));
  // What is checked of them afterwards comes over the bus, and each check loads the kernels again.
  const std::int64_t checks =
      job.repeats > 0 ? (std::min(2 * job.repeats, kMostChecks) + kMixed) * (job.rivals.empty() ? 1 : 2) : 0;
  patience += std::chrono::milliseconds(checks * (2 + job.bytes() / (4 << 20)));
  constexpr std::chrono::seconds kSampling{10};  // CUPTI starts, samples, and relates what it took to instructions
  if (job.samples || !job.marked.empty()) patience += kSampling;
  auto answer = helper_->call(message.record, patience, kAnyMemory, stop, message.descriptors);
  if (!answer) {
    helper_.reset();
    return lost(std::move(answer.error()));
  }
  if (field(*answer, "status") == "failed") {
    out.status = Status::NotLaunched;
    out.message = take(*answer, "message");
    return out;
  }
  auto outcome = decode_outcome(std::move(*answer), job, results);
  if (!outcome) {
    helper_.reset();
    out.status = Status::Lost;
    out.message = outcome.error();
    return out;
  }
  if (outcome->status == Status::Fault) helper_.reset();
  return std::move(*outcome);
}

}  // namespace tilewright::run
