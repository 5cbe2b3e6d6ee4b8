#include "compiler/run/trial.h"

#include <algorithm>
#include <array>
#include <expected>
#include <functional>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "compiler/ir/origin.h"
#include "compiler/run/bind.h"
#include "compiler/run/data_use.h"
#include "compiler/run/other_ctas.h"
#include "compiler/run/sample.h"
#include "compiler/run/trial_launch.h"
#include "compiler/simulate/codes.h"
#include "compiler/simulate/hazards/causes.h"

namespace tilewright::run {
namespace {

// What of a launch is not given: symbolic extents, and whole numbers among the scalars.
struct Unknowns {
  std::vector<std::string> extents, scalars;
};

Unknowns unknowns_of(const lower::LoweredKernel& kernel, const TrialBudget& budget) {
  Unknowns out;
  auto is_new = [&](const std::string& name) {
    return !budget.values.contains(name) && std::ranges::find(out.extents, name) == out.extents.end();
  };
  for (const lower::ExtentBinding& extent : kernel.plan.extents)
    if (std::string name(extent.var->name); is_new(name)) out.extents.push_back(std::move(name));
  for (const lower::KernelParam& p : kernel.plan.params)
    if (std::string name = param_name(p);
        p.kind == lower::ParamKind::Scalar && !p.value && !p.dtype.is_floating() && is_new(name))
      out.scalars.push_back(std::move(name));
  return out;
}

// One extent or scalar with a value unlike those of the others.
struct Alone {
  std::string name;
  std::int64_t value = 0;
};

// Values for all that a launch needs and was not given.
Bindings small_values(const lower::LoweredKernel& kernel, const TrialBudget& budget, std::int64_t extent,
                      std::int64_t scalar, const std::optional<Alone>& alone) {
  Bindings out;
  for (const lower::ExtentBinding& e : kernel.plan.extents) out.values[std::string(e.var->name)] = Number::of(extent);
  for (const lower::KernelParam& p : kernel.plan.params) {
    const std::string name = param_name(p);
    if (p.kind == lower::ParamKind::Pointer && !p.tensor) out.raw_bytes[name] = budget.extent * budget.extent * 4;
    if (p.kind != lower::ParamKind::Scalar || p.value || out.values.contains(name)) continue;
    out.values[name] = p.dtype.is_floating() ? Number::of(1.0) : Number::of(scalar);
  }
  if (alone) out.values[alone->name] = Number::of(alone->value);
  for (const auto& [name, value] : budget.values)
    if (auto own = out.values.find(name); own != out.values.end()) own->second = value;
  return out;
}

bool depends_on_addresses(std::string_view code) {
  using namespace simulate;
  return code == code::kOutOfBounds || code == code::kRace || code == code::kEqualStores || code == code::kMisaligned;
}

// An access outside of its tensor, or a launch that is none: the values do not belong to the kernel.
bool leaves(const simulate::Finding& f) {
  using namespace simulate;
  return f.code == code::kOutOfBounds || f.code == code::kPointer || f.code == code::kLaunch ||
         (f.code == code::kRefused && f.severity == Severity::Error);
}

std::string named_values(std::span<const std::string> names, std::int64_t value) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name + " = " + std::to_string(value);
  return out;
}

// "1, 0 and 2".
std::string listed(std::span<const std::int64_t> values) {
  std::string out;
  for (std::size_t i = 0; i < values.size(); ++i)
    out += (i == 0 ? "" : i + 1 == values.size() ? " and " : ", ") + std::to_string(values[i]);
  return out;
}

bool waits_for_others(const simulate::Finding& f) {
  return f.code == simulate::code::kUntried && f.severity == simulate::Severity::Incomplete;
}

// One launch in its schedules, and its findings.
struct Looked {
  std::vector<simulate::Finding> findings;
  std::string part;   // "CTA 0, 1 and 15 of 16": no other was run; empty: all were, or
  std::string shown;  // the same, and the others do alike
  std::string why;    // that was not shown
};

class Looking {
 public:
  Looking(const lower::LoweredKernel& kernel, const TrialLaunch& launch, const TrialBudget& budget,
          const std::stop_token& stop)
      : kernel_(kernel),
        launch_(launch),
        budget_(budget),
        stop_(stop),
        all_(clusters_of(launch.launch())),
        sample_(sample_of(launch.launch(), budget.ctas)) {}

