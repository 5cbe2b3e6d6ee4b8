// wgmma: products of tiles in shared memory and registers, and what a warpgroup has to do around them.
#include "compiler/simulate/tensor/short_sums.h"
#include "tests/simulate/runs.h"

using namespace tilewright;
using namespace tilewright::testing;
using Catch::Matchers::ContainsSubstring;

namespace {

struct Form {
  std::string_view type;
  int n, k;
  std::string_view spelled;
  bool a_in_registers = false, a_by_rows = false, b_by_rows = false;  // by rows: MN-major
  int scale_a = 1, scale_d = 1;
};

// One warpgroup multiplies the two matrices that A holds, 64 x K and N x K. Tiles stand in shared memory without a
// swizzle: core matrices of 8 rows of 16 bytes, 128 bytes each, one after the other along the rows.
std::string warpgroup_of(const Form& f) {
  auto number = [](int value) { return std::to_string(value); };
  const int bits = f.k == 8 ? 32 : f.k == 16 ? 16 : 8, unit = 128 / bits, accumulators = f.n / 2;
  // Byte distances: along K-major rows by 128, to the next column of units by all rows.
  auto place = [&](int rows, bool by_rows) {
    const std::string apart = number(rows * unit);
    return by_rows ? "r // 8 * 64 + k % 8 * 8 + k // 8 * " + number(rows * 8) + " + r % 8"
                   : "r // 8 * " + number(8 * unit) + " + r % 8 * " + number(unit) + " + k // " + number(unit) + " * " +
                         apart + " + k % " + number(unit);
  };
  auto strides = [&](int rows) { return number(rows) + ", 8"; };  // leading and stride, in units of 16 bytes
  auto fill = [&](std::string_view to, int rows, int first, bool by_rows) {
    return "    for i in T.serial(" + number((rows * f.k + 127) / 128) + "):\n        e: T.let = i * 128 + tid\n" +
           "        if e < " + number(rows * f.k) + ":\n            r: T.let = e // " + number(f.k) +
           "\n            k: T.let = e % " + number(f.k) + "\n            " + std::string(to) + "[" +
           place(rows, by_rows) + "] = A[" + number(first) + " + e]\n";
  };
  std::string items, registers;
  const int a_registers = f.a_in_registers ? f.k * bits / 64 : 0, per = 32 / bits;
  if (f.a_in_registers) {
    registers = "    a = T.alloc_local([" + number(a_registers) + "], \"uint32\")\n    frag = T.decl_buffer([" +
                number(a_registers * per) + "], \"" + std::string(f.type) +
                "\", data=a.data, scope=\"local\")\n    for i in T.unroll(" + number(a_registers * per) +
                "):\n        frag[i] = A[(warp * 16 + lane // 4 + i // " + number(per) + " % 2 * 8) * " + number(f.k) +
                " + i // " + number(2 * per) + " * " + number(4 * per) + " + lane % 4 * " + number(per) + " + i % " +
                number(per) + "]\n";
    items = "*[a[i] for i in range(" + number(a_registers) + ")], ";
  }
  items += "*[acc[i] for i in range(" + number(accumulators) + ")]";
  const std::string type(f.type);
  return "from tvm.script import tirx as T\n\n@T.prim_func\ndef k(A_ptr: T.handle, B_ptr: T.handle):\n"
         "    A = T.match_buffer(A_ptr, (" +
         number((64 + f.n) * f.k) + ",), \"" + type + "\")\n    B = T.match_buffer(B_ptr, (64, " + number(f.n) +
         "), \"float32\")\n    T.device_entry()\n    T.cta_id([1])\n    warp = T.warp_id([4])\n"
         "    lane = T.lane_id([32])\n    tid = T.thread_id([128])\n    a_tile = T.alloc_shared([" +
         number(64 * f.k) + "], \"" + type + "\", align=128)\n    b_tile = T.alloc_shared([" + number(f.n * f.k) +
         "], \"" + type + "\", align=128)\n    acc = T.alloc_local([" + number(accumulators) +
         "], \"float32\")\n    desc = T.alloc_local([2], \"uint64\")\n" + fill("a_tile", 64, 0, f.a_by_rows) +
         fill("b_tile", f.n, 64 * f.k, f.b_by_rows) + registers + "    for i in T.unroll(" + number(accumulators) +
         "):\n        acc[i] = T.float32(3)\n    T.ptx.fence.proxy_async()\n    T.cuda.cta_sync()\n"
         "    T.ptx.wgmma.encode_matrix_descriptor(desc.ptr_to([0]), a_tile.ptr_to([0]), " +
         strides(64) + ", 0)\n    T.ptx.wgmma.encode_matrix_descriptor(desc.ptr_to([1]), b_tile.ptr_to([0]), " +
         strides(f.n) + ", 0)\n    T.ptx.wgmma.fence()\n    T.ptx.wgmma.mma_async." +
         (f.a_in_registers ? "rs(" : "ss(desc[0], ") + "desc[1], " + items + ", M=64, N=" + number(f.n) +
         ", K=" + number(f.k) + ", in_dtype=\"" + std::string(f.spelled) +
         "\", out_dtype=\"float32\", transA=" + (f.a_by_rows ? "True" : "False") +
         ", transB=" + (f.b_by_rows ? "True" : "False") + ", scaleA=" + number(f.scale_a) +
         ", scaleB=1, scaleD=" + number(f.scale_d) +
         ")\n    T.ptx.wgmma.commit_group()\n    T.ptx.wgmma.wait_group(0)\n    for i in T.unroll(" +
         number(accumulators) +
         "):\n        B[warp * 16 + lane // 4 + i // 2 % 2 * 8, i // 4 * 8 + lane % 4 * 2 + i % 2] = acc[i]\n";
}

double filled(std::int64_t i) { return static_cast<double>(i * 7 % 9 - 4); }

void check_product(const Form& f) {
  INFO(f.type << " n" << f.n << (f.a_in_registers ? ", A in registers" : ""));
  Runs runs(warpgroup_of(f), "sm_90a");
  const Runs::Kernel& k = runs.kernels()[0];
  for (const simulate::Options& options : all_timings()) {
    simulate::Result r = runs.run(k, runs.inputs(k, filled), options);
    INFO(said(r));
    REQUIRE(r.verdict == simulate::Verdict::Clean);
    const Numbers b = numbers(r.tensors.at("B"), runs.tensor(k, "B")->dtype);
    std::size_t wrong = 0;
    for (int row = 0; row < 64; ++row) {
      for (int column = 0; column < f.n; ++column) {
        double sum = f.scale_d ? 3 : 0;
        for (int at = 0; at < f.k; ++at)
          sum += f.scale_a * filled(row * f.k + at) * filled(64 * f.k + column * f.k + at);
        wrong += b({row, column}) != sum;
      }
    }
    CHECK(wrong == 0);
  }
}

constexpr Form kHalf = {"float16", 16, 16, "float16"};

// All findings, as "TW5021 | the line's beginning | message", of a script in which one text is another.
std::string findings_with(std::string_view from, std::string_view to, simulate::Timing timing,
                          const Form& form = kHalf) {
  std::string script = warpgroup_of(form);
  const std::size_t at = script.find(from);
  REQUIRE(at != std::string::npos);
  script.replace(at, from.size(), to);
  Runs runs(script, "sm_90a");
  const Runs::Kernel& k = runs.kernels()[0];
  simulate::Options options;
  options.races = true;
  options.timing = timing;
  simulate::Result r = runs.run(k, runs.inputs(k, filled), options);
  std::string out;
  for (const simulate::Finding& f : r.findings) {
    out += std::string(f.code) + " | " + runs.line(f).substr(0, 20) + " | " + f.message;
    for (const auto& related : f.related) out += " | " + runs.line(related.origin.span).substr(0, 20);
    out += " | " + f.hint + "\n";
  }
  return out;
}

}  // namespace

