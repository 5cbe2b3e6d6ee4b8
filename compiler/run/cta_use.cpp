#include "compiler/run/cta_use.h"

#include <algorithm>
#include <utility>

#include "compiler/expr/analyzer.h"
#include "compiler/lower/flatten.h"

namespace tilewright::run {

using ir::Expr;
using ir::ExprKind;
using ir::Interval;

namespace {

constexpr std::size_t kMostAccesses = 4096;

bool is_comparison(ExprKind k) { return k >= ExprKind::EQ && k <= ExprKind::GE; }

bool touches_memory(Expr e) {
  bool found = false;
  ir::walk(e, [&](Expr x) { return !(found |= x.kind() == ExprKind::Load || x.kind() == ExprKind::Call); });
  return found;
}

// An address in shared memory as a number, of this CTA or of another one of the cluster.
bool is_shared_address(Expr e) {
  const auto* c = e.as<ir::Call>();
  const intrinsics::Intrinsic* row = c ? intrinsics::of(c->callee) : nullptr;
  return row && !c->args.empty() &&
         (row->meaning == intrinsics::Meaning::MapSharedRank || row->meaning == intrinsics::Meaning::SharedAddress);
}

bool reads(Expr e, const ir::Buffer* b) {
  bool found = false;
  ir::walk(e, [&](Expr x) {
    const auto* l = x.as<ir::Load>();
    return !(found |= l && l->buffer == b);
  });
  return found;
}

ExprKind negated(ExprKind k) {
  switch (k) {
    case ExprKind::LT: return ExprKind::GE;
    case ExprKind::GE: return ExprKind::LT;
    case ExprKind::GT: return ExprKind::LE;
    case ExprKind::LE: return ExprKind::GT;
    case ExprKind::EQ: return ExprKind::NE;
    default: return ExprKind::EQ;
  }
}

std::int64_t bits_of(const ir::Buffer* b) { return lower::element_bits(b->dtype); }

}  // namespace

CtaUse::CtaUse(const lower::LoweredKernel& kernel, const Bound& bound, bool by_rounds)
    : kernel_(kernel), bound_(bound), launch_(bound.job.launches.back()), by_rounds_(by_rounds) {
  launch_variables();
  tensors();
  count_stores();
  // Loops carry data upwards: until no more memory holds any.
  constexpr int kRounds = 12;
  for (int round = 0; round < kRounds && unknown_.empty(); ++round) {
    data_grows_ = false;
    accesses_.clear();
    decisions_.clear();
    scalars_.clear();
    trips_.clear();
    statement(kernel.device);
    if (!data_grows_) return;
  }
  fail("what its loops carry was not found");
}

void CtaUse::launch_variables() {
  Expr rank = 0;
  std::int64_t before = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::int64_t size = launch_.cluster[d], count = launch_.grid[d] / std::max<std::int64_t>(1, size);
    auto number = [&](const char* name, std::int64_t n, bool is_outer) -> Expr {
      if (n <= 1) return 0;
      ir::Var* v = ir::make_var(name, ir::kInt32, ir::VarRole::Launch);
      v->range = {0, n - 1};
      if (is_outer) {
        outer_.insert(v);
        cluster_[d] = v;
      }
      return Expr(v);
    };
    thread_[d] = number("thread", launch_.block[d], false);
    in_cluster_[d] = number("in_cluster", size, false);
    cluster_index_[d] = number("cluster", count, true);
    cta_[d] = cluster_index_[d] * Expr(static_cast<int>(size)) + in_cluster_[d];
    rank = rank + in_cluster_[d] * Expr(static_cast<int>(before));
    before *= size;
  }
  rank_ = rank;
  auto is = [&](const ir::Var* v, Expr e) {
    if (v) values_[v] = ir::cast(v->dtype, e);
  };
  for (std::size_t d = 0; d < 3; ++d) {
    is(kernel_.thread_idx[d], thread_[d]);
    is(kernel_.block_idx[d], cta_[d]);
    is(kernel_.cluster_idx[d], cluster_index_[d]);
    is(kernel_.cta_in_cluster[d], in_cluster_[d]);
  }
  is(kernel_.cta_rank_in_cluster, rank_);
  if (by_rounds_) {
    ir::Var* v = ir::make_var("round", ir::kInt32, ir::VarRole::Launch);
    v->range = {0, std::int64_t{1} << 20};
    outer_.insert(v);
    round_ = v;
  }
  if (launch_.preferred_cluster) fail("its clusters may have another size");
}

