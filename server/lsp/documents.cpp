// Open documents: what the client does to them, and what the host has to say about them.
#include <chrono>

#include "compiler/script/codes.h"
#include "protocol/publish.h"
#include "server/endpoint/progress.h"
#include "server/lsp/changes.h"
#include "server/lsp/published.h"
#include "server/lsp/server.h"
#include "server/lsp/uri.h"
#include "server/views/document.h"

namespace tilewright::lsp {

namespace {

constexpr std::chrono::milliseconds kViewDelay{300};

// Of a document that could not be analysed: silence would say that nothing is wrong with it.
std::string publish_failure(const std::string& uri, const session::Snapshot& snapshot, const std::exception& e) {
  const bool memory = dynamic_cast<const std::bad_alloc*>(&e);
  protocol::Diagnostic said;
  said.code = script::code::kLimit;
  said.message =
      std::string("this document was not analysed: ") + (memory ? "this machine has no memory left for it" : e.what());
  return protocol::publish_text(uri, snapshot.version(), {&said, 1});
}

}  // namespace

void Server::did_open(const Json& params) {
  const Json& document = params.at("textDocument");
  std::string uri = document.at("uri").get<std::string>(), path = path_of(uri);
  auto version = document.at("version").get<std::int64_t>();
  if (host_.find(path)) log(Level::Warning, uri + " is opened while it is open: its text is replaced");
  auto text = document.at("text").get<std::string>();
  client_->uris->open(path, uri);
  host_.open(path, std::move(text), version);
}

void Server::did_change(const Json& params) {
  const Json& document = params.at("textDocument");
  std::string path = path_of(document.at("uri").get<std::string>());
  auto snapshot = host_.find(path);
  if (!snapshot) return log(Level::Error, "a change of " + path + ", which is not open, was ignored");
  const auto number = text::integer<std::int64_t>(protocol::at(document, "version"));
  std::int64_t version = number.value_or(snapshot->version() + 1);
  if (version <= snapshot->version()) {
    log(Level::Warning, path + ": version " + std::to_string(version) + " follows " +
                            std::to_string(snapshot->version()) + "; versions increase");
  }
  look_at_imports(false);
  const Changed now = changed(snapshot->tree()->source(), params.at("contentChanges"), client_->encoding);
  snapshot = nullptr;  // the host sees to its end
  host_.change(path, now.source, now.edit, version);
}

void Server::did_close(const Json& params) {
  std::string path = path_of(params.at("textDocument").at("uri").get<std::string>());
  if (!host_.find(path)) return log(Level::Warning, path + " is closed while it is not open");
  superseded(path);
  views_.forget(path);
  host_.close(path);
  client_->uris->close(path);
}

void Server::did_save(const Json& params) {
  std::string path = path_of(params.at("textDocument").at("uri").get<std::string>());
  look_at_imports(true);
  auto snapshot = host_.find(path);
  if (!snapshot) return;
  host_.saved(path);
  const Json& text = protocol::at(params, "text");
  if (!text.is_string() || text.get_ref<const std::string&>() == snapshot->source().text()) return;
  log(Level::Warning, path + ": the saved text is not the one of the changes; it is taken over");
  host_.open(path, text.get<std::string>(), snapshot->version());
}

void Server::watched_files_changed(const Json& params) {
  bool ours = false;
  for (const Json& change : params.at("changes")) {
    std::string path = path_of(change.at("uri").get<std::string>());
    // An open document is what the client says it is, whatever happens to its file.
    ours = ours || !host_.find(path);
    if (path.ends_with("tilewright.toml")) host_.forget_problems();
  }
  if (!ours) return;
  host_.files_changed();
  refresh_all("files");
}

// An editor that comes to the front asks about the document that is shown, so each question is a moment to look, too.
void Server::look_at_imports(bool now) {
  if (client_->offers("workspace.didChangeWatchedFiles.dynamicRegistration")) return;
  if (host_.look_at_imports(now)) findings_changed();
}

// ---- what the host says ---------------------------------------------------------------------------------------------

ide::Publisher Server::publisher(const ide::Script& script) {
  const std::string uri = client_->uris->of(script->path());
  ide::Publisher out;
  if (push_) {
    out.findings = [this, script, uri, client = client_](const ide::Diagnostics& found) -> std::function<void()> {
      return [this, text = protocol::publish_text(uri, script->version(), published(found, *script, *client))] {
        endpoint_.send(text);
      };
    };
  }
  out.failure = [this, script, uri, push = push_](const std::exception& e) -> std::function<void()> {
    // The words for it first: where there is no memory for them this is called again, and the log says it once.
    std::function<void()> send;
    if (push) send = [this, text = publish_failure(uri, *script, e)] { endpoint_.send(text); };
    log(Level::Error, uri + " could not be analysed: " + e.what());
    return send;
  };
  return out;
}

void Server::analysed(const session::Snapshot& snapshot, const session::Analysis& analysis) {
  bool content = client_->offers("workspace.textDocumentContent") ||
                 protocol::at(client_->capabilities, "workspace.textDocumentContent").is_object();
  for (const std::string& uri : views_.of(snapshot.path())) {
    auto name = parse_view(uri);
    auto with_entry = ide::analysis_with(snapshot, name->entry, {});
    const session::Analysis& known = with_entry ? *with_entry : analysis;
    ide::View view = ide::view(*name, known, &host_.artifacts());
    if (view.state == ide::View::State::Pending) {
      if (auto wish = ide::wish_for(*name, known))
        host_.artifacts().want({*wish}, ide::Artifacts::For::Person, kViewDelay);
    }
    if (!views_.changed(uri, views::document(view, false).text)) continue;
    if (content) {
      post([this, uri] { ask("workspace/textDocumentContent/refresh", {{"uri", uri}}); });
    } else {
      notify("tilewright/viewChanged", {{"uri", uri}});
    }
  }
}

void Server::superseded(const std::string& path) {
  endpoint_.cancel([&](const endpoint::Open& o) { return o.subject == path; },
                   {protocol::ErrorCode::ContentModified, "the document was changed", nullptr});
}

void Server::surroundings_changed(const std::string& path) {
  endpoint_.cancel(
      [&](const endpoint::Open& o) { return o.subject == path && o.method == "textDocument/diagnostic"; },
      {protocol::ErrorCode::ServerCancelled, "settings or imports were changed", {{"retriggerRequest", true}}});
}

void Server::withdrawn(const std::string& path) {
  if (!push_) return;
  notify("textDocument/publishDiagnostics", {{"uri", client_->uris->of(path)}, {"diagnostics", Json::array()}});
}

void Server::settings_problem(const std::string& problem) {
  show(Level::Error, problem);
  set_health("warning", problem);
}

void Server::found(const std::string& path) {
  if (path.empty())
    reports_.clear();
  else
    reports_.forget(path);
}

void Server::findings_changed() {
  if (!push_ && client_->offers("workspace.diagnostics.refreshSupport")) ask("workspace/diagnostic/refresh", nullptr);
}

void Server::lenses_changed() {
  if (client_->offers("workspace.codeLens.refreshSupport")) ask("workspace/codeLens/refresh", nullptr);
}

void Server::refresh_all(const std::string& why) {
  host_.refresh_all();
  findings_changed();
  if (host_.all().empty() || !client_->offers("window.workDoneProgress")) return;

  // Many documents at once are worth a word about how far they are.
  std::string token = endpoint_.fresh_id("tilewright-refresh-");
  std::stop_source stop;
  progress_[token] = stop;
  ask("window/workDoneProgress/create", {{"token", token}}, [this, token, stop, why](const Json* created) {
    if (!created) {  // then nothing may be said under this token
      progress_.erase(token);
      return;
    }
    auto progress = std::make_shared<endpoint::Progress>(endpoint_, token, "Tilewright: " + why + " changed");
    progress->say("", 0);
    pool_.run(
        [this, token, stop, progress, all = host_.all()] {
          for (std::size_t i = 0; i < all.size() && !stop.stop_requested(); ++i) {
            all[i]->analyse(stop.get_token());
            progress->say("", static_cast<int>((i + 1) * 100 / all.size()));
          }
          progress->end();
          post([this, token] { progress_.erase(token); });
        },
        ide::Pool::Urgency::Background);
  });
}

}  // namespace tilewright::lsp
