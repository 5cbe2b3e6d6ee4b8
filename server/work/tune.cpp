#include "server/work/tune.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <limits>
#include <mutex>
#include <numeric>
#include <thread>
#include <tuple>
#include <utility>

#include "compiler/run/trial.h"
#include "compiler/text/escape.h"
#include "compiler/text/words.h"
#include "compiler/threads/in_order.h"
#include "compiler/toolchain/digest.h"
#include "server/project/environment.h"
#include "server/work/known_references.h"
#include "server/work/time.h"

namespace tilewright::work {
namespace {

using Fate = Candidate::Fate;

constexpr std::size_t kFinalists = 4, kKept = 4;  // a round keeps one in so many
constexpr int kMostRounds = 8, kMostRepeats = 400, kPairs = 24, kExhaustive = 40;
// A candidate within so much of the last one that stays stays, too.
constexpr double kClose = 1.03;
// Steps of the reference on the host: a second or so. More are the device's.
constexpr std::uint64_t kReferenceSteps = 100'000'000;
constexpr std::uint64_t kModelSteps = 20'000'000;  // of the simulator, for the modelled time of a candidate

// Candidates that are ready to be measured.
class Ready {
 public:
  void put(Candidate* c) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(c);
    changed_.notify_one();
  }
  // Nothing more comes.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }
  // Null: there is none, and none comes.
  Candidate* take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
    if (waiting_.empty()) return nullptr;
    Candidate* out = waiting_.front();
    waiting_.pop_front();
    return out;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Candidate*> waiting_;
  bool closed_ = false;
};

std::string place_text(text::Span span, const text::Anchors& anchors) {
  const text::Anchors::Place place = anchors.resolve(span);
  if (!place.source) return {};
  return text::visible(place.source->path()) + ":" + std::to_string(place.source->position(place.begin).line + 1) +
         ": ";
}

class Tuning {
 public:
  Tuning(const project::LoadedFile& file, const TuneRequest& request, const std::vector<run::Executor*>& executors,
         toolchain::Toolchain& tools, const std::stop_token& stop, const TuneHooks& hooks, const TuneAnswer* earlier)
      : file_(file),
        request_(request),
        executors_(executors),
        tools_(tools),
        hooks_(hooks),
        earlier_(earlier),
        stop_(ended_.get_token()),
        asked_stop_(stop),
        forward_(stop, [this] { ended_.request_stop(); }) {}

  TuneAnswer answer() {
    if (make_candidates() && find_devices() && go_on_from_earlier() && measure()) hold_finals();
    if (asked_stop_.stop_requested()) out_.stopped = true;
    put_in_order();
    return std::move(out_);
  }

 private:
  // The first failure counts; it ends whatever goes on.
  bool fail(std::string message, std::string hint = {}) {
    {
      const std::lock_guard lock(mutex_);
      if (!out_.failure) out_.failure = {std::move(message), std::move(hint)};
    }
    ended_.request_stop();
    return false;
  }
  void tell(const std::string& what, std::size_t done, std::size_t all) {
    const std::lock_guard lock(mutex_);
    if (hooks_.progress) hooks_.progress({what, done, all});
  }

  bool find_devices() {
    run::Executor& first = *executors_.front();
    auto device = first.device(stop_);
    if (!device) {
      if (asked_stop_.stop_requested()) return false;
      return fail(first.place().empty() ? "there is no GPU to measure on: " + device.error()
                                        : first.place() + ": " + device.error(),
                  "`tilewright doctor` says what is missing");
    }
    if (!first.runs_cubins())
      return fail("the simulator does not tell how long a kernel takes", "tune on a GPU: --on gpu");
    out_.device = *device;
    out_.where = first.place();
    out_.arch = device->arch();
    if (auto target = ir::parse_target(out_.arch)) target_ = *target;
    // Times of one kind of device are held against each other.
    std::erase_if(executors_, [&](run::Executor* e) {
      if (e == &first) return false;
      const auto other = e->device(stop_);
      return !other || other->name != out_.device.name || other->driver_version != out_.device.driver_version;
    });
    return true;
  }

  bool make_candidates() {
    auto points = tune_points(file_, request_, stop_);
    if (!points) return fail(points.error().message, points.error().hint);
    out_.entry = request_.entry;
    out_.axes = std::move(points->axes);
    out_.candidates = std::move(points->candidates);
    small_ = std::move(points->small);
    out_.script_digest = toolchain::hex(toolchain::sha256(file_.source->text()));
    out_.searched = request_.search;
    return true;
  }

