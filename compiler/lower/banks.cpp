#include "compiler/lower/banks.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <unordered_map>

#include "compiler/expr/fold.h"
#include "compiler/intrinsics/intrinsic.h"
#include "compiler/ir/origin.h"
#include "compiler/layout/picture.h"

namespace tilewright::lower {
namespace {

constexpr std::size_t kLanes = 32;
constexpr std::int64_t kTurns = 4;     // of each loop
constexpr int kMostAccesses = 1024;    // that are looked at
constexpr int kMostSteps = 1'000'000;  // names that stand for sums of names could take for ever
using Lanes = std::bitset<kLanes>;

class Warp {
 public:
  Warp(const LoweredKernel& kernel, const PointerAccess& pointers, const ir::Buffer* of)
      : kernel_(kernel), pointers_(pointers), of_(of) {
    std::int64_t extent[3] = {1, 1, 1};
    for (std::size_t d = 0; d < 3; ++d) {
      if (const std::int64_t* n = kernel.plan.launch.block[d] ? ir::constant(kernel.plan.launch.block[d]) : nullptr) {
        extent[d] = std::max<std::int64_t>(*n, 1);
      }
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      auto t = static_cast<std::int64_t>(lane);
      thread_[lane] = {t % extent[0], t / extent[0] % extent[1], t / (extent[0] * extent[1])};
      all_[lane] = thread_[lane][2] < extent[2];
    }
  }

  std::optional<BankAccess> run(const ir::Origin& origin) {
    ir::walk_stmts(kernel_.device, [&](const ir::Stmt* s) {
      if (auto* bind = ir::as<ir::Bind>(s)) bound_[bind->var] = bind->value;
      if (s->kind == ir::StmtKind::Seq || !ir::same_origin(s->origin, origin)) return true;
      known_ = known_ && statement(s, all_);
      return false;
    });
    return known_ && accesses_ > 0 ? std::optional(std::move(worst_)) : std::nullopt;
  }

 private:
  // ---- values of one lane -------------------------------------------------------------------------------------------

  std::optional<std::int64_t> variable(const ir::Var* v, std::size_t lane) {
    for (std::size_t d = 0; d < 3; ++d) {
      if (v == kernel_.thread_idx[d]) return thread_[lane][d];
    }
    if (auto it = loops_.find(v); it != loops_.end()) return it->second;
    if (auto it = bound_.find(v); it != bound_.end()) return value(it->second, lane);
    // Which CTA it is, is the same for the whole warp.
    if (v->role == ir::VarRole::Launch) return 0;
    return std::nullopt;
  }

  std::optional<std::int64_t> value(ir::Expr e, std::size_t lane) {
    if (++steps_ > kMostSteps) return std::nullopt;
    if (auto* c = e.as<ir::IntImm>()) return c->value;
    if (auto* v = e.as<ir::Var>()) return variable(v, lane);
    if (auto* c = e.as<ir::Cast>()) {
      bool integral = c->value.dtype().is_integral() && e.dtype().is_integral();
      auto inner = integral ? value(c->value, lane) : std::nullopt;
      return inner && ir::fits(e.dtype(), *inner) ? inner : std::nullopt;
    }
    if (auto* s = e.as<ir::Select>()) {
      auto condition = value(s->condition, lane);
      return condition ? value(*condition ? s->when_true : s->when_false, lane) : std::nullopt;
    }
    if (auto* b = e.as<ir::Binary>()) {
      auto x = value(b->a, lane);
      auto y = x ? value(b->b, lane) : std::nullopt;
      return y ? ir::fold_integer(e.kind(), b->a.dtype(), *x, *y) : std::nullopt;
    }
    if (e.kind() == ir::ExprKind::Not) {
      auto x = value(e.as<ir::Unary>()->a, lane);
      return x ? std::optional<std::int64_t>(!*x) : std::nullopt;
    }
    return std::nullopt;
  }

  // ---- accesses -----------------------------------------------------------------------------------------------------

  bool counts(const ir::Buffer* buffer) const {
    if (!ir::is_shared(buffer->scope)) return false;
    return !of_ || (buffer->data == of_->data && begin_of(buffer) == begin_of(of_));
  }
  // The first byte of a view in its allocation, where that is a number.
  static std::int64_t begin_of(const ir::Buffer* buffer) {
    const std::int64_t* elements = buffer->elem_offset ? ir::constant(buffer->elem_offset) : nullptr;
    return elements ? *elements * buffer->dtype.bits * buffer->dtype.lanes / 8 : 0;
  }

