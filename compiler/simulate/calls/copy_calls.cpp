// cp.async: each thread's copies from global to shared memory, in groups or behind an arrival (copy_async.md 7).
#include <cstring>

#include "compiler/expr/analyzer.h"
#include "compiler/simulate/calls/calls.h"
#include "compiler/simulate/calls/move.h"
#include "compiler/simulate/codes.h"

namespace tilewright::simulate {
namespace {

using intrinsics::Arguments;

// The arrival of a thread whose earlier copies have landed.
class CopyArrival final : public Operation {
 public:
  explicit CopyArrival(std::uint64_t at) : Operation(Queue::Arrival) { barrier = at; }
  bool land(Machine& m, Thread& t) override {
    if (!m.engine().finish_before(m, t, Queue::Copy, sequence)) return false;
    return m.counted(t, barrier, "the arrival after cp.async", [&](Mbarrier& b) {
      m.observers().tell(&Observer::arrive_after, t, *this, barrier);
      return b.arrive(1);
    });
  }
};

// What a false predicate means, in Site::code.
enum Otherwise { kCopyAlways, kKeep, kZero };

bool set_up_copy(Site& s, const Arguments& a) {
  const bool zero = a.operand("fill_mode") && a.text("fill_mode") == "zero";
  const bool asked = a.operand("predicate") && !ir::is_constant(a["predicate"], -1);
  s.code = !asked ? kCopyAlways : zero ? kZero : kKeep;
  s.number = 1;  // bytes that an offset of the old forms counts
  if (a.operand("elem")) {
    auto d = ir::parse_dtype(a.text("elem"));
    if (!d) return false;
    s.number = d->storage_bits() * d->lanes / 8;
  }
  return true;
}

// dst, src, size, predicate, ignore_src, dst_offset, src_offset, src_size
Step copy(Machine& m, Thread& t, const Site& s) {
  const std::uint64_t predicate = Machine::arg(t, s, 3, 1);
  if (s.code == kKeep && predicate != 1) return Step::Done;
  const auto size = static_cast<std::int64_t>(Machine::arg(t, s, 2));
  const std::int64_t given = s.args.size() > 7 ? static_cast<std::int64_t>(Machine::arg(t, s, 7)) : size;
  if (given < 0 || given > size) {
    m.finding(code::kRefused, Severity::Error,
              "cp.async reads " + std::to_string(given) + " bytes and writes " + std::to_string(size) +
                  ": src_size is at most cp_size (PTX, cp.async)",
              &t);
    return Step::Failed;
  }
  const bool zero = (s.code == kZero && predicate == 0) || Machine::arg(t, s, 4) != 0 || given == 0;
  auto place = [&](std::size_t pointer, std::size_t offset) {
    auto elements = static_cast<std::int64_t>(Machine::arg(t, s, offset));
    return moved(m.generic(Machine::arg(t, s, pointer)), elements * s.number);
  };
  auto move = std::make_unique<Move>(Queue::Copy, size);
  move->destinations = {place(0, 5)};
  if (zero) {
    move->cargo = Cargo(size, m.options().trace);
    std::memset(move->cargo.defined.data(), 1, static_cast<std::size_t>(size));
  } else {
    move->source = place(1, 6);
    if (given != size) move->given = given;
  }
  if (!claim(m, t, *move, size)) return Step::Failed;
  return m.engine().issue(m, t, std::move(move)) ? Step::Done : Step::Failed;
}

Step commit(Machine& m, Thread& t, const Site&) {
  m.engine().commit(t, Queue::Copy);
  m.observers().tell(&Observer::commit, t, Queue::Copy);
  return Step::Done;
}

// num
Step wait(Machine& m, Thread& t, const Site& s) {
  m.observers().tell(&Observer::wait, std::span(&t, 1), Queue::Copy, Machine::arg(t, s, 0), false);
  return m.engine().finish(m, t, Queue::Copy, Machine::arg(t, s, 0)) ? Step::Done : Step::Failed;
}

Step wait_all(Machine& m, Thread& t, const Site&) {
  m.observers().tell(&Observer::wait, std::span(&t, 1), Queue::Copy, std::nullopt, false);
  return m.engine().finish_all(m, t, Queue::Copy) ? Step::Done : Step::Failed;
}

// bar
Step arrive(Machine& m, Thread& t, const Site& s) {
  const std::uint64_t at = m.generic(Machine::arg(t, s, 0));
  // Without .noinc the phase waits for one arrival more, which this is: the thread's own is still to come.
  bool good = s.flag ? m.barrier_at(t, at, "cp.async.mbarrier.arrive") != nullptr
                     : m.counted(t, at, "cp.async.mbarrier.arrive", [](Mbarrier& b) { return b.defer(); });
  if (!good) return Step::Failed;
  if (s.flag) m.observers().tell(&Observer::promise, t, at);
  auto arrival = std::make_unique<CopyArrival>(at);
  return m.engine().issue(m, t, std::move(arrival)) ? Step::Done : Step::Failed;
}

bool set_up_arrive(Site& s, const Arguments& a) {
  s.flag = a.operand("noinc") ? a.flag("noinc") : true;
  return true;
}

constexpr CallRow kCopyRows[] = {
    {.meaning = Meaning::AsyncCopy,
     .slots = "dst_ptr, src_ptr, cp_size, predicate, ignore_src, dst_offset, src_offset",
     .thread = copy,
     .set_up = set_up_copy},
    {.meaning = Meaning::AsyncCopyCommit, .slots = "", .thread = commit},
    {.meaning = Meaning::AsyncCopyWait, .slots = "num", .thread = wait},
    {.meaning = Meaning::AsyncCopyWaitAll, .slots = "", .thread = wait_all},
    {.meaning = Meaning::AsyncCopyArrive, .slots = "bar", .thread = arrive, .set_up = set_up_arrive},
};

}  // namespace

std::span<const CallRow> copy_calls() { return kCopyRows; }

}  // namespace tilewright::simulate
