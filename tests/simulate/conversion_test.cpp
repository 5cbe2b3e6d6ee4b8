// cvt to the bit: values worked out by hand from the formats' definitions.
#include "compiler/simulate/machine/conversion.h"

#include <bit>

#include "tests/unit/catch.h"

using tilewright::simulate::Conversion;

namespace {

std::uint64_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

std::uint64_t convert(const Conversion& c, std::initializer_list<std::uint64_t> words) {
  return tilewright::simulate::converted(c, {words.begin(), words.size()});
}

}  // namespace

TEST_CASE("cvt between floats: rounding, overflow, subnormal numbers, NaN") {
  CHECK(convert({.to = "f16", .from = "f32", .rounding = "rn"}, {bits(1.0f)}) == 0x3c00);
  CHECK(convert({.to = "f16", .from = "f32", .rounding = "rn"}, {bits(65520.0f)}) == 0x7c00);
  CHECK(convert({.to = "f16", .from = "f32", .rounding = "rz"}, {bits(65520.0f)}) == 0x7bff);
  CHECK(convert({.to = "f16", .from = "f32", .rounding = "rn", .satfinite = true}, {bits(1e9f)}) == 0x7bff);
  CHECK(convert({.to = "f16", .from = "f32", .rounding = "rn", .relu = true}, {bits(-3.0f)}) == 0);
  CHECK(convert({.to = "f16", .from = "f32", .rounding = "rn"}, {0x7fc00000}) == 0x7fff);
  CHECK(convert({.to = "f16", .from = "f32", .rounding = "rn"}, {bits(0x1p-24f)}) == 1);
  CHECK(convert({.to = "bf16", .from = "f32", .rounding = "rn"}, {0x3f808000}) == 0x3f80);  // a tie, to even
  CHECK(convert({.to = "bf16", .from = "f32", .rounding = "rp"}, {0x3f800001}) == 0x3f81);
  CHECK(convert({.to = "f32", .from = "bf16"}, {0xbf80}) == bits(-1.0f));
  CHECK(convert({.to = "f32", .from = "f16"}, {0x0001}) == bits(0x1p-24f));
  CHECK(convert({.to = "f64", .from = "f32"}, {bits(1.5f)}) == std::bit_cast<std::uint64_t>(1.5));
  CHECK(convert({.to = "tf32", .from = "f32", .rounding = "rna"}, {0x3f801000}) == 0x3f802000);
  CHECK(convert({.to = "f32", .from = "f32", .rounding = "rni"}, {bits(2.5f)}) == bits(2.0f));
  CHECK(convert({.to = "f32", .from = "f64", .rounding = "rn", .ftz = true},
                {std::bit_cast<std::uint64_t>(0x1p-140)}) == 0);
}

TEST_CASE("cvt of packed words: the first operand is the upper part") {
  CHECK(convert({.to = "bf16x2", .from = "f32", .rounding = "rn"}, {bits(2.0f), bits(1.0f)}) == 0x40003f80);
  CHECK(convert({.to = "e4m3x2", .from = "f32", .rounding = "rn", .satfinite = true}, {bits(448.0f), bits(1.0f)}) ==
        0x7e38);
  CHECK(convert({.to = "e4m3x2", .from = "f32", .rounding = "rn", .satfinite = true}, {bits(1e9f), 0x7fc00000}) ==
        0x7e7f);
  CHECK(convert({.to = "f16x2", .from = "e5m2x2", .rounding = "rn"}, {0x3c40}) == 0x3c004000);
  CHECK(convert({.to = "e2m1x2", .from = "f32", .rounding = "rn", .satfinite = true}, {bits(6.0f), bits(0.25f)}) ==
        0x70);
  CHECK(convert({.to = "f16x2", .from = "e2m1x2", .rounding = "rn"}, {0x71}) == 0x46003800);
  CHECK(convert({.to = "e3m2x2", .from = "f32", .rounding = "rn", .satfinite = true}, {bits(28.0f), bits(-1.0f)}) ==
        0x1f2c);
  CHECK(convert({.to = "ue8m0x2", .from = "f32", .rounding = "rz"}, {bits(2.0f), bits(3.0f)}) == 0x8080);
  CHECK(convert({.to = "ue8m0x2", .from = "f32", .rounding = "rp"}, {bits(2.0f), bits(3.0f)}) == 0x8081);
}

TEST_CASE("cvt to and from integers") {
  CHECK(convert({.to = "s32", .from = "f32", .rounding = "rzi"}, {bits(-2.7f)}) == 0xfffffffe);
  CHECK(convert({.to = "s32", .from = "f32", .rounding = "rmi"}, {bits(-2.2f)}) == 0xfffffffd);
  CHECK(convert({.to = "u32", .from = "f32", .rounding = "rni"}, {bits(-5.0f)}) == 0);
  CHECK(convert({.to = "s32", .from = "f32", .rounding = "rni"}, {bits(1e20f)}) == 0x7fffffff);
  CHECK(convert({.to = "s32", .from = "f32", .rounding = "rni"}, {0x7fc00000}) == 0);
  CHECK(convert({.to = "f32", .from = "u32", .rounding = "rz"}, {0xffffffff}) == bits(4294967040.0f));
  CHECK(convert({.to = "f64", .from = "s64", .rounding = "rn"}, {~std::uint64_t{0}}) ==
        std::bit_cast<std::uint64_t>(-1.0));
  CHECK(convert({.to = "s8", .from = "s32", .sat = true}, {300}) == 0x7f);
  CHECK(convert({.to = "s8", .from = "s32"}, {300}) == 0x2c);
  CHECK(convert({.to = "u16", .from = "s16", .sat = true}, {0xffff}) == 0);
}
