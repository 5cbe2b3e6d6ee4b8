// cp.async and cp.async.bulk: what lands when, and what a missing wait does.
#include "tests/simulate/runs.h"

using namespace tilewright;
using namespace tilewright::testing;
using Catch::Matchers::ContainsSubstring;
using simulate::Timing;

namespace {

// One CTA of 32 threads; `tile` is shared, 128 bytes times 4.
std::string one_warp(std::initializer_list<std::string_view> body) {
  std::string out =
      kernel("128", "128",
             {"T.device_entry()", "T.cta_id([1])", "tid = T.thread_id([32])",
              "tile = T.alloc_shared([128], \"int32\", align=128)", "bar = T.alloc_shared([1], \"uint64\")"});
  for (std::string_view line : body) out += "    " + std::string(line) + "\n";
  return out;
}
constexpr std::string_view kCopy = "T.ptx.cp_async(tile.ptr_to([tid * 4]), A.ptr_to([tid * 4]), 16)";
constexpr std::string_view kOut = "for i in T.unroll(4):";
constexpr std::string_view kOutBody = "    B[tid * 4 + i] = tile[tid * 4 + i]";

}  // namespace

TEST_CASE("cp.async in groups") {
  Numbers b =
      result_of(one_warp({kCopy, "T.ptx.cp_async.commit_group()", "T.ptx.cp_async.wait_group(0)", kOut, kOutBody}));
  for (int i = 0; i < 128; ++i) CHECK(b({i}) == i + 1);
  CHECK(result_of(one_warp({kCopy, "T.ptx.cp_async.wait_all()", kOut, kOutBody}))({127}) == 128);
}

TEST_CASE("what a predicate turns off is zero, or stays") {
  const std::string_view fill = "for i in T.unroll(4):", fill_body = "    tile[tid * 4 + i] = 7";
  SECTION("zero") {
    Numbers b = result_of(one_warp({fill, fill_body,
                                    "T.ptx.cp_async(tile.ptr_to([tid * 4]), A.ptr_to([tid * 4]), 16, "
                                    "predicate=tid < 3, fill_mode=\"zero\")",
                                    "T.ptx.cp_async.wait_all()", kOut, kOutBody}));
    CHECK(b({11}) == 12);
    CHECK(b({12}) == 0);
  }
  SECTION("stay") {
    Numbers b = result_of(one_warp({fill, fill_body,
                                    "T.ptx.cp_async(tile.ptr_to([tid * 4]), A.ptr_to([tid * 4]), 16, "
                                    "predicate=tid < 3)",
                                    "T.ptx.cp_async.wait_all()", kOut, kOutBody}));
    CHECK(b({11}) == 12);
    CHECK(b({12}) == 7);
  }
  SECTION("the source is ignored") {
    Numbers b =
        result_of(one_warp({"T.ptx.cp_async(tile.ptr_to([tid * 4]), A.ptr_to([tid * 4]), 16, "
                            "ignore_src=tid == 1)",
                            "T.ptx.cp_async.wait_all()", kOut, kOutBody}));
    CHECK(b({3}) == 4);
    CHECK(b({4}) == 0);
  }
}

TEST_CASE("a missing wait shows when copies are late, and only then") {
  const std::string script = one_warp({kCopy, "T.ptx.cp_async.commit_group()", kOut, kOutBody});
  std::string f = finding_of(script);
  CHECK_THAT(f, ContainsSubstring("TW5002 | B[tid * 4 + i] = tile[tid * 4 + i] |"));
  CHECK_THAT(f, ContainsSubstring("while an asynchronous copy into it is under way: a wait is missing"));
  CHECK(finding_of(script, Timing::Earliest) == "clean");
  // A wait for all but the newest group is no wait for this one.
  CHECK_THAT(
      finding_of(one_warp({kCopy, "T.ptx.cp_async.commit_group()", "T.ptx.cp_async.wait_group(1)", kOut, kOutBody})),
      ContainsSubstring("TW5002"));
  // Without a commit the copy belongs to no group that wait_group waits for.
  CHECK_THAT(finding_of(one_warp({kCopy, "T.ptx.cp_async.wait_group(0)", kOut, kOutBody})),
             ContainsSubstring("TW5002"));
}

