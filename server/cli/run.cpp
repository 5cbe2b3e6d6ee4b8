// tilewright run: executes kernels of a script on a GPU or the simulator, verifies what they left, and times them.
#include "server/ide/run.h"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <filesystem>
#include <map>

#include "compiler/run/gpu_executor.h"
#include "compiler/simulate/unmodelled.h"
#include "server/cli/commands.h"
#include "server/cli/cores.h"
#include "server/cli/interrupts.h"
#include "server/project/environment.h"
#include "server/project/files.h"
#include "server/project/run_targets.h"
#include "server/render/run_report.h"
#include "server/render/terminal.h"
#include "server/render/timeline.h"

namespace tilewright::cli {
namespace {

namespace fs = std::filesystem;

struct RunCommand {
  std::string file, on, arch, reference, against, trace, folder, driver = "libcuda.so.1", nvml = "libnvidia-ml.so.1";
  std::vector<std::string> entries, cubins, inputs, outputs, expected, settings, watches;
  std::string seed;
  int device = 0;
  std::optional<int> repeat, warmup, schedules;
  std::uint64_t steps = 4'000'000'000;
  unsigned jobs = kAllCores;
  std::string clusters;
  double deadline = 10, memory = 0;
  std::optional<double> rtol, atol;
  DialectOption dialect;
  bool json = false;
};

constexpr std::uintmax_t kLargestCubin = std::uintmax_t{1} << 30;

// What the options ask for, or why they make no sense.
using Asked = std::expected<ide::RunRequest, run::Failure>;

// Calls take(name, value) for each "NAME=VALUE"; what that answers is the failure.
template <class F>
std::optional<run::Failure> pairs(const std::vector<std::string>& options, const char* option, F&& take) {
  for (const std::string& text : options) {
    std::size_t equals = text.find('=');
    if (equals == 0 || equals == text.npos || equals + 1 == text.size())
      return run::Failure{"--" + std::string(option) + " " + text + ": write NAME=VALUE", {}};
    if (std::optional<run::Failure> failure = take(text.substr(0, equals), text.substr(equals + 1))) return failure;
  }
  return std::nullopt;
}

Asked request_of(const RunCommand& o) {
  ide::RunRequest request;
  for (const std::string& entry : o.entries) request.entry += (request.entry.empty() ? "" : " then ") + entry;
  request.arch = o.arch;
  request.reference = o.reference;
  request.against = o.against;
  request.watches = o.watches;
  request.digests = o.json;
  run::Wanted& wanted = request.wanted;
  wanted.outputs = o.outputs;
  wanted.relative = o.rtol;
  wanted.absolute = o.atol;
  request.warmups = o.warmup;
  request.repeats = o.repeat;
  request.schedules = o.schedules;
  request.secret_seed = o.seed == "secret";
  if (!o.seed.empty() && !request.secret_seed) {
    auto number = run::parse_number(o.seed);
    if (!number || number->real || number->integer < 0)
      return std::unexpected(run::Failure{"--seed " + o.seed + ": a whole number, or secret", {}});
    request.seed = static_cast<std::uint64_t>(number->integer);
  }
  auto failure = pairs(o.settings, "set", [&](const std::string& name, const std::string& value) {
    auto number = run::parse_number(value);
    if (number) wanted.values[name] = *number;
    return number ? std::nullopt
                  : std::optional(run::Failure{"--set " + name + "=" + value + ": " + value + " is no number", {}});
  });
  auto contents = [](auto& arrays, auto& fills) {
    return [&](const std::string& name, const std::string& value) -> std::optional<run::Failure> {
      std::error_code ec;
      if (!value.ends_with(".npy") && !fs::exists(value, ec)) {
        auto fill = run::parse_fill(value);
        if (!fill) {
          const std::string& meant = fill.error().meant;
          return run::Failure{name + "=" + value + ": " + fill.error().message,
                              meant.empty() ? std::string() : "did you mean " + meant + "?"};
        }
        fills[name] = std::move(*fill);
        return std::nullopt;
      }
      auto array = ide::given_array(value);
      if (!array) return run::Failure{array.error(), {}};
      arrays[name] = std::move(*array);
      return std::nullopt;
    };
  };
  if (!failure) failure = pairs(o.inputs, "input", contents(wanted.inputs, wanted.fills));
  if (!failure) failure = pairs(o.expected, "expect", contents(wanted.expected, wanted.expected_fills));
  if (failure) return std::unexpected(*failure);
  for (const std::string& path : o.cubins) {
    auto cubin = project::read_file(path, kLargestCubin);
    if (!cubin) return std::unexpected(run::Failure{cubin.error(), {}});
    request.cubins.push_back(std::move(*cubin));
  }
  return request;
}

// Every tensor that was written goes to the folder, NAME.npy each. The error names the file.
std::expected<void, std::string> write_outputs(const std::string& folder, run::Report& report) {
  std::error_code ec;
  fs::create_directories(folder, ec);
  if (ec) return std::unexpected("cannot create " + folder + ": " + ec.message());
  for (std::size_t i = 0; i < report.tensors.size(); ++i) {
    const run::BoundTensor& t = report.bound.tensors[i];
    if (t.role == run::Role::Input) continue;
    fs::path path = fs::path(folder) / (t.name + ".npy");
    run::NpyArray array = run::to_npy(t.dtype, run::array_shape(t), report.outcome.buffers[i].contents);
    std::string header = run::npy_header(array);
    if (auto ok = project::write_file(path, {header, array.data.view()}); !ok) return ok;
    report.tensors[i].file = path.string();
  }
  return {};
}

std::expected<void, std::string> write_trace(const RunCommand& o, const ide::RunAnswer& answer) {
  if (answer.report.outcome.timeline.names.empty())
    return std::unexpected("there is no timeline of what a GPU does: run it with --on sim");
  return project::write_file(o.trace, {render::timeline_json(answer)});
}

// "5", "0:2", "0:8:2".
std::expected<simulate::Options::Part, run::Failure> part_of(const std::string& text) {
  std::vector<std::uint64_t> numbers;
  for (std::string_view rest = text;;) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + colon, value);
    if (error != std::errc() || end != rest.data() + colon) break;
    numbers.push_back(value);
    if (colon == rest.size()) {
      if (numbers.size() == 1) numbers.push_back(value + 1);
      if (numbers.size() == 2) numbers.push_back(1);
      if (numbers.size() > 3 || numbers[0] >= numbers[1] || numbers[2] == 0) break;
      return simulate::Options::Part{numbers[0], numbers[1], numbers[2]};
    }
    rest.remove_prefix(colon + 1);
  }
  return std::unexpected(run::Failure{"--clusters " + text +
                                          ": write 5 for one cluster, 0:2 for the first two, 0:8:2 "
                                          "for every other one of the first eight",
                                      {}});
}

