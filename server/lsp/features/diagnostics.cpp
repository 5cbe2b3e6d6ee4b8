// textDocument/diagnostic and workspace/diagnostic: the same findings as those that are pushed, for clients that ask.
#include <algorithm>
#include <filesystem>

#include "compiler/text/digest.h"
#include "server/ide/scripts.h"
#include "server/lsp/diagnostics_way.h"
#include "server/lsp/features.h"
#include "server/lsp/file_reports.h"
#include "server/lsp/published.h"

namespace tilewright::lsp {
namespace {

namespace fs = std::filesystem;

struct PullParams : protocol::DocumentParams {
  std::string previous;
};
void from_json(const Json& json, PullParams& p) {
  protocol::from_json(json, p);
  p.previous = json.value("previousResultId", std::string());
}

struct WorkspaceParams {
  std::map<std::string, std::string> previous;  // result by URI
};
void from_json(const Json& json, WorkspaceParams& p) {
  for (const Json& item : protocol::at(json, "previousResultIds")) {
    p.previous[item.at("uri").get<std::string>()] = item.at("value").get<std::string>();
  }
}

// Full, or unchanged where the client has it already. The id is a digest, so that it survives versions and sessions.
Json report(const std::vector<protocol::Diagnostic>& diagnostics, const std::string& previous) {
  Json items = diagnostics;
  text::Digest digest;
  digest.add(std::string_view(items.dump(-1, ' ', false, Json::error_handler_t::replace)));
  std::string id = std::to_string(digest.a) + "-" + std::to_string(digest.b);
  if (id == previous) return {{"kind", "unchanged"}, {"resultId", id}};
  return {{"kind", "full"}, {"resultId", id}, {"items", std::move(items)}};
}

// Of an open document. Nothing: stopped.
std::optional<std::vector<protocol::Diagnostic>> found_in(const Request& r, const session::Snapshot& script) {
  auto analysis = script.analyse(r.stop);
  if (!analysis) return std::nullopt;
  return published(ide::diagnostics(script, std::move(analysis), r.artifacts, r.trials, r.runs), script, *r.client);
}

Answer<Json> pull(const Request& r, const PullParams& params) {
  auto found = found_in(r, *r.snapshot);
  if (!found) return cancelled();
  return report(*found, params.previous);
}

Answer<Json> pull_workspace(const Request& r, const WorkspaceParams& params) {
  Json items = Json::array();
  auto give = [&](const std::string& path, const std::vector<protocol::Diagnostic>& diagnostics, Json version) {
    std::string uri = r.client->uris->of(path);
    auto known = params.previous.find(uri);
    Json one = report(diagnostics, known == params.previous.end() ? "" : known->second);
    one["uri"] = uri;
    one["version"] = std::move(version);
    if (r.partial) {
      r.partial({{"items", Json::array({std::move(one)})}});
    } else {
      items.push_back(std::move(one));
    }
  };
  std::vector<std::string> open;
  for (const auto& s : r.open) {
    auto found = found_in(r, *s);
    if (!found) return cancelled();
    open.push_back(s->path());
    give(s->path(), *found, s->version());
  }
  std::vector<std::string> files = ide::workspace_scripts(r);
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (r.stop.stop_requested()) return cancelled();
    if (std::ranges::find(open, files[i]) != open.end()) continue;
    if (r.progress) r.progress(fs::path(files[i]).filename().string(), static_cast<int>(i * 100 / files.size()));
    auto found = r.file_report(files[i]);
    if (!found) return cancelled();
    if (found->is_script) give(files[i], found->diagnostics, nullptr);
  }
  return Json{{"items", std::move(items)}};
}

}  // namespace

void add_diagnostics(Registry& registry) {
  registry.offer_if("diagnosticProvider", [](const Client& c) -> Json {
    if (!diagnostics_way(c).pulled) return nullptr;
    return {{"identifier", "tilewright"},
            {"interFileDependencies", true},
            {"workspaceDiagnostics", true},
            {"workDoneProgress", true}};
  });
  registry.on_document<PullParams>("textDocument/diagnostic", pull);
  registry.on_workspace<WorkspaceParams>("workspace/diagnostic", pull_workspace);
}

}  // namespace tilewright::lsp
