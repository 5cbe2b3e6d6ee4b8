#include "server/cli/run_options.h"

#include <charconv>
#include <chrono>
#include <filesystem>
#include <map>

#include "compiler/intrinsics/say.h"
#include "compiler/run/simulated_executor.h"
#include "compiler/simulate/calls/unmodelled.h"
#include "compiler/threads/in_order.h"
#include "server/project/console.h"
#include "server/project/environment.h"
#include "server/project/files.h"
#include "server/project/run_targets.h"
#include "server/remote/patience.h"
#include "server/render/run_report.h"

namespace tilewright::cli {
namespace {

namespace fs = std::filesystem;

constexpr double kGpuDeadline = 10;  // seconds
constexpr std::uintmax_t kLargestCubin = std::uintmax_t{1} << 30;

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

constexpr std::string_view
    kAbout =
        "Outputs are poisoned before each launch, guard zones lie around every tensor, inputs are checked to be "
        "unchanged. The simulator also checks bounds, alignment, reads of what was not written, barriers and "
        "unfinished "
        "copies, and data races.\nOn a GPU each timed launch is measured with the L2 cache emptied and right after "
        "another one, in turn with the driver's copy of as many bytes; results are compared before, during and after. "
        "What runs is also said by a comment in the script: # tilewright: run copy reference=expected A=random(seed=7) "
        "n=100 repeat=20\nWith --entry all it is a batch: every entry of the scripts and folders, one at a time on "
        "each GPU or slot of a remote, or on as many simulators as there are --jobs. What fails costs that run only; a "
        "table and the worst exit status end it. An entry that is written for another architecture than the device's "
        "is "
        "skipped, in a line that says what it needs (--require-all: it fails). In JUnit a wrong result is a failure, "
        "what could not be run or judged "
        "an error, and what is held against nothing (unverified) skipped.\n",
    kExamples =
        "Exit status: 0 verified or nothing to compare with, 1 wrong or not known (incomplete), 2 no GPU or wrong "
        "usage, 130 interrupted.\n\nExamples:\n  tilewright run copy.py\n  tilewright run copy.py --on sim --schedules "
        "20\n  tilewright run kernels.py --entry all --on sim\n  tilewright run kernels/ --entry all --on gpu --device "
        "0,1 --format junit > report.xml\n  tilewright run kernels/ --entry all --fail-fast\n  tilewright run kernels/ "
        "--entry all --on lab          a remote or pool of tilewright.toml\n  tilewright run vector_add.py --on gpu "
        "--set n=1000000 --repeat 50\n  tilewright run kernels.py --on gpu --entry fast --against plain --seed "
        "secret\n  tilewright run copy.py --input A=arange --watch 'smem[3, 0:8]@14' --trace timeline.json\n  "
        "tilewright run transpose.py --on sim --profile\n  "
        "tilewright run gemm.py --entry 'gemm(1024)' --on gpu --input A=a.npy --input B=b.npy --expect C=c.npy -o out/";

// What the simulator does not execute, by the reason.
std::string unmodelled_text() {
  std::map<std::string_view, std::string> by_reason;
  for (const simulate::Unmodelled& row : simulate::unmodelled_rows()) {
    std::string& names = by_reason[row.why];
    names += (names.empty() ? "" : ", ") + intrinsics::say(*intrinsics::row_of_id(row.id), text::kDefaultDialect);
  }
  std::string out = "A run that comes to one of these calls on the simulator is incomplete:\n";
  for (const auto& [why, names] : by_reason) out += "  " + names + ": " + std::string(why) + "\n";
  return out;
}

// An option that may be given several times.
void repeatable(CLI::App& c, const char* name, std::vector<std::string>& to, const char* help) {
  c.add_option(name, to, help)->expected(1)->take_all();
}

void add_places(CLI::App& c, RunOptions& options) {
  c.add_option("--on", options.on,
               "Where: gpu, this machine's own (of a batch all that it has); sim, the simulator; a remote or a pool of "
               "tilewright.toml; or an address: ssh://HOST, tls://HOST:PORT, exec:COMMAND, unix:PATH, "
               "slurm:partition=P,gres=gpu:1 "
               "(default: the GPU where there is one, else the simulator)");
  c.add_option("--arch", options.arch,
               "Architecture to compile for (default: the device's own; of the simulator what the script needs)");
  options.dialect.add(c);
  c.add_option("--device", options.devices,
               "Which of the driver's devices; of a batch several, as 0,1 (default: 0, all)")
      ->delimiter(',')
      ->expected(1, 1024)
      ->allow_extra_args(false)
      ->check(CLI::NonNegativeNumber);
  add_jobs(c, options.jobs);
  c.add_option(
       "--deadline", options.deadline,
       "Seconds after which the kernel is ended (default: 10 on a GPU, 3600 on the simulator, the worker's time "
       "limit on the simulator of a worker)")
      ->check(CLI::Range(0.001, 86400.0));
  c.add_option("--patience", options.patience,
               "Seconds after which a silent worker elsewhere is given up (default: the patience of the "
               "remote, else 120 for its greeting and 30 from then on)")
      ->check(CLI::Range(1, remote::kLongestPatience));
  c.add_option("--give-up", options.give_up,
               "Seconds after which a run elsewhere is given up, its time in the worker's queue included (default: the "
               "give-up of the remote, else 3600)")
      ->check(CLI::Range(1, remote::kLongestPatience));
  c.add_option("--memory-limit", options.memory,
               "Gigabytes of this machine's memory that tensors may take (default: half of what it has)")
      ->check(CLI::PositiveNumber);
  c.add_option("--driver", options.driver, "The CUDA driver's library")->capture_default_str();
  c.add_option("--nvml", options.nvml, "The driver's management library, which reports clocks and temperature")
      ->capture_default_str();
  c.add_option(
      "--cupti", options.cupti,
      "NVIDIA's library for profilers, which samples, or its program ncu (default: those of the CUDA toolkit)");
}

void add_tensors(CLI::App& c, RunOptions& options) {
  repeatable(c, "--input", options.inputs,
             "NAME=WHAT: contents of a tensor: FILE.npy, random(seed=7, low=0, high=8), zeros, ones, arange, poison or "
             "a number (default: random); repeatable");
  repeatable(c, "--writes", options.outputs,
             "NAME: a tensor that the kernel only writes, where this is not found out; repeatable");
  repeatable(c, "--set", options.settings, "NAME=VALUE: a symbolic extent or a scalar, e.g. n=128; repeatable");
  repeatable(c, "--expect", options.expected,
             "NAME=FILE.npy, or as with --input: what a tensor should hold afterwards; repeatable");
  c.add_option("--reference", options.reference,
               "An expression that yields a kernel of the same tensors whose results are expected; FILE.py:FUNCTION, a "
               "function in Python that computes them; or none (default: what '# tilewright: reference EXPR' above the "
               "kernel says)");
  c.add_option("--python", options.python,
               "The interpreter that computes references in Python, with numpy (default: TILEWRIGHT_PYTHON, else "
               "python3)");
  c.add_option("--rtol", options.rtol, "Relative tolerance (default: by type; integers exactly)")
      ->check(CLI::NonNegativeNumber);
  c.add_option("--atol", options.atol, "Absolute tolerance (default: by type)")->check(CLI::NonNegativeNumber);
}

void add_experiment(CLI::App& c, RunOptions& options) {
  repeatable(c, "--entry", options.entries,
             "An expression that yields the kernel, e.g. 'make(128, 64)'; repeated: kernels that run in turn on the "
             "same tensors; all: every entry of every script, side by side");
  c.add_option(
      "--comment", options.comment,
      "LINE: follow the comment '# tilewright: run' of this line (default: the first that speaks of the entry)");
  add_tensors(c, options);
  c.add_option("--seed", options.seed,
               "Seed of the random inputs, or secret: drawn for this run and printed at its end (default: 1)");
  c.add_option("--repeat", options.repeat, "Timed launches; 0: do not time (default: 10, with --against 30)")
      ->check(CLI::Range(0, 10000));
  c.add_option("--warmup", options.warmup, "Launches before the timed ones (default: 3)")->check(CLI::Range(0, 1000));
  repeatable(c, "--cubin", options.cubins,
             "Run this compiled form of the kernel instead of compiling it here; one for each kernel");
  c.add_option("--against", options.against,
               "On a GPU: another entry of the same tensors, or a .cubin of this one, that is verified and measured in "
               "turn with it; reports which is faster, or that none is");
}

void add_simulation(CLI::App& c, RunOptions& options) {
  c.add_option("--schedules", options.schedules,
               "Orders of asynchronous work that the simulator tries: late, early, then at random (default: 3)")
      ->check(CLI::Range(1, 10000));
  c.add_option("--clusters", options.clusters,
               "The part of the grid that the simulator runs, by the numbers of clusters (CTAs, where there are no "
               "clusters): 5, 0:2 or 0:8:2 for FROM:TO:STEP");
  c.add_option("--steps", options.steps, "Instructions of all threads that the simulator executes at most")
      ->capture_default_str();
  repeatable(c, "--watch", options.watches,
             "EXPRESSION@LINE: on the simulator, what the expression is by thread and iteration where the line was "
             "executed, e.g. 'smem[3, 0:8]@14'; a buffer of any scope with indices and slices, or a number; "
             "repeatable");
  c.add_flag(
      "--profile", options.profile,
      "On the simulator: what each line asks of global memory, shared memory and tensor cores, counted, and what "
      "could be asked less. On a GPU: where its warps are and what they wait for, by line, sampled with CUPTI or ncu");
  c.add_flag(
      "--as-written", options.as_written,
      "With --profile on the simulator: count accesses as the script writes them, not as NVIDIA's compiler joins them");
  c.add_option("--trace", options.trace,
               "FILE: a timeline in Chrome's trace format (ui.perfetto.dev opens it), or, as FILE.html, a page that "
               "draws it: of the simulator's first schedule, or, on a GPU, here or on a remote, of a build with marks "
               "at tile primitives and waits");
}

void add_reports(CLI::App& c, RunOptions& options) {
  c.add_option("-o,--output", options.folder,
               "Folder to write the outputs into, NAME.npy each; of a batch in a folder for each entry");
  c.add_option("--format", options.format, "How to report: text, json, or of a batch junit")
      ->check(CLI::IsMember({"text", "json", "junit"}))
      ->capture_default_str();
  c.add_flag_callback("--json", [&options] { options.format = "json"; }, "The same as --format json");
  add_answer(c, options.answer);
  CLI::Option* lines = c.add_option("--lines", options.answer.lines,
                                    "Only what was found, watched and counted at these lines: A:B; means --json");
  c.add_option("--call", options.answer.call, "The same of the call at FILE:LINE, also in a file that is imported")
      ->excludes(lines);
  c.add_flag("--require-all", options.require_all,
             "Of a batch: an entry that the device's architecture cannot run fails it, instead of being skipped");
  c.add_flag("--fail-fast", options.fail_fast, "Of a batch: the first run that fails ends it");
  c.add_flag("-v,--verbose", options.verbose,
             "Of a batch: the whole report of every run, not only of those that failed");
}

}  // namespace

std::expected<work::RunRequest, run::Failure> request_of(const RunOptions& options) {
  work::RunRequest request;
  for (const std::string& entry : options.entries)
    if (!options.all()) request.entry += (request.entry.empty() ? "" : " then ") + entry;
  request.arch = options.arch;
  request.reference = options.reference;
  request.python = options.python.empty() ? project::python_interpreter() : options.python;
  request.against = options.against;
  request.watches = options.watches;
  request.digests = options.json();
  request.as_written = options.as_written;
  run::Wanted& wanted = request.wanted;
  wanted.outputs = options.outputs;
  wanted.relative = options.rtol;
  wanted.absolute = options.atol;
  request.warmups = options.warmup;
  request.repeats = options.repeat;
  request.schedules = options.schedules;
  request.secret_seed = options.seed == "secret";
  if (!options.seed.empty() && !request.secret_seed) {
    auto number = run::parse_number(options.seed);
    if (!number || number->real || number->integer < 0)
      return std::unexpected(run::Failure{"--seed " + options.seed + ": a whole number, or secret", {}});
    request.seed = static_cast<std::uint64_t>(number->integer);
  }
  auto failure = pairs(options.settings, "set", [&](const std::string& name, const std::string& value) {
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
      auto array = work::given_array(value);
      if (!array) return run::Failure{array.error(), {}};
      arrays[name] = std::move(*array);
      return std::nullopt;
    };
  };
  if (!failure) failure = pairs(options.inputs, "input", contents(wanted.inputs, wanted.fills));
  if (!failure) failure = pairs(options.expected, "expect", contents(wanted.expected, wanted.expected_fills));
  if (failure) return std::unexpected(*failure);
  wanted.memory_limit = gpu_of(options).memory_limit;
  for (const std::string& path : options.cubins) {
    auto cubin = project::read_file(path, kLargestCubin);
    if (!cubin) return std::unexpected(run::Failure{cubin.error(), {}});
    request.cubins.push_back(std::move(*cubin));
  }
  return request;
}

run::GpuOptions gpu_of(const RunOptions& options) {
  run::GpuOptions gpu = project::gpu_options();
  gpu.library = options.driver;
  gpu.management = options.nvml;
  if (!options.cupti.empty()) gpu.profilers = {options.cupti};
  if (!options.devices.empty()) gpu.device = options.devices.front();
  gpu.deadline = std::chrono::milliseconds(static_cast<std::int64_t>(options.deadline.value_or(kGpuDeadline) * 1000));
  if (options.memory > 0) gpu.memory_limit = static_cast<std::int64_t>(options.memory * (1 << 30));
  return gpu;
}

std::chrono::milliseconds simulator_deadline(const RunOptions& options) {
  if (!options.deadline) return run::kSimulatorDeadline;
  return std::chrono::milliseconds(static_cast<std::int64_t>(*options.deadline * 1000));
}

std::expected<simulate::Options, run::Failure> simulator_of(const RunOptions& options) {
  simulate::Options simulator;
  simulator.max_steps = options.steps;
  constexpr std::size_t kSeen = 4096;
  if (!options.watches.empty()) simulator.max_seen = kSeen;
  constexpr std::size_t kEvents = 400'000;  // what viewers still open
  if (!options.trace.empty()) simulator.timeline = kEvents;
  simulator.profile = options.profile;
  simulator.jobs = threads::threads_of(options.jobs);
  if (options.clusters.empty()) return simulator;
  auto part = part_of(options.clusters);
  if (!part) return std::unexpected(part.error());
  simulator.clusters = *part;
  return simulator;
}

int refuse(const RunOptions& options, const run::Failure& failure, std::string_view status) {
  if (options.json()) print_json(render::run_refusal(status, failure));
  return fail_usage(failure.message, failure.hint);
}

void add_run_options(CLI::App& command, RunOptions& options) {
  command.add_option("paths", options.paths, "The script, or - for standard input; of a batch several, or folders")
      ->required();
  add_places(command, options);
  add_experiment(command, options);
  add_simulation(command, options);
  add_reports(command, options);
  command.footer([] { return std::string(kAbout) + unmodelled_text() + std::string(kExamples); });
}

void add_tune_run_options(CLI::App& command, RunOptions& options) {
  add_places(command, options);
  add_tensors(command, options);
  // What is measured is compiled for the device, and no profile is taken.
  for (const char* name : {"--arch", "--cupti"}) command.remove_option(command.get_option(name));
  command.get_option("--on")->description(
      "Where: gpu, this machine's own; a remote or a pool of tilewright.toml; or an address: ssh://HOST, "
      "tls://HOST:PORT, exec:COMMAND, unix:PATH, slurm:partition=P,gres=gpu:1 (default: gpu)");
  command.get_option("--device")
      ->description("Which of the driver's devices; several, as 0,1, share the rounds (default: 0)");
}

}  // namespace tilewright::cli