TEST_CASE("a slot that is filled too early shows when copies are early") {
  const std::string script =
      one_warp({kCopy, "T.ptx.cp_async.wait_all()", "T.ptx.cp_async(tile.ptr_to([tid * 4]), A.ptr_to([0]), 16)",
                "T.ptx.cp_async.wait_all()", kOut, kOutBody});
  CHECK(result_of(script)({127}) == 4);
  Runs early(one_warp({kCopy, "T.ptx.cp_async.wait_all()", "T.cuda.cta_sync()",
                       "x: T.let = T.ptx.ld(tile.ptr_to([tid * 4]), \"int32\", \"s32\", space=\"shared\")",
                       "T.ptx.cp_async(tile.ptr_to([(tid + 1) % 32 * 4]), A.ptr_to([0]), 16)",
                       "B[tid * 4] = tile[tid * 4 + 1] + x"}));
  simulate::Options options;
  options.timing = Timing::Earliest;
  simulate::Result r =
      early.run(early.kernels()[0], early.inputs(early.kernels()[0], [](auto i) { return i + 1.0; }), options);
  CHECK(numbers(r.tensors.at("B"), ir::kInt32)({4}) == 2 + 1);  // A[0] and A[1] are there instead of 5 and 6
}

TEST_CASE("arrivals behind cp.async") {
  auto script = [](std::string_view arrivals, std::initializer_list<std::string_view> arrive) {
    std::string out =
        one_warp({"if tid == 0:", "    T.ptx.mbarrier.init(bar.ptr_to([0]), " + std::string(arrivals) + ")",
                  "T.cuda.cta_sync()", kCopy});
    for (std::string_view line : arrive) out += "    " + std::string(line) + "\n";
    for (std::string_view line : {"T.ptx.mbarrier.wait(bar.ptr_to([0]), 0)",
                                  "for i in T.unroll(4):", "    B[tid * 4 + i] = tile[(tid * 4 + i + 64) % 128]"})
      out += "    " + std::string(line) + "\n";
    return out;
  };
  CHECK(result_of(script("32", {"T.ptx.cp_async.mbarrier.arrive(bar.ptr_to([0]), noinc=True)"}))({0}) == 65);
  CHECK(result_of(script("32", {"T.ptx.cp_async.mbarrier.arrive(bar.ptr_to([0]))",
                                "T.ptx.mbarrier.arrive(bar.ptr_to([0]))"}))({0}) == 65);
  CHECK_THAT(finding_of(script("32", {"T.ptx.cp_async.mbarrier.arrive(bar.ptr_to([0]))"})),
             ContainsSubstring("lacks 32 of 32 arrivals"));
}

TEST_CASE("copies that the hardware refuses") {
  CHECK_THAT(finding_of(one_warp({"T.ptx.cp_async(tile.ptr_to([1]), A.ptr_to([0]), 16)"})),
             ContainsSubstring("TW5003 | T.ptx.cp_async(tile.ptr_to([1]), A.ptr_to([0]), 16) |"));
  CHECK_THAT(finding_of(one_warp({"T.ptx.cp_async(tile.ptr_to([0]), A.ptr_to([tid * 8]), 16)"})),
             ContainsSubstring("TW5001"));
  CHECK_THAT(finding_of(one_warp({"n: T.int32 = tid * 0 + 24",
                                  "if tid == 0:", "    T.ptx.cp_async_bulk_s2g(B.ptr_to([0]), tile.ptr_to([0]), n)"})),
             ContainsSubstring("TW5015"));
}

TEST_CASE("bulk copies: in, changed, out") {
  Numbers b = result_of(
      one_warp({"if tid == 0:", "    T.ptx.mbarrier.init(bar.ptr_to([0]), 1)", "    T.ptx.fence.mbarrier_init()",
                "T.cuda.cta_sync()", "if tid == 0:", "    T.ptx.mbarrier.arrive.expect_tx(bar.ptr_to([0]), 512)",
                "    T.ptx.cp_async_bulk_g2s_cta(tile.ptr_to([0]), A.ptr_to([0]), 512, bar.ptr_to([0]))",
                "T.ptx.mbarrier.wait(bar.ptr_to([0]), 0)", kOut, "    tile[tid * 4 + i] = tile[tid * 4 + i] + 1",
                "T.ptx.fence.proxy_async(\"shared::cta\")", "T.cuda.cta_sync()",
                "if tid == 0:", "    T.ptx.cp_async_bulk_s2g(B.ptr_to([0]), tile.ptr_to([0]), 512)",
                "    T.ptx.cp_async.bulk.commit_group()", "    T.ptx.cp_async.bulk.wait_group(0)"}));
  for (int i = 0; i < 128; ++i) CHECK(b({i}) == i + 2);
}

