// A condition is a conjunction of terms. Some terms are boxes over one axis of the active set and narrow it; the others
// leave it as it is, and the question becomes what they do to cooperation. For a term made of thread ids alone that is
// not guessed: it is evaluated for every active thread of a CTA, which tells whether it holds for all (nothing to
// remember), for none (dead code), or where the threads part: within a warp, between warps, or between warpgroups. What
// else stands in it (the rank in a cluster, a parameter, memory) is not known there, and need not be where the ids
// decide: `not (warp == 0 and rank == 0)` holds in warp 4, whatever the rank is.
//
// A script can build conditions whose tree is exponential in their nodes; every descent here has a budget, and past it
// the term counts as not understood.
#include "compiler/scope/conditions.h"

#include <algorithm>
#include <numeric>

#include "compiler/expr/fold.h"
#include "compiler/scope/intervals.h"

namespace tilewright::scope {
namespace {

constexpr std::size_t kTerms = 64;     // of a conjunction
constexpr int kNodes = 2000;           // looked at in one term
constexpr int kEvaluations = 200'000;  // of nodes, in one survey of a CTA

using ir::Expr;
using ir::ExprKind;
using ir::ScopeBinding;
using ir::Var;
using layout::Unit;

// ---- the shape of a condition (6.1) ----------------------------------------------------------------------------

Expr strip(Expr e) {
  while (true) {
    if (const auto* c = e.as<ir::Cast>()) {
      e = c->value;
    } else if (const auto* call = e.as<ir::Call>(); call && call->callee == &ir::builtin::likely) {
      e = call->args[0];
    } else {
      return e;
    }
  }
}

bool is_call(Expr e, std::string_view name) {
  const auto* call = e.as<ir::Call>();
  return call && call->callee->name == name;
}
bool is_elect(Expr e) {
  const auto* call = e.as<ir::Call>();
  return call && call->callee->elects;
}

// Whose value is 0 or 1, so that `&` is a conjunction and `!= 0`, `== 1` say nothing new.
bool is_truth(Expr e, int depth = 0) {
  e = strip(e);
  if (e.dtype().is_bool() || is_elect(e)) return true;
  if (e.kind() == ExprKind::BitAnd && depth < 8) {
    return is_truth(e.as<ir::Binary>()->a, depth + 1) && is_truth(e.as<ir::Binary>()->b, depth + 1);
  }
  return false;
}

void flatten(Expr e, std::vector<Expr>& terms) {
  e = strip(e);
  if (const auto* b = e.as<ir::Binary>(); b && terms.size() < kTerms) {
    if (e.kind() == ExprKind::And || (e.kind() == ExprKind::BitAnd && is_truth(b->a) && is_truth(b->b))) {
      flatten(b->a, terms);
      return flatten(b->b, terms);
    }
    bool same = (e.kind() == ExprKind::NE && ir::is_constant(b->b, 0)) ||
                (e.kind() == ExprKind::EQ && ir::is_constant(b->b, 1));
    if (same && is_truth(b->a)) return flatten(b->a, terms);
  }
  if (is_call(e, "filter") && e.as<ir::Call>()->args.size() == 2) return flatten(e.as<ir::Call>()->args[1], terms);
  terms.push_back(e);
}

// coefficient * id + constant, with one scope id.
struct Linear {
  const Var* var = nullptr;
  std::int64_t coefficient = 0, constant = 0;
  int nodes = 0;
};
bool add_linear(Expr e, std::int64_t sign, Linear& to) {
  if (++to.nodes > 64) return false;
  e = strip(e);
  if (const std::int64_t* v = ir::constant(e)) {
    std::int64_t scaled;
    return !__builtin_mul_overflow(*v, sign, &scaled) && !__builtin_add_overflow(to.constant, scaled, &to.constant);
  }
  if (const Var* v = e.as<Var>()) {
    if (v->role != ir::VarRole::ScopeId || (to.var && to.var != v)) return false;
    to.var = v;
    return !__builtin_add_overflow(to.coefficient, sign, &to.coefficient);
  }
  const auto* b = e.as<ir::Binary>();
  if (!b) return false;
  if (e.kind() == ExprKind::Add) return add_linear(b->a, sign, to) && add_linear(b->b, sign, to);
  if (e.kind() == ExprKind::Sub) return add_linear(b->a, sign, to) && add_linear(b->b, -sign, to);
  return false;
}

struct Atom {
  enum class Kind { Interval, Modulo, Elect, Other } kind = Kind::Other;
  const Var* var = nullptr;
  HalfOpen interval{};
  std::int64_t modulus = 0, residue = 0;
  Expr term;
};

Atom parse(Expr term) {
  Atom atom{.term = term};
  if (is_elect(term)) {
    atom.kind = Atom::Kind::Elect;
    return atom;
  }
  const auto* b = term.as<ir::Binary>();
  if (!b) return atom;
  ExprKind op = term.kind();
  if (op == ExprKind::EQ) {
    for (auto [x, y] : {std::pair{strip(b->a), strip(b->b)}, std::pair{strip(b->b), strip(b->a)}}) {
      const auto* mod = x.as<ir::Binary>();
      const std::int64_t* r = ir::constant(y);
      if (!mod || !r || (x.kind() != ExprKind::FloorMod && x.kind() != ExprKind::TruncMod)) continue;
      const Var* v = strip(mod->a).as<Var>();
      const std::int64_t* n = ir::constant(strip(mod->b));
      if (!v || v->role != ir::VarRole::ScopeId || !n || *n <= 0) continue;
      atom.kind = Atom::Kind::Modulo;
      atom.var = v;
      atom.modulus = *n;
      atom.residue = *r;
      return atom;
    }
  }
  if (op != ExprKind::EQ && op != ExprKind::LT && op != ExprKind::LE && op != ExprKind::GT && op != ExprKind::GE)
    return atom;
  // coefficient * v + constant  op  0
  Linear linear;
  if (!add_linear(b->a, 1, linear) || !add_linear(b->b, -1, linear) || !linear.var) return atom;
  if (linear.coefficient != 1 && linear.coefficient != -1) return atom;
  if (linear.constant > (std::int64_t{1} << 40) || linear.constant < -(std::int64_t{1} << 40)) return atom;
  std::int64_t k = linear.coefficient == 1 ? -linear.constant : linear.constant;
  if (linear.coefficient == -1) {  // k - v op 0  is  v mirrored-op k
    if (op == ExprKind::LT)
      op = ExprKind::GT;
    else if (op == ExprKind::LE)
      op = ExprKind::GE;
    else if (op == ExprKind::GT)
      op = ExprKind::LT;
    else if (op == ExprKind::GE)
      op = ExprKind::LE;
  }
  atom.kind = Atom::Kind::Interval;
  atom.var = linear.var;
  switch (op) {
    case ExprKind::EQ: atom.interval = {k, k + 1}; break;
    case ExprKind::LT: atom.interval = {HalfOpen::kMin, k}; break;
    case ExprKind::LE: atom.interval = {HalfOpen::kMin, k + 1}; break;
    case ExprKind::GT: atom.interval = {k + 1, HalfOpen::kMax}; break;
    default: atom.interval = {k, HalfOpen::kMax}; break;
  }
  return atom;
}

// Terms on one id become one interval.
std::vector<Atom> atoms_of(Expr condition) {
  std::vector<Expr> terms;
  flatten(condition, terms);
  std::vector<Atom> atoms;
  for (Expr term : terms) {
    Atom atom = parse(term);
    if (atom.kind == Atom::Kind::Interval) {
      auto same = std::ranges::find_if(
          atoms, [&](const Atom& a) { return a.kind == Atom::Kind::Interval && a.var == atom.var; });
      if (same != atoms.end()) {
        same->interval.lo = std::max(same->interval.lo, atom.interval.lo);
        same->interval.hi = std::min(same->interval.hi, atom.interval.hi);
        if (same->term.dtype() == ir::kBool && term.dtype() == ir::kBool)
          same->term = ir::logical_and(same->term, term);
        continue;
      }
    }
    atoms.push_back(atom);
  }
  return atoms;
}

// ---- evaluation for one thread ----------------------------------------------------------------------------------

struct Thread {
  std::int64_t warp, lane;
};

class Evaluator {
 public:
  explicit Evaluator(const Facts& facts) : facts_(facts) {}

