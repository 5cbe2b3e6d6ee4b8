#include <cmath>
#include <limits>
#include <set>

#include "compiler/run/element.h"
#include "tests/unit/catch.h"

using namespace tilewright;
using namespace tilewright::run;

namespace {

ir::DataType type(const char* name) { return *ir::parse_dtype(name); }
double decoded(const char* name, std::uint64_t bits) { return *decode_element(type(name), bits); }

const char* const kSmallFloats[] = {"float16",         "bfloat16",        "float8_e3m4",        "float8_e4m3",
                                    "float8_e4m3fn",   "float8_e4m3fnuz", "float8_e4m3b11fnuz", "float8_e5m2",
                                    "float8_e5m2fnuz", "float6_e2m3fn",   "float6_e3m2fn",      "float4_e2m1fn"};

}  // namespace

TEST_CASE("elements: corners of the formats") {
  CHECK(decoded("float16", 0x3C00) == 1.0);
  CHECK(decoded("float16", 0x0001) == std::ldexp(1.0, -24));
  CHECK(decoded("float16", 0x7BFF) == 65504.0);
  CHECK(std::isinf(decoded("float16", 0xFC00)));
  CHECK(std::isnan(decoded("float16", 0x7E00)));
  CHECK(decoded("bfloat16", 0x4049) == 3.140625);
  CHECK(decoded("float8_e4m3fn", 0x7E) == 448.0);
  CHECK(std::isnan(decoded("float8_e4m3fn", 0x7F)));
  CHECK(decoded("float8_e5m2", 0x7B) == 57344.0);
  CHECK(std::isinf(decoded("float8_e5m2", 0x7C)));
  CHECK(std::isnan(decoded("float8_e4m3fnuz", 0x80)));
  CHECK(decoded("float8_e8m0fnu", 127) == 1.0);
  CHECK(decoded("float6_e2m3fn", 0x1F) == 7.5);
  CHECK(decoded("float6_e3m2fn", 0x1F) == 28.0);
  CHECK(decoded("float4_e2m1fn", 0x7) == 6.0);
  CHECK(decoded("float4_e2m1fn", 0x9) == -0.5);
  CHECK(decoded("int8", 0xFF) == -1.0);
  CHECK(decoded("uint8", 0xFF) == 255.0);
  CHECK(decoded("bool", 3) == 1.0);
}

TEST_CASE("elements: every number encodes to the code it was decoded from") {
  for (const char* name : kSmallFloats) {
    ir::DataType t = type(name);
    for (std::uint64_t bits = 0; bits < std::uint64_t{1} << t.bits; ++bits) {
      double value = *decode_element(t, bits);
      if (std::isnan(value)) continue;
      INFO(name << " " << bits);
      REQUIRE(*encode_element(t, value) == bits);
    }
  }
}

TEST_CASE("elements: numbers between two codes go to the nearer one, ties to the even one") {
  for (const char* name : kSmallFloats) {
    ir::DataType t = type(name);
    for (std::uint64_t bits = 0; bits + 1 < std::uint64_t{1} << (t.bits - 1); ++bits) {
      double low = *decode_element(t, bits), high = *decode_element(t, bits + 1);
      if (!std::isfinite(high)) break;
      INFO(name << " " << bits);
      REQUIRE(*encode_element(t, low + (high - low) * 0.25) == bits);
      REQUIRE(*encode_element(t, low + (high - low) * 0.75) == bits + 1);
      REQUIRE(*encode_element(t, low + (high - low) * 0.5) == (bits % 2 ? bits + 1 : bits));
    }
  }
}

TEST_CASE("elements: beyond the range") {
  double infinity = std::numeric_limits<double>::infinity();
  CHECK(*encode_element(type("float16"), 1e9) == 0x7C00);
  CHECK(*encode_element(type("float8_e4m3fn"), 1e9) == 0x7E);
  CHECK(*encode_element(type("float8_e4m3fn"), -infinity) == 0xFE);
  CHECK(*encode_element(type("float4_e2m1fn"), 100) == 0x7);
  CHECK(std::isnan(decoded("float8_e5m2", *encode_element(type("float8_e5m2"), NAN))));
  CHECK(!encode_element(ir::kHandle, 1.0));
}

TEST_CASE("elements: packed ones are found bit by bit") {
  ir::DataType fp4 = type("float4_e2m1fn"), fp6 = type("float6_e2m3fn");
  CHECK(packed_bytes(fp4, 3) == 2);
  CHECK(packed_bytes(fp6, 4) == 3);
  CHECK(element_bits(fp4, "\x21\x43", 0) == 1);
  CHECK(element_bits(fp4, "\x21\x43", 3) == 4);
  std::string six("\x81\x30\x08", 3);  // 1, 2, 3, 2 of six bits
  CHECK(element_bits(fp6, six, 0) == 1);
  CHECK(element_bits(fp6, six, 1) == 2);
  CHECK(element_bits(fp6, six, 2) == 3);
  CHECK(element_bits(fp6, six, 3) == 2);
}

