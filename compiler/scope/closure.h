// What the scope ids of a kernel say together: the extent of every step of the thread hierarchy, and the launch.
#pragma once
#include <array>
#include <deque>
#include <vector>

#include "compiler/ir/kernel.h"
#include "compiler/scope/active.h"
#include "compiler/text/context.h"

namespace tilewright::scope {

// What is known of one binding (scope.md 2).
struct Binding {
  bool known = false;
  layout::Dim extent;                         // all dimensions multiplied out
  std::vector<ir::Expr> shape;                // one a dimension; derived bindings have one
  const ir::ScopeIds* declaration = nullptr;  // the first one; null: derived
};

struct Closure {
  std::array<Binding, 10> bindings;               // by code
  std::vector<const ir::ScopeIds*> declarations;  // of the device part, in order
  std::vector<ir::Interval> ranges;               // of their variables, in order
  Launch launch;
  bool failed = false;  // an error was reported

  const Binding& operator[](ir::ScopeBinding b) const { return bindings[static_cast<std::size_t>(b)]; }
  // The declaration that made a variable; null for one that no declaration of this kernel made.
  const ir::ScopeIds* declaration_of(const ir::Var* var) const;
  // The value of a scope id in a thread of a CTA, counted along the launch's dimensions; nothing for an id of something
  // else, or where the launch is not known.
  std::optional<std::int64_t> in_thread(const ir::Var* id, std::int64_t thread) const;
  // What a scope id lies in; of any other variable what it says itself.
  ir::Interval range(const ir::Var* var) const;
};

// The name of the script's intrinsic: "thread_id".
std::string_view binding_name(ir::ScopeBinding binding);

// Closes the declarations of `kernel` (2.1 with N1-N3, N14) and reports contradictions on the declaration that
// completes them. Works in the ambient arena.
Closure close_scope_ids(const ir::Kernel& kernel, const text::Context& context);

// The body for the stages to come: where the script left an extent to be inferred, its scope ids are new variables with
// the range that the closure found, and `closure` names those instead. Often all was said, and it is the kernel's own
// body. Layouts that name such an id are made again in `layouts`.
const ir::Stmt* with_closed_ranges(const ir::Kernel& kernel, Closure& closure, std::deque<layout::Layout>& layouts);

}  // namespace tilewright::scope
