// A whole language server under several threads of messages: edits, requests and cancellations at once.
//
//   server_storm SCRIPT SECONDS SEED
//
// Two documents are edited at random, each by a thread of its own, while other threads ask, cancel, change settings and
// files, and send what is no message. Now and then an editor waits for the diagnostics of its last version and holds
// them against an analysis from scratch. At the end every request must have one answer. Exit status 1: a difference, an
// answer too many or too few; a thread that waits for longer than two minutes reports a hang, with the stacks of all
// threads.
#include <execinfo.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>

#include "server/ide/artifacts.h"
#include "server/lsp/published.h"
#include "server/lsp/server.h"
#include "server/project/files.h"
#include "tests/session/editor.h"

using namespace tilewright;
using protocol::Json;
using Clock = std::chrono::steady_clock;

namespace {

// Runaway loops of random edits end soon.
constexpr const char* kLimits = "dialect = \"0.25\"\n[limits]\nsteps = 100000\nmemory_mb = 64\n";

[[noreturn]] void fail(const std::string& why) {
  std::printf("%s\n", why.c_str());
  std::fflush(stdout);
  std::_Exit(1);
}

void print_stack(int) {
  void* frames[48];
  ::backtrace_symbols_fd(frames, ::backtrace(frames, 48), STDOUT_FILENO);
}

// Where each thread of the process is, one after the other.
[[noreturn]] void fail_with_stacks(const std::string& why) {
  std::signal(SIGUSR1, print_stack);
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::printf("thread %s\n", task.path().filename().c_str());
    std::fflush(stdout);
    ::syscall(SYS_tgkill, ::getpid(), std::atoi(task.path().filename().c_str()), SIGUSR1);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  fail(why);
}

constexpr std::int64_t kMostOpen = 500;  // requests

// The client's end: what is fed arrives at the server, what the server sends is kept.
class Wire final : public transport::Connection {
 public:
  void start(transport::Handler handler) override {
    std::lock_guard lock(in_);
    handler_ = std::move(handler);
    started_.notify_all();
  }
  void stop() override {
    std::lock_guard lock(in_);
    handler_ = {};
  }
  void drain(int) override {}
  bool watch_process(int, std::function<void()>) override { return true; }

  void feed(const std::string& bytes) {
    std::unique_lock lock(in_);
    started_.wait(lock, [&] { return running_ || handler_.received; });
    running_ = true;
    if (handler_.received) handler_.received(bytes);
  }

  void send(std::string bytes) override {
    std::lock_guard lock(out_);
    reader_.feed(bytes);
    while (auto frame = reader_.next()) {
      protocol::Message m = protocol::parse_message(frame->text);
      if (frame->malformed || m.kind == protocol::Message::Kind::Invalid)
        fail("the server sent no message: " + frame->text);
      if (m.kind == protocol::Message::Kind::Response) {
        ++answers_[protocol::id_key(m.id)];
        ++answered_;
      }
      if (m.method == "window/logMessage") {
        const auto& logged = m.params["message"].get_ref<const std::string&>();
        if (logged.find("could not be analysed") != std::string::npos) fail(logged);
      }
      if (m.method == "textDocument/publishDiagnostics" && m.params.contains("version")) {
        auto version = m.params["version"].get<std::int64_t>();
        auto& last = published_[m.params["uri"].get<std::string>()];
        if (version < last.first) fail("diagnostics went back to version " + std::to_string(version));
        last = {version, m.params["diagnostics"]};
      }
    }
    arrived_.notify_all();
  }

  Json diagnostics(const std::string& uri, std::int64_t version) {
    std::unique_lock lock(out_);
    if (!arrived_.wait_for(lock, std::chrono::minutes(2), [&] { return published_[uri].first >= version; })) {
      fail_with_stacks("no diagnostics of version " + std::to_string(version) + " of " + uri + " in two minutes");
    }
    return published_[uri].second;
  }
  // A client that never waits for answers would bury a slow server in requests.
  void wait_for_answers(std::int64_t asked) {
    std::unique_lock lock(out_);
    if (!arrived_.wait_for(lock, std::chrono::minutes(2), [&] { return asked - answered_ < kMostOpen; })) {
      fail_with_stacks(std::to_string(asked - answered_) + " requests without an answer for two minutes");
    }
  }

  // How many answers each of the ids 1 to `asked` has.
  void all_answered(std::int64_t asked) {
    std::unique_lock lock(out_);
    for (std::int64_t id = 1; id <= asked; ++id) {
      std::string key = protocol::id_key(id);
      if (!arrived_.wait_for(lock, std::chrono::minutes(2), [&] { return answers_[key] > 0; })) {
        fail_with_stacks("request " + key + " has no answer in two minutes");
      }
      if (answers_[key] != 1) fail("request " + key + " has " + std::to_string(answers_[key]) + " answers");
    }
  }

