// The bound arguments of one call, by operand name.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "compiler/intrinsics/intrinsic.h"

namespace tilewright::intrinsics {

class Arguments {
 public:
  Arguments(const Intrinsic& row, std::span<const ir::Expr> args) : row_(row), args_(args) {}

  const Intrinsic& row() const { return row_; }
  std::span<const ir::Expr> all() const { return args_; }

  // Where the operand's argument stands; for a List or Variadic its first item. The operand must exist.
  int position(const Operand& operand) const;
  const Operand* operand(std::string_view name) const;    // null: no such operand
  const Operand* operand_at(std::size_t position) const;  // whose argument this is; null: the length of a List

  ir::Expr operator[](std::string_view name) const;
  bool given(std::string_view name) const;            // there is such an operand and it is not absent
  std::int64_t integer(std::string_view name) const;  // of an attribute; 0 when it is none
  bool flag(std::string_view name) const { return integer(name) != 0; }
  std::string text(std::string_view name) const;  // of an attribute: as it goes into an instruction
  std::string operation() const;                  // the row's, else that of the attribute `op`
  std::span<const ir::Expr> items(const Operand& operand) const;
  std::span<const ir::Expr> items(std::string_view name) const;

 private:
  const Intrinsic& row_;
  std::span<const ir::Expr> args_;
};

// A constant as attribute text: "128", "True", "acquire". Empty for what is no constant.
std::string attribute_text(ir::Expr e);
bool is_attribute(ir::Expr e);  // a constant int, bool, float or string

}  // namespace tilewright::intrinsics
