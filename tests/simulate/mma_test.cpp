// mma.sync: fragments as the PTX ISA lays them out, held against the sums that the definition gives.
#include "tests/simulate/runs.h"

using namespace tilewright;
using namespace tilewright::testing;
using Catch::Matchers::ContainsSubstring;

namespace {

struct Form {
  int m, k;
  std::string_view type, accumulator;
  int per_register;            // elements of A and B in a register
  std::string_view spelled{};  // how the instruction names the type, where that is another name
  std::string_view options{};
  bool sparse = false;

  std::string shape() const { return "m" + std::to_string(m) + "n8k" + std::to_string(k); }
  int stored_k() const { return sparse ? k / 2 : k; }
  std::string operand() const { return std::string(spelled.empty() ? type : spelled); }
};

std::string pointers(std::string_view array, int count, int step) {
  std::string out = "[";
  for (int i = 0; i < count; ++i)
    out += (i ? ", " : "") + std::string(array) + ".ptr_to([" + std::to_string(i * step) + "])";
  return out + "]";
}

// A warp that multiplies A, the first of the two matrices that the tensor A holds, by the second, and adds 3.
std::string warp_of(const Form& f, std::string_view before = "", std::string_view lanes = "") {
  const int a = f.m * f.stored_k() / 32, b = f.k * 8 / 32, c = f.m * 8 / 32, n = f.per_register,
            per_c = f.accumulator == "float16" ? 2 : 1;
  auto number = [](int value) { return std::to_string(value); };
  const std::string halves = number(f.m / 8), chunk = number(4 * n), own = number(n);
  std::string body =
      "from tvm.script import tirx as T\n\n@T.prim_func\ndef k(A_ptr: T.handle, B_ptr: T.handle):\n"
      "    A = T.match_buffer(A_ptr, (" +
      number(f.m * f.stored_k() + f.k * 8) + ",), \"" + std::string(f.type) + "\")\n    B = T.match_buffer(B_ptr, (" +
      number(f.m) + ", 8), \"" + std::string(f.accumulator) +
      "\")\n    T.device_entry()\n    T.cta_id([1])\n    lane = T.thread_id([32])\n    a = T.alloc_local([" +
      number(a) + "], \"" + std::string(f.type) + "\")\n    b = T.alloc_local([" + number(b) + "], \"" +
      std::string(f.type) + "\")\n    c = T.alloc_local([" + number(c) + "], \"" + std::string(f.accumulator) +
      "\")\n    for i in T.unroll(" + number(a) + "):\n        a[i] = A[(lane // 4 + 8 * (i // " + own + " % " +
      halves + ")) * " + number(f.stored_k()) + " + i // " + number(n * f.m / 8) + " * " + chunk + " + lane % 4 * " +
      own + " + i % " + own + "]\n    for i in T.unroll(" + number(b) + "):\n        b[i] = A[" +
      number(f.m * f.stored_k()) + " + (i // " + own + " * " + chunk + " + lane % 4 * " + own + " + i % " + own +
      ") * 8 + lane // 4]\n    for i in T.unroll(" + number(c) + "):\n        c[i] = T.cast(3, \"" +
      std::string(f.accumulator) + "\")\n" + std::string(before);
  const std::string type = "\"" + f.operand() + "\"", sums = "\"" + std::string(f.accumulator) + "\"";
  std::string call;
  if (f.sparse) {
    body += "    meta = T.alloc_local([1], \"uint32\")\n    meta[0] = T.uint32(0xDDDDDDDD)\n";
    call = "T.ptx.mma.sp(" + sums + ", \"" + f.shape() + "\", \"row\", \"col\", " + type + ", " + type + ", " + sums +
           ", a.ptr_to([0]), 0, b.ptr_to([0]), 0, c.ptr_to([0]), 0, meta.ptr_to([0]), 0, 1, False)";
  } else {
    const std::string out = pointers("c", c / per_c, per_c);
    call = "T.ptx.mma(\"" + f.shape() + "\", \"row\", \"col\", " + sums + ", " + type + ", " + type + ", " + sums +
           ", " + out + ", " + pointers("a", a / n, n) + ", " + pointers("b", b / n, n) + ", " + out +
           std::string(f.options) + ")";
  }
  body += lanes.empty() ? "    " + call + "\n" : "    if " + std::string(lanes) + ":\n        " + call + "\n";
  return body + "    for i in T.unroll(" + number(c) +
         "):\n        B[lane // 4 + 8 * (i // 2), lane % 4 * 2 + i % 2] = c[i]\n";
}

double filled(const Form& f, std::int64_t i) {
  return f.type == "uint8" ? static_cast<double>(i * 7 % 5) : static_cast<double>(i * 7 % 9 - 4);
}

void check_product(const Form& f) {
  INFO(f.shape() << " " << f.operand());
  Runs runs(warp_of(f), "sm_90a");
  const Runs::Kernel& k = runs.kernels()[0];
  simulate::Options options;
  options.races = true;
  simulate::Result r = runs.run(k, runs.inputs(k, [&](std::int64_t i) { return filled(f, i); }), options);
  INFO(said(r));
  REQUIRE(r.verdict == simulate::Verdict::Clean);
  const Numbers b = numbers(r.tensors.at("B"), runs.tensor(k, "B")->dtype);
  for (int row = 0; row < f.m; ++row) {
    for (int column = 0; column < 8; ++column) {
      double sum = 3;
      for (int at = 0; at < f.stored_k(); ++at) {
        const int in_b = f.sparse ? at / 2 * 4 + 1 + at % 2 * 2 : at;  // 0b1101: elements 1 and 3 of every four
        sum += filled(f, row * f.stored_k() + at) * filled(f, f.m * f.stored_k() + in_b * 8 + column);
      }
      CHECK(b({row, column}) == sum);
    }
  }
}

constexpr Form kHalf = {16, 16, "float16", "float32", 2};

std::string first_finding(const std::string& script) {
  Runs runs(script, "sm_90a");
  const Runs::Kernel& k = runs.kernels()[0];
  simulate::Result r = runs.run(k, runs.inputs(k, [](std::int64_t) { return 1.0; }));
  if (r.findings.empty()) return "clean";
  return std::string(r.findings[0].code) + " | " + runs.line(r.findings[0]).substr(0, 10) + " | " +
         r.findings[0].message;
}

}  // namespace

