// Descriptors of matrix units, field by field: the constants of gemm.md 4 and 9 read back.
#include "compiler/intrinsics/descriptor_words.h"
#include "tests/unit/catch.h"

using namespace tilewright::intrinsics;

TEST_CASE("instruction descriptors say what they multiply") {
  CHECK(words(instruction_fields(0x08200010, "f16")) ==
        "type of D float32 · type of A float16 · type of B float16 · A K-major · B K-major · N 128 · M 128");
  CHECK(words(instruction_fields(0x08210490, "f16")) ==
        "type of D float32 · type of A bfloat16 · type of B bfloat16 · A K-major · B MN-major · N 128 · M 128");
  // Of a pair of CTAs, with scale factors of 4-bit numbers.
  CHECK(words(instruction_fields(0x10400480, "mxf4nvf4")) ==
        "scale id of B 0 · type of A float4_e2m1fn · type of B float4_e2m1fn · A K-major · B K-major · N 256 · "
        "type of scales float8_e4m3fn · M 256 · scale id of A 0");
  CHECK(words(instruction_fields(0x48900020, "mxf8f6f4")) ==
        "scale id of B 2 · type of A float8_e4m3fn · type of B float8_e4m3fn · A K-major · B K-major · N 64 · "
        "type of scales float8_e8m0fnu · M 128 · scale id of A 2");
  CHECK(words(instruction_fields(0x0000002c, "i8")).starts_with("sparse yes · saturate yes · type of D int32 · "));
  CHECK(words(instruction_fields(0x380, "f16")).find("type of A no type (7)") != std::string::npos);
}

TEST_CASE("matrix descriptors say how far atoms are apart") {
  const std::uint64_t bits = matrix_descriptor_bits(1024, 64, 3, MatrixUnit::Tcgen05);
  CHECK(bits == 0x4000404004000000);
  CHECK(words(matrix_fields(bits, MatrixUnit::Tcgen05)) ==
        "ldo 1,024 (16,384 bytes) · sdo 64 (1,024 bytes) · swizzle 128 bytes");
  CHECK(words(matrix_fields(matrix_descriptor_bits(1, 32, 2, MatrixUnit::Wgmma), MatrixUnit::Wgmma)) ==
        "ldo 1 (16 bytes) · sdo 32 (512 bytes) · swizzle 64 bytes");
  CHECK(words(matrix_fields(bits | std::uint64_t{5} << 49, MatrixUnit::Tcgen05)).find("base offset 5") !=
        std::string::npos);
}

TEST_CASE("a constant alone is read as everything that it can be") {
  const auto dense = explain_descriptor("0x08100010");
  REQUIRE(dense);
  CHECK(
      dense->starts_with("instruction descriptor of tcgen05.mma, kind::f16\n  4-5    type of D            float32\n"));
  CHECK(dense->find("kind::f8f6f4") != std::string::npos);  // the same bits, other types
  CHECK(dense->find("kind::i8") == std::string::npos);      // it adds up in int32
  CHECK(dense->find("kind::tf32") == std::string::npos);    // tf32 is number 2
  const auto matrix = explain_descriptor("0x4000404000400000");
  REQUIRE(matrix);
  CHECK(matrix->find("  16-29  ldo                  64 (1,024 bytes)\n") != std::string::npos);
  CHECK(matrix->find("wgmma") == std::string::npos);
  CHECK(explain_descriptor("0xC000004000010000")->find("matrix descriptor of wgmma") == 0);
  CHECK_FALSE(explain_descriptor("08100010"));
  CHECK_FALSE(explain_descriptor("0x"));
  CHECK_FALSE(explain_descriptor("0x12345678123456789"));
  CHECK_FALSE(explain_descriptor("0x12g"));
}
