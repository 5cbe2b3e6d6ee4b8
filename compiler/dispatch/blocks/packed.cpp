#include "compiler/dispatch/blocks/packed.h"

#include <algorithm>

#include "compiler/dispatch/blocks/emit.h"
#include "compiler/dispatch/blocks/options.h"
#include "compiler/dispatch/blocks/row_call.h"
#include "compiler/dispatch/codes.h"
#include "compiler/dispatch/words.h"

namespace tilewright::dispatch {
namespace {

using ir::Expr;

// The row of packed float32 arithmetic; empty: the operation has none.
intrinsics::KnownRow arithmetic_row(ElementOp op) {
  switch (op) {
    case ElementOp::Add: return "add_float2";
    case ElementOp::Sub: return "sub_float2";
    case ElementOp::Mul: return "mul_float2";
    case ElementOp::Fma: return "fma_float2";
    default: return {};
  }
}

// A Python int is a float32 here as it is in the scalar form (Q8).
bool is_float32(const Source& s) { return s.dtype() == ir::kFloat32 || (!s.is_region() && s.scalar.as<ir::IntImm>()); }

bool is_pair_cast(ir::DataType to, ir::DataType from) {
  auto is_half = [](ir::DataType d) { return d == ir::kFloat16 || d == ir::kBFloat16; };
  return (to == ir::kFloat32 && is_half(from)) || (is_half(to) && from == ir::kFloat32);
}

}  // namespace

std::expected<std::string_view, Reason> packed_rounding(const ir::TileCall& call) {
  Expr given = option(call, "rounding_mode");
  if (!given) return "rz";
  const auto* word = given.as<ir::StringImm>();
  for (std::string_view mode : {"rz", "rn", "rm", "rp"}) {
    if (word && word->value == mode) return mode;
  }
  return std::unexpected(
      cat("rounding_mode is ", ir::to_string(given), "; the modes are \"rz\", \"rn\", \"rm\" and \"rp\""));
}

std::string packed_form(CallContext& context) {
  const Elementwise& e = elementwise(context);
  const ir::DataType to = e.dst.buffer->dtype;
  if (e.op == ElementOp::Cast) {
    const ir::DataType from = e.sources[0].dtype();
    return is_pair_cast(to, from) ? cat(ir::dtype_name(from), "x2 to ", ir::dtype_name(to), "x2") : std::string();
  }
  if (!arithmetic_row(e.op) || !context.target().at_least(100) || to != ir::kFloat32) return {};
  if (!std::ranges::all_of(e.sources, is_float32)) return {};
  if (e.op == ElementOp::Fma && !e.sources[0].is_region()) return {};
  auto rounding = packed_rounding(context.call);
  return rounding ? cat(context.call.primitive, ".", *rounding, ".ftz.f32x2") : std::string();
}

void add_packed(CallContext& context, ir::BodyBuilder& out, const ir::Buffer* dst, Expr k,
                std::span<const std::array<Expr, 2>> pairs) {
  const Elementwise& e = elementwise(context);
  if (e.op == ElementOp::Cast) {
    // One vector of two, which device compilers convert in one instruction.
    Expr index = ir::ramp(k, ir::int_imm(k.dtype(), 1), kPackedWidth);
    const ir::Buffer* flat = context.kernel.flat_view(dst);
    const auto* first = pairs[0][0].as<ir::Load>();
    Expr at = first->indices[0];
    Expr from = ir::ramp(at, ir::int_imm(at.dtype(), 1), kPackedWidth);
    Expr value = ir::cast(dst->dtype.with_lanes(kPackedWidth), ir::load(first->buffer, {&from, 1}));
    out.add<ir::Store>(flat, Arena::current().copy(std::span<const Expr>(&index, 1)), value);
    return;
  }
  std::vector<Expr> args = {element_pointer(context, dst, k)};
  for (const std::array<Expr, 2>& pair : pairs) {
    args.push_back(row_call(row_of("make_float2"), {ir::cast(ir::kFloat32, pair[0]), ir::cast(ir::kFloat32, pair[1])}));
  }
  args.push_back(ir::string_imm(*packed_rounding(context.call)));
  args.push_back(ir::bool_imm(true));  // subnormal numbers count as zero
  out.add<ir::Evaluate>(row_call(row_of(arithmetic_row(e.op)), std::move(args)));
}

void note_scalar_rounding(Plan& plan, CallContext& context) {
  Expr given = option(context.call, "rounding_mode");
  if (!given) return;
  plan.remarks.push_back(
      {code::kScalarRounding,
       cat("`rounding_mode` has no effect: this ", context.call.primitive,
           " takes one element at a time and rounds to nearest"),
       "two float32 at a time need sm_100, an even number of neighbouring elements and an even start"});
}

}  // namespace tilewright::dispatch
