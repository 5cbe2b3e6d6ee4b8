// What a kernel does beyond its storage, where that is certain.
//
// An access overruns if there are values that its variables do take for which it lies outside of its buffer. A witness
// is looked for: one block, one thread, one round of each loop around, such that every condition on the way holds and
// the index is outside. Scope ids and loops take each value of their range, so a witness proves the overrun; whatever
// is not a number at the witness (memory, parameters, a condition on them) means that nothing is said. Corners of the
// ranges and the numbers that conditions name are tried, not every value.
#pragma once
#include "compiler/dispatch/dispatched.h"
#include "compiler/scope/closure.h"
#include "compiler/text/context.h"

namespace tilewright::dispatch {

// Reports regions, loads and stores beyond their buffers, views beyond the storage that they look at, and copies of a
// whole tile that each of several threads makes. `body` is the kernel's own with closed ranges, `calls` the report of
// its tile primitives in the order of the body.
void report_overruns(const ir::Stmt* body, const scope::Closure& closure, const std::vector<CallReport>& calls,
                     text::Dialect release, const text::Context& context);

}  // namespace tilewright::dispatch