  std::optional<std::int64_t> value(Expr e, Thread t) {
    if (--budget_ < 0) return std::nullopt;
    if (const std::int64_t* v = ir::constant(e)) return *v;
    if (const Var* v = e.as<Var>()) return variable(v, t);
    if (const auto* c = e.as<ir::Cast>())
      return c->dtype.is_integral() || c->dtype.is_bool() ? value(c->value, t) : std::nullopt;
    if (const auto* u = e.as<ir::Unary>()) {
      auto a = value(u->a, t);
      if (!a) return a;
      return e.kind() == ExprKind::Not ? !*a : e.dtype().is_bool() ? !*a : ~*a;
    }
    if (const auto* s = e.as<ir::Select>()) {
      auto c = value(s->condition, t);
      if (!c) return c;
      return value(*c ? s->when_true : s->when_false, t);
    }
    const auto* b = e.as<ir::Binary>();
    if (!b) return std::nullopt;
    auto x = value(b->a, t);
    if (x && decides(e, *x)) return *x != 0;
    auto y = value(b->b, t);
    if (y && decides(e, *y)) return *y != 0;
    if (!x || !y) return std::nullopt;
    return binary(e.kind(), *x, *y);
  }

 private:
  std::optional<std::int64_t> variable(const Var* v, Thread t) {
    if (v->role != ir::VarRole::ScopeId) {
      Expr bound = facts_.value_of(v);
      return bound ? value(bound, t) : std::nullopt;
    }
    return facts_.closure().in_thread(v, t.warp * 32 + t.lane);
  }

