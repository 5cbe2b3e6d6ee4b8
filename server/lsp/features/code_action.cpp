// textDocument/codeAction.
#include <algorithm>

#include "compiler/text/words.h"
#include "server/ide/actions.h"
#include "server/lsp/features.h"
#include "server/lsp/fix.h"

namespace tilewright::lsp {
namespace {

constexpr auto kActionKinds = text::words_of<ide::Action::Kind>({"quickfix", "refactor", "refactor.rewrite"});

struct ActionParams : protocol::RangeParams {
  Json diagnostics = Json::array();
  std::vector<std::string> only;  // kinds that are wanted; empty: all
  bool wants(std::string_view kind) const {
    return only.empty() || std::ranges::any_of(only, [&](const std::string& o) {
             return kind == o || (kind.starts_with(o) && kind[o.size()] == '.');
           });
  }
};
void from_json(const Json& json, ActionParams& p) {
  protocol::from_json(json, static_cast<protocol::RangeParams&>(p));
  const Json& context = protocol::at(json, "context");
  if (context.is_object()) {
    p.diagnostics = context.value("diagnostics", Json::array());
    p.only = context.value("only", std::vector<std::string>());
  }
}

Answer<Json> code_actions(const Request& r, const ActionParams& params) {
  std::vector<ide::ShownDiagnostic> shown;
  std::vector<const Json*> said;  // the same ones, as the client has them
  for (const Json& d : params.diagnostics) {
    const Json& code = protocol::at(d, "code");
    if (protocol::at(d, "source") != "tilewright" || !code.is_string()) continue;
    ide::ShownDiagnostic& one = shown.emplace_back(
        ide::ShownDiagnostic{code.get<std::string>(), r.bytes(d.at("range").get<protocol::Range>()), {}});
    // Some clients keep no data with their diagnostics.
    if (const Json& data = protocol::at(d, "data"); data.is_object()) one.fix = fix_of(data);
    said.push_back(&d);
  }
  auto found = ide::actions(r, r.offset(params.range.start), shown);
  if (!found) return failed(found.error());
  Json out = Json::array();
  for (ide::Action& a : *found) {
    std::string_view kind = kActionKinds[a.kind];
    if (!params.wants(kind)) continue;
    Json edit = protocol::TextEdit{r.range(a.at), std::move(a.text)};
    Json action{{"title", std::move(a.title)},
                {"kind", kind},
                {"edit", {{"changes", {{params.uri, Json::array({std::move(edit)})}}}}}};
    if (a.fixes) action["diagnostics"] = Json::array({*said[static_cast<std::size_t>(a.fixes - shown.data())]});
    if (a.preferred) action["isPreferred"] = true;
    out.push_back(std::move(action));
  }
  return out;
}

}  // namespace

void add_code_action(Registry& registry) {
  registry.offer_if("codeActionProvider", [](const Client& c) -> Json {
    // Options are for clients that know them, says the protocol.
    if (!protocol::at(c.capabilities, "textDocument.codeAction.codeActionLiteralSupport").is_object()) return true;
    return {{"codeActionKinds", kActionKinds.all}};
  });
  registry.on_document<ActionParams>("textDocument/codeAction", code_actions);
}

}  // namespace tilewright::lsp
