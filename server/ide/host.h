// Open documents, and all that is kept about them: their texts and snapshots, the workspace around them, their analyses
// and findings, and what NVIDIA's tools, the simulator and runs say of their kernels.
//
// A speaker over open documents makes one, hands it what its client does to documents, asks ide's functions with the
// queries that it gives, and is told through HostEvents what to say (server/lsp/server.h is such a speaker).
//
// All methods are called on one thread, the speaker's main one, unless they say otherwise. Analyses run on the pool, on
// snapshots, which do not change. A change of a document makes a new snapshot and stops the analysis of the one before.
// Findings are published only while their snapshot is the newest, under a lock of the document, so that versions never
// go backwards.
#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "compiler/session/session.h"
#include "server/ide/artifacts.h"
#include "server/ide/background_trials.h"
#include "server/ide/diagnostics.h"
#include "server/ide/pool.h"
#include "server/ide/query.h"
#include "server/ide/run_findings.h"
#include "server/project/workspace.h"

namespace tilewright::ide {

// How the findings of a document get to the client. Called on the pool; made on the main thread.
struct Publisher {
  // Makes the message, which what it returns sends. Empty: the client asks for findings, nothing is published.
  std::function<std::function<void()>(const Diagnostics& found)> findings;
  // The same, of a document that could not be analysed. What it returns may be empty: nothing is to be sent.
  std::function<std::function<void()>(const std::exception& why)> failure;
};

// What a speaker does for the host.
class HostEvents {
 public:
  virtual ~HostEvents() = default;

  // Called on any thread: runs the task on the main thread.
  virtual void post(std::function<void()> task) = 0;
  // Called on the pool, after each analysis that came to its end: views of the document may have changed.
  virtual void analysed(const session::Snapshot& snapshot, const session::Analysis& analysis) = 0;

  // ---- on the main thread ------------------------------------------------------------------------------------------
  virtual Publisher publisher(const Script& script) = 0;
  // True if something of the document is shown that only an analysis keeps up to date.
  virtual bool shows(const std::string& path) = 0;
  // The document has another text: what is made of the old one is for nothing.
  virtual void superseded(const std::string& path) = 0;
  // The same text under other settings or imports: findings are made again, the rest goes on.
  virtual void surroundings_changed(const std::string& path) = 0;
  // The document is closed: nothing is said about it any more. Under the document's lock.
  virtual void withdrawn(const std::string& path) = 0;
  // What is wrong with a settings file.
  virtual void settings_problem(const std::string& problem) = 0;
  // NVIDIA's tools broke, or work again (empty).
  virtual void tools_health(const std::string& problem) = 0;
  // Something was found about the document beside its text, or about files that are not open (an empty path): what was
  // said of it before may be out of date.
  virtual void found(const std::string& path) = 0;
  // A client that asks for findings should ask again.
  virtual void findings_changed() = 0;
  // A kernel was run or compiled: what is said beside it may be another thing.
  virtual void lenses_changed() = 0;
};

class Host {
 public:
  // The pool's threads have ended when the host goes.
  Host(HostEvents& events, Pool& pool);
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  // ---- what the client does to documents ---------------------------------------------------------------------------
  void open(const std::string& path, std::string text, std::int64_t version);
  // `edit` takes in all that differs from the text of the snapshot before.
  void change(const std::string& path, std::shared_ptr<const text::Source> source, const text::Edit& edit,
              std::int64_t version);
  void close(const std::string& path);
  void saved(const std::string& path);
  // Files changed on disk: settings and imports are looked up again. (refresh_all() analyses what is open.)
  void files_changed();
  // Where changes on disk are not reported: looks at files that open documents import. `now`: however short ago the
  // last look. True: some had changed.
  bool look_at_imports(bool now);

  // ---- what the client wants ---------------------------------------------------------------------------------------
  void set_folders(std::vector<std::string> folders);
  void configure(project::ClientSettings settings, Preferences preferences);
  // Problems of settings files are told once more.
  void forget_problems() { told_.clear(); }
  // All open documents once more, under settings as they are now.
  void refresh_all();
  // Stops what runs.
  void end();

  // ---- what there is -----------------------------------------------------------------------------------------------
  Script find(const std::string& path) const { return session_.find(path); }
  std::vector<Script> all() const { return session_.all(); }
  session::MemoryReport memory() const { return session_.memory(); }
  const Preferences& preferences() const { return preferences_; }
  project::Workspace& workspace() { return workspace_; }  // safe from any thread
  Artifacts& artifacts() { return artifacts_; }           // safe from any thread
  // For a question about this document, which is open, or about the workspace (an empty path).
  void prepare(Query& query, const std::string& path);
  // Called on any thread: a file that is not open, under its own settings. Null: it cannot be read.
  struct Unopened {
    Script snapshot;
    std::shared_ptr<project::RecordingLoader> loader;
  };
  Unopened read_unopened(const std::string& path, std::shared_ptr<const session::Settings> settings);

 private:
  // Why findings are made again: for another text, for other settings or imports around the same one, or because
  // something else was found about it. The earlier of two holds for both.
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
  // An analysis on its way: whose it is, and what is to come of it.
  struct Round {
    std::shared_ptr<Live> live{};
    std::uint64_t number = 0;
    std::stop_token stop{};
    Script snapshot{};
    Publisher publisher{};
    bool background = false, tries = false;  // what its kernels are handed to afterwards
    const BackgroundTrials* trials = nullptr;
  };

  std::shared_ptr<const session::Settings> settings(const std::string& path);
  void updated(const std::string& path);
  // Documents whose imports changed.
  void look_again(const std::vector<std::string>& paths);
  // Analyses the newest snapshot and publishes what it finds. Another text stops what runs on the one before; changes
  // around it do so once and then wait for its end: files that keep changing would else leave no findings at all.
  void publish(const std::string& path, Because because);
  void publish_again(const std::string& path);
  void start(const std::string& path, Round round);
  // On the pool.
  void analyse(const Round& round);
  void afterwards(const Round& round, const std::shared_ptr<const session::Analysis>& analysis);
  void ended(const std::string& path, Live& live, std::uint64_t number);
  // NVIDIA's tools, the simulator, or a run have found something.
  void artifacts_made(const std::string& path);
  void trials_made(const std::string& path);
  void run_made(const std::string& path);

  HostEvents& events_;
  Pool& pool_;
  project::Workspace workspace_;
  session::Session session_;
  std::map<std::string, std::shared_ptr<Live>> live_;
  std::uint64_t edits_ = 0;
  std::chrono::steady_clock::time_point looked_at_imports_{};
  std::set<std::string> told_;  // problems of settings files
  Preferences preferences_;
  Artifacts artifacts_;
  BackgroundTrials trials_;
  RunFindings runs_;
};

}  // namespace tilewright::ide