void CtaUse::tensors() {
  const BoundLaunch& own = bound_.launches.back();
  for (const lower::ExtentBinding& e : kernel_.plan.extents)
    if (auto known = own.extents.find(std::string_view(e.var->name)); known != own.extents.end())
      values_[e.var] = ir::int_imm(e.var->dtype, known->second);
  for (const lower::KernelParam& p : kernel_.plan.params) {
    if (p.kind == lower::ParamKind::Pointer) {
      memories_.insert(p.tensor ? p.tensor->data : p.var);
      if (p.tensor && p.var != p.tensor->data) pointers_[p.var] = Expr(p.tensor->data);
    }
    if (p.kind != lower::ParamKind::Scalar || p.value || !p.dtype.is_integral()) continue;
    if (auto known = bound_.values.find(param_name(p)); known != bound_.values.end() && !known->second.real)
      values_[p.var] = ir::int_imm(p.dtype, known->second.integer);
  }
  for (const lower::KernelParam& p : kernel_.plan.params)
    if (p.kind == lower::ParamKind::Scalar && p.value && p.dtype.is_integral()) values_[p.var] = pure(p.value);
}

void CtaUse::count_stores() {
  for (const lower::SharedBlock& block : kernel_.shared) own_.insert(block.buffer->data);
  ir::walk_stmts(kernel_.device, [&](const ir::Stmt* s) {
    if (const auto* store = ir::as<ir::Store>(s)) ++stores_[store->buffer];
    if (const auto* a = ir::as<ir::Alloc>(s)) own_.insert(a->buffer->data);
    // A call that is given the scalar itself may store into it.
    auto look = [&](Expr e) {
      ir::walk(e, [&](Expr x) {
        const auto* c = x.as<ir::Call>();
        if (!c || !(c->callee == &ir::builtin::address_of || c->callee->assigns)) return true;
        for (Expr arg : c->args)
          if (const auto* l = arg.as<ir::Load>()) {
            stores_[l->buffer] += 2;
            escaped_.insert(l->buffer);
          }
        return true;
      });
    };
    if (const auto* bind = ir::as<ir::Bind>(s)) look(bind->value);
    if (const auto* store = ir::as<ir::Store>(s)) look(store->value);
    if (const auto* evaluate = ir::as<ir::Evaluate>(s)) look(evaluate->value);
    return true;
  });
}

// ---- statements
// ------------------------------------------------------------------------------------------------------

void CtaUse::statement(const ir::Stmt* s) {
  if (!s || !unknown_.empty()) return;
  switch (s->kind) {
    case ir::StmtKind::Seq:
      for (const ir::Stmt* child : static_cast<const ir::Seq*>(s)->body) statement(child);
      return;
    case ir::StmtKind::Bind: {
      const auto* bind = static_cast<const ir::Bind*>(s);
      if (bind->var->dtype.is_handle()) {
        pointers_[bind->var] = bind->value;
        if (place_of(bind->value).made == Made::Data) fail("a pointer comes from memory");
        return;
      }
      const Made made = value(bind->value);
      made_[bind->var] = made;
      if (is_shared_address(bind->value)) pointers_[bind->var] = bind->value;
      if (made != Made::Data) values_[bind->var] = pure(bind->value);
      return;
    }
    case ir::StmtKind::Store: return store(static_cast<const ir::Store*>(s));
    case ir::StmtKind::Evaluate: value(static_cast<const ir::Evaluate*>(s)->value); return;
    case ir::StmtKind::Assert: return decides(static_cast<const ir::Assert*>(s)->condition);
    case ir::StmtKind::If: return branch(static_cast<const ir::If*>(s));
    case ir::StmtKind::For: return loop(static_cast<const ir::For*>(s));
    case ir::StmtKind::While: {
      const auto* again = static_cast<const ir::While*>(s);
      if (in_rounds(again)) return;
      const auto stored = followed_in(again->body);
      for (const ir::Buffer* b : stored) lose(b);
      decides(again->condition);
      statement(again->body);
      for (const ir::Buffer* b : stored) lose(b);
      return;
    }
    case ir::StmtKind::Attr: return statement(static_cast<const ir::Attr*>(s)->body);
    case ir::StmtKind::Return:
      if (Expr e = static_cast<const ir::Return*>(s)->value) decides(e);
      return;
    default: return;
  }
}