TEST_CASE("bulk reductions") {
  for (auto [op, type, want] :
       {std::tuple("add", "s32", 3.0 + 4), std::tuple("max", "s32", 4.0), std::tuple("min", "u32", 3.0),
        std::tuple("xor", "b32", 7.0), std::tuple("and", "b32", 0.0), std::tuple("or", "b32", 7.0),
        std::tuple("inc", "u32", 4.0), std::tuple("dec", "u32", 2.0)}) {
    INFO(op);
    Numbers b =
        result_of(one_warp({kOut, "    B[tid * 4 + i] = 3", kOut, "    tile[tid * 4 + i] = 4",
                            "T.ptx.fence.proxy_async()", "T.cuda.cta_sync()", "if tid == 0:",
                            std::string("    T.ptx.cp_async_bulk_s2g_reduce(B.ptr_to([0]), tile.ptr_to([0]), "
                                        "512, op=\"") +
                                op + "\", dtype=\"" + type + "\")",
                            "    T.ptx.cp_async.bulk.commit_group()", "    T.ptx.cp_async.bulk.wait_group(0)"}));
    CHECK(b({77}) == want);
  }
}

TEST_CASE("a source that is written again before it was read") {
  auto script = [](std::string_view wait) {
    return one_warp({kOut, "    tile[tid * 4 + i] = 1", "T.ptx.fence.proxy_async(\"shared::cta\")", "T.cuda.cta_sync()",
                     "if tid == 0:", "    T.ptx.cp_async_bulk_s2g(B.ptr_to([0]), tile.ptr_to([0]), 512)",
                     "    T.ptx.cp_async.bulk.commit_group()", wait, "T.cuda.cta_sync()", kOut,
                     "    tile[tid * 4 + i] = 2", "T.cuda.cta_sync()",
                     "if tid == 0:", "    T.ptx.cp_async.bulk.wait_group(0, False)"});
  };
  CHECK(result_of(script("    T.ptx.cp_async.bulk.wait_group(0, True)"))({5}) == 1);
  Runs runs(script("    T.evaluate(0)"));
  const Runs::Kernel& k = runs.kernels()[0];
  simulate::Result late = runs.run(k, runs.inputs(k, [](auto i) { return i + 1.0; }));
  CHECK(numbers(late.tensors.at("B"), ir::kInt32)({5}) == 2);
}

TEST_CASE("a CTA that ends before its copies") {
  CHECK_THAT(finding_of(one_warp({kOut, "    tile[tid * 4 + i] = 1", "T.cuda.cta_sync()", "if tid == 0:",
                                  "    T.ptx.cp_async_bulk_s2g(B.ptr_to([0]), tile.ptr_to([0]), 512)"})),
             ContainsSubstring("TW5018 | T.ptx.cp_async_bulk_s2g(B.ptr_to([0]), tile.ptr_to([0]), 512) |"));
  CHECK_THAT(finding_of(one_warp({"if tid == 0:", "    T.ptx.mbarrier.init(bar.ptr_to([0]), 1)",
                                  "    T.ptx.mbarrier.arrive.expect_tx(bar.ptr_to([0]), 512)",
                                  "    T.ptx.cp_async_bulk_g2s_cta(tile.ptr_to([0]), A.ptr_to([0]), 512, "
                                  "bar.ptr_to([0]))"})),
             ContainsSubstring("TW5018"));
}

TEST_CASE("stores and loads in the cluster") {
  auto script = [](std::string_view last) {
    return kernel("64", "64",
                  {"T.device_entry()", "rank = T.cta_id_in_cluster([2])", "T.cta_id([2])", "tid = T.thread_id([32])",
                   "word = T.alloc_shared([32], \"int32\")", "bar = T.alloc_shared([1], \"uint64\")",
                   "if tid == 0:", "    T.ptx.mbarrier.init(bar.ptr_to([0]), 1)", "    T.ptx.fence.mbarrier_init()",
                   "    T.ptx.mbarrier.arrive.expect_tx(bar.ptr_to([0]), 128)", "T.cuda.cluster_sync()",
                   "there: T.let = T.ptx.map_shared_rank(word.ptr_to([tid]), 1 - rank)",
                   "counts: T.let = T.ptx.map_shared_rank(bar.ptr_to([0]), 1 - rank)",
                   "T.ptx.st_async(there, A[rank * 32 + tid], bar_u64=counts, ptx_type=\"s32\")",
                   "T.ptx.mbarrier.wait(bar.ptr_to([0]), 0, sem=\"acquire\", scope=\"cluster\")",
                   "B[rank * 32 + tid] = word[tid]", last});
  };
  Numbers b = result_of(script("T.cuda.cluster_sync()"));
  CHECK(b({0}) == 33);
  CHECK(b({63}) == 32);
  // Without the last sync a CTA may have left before its neighbour's stores, and they are late.
  Numbers ranks =
      result_of(kernel("4", "4",
                       {"T.device_entry()", "rank = T.cta_id_in_cluster([4])", "T.cta_id([4])",
                        "tid = T.thread_id([32])", "word = T.alloc_shared([1], \"int32\")", "if tid == 0:",
                        "    B[rank] = T.cast(T.ptx.getctarank(T.ptx.map_shared_rank(word.ptr_to([0]), 3 - rank)), "
                        "\"int32\") * 10 + T.ptx.fetch_register(32, \"cluster_ctarank\")",
                        "T.cuda.cluster_sync()"}));
  CHECK(ranks.values == std::vector<double>{30, 21, 12, 3});
}