int refuse(const RunCommand& o, const run::Failure& failure) {
  if (o.json) std::fputs((render::dump(render::run_refusal("refused", failure)) + "\n").c_str(), stdout);
  return fail_usage(failure.message, failure.hint);
}

void show_messages(const ide::RunAnswer& answer) {
  std::fputs(render::run_messages(answer, render::colours(stderr)).c_str(), stderr);
}

// Every entry in turn. The status is the worst of theirs; who interrupts one has no more of them.
template <class AnswerTo>
int run_all(const RunCommand& o, const project::LoadedFile& file, const ide::RunRequest& request,
            AnswerTo&& answer_to) {
  if (!o.folder.empty() || !o.cubins.empty() || !o.trace.empty())
    return refuse(o, {"--output, --cubin and --trace are for one entry", "name it with --entry EXPR"});
  const std::vector<ide::Runnable> entries = ide::entries_to_run(file);
  if (entries.empty()) return refuse(o, {file.source->path() + " has no kernel to run", {}});
  int status = 0;
  std::map<std::string, int> verdicts;
  render::Json runs = render::Json::array();
  for (const auto& [entry, comment] : entries) {
    ide::RunRequest one = request;
    one.entry = entry;
    one.comment = comment;
    const ide::RunAnswer answer = answer_to(one);
    show_messages(answer);
    const int own = render::run_status(answer);
    if (answer.end == ide::RunAnswer::End::Stopped) return own;
    status = std::max(status, own);
    const bool reported = answer.end == ide::RunAnswer::End::Reported;
    ++verdicts[reported ? std::string(answer.report.verdict()) : "not run"];
    if (o.json) {
      render::Json report = render::run_json(answer);
      report["entry"] = entry;
      runs.push_back(std::move(report));
    } else if (reported) {
      std::fputs((render::run_text(answer, render::colours(stdout)) + "\n").c_str(), stdout);
    }
  }
  if (o.json) {
    std::fputs((render::dump({{"runs", runs}}) + "\n").c_str(), stdout);
    return status;
  }
  std::string summary = std::to_string(entries.size()) + (entries.size() == 1 ? " entry:" : " entries:");
  for (const auto& [verdict, times] : verdicts)
    summary += (summary.ends_with(':') ? " " : ", ") + std::to_string(times) + " " + verdict;
  std::fputs((summary + "\n").c_str(), stdout);
  return status;
}

