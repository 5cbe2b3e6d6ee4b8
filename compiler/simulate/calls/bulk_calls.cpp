// cp.async.bulk: contiguous blocks between global memory, shared memory and that of other CTAs.
#include "compiler/simulate/calls/calls.h"
#include "compiler/simulate/calls/move.h"
#include "compiler/simulate/codes.h"

namespace tilewright::simulate {
namespace {

using intrinsics::Arguments;

constexpr std::int64_t kUnit = 16;  // alignment and granularity of sizes

Step start(Machine& m, Thread& t, std::unique_ptr<Move> move) {
  if (move->bytes % kUnit != 0) {
    m.finding(code::kRefused, Severity::Error,
              "a bulk copy moves multiples of 16 bytes, not " + std::to_string(move->bytes), &t);
    return Step::Failed;
  }
  if (!claim(m, t, *move, kUnit)) return Step::Failed;
  if (!move->barriers.empty()) move->barrier = move->barriers[0];
  return m.engine().issue(m, t, std::move(move)) ? Step::Done : Step::Failed;
}

std::unique_ptr<Move> move_of(Machine& m, const Thread& t, const Site& s, Queue queue) {
  auto move = std::make_unique<Move>(queue, static_cast<std::int64_t>(Machine::arg(t, s, 2)));
  move->destinations = {m.generic(Machine::arg(t, s, 0))};
  move->source = m.generic(Machine::arg(t, s, 1));
  return move;
}

// dst, src, bytes, bar, mask, bytes at either end that are not read
Step load(Machine& m, Thread& t, const Site& s) {
  auto move = move_of(m, t, s, Queue::Counted);
  move->left = static_cast<std::int64_t>(Machine::arg(t, s, 5));
  move->right = static_cast<std::int64_t>(Machine::arg(t, s, 6));
  if (move->left >= kUnit || move->right >= kUnit || move->left + move->right > move->bytes) {
    m.finding(code::kRefused, Severity::Error,
              "a bulk copy ignores up to 15 bytes at either end, not " + std::to_string(move->left) + " and " +
                  std::to_string(move->right) + " of " + std::to_string(move->bytes),
              &t);
    return Step::Failed;
  }
  move->barriers = {m.generic(Machine::arg(t, s, 3))};
  if (s.flag && !spread(m, t, Machine::arg(t, s, 4), move->destinations, move->barriers)) return Step::Failed;
  return start(m, t, std::move(move));
}

bool set_up_load(Site& s, const Arguments& a) {
  s.flag = a.operand("multicast") && a.flag("multicast");
  return true;
}

// dst, src, bytes, bar
Step exchange(Machine& m, Thread& t, const Site& s) {
  auto move = move_of(m, t, s, Queue::Counted);
  move->barriers = {m.generic(Machine::arg(t, s, 3))};
  auto to = m.rank_of(move->destinations[0]), counts = m.rank_of(move->barriers[0]);
  if (!to || to != counts) {
    m.finding(code::kRefused, Severity::Error,
              "a copy into the cluster and its barrier are in the shared memory of one and the same CTA", &t);
    return Step::Failed;
  }
  if (s.flag) {
    move->combine = static_cast<Combine>(s.code);
    move->type = s.type;
  }
  return start(m, t, std::move(move));
}

// dst, src, bytes, mask
Step store(Machine& m, Thread& t, const Site& s) {
  auto move = move_of(m, t, s, Queue::Bulk);
  if (s.flag && s.code < 0) move->byte_mask = static_cast<std::uint32_t>(Machine::arg(t, s, 3)) & 0xffff;
  if (s.flag && s.code >= 0) {
    move->combine = static_cast<Combine>(s.code);
    move->type = s.type;
  }
  return start(m, t, std::move(move));
}

bool set_up_store(Site& s, const Arguments& a) {
  s.flag = a.flag("cp_mask");
  s.code = -1;
  return true;
}

bool set_up_combine(Site& s, const Arguments& a) {
  auto op = combine_named(a.text("op"));
  s.type = ptx_type(a.text("dtype"));
  s.code = op ? static_cast<int>(*op) : 0;
  s.flag = op.has_value();
  return s.flag;
}

Step commit(Machine& m, Thread& t, const Site&) {
  m.engine().commit(t, Queue::Bulk);
  m.observers().tell(&Observer::commit, t, Queue::Bulk);
  return Step::Done;
}

// n; with `read` the sources only
Step wait(Machine& m, Thread& t, const Site& s) {
  m.observers().tell(&Observer::wait, std::span(&t, 1), Queue::Bulk, Machine::arg(t, s, 0), s.flag);
  return m.engine().finish(m, t, Queue::Bulk, Machine::arg(t, s, 0), s.flag) ? Step::Done : Step::Failed;
}

bool set_up_wait(Site& s, const Arguments& a) {
  s.flag = a.flag("read");
  return true;
}

constexpr CallRow kBulkRows[] = {
    {.meaning = Meaning::BulkGlobalToShared,
     .slots = "dst_ptr, src_ptr, num_bytes, mbarrier_ptr, cta_mask, ignore_bytes_left, ignore_bytes_right",
     .thread = load,
     .set_up = set_up_load},
    {.meaning = Meaning::BulkSharedToShared,
     .slots = "dst_ptr, src_ptr, num_bytes|size, mbarrier|mbar",
     .thread = exchange},
    {.meaning = Meaning::BulkReduceToShared,
     .slots = "dst_ptr, src_ptr, num_bytes, mbarrier",
     .thread = exchange,
     .set_up = set_up_combine},
    {.meaning = Meaning::BulkSharedToGlobal,
     .slots = "dst_ptr, src_ptr, num_bytes, byte_mask",
     .thread = store,
     .set_up = set_up_store},
    {.meaning = Meaning::BulkReduceToGlobal,
     .slots = "dst_ptr, src_ptr, num_bytes, byte_mask",
     .thread = store,
     .set_up = set_up_combine},
    {.meaning = Meaning::BulkCommit, .slots = "", .thread = commit},
    {.meaning = Meaning::BulkWait, .slots = "n", .thread = wait, .set_up = set_up_wait},
};

}  // namespace

std::span<const CallRow> bulk_calls() { return kBulkRows; }

}  // namespace tilewright::simulate
