// How long after a keystroke its diagnostics arrive, measured from outside: a replay of edits through the real server
// over pipes, each waiting for the diagnostics of its own version.
//
//   lsp_bench SERVER SCRIPT [EDITS 5000] [SEED 1] [--idle|--busy]
//
// Twice: with NVIDIA's tools at rest, and with NVRTC compiling all the time: a second document has an open view of its
// PTX, and is changed as soon as that view is there. --idle and --busy leave the other out.
//
// Half of the edits change numbers inside kernels, 15 % add and remove lines above kernels, 15 % change helpers that
// several kernels use (functions and constants before the first kernel), 10 % break the syntax and fix it again, 10 %
// are comments. Then 2,000 hovers over names anywhere in the script, and completions of a line that was typed that
// moment: behind `T.`, `Tx.`, `T.ptx.` and among the arguments of a call, 250 of each. Prints p50, p99 and the largest
// time for each kind and for all, the time from starting the server to its first diagnostics, and resident memory:
// medians over 200 edits around edit 1,000 and at the end.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <sstream>

#include "compiler/text/source.h"
#include "protocol/frame.h"
#include "protocol/lsp.h"

using namespace tilewright;
using Clock = std::chrono::steady_clock;
using protocol::Json;

namespace {

class Client {
 public:
  // `cache`: the folder of the toolchain's cache.
  Client(const char* server, const std::string& cache) {
    int in[2], out[2];
    if (::pipe(in) != 0 || ::pipe(out) != 0) std::exit(2);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(in[0], 0);
      ::dup2(out[1], 1);
      for (int fd : {in[0], in[1], out[0], out[1]}) ::close(fd);
      ::setenv("XDG_CACHE_HOME", cache.c_str(), 1);
      ::execl(server, server, "lsp", nullptr);
      ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    to_ = in[1];
    from_ = out[0];
  }

  void send(const std::string& body) {
    std::string frame = protocol::framed(body);
    for (std::size_t done = 0; done < frame.size();) {
      ssize_t n = ::write(to_, frame.data() + done, frame.size() - done);
      if (n <= 0) fail("cannot write to the server");
      done += static_cast<std::size_t>(n);
    }
  }
  protocol::Message receive() {
    for (;;) {
      if (auto frame = frames_.next()) {
        protocol::Message m = protocol::parse_message(frame->text);
        if (observe) observe(m);
        return m;
      }
      char buffer[1 << 16];
      ssize_t n = ::read(from_, buffer, sizeof buffer);
      if (n <= 0) fail("the server is gone");
      frames_.feed({buffer, static_cast<std::size_t>(n)});
    }
  }
  // Sees every message that is read, before the thread that waits for it does.
  std::function<void(const protocol::Message&)> observe;

  // Diagnostics of this version; how many.
  std::size_t diagnostics(const std::string& uri, std::int64_t version) {
    for (;;) {
      protocol::Message m = receive();
      if (m.method == "textDocument/publishDiagnostics" && m.params.value("version", -1) == version &&
          m.params.value("uri", std::string()) == uri) {
        return m.params["diagnostics"].size();
      }
    }
  }
  void answer_of(std::int64_t id) {
    for (;;) {
      protocol::Message m = receive();
      if (m.kind == protocol::Message::Kind::Response && m.id == protocol::Id(id)) return;
    }
  }
  long resident_kb() const {
    std::ifstream in("/proc/" + std::to_string(pid_) + "/statm");
    long size = 0, resident = 0;
    in >> size >> resident;
    return resident * 4;
  }
  // Processor time that the server took so far, in milliseconds: what other work on the machine does not change.
  double processor_ms() const {
    std::ifstream in("/proc/" + std::to_string(pid_) + "/stat");
    std::string text((std::istreambuf_iterator<char>(in)), {});
    std::istringstream rest(text.substr(text.rfind(')') + 2));
    std::string skip;
    double user = 0, system = 0;
    for (int i = 0; i < 11; ++i) rest >> skip;
    rest >> user >> system;
    return (user + system) * 1000.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));
  }
  int wait() {
    ::close(to_);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  }
  [[noreturn]] static void fail(const char* why) {
    std::fprintf(stderr, "lsp_bench: %s\n", why);
    std::exit(1);
  }

 private:
  pid_t pid_;
  int to_, from_;
  protocol::FrameReader frames_;
};

