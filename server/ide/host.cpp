#include "server/ide/host.h"

#include <algorithm>

#include "compiler/threads/memory_wait.h"
#include "server/ide/resident.h"
#include "server/project/environment.h"

namespace tilewright::ide {
namespace {

// How long a document must be left alone before NVRTC looks, and how much it may find to do then; larger ones wait for
// a save.
constexpr std::chrono::milliseconds kIdle{800}, kAfterSaving{50};
constexpr std::size_t kLargeDocument = 60'000, kManyKernels = 12;
// The same before kernels are tried out on the simulator, which takes some milliseconds each.
constexpr std::chrono::milliseconds kSettled{60};
// Between two looks at the files that open documents import.
constexpr std::chrono::milliseconds kLookAtImports{500};
// For memory, to say that a document could not be analysed.
constexpr std::chrono::seconds kPatience{10};
// The number of no analysis: the document was closed.
constexpr std::uint64_t kClosed = 0;
constexpr std::uint64_t kEditsBetweenTrims = 256;
// Of the kernels of all documents. What is dropped beyond it is made again when it is asked for.
constexpr std::size_t kCacheBytes = 32 << 20;

std::vector<Wish> background_wishes(const std::string& path, const session::Analysis& analysis) {
  std::vector<Wish> out;
  for (const session::Compiled& c : analysis.compiled) {
    for (const session::CompiledKernel& k : c.kernels) {
      if (k.cuda) out.push_back({path, k.cuda, k.target.name(), false});
    }
  }
  return out;
}

// What was left free between what stays goes back to the system.
void trim(Pool& pool) {
  pool.run([] { give_free_memory_back(); }, Pool::Urgency::Background);
}

}  // namespace

Host::Host(HostEvents& events, Pool& pool)
    : events_(events),
      pool_(pool),
      session_([this](const std::string& path) { return workspace_.loader(path); }, kCacheBytes),
      artifacts_(
          project::toolchain_options(),
          [this](const std::string& path) { events_.post([this, path] { artifacts_made(path); }); },
          [this](const std::string& problem) { events_.post([this, problem] { events_.tools_health(problem); }); }),
      trials_([this](const std::string& path) { events_.post([this, path] { trials_made(path); }); }, &artifacts_),
      runs_([this](const std::string& path) { events_.post([this, path] { run_made(path); }); }) {}

void Host::end() {
  for (auto& [path, live] : live_) {
    std::lock_guard lock(live->mutex);
    live->stop.request_stop();
  }
}

// ---- documents ------------------------------------------------------------------------------------------------------

std::shared_ptr<const session::Settings> Host::settings(const std::string& path) {
  auto [made, problem, targets] = workspace_.settings(path);
  if (!problem.empty() && told_.insert(problem).second) events_.settings_problem(problem);
  return made;
}

void Host::open(const std::string& path, std::string text, std::int64_t version) {
  session_.trim();  // a whole library may be opened, one document after the other
  session_.open(path, std::move(text), version, settings(path));
  updated(path);
}

void Host::change(const std::string& path, std::shared_ptr<const text::Source> source, const text::Edit& edit,
                  std::int64_t version) {
  Script old = session_.find(path);
  session_.change(path, std::move(source), edit, version);
  updated(path);
  // Destroying a snapshot can take as long as making it: not on this thread.
  pool_.run([old = std::move(old)] {}, Pool::Urgency::Background);
}

void Host::close(const std::string& path) {
  if (auto it = live_.find(path); it != live_.end()) {
    std::lock_guard lock(it->second->mutex);
    it->second->newest = kClosed;
    it->second->stop.request_stop();
    events_.withdrawn(path);
  }
  live_.erase(path);
  artifacts_.typed(path);
  trials_.forget(path);
  runs_.forget(path);
  session_.close(path);
  look_again(workspace_.set_document(path, nullptr));
  trim(pool_);  // after what the pool still holds of it
}

void Host::saved(const std::string& path) {
  const Script snapshot = session_.find(path);
  if (!snapshot || preferences_.toolchain == "off") return;
  if (auto analysis = snapshot->analysed())
    artifacts_.want(background_wishes(path, *analysis), Artifacts::For::Background, kAfterSaving);
}

void Host::files_changed() {
  workspace_.files_changed();
  events_.found({});
}

bool Host::look_at_imports(bool now) {
  const auto time = std::chrono::steady_clock::now();
  if (!now && time - looked_at_imports_ < kLookAtImports) return false;
  looked_at_imports_ = time;
  const std::vector<std::string> touched = workspace_.changed_on_disk();
  if (touched.empty()) return false;
  events_.found({});
  look_again(touched);
  return true;
}

// Files that were only read, for findings of the workspace say, have imports as well, but no findings to publish.
void Host::look_again(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (!session_.refresh(path, settings(path))) continue;
    events_.surroundings_changed(path);
    publish(path, Because::Changed);
  }
}