  // `both`: asynchronous work as late as it may be, and at random; else as late as it may be, in a part of the grid.
  Looked look(bool both, std::uint64_t steps) {
    Looked out;
    if (!both) {
      out.findings = in_part(simulate::Timing::Latest, steps).findings;
      if (sample_.size() < all_) out.part = sample_text(launch_.launch(), sample_);
      return out;
    }
    simulate::Result at_random = in_part(simulate::Timing::Random, steps);
    if (reaches_limit(at_random) && fewer_will_do()) at_random = in_part(simulate::Timing::Random, steps);
    if (stop_.stop_requested()) return out;
    const bool is_sample = sample_.size() == all_, fits_whole = !is_sample && fits(at_random);
    // A large grid is run where nothing else tells what its other CTAs do.
    if (!is_sample && (!fits_whole || expected(at_random) > static_cast<double>(budget_.whole) / 2)) {
      out.findings = in_part(simulate::Timing::Latest, steps).findings;
      out.findings.insert(out.findings.end(), at_random.findings.begin(), at_random.findings.end());
      if (look_at_others(out, steps) || !fits_whole || stop_.stop_requested()) return out;
      out = {};
    }
    const std::uint64_t most = is_sample ? steps : std::max(steps, budget_.whole);
    out.findings = is_sample ? in_part(simulate::Timing::Latest, steps).findings
                             : launch_.run(simulate::Timing::Latest, {}, most, true).findings;
    // What waits for CTAs that were not run has to run with them.
    if (!is_sample && std::ranges::any_of(at_random.findings, waits_for_others))
      at_random = launch_.run(simulate::Timing::Random, {}, most);
    std::ranges::move(at_random.findings, std::back_inserter(out.findings));
    return out;
  }

 private:
  double expected(const simulate::Result& sample) const {
    return static_cast<double>(sample.steps) / static_cast<double>(std::max<std::size_t>(1, sample_.size())) *
           static_cast<double>(all_);
  }

  // The history of each byte that is touched takes eight times as much.
  bool fits(const simulate::Result& sample) const {
    if (!sample.finished && std::ranges::none_of(sample.findings, waits_for_others)) return false;
    return launch_.bytes() <= budget_.memory / 4 && expected(sample) <= static_cast<double>(budget_.whole);
  }

  static bool reaches_limit(const simulate::Result& result) {
    return std::ranges::any_of(result.findings, [](const simulate::Finding& f) {
      return f.code == simulate::code::kStepLimit && f.severity == simulate::Severity::Incomplete;
    });
  }

  // The first cluster and those that it does not stand for: where CTAs take many steps.
  bool fewer_will_do() {
    std::vector<std::uint64_t> few = {0};
    if (sample_.size() <= few.size()) return false;
    OtherCtas others = other_ctas(kernel_, launch_.bound(), few, stop_);
    if (few.size() + others.worth_run.size() < sample_.size() && !others.worth_run.empty()) {
      few.insert(few.end(), others.worth_run.begin(), others.worth_run.end());
      std::ranges::sort(few);
      others = other_ctas(kernel_, launch_.bound(), few, stop_);
    }
    if (others.differ.empty()) sample_ = few;
    return others.differ.empty();
  }

  // Do the CTAs that were not run as those that were? Runs some more where that tells.
  bool look_at_others(Looked& looked, std::uint64_t steps) {
    OtherCtas others = other_ctas(kernel_, launch_.bound(), sample_, stop_);
    if (budget_.awkward && !others.worth_run.empty() && run_more(others.worth_run, steps, looked.findings))
      others = other_ctas(kernel_, launch_.bound(), sample_, stop_);
    looked.why = std::move(others.differ);
    const bool alike = looked.why.empty();
    (alike ? looked.shown : looked.part) = sample_text(launch_.launch(), sample_);
    return alike;
  }

  // Runs these clusters, too. False: it was stopped.
  bool run_more(const std::vector<std::uint64_t>& clusters, std::uint64_t steps, std::vector<simulate::Finding>& to) {
    for (simulate::Timing timing : {simulate::Timing::Latest, simulate::Timing::Random}) {
      if (stop_.stop_requested()) return false;
      std::ranges::move(launch_.run(timing, clusters, steps).findings, std::back_inserter(to));
    }
    sample_.insert(sample_.end(), clusters.begin(), clusters.end());
    std::ranges::sort(sample_);
    return true;
  }