 private:
  std::mutex in_, out_;
  std::condition_variable started_, arrived_;
  bool running_ = false;
  transport::Handler handler_;
  protocol::FrameReader reader_;
  std::map<std::string, int> answers_;
  std::int64_t answered_ = 0;
  std::map<std::string, std::pair<std::int64_t, Json>> published_;
};

// No import is found in the server's folder either, but what is near to one is looked for there.
class NoImports final : public script::Loader {
 public:
  explicit NoImports(std::string folder) : folder_(std::move(folder)) {}
  std::shared_ptr<const syntax::Tree> load(std::string_view, int, std::string_view) override { return nullptr; }
  std::optional<std::vector<std::string>> beside(std::string_view module, int level,
                                                 std::string_view importer) override {
    return project::modules_beside(folder_, module, level, importer);
  }

 private:
  std::string folder_;
};

class Storm {
 public:
  Storm(std::string script, std::string folder, unsigned seed)
      : script_(std::move(script)), folder_(std::move(folder)), seed_(seed) {
    client_.encoding = text::Encoding::Utf8;
  }

  int run(int seconds) {
    end_ = Clock::now() + std::chrono::seconds(seconds);
    lsp::Server server(wire_);
    int status = -1;
    std::thread serving([&] { status = server.run(); });
    Json capabilities{{"general", {{"positionEncodings", {"utf-8"}}}}};
    ask("initialize", {{"processId", nullptr},
                       {"rootUri", "file://" + folder_},
                       {"capabilities", capabilities},
                       {"initializationOptions", {{"diagnostics", "both"}}}});
    tell("initialized", Json::object());
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 2; ++i) threads.emplace_back([this, i] { edit(i); });
    for (unsigned i = 0; i < 2; ++i) threads.emplace_back([this, i] { trouble(100 + i); });
    for (std::thread& t : threads) t.join();
    wire_.all_answered(asked_);
    ask("shutdown", nullptr);
    tell("exit", nullptr);
    serving.join();
    std::printf("seed %u: %d edits, %d comparisons, %lld requests: no difference; exit %d\n", seed_, edits_.load(),
                compared_.load(), static_cast<long long>(asked_), status);
    return status == 0 && compared_ > 0 ? 0 : 1;
  }

 private:
  std::string uri(unsigned document) const { return "file://" + folder_ + "/storm" + std::to_string(document) + ".py"; }
  bool over() const { return Clock::now() >= end_; }
  void tell(const char* method, const Json& params) {
    wire_.feed(protocol::framed(protocol::notification_text(method, params)));
  }
  std::int64_t ask(const char* method, const Json& params) {
    std::int64_t id = ++asked_;
    wire_.feed(protocol::framed(protocol::request_text(id, method, params)));
    return id;
  }

