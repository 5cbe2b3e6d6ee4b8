#include "compiler/run/trial.h"

#include <algorithm>
#include <deque>
#include <expected>
#include <iterator>
#include <optional>
#include <unordered_set>

#include "compiler/ir/origin.h"
#include "compiler/run/bind.h"
#include "compiler/run/element.h"
#include "compiler/run/simulated_executor.h"
#include "compiler/simulate/causes.h"
#include "compiler/simulate/codes.h"
#include "compiler/simulate/pages.h"

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

// Values for all that a launch needs and nobody has given.
Bindings small_values(const lower::LoweredKernel& kernel, const TrialBudget& budget, std::int64_t extent,
                      std::int64_t scalar) {
  Bindings out;
  for (const lower::ExtentBinding& e : kernel.plan.extents) out.values[std::string(e.var->name)] = Number::of(extent);
  for (const lower::KernelParam& p : kernel.plan.params) {
    const std::string name = param_name(p);
    if (p.kind == lower::ParamKind::Pointer && !p.tensor) out.raw_bytes[name] = budget.extent * budget.extent * 4;
    if (p.kind != lower::ParamKind::Scalar || p.value || out.values.contains(name)) continue;
    out.values[name] = p.dtype.is_floating() ? Number::of(1.0) : Number::of(scalar);
  }
  for (const auto& [name, value] : budget.values)
    if (auto own = out.values.find(name); own != out.values.end()) own->second = value;
  return out;
}

// What the contents of a tensor decide: addresses, branches, the ends of loops. Follows values through variables, and
// through memory buffer by buffer: a call that is handed the data may bring it to any other memory that it is handed.
class DataUse {
 public:
  DataUse(const lower::LoweredKernel& kernel, std::span<const ir::Var* const> tensors) : kernel_(kernel) {
    for (const ir::Var* tensor : tensors) from_data_.insert(tensor);
    // Loops carry values upwards: until nothing new is found.
    for (std::size_t known = 0; known != from_data_.size();) {
      known = from_data_.size();
      ir::walk_stmts(kernel.device, [&](const ir::Stmt* s) { return look(s); });
    }
  }
  bool addresses() const { return addresses_; }
  bool decides() const { return addresses_ || conditions_; }

 private:
  bool look(const ir::Stmt* s) {
    if (const auto* bind = ir::as<ir::Bind>(s)) {
      if (depends(bind->value)) from_data_.insert(bind->var);
    } else if (const auto* store = ir::as<ir::Store>(s)) {
      for (ir::Expr index : store->indices) addresses_ |= depends(index);
      if (depends(store->value)) from_data_.insert(store->buffer->data);
    } else if (const auto* evaluate = ir::as<ir::Evaluate>(s)) {
      depends(evaluate->value);
    } else if (const auto* branch = ir::as<ir::If>(s)) {
      conditions_ |= depends(branch->condition);
    } else if (const auto* again = ir::as<ir::While>(s)) {
      conditions_ |= depends(again->condition);
    } else if (const auto* loop = ir::as<ir::For>(s)) {
      conditions_ |= depends(loop->min);
      conditions_ |= depends(loop->extent);
    } else if (const auto* assertion = ir::as<ir::Assert>(s)) {
      conditions_ |= depends(assertion->condition);
    }
    return true;
  }

  // The tensor that a tensor map describes counts as its map.
  const ir::Var* memory_of(const ir::Var* v) const {
    for (const dispatch::TensorMap& map : kernel_.plan.tensor_maps)
      if (map.var == v) return map.tensor->data;
    return v;
  }
  static bool is_memory(const ir::Var* v) { return v->dtype.is_handle() || v->role == ir::VarRole::Data; }

  // A call that is handed data and other memory: the data may be there afterwards.
  bool handed_on(const ir::Call* call) {
    bool data = false;
    std::vector<const ir::Var*> memory;
    for (ir::Expr arg : call->args) {
      ir::walk(arg, [&](ir::Expr x) {
        const auto* load = x.as<ir::Load>();
        const auto* v = load ? load->buffer->data : x.as<ir::Var>();
        if (!v) return true;
        v = memory_of(v);
        data |= from_data_.contains(v);
        if (is_memory(v)) memory.push_back(v);
        return true;
      });
    }
    if (data) from_data_.insert(memory.begin(), memory.end());
    return data;
  }

