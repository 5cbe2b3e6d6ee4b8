// How the lanes of a warp hold the matrices of tensor-core instructions (PTX ISA, "Matrix fragments for mma").
//
// A register has 32 bits and as many neighbouring elements of a row of A, or of a column of B, as fit; float64 has a
// 64-bit register for each element. Four lanes share a row, eight rows of them fill a warp.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "compiler/simulate/machine/machine.h"

namespace tilewright::simulate {

// The numbers that tensor cores multiply and add up.
enum class Number : std::uint8_t { Half, BFloat, Tf32, E4m3, E5m2, Single, Double, S8, U8, S4, U4, Bit, S32 };
std::optional<Number> number_named(std::string_view name);  // as scripts spell types: "fp16", "float16", "s8", ...
int bits_of(Number number);
inline int register_bits(Number number) { return number == Number::Double ? 64 : 32; }
// Exact. Of tf32 the lowest 13 bits do not count.
double value_of(Number number, std::uint64_t bits);
// The nearest one. Integers wrap, or stop at their ends when `saturate` is set.
std::uint64_t bits_from(Number number, double value, bool saturate = false);

struct Place {
  int row, column;
};
// Element `e` of register `reg` of a lane: of A (row, k), of B (k, column) and of C and D (row, column), when A has
// `rows` rows, 8 or 16, and B 8 columns.
Place place_in_a(Number number, int rows, int lane, int reg, int e);
Place place_in_b(Number number, int lane, int reg, int e);
Place place_in_c(Number number, int lane, int reg, int e);

// What pointers lead to, as the registers of one lane: `bits` is 32 or 64, `what` names the matrix. Bytes that never
// wrote are a finding, and the read goes on with what is there; with `carries` what the thread's call makes of them is
// undefined instead. False: the pointers lead nowhere, and the run ends.
bool read_registers(Machine& m, const Thread& t, std::span<const std::uint64_t> pointers, int bits, std::uint64_t* out,
                    std::string_view what, bool carries = false);
bool write_registers(Machine& m, const Thread& t, std::span<const std::uint64_t> pointers, int bits,
                     const std::uint64_t* values, std::string_view what);

}  // namespace tilewright::simulate
