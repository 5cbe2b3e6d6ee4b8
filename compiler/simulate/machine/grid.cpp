#include "compiler/simulate/machine/grid.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "compiler/simulate/codes.h"
#include "compiler/simulate/hazards/hazards.h"

namespace tilewright::simulate {
namespace {

std::shared_ptr<History> history_of(Machine& m) { return m.hazards() ? m.hazards()->history() : nullptr; }

using Pause = Machine::Pause;

// CTAs that are under way together.
constexpr std::uint64_t kTogether = 1024;
// Rounds of all that wait in which none does more than read the same again: then none will.
constexpr int kIdleRounds = 4096;
// Clusters that may have run and are not put together yet.
constexpr std::uint64_t kAhead = 64;

bool same_place(const Finding& a, const Finding& b) {
  return a.code == b.code && a.origin.span == b.origin.span && a.origin.chain == b.origin.chain &&
         std::ranges::equal(
             a.related, b.related, {}, [](const auto& r) { return r.origin.span; },
             [](const auto& r) { return r.origin.span; });
}

}  // namespace

// What Machine::report does with one occurrence, for all that a cluster has had of it.
void add_findings(std::vector<Finding>& all, std::vector<Finding> more, std::size_t most) {
  for (Finding& f : more) {
    auto known = std::ranges::find_if(all, [&](const Finding& had) { return same_place(had, f); });
    if (known == all.end()) {
      if (all.size() < most) all.push_back(std::move(f));
      continue;
    }
    f.times += known->times;
    if (f.weight > known->weight) {
      *known = std::move(f);
    } else {
      known->times = f.times;
    }
  }
}

Grid::Grid(Machine& first, const Options& options, Result& result) : first_(first), options_(options), result_(result) {
  const std::uint64_t all = first.clusters(), ctas = std::max<std::uint64_t>(1, first.ctas());
  const auto& part = options.clusters;
  const std::uint64_t end = std::min(part.end, all);
  count_ = part.begin < end ? (end - part.begin + part.step - 1) / part.step : 0;
  if (!options.chosen.empty()) count_ = options.chosen.size();
  const std::uint64_t asked = count_;
  count_ = std::min(count_, options.max_ctas / ctas + (options.max_ctas % ctas != 0));
  limited_ = count_ < asked;
  all_ = count_ == all;
  free_.push_back(&first);
}

// Clusters that have not begun may be taken over by one that has.
void Grid::lend(Machine& m) {
  m.take_clusters_from([this] { return next_ < count_ ? std::optional(cluster_at(next_++)) : std::nullopt; });
}

void Grid::say_limits() {
  if (limited_)
    first_.finding(code::kStepLimit, Severity::Incomplete,
                   "stopped after " + std::to_string(count_ * first_.ctas()) + " CTAs", nullptr);
}

// ---- in turn ----

bool Grid::start() {
  if (free_.empty()) {
    const bool fits = (waiting_.size() + 1) * first_.ctas() <= kTogether && first_.affords(first_.group_bytes());
    if (!fits) return false;
    more_.push_back(std::make_unique<Machine>(first_, options_, result_, history_of(first_)));
    free_.push_back(more_.back().get());
    lend(*more_.back());
  }
  Machine& m = *free_.back();
  free_.pop_back();
  m.begin(cluster_at(next_++));
  moved_ = true;
  return place(m, m.go_on());
}

// Where a cluster goes when it pauses. False: the run ends.
bool Grid::place(Machine& m, Pause pause) {
  if (pause == Pause::Stopped) {
    first_.stop();
    return false;
  }
  auto at = std::ranges::find(waiting_, &m);
  moved_ |= m.scheduler().has_moved();
  if (pause == Pause::Ended) {
    moved_ = true;
    if (at != waiting_.end()) waiting_.erase(at);
    free_.push_back(&m);
    if (options_.progress) options_.progress(next_ - waiting_.size(), count_);
  } else if (at == waiting_.end()) {
    waiting_.push_back(&m);
  }
  return true;
}

bool Grid::resume() {
  for (Machine* m : std::vector(waiting_))
    if (!place(*m, m->go_on())) return false;
  return true;
}

bool Grid::meet_grid() {
  const bool all = next_ == count_ && all_ && waiting_.size() == count_ &&
                   std::ranges::all_of(waiting_, [](Machine* m) { return m->scheduler().is_at_grid(); });
  if (!all) return false;
  std::vector<OtherGroup> released;
  for (Machine* m : waiting_)
    if (m->hazards()) released.push_back(m->hazards()->races().meet_grid());
  for (Machine* m : waiting_) {
    if (m->hazards()) m->hazards()->races().leave_grid(released);
    m->scheduler().leave_grid();
  }
  return true;
}

void Grid::stand_still() {
  first_.stop();
  // Who waits for the grid waits for those that wait for something else.
  auto at = std::ranges::find_if(waiting_, [](Machine* m) { return !m->scheduler().is_at_grid(); });
  Machine& m = at == waiting_.end() ? *waiting_[0] : **at;
  if (next_ == count_ && all_) return m.deadlock();
  m.finding(code::kUntried, Severity::Incomplete,
            next_ == count_
                ? "this waits for CTAs that are not run"
                : "this waits for another CTA, and no more than " + std::to_string(waiting_.size() * first_.ctas()) +
                      " run together in the memory there is",
            m.scheduler().first_waiting());
}

void Grid::run_in_turn() {
  lend(first_);
  for (int idle = 0;;) {
    moved_ = false;
    if (!waiting_.empty() && !resume()) return;
    if (next_ < count_) {
      const std::uint64_t before = next_;
      const bool good = start();
      if (next_ != before && !good) return;
    } else if (waiting_.empty()) {
      return say_limits();
    } else if (meet_grid()) {
      moved_ = true;
    }
    idle = moved_ ? 0 : idle + 1;
    const bool certain = std::ranges::all_of(waiting_, [](Machine* m) { return m->scheduler().is_at_grid(); });
    if (idle > (certain ? 1 : kIdleRounds)) return stand_still();
  }
}

// ---- beside one another ----

bool Grid::may_run_beside() const {
  return options_.jobs > 1 && count_ > 1 && options_.races && !options_.trace && options_.blame.empty() &&
         options_.max_seen == 0 && options_.timeline == 0 && !options_.profile;
}

namespace {

// What one cluster has left.
struct Piece {
  Result result;
  std::shared_ptr<History> history;
  bool ready = false;
};

struct Shared {
  std::mutex lock;
  std::condition_variable changed;
  std::vector<Piece> pieces;
  std::uint64_t next = 0, taken = 0;  // to run; to put together
  std::stop_source stop;              // from outside, or because it is in vain
  bool in_vain = false;
};

}  // namespace

bool Grid::run_beside() {
  Shared shared;
  shared.pieces.resize(count_);
  std::stop_callback outside(options_.stop, [&] { shared.stop.request_stop(); });
  auto give_up = [&] {
    shared.in_vain = true;
    shared.stop.request_stop();
    shared.changed.notify_all();
  };
  auto work = [&] {
    Options own = options_;
    own.stop = shared.stop.get_token();
    own.progress = {};
    Result result;
    Machine m(first_, own, result, std::make_shared<History>());
    for (;;) {
      std::unique_lock held(shared.lock);
      shared.changed.wait(held, [&] {
        return shared.stop.stop_requested() || shared.next == count_ || shared.next < shared.taken + kAhead;
      });
      if (shared.stop.stop_requested() || shared.next == count_) return;
      const std::uint64_t n = shared.next++;
      held.unlock();
      result = {};
      auto history = std::make_shared<History>();
      m.hazards()->use(history);
      m.begin(cluster_at(n));
      const Pause pause = m.go_on();
      held.lock();
      if (pause != Pause::Ended || m.is_joined() || m.hazards()->races().is_full()) return give_up();
      shared.pieces[n] = {std::move(result), std::move(history), true};
      shared.changed.notify_all();
    }
  };
  std::vector<std::jthread> threads;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(options_.jobs, count_); ++i) threads.emplace_back(work);
  // In their order.
  while (shared.taken < count_) {
    std::unique_lock held(shared.lock);
    shared.changed.wait_for(held, std::chrono::milliseconds(100),
                            [&] { return shared.in_vain || shared.pieces[shared.taken].ready; });
    if (shared.in_vain || shared.stop.stop_requested()) break;
    if (!shared.pieces[shared.taken].ready) continue;
    Piece piece = std::move(shared.pieces[shared.taken]);
    held.unlock();
    result_.steps += piece.result.steps;
    result_.printed += piece.result.printed;
    add_findings(result_.findings, std::move(piece.result.findings), options_.max_findings);
    const bool apart = result_.steps < options_.max_steps && first_.hazards()->history()->take_in(*piece.history);
    held.lock();
    ++shared.taken;
    shared.changed.notify_all();
    if (!apart) give_up();
    held.unlock();
    if (options_.progress) options_.progress(shared.taken, count_);
  }
  {
    std::lock_guard held(shared.lock);
    shared.stop.request_stop();
    shared.changed.notify_all();
  }
  threads.clear();
  if (shared.in_vain && !options_.stop.stop_requested()) return false;
  if (shared.taken < count_) {
    first_.finding(code::kStepLimit, Severity::Incomplete, "stopped from outside", nullptr);
    first_.stop();
  }
  say_limits();
  return true;
}

}  // namespace tilewright::simulate
