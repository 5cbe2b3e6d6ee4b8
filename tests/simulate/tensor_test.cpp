// Boxes by tensor maps, tensor memory, matrix fragments: values, and what the hardware would refuse.
#include "tests/simulate/runs.h"

using namespace tilewright;
using namespace tilewright::testing;
using Catch::Matchers::ContainsSubstring;

namespace {

// A (16, 16) int32 loaded by one box of 8 x 8 at `coords`, stored to B (8, 8); `map` are the encode call's operands
// behind the pointer, `fill` what out-of-bounds elements become.
std::string box(std::string_view map, std::string_view coords, std::string_view dtype = "int32",
                std::string_view bytes = "256") {
  const std::string type(dtype);
  return "from tvm.script import tirx as T\n\n"
         "@T.prim_func\n"
         "def k(A_ptr: T.handle, B_ptr: T.handle):\n"
         "    A = T.match_buffer(A_ptr, (16, 16), \"" +
         type +
         "\")\n"
         "    B = T.match_buffer(B_ptr, (8, 8), \"" +
         type +
         "\")\n"
         "    m: T.let[T.handle(\"tensormap\")] = T.tvm_stack_alloca(\"tensormap\", 1)\n"
         "    T.call_packed(\"runtime.cuTensorMapEncodeTiled\", m, \"" +
         type + "\", 2, A.data, " + std::string(map) +
         ")\n"
         "    T.device_entry()\n"
         "    T.cta_id([1])\n"
         "    tid = T.thread_id([64])\n"
         "    tile = T.alloc_shared([8, 8], \"" +
         type +
         "\", align=128)\n"
         "    bar = T.alloc_shared([1], \"uint64\")\n"
         "    if tid == 0:\n"
         "        T.ptx.mbarrier.init(bar.ptr_to([0]), 1)\n"
         "        T.ptx.fence.mbarrier_init()\n"
         "        T.ptx.mbarrier.arrive.expect_tx(bar.ptr_to([0]), " +
         std::string(bytes) +
         ")\n"
         "        T.ptx.cp_async.bulk.tensor.g2c(2, tile.ptr_to([0, 0]), bar.ptr_to([0]), T.address_of(m), 0, 1, "
         "\"\", " +
         std::string(coords) +
         ")\n"
         "    T.cuda.cta_sync()\n"
         "    T.ptx.mbarrier.try_wait(bar.ptr_to([0]), 0)\n"
         "    B[tid // 8, tid % 8] = tile[tid // 8, tid % 8]\n";
}
// dims, stride, box, element strides, interleave, swizzle, promotion, fill
constexpr std::string_view kPlain = "16, 16, 64, 8, 8, 1, 1, 0, 0, 2, 0";

}  // namespace

TEST_CASE("boxes at the edges of a tensor") {
  SECTION("inside") {
    Numbers b = result_of(box(kPlain, "4, 2"));
    CHECK(b({0, 0}) == 2 * 16 + 4 + 1);
    CHECK(b({7, 7}) == 9 * 16 + 11 + 1);
  }
  SECTION("before the start") {
    Numbers b = result_of(box(kPlain, "-3, -1"));
    CHECK(b({0, 5}) == 0);
    CHECK(b({1, 2}) == 0);
    CHECK(b({1, 3}) == 1);
    CHECK(b({7, 7}) == 6 * 16 + 4 + 1);
  }
  SECTION("past the end") {
    Numbers b = result_of(box(kPlain, "12, 14"));
    CHECK(b({1, 3}) == 256);
    CHECK(b({1, 4}) == 0);
    CHECK(b({2, 0}) == 0);
  }
  SECTION("far outside") { CHECK(result_of(box(kPlain, "100, -2000000000"))({3, 3}) == 0); }
  SECTION("NaN") {
    Runs runs(box("16, 16, 64, 8, 8, 1, 1, 0, 0, 2, 1", "12, 0", "float32"));
    auto r = runs.run(runs.kernels()[0], runs.inputs(runs.kernels()[0], [](auto i) { return i + 1.0; }));
    Numbers b = numbers(r.tensors.at("B"), ir::kFloat32);
    CHECK(b({0, 3}) == 16);
    CHECK(b({0, 4}) != b({0, 4}));
  }
  SECTION("every second row") {
    Numbers b = result_of(box("16, 16, 64, 8, 16, 1, 2, 0, 0, 2, 0", "0, 0"));
    CHECK(b({1, 0}) == 2 * 16 + 1);
    CHECK(b({7, 7}) == 14 * 16 + 7 + 1);
  }
}

