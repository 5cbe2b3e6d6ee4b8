#include "server/worker/simulated_job.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "compiler/process/fd.h"
#include "compiler/threads/pause.h"
#include "compiler/toolchain/confine.h"
#include "server/worker/script_job.h"

namespace tilewright::worker {
namespace {

namespace wire = protocol::worker;
using protocol::Json;
using toolchain::field;
using toolchain::HelperProcess;
using toolchain::Record;

Ending failed(HelperProcess::Failure failure) {
  Ending out;
  switch (failure.kind) {
    case HelperProcess::Failure::Kind::Time: out.outcome.status = run::Status::Timeout; break;
    case HelperProcess::Failure::Kind::Stopped: out.outcome.status = run::Status::Stopped; break;
    // Another try would need as much.
    case HelperProcess::Failure::Kind::Memory: out.outcome.status = run::Status::Incomplete; break;
    default: out.outcome.status = run::Status::Lost; break;
  }
  out.outcome.message = std::move(failure.message);
  return out;
}

Record refused(std::string why) { return {{"failed", std::move(why)}}; }

// One request, in the process: contents come before results, and the place for progress comes last.
Record serve(const Record& request, std::span<const process::Fd> files) {
  auto order = run::order_from_json(field(request, "order"));
  if (!order) return refused(order.error());
  std::size_t at = 0;
  auto mapped = [&](std::int64_t bytes) {
    return bytes > 0 && at < files.size() ? run::Contents::mapped(files[at++].get(), bytes) : run::Contents();
  };
  for (run::JobBuffer& b : order->buffers)
    if (b.role != run::Role::Output) b.contents = mapped(b.bytes);
  std::vector<run::Contents> results;
  for (const run::JobBuffer& b : order->buffers) results.push_back(mapped(b.bytes));
  const run::Contents clusters = mapped(2 * sizeof(std::uint64_t));
  try {
    const Json script = Json::parse(field(request, "script"));
    const auto [outcome, findings] = run_script_job(script.get<wire::Script>(), std::move(*order), results, clusters);
    const Json found = wire::JobResult{nullptr, findings};
    return {{"outcome", run::outcome_to_json(outcome)},
            {"findings", found.dump(-1, ' ', false, Json::error_handler_t::replace)}};
  } catch (const Json::exception& e) {
    return refused(e.what());
  }
}

// Beside what is counted as a process's own: pages of its program.
constexpr std::int64_t kUncounted = std::int64_t{1} << 28;

// How often the memory of a simulator is looked at.
constexpr std::chrono::milliseconds kLook{20};

// What a simulated job uses beside its arrays, as it grows and shrinks. Requests a stop where that is too much.
class OwnMemory {
 public:
  // `outer`: the job's own stop.
  OwnMemory(pid_t process, std::int64_t most, Budget& all, const std::stop_token& outer)
      : most_(most),
        all_(all),
        outer_(outer, [this] { stop_.request_stop(); }),
        watch_([this, process](const std::stop_token& over) { watch(process, over); }) {}
  OwnMemory(const OwnMemory&) = delete;
  OwnMemory& operator=(const OwnMemory&) = delete;

  std::stop_token stop() const { return stop_.get_token(); }
  // Ends the watch. Why the job had to end; empty: its memory was no reason.
  std::string end() {
    watch_ = {};
    all_.give(std::exchange(held_, 0));
    return why_;
  }

 private:
  void watch(pid_t process, const std::stop_token& over) {
    while (threads::pause(kLook, over)) {
      why_ = follow(own_bytes(process));
      if (why_.empty()) continue;
      stop_.request_stop();
      return;
    }
  }
  // Without pages of files, memory files among them: the arrays are counted elsewhere.
  static std::int64_t own_bytes(pid_t process) {
    std::ifstream in("/proc/" + std::to_string(process) + "/statm");
    std::int64_t size = 0, resident = 0, shared = 0;
    in >> size >> resident >> shared;
    return std::max<std::int64_t>(0, resident - shared) * ::sysconf(_SC_PAGESIZE);
  }
  std::string follow(std::int64_t now) {
    const std::string ended = "the simulator was ended: ";
    if (now > most_)
      return ended + "it used " + megabytes(now) + " beside its tensors, " + megabytes(most_) + " are allowed";
    if (now > held_ && !all_.take(now - held_))
      return ended + "all simulated jobs together may use " + megabytes(all_.most()) +
             " beside their tensors, and it would be more";
    if (now < held_) all_.give(held_ - now);
    held_ = now;
    return {};
  }
  static std::string megabytes(std::int64_t bytes) { return std::to_string(bytes >> 20) + " MB"; }

  const std::int64_t most_;
  Budget& all_;
  std::int64_t held_ = 0;
  std::string why_;
  std::stop_source stop_;
  std::stop_callback<std::function<void()>> outer_;
  std::jthread watch_;  // last: ends first
};

}  // namespace

std::expected<std::unique_ptr<HelperProcess>, std::string> start_simulated_job() {
  return HelperProcess::start({"/proc/self/exe", {"worker-job"}, {"LC_ALL=C"}, "simulator"});
}

Ending run_simulated(HelperProcess& process, const Job& job, std::int64_t most, Budget& memory) {
  std::vector<run::Contents> results;
  std::vector<int> files;
  auto lend = [&](const run::Contents& c) {
    if (!c.empty()) files.push_back(c.descriptor());
  };
  for (const run::JobBuffer& b : job.order.buffers) lend(b.contents);
  for (const run::JobBuffer& b : job.order.buffers) {
    results.push_back(run::Contents::of_size(b.bytes));
    lend(results.back());
  }
  lend(job.clusters);
  OwnMemory own(process.pid(), most, memory, job.stop.get_token());
  auto answer = process.call(
      {{"op", "simulate"}, {"order", run::order_to_json(job.order)}, {"script", Json(*job.script).dump()}},
      job.deadline, static_cast<std::uint64_t>(job.order.bytes() * 2 + most + kUncounted), own.stop(), files);
  if (std::string why = own.end(); !answer && !why.empty())
    return failed({HelperProcess::Failure::Kind::Memory, std::move(why)});
  if (!answer) return failed(std::move(answer.error()));
  Ending out;
  if (auto why = field(*answer, "failed"); !why.empty()) {
    out.outcome.status = run::Status::NotLaunched;
    out.outcome.message = why;
    return out;
  }
  // A result of later rounds never comes from here.
  results.resize(run::kResultsPerBuffer * results.size());
  auto outcome = run::outcome_from_json(field(*answer, "outcome"), job.order, results);
  if (!outcome) return failed({HelperProcess::Failure::Kind::Gone, outcome.error()});
  out.outcome = std::move(*outcome);
  out.findings = Json::parse(field(*answer, "findings")).get<wire::JobResult>().findings;
  return out;
}

int simulated_job_main() {
  // A script is evaluated without files, network or processes; should it find a way around that, there are none here.
  auto prepare = [](const Record&) { toolchain::confine({}); };
  return toolchain::serve_records(toolchain::kHelperFd, toolchain::kHelperFd, prepare, serve);
}

}  // namespace tilewright::worker