void CtaUse::loop(const ir::For* s) {
  if (in_rounds(s)) return;
  decides(s->min);
  decides(s->extent);
  if (s->step) decides(s->step);
  if (!unknown_.empty()) return;
  const Interval rounds = ir::bounds(pure(s->extent));
  const std::int64_t last = rounds.hi == Interval::kMax ? Interval::kMax : std::max<std::int64_t>(0, rounds.hi - 1);
  Expr step = s->step ? ir::cast(s->var->dtype, pure(s->step)) : ir::int_imm(s->var->dtype, 1);
  Expr round = last == 0 ? ir::int_imm(s->var->dtype, 0) : fresh(s->var->dtype, {0, last});
  values_[s->var] = ir::cast(s->var->dtype, pure(s->min)) + round * step;
  const auto stored = followed_in(s->body);
  for (const ir::Buffer* b : stored) lose(b);
  statement(s->body);
  for (const ir::Buffer* b : stored) lose(b);
}

void CtaUse::branch(const ir::If* s) {
  decides(s->condition);
  if (!unknown_.empty()) return;
  Expr condition = pure(s->condition);
  const std::size_t known = assumed_.size();
  const Scalars before = by_rounds_ ? scalars_ : Scalars();
  assume(condition, true);
  statement(s->then_body);
  assumed_.resize(known);
  const Scalars then = by_rounds_ ? std::exchange(scalars_, before) : Scalars();
  assume(condition, false);
  statement(s->else_body);
  assumed_.resize(known);
  if (by_rounds_) join(condition, then);
}

void CtaUse::store(const ir::Store* s) {
  const Made made = value(s->value);
  const ir::Buffer* b = s->buffer;
  // A scalar with one assignment is what that gives it: in a loop, one of the values that it gives in some round.
  if (made != Made::Data && b->is_scalar && b->scope == ir::StorageScope::Local && stores_[b] == 1 &&
      !reads(s->value, b)) {
    if (made == Made::Cluster && read_before_.contains(b)) decides(s->value);
    scalars_[b] = pure(s->value);
    return;
  }
  if (made != Made::Data && follows(b) && follow(b, pure(s->value))) return;
  if (by_rounds_) scalars_.erase(b);
  if (made == Made::Cluster) decides(s->value);
  const Place p = place_of(b, s->indices[0]);
  const std::int64_t bits = bits_of(b) * std::max<std::int64_t>(1, s->value.dtype().lanes);
  if (is_global(p.root)) return touch(p, bits, true);
  if (is_own(p) && made == Made::Data) gets_data(p, bits);
}

// Memory of the CTA, at a place that is the same in all clusters of a class.
bool CtaUse::is_own(const Place& p) {
  if (!p.root || !own_.contains(p.root)) fail("where a pointer leads to is not known");
  if (p.made == Made::Data) fail("an address depends on data");
  if (p.made == Made::Cluster && !p.offset) fail("an address is not known");
  if (p.made == Made::Cluster && unknown_.empty()) decision(p.offset);
  return unknown_.empty();
}

// ---- values
// ----------------------------------------------------------------------------------------------------------

CtaUse::Made CtaUse::value(Expr e) {
  if (!e || !unknown_.empty()) return Made::Same;
  if (const auto* v = e.as<ir::Var>()) {
    if (auto made = made_.find(v); made != made_.end() && made->second == Made::Data) return Made::Data;
    return reach_of(pure_variable(v), outer_).outer ? Made::Cluster : Made::Same;
  }
  if (const auto* l = e.as<ir::Load>()) return load(l);
  if (const auto* c = e.as<ir::Call>()) return call(c);
  if (const auto* s = e.as<ir::Select>()) return select(s);
  Made made = Made::Same;
  Expr buffer[3];
  for (Expr child : ir::children(*e.get(), buffer)) {
    // What stands behind a condition is not looked at where that decides.
    if (made == Made::Data && (e.kind() == ExprKind::And || e.kind() == ExprKind::Or) && touches_memory(child))
      fail("a condition depends on data");
    made = std::max(made, value(child));
  }
  return made;
}

