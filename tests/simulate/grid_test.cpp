// What concerns the grid and other processors, and instructions in their old or rarer forms.
#include "tests/simulate/runs.h"

using namespace tilewright;
using namespace tilewright::testing;
using Catch::Matchers::ContainsSubstring;

namespace {

// Clusters that take over others, as long as there are any; B counts who did the work of each.
const std::string kTakeOver = kernel("8", "8",
                                     {"T.device_entry()",
                                      "block = T.cta_id([8])",
                                      "tid = T.thread_id([32])",
                                      "answer = T.alloc_shared([2], \"uint64\", align=16)",
                                      "bar = T.alloc_shared([1], \"uint64\")",
                                      "work: T.int32 = block",
                                      "phase: T.int32 = 0",
                                      "if tid == 0:",
                                      "    T.ptx.mbarrier.init(bar.ptr_to([0]), 1)",
                                      "    T.ptx.fence.mbarrier_init()",
                                      "T.cuda.cta_sync()",
                                      "while work >= 0:",
                                      "    if tid == 0:",
                                      "        B[work] = A[work] * 10",
                                      "        T.ptx.mbarrier.arrive.expect_tx(bar.ptr_to([0]), 16)",
                                      "        T.ptx.clc_try_cancel(answer.ptr_to([0]), bar.ptr_to([0]))",
                                      "    T.ptx.mbarrier.wait(bar.ptr_to([0]), phase)",
                                      "    work = T.reinterpret(\"int32\", T.ptx.clc_query_cancel(answer.ptr_to([0])))",
                                      "    T.cuda.cta_sync()",
                                      "    phase = phase ^ 1"});

std::string processors(std::string_view pe) {
  return kernel(
      "64", "64",
      {"T.device_entry()", "T.cta_id([1])", "tid = T.thread_id([64])", "sig = T.alloc_shared([1], \"uint64\")",
       "T.nvshmem.putmem_nbi.block(B.ptr_to([0]), A.ptr_to([0]), T.uint64(128), " + std::string(pe) + ")",
       "if tid < 32:",
       "    T.nvshmem.getmem_nbi.warp(B.ptr_to([32]), A.ptr_to([32]), T.uint64(128), T.nvshmem.my_pe())",
       "if tid == 0:", "    T.nvshmem.quiet()", "T.cuda.cta_sync()",
       "if tid == 5:", "    B[63] = B[63] + B[0] + T.nvshmem.n_pes()"});
}

}  // namespace

TEST_CASE("clusters take over the work of others, or do not") {
  const Numbers b = result_of(kTakeOver, "sm_100a");
  for (int i = 0; i < 8; ++i) CHECK(b({i}) == 10 * (i + 1));
}

TEST_CASE("a job of one processor") {
  const Numbers b = result_of(processors("0"));
  CHECK(b({0}) == 1);
  CHECK(b({40}) == 41);
  CHECK(b({63}) == 64 + 1 + 1);
  CHECK_THAT(finding_of(processors("1")), ContainsSubstring("TW5008 | T.nvshmem.putmem_nbi.block(") &&
                                              ContainsSubstring("is for processor 1, and the simulator has one"));
}

TEST_CASE("a signal follows its transfer, and lets go who waits for it") {
  const std::string script = kernel(
      "64", "64",
      {"T.device_entry()", "T.cta_id([1])", "tid = T.thread_id([64])",
       "flags = T.decl_buffer([4], \"uint64\", data=B.data)", "if tid == 0:", "    flags[0] = T.uint64(0)",
       "T.cuda.cta_sync()", "if tid == 32:",
       "    T.nvshmem.putmem_signal_nbi(B.ptr_to([16]), A.ptr_to([0]), T.uint64(64), B.ptr_to([0]), T.uint64(7), "
       "\"add\", 0)",
       "if tid == 0:", "    T.nvshmem.wait_until(B.ptr_to([0]), \"ge\", T.uint64(7))", "    B[40] = B[16] + B[31]",
       "    for i in T.serial(32):", "        B[2 + i % 14] = 0", "        B[32 + i % 8] = 0",
       "        B[41 + i % 23] = 0", "    B[1] = 0"});
  Numbers b;
  const Runs runs(script);
  const Runs::Kernel& k = runs.kernels()[0];
  for (const simulate::Options& options : all_timings()) {
    simulate::Result r =
        runs.run(k, runs.inputs(k, [](std::int64_t i) { return static_cast<double>(i + 1); }), options);
    INFO(said(r));
    CHECK(r.verdict == simulate::Verdict::Clean);
    b = numbers(r.tensors.at("B"), ir::kInt32);
    CHECK(b({40}) == 1 + 16);
  }
}

