// textDocument/codeLens: each lens is a command of ours.
#include "server/ide/lenses.h"
#include "server/lsp/features.h"
#include "server/lsp/view.h"

namespace tilewright::lsp {
namespace {

// The command of an action, with its argument.
struct Command {
  const std::string& document;  // URI

  std::pair<const char*, Json> operator()(const ide::ShowEntries&) const {
    return {"tilewright.entries", {{"textDocument", {{"uri", document}}}}};
  }
  std::pair<const char*, Json> operator()(const ide::ViewName& name) const {
    return {"tilewright.view", {{"uri", view_uri(name)}}};
  }
  std::pair<const char*, Json> operator()(const ide::Run& run) const {
    return {"tilewright.run", {{"textDocument", {{"uri", document}}}, {"entry", run.entry}, {"on", run.target}}};
  }
};

Answer<Json> code_lenses(const Request& r, const protocol::DocumentParams& params) {
  auto found = ide::lenses(r);
  if (!found) return failed(found.error());
  Json out = Json::array();
  for (ide::Lens& lens : *found) {
    auto [command, argument] = std::visit(Command{params.uri}, lens.action);
    out.push_back({{"range", r.range(lens.at)},
                   {"command",
                    {{"title", std::move(lens.title)},
                     {"command", command},
                     {"arguments", Json::array({std::move(argument)})}}}});
  }
  return out;
}

}  // namespace

void add_code_lens(Registry& registry) {
  registry.offer("codeLensProvider", Json::object());
  registry.on_document<protocol::DocumentParams>("textDocument/codeLens", code_lenses);
}

}  // namespace tilewright::lsp