  // Is the value made of data? Looks at the addresses in it on the way.
  bool depends(ir::Expr e) {
    bool made_of_data = false;
    ir::walk(e, [&](ir::Expr x) {
      if (const auto* v = x.as<ir::Var>()) made_of_data |= from_data_.contains(memory_of(v));
      if (const auto* call = x.as<ir::Call>()) made_of_data |= handed_on(call);
      if (const auto* choice = x.as<ir::Select>()) conditions_ |= depends(choice->condition);
      const auto* load = x.as<ir::Load>();
      if (!load) return true;
      made_of_data |= from_data_.contains(load->buffer->data);
      for (ir::Expr index : load->indices) addresses_ |= depends(index);
      return false;
    });
    return made_of_data;
  }

  const lower::LoweredKernel& kernel_;
  std::unordered_set<const ir::Var*> from_data_;
  bool addresses_ = false, conditions_ = false;
};

// Tensors of any size: a short stretch of random numbers again and again, or all 0.
class MadeUp {
 public:
  simulate::Tensor tensor(const JobBuffer& b, ir::DataType dtype, std::uint64_t seed, bool zeros) {
    simulate::Tensor t;
    t.defined = b.role != Role::Output;
    t.made_up = b.bytes;
    if (!t.defined || zeros) return t;
    const std::int64_t stretch = simulate::Pages::pattern_for(b.bytes);
    std::vector<std::byte>& bytes = patterns_.emplace_back(static_cast<std::size_t>(stretch));
    fill_random(dtype, reinterpret_cast<char*>(bytes.data()), stretch, seed);
    t.pattern = bytes;
    return t;
  }

 private:
  std::deque<std::vector<std::byte>> patterns_;
};

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

class Trying {
 public:
  Trying(const lower::LoweredKernel& kernel, const TrialBudget& budget, const std::stop_token& stop)
      : kernel_(kernel), budget_(budget), stop_(stop), unknown_(unknowns_of(kernel, budget)) {
    std::vector<const ir::Var*> integers;
    for (const lower::KernelParam& p : kernel.plan.params)
      if (p.tensor && p.tensor->dtype.is_integral()) integers.push_back(p.tensor->data);
    by_data_ = !integers.empty() && DataUse(kernel, integers).addresses();
    for (const ir::Var* tensor : integers) {
      const ir::Var* one[] = {tensor};
      if (!DataUse(kernel, one).decides()) plain_.insert(tensor);
    }
  }

  Trial run() {
    if (unknown_.scalars.empty()) {
      attempt(budget_.extent, 1, {});
    } else {
      try_scalars();
    }
    if (budget_.awkward) try_extents();
    simulate::put_causes_first(trial_.findings);
    return std::move(trial_);
  }

 private:
  // One launch and its findings; an error: it cannot be launched with these values.
  struct Looked {
    std::vector<simulate::Finding> findings;
    std::int64_t ctas = 0, tried = 0;
  };

  std::expected<Looked, std::string> look(std::int64_t extent, std::int64_t scalar, bool both,
                                          std::uint64_t steps) const {
    const lower::LoweredKernel* one[] = {&kernel_};
    auto bound = bind(one, small_values(kernel_, budget_, extent, scalar));
    if (!bound) return std::unexpected("it cannot be launched with small values: " + bound.error());
    if (bound->job.bytes() > budget_.bytes)
      return std::unexpected("its tensors take " + std::to_string(bound->job.bytes() >> 30) + " GB, and " +
                             std::to_string(budget_.bytes >> 30) + " are tried at most");
    MadeUp made_up;
    auto memory = [&](std::size_t i) {
      return made_up.tensor(bound->job.buffers[i], bound->tensors[i].dtype, i + 1, is_zero(bound->tensors[i]));
    };
    const simulate::Inputs inputs = launch_inputs(*bound, bound->launches[0], memory);
    const JobLaunch& launch = bound->job.launches[0];
    auto product = [](const std::array<std::int64_t, 3>& n) { return n[0] * n[1] * n[2]; };
    Looked out;
    out.ctas = product(launch.grid);
    out.tried = std::max<std::int64_t>(product(launch.cluster), static_cast<std::int64_t>(budget_.ctas));
    simulate::Options options;
    options.races = true;
    options.max_steps = steps;
    options.max_bytes = budget_.memory;
    options.only_ctas = static_cast<std::uint64_t>(out.tried);
    options.stop = stop_;
    for (auto timing : {simulate::Timing::Latest, simulate::Timing::Random}) {
      if (timing == simulate::Timing::Random && !both) break;
      options.timing = timing;
      simulate::Result result = simulate::run(kernel_, inputs, options);
      if (stop_.stop_requested()) break;
      std::ranges::move(result.findings, std::back_inserter(out.findings));
    }
    return out;
  }

