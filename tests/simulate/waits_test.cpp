// Who waits for whom, in which phase: deadlocks, phases that depend on luck, barriers that not all come to, registers
// of warpgroups. Each finding with its line and the lines that belong to it.
#include "tests/simulate/runs.h"

using namespace tilewright;
using namespace tilewright::testing;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

namespace {

// `warps` warps, with barriers `full` and `empty` of two stages for `arrivals` each, and a ring of two buffers.
std::string with_ring(int warps, std::string_view empty_arrivals, std::initializer_list<std::string_view> body) {
  std::string out =
      kernel("1024", "1024",
             {"T.device_entry()", "T.cta_id([1])", "warp = T.warp_id([" + std::to_string(warps) + "])",
              "lane = T.lane_id([32])", "tid = T.thread_id([" + std::to_string(warps * 32) + "])",
              "full = T.alloc_shared([2], \"uint64\")", "empty = T.alloc_shared([2], \"uint64\")",
              "buf = T.alloc_shared([2, 128], \"int32\", align=128)",
              "if tid == 0:", "    for s in T.serial(2):", "        T.ptx.mbarrier.init(full.ptr_to([s]), 1)",
              "        T.ptx.mbarrier.init(empty.ptr_to([s]), " + std::string(empty_arrivals) + ")",
              "    T.ptx.fence.mbarrier_init()", "T.cuda.cta_sync()"});
  for (std::string_view line : body) out += "    " + std::string(line) + "\n";
  return out;
}

// One producing lane and one warp that reads, with what the test wants at three places.
struct Ring {
  std::string empty_wait = "T.ptx.mbarrier.wait(empty.ptr_to([k % 2]), (k // 2 + 1) % 2)";
  std::string full_wait = "T.ptx.mbarrier.wait(full.ptr_to([k % 2]), k // 2 % 2)";
  std::string bytes = "512";
  std::string arrivals = "32";
  std::string release = "T.ptx.mbarrier.arrive(empty.ptr_to([k % 2]))";

  std::string text() const {
    return with_ring(
        2, arrivals,
        {"if warp == 0:", "    if lane == 0:", "        for k in T.serial(8):", "            " + empty_wait,
         "            T.ptx.mbarrier.arrive.expect_tx(full.ptr_to([k % 2]), " + bytes + ")",
         "            T.ptx.cp_async_bulk_g2s_cluster(buf.ptr_to([k % 2, 0]), A.ptr_to([k * 128]), 512, "
         "full.ptr_to([k % 2]))",
         "else:", "    for k in T.serial(8):", "        " + full_wait, "        for i in T.serial(4):",
         "            B[k * 128 + i * 32 + lane] = buf[k % 2, i * 32 + lane]", "        " + release});
  }
};

// The first finding of a schedule with one of these codes: its line, its message, and the lines that belong to it.
std::string told(const std::string& script, std::string_view code, simulate::Timing timing = simulate::Timing::Latest,
                 std::string_view arch = "sm_90a") {
  Runs runs(script, arch);
  const Runs::Kernel& k = runs.kernels()[0];
  simulate::Options options;
  options.timing = timing;
  options.races = true;
  options.max_steps = 20'000'000;
  simulate::Result r = runs.run(k, runs.inputs(k, [](std::int64_t i) { return static_cast<double>(i + 1); }), options);
  for (const simulate::Finding& f : r.findings) {
    if (f.code != code) continue;
    std::string out = runs.line(f) + " | " + f.message;
    for (const auto& related : f.related) out += "\n" + runs.line(related.origin.span) + " | " + related.message;
    return out;
  }
  return r.findings.empty() ? "clean" : said(r);
}

}  // namespace

TEST_CASE("a ring works in every order") { CHECK(result_of(Ring().text()).values[1023] == 1024); }

TEST_CASE("a deadlock is a ring of who waits for whom") {
  Ring ring;
  ring.empty_wait = "T.ptx.mbarrier.wait(empty.ptr_to([k % 2]), k // 2 % 2)";
  const std::string f = told(ring.text(), "TW5004");
  CHECK_THAT(f,
             StartsWith(ring.empty_wait + " | thread 0 waits here for ever for phase 0 of `empty[0]`, which lacks 32 "
                                          "of 32 arrivals; it would come from warp 1, which waits for phase 0 of "
                                          "`full[0]`, which lacks 1 of 1 arrivals; it would come from thread 0, which "
                                          "waits for that in turn\n"));
  CHECK_THAT(
      f, ContainsSubstring("\n" + ring.release + " | this would let thread 0 go on, and warp 1 has not come to it"));
  CHECK_THAT(f, ContainsSubstring("\n" + ring.full_wait + " | warp 1 waits here for phase 0 of `full[0]`"));
  CHECK_THAT(f,
             ContainsSubstring("\nT.ptx.mbarrier.arrive.expect_tx(full.ptr_to([k % 2]), 512) | this would let warp 1"));
}