  // Takes over what an earlier call found, where it was of the same script, space and device.
  bool go_on_from_earlier() {
    if (!earlier_) return true;
    auto other = [&](const std::string& what) {
      return fail("the record is of " + what, "without --resume all is tuned from the start");
    };
    if (earlier_->script_digest != out_.script_digest) return other("another text of the script");
    if (earlier_->entry != out_.entry || earlier_->candidates.size() != out_.candidates.size())
      return other("other candidates");
    if (earlier_->arch != out_.arch || earlier_->device.name != out_.device.name ||
        earlier_->device.driver_version != out_.device.driver_version)
      return other("another device: " + earlier_->device.name + ", driver " +
                   std::to_string(earlier_->device.driver_version));
    const bool whole = is_whole(*earlier_);
    for (Candidate& c : out_.candidates) {
      const auto found = std::ranges::find(earlier_->candidates, c.entry, &Candidate::entry);
      if (found == earlier_->candidates.end() || found->values != c.values) return other("other candidates");
      c = *found;
      if (whole) continue;
      // What finals said is asked again.
      if (c.fate != Fate::Level && c.fate != Fate::Best && (c.fate != Fate::Slower || !c.behind)) continue;
      c.fate = Fate::Open;
      c.behind.reset();
    }
    for (const Candidate& c : out_.candidates) turns_ = std::max(turns_, c.turn);
    out_.seeds = earlier_->seeds;
    out_.cuts = earlier_->cuts;
    out_.launches = earlier_->launches;
    out_.searched = whole ? earlier_->searched : earlier_->searched && out_.searched;
    out_.finished = whole;
    if (whole) out_.where = earlier_->where;
    return !whole;
  }

  // Was it tuned to its end, with a best candidate or without one?
  static bool is_whole(const TuneAnswer& earlier) {
    const auto is_open = [](const Candidate& c) { return c.fate == Fate::Open; };
    return !earlier.stopped && !earlier.failure && std::ranges::none_of(earlier.candidates, is_open);
  }

  // With the lock held.
  void save() {
    if (hooks_.save) hooks_.save(out_);
  }

  // Steps 1 and 2 of one candidate.
  void look_at(std::size_t number, Candidate& c) {
    const session::NamedTargets named{{target_}, session::ArchitectureSource::Asked};
    const project::LoadedFile own = project::beside(file_);
    const session::Compiled made = project::compile(own, project::options_for(named, {c.entry}), stop_);
    if (made.stopped) return;
    const session::CompiledKernel* kernel = kernel_of(made, c.entry);
    if (!kernel || !kernel->cuda || made.has_errors()) return refuse(c, first_error(made));
    c.kernel = std::string(kernel->value->kernel.name);
    if (request_.search) {
      if (small_.empty()) {
        search(c, *kernel, made.evaluation->anchors);
      } else {
        const project::LoadedFile other = project::beside(file_);
        const session::Compiled small = project::compile(other, project::options_for(named, {small_[number]}), stop_);
        const session::CompiledKernel* at = kernel_of(small, small_[number]);
        if (!at || !at->lowered) return refuse(c, "at its small size: " + first_error(small));
        search(c, *at, small.evaluation->anchors);
      }
      if (c.fate != Fate::Open || stop_.stop_requested()) return;
    }
    toolchain::Request wanted;
    wanted.cuda_source = kernel->cuda->text;
    wanted.arch = out_.arch;
    wanted.want_ptx = false;
    wanted.stop = stop_;
    auto cubin = tools_.compile(wanted);
    if (!cubin) {
      if (cubin.error().kind != toolchain::Error::Kind::Stopped) refuse(c, cubin.error().message);
      return;
    }
    for (const toolchain::KernelResources& r : cubin->kernels) c.registers = std::max(c.registers, r.registers);
    c.cubin_digest = toolchain::hex(toolchain::sha256(cubin->cubin));
  }

  static const session::CompiledKernel* kernel_of(const session::Compiled& made, const std::string& entry) {
    const auto found = std::ranges::find_if(
        made.kernels, [&](const session::CompiledKernel& k) { return k.entry && k.entry->expression == entry; });
    return found == made.kernels.end() ? nullptr : &*found;
  }

  static std::string first_error(const session::Compiled& made) {
    for (const text::Diagnostic& d : made.diagnostics)
      if (d.severity == text::Severity::Error)
        return place_text(d.span, made.evaluation->anchors) + std::string(d.code) + " " + d.message;
    return "the entry yields no kernel";
  }