  // Of an integer tensor that decides something; and of one that the kernel writes, too: a counter starts at 0.
  bool is_zero(const BoundTensor& tensor) const {
    if (!tensor.dtype.is_integral()) return false;
    if (tensor.role != Role::Input) return true;
    return std::ranges::none_of(kernel_.plan.params, [&](const lower::KernelParam& p) {
      return p.tensor && p.tensor->name == tensor.name && plain_.contains(p.tensor->data);
    });
  }

  void add(simulate::Finding f, const std::string& with) {
    if (f.severity == simulate::Severity::Incomplete || f.from_input) {
      if (std::ranges::none_of(trial_.unchecked, [&](const Trial::Left& had) { return had.why == f.message; }))
        trial_.unchecked.push_back({f.message, f.origin});
      return;
    }
    auto same = [&](const simulate::Finding& had) {
      return simulate::tell_the_same(had, f) || (had.code == f.code && ir::same_origin(had.origin, f.origin));
    };
    if (std::ranges::any_of(trial_.findings, same)) return;
    if (by_data_ && depends_on_addresses(f.code) && f.severity == simulate::Severity::Error) {
      f.severity = simulate::Severity::Warning;
      f.message += "; here with indices that are all 0, which come from input data";
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
    if (looked.tried >= looked.ctas) return;
    const std::string why =
        "CTA 0 to " + std::to_string(looked.tried - 1) + " of " + std::to_string(looked.ctas) + " were tried";
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
      take(std::move(*looked), named_values(unknown_.scalars, value));
      if (!budget_.awkward) break;
    }
    if (good.empty() && first) return take(std::move(*first), named_values(unknown_.scalars, bad.front()));
    if (good.empty()) return attempt(budget_.extent, 1, {});
    std::string names;
    for (const std::string& name : unknown_.scalars) names += (names.empty() ? "`" : ", `") + name + "`";
    std::string text = names + " had the values " + listed(good);
    if (!bad.empty()) text += "; with " + listed(bad) + " an access leaves its tensor";
    trial_.tried.push_back(text + "; a comment `# tilewright: run` gives others");
  }

  // Sizes at which the last block is not full, or nothing is left to do.
  void try_extents() {
    if (unknown_.extents.empty() || stopped()) return;
    const std::int64_t sizes[] = {budget_.extent + 1, budget_.extent - 1, 1, 0};
    for (std::int64_t size : sizes) {
      auto looked = look(size, scalar_, false, budget_.steps / 4);
      if (stopped()) return;
      // A size that the kernel refuses, or of which no tensor map can be made, is none of its sizes.
      auto refused = [](const simulate::Finding& f) { return leaves(f) && f.code != simulate::code::kOutOfBounds; };
      if (!looked || std::ranges::any_of(looked->findings, refused)) continue;
      for (simulate::Finding& f : looked->findings) {
        if (f.severity == simulate::Severity::Incomplete) continue;
        if (f.code == simulate::code::kOutOfBounds) f.severity = simulate::Severity::Warning;
        add(std::move(f), named_values(unknown_.extents, size));
      }
    }
  }

  const lower::LoweredKernel& kernel_;
  const TrialBudget& budget_;
  const std::stop_token& stop_;
  const Unknowns unknown_;
  std::unordered_set<const ir::Var*> plain_;  // integer tensors that decide nothing
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