TEST_CASE("a warpgroup multiplies tiles of every type and width") {
  const Form forms[] = {
      {"float16", 8, 16, "float16"},
      {"float16", 256, 16, "fp16"},
      {"bfloat16", 24, 16, "bfloat16"},
      {"float32", 16, 8, "tf32"},
      {"float8_e4m3fn", 32, 32, "e4m3"},
      {"float8_e5m2", 32, 32, "float8_e5m2"},
      {.type = "float16", .n = 16, .k = 16, .spelled = "float16", .a_by_rows = true, .b_by_rows = true},
      {.type = "bfloat16", .n = 64, .k = 16, .spelled = "bf16", .b_by_rows = true, .scale_a = -1},
      {.type = "float16", .n = 40, .k = 16, .spelled = "float16", .scale_a = -1, .scale_d = 0},
      {.type = "float16", .n = 32, .k = 16, .spelled = "float16", .a_in_registers = true},
      {.type = "float8_e4m3fn", .n = 8, .k = 32, .spelled = "e4m3", .a_in_registers = true},
      {.type = "float32", .n = 8, .k = 8, .spelled = "tf32", .a_in_registers = true, .scale_d = 0},
  };
  for (const Form& f : forms) check_product(f);
}

TEST_CASE("registers belong to a wgmma until its wait, at any timing") {
  using enum simulate::Timing;
  constexpr std::string_view kWait = "T.ptx.wgmma.wait_group(0)\n", kCommit = "T.ptx.wgmma.commit_group()\n";
  for (auto timing : {Latest, Earliest, Random}) {
    const std::string unawaited = findings_with(kWait, "T.ptx.wgmma.wait_group(1)\n", timing);
    CHECK_THAT(unawaited, ContainsSubstring("TW5021 | B[warp * 16 + lane / | an accumulator is read while the wgmma") &&
                              ContainsSubstring("| T.ptx.wgmma.mma_asyn | put T.ptx.wgmma.wait_group(0) before this") &&
                              !ContainsSubstring("TW5018"));  // that it outlives the CTA has the same cause
    CHECK_THAT(findings_with(kCommit, "T.evaluate(0)\n", timing),
               ContainsSubstring("TW5021 | B[warp") && ContainsSubstring("put T.ptx.wgmma.commit_group() after"));
    CHECK_THAT(findings_with(kCommit, "acc[1] = T.float32(0)\n    T.ptx.wgmma.commit_group()\n", timing),
               ContainsSubstring("TW5021 | acc[1] = T.float32(0 | an accumulator is written while"));
  }
  Form by_register = kHalf;
  by_register.a_in_registers = true;
  CHECK_THAT(findings_with(kCommit, "a[0] = T.uint32(0)\n    T.ptx.wgmma.commit_group()\n", Latest, by_register),
             ContainsSubstring("TW5021 | a[0] = T.uint32(0) | a register of A is written while the wgmma that reads"));
  // Reading it changes nothing.
  CHECK(findings_with(kCommit,
                      "if a[0] == T.uint32(7):\n        desc[0] = T.uint64(0)\n    T.ptx.wgmma.commit_group()\n",
                      Latest, by_register)
            .empty());
}

