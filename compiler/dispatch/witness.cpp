#include "compiler/dispatch/witness.h"

#include <algorithm>

#include "compiler/expr/fold.h"

namespace tilewright::dispatch {
namespace {

constexpr int kMostTrials = 1500;            // assignments tried for one access
constexpr std::size_t kMostCandidates = 16;  // values tried of one variable
constexpr std::int64_t kLarge = 1ll << 40;   // beyond, arithmetic is not followed

}  // namespace

using ir::Expr;
using ir::ExprKind;
using ir::ScopeBinding;
using ir::Var;

bool is_thread_id(ScopeBinding b) {
  return b == ScopeBinding::CtaThread || b == ScopeBinding::CtaWarp || b == ScopeBinding::CtaWarpgroup ||
         b == ScopeBinding::WarpgroupWarp || b == ScopeBinding::WarpThread || b == ScopeBinding::WarpgroupThread;
}

Number Witness::find(const Var* var) const {
  for (const auto& [v, value] : values) {
    if (v == var) return value;
  }
  return std::nullopt;
}

// ---- numbers at a witness -------------------------------------------------------------------------------------------

Expr Numbers::let(const Var* var) const {
  auto it = lets_.find(var);
  return it == lets_.end() ? Expr() : it->second;
}

Number Numbers::of(Expr e, const Witness& w, int depth) {
  if (!e || depth > 64 || ++steps > kMostSteps) return std::nullopt;
  if (auto* i = e.as<ir::IntImm>()) return i->value;
  if (auto* v = e.as<Var>()) return variable(v, w, depth);
  if (auto* c = e.as<ir::Cast>()) {
    if (!c->dtype.is_integral() && !c->dtype.is_bool()) return std::nullopt;
    Number n = of(c->value, w, depth + 1);
    return n && fits(*n, c->dtype) ? n : std::nullopt;
  }
  if (auto* s = e.as<ir::Select>()) {
    Number condition = of(s->condition, w, depth + 1);
    if (!condition) return std::nullopt;
    return of(*condition ? s->when_true : s->when_false, w, depth + 1);
  }
  if (auto* u = e.as<ir::Unary>()) {
    Number n = e.kind() == ExprKind::Not ? of(u->a, w, depth + 1) : std::nullopt;
    return n ? Number(!*n) : std::nullopt;
  }
  if (auto* call = e.as<ir::Call>()) {
    if (call->callee == &ir::builtin::likely) return of(call->args[0], w, depth + 1);
    if (!call->callee->elects) return std::nullopt;
    elected = true;
    return 1;
  }
  auto* b = e.as<ir::Binary>();
  if (!b || b->a.dtype().lanes != 1) return std::nullopt;
  Number x = of(b->a, w, depth + 1);
  // What short-circuits need not be known on both sides.
  if (e.kind() == ExprKind::And || e.kind() == ExprKind::Or) {
    const bool decides = e.kind() == ExprKind::Or;
    if (x && (*x != 0) == decides) return decides;
    Number y = of(b->b, w, depth + 1);
    if (y && (*y != 0) == decides) return decides;
    return x && y ? Number(!decides) : std::nullopt;
  }
  Number y = of(b->b, w, depth + 1);
  if (!x || !y) return std::nullopt;
  Number n = combined(e.kind(), *x, *y);
  return n && fits(*n, e.dtype()) ? n : std::nullopt;
}

bool Numbers::fits(std::int64_t n, ir::DataType d) {
  if (d.is_bool()) return true;
  return n < kLarge && n > -kLarge && (d.bits > 32 || (n >= INT32_MIN && n <= INT32_MAX));
}

Number Numbers::combined(ExprKind kind, std::int64_t x, std::int64_t y) {
  if (x > kLarge || x < -kLarge || y > kLarge || y < -kLarge) return std::nullopt;
  const bool negative = x < 0 || y < 0;
  switch (kind) {
    case ExprKind::Mul:
      if (x && y && (x > kLarge / std::abs(y) || x < -kLarge / std::abs(y))) return std::nullopt;
      break;
    case ExprKind::BitAnd:
    case ExprKind::BitOr:
    case ExprKind::BitXor:
      if (negative) return std::nullopt;
      break;
    case ExprKind::Shl:
      if (negative || y >= 32 || x >= (1ll << 31)) return std::nullopt;
      break;
    case ExprKind::Shr:
      if (negative || y >= 63) return std::nullopt;
      break;
    default: break;
  }
  return ir::fold_integer(kind, ir::kInt64, x, y);
}

Number Numbers::variable(const Var* v, const Witness& w, int depth) {
  if (Number chosen = w.find(v)) return chosen;
  if (Expr value = let(v)) return of(value, w, depth + 1);
  if (v->role != ir::VarRole::ScopeId || w.thread < 0) return std::nullopt;
  return closure_.in_thread(v, w.thread);
}

// ---- the search -----------------------------------------------------------------------------------------------------

void Witnesses::read(Expr e, Needs& out, int depth) const {
  if (!e || depth > 64) return;
  ir::walk(e, [&](Expr x) {
    if (auto* i = x.as<ir::IntImm>()) {
      if (out.numbers.size() < kMostCandidates) out.numbers.push_back(i->value);
    } else if (auto* v = x.as<Var>()) {
      read_variable(v, out, depth);
    }
    return true;
  });
}

void Witnesses::read_variable(const Var* v, Needs& out, int depth) const {
  if (v->role == ir::VarRole::ScopeId) {
    if (is_thread_id(v->scope_id))
      out.thread = true;
    else if (std::ranges::find(out.ids, v) == out.ids.end())
      out.ids.push_back(v);
    return;
  }
  for (const ir::For* loop : path_.loops) {
    if (loop->var == v) return;  // all loops around are read anyway
  }
  if (std::ranges::find(out.lets, v) != out.lets.end()) return;
  out.lets.push_back(v);
  if (Expr let = numbers_.let(v)) return read(let, out, depth + 1);
  // A value that is not known may stand in a condition that does not depend on it.
}

std::optional<Witness> Witnesses::find(std::span<const Expr> indices, std::int64_t limit, const Beyond& beyond) {
  Needs needs;
  needs.numbers.push_back(limit);
  for (Expr e : indices) read(e, needs);
  for (const Guard& g : path_.guards) read(g.condition, needs);
  for (const ir::For* loop : path_.loops) {
    for (Expr bound : {loop->min, loop->extent, loop->step}) read(bound, needs);
    if (loop->loop == ir::LoopKind::ThreadBinding) return std::nullopt;
  }
  // Ids of different kinds hang together, and only one kind of them is followed for blocks.
  for (const Var* id : needs.ids) {
    if (id->scope_id != needs.ids.front()->scope_id) return std::nullopt;
  }
  if (needs.thread && numbers_.threads() <= 0) return std::nullopt;
  Witness w;
  const int granted = std::min(kMostTrials, trials_left_);
  int budget = granted;
  numbers_.steps = 0;
  const bool found = choose_id(needs, 0, w, budget, beyond);
  trials_left_ -= granted - std::max(budget, 0);
  numbers_.steps = 0;
  return found ? std::optional(std::move(w)) : std::nullopt;
}

std::vector<std::int64_t> Witnesses::candidates(std::int64_t lo, std::int64_t hi,
                                                const std::vector<std::int64_t>& named) {
  std::vector<std::int64_t> out{hi};
  auto add = [&](std::int64_t n) {
    if (n >= lo && n <= hi && out.size() < kMostCandidates && std::ranges::find(out, n) == out.end()) out.push_back(n);
  };
  add(lo);
  for (std::int64_t n : named) {
    add(n);
    add(n - 1);
    add(n + 1);
  }
  return out;
}

bool Witnesses::choose_id(const Needs& needs, std::size_t i, Witness& w, int& budget, const Beyond& beyond) {
  if (i == needs.ids.size()) return choose_thread(needs, w, budget, beyond);
  const Var* id = needs.ids[i];
  // Only a declared constant says that each value is taken.
  const ir::ScopeIds* declared = numbers_.closure().declaration_of(id);
  const ir::Interval range = numbers_.closure().range(id);
  if (!declared || declared->extents.size() != declared->vars.size() || !range.bounded() || range.lo != 0) return false;
  const std::int64_t* extent =
      id->dimension < declared->extents.size() ? ir::constant(declared->extents[id->dimension]) : nullptr;
  if (!extent || *extent != range.hi + 1) return false;
  for (std::int64_t n : candidates(range.lo, range.hi, needs.numbers)) {
    w.values.emplace_back(id, n);
    if (choose_id(needs, i + 1, w, budget, beyond)) return true;
    w.values.pop_back();
  }
  return false;
}

bool Witnesses::choose_thread(const Needs& needs, Witness& w, int& budget, const Beyond& beyond) {
  const std::int64_t threads = numbers_.threads();
  if (!needs.thread) return choose_loop(0, needs, w, budget, beyond);
  std::vector<std::int64_t> named = needs.numbers;
  for (std::int64_t n : needs.numbers) {
    named.push_back(n * 32);  // conditions name warps and warpgroups, too
    named.push_back(n * 128);
  }
  for (std::int64_t n : candidates(0, threads - 1, named)) {
    w.thread = n;
    if (choose_loop(0, needs, w, budget, beyond)) return true;
  }
  w.thread = -1;
  return false;
}

bool Witnesses::choose_loop(std::size_t i, const Needs& needs, Witness& w, int& budget, const Beyond& beyond) {
  if (i == path_.loops.size()) return proves(w, budget, beyond);
  const ir::For* loop = path_.loops[i];
  if (budget < 0) return false;
  numbers_.steps = 0;
  Number first = numbers_.of(loop->min, w), rounds = numbers_.of(loop->extent, w);
  Number step = loop->step ? numbers_.of(loop->step, w) : Number(1);
  if (!first || !rounds || !step || *rounds < 1) return false;
  for (std::int64_t round : candidates(0, *rounds - 1, {})) {
    w.values.emplace_back(loop->var, *first + round * *step);
    if (choose_loop(i + 1, needs, w, budget, beyond)) return true;
    w.values.pop_back();
  }
  return false;
}

bool Witnesses::proves(Witness& w, int& budget, const Beyond& beyond) {
  if (--budget < 0) return false;
  numbers_.elected = false;
  numbers_.steps = 0;
  auto at = [&](const Witness& here) {
    auto outside = beyond(here);
    return outside && *outside && passes(here);
  };
  if (!at(w)) return false;
  if (!numbers_.elected || w.thread < 0) return true;
  // The hardware elects one lane of the warp, whichever it is: it must hold for each of them.
  Witness other = w;
  const std::int64_t warp = w.thread / 32 * 32;
  for (std::int64_t lane = 0; lane < 32 && warp + lane < numbers_.threads(); ++lane) {
    other.thread = warp + lane;
    if (!at(other)) return false;
  }
  return at(w);  // and the words are those of the first
}

bool Witnesses::passes(const Witness& w) {
  return std::ranges::all_of(path_.guards, [&](const Guard& g) {
    Number n = numbers_.of(g.condition, w);
    return n && (*n != 0) == g.way;
  });
}

}  // namespace tilewright::dispatch
