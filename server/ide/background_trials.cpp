#include "server/ide/background_trials.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "server/ide/artifacts.h"
#include "server/ide/resident.h"
#include "server/ide/trials.h"

namespace tilewright::ide {

namespace {
constexpr int kNice = 10;
constexpr std::uint64_t kTimeSteps = 4'000'000;  // of the simulator, for the time of a kernel
}  // namespace

BackgroundTrials::BackgroundTrials(std::function<void(const std::string&)> made, const Artifacts* artifacts)
    : made_(std::move(made)), artifacts_(artifacts), thread_([this](const std::stop_token& end) { work(end); }) {}

BackgroundTrials::~BackgroundTrials() {
  thread_.request_stop();
  backlog_.stop_running();
}

const BackgroundTrials::Tried* BackgroundTrials::tried(const OfDocument& document,
                                                       const session::CompiledKernel& kernel) {
  auto found = document.find(kernel.lowered.get());
  return found == document.end() || found->second.kernel.expired() ? nullptr : &found->second;
}

std::vector<std::shared_ptr<const text::Diagnostic>> BackgroundTrials::find(const std::string& document,
                                                                            const session::Compiled& compiled) const {
  std::vector<std::shared_ptr<const text::Diagnostic>> out;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::string_view>>
      seen;  // entries of one function find the same at the same place
  std::lock_guard lock(mutex_);
  auto of_document = tried_.find(document);
  if (of_document == tried_.end()) return out;
  for (const session::CompiledKernel& kernel : compiled.kernels) {
    const Tried* known = tried(of_document->second, kernel);
    if (!known) continue;
    for (const auto& d : known->found)
      if (seen.emplace(d->span.anchor, d->span.begin, d->code).second) out.push_back(d);
  }
  return out;
}

std::shared_ptr<const work::KernelTime> BackgroundTrials::time_of(const std::string& document,
                                                                  const session::CompiledKernel& kernel) const {
  std::lock_guard lock(mutex_);
  const auto of_document = tried_.find(document);
  const Tried* known = of_document == tried_.end() ? nullptr : tried(of_document->second, kernel);
  return known ? known->time : nullptr;
}

void BackgroundTrials::model_times(const Job& job) {
  for (const session::Compiled& compiled : job.wish.analysis->compiled) {
    for (const session::CompiledKernel& kernel : compiled.kernels) {
      if (job.stop.stop_requested()) return;
      if (!kernel.lowered || !kernel.cuda) continue;
      const auto machine = artifacts_ ? artifacts_->find(*kernel.cuda, kernel.target.name()) : nullptr;
      const auto before = time_of(job.wish.document, kernel);
      if (before && (before->profile.as_compiled || !machine || machine->sass.empty())) continue;
      work::TimeAsked asked;
      if (machine) asked.code = work::machine_code_of(kernel, machine->sass, machine->sass_missing, machine->kernels);
      asked.steps = kTimeSteps;
      asked.ctas = 1;
      auto made = std::make_shared<const work::KernelTime>(
          work::time_of(kernel, compiled, *compiled.evaluation->tree, asked, job.stop));
      if (job.stop.stop_requested()) return;
      std::lock_guard lock(mutex_);
      OfDocument& known = tried_[job.wish.document];
      if (const auto found = known.find(kernel.lowered.get()); found != known.end())
        found->second.time = std::move(made);
    }
  }
}

void BackgroundTrials::want(std::shared_ptr<const session::Snapshot> script,
                            std::shared_ptr<const session::Analysis> analysis, std::chrono::milliseconds delay) {
  const std::string document = script->path();
  Wish wish{document, std::move(analysis), std::move(script)};
  {
    std::lock_guard lock(mutex_);
    if (auto known = tried_.find(document); known != tried_.end())
      std::erase_if(known->second, [](const auto& entry) { return entry.second.kernel.expired(); });
    std::unordered_set<const lower::LoweredKernel*> now;
    auto& before = wanted_[document];
    for (const session::Compiled& compiled : wish.analysis->compiled) {
      for (const session::CompiledKernel& kernel : compiled.kernels) {
        now.insert(kernel.lowered.get());
        if (!before.contains(kernel.lowered.get())) wish.changed.insert(kernel.lowered.get());
      }
    }
    before = std::move(now);
  }
  backlog_.want({std::move(wish)}, BackgroundFor::Background, delay);
}

void BackgroundTrials::forget(const std::string& document) {
  backlog_.typed(document);
  std::lock_guard lock(mutex_);
  tried_.erase(document);
  wanted_.erase(document);
}

BackgroundTrials::Outcome BackgroundTrials::try_out(const Job& job, bool changed) {
  Outcome outcome = Outcome::NothingNew;
  for (const session::Compiled& compiled : job.wish.analysis->compiled) {
    for (const session::CompiledKernel& kernel : compiled.kernels) {
      if (job.stop.stop_requested()) return outcome;
      if (!kernel.lowered || !kernel.cuda || job.wish.changed.contains(kernel.lowered.get()) != changed) continue;
      {
        std::lock_guard lock(mutex_);
        if (tried(tried_[job.wish.document], kernel)) continue;
      }
      outcome = std::max(outcome, Outcome::Tried);
      run::Trial trial = run::try_out(*kernel.lowered, run::TrialBudget::brief(), job.stop);
      if (trial.stopped) return outcome;
      Tried now{kernel.lowered, {}};
      for (text::Diagnostic& d : trial_diagnostics(trial, kernel, compiled.evaluation->anchors))
        now.found.push_back(std::make_shared<const text::Diagnostic>(std::move(d)));
      if (!now.found.empty()) outcome = Outcome::Found;
      std::lock_guard lock(mutex_);
      tried_[job.wish.document].insert_or_assign(kernel.lowered.get(), std::move(now));
    }
  }
  return outcome;
}

void BackgroundTrials::work(const std::stop_token& end) {
  // Who waits for an answer goes first, where cores are few.
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kNice);
  backlog_.work_through(end, [this](const Backlog<Wish>::Job& job) {
    if (job.wish.script->judge_orders(job.stop)) made_(job.wish.document);
    bool tried_some = false;
    for (bool changed : {true, false}) {
      const Outcome outcome = try_out(job, changed);
      tried_some |= outcome != Outcome::NothingNew;
      if (outcome == Outcome::Found) made_(job.wish.document);
    }
    model_times(job);
    if (tried_some) give_free_memory_back();  // what the runs took
  });
}

}  // namespace tilewright::ide