void Host::updated(const std::string& path) {
  events_.superseded(path);
  artifacts_.typed(path);
  trials_.typed(path);
  auto touched = workspace_.set_document(path, session_.find(path)->tree());
  publish(path, Because::Typed);
  look_again(touched);
  if (++edits_ % kEditsBetweenTrims != 0) return;
  session_.trim();
  trim(pool_);
}

void Host::set_folders(std::vector<std::string> folders) { workspace_.set_folders(std::move(folders)); }

void Host::configure(project::ClientSettings settings, Preferences preferences) {
  workspace_.configure(std::move(settings));
  preferences_ = std::move(preferences);
  session_.assume_orders(preferences_.simulate);  // trials find out
}

void Host::refresh_all() {
  for (const Script& before : session_.all()) {
    events_.surroundings_changed(before->path());
    session_.refresh(before->path(), settings(before->path()));
    publish(before->path(), Because::Changed);
  }
}

// ---- questions ------------------------------------------------------------------------------------------------------

void Host::prepare(Query& query, const std::string& path) {
  if (!path.empty()) {
    query.snapshot = session_.find(path);
    query.run_targets = workspace_.settings(path).run_targets;
  }
  query.open = session_.all();
  query.folders = workspace_.folders();
  query.preferences = preferences_;
  query.artifacts = &artifacts_;
  if (preferences_.simulate) query.trials = &trials_;
  query.runs = &runs_;
  query.read_file = [this](const std::string& file) {
    return read_unopened(file, workspace_.settings(file).settings).snapshot;
  };
}

Host::Unopened Host::read_unopened(const std::string& path, std::shared_ptr<const session::Settings> settings) {
  auto tree = workspace_.tree_of(path);
  if (!tree) return {};
  auto loader = workspace_.recording_loader(path);
  return {std::make_shared<session::Snapshot>(tree, 0, std::move(settings), loader,
                                              std::make_shared<session::KernelCache>()),
          loader};
}

// ---- findings -------------------------------------------------------------------------------------------------------

void Host::publish(const std::string& path, Because because) {
  auto& live = live_[path];
  if (!live) live = std::make_shared<Live>();
  Round round{.live = live, .snapshot = session_.find(path)};
  round.publisher = events_.publisher(round.snapshot);
  {
    std::lock_guard lock(live->mutex);
    if (live->running && (because == Because::Found || (because == Because::Changed && live->must_end))) {
      live->again = std::min(live->again.value_or(because), because);
      return;
    }
    // What takes the place of an edit's analysis does what that would have done.
    live->edited = live->edited || because != Because::Found;
    live->stop.request_stop();
    live->stop = std::stop_source();
    round.stop = live->stop.get_token();
    round.number = ++live->newest;
    round.background = live->edited && preferences_.toolchain == "idle";
    round.tries = live->edited && preferences_.simulate;
    live->running = round.publisher.findings || round.background || round.tries || events_.shows(path);
    live->must_end = because != Because::Typed;
    live->again.reset();
    if (!live->running) return;
  }
  round.trials = preferences_.simulate ? &trials_ : nullptr;
  try {
    start(path, std::move(round));
  } catch (...) {  // no memory for it: what is wanted next must not wait for it
    std::lock_guard lock(live->mutex);
    live->running = false;
    throw;
  }
}

