// Fences: they move nothing, and the search for races knows what they order.
#include "compiler/simulate/calls.h"

namespace tilewright::simulate {
namespace {

Step memory(Machine& m, Thread& t, const Site& s) {
  if (m.races()) m.races()->fence(t, s.scope);
  return Step::Done;
}

Step proxy(Machine& m, Thread& t, const Site&) {
  if (m.races()) m.races()->fence_proxy(t);
  return Step::Done;
}

Step barriers(Machine& m, Thread& t, const Site&) {
  if (m.races()) m.races()->fence_init(t);
  return Step::Done;
}

// addr
Step map(Machine& m, Thread& t, const Site& s) {
  if (m.races()) m.races()->acquire_map(t, Machine::arg(t, s, 0));
  return Step::Done;
}

constexpr CallRow kRows[] = {
    {.meaning = Meaning::Fence, .slots = "", .thread = memory},
    {.meaning = Meaning::FenceProxyAsync, .slots = "", .thread = proxy},
    {.meaning = Meaning::FenceMbarrierInit, .slots = "", .thread = barriers},
    {.meaning = Meaning::FenceProxyTensormapAcquire, .slots = "addr", .thread = map},
};

}  // namespace

std::span<const CallRow> fence_calls() { return kRows; }

}  // namespace tilewright::simulate
