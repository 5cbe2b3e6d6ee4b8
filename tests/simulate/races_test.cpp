// What is found about accesses that nothing orders: which code, at which line, and what is no race.
#include "tests/simulate/runs.h"
#include "tests/unit/catch.h"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

// A kernel of so many threads with a shared array of 256 integers.
std::string shared(int threads, std::initializer_list<std::string_view> body) {
  const std::string count = std::to_string(threads);
  std::vector<std::string> lines{"T.device_entry()", "T.cta_id([1])", "tid = T.thread_id([" + count + "])",
                                 "buf = T.alloc_shared([256], \"int32\", align=128)",
                                 "bar = T.alloc_shared([2], \"uint64\")"};
  lines.insert(lines.end(), body.begin(), body.end());
  std::string out = kernel("256", "256", {});
  for (const std::string& line : lines) out += "    " + line + "\n";
  return out;
}

// The first finding of every timing, which is the same: races do not depend on what the run happened to do first.
std::string found(const std::string& script, std::size_t timings = 6) {
  Runs runs(script, "sm_90a");
  const Runs::Kernel& k = runs.kernels()[0];
  std::string first;
  std::vector<simulate::Options> all = all_timings();
  all.resize(timings);
  for (const simulate::Options& options : all) {
    simulate::Result r =
        runs.run(k, runs.inputs(k, [](std::int64_t i) { return static_cast<double>(i + 1); }), options);
    std::string now = "clean";
    for (const simulate::Finding& f : r.findings) {
      if (f.code < "TW5020" && f.code != "TW5016") continue;
      now = std::string(f.code) + " | " + runs.line(f);
      if (!f.related.empty()) now += " | " + runs.line(f.related[0].origin.span);
      break;
    }
    if (!first.empty()) CHECK(now == first);
    first = now;
  }
  return first;
}

}  // namespace

TEST_CASE("threads of a CTA") {
  CHECK(found(shared(64, {"buf[tid] = A[tid]", "B[tid] = buf[63 - tid]"})) ==
        "TW5020 | B[tid] = buf[63 - tid] | buf[tid] = A[tid]");
  CHECK(found(shared(64, {"buf[tid] = A[tid]", "T.cuda.cta_sync()", "B[tid] = buf[63 - tid]"})) == "clean");
  // Its own value.
  CHECK(found(shared(64, {"buf[tid] = A[tid]", "B[tid] = buf[tid]"})) == "clean");
  // Read, and written by another before all have read.
  CHECK(found(shared(64, {"buf[tid] = A[tid]", "T.cuda.cta_sync()", "B[tid] = buf[63 - tid]", "buf[tid] = 1"})) ==
        "TW5020 | buf[tid] = 1 | B[tid] = buf[63 - tid]");
}

TEST_CASE("lanes of a warp need not go on together") {
  CHECK(found(shared(32, {"buf[tid] = A[tid]", "B[tid] = buf[31 - tid]"})) ==
        "TW5020 | B[tid] = buf[31 - tid] | buf[tid] = A[tid]");
  CHECK(found(shared(32, {"buf[tid] = A[tid]", "T.cuda.warp_sync()", "B[tid] = buf[31 - tid]"})) == "clean");
  // A barrier of the warps does not order different warps.
  CHECK(found(shared(64, {"buf[tid] = A[tid]", "T.cuda.warp_sync()", "B[tid] = buf[63 - tid]"})) ==
        "TW5020 | B[tid] = buf[63 - tid] | buf[tid] = A[tid]");
}

TEST_CASE("stores of equal values are a class of their own") {
  CHECK(found(shared(64, {"buf[0] = 7"})) == "TW5023 | buf[0] = 7 | buf[0] = 7");
  CHECK(found(shared(64, {"buf[0] = tid"})) == "TW5020 | buf[0] = tid | buf[0] = tid");
}

