// tilewright tune: of the variants of a kernel that a space of settings makes, the fastest that is right.
#include "server/work/tune.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "compiler/process/fd.h"
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
  bool json = false, search = true, exhaustive = false, resume = false;
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
  request.exhaustive = options.exhaustive;
  return request;
}

// A record that this call alone writes, while it lives; an empty path: none.
class Record {
 public:
  // The error: another call writes it.
  static std::expected<Record, std::string> open(const std::string& path) {
    Record out;
    out.path_ = path;
    std::error_code none;
    if (std::filesystem::is_directory(path, none)) return std::unexpected("cannot write " + path + ": it is a folder");
    if (path.empty() || (std::filesystem::exists(path, none) && !std::filesystem::is_regular_file(path, none)))
      return out;
    const std::string lock = path + ".lock";
    out.lock_ = process::Fd(::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (!out.lock_) return std::unexpected("cannot write " + path + ": " + std::strerror(errno));
    if (::flock(out.lock_.get(), LOCK_EX | LOCK_NB) != 0)
      return std::unexpected("another run of tune writes " + path + ": wait for its end, or name another file with -o");
    out.locked_ = lock;
    return out;
  }
  Record(Record&& other) noexcept
      : path_(std::move(other.path_)), locked_(std::exchange(other.locked_, {})), lock_(std::move(other.lock_)) {}
  Record& operator=(Record&&) = delete;
  ~Record() {
    if (!locked_.empty()) ::unlink(locked_.c_str());
  }

  // While something is to be measured yet, once a second and of regular files alone.
  std::expected<void, std::string> save(const render::Json& record) const {
    if (path_.empty()) return {};
    return project::write_file(path_, {render::dump(record) + "\n"});
  }
  bool keeps_steps() const { return !locked_.empty(); }

 private:
  Record() = default;
  std::string path_, locked_;
  process::Fd lock_;
};

// The answer that a record holds, to go on from; nothing: there is no such file.
std::expected<std::optional<work::TuneAnswer>, std::string> earlier_of(const TuneOptions& options) {
  std::error_code none;
  if (!options.resume || !std::filesystem::exists(options.output, none)) return std::nullopt;
  auto text = project::read_file(options.output);
  if (!text) return std::unexpected(text.error());
  auto answer = render::read_tune(*text);
  if (!answer) return std::unexpected(options.output + ": " + answer.error());
  return std::move(*answer);
}

std::expected<std::vector<work::Slot>, run::Failure> executors_of(const TuneOptions& options,
                                                                  const std::stop_token& stop) {
  const std::string on = options.run.on.empty() ? "gpu" : options.run.on;
  if (is_elsewhere(on) || !options.run.devices.empty()) {
    RunOptions run = options.run;
    run.on = on;
    return slots_for(run, nullptr, {}, stop);
  }
  std::vector<work::Slot> out;
  out.push_back({on, work::executor_on(on, gpu_of(options.run), 1, {}, stop, simulator_deadline(options.run))});
  return out;
}

// What was saved last, and whether that went well.
struct Saving {
  std::chrono::steady_clock::time_point last{};
  bool begun = false;
  std::string error;
};

// The answer of a tuning that is saved as it goes; what cannot be saved at first ends it.
work::TuneAnswer saved_tune(const project::LoadedFile& file, const work::TuneRequest& request,
                            const std::vector<run::Executor*>& executors, const Record& record,
                            const std::optional<work::TuneAnswer>& earlier, Saving& saving,
                            const std::stop_token& stop) {
  toolchain::Toolchain tools(project::toolchain_options());
  render::StatusLine line(std::chrono::milliseconds(100), std::chrono::seconds(1));
  std::stop_source unsaved;
  const std::stop_callback forward(stop, [&] { unsaved.request_stop(); });
  work::TuneHooks hooks;
  hooks.progress = [&](const work::TuneHooks::Progress& p) {
    line.show(p.what + " " + std::to_string(p.done) + " of " + std::to_string(p.all));
  };
  hooks.save = [&](const work::TuneAnswer& answer) {
    const auto now = std::chrono::steady_clock::now();
    if (!record.keeps_steps() || now - saving.last < std::chrono::seconds(1)) return;
    saving.last = now;
    auto so_far = answer;
    so_far.stopped = true;
    const auto saved = record.save(render::tune_json(so_far, file.source->path(), false));
    if (!saved) saving.error = saved.error();
    if (!saved && !saving.begun) unsaved.request_stop();
    saving.begun = true;
  };
  work::TuneAnswer out =
      work::tune(file, request, executors, tools, unsaved.get_token(), hooks, earlier ? &*earlier : nullptr);
  line.clear();
  return out;
}

// Something is known of it.
bool is_looked_at(const work::Candidate& c) { return c.fate != work::Candidate::Fate::Open || c.rounds > 0; }

int tune(const TuneOptions& options) {
  auto request = request_of(options);
  if (!request) return kUsage;
  if (options.resume && options.output.empty())
    return fail_usage("--resume goes on from a record, and none is named", "name it with -o FILE");
  Interrupts interrupts;
  const std::stop_token stop = interrupts.token();
  auto file = project::load(options.run.paths.front());
  if (!file) return fail_usage(file.error());
  if (!options.run.dialect.read(&file->dialect)) return kUsage;
  const auto record = Record::open(options.output);
  if (!record) return fail_usage(record.error());
  const auto earlier = earlier_of(options);
  if (!earlier) return fail_usage(earlier.error(), "without --resume all is tuned from the start");
  auto slots = executors_of(options, stop);
  if (stop.stop_requested()) return interrupted();
  if (!slots) return fail_usage(slots.error().message, slots.error().hint);
  std::vector<run::Executor*> executors;
  for (const work::Slot& slot : *slots) executors.push_back(slot.executor.get());
  Saving saving;
  const work::TuneAnswer answer = saved_tune(*file, *request, executors, *record, *earlier, saving, stop);
  if (!saving.error.empty() && answer.stopped && !stop.stop_requested())
    return fail_usage(saving.error, "-o names a file that can be written; without it nothing is saved");
  const auto now = project::load(options.run.paths.front());
  const bool changed = !now || now->source->text() != file->source->text();
  const render::Json made = render::tune_json(answer, file->source->path(), changed);
  std::expected<void, std::string> saved;
  // What cannot be gone on from stays as it was.
  const bool refused = *earlier && answer.failure;
  if (!answer.candidates.empty() && !refused && !answer.finished) saved = record->save(made);
  if (options.json) {
    project::emit(stdout, render::dump(made) + "\n");
  } else if (!answer.failure || std::ranges::any_of(answer.candidates, is_looked_at)) {
    project::say(stdout, render::tune_text(answer, changed, render::colours(stdout)));
  }
  if (!saved) return fail_usage(saved.error());
  if (answer.failure) return fail_usage(answer.failure->message, answer.failure->hint);
  if (answer.finished)
    tell(options.output + " was tuned to its end: nothing was measured; without --resume all is tuned from the start");
  if (answer.stopped) {
    if (record->keeps_steps()) tell("stopped: --resume goes on from " + options.output);
    return interrupted();
  }
  return render::tune_status(answer);
}

}  // namespace

void add_tune(CLI::App* c, Run& run) {
  auto options = std::make_shared<TuneOptions>();
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
      ->check(CLI::Range(2, 400))
      ->capture_default_str();
  c->add_flag("--exhaustive", options->exhaustive, "Measure every candidate as often as the last few, 40 times");
  c->add_option("-o,--output", options->output,
                "FILE: a record as JSON: script, binaries, device, driver, clocks, every candidate with its samples; "
                "saved after each step");
  c->add_flag("--resume", options->resume,
              "Continue the record that -o names, if there is one; a finished one is printed, and nothing is measured");
  c->add_flag("--json", options->json, "Print that record");
  c->footer(
      "Each survivor runs on inputs that are drawn for the round, and must leave what the reference leaves. The last "
      "few are measured in pairs against the fastest; the report says where none is faster.\n\n"
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
