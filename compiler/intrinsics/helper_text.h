// Helper functions from templates: the one place that knows asm operands, constraints and parameter lists.
//
// A template is the instruction (or the C++ body) with these marks:
//   {name}         attribute: its text; run-time operand: its register (asm) or parameter (C++)
//   {.name}        attribute: "." and its text, nothing when it is ""; a flag: ".name" or nothing
//   {name?text}    text (which may hold marks) when the attribute is neither "", False, 0 nor absent
//   {!name?text}   the opposite
//   {name@space}   pointer, converted to a shared address when the attribute `space` is a shared one
//   {*name}        List or Variadic: its registers, separated by commas
//   {name:T}       as a register of type T (u32 i32 u64 f32 f64) instead of the operand's own; {*name:T:first:count}
//   only
//                  some items; {name[n]:T} the first n registers of type T behind a pointer; T `in f32` reads what the
//                  operand otherwise writes
//   {#name}        the constant that the run-time operand is, as text
//   {=}            the result (asm)
//   {hint}{policy} ".L2::cache_hint" and ", register" of the operands cache_hint and cache_policy, if either is given
//   {{ }}          braces
// Only operands that the text names become parameters. A text with `.reg` or a label gets a scope of its own.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "compiler/intrinsics/arguments.h"

namespace tilewright::intrinsics {

// The register that carries a value of this type.
struct Register {
  std::string_view constraint;  // "r"; empty: no register carries it
  std::string_view type;        // C++ type of that register
};
Register register_of(ir::DataType dtype);
// The C++ type of a scalar parameter or result. Vectors are left to template parameters: empty for them.
std::string_view c_type(ir::DataType dtype);

class HelperText {
 public:
  enum class Language : std::uint8_t { Asm, Cxx, Reading };  // Reading: operands by name, for people
  HelperText(const Arguments& a, Language language);

  std::string expand(std::string_view text);
  Emitted finish_asm(std::string expanded);
  Emitted finish_cxx(const std::string& expanded);

 private:
  // A run-time argument of the call.
  struct Item {
    int position;
    const Operand* operand;
    OperandKind kind;
    std::string parameter;
    ir::Expr value;
    ir::DataType dtype;  // void: that of the value
    Access access;
    bool used = false;
    int element = -1;         // the register is this one behind the pointer; -1: the pointer is to one
    bool is_further = false;  // another register behind a pointer that is a parameter already
  };

  std::string mark(std::string_view inside);
  std::string use(Item& item);
  std::string use_operand(const Operand& operand, std::string_view as = {});
  std::string use_elements(const Operand& operand, std::size_t count, std::string_view type);
  bool truthy(std::string_view name) const;
  std::string parameter_list(std::string& template_head) const;
  std::string parameter_type(const Item& item, int template_index) const;
  std::string constraint(const Item& item) const;
  // The helper's name: the row's, then every attribute that is not at its default, then which optional operands the
  // text uses and the types of untyped ones, so that two calls share a name only when they share the text.
  std::string name() const;
  Emitted start() const;

  const Arguments& args_;
  Language language_;
  std::vector<Item> items_;
  std::string literals_;          // what {#name} put into the text, for the helper's name
  std::string immediate_policy_;  // the 64-bit policy that cache_hint stands for
  bool uses_policy_ = false;
  bool uses_result_ = false;
};

}  // namespace tilewright::intrinsics
