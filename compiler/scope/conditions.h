// What a condition does to the active set (scope.md 6).
#pragma once
#include <unordered_map>
#include <vector>

#include "compiler/scope/active.h"
#include "compiler/scope/closure.h"

namespace tilewright::scope {

// What the values in a condition may depend on.
struct Dependence {
  bool ids = false;                            // on a scope id below the cluster
  layout::Unit finest = layout::Unit::Kernel;  // the narrowest unit that such an id counts
  bool within_cta = true;                      // on no id of a CTA
  bool runtime = false;  // on memory, mutable scalars, loops of unknown length: perhaps not uniform
  bool open = false;     // on a value the launch decides: a parameter, an extent, a loop
  bool elects = false;

  bool uniform() const { return !ids && !runtime; }
  void merge(const Dependence& other);
};

// What is known about variables at a point of the kernel, besides the closure.
class Facts {
 public:
  explicit Facts(const Closure& closure) : closure_(&closure) {}

  const Closure& closure() const { return *closure_; }
  bool lane_declared = false;  // a lane_id is visible: elect_sync() has a variable to select

  void bind(const ir::Var* var, ir::Expr value) { values_[var] = value; }  // T.let
  void bind_loop(const ir::Var* var, ir::Expr min, ir::Expr extent);
  ir::Expr value_of(const ir::Var* var) const;

  Dependence dependence(ir::Expr e) const;

 private:
  const Closure* closure_;
  std::unordered_map<const ir::Var*, ir::Expr> values_;
  std::unordered_map<const ir::Var*, Dependence> loops_;
};

struct Narrowing {
  ActiveSet set;
  std::vector<Inexact> inexact;  // terms that were not applied exactly
};

// The branch where `condition` holds, and the one where it does not (N5).
Narrowing narrow(const ActiveSet& set, ir::Expr condition, text::Span span, const Facts& facts);
Narrowing narrow_else(const ActiveSet& set, ir::Expr condition, text::Span span, const Facts& facts);
// Only what must be remembered of a condition whose effect on the set is not modelled, such as a loop's extent.
std::optional<Inexact> classify(const ActiveSet& set, ir::Expr value, text::Span span, const Facts& facts,
                                bool negated = false);

}  // namespace tilewright::scope
