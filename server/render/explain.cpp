#include "server/render/explain.h"

#include "server/render/failures.h"

namespace tilewright::render {

Json explained_json(std::span<const ExplainedKernel> kernels, const session::Compiled& compiled) {
  const text::Anchors& anchors = compiled.evaluation->anchors;
  Json list = Json::array(), diagnostics = Json::array();
  for (const ExplainedKernel& k : kernels) {
    Json calls = Json::array();
    for (const dispatch::CallReport* call : k.calls) calls.push_back(call_json(*call, anchors));
    list.push_back(
        {{"name", k.kernel->value->kernel.name}, {"entry", k.kernel->entry->expression}, {"calls", std::move(calls)}});
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