  // Clusters that wait for others wait for neighbours most often: where they do, the first ones are run.
  simulate::Result in_part(simulate::Timing timing, std::uint64_t steps) {
    simulate::Result out = launch_.run(timing, sample_, steps);
    std::vector<std::uint64_t> first(sample_.size());
    for (std::size_t i = 0; i < first.size(); ++i) first[i] = i;
    if (first == sample_ || std::ranges::none_of(out.findings, waits_for_others)) return out;
    sample_ = std::move(first);
    return launch_.run(timing, sample_, steps);
  }

  const lower::LoweredKernel& kernel_;
  const TrialLaunch& launch_;
  const TrialBudget& budget_;
  const std::stop_token& stop_;
  std::uint64_t all_ = 0;
  std::vector<std::uint64_t> sample_;
};

class Trying {
 public:
  Trying(const lower::LoweredKernel& kernel, const TrialBudget& budget, const std::stop_token& stop)
      : kernel_(kernel), budget_(budget), stop_(stop), unknown_(unknowns_of(kernel, budget)) {
    std::vector<const ir::Var*> integers;
    for (const lower::KernelParam& p : kernel.plan.params) {
      if (!p.tensor || !p.tensor->dtype.is_integral()) continue;
      if (budget.fills.contains(p.tensor->name)) {
        said_.insert(p.tensor->data);
      } else {
        integers.push_back(p.tensor->data);
      }
    }
    by_data_ = !integers.empty() && DataUse(kernel, integers).addresses();
    for (const ir::Var* tensor : integers) {
      const ir::Var* one[] = {tensor};
      if (!DataUse(kernel, one).decides()) plain_.insert(tensor);
    }
    all_plain_ = plain_.size() == integers.size();
  }

  Trial run() {
    if (unknown_.scalars.empty()) {
      attempt(budget_.extent, 1, {});
    } else {
      try_scalars();
    }
    if (budget_.awkward) try_integers();
    if (budget_.awkward) try_extents();
    simulate::put_causes_first(trial_.findings, &kernel_);
    if (!trial_.unchecked.empty()) trial_.shown.clear();
    return std::move(trial_);
  }

 private:
  using Differing = std::unordered_map<const ir::Var*, TrialLaunch::Differing>;

  // An error: it cannot be launched with these values.
  std::expected<Looked, std::string> look(std::int64_t extent, std::int64_t scalar, bool both, std::uint64_t steps,
                                          const Differing& differing = {},
                                          const std::optional<Alone>& alone = {}) const {
    auto launch = TrialLaunch::make(kernel_, budget_, small_values(kernel_, budget_, extent, scalar, alone),
                                    {.plain = plain_, .differing = differing}, stop_);
    if (!launch) return std::unexpected(std::move(launch.error()));
    return Looking(kernel_, *launch, budget_, stop_).look(both, steps);
  }

  static bool is_same(const simulate::Finding& had, const simulate::Finding& f) {
    return simulate::tell_the_same(had, f) || (had.code == f.code && ir::same_origin(had.origin, f.origin));
  }

  void add(simulate::Finding f, const std::string& with) {
    if (f.severity == simulate::Severity::Incomplete || f.from_input) {
      if (std::ranges::none_of(trial_.unchecked, [&](const Trial::Left& had) { return had.why == f.message; }))
        trial_.unchecked.push_back({f.message, f.origin});
      return;
    }
    if (std::ranges::any_of(trial_.findings, [&](const auto& had) { return is_same(had, f); })) return;
    if (by_data_ && depends_on_addresses(f.code) && f.severity == simulate::Severity::Error) {
      f.severity = simulate::Severity::Warning;
      f.message += kOfZeros;
    }
    if (!with.empty()) f.message += " (with " + with + ")";
    trial_.findings.push_back(std::move(f));
  }

  void attempt(std::int64_t extent, std::int64_t scalar, const std::string& with) {
    auto looked = look(extent, scalar, true, budget_.steps);
    if (stopped()) return;
    if (!looked) return trial_.unchecked.push_back({looked.error(), {}});
    take(std::move(*looked), with);
  }