TEST_CASE("a deadlock that starts where something is missing is told there") {
  Ring ring;
  SECTION("an arrival too few") {
    ring.arrivals = "33";
    const std::string f = told(ring.text(), "TW5004");
    CHECK_THAT(f,
               StartsWith(ring.empty_wait + " | thread 0 waits here for ever for phase 0 of `empty[0]`, which lacks 1 "
                                            "of 33 arrivals; no running thread can complete that"));
    CHECK_THAT(f, ContainsSubstring("T.ptx.mbarrier.init(empty.ptr_to([s]), 33) | `empty[0]` is initialised for 33"));
  }
  SECTION("bytes too few") {
    ring.bytes = "1024";
    CHECK_THAT(told(ring.text(), "TW5004"),
               StartsWith(ring.full_wait + " | warp 1 waits here for ever for phase 0 of `full[0]`, which lacks 512 of "
                                           "1024 bytes; no running thread can complete that"));
  }
  SECTION("bytes too many") {
    ring.bytes = "256";
    CHECK_THAT(told(ring.text(), "TW5004"), ContainsSubstring("which has 256 bytes that expect_tx did not announce"));
  }
  SECTION("all others have exited") {
    ring.release = "T.ptx.mbarrier.arrive(full.ptr_to([k % 2]))";
    CHECK_THAT(told(ring.text(), "TW5004", simulate::Timing::Earliest),
               ContainsSubstring("no running thread can complete"));
  }
}

TEST_CASE("barriers of the hardware belong to the ring as well") {
  const std::string f = told(with_ring(2, "1",
                                       {"if warp == 0:", "    T.ptx.mbarrier.wait(full.ptr_to([0]), 0)",
                                        "    T.ptx.bar.arrive(1, 64)", "else:", "    T.ptx.bar.sync(1, 64)",
                                        "    if lane == 0:", "        T.ptx.mbarrier.arrive(full.ptr_to([0]))"}),
                             "TW5004");
  CHECK_THAT(
      f, StartsWith("T.ptx.mbarrier.wait(full.ptr_to([0]), 0) | warp 0 waits here for ever for phase 0 of `full[0]`"));
  CHECK_THAT(f, ContainsSubstring("which waits at named barrier 1, where 32 of 64 threads have come"));
  CHECK_THAT(
      f, ContainsSubstring("\nT.ptx.bar.arrive(1, 64) | this would let warp 1 go on, and warp 0 has not come to it"));
  // A wait that ends behind itself.
  CHECK_THAT(told(with_ring(1, "1",
                            {"T.ptx.mbarrier.wait(full.ptr_to([1]), 0)",
                             "if lane == 0:", "    T.ptx.mbarrier.arrive(full.ptr_to([1]))"}),
                  "TW5004"),
             ContainsSubstring("it would come only after this very wait"));
}

TEST_CASE("a producer that does not wait laps its consumers in some order") {
  // The copies of this order are done before the next turn begins.
  Ring ring;
  ring.empty_wait = "T.evaluate(0)";
  const std::string f = told(ring.text(), "TW5040", simulate::Timing::Earliest);
  CHECK_THAT(f, StartsWith("T.ptx.mbarrier.arrive.expect_tx(full.ptr_to([k % 2]), 512) | warp 0 counts in phase 1 of "
                           "`full[0]` here, and may do so while phase 0 is under way"));
  CHECK_THAT(f, ContainsSubstring("T.ptx.cp_async_bulk_g2s_cluster("));
}

TEST_CASE("a slow waiter is lapped when others give its slot back") {
  // Two warps read each slot, and one of them speaks for both.
  auto script = [](std::string_view release) {
    return with_ring(
        3, "1",
        {"if warp == 0:", "    if lane == 0:", "        for k in T.serial(8):",
         "            T.ptx.mbarrier.wait(empty.ptr_to([k % 2]), (k // 2 + 1) % 2)",
         "            T.ptx.mbarrier.arrive(full.ptr_to([k % 2]))",
         "else:", "    for k in T.serial(8):", "        T.ptx.mbarrier.wait(full.ptr_to([k % 2]), k // 2 % 2)", release,
         "        if warp == 1 and lane == 0:", "            T.ptx.mbarrier.arrive(empty.ptr_to([k % 2]))"});
  };
  const std::string f = told(script("        T.evaluate(0)"), "TW5040");
  CHECK_THAT(
      f, StartsWith("T.ptx.mbarrier.wait(full.ptr_to([k % 2]), k // 2 % 2) | warp 2 may come to this wait for phase "
                    "0 of `full[0]` when phase 1 is over as well"));
  CHECK_THAT(f, ContainsSubstring("T.ptx.mbarrier.arrive(full.ptr_to([k % 2])) | warp 0 brings phase 1 to its end"));
  CHECK(told(script("        T.ptx.bar.sync(1, 64)"), "TW5040") == "clean");
}

