#include "server/ci/client.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "compiler/text/bounds.h"
#include "protocol/uri.h"
#include "server/endpoint/endpoint.h"

namespace tilewright::ci {
namespace {

namespace bsp = protocol::bsp;
using protocol::Json;
using namespace std::chrono_literals;
using End = Outcome::End;
using Answer = endpoint::Answer<Json>;

constexpr auto kFarewell = 10s;  // until it has stopped what it does, and until it has shut down

// Of all that a server may make this client keep.
constexpr std::size_t kMostTargets = 100'000, kMostFindings = 1'000'000, kMostProblems = 1'000, kMostBytes = 1u << 30;

// Calls back when time is up; one time at a time.
class Clock {
 public:
  Clock() = default;
  ~Clock() {
    thread_.request_stop();
    changed_.notify_all();
  }
  void set(std::chrono::seconds time, std::function<void()> up) {
    {
      std::lock_guard lock(mutex_);
      until_ = std::chrono::steady_clock::now() + time;
      up_ = std::move(up);
    }
    if (!thread_.joinable()) thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
    changed_.notify_all();
  }
  void unset() {
    std::lock_guard lock(mutex_);
    up_ = nullptr;
  }

 private:
  void run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      if (!up_) {
        changed_.wait(lock, stop, [&] { return up_ != nullptr; });
        continue;
      }
      const auto until = until_;
      changed_.wait_until(lock, stop, until, [&] { return !up_ || until_ != until; });
      if (stop.stop_requested() || !up_ || until_ != until || std::chrono::steady_clock::now() < until) continue;
      std::exchange(up_, nullptr)();
    }
  }
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::chrono::steady_clock::time_point until_;
  std::function<void()> up_;
  std::jthread thread_;
};

work::BuildPlace place_of(const std::string& uri, const protocol::Range& range) {
  return {protocol::path_of(uri), {range.start.line, range.start.character}, {range.end.line, range.end.character}};
}

work::BuildFinding finding_of(const std::string& uri, const protocol::Diagnostic& d) {
  work::BuildFinding out{
      place_of(uri, d.range), static_cast<text::Severity>(static_cast<int>(d.severity) - 1), d.code, d.message, {}, {}};
  for (const protocol::RelatedInformation& r : d.related)
    out.related.push_back({place_of(r.location.uri, r.location.range), r.message});
  return out;
}

bool is_below(const std::string& path, const std::string& folder) {
  return path.size() > folder.size() && path.starts_with(folder) &&
         (folder.ends_with('/') || path[folder.size()] == '/');
}

class Client final : public endpoint::Handler {
 public:
  Client(remote::Reached reached, const Asked& asked, const Watcher& watcher)
      : connection_(std::move(reached.connection)),
        token_(std::move(reached.token)),
        asked_(asked),
        watcher_(watcher),
        endpoint_(*connection_, {}) {}

  Outcome run(const std::stop_token& stop) {
    endpoint_.post([this] { initialize(); });
    const std::stop_callback stopped(stop, [this] { endpoint_.post([this] { cancel(); }); });
    endpoint_.run(*this);
    return std::move(out_);
  }

 private:
  // ---- what the server says of itself ----
  void request(protocol::Message& m) override {
    endpoint_.answer(m.id, std::unexpected(protocol::Error{protocol::ErrorCode::MethodNotFound,
                                                           "this client answers nothing", nullptr}));
  }
  void notification(protocol::Message& m) override {
    heard_ = std::chrono::steady_clock::now();
    if (m.method == "build/publishDiagnostics") return take(m.params.get<bsp::PublishDiagnostics>());
    if (m.method == "build/taskStart" || m.method == "build/taskProgress" || m.method == "build/taskFinish")
      return tell(m.method, m.params.get<bsp::Task>());
    if (m.method == "build/logMessage" || m.method == "build/showMessage") {
      const auto said = m.params.get<bsp::LogMessage>();
      if (said.type == bsp::MessageType::Error)
        keep_problem(said.message);
      else if (watcher_.said && said.type != bsp::MessageType::Log)
        watcher_.said(said.message);
    }
  }
  void closed() override {
    if (leaving_) return endpoint_.end(0);
    const std::string why = connection_->why_closed();
    finish(End::Lost, why.empty() ? "the build server closed the connection" : why);
    endpoint_.end(1);
  }
  void ending() override {}
  // A message that no server of this protocol sends.
  void dropped(const std::string& why) override {
    finish(End::Refused, "the build server sent what cannot be understood: " + why);
    endpoint_.end(1);
  }
  void malformed(const std::string& why) override { dropped(why); }
  void refused(const std::string&) override {}

  // False: the build is over, for the server has sent more than a client keeps.
  bool keeps(std::size_t bytes) {
    kept_bytes_ += bytes;
    if (kept_bytes_ <= kMostBytes && out_.findings.size() < kMostFindings && out_.problems.size() < kMostProblems)
      return true;
    finish(End::Refused, "the build server sent more than a build may have: " + std::to_string(kMostFindings) +
                             " findings, " + std::to_string(kMostProblems) + " errors, 1 GB of text");
    endpoint_.end(1);
    return false;
  }
  void keep_problem(const std::string& what) {
    if (keeps(what.size())) out_.problems.push_back(what);
  }

