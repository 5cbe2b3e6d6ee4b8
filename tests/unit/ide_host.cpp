// Open documents without a protocol: a second speaker over ide::Host.
#include <condition_variable>
#include <deque>
#include <mutex>

#include "server/ide/host.h"
#include "server/ide/outline.h"
#include "tests/unit/catch.h"

using namespace tilewright;
using namespace std::chrono_literals;

namespace {

constexpr const char* kFine = R"(from tvm.script import tirx as T


@T.prim_func
def kernel():
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
)";
const std::string kBroken = std::string(kFine) + "    T.no_such_function()\n";

// Keeps what it is told. The test's thread is the main one.
class Speaker final : public ide::HostEvents {
 public:
  explicit Speaker(bool asks = false) : asks_(asks) {}
  ~Speaker() override { host.end(); }

  // Serves the main thread until `done` holds.
  template <class Done>
  void serve(Done done) {
    std::unique_lock lock(mutex_);
    const auto end = std::chrono::steady_clock::now() + 60s;
    while (!done()) {
      REQUIRE(changed_.wait_until(lock, end, [&] { return !tasks_.empty() || done(); }));
      if (tasks_.empty()) continue;
      auto task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      lock.lock();
    }
  }
  void note(const std::string& line) {
    std::lock_guard lock(mutex_);
    said.push_back(line);
    changed_.notify_all();
  }
  bool has_said(std::string_view line) const { return std::ranges::find(said, line) != said.end(); }

  void post(std::function<void()> task) override {
    std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    changed_.notify_all();
  }
  void analysed(const session::Snapshot& snapshot, const session::Analysis&) override {
    note("analysed " + std::to_string(snapshot.version()));
  }
  ide::Publisher publisher(const ide::Script& script) override {
    ide::Publisher out;
    if (!asks_)
      out.findings = [this, script](const ide::Diagnostics& found) -> std::function<void()> {
        std::string line = std::to_string(script->version()) + ":";
        for (const ide::Diagnostic& d : found.list) line += " " + std::string(d.said->code);
        return [this, line] { note(line); };
      };
    out.failure = [](const std::exception&) { return std::function<void()>(); };
    return out;
  }
  bool shows(const std::string&) override { return asks_; }
  void superseded(const std::string& path) override { note("superseded " + path); }
  void surroundings_changed(const std::string& path) override { note("surroundings of " + path); }
  void withdrawn(const std::string& path) override { note("withdrawn " + path); }
  void settings_problem(const std::string& problem) override { note(problem); }
  void tools_health(const std::string&) override {}
  void found(const std::string&) override {}
  void findings_changed() override {}
  void lenses_changed() override {}

  std::vector<std::string> said;

 private:
  const bool asks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;

 public:
  ide::Host host{*this, pool_};

 private:
  ide::Pool pool_{2};
};

// Nothing is made of kernels in the background.
ide::Preferences quiet() {
  ide::Preferences out;
  out.toolchain = "off";
  out.simulate = false;
  return out;
}

text::Edit all_of(const std::string& before, const std::string& after) {
  return {0, static_cast<std::uint32_t>(before.size()), static_cast<std::uint32_t>(after.size())};
}

}  // namespace

TEST_CASE("a speaker without a protocol publishes the findings of each text") {
  Speaker s;
  s.host.configure({}, quiet());
  s.host.open("untitled:1", kBroken, 1);
  s.serve([&] { return std::ranges::any_of(s.said, [](const std::string& l) { return l.starts_with("1: TW"); }); });
  auto source = std::make_shared<const text::Source>("untitled:1", kFine);
  s.host.change("untitled:1", source, all_of(kBroken, kFine), 2);
  s.serve([&] { return s.has_said("2:") && s.has_said("analysed 2"); });
  CHECK(std::ranges::count(s.said, "superseded untitled:1") == 2);
  REQUIRE(s.host.find("untitled:1"));
  CHECK(s.host.find("untitled:1")->source().text() == kFine);

  ide::Query query;
  s.host.prepare(query, "untitled:1");
  CHECK(query.snapshot == s.host.find("untitled:1"));
  CHECK(query.open.size() == 1);

  s.host.refresh_all();
  s.serve([&] { return std::ranges::count(s.said, "2:") == 2; });
  CHECK(s.has_said("surroundings of untitled:1"));

  s.host.close("untitled:1");
  CHECK(s.has_said("withdrawn untitled:1"));
  CHECK(s.host.all().empty());
}

TEST_CASE("nothing is published to a client that asks, and what it shows is kept up to date") {
  Speaker s(true);
  s.host.configure({}, quiet());
  s.host.open("untitled:1", kFine, 5);
  s.serve([&] { return s.has_said("analysed 5"); });
  CHECK_FALSE(s.has_said("5:"));
}
