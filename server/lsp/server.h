// The language server.
//
// Three kinds of threads, and who may touch what:
//
//   I/O      of the endpoint (server/endpoint/endpoint.h): reads bytes, cuts frames, hands them on; writes what is
//            queued.
//   main     runs this class: handles each message in order, owns the documents, answers what needs no analysis.
//            It parses edited statements (microseconds to a millisecond) and never evaluates one.
//   workers  run requests and analyses on snapshots, which do not change. They send their answers themselves. Requests
//            that wait for a device or another machine have workers of their own.
//
// So a slow kernel delays neither typing nor cancelling. A change of a document makes a new snapshot, stops the
// analysis of the one before, and answers what still runs on it with ContentModified. Diagnostics are sent only while
// their snapshot is the newest, under a lock of the document, so that versions never go backwards.
#pragma once
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "server/endpoint/endpoint.h"
#include "server/ide/artifacts.h"
#include "server/ide/background_trials.h"
#include "server/ide/run_findings.h"
#include "server/lsp/file_reports.h"
#include "server/lsp/pool.h"
#include "server/lsp/request.h"
#include "server/lsp/view.h"
#include "server/project/workspace.h"
#include "server/transport/transport.h"

namespace tilewright::lsp {

class Server final : private endpoint::Handler {
 public:
  Server(transport::Connection& connection, endpoint::Limits limits);
  explicit Server(transport::Connection& connection) : Server(connection, endpoint::Limits()) {}
  ~Server() override;
  // Serves until the client says `exit`, goes away, or its process ends. The exit status of the process.
  int run() { return endpoint_.run(*this); }
  // The client is the process that started this one: its user is ours, and may be asked for his consent.
  void speaks_for_the_user() { for_user_ = true; }

 private:
  using Message = protocol::Message;

  // Why diagnostics are made again: for another text, for other settings or imports around the same one, or because
  // somebody else found something about it. The earlier of two holds for both.
  enum class Because { Typed, Changed, Found };

  // The newest snapshot of a document, as far as publishing is concerned.
  struct Live {
    std::mutex mutex;
    std::uint64_t newest = 0;
    std::stop_source stop{std::nostopstate};
    bool edited = false;           // and no analysis since has come to its end
    bool running = false;          // the newest one
    bool must_end = false;         // it began because of what is around the text, and only another text may stop it
    std::optional<Because> again;  // once more when it has ended
  };

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
  // Of a worker: a file that is not open, under its own settings. Null: it cannot be read.
  struct UnopenedFile {
    std::shared_ptr<const session::Snapshot> snapshot;
    std::shared_ptr<project::RecordingLoader> loader;
  };
  UnopenedFile read_unopened(const std::string& path, std::shared_ptr<const session::Settings> settings);
  std::shared_ptr<const FileReport> file_report(const std::string& path, project::ScriptSearch& search,
                                                const std::stop_token& stop);
  // The document has another text now: what runs on the old one is answered with ContentModified.
  void supersede(const std::string& path);
  // The same text under other settings or imports: diagnostics are to be asked for again (a client that gets
  // ContentModified without an edit of its own would not), the rest goes on.
  void supersede_diagnostics(const std::string& path);
  void post(std::function<void()> task) { endpoint_.post(std::move(task)); }
  void notify(std::string_view method, const Json& params) { endpoint_.notify(method, params); }
  // Asks the client; `then` runs on the main thread with the result, or with a null pointer after an error.
  void ask(std::string_view method, const Json& params, std::function<void(const Json* result)> then = {}) {
    endpoint_.ask(method, params, std::move(then));
  }
  // Nobody is there any more, or wants to be.
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
  void tools_health(const std::string& problem);

  // ---- documents.cpp ------------------------------------------------------------------------------------------------
  void did_open(const Json& params);
  void did_change(const Json& params);
  void did_close(const Json& params);
  void did_save(const Json& params);
  void watched_files_changed(const Json& params);
  std::shared_ptr<const session::Settings> settings(const std::string& path);
  void updated(const std::string& path);
  // Where the client watches no files: documents whose imports changed on disk. `now`: however short ago the last look.
  void look_at_imports(bool now);
  // Documents whose imports changed.
  void look_again(const std::vector<std::string>& paths);
  // Analyses the newest snapshot and publishes what it finds. Another text stops what runs on the one before; changes
  // around it do so once and then wait for its end: files that keep changing would else leave no diagnostics at all.
  void publish(const std::string& path, Because because);
  // Of a worker: the analysis of this number is over, however it ended.
  void ended(const std::string& path, Live& live, std::uint64_t number);
  // After an analysis: views that changed are refreshed, and what NVIDIA's tools would make of it is wished for if
  // `background`.
  void show_views(const session::Snapshot& snapshot, const session::Analysis& analysis, bool background);
  // NVIDIA's tools have made something for this document.
  void artifacts_made(const std::string& path);
  // The simulator has found something in its kernels.
  void trials_made(const std::string& path);
  // Somebody has run one of them.
  void run_made(const std::string& path);
  // Diagnostics of the same text once more.
  void publish_again(const std::string& path);
  // All open documents once more, under settings as they are now.
  void refresh_all(const std::string& why);

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

  project::Workspace workspace_;
  FileReports reports_{workspace_};
  Json configured_ = Json::object();  // the client's section, as it was last said
  session::Session session_;
  std::map<std::string, std::shared_ptr<Live>> live_;
  std::uint64_t edits_ = 0;
  std::chrono::steady_clock::time_point looked_at_imports_{};
  std::set<std::string> told_;  // problems of settings files that were shown
  bool for_user_ = false;
  std::map<std::string, std::stop_source> progress_;  // begun by us, by token
  ide::Preferences preferences_;
  WatchedViews views_;
  ide::Artifacts artifacts_;
  ide::BackgroundTrials trials_;
  ide::RunFindings runs_;
  Pool waiting_;  // for devices and other machines: what hangs there keeps nobody from typing
  Pool pool_;     // last: its threads end first
};

}  // namespace tilewright::lsp