  void take(const bsp::PublishDiagnostics& published) {
    for (const protocol::Diagnostic& d : published.diagnostics) {
      if (!keeps(d.message.size() + 256)) return;
      work::BuildFinding found = finding_of(published.uri, d);
      // A file that several scripts import is told of once for each of them.
      auto& known = of_file_[found.at.path];
      if (std::ranges::any_of(known, [&](std::size_t i) { return out_.findings[i] == found; })) continue;
      known.push_back(out_.findings.size());
      out_.findings.push_back(std::move(found));
    }
  }

  void tell(const std::string& method, const bsp::Task& task) {
    if (!watcher_.progress) return;
    targets_done_ += method == "build/taskFinish" && task.data_kind == "compile-report";
    std::string line = compiling_ && targets_ > 1 ? "compiled " + std::to_string(targets_done_) + " of " +
                                                        std::to_string(targets_) + " targets"
                                                  : std::string();
    if (task.progress && task.total)
      line += (line.empty() ? "" : ", ") + std::to_string(*task.progress) + " of " + std::to_string(*task.total) + " " +
              task.unit;
    if (!task.message.empty()) line += (line.empty() ? "" : ": ") + task.message;
    watcher_.progress(line);
  }

  // ---- the steps, one after the other ----
  void ask(const char* method, const Json& params, std::function<void(const Json&)> then) {
    in_flight_ =
        endpoint_.call(method, params, [this, then = std::move(then)](const Answer& answer, const std::string&) {
          heard_ = std::chrono::steady_clock::now();
          in_flight_.clear();
          clock_.unset();
          if (!answer) return leave(End::Refused, answer.error().message);
          if (cancelled_) return leave(End::Cancelled, {});
          try {
            then(*answer);
          } catch (const Json::exception& e) {
            leave(End::Refused, std::string("the build server's answer cannot be understood: ") + e.what());
          }
        });
    heard_ = std::chrono::steady_clock::now();
    watch(asked_.silence);
  }

  // Gives up once nothing was heard for `silence`.
  void watch(std::chrono::seconds left) {
    clock_.set(left, [this] {
      endpoint_.post([this] {
        if (in_flight_.empty() || cancelled_ || leaving_) return;
        const auto silent = std::chrono::steady_clock::now() - heard_;
        if (silent < asked_.silence) return watch(std::chrono::ceil<std::chrono::seconds>(asked_.silence - silent));
        finish(End::Refused, "the build server has said nothing for " + std::to_string(asked_.silence.count()) +
                                 " s: given up (--give-up SECONDS waits longer)");
        endpoint_.end(1);
      });
    });
  }

  void initialize() {
    if (cancelled_) return;
    bsp::InitializeParams params;
    params.client = "tilewright build";
    params.version = TILEWRIGHT_VERSION;
    params.bsp_version = bsp::kVersion;
    params.root_uri = protocol::uri_of(asked_.root);
    params.language_ids = {"tilescript", "python"};
    Json json = params;
    if (!token_.empty()) json["data"] = {{"token", token_}};
    ask("build/initialize", json, [this](const Json&) {
      endpoint_.notify("build/initialized", Json::object());
      ask("workspace/buildTargets", nullptr, [this](const Json& answer) { choose(answer); });
    });
    clock_.set(asked_.greeting, [this] {
      endpoint_.post([this] {
        finish(End::Lost, "the build server does not answer: it has not said who it is within " +
                              std::to_string(asked_.greeting.count()) + " s");
        endpoint_.end(1);
      });
    });
  }