  // Whether one operand says what the other, known or not, cannot change.
  static bool decides(Expr e, std::int64_t operand) {
    switch (e.kind()) {
      case ExprKind::And:
      case ExprKind::BitAnd: return operand == 0;
      case ExprKind::Or: return operand != 0;
      case ExprKind::BitOr: return operand != 0 && e.dtype().is_bool();
      default: return false;
    }
  }

  static std::optional<std::int64_t> binary(ExprKind kind, std::int64_t x, std::int64_t y) {
    if ((kind == ExprKind::Shl && y > 40) || (kind == ExprKind::Shr && y > 62)) return std::nullopt;
    return ir::fold_integer(kind, ir::kInt64, x, y);
  }

  const Facts& facts_;
  int budget_ = kEvaluations;
};

// How a value that the ids inside a CTA decide behaves over the active threads of one.
struct Survey {
  bool all_true = true, all_false = true;
  bool varies_in_warp = false, varies_in_warpgroup = false, varies = false;
  // No further thread could tell more: a warp's own threads differ in it.
  bool is_complete() const { return varies_in_warp && !all_true && !all_false; }
};
std::optional<Survey> survey(const ActiveSet& set, Expr value, const Facts& facts, Unit finest) {
  Evaluator evaluator(facts);
  Survey out;
  std::int64_t first = 0, first_of_group = 0, group = -1;
  bool any = false;
  for (std::int64_t w = 0; w < set.warps.extent; ++w) {
    std::int64_t warp = set.warps.offset + w * set.warps.stride;
    std::int64_t first_of_warp = 0;
    bool any_of_warp = false;
    for (std::int64_t l = 0; l < set.lanes.extent; ++l) {
      std::int64_t lane = set.lanes.offset + l * set.lanes.stride;
      if (warp * 32 + lane >= set.threads) continue;
      auto v = evaluator.value(value, {warp, lane});
      if (!v) return std::nullopt;
      (*v ? out.all_false : out.all_true) = false;
      if (!any) first = *v;
      if (!any_of_warp) first_of_warp = *v;
      if (warp / 4 != group) {
        first_of_group = *v;
        group = warp / 4;
      }
      any = any_of_warp = true;
      out.varies_in_warp |= *v != first_of_warp;
      out.varies_in_warpgroup |= *v != first_of_group;
      out.varies |= *v != first;
      if (out.is_complete()) return out;
      if (finest < Unit::Thread) break;  // the same in the whole warp
    }
  }
  return out;
}

Inexact describe(Expr term, text::Span span, bool negated) {
  std::string text = ir::to_string(term);
  if (negated) text = "not (" + text + ")";
  return {.span = span, .term = std::move(text), .reason_kind = term.kind(), .condition = term, .negated = negated};
}

Inexact dead(Expr term, text::Span span, bool negated) {
  Inexact out = describe(term, span, negated);
  out.never_true = true;
  out.unit = Unit::Kernel;
  return out;
}

}  // namespace

void Dependence::merge(const Dependence& other) {
  ids |= other.ids;
  finest = std::max(finest, other.finest);
  runtime |= other.runtime;
  open |= other.open;
  elects |= other.elects;
}

void Facts::bind_loop(const Var* var, Expr min, Expr extent) {
  Dependence d = dependence(min);
  d.merge(dependence(extent));
  // A loop whose bounds all threads share runs in step; otherwise its variable proves nothing.
  d.runtime |= d.ids;
  d.open = true;
  loops_[var] = d;
}

Expr Facts::value_of(const Var* var) const {
  auto found = values_.find(var);
  return found == values_.end() ? Expr() : found->second;
}

Dependence Facts::dependence(Expr e) const {
  Dependence out;
  int nodes = 0;
  ir::walk(e, [&](Expr node) {
    if (++nodes > kNodes) {
      out.runtime = true;
      return false;
    }
    if (const Var* v = node.as<Var>()) {
      if (v->role == ir::VarRole::ScopeId) {
        switch (v->scope_id) {
          case ScopeBinding::KernelCluster: break;  // the same in the whole cluster
          case ScopeBinding::KernelCta:
          case ScopeBinding::ClusterCta:
          case ScopeBinding::ClusterCtaPair:
            out.ids = true;
            out.finest = std::max(out.finest, Unit::Cta);
            break;
          case ScopeBinding::CtaWarpgroup:
            out.ids = true;
            out.finest = std::max(out.finest, Unit::Warpgroup);
            break;
          case ScopeBinding::CtaWarp:
          case ScopeBinding::WarpgroupWarp:
            out.ids = true;
            out.finest = std::max(out.finest, Unit::Warp);
            break;
          default: out.ids = true; out.finest = Unit::Thread;
        }
      } else if (auto loop = loops_.find(v); loop != loops_.end()) {
        out.merge(loop->second);
      } else if (Expr value = value_of(v)) {
        out.merge(dependence(value));
      } else if (v->role == ir::VarRole::Parameter || v->role == ir::VarRole::Extent || v->role == ir::VarRole::Data) {
        out.open = true;
      } else {
        out.runtime = true;
      }
      return false;
    }
    if (const auto* load = node.as<ir::Load>()) {
      out.merge(dependence(*load));
      return false;
    }
    if (const auto* call = node.as<ir::Call>()) {
      if (is_elect(node)) {
        out.ids = out.elects = true;
        out.finest = Unit::Thread;
        return false;
      }
      if (call->callee->effect != ir::Effect::Pure) out.runtime = true;
    }
    return true;
  });
  return out;
}

Dependence Facts::dependence(const ir::Load& load) const {
  Dependence unknown{.runtime = true};
  const ir::Buffer& buffer = *load.buffer;
  if (!buffer.data || !body_) return unknown;
  const bool own = buffer.scope == ir::StorageScope::Local;
  if (!own && buffer.scope != ir::StorageScope::Global) return unknown;  // who wrote last is nothing that we know
  if (!assigned_) {
    auto nothing = std::make_shared<const Assigned>();
    Facts facts(*closure_, body_);
    facts.know(nothing);
    assigned_ = std::make_shared<const Assigned>(assigned_in(body_, std::move(facts)));
  }
  Dependence out;
  for (Expr index : load.indices) out.merge(dependence(index));
  if (own) {
    auto found = assigned_->own.find(buffer.data);
    if (found == assigned_->own.end() || out.ids) return unknown;  // different elements: their values are not compared
    out.merge(found->second);
  } else if (assigned_->changed.contains(buffer.data)) {
    return unknown;
  }
  out.open = true;  // the value is known when the kernel runs
  out.elects = false;
  return out;
}

std::optional<Inexact> classify(const ActiveSet& set, Expr value, text::Span span, const Facts& facts, bool negated) {
  Dependence d = facts.dependence(value);
  if (d.uniform()) return std::nullopt;
  Inexact out = describe(value, span, negated);
  out.unit = d.finest;
  out.elects = d.elects;
  if (d.runtime) out.unit = Unit::Thread;
  std::optional<Survey> seen;
  if (d.ids && set.tracked && !set.lanes.elected) seen = survey(set, value, facts, d.finest);
  // `tid < n` parts the threads for some n: that is no proof.
  if (!seen && (d.runtime || d.open)) return out;
  out.provably_divergent = true;
  if (!seen) return out;
  if (negated ? seen->all_false : seen->all_true) return std::nullopt;
  if (negated ? seen->all_true : seen->all_false) return dead(value, span, negated);
  if (!seen->varies) return std::nullopt;  // one number for all, such as a loop's extent
  out.unit = seen->varies_in_warp ? Unit::Thread : seen->varies_in_warpgroup ? Unit::Warp : Unit::Warpgroup;
  return out;
}

Narrowing narrow(const ActiveSet& from, Expr condition, text::Span span, const Facts& facts) {
  Narrowing out{from, {}};
  if (!from.tracked) return out;
  std::vector<Atom> atoms = atoms_of(condition);
  std::vector<bool> done(atoms.size(), false);
  // Intervals in any order: one may become representable after another (wi == 1 and wg == 2).
  for (bool progress = true; progress;) {
    progress = false;
    for (std::size_t i = 0; i < atoms.size(); ++i) {
      if (done[i] || atoms[i].kind != Atom::Kind::Interval) continue;
      switch (apply_interval(out.set, atoms[i].var, atoms[i].interval, facts.closure())) {
        case Applied::Yes: done[i] = progress = true; break;
        case Applied::Disjoint:
          out.inexact.push_back(dead(atoms[i].term, span, false));
          done[i] = true;
          break;
        case Applied::No: break;
      }
    }
  }
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    if (atoms[i].kind != Atom::Kind::Modulo) continue;
    Applied applied = apply_modulo(out.set, atoms[i].var, atoms[i].modulus, atoms[i].residue, facts.closure());
    done[i] = applied != Applied::No;
    if (applied == Applied::Disjoint) out.inexact.push_back(dead(atoms[i].term, span, false));
  }
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    if (atoms[i].kind != Atom::Kind::Elect) continue;
    if (!facts.lane_declared) continue;
    out.set.lanes = {.extent = 1, .elected = true};
    done[i] = true;
  }
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    if (done[i]) continue;
    if (auto inexact = classify(out.set, atoms[i].term, span, facts)) out.inexact.push_back(std::move(*inexact));
  }
  return out;
}

