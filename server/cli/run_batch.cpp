#include "server/cli/run_batch.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <set>

#include "compiler/threads/in_order.h"
#include "compiler/threads/large_threads.h"
#include "server/cli/interrupts.h"
#include "server/cli/output_names.h"
#include "server/cli/run_files.h"
#include "server/cli/run_slots.h"
#include "server/project/console.h"
#include "server/project/files.h"
#include "server/render/run_batch.h"
#include "server/render/status_line.h"
#include "server/work/batch_place.h"

namespace tilewright::cli {
namespace {

namespace fs = std::filesystem;
using render::RunFormat;
using render::RunRow;

constexpr std::chrono::milliseconds kPatience{100};  // for the next row

// What makes no sense for several entries, or for several scripts.
std::optional<run::Failure> senseless(const RunOptions& options, std::size_t scripts) {
  if (!options.cubins.empty() || !options.trace.empty() || options.profile)
    return run::Failure{"--cubin, --trace and --profile are for one entry", "name it with --entry EXPR"};
  if (scripts > 1 && (!options.watches.empty() || !options.against.empty()))
    return run::Failure{"--watch and --against speak of one script", "name one script"};
  if (scripts > 1 && std::ranges::find(options.paths, "-") != options.paths.end())
    return run::Failure{"standard input is one script", "name it alone"};
  return std::nullopt;
}

// Rows as they come from the threads, handed on in the order of the scripts and their entries.
class Rows {
 public:
  explicit Rows(std::size_t scripts) : scripts_(scripts) {}

  void expect(std::size_t script, std::size_t runs) {
    std::lock_guard lock(mutex_);
    scripts_[script].opened = true;
    scripts_[script].rows.resize(runs);
  }
  void put(std::size_t script, std::size_t number, RunRow row) {
    {
      std::lock_guard lock(mutex_);
      failed_ += row.status != 0;
      scripts_[script].rows[number] = std::move(row);
    }
    changed_.notify_all();
  }
  void thread_ended() {
    {
      std::lock_guard lock(mutex_);
      ++ended_;
    }
    changed_.notify_all();
  }
  // The next row, if it is there. Waits a little for it, unless `threads` have ended already.
  std::optional<RunRow> next(std::size_t threads, bool* over) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kPatience, [&] { return step() || ended_ == threads; });
    *over = ended_ == threads;
    if (!step()) return std::nullopt;
    return std::exchange(scripts_[script_].rows[number_++], std::nullopt);
  }
  // When no more come: those that wait for others which never came.
  std::vector<RunRow> rest() {
    std::lock_guard lock(mutex_);
    std::vector<RunRow> out;
    for (; script_ < scripts_.size(); ++script_, number_ = 0)
      for (; number_ < scripts_[script_].rows.size(); ++number_)
        if (auto& row = scripts_[script_].rows[number_]) out.push_back(std::move(*row));
    return out;
  }
  std::size_t failed() const {
    std::lock_guard lock(mutex_);
    return failed_;
  }

 private:
  struct Script {
    bool opened = false;
    std::vector<std::optional<RunRow>> rows;
  };
  // To the next row that is expected; is it there?
  bool step() {
    while (script_ < scripts_.size() && scripts_[script_].opened && number_ == scripts_[script_].rows.size()) {
      ++script_;
      number_ = 0;
    }
    return script_ < scripts_.size() && scripts_[script_].opened && scripts_[script_].rows[number_].has_value();
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Script> scripts_;
  std::size_t script_ = 0, number_ = 0, ended_ = 0, failed_ = 0;
};

// What is said, and what is kept of it for the end.
class Report {
 public:
  Report(const RunOptions& options, RunFormat format, std::vector<std::string> paths, bool several)
      : options_(options),
        format_(format),
        paths_(std::move(paths)),
        several_(several),
        whole_(options.verbose || !several) {}

  void show(RunRow row) {
    line_.clear();
    status_ = std::max(status_, row.status);
    if (format_ == RunFormat::Text) {
      if (whole_ || row.wants_a_look || !row.why.empty()) {
        if (several_ || !row.why.empty()) project::say(stdout, render::run_heading(row, render::colours(stdout)));
        // The errors of a script are those of each of its entries, and are shown with the first.
        if (row.verdict != "errors" || shown_.insert(row.path + "\n" + row.messages).second) complain(row.messages);
        if ((several_ && row.why.empty()) || !row.text.empty()) project::say(stdout, row.text + "\n");
      }
    } else if (format_ == RunFormat::Json) {
      if (const auto lines = lines_of(options_.answer); lines && *lines) render::keep_lines(row.json, **lines);
      row.json = part_of(row.json, options_.answer, kRunSummary);
      project::emit(stdout, (rows_.empty() ? render::kRunsBegin : "") + render::run_element(row, rows_.empty()));
    }
    std::fflush(stdout);
    row.text = row.messages = {};
    row.json = nullptr;
    rows_.push_back(std::move(row));
  }

