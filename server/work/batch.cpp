#include "server/work/batch.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <new>
#include <utility>

#include "compiler/session/run_comments.h"

namespace tilewright::work {
namespace {

using End = RunAnswer::End;

RunAnswer unusable(std::string message, std::string hint = {}) {
  RunAnswer answer;
  answer.end = End::Unusable;
  answer.failure = {std::move(message), std::move(hint)};
  return answer;
}

// The runs of a script, and what stands in the place of those that there cannot be.
struct Opened {
  std::shared_ptr<const project::LoadedFile> script;
  std::vector<Runnable> entries;
  std::vector<BatchRun> refused;
};

// `all`: every entry of the script is to run, so that nothing of it may be left out in silence.
Opened open_script(const std::string& path, project::KnownConfigs& configs, bool named, bool all,
                   const std::optional<text::Dialect>& dialect, const std::stop_token& stop) {
  Opened out;
  auto refuse = [&](std::string entry, RunAnswer answer) {
    out.refused.push_back({.path = path, .entry = std::move(entry), .answer = std::move(answer), .where = {}});
  };
  auto loaded = project::load(path, {}, &configs);
  if (!loaded) {
    refuse({}, unusable(loaded.error()));
    return out;
  }
  loaded->dialect = dialect;
  out.script = std::make_shared<const project::LoadedFile>(std::move(*loaded));
  Runnables found = entries_to_run(*out.script, stop);
  out.entries = std::move(found.entries);
  if (!found.evaluated.has_errors()) {
    if (out.entries.empty() && found.unnamed) {
      refuse({}, unusable(out.script->source->path() + " keeps its kernels under no name",
                          "say what yields them in a comment: # tilewright: entry EXPR"));
    } else if (!found.reference.empty() && named) {
      run::Failure why = only_references(*out.script, found.reference);
      refuse({}, unusable(std::move(why.message), std::move(why.hint)));
    } else if (out.entries.empty() && named) {
      refuse({}, unusable(out.script->source->path() + " has no kernel to run"));
    }
    return out;
  }
  // Entries that came to no kernel. Where no entry says what is wrong, the script as a whole does.
  bool is_said = std::ranges::any_of(found.evaluated.kernels, &session::CompiledKernel::failed);
  for (const script::Entry& entry : found.evaluated.evaluation->entries) {
    if (!entry.kernels.empty() ||
        std::ranges::find(out.entries, entry.expression, &Runnable::entry) != out.entries.end())
      continue;
    out.entries.push_back({entry.expression, std::nullopt});
    is_said = true;
  }
  if (out.entries.empty() || (all && !is_said)) {
    RunAnswer answer;
    answer.end = End::Errors;
    answer.compiled = std::move(found.evaluated);
    refuse({}, std::move(answer));
  }
  return out;
}

}  // namespace

Batch::Batch(Asked asked, SlotPool& pool, Sink sink, const std::stop_token& stop)
    : asked_(std::move(asked)), pool_(pool), sink_(std::move(sink)), outer_(stop, [this] { stop_.request_stop(); }) {
  state_.files = asked_.files.size();
}

void Batch::work() {
  while (std::optional<Task> task = take()) run(*task);
}

std::optional<Batch::Task> Batch::take() {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (stop_.stop_requested() || state_.stranded) return std::nullopt;
    if (!queue_.empty()) {
      Task task = std::move(queue_.front());
      queue_.pop_front();
      running_.push_back({task.file, task.number, asked_.files[task.file], task.runnable.entry});
      return task;
    }
    if (next_file_ < asked_.files.size()) {
      const std::size_t file = next_file_++;
      ++opening_;
      lock.unlock();
      open(file);
      lock.lock();
      continue;
    }
    if (opening_ == 0) return std::nullopt;
    changed_.wait(lock, stop_.get_token(), [&] { return !queue_.empty() || opening_ == 0; });
  }
}

