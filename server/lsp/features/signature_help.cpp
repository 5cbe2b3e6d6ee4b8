// textDocument/signatureHelp.
#include "server/ide/signature.h"
#include "server/lsp/features.h"

namespace tilewright::lsp {
namespace {

Answer<Json> signature_help(const Request& r, const protocol::PositionParams& p) {
  auto found = ide::signatures(r, r.offset(p.position));
  if (!found) return Json(nullptr);
  Json signatures = Json::array();
  for (const ide::Signature& form : found->forms) {
    Json parameters = Json::array();
    for (const std::string& label : form.parameters) parameters.push_back({{"label", label}});
    Json one{{"label", form.label}, {"parameters", std::move(parameters)}};
    if (form.active) one["activeParameter"] = *form.active;
    if (!form.documentation.empty()) one["documentation"] = form.documentation;
    signatures.push_back(std::move(one));
  }
  Json answer{{"signatures", std::move(signatures)}, {"activeSignature", found->best}};
  if (auto active = found->forms[found->best].active) answer["activeParameter"] = *active;
  return answer;
}

}  // namespace

void add_signature_help(Registry& registry) {
  registry.offer("signatureHelpProvider", {{"triggerCharacters", {"(", ","}}, {"retriggerCharacters", {")", "="}}});
  registry.on_document<protocol::PositionParams>("textDocument/signatureHelp", signature_help);
}

}  // namespace tilewright::lsp
