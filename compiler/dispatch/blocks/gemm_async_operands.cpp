#include "compiler/dispatch/blocks/gemm_async_operands.h"

#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"
#include "compiler/ir/primitive.h"

namespace tilewright::dispatch {
namespace {

std::expected<bool, Reason> known(ir::Expr flag, std::string_view name) {
  if (!flag) return false;
  if (const std::int64_t* value = ir::constant(ir::simplify(flag))) return *value != 0;
  return std::unexpected(cat(name, " must be known before the launch, not ", ir::to_string(flag)));
}

GemmAsyncOperands read(const ir::TileCall& call) {
  GemmAsyncOperands out;
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    const ir::Operand& given = call.args[i];
    const ir::Region* region = given.region.buffer ? &given.region : nullptr;
    const std::string_view name = ir::operand_name(call, i);
    if (name == "C") out.c = region;
    if (name == "A") out.a = region;
    if (name == "B") out.b = region;
    if (name == "SFA") out.sfa = region;
    if (name == "SFB") out.sfb = region;
    if (name == "transA") out.trans_a = given.value;
    if (name == "transB") out.trans_b = given.value;
    if (name == "accum") out.accum = given.value;
  }
  if (!out.c || !out.a || !out.b) out.invalid = cat(!out.c ? "C" : !out.a ? "A" : "B", " is no buffer region");
  return out;
}

}  // namespace

std::expected<bool, Reason> GemmAsyncOperands::transposes_a() const { return known(trans_a, "transA"); }
std::expected<bool, Reason> GemmAsyncOperands::transposes_b() const { return known(trans_b, "transB"); }

std::string would_fit(std::string_view flag, bool transposed, MatrixExtents has, MatrixExtents wanted) {
  if (has.mn != wanted.k || has.k != wanted.mn) return {};
  return cat(", which would fit with ", flag, "=", transposed ? "False" : "True");
}

const GemmAsyncOperands& gemm_async_operands(CallContext& context) {
  return context.once<GemmAsyncOperands>([&] { return read(context.call); });
}

}  // namespace tilewright::dispatch