  void edit(unsigned document) {
    Editor editor(script_, seed_ * 2 + document);
    std::mt19937 random(seed_ * 7 + document);
    std::int64_t version = 1;
    auto open = [&] {
      tell("textDocument/didOpen",
           {{"textDocument",
             {{"uri", uri(document)}, {"languageId", "python"}, {"version", version}, {"text", editor.text()}}}});
    };
    open();
    while (!over()) {
      unsigned burst = 1 + random() % 12;
      for (unsigned i = 0; i < burst; ++i) {
        Change change = editor.next();
        text::Source before("", editor.text());
        auto from = before.position(change.begin, text::Encoding::Utf8),
             to = before.position(change.end, text::Encoding::Utf8);
        std::string wanted = editor.text();
        wanted.replace(change.begin, change.end - change.begin, change.text);
        editor.apply(change);
        Json one{{"range", protocol::Range{{from.line, from.column}, {to.line, to.column}}}, {"text", change.text}};
        // A position cannot stand between the two bytes of one end of a line: such an edit is told as a whole text.
        auto splits = [&](std::uint32_t at) {
          return before.offset(before.position(at, text::Encoding::Utf8), text::Encoding::Utf8) != at;
        };
        if (editor.text() != wanted || splits(change.begin) || splits(change.end)) one = {{"text", editor.text()}};
        tell("textDocument/didChange", {{"textDocument", {{"uri", uri(document)}, {"version", ++version}}},
                                        {"contentChanges", Json::array({one})}});
        ++edits_;
        if (random() % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
      }
      if (random() % 16 == 0) {
        tell("textDocument/didClose", {{"textDocument", {{"uri", uri(document)}}}});
        ++version;
        open();
      }
      compare(document, version, editor.text());
    }
  }

  void compare(unsigned document, std::int64_t version, const std::string& text) {
    Json now = Json::array();
    for (Json& d : wire_.diagnostics(uri(document), version)) {
      // What the simulator finds comes when it has looked.
      if (!d.at("code").get<std::string>().starts_with("TW50")) now.push_back(std::move(d));
    }
    auto settings = std::make_shared<session::Settings>();
    settings->limits.steps = 100'000;
    settings->limits.memory_bytes = 64u << 20;
    session::Session fresh([&](const std::string&) { return std::make_shared<NoImports>(folder_); });
    auto snapshot = fresh.open(uri(document).substr(7), text, version, settings);
    Json expected =
        lsp::published(ide::diagnostics(*snapshot, snapshot->analyse({}), &nothing_made_), *snapshot, client_);
    ++compared_;
    if (now == expected) return;
    fail("seed " + std::to_string(seed_) + ", version " + std::to_string(version) +
         ": the server differs\n--- script\n" + text + "\n--- server\n" + now.dump(1) + "\n--- from scratch\n" +
         expected.dump(1));
  }

  void trouble(unsigned number) {
    std::mt19937 random(seed_ * 31 + number);
    static const char* const kMethods[] = {"textDocument/diagnostic",
                                           "textDocument/hover",
                                           "textDocument/completion",
                                           "textDocument/definition",
                                           "textDocument/references",
                                           "textDocument/documentSymbol",
                                           "textDocument/inlayHint",
                                           "textDocument/codeAction",
                                           "textDocument/semanticTokens/full",
                                           "textDocument/foldingRange",
                                           "textDocument/signatureHelp",
                                           "textDocument/documentHighlight",
                                           "textDocument/selectionRange",
                                           "textDocument/codeLens",
                                           "workspace/symbol",
                                           "workspace/diagnostic",
                                           "$/tilewright/memory",
                                           "textDocument/nothing",
                                           "textDocument/rename",
                                           "textDocument/documentLink",
                                           "textDocument/linkedEditingRange",
                                           "textDocument/prepareCallHierarchy",
                                           "callHierarchy/incomingCalls",
                                           "callHierarchy/outgoingCalls"};
    while (!over()) {
      Json at{{"line", random() % 120}, {"character", random() % 60}};
      Json params{{"textDocument", {{"uri", uri(random() % 2)}}},
                  {"position", at},
                  {"positions", Json::array({at})},
                  {"range", {{"start", at}, {"end", {{"line", 2000}, {"character", 0}}}}},
                  {"context", {{"diagnostics", Json::array()}, {"includeDeclaration", true}}},
                  {"previousResultIds", Json::array()},
                  {"newName", "copy"},
                  {"item", {{"uri", uri(random() % 2)}, {"data", {{"name", random() % 2 ? "" : "kernel"}}}}},
                  {"query", "copy"}};
      wire_.wait_for_answers(asked_);
      std::int64_t id = ask(kMethods[random() % std::size(kMethods)], params);
      switch (random() % 24) {
        case 0:
        case 1:
        case 2:
        case 3: tell("$/cancelRequest", {{"id", id}}); break;
        case 4:
          tell("$/cancelRequest", {{"id", static_cast<std::int64_t>(1 + random() % static_cast<unsigned>(id))}});
          break;
        case 5:
          tell("workspace/didChangeConfiguration", {{"settings", {{"tilewright", {{"other", random() % 2}}}}}});
          break;
        case 6:
          tell("workspace/didChangeWatchedFiles",
               {{"changes", Json::array({{{"uri", "file://" + folder_ + "/other.py"}, {"type", 2}}})}});
          break;
        case 7: wire_.feed("Content-Length: oops\r\n\r\n"); break;
        case 8: wire_.feed(protocol::framed("{\"jsonrpc\":")); break;
        default: break;
      }
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 4000));
    }
  }

  std::string script_, folder_;
  unsigned seed_;
  lsp::Client client_;
  ide::Artifacts nothing_made_{{}, [](const std::string&) {}};
  Wire wire_;
  Clock::time_point end_;
  std::atomic<int> edits_{0}, compared_{0};
  std::atomic<std::int64_t> asked_{0};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return std::fputs("usage: server_storm SCRIPT SECONDS SEED\n", stderr), 2;
  std::ifstream in(argv[1]);
  std::stringstream read;
  read << in.rdbuf();
  if (!in || read.str().empty()) return std::fprintf(stderr, "cannot read %s\n", argv[1]), 2;
  char folder[] = "/tmp/server_storm_XXXXXX";
  if (!::mkdtemp(folder)) return std::fputs("cannot make a folder\n", stderr), 2;
  std::string settings = std::string(folder) + "/tilewright.toml";
  std::ofstream(settings) << kLimits;
  int status = Storm(read.str(), folder, static_cast<unsigned>(std::atoi(argv[3]))).run(std::atoi(argv[2]));
  ::unlink(settings.c_str());
  ::rmdir(folder);
  return status;
}
