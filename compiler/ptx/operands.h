// What the operands of a row are once its modifiers are known.
#pragma once
#include "compiler/ptx/row.h"

namespace tilewright::ptx {

// How many registers the operand has; 0 where it is absent.
int count_of(const Row& row, const Operand& operand, const Filled& filled);

// The token of a slot; empty where it is left out or the row has none of the name.
std::string_view token_of(const Row& row, const Filled& filled, std::string_view slot);

// The type token of a register: "u32", "f16x2", "pred".
std::string_view type_of(const Row& row, const Operand& operand, const Filled& filled);

// The state space of an address: "global", "shared::cta", "tmem"; empty for a generic one.
std::string_view space_of(const Row& row, const Operand& operand, const Filled& filled);

// The dtypes of registers that carry the operand. The first one is the usual one: others are part of the name of the
// helper.
std::vector<expr::DataType> carriers_of(const Row& row, const Operand& operand, const Filled& filled);

// A class of registers that inline assembly cannot bind: a register of the class is declared in the text, and converted
// from and to the one that C++ binds.
struct Bridge {
  std::string_view reg_class;  // ".pred"
  std::string_view name;       // of the register: "raw_{name}", "ps{n}"; {n} counts registers
  std::string_view name_written;
  std::string_view in;   // before the instruction: "setp.ne.b32 {r}, %{i}, 0;"
  std::string_view out;  // after it
};
// Null for a type that is bound as it is.
const Bridge* bridge_of(std::string_view type);

}  // namespace tilewright::ptx
