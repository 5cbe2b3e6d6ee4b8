// Questions about targets: what there is, and which files belong to it.
#include <algorithm>
#include <filesystem>
#include <set>

#include "protocol/uri.h"
#include "server/bsp/languages.h"
#include "server/bsp/session.h"
#include "server/project/config.h"

namespace tilewright::bsp {
namespace {

namespace wire = protocol::bsp;
namespace fs = std::filesystem;
using project::BuildTarget;
using protocol::uri_of;

wire::Target described(const BuildTarget& target) {
  wire::Target out;
  out.uri = uri_of(target.path);
  out.name = target.name;
  out.base_directory = uri_of(target.folder ? target.path : fs::path(target.path).parent_path().string());
  // Entries with a reference are tests; whether a script has one shows only when it is evaluated.
  out.tags = {"library", "test"};
  out.can_test = true;
  for (std::string_view language : kLanguages) out.language_ids.emplace_back(language);
  out.data = {{"scripts", target.scripts.size()}};
  return out;
}

}  // namespace

BuildSession::Targets BuildSession::targets() {
  auto now = std::make_shared<const project::BuildTargets>(root_, server_.builder.looks());
  const Targets before = std::exchange(targets_, now);
  if (!before || !speaks_ours_) return now;
  // What came, went, or has other scripts now.
  protocol::Json changes = protocol::Json::array();
  auto change = [&](const BuildTarget& target, int kind) {
    changes.push_back({{"target", wire::identifier(uri_of(target.path))}, {"kind", kind}});
  };
  constexpr int kCreated = 1, kChanged = 2, kDeleted = 3;
  auto among = [](const project::BuildTargets& all, const BuildTarget& target) {
    const auto at = std::ranges::lower_bound(all.all(), target.path, {}, &BuildTarget::path);
    return at == all.all().end() || at->path != target.path ? nullptr : &*at;
  };
  for (const BuildTarget& target : now->all()) {
    const BuildTarget* old = among(*before, target);
    if (!old) change(target, kCreated);
    if (old && old->scripts != target.scripts) change(target, kChanged);
  }
  for (const BuildTarget& target : before->all())
    if (!among(*now, target)) change(target, kDeleted);
  if (!changes.empty()) endpoint_.notify("buildTarget/didChange", {{"changes", changes}});
  return now;
}

std::expected<BuildSession::Found, protocol::Error> BuildSession::find(const project::BuildTargets& all,
                                                                       const std::vector<std::string>& uris) const {
  Found out;
  std::set<const BuildTarget*> known;
  for (const std::string& uri : uris) {
    std::error_code ec;
    const std::string path = protocol::path_of(uri);
    const BuildTarget* target = all.find(fs::weakly_canonical(path, ec).string());
    if (!target)
      return std::unexpected(protocol::Error{protocol::ErrorCode::InvalidParams,
                                             "there is no target " + uri + "; workspace/buildTargets lists them",
                                             nullptr});
    if (known.insert(target).second) out.push_back(target);
  }
  return out;
}

std::expected<BuildSession::Found, protocol::Error> BuildSession::find_told(Targets& all,
                                                                            const std::vector<std::string>& uris) {
  if (targets_) {
    all = targets_;
    if (auto found = find(*all, uris)) return found;
  }
  all = targets();
  return find(*all, uris);
}

BuildSession::Answer BuildSession::build_targets() {
  const Targets now = targets();
  Json out = Json::array();
  if (speaks_ours_) {
    for (const BuildTarget& target : now->all()) out.push_back(described(target));
  } else {
    log(wire::MessageType::Warning, "there are targets here for clients that know 'tilescript' or 'python' only");
  }
  return Json{{"targets", out}};
}

BuildSession::Answer BuildSession::items_of(const Found& targets, const char* name, const Items& of) {
  Json out = Json::array();
  for (const BuildTarget* target : targets)
    out.push_back({{"target", wire::identifier(uri_of(target->path))}, {name, of(*target)}});
  return Json{{"items", out}};
}

BuildSession::Answer BuildSession::items(const Json& params, const char* name, const Items& of) {
  Targets all;
  auto found = find_told(all, params.get<wire::TargetsParams>().targets);
  if (!found) return std::unexpected(found.error());
  return items_of(*found, name, of);
}

BuildSession::Answer BuildSession::sources(const Json& params) {
  return items(params, "sources", [](const BuildTarget& target) {
    Json out = Json::array();
    for (const std::string& script : target.scripts) out.push_back(wire::Source{uri_of(script), false});
    return out;
  });
}

BuildSession::Answer BuildSession::inverse_sources(const Json& params) {
  std::error_code ec;
  const std::string uri = params.at("textDocument").at("uri").get<std::string>();
  const std::string path = fs::weakly_canonical(protocol::path_of(uri), ec).string();
  Json out = Json::array();
  const Targets told = targets_ && !targets_->of_script(path).empty() ? targets_ : targets();
  for (const BuildTarget* target : told->of_script(path)) out.push_back(wire::identifier(uri_of(target->path)));
  return Json{{"targets", out}};
}

// Files that the target's scripts import, and that are no scripts of it.
std::vector<std::string> BuildSession::imports_of(const BuildTarget& target, const std::stop_token& stop) {
  std::vector<std::string> out;
  for (const std::string& script : target.scripts)
    std::ranges::copy(server_.builder.imports(script, stop), std::back_inserter(out));
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  std::erase_if(out, [&](const std::string& file) { return std::ranges::binary_search(target.scripts, file); });
  return out;
}

// Each script of the target is evaluated for it.
void BuildSession::dependency_sources(const Message& m) {
  Targets all;
  auto found = find_told(all, m.params.get<wire::TargetsParams>().targets);
  if (!found) return endpoint_.answer(m.id, std::unexpected(found.error()));
  auto open = endpoint_.open(m.id, m.method, {});
  if (!open) return endpoint_.answer(m.id, std::unexpected(open.error()));
  questions_.add(*open, [this, all, found = std::move(*found), stop = (*open)->stop.get_token()]() -> Answer {
    auto answer = items_of(found, "sources", [&](const BuildTarget& target) {
      Json out = Json::array();
      for (const std::string& file : imports_of(target, stop)) out.push_back(uri_of(file));
      return out;
    });
    if (!stop.stop_requested()) return answer;
    return std::unexpected(protocol::Error{protocol::ErrorCode::RequestCancelled, "cancelled", nullptr});
  });
}

// The settings, which every script of the target depends on.
BuildSession::Answer BuildSession::resources(const Json& params) {
  return items(params, "resources", [](const BuildTarget& target) {
    Json out = Json::array();
    const fs::path settings = project::config_file(target.scripts.front());
    if (!settings.empty()) out.push_back(uri_of(settings.string()));
    return out;
  });
}

// The protocol asks that the next compilation of what was cleaned is a full one.
BuildSession::Answer BuildSession::clean(const Json& params) {
  Targets all;
  auto found = find_told(all, params.get<wire::TargetsParams>().targets);
  if (!found) return std::unexpected(found.error());
  std::size_t scripts = 0;
  for (const BuildTarget* target : *found) scripts += server_.builder.forget(target->scripts);
  return Json{{"cleaned", true},
              {"message", std::to_string(scripts) + (scripts == 1 ? " script is" : " scripts are") + " built again"}};
}

}  // namespace tilewright::bsp