TEST_CASE("bytes of a clipped box are those of the whole box") {
  CHECK_THAT(finding_of(box(kPlain, "12, 0", "int32", "128")),
             ContainsSubstring("TW5004") && ContainsSubstring("has 128 bytes that expect_tx did not announce"));
  CHECK_THAT(finding_of(box(kPlain, "0, 0", "int32", "512")), ContainsSubstring("lacks 256 of 512 bytes"));
}

TEST_CASE("the hardware's swizzles of absolute addresses") {
  // 32-byte rows: every unit of 16 bytes is XORed with address bit 7.
  Numbers b = result_of(box("16, 16, 64, 8, 8, 1, 1, 0, 1, 2, 0", "0, 0"));
  // The tile stands at an odd multiple of 128, so that its first rows are the swizzled ones, or its last.
  const bool first = b({0, 0}) != 1;
  CHECK(b({0, 0}) == (first ? 5 : 1));
  CHECK(b({4, 0}) == 4 * 16 + (first ? 1 : 5));
  CHECK(b({4, 4}) == 4 * 16 + (first ? 5 : 1));
}

TEST_CASE("a tensor map's box must fit the instruction and the alignment") {
  std::string text = box(kPlain, "0, 0");
  text.replace(text.find("alloc_shared([8, 8]"), 19, "alloc_shared([16, 8]");
  text.replace(text.find("tile.ptr_to([0, 0]), bar"), 20, "tile.ptr_to([1, 0]), ");
  CHECK_THAT(finding_of(text), ContainsSubstring("TW5003"));
}

TEST_CASE("stores by boxes: clipped, combined, and never from negative coordinates") {
  auto store = [](std::string_view issue) {
    return kernel(
        "256", "256",
        {"m: T.let[T.handle(\"tensormap\")] = T.tvm_stack_alloca(\"tensormap\", 1)",
         "T.call_packed(\"runtime.cuTensorMapEncodeTiled\", m, \"int32\", 2, B.data, 16, 16, 64, 8, 8, 1, 1, 0, "
         "0, 2, 0)",
         "T.device_entry()", "T.cta_id([1])", "tid = T.thread_id([64])",
         "tile = T.alloc_shared([64], \"int32\", align=128)", "for i in T.serial(4):", "    B[tid * 4 + i] = 1",
         "tile[tid] = A[tid]", "T.ptx.fence.proxy_async()", "T.cuda.cta_sync()", "if tid == 0:", issue,
         "    T.ptx.cp_async.bulk.commit_group()", "    T.ptx.cp_async.bulk.wait_group(0, False)"});
  };
  Numbers plain =
      result_of(store("    T.ptx.cp_async.bulk.tensor.s2g(2, tile.ptr_to([0]), T.address_of(m), \"\", 12, 10)"));
  CHECK(plain({10 * 16 + 12}) == 1);
  CHECK(plain({10 * 16 + 15}) == 4);
  CHECK(plain({11 * 16 + 0}) == 1);
  CHECK(plain({15 * 16 + 15}) == 5 * 8 + 4);
  Numbers sum = result_of(
      store("    T.ptx.cp_async.bulk.tensor.s2g_reduce(2, tile.ptr_to([0]), T.address_of(m), \"\", \"add\", 8, 8)"));
  CHECK(sum({8 * 16 + 8}) == 2);
  CHECK(sum({15 * 16 + 15}) == 65);
  CHECK(sum({0}) == 1);
  CHECK_THAT(finding_of(store("    T.ptx.cp_async.bulk.tensor.s2g(2, tile.ptr_to([0]), T.address_of(m), \"\", 0, -1)")),
             ContainsSubstring("TW5015 | T.ptx.cp_async.bulk.tensor.s2g(2,"));
}

