#include "compiler/run/sums.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "compiler/intrinsics/arguments.h"
#include "compiler/intrinsics/intrinsic.h"
#include "compiler/run/format.h"
#include "compiler/run/host_value.h"

namespace tilewright::run {
namespace {

using namespace ir;

// Products that one instruction of the matrix units adds up, at most; and values that a warp or a CTA reduces: the
// depth of their tree is far less.
constexpr std::int64_t kMatrixTerms = 96, kReduced = 32;

double unit_of(DataType dtype) {
  const DataType element = dtype.element();
  if (element.is_float() && element.bits == 64) return 0x1p-52;
  if (element.is_float() && element.bits == 32) return 0x1p-23;
  const auto format = format_of(element);
  return format ? std::ldexp(1.0, -format->mantissa) : 0;
}

class Finder {
 public:
  Finder(const Bound& bound, const BoundLaunch& launch) : launch_(launch) {
    const JobLaunch& job = bound.job.launches[static_cast<std::size_t>(&launch - bound.launches.data())];
    for (const BoundTensor& t : bound.tensors) {
      if (t.role == Role::Output || !t.dtype.is_floating()) continue;
      std::int64_t elements = 1;
      for (std::int64_t extent : t.shape) {
        longest_ = std::max(longest_, extent);
        elements *= std::max<std::int64_t>(extent, 1);
      }
      most_ = std::max(most_, elements);
    }
    for (std::int64_t n : job.grid) ctas_ *= n;
    for (std::int64_t n : job.block) threads_ *= n;
  }

  Sum find() {
    walk_stmts(launch_.kernel->device, [&](const Stmt* s) {
      if (const auto* bind = as<Bind>(s)) bound_[bind->var] = bind->value;
      return true;
    });
    walk(launch_.kernel->device);
    out_.terms = std::min(out_.terms, std::max<std::int64_t>(most_, 1));
    return out_;
  }

 private:
  void walk(const Stmt* s) {
    walk_stmts(s, [&](const Stmt* x) {
      if (const auto* loop = as<For>(x)) {
        loops_.push_back({loop->var, trips(loop->extent)});
        walk(loop->body);
        loops_.pop_back();
        return false;
      }
      if (const auto* loop = as<While>(x)) {
        loops_.push_back({nullptr, longest_});
        walk(loop->body);
        loops_.pop_back();
        return false;
      }
      if (const auto* store = as<Store>(x)) stored(*store);
      if (const auto* evaluate = as<Evaluate>(x)) called(evaluate->value);
      return true;
    });
  }

  std::int64_t trips(Expr extent) const {
    auto n = evaluate_integer(extent, [&](const Var* var) -> std::expected<Number, std::string> {
      auto found = launch_.extents.find(var->name);
      if (found == launch_.extents.end()) return std::unexpected(std::string());
      return Number::of(found->second);
    });
    return n ? std::max<std::int64_t>(*n, 1) : longest_;
  }

  // x[i] = x[i] + ...: as many terms as there are rounds of the loops that do not choose the element.
  void stored(const Store& store) {
    if (!store.buffer->dtype.is_floating()) return;
    bool again = false;
    ir::walk(store.value, [&](Expr e) {
      const auto* load = e.as<Load>();
      again |= load && load->buffer->data == store.buffer->data;
      if (const auto* call = e.as<Call>()) look(*call);
      return true;
    });
    if (!again) return;
    std::int64_t terms = 1;
    for (const Loop& loop : loops_) {
      const bool chooses =
          loop.var && std::ranges::any_of(store.indices, [&](Expr index) { return depends(index, loop.var); });
      if (!chooses) terms = times(terms, loop.trips);
    }
    note(times(terms, 2), unit_of(store.buffer->dtype));
  }

  void called(Expr value) {
    ir::walk(value, [&](Expr e) {
      if (const auto* call = e.as<Call>()) look(*call);
      return true;
    });
  }

  // Hopper's wgmma adds up 8-bit floats with 13 bits.
  static bool adds_short(const intrinsics::Intrinsic& row, const Call& call) {
    const std::string type = intrinsics::Arguments(row, call.args).text("in_dtype");
    return type.find("e4m3") != std::string::npos || type.find("e5m2") != std::string::npos;
  }

  void look(const Call& call) {
    using intrinsics::Meaning;
    std::int64_t terms = 1;
    double unit = 0x1p-23;
    const intrinsics::Intrinsic* row = intrinsics::of(call.callee);
    if (!row) return;
    switch (row->meaning) {
      case Meaning::Mma:
      case Meaning::MmaSparse:
      case Meaning::WgmmaMma: unit = adds_short(*row, call) ? 0x1p-13 : unit; [[fallthrough]];
      case Meaning::TmemMma:
      case Meaning::TmemMmaSparse:
      case Meaning::TmemMmaBlockScale: terms = kMatrixTerms; break;
      case Meaning::WarpReduce:
      case Meaning::CtaReduce: terms = kReduced; break;
      case Meaning::ReduceMemory:
      case Meaning::AtomicMemory:
      case Meaning::ReduceAsync: terms = times(ctas_, threads_); break;
      case Meaning::BulkReduceToGlobal:
      case Meaning::BulkReduceToShared:
      case Meaning::TensorReduceToGlobal: terms = ctas_; break;
      default: return;
    }
    for (const Loop& loop : loops_) terms = times(terms, loop.trips);
    note(terms, unit);
  }

  bool depends(Expr e, const Var* var) const {
    bool found = false;
    ir::walk(e, [&](Expr x) {
      const auto* v = x.as<Var>();
      if (!v || found) return !found;
      found = v == var;
      if (auto value = bound_.find(v); !found && value != bound_.end()) found = depends(value->second, var);
      return !found;
    });
    return found;
  }

  static std::int64_t times(std::int64_t a, std::int64_t b) {
    std::int64_t out = 0;
    return __builtin_mul_overflow(a, b, &out) ? INT64_MAX : out;
  }

  void note(std::int64_t terms, double unit) {
    if (terms < 2) return;
    out_.terms = std::max(out_.terms, terms);
    out_.unit = std::max(out_.unit, unit);
  }

  struct Loop {
    const Var* var;
    std::int64_t trips;
  };
  const BoundLaunch& launch_;
  std::int64_t longest_ = 1, most_ = 1, ctas_ = 1, threads_ = 1;
  std::vector<Loop> loops_;
  std::unordered_map<const Var*, Expr> bound_;
  Sum out_;
};

}  // namespace

Sum longest_sum(const Bound& bound) {
  Sum out;
  for (const BoundLaunch& launch : bound.launches) {
    Arena memory;
    ArenaScope arena(memory);
    const Sum one = Finder(bound, launch).find();
    out.terms = std::max(out.terms, one.terms);
    out.unit = std::max(out.unit, one.unit);
  }
  return out;
}

Tolerance tolerance_of(ir::DataType dtype, const Sum& sum, double largest) {
  Tolerance out = default_tolerance(dtype);
  if (!dtype.is_floating() || sum.terms < 2) return out;
  out.absolute = std::max(out.absolute, sum.unit * std::sqrt(static_cast<double>(sum.terms)) * largest);
  return out;
}

}  // namespace tilewright::run
