// Clusters of a launch: those that wait for one another run together, those that do not run on several cores with the
// same answers, and a part of them can be run alone.
#include "tests/simulate/runs.h"

using namespace tilewright;
using namespace tilewright::testing;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

namespace {

// Four CTAs of 32 threads; `C` holds flags that begin at 0.
std::string with_flags(std::initializer_list<std::string_view> body) {
  std::string out =
      "from tvm.script import tirx as T\n\n"
      "@T.prim_func\n"
      "def k(A_ptr: T.handle, B_ptr: T.handle, C_ptr: T.handle):\n"
      "    A = T.match_buffer(A_ptr, (128,), \"int32\")\n"
      "    B = T.match_buffer(B_ptr, (128,), \"int32\")\n"
      "    C = T.match_buffer(C_ptr, (8,), \"int32\")\n"
      "    T.device_entry()\n    bx = T.cta_id([4])\n    tid = T.thread_id([32])\n    x: T.int32 = 0\n";
  for (std::string_view line : body) out += "    " + std::string(line) + "\n";
  return out;
}

constexpr std::string_view kAcquire =
    "x = T.ptx.ld_acquire(C.ptr_to([0]), \"int32\", \"s32\", space=\"global\", scope=\"gpu\")";
constexpr std::string_view kRelease =
    "T.ptx.red_scalar(C.ptr_to([0]), 1, op=\"add\", ptx_type=\"s32\", sem=\"release\", scope=\"gpu\", "
    "space=\"global\")";

simulate::Result run(const Runs& runs, simulate::Options options) {
  const Runs::Kernel& k = runs.kernels()[0];
  simulate::Inputs in = runs.inputs(k, [](std::int64_t i) { return static_cast<double>(i + 1); });
  if (auto flags = in.tensors.find("C"); flags != in.tensors.end()) flags->second.defined = true;
  options.races = true;
  return runs.run(k, in, options);
}

simulate::Result run(const std::string& script, simulate::Options options = {}) {
  return run(Runs(script, "sm_90a"), options);
}

std::vector<double> b_of(const simulate::Result& r) {
  return numbers(r.tensors.at("B"), *ir::parse_dtype("int32")).values;
}

// Everything that a run says.
std::string all_of(const Runs& runs, const simulate::Result& r) {
  std::string out = std::to_string(r.steps) + " " + r.printed + "\n";
  for (const simulate::Finding& f : r.findings)
    out += std::string(f.code) + " " + runs.line(f) + " " + f.message + " " + std::to_string(f.times) + " " +
           std::to_string(f.cta[0]) + " " + std::to_string(f.thread) + "\n";
  for (const auto& [name, tensor] : r.tensors)
    for (std::byte b : tensor.bytes) out += static_cast<char>('a' + std::to_integer<int>(b) % 26);
  return out;
}

}  // namespace

TEST_CASE("a CTA waits for what a later one writes") {
  const std::string wait = "        " + std::string(kAcquire);
  const std::string last = "    " + std::string(kRelease);
  auto script = [&](std::string_view tell) {
    return with_flags({"if bx == 3:", "    B[96 + tid] = A[tid]", "    T.cuda.cta_sync()", "    if tid == 0:", tell,
                       "else:", "    if tid == 0:", "        while x == 0:", "            " + std::string(kAcquire),
                       "    T.cuda.cta_sync()", "    B[bx * 32 + tid] = B[96 + tid] * (bx + 1)"});
  };
  for (simulate::Options& options : all_timings()) {
    simulate::Result r = run(script("        " + std::string(kRelease)), options);
    INFO(said(r));
    REQUIRE(r.verdict == simulate::Verdict::Clean);
    CHECK(b_of(r)[0] == 1);
    CHECK(b_of(r)[65] == 6);
  }
  // What comes behind the release is not ordered by it.
  simulate::Result late =
      run(with_flags({"if bx == 3:", "    if tid == 0:", "        " + std::string(kRelease), "    T.cuda.cta_sync()",
                      "    B[96 + tid] = A[tid]", "elif bx == 0:", "    if tid == 0:", "        while x == 0:",
                      "            " + std::string(kAcquire), "    T.cuda.cta_sync()", "    B[tid] = B[96 + tid]"}));
  CHECK_THAT(said(late), ContainsSubstring("TW5020"));
}

TEST_CASE("nothing writes what a CTA waits for") {
  simulate::Result r = run(
      with_flags({"if tid == 0:", "    while x == 0:", "        " + std::string(kAcquire), "B[bx * 32 + tid] = x"}));
  CHECK_THAT(said(r), StartsWith("TW5004: thread 0 waits here for ever for 4 bytes at byte 0 of `C` to change"));
}

TEST_CASE("flags of earlier CTAs add up") {
  // Each adds its part and says so; the last one to come adds up all of them.
  simulate::Result r = run(with_flags(
      {"B[bx * 32 + tid] = A[bx * 32 + tid]", "T.cuda.cta_sync()", "done = T.alloc_shared([1], \"int32\")",
       "if tid == 0:", "    T.cuda.thread_fence()", "    done[0] = T.cuda.atomic_add(C.ptr_to([0]), 1)",
       "    T.cuda.thread_fence()", "T.cuda.cta_sync()",
       "if done[0] == 3 and tid == 0:", "    for i in T.serial(127):", "        x = x + B[i]", "    B[127] = x"}));
  INFO(said(r));
  CHECK(r.verdict == simulate::Verdict::Clean);
  CHECK(b_of(r)[127] == 127 * 64);
}