TEST_CASE("matrices in the old forms, and of bytes") {
  Numbers b = result_of(kernel(
      "64", "128",
      {"T.device_entry()", "T.cta_id([1])", "lane = T.thread_id([32])", "tile = T.alloc_shared([128], \"float16\")",
       "held = T.alloc_local([6], \"float16\")",
       "for i in T.serial(4):", "    tile[i * 32 + lane] = T.cast(i * 32 + lane, \"float16\")", "T.cuda.cta_sync()",
       "T.ptx.ldmatrix_legacy(0, 2, \".b16\", held.ptr_to([0]), 2, tile.ptr_to([0]), lane % 16 * 8)",
       "for i in T.unroll(4):", "    B[lane * 4 + i] = T.cast(held[2 + i], \"int32\")"}));
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; ++i) CHECK(b({lane * 4 + i}) == i / 2 * 64 + lane / 4 * 8 + lane % 4 * 2 + i % 2);
  // B's fragment of bytes, gathered: row k of the tile has 16 bytes.
  b = result_of(kernel("64", "512",
                       {"T.device_entry()", "T.cta_id([1])", "lane = T.thread_id([32])",
                        "tile = T.alloc_shared([512], \"uint8\")", "held = T.alloc_local([16], \"uint8\")",
                        "for i in T.serial(16):", "    tile[i * 32 + lane] = T.cast((i * 32 + lane) % 251, \"uint8\")",
                        "T.cuda.cta_sync()",
                        "T.ptx.ldmatrix_legacy(\"int8\", 1, 4, \".b16\", held.ptr_to([0]), 0, tile.ptr_to([0]), 16)",
                        "for i in T.unroll(16):", "    B[lane * 16 + i] = T.cast(held[i], \"int32\")"}));
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 16; ++i) {
      const int row = i % 8 / 4 * 16 + lane % 4 * 4 + i % 4, column = i / 8 * 8 + lane / 4;
      CHECK(b({lane * 16 + i}) == (row * 16 + column) % 251);
    }
  }
  b = result_of(
      kernel("64", "128",
             {"T.device_entry()", "T.cta_id([1])", "lane = T.thread_id([32])",
              "tile = T.alloc_shared([128], \"uint8\", align=16)", "held = T.alloc_local([4], \"uint8\")",
              "for i in T.unroll(4):", "    held[i] = T.cast(lane * 4 + i, \"uint8\")",
              "T.ptx.stmatrix(1, 1, \".b8\", tile.ptr_to([lane % 8 * 16]), held.ptr_to([0]), shape=\"m16n8\")",
              "T.cuda.cta_sync()",
              "for i in T.serial(4):", "    B[i * 32 + lane] = T.cast(tile[i * 32 + lane], \"int32\")"}),
      "sm_100a");
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 8; ++column)
      CHECK(b({column * 16 + row}) == (row % 8 * 4 + column / 2) * 4 + row / 8 * 2 + column % 2);
}

TEST_CASE("what the launch tells of itself, and guarded loads") {
  const Numbers b = result_of(kernel(
      "64", "8",
      {"T.device_entry()", "T.cta_id([1])", "T.thread_id([1])", "tile = T.alloc_shared([100], \"int32\")",
       "for i in T.serial(100):", "    tile[i] = i",
       "B[0] = T.cast(T.ptx.fetch_register(32, \"total_smem_size\"), \"int32\")",
       "B[1] = T.cast(T.ptx.fetch_register(32, \"dynamic_smem_size\"), \"int32\")",
       "B[2] = T.cast(T.ptx.fetch_register(64, \"clock64\") < T.ptx.fetch_register(64, \"clock64\"), \"int32\")",
       "numbers = T.alloc_local([4], \"float32\")", "one: T.int32 = 1",
       "T.ptx.ldg32(numbers.ptr_to([0]), one, A.ptr_to([0]), 1)",
       "T.ptx.ldg32(numbers.ptr_to([0]), one - 1, A.ptr_to([0]), 2)", "B[3] = T.reinterpret(\"int32\", numbers[1])",
       "B[4] = T.reinterpret(\"int32\", numbers[2])", "for i in T.serial(3):", "    B[5 + i] = tile[99]"}));
  CHECK(b.values == std::vector<double>{512, 0, 1, 1, 0, 99, 99, 99});
}

TEST_CASE("a call that is not executed ends the run and says why") {
  CHECK_THAT(
      finding_of(kernel("64", "64",
                        {"T.device_entry()", "T.cta_id([1])", "tid = T.thread_id([32])",
                         "B[tid] = T.cuda.func_call(\"twice\", A[tid], source_code=\"__device__ int twice(int x) "
                         "{ return 2 * x; }\", return_type=\"int32\")"})),
      ContainsSubstring("TW5008 | ") && ContainsSubstring("T.cuda.func_call is not modelled by the simulator: its "
                                                          "CUDA source is the author's own"));
}