Narrowing narrow_else(const ActiveSet& from, Expr condition, text::Span span, const Facts& facts) {
  Narrowing out{from, {}};
  if (!from.tracked) return out;
  std::vector<Atom> atoms = atoms_of(condition);
  // What holds for every active thread says nothing about who is left.
  std::erase_if(atoms, [&](const Atom& atom) {
    if (atom.kind == Atom::Kind::Interval) {
      std::optional<HalfOpen> hull = active_hull(from, atom.var, facts.closure());
      return hull && atom.interval.lo <= hull->lo && hull->hi <= atom.interval.hi;
    }
    if (atom.kind != Atom::Kind::Other) return false;
    Dependence d = facts.dependence(atom.term);
    return d.ids && !d.runtime && !classify(from, atom.term, span, facts);
  });
  if (atoms.empty()) {
    if (!facts.dependence(condition).uniform()) out.inexact.push_back(dead(condition, span, true));
    return out;
  }
  if (std::ranges::all_of(
          atoms, [&](const Atom& a) { return a.kind == Atom::Kind::Other && facts.dependence(a.term).uniform(); })) {
    return out;
  }
  if (atoms.size() == 1) {
    const Atom& atom = atoms[0];
    if (atom.kind == Atom::Kind::Modulo && atom.modulus == 2) {
      if (atom.residue < 0 || atom.residue > 1) return out;  // never true: all are left
      Applied applied = apply_modulo(out.set, atom.var, 2, atom.residue ^ 1, facts.closure());
      if (applied == Applied::Disjoint) out.inexact.push_back(dead(condition, span, true));
      if (applied != Applied::No) return out;
    }
    std::optional<HalfOpen> hull =
        atom.kind == Atom::Kind::Interval ? active_hull(from, atom.var, facts.closure()) : std::nullopt;
    if (hull) {
      HalfOpen in = atom.interval;
      if (in.lo >= in.hi || in.hi <= hull->lo || in.lo >= hull->hi) return out;  // never true: all are left
      bool below = in.lo > hull->lo, above = in.hi < hull->hi;
      if (below != above) {
        HalfOpen rest = below ? HalfOpen{hull->lo, in.lo} : HalfOpen{in.hi, hull->hi};
        Applied applied = apply_interval(out.set, atom.var, rest, facts.closure());
        if (applied == Applied::Disjoint) out.inexact.push_back(dead(condition, span, true));
        if (applied != Applied::No) return out;
      }
    }
  }
  if (auto inexact = classify(from, condition, span, facts, true)) out.inexact.push_back(std::move(*inexact));
  return out;
}

}  // namespace tilewright::scope
