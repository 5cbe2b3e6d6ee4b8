// Clusters on several cores that do get to the same global memory at the same time: what they did is thrown away, and
// until then it must be harmless. A build with a thread sanitizer sees whether it was.
#include "tests/simulate/runs.h"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

// Eight CTAs of 32 threads that begin together, each of which does this a hundred times; `tile` is shared.
std::string again_and_again(std::initializer_list<std::string_view> body) {
  std::string out =
      kernel("128", "128",
             {"T.device_entry()", "bx = T.cta_id([8])", "tid = T.thread_id([32])", "x: T.int32 = 0",
              "tile = T.alloc_shared([128], \"int32\", align=128)", "bar = T.alloc_shared([1], \"uint64\")",
              "if tid == 0:", "    T.ptx.mbarrier.init(bar.ptr_to([0]), 1)", "    T.ptx.fence.mbarrier_init()",
              "for i in T.unroll(4):", "    tile[tid * 4 + i] = bx", "T.ptx.fence.proxy_async(\"shared::cta\")",
              "T.cuda.cta_sync()", "for round in T.serial(100):"});
  for (std::string_view line : body) out += "        " + std::string(line) + "\n";
  return out;
}

// Everything that a run says.
std::string all_of(const Runs& runs, const simulate::Result& r) {
  std::string out = std::to_string(r.steps) + " " + r.printed + "\n" + said(r) + "\n";
  for (const simulate::Finding& f : r.findings)
    out += runs.line(f) + " " + std::to_string(f.times) + " " + std::to_string(f.cta[0]) + "\n";
  for (const auto& [name, tensor] : r.tensors)
    for (std::byte b : tensor.bytes) out += static_cast<char>('a' + std::to_integer<int>(b) % 26);
  return out;
}

void check_any_cores(const std::string& script) {
  INFO(script);
  Runs runs(script);
  const Runs::Kernel& k = runs.kernels()[0];
  for (bool given : {true, false}) {
    simulate::Inputs in = runs.inputs(k, [](std::int64_t i) { return static_cast<double>(i + 1); });
    in.tensors.at("B").defined = given;
    simulate::Options options;
    options.races = true;
    const std::string one = all_of(runs, runs.run(k, in, options));
    options.jobs = 4;
    for (int time = 0; time < 3; ++time) CHECK(all_of(runs, runs.run(k, in, options)) == one);
  }
}

constexpr std::string_view kOut = "    T.ptx.cp_async_bulk_s2g(B.ptr_to([0]), tile.ptr_to([0]), 512)";
constexpr std::string_view kCommit = "    T.ptx.cp_async.bulk.commit_group()";
constexpr std::string_view kWait = "    T.ptx.cp_async.bulk.wait_group(0)";

}  // namespace

TEST_CASE("clusters read and write the same memory at the same time") {
  check_any_cores(again_and_again({"B[tid] = B[tid] + bx"}));
  check_any_cores(again_and_again({"if bx == 0:", "    B[tid] = round", "else:", "    x = x + B[tid]"}));
  check_any_cores(again_and_again({"for i in T.vectorized(4):", "    B[tid * 4 + i] = A[tid * 4 + i] + bx"}));
  check_any_cores(again_and_again({"T.cuda.copy_128b(B.ptr_to([tid * 4]), A.ptr_to([tid * 4]))"}));
  check_any_cores(again_and_again({"T.cuda.atomic_add(B.ptr_to([0]), bx)"}));
  check_any_cores(again_and_again(
      {"if round == 99:",
       "    x = T.ptx.ld_acquire(B.ptr_to([tid]), \"int32\", \"s32\", space=\"global\", scope=\"gpu\")"}));
}

TEST_CASE("clusters read what was never written at the same time") {
  check_any_cores(again_and_again({"x = x + B[tid]"}));
  check_any_cores(again_and_again({"x = x + B[tid]", "B[tid] = x"}));
}

TEST_CASE("clusters copy to and from the same memory at the same time") {
  check_any_cores(again_and_again({"if tid == 0:", kOut, kCommit, kWait}));
  check_any_cores(again_and_again(
      {"if tid == 0:",
       "    T.ptx.cp_async_bulk_s2g_reduce(B.ptr_to([0]), tile.ptr_to([0]), 512, op=\"add\", dtype=\"s32\")", kCommit,
       kWait}));
  check_any_cores(
      again_and_again({"T.ptx.cp_async(tile.ptr_to([tid * 4]), B.ptr_to([tid * 4]), 16)",
                       "T.ptx.cp_async.commit_group()", "T.ptx.cp_async.wait_group(0)", "B[tid] = tile[tid]"}));
  check_any_cores(
      again_and_again({"if tid == 0:", "    T.ptx.mbarrier.arrive.expect_tx(bar.ptr_to([0]), 512)",
                       "    T.ptx.cp_async_bulk_g2s_cta(tile.ptr_to([0]), B.ptr_to([0]), 512, bar.ptr_to([0]))",
                       "T.ptx.mbarrier.wait(bar.ptr_to([0]), round % 2)", "B[tid] = tile[tid]", "T.cuda.cta_sync()"}));
}