  void choose(const Json& answer) {
    std::vector<bsp::Target> all;
    text::check_count("targets", answer.at("targets"), kMostTargets);
    for (const Json& target : answer.at("targets")) all.push_back(target.get<bsp::Target>());
    const bool files = std::ranges::any_of(asked_.targets, [](const std::string& path) {
      std::error_code ec;
      return std::filesystem::is_regular_file(path, ec);
    });
    if (all.empty() && !files) return leave(End::Refused, "there is no tile script in " + asked_.root);
    std::vector<std::string> part_of;  // targets of which only a folder is wanted
    for (const std::string& path : asked_.targets) {
      const std::size_t before = chosen_.size();
      for (const bsp::Target& target : all) {
        const std::string own = protocol::path_of(target.uri);
        if (own == path || is_below(own, path)) add(target.uri);
      }
      if (chosen_.size() > before) continue;
      const auto around =
          std::ranges::find_if(all, [&](const bsp::Target& t) { return is_below(path, protocol::path_of(t.uri)); });
      std::error_code ec;
      if (std::filesystem::is_directory(path, ec) && around != all.end())
        part_of.push_back(around->uri);
      else
        files_.push_back(path);  // a script of a folder's target, or no tile script at all
    }
    if (asked_.targets.empty())
      for (const bsp::Target& target : all) add(target.uri);
    if (part_of.empty()) return ask_about_files();
    ask("buildTarget/sources", bsp::BuildParams{{part_of}, {}, {}}, [this](const Json& sources) {
      for (const Json& item : sources.at("items"))
        for (const Json& source : item.at("sources")) {
          const std::string path = protocol::path_of(source.at("uri").get<std::string>());
          if (std::ranges::any_of(asked_.targets, [&](const std::string& folder) { return is_below(path, folder); }))
            add(protocol::uri_of(path));
        }
      if (chosen_.empty() && files_.empty())
        return leave(End::Refused, "there is no tile script in " + asked_.targets.front());
      ask_about_files();
    });
  }
  // One after the other: whose scripts they are.
  void ask_about_files() {
    if (files_.empty()) return chosen_.empty() ? leave(End::Done, {}) : compile();
    const std::string path = files_.back();
    files_.pop_back();
    ask("buildTarget/inverseSources", {{"textDocument", {{"uri", protocol::uri_of(path)}}}},
        [this, path](const Json& answer) {
          if (answer.at("targets").empty())
            out_.passed_over.push_back(path);
          else
            add(protocol::uri_of(path));
          ask_about_files();
        });
  }
  void add(const std::string& uri) {
    if (known_.insert(uri).second) chosen_.push_back(uri);
  }

  void compile() {
    if (!asked_.compile) return test();
    compiling_ = true;
    targets_ = chosen_.size();
    ask("buildTarget/compile", bsp::BuildParams{{chosen_}, "tilewright-build", asked_.compiling},
        [this](const Json& answer) {
          compiling_ = false;
          const auto result = answer.get<bsp::BuildResult>();
          if (result.status == bsp::Status::Cancelled)
            return leave(End::Lost, "the build server has stopped the build");
          if (result.data_kind != bsp::kCompileKind)
            return leave(End::Refused, "this build server says nothing of kernels: it is none of tilewright's");
          text::check_count("scripts", result.data.at("scripts"), kMostTargets);
          result.data.at("scripts").get_to(out_.scripts);
          test();
        });
  }

  void test() {
    if (!asked_.testing) return leave(End::Done, {});
    ask("buildTarget/test", bsp::BuildParams{{chosen_}, "tilewright-test", *asked_.testing},
        [this](const Json& answer) {
          const auto result = answer.get<bsp::BuildResult>();
          if (result.status == bsp::Status::Cancelled)
            return leave(End::Lost, "the build server has stopped the tests");
          out_.tests_failed = result.status == bsp::Status::Error;
          if (result.data_kind == bsp::kTestKind) {
            text::check_count("runs", result.data.at("runs"), kMostTargets);
            result.data.at("runs").get_to(out_.tests);
          }
          leave(End::Done, {});
        });
  }

  void cancel() {
    if (cancelled_ || leaving_) return;
    cancelled_ = true;
    if (in_flight_.empty()) return leave(End::Cancelled, {});
    endpoint_.notify("$/cancelRequest", {{"id", in_flight_}});
    clock_.set(kFarewell, [this] {
      endpoint_.post([this] {
        finish(End::Cancelled, {});
        endpoint_.end(1);
      });
    });
  }

  // The first end counts.
  void finish(End end, std::string why) {
    if (finished_) return;
    finished_ = true;
    out_.end = cancelled_ ? End::Cancelled : end;
    out_.why = std::move(why);
  }
  // As the protocol has it; a server that does not go is left.
  void leave(End end, std::string why) {
    if (leaving_) return;
    finish(end, std::move(why));
    leaving_ = true;
    endpoint_.call("build/shutdown", nullptr, [this](const Answer&, const std::string&) {
      endpoint_.notify("build/exit", nullptr);
      endpoint_.end(0);
    });
    clock_.set(kFarewell, [this] { endpoint_.post([this] { endpoint_.end(0); }); });
  }

  const std::unique_ptr<transport::Connection> connection_;
  const std::string token_;
  const Asked& asked_;
  const Watcher& watcher_;
  endpoint::Endpoint endpoint_;
  Outcome out_;
  std::map<std::string, std::vector<std::size_t>> of_file_;  // which findings are told of a file
  std::vector<std::string> chosen_;                          // URIs of targets
  std::vector<std::string> files_;                           // that were named and are no targets
  std::set<std::string> known_;
  std::size_t targets_ = 0, targets_done_ = 0;
  std::string in_flight_;                        // the id of what is asked
  std::chrono::steady_clock::time_point heard_;  // when the server said something last
  std::size_t kept_bytes_ = 0;                   // of findings and problems
  bool compiling_ = false, cancelled_ = false, finished_ = false, leaving_ = false;
  Clock clock_;  // last: ends first
};

}  // namespace

Outcome build(remote::Reached reached, const Asked& asked, const Watcher& watcher, const std::stop_token& stop) {
  return Client(std::move(reached), asked, watcher).run(stop);
}

}  // namespace tilewright::ci