int run_command(const RunCommand& o) {
  if (!o.arch.empty() && !target_option(o.arch)) return kUsage;
  Interrupts interrupts;
  auto request = request_of(o);
  if (!request) return refuse(o, request.error());
  auto file = project::load(o.file);
  if (!file) return refuse(o, {file.error(), {}});
  if (!o.dialect.read(&file->dialect)) return kUsage;

  run::GpuOptions options = project::gpu_options();
  options.library = o.driver;
  options.management = o.nvml;
  options.device = o.device;
  options.deadline = std::chrono::milliseconds(static_cast<std::int64_t>(o.deadline * 1000));
  if (o.memory > 0) options.memory_limit = static_cast<std::int64_t>(o.memory * (1 << 30));
  request->wanted.memory_limit = options.memory_limit;
  simulate::Options simulator;
  simulator.max_steps = o.steps;
  constexpr std::size_t kSeen = 4096;
  if (!o.watches.empty()) simulator.max_seen = kSeen;
  constexpr std::size_t kEvents = 400'000;  // what viewers still open
  if (!o.trace.empty()) simulator.timeline = kEvents;
  simulator.jobs = threads_of(o.jobs);
  if (!o.clusters.empty()) {
    auto part = part_of(o.clusters);
    if (!part) return refuse(o, part.error());
    simulator.clusters = *part;
  }
  // A line on the terminal, ten times a second at most.
  const bool shown = ::isatty(STDERR_FILENO) == 1;
  auto said = std::chrono::steady_clock::now();
  simulator.progress = [&](std::uint64_t done, std::uint64_t all) {
    const auto now = std::chrono::steady_clock::now();
    if (!shown || now - said < std::chrono::milliseconds(100)) return;
    said = now;
    std::fprintf(stderr, "\r\x1b[Ksimulated %llu of %llu clusters", static_cast<unsigned long long>(done),
                 static_cast<unsigned long long>(all));
  };
  auto executor = ide::executor_on(o.on, options, 3, simulator, interrupts.token());
  if (!o.clusters.empty() && executor->runs_cubins())
    return refuse(o, {"--clusters is a part for the simulator to run", "add --on sim"});
  auto progress = [&](const std::string& what) {
    if (shown) std::fprintf(stderr, "\r\x1b[K%s", what.c_str());
  };
  auto answer_to = [&](const ide::RunRequest& one) {
    ide::RunAnswer answer = ide::run_script(*file, one, *executor, interrupts.token(), progress);
    progress("");
    return answer;
  };
  if (o.entries == std::vector<std::string>{"all"}) return run_all(o, *file, *request, answer_to);

  ide::RunAnswer answer = answer_to(*request);
  bool done = answer.end == ide::RunAnswer::End::Reported && answer.report.outcome.status == run::Status::Done;
  if (done && !o.folder.empty())
    if (auto ok = write_outputs(o.folder, answer.report); !ok) return refuse(o, {ok.error(), {}});
  if (!o.trace.empty() && answer.end == ide::RunAnswer::End::Reported)
    if (auto ok = write_trace(o, answer); !ok) return refuse(o, {ok.error(), {}});
  show_messages(answer);
  if (o.json) {
    if (render::Json report = render::run_json(answer); !report.is_null())
      std::fputs((render::dump(report) + "\n").c_str(), stdout);
  } else if (answer.end == ide::RunAnswer::End::Reported) {
    std::fputs(render::run_text(answer, render::colours(stdout)).c_str(), stdout);
  }
  return render::run_status(answer);
}

