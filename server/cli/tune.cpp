// tilewright tune: of the variants of a kernel that a space of settings makes, the fastest that is right.
#include "server/work/tune.h"

#include "compiler/threads/in_order.h"
#include "server/cli/commands.h"
#include "server/cli/interrupts.h"
#include "server/cli/run_options.h"
#include "server/cli/run_slots.h"
#include "server/project/console.h"
#include "server/project/files.h"
#include "server/render/json.h"
#include "server/render/status_line.h"
#include "server/render/tune.h"
#include "server/work/executors.h"

namespace tilewright::cli {
namespace {

struct TuneOptions {
  RunOptions run;
  work::TuneRequest wanted;
  std::string entry, output;
  bool json = false, search = true;
};

// What the request shares with a run: tensors, scalars, tolerances.
std::optional<work::TuneRequest> request_of(const TuneOptions& options) {
  auto run = cli::request_of(options.run);
  if (!run) {
    fail_usage(run.error().message, run.error().hint);
    return std::nullopt;
  }
  work::TuneRequest request = options.wanted;
  request.entry = options.entry;
  request.reference = run->reference;
  request.python = run->python;
  request.wanted = std::move(run->wanted);
  request.jobs = threads::threads_of(options.run.jobs);
  request.search = options.search;
  return request;
}

int tune(const TuneOptions& options) {
  auto request = request_of(options);
  if (!request) return kUsage;
  Interrupts interrupts;
  const std::stop_token stop = interrupts.token();
  auto file = project::load(options.run.paths.front());
  if (!file) return fail_usage(file.error());
  if (!options.run.dialect.read(&file->dialect)) return kUsage;
  std::unique_ptr<run::Executor> executor;
  if (is_elsewhere(options.run.on)) {
    auto slots = slots_for(options.run, nullptr, {}, stop);
    if (stop.stop_requested()) return interrupted();
    if (!slots) return fail_usage(slots.error().message, slots.error().hint);
    executor = std::move(slots->front().executor);
  } else {
    const std::string on = options.run.on.empty() ? "gpu" : options.run.on;
    executor = work::executor_on(on, gpu_of(options.run), 1, {}, stop, simulator_deadline(options.run));
  }
  toolchain::Toolchain tools(project::toolchain_options());
  render::StatusLine line(std::chrono::milliseconds(100), std::chrono::seconds(1));
  const work::TuneAnswer answer = work::tune(*file, *request, *executor, tools, stop, [&](const work::TuneProgress& p) {
    line.show(p.what + " " + std::to_string(p.done) + " of " + std::to_string(p.all));
  });
  line.clear();
  const render::Json record = render::tune_json(answer, file->source->path());
  if (!options.output.empty() && !answer.candidates.empty())
    if (auto ok = project::write_file(options.output, {render::dump(record) + "\n"}); !ok)
      return fail_usage(ok.error());
  if (options.json) {
    project::emit(stdout, render::dump(record) + "\n");
  } else {
    project::say(stdout, render::tune_text(answer, render::colours(stdout)));
  }
  if (answer.failure) return fail_usage(answer.failure->message, answer.failure->hint);
  if (answer.stopped) return interrupted();
  return render::tune_status(answer);
}

}  // namespace

void add_tune(CLI::App& app, Run& run) {
  auto options = std::make_shared<TuneOptions>();
  CLI::App* c = app.add_subcommand("tune", "Find the fastest of a kernel's variants that is right");
  c->add_option("path", options->run.paths, "The script")->required()->expected(1);
  c->add_option(
       "--entry", options->entry,
       "A call with a * for the settings: 'gemm(4096, 4096, 4096, *)'; or the name of a factory whose entries in "
       "the file (CONFIGS, comments) are the candidates")
      ->required();
  c->add_option("--space", options->wanted.space,
                "NAME=VALUE,VALUE or NAME=FIRST..LAST[..STEP], several with blanks between them, then perhaps `if "
                "CONDITION` (default: the comment `# tilewright: tune ...`)");
  c->add_option("--small", options->wanted.small,
                "The same call at a size that the search for races can run whole: 'gemm(256, 256, 128, *)'");
  c->add_flag(
      "--races,!--no-races", options->search,
      "Let the simulator look for races, deadlocks and undefined values in each candidate first (default: yes)");
  add_tune_run_options(*c, options->run);
  c->add_option("--repeat", options->wanted.repeats,
                "Timed launches of the first round; each later one has twice as many")
      ->check(CLI::Range(5, 400))
      ->capture_default_str();
  c->add_option("-o,--output", options->output,
                "FILE: a record as JSON: script, binary, device, driver, every candidate with its samples");
  c->add_flag("--json", options->json, "Print that record");
  c->footer(
      "Each survivor runs on inputs that are drawn for the round, and has to leave what the reference leaves. The last "
      "few are\nmeasured in pairs against the fastest; where no difference is seen, that is said.\n\n"
      "Status: 0 there is a best candidate, 1 none is right, 2 nothing could be tuned.\n\n"
      "Examples:\n"
      "  tilewright tune gemm.py --entry 'gemm(4096, 4096, 4096, *)' --space 'BM=64,128 STAGES=2..6 if BM * STAGES <= "
      "512'\n"
      "  tilewright tune gemm.py --entry 'gemm(4096, 4096, 4096, *)' --small 'gemm(256, 256, 128, *)' -o "
      "gemm.tuned.json\n"
      "  tilewright tune softmax.py --entry make --on lab       the settings that the file lists, on a remote");
  c->callback([options, &run] { run = [options] { return tune(*options); }; });
}

}  // namespace tilewright::cli
