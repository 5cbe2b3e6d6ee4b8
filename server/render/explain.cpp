#include "server/render/explain.h"

#include "compiler/ir/primitive.h"
#include "compiler/text/words.h"
#include "server/render/failures.h"
#include "server/work/occupancy.h"

namespace tilewright::render {
namespace {

constexpr auto kRoles = text::words_of<ir::OperandRole>({"read", "written", "both"});

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
  if (row) out["role"] = kRoles[row->role];
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

// How many CTAs one SM holds by their threads and shared memory: registers are known after NVIDIA's tools only.
Json occupancy_json(const session::CompiledKernel& kernel) {
  if (!kernel.lowered) return nullptr;
  const auto found = work::occupancy(kernel.lowered->plan, kernel.target);
  if (!found) return nullptr;
  return {{"arch", kernel.target.name()},       {"threads", found->threads},
          {"shared_bytes", found->shared},      {"ctas_per_sm", found->ctas},
          {"warps_per_sm", found->warps},       {"most_warps_per_sm", found->warp_limit},
          {"bound", std::string(found->bound)}, {"without", "registers"}};
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
    if (Json occupancy = occupancy_json(*k.kernel); !occupancy.is_null())
      list.back()["occupancy"] = std::move(occupancy);
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