TEST_CASE("named barriers order those who come") {
  auto script = [](std::string_view count) {
    return shared(96, {"if tid < 64:", "    buf[tid] = A[tid]", "    T.ptx.bar.sync(1, " + std::string(count) + ")",
                       "    B[tid] = buf[63 - tid]"});
  };
  CHECK(found(script("64")) == "clean");
  CHECK(found(shared(96, {"if tid < 32:", "    buf[tid] = A[tid]", "    T.ptx.bar.arrive(1, 64)",
                          "elif tid < 64:", "    T.ptx.bar.sync(1, 64)", "    B[tid] = buf[63 - tid]"})) == "clean");
  // Who only arrives learns nothing.
  CHECK(found(shared(96, {"if tid < 32:", "    T.ptx.bar.arrive(1, 64)", "    B[tid] = buf[tid + 32]",
                          "elif tid < 64:", "    buf[tid] = A[tid]", "    T.ptx.bar.sync(1, 64)"}))
            .starts_with("TW5020"));
}

TEST_CASE("mbarriers order arrivals before waits") {
  auto script = [](std::string_view wait) {
    return shared(64, {"if tid == 0:", "    T.ptx.mbarrier.init(bar.ptr_to([0]), 32)", "T.cuda.cta_sync()",
                       "if tid < 32:", "    buf[tid] = A[tid]", "    T.ptx.mbarrier.arrive(bar.ptr_to([0]))",
                       "else:", wait, "    B[tid] = buf[63 - tid]"});
  };
  CHECK(found(script("    T.ptx.mbarrier.wait(bar.ptr_to([0]), 0)")) == "clean");
  CHECK(found(script("    T.evaluate(0)")) == "TW5020 | B[tid] = buf[63 - tid] | buf[tid] = A[tid]");
}

TEST_CASE("a barrier is used when its initialisation is known") {
  CHECK(found(shared(64, {"if tid == 0:", "    T.ptx.mbarrier.init(bar.ptr_to([0]), 64)",
                          "T.ptx.mbarrier.arrive(bar.ptr_to([0]))"}),
              1)
            .starts_with("TW5020 | T.ptx.mbarrier.arrive(bar.ptr_to([0]))"));
}

TEST_CASE("cp.async is waited for by its thread, and then by the others") {
  auto script = [](std::string_view wait, std::string_view sync) {
    return shared(64, {"T.ptx.cp_async(buf.ptr_to([tid * 4]), A.ptr_to([tid * 4]), 16)",
                       "T.ptx.cp_async.commit_group()", wait, sync, "B[tid] = buf[tid]"});
  };
  const std::string wait = "T.ptx.cp_async.wait_group(0)", sync = "T.cuda.cta_sync()", none = "T.evaluate(0)";
  CHECK(found(script(wait, sync)) == "clean");
  CHECK(found(script(none, sync)).starts_with("TW5021 | B[tid] = buf[tid] | T.ptx.cp_async("));
  CHECK(found(script("T.ptx.cp_async.wait_group(1)", sync)).starts_with("TW5021"));
  CHECK(found(script(wait, none)).starts_with("TW5020"));
}

TEST_CASE("what asynchronous copies read was written before a proxy fence") {
  auto script = [](std::string_view fence, std::string_view wait) {
    return shared(64, {"buf[tid] = A[tid]", fence, "T.cuda.cta_sync()",
                       "if tid == 0:", "    T.ptx.cp_async_bulk_s2g(B.ptr_to([0]), buf.ptr_to([0]), 256)",
                       "    T.ptx.cp_async.bulk.commit_group()", wait, "T.cuda.cta_sync()", "buf[tid] = 1",
                       "T.cuda.cta_sync()", "if tid == 0:", "    T.ptx.cp_async.bulk.wait_group(0, False)"});
  };
  const std::string fence = "T.ptx.fence.proxy_async(\"shared::cta\")", none = "    T.evaluate(0)";
  const std::string wait = "    T.ptx.cp_async.bulk.wait_group(0, True)";
  CHECK(found(script(fence, wait)) == "clean");
  CHECK(found(script("T.evaluate(0)", wait)).starts_with("TW5022 | T.ptx.cp_async_bulk_s2g"));
  CHECK(found(script(fence, none)).starts_with("TW5021 | buf[tid] = 1 | T.ptx.cp_async_bulk_s2g"));
}