  void take(Looked looked, const std::string& with) {
    for (simulate::Finding& f : looked.findings) add(std::move(f), with);
    if (!looked.shown.empty()) trial_.shown = looked.shown;
    if (looked.part.empty()) return;
    std::string why = "only " + looked.part + " were tried";
    if (!looked.why.empty()) why += "; the others may differ: " + looked.why;
    if (std::ranges::none_of(trial_.unchecked, [&](const Trial::Left& had) { return had.why == why; }))
      trial_.unchecked.push_back({why, {}});
  }

  bool stopped() { return trial_.stopped = trial_.stopped || stop_.stop_requested(); }

  // Scalars get values with which every access stays in its tensor. Where there are none, the first one is told.
  void try_scalars() {
    constexpr std::int64_t kValues[] = {1, 0, 2, 5, 128};
    std::vector<std::int64_t> good, bad;
    std::optional<Looked> first;
    for (std::int64_t value : kValues) {
      auto looked = look(budget_.extent, value, good.empty(), budget_.steps);
      if (stopped()) return;
      if (!looked || std::ranges::any_of(looked->findings, leaves)) {
        bad.push_back(value);
        if (looked && !first) first = std::move(*looked);
        continue;
      }
      good.push_back(value);
      scalar_ = good.front();
      if (good.size() > 1) looked->part.clear();  // of the first value it is said
      take(std::move(*looked), named_values(unknown_.scalars, value));
      if (!budget_.awkward) break;
    }
    if (good.empty() && first) return take(std::move(*first), named_values(unknown_.scalars, bad.front()));
    if (good.empty()) return attempt(budget_.extent, 1, {});
    std::string names;
    for (const std::string& name : unknown_.scalars) names += (names.empty() ? "`" : ", `") + name + "`";
    std::string text = names + " had the values " + listed(good);
    if (!bad.empty()) text += "; with " + listed(bad) + " an access leaves its tensor";
    text += try_scalars_alone();
    trial_.tried.push_back(text + "; a comment `# tilewright: run` gives others");
  }

  // Each scalar with a larger value than the others: rounds of a loop over one row. What was tried, in words.
  std::string try_scalars_alone() {
    constexpr std::size_t kMost = 6;
    constexpr std::int64_t kValues[] = {5, 2};
    std::string tried;
    const std::size_t scalars = budget_.awkward && unknown_.scalars.size() > 1 ? unknown_.scalars.size() : 0;
    for (std::size_t i = 0; i < std::min(scalars, kMost); ++i) {
      for (std::int64_t value : kValues) {
        const Alone alone{unknown_.scalars[i], value};
        auto looked = look(budget_.extent, scalar_, false, budget_.steps / 4, {}, alone);
        if (stopped()) return tried;
        if (!looked || std::ranges::any_of(looked->findings, leaves)) continue;
        looked->part.clear();
        take(std::move(*looked), alone.name + " = " + std::to_string(value));
        tried += (tried.empty() ? "; alone `" : ", `") + alone.name + "` = " + std::to_string(value);
        break;
      }
    }
    return tried;
  }

  // An integer tensor whose contents decide something and are not given.
  struct Deciding {
    const ir::Var* data = nullptr;
    std::int64_t elements = 1;
  };
  std::vector<Deciding> deciding() const {
    std::vector<Deciding> out;
    for (const lower::KernelParam& p : kernel_.plan.params) {
      if (!p.tensor || !p.tensor->dtype.is_integral()) continue;
      if (plain_.contains(p.tensor->data) || said_.contains(p.tensor->data)) continue;
      out.push_back({p.tensor->data, 1});
      for (ir::Expr extent : p.tensor->shape) out.back().elements *= extent_of(extent);
    }
    return out;
  }
  std::int64_t extent_of(ir::Expr extent) const {
    const std::int64_t* known = ir::constant(extent);
    return known ? *known : budget_.extent;
  }

  // The extents of all tensors that an index may be below, from the largest on.
  std::vector<std::int64_t> extents() const {
    std::vector<std::int64_t> out;
    for (const lower::KernelParam& p : kernel_.plan.params) {
      if (!p.tensor) continue;
      for (ir::Expr extent : p.tensor->shape) out.push_back(extent_of(extent));
    }
    std::ranges::sort(out, std::greater());
    const auto again = std::ranges::unique(out);
    out.erase(again.begin(), again.end());
    return out;
  }

