// mbarriers: phases, parities, tokens, bytes; what goes wrong with them is told where it happens.
#include "tests/simulate/runs.h"

using namespace tilewright::testing;
using Catch::Matchers::ContainsSubstring;

namespace {

// One CTA of 64 threads with a barrier `bar` that expects `arrivals`.
std::string with_barrier(std::string_view arrivals, std::initializer_list<std::string_view> body) {
  std::string out = kernel(
      "64", "64",
      {"T.device_entry()", "T.cta_id([1])", "tid = T.thread_id([64])", "bar = T.alloc_shared([1], \"uint64\")",
       "buf = T.alloc_shared([64], \"int32\")",
       "if tid == 0:", "    T.ptx.mbarrier.init(bar.ptr_to([0]), " + std::string(arrivals) + ")", "T.cuda.cta_sync()"});
  for (std::string_view line : body) out += "    " + std::string(line) + "\n";
  return out;
}

}  // namespace

TEST_CASE("threads hand data over phase by phase") {
  Numbers b = result_of(with_barrier("32", {
                                               "for i in T.serial(5):",
                                               "    if tid < 32:",
                                               "        buf[tid] = A[tid] + i",
                                               "        T.ptx.mbarrier.arrive(bar.ptr_to([0]))",
                                               "    else:",
                                               "        T.ptx.mbarrier.wait(bar.ptr_to([0]), i % 2)",
                                               "        B[tid] = buf[tid - 32]",
                                               "    T.cuda.cta_sync()",
                                               "if tid < 32:",
                                               "    B[tid] = 0",
                                           }));
  CHECK(b({31}) == 0);
  CHECK(b({32}) == 5);
  CHECK(b({63}) == 36);
}

TEST_CASE("tokens name phases, and count what was missing") {
  Numbers b = result_of(with_barrier("64", {
                                               "state: T.uint64 = T.ptx.mbarrier.arrive_state(bar.ptr_to([0]))",
                                               "done: T.uint32 = T.uint32(0)",
                                               "while done == T.uint32(0):",
                                               "    done = T.ptx.mbarrier.try_wait_state(bar.ptr_to([0]), state)",
                                               "buf[tid] = T.cast(T.ptx.mbarrier.pending_count(state), \"int32\")",
                                               "T.cuda.cta_sync()",
                                               "sum: T.int32 = 0",
                                               "for i in T.serial(64):",
                                               "    sum = sum + buf[i]",
                                               "B[tid] = sum",
                                           }));
  CHECK(b({0}) == 64 * 65 / 2);  // each thread saw another number of missing arrivals
}

TEST_CASE("dropped arrivals are not expected again") {
  Numbers b = result_of(with_barrier("64", {
                                               "if tid >= 32:",
                                               "    T.ptx.mbarrier.arrive_drop(bar.ptr_to([0]))",
                                               "else:",
                                               "    T.ptx.mbarrier.arrive(bar.ptr_to([0]))",
                                               "T.ptx.mbarrier.wait(bar.ptr_to([0]), 0)",
                                               "if tid < 32:",
                                               "    T.ptx.mbarrier.arrive(bar.ptr_to([0]))",
                                               "T.ptx.mbarrier.wait(bar.ptr_to([0]), 1)",
                                               "B[tid] = A[tid]",
                                           }));
  CHECK(b({63}) == 64);
}

TEST_CASE("bytes belong to a phase as arrivals do") {
  Numbers b =
      result_of(with_barrier("2", {
                                      "if tid == 0:",
                                      "    T.ptx.mbarrier.expect_tx(bar.ptr_to([0]), 48)",
                                      "    T.ptx.mbarrier.arrive(bar.ptr_to([0]))",
                                      "if tid == 32:",
                                      "    buf[0] = A[7]",
                                      "    T.ptx.mbarrier.complete_tx(bar.ptr_to([0]), 16)",
                                      "    T.ptx.mbarrier.arrive(bar.ptr_to([0]))",  // completing bytes orders nothing
                                      "    T.ptx.mbarrier.complete_tx(bar.ptr_to([0]), 32)",
                                      "T.ptx.mbarrier.wait(bar.ptr_to([0]), 0)",
                                      "B[tid] = buf[0]",
                                  }));
  CHECK(b({5}) == 8);
}

