// Scalars that are stored to several times, and persistent loops: a CTA starts with the tile of its number and goes on
// by as many tiles as there are CTAs.
//
// Where rounds are told apart, a scalar has the value of its last store as an expression. The number of the round is an
// outer variable as the cluster's is, so that `tile = bx; while tile < n: ...; tile = tile + 132` has the tile bx + 132
// * round. What a scheduler computes of that number at the end of a round is what the head of the next one finds.
#include <algorithm>
#include <array>
#include <utility>

#include "compiler/expr/analyzer.h"
#include "compiler/lower/flatten.h"
#include "compiler/run/cta_use.h"
#include "compiler/run/sample.h"

namespace tilewright::run {

using ir::Expr;
using ir::ExprKind;

namespace {

constexpr std::uint64_t kMostPoints = 1u << 18;  // clusters times rounds
constexpr std::size_t kMostNodes = 256;          // of a scalar's value

bool is_small(Expr e) {
  std::size_t nodes = 0;
  ir::walk(e, [&](Expr) { return ++nodes <= kMostNodes; });
  return nodes <= kMostNodes;
}

// Is the loop left, and each round ended, by its condition alone?
bool ends_by_condition(const ir::Stmt* body) {
  bool out = true;
  ir::walk_stmts(body, [&](const ir::Stmt* s) {
    out &= s->kind != ir::StmtKind::Break && s->kind != ir::StmtKind::Continue && s->kind != ir::StmtKind::Return;
    return out;
  });
  return out;
}

bool mentions(Expr e, const std::unordered_set<const ir::Var*>& any) {
  bool found = false;
  ir::walk(e, [&](Expr x) {
    const auto* v = x.as<ir::Var>();
    return !(found |= v && any.contains(v));
  });
  return found;
}

}  // namespace

// Is the value of this scalar known by the statements before?
bool CtaUse::follows(const ir::Buffer* b) const {
  return by_rounds_ && b->is_scalar && b->scope == ir::StorageScope::Local && b->dtype.is_integral() &&
         !escaped_.contains(b);
}

bool CtaUse::follow(const ir::Buffer* b, Expr value) {
  if (!is_small(value)) return false;
  scalars_[b] = value;
  return true;
}

// After a branch: what both of its ways leave. `then` is what the first left, the scalars are what the second left.
void CtaUse::join(Expr condition, const Scalars& then) {
  std::vector<const ir::Buffer*> all;
  for (const auto& [b, value] : then) all.push_back(b);
  for (const auto& [b, value] : scalars_)
    if (!then.contains(b)) all.push_back(b);
  for (const ir::Buffer* b : all) {
    const auto one = then.find(b);
    const auto other = scalars_.find(b);
    if (one != then.end() && other != scalars_.end()) {
      if (ir::structurally_equal(one->second, other->second)) continue;
      const bool same = !reach_of(one->second, outer_).outer && !reach_of(other->second, outer_).outer &&
                        !reach_of(condition, outer_).outer && !mentions(one->second, names_) &&
                        !mentions(other->second, names_) && !mentions(condition, names_);
      Expr value = same ? fresh(b->dtype) : ir::select(condition, one->second, other->second);
      if (!follow(b, value)) {
        lose(b);
        scalars_[b] = one->second;
        lose(b);
      }
      continue;
    }
    if (other == scalars_.end()) scalars_[b] = one->second;
    if (stores_[b] != 1) lose(b);
  }
}

std::vector<const ir::Buffer*> CtaUse::followed_in(const ir::Stmt* s) const {
  std::vector<const ir::Buffer*> out;
  if (!by_rounds_) return out;
  ir::walk_stmts(s, [&](const ir::Stmt* x) {
    const auto* store = ir::as<ir::Store>(x);
    if (store && follows(store->buffer) && stores_.at(store->buffer) != 1 &&
        std::ranges::find(out, store->buffer) == out.end())
      out.push_back(store->buffer);
    return true;
  });
  return out;
}

// From here on the scalar is memory again: with the same value in all clusters of a class, or with data.
void CtaUse::lose(const ir::Buffer* b) {
  const auto known = scalars_.find(b);
  if (known == scalars_.end()) return;
  if (reach_of(known->second, outer_).outer) return make_data(b);
  scalars_.erase(known);
}

// ... with a value that counts as different in each cluster.
void CtaUse::make_data(const ir::Buffer* b) {
  scalars_.erase(b);
  if (const Place p = place_of(b, Expr(0)); p.root) gets_data(p, lower::element_bits(b->dtype));
}

std::optional<std::int64_t> CtaUse::value_at(Expr e, std::uint64_t cluster, std::int64_t round) const {
  const std::array<std::uint64_t, 3> along = clusters_along(launch_);
  const std::uint64_t at[3] = {cluster % along[0], cluster / along[0] % along[1], cluster / along[0] / along[1]};
  const auto value = evaluate_integer(e, [&](const ir::Var* v) -> std::expected<Number, std::string> {
    if (v == round_) return Number::of(round);
    for (std::size_t d = 0; d < 3; ++d)
      if (v == cluster_[d]) return Number::of(static_cast<std::int64_t>(at[d]));
    return std::unexpected("unknown");
  });
  return value ? std::optional(*value) : std::nullopt;
}

std::optional<Trips> CtaUse::trips_while(Expr condition) const {
  Trips out(clusters_of(launch_));
  std::uint64_t points = 0;
  for (std::uint64_t n = 0; n < out.size(); ++n) {
    for (;; ++out[n]) {
      const std::optional<std::int64_t> goes_on = value_at(condition, n, out[n]);
      if (!goes_on || ++points > kMostPoints) return std::nullopt;
      if (*goes_on == 0) break;
    }
  }
  // A table of all rounds of all clusters is made of them (other_ctas.cpp).
  const std::uint64_t most = out.empty() ? 0 : std::ranges::max(out);
  return out.size() * most <= kMostPoints ? std::optional(std::move(out)) : std::nullopt;
}

// The scalars after the body, if `before` are those at its head. Nothing else is kept of it.
CtaUse::Scalars CtaUse::after_one_round(const ir::Stmt* body, const std::vector<const ir::Buffer*>& stored,
                                        const Scalars& before) {
  const Scalars outside = std::exchange(scalars_, before);
  const std::size_t accesses = accesses_.size(), decisions = decisions_.size();
  const auto data = data_;
  const bool grows = data_grows_;
  statement(body);
  Scalars out = std::exchange(scalars_, outside);
  accesses_.resize(std::min(accesses_.size(), accesses));
  decisions_.resize(std::min(decisions_.size(), decisions));
  data_ = data;
  data_grows_ = grows;
  if (!std::exchange(unknown_, {}).empty()) out.clear();
  std::erase_if(out, [&](const auto& s) { return std::ranges::find(stored, s.first) == stored.end(); });
  return out;
}

// By scalar: its value at the head of each round. `before` are the names of the values at the head, `after` what a
// round makes of them. Not in it: what has the same value in all clusters of a class. Null: not known.
CtaUse::Scalars CtaUse::heads(const std::vector<const ir::Buffer*>& stored, const Scalars& entry, const Scalars& before,
                              const Scalars& after) {
  const auto value_in = [](const Scalars& s, const ir::Buffer* b) {
    const auto found = s.find(b);
    return found == s.end() ? Expr() : found->second;
  };
  // Which depend on the cluster?
  std::unordered_set<const ir::Var*> differ;
  for (bool grows = true; grows;) {
    grows = false;
    for (const ir::Buffer* b : stored) {
      Expr first = value_in(entry, b), next = value_in(after, b);
      const bool own = (first && reach_of(first, outer_).outer) ||
                       (next && (reach_of(next, outer_).outer || mentions(next, differ)));
      if (own) grows |= differ.insert(before.at(b).as<ir::Var>()).second;
    }
  }
  Scalars out, steps;
  std::unordered_map<const ir::Var*, Expr> last;  // names at the head, by their values in the round before
  for (const ir::Buffer* b : stored) {
    const auto* name = before.at(b).as<ir::Var>();
    if (!differ.contains(name)) continue;
    out[b] = Expr();
    Expr first = value_in(entry, b), next = value_in(after, b);
    Expr step = next ? ir::simplify(next - Expr(name)) : Expr();
    if (!first || !step || !ir::constant(step)) continue;
    out[b] = first + ir::cast(b->dtype, Expr(round_)) * step;
    last[name] = first + (ir::cast(b->dtype, Expr(round_)) - ir::int_imm(b->dtype, 1)) * step;
  }
  for (const ir::Buffer* b : stored) {
    if (!out.contains(b) || out[b]) continue;
    Expr first = value_in(entry, b), next = value_in(after, b);
    if (!first || !next) continue;
    Expr head = ir::simplify(ir::substitute(next, [&](const ir::Var* v) {
      const auto found = last.find(v);
      return found == last.end() ? Expr() : found->second;
    }));
    bool begins = is_small(head);
    for (std::uint64_t n = 0; n < clusters_of(launch_) && begins; ++n) {
      const auto x = value_at(first, n, 0), y = value_at(head, n, 0);
      begins = x && y && *x == *y;
    }
    if (begins) out[b] = head;
  }
  return out;
}

// After a loop, what its rounds computed has the values of the cluster's last round.
void CtaUse::leave_rounds(const ir::Stmt* body) {
  loop_ = -1;
  ir::walk_stmts(body, [&](const ir::Stmt* x) {
    if (const auto* store = ir::as<ir::Store>(x); store && store->buffer->is_scalar) lose(store->buffer);
    if (const auto* bind = ir::as<ir::Bind>(x); bind && !bind->var->dtype.is_handle()) {
      const auto known = values_.find(bind->var);
      if (known == values_.end() || !mentions(known->second, {round_})) return true;
      made_[bind->var] = Made::Data;
      values_.erase(known);
    }
    return true;
  });
}

// A loop by a scalar that goes on by the same number in each round. False: it is none.
bool CtaUse::in_rounds(const ir::While* s) {
  if (!by_rounds_ || loop_ >= 0 || !unknown_.empty() || clusters_of(launch_) > kMostPoints ||
      !ends_by_condition(s->body))
    return false;
  const std::vector<const ir::Buffer*> stored = followed_in(s->body);
  Scalars before;
  for (const ir::Buffer* b : stored) before[b] = fresh(b->dtype);
  const Scalars entry = scalars_;
  Scalars start = entry;
  for (const auto& [b, name] : before) start[b] = name;
  loop_ = static_cast<int>(trips_.size());
  for (const auto& [b, name] : before) names_.insert(name.as<ir::Var>());
  const Scalars after = after_one_round(s->body, stored, start);
  names_.clear();
  const Scalars head = heads(stored, entry, before, after);
  const bool any = std::ranges::any_of(head, [](const auto& h) { return static_cast<bool>(h.second); });
  for (const auto& [b, value] : head)
    if (value) scalars_[b] = value;
  std::optional<Trips> trips = any ? trips_while(pure(s->condition)) : std::nullopt;
  scalars_ = entry;
  if (!trips) {
    loop_ = -1;
    return false;
  }
  trips_.push_back(std::move(*trips));
  for (const ir::Buffer* b : stored) {
    const auto known = head.find(b);
    if (known == head.end()) {
      lose(b);
    } else if (!known->second) {
      make_data(b);
    } else {
      scalars_[b] = known->second;
    }
  }
  statement(s->body);
  leave_rounds(s->body);
  return true;
}

// A loop that counts, outside of others, whose number of rounds depends on the cluster alone.
bool CtaUse::in_rounds(const ir::For* s) {
  const bool counts = s->loop == ir::LoopKind::Serial || s->loop == ir::LoopKind::Unrolled;
  if (!by_rounds_ || !counts || loop_ >= 0 || !unknown_.empty() || clusters_of(launch_) > kMostPoints ||
      !ends_by_condition(s->body))
    return false;
  const std::vector<const ir::Buffer*> stored = followed_in(s->body);
  Expr first = pure(s->min), extent = pure(s->extent), step = s->step ? pure(s->step) : Expr();
  if (reach_of(extent, outer_).inner || !ir::constant(first) || (step && !ir::constant(step))) return false;
  std::optional<Trips> trips =
      trips_while(ir::index_binary(ExprKind::LT, ir::cast(ir::kInt64, Expr(round_)), ir::cast(ir::kInt64, extent)));
  if (!trips) return false;
  loop_ = static_cast<int>(trips_.size());
  trips_.push_back(std::move(*trips));
  Expr by = step ? ir::cast(s->var->dtype, step) : ir::int_imm(s->var->dtype, 1);
  values_[s->var] = ir::cast(s->var->dtype, first) + ir::cast(s->var->dtype, Expr(round_)) * by;
  for (const ir::Buffer* b : stored) lose(b);
  statement(s->body);
  leave_rounds(s->body);
  return true;
}

}  // namespace tilewright::run
