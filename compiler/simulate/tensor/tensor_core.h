// What one tcgen05.mma computes: its instruction descriptor, where its matrices stand in tensor memory, and the product
// (PTX ISA, "tcgen05.mma", "instruction descriptor", "data path layout", "block scaling", "sparse matrices").
//
// A CTA, or each of a pair, computes its rows of D = A B + D. A comes from shared or tensor memory, B from shared
// memory: of a pair each CTA holds its own rows of A and half the rows of B. Products are exact. Those of one element
// are added one after the other in the order of K, to the old D where it counts, and each sum is rounded to a float;
// with scales that happens from zero for each block, whose sum is then scaled and added. A D of f16 is rounded at the
// end. Integers are exact.
#pragma once
#include <array>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/simulate/tensor/matrix_operand.h"
#include "compiler/simulate/tensor/tensor_memory.h"

namespace tilewright::simulate {

enum class MmaKind : std::uint8_t { F16, Tf32, F8F6F4, I8, Ti16, Mxf8f6f4, Mxf4, Mxf4nvf4 };
MmaKind mma_kind_named(std::string_view name);  // as PTX writes it behind kind::

// Why an instruction is not executed.
struct MmaRefusal {
  bool illegal = true;  // false: the hardware takes it, the simulator does not
  std::string text;
};

struct Mma {
  // From the instruction.
  MmaKind kind = MmaKind::F16;
  bool sparse = false;
  bool stationary = false;  // .ws: of 64 rows, D's columns lie as those of a pair do
  int shift = 0;            // .ws: how many rows of B do, as the mask says
  bool by_table = false;    // .decompress::lut::b: B holds places of a table in tensor memory
  int ctas = 1;             // 2: a pair
  int scale_vector = 0;     // scales along K of one instruction; 0: none
  // From the descriptor. M is that of the pair.
  int m = 128, n = 8, k = 16;
  Element a = Element::F16, b = Element::F16;
  enum class Result : std::uint8_t { F16, F32, S32 } d = Result::F32;
  bool negate_a = false, negate_b = false, a_mn_major = false, b_mn_major = false, saturate = false;
  bool scales_are_powers = false;          // ue8m0; else ue4m3
  int scale_a_byte = 0, scale_b_byte = 0;  // of a cell, from which on a row's scales stand
  int most_shift = 0;                      // .ws: how many rows of B may lie before the first one that counts

  // Everything but `kind`, `sparse`, `stationary`, `by_table`, `ctas` and `scale_vector`, which are set.
  std::expected<void, MmaRefusal> read_descriptor(std::uint32_t bits);

  bool is_scaled() const { return kind >= MmaKind::Mxf8f6f4; }
  int rows() const { return m / ctas; }                // of A and of D, in one CTA
  int stored_k() const { return sparse ? k / 2 : k; }  // of A
  MatrixForm a_form() const;                           // what one CTA holds
  MatrixForm b_form() const;     // with a table: its bytes, of twice as many elements as one product takes
  int a_columns() const;         // 32-bit columns of A in tensor memory
  int metadata_columns() const;  // of sparse A
  int scale_columns(int rows) const { return (rows + 31) / 32; }
};

// A part of D that a CTA keeps together: rows of its A, their lanes, and the columns of D, as many columns of tensor
// memory from D's first one on.
struct MmaPart {
  std::vector<int> rows, lanes;
  int first = 0, count = 0;
};
// `lane`: of D's address, 0 or, where D takes half of the lanes, 16.
std::vector<MmaPart> parts_of(const Mma& mma, int lane);

// The operands of one CTA.
struct MmaOperands {
  const Matrix* a = nullptr;  // null: in tensor memory at `a_at`
  const Matrix* b = nullptr;  // all of it, also that of a pair
  TensorAddress d{}, a_at{}, scale_a{}, scale_b{}, metadata{};
  bool accumulate = false;
  int shift_d = 0;                                // the old D is divided by two so many times
  std::array<std::uint32_t, 4> disabled_lanes{};  // bits of lanes of D that stay as they are
};

// B of a CTA by the table in its tensor memory: each eight rows have eight numbers of 8 bits there, in two columns of a
// lane of their own. `second`: the product takes the second half of the places (PTX ISA 9.4, "decompression").
Matrix looked_up(const Mma& mma, const Matrix& places, bool second, TensorAddress table, TensorMemory& memory);

// The rows of B that a zero-column mask descriptor (PTX ISA, Table 54) makes zero, and those before the first one that
// counts, which it drops.
void mask_columns(const Mma& mma, std::uint64_t mask, Matrix& b);
constexpr int mask_shift(std::uint64_t mask) { return static_cast<int>(mask >> 56 & 63); }

// Reads and writes the tensor memory of a CTA. What was never written makes what depends on it unwritten; operands of
// which nothing was written are named in the result, and bits that the hardware does not know.
struct MmaOutcome {
  std::vector<std::string_view> unwritten;
  std::string refused;
};
MmaOutcome multiply(const Mma& mma, const MmaOperands& operands, TensorMemory& memory);

}  // namespace tilewright::simulate