TEST_CASE("arrivals reach the barriers of other CTAs") {
  Numbers b = result_of(
      kernel("2", "2",
             {"T.device_entry()",
              "rank = T.cta_id_in_cluster([2])",
              "T.cta_id([2])",
              "tid = T.thread_id([32])",
              "bar = T.alloc_shared([1], \"uint64\")",
              "word = T.alloc_shared([1], \"int32\")",
              "if tid == 0:",
              "    T.ptx.mbarrier.init(bar.ptr_to([0]), 37)",
              "    T.ptx.fence.mbarrier_init()",
              "T.cuda.cluster_sync()",
              "peer: T.let = T.ptx.map_shared_rank(bar.ptr_to([0]), 1 - rank)",
              "T.ptx.mbarrier.arrive(bar.ptr_to([0]), cta_id=1 - rank, pred=tid < 16)",  // 16
              "if tid == 0:",
              "    T.ptx.st(T.reinterpret(\"handle\", T.ptx.map_shared_rank(word.ptr_to([0]), 1 - rank)), A[rank], "
              "space=\"shared::cluster\", ptx_type=\"s32\")",
              "    T.ptx.mbarrier.arrive_remote(peer, 20)",                             // 20
              "    T.ptx.mbarrier.arrive.cluster_count(bar.ptr_to([0]), 1 - rank, 1)",  // 1
              "T.ptx.mbarrier.wait(bar.ptr_to([0]), 0, sem=\"acquire\", scope=\"cluster\")",
              "if tid == 0:",
              "    B[rank] = word[0]",
              "T.cuda.cluster_sync()"}));
  CHECK(b.values == std::vector<double>{2, 1});
}

TEST_CASE("a cluster's barrier in two halves") {
  Numbers b =
      result_of(kernel("4", "4",
                       {"T.device_entry()", "rank = T.cta_id_in_cluster([4])", "T.cta_id([4])",
                        "tid = T.thread_id([32])", "word = T.alloc_shared([1], \"int32\")",
                        "for i in T.serial(3):", "    if tid == 0:", "        word[0] = A[rank] + i",
                        "    T.ptx.barrier.cluster.arrive()", "    T.ptx.barrier.cluster.wait()", "    if tid == 0:",
                        "        B[rank] = T.ptx.ld(T.reinterpret(\"handle\", T.ptx.map_shared_rank(word.ptr_to([0]), "
                        "(rank + 1) % 4)), \"int32\", \"s32\", space=\"shared::cluster\")",
                        "    T.cuda.cluster_sync()"}));
  CHECK(b.values == std::vector<double>{4, 5, 6, 3});
}

TEST_CASE("warps that take different ways meet at named barriers") {
  Numbers b = result_of(with_barrier("1", {
                                              "if tid < 32:",
                                              "    T.ptx.bar.sync(1, 64)",
                                              "    buf[tid] = A[tid]",
                                              "    T.ptx.bar.arrive(2, 64)",
                                              "    B[tid] = 1",
                                              "else:",
                                              "    leader: T.uint32 = T.ptx.elect_sync()",
                                              "    if leader != T.uint32(0):",
                                              "        buf[63] = 5",
                                              "    T.ptx.bar.arrive(1, 64)",
                                              "    T.ptx.bar.sync(2, 64)",
                                              "    B[tid] = buf[tid - 32] + buf[63]",
                                          }));
  CHECK(b({32}) == 6);
  CHECK(b({63}) == 37);
}

