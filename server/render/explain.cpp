#include "server/render/explain.h"

#include "compiler/ir/primitive.h"
#include "server/render/failures.h"

namespace tilewright::render {
namespace {

constexpr const char* kRoles[] = {"read", "written", "both"};  // as ir::OperandRole

Json shape_json(std::span<const ir::Expr> shape) {
  Json out = Json::array();
  for (ir::Expr e : shape) {
    const std::int64_t* n = ir::constant(e);
    out.push_back(n ? Json(*n) : Json(ir::to_string(e)));
  }
  return out;
}

// {name, role, region, buffer, dtype, scope, shape, layout}, of a scalar {name, value}.
Json operand_json(const ir::Operand& operand, const ir::PrimitiveOperand* row) {
  Json out{{"name", row ? Json(row->name) : Json(nullptr)}};
  const ir::Buffer* b = operand.region.buffer;
  if (!b) {
    out["value"] = operand.value ? ir::to_string(operand.value) : "None";
    return out;
  }
  if (row) out["role"] = kRoles[static_cast<int>(row->role)];
  out["region"] = ir::to_string(operand.region);
  out["buffer"] = ir::spoken_name(*b);
  out["dtype"] = ir::dtype_name(b->dtype);
  out["scope"] = b->scope_text.empty() ? ir::storage_scope_name(b->scope) : b->scope_text;
  out["shape"] = shape_json(b->shape);
  if (b->layout) out["layout"] = layout::to_short_string(*b->layout);
  return out;
}

Json explained_call_json(const ExplainedCall& explained, const text::Anchors& anchors) {
  const dispatch::CallReport& call = *explained.call;
  ScratchArena scratch;
  ArenaScope scope(scratch);
  Json out = call_json(call, anchors), operands = Json::array();
  const ir::Primitive* row = ir::find_primitive(call.call->primitive);
  for (std::size_t i = 0; i < call.call->args.size(); ++i)
    operands.push_back(operand_json(call.call->args[i], row && i < row->operands.size() ? &row->operands[i] : nullptr));
  out["operands"] = std::move(operands);
  if (!call.summary.empty()) out["summary"] = call.summary;
  if (!explained.width.empty()) out["width"] = explained.width;
  return out;
}

}  // namespace

Json explained_json(std::span<const ExplainedKernel> kernels, const session::Compiled& compiled) {
  const text::Anchors& anchors = compiled.evaluation->anchors;
  Json list = Json::array(), diagnostics = Json::array();
  for (const ExplainedKernel& k : kernels) {
    Json calls = Json::array();
    for (const ExplainedCall& call : k.calls) calls.push_back(explained_call_json(call, anchors));
    list.push_back(
        {{"name", k.kernel->value->kernel.name}, {"entry", k.kernel->entry->expression}, {"calls", std::move(calls)}});
    if (!k.occupancy.is_null()) list.back()["occupancy"] = k.occupancy;
  }
  for (const text::Diagnostic& d : compiled.diagnostics) diagnostics.push_back(diagnostic_json(d, anchors));
  return {{"kernels", std::move(list)},
          {"diagnostics", std::move(diagnostics)},
          {"dialect", dialect_json(compiled.evaluation->dialect)}};
}

Json explained_code_json(const text::CodeInfo& code) {
  return {{"code", code.code}, {"title", code.title}, {"explanation", code.explanation}};
}

Json explained_descriptor_json(std::string_view what, std::string_view text) {
  return {{"code", what}, {"title", "descriptor of a matrix unit"}, {"explanation", text}};
}

Json not_explained_json(std::string_view file, std::string_view message) {
  return {{"kernels", Json::array()},
          {"diagnostics", Json::array()},
          {"failures", Json::array({failure_json(file, message)})}};
}

}  // namespace tilewright::render
