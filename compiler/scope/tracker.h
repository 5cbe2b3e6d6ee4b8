// Follows the active set through the statements of a kernel.
//
// A walker calls `enter_*` before it descends and restores the mark afterwards; `seen` tells of every statement in
// order.
#pragma once
#include "compiler/scope/conditions.h"

namespace tilewright::scope {

class Tracker {
 public:
  // `body`: the kernel's, so that conditions on scalars are understood; null: they are not.
  explicit Tracker(const Closure& closure, const ir::Stmt* body = nullptr)
      : facts_(closure, body), set_(at_device_entry(closure)) {}

  struct Mark {
    ActiveSet set;
    std::size_t conditions;
    bool lane_declared;
  };
  Mark mark() const { return {set_, conditions_.size(), facts_.lane_declared}; }
  void restore(const Mark& mark);

  // Declarations and bindings become visible to conditions from here on.
  void seen(const ir::Stmt* stmt);
  void enter_then(const ir::If* s);
  void enter_else(const ir::If* s);
  void enter_loop(const ir::For* s);
  void enter_loop(const ir::While* s);
  // After an `if` one of whose branches ends the thread: those that went there are gone, which the set does not show.
  void after(const ir::If* s);

  const ActiveSet& set() const { return set_; }
  // What a primitive at this point sees.
  CallScope at_call(ir::ExecScope scope) const;
  // Is there a condition on the way of which some threads of the set may fail? How often a loop turns is none: each
  // thread that enters it comes to what is in it.
  bool may_lack_threads() const;

 private:
  void take(Narrowing narrowed);
  void collect(std::vector<Inexact>& out, bool with_loops) const;

  Facts facts_;
  ActiveSet set_;
  std::vector<Inexact> conditions_;
  std::vector<std::size_t> loops_;  // those of conditions_ that say how often a loop turns
};

}  // namespace tilewright::scope
