// buildTarget/test and buildTarget/run: kernels at work. An entry whose outputs are expected is a test; one of which
// nothing is expected is run all the same, and counts as ignored where it came to its end.
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>

#include "compiler/threads/in_order.h"
#include "compiler/threads/large_threads.h"
#include "protocol/bsp_data.h"
#include "protocol/uri.h"
#include "server/bsp/kept_tests.h"
#include "server/bsp/session.h"
#include "server/project/config.h"
#include "server/project/environment.h"
#include "server/project/run_targets.h"
#include "server/remote/executor.h"
#include "server/render/run_report.h"
#include "server/work/batch_place.h"
#include "server/work/executors.h"

namespace tilewright::bsp {
namespace {

namespace wire = protocol::bsp;
using protocol::uri_of;

using Slots = std::expected<std::vector<work::Slot>, run::Failure>;

// `script`: whose settings name remotes.
Slots slots_for(const std::string& on, const std::string& script, const std::optional<double>& deadline, unsigned jobs,
                const std::stop_token& stop, const std::function<void(const std::string&)>& told) {
  remote::SlotOptions options;
  options.here.gpu = project::gpu_options();
  options.here.simulators = jobs;
  if (deadline)
    options.here.deadline = options.here.gpu.deadline =
        std::chrono::milliseconds(static_cast<std::int64_t>(*deadline * 1000));
  options.elsewhere.simulator_jobs = jobs;
  options.elsewhere.deadline_seconds = options.elsewhere.simulator_seconds = deadline.value_or(0);
  options.elsewhere.told = told;
  options.left_out = [&](const std::string& why) { told("left out: " + why); };
  return remote::slots_for(on, script, options, stop);
}

// Do tests run on the simulator? Where no place is named, they do without a GPU.
bool simulates(const std::string& on, const std::stop_token& stop) {
  return on == "sim" || (on.empty() && !run::GpuExecutor(project::gpu_options()).device(stop));
}

wire::TestStatus outcome_of(const work::RunAnswer& answer, bool require_all) {
  if (answer.end == work::RunAnswer::End::Skipped)
    return require_all ? wire::TestStatus::Failed : wire::TestStatus::Skipped;
  if (render::run_status(answer) != 0) return wire::TestStatus::Failed;
  return answer.report.verified() ? wire::TestStatus::Passed : wire::TestStatus::Ignored;
}

std::string words_of(const work::BatchRun& run, wire::TestStatus status) {
  const work::RunAnswer& answer = run.answer;
  if (status == wire::TestStatus::Ignored) return "it ran; nothing is expected of its outputs";
  if (answer.end == work::RunAnswer::End::Reported)
    return answer.report.problems.empty() ? std::string(answer.report.verdict()) : answer.report.problems.front();
  if (answer.end == work::RunAnswer::End::Errors) return "the script has errors";
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
  void began(const work::BatchRun& run) {
    const std::string name = name_of(run);
    auto test = std::make_unique<Task>(endpoint_, origin_, name, "test-start",
                                       Json{{"displayName", name}, {"location", location(run.path)}}, &task_);
    std::lock_guard lock(mutex_);
    running_[{run.file, run.number}] = std::move(test);
  }
  void ran(const work::BatchRun& run) {
    const wire::TestStatus status = outcome_of(run.answer, require_all_);
    const std::string name = name_of(run);
    wire::TestRun data{.uri = uri_of(run.path),
                       .entry = run.entry,
                       .status = status,
                       .message = words_of(run, status),
                       .where = run.where,
                       .attempts = run.attempts,
                       .seconds = run.seconds,
                       .run = nullptr};
    data.run = render::run_json(run.answer);
    std::lock_guard lock(mutex_);
    by_script_[run.path].emplace_back(run.number, data);
    const auto test = running_.extract({run.file, run.number});
    Json finish = {{"displayName", name},          {"status", status},
                   {"message", data.message},      {"location", location(run.path)},
                   {"dataKind", "tilewright-run"}, {"data", data}};
    test.mapped()->finish(status == wire::TestStatus::Failed ? wire::Status::Error : wire::Status::Ok, data.message,
                          "test-finish", finish);
    count(status);
    runs_.push_back(data);
    task_.progress(name, static_cast<std::int64_t>(runs_.size()), static_cast<std::int64_t>(known_), "tests");
  }
  // A test that was not run: it came to this before, for the same script.
  void repeat(const wire::TestRun& data, const std::string& path) {
    const std::string name = data.entry.empty() ? path : data.entry;
    Task test(endpoint_, origin_, name, "test-start", Json{{"displayName", name}, {"location", location(path)}},
              &task_);
    std::lock_guard lock(mutex_);
    ++known_;
    test.finish(wire::Status::Ok, data.message, "test-finish",
                {{"displayName", name},
                 {"status", data.status},
                 {"message", data.message},
                 {"location", location(path)},
                 {"dataKind", "tilewright-run"},
                 {"data", data}});
    count(data.status);
    runs_.push_back(data);
    task_.progress(name, static_cast<std::int64_t>(runs_.size()), static_cast<std::int64_t>(known_), "tests");
  }
  // Those that were run, by script, in the order of its entries.
  std::map<std::string, std::vector<wire::TestRun>> ran_by_script() {
    std::lock_guard lock(mutex_);
    std::map<std::string, std::vector<wire::TestRun>> out;
    for (auto& [path, runs] : by_script_) {
      std::ranges::stable_sort(runs, {}, [](const auto& r) { return r.first; });
      for (const auto& [number, run] : runs) out[path].push_back(run);
    }
    return out;
  }
  // After the last one has run: what has begun so far was cancelled.
  const wire::TestReport& end() {
    report_.cancelled += static_cast<std::int64_t>(running_.size());
    running_.clear();
    return report_;
  }
  Json take_runs() { return std::exchange(runs_, Json::array()); }

 private:
  static std::string name_of(const work::BatchRun& run) { return run.entry.empty() ? run.path : run.entry; }
  Json location(const std::string& path) const {
    return {{"uri", uri_of(path)},
            {"range", {{"start", {{"line", 0}, {"character", 0}}}, {"end", {{"line", 0}, {"character", 0}}}}}};
  }
  void count(wire::TestStatus status) {
    using enum wire::TestStatus;
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
  wire::TestReport report_;
  std::size_t known_ = 0;
  Json runs_ = Json::array();
  std::map<std::pair<std::size_t, std::size_t>, std::unique_ptr<Task>> running_;  // by script and entry
  std::map<std::string, std::vector<std::pair<std::size_t, wire::TestRun>>> by_script_;
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
std::expected<void, run::Failure> run_all(const Asked& asked, work::Builder& builder, work::Batch::Sink sink,
                                          const std::function<void(const std::string&)>& told) {
  auto slots = slots_for(asked.on, asked.scripts.front(), asked.arguments.deadline, asked.jobs, asked.stop, told);
  if (!slots) return std::unexpected(slots.error());
  work::RunRequest request;
  request.python = project::python_interpreter();
  work::BatchPlace place(std::move(*slots), asked.jobs, request, [&] { return &builder.tools(); }, asked.stop);
  if (!asked.arguments.build.architectures.empty()) request.arch = asked.arguments.build.architectures.front();
  work::Batch batch({.files = asked.scripts,
                     .named = {},
                     .request = std::move(request),
                     .dialect = {},
                     .entries = asked.arguments.build.entries},
                    place.pool(), std::move(sink), asked.stop);
  {
    const threads::LargeThreads workers(place.threads(), [&] { batch.work(); });
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
    std::size_t sink = 0, file = 0;  // index of the script within that sink
  };
  std::vector<Share> of;
  // `kept`: which of them are done with.
  void add(const project::BuildTarget& target, std::size_t sink,
           const std::function<bool(std::size_t file, const std::string& script)>& kept) {
    for (const std::string& script : target.scripts) {
      const auto file = static_cast<std::size_t>(&script - target.scripts.data());
      if (kept && kept(file, script)) continue;
      of.push_back({sink, file});
      scripts.push_back(script);
    }
  }
};

std::string counted(const wire::TestReport& r) {
  return std::to_string(r.passed) + " passed, " + std::to_string(r.failed) + " failed, " + std::to_string(r.ignored) +
         " without expected values" + (r.skipped ? ", " + std::to_string(r.skipped) + " skipped" : "");
}

}  // namespace

// What both requests do for each target; `sink` makes what is told of its runs. Targets under the same settings run
// beside one another, so that a workspace of single scripts asks for its GPU, or its remote, once.
BuildSession::Result BuildSession::run_targets(const Work& work,
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
      sinks.push_back(sink(*target));
      shares.add(*target, sinks.size() - 1, sinks.back().kept);
    }
    auto share_of = [&](const work::BatchRun& run) -> const Shares::Share& { return shares.of[run.file]; };
    work::Batch::Sink all;
    all.opened = [&](std::size_t file, const std::vector<std::string>& entries) {
      sinks[shares.of[file].sink].runs.opened(shares.of[file].file, entries);
    };
    all.ran = [&](work::BatchRun run) {
      const RunSink& told = sinks[share_of(run).sink];
      told.runs.ran(std::move(run));
    };
    all.began = [&](const work::BatchRun& run) {
      if (const auto& began = sinks[share_of(run).sink].runs.began) began(run);
    };
    const Asked asked{shares.scripts, work.arguments,
                      work.arguments.on.empty() ? server_.options.on : work.arguments.on,
                      threads::threads_of(server_.options.jobs), stop};
    std::expected<void, run::Failure> done;
    if (!shares.scripts.empty())
      done = run_all(asked, server_.builder, std::move(all),
                     [&](const std::string& what) { log(wire::MessageType::Info, what, work.origin); });
    const bool stopped = stop.stop_requested();
    if (!done && !stopped) {
      std::string why = done.error().message;
      if (!done.error().hint.empty()) why += "\nhint: " + done.error().hint;
      log(wire::MessageType::Error, why, work.origin);
    }
    for (const RunSink& told : sinks)
      out.status = std::max(out.status, told.end(stopped ? wire::Status::Cancelled
                                                 : done  ? wire::Status::Ok
                                                         : wire::Status::Error));
    if (stopped) break;
  }
  return out;
}

BuildSession::Result BuildSession::test(const Work& work) {
  Json runs = Json::array();
  const bool keeps =
      simulates(work.arguments.on.empty() ? server_.options.on : work.arguments.on, work.open->stop.get_token());
  Result out = run_targets(work, [&](const project::BuildTarget& target) {
    const std::string uri = uri_of(target.path);
    auto task = std::make_shared<Task>(endpoint_, work.origin, "testing " + target.name, "test-task",
                                       Json{{"target", wire::identifier(uri)}});
    auto tests = std::make_shared<Tests>(endpoint_, work.origin, *task, work.arguments.require_all);
    RunSink sink;
    sink.runs.opened = [tests](std::size_t, const std::vector<std::string>& entries) { tests->expect(entries.size()); };
    sink.runs.began = [tests](const work::BatchRun& run) { tests->began(run); };
    sink.runs.ran = [tests](const work::BatchRun& run) { tests->ran(run); };
    const std::string deadline = std::to_string(work.arguments.deadline.value_or(0));
    auto tests_of = [build = work.arguments.build, deadline](const std::string& script) {
      return TestsOf{script, build, "deadline " + deadline};
    };
    if (keeps)
      sink.kept = [tests, tests_of, &builder = server_.builder](std::size_t, const std::string& script) {
        const auto kept = are_kept(script) ? kept_tests(builder, tests_of(script)) : std::nullopt;
        for (wire::TestRun run : kept.value_or(std::vector<wire::TestRun>())) {
          run.uri = uri_of(script);
          tests->repeat(run, script);
        }
        return kept.has_value();
      };
    sink.end = [&runs, task, tests, uri, origin = work.origin, keeps, tests_of,
                &builder = server_.builder](wire::Status status) {
      if (keeps && status != wire::Status::Cancelled)
        for (const auto& [script, ran] : tests->ran_by_script())
          if (are_kept(script)) keep_tests(builder, tests_of(script), ran);
      wire::TestReport report = tests->end();
      report.target = uri;
      report.origin = origin;
      report.milliseconds = task->milliseconds();
      if (status == wire::Status::Ok && report.failed > 0) status = wire::Status::Error;
      task->finish(status, counted(report), "test-report", report);
      for (Json& run : tests->take_runs()) runs.push_back(std::move(run));
      return status;
    };
    return sink;
  });
  out.data_kind = wire::kTestKind;
  out.data = {{"runs", std::move(runs)}};
  return out;
}

BuildSession::Result BuildSession::run_target(const Work& work) {
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
    sink.runs.ran = [shown, print](const work::BatchRun& run) {
      const std::lock_guard lock(shown->mutex);
      const render::Colours none;
      print("run/printStderr", render::run_messages(run.answer, none));
      if (run.answer.end == work::RunAnswer::End::Reported)
        print("run/printStdout", render::run_text(run.answer, none));
      shown->failed = shown->failed || render::run_status(run.answer) != 0;
    };
    sink.end = [shown](wire::Status status) {
      return status == wire::Status::Ok && shown->failed ? wire::Status::Error : status;
    };
    return sink;
  });
}

}  // namespace tilewright::bsp
