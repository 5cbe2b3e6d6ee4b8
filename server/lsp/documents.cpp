// Open documents: keeping their text, and the diagnostics of each version.
#include <malloc.h>

#include <algorithm>

#include "compiler/script/codes.h"
#include "protocol/publish.h"
#include "server/endpoint/progress.h"
#include "server/lsp/changes.h"
#include "server/lsp/published.h"
#include "server/lsp/server.h"
#include "server/lsp/uri.h"
#include "server/render/document.h"

namespace tilewright::lsp {

namespace {

// How long nobody must have typed before NVRTC looks, and how much it may find to do then; more waits for a save.
constexpr std::chrono::milliseconds kIdle{800}, kAfterSaving{50}, kViewDelay{300};
// The same before kernels are tried out on the simulator, which takes some milliseconds each.
constexpr std::chrono::milliseconds kSettled{60};
// Between two looks at the files that open documents import.
constexpr std::chrono::milliseconds kLookAtImports{500};
// The number of no analysis: the document was closed.
constexpr std::uint64_t kClosed = 0;
constexpr std::size_t kLargeDocument = 60'000, kManyKernels = 12;

std::vector<ide::Wish> background_wishes(const std::string& path, const session::Analysis& analysis) {
  std::vector<ide::Wish> out;
  for (const session::Compiled& c : analysis.compiled) {
    for (const session::CompiledKernel& k : c.kernels) {
      if (k.cuda) out.push_back({path, k.cuda, k.target.name(), false});
    }
  }
  return out;
}

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

void Server::show_views(const session::Snapshot& snapshot, const session::Analysis& analysis, bool background) {
  bool content = client_->offers("workspace.textDocumentContent") ||
                 protocol::at(client_->capabilities, "workspace.textDocumentContent").is_object();
  for (const std::string& uri : views_.of(snapshot.path())) {
    auto name = parse_view(uri);
    auto with_entry = ide::analysis_with(snapshot, name->entry, {});
    const session::Analysis& known = with_entry ? *with_entry : analysis;
    ide::View view = ide::view(*name, known, &artifacts_);
    if (view.state == ide::View::State::Pending) {
      if (auto wish = ide::wish_for(*name, known)) artifacts_.want({*wish}, ide::Artifacts::For::Person, kViewDelay);
    }
    if (!views_.changed(uri, render::document(view).text)) continue;
    if (content) {
      post([this, uri] { ask("workspace/textDocumentContent/refresh", {{"uri", uri}}); });
    } else {
      notify("tilewright/viewChanged", {{"uri", uri}});
    }
  }
  if (!background || snapshot.source().size() > kLargeDocument) return;
  std::vector<ide::Wish> wishes = background_wishes(snapshot.path(), analysis);
  if (wishes.size() <= kManyKernels) artifacts_.want(std::move(wishes), ide::Artifacts::For::Background, kIdle);
}

void Server::artifacts_made(const std::string& path) {
  reports_.forget(path);  // the tools may have something to say
  auto snapshot = session_.find(path);
  if (!snapshot) return;
  auto analysis = snapshot->analysed();
  if (!analysis) return;
  // Diagnostics are sent again only where the tools have something to say about what stands there now.
  bool said = std::ranges::any_of(
      analysis->compiled, [&](const session::Compiled& c) { return !ide::toolchain_findings(c, artifacts_).empty(); });
  if (said) {
    publish_again(path);
  } else {
    pool_.run([this, snapshot, analysis] { show_views(*snapshot, *analysis, false); }, Pool::Urgency::Background);
  }
  if (client_->offers("workspace.codeLens.refreshSupport")) ask("workspace/codeLens/refresh", nullptr);
}

void Server::trials_made(const std::string& path) {
  reports_.forget(path);
  if (session_.find(path)) publish_again(path);
}

void Server::run_made(const std::string& path) {
  if (!session_.find(path)) return runs_.forget(path);
  publish_again(path);
  if (client_->offers("workspace.codeLens.refreshSupport")) ask("workspace/codeLens/refresh", nullptr);
}

void Server::publish_again(const std::string& path) {
  publish(path, Because::Found);
  if (!push_ && client_->offers("workspace.diagnostics.refreshSupport")) ask("workspace/diagnostic/refresh", nullptr);
}

std::shared_ptr<const session::Settings> Server::settings(const std::string& path) {
  auto [made, problem, targets] = workspace_.settings(path);
  if (!problem.empty() && told_.insert(problem).second) {
    show(Level::Error, problem);
    set_health("warning", problem);
  }
  return made;
}

void Server::did_open(const Json& params) {
  const Json& document = params.at("textDocument");
  std::string uri = document.at("uri").get<std::string>(), path = path_of(uri);
  auto version = document.at("version").get<std::int64_t>();
  if (session_.find(path)) log(Level::Warning, uri + " is opened while it is open: its text is replaced");
  session_.open(path, document.at("text").get<std::string>(), version, settings(path));
  client_->uris->open(path, uri);
  updated(path);
}

void Server::did_change(const Json& params) {
  const Json& document = params.at("textDocument");
  std::string path = path_of(document.at("uri").get<std::string>());
  auto snapshot = session_.find(path);
  if (!snapshot) return log(Level::Error, "a change of " + path + ", which is not open, was ignored");
  const auto number = text::integer<std::int64_t>(protocol::at(document, "version"));
  std::int64_t version = number.value_or(snapshot->version() + 1);
  if (version <= snapshot->version()) {
    log(Level::Warning, path + ": version " + std::to_string(version) + " follows " +
                            std::to_string(snapshot->version()) + "; versions increase");
  }
  look_at_imports(false);
  const Changed now = changed(snapshot->tree()->source(), params.at("contentChanges"), client_->encoding);
  session_.change(path, now.source, now.edit, version);
  updated(path);
  // Nobody waits for the end of the old one, which takes as long as its beginning.
  pool_.run([old = std::move(snapshot)] {}, Pool::Urgency::Background);
}

void Server::did_close(const Json& params) {
  std::string path = path_of(params.at("textDocument").at("uri").get<std::string>());
  if (!session_.find(path)) return log(Level::Warning, path + " is closed while it is not open");
  supersede(path);
  if (auto it = live_.find(path); it != live_.end()) {
    std::lock_guard lock(it->second->mutex);
    it->second->newest = kClosed;
    it->second->stop.request_stop();
    // Its file is nobody's concern any more.
    if (push_)
      notify("textDocument/publishDiagnostics", {{"uri", client_->uris->of(path)}, {"diagnostics", Json::array()}});
  }
  live_.erase(path);
  client_->uris->close(path);
  artifacts_.typed(path);
  trials_.forget(path);
  runs_.forget(path);
  views_.forget(path);
  session_.close(path);
  look_again(workspace_.set_document(path, nullptr));
  // After what the pool holds of it still.
  pool_.run([] { ::malloc_trim(0); }, Pool::Urgency::Background);
}

void Server::did_save(const Json& params) {
  std::string path = path_of(params.at("textDocument").at("uri").get<std::string>());
  look_at_imports(true);
  auto snapshot = session_.find(path);
  if (!snapshot) return;
  if (auto analysis = snapshot->analysed(); analysis && preferences_.toolchain != "off") {
    artifacts_.want(background_wishes(path, *analysis), ide::Artifacts::For::Background, kAfterSaving);
  }
  const Json& text = protocol::at(params, "text");
  if (!text.is_string() || text.get_ref<const std::string&>() == snapshot->source().text()) return;
  log(Level::Warning, path + ": the saved text is not the one of the changes; it is taken over");
  session_.open(path, text.get<std::string>(), snapshot->version(), settings(path));
  updated(path);
}

void Server::watched_files_changed(const Json& params) {
  bool ours = false;
  for (const Json& change : params.at("changes")) {
    std::string path = path_of(change.at("uri").get<std::string>());
    // An open document is what the client says it is, whatever happens to its file.
    ours = ours || !session_.find(path);
    if (path.ends_with("tilewright.toml")) told_.clear();
  }
  if (!ours) return;
  workspace_.files_changed();
  reports_.clear();
  refresh_all("files");
}

// An editor that comes to the front asks about the document that is shown, so each question is a moment to look, too.
void Server::look_at_imports(bool now) {
  if (client_->offers("workspace.didChangeWatchedFiles.dynamicRegistration")) return;
  const auto time = std::chrono::steady_clock::now();
  if (!now && time - looked_at_imports_ < kLookAtImports) return;
  looked_at_imports_ = time;
  const std::vector<std::string> touched = workspace_.changed_on_disk();
  if (touched.empty()) return;
  reports_.clear();
  look_again(touched);
  if (!push_ && client_->offers("workspace.diagnostics.refreshSupport")) ask("workspace/diagnostic/refresh", nullptr);
}

// Files that were only read, for diagnostics of the workspace say, have imports as well, but no diagnostics to publish.
void Server::look_again(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (!session_.refresh(path, settings(path))) continue;
    supersede_diagnostics(path);
    publish(path, Because::Changed);
  }
}

void Server::updated(const std::string& path) {
  supersede(path);
  artifacts_.typed(path);
  trials_.typed(path);
  auto touched = workspace_.set_document(path, session_.find(path)->tree());
  publish(path, Because::Typed);
  look_again(touched);
  if (++edits_ % 256 == 0) {
    session_.trim();
    // What so many edits left free between what stays goes back to the system.
    pool_.run([] { ::malloc_trim(0); }, Pool::Urgency::Background);
  }
}

void Server::publish(const std::string& path, Because because) {
  auto& live = live_[path];
  if (!live) live = std::make_shared<Live>();
  std::uint64_t number;
  std::stop_source stop;
  bool background, tries;
  {
    std::lock_guard lock(live->mutex);
    if (live->running && (because == Because::Found || (because == Because::Changed && live->must_end))) {
      live->again = std::min(live->again.value_or(because), because);
      return;
    }
    // Whoever takes the place of an edit's analysis does what it would have done.
    live->edited = live->edited || because != Because::Found;
    live->stop.request_stop();
    live->stop = stop;
    number = ++live->newest;
    background = live->edited && preferences_.toolchain == "idle";
    tries = live->edited && preferences_.simulate;
    live->running = push_ || background || tries || !views_.of(path).empty();
    live->must_end = because != Because::Typed;
    live->again.reset();
    if (!live->running) return;
  }
  const ide::BackgroundTrials* trials = preferences_.simulate ? &trials_ : nullptr;
  auto analyse = [this, live, number, stop, background, tries, trials, push = push_, snapshot = session_.find(path),
                  uri = client_->uris->of(path), client = client_] {
    try {
      auto analysis = snapshot->analyse(stop.get_token());
      if (!analysis) return;
      // Whether nobody took its place meanwhile. Under the document's lock.
      auto newest = [&] {
        if (live->newest != number) return false;
        live->edited = false;
        return true;
      };
      // What nobody waits for comes after what somebody does.
      auto afterwards = [&] {
        if (tries) trials_.want(snapshot->path(), analysis, kSettled);
        show_views(*snapshot, *analysis, background);
      };
      if (!push) {
        {
          std::lock_guard lock(live->mutex);
          if (!newest()) return;
        }
        return afterwards();
      }
      if (stop.stop_requested()) return;
      auto found = ide::diagnostics(*snapshot, analysis, &artifacts_, trials, &runs_);
      std::string text = protocol::publish_text(uri, snapshot->version(), published(found, *snapshot, *client));
      {
        std::lock_guard lock(live->mutex);
        if (!newest()) return;
        endpoint_.send(text);
      }
      afterwards();
    } catch (const std::exception& e) {
      log(Level::Error, uri + " could not be analysed: " + e.what());
      std::lock_guard lock(live->mutex);
      if (push && live->newest == number) endpoint_.send(publish_failure(uri, *snapshot, e));
    }
  };
  pool_.run(
      [this, path, live, number, analyse = std::function<void()>(std::move(analyse))]() mutable {
        analyse();
        analyse = nullptr;  // and the document's memory with it, if it was closed meanwhile
        ended(path, *live, number);
      },
      Pool::Urgency::Diagnostics);
}

void Server::ended(const std::string& path, Live& live, std::uint64_t number) {
  std::lock_guard lock(live.mutex);
  if (live.newest == kClosed) pool_.run([] { ::malloc_trim(0); }, Pool::Urgency::Background);
  if (live.newest != number) return;
  live.running = false;
  if (!live.again) return;
  post([this, path, because = *live.again] {
    if (session_.find(path)) publish(path, because);
  });
}

void Server::refresh_all(const std::string& why) {
  for (const auto& before : session_.all()) {
    supersede_diagnostics(before->path());
    session_.refresh(before->path(), settings(before->path()));
    publish(before->path(), Because::Changed);
  }
  if (!push_ && client_->offers("workspace.diagnostics.refreshSupport")) ask("workspace/diagnostic/refresh", nullptr);
  if (session_.all().empty() || !client_->offers("window.workDoneProgress")) return;

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
        [this, token, stop, progress, all = session_.all()] {
          for (std::size_t i = 0; i < all.size() && !stop.stop_requested(); ++i) {
            all[i]->analyse(stop.get_token());
            progress->say("", static_cast<int>((i + 1) * 100 / all.size()));
          }
          progress->end();
          post([this, token] { progress_.erase(token); });
        },
        Pool::Urgency::Background);
  });
}

}  // namespace tilewright::lsp