  static void refuse(Candidate& c, std::string why, Fate fate = Fate::Refused) {
    c.fate = fate;
    c.reason = std::move(why);
  }

  void search(Candidate& c, const session::CompiledKernel& kernel, const text::Anchors& anchors) const {
    run::TrialBudget budget;
    budget.steps = 20'000'000;
    budget.ctas = 8;
    budget.whole = 40'000'000;
    budget.awkward = false;
    budget.values = request_.wanted.values;
    const run::Trial trial = run::try_out(*kernel.lowered, budget, stop_);
    if (trial.stopped) return;
    for (const simulate::Finding& f : trial.findings) {
      if (f.severity != simulate::Severity::Error) continue;
      const text::Diagnostic d = run::diagnostic_of(f, anchors);
      return refuse(c, place_text(d.span, anchors) + std::string(d.code) + " " + d.message, Fate::Hazard);
    }
    for (const run::Trial::Left& left : trial.unchecked) c.notes.push_back(left.why);
  }

  std::vector<Candidate*> open() {
    std::vector<Candidate*> out;
    for (Candidate& c : out_.candidates)
      if (c.fate == Fate::Open) out.push_back(&c);
    return out;
  }

  // Step 0.
  void model_times() {
    if (!run::rates_of(target_)) return;
    auto look = [&](std::size_t i) {
      Candidate& c = out_.candidates[i];
      if (c.fate == Fate::Open && !c.modelled) c.modelled = modelled_time(c);
    };
    auto told = [&](std::size_t done) { tell("modelling times", done, out_.candidates.size()); };
    threads::in_order(out_.candidates.size(), std::max(1u, request_.jobs), stop_, look, [](std::size_t) {}, told);
    const auto time = [&](std::size_t i) {
      return out_.candidates[i].modelled.value_or(std::numeric_limits<double>::infinity());
    };
    std::ranges::stable_sort(order_, {}, time);
  }

  std::optional<double> modelled_time(const Candidate& c) const {
    const session::NamedTargets named{{target_}, session::ArchitectureSource::Asked};
    const project::LoadedFile own = project::beside(file_);
    const session::Compiled made = project::compile(own, project::options_for(named, {c.entry}), stop_);
    const session::CompiledKernel* kernel = kernel_of(made, c.entry);
    if (!kernel || !kernel->lowered || made.has_errors()) return std::nullopt;
    TimeAsked asked;
    asked.values = request_.wanted.values;
    asked.steps = kModelSteps;
    asked.ctas = 1;
    const KernelTime time = time_of(*kernel, made, *own.tree, asked, stop_);
    if (!time.answer.model.why.empty()) return std::nullopt;
    return time.answer.model.us;
  }

  // Steps 1 to 3. False: stopped, or nothing can be measured.
  bool measure() {
    order_.resize(out_.candidates.size());
    std::iota(order_.begin(), order_.end(), 0);
    model_times();
    int repeats = request_.exhaustive ? kExhaustive : request_.repeats;
    for (std::size_t round = 1; round <= kMostRounds; ++round, repeats = std::min(repeats * 2, kMostRepeats)) {
      if (round <= out_.cuts) continue;
      // Pairs tell the last few apart better than another round.
      if (const std::size_t left = open().size(); round > 1 && left <= kFinalists) return left > 0;
      begin_round(round);
      if (!measure_round(round, repeats)) return false;
      std::vector<Candidate*> in = open();
      if (in.empty()) return false;
      if (request_.exhaustive || in.size() <= kFinalists) return true;
      leave_slower(in);
      out_.cuts = round;
      save();
    }
    return true;
  }

  // Draws its inputs, as many bits as every reader of JSON keeps; a round that was begun keeps its own.
  void begin_round(std::size_t round) {
    if (out_.seeds.size() < round) out_.seeds.push_back((project::random_bits() >> 11) | 1);
    seed_ = out_.seeds[round - 1];
    known_ = std::make_unique<KnownReferences>();
  }

