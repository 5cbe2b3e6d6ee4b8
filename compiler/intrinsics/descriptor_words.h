// The descriptors of matrix units, field by field, for people (gemm.md 4.1 to 4.3; PTX ISA, "tcgen05 matrix
// descriptor", "tcgen05 instruction descriptor", "wgmma matrix descriptor").
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::intrinsics {

struct DescriptorField {
  std::string_view name;  // "N", "type of A"
  std::string value;      // "64", "float16", "1,024 bytes"
  int low = 0, high = 0;  // bits
};

// What a 32-bit instruction descriptor says to an instruction of this kind: f16, tf32, f8f6f4, i8, mxf8f6f4, mxf4 or
// mxf4nvf4. A number that the kind does not know is said to be none.
std::vector<DescriptorField> instruction_fields(std::uint32_t bits, std::string_view kind);

enum class MatrixUnit : std::uint8_t { Wgmma, Tcgen05 };
// What a 64-bit descriptor of a matrix in shared memory says.
std::vector<DescriptorField> matrix_fields(std::uint64_t bits, MatrixUnit unit);
// Its bits but for the address. ldo and sdo in units of 16 bytes, swizzle 0 to 3: none, 32, 64, 128 bytes.
std::uint64_t matrix_descriptor_bits(std::int64_t ldo, std::int64_t sdo, int swizzle, MatrixUnit unit);

// "type of D float32 · type of A float16 · ...", without fields that are 0 and mean nothing by that.
std::string words(const std::vector<DescriptorField>& fields);
// A table, a line a field, with its bits: what `tilewright explain 0x08200010` prints. Nothing: not a number of at most
// 64 bits in hexadecimal.
std::optional<std::string> explain_descriptor(std::string_view constant);

}  // namespace tilewright::intrinsics
