// Arithmetic that is spelled out to the bit: roundings, flushed and clamped results, NaNs, conversions, bits.
#include "tests/simulate/runs.h"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

// One thread's words, computed by these statements; A holds 1, 2, 3, ...
std::vector<std::uint32_t> words_of(std::initializer_list<std::string_view> body, std::string_view arch = "sm_90a") {
  std::string script =
      kernel("64", "8",
             {"T.device_entry()", "T.cta_id([1])", "T.thread_id([1])", "words = T.alloc_local([8], \"uint32\")",
              "one = T.alloc_local([2], \"float32\")", "wide = T.alloc_local([1], \"float64\")",
              "pair = T.alloc_local([1], \"uint64\")", "for i in T.unroll(8):", "    words[i] = T.uint32(0)"});
  for (std::string_view line : body) script += "    " + std::string(line) + "\n";
  script += "    for i in T.unroll(8):\n        B[i] = T.reinterpret(\"int32\", words[i])\n";
  std::vector<std::uint32_t> out;
  for (double v : result_of(script, arch).values)
    out.push_back(static_cast<std::uint32_t>(static_cast<std::int64_t>(v)));
  return out;
}

std::string single(std::uint32_t bits) { return "T.cuda.uint_as_float(T.uint32(" + std::to_string(bits) + "))"; }

// The bits of one operation on float32 numbers given by their bits.
std::uint32_t bits(std::string_view call, std::uint32_t a, std::uint32_t b, std::string_view options = "") {
  return words_of(
      {"T.ptx." + std::string(call) + "(one.ptr_to([0]), " + single(a) + ", " + single(b) + std::string(options) + ")",
       "words[0] = T.cuda.float_as_uint(one[0])"})[0];
}

constexpr std::uint32_t kOne = 0x3f800000, kNan = 0x7fffffff;

}  // namespace

TEST_CASE("a sum is rounded as its instruction says") {
  const std::uint32_t half_ulp = 0x33800000;  // 2^-24
  CHECK(bits("add_f32", kOne, half_ulp) == kOne);
  CHECK(bits("add_f32", kOne, half_ulp, ", rounding=\"rp\"") == kOne + 1);
  CHECK(bits("add_f32", kOne + 1, half_ulp) == kOne + 2);
  CHECK(bits("add_f32", kOne + 1, half_ulp, ", rounding=\"rz\"") == kOne + 1);
  CHECK(bits("sub_f32", 0xbf800000, half_ulp, ", rounding=\"rm\"") == 0xbf800001);
  CHECK(bits("sub_f32", 0xbf800000, half_ulp, ", rounding=\"rp\"") == 0xbf800000);
  CHECK(bits("mul_f32", kOne + 1, kOne + 1) == kOne + 2);
  CHECK(bits("mul_f32", kOne + 1, kOne + 1, ", rounding=\"rp\"") == kOne + 3);
  // Once for both operations: 2^-24 is not lost on the way.
  CHECK(bits("fma_f32", kOne, kOne, ", " + single(half_ulp) + ", rounding=\"rp\"") == kOne + 1);
}

TEST_CASE("subnormal numbers, clamps and NaNs") {
  CHECK(bits("add_f32", 0x00000001, 0x00000002) == 3);
  CHECK(bits("add_f32", 0x80000001, 0x80000002, ", ftz=True") == 0x80000000);
  CHECK(bits("mul_f32", 0x00800000, 0x3f000000, ", ftz=True") == 0);
  CHECK(bits("mul_f32", 0x00800000, 0x3f000000) == 0x00400000);
  CHECK(bits("add_f32", kOne, kOne, ", sat=True") == kOne);
  CHECK(bits("sub_f32", kOne, kOne + 1, ", sat=True") == 0);
  CHECK(bits("add_f32", 0x7f800000, 0xff800000, ", sat=True") == 0);
  CHECK(bits("add_f32", 0x7f800000, 0xff800000) == kNan);
  CHECK(bits("add_f32", 0xffc12345, kOne) == kNan);
  auto greater = [](std::uint32_t a, std::uint32_t b, std::string_view options) {
    return words_of({"words[0] = T.cuda.float_as_uint(T.ptx.max_f32(" + single(a) + ", " + single(b) +
                     std::string(options) + "))"})[0];
  };
  CHECK(greater(0x80000000, 0, "") == 0);
  CHECK(greater(0xffc00001, kOne, "") == kOne);
  CHECK(greater(0xffc00001, kOne, ", nan=True") == kNan);
  CHECK(greater(0x00000001, 0x80000000, ", ftz=True") == 0);
}