TEST_CASE("the whole grid meets") {
  auto script = [](std::string_view meeting) {
    return with_flags({"for i in T.serial(3):", "    if i == 0:", "        B[bx * 32 + tid] = A[bx * 32 + tid]",
                       "    else:", "        x = B[(bx + 1) % 4 * 32 + tid]", "    " + std::string(meeting),
                       "    if i > 0:", "        B[bx * 32 + tid] = x", "    " + std::string(meeting)});
  };
  simulate::Result r = run(script("T.cuda.grid_sync()"));
  INFO(said(r));
  CHECK(r.verdict == simulate::Verdict::Clean);
  CHECK(b_of(r)[0] == 65);  // two CTAs further on
  CHECK_THAT(said(run(script("T.cuda.cta_sync()"))), ContainsSubstring("TW5020"));
  CHECK_THAT(said(run(with_flags({"if bx < 2:", "    T.cuda.grid_sync()", "B[bx * 32 + tid] = 1"}))),
             ContainsSubstring("waits here for ever for the whole grid"));
}

TEST_CASE("memory bounds how many run together") {
  Runs runs(with_flags({"T.cuda.grid_sync()", "B[bx * 32 + tid] = 1"}), "sm_90a");
  std::size_t together = 0;
  simulate::Result r;
  for (std::int64_t most = 4096; most < 400'000; most += 4096) {
    simulate::Options options;
    options.max_bytes = most;
    r = run(runs, options);
    if (r.verdict == simulate::Verdict::Clean) continue;
    CHECK(r.verdict == simulate::Verdict::Incomplete);
    together += said(r).find("run together in the memory there is") != std::string::npos;
  }
  CHECK(together > 0);
  CHECK(r.verdict == simulate::Verdict::Clean);
}

TEST_CASE("a part of the clusters") {
  Runs runs(with_flags({"B[bx * 32 + tid] = A[bx * 32 + tid]"}), "sm_90a");
  simulate::Options options;
  options.clusters = {1, 4, 2};
  simulate::Result r = run(runs, options);
  CHECK(r.verdict == simulate::Verdict::Clean);
  CHECK(b_of(r)[0] == 0);
  CHECK(b_of(r)[32] == 33);
  CHECK(b_of(r)[64] == 0);
  CHECK(b_of(r)[96] == 97);
  // Who waits for the others is not called a deadlock.
  simulate::Result waits = run(Runs(with_flags({"T.cuda.grid_sync()"}), "sm_90a"), options);
  CHECK(waits.verdict == simulate::Verdict::Incomplete);
  CHECK_THAT(said(waits), ContainsSubstring("this waits for CTAs that are not run"));
}

TEST_CASE("cores change no answer") {
  for (const std::string& script :
       {with_flags({"B[bx * 32 + tid] = A[bx * 32 + tid]", "T.cuda.printf(\"%d\\n\", bx)"}),
        // Findings in each CTA: the same ones, as often, of the same CTA.
        with_flags({"s = T.alloc_shared([32], \"int32\")", "s[tid] = A[tid]", "B[bx * 32 + tid] = s[31 - tid]"}),
        // Races of CTAs, which are found in their order.
        with_flags({"B[tid] = bx"}), with_flags({"B[bx * 32 + tid] = B[(bx * 32 + tid + 32) % 128]"}),
        with_flags({"T.cuda.atomic_add(C.ptr_to([0]), bx)", "B[bx * 32 + tid] = C[0]"}),
        // A deadlock in the third one.
        with_flags({"bar = T.alloc_shared([1], \"uint64\")",
                    "if tid == 0:", "    T.ptx.mbarrier.init(bar.ptr_to([0]), 1)", "T.cuda.cta_sync()",
                    "if bx == 2:", "    T.ptx.mbarrier.wait(bar.ptr_to([0]), 0)", "B[bx * 32 + tid] = 1"}),
        with_flags({"if tid == 0:", "    T.cuda.atomic_add(C.ptr_to([0]), 1)",
                    "    while x < 4:", "        " + std::string(kAcquire), "B[bx * 32 + tid] = x"})}) {
    Runs runs(script, "sm_90a");
    for (simulate::Options options : all_timings()) {
      const std::string one = all_of(runs, run(runs, options));
      for (unsigned jobs : {2u, 4u}) {
        options.jobs = jobs;
        CHECK(all_of(runs, run(runs, options)) == one);
      }
    }
  }
}

TEST_CASE("a limit is reached at the same step on any number of cores") {
  Runs runs(with_flags({"for i in T.serial(1000):", "    x = x + i", "B[bx * 32 + tid] = x"}), "sm_90a");
  simulate::Options options;
  const std::uint64_t all = run(runs, options).steps;
  for (std::uint64_t most : {all - 1, all / 2, all / 8}) {
    options.max_steps = most;
    options.jobs = 1;
    const std::string one = all_of(runs, run(runs, options));
    options.jobs = 3;
    CHECK(all_of(runs, run(runs, options)) == one);
    CHECK_THAT(one, ContainsSubstring("TW5007"));
  }
}

TEST_CASE("progress tells how many clusters have ended") {
  Runs runs(with_flags({"B[bx * 32 + tid] = 1"}), "sm_90a");
  for (unsigned jobs : {1u, 2u}) {
    std::uint64_t last = 0, all = 0;
    simulate::Options options;
    options.jobs = jobs;
    options.progress = [&](std::uint64_t done, std::uint64_t of) {
      CHECK(done == last + 1);
      last = done, all = of;
    };
    run(runs, options);
    CHECK(last == 4);
    CHECK(all == 4);
  }
}
