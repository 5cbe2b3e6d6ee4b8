// buildTarget/test and buildTarget/run: kernels at work. An entry whose outputs are expected is a test; one of which
// nothing is expected is run all the same, and counts as ignored where it came to its end.
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>

#include "protocol/bsp_data.h"
#include "protocol/uri.h"
#include "server/build/session.h"
#include "server/ide/batch_place.h"
#include "server/ide/executors.h"
#include "server/project/config.h"
#include "server/project/environment.h"
#include "server/project/run_targets.h"
#include "server/remote/executor.h"
#include "server/render/run_report.h"

namespace tilewright::build {
namespace {

namespace bsp = protocol::bsp;
using protocol::Json;
using protocol::uri_of;

Json json_of(const render::Json& json) { return Json::parse(render::dump(json, -1)); }

using Slots = std::expected<std::vector<ide::Slot>, run::Failure>;

// `script`: whose settings name remotes.
Slots slots_for(const std::string& on, const std::string& script, const std::optional<double>& deadline, unsigned jobs,
                const std::stop_token& stop, const std::function<void(const std::string&)>& told) {
  if (on.empty() || project::is_local_target(on)) {
    ide::LocalSlots local;
    local.gpu = project::gpu_options();
    local.simulators = jobs;
    if (deadline)
      local.deadline = local.gpu.deadline = std::chrono::milliseconds(static_cast<std::int64_t>(*deadline * 1000));
    return ide::slots_on(on, local, stop);
  }
  auto config = project::find_config(script);
  if (!config) return std::unexpected(run::Failure{config.error(), {}});
  remote::RemoteOptions options;
  options.simulator_jobs = jobs;
  options.deadline_seconds = options.simulator_seconds = deadline.value_or(0);
  options.told = told;
  auto found = remote::slots_at(on, *config, options, stop);
  if (!found) return std::unexpected(found.error());
  for (const run::Failure& failure : found->left_out) told("left out: " + failure.message);
  return std::move(found->slots);
}

bsp::TestStatus outcome_of(const ide::RunAnswer& answer, bool require_all) {
  if (answer.end == ide::RunAnswer::End::Skipped)
    return require_all ? bsp::TestStatus::Failed : bsp::TestStatus::Skipped;
  if (render::run_status(answer) != 0) return bsp::TestStatus::Failed;
  return answer.report.verified() ? bsp::TestStatus::Passed : bsp::TestStatus::Ignored;
}

std::string words_of(const ide::BatchRun& run, bsp::TestStatus status) {
  const ide::RunAnswer& answer = run.answer;
  if (status == bsp::TestStatus::Ignored) return "it ran; nothing is expected of its outputs";
  if (answer.end == ide::RunAnswer::End::Reported)
    return answer.report.problems.empty() ? std::string(answer.report.verdict()) : answer.report.problems.front();
  if (answer.end == ide::RunAnswer::End::Errors) return "the script has errors";
  return answer.failure.message;
}

// What several threads report of one test task.
class Tests {
 public:
  Tests(endpoint::Endpoint& endpoint, std::string origin, Task& task, bool require_all)
      : endpoint_(endpoint), origin_(std::move(origin)), task_(task), require_all_(require_all) {}

  void expect(std::size_t runs) {
    std::lock_guard lock(mutex_);
    known_ += runs;
  }
  void began(const ide::BatchRun& run) {
    const std::string name = name_of(run);
    auto test = std::make_unique<Task>(endpoint_, origin_, name, "test-start",
                                       Json{{"displayName", name}, {"location", location(run.path)}}, &task_);
    std::lock_guard lock(mutex_);
    running_[{run.file, run.number}] = std::move(test);
  }
  void ran(const ide::BatchRun& run) {
    const bsp::TestStatus status = outcome_of(run.answer, require_all_);
    const std::string name = name_of(run);
    bsp::TestRun data{.uri = uri_of(run.path),
                      .entry = run.entry,
                      .status = status,
                      .message = words_of(run, status),
                      .where = run.where,
                      .attempts = run.attempts,
                      .seconds = run.seconds,
                      .run = nullptr};
    if (render::Json report = render::run_json(run.answer); !report.is_null()) data.run = json_of(report);
    std::lock_guard lock(mutex_);
    const auto test = running_.extract({run.file, run.number});
    Json finish = {{"displayName", name},          {"status", status},
                   {"message", data.message},      {"location", location(run.path)},
                   {"dataKind", "tilewright-run"}, {"data", data}};
    test.mapped()->finish(status == bsp::TestStatus::Failed ? bsp::Status::Error : bsp::Status::Ok, data.message,
                          "test-finish", finish);
    count(status);
    runs_.push_back(data);
    task_.progress(name, static_cast<std::int64_t>(runs_.size()), static_cast<std::int64_t>(known_), "tests");
  }
  // When nobody runs any more: what has begun by now was cancelled.
  const bsp::TestReport& end() {
    report_.cancelled += static_cast<std::int64_t>(running_.size());
    running_.clear();
    return report_;
  }
  Json take_runs() { return std::exchange(runs_, Json::array()); }

