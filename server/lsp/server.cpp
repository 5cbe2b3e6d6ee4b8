#include "server/lsp/server.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <thread>

#include "server/endpoint/progress.h"
#include "server/lsp/features.h"
#include "server/lsp/published.h"
#include "server/lsp/uri.h"
#include "server/project/environment.h"

namespace tilewright::lsp {

using protocol::ErrorCode;

namespace {

bool names_view(const Json& params) {
  const Json& uri = protocol::at(params, "textDocument.uri");
  return uri.is_string() && uri.get_ref<const std::string&>().starts_with("tilewright://");
}

// Runs at a time; more of them wait. Each holds tensors.
constexpr unsigned kWaiting = 8;

}  // namespace

Server::Server(transport::Connection& connection, endpoint::Limits limits)
    : connection_(connection),
      endpoint_(connection, limits),
      host_(*this, pool_),
      reports_(host_.workspace()),
      waiting_(kWaiting),
      pool_(std::max(2u, std::min(8u, std::thread::hardware_concurrency()))) {
  add_features(registry_);
}

Server::~Server() = default;

void Server::closed() { leave(); }

void Server::ending() {
  host_.end();
  for (auto& [token, stop] : progress_) stop.request_stop();
}

void Server::dropped(const std::string& why) { log(Level::Error, "a message was dropped: " + why); }

void Server::refused(const std::string& why) { log(Level::Log, "the client refused a request: " + why); }

// ---- messages -------------------------------------------------------------------------------------------------------

void Server::request(Message& m) {
  auto answer = [&](const Answer<Json>& a) { endpoint_.answer(m.id, a); };
  auto refuse = [&](ErrorCode code, std::string why) {
    answer(std::unexpected(protocol::Error{code, std::move(why), nullptr}));
  };
  if (state_ == State::Fresh && m.method != "initialize") {
    return refuse(ErrorCode::ServerNotInitialized, "the first request is 'initialize'");
  }
  if (state_ == State::ShutDown) return refuse(ErrorCode::InvalidRequest, "the server was shut down");
  if (trace_) trace("Received request '" + m.method + " - (" + protocol::id_json(m.id).dump() + ")'.", m.params.dump());
  if (m.method == "initialize") {
    if (state_ != State::Fresh) return refuse(ErrorCode::InvalidRequest, "'initialize' is sent once");
    return answer(initialize(m.params));
  }
  if (m.method == "shutdown") {
    state_ = State::ShutDown;
    return answer(Json(nullptr));
  }
  if (m.method == "$/tilewright/memory") return answer(memory());
  if (m.method == "workspace/executeCommand") {
    std::string command = m.params.at("command").get<std::string>();
    if (!command.starts_with("tilewright.") || !registry_.find("tilewright/" + command.substr(11))) {
      return answer(execute_command(m.params));
    }
    // Every request of ours is a command as well; its one argument is the request's parameters.
    m.method = "tilewright/" + command.substr(11);
    const Json& arguments = protocol::at(m.params, "arguments");
    Json params = arguments.is_array() && !arguments.empty() ? arguments.front() : Json::object();
    m.params = std::move(params);
  }
  // Inside a view, a definition is the place in the script.
  if ((m.method == "textDocument/definition" || m.method == "textDocument/declaration") && names_view(m.params)) {
    m.method = "tilewright/viewDefinition";
  }
  const Registry::Handler* handler = registry_.find(m.method);
  if (!handler) return refuse(ErrorCode::MethodNotFound, "there is no method '" + m.method + "'");
  start(*handler, m);
}

void Server::notification(Message& m) {
  if (m.method == "exit") return leave();
  if (state_ != State::Running) return;
  if (trace_ && m.method != "$/setTrace") trace("Received notification '" + m.method + "'.", m.params.dump());
  try {
    if (m.method == "initialized") return initialized();
    if (m.method == "$/cancelRequest") return endpoint_.cancel(protocol::id_to_cancel(m.params), cancelled().error());
    if (m.method.starts_with("textDocument/did") && names_view(m.params)) return;  // ours, and read-only
    if (m.method == "textDocument/didOpen") return did_open(m.params);
    if (m.method == "textDocument/didChange") return did_change(m.params);
    if (m.method == "textDocument/didClose") return did_close(m.params);
    if (m.method == "textDocument/didSave") return did_save(m.params);
    if (m.method == "workspace/didChangeWatchedFiles") return watched_files_changed(m.params);
    if (m.method == "workspace/didChangeWorkspaceFolders") return change_folders(m.params);
    if (m.method == "workspace/didChangeConfiguration") {
      if (client_->offers("workspace.configuration")) return fetch_configuration();
      return set_configuration(protocol::at(m.params, "settings.tilewright"));
    }
    if (m.method == "$/setTrace") {
      std::string value = m.params.value("value", std::string("off"));
      trace_ = value == "verbose" ? 2 : value == "messages" ? 1 : 0;
      return;
    }
    if (m.method == "window/workDoneProgress/cancel") {
      const Json& token = m.params.at("token");
      auto it = progress_.find(token.is_string() ? token.get<std::string>() : token.dump());
      if (it != progress_.end()) it->second.request_stop();
      return;
    }
  } catch (const Json::exception& e) {
    log(Level::Warning, "'" + m.method + "' was ignored: " + e.what());
  }
}

// ---- requests on workers --------------------------------------------------------------------------------------------

void Server::start(const Registry::Handler& handler, Message& m) {
  auto r = std::make_shared<Request>();
  r->client = client_;
  std::string document;
  if (handler.document) {
    look_at_imports(false);
    document = path_of(m.params.at("textDocument").at("uri").get<std::string>());
    if (!host_.find(document)) {
      endpoint_.answer(m.id,
                       std::unexpected(protocol::Error{ErrorCode::InvalidParams, "the document is not open", nullptr}));
      return;
    }
  }
  host_.prepare(*r, document);
  auto opened = endpoint_.open(m.id, m.method, std::move(document));
  if (!opened) return endpoint_.answer(m.id, std::unexpected(opened.error()));
  const std::shared_ptr<endpoint::Open> open = *opened;
  r->views = &views_;
  r->stop = open->stop.get_token();
  if (const Json& token = protocol::at(m.params, "partialResultToken"); !token.is_null()) {
    r->partial = [this, token, open](const Json& part) {
      if (!open->answered()) notify("$/progress", {{"token", token}, {"value", part}});
    };
  }
  std::shared_ptr<endpoint::Progress> progress;
  if (const Json& token = protocol::at(m.params, "workDoneToken"); !token.is_null()) {
    progress = std::make_shared<endpoint::Progress>(endpoint_, token, "Tilewright");
    r->progress = [progress](const std::string& message, int percent) { progress->say(message, percent); };
  }
  if (for_user_) {
    r->choose = [this, stop = r->stop](const std::string& message, const std::vector<std::string>& actions) {
      return choose(message, actions, stop);
    };
  }
  r->refresh = [this] { post([this] { lenses_changed(); }); };
  auto search = std::make_shared<project::ScriptSearch>(host_.workspace().looks());
  r->is_script = [search](const std::string& path) { return search->is_script(path); };
  r->file_report = [this, stop = r->stop, search](const std::string& path) { return file_report(path, *search, stop); };
  ide::Pool& pool = handler.waits ? waiting_ : pool_;
  pool.run(
      [this, open, r, progress, run = handler.run, params = std::move(m.params)] {
        Answer<Json> answer = cancelled();
        try {
          if (!r->stop.stop_requested()) answer = run(*r, params);
        } catch (const Json::exception& e) {
          answer = std::unexpected(protocol::Error{ErrorCode::InvalidParams, e.what(), nullptr});
        } catch (const std::exception& e) {
          log(Level::Error, "'" + open->method + "' failed: " + e.what());
          answer = std::unexpected(protocol::Error{ErrorCode::InternalError, e.what(), nullptr});
        }
        if (progress) progress->end();
        endpoint_.answer(open, answer);
      },
      handler.document ? ide::Pool::Urgency::Interactive : ide::Pool::Urgency::Background);
}

std::optional<std::string> Server::choose(const std::string& message, const std::vector<std::string>& actions,
                                          const std::stop_token& stop) {
  using Chosen = std::optional<std::string>;
  auto promise = std::make_shared<std::promise<Chosen>>();
  auto chosen = promise->get_future();
  Json titles = Json::array();
  for (const std::string& action : actions) titles.push_back({{"title", action}});
  constexpr int kWarning = 2;
  post([this, promise, params = Json{{"type", kWarning}, {"message", message}, {"actions", titles}}] {
    ask("window/showMessageRequest", params, [promise](const Json* result) {
      const bool named = result && result->is_object() && result->contains("title") && (*result)["title"].is_string();
      promise->set_value(named ? Chosen((*result)["title"].get<std::string>()) : Chosen());
    });
  });
  constexpr auto kPatience = std::chrono::minutes(10);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!stop.stop_requested() && std::chrono::steady_clock::now() < end) {
    if (chosen.wait_for(std::chrono::milliseconds(50)) == std::future_status::ready) return chosen.get();
  }
  return std::nullopt;
}

std::shared_ptr<const FileReport> Server::file_report(const std::string& path, project::ScriptSearch& search,
                                                      const std::stop_token& stop) {
  // What is no tile script does not concern it, and may become one by what it imports: that is not remembered here.
  static const auto kNothing = std::make_shared<const FileReport>();
  if (!search.is_script(path)) {
    reports_.forget(path);
    return kNothing;
  }
  auto settings = host_.workspace().settings(path).settings;
  if (auto known = reports_.find(path, settings.get())) return known;
  project::FileState state = host_.workspace().state_of(path);
  auto report = std::make_shared<FileReport>();
  std::vector<project::ImportedFile> imports;
  if (auto [snapshot, loader] = host_.read_unopened(path, settings); snapshot) {
    auto analysis = snapshot->analyse(stop);
    if (!analysis) return nullptr;
    report->is_script = true;
    report->diagnostics = published(ide::diagnostics(*snapshot, analysis, &host_.artifacts()), *snapshot, *client_);
    imports = loader->imports();
  }
  reports_.keep(path, std::move(state), std::move(settings), std::move(imports), report);
  return report;
}

}  // namespace tilewright::lsp