  // One line, for people who wait.
  void progress(const work::Batch::State& now, std::size_t failed) {
    if (!line_.wanted()) return;
    std::string line = std::to_string(now.done) + " of " + std::to_string(now.known) + " runs";
    if (now.opened < now.files)
      line += " (" + std::to_string(now.opened) + " of " + std::to_string(now.files) + " scripts)";
    if (failed) line += ", " + std::to_string(failed) + " failed";
    for (std::size_t i = 0; i < now.running.size(); ++i) line += (i ? ", " : ": ") + now.running[i];
    line_.show(line);
  }

  // `why`: "interrupted", "fail_fast", "no_device"; empty: all were run.
  void end(const work::Batch& batch, const std::string& why) {
    line_.clear();
    const std::size_t ran = rows_.size();
    std::string unrun;
    constexpr std::size_t kNamed = 20;
    std::size_t count = 0;
    for (const work::Batch::Left& left : batch.left()) {
      rows_.push_back(render::unrun_row(left, why, format_));
      if (++count <= kNamed) unrun += "\n  " + left.path + (left.entry.empty() ? "" : "  " + left.entry);
    }
    if (format_ == RunFormat::Json) {
      if (ran == 0) project::emit(stdout, render::kRunsBegin);
      project::emit(stdout, render::runs_end(rows_, why));
      return;
    }
    if (format_ == RunFormat::Junit) {
      // Those that were not run stand with the others of their script.
      std::ranges::stable_sort(rows_, {}, [&](const RunRow& row) { return place_of(row.path); });
      project::emit(stdout, render::runs_junit(rows_));
      return;
    }
    const std::vector<RunRow> shown(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(ran));
    std::string out = ran > 1 ? render::run_table(shown, options_.verbose, render::colours(stdout)) + "\n" : "";
    if (count > kNamed) unrun += "\n  and " + std::to_string(count - kNamed) + " more";
    if (count) out += "not run:" + unrun + "\n";
    if (const std::size_t empty = batch.state().empty)
      out += std::to_string(empty) + (empty == 1 ? " script has" : " scripts have") + " nothing to run\n";
    project::say(stdout, out + render::run_counts(rows_) + "\n");
  }

  bool nothing() const { return rows_.empty(); }
  int status() const { return status_; }

 private:
  std::size_t place_of(const std::string& path) const {
    return static_cast<std::size_t>(std::ranges::find(paths_, path) - paths_.begin());
  }

  const RunOptions& options_;
  RunFormat format_;
  std::vector<std::string> paths_;  // of all scripts, in order
  bool several_, whole_;
  render::StatusLine line_;
  std::vector<RunRow> rows_;
  std::set<std::string> shown_;  // errors of scripts
  int status_ = 0;
};

// Where the outputs of each run go: into a folder of its own, called after script and entry.
class OutputFolders {
 public:
  OutputFolders(const RunOptions& options, std::size_t scripts) : folder_(options.folder), scripts_(scripts) {}

  void expect(std::size_t script, const std::string& path, const std::vector<std::string>& entries) {
    if (folder_.empty()) return;
    const fs::path words = scripts_.size() > 1 ? script_words(path) : script_words(path).filename();
    std::vector<fs::path> out;
    for (const std::string& entry : entries) {
      const fs::path wanted = folder_ / (words.string() + "." + file_words(entry));
      fs::path free = wanted;
      for (int i = 2; std::ranges::find(out, free) != out.end(); ++i) free = wanted.string() + "-" + std::to_string(i);
      out.push_back(std::move(free));
    }
    std::lock_guard lock(mutex_);
    scripts_[script] = std::move(out);
  }

  void write(work::BatchRun& run) {
    if (folder_.empty() || run.answer.end != work::RunAnswer::End::Reported) return;
    if (run.answer.report.outcome.status != run::Status::Done) return;
    fs::path folder;
    {
      std::lock_guard lock(mutex_);
      folder = scripts_[run.file][run.number];
    }
    if (auto ok = write_outputs(folder, {folder_, run.path}, run.answer.report); !ok)
      run.answer.report.problems.push_back("its outputs are not kept: " + ok.error());
  }

