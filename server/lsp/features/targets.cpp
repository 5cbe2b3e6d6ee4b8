// tilewright/targets: where the kernels of a script can be run, by name: this machine's two ways, and the remotes and
// pools of its settings, with what those do that the user has not agreed to. They are only named: nothing of them is
// looked at, for the settings come with a repository.
#include "server/lsp/features.h"
#include "server/lsp/uri.h"
#include "server/project/config.h"
#include "server/project/run_targets.h"
#include "server/remote/consent.h"

namespace tilewright::lsp {
namespace {

Answer<Json> targets(const Request&, const protocol::DocumentParams& params) {
  auto config = project::find_config(path_of(params.uri));
  if (!config) return std::unexpected(protocol::Error{protocol::ErrorCode::RequestFailed, config.error(), nullptr});
  Json list = Json::array();
  for (const std::string& name : project::run_targets(*config)) {
    Json one{{"name", name}};
    if (auto remote = config->remotes.find(name); remote != config->remotes.end()) {
      one["kind"] = "remote";
      one["address"] = remote->second.at;
    } else if (auto pool = config->pools.find(name); pool != config->pools.end()) {
      one["kind"] = "pool";
      one["members"] = pool->second.members;
    } else {
      one["kind"] = "local";
    }
    if (one["kind"] != "local") {
      const auto missing = remote::unmet(name, *config);
      one["trusted"] = missing.has_value() && !missing->has_value();
      if (missing && *missing) one["does"] = remote::short_words((**missing).acts, 400);
    }
    list.push_back(std::move(one));
  }
  return Json{{"settings", config->file.empty() ? Json(nullptr) : Json(uri_of(config->file.string()))},
              {"targets", std::move(list)}};
}

}  // namespace

void add_targets(Registry& registry) { registry.on_workspace<protocol::DocumentParams>("tilewright/targets", targets); }

}  // namespace tilewright::lsp