  // Each open candidate once: what was not compiled yet is, by the cores, while the devices measure.
  bool measure_round(std::size_t round, int repeats) {
    const std::size_t all = out_.candidates.size();
    std::atomic<std::size_t> looked = 0, measured = 0;
    Ready ready;
    auto told = [&] {
      const std::string before = round == 1 ? "compiled " + std::to_string(looked) : "round " + std::to_string(round);
      tell(before + ", measured", measured, all);
    };
    std::vector<std::jthread> measuring;
    for (run::Executor* executor : executors_) {
      measuring.emplace_back([&, executor] {
        while (Candidate* c = ready.take()) {
          if (stop_.stop_requested()) continue;
          measure_one(*c, repeats, {}, *executor);
          ++measured;
          told();
        }
      });
    }
    auto look = [&](std::size_t place) {
      const std::size_t i = order_[place];
      Candidate& c = out_.candidates[i];
      if (c.fate == Fate::Open && c.cubin_digest.empty()) {
        Candidate looked_at = c;
        look_at(i, looked_at);
        const std::lock_guard lock(mutex_);
        c = std::move(looked_at);
        if (!stop_.stop_requested()) save();
      }
      ++looked;
      if (c.fate == Fate::Open && static_cast<std::size_t>(c.rounds) < round) ready.put(&c);
    };
    // One core is left to the launches.
    const unsigned jobs = std::max(2u, request_.jobs) - 1;
    threads::in_order(all, jobs, stop_, look, [](std::size_t) {}, [&](std::size_t) { told(); });
    ready.close();
    measuring.clear();
    return !stop_.stop_requested();
  }

  static double median_of(const Candidate* c) {
    return c->cold ? c->cold->median : std::numeric_limits<double>::infinity();
  }

  static void leave_slower(std::vector<Candidate*>& in) {
    std::ranges::stable_sort(in, {}, median_of);
    const std::size_t stay = std::max(kFinalists, (in.size() + kKept - 1) / kKept);
    // Each round has to leave some, however close they are.
    const std::size_t most = std::max(kFinalists, in.size() * 3 / 8);
    const double limit = median_of(in[stay - 1]) * kClose;
    for (std::size_t i = stay; i < in.size(); ++i)
      if (median_of(in[i]) > limit || i >= most) in[i]->fate = Fate::Slower;
  }

  // Runs the candidate, alone or in pairs against another. False: everything ends.
  bool measure_one(Candidate& c, int repeats, const std::string& against, run::Executor& executor) {
    RunRequest one;
    one.entry = c.entry;
    one.arch = out_.arch;
    one.reference = request_.reference;
    one.python = request_.python;
    one.wanted = request_.wanted;
    one.seed = seed_;
    one.repeats = repeats;
    one.against = against;
    one.tools = &tools_;
    one.known = known_.get();
    one.reference_steps = kReferenceSteps;
    const project::LoadedFile own = project::beside(file_);
    const RunAnswer ran = run_script(own, one, executor, stop_);
    using End = RunAnswer::End;
    if (ran.end == End::Stopped || stop_.stop_requested()) return false;
    if (ran.end == End::NoDevice) return fail(ran.failure.message, ran.failure.hint);
    const std::lock_guard lock(mutex_);
    if (ran.end == End::Reported) {
      take(c, ran.report, against);
    } else {
      refuse(c, ran.end == End::Errors ? first_error(ran.compiled) : ran.failure.message);
    }
    save();
    return !out_.failure;
  }

  // What a run says of a candidate.
  void take(Candidate& c, const run::Report& r, const std::string& against) {
    auto end_all = [&](std::string message, std::string hint) {
      if (!out_.failure) out_.failure = {std::move(message), std::move(hint)};
      ended_.request_stop();
    };
    if (r.outcome.status != run::Status::Done) {
      return refuse(c, std::string(run::status_name(r.outcome.status)) + ": " + r.outcome.message,
                    r.outcome.status == run::Status::NotLaunched ? Fate::Refused : Fate::Broke);
    }
    if (!r.rival_problems.empty()) return refuse(*of_entry(against), r.rival_problems.front(), Fate::Wrong);
    if (!r.problems.empty()) return refuse(c, r.problems.front(), Fate::Wrong);
    if (!r.verified())
      return end_all("nothing says what " + c.entry + " should leave, so that no candidate can be called right",
                     "name a kernel that computes it: --reference EXPR, or a comment `# tilewright: reference EXPR`");
    if (r.own_reference && against.empty()) {
      if (!own_.empty() && own_ != c.cubin_digest)
        return end_all("the reference of a candidate is the candidate itself: whatever it leaves is as expected",
                       "--reference EXPR names a kernel that the settings do not change");
      own_ = c.cubin_digest;
    }
    if (r.only_zeros())
      return end_all("all inputs are zeros, and so is all that " + c.entry +
                         " should leave: a candidate that writes zeros would pass as well",
                     "leave out --input, and random numbers are drawn");
    if (!r.timing) return end_all("the device measured nothing", "--repeat says how often a candidate is launched");
    if (against.empty() && c.rounds++ == 0) c.turn = ++turns_;
    c.cold = r.timing->cold;
    c.samples = r.outcome.measured.cold;
    c.conditions = r.outcome.measured.conditions;
    out_.launches += r.outcome.measured.cold.size() + r.outcome.measured.rival_cold.size();
    if (!against.empty() && r.timing->rival) c.behind = r.timing->rival->by_cold;
  }