TEST_CASE("a warp multiplies fragments of every type") {
  const Form forms[] = {
      kHalf,
      {16, 8, "float16", "float32", 2},
      {16, 16, "float16", "float16", 2},
      {16, 8, "float16", "float16", 2},
      {16, 16, "bfloat16", "float32", 2},
      {16, 8, "bfloat16", "float32", 2},
      {16, 4, "float32", "float32", 1, "tf32"},
      {16, 8, "float32", "float32", 1, "tf32"},
      {8, 4, "float64", "float64", 1},
      {16, 4, "float64", "float64", 1},
      {16, 8, "float64", "float64", 1},
      {16, 16, "float64", "float64", 1},
      {8, 16, "int8", "int32", 4},
      {16, 16, "int8", "int32", 4},
      {16, 32, "int8", "int32", 4},
      {16, 32, "uint8", "int32", 4, "", ", saturate=True"},
      {16, 32, "float8_e4m3fn", "float32", 4, "e4m3"},
      {16, 32, "float8_e5m2", "float32", 4, "e5m2"},
      {.m = 16, .k = 16, .type = "float16", .accumulator = "float32", .per_register = 2, .sparse = true},
      {.m = 16, .k = 32, .type = "bfloat16", .accumulator = "float32", .per_register = 2, .sparse = true},
      {.m = 16, .k = 32, .type = "float16", .accumulator = "float16", .per_register = 2, .sparse = true},
  };
  for (const Form& f : forms) check_product(f);
}

TEST_CASE("elements of less than a byte come in words") {
  auto product = [](std::string_view shape, std::string_view type, std::string_view options) {
    return result_of(kernel(
        "4", "128",
        {"T.device_entry()", "T.cta_id([1])", "lane = T.thread_id([32])", "a = T.alloc_local([4], \"uint32\")",
         "b = T.alloc_local([2], \"uint32\")", "c = T.alloc_local([4], \"int32\")",
         // A holds 1, 2, 3, 4. Row 0 of A is one word of 0xf1f1f1f1 a chunk, all others 0x01010101.
         "for i in T.unroll(4):",
         "    a[i] = T.uint32(0xF1F1F1F1) if lane < 4 and i % 2 == 0 else T.uint32(0x01010101)", "    c[i] = A[i]",
         "for i in T.unroll(2):", "    b[i] = T.uint32(0x11111111)",
         "T.ptx.mma(\"" + std::string(shape) + "\", \"row\", \"col\", \"int32\", \"" + std::string(type) + "\", \"" +
             std::string(type) + "\", \"int32\", " + pointers("c", 4, 1) + ", " + pointers("a", 4, 1) + ", " +
             pointers("b", 2, 1) + ", " + pointers("c", 4, 1) + std::string(options) + ")",
         "for i in T.unroll(4):", "    B[lane * 4 + i] = c[i]"}));
  };
  // Of 64 products half are 1, and in row 0 half are -1 or 15.
  const Numbers s4 = product("m16n8k64", "int4", ""), u4 = product("m16n8k64", "uint4", "");
  CHECK(s4({0}) == 1 + 32 - 32);
  CHECK(u4({0}) == 1 + 32 + 32 * 15);
  CHECK(s4({2}) == 3 + 32);  // row 8
  CHECK(s4({16}) == 1 + 32);
  // 256 bits: every fourth one of B is set; of A's row 0 five of eight, of the others every eighth.
  const Numbers both = product("m16n8k256", "b1", ", bit_op=\"and\""),
                either = product("m16n8k256", "b1", ", bit_op=\"xor\"");
  CHECK(both({0}) == 1 + 64);
  CHECK(both({2}) == 3 + 32);
  CHECK(either({0}) == 1 + 32 * 3);
  CHECK(either({2}) == 3 + 32);
}