  // What is found where integers differ. None: an access leaves its tensor by them, or it is not known.
  std::optional<std::vector<simulate::Finding>> with_differing(const Differing& differing) {
    auto looked = look(budget_.extent, scalar_, false, budget_.steps, differing);
    if (stopped() || !looked) return std::nullopt;
    // An access that leaves its tensor with indices of 0, too, does not hang on them.
    auto left_by_them = [&](const simulate::Finding& f) {
      return leaves(f) && std::ranges::none_of(trial_.findings, [&](const auto& had) { return is_same(had, f); });
    };
    if (std::ranges::any_of(looked->findings, left_by_them)) return std::nullopt;
    return std::move(looked->findings);
  }

  // Integers that are indices, sizes or conditions: numbers that differ, the largest with which every access stays in
  // its tensor; then such that lie as far from each other as that allows.
  void try_integers() {
    if (all_plain_ || !budget_.before.empty() || stopped()) return;
    const std::vector<Deciding> tensors = deciding();
    std::int64_t most = 8;
    for (const Deciding& d : tensors) most = std::max(most, d.elements);
    Differing with;
    std::optional<std::vector<simulate::Finding>> found;
    const auto all_below = [&](std::int64_t below) {
      for (const Deciding& d : tensors) with[d.data] = {below};
      return found = with_differing(with);
    };
    if (!all_below(most) && !stopped() && tensors.size() > 1) found = each_below_its_own(tensors, most, with);
    for (const std::int64_t below : smaller(most))
      if (!found && !stopped() && all_below(below)) break;
    if (!found || stopped()) return;
    const bool all_differ =
        std::ranges::all_of(tensors, [&](const Deciding& d) { return with[d.data].below >= d.elements; });
    take_differing(std::move(*found), all_differ);
    try_far_apart(tensors, with);
  }

  // Bounds to try after `most`: extents, and small ones.
  std::vector<std::int64_t> smaller(std::int64_t most) const {
    constexpr std::size_t kExtents = 3;
    std::vector<std::int64_t> out;
    for (const std::int64_t extent : extents())
      if (extent < most && extent > 8 && out.size() < kExtents) out.push_back(extent);
    for (const std::int64_t few : {8, 4, 2})
      if (few < most) out.push_back(few);
    return out;
  }

  // Each tensor below a bound of its own, found while the others hold zeros.
  std::optional<std::vector<simulate::Finding>> each_below_its_own(const std::vector<Deciding>& tensors,
                                                                   std::int64_t most, Differing& with) {
    constexpr std::size_t kMost = 4;
    with.clear();
    if (tensors.size() > kMost) return std::nullopt;
    Differing own;
    for (const Deciding& d : tensors) {
      std::vector<std::int64_t> bounds = smaller(most);
      bounds.insert(bounds.begin(), most);
      for (const std::int64_t below : bounds) {
        if (stopped()) return std::nullopt;
        if (!with_differing({{d.data, {below}}})) continue;
        own[d.data] = {below};
        break;
      }
    }
    with = std::move(own);
    return with_differing(with);
  }

  // Lists of where rows begin have several elements a row then. They grow, so no two rows share an element. Rows of
  // several elements reach more of the other tensors, which may need smaller numbers.
  void try_far_apart(const std::vector<Deciding>& tensors, const Differing& with) {
    constexpr int kMost = 6;
    int tried = 0;
    for (const std::int64_t extent : extents()) {
      Differing far = with;
      for (const Deciding& d : tensors)
        if (const std::int64_t step = d.elements > 1 ? (extent - 1) / (d.elements - 1) : 0; step > 1)
          far[d.data] = {extent, step};
      if (std::ranges::none_of(far, [](const auto& one) { return one.second.step > 0; })) return;
      std::vector<std::int64_t> bounds = smaller(extent);
      bounds.insert(bounds.begin(), extent);
      for (const std::int64_t below : bounds) {
        if (stopped() || ++tried > kMost) return;
        for (auto& [data, how] : far)
          if (how.step == 0) how.below = std::min(how.below, below);
        if (auto found = with_differing(far)) return take_differing(std::move(*found), false, kOfSteps);
        if (std::ranges::all_of(far, [](const auto& one) { return one.second.step > 0; })) break;
      }
    }
  }