TEST_CASE("what threads have written reaches a wgmma behind its fences") {
  using enum simulate::Timing;
  CHECK_THAT(findings_with("T.ptx.wgmma.fence()\n", "T.evaluate(0)\n", Latest),
             ContainsSubstring("TW5026 | T.ptx.wgmma.mma_asyn | the first wgmma of a warpgroup comes after"));
  CHECK_THAT(findings_with("T.ptx.wgmma.fence()\n", "T.ptx.wgmma.fence()\n    acc[2] = T.float32(1)\n", Latest),
             ContainsSubstring("TW5026 | T.ptx.wgmma.mma_asyn | thread 0 has written a register of this wgmma") &&
                 ContainsSubstring("| acc[2] = T.float32(1 | put T.ptx.wgmma.fence() after the write"));
  CHECK_THAT(findings_with("T.ptx.fence.proxy_async()\n", "T.evaluate(0)\n", Latest),
             ContainsSubstring("TW5022 | T.ptx.wgmma.mma_asyn | the wgmma of thread 0 reads") &&
                 ContainsSubstring("no fence makes ordinary writes visible"));
  CHECK_THAT(findings_with("T.cuda.cta_sync()\n", "T.evaluate(0)\n", Latest),
             ContainsSubstring("TW5020") && ContainsSubstring("the wgmma of thread 0 reads"));
  // The tile is overwritten while the wgmma may still read it.
  CHECK_THAT(
      findings_with("T.ptx.wgmma.commit_group()\n", "a_tile[tid] = A[tid]\n    T.ptx.wgmma.commit_group()\n", Latest),
      ContainsSubstring("TW5021 | a_tile[tid] = A[tid] | thread ") &&
          ContainsSubstring("which the wgmma of thread 0 reads: no wait covers it"));
}

