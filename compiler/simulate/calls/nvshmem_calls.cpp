// NVSHMEM for a job of one processor: every transfer is to itself, and ends at the next wait for it.
#include <cstring>

#include "compiler/simulate/calls/calls.h"
#include "compiler/simulate/calls/move.h"
#include "compiler/simulate/codes.h"
#include "compiler/simulate/tensor/fragments.h"

namespace tilewright::simulate {
namespace {

using intrinsics::Arguments;

enum Kind { kMyPe, kPes, kQuiet, kFence, kBarrier, kTransfer, kSignal, kWaitUntil };
enum Compare { kEq, kNe, kGt, kGe, kLt, kLe };

struct Call final : CallForm {
  Kind kind{};
  bool adds = false;  // to a signal, which is set otherwise
  bool signals = false;
  Compare compare{};
};

// "nvshmem.putmem_signal_nbi.warp"
bool set_up(Site& s, const Arguments& a) {
  auto form = std::make_shared<Call>();
  Call& f = *form;
  const std::string_view name = a.row().name.substr(std::string_view("nvshmem.").size());
  constexpr std::pair<std::string_view, Kind> kKinds[] = {
      {"my_pe", kMyPe},      {"n_pes", kPes},           {"quiet", kQuiet},
      {"fence", kFence},     {"barrier_all", kBarrier}, {"getmem", kTransfer},
      {"putmem", kTransfer}, {"signal_op", kSignal},    {"wait_until", kWaitUntil}};
  for (auto [prefix, kind] : kKinds)
    if (name.starts_with(prefix)) f.kind = kind;
  f.signals = a.operand("sig_addr") != nullptr;
  f.adds = f.signals && a.text("sig_op") == "add";
  constexpr std::string_view kCompares[] = {"eq", "ne", "gt", "ge", "lt", "le"};
  for (int i = 0; a.operand("cmp") && i < 6; ++i)
    if (kCompares[i] == a.text("cmp")) f.compare = static_cast<Compare>(i);
  s.kind = name.ends_with(".warp") ? Site::Kind::WarpCall : Site::Kind::Call;
  s.flag = name.ends_with(".block");  // by one thread for all; they meet before and behind it
  s.form = std::move(form);
  return true;
}

// What a signal word becomes.
bool update(Machine& m, const Thread& t, std::uint64_t pointer, std::uint64_t value, bool adds) {
  auto to = m.view(t, pointer, 8, 8, true, "a signal");
  if (!to) return false;
  std::uint64_t old = 0;
  to->get(&old, sizeof old);
  value += adds ? old : 0;
  to->put(&value, sizeof value);
  m.observers().tell(&Observer::release, t, pointer, intrinsics::Scope::System, false);
  return true;
}

void tell_all_awaited(Machine& m, const Thread& t) {
  m.observers().tell(&Observer::wait, std::span(&t, 1), Queue::Processors, std::nullopt, false);
}

// The update of a signal behind the transfers that the thread has started before.
class Signal final : public Operation {
 public:
  Signal(std::uint64_t pointer, std::uint64_t value, bool adds)
      : Operation(Queue::Processors), pointer_(pointer), value_(value), adds_(adds) {}
  bool land(Machine& m, Thread& t) override {
    if (!m.engine().finish_before(m, t, Queue::Processors, sequence)) return false;
    // A thread that sees it knows that they have ended.
    tell_all_awaited(m, t);
    return update(m, t, pointer_, value_, adds_);
  }

 private:
  std::uint64_t pointer_, value_;
  bool adds_;
};

bool quiet(Machine& m, Thread& t) {
  tell_all_awaited(m, t);
  return m.engine().finish_all(m, t, Queue::Processors);
}

bool compares(Compare how, std::uint64_t a, std::uint64_t b) {
  switch (how) {
    case kEq: return a == b;
    case kNe: return a != b;
    case kGt: return a > b;
    case kGe: return a >= b;
    case kLt: return a < b;
    case kLe: return a <= b;
  }
  return true;
}

enum Slot { kDst, kSrc, kBytes, kAddress, kValue, kPe };

Step wait_until(Machine& m, Thread& t, const Site& s) {
  const std::uint64_t at = Machine::arg(t, s, kAddress);
  auto from = m.view(t, at, 8, 8, false, "a signal");
  if (!from) return Step::Failed;
  m.observers().read(t, at, 8, How::Atomic);
  std::uint64_t value = 0;
  from->get(&value, sizeof value);
  if (compares(form_of<Call>(s).compare, value, Machine::arg(t, s, kValue))) {
    m.observers().tell(&Observer::acquire, t, at, intrinsics::Scope::System, false);
    return Step::Done;
  }
  // Transfers go on by themselves. Waiting costs steps, so that waiting for ever comes to their limit.
  constexpr std::int64_t kTurn = 32768;
  m.spend(kTurn);
  return m.engine().finish_everywhere(m, Queue::Processors) ? Step::Again : Step::Failed;
}

Step transfer(Machine& m, Thread& t, const Site& s) {
  const Call& f = form_of<Call>(s);
  if (f.kind == kTransfer) {
    auto move = std::make_unique<Move>(Queue::Processors, static_cast<std::int64_t>(Machine::arg(t, s, kBytes)));
    move->destinations = {m.generic(Machine::arg(t, s, kDst))};
    move->source = m.generic(Machine::arg(t, s, kSrc));
    if (!claim(m, t, *move, 1) || !m.engine().issue(m, t, std::move(move))) return Step::Failed;
  }
  if (!f.signals) return Step::Done;
  const std::uint64_t at = Machine::arg(t, s, kAddress);
  if (!m.view(t, at, 8, 8, false, "a signal")) return Step::Failed;
  auto signal = std::make_unique<Signal>(at, Machine::arg(t, s, kValue), f.adds);
  if (m.observers()) {
    signal->numbers = {m.issue_number(t, Queue::Processors)};
    m.observers().write(t, signal->numbers[0], at, 8, How::Atomic);
  }
  return m.engine().issue(m, t, std::move(signal)) ? Step::Done : Step::Failed;
}

Step call(Machine& m, Thread& t, const Site& s) {
  const Call& f = form_of<Call>(s);
  if (const std::uint64_t pe = Machine::arg(t, s, kPe); pe != 0) {
    m.finding(code::kNotModelled, Severity::Incomplete,
              "T." + s.text + " is for processor " + std::to_string(static_cast<std::int32_t>(pe)) +
                  ", and the simulator has one, number 0",
              &t);
    return Step::Failed;
  }
  switch (f.kind) {
    case kMyPe: Machine::set_result(t, s, 0); return Step::Done;
    case kPes: Machine::set_result(t, s, 1); return Step::Done;
    case kFence: return Step::Done;  // transfers of a thread land in their order
    case kQuiet:
    case kBarrier: return quiet(m, t) ? Step::Done : Step::Failed;
    case kWaitUntil: return wait_until(m, t, s);
    default: return s.flag && t.linear != 0 ? Step::Done : transfer(m, t, s);
  }
}

// By all lanes together: the first one makes it.
Step call_together(Machine& m, std::span<Thread> lanes, const Site& s) {
  m.meet(lanes);
  return call(m, lanes[0], s);
}

constexpr CallRow kNvshmemRows[] = {
    {.meaning = Meaning::Nvshmem,
     .slots = "dst, src, nelems, sig_addr|ivar, signal|cmp_value, pe",
     .thread = call,
     .warp = call_together,
     .set_up = set_up},
};

}  // namespace

std::span<const CallRow> nvshmem_calls() { return kNvshmemRows; }

}  // namespace tilewright::simulate
