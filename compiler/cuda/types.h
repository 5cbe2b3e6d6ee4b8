// C++ spellings of data types and constants (intrinsics.md 5.5, 5.7).
#pragma once
#include <string>
#include <string_view>

#include "compiler/expr/expr.h"

namespace tilewright::cuda {

// Headers and small helpers that a unit needs, collected while it is written.
struct Needs {
  bool fp16 = false, bf16 = false, fp8 = false, fp6 = false, fp4 = false;
  bool vectors = false;  // struct vec and its operators
  bool bit_cast = false;
  bool floor_div = false, floor_mod = false;
  bool tensor_map = false;
  bool cooperative_groups = false, barrier = false, mma = false, nvshmem = false;
  bool foreign_source = false;  // the author's own device code: the short integer names and usual headers it may expect
  bool fixed_integers = false;  // uint32_t and its relatives, in helpers of instructions of 0.27
  bool special_register[7] = {};  // %cluster_ctarank, %cluster_ctaid.xyz, %clusterid.xyz
};

// The type of a value; vectors are `vec<T, N>`. Empty: CUDA has no such type.
std::string type_name(ir::DataType dtype, Needs& needs);
// The type of an element in memory: bool is stored as a signed char, sub-byte types as bytes.
std::string storage_type_name(ir::DataType dtype, Needs& needs);

void append_int(std::string& out, std::int64_t value);
// An integer or floating constant of its exact type, readable and exact.
void append_constant(std::string& out, const ir::IntImm& imm);
void append_constant(std::string& out, const ir::FloatImm& imm, Needs& needs);

// The text before the first kernel for these needs.
std::string preamble(const Needs& needs);

}  // namespace tilewright::cuda