void Batch::open(std::size_t file) {
  const std::string& path = asked_.files[file];
  Opened opened;
  try {
    opened = open_script(path, configs_, asked_.named.contains(path), asked_.entries.empty(), asked_.dialect,
                         stop_.get_token());
  } catch (const std::exception& e) {
    opened = {};
    opened.refused.push_back({.path = path, .entry = {}, .answer = unusable(path + ": " + e.what()), .where = {}});
  }
  std::vector<Task> tasks;
  std::erase_if(opened.entries, [&](const Runnable& runnable) {
    return !asked_.entries.empty() && std::ranges::none_of(asked_.entries, [&](const std::string& entry) {
      return session::same_entry(entry, runnable.entry);
    });
  });
  for (Runnable& entry : opened.entries)
    tasks.push_back({file, tasks.size(), opened.script, std::move(entry), std::nullopt});
  for (BatchRun& refused : opened.refused)
    tasks.push_back({file, tasks.size(), nullptr, {refused.entry, std::nullopt}, std::move(refused)});
  const bool stopped = stop_.stop_requested();  // what was found may not be all
  if (!stopped) {
    std::vector<std::string> entries;
    for (const Task& task : tasks) entries.push_back(task.runnable.entry);
    sink_.opened(file, entries);
  }
  {
    std::lock_guard lock(mutex_);
    --opening_;
    if (stopped) {
      ended_.push_back({file, 0, path, {}});
    } else {
      ++state_.opened;
      state_.known += tasks.size();
      state_.empty += tasks.empty();
      // Those of an earlier script that another opened come first.
      auto at = std::ranges::upper_bound(queue_, file, {}, &Task::file);
      queue_.insert(at, std::make_move_iterator(tasks.begin()), std::make_move_iterator(tasks.end()));
    }
  }
  changed_.notify_all();
}

void Batch::run(Task& task) {
  if (sink_.left) {
    const State now = state();
    sink_.left(now.known - now.done + (now.files - now.opened));
  }
  if (sink_.began)
    sink_.began(
        {.file = task.file, .number = task.number, .path = asked_.files[task.file], .entry = task.runnable.entry});
  const auto begun = std::chrono::steady_clock::now();
  BatchRun done;
  if (task.known) {
    done = std::move(*task.known);
  } else {
    Borrower borrower(pool_);
    RunRequest request = asked_.request;
    request.entry = task.runnable.entry;
    request.comment = task.runnable.comment;
    try {
      const project::LoadedFile script = project::beside(*task.script);
      done.answer = run_script(script, request, borrower, stop_.get_token());
    } catch (const std::bad_alloc&) {
      done.answer =
          unusable(task.runnable.entry + ": there is not enough memory", "give it fewer neighbours: --jobs 1");
    } catch (const std::exception& e) {
      done.answer = unusable(task.runnable.entry + ": " + e.what());
    }
    done.where = borrower.where();
    done.attempts = borrower.attempts();
    for (const std::string& lost : borrower.lost())
      done.answer.report.notes.push_back("an attempt was lost by " + lost);
  }
  task.script.reset();
  done.file = task.file;
  done.number = task.number;
  done.path = asked_.files[task.file];
  done.entry = task.runnable.entry;
  done.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  const bool stopped = done.answer.end == End::Stopped;
  // Where nothing is left the rest cannot be run either, and that is said once.
  std::optional<std::string> stranded = done.answer.end == End::NoDevice ? pool_.stranded() : std::nullopt;
  const bool ran = !stopped && !stranded;
  if (ran) sink_.ran(std::move(done));
  {
    std::lock_guard lock(mutex_);
    auto self =
        std::ranges::find_if(running_, [&](const Left& l) { return l.file == task.file && l.number == task.number; });
    if (!ran) ended_.push_back(*self);
    running_.erase(self);
    state_.done += ran;
    if (stranded) state_.stranded = std::move(stranded);
  }
  changed_.notify_all();
}

Batch::State Batch::state() const {
  std::lock_guard lock(mutex_);
  State out = state_;
  for (const Left& run : running_) out.running.push_back(run.entry.empty() ? run.path : run.entry);
  return out;
}

std::vector<Batch::Left> Batch::left() const {
  std::lock_guard lock(mutex_);
  std::vector<Left> out = ended_;
  for (const Task& t : queue_) out.push_back({t.file, t.number, asked_.files[t.file], t.runnable.entry});
  for (std::size_t file = next_file_; file < asked_.files.size(); ++file)
    out.push_back({file, 0, asked_.files[file], {}});
  std::ranges::sort(out, {}, [](const Left& l) { return std::pair(l.file, l.number); });
  return out;
}

}  // namespace tilewright::work
