// The language server.
//
// Three kinds of threads, and who may touch what:
//
//   I/O      reads bytes, cuts frames, hands them on; writes what is queued. Never waits for anybody.
//   main     runs this class: reads each message in order, owns documents and settings, answers what needs no analysis.
//            It parses edited statements (microseconds to a millisecond) and never evaluates one.
//   workers  run requests and analyses on snapshots, which do not change. They send their answers themselves.
//
// So a slow kernel delays neither typing nor cancelling. A change of a document makes a new snapshot, stops the
// analysis of the one before, and answers what still runs on it with ContentModified. Diagnostics are sent only while
// their snapshot is the newest, under a lock of the document, so that versions never go backwards.
#pragma once
#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "protocol/frame.h"
#include "server/ide/artifacts.h"
#include "server/lsp/file_reports.h"
#include "server/lsp/pool.h"
#include "server/lsp/request.h"
#include "server/lsp/view.h"
#include "server/lsp/workspace.h"
#include "server/transport/transport.h"

namespace tilewright::lsp {

class Server {
 public:
  struct Limits {
    std::size_t queued_bytes = 256u << 20;  // of messages that wait to be read; more make the client wait
    std::size_t open_requests = 10'000;     // without an answer; more are refused
  };

  Server(transport::Connection& connection, Limits limits);
  explicit Server(transport::Connection& connection) : Server(connection, Limits()) {}
  ~Server();
  // Serves until the client says `exit`, goes away, or its process ends. The exit status of the process.
  int run();

 private:
  using Message = protocol::Message;

  // What the client asked and has no answer yet.
  struct Pending {
    protocol::Id id;
    std::string method;
    std::string document;  // path; empty: of the workspace
    std::stop_source stop;
    std::atomic<bool> answered{false};
  };
  // The newest snapshot of a document, as far as publishing is concerned.
  struct Live {
    std::mutex mutex;
    std::uint64_t newest = 0;
    std::stop_source stop{std::nostopstate};
  };

  // ---- server.cpp: messages
  // -------------------------------------------------------------------------------------------
  void post(std::function<void()> task);
  void receive(std::string_view bytes);  // of the I/O thread
  void handle_frame(const protocol::Frame& frame);
  void handle(Message message);
  void handle_request(Message& message);
  void handle_notification(Message& message);
  void start(const Registry::Handler& handler, Message& message);
  // Of a worker: a file that is not open, with the settings that it has. Null: it cannot be read, or the end is near.
  struct UnopenedFile {
    std::shared_ptr<const session::Snapshot> snapshot;
    std::shared_ptr<RecordingLoader> loader;
  };
  std::shared_ptr<const session::Settings> settings_for(const std::string& path);  // null: the server ends
  UnopenedFile read_unopened(const std::string& path, std::shared_ptr<const session::Settings> settings);
  std::shared_ptr<const FileReport> file_report(const std::string& path, const std::stop_token& stop);
  void finish(const std::shared_ptr<Pending>& pending, const Answer<Json>& answer);
  void cancel(const protocol::Id& id);
  // The document has another text now: what runs on the old one is answered with ContentModified.
  void supersede(const std::string& path);
  // The same text under other settings or imports: diagnostics are to be asked for again (a client that gets
  // ContentModified without an edit of its own would not), the rest goes on.
  void supersede_diagnostics(const std::string& path);
  void supersede(const std::function<bool(const Pending&)>& which, const protocol::Error& error);
  void send(const std::string& text) { connection_.send(protocol::framed(text)); }
  void notify(std::string_view method, const Json& params) { send(protocol::notification_text(method, params)); }
  // Asks the client; `then` runs on the main thread with the result, or with a null pointer after an error.
  void ask(std::string_view method, const Json& params, std::function<void(const Json* result)> then = {});
  void end(int status);

  // ---- lifecycle.cpp
  // --------------------------------------------------------------------------------------------------
  Answer<Json> initialize(const Json& params);
  void initialized();
  void register_capabilities();
  void fetch_configuration();
  void set_configuration(const Json& section);
  void change_folders(const Json& params);
  Answer<Json> execute_command(const Json& params);
  Json memory();

  // ---- log.cpp
  // --------------------------------------------------------------------------------------------------------
  enum class Level { Error = 1, Warning = 2, Info = 3, Log = 4 };
  void log(Level level, const std::string& message);
  void show(Level level, const std::string& message);
  void trace(const std::string& message, const std::string& verbose);
  void set_health(std::string_view health, const std::string& message);
  // NVIDIA's tools broke, or work again (empty).
  void tools_health(const std::string& problem);

  // ---- documents.cpp
  // --------------------------------------------------------------------------------------------------
  void did_open(const Json& params);
  void did_change(const Json& params);
  void did_close(const Json& params);
  void did_save(const Json& params);
  void watched_files_changed(const Json& params);
  std::shared_ptr<const session::Settings> settings(const std::string& path);
  void updated(const std::string& path);
  // Documents whose imports changed.
  void look_again(const std::vector<std::string>& paths);
  // Analyses the newest snapshot and publishes what it finds.
  void publish(const std::string& path, bool edited = true);
  // After an analysis: views that changed are refreshed, and what NVIDIA's tools would make of it is wished for if
  // `background`.
  void show_views(const session::Snapshot& snapshot, const session::Analysis& analysis, bool background);
  // NVIDIA's tools have made something for this document.
  void artifacts_made(const std::string& path);
  // All open documents once more, under settings as they are now.
  void refresh_all(const std::string& why);

  transport::Connection& connection_;
  const Limits limits_;
  protocol::FrameReader frames_;  // of the I/O thread
  std::mutex queue_mutex_;
  std::condition_variable queue_ready_, queue_shorter_;
  std::deque<std::function<void()>> queue_;
  std::size_t queued_bytes_ = 0;  // of messages in it

  Registry registry_;
  enum class State { Fresh, Running, ShutDown, Ended };
  std::atomic<State> state_ = State::Fresh;
  int status_ = 1;
  std::shared_ptr<const Client> client_ = std::make_shared<Client>();
  bool push_ = true;
  bool status_wanted_ = false;
  std::string health_;
  bool tools_broken_ = false;
  int trace_ = 0;  // off, messages, verbose
  std::int64_t next_id_ = 1;
  std::map<std::string, std::function<void(const Json*)>> asked_;
  std::mutex pending_mutex_;
  std::map<std::string, std::shared_ptr<Pending>> pending_;

  Workspace workspace_;
  FileReports reports_{workspace_};
  Json configured_ = Json::object();  // the client's section, as it was last said
  session::Session session_;
  std::map<std::string, std::shared_ptr<Live>> live_;
  std::uint64_t edits_ = 0;
  std::set<std::string> told_;                        // problems of settings files that were shown
  std::map<std::string, std::stop_source> progress_;  // begun by us, by token
  ide::Preferences preferences_;
  WatchedViews views_;
  ide::Artifacts artifacts_;
  Pool pool_;  // last: its threads end first
};

}  // namespace tilewright::lsp