TEST_CASE("rows by number, gathered and scattered") {
  const std::string_view encode = "T.call_packed(\"runtime.cuTensorMapEncodeTiled\", ";
  const std::string rest = ".data, 16, 16, 64, 8, 1, 1, 1, 0, 0, 2, 0)";
  Numbers b = result_of(
      kernel("256", "256",
             {"m: T.let[T.handle(\"tensormap\")] = T.tvm_stack_alloca(\"tensormap\", 1)",
              std::string(encode) + "m, \"int32\", 2, A" + rest,
              "o: T.let[T.handle(\"tensormap\")] = T.tvm_stack_alloca(\"tensormap\", 1)",
              std::string(encode) + "o, \"int32\", 2, B" + rest,
              "T.device_entry()",
              "T.cta_id([1])",
              "tid = T.thread_id([64])",
              "tile = T.alloc_shared([32], \"int32\", align=128)",
              "bar = T.alloc_shared([1], \"uint64\")",
              "for i in T.serial(4):",
              "    B[tid * 4 + i] = 0",
              "T.ptx.fence.proxy_async()",
              "T.cuda.cta_sync()",
              "if tid == 0:",
              "    T.ptx.mbarrier.init(bar.ptr_to([0]), 1)",
              "    T.ptx.fence.mbarrier_init()",
              "    T.ptx.mbarrier.arrive.expect_tx(bar.ptr_to([0]), 128)",
              "    T.ptx.cp_async.bulk.tensor.g2c_tile_gather4(2, tile.ptr_to([0]), bar.ptr_to([0]), T.address_of(m), "
              "0, 1, "
              "\"\", 4, 3, 0, 16, 7)",
              "    T.ptx.mbarrier.try_wait(bar.ptr_to([0]), 0)",
              "    T.ptx.cp_async.bulk.tensor.s2g_scatter4(tile.ptr_to([0]), T.address_of(o), \"\", 8, 2, 5, 1, 9)",
              "    T.ptx.cp_async.bulk.commit_group()",
              "    T.ptx.cp_async.bulk.wait_group(0)"}),
      "sm_100a");
  auto at = [&](int row, int column) { return b({row * 16 + column}); };
  CHECK(at(2, 8) == 3 * 16 + 4 + 1);
  CHECK(at(5, 15) == 11 + 1);
  CHECK(at(1, 8) == 0);  // row 16 is outside
  CHECK(at(9, 10) == 7 * 16 + 6 + 1);
  CHECK(at(9, 7) == 0);
}

TEST_CASE("tensor memory") {
  auto script = [](std::string_view columns, std::initializer_list<std::string_view> body) {
    std::string out =
        kernel("128", "128",
               {"T.device_entry()", "T.cta_id([1])", "warp = T.warp_id([4])", "tid = T.thread_id([128])",
                "address = T.alloc_shared([1], \"uint32\")", "r = T.alloc_local((2,), \"uint32\")",
                "s = T.alloc_local((2,), \"uint32\")",
                "if warp == 0:", "    T.ptx.tcgen05.alloc(T.address_of(address), n_cols=" + std::string(columns) + ")",
                "T.cuda.cta_sync()",
                "for i in T.unroll(2):", "    r[i] = T.cast(A[tid], \"uint32\") + T.cast(i * 1000, \"uint32\")"});
    for (std::string_view line : body) out += "    " + std::string(line) + "\n";
    out += "    T.cuda.cta_sync()\n    if warp == 0:\n        T.ptx.tcgen05.dealloc(address[0], n_cols=" +
           std::string(columns) + ")\n";
    return out;
  };
  const std::string_view put = "T.ptx.tcgen05.st(address[0], r[0], r[1], shape=\"32x32b\", num=2)",
                         put_done = "T.ptx.tcgen05.wait.st()",
                         get = "T.ptx.tcgen05.ld(address[0], s[0], s[1], shape=\"32x32b\", num=2)",
                         get_done = "T.ptx.tcgen05.wait.ld()",
                         out = "B[tid] = T.cast(s[1], \"int32\") - T.cast(s[0], \"int32\") + A[tid]";
  SECTION("there and back") {
    Numbers b = result_of(script("32", {put, put_done, get, get_done, out}), "sm_100a");
    CHECK(b({0}) == 1001);
    CHECK(b({127}) == 1128);
  }
  SECTION("registers before the wait") {
    // The registers are there for what reads them; the columns are given back behind the wait.
    Numbers b = result_of(script("32", {put, put_done, get, out, get_done}), "sm_100a");
    CHECK(b({127}) == 1128);
  }
  SECTION("packed halves of two columns") {
    Numbers b =
        result_of(script("32", {put, put_done, "T.ptx.tcgen05.ld(address[0], s[0], shape=\"32x32b\", num=1, pack=True)",
                                get_done, "B[tid] = T.cast(s[0], \"int32\")"}),
                  "sm_100a");
    CHECK(b({4}) == 5 + (1005 << 16));
  }
  SECTION("columns that were not allocated") {
    CHECK_THAT(finding_of(script("32", {"T.ptx.tcgen05.ld(address[0], s[0], s[1], shape=\"32x32b\", num=2, col=31)",
                                        get_done, out}),
                          simulate::Timing::Latest, "sm_100a"),
               ContainsSubstring("TW5017") && ContainsSubstring("column 32"));
  }
  SECTION("lanes of another warp") {
    CHECK_THAT(finding_of(script("32", {"T.ptx.tcgen05.ld(address[0], s[0], s[1], shape=\"32x32b\", num=2, row=32)",
                                        get_done, out}),
                          simulate::Timing::Latest, "sm_100a"),
               ContainsSubstring("TW5017") && ContainsSubstring("the address names lane 32"));
  }
  SECTION("half a warp") {
    CHECK_THAT(finding_of(script("32", {"if tid % 32 < 16:", "    T.ptx.tcgen05.wait.ld()", "B[tid] = A[tid]"}),
                          simulate::Timing::Latest, "sm_100a"),
               ContainsSubstring("TW5006"));
  }
  SECTION("not given back") {
    std::string text = script("32", {"B[tid] = A[tid]"});
    text.resize(text.find("    if warp == 0:\n        T.ptx.tcgen05.dealloc"));
    CHECK_THAT(finding_of(text, simulate::Timing::Latest, "sm_100a"), ContainsSubstring("TW5017"));
  }
  SECTION("more columns than there are wait for others") {
    std::string f = finding_of(
        script("512",
               {"if warp == 1:", "    T.ptx.tcgen05.alloc(T.address_of(address), n_cols=32)", "B[tid] = A[tid]"}),
        simulate::Timing::Latest, "sm_100a");
    CHECK_THAT(f, ContainsSubstring("waits here for ever in T.ptx.tcgen05.alloc"));
  }
}