void Host::start(const std::string& path, Round round) {
  pool_.run(
      [this, path, round = std::make_shared<Round>(std::move(round))]() mutable {
        const std::shared_ptr<Live> live = round->live;
        const std::uint64_t number = round->number;
        analyse(*round);
        round = nullptr;  // and the document's memory with it, if it was closed meanwhile
        ended(path, *live, number);
      },
      Pool::Urgency::Diagnostics);
}

void Host::analyse(const Round& round) {
  Live& live = *round.live;
  try {
    auto analysis = round.snapshot->analyse(round.stop);
    if (!analysis) return;
    if (resident_has_grown()) {  // before the client goes on to the next document
      give_free_memory_back();
      events_.post([this] { session_.trim(); });
    }
    std::function<void()> send;
    if (round.publisher.findings) {
      if (round.stop.stop_requested()) return;
      send = round.publisher.findings(diagnostics(*round.snapshot, analysis, &artifacts_, round.trials, &runs_));
    }
    {
      std::lock_guard lock(live.mutex);
      if (live.newest != round.number) return;
      live.edited = false;
      if (send) send();
    }
    afterwards(round, analysis);
  } catch (const std::exception& e) {
    threads::when_there_is_memory(kPatience, [&] {
      const std::function<void()> send = round.publisher.failure(e);
      std::lock_guard lock(live.mutex);
      if (send && live.newest == round.number) send();
    });
  }
}

// What is not waited for comes after what is.
void Host::afterwards(const Round& round, const std::shared_ptr<const session::Analysis>& analysis) {
  const session::Snapshot& snapshot = *round.snapshot;
  if (round.tries) trials_.want(round.snapshot, analysis, kSettled);
  events_.analysed(snapshot, *analysis);
  if (!round.background || snapshot.source().size() > kLargeDocument) return;
  std::vector<Wish> wishes = background_wishes(snapshot.path(), *analysis);
  if (wishes.size() <= kManyKernels) artifacts_.want(std::move(wishes), Artifacts::For::Background, kIdle);
}

void Host::ended(const std::string& path, Live& live, std::uint64_t number) {
  std::lock_guard lock(live.mutex);
  if (live.newest == kClosed || resident_has_grown()) trim(pool_);
  if (live.newest != number) return;
  live.running = false;
  if (!live.again) return;
  events_.post([this, path, because = *live.again] {
    if (session_.find(path)) publish(path, because);
  });
}

void Host::publish_again(const std::string& path) {
  publish(path, Because::Found);
  events_.findings_changed();
}

void Host::artifacts_made(const std::string& path) {
  events_.found(path);  // the tools may have something to say
  const Script snapshot = session_.find(path);
  if (!snapshot) return;
  auto analysis = snapshot->analysed();
  if (!analysis) return;
  // Findings are published again only where the tools have something to say about what stands there now.
  const bool said = std::ranges::any_of(
      analysis->compiled, [&](const session::Compiled& c) { return !toolchain_findings(c, artifacts_).empty(); });
  if (said) {
    publish_again(path);
  } else {
    pool_.run([this, snapshot, analysis] { events_.analysed(*snapshot, *analysis); }, Pool::Urgency::Background);
  }
  events_.lenses_changed();
}

void Host::trials_made(const std::string& path) {
  session_.trim();  // an analysis that was dropped is made again for them
  events_.found(path);
  if (session_.find(path)) publish_again(path);
}

void Host::run_made(const std::string& path) {
  if (!session_.find(path)) return runs_.forget(path);
  publish_again(path);
  events_.lenses_changed();
}

}  // namespace tilewright::ide
