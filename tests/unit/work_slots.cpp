// Executors for many runs at once, with executors of our own making.
#include <atomic>
#include <latch>
#include <map>
#include <thread>

#include "server/project/files.h"
#include "server/work/batch.h"
#include "server/work/memory_gate.h"
#include "server/work/slots.h"
#include "tests/unit/catch.h"
#include "tests/unit/scratch.h"

using namespace tilewright;
using work::Borrower;
using work::Slot;
using work::SlotPool;

namespace {

// What an executor of ours does, one answer after the other; the last for ever.
struct Part {
  std::string name = "pretended";
  bool cubins = false;
  std::vector<std::string> absent{};  // why it is not there, by the question; empty: it is
  std::vector<run::Status> answers{run::Status::Done};
};

// What it was asked, whatever becomes of it.
struct Record {
  std::atomic<int> asked = 0, executed = 0, at_once = 0, most_at_once = 0;
};

class Actor : public run::Executor {
 public:
  Actor(Part part, std::shared_ptr<Record> record) : part_(std::move(part)), record_(std::move(record)) {}
  bool runs_cubins() const override { return part_.cubins; }
  std::expected<run::DeviceInfo, std::string> device(const std::stop_token&) override {
    const auto time = static_cast<std::size_t>(record_->asked++);
    if (!part_.absent.empty()) {
      const std::string& why = part_.absent[std::min(time, part_.absent.size() - 1)];
      if (!why.empty()) return std::unexpected(why);
    }
    run::DeviceInfo info;
    info.name = part_.name;
    return info;
  }
  run::Outcome execute(const run::Bound&, const std::stop_token&) override {
    const auto time = static_cast<std::size_t>(record_->executed++);
    const int now = ++record_->at_once;
    for (int most = record_->most_at_once; now > most && !record_->most_at_once.compare_exchange_weak(most, now);) {
    }
    run::Outcome out;
    out.status = part_.answers[std::min(time, part_.answers.size() - 1)];
    if (out.status != run::Status::Done) out.message = "it broke";
    std::this_thread::yield();
    --record_->at_once;
    return out;
  }

 private:
  Part part_;
  std::shared_ptr<Record> record_;
};

struct Stage {
  std::vector<std::shared_ptr<Record>> records;
  std::unique_ptr<SlotPool> pool;
  explicit Stage(const std::vector<Part>& parts) {
    std::vector<Slot> slots;
    for (const Part& part : parts) {
      records.push_back(std::make_shared<Record>());
      slots.push_back({"slot " + std::to_string(slots.size()), std::make_unique<Actor>(part, records.back())});
    }
    pool = std::make_unique<SlotPool>(std::move(slots), std::chrono::milliseconds(0));
  }
};

}  // namespace

TEST_CASE("slots: one run at a time on each, all of them used, nothing lost") {
  Stage stage({{}, {}, {}});
  constexpr int kThreads = 8, kRuns = 200;
  std::atomic<int> done = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        for (int r = 0; r < kRuns; ++r) {
          Borrower borrower(*stage.pool);
          if (borrower.device({}) && borrower.execute({}, {}).status == run::Status::Done) ++done;
        }
      });
    }
  }
  CHECK(done == kThreads * kRuns);
  int executed = 0;
  for (const auto& r : stage.records) {
    CHECK(r->most_at_once <= 1);
    CHECK(r->asked <= 1);
    executed += r->executed;
  }
  CHECK(executed == kThreads * kRuns);
}

TEST_CASE("slots: what a slot loses is tried again, elsewhere or there") {
  Stage stage({{.answers = {run::Status::Lost, run::Status::Done}}});
  Borrower borrower(*stage.pool);
  CHECK(borrower.execute({}, {}).status == run::Status::Done);
  CHECK(borrower.attempts() == 2);
  REQUIRE(borrower.lost().size() == 1);
  CHECK(borrower.lost()[0] == "slot 0: it broke");
  CHECK(stage.records[0]->asked == 2);  // it had to say again that it is there
  CHECK_FALSE(stage.pool->stranded());
}

TEST_CASE("slots: a run that every slot loses ends, and the next one runs") {
  using enum run::Status;
  Stage stage({{.answers = {Lost, Lost, Lost, Done}}});
  Borrower bad(*stage.pool), good(*stage.pool);
  const run::Outcome out = bad.execute({}, {});
  CHECK(out.status == Lost);
  CHECK(out.message == "it broke (tried 3 times)");
  CHECK(good.execute({}, {}).status == Done);
}