TEST_CASE("a wait that skips a phase may pass at once") {
  auto script = [](std::string_view first) {
    return with_ring(
        2, "1",
        {"if warp == 0:", "    if lane == 0:", "        T.ptx.mbarrier.arrive(full.ptr_to([0]))",
         "        T.ptx.mbarrier.wait(empty.ptr_to([0]), 0)", "        T.ptx.mbarrier.arrive(full.ptr_to([0]))",
         "else:", first, "    if lane == 0:", "        T.ptx.mbarrier.arrive(empty.ptr_to([0]))",
         "    T.ptx.mbarrier.wait(full.ptr_to([0]), 1)"});
  };
  CHECK(told(script("    T.ptx.mbarrier.wait(full.ptr_to([0]), 0)"), "TW5040") == "clean");
  CHECK_THAT(
      told(script("    T.evaluate(0)"), "TW5040"),
      StartsWith("T.ptx.mbarrier.wait(full.ptr_to([0]), 1) | warp 1 waits here for phase 1 of `full[0]` and may come "
                 "while phase 0 is under way"));
}

TEST_CASE("flags in memory order waits as barriers do") {
  auto script = [](std::string_view told_by) {
    return with_ring(2, "1",
                     {"flag = T.alloc_shared([1], \"int32\")", "x: T.int32 = 0", "if tid == 0:", "    flag[0] = 0",
                      "T.cuda.cta_sync()", "if warp == 0:", "    T.ptx.mbarrier.wait(full.ptr_to([0]), 0)",
                      "    T.cuda.warp_sync()", "    if lane == 0:",
                      "        T.ptx.red_scalar(flag.ptr_to([0]), 1, op=\"add\", ptx_type=\"s32\", sem=\"release\", "
                      "scope=\"cta\", space=\"shared\")",
                      "elif lane == 0:", "    T.ptx.mbarrier.arrive(full.ptr_to([0]))", told_by,
                      "    T.ptx.mbarrier.arrive(full.ptr_to([0]))"});
  };
  CHECK(told(script("    while x == 0:\n            x = T.ptx.ld_acquire(flag.ptr_to([0]), \"int32\", \"s32\", "
                    "space=\"shared\", scope=\"cta\")"),
             "TW5040") == "clean");
  CHECK_THAT(told(script("    T.evaluate(0)"), "TW5040"),
             ContainsSubstring("may come to this wait for phase 0 of `full[0]`"));
}

TEST_CASE("one named barrier for two groups that nothing orders") {
  auto script = [](std::string_view second) {
    return with_ring(4, "1", {"if warp < 2:", "    T.ptx.bar.sync(1, 64)", "else:", second});
  };
  const std::string f = told(script("    T.ptx.bar.sync(1, 64)"), "TW5040");
  CHECK_THAT(f, StartsWith("T.ptx.bar.sync(1, 64) | warp 2 comes to named barrier 1 here, and warp "));
  CHECK(told(script("    T.ptx.bar.sync(2, 64)"), "TW5040") == "clean");
  // cta_sync is barrier 0.
  CHECK_THAT(told(with_ring(4, "1", {"if warp < 2:", "    T.ptx.bar.sync(0, 64)", "T.cuda.cta_sync()"}), "TW5040"),
             ContainsSubstring("comes to barrier 0, which T.cuda.cta_sync() uses"));
  // Producers and consumers that hand a slot to and fro.
  CHECK(told(with_ring(2, "1",
                       {"for k in T.serial(4):", "    if warp == 0:", "        T.ptx.bar.sync(1, 64)",
                        "        T.ptx.bar.arrive(2, 64)", "    else:", "        T.ptx.bar.arrive(1, 64)",
                        "        T.ptx.bar.sync(2, 64)"}),
             "TW5040") == "clean");
}

TEST_CASE("named barriers count whole warps") {
  CHECK_THAT(told(with_ring(2, "1", {"n: T.int32 = A[47]", "T.ptx.bar.sync(1, n)"}), "TW5015"),
             ContainsSubstring("48 threads are no multiple"));
  CHECK_THAT(
      told(with_ring(2, "1", {"if warp == 0:", "    T.ptx.bar.sync(1, 64)", "else:", "    T.ptx.bar.sync(1, 32)"}),
           "TW5005"),
      ContainsSubstring("named barrier 1 is for"));
  const std::string half = told(with_ring(2, "1", {"if lane < 16:", "    T.ptx.bar.sync(1, 32)"}), "TW5005");
  CHECK_THAT(half,
             StartsWith("T.ptx.bar.sync(1, 32) | lane 0 of warp 0 waits here and lane 16 has ended without coming"));
}

