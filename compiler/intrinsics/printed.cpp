#include "compiler/intrinsics/printed.h"

#include "compiler/intrinsics/forms.h"

namespace tilewright::intrinsics {

std::vector<ir::PrintedArgument> printed_arguments(const ir::Call& call) {
  std::vector<ir::PrintedArgument> out;
  const Intrinsic* row = of(call.callee);
  if (!row) {
    for (const ir::Expr& arg : call.args) out.push_back({{}, {&arg, 1}, false});
    return out;
  }
  if (const Form* form = form_of(*row)) {
    const std::span<const ir::Expr> written = Arena::current().copy(printed_form(*form, call.args));
    for (std::size_t i = 0; i < written.size(); ++i) out.push_back({{}, written.subspan(i, 1), false});
    return out;
  }
  // The variadic operand is last in the row and takes positions in a call: what stands before it cannot be left out,
  // unless it goes by keyword only.
  bool variadic = !row->operands.empty() && row->operands.back().kind == OperandKind::Variadic &&
                  call.args.size() >= row->operands.size();
  std::vector<ir::PrintedArgument> keywords;
  bool gap = false;
  std::size_t at = 0;
  for (const Operand& operand : row->operands) {
    if (operand.kind == OperandKind::Variadic) {
      for (; at < call.args.size(); ++at) out.push_back({{}, call.args.subspan(at, 1), false});
      break;
    }
    if (at >= call.args.size()) break;
    bool list = operand.kind == OperandKind::List;
    const std::int64_t* n = list ? ir::constant(call.args[at]) : nullptr;
    std::span<const ir::Expr> items =
        list ? call.args.subspan(at + 1, n ? static_cast<std::size_t>(*n) : 0) : call.args.subspan(at, 1);
    at += list ? 1 + items.size() : 1;
    bool leave_out = (!variadic || operand.keyword_only) && !operand.required() &&
                     (list ? items.empty() : ir::structurally_equal(items[0], default_value(operand)));
    if (leave_out) {
      gap |= !operand.keyword_only;
    } else if (gap || operand.keyword_only) {
      keywords.push_back({operand.name, items, list});
    } else {
      out.push_back({{}, items, list});
    }
  }
  out.insert(out.end(), keywords.begin(), keywords.end());
  return out;
}

}  // namespace tilewright::intrinsics
