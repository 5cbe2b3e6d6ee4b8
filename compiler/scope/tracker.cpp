#include "compiler/scope/tracker.h"

#include <algorithm>

namespace tilewright::scope {
namespace {

bool ends_thread(const ir::Stmt* s) {
  if (const auto* seq = ir::as<ir::Seq>(s)) return !seq->body.empty() && ends_thread(seq->body.back());
  return s && s->kind == ir::StmtKind::Return;
}

}  // namespace

void Tracker::restore(const Mark& mark) {
  set_ = mark.set;
  conditions_.resize(mark.conditions);
  while (!loops_.empty() && loops_.back() >= conditions_.size()) loops_.pop_back();
  facts_.lane_declared = mark.lane_declared;
}

void Tracker::seen(const ir::Stmt* stmt) {
  if (const auto* bind = ir::as<ir::Bind>(stmt)) facts_.bind(bind->var, bind->value);
  if (const auto* ids = ir::as<ir::ScopeIds>(stmt)) {
    facts_.lane_declared |= ids->binding == ir::ScopeBinding::WarpThread;
  }
}

void Tracker::take(Narrowing narrowed) {
  set_ = narrowed.set;
  for (Inexact& condition : narrowed.inexact) conditions_.push_back(std::move(condition));
}

void Tracker::enter_then(const ir::If* s) { take(narrow(set_, s->condition, s->origin.span, facts_)); }
void Tracker::enter_else(const ir::If* s) { take(narrow_else(set_, s->condition, s->origin.span, facts_)); }

void Tracker::enter_loop(const ir::For* s) {
  // Only a trip count that thread ids decide is remembered: one that depends on data is the author's everyday loop.
  if (auto condition = classify(set_, s->extent, s->origin.span, facts_); condition && condition->provably_divergent) {
    condition->term = "a loop of " + condition->term + " rounds";
    condition->condition = {};
    conditions_.push_back(std::move(*condition));
    loops_.push_back(conditions_.size() - 1);
  }
  facts_.bind_loop(s->var, s->min, s->extent);
}

void Tracker::enter_loop(const ir::While* s) {
  auto condition = classify(set_, s->condition, s->origin.span, facts_);
  if (!condition || !condition->provably_divergent) return;
  conditions_.push_back(std::move(*condition));
  loops_.push_back(conditions_.size() - 1);
}

void Tracker::after(const ir::If* s) {
  if (ends_thread(s->then_body)) {
    if (auto gone = classify(set_, s->condition, s->origin.span, facts_, true)) conditions_.push_back(std::move(*gone));
  }
  if (ends_thread(s->else_body)) {
    if (auto gone = classify(set_, s->condition, s->origin.span, facts_)) conditions_.push_back(std::move(*gone));
  }
}

CallScope Tracker::at_call(ir::ExecScope scope) const {
  CallScope out = split(set_, scope);
  collect(out.inexact, true);
  return out;
}

bool Tracker::may_lack_threads() const {
  std::vector<Inexact> left;
  collect(left, false);
  return !left.empty();
}

void Tracker::collect(std::vector<Inexact>& out, bool with_loops) const {
  for (std::size_t i = 0; i < conditions_.size(); ++i) {
    const Inexact& condition = conditions_[i];
    if (!with_loops && std::ranges::find(loops_, i) != loops_.end()) continue;
    // `elif warp_id >= 4` behind `if warp_id == 2`: not 2 is no box, yet true for each thread that came this far.
    if (condition.condition && !condition.never_true) {
      auto still = classify(set_, condition.condition, condition.span, facts_, condition.negated);
      if (still) out.push_back(std::move(*still));
    } else {
      out.push_back(condition);
    }
  }
}

}  // namespace tilewright::scope