  Candidate* of_entry(const std::string& entry) {
    return &*std::ranges::find(out_.candidates, entry, &Candidate::entry);
  }

  // Step 4: the fastest against each of the others; one that beats it takes its place.
  void hold_finals() {
    std::vector<Candidate*> in = open();
    std::ranges::stable_sort(in, {}, median_of);
    if (in.size() > kFinalists) {  // of an exhaustive search
      for (std::size_t i = kFinalists; i < in.size(); ++i) in[i]->fate = Fate::Slower;
      in.resize(kFinalists);
    }
    begin_round(out_.seeds.size() + 1);
    Candidate* best = in.front();
    for (std::size_t i = 1; i < in.size(); ++i) {
      Candidate* other = in[i];
      tell("finals", i - 1, in.size() - 1);
      if (!measure_one(*best, kPairs, other->entry, *executors_.front())) return;
      if (best->fate != Fate::Open) {  // it broke on these inputs
        best = other;
        continue;
      }
      if (other->fate != Fate::Open) continue;
      const std::optional<run::Contest> contest = std::exchange(best->behind, std::nullopt);
      if (!contest || !contest->significant) {
        other->fate = Fate::Level;
        other->behind = contest;
      } else if (contest->ratio >= 1) {
        other->fate = Fate::Slower;
        other->behind = contest;
      } else {
        best->fate = Fate::Slower;
        best->behind =
            run::Contest{1 / contest->ratio, 1 / contest->most, 1 / contest->least, contest->probability, true};
        best = other;
      }
    }
    best->fate = Fate::Best;
  }

  void put_in_order() {
    // Of those that were measured the longest first, then by time; of the others in the order of the space.
    std::ranges::stable_sort(out_.candidates, [](const Candidate& a, const Candidate& b) {
      auto key = [](const Candidate& c) {
        return std::tuple(c.fate != Fate::Best, c.fate != Fate::Level, !c.cold || c.fate == Fate::Wrong, -c.rounds,
                          c.cold ? c.cold->median : 0.0);
      };
      return key(a) < key(b);
    });
  }

  const project::LoadedFile& file_;
  const TuneRequest& request_;
  std::vector<run::Executor*> executors_;
  toolchain::Toolchain& tools_;
  const TuneHooks& hooks_;
  const TuneAnswer* earlier_;
  std::stop_source ended_;
  std::stop_token stop_, asked_stop_;
  std::stop_callback<std::function<void()>> forward_;
  ir::Target target_;
  std::vector<std::string> small_;
  std::vector<std::size_t> order_;  // in which candidates are compiled and measured
  std::uint64_t seed_ = 0;          // of this round
  std::string own_;                 // the code of a candidate that was its own reference; empty: none was
  int turns_ = 0;                   // candidates that were measured
  std::unique_ptr<KnownReferences> known_;
  std::mutex mutex_;  // of the answer and the hooks, while a round is measured
  TuneAnswer out_;
};

}  // namespace

std::string_view fate_name(Candidate::Fate fate) {
  static constexpr auto kNames =
      text::words_of<Candidate::Fate>({"open", "refused", "hazard", "wrong", "broke", "slower", "level", "best"});
  return kNames[fate];
}

const Candidate* TuneAnswer::best() const {
  return !candidates.empty() && candidates.front().fate == Fate::Best ? &candidates.front() : nullptr;
}

TuneAnswer tune(const project::LoadedFile& file, const TuneRequest& request,
                const std::vector<run::Executor*>& executors, toolchain::Toolchain& tools, const std::stop_token& stop,
                const TuneHooks& hooks, const TuneAnswer* earlier) {
  return Tuning(file, request, executors, tools, stop, hooks, earlier).answer();
}

}  // namespace tilewright::work
