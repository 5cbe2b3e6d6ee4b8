#include "server/work/tune.h"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>
#include <utility>

#include "compiler/run/trial.h"
#include "compiler/text/escape.h"
#include "compiler/threads/in_order.h"
#include "compiler/toolchain/digest.h"
#include "server/project/environment.h"

namespace tilewright::work {
namespace {

using Fate = Candidate::Fate;

constexpr std::size_t kFinalists = 4;
constexpr int kMostRounds = 8, kMostRepeats = 400, kPairs = 40;
// A candidate within so much of the last one that stays stays, too.
constexpr double kClose = 1.03;

std::string place_text(text::Span span, const text::Anchors& anchors) {
  const text::Anchors::Place place = anchors.resolve(span);
  if (!place.source) return {};
  return text::visible(place.source->path()) + ":" + std::to_string(place.source->position(place.begin).line + 1) +
         ": ";
}

class Tuning {
 public:
  Tuning(const project::LoadedFile& file, const TuneRequest& request, run::Executor& executor,
         toolchain::Toolchain& tools, std::stop_token stop, const std::function<void(const TuneProgress&)>& progress)
      : file_(file),
        request_(request),
        executor_(executor),
        tools_(tools),
        stop_(std::move(stop)),
        progress_(progress) {}

  TuneAnswer answer() {
    if (find_device() && make_candidates() && refuse_by_compiler() && measure()) hold_finals();
    if (stop_.stop_requested()) out_.stopped = true;
    put_in_order();
    return std::move(out_);
  }

 private:
  bool fail(std::string message, std::string hint = {}) {
    out_.failure = {std::move(message), std::move(hint)};
    return false;
  }
  void tell(const std::string& what, std::size_t done, std::size_t all) const {
    if (progress_) progress_({what, done, all});
  }

  bool find_device() {
    auto device = executor_.device(stop_);
    if (!device) {
      const run::Failure why = no_device(device.error());
      return fail(why.message, why.hint);
    }
    if (!executor_.runs_cubins())
      return fail("the simulator does not tell how long a kernel takes", "tune on a GPU: --on gpu");
    out_.device = *device;
    out_.where = executor_.place();
    out_.arch = device->arch();
    if (auto target = ir::parse_target(out_.arch)) target_ = *target;
    return true;
  }
  run::Failure no_device(const std::string& why) const {
    return {executor_.place().empty() ? "there is no GPU to measure on: " + why : executor_.place() + ": " + why,
            "`tilewright doctor` says what is missing"};
  }

  bool make_candidates() {
    auto points = tune_points(file_, request_, stop_);
    if (!points) return fail(points.error().message, points.error().hint);
    out_.axes = std::move(points->axes);
    out_.candidates = std::move(points->candidates);
    small_ = std::move(points->small);
    out_.script_digest = toolchain::hex(toolchain::sha256(file_.source->text()));
    out_.searched = request_.search;
    return true;
  }

  // Steps 1 and 2, a candidate a piece.
  bool refuse_by_compiler() {
    const std::size_t all = out_.candidates.size();
    return threads::in_order(
        all, request_.jobs, stop_, [&](std::size_t i) { look_at(i); }, [](std::size_t) {},
        [&](std::size_t done) { tell("looking at candidates", done, all); });
  }

