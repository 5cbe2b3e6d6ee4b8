#include "compiler/run/trial.h"

#include <algorithm>
#include <deque>
#include <unordered_set>

#include "compiler/ir/origin.h"
#include "compiler/run/bind.h"
#include "compiler/run/element.h"
#include "compiler/run/simulated_executor.h"
#include "compiler/simulate/codes.h"
#include "compiler/simulate/pages.h"

namespace tilewright::run {
namespace {

// Values for all that a launch needs and nobody has given.
Bindings small_values(const lower::LoweredKernel& kernel, const TrialBudget& budget) {
  Bindings out;
  for (const lower::ExtentBinding& extent : kernel.plan.extents)
    out.values[std::string(extent.var->name)] = Number::of(budget.extent);
  for (const lower::KernelParam& p : kernel.plan.params) {
    const std::string name = param_name(p);
    if (p.kind == lower::ParamKind::Pointer && !p.tensor) out.raw_bytes[name] = budget.extent * budget.extent * 4;
    if (p.kind != lower::ParamKind::Scalar || p.value || out.values.contains(name)) continue;
    out.values[name] = p.dtype.is_floating() ? Number::of(1.0) : Number::of(budget.extent);
  }
  return out;
}

// Does an address depend on what the kernel reads from its tensors? Then what the zeros here lead to says little about
// other inputs. Follows values through temporaries and through memory of threads and CTAs, buffer by buffer.
class DataIndices {
 public:
  explicit DataIndices(const lower::LoweredKernel& kernel) {
    for (const lower::KernelParam& p : kernel.plan.params)
      if (p.tensor && p.tensor->dtype.is_integral()) from_data_.insert(p.tensor->data);
    // Loops carry values upwards: until nothing new is found.
    for (std::size_t known = 0; known != from_data_.size();) {
      known = from_data_.size();
      ir::walk_stmts(kernel.device, [&](const ir::Stmt* s) { return look(s); });
    }
  }
  bool found() const { return found_; }

 private:
  bool look(const ir::Stmt* s) {
    if (const auto* bind = ir::as<ir::Bind>(s)) {
      if (depends(bind->value)) from_data_.insert(bind->var);
    } else if (const auto* store = ir::as<ir::Store>(s)) {
      for (ir::Expr index : store->indices) found_ |= depends(index);
      if (depends(store->value)) from_data_.insert(store->buffer->data);
    } else if (const auto* evaluate = ir::as<ir::Evaluate>(s)) {
      depends(evaluate->value);
    }
    return true;
  }
  // Is the value made of data? Looks at the addresses in it on the way.
  bool depends(ir::Expr e) {
    bool made_of_data = false;
    ir::walk(e, [&](ir::Expr x) {
      if (const auto* v = x.as<ir::Var>(); v && !v->dtype.is_handle()) made_of_data |= from_data_.contains(v);
      const auto* load = x.as<ir::Load>();
      if (!load) return true;
      made_of_data |= from_data_.contains(load->buffer->data);
      for (ir::Expr index : load->indices) found_ |= depends(index);
      return false;
    });
    return made_of_data;
  }

  std::unordered_set<const ir::Var*> from_data_;
  bool found_ = false;
};

// Tensors of any size: integers are 0, other inputs a short stretch of random numbers again and again.
class MadeUp {
 public:
  simulate::Tensor tensor(const JobBuffer& b, ir::DataType dtype, std::uint64_t seed) {
    simulate::Tensor t;
    t.defined = b.role != Role::Output;
    t.made_up = b.bytes;
    if (!t.defined || dtype.is_integral()) return t;
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

}  // namespace

Trial try_out(const lower::LoweredKernel& kernel, const TrialBudget& budget, const std::stop_token& stop) try {
  Trial trial;
  const lower::LoweredKernel* one[] = {&kernel};
  auto bound = bind(one, small_values(kernel, budget));
  if (!bound) {
    trial.unchecked.push_back({"it cannot be launched with small values: " + bound.error(), {}});
    return trial;
  }
  if (bound->job.bytes() > budget.bytes) {
    trial.unchecked.push_back({"its tensors take " + std::to_string(bound->job.bytes() >> 30) + " GB, and " +
                                   std::to_string(budget.bytes >> 30) + " are tried at most",
                               {}});
    return trial;
  }
  MadeUp made_up;
  auto memory = [&](std::size_t i) { return made_up.tensor(bound->job.buffers[i], bound->tensors[i].dtype, i + 1); };
  const simulate::Inputs inputs = launch_inputs(*bound, bound->launches[0], memory);

  const JobLaunch& launch = bound->job.launches[0];
  auto product = [](const std::array<std::int64_t, 3>& n) { return n[0] * n[1] * n[2]; };
  const std::int64_t ctas = product(launch.grid), cluster = product(launch.cluster);
  simulate::Options options;
  options.races = true;
  options.max_steps = budget.steps;
  options.max_bytes = budget.memory;
  options.only_ctas =
      static_cast<std::uint64_t>(std::max<std::int64_t>(cluster, static_cast<std::int64_t>(budget.ctas)));
  options.stop = stop;
  const bool by_data = DataIndices(kernel).found();
  auto add = [&](simulate::Finding f) {
    auto same = [&](const simulate::Finding& had) {
      return simulate::tell_the_same(had, f) || (had.code == f.code && ir::same_origin(had.origin, f.origin));
    };
    if (f.severity == simulate::Severity::Incomplete || f.from_input) {
      if (std::ranges::none_of(trial.unchecked, [&](const Trial::Left& had) { return had.why == f.message; }))
        trial.unchecked.push_back({f.message, f.origin});
      return;
    }
    if (std::ranges::any_of(trial.findings, same)) return;
    if (by_data && depends_on_addresses(f.code) && f.severity == simulate::Severity::Error) {
      f.severity = simulate::Severity::Warning;
      f.message += "; here with indices that are all 0, which come from input data";
    }
    trial.findings.push_back(std::move(f));
  };
  for (auto timing : {simulate::Timing::Latest, simulate::Timing::Random}) {
    options.timing = timing;
    simulate::Result result = simulate::run(kernel, inputs, options);
    if (stop.stop_requested()) {
      trial.stopped = true;
      return trial;
    }
    for (simulate::Finding& f : result.findings) add(std::move(f));
  }
  if (const auto tried = static_cast<std::int64_t>(options.only_ctas); tried < ctas)
    trial.unchecked.push_back(
        {"CTA 0 to " + std::to_string(tried - 1) + " of " + std::to_string(ctas) + " were tried", {}});
  return trial;
} catch (const std::bad_alloc&) {
  Trial trial;
  trial.unchecked.push_back({"the system has no memory for trying it out", {}});
  return trial;
}

}  // namespace tilewright::run