TEST_CASE("float64, pairs and three at once") {
  auto words =
      words_of({"T.ptx.add_f64(wide.ptr_to([0]), T.float64(1), T.float64(1.1102230246251565e-16), rounding=\"rp\")",
                "words[0] = T.cast(T.reinterpret(\"uint64\", wide[0]) & T.uint64(0xFFFFFFFF), \"uint32\")",
                "words[1] = T.cast(T.reinterpret(\"uint64\", wide[0]) >> T.uint64(32), \"uint32\")"});
  CHECK(words[0] == 1);
  CHECK(words[1] == 0x3ff00000);
  words = words_of({"T.ptx.fma_f32x2(pair.ptr_to([0]), T.cuda.make_float2(T.float32(2), T.float32(3)), "
                    "T.cuda.make_float2(T.float32(5), T.float32(7)), T.cuda.make_float2(T.float32(1), T.float32(-1)))",
                    "words[0] = T.cast(T.cuda.float2_x(pair[0]), \"uint32\")",
                    "words[1] = T.cast(T.cuda.float2_y(pair[0]), \"uint32\")",
                    "words[2] = T.cast(T.cuda.float2_y(T.cuda.fadd2_rn(pair[0], pair[0])), \"uint32\")",
                    "words[3] = T.cast(T.ptx.reduce3_max_f32(T.float32(4), T.float32(9), T.float32(2)), \"uint32\")",
                    "words[4] = T.cast(T.ptx.reduce3_min_f32(T.float32(4), T.float32(9), T.float32(2)), \"uint32\")",
                    "words[5] = T.cast(T.ptx.add_rn_f32_bf16(T.float32(1), T.uint16(0x4040)), \"uint32\")"},
                   "sm_100a");
  CHECK(words == std::vector<std::uint32_t>{11, 20, 40, 9, 2, 4, 0, 0});
}

TEST_CASE("conversions of several numbers at once") {
  const auto words =
      words_of({"words[0] = T.cuda.float22bfloat162_rn(T.float32(1), " + single(0x3f808001) + ")",
                "words[1] = T.cuda.float22bfloat162_rn(" + single(0xffc00001) + ", " + single(0x3f808000) + ")",
                "words[2] = T.cuda.float_as_uint(T.cuda.float2_y(T.cuda.bfloat1622float2(T.uint32(0x40400000))))",
                "words[3] = T.cuda.hmin2(T.uint32(0x7FC03F80), T.uint32(0x40004000))",
                "words[4] = T.cuda.hmax2(T.uint32(0x7FC03F80), T.uint32(0xFFC04000))",
                "words[5] = T.cuda.fp8x4_e4m3_from_float4(T.float32(1), T.float32(-1000), T.float32(0.0009765625), " +
                    single(0x7fc00000) + ")",
                "one[0] = T.float32(-65520)", "one[1] = T.float32(65519)", "halves = T.alloc_local([2], \"float16\")",
                "T.cuda.float22half2(halves.ptr_to([0]), one.ptr_to([0]))",
                "words[6] = T.cast(T.reinterpret(\"uint16\", halves[0]), \"uint32\")",
                "words[7] = T.cast(T.reinterpret(\"uint16\", halves[1]), \"uint32\")"});
  CHECK(words == std::vector<std::uint32_t>{0x3f813f80, 0x3f807fff, 0x40400000, 0x40003f80, 0x7fff4000, 0x7f00fe38,
                                            0xfc00, 0x7bff});
}