CtaUse::Made CtaUse::load(const ir::Load* e) {
  if (const auto stores = stores_.find(e->buffer);
      stores != stores_.end() && stores->second == 1 && e->buffer->is_scalar && !scalars_.contains(e->buffer))
    read_before_.insert(e->buffer);
  if (scalars_.contains(e->buffer)) return reach_of(scalars_[e->buffer], outer_).outer ? Made::Cluster : Made::Same;
  const Place p = place_of(e->buffer, e->indices[0]);
  const std::int64_t bits = bits_of(e->buffer) * std::max<std::int64_t>(1, e->dtype.lanes);
  if (is_global(p.root)) {
    touch(p, bits, false);
    return Made::Data;
  }
  return !is_own(p) || holds_data(p, bits) ? Made::Data : Made::Same;
}

CtaUse::Made CtaUse::select(const ir::Select* e) {
  const Made condition = value(e->condition);
  if (condition == Made::Data && (touches_memory(e->when_true) || touches_memory(e->when_false)))
    fail("a condition depends on data");
  if (condition == Made::Cluster) decides(e->condition);
  const std::size_t known = assumed_.size();
  if (condition != Made::Data && unknown_.empty()) assume(pure(e->condition), true);
  const Made first = value(e->when_true);
  assumed_.resize(known);
  return std::max({condition, first, value(e->when_false)});
}

// What the value decides is the same in clusters of one class (other_ctas.h).
void CtaUse::decides(Expr e) {
  const Made made = value(e);
  if (made == Made::Data) fail("a branch, an address or an operand depends on data");
  if (made == Made::Cluster && unknown_.empty()) decision(pure(e));
}

void CtaUse::decision(Expr e) {
  const Reach reach = reach_of(e, outer_);
  if (!reach.outer) return;
  if (decisions_.size() >= kMostAccesses) return fail("it decides too much");
  if (!reach.inner) return decisions_.push_back({e, {}, {}, loop_});
  if (is_comparison(e.kind())) {
    const auto* b = e.as<ir::Binary>();
    const bool is_signed = b->a.dtype().is_int() && b->b.dtype().is_int();
    std::optional<Affine> difference = is_signed ? affine(ir::index_binary(ExprKind::Sub, b->a, b->b)) : std::nullopt;
    if (difference) return decisions_.push_back({{}, std::move(*difference), e.kind(), loop_});
  }
  if (e.as<ir::Var>()) return decisions_.push_back({e, {}, {}, loop_});
  Expr buffer[3];
  for (Expr child : ir::children(*e.get(), buffer)) decision(child);
}

// ---- what conditions say
// ---------------------------------------------------------------------------------------------

void CtaUse::assume(Expr condition, bool holds) {
  if (condition.kind() == ExprKind::Not) return assume(condition.as<ir::Unary>()->a, !holds);
  const auto* b = condition.as<ir::Binary>();
  if (!b) return;
  const bool both = condition.kind() == ExprKind::And || condition.kind() == ExprKind::BitAnd;
  const bool either = condition.kind() == ExprKind::Or || condition.kind() == ExprKind::BitOr;
  if ((both && holds) || (either && !holds)) {
    assume(b->a, holds);
    return assume(b->b, holds);
  }
  if (!is_comparison(condition.kind()) || !b->a.dtype().is_integral()) return;
  const ExprKind kind = holds ? condition.kind() : negated(condition.kind());
  auto side = [&](Expr e, Expr other, bool swapped) {
    const std::int64_t* limit = ir::constant(other);
    if (!limit || *limit == Interval::kMin || *limit == Interval::kMax) return;
    const bool less = swapped ? kind == ExprKind::GT : kind == ExprKind::LT;
    const bool at_most = swapped ? kind == ExprKind::GE : kind == ExprKind::LE;
    const bool more = swapped ? kind == ExprKind::LT : kind == ExprKind::GT;
    const bool at_least = swapped ? kind == ExprKind::LE : kind == ExprKind::GE;
    if (less || at_most) assume_range(e, {Interval::kMin, *limit - less});
    if (more || at_least) assume_range(e, {*limit + more, Interval::kMax});
    if (kind == ExprKind::EQ) assume_range(e, Interval::point(*limit));
  };
  side(b->a, ir::simplify(b->b), false);
  side(b->b, ir::simplify(b->a), true);
}

