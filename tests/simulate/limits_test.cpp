// What ends a run early: limits, a stop from outside.
#include "compiler/simulate/machine/pages.h"
#include "tests/simulate/runs.h"

using namespace tilewright;
using namespace tilewright::testing;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string endless(std::string_view body) {
  return kernel("32", "32",
                {"T.device_entry()", "T.cta_id([1])", "tid = T.thread_id([32])", "x: T.int32 = 0", "while x < 1:", body,
                 "B[tid] = x"});
}

simulate::Result run(const std::string& script, simulate::Options options) {
  Runs runs(script);
  const Runs::Kernel& k = runs.kernels()[0];
  return runs.run(k, runs.inputs(k, [](std::int64_t i) { return static_cast<double>(i); }), options);
}

}  // namespace

TEST_CASE("steps are limited") {
  simulate::Options options;
  options.max_steps = 1'000'000;
  simulate::Result r = run(endless("    x = x - 1"), options);
  CHECK(r.verdict == simulate::Verdict::Incomplete);
  CHECK_THAT(said(r), ContainsSubstring("TW5007"));
  CHECK(r.steps <= 1'100'000);
}

TEST_CASE("a run can be stopped from outside") {
  std::stop_source stop;
  stop.request_stop();
  simulate::Options options;
  options.stop = stop.get_token();
  simulate::Result r = run(endless("    x = x - 1"), options);
  CHECK(r.verdict == simulate::Verdict::Incomplete);
  CHECK_THAT(said(r), ContainsSubstring("stopped from outside"));
}

TEST_CASE("a thread that waits for memory to change lets the others run") {
  Numbers b = result_of(kernel("64", "64",
                               {"T.device_entry()", "T.cta_id([1])", "tid = T.thread_id([64])",
                                "flag = T.alloc_shared([1], \"int32\")", "if tid == 0:", "    flag[0] = 0",
                                "T.cuda.cta_sync()", "if tid == 32:", "    T.cuda.atomic_add(flag.ptr_to([0]), 9)",
                                "x: T.int32 = 0", "if tid < 32:", "    while x == 0:",
                                "        x = T.ptx.ld_volatile(flag.ptr_to([0]), \"int32\", \"s32\", "
                                "space=\"shared\")",
                                "B[tid] = x"}));
  CHECK(b({0}) == 9);
}

TEST_CASE("memory is limited") {
  simulate::Options options;
  options.max_bytes = 100;
  simulate::Result r = run(
      kernel("32", "32", {"T.device_entry()", "T.cta_id([1])", "tid = T.thread_id([32])", "B[tid] = A[tid]"}), options);
  CHECK(r.verdict == simulate::Verdict::Incomplete);
  CHECK_THAT(said(r), ContainsSubstring("more than 100 bytes of memory"));
}

TEST_CASE("reductions over the lanes of a mask, and registers that say who one is") {
  Numbers b = result_of(kernel(
      "64", "64",
      {"T.device_entry()", "bx = T.cta_id([2])", "tid = T.thread_id([32])",
       "sum: T.uint32 = T.cuda.reduce_add_sync_u32(T.uint32(0xffffffff), T.cast(A[bx * 32 + tid], \"uint32\"))",
       "low: T.uint32 = T.cuda.reduce_min_sync_u32(T.uint32(0xffffffff), T.cast(A[bx * 32 + tid], \"uint32\"))",
       "B[bx * 32 + tid] = T.cast(sum * T.uint32(100) + low, \"int32\") + T.ptx.fetch_register(32, \"ctaid.x\") + "
       "T.ptx.fetch_register(32, \"laneid\")"}));
  CHECK(b({0}) == 528 * 100 + 1);
  CHECK(b({63}) == (528 + 1024) * 100 + 33 + 1 + 31);
}

TEST_CASE("made-up tensors repeat their pattern, and keep what is written") {
  const std::int64_t stretch = simulate::Pages::pattern_for(std::int64_t{1} << 40);
  std::vector<std::byte> pattern(static_cast<std::size_t>(stretch));
  for (std::size_t i = 0; i < pattern.size(); ++i) pattern[i] = static_cast<std::byte>(i * 7 >> 3);
  const std::int64_t size = 5 * stretch + 123;
  simulate::Pages one(size, pattern), other(size, pattern), zeros(size, {});
  auto says_the_pattern = [&](const simulate::Pages& pages, std::int64_t at) {
    return pages.data()[at] == pattern[static_cast<std::size_t>(at % stretch)];
  };
  for (std::int64_t at : {std::int64_t{0}, stretch - 1, stretch, 3 * stretch + 4097, size - 1}) {
    CHECK(says_the_pattern(one, at));
    CHECK(zeros.data()[at] == std::byte{0});
  }
  one.data()[stretch + 5] = std::byte{0xAB};
  CHECK(one.data()[stretch + 5] == std::byte{0xAB});
  CHECK(says_the_pattern(one, 2 * stretch + 5));
  CHECK(says_the_pattern(other, stretch + 5));
}