TEST_CASE("elements: random contents are the seed's, and numbers") {
  for (const char* name : {"float16", "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e5m2",
                           "float8_e8m0fnu", "float4_e2m1fn", "int32", "uint8", "bool"}) {
    ir::DataType t = type(name);
    Contents a = random_contents(t, 960, 1), b = random_contents(t, 960, 1), c = random_contents(t, 960, 2);
    auto differ = a != c.view();
    INFO(name);
    CHECK(a == b);
    CHECK(differ);
    std::set<std::uint64_t> different;
    for (std::int64_t i = 0; i < 960 * 8 / t.storage_bits(); ++i) {
      std::uint64_t bits = element_bits(t, a, i);
      different.insert(bits);
      REQUIRE(std::isfinite(*decode_element(t, bits)));
    }
    CHECK(different.size() >= (t.is_bool() ? 2u : 8u));
  }
}

TEST_CASE("elements: comparison") {
  std::string one("\x00\x3C\x00\x40", 4), close("\x01\x3C\x00\x40", 4);  // 1, 2; the next number after 1
  CHECK(compare(ir::kFloat16, one, one, {}).mismatches == 0);
  Comparison strict = compare(ir::kFloat16, close, one, {});
  CHECK(strict.mismatches == 1);
  CHECK(strict.first == 0);
  CHECK(strict.got > strict.expected);
  CHECK(compare(ir::kFloat16, close, one, default_tolerance(ir::kFloat16)).mismatches == 0);
  std::string nan("\x01\x7E\x00\x40", 4), other_nan("\xFF\xFF\x00\x40", 4);
  CHECK(compare(ir::kFloat16, nan, other_nan, {}).mismatches == 0);
  CHECK(compare(ir::kFloat16, nan, one, {1, 1}).mismatches == 1);
  std::string minus("\x00\x80", 2), plus("\x00\x00", 2);
  CHECK(compare(ir::kFloat16, minus, plus, {}).mismatches == 0);
  // 2^53 and 2^53 + 1 are one double and two integers.
  std::string big("\0\0\0\0\0\0\x20\0", 8), bigger("\1\0\0\0\0\0\x20\0", 8);
  CHECK(compare(ir::kInt64, big, bigger, {}).mismatches == 1);
  CHECK(compare(type("float4_e2m1fn"), "\x21", "\x31", {}).mismatches == 1);
  CHECK(compare(ir::kHandle, one, close, {}).mismatches == 1);
}

TEST_CASE("run: distances are counted in units of the last place") {
  auto histogram = [](ir::DataType dtype, std::vector<std::uint64_t> got, std::vector<std::uint64_t> expected) {
    auto packed = [&](const std::vector<std::uint64_t>& codes) {
      std::string out(static_cast<std::size_t>(packed_bytes(dtype, static_cast<std::int64_t>(codes.size()))), '\0');
      const int width = dtype.storage_bits();
      for (std::size_t i = 0; i < codes.size(); ++i)
        for (int b = 0; b < width; ++b) {
          const std::size_t at = i * static_cast<std::size_t>(width) + static_cast<std::size_t>(b);
          out[at / 8] = static_cast<char>(out[at / 8] | (codes[i] >> b & 1) << at % 8);
        }
      return out;
    };
    return compare(dtype, packed(got), packed(expected), {}).ulps;
  };
  UlpHistogram expected{};
  // Across zero, to the next number, four further, and a number against none.
  expected[0] = 1, expected[1] = 1, expected[2] = 1, expected[3] = 1, expected[kUlpBuckets - 1] = 1;
  CHECK(histogram(ir::kFloat32, {0x3f800000, 0x80000001, 0x3f800001, 0x3f800004, 0x7fc00000},
                  {0x3f800000, 0x00000001, 0x3f800000, 0x3f800000, 0x3f800000}) == expected);
  expected = {};
  expected[0] = 2, expected[1] = 1, expected[2] = 1;
  CHECK(histogram(ir::DataType{ir::TypeCode::Float4E2M1FN, 4, 1}, {1, 2, 3, 9}, {1, 2, 4, 1}) == expected);
  expected = {};
  expected[1] = 1, expected[kUlpBuckets - 1] = 1;
  CHECK(histogram(ir::kInt32, {0xffffffff, 0x80000000}, {0, 0x7fffffff}) == expected);
  CHECK(ulp_range(0).most == 0);
  CHECK(ulp_range(1).least == 1);
  CHECK(ulp_range(3).least == 3);
  CHECK(ulp_range(3).most == 4);
  CHECK(ulp_range(kUlpBuckets - 1).most == -1);
}
