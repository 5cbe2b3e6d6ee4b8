#include "server/worker/simulated_job.h"

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
    default: out.outcome.status = run::Status::Lost; break;
  }
  out.outcome.message = std::move(failure.message);
  return out;
}

Record refused(std::string why) { return {{"failed", std::move(why)}}; }

// One request, in the process: contents come before results, and the place for progress comes last.
Record serve(const Record& request, std::span<const toolchain::Fd> files) {
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

}  // namespace

std::expected<std::unique_ptr<HelperProcess>, std::string> start_simulated_job() {
  return HelperProcess::start({"/proc/self/exe", {"worker-job"}, {"LC_ALL=C"}, "simulator"});
}

Ending run_simulated(HelperProcess& process, const Job& job, const wire::Limits& limits) {
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
  constexpr std::int64_t kOwn = std::int64_t{1} << 30;  // the process beside its tensors
  auto answer =
      process.call({{"op", "simulate"}, {"order", run::order_to_json(job.order)}, {"script", Json(*job.script).dump()}},
                   job.deadline, static_cast<std::uint64_t>(limits.host_bytes + kOwn), job.stop.get_token(), files);
  if (!answer) return failed(std::move(answer.error()));
  Ending out;
  if (auto why = field(*answer, "failed"); !why.empty()) {
    out.outcome.status = run::Status::NotLaunched;
    out.outcome.message = why;
    return out;
  }
  // A result of later rounds never comes from here.
  results.resize(2 * results.size());
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