TEST_CASE("ldmatrix and stmatrix by hand") {
  // Lane l holds elements 2(l mod 4) and the next of row l/4; transposed, of column l/4.
  auto script = [](std::string_view trans, std::string_view num, std::string_view registers) {
    return "from tvm.script import tirx as T\n\n"
           "@T.prim_func\n"
           "def k(A_ptr: T.handle, B_ptr: T.handle):\n"
           "    A = T.match_buffer(A_ptr, (256,), \"float16\")\n"
           "    B = T.match_buffer(B_ptr, (256,), \"float16\")\n"
           "    T.device_entry()\n"
           "    T.cta_id([1])\n"
           "    tid = T.thread_id([32])\n"
           "    X = T.alloc_shared([256], \"float16\")\n"
           "    Y = T.alloc_shared([256], \"float16\")\n"
           "    r = T.alloc_local((8,), \"float16\")\n"
           "    for i in T.serial(8):\n"
           "        X[tid * 8 + i] = A[tid * 8 + i]\n"
           "        Y[tid * 8 + i] = T.float16(0)\n"
           "    T.cuda.warp_sync()\n"
           "    T.ptx.ldmatrix(" +
           std::string(trans) + ", " + std::string(num) + ", \".b16\", X.ptr_to([tid * 8]), " + std::string(registers) +
           ")\n"
           "    T.ptx.stmatrix(0, " +
           std::string(num) + ", \".b16\", Y.ptr_to([tid * 8]), " + std::string(registers) +
           ")\n"
           "    T.cuda.warp_sync()\n"
           "    for i in T.serial(8):\n"
           "        B[tid * 8 + i] = Y[tid * 8 + i]\n";
  };
  constexpr std::string_view kFour = "r.ptr_to([0]), r.ptr_to([2]), r.ptr_to([4]), r.ptr_to([6])";
  Numbers same = result_of(script("0", "4", kFour));
  Numbers turned = result_of(script("1", "4", kFour));
  Numbers two = result_of(script("1", "2", "r.ptr_to([0]), r.ptr_to([2])"));
  for (int m = 0; m < 4; ++m) {
    for (int row = 0; row < 8; ++row) {
      for (int column = 0; column < 8; ++column) {
        CHECK(same({m * 64 + row * 8 + column}) == m * 64 + row * 8 + column + 1);
        CHECK(turned({m * 64 + row * 8 + column}) == m * 64 + column * 8 + row + 1);
        CHECK(two({m * 64 + row * 8 + column}) == (m < 2 ? m * 64 + column * 8 + row + 1 : 0));
      }
    }
  }
}