TEST_CASE("eight numbers between memory of two types") {
  const auto words =
      words_of({"from8 = T.alloc_local([8], \"float32\")", "half8 = T.alloc_local([8], \"float16\")",
                "to8 = T.alloc_local([8], \"float32\")",
                "for i in T.unroll(8):", "    from8[i] = T.cast(A[i], \"float32\") * T.float32(1.0009765625)",
                "T.cuda.float8tohalf8(from8.ptr_to([0]), half8.ptr_to([0]))",
                "T.cuda.half8tofloat8(half8.ptr_to([0]), to8.ptr_to([0]))",
                "for i in T.unroll(8):", "    words[i] = T.cast(to8[i] * T.float32(1024), \"uint32\")"});
  CHECK(words == std::vector<std::uint32_t>{1025, 2050, 3076, 4100, 5124, 6152, 7176, 8200});
}

TEST_CASE("the first and the n-th bit that is set") {
  const auto words = words_of({"words[0] = T.cast(T.cuda.ffs_u32(T.uint32(0x50)), \"uint32\")",
                               "words[1] = T.cast(T.cuda.ffs_u32(T.uint32(0)), \"uint32\")",
                               "words[2] = T.ptx.fns_b32(T.uint32(0x2C), T.uint32(0), 2)",
                               "words[3] = T.ptx.fns_b32(T.uint32(0x2C), T.uint32(4), -2)",
                               "words[4] = T.ptx.fns_b32(T.uint32(0x2C), T.uint32(5), 0)",
                               "words[5] = T.ptx.fns_b32(T.uint32(0x2C), T.uint32(4), 0)",
                               "words[6] = T.ptx.fns_b32(T.uint32(0x2C), T.uint32(0), 4)"});
  CHECK(words == std::vector<std::uint32_t>{5, 0, 3, 2, 5, ~0u, ~0u, 0});
}

TEST_CASE("clocks go on, timers write their records, hints do nothing") {
  const auto words = words_of(
      {"before: T.uint64 = T.cuda.clock64()",
       "T.cuda.nano_sleep(T.uint32(100))",
       "T.ptx.prefetch_l2(A.ptr_to([0]))",
       "T.ptx.cp_async_bulk_prefetch(A.ptr_to([0]), T.uint32(64))",
       "T.ptx.griddepcontrol.wait()",
       "T.ptx.griddepcontrol.launch_dependents()",
       "T.ptx.fence.proxy_alias()",
       "words[0] = T.cast(T.cuda.clock64() > before, \"uint32\")",
       "profile = T.alloc_local([8], \"uint64\")",
       "tag = T.alloc_local([1], \"uint32\")",
       "at = T.alloc_local([1], \"uint32\")",
       "for i in T.unroll(8):",
       "    profile[i] = T.uint64(0)",
       "T.cuda.timer_init(profile.ptr_to([0]), tag.ptr_to([0]), at.ptr_to([0]), T.uint32(2), T.uint32(1))",
       "T.cuda.timer_start(5, profile.ptr_to([0]), tag.ptr_to([0]), at.ptr_to([0]), T.uint32(2), T.bool(True))",
       "T.cuda.timer_end(5, profile.ptr_to([0]), tag.ptr_to([0]), at.ptr_to([0]), T.uint32(2), T.bool(True))",
       "T.cuda.timer_end(5, profile.ptr_to([0]), tag.ptr_to([0]), at.ptr_to([0]), T.uint32(2), T.bool(False))",
       "words[1] = T.cast(profile[0] >> T.uint64(32), \"uint32\")",
       "words[2] = T.cast(profile[0] & T.uint64(0xFFFFFFFF), \"uint32\")",
       "words[3] = T.cast(profile[2] & T.uint64(0xFFFFFFFF), \"uint32\")",
       "words[4] = T.cast(profile[4] & T.uint64(0xFFFFFFFF), \"uint32\")",
       "words[5] = T.cast(profile[4] >> T.uint64(32) > profile[2] >> T.uint64(32), \"uint32\")",
       "words[6] = at[0]"});
  CHECK(words == std::vector<std::uint32_t>{1, 2, 1, 1 << 12 | 5 << 2, 1 << 12 | 5 << 2 | 1, 1, 6, 0});
}