TEST_CASE("an arrival that is never made is a deadlock, told at the wait") {
  std::string f = finding_of(with_barrier("2", {
                                                   "if tid == 0:",
                                                   "    T.ptx.mbarrier.arrive(bar.ptr_to([0]))",
                                                   "T.ptx.mbarrier.wait(bar.ptr_to([0]), 0)",
                                                   "B[tid] = A[tid]",
                                               }));
  CHECK_THAT(f, ContainsSubstring("TW5004 | T.ptx.mbarrier.wait(bar.ptr_to([0]), 0) |"));
  CHECK_THAT(f, ContainsSubstring("warps 0 to 1 wait here for ever"));
  CHECK_THAT(f, ContainsSubstring("phase 0 of `bar`, which lacks 1 of 2 arrivals"));
}

TEST_CASE("attempts in a loop are a deadlock as well") {
  std::string f = finding_of(with_barrier("2", {
                                                   "done: T.uint32 = T.uint32(0)",
                                                   "while done == T.uint32(0):",
                                                   "    done = T.ptx.mbarrier_test_wait_parity(bar.ptr_to([0]), 0)",
                                                   "B[tid] = A[tid]",
                                               }));
  CHECK_THAT(f, ContainsSubstring("TW5004 | done = T.ptx.mbarrier_test_wait_parity(bar.ptr_to([0]), 0) |"));
  CHECK_THAT(f, ContainsSubstring("lacks 2 of 2 arrivals"));
}

TEST_CASE("bytes that nothing copies") {
  const std::string expects = "    T.ptx.mbarrier.arrive.expect_tx(bar.ptr_to([0]), 512)";
  SECTION("a thread waits") {
    std::string f = finding_of(
        with_barrier("1", {"if tid == 0:", expects, "T.ptx.mbarrier.wait(bar.ptr_to([0]), 0)", "B[tid] = A[tid]"}));
    CHECK_THAT(f, ContainsSubstring("TW5004 | T.ptx.mbarrier.wait(bar.ptr_to([0]), 0) |"));
    CHECK_THAT(f, ContainsSubstring("lacks 512 bytes"));
  }
  SECTION("nothing waits") {
    std::string f = finding_of(with_barrier("1", {"if tid == 0:", expects, "B[tid] = A[tid]"}));
    CHECK_THAT(f, ContainsSubstring("TW5014 | T.ptx.mbarrier.init(bar.ptr_to([0]), 1) |"));
    CHECK_THAT(f, ContainsSubstring("still expects 512 bytes"));
  }
}

TEST_CASE("barriers misused") {
  auto first = [](std::initializer_list<std::string_view> body) { return finding_of(with_barrier("1", body)); };
  CHECK_THAT(first({"T.ptx.mbarrier.arrive(bar.ptr_to([0]))", "T.ptx.mbarrier.arrive(bar.ptr_to([0]), 3, 1)"}),
             ContainsSubstring("TW5013 | T.ptx.mbarrier.arrive(bar.ptr_to([0]), 3, 1) |"));
  CHECK_THAT(finding_of(with_barrier("70", {"T.ptx.mbarrier.arrive(bar.ptr_to([0]))",
                                            "T.ptx.mbarrier.arrive(bar.ptr_to([0]))", "B[tid] = A[tid]"})),
             ContainsSubstring("clean"));
  CHECK_THAT(first({"if tid == 0:", "    T.ptx.mbarrier.expect_tx(bar.ptr_to([0]), 16)",
                    "    T.ptx.mbarrier.arrive(bar.ptr_to([0]))", "    T.ptx.mbarrier.arrive(bar.ptr_to([0]))"}),
             ContainsSubstring("has all of its 1 arrivals and lacks 16 bytes"));
  CHECK_THAT(first({"T.ptx.mbarrier.wait(bar.ptr_to([0]), 2)"}),
             ContainsSubstring("a phase's parity is 0 or 1, this is 2"));
  CHECK_THAT(first({"T.ptx.mbarrier.inval(bar.ptr_to([0]))"}),
             ContainsSubstring("never initialised"));  // by the second thread
  CHECK_THAT(
      first({"spare = T.alloc_shared([2], \"uint64\")", "T.ptx.mbarrier.arrive(spare.ptr_to([1]))"}),
      ContainsSubstring("TW5013 | T.ptx.mbarrier.arrive(spare.ptr_to([1])) | an arrival on a barrier that was never"));
}
