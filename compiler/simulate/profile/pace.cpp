#include "compiler/simulate/profile/pace.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "compiler/simulate/machine/machine.h"

namespace tilewright::simulate {
namespace {

constexpr double kIssue = 1;        // cycles of a warp for an instruction
constexpr double kIntegers = 0.4;   // the same for one of integers: NVIDIA's compiler shares and hoists most of them
constexpr std::size_t kPhases = 8;  // of a barrier that are remembered
constexpr std::size_t kLines = 1536;
constexpr std::uint64_t kStored = 16;  // bytes that st.async moves at most: a store of a lane, no copy of the engine
constexpr std::int64_t kCache = std::int64_t{40} << 20;  // bytes that the L2 cache keeps from launch to launch

bool is_move(Op op) {
  return op == Op::Move || op == Op::Normalise || op == Op::ToBits || op == Op::FromBits || op == Op::Define ||
         op == Op::Undefine || op == Op::CheckDefined || op == Op::NoValue || op == Op::Address ||
         op == Op::PointerAdd || op == Op::Look;
}

bool is_float(Op op) {
  return (op >= Op::AddF && op <= Op::FmaF) || op == Op::MathF || op == Op::MathD || op == Op::Round ||
         (op >= Op::IntToF && op <= Op::NonZeroD);
}

// Nothing: it costs none on the hardware.
std::optional<InstructionClass> class_of(const Instruction& i) {
  if (is_move(i.op)) return std::nullopt;
  switch (i.op) {
    case Op::DivF:
    case Op::DivD:
    case Op::MathF:
    case Op::MathD: return InstructionClass::Special;
    case Op::Round:
    case Op::IntToF:
    case Op::UIntToF:
    case Op::FToInt:
    case Op::FToUInt:
    case Op::IntToD:
    case Op::UIntToD:
    case Op::DToInt:
    case Op::DToUInt:
    case Op::FToD:
    case Op::DToF: return InstructionClass::Conversion;
    case Op::Jump:
    case Op::JumpUnless:
    case Op::LoopNext:
    case Op::Exit: return InstructionClass::Control;
    case Op::Load:
    case Op::Store:
    case Op::Copy: return InstructionClass::Memory;
    case Op::Meet:
    case Op::Call:
    case Op::Trap:
    case Op::Print:
    case Op::Unmodelled:
    case Op::Unknown: return InstructionClass::Call;
    default: break;
  }
  if ((i.op >= Op::AddF && i.op <= Op::LessEqualF) || i.op == Op::FmaF || i.op == Op::NonZeroF || i.op == Op::Ldexp)
    return InstructionClass::Float;
  if ((i.op >= Op::AddD && i.op <= Op::LessEqualD) || i.op == Op::NonZeroD) return InstructionClass::Double;
  return InstructionClass::Integer;
}

bool computes_in_double(Op op) {
  return (op >= Op::AddD && op <= Op::LessEqualD) || op == Op::MathD || op == Op::NonZeroD;
}

// Issue slots of a warp's instruction, roughly: half of those of integers and nearly all jumps are gone from what
// NVIDIA's compiler makes, quotients are several, and float64 has half the rate.
double slots_of(InstructionClass of) {
  switch (of) {
    case InstructionClass::Integer: return 0.5;
    case InstructionClass::Control: return 0.1;
    case InstructionClass::Special: return 4;
    case InstructionClass::Double:
    case InstructionClass::Conversion: return 2;
    default: return 1;
  }
}

}  // namespace

Pace::Pace(const Machine& machine, const Program& program, const Rates& rates, PaceRecord& out)
    : machine_(machine),
      program_(program),
      rates_(rates),
      out_(out),
      executed_(program.code.size()),
      branch_at_(program.code.size(), kNoBranch) {
  for (std::uint32_t pc = 0; pc < program.code.size(); ++pc) {
    const Instruction& jump = program.code[pc];
    if (jump.op != Op::JumpUnless || jump.dst <= pc + 1) continue;
    const Instruction& last = program.code[jump.dst - 1];
    if (last.op != Op::Jump || last.dst <= jump.dst) continue;
    branch_at_[pc] = static_cast<std::uint32_t>(branches_.size());
    branches_.push_back({pc, jump.dst, last.dst});
  }
  arms_.resize(branches_.size());
}

std::uint32_t Pace::number_of(const Thread& t) const { return t.cta * warps_each_ + t.linear / 32; }
Pace::Warp& Pace::warp_of(const Thread& t) { return warps_[number_of(t)]; }

PacedPlace& Pace::place_at(std::uint32_t place) {
  auto [at, fresh] = out_.places.try_emplace(place);
  if (fresh) at->second.origin = machine_.origin_numbered(place);
  return at->second;
}

void Pace::later(Moment& to, const Moment& than) {
  if (to.path.empty() || than.time > to.time) to = than;
}

Pace::Groups* Pace::groups_of(Warp& w, Queue queue) {
  return queue == Queue::Copy    ? &w.groups[0]
         : queue == Queue::Bulk  ? &w.groups[1]
         : queue == Queue::Wgmma ? &w.groups[2]
                                 : nullptr;
}

Pace::Moment Pace::moment_of(const Warp& w, WaitFor what) const { return {w.now, w.at, what, w.path}; }

void Pace::spend(Warp& w, double cycles) {
  w.now += cycles;
  w.path[w.at] += static_cast<float>(cycles);
  place_at(w.at).busy += cycles;
}

void Pace::expect(Warp& w, double when) {
  if (when <= w.horizon) return;
  w.horizon = when;
  w.horizon_at = w.at;
}

void Pace::gives(Warp& w, std::uint32_t reg, double when) {
  if (reg < w.registers.size()) w.registers[reg] = when;
  expect(w, when);
}

void Pace::note(Warp& w, const Moment& moment, double cycles) {
  const auto [at, fresh] = out_.waits.try_emplace({w.at, moment.place, moment.what});
  PacedWait& wait = at->second;
  if (fresh) {
    wait.waits = machine_.origin_numbered(w.at);
    wait.blamed = machine_.origin_numbered(moment.place);
    wait.what = moment.what;
  }
  ++wait.times;
  wait.cycles += cycles;
  wait.most = std::max(wait.most, cycles);
  const std::uint32_t visit = w.visits[w.at];
  if (visit >= PacedWait::kMostSteps) return;
  if (wait.steps.size() <= visit) wait.steps.resize(visit + 1);
  wait.steps[visit] += cycles;
}

void Pace::hold_back(Warp& w) {
  w.loads = 0;
  const double stall = w.horizon - w.now;
  if (stall <= 0) return;
  w.now = w.horizon;
  w.path[w.horizon_at] += static_cast<float>(stall);
  place_at(w.horizon_at).stalled += stall;
}

void Pace::wait_for(Warp& w, const Moment& moment, double extra) {
  const double stall = moment.time + extra - w.now;
  if (stall <= 0 || moment.path.empty()) return;
  if (moment.time - w.now >= 1) note(w, moment, stall);
  place_at(w.at).waited += stall;
  w.path = moment.path;
  w.path[w.at] += static_cast<float>(extra);
  w.now = moment.time + extra;
}

// ---- instructions ----

double Pace::operands(const Warp& w, const Instruction& i) const {
  const auto ready = [&](std::uint32_t reg) { return reg < w.registers.size() ? w.registers[reg] : 0; };
  switch (i.op) {
    case Op::FmaF:
    case Op::Select: return std::max({ready(i.a), ready(i.b), ready(i.c)});
    case Op::MathF:
    case Op::MathD:
    case Op::Ldexp:
    case Op::PointerAdd: return std::max(ready(i.a), ready(i.b));
    default: break;
  }
  if (i.op >= Op::Add && i.op <= Op::LessEqualD && i.op != Op::BitNot && i.op != Op::Not)
    return std::max(ready(i.a), ready(i.b));
  return ready(i.a);
}

// A product that the next instruction adds to something is one with it.
bool Pace::is_fused(std::uint32_t pc) const {
  const Instruction &i = program_.code[pc], &next = program_.code[pc + 1];
  return i.op == Op::MulF && next.op == Op::AddF && (next.a == i.dst || next.b == i.dst);
}

double Pace::latency_of(const Instruction& i, const Thread& t) const {
  if (is_move(i.op)) return 0;
  switch (i.op) {
    case Op::MulF: return is_fused(t.pc) ? 0 : rates_.arithmetic;
    case Op::DivF: return 2 * rates_.special;
    case Op::DivD: return 8 * rates_.special;
    case Op::MathF: return rates_.special;
    case Op::MathD: return 8 * rates_.special;
    case Op::FloorDiv:
    case Op::FloorMod:
    case Op::TruncDiv:
    case Op::TruncMod:
    case Op::DivU:
    case Op::ModU: return 2 * rates_.arithmetic;
    default: return rates_.arithmetic;
  }
}

void Pace::meet_site(Warp& w, const Thread& t, const Site& site) {
  using Kind = Site::Kind;
  double ready = w.now;
  for (std::uint32_t reg : site.args)
    if (reg < w.registers.size()) ready = std::max(ready, w.registers[reg]);
  switch (site.kind) {
    case Kind::CtaSync:
    case Kind::NamedSync:
    case Kind::NamedArrive:
    case Kind::ClusterSync:
    case Kind::GridSync:
    case Kind::CtaAnd:
    case Kind::CtaOr:
    case Kind::CtaReduce:
    case Kind::CtaCount:
    case Kind::ClusterArrive:
    case Kind::ClusterWait: hold_back(w); break;
    case Kind::WarpCall: expect(w, ready); break;
    case Kind::WarpgroupCall:
      expect(w, ready);
      hold_back(w);
      break;
    case Kind::LdMatrix:
    case Kind::StMatrix: expect(w, ready + rates_.shared); break;
    default:
      if (site.dst != Access::kNoRegister) gives(w, site.dst, ready + rates_.shuffle);
      break;
  }
  (void)t;
}

void Pace::step(const Thread& t, const Instruction& i) {
  Warp& w = warp_of(t);
  w.at = machine_.origin_number_at(t.pc);
  w.in_call = false;
  switch (i.op) {
    case Op::Jump:
      if (i.dst > t.pc) return;
      [[fallthrough]];
    case Op::LoopNext:
      spend(w, kIntegers);
      if (++w.turns % kUnrolled == 0) hold_back(w);
      return;
    case Op::JumpUnless: spend(w, kIntegers); return;
    case Op::Load:
    case Op::Store:
    case Op::Copy: return;
    case Op::Exit: hold_back(w); return;
    case Op::Meet: spend(w, kIssue); return meet_site(w, t, program_.sites[i.b]);
    case Op::Call: {
      spend(w, kIssue);
      const Site& site = program_.sites[i.b];
      for (std::uint32_t reg : site.args)
        if (reg < w.registers.size() && w.registers[reg] > w.now) expect(w, w.registers[reg]);
      if (site.semantics != intrinsics::Semantics::Weak || site.barrier_view != Access::kNoRegister) hold_back(w);
      w.in_call = true;
      w.call_result = site.dst;
      if (site.dst != Access::kNoRegister) gives(w, site.dst, w.now + rates_.arithmetic);
      return;
    }
    case Op::Trap:
    case Op::Print:
    case Op::Unmodelled: return;
    default: break;
  }
  const double start = std::max(w.now, operands(w, i));
  if (!is_move(i.op)) spend(w, is_float(i.op) ? (latency_of(i, t) == 0 ? 0 : kIssue) : kIntegers);
  gives(w, i.dst, start + latency_of(i, t));
}

// ---- memory ----

double Pace::latency_at(std::uint64_t pointer) {
  if (machine_.window_address(pointer)) return rates_.shared;
  const std::uint64_t line = machine_.generic(pointer) >> 7;
  if (lines_.contains(line)) return rates_.l1;
  if (lines_.size() >= kLines) lines_.clear();
  lines_.insert(line);
  return is_far_ ? rates_.dram : rates_.l2;
}

std::size_t Pace::frame_word(std::uint64_t pointer) const {
  const std::uint64_t number = pointer >> kOffsetBits;
  if (number < kLocalBlocks || number - kLocalBlocks >= program_.locals.size()) return ~std::size_t{0};
  return static_cast<std::size_t>(program_.locals[number - kLocalBlocks].frame + offset_of(pointer)) / 4;
}

void Pace::load(const Thread& t, const Instruction& i, std::uint64_t at, std::int64_t bytes) {
  Warp& w = warp_of(t);
  const std::size_t word = frame_word(at);
  double when = std::max(w.now, operands(w, i));
  if (word != ~std::size_t{0}) {
    for (std::size_t k = word; k < std::min(word + static_cast<std::size_t>(bytes + 3) / 4, w.local.size()); ++k)
      when = std::max(when, w.local[k]);
  } else {
    spend(w, kIssue);
    when += latency_at(at);
    if (++w.loads >= kMostLoads) hold_back(w);
  }
  for (std::uint32_t lane = 0; lane < i.c; ++lane) gives(w, i.dst + lane, when);
}

void Pace::store(const Thread& t, const Instruction& i, std::uint64_t at, std::int64_t bytes) {
  Warp& w = warp_of(t);
  double when = std::max(w.now, i.a < w.registers.size() ? w.registers[i.a] : 0);
  for (std::uint32_t lane = 0; lane < i.c; ++lane)
    if (i.dst + lane < w.registers.size()) when = std::max(when, w.registers[i.dst + lane]);
  const std::size_t word = frame_word(at);
  if (word == ~std::size_t{0}) {
    spend(w, kIssue);
    expect(w, when + 1);
    return;
  }
  for (std::size_t k = word; k < std::min(word + static_cast<std::size_t>(bytes + 3) / 4, w.local.size()); ++k)
    w.local[k] = when;
}

void Pace::copy(const Thread& t, std::uint64_t from, std::uint64_t to, std::int64_t bytes) {
  Warp& w = warp_of(t);
  const std::size_t source = frame_word(from), target = frame_word(to), words = static_cast<std::size_t>(bytes + 3) / 4;
  double when = w.now;
  if (source != ~std::size_t{0}) {
    for (std::size_t k = source; k < std::min(source + words, w.local.size()); ++k) when = std::max(when, w.local[k]);
  } else {
    spend(w, kIssue);
    when = w.now + latency_at(from);
    if (++w.loads >= kMostLoads) hold_back(w);
  }
  expect(w, when);
  if (target == ~std::size_t{0}) return spend(w, kIssue);
  for (std::size_t k = target; k < std::min(target + words, w.local.size()); ++k) w.local[k] = when;
}

void Pace::read(const Thread& t, std::uint64_t pointer, std::int64_t, How, std::string_view) {
  if (t.linear % 32 != 0) return;
  Warp& w = warp_of(t);
  if (!w.in_call) return;
  const double when = w.now + latency_at(pointer);
  if (w.call_result != Access::kNoRegister) return gives(w, w.call_result, when);
  expect(w, when);
}

// ---- operations beside the threads ----

void Pace::issue(const Thread& t, std::uint32_t operation, Queue queue, TensorWork) {
  settle(open_);
  open_ = operation;
  product_ = queue == Queue::Wgmma;
  Warp& w = warp_of(t);
  if (queue == Queue::Copy && t.linear % 32 != 0) return;
  w.at = machine_.origin_number_at(t.pc);
  Issued& one = issued_[operation];
  one = {w.now, 0, w.at, number_of(t), queue, moment_of(w, WaitFor::Copy), false};
}

void Pace::access(const Thread&, const Accessed& what) {
  if (what.is_map) return;
  const auto found = issued_.find(what.operation);
  // Each byte is read once and written once.
  if (found != issued_.end() && what.writes) found->second.bytes += static_cast<std::uint64_t>(what.bytes);
}

Pace::Issued* Pace::settle(std::uint32_t operation) {
  const auto found = issued_.find(operation);
  if (found == issued_.end()) return nullptr;
  Issued& one = found->second;
  if (one.settled) return &one;
  one.settled = true;
  Warp& w = warps_[one.warp];
  const std::uint32_t cta = one.warp / warps_each_;
  double end = one.start;
  if (one.queue == Queue::Counted && one.bytes <= kStored) {
    end = one.start + rates_.l2;
  } else if (one.queue == Queue::Counted || one.queue == Queue::Bulk || one.queue == Queue::Processors) {
    const double begin = std::max(one.start, copies_free_[cta]);
    copies_free_[cta] = begin + std::max(rates_.box_each, static_cast<double>(one.bytes) / rates_.box_bytes);
    end = begin + static_cast<double>(one.bytes) / rates_.box_bytes + rates_.box +
          (is_far_ ? rates_.dram - rates_.l2 : 0);
  } else if (one.queue == Queue::Copy) {
    end = one.start + (is_far_ ? rates_.dram : rates_.l2);
  } else if (one.queue != Queue::Wgmma) {
    end = std::max(one.start, tensor_free_[cta]);
  }
  one.end.path[one.place] += static_cast<float>(end - one.start);
  one.end.time = end;
  if (Groups* groups = groups_of(w, one.queue); groups && one.queue != Queue::Wgmma) later(groups->open, one.end);
  return &one;
}

void Pace::multiply(const Thread& t, std::uint64_t operations) {
  Warp& w = warp_of(t);
  const double cycles = static_cast<double>(operations) / rates_.tensor_operations;
  double start = std::max(w.now, tensor_free_[t.cta]);
  tensor_free_[t.cta] = start + cycles;
  // A mma of a warp: its result is there half as late.
  if (!std::exchange(product_, false)) return expect(w, start + cycles + rates_.product / 2);
  Moment end = moment_of(w, WaitFor::Product);
  end.path[w.at] += static_cast<float>(start + cycles + rates_.product - w.now);
  end.time = start + cycles + rates_.product;
  later(groups_of(w, Queue::Wgmma)->open, end);
  if (issued_.contains(open_)) issued_.erase(open_);
}

void Pace::commit(const Thread& t, Queue queue) {
  settle(open_);
  if (queue == Queue::Copy && t.linear % 32 != 0) return;
  if (Groups* groups = groups_of(warp_of(t), queue)) groups->closed.push_back(std::exchange(groups->open, {}));
}

void Pace::wait(std::span<const Thread> threads, Queue queue, std::optional<std::uint64_t> allowed, bool reads) {
  settle(open_);
  const Thread& first = threads.front();
  Warp& owner = warp_of(first);
  Groups* groups = groups_of(owner, queue);
  if (!groups || (queue == Queue::Copy && first.linear % 32 != 0)) return;
  Moment last;
  while (groups->closed.size() > allowed.value_or(0)) {
    later(last, groups->closed.front());
    groups->closed.pop_front();
  }
  if (!allowed) later(last, std::exchange(groups->open, {}));
  if (last.path.empty()) return;
  if (queue != Queue::Wgmma) last.what = WaitFor::Copy;
  if (reads) last.time -= rates_.box / 2;
  for (const Thread& t : threads) {
    if (&t != &first && t.linear % 32 != 0) continue;
    Warp& w = warp_of(t);
    w.at = machine_.origin_number_at(t.pc);
    wait_for(w, last, 0);
    ++w.visits[w.at];
  }
}

// ---- barriers ----

namespace {

template <class Phases, class Moment>
Moment& phase_in(Phases& phases, std::uint64_t phase, const Moment&) {
  for (auto& [number, moment] : phases)
    if (number == phase) return moment;
  if (phases.size() >= kPhases) phases.pop_front();
  return phases.emplace_back(phase, Moment{}).second;
}

}  // namespace

void Pace::count(const Thread& t, std::uint64_t barrier, std::uint64_t phase, const Operation* by) {
  Warp& w = warp_of(t);
  Moment at;
  if (!by) {
    w.at = machine_.origin_number_at(t.pc);
    hold_back(w);
    at = moment_of(w, WaitFor::Arrival);
  } else if (by->queue == Queue::Arrival) {
    settle(open_);
    at = moment_of(w, WaitFor::Copy);
    later(at, w.groups[0].open);
    for (const Moment& closed : w.groups[0].closed) later(at, closed);
  } else if (by->queue == Queue::Commit) {
    at = moment_of(w, WaitFor::Product);
    at.time = std::max(at.time, tensor_free_[t.cta] + rates_.product);
  } else {
    return;  // count_operation() has its number
  }
  later(phase_in(arrived_[barrier], phase, at), at);
}

void Pace::count_operation(std::uint32_t operation, std::uint64_t barrier, std::uint64_t phase) {
  const Issued* one = settle(operation);
  if (!one) return;
  later(phase_in(arrived_[barrier], phase, one->end), one->end);
  issued_.erase(operation);
}

void Pace::arrive(const Thread& t, std::uint64_t place, bool) {
  if (place > kOffsetMask || t.linear % 32 != 0) return;  // an mbarrier: count() has it
  hold_back(warp_of(t));
  later(places_[place], moment_of(warp_of(t), WaitFor::Meeting));
}

void Pace::close(std::uint64_t place) { places_[place | std::uint64_t{1} << 32] = std::exchange(places_[place], {}); }

void Pace::come_to_wait(const Thread& t, std::uint64_t barrier, std::int64_t phase) {
  Warp& w = warp_of(t);
  w.at = machine_.origin_number_at(t.pc);
  if (t.linear % 32 == 0 || !w.awaited.contains(barrier)) hold_back(w);
  w.awaited[barrier] = phase;
}

void Pace::leave(const Thread& t, std::uint64_t place) {
  Warp& w = warp_of(t);
  w.at = machine_.origin_number_at(t.pc);
  if (place == kClusterPlace) {
    if (t.linear % 32 == 0) wait_for(w, places_[place | std::uint64_t{1} << 32], rates_.l2);
    return;
  }
  const auto awaited = w.awaited.find(place);
  const auto phases = arrived_.find(place);
  if (awaited == w.awaited.end()) return;
  const std::int64_t phase = awaited->second;
  w.awaited.erase(awaited);
  if (phases != arrived_.end() && phase >= 0)
    for (auto& [number, moment] : phases->second)
      if (number == static_cast<std::uint64_t>(phase)) wait_for(w, moment, rates_.barrier);
  ++w.visits[w.at];
}

void Pace::pass(std::span<const Thread* const> threads, std::uint64_t place, std::string_view) {
  Moment last = std::exchange(places_[place], {});
  for (const Thread* t : threads) {
    if (t->linear % 32 != 0) continue;
    Warp& w = warp_of(*t);
    w.at = machine_.origin_number_at(t->pc);
    later(last, moment_of(w, WaitFor::Meeting));
  }
  const bool of_warpgroup = !threads.empty() && place == warpgroup_place(*threads.front());
  const std::size_t warps = (threads.size() + 31) / 32;
  const double sync = rates_.cta_sync + rates_.cta_sync_warp * static_cast<double>(warps);
  for (const Thread* t : threads) {
    if (t->linear % 32 != 0) continue;
    Warp& w = warp_of(*t);
    wait_for(w, last, of_warpgroup ? 0 : sync);
    ++w.visits[w.at];
  }
}

// ---- the group ----

// An access to what becomes registers of a thread.
bool Pace::is_register(const Instruction& i) const {
  return (i.op == Op::Load || i.op == Op::Store) && program_.accesses[i.b].where == Where::Local;
}

void Pace::add_executed() {
  for (std::uint32_t pc = 0; pc < executed_.size(); ++pc) {
    const std::uint64_t times = std::exchange(executed_[pc], 0);
    const auto of = times ? class_of(program_.code[pc]) : std::nullopt;
    if (!of || is_register(program_.code[pc])) continue;
    PacedPlace& place = place_at(machine_.origin_number_at(pc));
    place.instructions[static_cast<std::size_t>(*of)] += times;
    if (is_fused(pc)) place.fused += times;
    if (computes_in_double(program_.code[pc].op)) place.doubles += times;
  }
}

// ---- branches ----

void Pace::Arms::add(const WarpRequest& request) {
  bool takes_first = false, takes_second = false;
  for (std::size_t lane = 0; lane < 32; ++lane)
    if (request.has(lane)) (request.at[lane] ? takes_first : takes_second) = true;
  ++passes;
  splits += takes_first && takes_second;
}

void Pace::branch(const Thread& t, bool first) {
  const std::uint32_t number = branch_at_[t.pc];
  if (number == kNoBranch) return;
  Arms& arms = arms_[number];
  ++(first ? arms.first : arms.second);
  const std::uint32_t left = machine_.cta_size() - t.linear / 32 * 32;
  choices_.add({number, 0, number_of(t)}, t.linear % 32, left >= 32 ? ~0u : (1u << left) - 1, first ? 1 : 0, 1,
               [&](const WarpRequest& request) { arms.add(request); });
}

double Pace::work_of(std::uint32_t pc) const {
  const auto of = executed_[pc] ? class_of(program_.code[pc]) : std::nullopt;
  return of && !is_register(program_.code[pc]) ? slots_of(*of) * static_cast<double>(executed_[pc]) : 0;
}

double Pace::work_in(std::uint32_t begin, std::uint32_t end) const {
  double sum = 0;
  for (std::uint32_t pc = begin; pc < end; ++pc) sum += work_of(pc);
  return sum;
}

// Lanes that take one arm execute it together: so often as the warps are split, the one that costs less comes on top.
void Pace::add_branches() {
  out_.work += work_in(0, static_cast<std::uint32_t>(executed_.size())) / 32;
  for (std::size_t i = 0; i < arms_.size(); ++i) {
    const Arms arms = std::exchange(arms_[i], {});
    if (arms.passes == 0) continue;
    const Branch& where = branches_[i];
    const std::uint32_t place = machine_.origin_number_at(where.jump);
    PacedBranch& sum = out_.branches[place];
    sum.origin = machine_.origin_numbered(place);
    sum.last = machine_.origin_number_at(where.end - 1);
    sum.passes += arms.passes;
    sum.splits += arms.splits;
    if (arms.splits == 0) continue;
    const auto each = [&](std::uint32_t begin, std::uint32_t end, std::uint64_t lanes) {
      return work_in(begin, end) / static_cast<double>(std::max<std::uint64_t>(1, lanes));
    };
    const double first = each(where.jump + 1, where.second, arms.first),
                 second = each(where.second, where.end, arms.second);
    sum.lost += static_cast<double>(arms.splits) * std::min(first, second);
  }
}

void Pace::start_group(const Group& group) {
  warps_each_ = group.warps;
  warps_.assign(std::size_t{group.ctas} * group.warps, {});
  for (Warp& w : warps_) {
    w.registers.assign(program_.registers, 0);
    w.local.assign(static_cast<std::size_t>(program_.frame_bytes) / 4 + 4, 0);
    w.path.assign(program_.origins.size(), 0);
  }
  copies_free_.assign(group.ctas, 0);
  tensor_free_.assign(group.ctas, 0);
  is_far_ = machine_.global_bytes() > kCache;
  lines_.clear();
  issued_.clear();
  arrived_.clear();
  places_.clear();
  open_ = 0;
  product_ = false;
}

void Pace::end_cta(std::span<const Thread> threads, std::uint64_t, std::size_t) {
  if (!threads.empty()) {
    const std::uint32_t first = number_of(threads.front());
    choices_.close(first, first + warps_each_, [&](const Stream& at, const WarpRequest& r) { arms_[at.pc].add(r); });
  }
  add_branches();
  add_executed();
  if (threads.empty()) return;
  const Warp* last = nullptr;
  for (const Thread& t : threads) {
    if (t.linear % 32 != 0) continue;
    Warp& w = warp_of(t);
    hold_back(w);
    if (!last || w.now > last->now) last = &w;
  }
  if (!last) return;
  ++out_.ctas;
  out_.cycles += last->now;
  out_.longest = std::max(out_.longest, last->now);
  for (std::uint32_t place = 0; place < last->path.size(); ++place)
    if (last->path[place] > 0) place_at(place).critical += last->path[place];
}

}  // namespace tilewright::simulate