constexpr std::string_view
    kAbout =
        "Outputs are poisoned before each launch, guard zones lie around every tensor, inputs are checked to be "
        "unchanged. The simulator also checks bounds, alignment, reads of what nobody wrote, barriers and unfinished "
        "copies, and data races.\nOn a GPU each timed launch is measured with the L2 cache emptied and right after "
        "another one, in turn with the "
        "driver's copy of as many bytes; results are compared before, during and after. What runs is also said by a "
        "comment in the script: # tilewright: run copy reference=expected A=random(seed=7) n=100 repeat=20\n",
    kExamples =
        "Exit status: 0 verified or nothing to compare with, 1 wrong or not known (incomplete), 2 no GPU or wrong "
        "usage, "
        "130 interrupted.\n\n"
        "Examples:\n  tilewright run copy.py\n  tilewright run copy.py --on sim --schedules 20\n"
        "  tilewright run kernels.py --entry all --on sim\n"
        "  tilewright run vector_add.py --on gpu --set n=1000000 --repeat 50\n"
        "  tilewright run kernels.py --on gpu --entry fast --against plain --seed secret\n"
        "  tilewright run copy.py --input A=arange --watch 'smem[3, 0:8]@14' --trace timeline.json\n"
        "  tilewright run gemm.py --entry 'gemm(1024)' --on gpu --input A=a.npy --input B=b.npy --expect C=c.npy -o "
        "out/";

// What the simulator does not execute, by the reason.
std::string unmodelled_text() {
  std::map<std::string_view, std::string> by_reason;
  for (const simulate::Unmodelled& row : simulate::unmodelled_rows()) {
    std::string& names = by_reason[row.why];
    names += (names.empty() ? "T." : ", T.") + std::string(row.name);
  }
  std::string out = "A run that comes to one of these calls on the simulator is incomplete:\n";
  for (const auto& [why, names] : by_reason) out += "  " + names + ": " + std::string(why) + "\n";
  return out;
}

}  // namespace