enum class Kind { Kernel, Lines, Helper, Syntax, Comment };
constexpr const char* kNames[] = {"inside kernels", "lines above", "helpers", "syntax", "comments"};

struct Edit {
  std::uint32_t begin = 0, end = 0;
  std::string text;
};

// What is typed: each edit is undone by the next of its kind, so that the script stays what it is.
class Typist {
 public:
  Typist(std::string text, unsigned seed) : text_(std::move(text)), random_(seed) {
    for (const char* mark : {"@T.prim_func", "@T.jit"}) {
      if (first_kernel_ = text_.find(mark), mark_ = mark; first_kernel_ != std::string::npos) return;
    }
    first_kernel_ = 0;
  }

  std::pair<Kind, Edit> next() {
    int roll = static_cast<int>(random_() % 100);
    Kind kind = roll < 50   ? Kind::Kernel
                : roll < 65 ? Kind::Lines
                : roll < 80 ? Kind::Helper
                : roll < 90 ? Kind::Syntax
                            : Kind::Comment;
    if (kind != Kind::Syntax && undo_.contains(Kind::Syntax)) kind = Kind::Syntax;  // no user leaves that open for long
    if (auto it = undo_.find(kind); it != undo_.end()) {
      std::string find = it->second.first, by = it->second.second;
      undo_.erase(it);
      std::size_t at = text_.find(find);
      if (at != std::string::npos)
        return {kind, {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + find.size()), by}};
    }
    switch (kind) {
      case Kind::Kernel: return {kind, number(text_.find("device_entry", kernel()))};
      case Kind::Helper: return {kind, number(random_() % first_kernel_)};
      case Kind::Lines: {
        std::size_t at = kernel();
        undo_[kind] = {"\n#\n@T", "\n@T"};
        return {kind, {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at), "#\n"}};
      }
      case Kind::Comment: {
        std::size_t at = text_.find('\n', kernel() + 100);
        undo_[kind] = {"  # typed", ""};
        return {kind, {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at), "  # typed"}};
      }
      case Kind::Syntax: {
        std::size_t at = text_.find('(', text_.find("device_entry", kernel()));
        static const char* const kBroken[] = {"((((@", "([[ )@", "(\"@", "(:@"};
        std::string typed = kBroken[random_() % 4];
        undo_[kind] = {typed, "("};
        return {kind, {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + 1), typed}};
      }
    }
    return {kind, {}};
  }
  void apply(const Edit& e) { text_.replace(e.begin, e.end - e.begin, e.text); }
  const std::string& text() const { return text_; }

 private:
  std::size_t kernel() {
    std::size_t at = text_.find("\n" + mark_, first_kernel_ + random_() % (text_.size() - first_kernel_));
    return at == std::string::npos ? text_.find(mark_) : at + 1;
  }
  // Another last digit for a number of several digits, or another small number, at or after `from`.
  Edit number(std::size_t from) {
    for (std::size_t at = from; at + 1 < text_.size(); ++at) {
      bool starts =
          std::isdigit(static_cast<unsigned char>(text_[at])) && (text_[at - 1] == ' ' || text_[at - 1] == '(');
      if (!starts || text_[at] == '0' || std::isalnum(static_cast<unsigned char>(text_[at + 1]))) continue;
      char to = static_cast<char>('1' + random_() % 9);
      return {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + 1), std::string(1, to)};
    }
    return {0, 0, "#\n"};
  }

  std::string text_;
  std::mt19937 random_;
  std::size_t first_kernel_ = 0;
  std::string mark_;  // what a kernel begins with
  std::map<Kind, std::pair<std::string, std::string>> undo_;
};

