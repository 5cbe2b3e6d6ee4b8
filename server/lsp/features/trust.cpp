// tilewright/trust: asks the user for consent to the remotes of a script's settings, whatever was said before.
#include "server/lsp/trust.h"

#include "server/lsp/features.h"
#include "server/project/config.h"
#include "server/project/run_targets.h"
#include "server/remote/consent.h"

namespace tilewright::lsp {
namespace {

Answer<Json> trust(const Request& r, const protocol::DocumentParams& params) {
  const std::string path = path_of(params.uri);
  if (!is_file(path)) return refused("only a script that is saved has settings");
  auto config = project::find_config(path);
  if (!config) return refused(config.error());
  std::optional<std::string> why;
  for (const std::string& name : project::run_targets(*config)) {
    if (project::is_local_target(name)) continue;
    why = untrusted(r, name, *config, true);
    if (why) break;  // one consent is for all of them
  }
  if (why && !r.choose) return refused(*why);
  if (!why && r.refresh) r.refresh();
  return Json{{"settings", config->file.empty() ? Json(nullptr) : Json(uri_of(config->file.string()))},
              {"trusted", !why}};
}

}  // namespace

void add_trust(Registry& registry) { registry.on_device<protocol::DocumentParams>("tilewright/trust", trust); }

}  // namespace tilewright::lsp