TEST_CASE("a barrier in a branch that not all threads take") {
  auto first = [](std::initializer_list<std::string_view> body) { return told(with_ring(4, "1", body), "TW5005"); };
  CHECK_THAT(first({"if lane < 16:", "    T.cuda.cta_sync()"}),
             StartsWith("T.cuda.cta_sync() | lane 0 of warp 0 waits here and lane 16 has ended without coming"));
  CHECK_THAT(first({"if warp < 2:", "    T.cuda.cta_sync()"}),
             ContainsSubstring("warp 0 waits here for the whole CTA, and thread 127 has ended without coming"));
  const std::string apart =
      first({"if lane < 16:", "    B[tid] = 1", "    T.cuda.cta_sync()", "else:", "    T.cuda.cta_sync()"});
  CHECK_THAT(apart,
             ContainsSubstring("warp 0 is split over two barriers: lane 0 waits here and lane 16 at another call"));
  CHECK_THAT(apart, ContainsSubstring("\nT.cuda.cta_sync() | lane 16 waits here"));
  // Whole warps that take different ways come to a call of their own: that is worth a look.
  CHECK_THAT(first({"if warp < 2:", "    B[tid] = 1", "    T.cuda.cta_sync()", "else:", "    T.cuda.cta_sync()"}),
             ContainsSubstring("warp 0 waits for the CTA here and warp 3 at another call"));
}

TEST_CASE("a warp that is split over two named barriers is told, not the warps that wait for it") {
  const std::string f =
      told(with_ring(4, "1",
                     {"if warp == 1:", "    if lane < 16:", "        T.ptx.bar.sync(1, 64)",
                      "    else:", "        T.ptx.bar.sync(2, 64)", "if warp == 0:", "    T.ptx.bar.sync(1, 64)",
                      "if warp == 2:", "    T.ptx.bar.sync(2, 64)"}),
           "TW5005");
  CHECK_THAT(f, ContainsSubstring("warp 1 is split over two barriers: lane 0 waits here and lane 16 at another call"));
  CHECK_THAT(f, ContainsSubstring("lane 16 waits here"));
}

TEST_CASE("warp-wide instructions need the whole warp") {
  const std::string f = told(with_ring(1, "1",
                                       {"if lane < 16:", "    x: T.uint32 = T.ptx.elect_sync()",
                                        "    B[tid] = T.cast(x, \"int32\")", "else:", "    T.cuda.warp_sync()"}),
                             "TW5006");
  CHECK_THAT(f,
             StartsWith("x: T.uint32 = T.ptx.elect_sync() | 16 lanes of warp 0 (the first is thread 0) wait here for "
                        "ever for the other lanes of its warp, 16 of 32 are here"));
  CHECK_THAT(f, ContainsSubstring("\nT.cuda.warp_sync() | 16 lanes of warp 0 (the first is thread 16) wait here"));
}

TEST_CASE("registers of warpgroups") {
  auto first = [](std::initializer_list<std::string_view> body) { return told(with_ring(12, "1", body), "TW5041"); };
  CHECK(first({"if warp < 4:", "    T.ptx.setmaxnreg(False, 40)", "else:", "    T.ptx.setmaxnreg(True, 232)"}) ==
        "clean");
  CHECK_THAT(first({"if warp == 0:", "    T.ptx.setmaxnreg(False, 40)"}),
             StartsWith("T.ptx.setmaxnreg(False, 40) | warp 0 sets its registers to 40 here, and warp 1 of the same "
                        "warpgroup does not"));
  CHECK_THAT(first({"T.ptx.setmaxnreg(False, 200)"}), ContainsSubstring("the launch gives each thread at most 168"));
  CHECK_THAT(first({"T.ptx.setmaxnreg(False, 40)", "T.ptx.setmaxnreg(False, 64)"}),
             ContainsSubstring("each thread has 40"));
  // More than there are: a warp that takes them waits for ever.
  CHECK_THAT(
      told(with_ring(12, "1",
                     {"if warp < 4:", "    T.ptx.setmaxnreg(False, 40)", "else:", "    T.ptx.setmaxnreg(True, 240)"}),
           "TW5004"),
      StartsWith("T.ptx.setmaxnreg(True, 240) | warp 11 waits here for ever for 2304 more registers"));
}
