// Fences: they move nothing, and the search for races knows what they order.
#include "compiler/simulate/calls/calls.h"

namespace tilewright::simulate {
namespace {

Step memory(Machine& m, Thread& t, const Site& s) {
  if (m.races()) m.races()->fence(t, s.scope);
  return Step::Done;
}

// The state space of fence.proxy.async; shared memory of the own CTA and of the cluster are one.
bool set_up_proxy(Site& s, const intrinsics::Arguments& a) {
  const std::string space = a.operand("space") && a.given("space") ? a.text("space") : "";
  const auto known = space.empty()       ? Order::Space::Both
                     : space == "global" ? Order::Space::Global
                                         : Order::Space::Shared;
  s.code = static_cast<int>(known);
  return true;
}

Step proxy(Machine& m, Thread& t, const Site& s) {
  if (m.races()) m.races()->fence_proxy(t, static_cast<Order::Space>(s.code));
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
    {.meaning = Meaning::FenceProxyAsync, .slots = "", .thread = proxy, .set_up = set_up_proxy},
    {.meaning = Meaning::FenceMbarrierInit, .slots = "", .thread = barriers},
    {.meaning = Meaning::FenceProxyTensormapAcquire, .slots = "addr", .thread = map},
};

}  // namespace

std::span<const CallRow> fence_calls() { return kRows; }

}  // namespace tilewright::simulate
