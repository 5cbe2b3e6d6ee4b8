// textDocument/signatureHelp: the operands of the call that is being typed.
#include "server/lsp/features.h"
#include "server/lsp/spelling.h"

namespace tilewright::lsp {
namespace {

Answer<Json> signature_help(const Request& r, const protocol::PositionParams& p) {
  std::uint32_t offset = r.offset(p.position);
  auto call = open_call(r.snapshot->source().text(), offset);
  if (!call) return Json(nullptr);
  Names names(r, Names::Aliases::SameThing);
  auto found = callables(names, r, call->function, offset);
  if (found.empty()) return Json(nullptr);
  Json signatures = Json::array();
  for (const Callable& c : found) {
    std::string label = call->function + "(";
    Json parameters = Json::array();
    std::optional<std::size_t> active;
    for (std::size_t i = 0; i < c.parameters.size(); ++i) {
      if (i) label += ", ";
      parameters.push_back({{"label", c.parameters[i]}});
      label += c.parameters[i];
      std::string_view name = c.parameters[i];
      name = name.substr(0, name.find_first_of(":="));
      if (!call->keyword.empty() ? name == call->keyword : i == call->argument) active = i;
    }
    label += ")";
    if (!c.returns.empty()) label += " -> " + c.returns;
    if (!active && c.variadic && !c.parameters.empty()) active = c.parameters.size() - 1;
    Json one{{"label", label}, {"parameters", parameters}};
    if (active) one["activeParameter"] = *active;
    if (!c.documentation.empty()) one["documentation"] = std::string(c.documentation);
    signatures.push_back(std::move(one));
  }
  // The first form that has room for what was typed.
  std::size_t best = 0;
  while (best + 1 < found.size() && found[best].parameters.size() <= call->argument) ++best;
  Json answer{{"signatures", signatures}, {"activeSignature", best}};
  if (signatures[best].contains("activeParameter")) answer["activeParameter"] = signatures[best]["activeParameter"];
  return answer;
}

}  // namespace

void add_signature_help(Registry& registry) {
  registry.offer("signatureHelpProvider", {{"triggerCharacters", {"(", ","}}, {"retriggerCharacters", {")", "="}}});
  registry.on_document<protocol::PositionParams>("textDocument/signatureHelp", signature_help);
}

}  // namespace tilewright::lsp