void add_run(CLI::App& app, Run& run) {
  auto o = std::make_shared<RunCommand>();
  CLI::App* c = app.add_subcommand("run", "Run a kernel on a GPU or the simulator, verify what it leaves, and time it");
  c->add_option("file", o->file, "The script, or - for standard input")->required();
  c->add_option("--on", o->on,
                "Where: gpu, this machine's own, or sim, the simulator (default: the GPU where there is one)")
      ->check(CLI::IsMember(std::vector<std::string>(project::kRunTargets.begin(), project::kRunTargets.end())));
  c->add_option("--arch", o->arch,
                "Architecture to compile for (default: the device's own; of the simulator what the script needs)");
  o->dialect.add(*c);
  c->add_option("--device", o->device, "Which of the driver's devices")->capture_default_str();
  auto repeatable = [&](const char* name, std::vector<std::string>& to, const char* help) {
    c->add_option(name, to, help)->expected(1)->take_all();
  };
  repeatable(
      "--entry", o->entries,
      "An expression that yields the kernel, e.g. 'make(128, 64)'; repeated: kernels that run in turn on the same "
      "tensors; all: every entry, one after the other");
  repeatable(
      "--input", o->inputs,
      "NAME=WHAT: contents of a tensor: FILE.npy, random(seed=7, low=0, high=8), zeros, ones, arange, poison or a "
      "number (default: random); repeatable");
  repeatable("--writes", o->outputs,
             "NAME: a tensor that the kernel only writes, where this is not found out; repeatable");
  repeatable("--set", o->settings, "NAME=VALUE: a symbolic extent or a scalar, e.g. n=128; repeatable");
  repeatable("--expect", o->expected,
             "NAME=FILE.npy, or as with --input: what a tensor should hold afterwards; repeatable");
  c->add_option("--reference", o->reference,
                "An expression that yields a kernel of the same tensors whose results are expected (default: what "
                "'# tilewright: reference EXPR' above the kernel says)");
  c->add_option("--rtol", o->rtol, "Relative tolerance (default: by type; integers exactly)")
      ->check(CLI::NonNegativeNumber);
  c->add_option("--atol", o->atol, "Absolute tolerance (default: by type)")->check(CLI::NonNegativeNumber);
  c->add_option("--seed", o->seed,
                "Seed of the random inputs, or secret: drawn for this run and told at its end (default: 1)");
  c->add_option("--repeat", o->repeat, "Timed launches; 0: do not time (default: 10, with --against 30)")
      ->check(CLI::Range(0, 10000));
  c->add_option("--warmup", o->warmup, "Launches before the timed ones (default: 3)")->check(CLI::Range(0, 1000));
  c->add_option("--deadline", o->deadline, "Seconds after which the kernel is ended")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 86400.0));
  c->add_option("--schedules", o->schedules,
                "Orders of asynchronous work that the simulator tries: late, early, then at random (default: 3)")
      ->check(CLI::Range(1, 10000));
  add_jobs(*c, o->jobs);
  c->add_option("--clusters", o->clusters,
                "The part of the grid that the simulator runs, by the numbers of clusters (CTAs, where there are no "
                "clusters): 5, 0:2 or 0:8:2 for FROM:TO:STEP");
  c->add_option("--steps", o->steps, "Instructions of all threads that the simulator executes at most")
      ->capture_default_str();
  repeatable("--cubin", o->cubins,
             "Run this compiled form of the kernel instead of compiling it here; one for each kernel");
  repeatable(
      "--watch", o->watches,
      "EXPRESSION@LINE: on the simulator, what the expression is by thread and iteration where the line was "
      "executed, e.g. 'smem[3, 0:8]@14'; a buffer of any scope with indices and slices, or a number; repeatable");
  c->add_option(
      "--trace", o->trace,
      "FILE: a timeline of the simulator's first schedule, in Chrome's trace format (ui.perfetto.dev opens it)");
  c->add_option("--against", o->against,
                "On a GPU: another entry of the same tensors, or a .cubin of this one, that is verified and measured "
                "in turn with it; says which is faster, or that no difference is seen");
  c->add_option("--memory-limit", o->memory,
                "Gigabytes of this machine's memory that tensors may take (default: half of what it has)")
      ->check(CLI::PositiveNumber);
  c->add_option("--driver", o->driver, "The CUDA driver's library")->capture_default_str();
  c->add_option("--nvml", o->nvml, "The driver's management library, which tells clocks and temperature")
      ->capture_default_str();
  c->add_option("-o,--output", o->folder, "Folder to write the outputs into, NAME.npy each");
  c->add_flag("--json", o->json, "One JSON object");
  c->footer([] { return std::string(kAbout) + unmodelled_text() + std::string(kExamples); });
  c->callback([o, &run] { run = [o] { return run_command(*o); }; });
}

}  // namespace tilewright::cli
