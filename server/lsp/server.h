// The language server.
//
// Three kinds of threads, and who may touch what:
//
//   I/O      of the endpoint (server/endpoint/endpoint.h): reads bytes, cuts frames, hands them on; writes what is
//            queued.
//   main     runs this class: handles each message in order, tells the host (server/ide/host.h), which owns the
//            documents, what became of them, and answers what needs no analysis.
//            It parses edited statements (microseconds to a millisecond) and never evaluates one.
//   workers  run requests and analyses on snapshots, which do not change. They send their answers themselves. Requests
//            that wait for a device or another machine have workers of their own.
//
// So a slow kernel delays neither typing nor cancelling. A change of a document stops the analysis of its old text, and
// what still runs on that is answered with ContentModified.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "server/endpoint/endpoint.h"
#include "server/ide/host.h"
#include "server/lsp/file_reports.h"
#include "server/lsp/request.h"
#include "server/lsp/view.h"
#include "server/transport/transport.h"

namespace tilewright::lsp {

class Server final : private endpoint::Handler, private ide::HostEvents {
 public:
  Server(transport::Connection& connection, endpoint::Limits limits);
  explicit Server(transport::Connection& connection) : Server(connection, endpoint::Limits()) {}
  ~Server() override;
  // Serves until the client says `exit`, goes away, or its process ends. The exit status of the process.
  int run() { return endpoint_.run(*this); }
  // Whether the client has said `initialize`.
  bool has_begun() const { return state_ != State::Fresh; }
  // The client is the process that started this one: its user is ours, and may be asked for consent.
  void speaks_for_the_user() { for_user_ = true; }

 private:
  using Message = protocol::Message;

  // ---- server.cpp: messages -----------------------------------------------------------------------------------------
  void request(Message& message) override;
  void notification(Message& message) override;
  void closed() override;
  void ending() override;
  void dropped(const std::string& why) override;
  void refused(const std::string& why) override;
  void start(const Registry::Handler& handler, Message& message);
  // Of a worker: what the user chooses of the actions (Request::choose).
  std::optional<std::string> choose(const std::string& message, const std::vector<std::string>& actions,
                                    const std::stop_token& stop);
  std::shared_ptr<const FileReport> file_report(const std::string& path, project::ScriptSearch& search,
                                                const std::stop_token& stop);
  void post(std::function<void()> task) override { endpoint_.post(std::move(task)); }
  void notify(std::string_view method, const Json& params) { endpoint_.notify(method, params); }
  // Asks the client; `then` runs on the main thread with the result, or with a null pointer after an error.
  void ask(std::string_view method, const Json& params, std::function<void(const Json* result)> then = {}) {
    endpoint_.ask(method, params, std::move(then));
  }
  // The client is gone, or is about to go.
  void leave() { endpoint_.end(state_ == State::ShutDown ? 0 : 1); }

  // ---- lifecycle.cpp ------------------------------------------------------------------------------------------------
  Answer<Json> initialize(const Json& params);
  void initialized();
  void register_capabilities();
  void fetch_configuration();
  void set_configuration(const Json& section);
  std::string read_settings(const Json& section);  // what is wrong with them; what is right is used all the same
  void change_folders(const Json& params);
  Answer<Json> execute_command(const Json& params);
  Json memory();

  // ---- log.cpp ------------------------------------------------------------------------------------------------------
  enum class Level { Error = 1, Warning = 2, Info = 3, Log = 4 };
  void log(Level level, const std::string& message);
  void show(Level level, const std::string& message);
  void trace(const std::string& message, const std::string& verbose);
  void set_health(std::string_view health, const std::string& message);
  // NVIDIA's tools broke, or work again (empty).
  void tools_health(const std::string& problem) override;

  // ---- documents.cpp ------------------------------------------------------------------------------------------------
  void did_open(const Json& params);
  void did_change(const Json& params);
  void did_close(const Json& params);
  void did_save(const Json& params);
  void watched_files_changed(const Json& params);
  // Where the client watches no files: documents whose imports changed on disk. `now`: however short ago the last look.
  void look_at_imports(bool now);
  // All open documents once more, under settings as they are now.
  void refresh_all(const std::string& why);

  // ---- documents.cpp: what the host says ----------------------------------------------------------------------------
  ide::Publisher publisher(const ide::Script& script) override;
  bool shows(const std::string& path) override { return !views_.of(path).empty(); }
  void analysed(const session::Snapshot& snapshot, const session::Analysis& analysis) override;
  // What runs on the old text is answered with ContentModified.
  void superseded(const std::string& path) override;
  // Diagnostics are to be asked for again (a client that gets ContentModified without an edit of its own would not).
  void surroundings_changed(const std::string& path) override;
  void withdrawn(const std::string& path) override;
  void settings_problem(const std::string& problem) override;
  void found(const std::string& path) override;
  void findings_changed() override;
  void lenses_changed() override;

  transport::Connection& connection_;
  endpoint::Endpoint endpoint_;
  Registry registry_;
  enum class State { Fresh, Running, ShutDown };
  State state_ = State::Fresh;
  std::shared_ptr<const Client> client_ = std::make_shared<Client>();
  bool push_ = true;
  bool status_wanted_ = false;
  std::string health_;
  bool tools_broken_ = false;
  int trace_ = 0;  // off, messages, verbose

  Json configured_ = Json::object();  // the client's section, as it was last said
  bool for_user_ = false;
  std::map<std::string, std::stop_source> progress_;  // begun by us, by token
  WatchedViews views_;
  ide::Host host_;
  FileReports reports_;
  ide::Pool waiting_;  // for devices and other machines: what hangs there keeps no one from typing
  ide::Pool pool_;     // last: its threads end first
};

}  // namespace tilewright::lsp
