#include "server/lsp/server.h"

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>

#include "server/lsp/features.h"
#include "server/lsp/published.h"
#include "server/lsp/serve.h"
#include "server/lsp/uri.h"
#include "server/project/environment.h"

namespace tilewright::lsp {

using protocol::ErrorCode;

namespace {

bool names_view(const Json& params) {
  const Json& uri = protocol::at(params, "textDocument.uri");
  return uri.is_string() && uri.get_ref<const std::string&>().starts_with("tilewright://");
}

}  // namespace

Server::Server(transport::Connection& connection, Limits limits)
    : connection_(connection),
      limits_(limits),
      session_([this](const std::string& path) { return workspace_.loader(path); }),
      artifacts_(
          project::toolchain_options(),
          [this](const std::string& path) { post([this, path] { artifacts_made(path); }); },
          [this](const std::string& problem) { post([this, problem] { tools_health(problem); }); }),
      pool_(std::max(2u, std::min(8u, std::thread::hardware_concurrency()))){
#define TILEWRIGHT_FEATURE(NAME) add_##NAME(registry_);
          TILEWRIGHT_FEATURES(TILEWRIGHT_FEATURE)
#undef TILEWRIGHT_FEATURE
      }

      Server::~Server() = default;

void Server::post(std::function<void()> task) {
  {
    std::lock_guard lock(queue_mutex_);
    queue_.push_back(std::move(task));
  }
  queue_ready_.notify_one();
}

void Server::receive(std::string_view bytes) {
  frames_.feed(bytes);
  while (auto frame = frames_.next()) {
    {
      // A client that sends faster than its messages are read is made to wait: memory is not its to fill.
      std::unique_lock lock(queue_mutex_);
      queue_shorter_.wait(lock, [&] { return queued_bytes_ < limits_.queued_bytes || state_ == State::Ended; });
      if (state_ == State::Ended) return;
      queued_bytes_ += frame->text.size();
    }
    post([this, frame = std::move(*frame)] {
      {
        std::lock_guard lock(queue_mutex_);
        queued_bytes_ -= frame.text.size();
      }
      queue_shorter_.notify_one();
      handle_frame(frame);
    });
  }
}

int Server::run() {
  connection_.start({[this](std::string_view bytes) { receive(bytes); },
                     [this] { post([this] { end(state_ == State::ShutDown ? 0 : 1); }); }});
  while (state_ != State::Ended) {
    std::function<void()> task;
    {
      std::unique_lock lock(queue_mutex_);
      queue_ready_.wait(lock, [&] { return !queue_.empty(); });
      task = std::move(queue_.front());
      queue_.pop_front();
    }
    try {
      task();
    } catch (const std::exception& e) {
      log(Level::Error, std::string("a message was dropped: ") + e.what());
    }
  }
  {
    std::lock_guard lock(pending_mutex_);
    for (auto& [id, pending] : pending_) pending->stop.request_stop();
  }
  for (auto& [path, live] : live_) {
    std::lock_guard lock(live->mutex);
    live->stop.request_stop();
  }
  for (auto& [token, stop] : progress_) stop.request_stop();
  connection_.drain(1000);
  // The I/O thread calls this object: it ends first.
  connection_.stop();
  return status_;
}

void Server::end(int status) {
  if (state_ == State::Ended) return;
  status_ = status;
  {
    std::lock_guard lock(queue_mutex_);
    state_ = State::Ended;
  }
  queue_shorter_.notify_all();
}

// ---- messages -------------------------------------------------------------------------------------------------------

void Server::handle_frame(const protocol::Frame& frame) {
  if (frame.malformed) {
    send(protocol::error_text(nullptr, {ErrorCode::ParseError, frame.text, nullptr}));
    return;
  }
  handle(protocol::parse_message(frame.text));
}

void Server::handle(Message m) {
  switch (m.kind) {
    case Message::Kind::Invalid: send(protocol::error_text(m.id, m.error)); return;
    case Message::Kind::Request: handle_request(m); return;
    case Message::Kind::Notification: handle_notification(m); return;
    case Message::Kind::Response: {
      auto it = asked_.find(protocol::id_key(m.id));
      if (it == asked_.end()) return;  // nobody asked
      auto then = std::move(it->second);
      asked_.erase(it);
      if (m.failed) log(Level::Log, "the client refused a request: " + m.error.message);
      if (then) then(m.failed ? nullptr : &m.result);
      return;
    }
  }
}

void Server::handle_request(Message& m) {
  auto answer = [&](const Answer<Json>& a) {
    send(a ? protocol::result_text(m.id, *a) : protocol::error_text(m.id, a.error()));
  };
  auto refuse = [&](ErrorCode code, std::string why) {
    answer(std::unexpected(protocol::Error{code, std::move(why), nullptr}));
  };
  if (state_ == State::Fresh && m.method != "initialize") {
    return refuse(ErrorCode::ServerNotInitialized, "the first request is 'initialize'");
  }
  if (state_ == State::ShutDown) return refuse(ErrorCode::InvalidRequest, "the server was shut down");
  if (trace_) trace("Received request '" + m.method + " - (" + protocol::id_json(m.id).dump() + ")'.", m.params.dump());
  try {
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
  } catch (const Json::exception& e) {
    refuse(ErrorCode::InvalidParams, e.what());
  }
}

void Server::handle_notification(Message& m) {
  if (m.method == "exit") return end(state_ == State::ShutDown ? 0 : 1);
  if (state_ != State::Running) return;
  if (trace_ && m.method != "$/setTrace") trace("Received notification '" + m.method + "'.", m.params.dump());
  try {
    if (m.method == "initialized") return initialized();
    if (m.method == "$/cancelRequest") {
      const Json& id = m.params.at("id");
      if (id.is_string()) return cancel(id.get<std::string>());
      if (id.is_number_integer()) return cancel(id.get<std::int64_t>());
      return;
    }
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
  auto pending = std::make_shared<Pending>();
  pending->id = m.id;
  pending->method = m.method;
  auto r = std::make_shared<Request>();
  r->client = client_;
  if (handler.document) {
    pending->document = path_of(m.params.at("textDocument").at("uri").get<std::string>());
    r->snapshot = session_.find(pending->document);
    if (!r->snapshot) {
      send(protocol::error_text(m.id, {ErrorCode::InvalidParams, "the document is not open", nullptr}));
      return;
    }
  }
  r->open = session_.all();
  r->folders = workspace_.folders();
  r->preferences = preferences_;
  r->artifacts = &artifacts_;
  r->views = &views_;
  r->stop = pending->stop.get_token();
  {
    std::lock_guard lock(pending_mutex_);
    if (pending_.size() >= limits_.open_requests) {
      send(protocol::error_text(m.id, {ErrorCode::RequestFailed, "too many requests are open", nullptr}));
      return;
    }
    if (!pending_.emplace(protocol::id_key(m.id), pending).second) {
      send(protocol::error_text(m.id, {ErrorCode::InvalidRequest, "a request with this id is still open", nullptr}));
      return;
    }
  }
  if (const Json& token = protocol::at(m.params, "partialResultToken"); !token.is_null()) {
    r->partial = [this, token, pending](const Json& part) {
      if (!pending->answered) notify("$/progress", {{"token", token}, {"value", part}});
    };
  }
  auto began = std::make_shared<std::atomic<bool>>(false);
  const Json work = protocol::at(m.params, "workDoneToken");
  if (!work.is_null()) {
    r->progress = [this, work, began, method = m.method](const std::string& message, int percent) {
      bool first = !began->exchange(true);
      Json value{{"kind", first ? "begin" : "report"}, {"message", message}};
      if (first) value.update({{"title", "Tilewright"}, {"cancellable", true}});
      if (percent >= 0) value["percentage"] = percent;
      notify("$/progress", {{"token", work}, {"value", value}});
    };
  }
  r->read_file = [this](const std::string& path) { return read_unopened(path, settings_for(path)).snapshot; };
  r->file_report = [this, stop = r->stop](const std::string& path) { return file_report(path, stop); };
  pool_.run(
      [this, pending, r, began, work, run = handler.run, params = std::move(m.params), method = m.method] {
        Answer<Json> answer = cancelled();
        try {
          if (!r->stop.stop_requested()) answer = run(*r, params);
        } catch (const Json::exception& e) {
          answer = std::unexpected(protocol::Error{ErrorCode::InvalidParams, e.what(), nullptr});
        } catch (const std::exception& e) {
          log(Level::Error, "'" + method + "' failed: " + e.what());
          answer = std::unexpected(protocol::Error{ErrorCode::InternalError, e.what(), nullptr});
        }
        if (*began) notify("$/progress", {{"token", work}, {"value", {{"kind", "end"}}}});
        finish(pending, answer);
      },
      handler.document ? Pool::Urgency::Interactive : Pool::Urgency::Background);
}

// Settings belong to the main thread, so what a worker needs of them is made for it there.
std::shared_ptr<const session::Settings> Server::settings_for(const std::string& path) {
  auto done = std::make_shared<std::promise<std::shared_ptr<const session::Settings>>>();
  auto ready = done->get_future();
  post([this, done, path] { done->set_value(workspace_.settings(path)); });
  // The main thread may be waiting for this worker to end.
  while (ready.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
    if (state_ == State::Ended) return nullptr;
  }
  return ready.get();
}

Server::UnopenedFile Server::read_unopened(const std::string& path, std::shared_ptr<const session::Settings> settings) {
  auto tree = settings ? workspace_.tree_of(path) : nullptr;
  if (!tree) return {};
  auto loader = workspace_.recording_loader(path);
  return {std::make_shared<session::Snapshot>(tree, 0, std::move(settings), loader,
                                              std::make_shared<session::KernelCache>()),
          loader};
}

std::shared_ptr<const FileReport> Server::file_report(const std::string& path, const std::stop_token& stop) {
  auto settings = settings_for(path);
  if (!settings) return nullptr;
  if (auto known = reports_.find(path, settings.get())) return known;
  FileState state = workspace_.state_of(path);
  auto report = std::make_shared<FileReport>();
  auto [snapshot, loader] = read_unopened(path, settings);
  std::vector<ImportedFile> imports;
  if (snapshot && snapshot->source().text().find("tvm") != std::string_view::npos) {
    auto analysis = snapshot->analyse(stop);
    if (!analysis) return nullptr;
    report->is_script = true;
    report->diagnostics = published(ide::diagnostics(*snapshot, analysis, &artifacts_), *snapshot, *client_);
    imports = loader->imports();
  }
  reports_.keep(path, std::move(state), std::move(settings), std::move(imports), report);
  return report;
}

void Server::finish(const std::shared_ptr<Pending>& pending, const Answer<Json>& answer) {
  {
    std::lock_guard lock(pending_mutex_);
    auto it = pending_.find(protocol::id_key(pending->id));
    if (it != pending_.end() && it->second == pending) pending_.erase(it);
  }
  if (pending->answered.exchange(true)) return;
  send(answer ? protocol::result_text(pending->id, *answer) : protocol::error_text(pending->id, answer.error()));
}

void Server::cancel(const protocol::Id& id) {
  std::shared_ptr<Pending> pending;
  {
    std::lock_guard lock(pending_mutex_);
    auto it = pending_.find(protocol::id_key(id));
    if (it == pending_.end()) return;  // answered already
    pending = it->second;
  }
  pending->stop.request_stop();
  // The client need not wait for the worker to notice.
  finish(pending, cancelled());
}

void Server::supersede(const std::function<bool(const Pending&)>& which, const protocol::Error& error) {
  std::vector<std::shared_ptr<Pending>> superseded;
  {
    std::lock_guard lock(pending_mutex_);
    for (auto& [key, pending] : pending_) {
      if (which(*pending)) superseded.push_back(pending);
    }
  }
  for (auto& pending : superseded) {
    pending->stop.request_stop();
    finish(pending, std::unexpected(error));
  }
}

void Server::supersede(const std::string& path) {
  supersede([&](const Pending& p) { return p.document == path; },
            {ErrorCode::ContentModified, "the document was changed", nullptr});
}

void Server::supersede_diagnostics(const std::string& path) {
  supersede([&](const Pending& p) { return p.document == path && p.method == "textDocument/diagnostic"; },
            {ErrorCode::ServerCancelled, "settings or imports were changed", {{"retriggerRequest", true}}});
}

void Server::ask(std::string_view method, const Json& params, std::function<void(const Json*)> then) {
  protocol::Id id = "tilewright-" + std::to_string(next_id_++);
  asked_[protocol::id_key(id)] = std::move(then);
  send(protocol::request_text(id, method, params));
}

namespace {

// How long the process stays after its last client. At an address, an editor that restarts its session, or a script
// that first tries whether the port is open, comes again at once.
constexpr std::chrono::seconds kLinger{2};

// A session a client, each on a thread of its own, until the last client has gone. The exit status of that one.
int serve_all(transport::Listener& listener) {
  std::mutex mutex;
  std::condition_variable another;
  std::vector<std::thread> threads;
  std::size_t open = 0, come = 0;
  int status = 1;
  while (auto accepted = listener.accept()) {
    std::lock_guard lock(mutex);
    ++open, ++come;
    another.notify_all();
    threads.emplace_back([&, connection = std::shared_ptr<transport::Connection>(std::move(accepted))] {
      int ended = Server(*connection).run();
      std::unique_lock lock(mutex);
      status = ended;
      if (--open > 0) return;
      if (!another.wait_for(lock, kLinger, [&, last = come] { return come != last; })) listener.stop();
    });
  }
  for (std::thread& t : threads) t.join();
  return status;
}

}  // namespace

int serve(const std::string& address) {
  // Workers allocate and free much; a heap for each would keep what the others could use.
  ::mallopt(M_ARENA_MAX, 2);
  if (address.empty()) {
    auto connection = transport::stdio();
    auto server = std::make_unique<Server>(*connection);
    int status = server->run();
    // What cannot be stopped halfway, such as reading a very large script, is not worth waiting for.
    std::thread([status] {
      std::this_thread::sleep_for(kLinger);
      std::_Exit(status);
    }).detach();
    server.reset();
    return status;
  }
  auto listener = transport::listen(address);
  if (!listener) {
    std::fprintf(stderr, "tilewright: %s\n", listener.error().c_str());
    return 2;
  }
  std::fprintf(stderr, "tilewright: listening on %s\n", (*listener)->address().c_str());
  return serve_all(**listener);
}

}  // namespace tilewright::lsp