TEST_CASE("quads of lanes multiply 8 by 8 matrices of their own") {
  // Lane L of the lower half holds row and column L mod 4 of product L / 4, its partner 16 lanes on those behind them.
  const Numbers b = result_of(kernel(
      "4", "256",
      {"T.device_entry()", "T.cta_id([1])", "lane = T.thread_id([32])", "a = T.alloc_local([4], \"float16\")",
       "b = T.alloc_local([4], \"float16\")", "c = T.alloc_local([8], \"float32\")",
       "for i in T.unroll(4):", "    a[i] = T.cast(A[i] * (lane % 4 + lane // 16 * 4) + lane % 16 // 4, \"float16\")",
       "    b[i] = T.cast(lane % 4 + lane // 16 * 4, \"float16\")",
       "T.ptx.mma(\"m8n8k4\", \"row\", \"col\", \"float32\", \"float16\", \"float16\", \"float32\", " +
           pointers("c", 8, 1) + ", " + pointers("a", 2, 2) + ", " + pointers("b", 2, 2) + ")",
       "for i in T.unroll(8):",
       "    B[lane % 16 // 4 * 64 + (lane % 2 + i // 2 % 2 * 2 + lane // 16 * 4) * 8 + i // 4 * 4 + lane % 4 // 2 * 2 "
       "+ "
       "i % 2] = T.cast(c[i], \"int32\")"}));
  for (int product = 0; product < 4; ++product)
    for (int row = 0; row < 8; ++row)
      for (int column = 0; column < 8; ++column)
        CHECK(b({product * 64 + row * 8 + column}) == (10 * row + 4 * product) * column);
}

TEST_CASE("integer sums wrap or stop at the end") {
  auto end_of = [](std::string_view options) {
    const Form f = {16, 32, "int8", "int32", 4, "", options};
    Runs runs(warp_of(f, "    for i in T.unroll(4):\n        c[i] = 2147483647\n"), "sm_90a");
    const Runs::Kernel& k = runs.kernels()[0];
    simulate::Result r = runs.run(k, runs.inputs(k, [](std::int64_t) { return 1.0; }));
    return numbers(r.tensors.at("B"), runs.tensor(k, "B")->dtype)({0, 0});
  };
  CHECK(end_of("") == -2147483648.0 + 31);
  CHECK(end_of(", saturate=True") == 2147483647.0);
}

TEST_CASE("a fragment is filled with zeros and stored") {
  const Numbers b = result_of(
      kernel("256", "256",
             {"T.device_entry()", "T.cta_id([1])", "lane = T.thread_id([32])", "c = T.alloc_local([10], \"float32\")",
              "tile = T.alloc_shared([16 * 20], \"float32\")", "T.cuda.mma_fill(\"float32\", 10, c.ptr_to([0]), 0)",
              "c[3] = T.cast(lane, \"float32\")",  // element 1 of the fragment: row lane / 4, column 2 (lane mod 4) + 1
              "c[4] = T.cast(-lane, \"float32\")",  // element 2: eight rows below
              "T.cuda.mma_store(\"float32\", 16, 16, tile.ptr_to([0]), c.ptr_to([0]), 2, 20)", "T.cuda.cta_sync()",
              "for i in T.serial(8):",
              "    B[i * 32 + lane] = T.cast(tile[(i * 32 + lane) // 16 * 20 + lane % 16], \"int32\")"}));
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < 16; ++column) {
      const int lane = row % 8 * 4 + column / 2;
      const bool top = row < 8 && column < 8 && column % 2 == 1, bottom = row >= 8 && column < 8 && column % 2 == 0;
      CHECK(b({row * 16 + column}) == (top ? lane : bottom ? -lane : 0));
    }
  }
}

TEST_CASE("what an mma needs") {
  CHECK(first_finding(warp_of(kHalf)) == "clean");
  CHECK_THAT(first_finding(warp_of(kHalf, "", "lane < 16")),
             ContainsSubstring("TW5006 | T.ptx.mma(") && ContainsSubstring("needs all 32 lanes, 16 are here"));
  std::string three = warp_of(kHalf);  // of the four elements of B
  const std::string_view all = "T.unroll(4):\n        b[i]";
  three.replace(three.find(all), all.size(), "T.unroll(3):\n        b[i]");
  CHECK_THAT(first_finding(three),
             ContainsSubstring("TW5002 | T.ptx.mma(") && ContainsSubstring("a register of B is read"));
}