TEST_CASE("slots: one that is not there is left out, the others go on") {
  Stage stage({{.absent = {"no driver"}}, {}, {.absent = {"", "unplugged"}, .answers = {run::Status::Lost}}});
  for (int i = 0; i < 6; ++i) {
    Borrower borrower(*stage.pool);
    CHECK(borrower.execute({}, {}).status == run::Status::Done);
    CHECK(borrower.where() == "slot 1");
  }
  CHECK(stage.records[2]->executed <= 1);
  CHECK(stage.pool->left_out().front() == "slot 0: no driver");
  CHECK_FALSE(stage.pool->stranded());
}

TEST_CASE("slots: where none is left, every reason is told once") {
  Stage stage({{.absent = {"no driver"}}, {.absent = {"no driver"}}, {.absent = {"no key"}}});
  Borrower borrower(*stage.pool);
  auto device = borrower.device({});
  REQUIRE_FALSE(device);
  CHECK(device.error() == "no driver; no key");
  CHECK(stage.pool->stranded() == "no driver; no key");
  CHECK(borrower.execute({}, {}).status == run::Status::NoDriver);
}

TEST_CASE("slots: a run stays with the kind that its kernels are compiled for") {
  Stage stage({{.name = "old", .cubins = true}, {.name = "new", .cubins = true}, {.name = "new", .cubins = true}});
  std::map<std::string, std::vector<std::string>> places;
  std::vector<std::unique_ptr<Borrower>> borrowers;
  for (int i = 0; i < 12; ++i) {
    borrowers.push_back(std::make_unique<Borrower>(*stage.pool));
    borrowers.back()->device({});
  }
  for (int r = 0; r < 4; ++r) {
    for (const auto& borrower : borrowers) {
      borrower->execute({}, {});
      places[borrower->device({})->name].push_back(borrower->where());
    }
  }
  CHECK(places["old"].size() == 4 * 4);  // as many for each slot
  CHECK(places["new"].size() == 8 * 4);
  for (const std::string& where : places["old"]) CHECK(where == "slot 0");
  for (const std::string& where : places["new"]) CHECK(where != "slot 0");
}

TEST_CASE("slots: what one run does not need is not started") {
  Stage stage({{}, {}, {}});
  for (int i = 0; i < 5; ++i) CHECK(Borrower(*stage.pool).execute({}, {}).status == run::Status::Done);
  CHECK(stage.records[0]->executed == 5);
  CHECK(stage.records[1]->asked == 0);
  Borrower first(*stage.pool), second(*stage.pool);
  CHECK(first.device({}));
  CHECK(second.device({}));
  CHECK(stage.records[1]->asked == 1);
  CHECK(stage.records[2]->asked == 0);
}

TEST_CASE("slots: one that comes back soon is waited for") {
  Stage stage({{.absent = {"", "rebooting", "rebooting", ""}, .answers = {run::Status::Lost, run::Status::Done}}});
  Borrower borrower(*stage.pool);
  CHECK(borrower.execute({}, {}).status == run::Status::Done);
  CHECK(stage.records[0]->asked == 4);
}

TEST_CASE("slots: where the only ones of a kind are gone, others are asked") {
  Stage stage({{.absent = {"", "unplugged"}, .answers = {run::Status::Lost}}, {}});
  Borrower borrower(*stage.pool);
  CHECK(borrower.execute({}, {}).status == run::Status::Done);
  CHECK(borrower.where() == "slot 1");
}

TEST_CASE("slots: who waits for one is woken by a stop") {
  Stage stage({Part{}});
  std::stop_source stop;
  std::latch holding(1);
  struct Holder : run::Executor {
    std::latch& holding;
    explicit Holder(std::latch& l) : holding(l) {}
    std::expected<run::DeviceInfo, std::string> device(const std::stop_token&) override { return run::DeviceInfo(); }
    run::Outcome execute(const run::Bound&, const std::stop_token& token) override {
      holding.count_down();
      std::atomic<bool> over = false;
      std::stop_callback wake(token, [&] {
        over = true;
        over.notify_all();
      });
      over.wait(false);
      run::Outcome out;
      out.status = run::Status::Stopped;
      return out;
    }
  };
  std::vector<Slot> slots;
  slots.push_back({"held", std::make_unique<Holder>(holding)});
  SlotPool pool(std::move(slots));
  std::vector<run::Status> ends(2);
  {
    std::jthread first([&] { ends[0] = Borrower(pool).execute({}, stop.get_token()).status; });
    holding.wait();
    std::jthread second([&] { ends[1] = Borrower(pool).execute({}, stop.get_token()).status; });
    stop.request_stop();
  }
  CHECK(ends[0] == run::Status::Stopped);
  CHECK(ends[1] == run::Status::Stopped);
}

