// Fences: they move nothing, and observers know what they order.
#include "compiler/simulate/calls/calls.h"

namespace tilewright::simulate {
namespace {

Step memory(Machine& m, Thread& t, const Site& s) {
  m.observers().tell(&Observer::fence, t, Fence{.kind = Fence::Kind::Memory, .scope = s.scope});
  return Step::Done;
}

// The state space of fence.proxy.async; shared memory of the own CTA and of the cluster are one.
bool set_up_proxy(Site& s, const intrinsics::Arguments& a) {
  const std::string space = a.operand("space") && a.given("space") ? a.text("space") : "";
  const auto known = space.empty() ? ProxySpace::Both : space == "global" ? ProxySpace::Global : ProxySpace::Shared;
  s.code = static_cast<int>(known);
  return true;
}

Step proxy(Machine& m, Thread& t, const Site& s) {
  const auto space = static_cast<ProxySpace>(s.code);
  m.observers().tell(&Observer::fence, t, Fence{.kind = Fence::Kind::Proxy, .space = space});
  return Step::Done;
}

Step barriers(Machine& m, Thread& t, const Site&) {
  m.observers().tell(&Observer::fence, t, Fence{.kind = Fence::Kind::BarrierInit});
  return Step::Done;
}

// addr
Step map(Machine& m, Thread& t, const Site& s) {
  m.observers().tell(&Observer::fence, t, Fence{.kind = Fence::Kind::TensorMap, .map = Machine::arg(t, s, 0)});
  return Step::Done;
}

constexpr CallRow kFenceRows[] = {
    {.meaning = Meaning::Fence, .slots = "", .thread = memory},
    {.meaning = Meaning::FenceProxyAsync, .slots = "", .thread = proxy, .set_up = set_up_proxy},
    {.meaning = Meaning::FenceMbarrierInit, .slots = "", .thread = barriers},
    {.meaning = Meaning::FenceProxyTensormapAcquire, .slots = "addr", .thread = map},
};

}  // namespace

std::span<const CallRow> fence_calls() { return kFenceRows; }

}  // namespace tilewright::simulate