// Ranges of variables that follow from one of an expression.
void CtaUse::assume_range(Expr e, Interval range) {
  if (const auto* v = e.as<ir::Var>()) {
    if (!outer_.contains(v)) assumed_.emplace_back(v, range);
    return;
  }
  const auto* b = e.as<ir::Binary>();
  const std::int64_t* c = b ? ir::constant(b->b) : nullptr;
  if (!c || *c <= 0 || *c > (1 << 20)) return;
  auto to = [&](std::int64_t& v, auto&& f) {
    if (v != Interval::kMin && v != Interval::kMax && v > -(std::int64_t{1} << 40) && v < std::int64_t{1} << 40)
      v = f(v);
  };
  if (e.kind() == ExprKind::FloorDiv) {
    to(range.lo, [&](std::int64_t v) { return v * *c; });
    to(range.hi, [&](std::int64_t v) { return v * *c + *c - 1; });
  } else if (e.kind() == ExprKind::Add) {
    to(range.lo, [&](std::int64_t v) { return v - *c; });
    to(range.hi, [&](std::int64_t v) { return v - *c; });
  } else {
    return;
  }
  assume_range(b->a, range);
}

std::optional<Affine> CtaUse::affine(Expr e, std::int64_t factor) {
  if (!e) return std::nullopt;
  std::unordered_map<const ir::Var*, Interval> ranges;
  for (const auto& [v, range] : assumed_) {
    Interval& r = ranges.try_emplace(v, v->range).first->second;
    r = {std::max(r.lo, range.lo), std::min(r.hi, range.hi)};
    if (r.lo > r.hi) r = Interval::point(r.lo);  // not reached
  }
  if (!ranges.empty())
    e = ir::substitute(e, [&](const ir::Var* v) {
      auto found = ranges.find(v);
      return found == ranges.end() ? Expr() : Expr(ir::with_range(v, found->second));
    });
  return affine_of(ir::simplify(e), outer_, factor);
}

// ---- expressions of variables alone
// ----------------------------------------------------------------------------------

Expr CtaUse::fresh(ir::DataType dtype, Interval range) {
  ir::Var* v = ir::make_var("v", dtype);
  v->range = range;
  return Expr(v);
}

Expr CtaUse::pure_variable(const ir::Var* v) {
  if (outer_.contains(v)) return Expr(v);
  if (auto known = values_.find(v); known != values_.end()) return known->second;
  if (v->role == ir::VarRole::Launch || v->role == ir::VarRole::ScopeId)
    fail("the variable " + std::string(v->name) + " is not known");
  return values_[v] = fresh(v->dtype, v->range);
}

Expr CtaUse::pure(Expr e) {
  if (!e) return e;
  if (const auto* v = e.as<ir::Var>()) return pure_variable(v);
  if (const auto* c = e.as<ir::Call>()) return pure_call(c);
  if (const auto* l = e.as<ir::Load>()) {
    auto known = scalars_.find(l->buffer);
    return known != scalars_.end() ? known->second : fresh(e.dtype());
  }
  Expr buffer[3];
  std::vector<Expr> now;
  for (Expr child : ir::children(*e.get(), buffer)) now.push_back(pure(child));
  return now.empty() ? e : ir::rebuild(e, now);
}

// ---- memory
// ----------------------------------------------------------------------------------------------------------

