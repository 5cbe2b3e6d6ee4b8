#include "compiler/ptx/compute.h"

#include <algorithm>

#include "compiler/ptx/compute_narrow.h"
#include "compiler/ptx/operands.h"

namespace tilewright::ptx {

std::string_view Form::word(std::string_view slot) const { return token_of(row_, filled_, slot); }

bool Form::has(std::string_view token) const {
  for (std::size_t i = 0; i < row_.slots.size(); ++i)
    if (row_.token(filled_, i) == token) return true;
  return false;
}

Type number_type(std::string_view token) {
  Type out;
  if (token == "pred") return {'u', 1, 1};
  if (token.starts_with("bf16")) {
    out = {'B', 16, 1};
    token.remove_prefix(1);
  } else if (!token.empty()) {
    out.letter = token[0];
  }
  std::size_t x = token.find('x');
  out.bits = 0;
  for (char c : token.substr(0, x))
    if (c >= '0' && c <= '9') out.bits = out.bits * 10 + (c - '0');
  if (x != token.npos) out.lanes = token[x + 1] - '0';
  return out;
}

Type Form::type(std::string_view slot) const { return number_type(word(slot)); }

namespace {

// Registers that are read, and constants in the text.
std::size_t read_count(const Candidate& instruction) {
  std::size_t out = 0;
  for (const Operand& operand : instruction.row->operands) {
    if (operand.kind == OperandKind::Literal || operand.access != Access::Read) continue;
    out += static_cast<std::size_t>(count_of(*instruction.row, operand, instruction.filled));
  }
  return out;
}

}  // namespace

std::optional<std::vector<Bits>> computed(const Candidate& instruction, std::span<const Bits> read) {
  const Row& row = *instruction.row;
  bool memory = row.orders_memory || std::ranges::any_of(row.operands, [](const Operand& operand) {
                  return operand.kind == OperandKind::Address || operand.kind == OperandKind::Pointer ||
                         operand.access == Access::Both;
                });
  if (memory || !row.writes() || read.empty() || read.size() != read_count(instruction)) return std::nullopt;
  Form form(instruction, read);
  for (auto compute : {compute_integer, compute_logic, compute_move, compute_compare, compute_float, compute_mixed,
                       compute_convert, compute_narrow, compute_stochastic, compute_sparse})
    if (Results results = compute(form)) return results;
  return std::nullopt;
}

}  // namespace tilewright::ptx
