// textDocument/codeLens: each lens is a command of ours.
#include <algorithm>
#include <map>

#include "server/ide/lenses.h"
#include "server/lsp/features.h"
#include "server/lsp/view.h"
#include "server/project/config.h"
#include "server/project/run_targets.h"
#include "server/remote/consent.h"

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
  std::pair<const char*, Json> operator()(const ide::TrustSettings&) const {
    return {"tilewright.trust", {{"textDocument", {{"uri", document}}}}};
  }
  std::pair<const char*, Json> operator()(const ide::Run& run) const {
    return {"tilewright.run", {{"textDocument", {{"uri", document}}}, {"entry", run.entry}, {"on", run.target}}};
  }
};

// Lenses of runs on remotes that the user has not agreed to say so, and what they would execute; one more, at each
// kernel, asks for the consent.
std::vector<ide::Lens> with_trust(const Request& r, std::vector<ide::Lens> lenses) {
  const bool elsewhere =
      std::ranges::any_of(r.run_targets, [](const std::string& target) { return !project::is_local_target(target); });
  if (!elsewhere || !is_file(r.snapshot->path())) return lenses;
  const auto config = project::find_config(r.snapshot->path());
  if (!config) return lenses;
  std::map<std::string, std::string> acts;  // of targets that are not trusted
  for (const std::string& target : r.run_targets) {
    if (project::is_local_target(target)) continue;
    const auto missing = remote::unmet(target, *config);
    constexpr std::size_t kMostWords = 80;
    if (missing && *missing) acts[target] = remote::short_words((*missing)->acts, kMostWords);
  }
  std::vector<ide::Lens> out;
  for (ide::Lens& lens : lenses) {
    const auto* run = std::get_if<ide::Run>(&lens.action);
    const auto act = run ? acts.find(run->target) : acts.end();
    const bool first = act != acts.end() && std::ranges::none_of(out, [&](const ide::Lens& l) {
                         return l.at == lens.at && std::holds_alternative<ide::TrustSettings>(l.action);
                       });
    if (first) out.push_back({lens.at, "trust " + config->file.filename().string() + " …", ide::TrustSettings()});
    if (act != acts.end()) lens.title += " (not trusted: " + act->second + ")";
    out.push_back(std::move(lens));
  }
  return out;
}

Answer<Json> code_lenses(const Request& r, const protocol::DocumentParams& params) {
  auto found = ide::lenses(r);
  if (!found) return failed(found.error());
  Json out = Json::array();
  for (ide::Lens& lens : with_trust(r, std::move(*found))) {
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