CtaUse::Place CtaUse::moved(Place p, Expr elements, std::int64_t bits) {
  if (!elements) return p;
  const Made made = value(elements);
  p.made = std::max(p.made, made);
  if (made == Made::Data) return p;
  Expr own = pure(elements);
  if (const auto* r = own.as<ir::Ramp>()) {
    if (!ir::is_constant(r->stride, 1)) p.offset = {};
    own = r->base;
  } else if (own.dtype().lanes != 1) {
    p.offset = {};
  }
  if (p.offset) p.offset = ir::cast(ir::kInt64, p.offset) + ir::cast(ir::kInt64, own) * Expr(bits);
  return p;
}

CtaUse::Place CtaUse::place_of(const ir::Buffer* b, Expr index) {
  Place p = b->data ? place_of(Expr(b->data)) : Place{};
  const std::int64_t bits = bits_of(b);
  if (p.root && b->elem_offset) p = moved(p, b->elem_offset, bits);
  // What a view of known extent begins with and ends at.
  const auto elements = ir::constant_elements(b->shape);
  const Expr first = p.offset ? ir::simplify(p.offset) : Expr();
  if (const std::int64_t* at = first ? ir::constant(first) : nullptr; at && elements) {
    p.lo = *at;
    p.hi = *at + *elements * bits;
  }
  return moved(p, index, bits);
}

CtaUse::Place CtaUse::place_of(Expr pointer) {
  if (const auto* v = pointer.as<ir::Var>()) {
    if (auto known = pointers_.find(v); known != pointers_.end()) return place_of(known->second);
    return {.root = v, .offset = Expr(std::int64_t{0})};
  }
  if (const auto* cast = pointer.as<ir::Cast>()) return place_of(cast->value);
  const auto* c = pointer.as<ir::Call>();
  if (!c || c->args.empty()) return {};
  if (c->callee == &ir::builtin::address_of) {
    const auto* l = c->args[0].as<ir::Load>();
    return l ? place_of(l->buffer, l->indices[0]) : place_of(c->args[0]);
  }
  if (c->callee == &ir::builtin::reinterpret) return place_of(c->args[0]);
  if (c->callee == &ir::builtin::handle_byte_offset) return moved(place_of(c->args[0]), c->args[1], 8);
  if (c->callee == &ir::builtin::pointer_offset) {
    const auto* v = c->args[0].as<ir::Var>();
    Place p = moved(place_of(c->args[0]), c->args[1], 8);
    const ir::DataType d = v ? v->pointee : ir::kVoid;
    if (d.is_void()) {
      p.offset = {};
      return p;
    }
    return moved(place_of(c->args[0]), c->args[1], lower::element_bits(d));
  }
  if (!is_shared_address(pointer)) return {};
  for (Expr other : c->args.subspan(1)) decides(other);
  return place_of(c->args[0]);
}

void CtaUse::touch(const Place& p, std::int64_t bits, bool writes) {
  if (!unknown_.empty()) return;
  if (p.made == Made::Data) return fail("an address depends on data");
  std::optional<Affine> at = affine(p.offset);
  if (!at) return fail("an address of " + std::string(p.root->name) + " is not linear in the CTA's index");
  if (accesses_.size() >= kMostAccesses) return fail("it has too many accesses");
  accesses_.push_back({p.root, writes, std::move(*at), bits, -1, {}, loop_});
}

bool CtaUse::holds_data(const Place& p, std::int64_t bits) const {
  const auto found = data_.find(p.root);
  if (found == data_.end()) return false;
  const std::int64_t hi = p.hi == Interval::kMax ? p.hi : std::max(p.hi, p.lo + bits);
  return std::ranges::any_of(found->second, [&](const auto& d) { return p.lo < d.second && d.first < hi; });
}

// `bits` from the place on; 0: their number is not known. What begins in a view that has as many bits stays in it: data
// in place of a barrier or an address would be a finding in each CTA that is run.
void CtaUse::gets_data(const Place& p, std::int64_t bits) {
  std::int64_t lo = p.lo, hi = p.hi;
  if (bits == 0) {
    lo = 0;
    hi = Interval::kMax;
  } else if (hi != Interval::kMax) {
    hi = std::max(hi, lo + bits);
  }
  auto& ranges = data_[p.root];
  for (const auto& [a, b] : ranges)
    if (a <= lo && hi <= b) return;
  ranges.emplace_back(lo, hi);
  data_grows_ = true;
}

}  // namespace tilewright::run
