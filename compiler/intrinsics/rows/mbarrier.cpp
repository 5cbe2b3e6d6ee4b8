// mbarrier: objects in shared memory that count arrivals and transferred bytes, phase after phase.
#include "compiler/intrinsics/checks.h"
#include "compiler/intrinsics/rows/rows.h"

namespace tilewright::intrinsics {
namespace {

using enum Availability;

Failure check_semantics(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target) {
  Arguments a(row, args);
  return first_of(check_both_or_neither(a, "sem", "scope"), check_value_target(a, "sem", "relaxed", Sm90, target),
                  check_value_target(a, "scope", "cluster", Sm90, target));
}

Failure check_count(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target) {
  Arguments a(row, args);
  return first_of(check_range(a, "thread_count", 1, (1 << 20) - 1), check_range(a, "count", 1, (1 << 20) - 1));
}

Failure check_bytes(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target) {
  return check_range(Arguments(row, args), "byte_count", 0, (1 << 20) - 1);
}

// Spins until `attempt` sets the predicate `done`.
#define TILEWRIGHT_SPIN(ATTEMPT) \
  ".reg .pred done;\nLAB_WAIT:\n" ATTEMPT "\n@done bra LAB_DONE;\nbra LAB_WAIT;\nLAB_DONE:\n"
// One attempt, its outcome as 0 or 1.
#define TILEWRIGHT_ATTEMPT(ATTEMPT) ".reg .pred done;\n" ATTEMPT "\nselp.u32 {=}, 1, 0, done;"
// On the barrier that `bar` is in another CTA of the cluster, by threads whose `pred` is set.
#define TILEWRIGHT_REMOTE(INSTRUCTION)                            \
  ".reg .pred p;\n.reg .b32 remote;\nsetp.ne.s32 p, {pred}, 0;\n" \
  "@p mapa.shared::cluster.u32 remote, {bar}, {cta_id};\n@p " INSTRUCTION

// sm_80 has no try_wait: there the loop polls.
std::string blocking_wait(const Arguments& a, ir::Target target) {
  if (!target.at_least(90)) return TILEWRIGHT_SPIN("mbarrier.test_wait.parity.shared.b64 done, [{bar}], {phase};");
  if (!a.given("sem") && a.given("scope")) {
    return TILEWRIGHT_SPIN("mbarrier.try_wait.parity.acquire.{scope}.shared::cta.b64 done, [{bar}], {phase};");
  }
  return TILEWRIGHT_SPIN("mbarrier.try_wait.parity{.sem}{.scope}.shared::cta.b64 done, [{bar}], {phase};");
}

Failure check_blocking_wait(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target) {
  Arguments a(row, args);
  if (a.given("sem") && !a.given("scope")) return "'sem' needs a 'scope'";
  return first_of(check_value_target(a, "sem", "relaxed", Sm90, target),
                  check_value_target(a, "scope", "cluster", Sm90, target));
}

Failure check_arrive_state(const Intrinsic& row, std::span<const ir::Expr> args, ir::Target target) {
  Arguments a(row, args);
  if (a.given("count") && !target.at_least(90)) return "'count' needs sm_90 and up, this is " + target.name();
  return check_count(row, args, target);
}

constexpr Intrinsic kMbarrierRows[] = {
    row<"bar: shared, thread_count: u32">("P1", "ptx.mbarrier.init", Meaning::MbarrierInit)
        .effects<"inits mbarrier bar[thread_count]; by one">()
        .cc(Sm80)
        .check(check_count)
        .ptx("mbarrier.init.shared.b64 [{bar}], {thread_count};")
        .says("Makes the barrier ready for its first phase, which completes after that many arrivals. One thread does "
              "it; "
              "a fence.mbarrier_init and a CTA or cluster sync let the others see it."),
    row<"bar: shared">("P2", "ptx.mbarrier.arrive", Meaning::MbarrierArrive)
        .effects<"arrives mbarrier bar release.cta">()
        .cc(Sm80)
        .ptx("mbarrier.arrive.shared.b64 _, [{bar}];")
        .says("One arrival on a barrier of this CTA; earlier writes of this thread are visible to who waits on the "
              "phase."),
    row<"bar: shared, cta_id: i32, pred: i32">("P3", "ptx.mbarrier.arrive", Meaning::MbarrierArriveRemote)
        .effects<"arrives mbarrier bar at cta_id release.cta; when pred">()
        .cc(Sm90)
        .ptx(TILEWRIGHT_REMOTE("mbarrier.arrive.shared::cluster.b64 _, [remote];"))
        .says("One arrival on the same barrier of another CTA of the cluster, by threads whose predicate is set."),
    row<"bar: shared, cta_id: i32, pred: i32, count: u32">("P4", "ptx.mbarrier.arrive", Meaning::MbarrierArriveRemote)
        .effects<"arrives mbarrier bar[count] at cta_id release.cta; when pred">()
        .cc(Sm90)
        .check(check_count)
        .ptx(TILEWRIGHT_REMOTE("mbarrier.arrive.shared::cluster.b64 _, [remote], {count};"))
        .says("Several arrivals at once on the same barrier of another CTA of the cluster."),
    row<"bar: shared, cta_id: i32, count: u32">("P5", "ptx.mbarrier.arrive.cluster_count",
                                                Meaning::MbarrierArriveRemote)
        .effects<"arrives mbarrier bar[count] at cta_id release.cta">()
        .cc(Sm90)
        .check(check_count)
        .ptx(".reg .b32 remote;\nmapa.shared::cluster.u32 remote, {bar}, {cta_id};\n"
             "mbarrier.arrive.shared::cluster.b64 _, [remote], {count};")
        .says("Several arrivals at once on the same barrier of another CTA of the cluster, by every thread."),
    row<"bar: shared, byte_count: u32">("P6", "ptx.mbarrier.arrive.expect_tx", Meaning::MbarrierArriveExpectTx)
        .effects<"expects mbarrier bar[byte_count]; arrives mbarrier bar release.cta">()
        .cc(Sm90)
        .check(check_bytes)
        .ptx("mbarrier.arrive.expect_tx.shared.b64 _, [{bar}], {byte_count};")
        .says("Arrives and announces bytes of asynchronous copies: the phase completes when they have landed, too."),
    row<"bar: shared, byte_count: u32, cta_id: i32, pred: i32 = True">("P7", "ptx.mbarrier.arrive.expect_tx",
                                                                       Meaning::MbarrierArriveExpectTxRemote)
        .effects<"expects mbarrier bar[byte_count] at cta_id; arrives mbarrier bar at cta_id release.cta; "
                 "when pred">()
        .cc(Sm90)
        .check(check_bytes)
        .ptx(TILEWRIGHT_REMOTE("mbarrier.arrive.expect_tx.shared::cluster.b64 _, [remote], {byte_count};"))
        .says("Arrives on the same barrier of another CTA of the cluster and announces bytes there."),
    row<"bar: shared, phase: u32">("P8", "ptx.mbarrier.try_wait", Meaning::MbarrierWait)
        .effects<"waits mbarrier bar acquire.cta">()
        .cc(Sm90)
        .ptx(TILEWRIGHT_SPIN("mbarrier.try_wait.parity.shared::cta.b64 done, [{bar}], {phase}, 0x989680;"))
        .says("Blocks until the phase of this parity has completed."),
    row<"bar: shared, phase: u32, ticks: u32">("P9", "ptx.mbarrier.try_wait_once", Meaning::MbarrierTestWait)
        .effects<"tests mbarrier bar acquire.cta">()
        .cc(Sm90)
        .returns<ir::kUInt32>()
        .ptx(TILEWRIGHT_ATTEMPT("mbarrier.try_wait.parity.shared::cta.b64 done, [{bar}], {phase}, {ticks};"))
        .says("Waits for the phase at most about this many nanoseconds; 1 when it has completed."),
    row<"bar: shared, phase: u32">("P10", "ptx.mbarrier.try_wait_acquire_cluster", Meaning::MbarrierWait)
        .effects<"waits mbarrier bar acquire.cluster">()
        .cc(Sm90)
        .ptx(TILEWRIGHT_SPIN("mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [{bar}], {phase};"))
        .says("Blocks until the phase has completed and makes writes of the whole cluster before it visible."),
    row<"barrier: shared, phase: u32, *, sem: attr(|acquire|relaxed) = '', scope: attr(|cta|cluster) = '', "
        "space: attr(shared|shared::cta) = 'shared::cta'">("P11", "ptx.mbarrier_test_wait_parity",
                                                           Meaning::MbarrierTestWait)
        .effects<"tests mbarrier barrier {space} {sem=acquire}.{scope=cta}">()
        .cc(Sm80)
        .returns<ir::kUInt32>()
        .check(check_semantics)
        .ptx(TILEWRIGHT_ATTEMPT("mbarrier.test_wait.parity{.sem}{.scope}.{space}.b64 done, [{barrier}], {phase};"))
        .says("Asks without waiting whether the phase of this parity has completed; 1 when it has."),
    row<"bar: shared, phase: u32, *, sem: attr(|acquire|relaxed) = '', scope: attr(|cta|cluster) = ''">(
        "E2", "ptx.mbarrier.wait", Meaning::MbarrierWait)
        .effects<"waits mbarrier bar {sem=acquire}.{scope=cta}">()
        .cc(Sm80)
        .check(check_blocking_wait)
        .ptx(TILEWRIGHT_SPIN("mbarrier.try_wait.parity{.sem}{.scope}.shared::cta.b64 done, [{bar}], {phase};"),
             blocking_wait)
        .says("Blocks until the phase of this parity has completed, on every target: sm_80 polls with test_wait. "
              "scope='cluster' also acquires what other CTAs of the cluster wrote (E30)."),
    row<"bar: shared, count: u32 = None">("E4", "ptx.mbarrier.arrive_state", Meaning::MbarrierArriveState)
        .effects<"arrives mbarrier bar[count] release.cta">()
        .cc(Sm80)
        .returns<ir::kUInt64>()
        .check(check_arrive_state)
        .ptx("mbarrier.arrive.shared.b64 {=}, [{bar}]{count?, {count}};")
        .says("Arrives and returns the barrier's state: the token that names the phase to wait for."),
    row<"bar: shared, state: u64, *, sem: attr(|acquire|relaxed) = '', scope: attr(|cta|cluster) = ''">(
        "E5", "ptx.mbarrier.test_wait_state", Meaning::MbarrierTestWaitState)
        .effects<"tests mbarrier bar {sem=acquire}.{scope=cta}">()
        .cc(Sm80)
        .returns<ir::kUInt32>()
        .check(check_semantics)
        .ptx(TILEWRIGHT_ATTEMPT("mbarrier.test_wait{.sem}{.scope}.shared::cta.b64 done, [{bar}], {state};"))
        .says("Asks without waiting whether the phase of a token has completed."),
    row<"bar: shared, state: u64, *, ticks: u32 = None, sem: attr(|acquire|relaxed) = '', scope: attr(|cta|cluster) = "
        "''">("E6", "ptx.mbarrier.try_wait_state", Meaning::MbarrierTestWaitState)
        .effects<"tests mbarrier bar {sem=acquire}.{scope=cta}">()
        .cc(Sm90)
        .returns<ir::kUInt32>()
        .check(check_semantics)
        .ptx(TILEWRIGHT_ATTEMPT(
            "mbarrier.try_wait{.sem}{.scope}.shared::cta.b64 done, [{bar}], {state}{ticks?, {ticks}};"))
        .says("Waits a limited time for the phase of a token; 1 when it has completed."),
    row<"bar: shared, byte_count: u32, *, scope: attr(cta|cluster) = 'cta', space: attr(shared::cta|shared::cluster) = "
        "'shared::cta'">("E7", "ptx.mbarrier.expect_tx", Meaning::MbarrierExpectTx)
        .effects<"expects mbarrier bar[byte_count] {space} relaxed.{scope}">()
        .cc(Sm90)
        .check(check_bytes)
        .ptx("mbarrier.expect_tx.relaxed.{scope}.{space}.b64 [{bar}], {byte_count};")
        .says("Announces bytes on the current phase without arriving."),
    row<"bar: shared, byte_count: u32, *, scope: attr(cta|cluster) = 'cta', space: attr(shared::cta|shared::cluster) = "
        "'shared::cta'">("E8", "ptx.mbarrier.complete_tx", Meaning::MbarrierCompleteTx)
        .effects<"completes mbarrier bar[byte_count] {space} relaxed.{scope}">()
        .cc(Sm90)
        .check(check_bytes)
        .ptx("mbarrier.complete_tx.relaxed.{scope}.{space}.b64 [{bar}], {byte_count};")
        .says("Counts bytes as landed although no copy ran: for tests and simulations of a copy."),
    row<"bar: shared, count: u32 = None">("E9", "ptx.mbarrier.arrive_drop", Meaning::MbarrierArriveDrop)
        .effects<"drops mbarrier bar[count] release.cta">()
        .cc(Sm80)
        .check(check_arrive_state)
        .ptx("mbarrier.arrive_drop.shared::cta.b64 _, [{bar}]{count?, {count}};")
        .says("Arrives for the last time: later phases expect one arrival less (or `count` fewer)."),
    row<"bar: shared">("E10", "ptx.mbarrier.inval", Meaning::MbarrierInval)
        .effects<"invalidates mbarrier bar; by one">()
        .cc(Sm80)
        .ptx("mbarrier.inval.shared::cta.b64 [{bar}];")
        .says("Ends the life of a barrier; its memory may serve something else."),
    row<"state: u64">("E11", "ptx.mbarrier.pending_count", Meaning::MbarrierPendingCount)
        .cc(Sm80)
        .returns<ir::kUInt32>()
        .movable()
        .ptx("mbarrier.pending_count.b64 {=}, {state};")
        .says("The arrivals that were still missing when the token was taken."),
    row<"bar: remote, count: u32 = None, *, sem: attr(release|relaxed) = 'release'">(
        "E26", "ptx.mbarrier.arrive_remote", Meaning::MbarrierArriveRemote)
        .effects<"arrives mbarrier bar[count] {sem}.cluster">()
        .cc(Sm90)
        .check(check_count)
        .ptx("mbarrier.arrive.{sem}.cluster.shared::cluster.b64 _, [{bar}]{count?, {count}};")
        .says("Arrives on a barrier of another CTA whose address was mapped before (map_shared_rank)."),
    row<"bar: shared, byte_count: u32">("E27", "ptx.mbarrier.arrive_expect_tx_cluster", Meaning::MbarrierArriveExpectTx)
        .effects<"expects mbarrier bar[byte_count]; arrives mbarrier bar release.cluster">()
        .cc(Sm90)
        .check(check_bytes)
        .ptx("mbarrier.arrive.expect_tx.release.cluster.shared::cta.b64 _, [{bar}], {byte_count};")
        .says("Arrives on a barrier of this CTA with release at cluster scope and announces bytes that peers will "
              "store."),
    row<"bar: remote, byte_count: u32">("E28", "ptx.mbarrier.arrive_expect_tx_remote",
                                        Meaning::MbarrierArriveExpectTxRemote)
        .effects<"expects mbarrier bar[byte_count]; arrives mbarrier bar release.cluster">()
        .cc(Sm90)
        .check(check_bytes)
        .ptx("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [{bar}], {byte_count};")
        .says("Arrives on a mapped barrier of another CTA and announces bytes there."),
    row<"bar: shared, phase: u32, *, sem: attr(|acquire|relaxed) = '', scope: attr(|cta|cluster) = '', ticks: u32 = "
        "None">("E29", "ptx.mbarrier.try_wait_parity", Meaning::MbarrierTestWait)
        .effects<"tests mbarrier bar {sem=acquire}.{scope=cta}">()
        .cc(Sm90)
        .returns<ir::kUInt32>()
        .check(check_semantics)
        .ptx(TILEWRIGHT_ATTEMPT(
            "mbarrier.try_wait.parity{.sem}{.scope}.shared::cta.b64 done, [{bar}], {phase}{ticks?, {ticks}};"))
        .says("Waits a limited time for the phase of this parity; 1 when it has completed."),
};

#undef TILEWRIGHT_SPIN
#undef TILEWRIGHT_ATTEMPT
#undef TILEWRIGHT_REMOTE

}  // namespace

std::span<const Intrinsic> mbarrier_rows() { return kMbarrierRows; }

}  // namespace tilewright::intrinsics