double percentile(std::vector<double> v, double p) {
  if (v.empty()) return 0;
  std::sort(v.begin(), v.end());
  return v[std::min(v.size() - 1, static_cast<std::size_t>(p * static_cast<double>(v.size())))];
}

long median(std::vector<long> v) {
  if (v.empty()) return 0;
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

void print(const char* what, const char* unit, const std::vector<double>& v) {
  std::printf("  %-16s %5zu %-5s  p50 %6.2f ms  p99 %6.2f ms  max %6.2f ms\n", what, v.size(), unit, percentile(v, 0.5),
              percentile(v, 0.99), percentile(v, 1));
}

Json change_of(const text::Source& source, const Edit& edit) {
  text::LineColumn from = source.position(edit.begin, text::Encoding::Utf8),
                   to = source.position(edit.end, text::Encoding::Utf8);
  return {{"range", protocol::Range{{from.line, from.column}, {to.line, to.column}}}, {"text", edit.text}};
}

constexpr const char* kUri = "file:///tmp/lsp_bench/script.py";

std::string opened(const std::string& uri, const std::string& text) {
  return protocol::notification_text(
      "textDocument/didOpen",
      {{"textDocument", {{"uri", uri}, {"languageId", "python"}, {"version", 0}, {"text", text}}}});
}
std::string changed(const std::string& uri, std::int64_t version, Json change) {
  return protocol::notification_text("textDocument/didChange", {{"textDocument", {{"uri", uri}, {"version", version}}},
                                                                {"contentChanges", Json::array({std::move(change)})}});
}

// Keeps NVRTC at work: a document of one kernel whose PTX a user looks at, changed whenever it is there.
class Busy {
 public:
  explicit Busy(Client& client) : client_(client) {
    client_.send(opened(kBusyUri, text()));
    ask();
    client_.observe = [this](const protocol::Message& m) {
      if (m.method == "tilewright/viewChanged") return again();
      bool answer = m.kind == protocol::Message::Kind::Response && m.id == protocol::Id(std::int64_t{kId + asked_});
      if (!answer) return;
      std::string state = m.failed ? "failed" : m.result.value("state", std::string());
      if (state == "failed") missing_ = true;
      if (state == "ready") again();  // it was in the cache
    };
  }
  ~Busy() { client_.observe = nullptr; }
  std::size_t compiled() const { return compiled_; }
  bool missing() const { return missing_; }  // there is no NVRTC

 private:
  static constexpr const char* kBusyUri = "file:///tmp/lsp_bench/busy.py";
  static constexpr std::int64_t kId = 1'000'000;

  std::string text() const {
    return "from tvm.script import tirx as T\nfrom tvm.script.tirx import tile as Tx\n\n\n@T.prim_func\n"
           "def busy(a: T.handle):\n    A = T.match_buffer(a, (32, 64), \"float32\")\n    T.device_entry()\n"
           "    T.cta_id([1])\n    T.warp_id([1])\n    lane = T.lane_id([32])\n"
           "    tile = T.alloc_shared((32, 64), \"float32\")\n    Tx.warp.copy(tile[:, :], A[:, :])\n"
           "    A[lane, 1] = tile[lane, 0] + T.float32(" +
           std::to_string(version_) + ")\n";
  }
  void again() {
    ++compiled_;
    ++version_;
    client_.send(changed(kBusyUri, version_, {{"text", text()}}));
    ask();
  }
  void ask() {
    ++asked_;
    client_.send(protocol::request_text(std::int64_t{kId + asked_}, "tilewright/view",
                                        {{"textDocument", {{"uri", kBusyUri}}}, {"kind", "ptx"}}));
  }

  Client& client_;
  std::int64_t version_ = 0, asked_ = 0;
  std::size_t compiled_ = 0;
  bool missing_ = false;
};

// Completions of a line typed that moment below the first statement of a random kernel; the line goes away again.
std::map<std::string, std::vector<double>> completions(Client& client, const std::string& text, std::int64_t version) {
  static const std::pair<const char*, const char*> kTyped[] = {
      {"T.", "    T."},
      {"Tx.", "    Tx."},
      {"T.ptx.", "    T.ptx."},
      {"arguments", "    extra = T.alloc_buffer((4, 4), \"float16\", "},
  };
  std::map<std::string, std::vector<double>> times;
  std::mt19937 random(11);
  std::int64_t id = 10'000;
  for (int i = 0; i < 1000; ++i) {
    auto [name, line] = kTyped[i % 4];
    std::size_t at = text.find("device_entry", random() % text.size());
    if (at == std::string::npos) at = text.find("device_entry");
    if (at == std::string::npos) return times;
    at = text.find('\n', at) + 1;
    auto begin = static_cast<std::uint32_t>(at);
    std::string typed = std::string(line) + "\n", after = text;
    after.insert(at, typed);
    text::Source source("", text), with("", after);
    auto row = source.position(begin, text::Encoding::Utf8).line;
    client.send(changed(kUri, ++version, change_of(source, {begin, begin, typed})));
    auto sent = Clock::now();
    client.send(
        protocol::request_text(++id, "textDocument/completion",
                               {{"textDocument", {{"uri", kUri}}},
                                {"position", protocol::Position{row, static_cast<std::uint32_t>(typed.size() - 1)}}}));
    client.answer_of(id);
    times[name].push_back(std::chrono::duration<double, std::milli>(Clock::now() - sent).count());
    client.send(changed(kUri, ++version, change_of(with, {begin, static_cast<std::uint32_t>(at + typed.size()), ""})));
    client.diagnostics(kUri, version);
  }
  return times;
}

int replay(const char* server, const char* script, const std::string& text, int edits, unsigned seed, bool busy) {
  std::string cache = std::filesystem::temp_directory_path() / ("lsp_bench." + std::to_string(::getpid()));
  Typist typist(text, seed);
  const std::string uri = kUri;

  auto began = Clock::now();
  Client client(server, cache);
  Json capabilities{{"general", {{"positionEncodings", {"utf-8"}}}}};
  client.send(
      protocol::request_text(std::int64_t{1}, "initialize",
                             {{"processId", ::getpid()},
                              {"rootUri", nullptr},
                              {"capabilities", capabilities},
                              {"initializationOptions", {{"tilewright", {{"toolchain", {{"check", "off"}}}}}}}}));
  client.answer_of(1);
  client.send(protocol::notification_text("initialized", Json::object()));
  client.send(opened(uri, typist.text()));
  std::size_t found = client.diagnostics(uri, 0);
  double first = std::chrono::duration<double, std::milli>(Clock::now() - began).count();

  std::optional<Busy> at_work;
  if (busy) at_work.emplace(client);
  std::map<Kind, std::vector<double>> times;
  std::vector<double> all;
  std::vector<long> early, late;
  long start_kb = client.resident_kb();
  double start_ms = client.processor_ms();
  for (int i = 1; i <= edits; ++i) {
    auto [kind, edit] = typist.next();
    text::Source source("", typist.text());
    std::string message = changed(uri, i, change_of(source, edit));
    typist.apply(edit);
    auto sent = Clock::now();
    client.send(message);
    client.diagnostics(uri, i);
    double ms = std::chrono::duration<double, std::milli>(Clock::now() - sent).count();
    times[kind].push_back(ms);
    all.push_back(ms);
    if (i >= 900 && i < 1100) early.push_back(client.resident_kb());
    if (i > edits - 200) late.push_back(client.resident_kb());
  }
  double spent = client.processor_ms() - start_ms;
  // Hovers over names anywhere in the script, each waiting for its answer.
  std::vector<double> hovers;
  text::Source final_text("", typist.text());
  std::mt19937 random(7);
  double hover_start_ms = client.processor_ms();
  for (int i = 0; i < 2000; ++i) {
    auto at = static_cast<std::uint32_t>(random() % final_text.size());
    while (at + 1 < final_text.size() && !std::isalpha(static_cast<unsigned char>(final_text.text()[at]))) ++at;
    text::LineColumn place = final_text.position(at, text::Encoding::Utf8);
    std::int64_t id = 1000 + i;
    std::string message = protocol::request_text(
        id, "textDocument/hover",
        {{"textDocument", {{"uri", uri}}}, {"position", protocol::Position{place.line, place.column}}});
    auto sent = Clock::now();
    client.send(message);
    client.answer_of(id);
    hovers.push_back(std::chrono::duration<double, std::milli>(Clock::now() - sent).count());
  }
  double hover_spent = client.processor_ms() - hover_start_ms;
  auto completed = completions(client, typist.text(), edits);
  std::size_t compiled = at_work ? at_work->compiled() : 0;
  bool missing = at_work && at_work->missing();
  at_work.reset();
  client.send(protocol::request_text(std::int64_t{2}, "shutdown", nullptr));
  client.answer_of(2);
  client.send(protocol::notification_text("exit", nullptr));
  int status = client.wait();

  std::error_code ec;
  std::filesystem::remove_all(cache, ec);

  std::printf("%s: %zu bytes, %zu diagnostics at first, %d edits, exit %d\n", script, typist.text().size(), found,
              edits, status);
  if (busy && missing) std::printf("  NVRTC is missing: nothing was compiled meanwhile\n");
  if (busy && !missing) std::printf("  NVRTC at work all the time: %zu kernels compiled meanwhile\n", compiled);
  std::printf("  start to first diagnostics %.1f ms, %.1f ms processor time\n", first, start_ms);
  std::printf("  processor time of the server: %.2f ms an edit\n", spent / std::max(edits, 1));
  for (auto& [kind, v] : times) print(kNames[static_cast<int>(kind)], "edits", v);
  print("all", "edits", all);
  print("hover", "asked", hovers);
  std::printf("  processor time of the server: %.2f ms a hover\n", hover_spent / static_cast<double>(hovers.size()));
  std::vector<double> all_completions;
  for (auto& [name, v] : completed) {
    print(("complete " + name).c_str(), "asked", v);
    all_completions.insert(all_completions.end(), v.begin(), v.end());
  }
  print("complete, all", "asked", all_completions);
  std::printf("  resident %ld KB at start, %ld KB around edit 1,000, %ld KB at the end (%+.1f %%)\n", start_kb,
              median(early), median(late),
              early.empty()
                  ? 0.0
                  : 100.0 * static_cast<double>(median(late) - median(early)) / static_cast<double>(median(early)));
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  bool idle = true, busy = true;
  std::vector<const char*> words;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--idle") == 0) {
      busy = false;
    } else if (std::strcmp(argv[i], "--busy") == 0) {
      idle = false;
    } else {
      words.push_back(argv[i]);
    }
  }
  if (words.size() < 2) return std::fputs("usage: lsp_bench SERVER SCRIPT [EDITS] [SEED] [--idle|--busy]\n", stderr), 2;
  int edits = words.size() > 2 ? std::atoi(words[2]) : 5000;
  auto seed = words.size() > 3 ? static_cast<unsigned>(std::atoi(words[3])) : 1u;
  std::ifstream in(words[1]);
  std::stringstream read;
  read << in.rdbuf();
  int status = 0;
  if (idle) status |= replay(words[0], words[1], read.str(), edits, seed, false);
  if (busy) status |= replay(words[0], words[1], read.str(), edits, seed, true);
  return status;
}