  // What all-zero indices did and ones that differ do not is not the kernel's; what both do does not hang on them.
  void take_differing(std::vector<simulate::Finding> findings, bool all_differ, std::string_view words = kOfDiffering) {
    if (all_differ) {
      std::erase_if(trial_.findings, [&](const simulate::Finding& f) {
        return is_of_zeros(f) && std::ranges::none_of(findings, [&](const auto& now) { return is_same(f, now); });
      });
      for (simulate::Finding& f : trial_.findings) {
        if (!is_of_zeros(f)) continue;
        f.severity = simulate::Severity::Error;
        f.message.resize(f.message.size() - kOfZeros.size());
      }
    }
    for (simulate::Finding& f : findings) {
      if (f.severity == simulate::Severity::Incomplete || f.from_input) continue;
      if (f.code == simulate::code::kEqualStores) continue;  // the values are made up
      if (std::ranges::any_of(trial_.findings, [&](const auto& had) { return is_same(had, f); })) continue;
      f.severity = simulate::Severity::Warning;
      f.message += words;
      trial_.findings.push_back(std::move(f));
    }
  }

  static bool is_of_zeros(const simulate::Finding& f) {
    return f.severity == simulate::Severity::Warning && f.message.ends_with(kOfZeros);
  }

  // Sizes at which the last block is not full, or nothing is left to do; and each extent unlike the others.
  void try_extents() {
    if (unknown_.extents.empty()) return;
    const std::int64_t usual = budget_.extent, sizes[] = {usual + 1, usual - 1, 1, 0};
    for (std::int64_t size : sizes) try_extent(size, {});
    constexpr std::size_t kMost = 4;
    const std::size_t several = unknown_.extents.size() > 1 ? std::min(unknown_.extents.size(), kMost) : 0;
    for (std::size_t i = 0; i < several; ++i)
      for (std::int64_t size : {usual / 2 + 1, usual + 64}) try_extent(usual, Alone{unknown_.extents[i], size});
  }

  void try_extent(std::int64_t size, const std::optional<Alone>& alone) {
    if (stopped()) return;
    auto looked = look(size, scalar_, false, budget_.steps / 4, {}, alone);
    if (stopped()) return;
    // A size that the kernel refuses, or of which no tensor map can be made, is none of its sizes.
    auto refused = [](const simulate::Finding& f) { return leaves(f) && f.code != simulate::code::kOutOfBounds; };
    if (!looked || std::ranges::any_of(looked->findings, refused)) return;
    std::string with = named_values(unknown_.extents, size);
    if (alone) with = alone->name + " = " + std::to_string(alone->value) + ", others " + std::to_string(size);
    for (simulate::Finding& f : looked->findings) {
      if (f.severity == simulate::Severity::Incomplete) continue;
      if (f.code == simulate::code::kOutOfBounds) f.severity = simulate::Severity::Warning;
      add(std::move(f), with);
    }
  }

  const lower::LoweredKernel& kernel_;
  const TrialBudget& budget_;
  const std::stop_token& stop_;
  const Unknowns unknown_;
  static constexpr std::string_view kOfZeros = "; here with indices that are all 0, which come from input data",
                                    kOfDiffering = "; here with integers 5, 6, 7, ... made up for the input data",
                                    kOfSteps = "; here with integers that grow in steps, made up for the input data";
  std::unordered_set<const ir::Var*> plain_;  // integer tensors that decide nothing
  std::unordered_set<const ir::Var*> said_;   // whose contents the script says
  bool all_plain_ = true;
  bool by_data_ = false;
  std::int64_t scalar_ = 1;
  Trial trial_;
};

}  // namespace

Trial try_out(const lower::LoweredKernel& kernel, const TrialBudget& budget, const std::stop_token& stop) try {
  return Trying(kernel, budget, stop).run();
} catch (const std::bad_alloc&) {
  Trial trial;
  trial.unchecked.push_back({"the system has no memory for trying it out", {}});
  return trial;
}

}  // namespace tilewright::run