  void look_at(std::size_t number) {
    Candidate& c = out_.candidates[number];
    const session::NamedTargets named{{target_}, session::ArchitectureSource::Asked};
    const project::LoadedFile own = project::beside(file_);
    const session::Compiled made = project::compile(own, project::options_for(named, {c.entry}), stop_);
    if (made.stopped) return;
    const session::CompiledKernel* kernel = kernel_of(made, c.entry);
    if (!kernel || !kernel->cuda || made.has_errors()) return refuse(c, first_error(made));
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

  // Step 3. False: stopped, or nothing can be measured.
  bool measure() {
    int repeats = request_.repeats;
    for (int round = 1; round <= kMostRounds; ++round) {
      std::vector<Candidate*> in = open();
      if (in.empty()) return false;
      // As many bits as every reader of JSON keeps.
      out_.seeds.push_back((project::random_bits() >> 11) | 1);
      for (std::size_t i = 0; i < in.size(); ++i) {
        tell("round " + std::to_string(round) + ", measuring", i, in.size());
        if (!measure_one(*in[i], repeats, {})) return false;
      }
      in = open();
      if (in.size() <= kFinalists) return !in.empty();
      leave_slower_half(in);
      repeats = std::min(repeats * 2, kMostRepeats);
    }
    return true;
  }

  static double median_of(const Candidate* c) {
    return c->cold ? c->cold->median : std::numeric_limits<double>::infinity();
  }

  static void leave_slower_half(std::vector<Candidate*>& in) {
    std::ranges::stable_sort(in, {}, median_of);
    const std::size_t stay = std::max(kFinalists, (in.size() + 1) / 2);
    const double limit = median_of(in[stay - 1]) * kClose;
    for (std::size_t i = stay; i < in.size(); ++i)
      if (median_of(in[i]) > limit || in.size() - i <= in.size() / 4) in[i]->fate = Fate::Slower;
  }

  // Runs the candidate, alone or in pairs against another. False: everything ends.
  bool measure_one(Candidate& c, int repeats, const std::string& against) {
    RunRequest one;
    one.entry = c.entry;
    one.arch = out_.arch;
    one.reference = request_.reference;
    one.python = request_.python;
    one.wanted = request_.wanted;
    one.seed = out_.seeds.back();
    one.repeats = repeats;
    one.against = against;
    one.tools = &tools_;
    const RunAnswer ran = run_script(file_, one, executor_, stop_);
    using End = RunAnswer::End;
    if (ran.end == End::Stopped || stop_.stop_requested()) return false;
    if (ran.end == End::NoDevice) return fail(ran.failure.message, ran.failure.hint);
    if (ran.end != End::Reported) {
      refuse(c, ran.end == End::Errors ? first_error(ran.compiled) : ran.failure.message);
      return true;
    }
    const run::Report& r = ran.report;
    if (r.outcome.status != run::Status::Done) {
      refuse(c, std::string(run::status_name(r.outcome.status)) + ": " + r.outcome.message,
             r.outcome.status == run::Status::NotLaunched ? Fate::Refused : Fate::Broke);
      return true;
    }
    if (!r.problems.empty()) {
      refuse(c, r.problems.front(), Fate::Wrong);
      return true;
    }
    if (!r.verified())
      return fail("nothing says what " + c.entry + " should leave, so that no candidate can be called right",
                  "name a kernel that computes it: --reference EXPR, or a comment `# tilewright: reference EXPR`");
    if (!r.timing) return fail("the device measured nothing", "--repeat says how often a candidate is launched");
    ++c.rounds;
    c.cold = r.timing->cold;
    c.samples = r.outcome.measured.cold;
    out_.launches += r.outcome.measured.cold.size() + r.outcome.measured.rival_cold.size();
    if (!against.empty() && r.timing->rival) c.behind = r.timing->rival->by_cold;
    return true;
  }

  // Step 4: the fastest against each of the others; one that beats it takes its place.
  void hold_finals() {
    std::vector<Candidate*> in = open();
    std::ranges::stable_sort(in, {}, median_of);
    Candidate* best = in.front();
    for (std::size_t i = 1; i < in.size(); ++i) {
      Candidate* other = in[i];
      tell("finals", i - 1, in.size() - 1);
      if (!measure_one(*best, kPairs, other->entry)) return;
      if (best->fate != Fate::Open) {  // it broke on these inputs
        best = other;
        continue;
      }
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
  run::Executor& executor_;
  toolchain::Toolchain& tools_;
  std::stop_token stop_;
  const std::function<void(const TuneProgress&)>& progress_;
  ir::Target target_;
  std::vector<std::string> small_;
  TuneAnswer out_;
};

}  // namespace

std::string_view fate_name(Candidate::Fate fate) {
  static constexpr std::array<std::string_view, 8> kNames{"open",  "refused", "hazard", "wrong",
                                                          "broke", "slower",  "level",  "best"};
  return kNames[static_cast<std::size_t>(fate)];
}

const Candidate* TuneAnswer::best() const {
  return !candidates.empty() && candidates.front().fate == Fate::Best ? &candidates.front() : nullptr;
}

TuneAnswer tune(const project::LoadedFile& file, const TuneRequest& request, run::Executor& executor,
                toolchain::Toolchain& tools, const std::stop_token& stop,
                const std::function<void(const TuneProgress&)>& progress) {
  return Tuning(file, request, executor, tools, stop, progress).answer();
}

}  // namespace tilewright::work