 private:
  fs::path folder_;
  std::mutex mutex_;
  std::vector<std::vector<fs::path>> scripts_;
};

// A run of which nothing can be said but why.
struct Failed {
  std::size_t file = 0, number = 0;
  std::string path, entry;
  work::BatchRun because(const std::string& why) const {
    work::BatchRun run{.file = file, .number = number, .path = path, .entry = entry};
    run.answer.end = work::RunAnswer::End::Unusable;
    run.answer.failure = {entry + ": its report cannot be made: " + why, {}};
    return run;
  }
};

// Lets threads work, and says what they have done as it comes.
void work_on(unsigned count, work::Batch& batch, Rows& rows, Report& report) {
  threads::LargeThreads threads(count, [&] {
    batch.work();
    rows.thread_ended();
  });
  if (threads.none()) batch.work();
  for (bool over = false; !over;) {
    if (auto row = rows.next(threads.size(), &over)) {
      report.show(std::move(*row));
      over = false;
    }
    report.progress(batch.state(), rows.failed());
  }
}

}  // namespace

int run_batch(const RunOptions& options, work::RunRequest request, const std::stop_token& stop) {
  project::Expansion expanded = project::expand(options.paths);
  std::vector<std::string> files = std::move(expanded.files);
  for (const std::string& path : expanded.outside) complain("tilewright: " + outside_words(path) + "\n");
  std::ranges::move(expanded.missing, std::back_inserter(files));  // each of them is told why it cannot be read
  if (auto failure = senseless(options, files.size())) return refuse(options, *failure);
  if (files.empty()) return refuse(options, {options.paths.front() + " has no kernel to run", {}});

  auto cores = std::make_shared<std::atomic<unsigned>>(1);
  auto slots = slots_for(options, cores, {}, stop);
  if (stop.stop_requested()) return interrupted();
  if (!slots) return refuse(options, slots.error(), "no_device");
  std::optional<toolchain::Toolchain> tools;
  auto compiler = [&] {
    toolchain::Options tool_options = project::toolchain_options();
    tool_options.helpers = static_cast<int>(threads::threads_of(options.jobs));
    return &tools.emplace(std::move(tool_options));
  };
  work::BatchPlace place(std::move(*slots), threads::threads_of(options.jobs), request, compiler, stop);
  if (!options.clusters.empty() && place.cubins())
    return refuse(options, {"--clusters is a part for the simulator to run", "add --on sim"});

  const RunFormat format = options.format == "junit" ? RunFormat::Junit
                           : options.json()          ? RunFormat::Json
                                                     : RunFormat::Text;
  std::error_code ec;
  const bool several = options.paths.size() > 1 || fs::is_directory(options.paths.front(), ec);
  Rows rows(files.size());
  Report report(options, format, files, several);
  OutputFolders outputs(options, files.size());

  std::atomic<bool> failed_fast = false;
  work::Batch* self = nullptr;
  work::Batch::Sink sink;
  sink.opened = [&](std::size_t file, const std::vector<std::string>& entries) {
    outputs.expect(file, files[file], entries);
    rows.expect(file, entries.size());
  };
  sink.ran = [&](work::BatchRun run) {
    const Failed failed{.file = run.file, .number = run.number, .path = run.path, .entry = run.entry};
    RunRow row;
    try {
      outputs.write(run);
      row = render::run_row(run, format, render::colours(stdout), render::colours(stderr));
    } catch (const std::exception& e) {  // what cannot be told of one run is no reason to lose the others
      row = render::run_row(failed.because(e.what()), format, render::colours(stdout), render::colours(stderr));
    }
    if (options.require_all && !row.why.empty()) {
      row.status = kErrors;
      row.test.outcome = render::TestCase::Outcome::Error;
    }
    const bool ends_all = options.fail_fast && row.status != 0 && !failed_fast.exchange(true);
    rows.put(failed.file, failed.number, std::move(row));
    if (ends_all) self->stop();
  };
  sink.left = [&](std::size_t left) {
    cores->store(std::max(
        1u, threads::threads_of(options.jobs) / static_cast<unsigned>(std::clamp<std::size_t>(left, 1, 1u << 20))));
  };
  const std::set<std::string> named(options.paths.begin(), options.paths.end());
  std::optional<text::Dialect> dialect;
  if (!options.dialect.read(&dialect)) return kUsage;
  work::Batch batch({files, named, std::move(request), dialect}, place.pool(), std::move(sink), stop);
  self = &batch;

  work_on(place.threads(), batch, rows, report);
  for (RunRow& row : rows.rest()) report.show(std::move(row));

  const auto stranded = batch.state().stranded;
  const std::string why = stop.stop_requested() ? "interrupted"
                          : stranded            ? "no_device"
                          : failed_fast         ? "fail_fast"
                                                : "";
  if (why.empty() && report.nothing()) return refuse(options, {options.paths.front() + " has no kernel to run", {}});
  report.end(batch, why);
  for (const std::string& slot : place.pool().left_out()) tell("left out: " + slot);
  if (stop.stop_requested()) return interrupted();
  if (stranded) return fail_usage("there is nothing left to run on: " + *stranded);
  return report.status();
}

}  // namespace tilewright::cli
