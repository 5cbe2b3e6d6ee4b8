// tilewright run: executes kernels of a script on a GPU or the simulator, verifies what they left, and times them.
#include "server/work/run.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>

#include "compiler/syntax/run_comment.h"
#include "server/cli/commands.h"
#include "server/cli/interrupts.h"
#include "server/cli/run_batch.h"
#include "server/cli/run_files.h"
#include "server/cli/run_options.h"
#include "server/cli/run_slots.h"
#include "server/project/console.h"
#include "server/render/run_report.h"
#include "server/render/terminal.h"
#include "server/render/time.h"
#include "server/work/executors.h"

namespace tilewright::cli {
namespace {

// What one entry cannot be asked for.
std::optional<run::Failure> senseless(const RunOptions& options) {
  std::error_code ec;
  const std::string hint = "add --entry all to run every entry of each";
  if (options.paths.size() > 1) return run::Failure{"these are several scripts", hint};
  if (std::filesystem::is_directory(options.paths.front(), ec))
    return run::Failure{options.paths.front() + " is a folder", hint};
  if (options.devices.size() > 1) return run::Failure{"one entry runs on one device", "name one, or add --entry all"};
  if (options.format == "junit" || options.fail_fast || options.require_all)
    return run::Failure{"--format junit, --fail-fast and --require-all are for many entries", "add --entry all"};
  return std::nullopt;
}

// A line on the terminal, ten times a second at most.
class RunProgress {
 public:
  void simulated(std::uint64_t done, std::uint64_t all) {
    const auto now = std::chrono::steady_clock::now();
    if (now - said_ < std::chrono::milliseconds(100)) return;
    said_ = now;
    show("simulated " + std::to_string(done) + " of " + std::to_string(all) + " clusters");
  }
  void show(const std::string& what) const {
    if (!shown_) return;
    project::clear_line(stderr);
    project::sayf(stderr, "%s", what.c_str());
  }

 private:
  bool shown_ = ::isatty(STDERR_FILENO) == 1;
  std::chrono::steady_clock::time_point said_ = std::chrono::steady_clock::now();
};

// The place of the run comment that stands in this line of the file.
std::optional<std::uint32_t> comment_in(const project::LoadedFile& file, std::uint32_t line) {
  for (const syntax::Directive& d : file.tree->directives())
    if (syntax::run_comment(d) && file.source->position(d.offset).line + 1 == line) return d.offset;
  return std::nullopt;
}

int run_one(const RunOptions& options, work::RunRequest request, const std::stop_token& stop) {
  if (auto failure = senseless(options)) return refuse(options, *failure);
  auto file = project::load(options.paths.front());
  if (!file) return refuse(options, {file.error(), {}});
  if (!options.dialect.read(&file->dialect)) return kUsage;
  if (options.comment) {
    request.comment = comment_in(*file, *options.comment);
    if (!request.comment)
      return refuse(options, {options.paths.front() + ":" + std::to_string(*options.comment) +
                                  ": there is no comment `# tilewright: run` in this line",
                              {}});
  }
  auto simulator = simulator_of(options);
  if (!simulator) return refuse(options, simulator.error());
  RunProgress progress;
  simulator->progress = [&](std::uint64_t done, std::uint64_t all) { progress.simulated(done, all); };
  std::unique_ptr<run::Executor> executor;
  if (is_elsewhere(options.on)) {
    auto slots = slots_for(options, nullptr, [&](const std::string& what) { progress.show(what); }, stop);
    if (stop.stop_requested()) return interrupted();
    if (!slots) return refuse(options, slots.error(), "no_device");
    executor = std::move(slots->front().executor);
  } else {
    executor = work::executor_on(options.on, gpu_of(options), 3, *simulator, stop, simulator_deadline(options));
  }
  if (!options.clusters.empty() && executor->runs_cubins())
    return refuse(options, {"--clusters is a part for the simulator to run", "add --on sim"});
  if ((options.profile || !options.trace.empty()) && executor->runs_cubins() && !options.cubins.empty())
    return refuse(options, {"--profile and --trace relate what a GPU did to the script by the script's own compilation",
                            "leave out --cubin"});
  if ((options.profile || !options.trace.empty()) && !executor->runs_cubins() && is_elsewhere(options.on))
    return refuse(options, {"--profile and --trace show the simulator of this machine, or a GPU, and " + options.on +
                                " has none: its worker simulates",
                            "leave out --on " + options.on + ", or say --on sim"});
  request.wanted.samples = options.profile && executor->runs_cubins();
  request.wanted.marks = !options.trace.empty() && executor->runs_cubins();
  work::RunAnswer answer =
      work::run_script(*file, request, *executor, stop, [&](const std::string& what) { progress.show(what); });
  const bool reported = answer.end == work::RunAnswer::End::Reported;
  std::vector<work::KernelTime> times;
  if (reported && options.profile && !executor->runs_cubins()) {
    progress.show("modelling its time");
    times = work::times_of(answer, *file->tree, request.wanted.values, stop);
  }
  progress.show("");
  const bool done = reported && answer.report.outcome.status == run::Status::Done;
  if (done && !options.folder.empty())
    if (auto ok = write_outputs(options.folder, {options.folder, options.paths.front()}, answer.report); !ok)
      return refuse(options, {ok.error(), {}});
  const bool traced = reported && !answer.report.outcome.timeline.names.empty();
  if (!options.trace.empty() && (done || traced))
    if (auto ok = write_trace(options.trace, answer); !ok) return refuse(options, {ok.error(), {}});
  if (!options.trace.empty() && reported && !done && !traced)
    project::sayf(stderr, "tilewright: %s is not written: the run did not come to its end\n", options.trace.c_str());
  project::say(stderr, render::run_messages(answer, render::colours(stderr)));
  if (options.json()) {
    render::Json report = render::run_json(answer);
    for (const work::KernelTime& one : times)
      report["profile"]["kernels"].push_back(render::time_json(one, answer.compiled.evaluation->anchors));
    if (const auto lines = lines_of(options.answer); *lines) render::keep_lines(report, **lines);
    if (!report.is_null() && !print_answer(report, options.answer, kRunSummary)) return kUsage;
  } else if (reported) {
    project::say(stdout, render::run_text(answer, render::colours(stdout)));
    for (const work::KernelTime& one : times)
      project::say(stdout, render::time_text(one, answer.compiled.evaluation->anchors, render::colours(stdout)));
  }
  return answer.end == work::RunAnswer::End::Skipped ? kUsage : render::run_status(answer);
}

int run_command(const RunOptions& options) {
  if (!options.arch.empty() && !target_option(options.arch)) return kUsage;
  Interrupts interrupts;
  if (const auto lines = lines_of(options.answer); !lines) return refuse(options, {lines.error(), {}});
  auto request = request_of(options);
  if (!request) return refuse(options, request.error());
  return options.all() ? run_batch(options, std::move(*request), interrupts.token())
                       : run_one(options, std::move(*request), interrupts.token());
}

}  // namespace

void add_run(CLI::App* c, Run& run) {
  auto options = std::make_shared<RunOptions>();
  add_run_options(*c, *options);
  c->callback([options, &run] { run = [options] { return run_command(*options); }; });
}

}  // namespace tilewright::cli