TEST_CASE("a warpgroup issues a wgmma together") {
  using enum simulate::Timing;
  CHECK_THAT(
      findings_with("T.ptx.wgmma.commit_group()\n", "if warp < 3:\n        T.ptx.wgmma.commit_group()\n", Latest),
      ContainsSubstring("TW5006 | T.ptx.wgmma.commit_g |"));
  CHECK_THAT(
      findings_with("mma_async.ss(desc[0], ", "mma_async.ss(desc[0] + T.cast(warp // 2 * 2, \"uint64\"), ", Latest),
      ContainsSubstring("TW5026 | T.ptx.wgmma.mma_asyn | threads 0 and 64 of a warpgroup give a wgmma different "
                        "values of A's descriptor"));
}

TEST_CASE("what was never written makes sums that were never written") {
  const std::string said = findings_with("if e < 1024:\n", "if e < 1008:\n", simulate::Timing::Latest);
  CHECK_THAT(said, ContainsSubstring("TW5002 | B[warp * 16 + lane / | element 2 of `acc` is read"));
  // Without what the accumulators held before there is nothing to read.
  Form fresh = kHalf;
  fresh.scale_d = 0;
  CHECK(findings_with("acc[i] = T.float32(3)\n", "desc[0] = T.uint64(0)\n", simulate::Timing::Latest, fresh).empty());
  CHECK_THAT(findings_with("acc[i] = T.float32(3)\n", "desc[0] = T.uint64(0)\n", simulate::Timing::Latest),
             ContainsSubstring("TW5002 | T.ptx.wgmma.mma_asyn | an accumulator is read and was never written"));
}

TEST_CASE("8-bit floats are added up with 13 bits behind the leading one") {
  using simulate::short_sum;
  const float a[] = {16, 0.125f, -0.125f, 0.125f}, b[] = {16, 0.125f, 0.125f, 0.25f};
  CHECK(short_sum(a, b, 1, 1, 0) == 256);
  CHECK(short_sum(a, b, 2, 1, 0) == 256);              // 2^-6 is below 256 * 2^-13
  CHECK(short_sum(a + 1, b + 1, 1, 1, 0) == 0x1p-6f);  // and counts beside less
  CHECK(short_sum(a, b, 4, 1, 0) == 256.03125f);       // 2^-5 is not
  CHECK(short_sum(a, b, 4, -1, 0) == -256.03125f);     // nor is it towards the other side
  CHECK(short_sum(a, b, 1, 1, 0.03f) == 256);
  CHECK(short_sum(a + 1, b + 1, 1, 1, 4096.75f) == 4096.5f);  // steps of a half
  // 1.5 * 1.5 is above 2, and its exponent is still that of 1: two products of 2^-13 are not lost beside it.
  const float c[] = {1.5f, 0x1p-6f, 0x1p-6f}, d[] = {1.5f, 0x1p-7f, 0x1p-7f};
  CHECK(short_sum(c, d, 3, 1, 0) == 2.25f + 0x1p-12f);
  const float ones[] = {1, 1, 1, 1};
  CHECK(short_sum(ones, ones, 4, 1, 16383) == 16386);  // 16387 needs a bit more than there are
  CHECK(short_sum(ones, ones, 4, -1, 4) == 0);
}