 private:
  static std::string name_of(const ide::BatchRun& run) { return run.entry.empty() ? run.path : run.entry; }
  Json location(const std::string& path) const {
    return {{"uri", uri_of(path)},
            {"range", {{"start", {{"line", 0}, {"character", 0}}}, {"end", {{"line", 0}, {"character", 0}}}}}};
  }
  void count(bsp::TestStatus status) {
    using enum bsp::TestStatus;
    (status == Passed      ? report_.passed
     : status == Failed    ? report_.failed
     : status == Ignored   ? report_.ignored
     : status == Cancelled ? report_.cancelled
                           : report_.skipped)++;
  }

  endpoint::Endpoint& endpoint_;
  const std::string origin_;
  Task& task_;
  const bool require_all_;  // what the device cannot run fails
  std::mutex mutex_;
  bsp::TestReport report_;
  std::size_t known_ = 0;
  Json runs_ = Json::array();
  std::map<std::pair<std::size_t, std::size_t>, std::unique_ptr<Task>> running_;  // by script and entry
};

// What runs beside one another: targets whose settings name the same remotes.
struct Asked {
  std::vector<std::string> scripts;
  const Arguments& arguments;
  std::string on;
  unsigned jobs = 1;
  std::stop_token stop;
};

// Everything that the scripts have to run. The sink is called by several threads. The error: there is nothing to run
// on, or not any more.
std::expected<void, run::Failure> run_all(const Asked& asked, ide::Builder& builder, ide::Batch::Sink sink,
                                          const std::function<void(const std::string&)>& told) {
  auto slots = slots_for(asked.on, asked.scripts.front(), asked.arguments.deadline, asked.jobs, asked.stop, told);
  if (!slots) return std::unexpected(slots.error());
  ide::RunRequest request;
  ide::BatchPlace place(std::move(*slots), asked.jobs, request, [&] { return &builder.tools(); }, asked.stop);
  if (!asked.arguments.build.architectures.empty()) request.arch = asked.arguments.build.architectures.front();
  ide::Batch batch({.files = asked.scripts,
                    .named = {},
                    .request = std::move(request),
                    .dialect = {},
                    .entries = asked.arguments.build.entries},
                   place.pool(), std::move(sink), asked.stop);
  {
    const ide::LargeThreads workers(place.threads(), [&] { batch.work(); });
    if (workers.none()) batch.work();
  }
  for (const std::string& slot : place.pool().left_out()) told("left out: " + slot);
  if (const auto stranded = batch.state().stranded)
    return std::unexpected(run::Failure{"there is nothing left to run on: " + *stranded, {}});
  return {};
}

// One sink for those of several targets: which script is whose.
struct Shares {
  std::vector<std::string> scripts;
  struct Share {
    std::size_t sink = 0, file = 0;  // of the sink: its how manieth script
  };
  std::vector<Share> of;
  void add(const project::BuildTarget& target, std::size_t sink) {
    for (const std::string& script : target.scripts) {
      of.push_back({sink, static_cast<std::size_t>(&script - target.scripts.data())});
      scripts.push_back(script);
    }
  }
};

std::string counted(const bsp::TestReport& r) {
  return std::to_string(r.passed) + " passed, " + std::to_string(r.failed) + " failed, " + std::to_string(r.ignored) +
         " without expected values" + (r.skipped ? ", " + std::to_string(r.skipped) + " skipped" : "");
}

}  // namespace

// What both requests do for each target; `sink` makes what is told of its runs. Targets under the same settings run
// beside one another, so that a workspace of single scripts asks for its GPU, or its remote, once.
Session::Result Session::run_targets(const Work& work,
                                     const std::function<RunSink(const project::BuildTarget&)>& sink) {
  Result out;
  std::map<std::string, std::vector<const project::BuildTarget*>> groups;
  for (const project::BuildTarget* target : work.targets)
    groups[project::config_file(target->scripts.front()).string()].push_back(target);
  const std::stop_token stop = work.open->stop.get_token();
  for (const auto& [settings, targets] : groups) {
    std::vector<RunSink> sinks;
    Shares shares;
    for (const project::BuildTarget* target : targets) {
      shares.add(*target, sinks.size());
      sinks.push_back(sink(*target));
    }
    auto share_of = [&](const ide::BatchRun& run) -> const Shares::Share& { return shares.of[run.file]; };
    ide::Batch::Sink all;
    all.opened = [&](std::size_t file, const std::vector<std::string>& entries) {
      sinks[shares.of[file].sink].runs.opened(shares.of[file].file, entries);
    };
    all.ran = [&](ide::BatchRun run) {
      const RunSink& told = sinks[share_of(run).sink];
      told.runs.ran(std::move(run));
    };
    all.began = [&](const ide::BatchRun& run) {
      if (const auto& began = sinks[share_of(run).sink].runs.began) began(run);
    };
    const Asked asked{shares.scripts, work.arguments,
                      work.arguments.on.empty() ? server_.options.on : work.arguments.on,
                      ide::threads_of(server_.options.jobs), stop};
    const auto done = run_all(asked, server_.builder, std::move(all),
                              [&](const std::string& what) { log(bsp::MessageType::Info, what, work.origin); });
    const bool stopped = stop.stop_requested();
    if (!done && !stopped) {
      std::string why = done.error().message;
      if (!done.error().hint.empty()) why += "\nhint: " + done.error().hint;
      log(bsp::MessageType::Error, why, work.origin);
    }
    for (const RunSink& told : sinks)
      out.status = std::max(out.status, told.end(stopped ? bsp::Status::Cancelled
                                                 : done  ? bsp::Status::Ok
                                                         : bsp::Status::Error));
    if (stopped) break;
  }
  return out;
}

Session::Result Session::test(const Work& work) {
  Json runs = Json::array();
  Result out = run_targets(work, [&](const project::BuildTarget& target) {
    const std::string uri = uri_of(target.path);
    auto task = std::make_shared<Task>(endpoint_, work.origin, "testing " + target.name, "test-task",
                                       Json{{"target", bsp::identifier(uri)}});
    auto tests = std::make_shared<Tests>(endpoint_, work.origin, *task, work.arguments.require_all);
    RunSink sink;
    sink.runs.opened = [tests](std::size_t, const std::vector<std::string>& entries) { tests->expect(entries.size()); };
    sink.runs.began = [tests](const ide::BatchRun& run) { tests->began(run); };
    sink.runs.ran = [tests](const ide::BatchRun& run) { tests->ran(run); };
    sink.end = [&runs, task, tests, uri, origin = work.origin](bsp::Status status) {
      bsp::TestReport report = tests->end();
      report.target = uri;
      report.origin = origin;
      report.milliseconds = task->milliseconds();
      if (status == bsp::Status::Ok && report.failed > 0) status = bsp::Status::Error;
      task->finish(status, counted(report), "test-report", report);
      for (Json& run : tests->take_runs()) runs.push_back(std::move(run));
      return status;
    };
    return sink;
  });
  out.data_kind = bsp::kTestKind;
  out.data = {{"runs", std::move(runs)}};
  return out;
}

Session::Result Session::run_target(const Work& work) {
  return run_targets(work, [&](const project::BuildTarget&) {
    struct Shown {
      std::mutex mutex;
      bool failed = false;
    };
    auto shown = std::make_shared<Shown>();
    auto print = [this, origin = work.origin](const char* stream, const std::string& text) {
      Json params = {{"message", text}};
      params["originId"] = origin;
      if (!text.empty()) endpoint_.notify(stream, params);
    };
    RunSink sink;
    sink.runs.opened = [](std::size_t, const std::vector<std::string>&) {};
    sink.runs.ran = [shown, print](const ide::BatchRun& run) {
      const std::lock_guard lock(shown->mutex);
      const render::Colours none;
      print("run/printStderr", render::run_messages(run.answer, none));
      if (run.answer.end == ide::RunAnswer::End::Reported) print("run/printStdout", render::run_text(run.answer, none));
      shown->failed = shown->failed || render::run_status(run.answer) != 0;
    };
    sink.end = [shown](bsp::Status status) {
      return status == bsp::Status::Ok && shown->failed ? bsp::Status::Error : status;
    };
    return sink;
  });
}

}  // namespace tilewright::build
