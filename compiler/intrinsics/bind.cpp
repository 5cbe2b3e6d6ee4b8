// Script arguments to operands, by Python's rules.
#include <algorithm>

#include "compiler/intrinsics/arguments.h"
#include "compiler/intrinsics/intrinsic.h"
#include "compiler/text/amounts.h"

namespace tilewright::intrinsics {

std::expected<std::vector<Slot>, std::string> bind(const Intrinsic& row, std::size_t positional,
                                                   std::span<const std::string_view> keywords) {
  auto failure = [&](const std::string& text) { return std::unexpected(text); };
  std::vector<Slot> slots(row.operands.size());
  std::size_t next = 0, places = 0;
  for (std::size_t i = 0; i < row.operands.size(); ++i) {
    const Operand& o = row.operands[i];
    if (o.kind == OperandKind::Variadic) {
      slots[i] = {static_cast<int>(next), static_cast<int>(positional - next)};
      next = positional;
    } else if (!o.keyword_only) {
      ++places;
      if (next < positional) slots[i] = {static_cast<int>(next++), 1};
    }
  }
  if (next < positional) {
    return failure("takes " + text::counted(places, "positional argument") + ", " + std::to_string(positional) +
                   " given");
  }
  for (std::size_t k = 0; k < keywords.size(); ++k) {
    auto operand = std::ranges::find(row.operands, keywords[k], &Operand::name);
    if (operand == row.operands.end() || operand->kind == OperandKind::Variadic) {
      return failure("has no keyword '" + std::string(keywords[k]) + "'; its operands are (" +
                     std::string(row.signature) + ")");
    }
    Slot& slot = slots[operand - row.operands.begin()];
    if (slot.first >= 0) return failure("got two values for '" + std::string(keywords[k]) + "'");
    slot = {static_cast<int>(positional + k), 1};
  }
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].first < 0 && row.operands[i].required()) {
      return failure("needs '" + std::string(row.operands[i].name) + "'; its operands are (" +
                     std::string(row.signature) + ")");
    }
  }
  return slots;
}

ir::Expr absent() { return ir::string_imm(""); }

bool is_absent(ir::Expr e) {
  if (!e) return true;
  const auto* text = e.as<ir::StringImm>();
  return text && text->value.empty();
}

ir::Expr default_value(const Operand& operand) {
  std::string_view text = operand.default_text;
  if (text.starts_with('\'')) return ir::string_imm(text.substr(1, text.size() - 2));
  if (text.empty() || text == "None") return absent();
  if (text == "True" || text == "False") {
    ir::Expr value = ir::bool_imm(text == "True");
    if (operand.kind == OperandKind::Attribute || operand.dtype.is_bool() || operand.dtype.is_void()) return value;
    return ir::int_imm(operand.dtype, text == "True");
  }
  if (text.find_first_of(".e") != text.npos && !text.starts_with("0x")) {
    return ir::float_imm(operand.dtype.is_void() ? ir::kFloat32 : operand.dtype, std::stod(std::string(text)));
  }
  std::int64_t value = static_cast<std::int64_t>(std::stoull(std::string(text), nullptr, 0));
  if (operand.dtype.is_floating()) return ir::float_imm(operand.dtype, static_cast<double>(value));
  return ir::int_imm(operand.dtype.is_void() ? ir::kInt32 : operand.dtype, value);
}

}  // namespace tilewright::intrinsics