TEST_CASE("memory gate: together they stay below the limit, and one that is alone may pass it") {
  work::MemoryGate gate(100);
  std::atomic<std::int64_t> taken = 0, most = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, bytes = std::int64_t{30} + i] {
        for (int r = 0; r < 100; ++r) {
          auto inside = gate.enter(bytes, {});
          const std::int64_t now = taken += bytes;
          for (std::int64_t seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
          }
          taken -= bytes;
        }
      });
    }
  }
  CHECK(most <= 100);
  auto alone = gate.enter(500, {});
  std::stop_source stop;
  stop.request_stop();
  CHECK(gate.enter(1, stop.get_token()));  // at once: one that stopped does not take it
}

namespace {

constexpr std::string_view kKernels = R"(from tvm.script import tirx as T

def make(n):
    @T.prim_func
    def kernel(A: T.Buffer((n,), "float32")):
        T.device_entry()
        t = T.thread_id([n])
        A[t] = 1.0
    return kernel

CONFIGS = [{"n": n} for n in (32, 64, 96, 128)]
def get_kernel(n):
    return make(n)
)";

struct Played {
  std::mutex mutex;
  std::map<std::string, int> ran;
  std::vector<work::BatchRun> runs;
  work::Batch::Sink sink() {
    work::Batch::Sink out;
    out.opened = [](std::size_t, const std::vector<std::string>&) {};
    out.ran = [this](work::BatchRun run) {
      std::lock_guard lock(mutex);
      ++ran[run.path + " " + run.entry];
      runs.push_back(std::move(run));
    };
    return out;
  }
};

std::vector<std::string> scripts_in(const testing::Scratch& scratch, int count) {
  std::vector<std::string> files;
  for (int i = 0; i < count; ++i) {
    files.push_back((scratch.path() / ("k" + std::to_string(i) + ".py")).string());
    REQUIRE(project::write_file(files.back(), kKernels));
  }
  return files;
}

void work_on(work::Batch& batch, int threads) {
  std::vector<std::jthread> all;
  for (int i = 0; i < threads; ++i) all.emplace_back([&] { batch.work(); });
}

}  // namespace

TEST_CASE("batch: every entry of every script once, whichever slot loses runs on the way") {
  using enum run::Status;
  testing::Scratch scratch;
  const auto files = scripts_in(scratch, 6);
  Stage stage({{.answers = {Incomplete, Lost, Incomplete, Lost, Incomplete}}, {.answers = {Lost, Incomplete}}});
  Played played;
  work::Batch batch({files, {}, {}, {}}, *stage.pool, played.sink(), {});
  work_on(batch, 5);
  CHECK(played.ran.size() == 24);
  for (const auto& [name, times] : played.ran) CHECK(times == 1);
  for (const work::BatchRun& r : played.runs) CHECK(r.answer.report.outcome.status == Incomplete);
  CHECK(batch.left().empty());
  const auto state = batch.state();
  CHECK(state.done == 24);
  CHECK(state.opened == 6);
  CHECK(state.running.empty());
}

TEST_CASE("batch: when nothing is left to run on it ends, and knows what was not run") {
  using enum run::Status;
  testing::Scratch scratch;
  const auto files = scripts_in(scratch, 50);
  Stage stage({{.absent = {"", "unplugged"}, .answers = {Incomplete, Incomplete, Incomplete, Lost}}});
  Played played;
  work::Batch batch({files, {}, {}, {}}, *stage.pool, played.sink(), {});
  work_on(batch, 3);
  CHECK(played.runs.size() == 3);
  CHECK(batch.state().stranded == "unplugged");
  std::size_t unopened = 0, named = 0;
  for (const work::Batch::Left& left : batch.left()) (left.entry.empty() ? unopened : named) += 1;
  CHECK(named + 3 == batch.state().opened * 4);
  CHECK(unopened == 50 - batch.state().opened);
  CHECK(unopened > 40);  // scripts are opened when their turn comes
}

TEST_CASE("batch: stopped, it begins nothing more") {
  testing::Scratch scratch;
  const auto files = scripts_in(scratch, 3);
  Stage stage({{.answers = {run::Status::Incomplete}}});
  std::stop_source stop;
  Played played;
  auto sink = played.sink();
  sink.ran = [&](const work::BatchRun&) { stop.request_stop(); };
  work::Batch batch({files, {}, {}, {}}, *stage.pool, sink, stop.get_token());
  work_on(batch, 1);
  CHECK(batch.state().done == 1);
  CHECK(batch.left().size() == 3 + 2);  // entries of the first script, and the other scripts
}