  // Lane by lane at `index` of the buffer, `bits` each.
  bool access(const ir::Buffer* buffer, ir::Expr index, int bits, Lanes active) {
    if (!counts(buffer) || active.count() < 2) return true;
    bool instruction = bits == 8 || bits == 16 || bits == 32 || bits == 64 || bits == 128;
    if (!instruction || ++accesses_ > kMostAccesses) return false;
    std::array<std::int64_t, kLanes> address;
    const std::int64_t element = std::int64_t{buffer->dtype.bits} * buffer->dtype.lanes;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      address[lane] = -1;
      if (!active[lane]) continue;
      auto at = value(index, lane);
      if (!at || *at < 0) return false;
      address[lane] = *at * element;
      if (address[lane] % bits != 0) return false;
    }
    layout::BankReport report = layout::bank_conflicts(address, bits);
    if (report.degree <= worst_.report.degree) return true;
    // Where the view begins does not change who meets whom, as long as it begins at a whole row of banks.
    const std::int64_t begin = begin_of(buffer);
    worst_ = {std::move(report), {}, bits};
    for (std::int64_t bit : address) worst_.address.push_back(bit < 0 ? -1 : begin + bit / 8);
    return true;
  }
  bool element(const ir::Buffer* buffer, std::span<const ir::Expr> indices, ir::DataType moved, Lanes active) {
    if (!counts(buffer)) return true;
    if (indices.size() != 1) return false;
    ir::Expr index = indices[0];
    if (auto* ramp = index.as<ir::Ramp>()) {
      if (!ir::is_constant(ramp->stride, 1)) return false;
      index = ramp->base;
    }
    return access(buffer, index, moved.bits * moved.lanes, active);
  }

  // A copy of so many bits says how wide its accesses are.
  int bits_of(ir::Expr e) const {
    const auto* call = e.as<ir::Call>();
    for (int bits : {8, 16, 32, 64, 128}) {
      if (call && call->callee == &intrinsics::copy_bytes_row(bits)) return bits;
    }
    return pointers_.bits;
  }

  bool expression(ir::Expr e, Lanes active) {
    bool known = true;
    int bits = pointers_.bits;
    ir::walk(e, [&](ir::Expr x) {
      if (auto* call = x.as<ir::Call>(); call && call->callee == &ir::builtin::address_of) {
        auto* l = call->args[0].as<ir::Load>();
        Lanes counted = active;
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          if (static_cast<int>(lane) >= pointers_.lanes) counted[lane] = false;
        }
        if (l && counts(l->buffer)) {
          known = known && l->indices.size() == 1 && access(l->buffer, l->indices[0], bits, counted);
        }
        return false;
      }
      if (x.as<ir::Call>()) bits = bits_of(x);
      if (auto* l = x.as<ir::Load>()) known = known && element(l->buffer, l->indices, x.dtype(), active);
      return true;
    });
    return known;
  }

  // ---- statements ---------------------------------------------------------------------------------------------------

  bool loop(const ir::For* f, Lanes active) {
    if (f->loop == ir::LoopKind::Vectorized) return false;  // its turns become one access
    auto min = value(f->min, 0), extent = value(f->extent, 0), step = f->step ? value(f->step, 0) : 1;
    if (!min || !extent || !step) return false;
    for (std::int64_t i = 0; i < std::min(*extent, kTurns); ++i) {
      loops_[f->var] = *min + i * *step;
      if (!statement(f->body, active)) return false;
    }
    return true;
  }

  bool branch(const ir::If* s, Lanes active) {
    Lanes taken;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      if (!active[lane]) continue;
      auto condition = value(s->condition, lane);
      if (!condition) return false;
      taken[lane] = *condition != 0;
    }
    return statement(s->then_body, taken) && (!s->else_body || statement(s->else_body, active & ~taken));
  }

  bool statement(const ir::Stmt* s, Lanes active) {
    switch (s->kind) {
      case ir::StmtKind::Seq:
        return std::ranges::all_of(static_cast<const ir::Seq*>(s)->body,
                                   [&](const ir::Stmt* inner) { return statement(inner, active); });
      case ir::StmtKind::Bind: {
        auto* b = static_cast<const ir::Bind*>(s);
        bound_[b->var] = b->value;
        return expression(b->value, active);
      }
      case ir::StmtKind::Store: {
        auto* store = static_cast<const ir::Store*>(s);
        return expression(store->value, active) && element(store->buffer, store->indices, store->value.dtype(), active);
      }
      case ir::StmtKind::For: return loop(static_cast<const ir::For*>(s), active);
      case ir::StmtKind::If: return branch(static_cast<const ir::If*>(s), active);
      case ir::StmtKind::Evaluate: return expression(static_cast<const ir::Evaluate*>(s)->value, active);
      case ir::StmtKind::Alloc:
      case ir::StmtKind::Decl:
      case ir::StmtKind::Comment: return true;
      default: return false;
    }
  }

  const LoweredKernel& kernel_;
  PointerAccess pointers_;
  const ir::Buffer* of_;
  std::array<std::array<std::int64_t, 3>, kLanes> thread_{};  // threadIdx of each lane
  Lanes all_;                                                 // that exist
  std::unordered_map<const ir::Var*, std::int64_t> loops_;
  std::unordered_map<const ir::Var*, ir::Expr> bound_;
  bool known_ = true;
  int accesses_ = 0, steps_ = 0;
  BankAccess worst_;
};

}  // namespace

std::optional<int> bank_conflicts(const LoweredKernel& kernel, const ir::Origin& origin,
                                  const PointerAccess& pointers) {
  auto worst = worst_bank_access(kernel, origin, pointers);
  return worst ? std::optional(worst->report.degree) : std::nullopt;
}

std::optional<BankAccess> worst_bank_access(const LoweredKernel& kernel, const ir::Origin& origin,
                                            const PointerAccess& pointers, const ir::Buffer* of) {
  return Warp(kernel, pointers, of).run(origin);
}

}  // namespace tilewright::lower
