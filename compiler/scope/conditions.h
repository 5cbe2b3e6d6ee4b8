// What a condition does to the active set (scope.md 6).
#pragma once
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/scope/active.h"
#include "compiler/scope/closure.h"

namespace tilewright::scope {

// What the values in a condition may depend on.
struct Dependence {
  bool ids = false;                            // on a scope id below the cluster
  layout::Unit finest = layout::Unit::Kernel;  // the narrowest unit that such an id counts
  bool runtime = false;  // on memory that others write, results of instructions: perhaps not uniform
  bool open = false;     // on a value the launch decides: a parameter, an extent, a loop
  bool elects = false;

  bool uniform() const { return !ids && !runtime; }
  void merge(const Dependence& other);
  friend bool operator==(const Dependence&, const Dependence&) = default;
};

// What the statements of a kernel leave in memory, as far as it may decide who takes which way (assigned.cpp).
struct Assigned {
  // Memory that each thread has for itself (scalars, registers): what the values that are ever stored there depend on.
  std::unordered_map<const ir::Var*, Dependence> own;
  // Memory of several threads that is written somewhere in the kernel; any other is the same throughout.
  std::unordered_set<const ir::Var*> changed;
};
class Facts;
Assigned assigned_in(const ir::Stmt* body, Facts facts);

// What is known about variables at a point of the kernel, besides the closure.
class Facts {
 public:
  // `body`: the kernel's, asked for what is stored in it when a condition first loads; null: that is not known.
  explicit Facts(const Closure& closure, const ir::Stmt* body = nullptr) : closure_(&closure), body_(body) {}

  const Closure& closure() const { return *closure_; }
  bool lane_declared = false;  // a lane_id is visible: elect_sync() has a variable to select

  void bind(const ir::Var* var, ir::Expr value) { values_[var] = value; }  // T.let
  void bind_loop(const ir::Var* var, ir::Expr min, ir::Expr extent);
  ir::Expr value_of(const ir::Var* var) const;

  Dependence dependence(ir::Expr e) const;
  void know(std::shared_ptr<const Assigned> assigned) { assigned_ = std::move(assigned); }

 private:
  Dependence dependence(const ir::Load& load) const;

  const Closure* closure_;
  const ir::Stmt* body_;
  mutable std::shared_ptr<const Assigned> assigned_;  // null until the first use
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
