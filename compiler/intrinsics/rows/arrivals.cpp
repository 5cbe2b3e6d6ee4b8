// Arrivals as release 0.26 writes them: the state space in words, another CTA of the cluster by `remote=`, and a
// predicate by `pred=`.
#include "compiler/intrinsics/checks.h"
#include "compiler/intrinsics/rows/rows.h"

namespace tilewright::intrinsics {
namespace {

using enum Availability;

#define TILEWRIGHT_SEMANTICS "sem: attr(|release|relaxed) = '', scope: attr(|cta|cluster) = '', "
#define TILEWRIGHT_SPACE "space: attr(|shared|shared::cta|shared::cluster) = ''"

Failure check_arrival(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target) {
  Arguments a(row, args);
  if (a.operand("count") && a.given("count") && !target.at_least(90)) {
    return "'count' needs sm_90 and up, this is " + target.name();
  }
  return first_of(check_both_or_neither(a, "sem", "scope"), check_value_target(a, "sem", "relaxed", Sm90, target),
                  check_value_target(a, "scope", "cluster", Sm90, target),
                  check_value_target(a, "space", "shared::cluster", Sm90, target),
                  check_range(a, "count", 1, (1 << 20) - 1), check_range(a, "byte_count", 0, (1 << 20) - 1),
                  check_range(a, "tx_count", 0, (1 << 20) - 1));
}

// The instruction on the barrier that the operands name: `before` and `after` stand around the space.
std::string on_barrier(const Arguments& a, std::string_view before, std::string_view after) {
  const bool remote = a.operand("remote") != nullptr, predicated = a.given("pred");
  const std::string at = predicated ? "@p " : "";
  std::string out;
  if (predicated) out += ".reg .pred p;\nsetp.ne.s32 p, {pred}, 0;\n";
  if (remote) out += ".reg .b32 remote;\n" + at + "mapa.shared::cluster.u32 remote, {bar}, {remote};\n";
  const std::string space = remote ? "shared::cluster" : a.given("space") ? a.text("space") : "shared";
  out += at;
  out.append(before).append(".").append(space).append(".b64 ");
  const std::size_t hole = after.find('$');
  out.append(after.substr(0, hole)).append(remote ? "remote" : "{bar}").append(after.substr(hole + 1));
  return out;
}

std::string arrive(const Arguments& a, ir::Target) {
  return on_barrier(a, "mbarrier.arrive{.sem}{.scope}", "_, [$]{count?, {count}};");
}
std::string arrive_expecting(const Arguments& a, ir::Target) {
  return on_barrier(a, "mbarrier.arrive.expect_tx{.sem}{.scope}", "_, [$], {byte_count};");
}
std::string arrive_incomplete(const Arguments& a, ir::Target) {
  return on_barrier(a, "mbarrier.arrive.noComplete.release.cta", "_, [$], {count};");
}
std::string complete(const Arguments& a, ir::Target) {
  return on_barrier(a, "mbarrier.complete_tx.{sem}.{scope}", "[$], {tx_count};");
}

constexpr std::string_view kArrive = "{@p} mbarrier.arrive{.sem.scope}.space.b64 _, [bar]{, count};",
                           kExpect = "{@p} mbarrier.arrive.expect_tx{.sem.scope}.space.b64 _, [bar], bytes;",
                           kComplete = "{@p} mbarrier.complete_tx.relaxed.scope.space.b64 [bar], bytes;";

constexpr Intrinsic kArrivalRows[] = {
    row<"bar: shared, *, count: u32 = None, " TILEWRIGHT_SEMANTICS TILEWRIGHT_SPACE ", pred: i32 = None">(
        "W1", "ptx.mbarrier.arrive", Meaning::MbarrierArrive)
        .effects<"arrives mbarrier bar[count] {space=shared} {sem=release}.{scope=cta}; when pred">()
        .cc(Sm80)
        .form("_own")
        .check(check_arrival)
        .ptx(kArrive, arrive)
        .says("One arrival on a barrier, or `count` of them, by threads whose predicate is set."),
    row<"bar: shared, *, remote: i32, count: u32 = None, " TILEWRIGHT_SEMANTICS "space: attr(|shared::cluster) = '', "
        "pred: i32 = None">("W2", "ptx.mbarrier.arrive", Meaning::MbarrierArriveRemote)
        .effects<"arrives mbarrier bar[count] at remote {sem=release}.{scope=cta}; when pred">()
        .cc(Sm90)
        .form("_of_cta")
        .check(check_arrival)
        .ptx(kArrive, arrive)
        .says("Arrives on the same barrier of CTA `remote` of the cluster, once or `count` times."),
    row<"bar: shared, byte_count: u32, *, " TILEWRIGHT_SEMANTICS TILEWRIGHT_SPACE ", pred: i32 = None">(
        "W3", "ptx.mbarrier.arrive.expect_tx", Meaning::MbarrierArriveExpectTx)
        .effects<"expects mbarrier bar[byte_count] {space=shared}; arrives mbarrier bar {space=shared} "
                 "{sem=release}.{scope=cta}; when pred">()
        .cc(Sm90)
        .form("_own")
        .check(check_arrival)
        .ptx(kExpect, arrive_expecting)
        .says("Arrives and announces bytes of asynchronous copies: the phase completes when they have landed, too."),
    row<"bar: shared, byte_count: u32, *, remote: i32, " TILEWRIGHT_SEMANTICS
        "space: attr(|shared::cluster) = '', pred: i32 = None">("W4", "ptx.mbarrier.arrive.expect_tx",
                                                                Meaning::MbarrierArriveExpectTxRemote)
        .effects<"expects mbarrier bar[byte_count] at remote; arrives mbarrier bar at remote "
                 "{sem=release}.{scope=cta}; when pred">()
        .cc(Sm90)
        .form("_of_cta")
        .check(check_arrival)
        .ptx(kExpect, arrive_expecting)
        .says("Arrives on the same barrier of CTA `remote` of the cluster and announces bytes there."),
    row<"bar: shared, count: u32, *, space: attr(shared|shared::cta) = 'shared', pred: i32 = None">(
        "W5", "ptx.mbarrier.arrive.no_complete", Meaning::MbarrierArrive)
        .effects<"arrives mbarrier bar[count] {space} release.cta; when pred">()
        .cc(Sm80)
        .check(check_arrival)
        .ptx("{@p} mbarrier.arrive.noComplete.release.cta.space.b64 _, [bar], count;", arrive_incomplete)
        .says("Arrives `count` times; the arrivals must not complete the phase."),
    row<"bar: shared, tx_count: u32, *, sem: attr(relaxed) = 'relaxed', scope: attr(cta|cluster) = 'cluster', "
        "space: attr(shared|shared::cta|shared::cluster) = 'shared::cluster', pred: i32 = None">(
        "W6", "ptx.mbarrier.complete_tx", Meaning::MbarrierCompleteTx)
        .effects<"completes mbarrier bar[tx_count] {space} relaxed.{scope}; when pred">()
        .cc(Sm90)
        .form("_own")
        .check(check_arrival)
        .ptx(kComplete, complete)
        .says("Counts bytes as landed although no copy ran."),
    row<"bar: shared, tx_count: u32, *, remote: i32, sem: attr(relaxed) = 'relaxed', scope: attr(cta|cluster) = "
        "'cluster', space: attr(shared::cluster) = 'shared::cluster', pred: i32 = None">(
        "W7", "ptx.mbarrier.complete_tx", Meaning::MbarrierCompleteTx)
        .effects<"completes mbarrier bar[tx_count] at remote relaxed.{scope}; when pred">()
        .cc(Sm90)
        .form("_of_cta")
        .check(check_arrival)
        .ptx(kComplete, complete)
        .says("Counts bytes as landed on the same barrier of CTA `remote` of the cluster."),
    row<"bar: shared, noinc: flag = False, space: attr(shared|shared::cta) = 'shared'">(
        "W8", "ptx.cp_async.mbarrier.arrive", Meaning::AsyncCopyArrive)
        .effects<"defers mbarrier bar unless noinc; arrives mbarrier bar release.cta after cp.async">()
        .cc(Sm80)
        .form("_space")
        .ptx("cp.async.mbarrier.arrive{.noinc}.{space}.b64 [{bar}];")
        .says("Makes the barrier wait for this thread's earlier copies. With noinc their end is one of the expected "
              "arrivals; without it the thread must still arrive."),
    row<"bar: shared, space: attr(shared|shared::cta) = 'shared::cta'">("W9", "ptx.cp_async.mbarrier.arrive.noinc",
                                                                        Meaning::AsyncCopyArrive)
        .effects<"arrives mbarrier bar release.cta after cp.async">()
        .cc(Sm80)
        .form("_always")
        .ptx("cp.async.mbarrier.arrive.noinc.{space}.b64 [{bar}];")
        .says("Makes the end of this thread's earlier copies one of the arrivals that the barrier expects."),
};

#undef TILEWRIGHT_SEMANTICS
#undef TILEWRIGHT_SPACE

}  // namespace

std::span<const Intrinsic> arrival_rows() { return kArrivalRows; }

}  // namespace tilewright::intrinsics