TEST_CASE("releases and acquires by atomic accesses") {
  auto script = [](std::string_view write, std::string_view read) {
    return shared(64, {"flag = T.alloc_shared([1], \"int32\")", "if tid == 0:", "    flag[0] = 0", "T.cuda.cta_sync()",
                       "x: T.int32 = 0", "if tid == 32:", "    buf[0] = A[0]", write,
                       "if tid == 0:", "    while x == 0:", read, "    B[0] = buf[0]"});
  };
  const std::string loose = "        x = T.ptx.ld_volatile(flag.ptr_to([0]), \"int32\", \"s32\", space=\"shared\")";
  const std::string acquire =
      "        x = T.ptx.ld_acquire(flag.ptr_to([0]), \"int32\", \"s32\", space=\"shared\", scope=\"cta\")";
  const std::string release =
      "    T.ptx.red_scalar(flag.ptr_to([0]), 1, op=\"add\", ptx_type=\"s32\", sem=\"release\", scope=\"cta\", "
      "space=\"shared\")";
  const std::string relaxed = "    T.cuda.atomic_add(flag.ptr_to([0]), 1)";
  CHECK(found(script(release, acquire)) == "clean");
  CHECK(found(script(relaxed, acquire)).starts_with("TW5020 | B[0] = buf[0]"));
  CHECK(found(script(release, loose)).starts_with("TW5020 | B[0] = buf[0]"));
  // With fences on both sides.
  CHECK(found(shared(64, {"flag = T.alloc_shared([1], \"int32\")", "if tid == 0:", "    flag[0] = 0",
                          "T.cuda.cta_sync()", "x: T.int32 = 0", "if tid == 32:", "    buf[0] = A[0]",
                          "    T.cuda.thread_fence()", relaxed, "if tid == 0:", "    while x == 0:", loose,
                          "    T.cuda.thread_fence()", "    B[0] = buf[0]"})) == "clean");
}

TEST_CASE("CTAs of a grid are not ordered") {
  auto script = [](std::string_view statement) {
    return kernel("256", "256", {"T.device_entry()", "bx = T.cta_id([2])", "tid = T.thread_id([32])", statement});
  };
  CHECK(found(script("B[bx * 32 + tid] = A[tid]")) == "clean");
  CHECK(found(script("B[tid] = bx")) == "TW5020 | B[tid] = bx | B[tid] = bx");
  CHECK(found(script("T.cuda.atomic_add(B.ptr_to([0]), 1)")) == "clean");
}

TEST_CASE("the memory of a CTA lives until others are done with it") {
  auto script = [](std::string_view last) {
    return kernel("64", "64",
                  {"T.device_entry()", "rank = T.cta_id_in_cluster([2])", "T.cta_id([2])", "tid = T.thread_id([32])",
                   "word = T.alloc_shared([32], \"int32\")", "word[tid] = A[tid]", "T.cuda.cluster_sync()",
                   "there: T.let = T.ptx.map_shared_rank(word.ptr_to([tid]), 1 - rank)",
                   "B[rank * 32 + tid] = T.ptx.ld(T.reinterpret(\"handle\", there), \"int32\", \"s32\", "
                   "space=\"shared::cluster\")",
                   last});
  };
  CHECK(found(script("T.cuda.cluster_sync()")) == "clean");
  CHECK(found(script("T.evaluate(0)")).starts_with("TW5016 | B[rank * 32 + tid] = T.ptx.ld("));
}