TEST_CASE("one block for several CTAs, and blocks that are combined there") {
  Numbers b = result_of(
      kernel("64", "96",
             {"T.device_entry()",
              "rank = T.cta_id_in_cluster([3])",
              "T.cta_id([3])",
              "tid = T.thread_id([32])",
              "word = T.alloc_shared([32], \"int32\", align=128)",
              "sum = T.alloc_shared([32], \"int32\", align=128)",
              "bar = T.alloc_shared([2], \"uint64\")",
              "sum[tid] = 1000",
              "if tid == 0:",
              "    T.ptx.mbarrier.init(bar.ptr_to([0]), 1)",
              "    T.ptx.mbarrier.init(bar.ptr_to([1]), 1)",
              "    if rank != 1:",
              "        T.ptx.mbarrier.arrive.expect_tx(bar.ptr_to([0]), 128)",
              "    if rank == 1:",
              "        T.ptx.mbarrier.arrive.expect_tx(bar.ptr_to([1]), 256)",
              "T.ptx.fence.proxy_async(\"shared::cta\")",
              "T.cuda.cluster_sync()",
              "there: T.let = T.ptx.map_shared_rank(sum.ptr_to([0]), 1)",
              "counts: T.let = T.ptx.map_shared_rank(bar.ptr_to([1]), 1)",
              "if rank == 1:",
              "    if tid == 0:",
              "        T.ptx.cp_async_bulk_g2s_cluster(word.ptr_to([0]), A.ptr_to([32]), 128, bar.ptr_to([0]), "
              "multicast=True, cta_mask=5)",
              "    T.ptx.mbarrier.wait(bar.ptr_to([1]), 0)",
              "    B[32 + tid] = sum[tid]",
              "else:",
              "    T.ptx.mbarrier.wait(bar.ptr_to([0]), 0)",
              "    B[rank * 32 + tid] = word[tid]",
              "    if tid == 0:",
              "        T.ptx.cp_async_bulk_s2s_reduce(there, word.ptr_to([0]), 128, counts, op=\"add\", dtype=\"s32\")",
              "T.cuda.cluster_sync()"}));
  CHECK(b({0}) == 33);
  CHECK(b({95}) == 64);
  CHECK(b({32 + 7}) == 1000 + 2 * 40);
}

TEST_CASE("a mask chooses bytes of every sixteen") {
  Numbers b = result_of(one_warp({kOut, "    B[tid * 4 + i] = 7", kOut, "    tile[tid * 4 + i] = 1000 + tid * 4 + i",
                                  "T.ptx.fence.proxy_async()", "T.cuda.cta_sync()", "if tid == 0:",
                                  "    T.ptx.cp_async_bulk_s2g(B.ptr_to([0]), tile.ptr_to([0]), 512, cp_mask=True, "
                                  "byte_mask=240)",
                                  "    T.ptx.cp_async.bulk.commit_group()", "    T.ptx.cp_async.bulk.wait_group(0)"}),
                        "sm_100a");
  CHECK(b({4}) == 7);
  CHECK(b({5}) == 1005);
  CHECK(b({6}) == 7);
}

TEST_CASE("a copy into a CTA that has ended") {
  std::string f = finding_of(kernel(
      "64", "64",
      {"T.device_entry()", "rank = T.cta_id_in_cluster([2])", "T.cta_id([2])", "tid = T.thread_id([32])",
       "word = T.alloc_shared([32], \"int32\")", "bar = T.alloc_shared([1], \"uint64\")", "if tid == 0:",
       "    T.ptx.mbarrier.init(bar.ptr_to([0]), 1)", "T.cuda.cluster_sync()", "if rank == 0:", "    B[tid] = A[tid]",
       "else:", "    T.cuda.cta_sync()", "    T.ptx.mbarrier.arrive(bar.ptr_to([0]), cta_id=0, pred=tid == 0)"}));
  CHECK_THAT(f, ContainsSubstring("TW5016 | T.ptx.mbarrier.arrive(bar.ptr_to([0]), cta_id=0, pred=tid == 0) |"));
}
