#include "compiler/dispatch/blocks/row_call.h"

#include "compiler/dispatch/words.h"

namespace tilewright::dispatch {

using intrinsics::OperandKind;

ir::Expr row_call(const intrinsics::Intrinsic& row, std::vector<ir::Expr> args, std::span<const ir::Expr> rest) {
  for (std::size_t i = 0; i < row.operands.size(); ++i) {
    const intrinsics::Operand& operand = row.operands[i];
    if (operand.kind == OperandKind::Variadic) break;  // always the last
    if (i >= args.size()) args.push_back(intrinsics::default_value(operand));
    if (operand.kind == OperandKind::Value && operand.dtype.is_integral() && !intrinsics::is_absent(args[i])) {
      args[i] = ir::cast(operand.dtype, args[i]);
    }
  }
  args.insert(args.end(), rest.begin(), rest.end());
  return ir::call(row.result ? row.result(args) : ir::kVoid, row, args);
}

Reason no_such_instruction(CallContext& context, const intrinsics::Intrinsic& row, std::string_view what) {
  if (intrinsics::available(row.availability, context.target())) return {};
  context.lacks_instruction = true;
  return cat(what, " needs ", intrinsics::availability_name(row.availability), ", the target is ",
             context.target().name());
}

}  // namespace tilewright::dispatch
