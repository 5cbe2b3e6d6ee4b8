// What an edit costs: how many kernels are evaluated again.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "compiler/session/session.h"
#include "tests/unit/catch.h"

using namespace tilewright;

namespace {

constexpr const char* kScript = R"(from tvm.script import tirx as T

SIZE = 4
OTHER = 8


def scale(x):
    return x * SIZE


@T.prim_func
def first(a: T.handle):
    A = T.match_buffer(a, (32, 32), "float16")
    T.device_entry()
    T.cta_id([1])
    T.warp_id([1])
    lane = T.lane_id([32])
    A[lane, scale(1)] = A[lane, 0]


@T.prim_func
def second(a: T.handle):
    A = T.match_buffer(a, (32, 32), "float16")
    T.device_entry()
    T.cta_id([1])
    T.warp_id([1])
    lane = T.lane_id([32])
    A[lane, OTHER] = A[lane, 0]
)";

struct Document {
  session::Session session{nullptr};
  std::string text = kScript;
  std::int64_t version = 0;

  Document() {
    session.open("a.py", text, 0, std::make_shared<session::Settings>());
    analyse();
  }
  // Kernels evaluated after replacing the first `from`.
  std::size_t edit(std::string_view from, std::string_view to) {
    text.replace(text.find(from), from.size(), to);
    session.change("a.py", text, ++version);
    return analyse();
  }
  std::size_t analyse() {
    auto analysis = session.find("a.py")->analyse({});
    kernels = analysis->first().kernels.size();
    findings = analysis->findings.size();
    searched = analysis->first().kernels_searched;
    return analysis->kernels_made;
  }
  std::size_t kernels = 0, findings = 0;
  std::size_t searched = 0;  // kernels, for what they do not use
};

}  // namespace

TEST_CASE("an edit evaluates the kernels that it concerns") {
  Document d;
  CHECK(d.kernels == 2);
  CHECK(d.edit("SIZE = 4", "# a comment\n\nSIZE = 4") == 0);  // comments and lines between statements: none
  CHECK(d.edit("A[lane, 0]", "A[lane, 1]") == 1);             // inside one kernel: that one
  CHECK(d.edit("SIZE = 4", "SIZE = 5") == 1);                 // a constant behind a helper: its user
  CHECK(d.edit("return x * SIZE", "return x + SIZE") == 1);   // the helper's text
  CHECK(d.edit("OTHER = 8", "OTHER = 4 * 2") == 0);           // another text, the same value
  CHECK(d.edit("SIZE = 5", "SIZE = 5\nUNUSED = 1") == 0);
  CHECK(d.kernels == 2);
  CHECK(d.findings == 0);
}

TEST_CASE("undoing an edit, or fixing the syntax, finds the kernels of before") {
  Document d;
  CHECK(d.edit("OTHER]", "7]") == 1);
  CHECK(d.edit("7]", "OTHER]") == 0);
  d.edit("SIZE = 4", "SIZE = (4");
  CHECK(d.findings > 0);
  CHECK(d.edit("SIZE = (4", "SIZE = 4") == 0);
  CHECK(d.kernels == 2);
  CHECK(d.findings == 0);
}

TEST_CASE("what a kernel does not use is said again where the kernel was not evaluated again") {
  Document d;
  CHECK(d.edit("    A[lane, OTHER]", "    spare = lane + 1\n    A[lane, OTHER]") == 1);
  CHECK(d.findings == 1);
  CHECK(d.edit("SIZE = 4", "# moved\n\nSIZE = 4") == 0);
  CHECK(d.findings == 1);
  CHECK(d.edit("A[lane, 0]", "A[lane, 1]") == 1);  // the other kernel
  CHECK(d.findings == 1);
  CHECK(d.edit("A[lane, OTHER]", "A[lane, spare % 4]") == 1);
  CHECK(d.findings == 0);
}

TEST_CASE("only kernels that were evaluated again are searched again for what they do not use") {
  Document d;
  CHECK(d.searched == 2);
  d.edit("SIZE = 4", "# a comment\n\nSIZE = 4");
  CHECK(d.searched == 0);
  d.edit("    A[lane, OTHER]", "    spare = lane + 1\n    A[lane, OTHER]");
  CHECK(d.searched == 1);
  CHECK(d.findings == 1);
  d.edit("SIZE = 4", "SIZE = 4\nUNUSED = 1");
  CHECK(d.searched == 0);
  CHECK(d.findings == 1);
  d.edit("    spare = lane + 1\n", "");  // undone: the one of before is still known
  CHECK(d.searched == 0);
  CHECK(d.findings == 0);
}

TEST_CASE("a stopped analysis is none, and the next one is whole") {
  Document d;
  d.session.change("a.py", "# more\n" + d.text, 1);
  std::stop_source stop;
  stop.request_stop();
  auto snapshot = d.session.find("a.py");
  CHECK(snapshot->analyse(stop.get_token()) == nullptr);
  CHECK(snapshot->analysed() == nullptr);
  CHECK(snapshot->analyse({})->first().kernels.size() == 2);
}

TEST_CASE("documents that are not open have no snapshot") {
  Document d;
  auto s = d.session.change("a.py", d.text + "# end\n", 1);
  REQUIRE(s);
  CHECK(s->source().text().ends_with("# end\n"));
  CHECK(s->version() == 1);
  CHECK(d.session.change("b.py", "x = 1\n", 1) == nullptr);
  CHECK(d.session.memory().documents.size() == 1);
  d.session.close("a.py");
  CHECK(d.session.find("a.py") == nullptr);
}

TEST_CASE("caches are dropped when they take more than they may, and fill again") {
  session::Session tiny(nullptr, 1);
  tiny.open("a.py", kScript, 0, std::make_shared<session::Settings>());
  tiny.find("a.py")->analyse({});
  CHECK(tiny.memory().cache_bytes > 1);
  tiny.trim();
  CHECK(tiny.memory().cache_bytes <= 1);
  CHECK(tiny.find("a.py")->analyse({})->kernels_made == 2);
}

TEST_CASE("a probe takes the kernels that do not use its statement from the cache") {
  Document d;
  auto snapshot = d.session.find("a.py");
  auto analysis = snapshot->analyse({});
  REQUIRE(analysis);
  const auto& statements = snapshot->tree()->statements();
  const auto first = std::ranges::find_if(
      statements, [](const auto& s) { return s.node->text.find("def first") != std::string_view::npos; });
  REQUIRE(first != statements.end());
  auto probed = snapshot->probe(first->node->statement, *first->node, {});
  auto record = [](const script::Evaluation& e, std::string_view name) {
    for (const script::Entry& entry : e.entries)
      for (const script::KernelValue* k : entry.kernels)
        if (k->kernel.name == name) return k->record.get();
    return static_cast<script::KernelRecord*>(nullptr);
  };
  const script::Evaluation& known = *analysis->first().evaluation;
  REQUIRE(record(known, "second"));
  CHECK(record(*probed->evaluation, "second") == record(known, "second"));
  CHECK(record(*probed->evaluation, "first") != record(known, "first"));
}

TEST_CASE("analyses that take much memory wait for each other, until a stop") {
  using namespace std::chrono_literals;
  session::Session session{nullptr};
  std::atomic<bool> came = false, go_on = false, other_came = false;
  auto with = [](std::function<void()> ended) {
    auto settings = std::make_shared<session::Settings>();
    settings->severity = [ended = std::move(ended)](std::vector<text::Diagnostic>&) { ended(); };
    return settings;
  };
  auto first = session.open("a.py", "x = [[i] * 1000 for i in range(3000)]\n", 0, with([&] {
                              came = true;
                              came.notify_all();
                              go_on.wait(false);
                            }));
  auto second = session.open("b.py", "x = [[i] * 1000 for i in range(3000)]\n", 0, with([&] { other_came = true; }));
  auto little = session.open("c.py", "x = [[i] * 10 for i in range(3000)]\n", 0, std::make_shared<session::Settings>());
  std::shared_ptr<const session::Analysis> of_first, of_second;
  std::jthread one([&] { of_first = first->analyse({}); });
  came.wait(false);
  std::stop_source stop;
  std::jthread other([&] { of_second = second->analyse(stop.get_token()); });
  CHECK(little->analyse({}));
  std::this_thread::sleep_for(50ms);
  stop.request_stop();
  other.join();
  CHECK_FALSE(of_second);
  CHECK_FALSE(other_came);
  go_on = true;
  go_on.notify_all();
  one.join();
  CHECK(of_first);
  CHECK(second->analyse({}));
  CHECK(other_came);
}

TEST_CASE("an editor looks at the first configuration, and at the others when they are asked for") {
  constexpr const char* kConfigs = R"(from tvm.script import tirx as T

def get_kernel(n):
    @T.prim_func
    def kernel(A: T.Buffer((64,), "float32")):
        T.device_entry()
        t = T.thread_id([64])
        A[t + n] = 1.0
    return kernel

CONFIGS = [{"label": str(n), "n": n} for n in range(4)]
)";
  session::Session session{nullptr};
  auto snapshot = session.open("a.py", kConfigs, 0, std::make_shared<session::Settings>());
  auto first = snapshot->analyse({});
  REQUIRE(first);
  CHECK(first->first().kernels.size() == 1);
  CHECK(first->kernels_made == 1);
  REQUIRE(first->others().size() == 3);
  CHECK(first->others().back().expression == "get_kernel(**CONFIGS[3])");
  auto all = snapshot->analyse_all({});
  REQUIRE(all);
  CHECK(all->first().kernels.size() == 4);
  CHECK(all->kernels_made == 3);  // the first is there
  CHECK(all->others().empty());
  CHECK(snapshot->analyse_all({}) == all);

  auto settings = std::make_shared<session::Settings>();
  settings->entries = {"get_kernel(**CONFIGS[2])"};
  auto chosen = session.refresh("a.py", settings)->analyse({});
  REQUIRE(chosen->first().kernels.size() == 1);
  CHECK(chosen->first().kernels.front().entry->expression == "get_kernel(**CONFIGS[2])");
}

TEST_CASE("the calls of a kernel say its architecture; an edit that takes them away takes it back") {
  std::string text = R"(from tvm.script import tirx as T

@T.prim_func
def kernel(A: T.Buffer((64,), "float32")):
    T.device_entry()
    T.thread_id([32])
    address = T.alloc_shared((1,), "uint32")
    T.ptx.tcgen05.alloc(T.address_of(address[0]), n_cols=512, cta_group=1)
)";
  session::Session session{nullptr};
  auto analysis = session.open("a.py", text, 0, std::make_shared<session::Settings>())->analyse({});
  const session::CompiledKernel& kernel = analysis->first().kernels.front();
  CHECK(kernel.target.name() == "sm_100a");
  CHECK(session::architecture_words(kernel, analysis->first().evaluation->anchors) ==
        "sm_100a, from tcgen05.alloc in line 8");
  REQUIRE(kernel.cuda);
  CHECK(kernel.lowered->kernel->target.name() == "sm_100a");
  CHECK(analysis->kernels_made == 1);
  text = "# a line more\n" + text;
  analysis = session.change("a.py", text, 1)->analyse({});
  CHECK(analysis->kernels_made == 0);
  CHECK(session::architecture_words(analysis->first().kernels.front(), analysis->first().evaluation->anchors) ==
        "sm_100a, from tcgen05.alloc in line 9");
  text = text.substr(0, text.find("    T.ptx"));
  analysis = session.change("a.py", text, 2)->analyse({});
  CHECK(analysis->first().kernels.front().target.name() == "sm_90a");
  analysis = session.change("a.py", "# tilewright: arch sm_80\n" + text, 3)->analyse({});
  CHECK(analysis->first().kernels.front().target.name() == "sm_80");
}

TEST_CASE("session: kernels that one edit makes again at once are those that each alone would be") {
  std::string text = "from tvm.script import tirx as T\n\nSIZE = 4\n";
  for (int i = 0; i < 24; ++i) {
    const std::string n = std::to_string(i);
    // One in three does not compile: it says so in its place.
    text +=
        "\n\n@T.prim_func\ndef kernel_" + n + "(a: T.handle):\n    A = T.match_buffer(a, (64, 64), \"float16\")\n" +
        "    T.device_entry()\n    T.cta_id([1])\n    T.warp_id([1])\n    lane = T.lane_id([32])\n    A[lane, SIZE + " +
        n + "] = A[lane, " + (i % 3 ? n : "99999") + "]\n";
  }
  session::Session session(nullptr);
  session.open("a.py", text, 0, std::make_shared<session::Settings>());
  session.find("a.py")->analyse({});
  text.replace(text.find("SIZE = 4"), 8, "SIZE = 6");
  session.change("a.py", text, 1);
  auto edited = session.find("a.py")->analyse({});
  CHECK(edited->kernels_made == 24);

  session::Session other(nullptr);
  auto fresh = other.open("a.py", text, 0, std::make_shared<session::Settings>())->analyse({});
  session::CompileOptions alone;  // without a cache: one kernel after the other
  alone.architecture_source = session::ArchitectureSource::Default;
  auto one = session::compile(other.find("a.py")->tree(), nullptr, {}, alone);
  for (const session::Compiled* c : {&edited->first(), &fresh->first()}) {
    REQUIRE(c->kernels.size() == one.kernels.size());
    for (std::size_t i = 0; i < one.kernels.size(); ++i) {
      REQUIRE((c->kernels[i].cuda != nullptr) == (one.kernels[i].cuda != nullptr));
      if (one.kernels[i].cuda) CHECK(c->kernels[i].cuda->text == one.kernels[i].cuda->text);
    }
    REQUIRE(c->diagnostics.size() == one.diagnostics.size());
    for (std::size_t i = 0; i < one.diagnostics.size(); ++i)
      CHECK(c->diagnostics[i].message == one.diagnostics[i].message);
  }
}

// Found out once the document rests; what stands until then is what was found out last.
TEST_CASE("while one types, a script that walks over a set is evaluated once", "[session]") {
  const std::string text = R"(from tvm.script import tirx as T

SIZE = 0
for name in {"a", "bb"}:
    SIZE += len(name)


@T.prim_func
def first(A: T.Buffer((32,), "float16")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    A[SIZE] = A[0]


@T.prim_func
def second(A: T.Buffer((32,), "float16")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    A[1] = A[0]
)";
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string out = text;
    return out.replace(out.find(from), from.size(), to);
  };
  for (const bool assumes : {true, false}) {
    session::Session session{nullptr};
    session.assume_orders(assumes);
    const auto codes = [&](const std::string& now, std::int64_t version) {
      session.change("a.py", now, version);
      std::vector<std::string> out;
      for (const session::Finding& f : session.find("a.py")->analyse({})->findings)
        if (f.diagnostic->severity == text::Severity::Error) out.emplace_back(f.diagnostic->code);
      return out;
    };
    const std::vector<std::string> none, one{"TW2007"};
    session.open("a.py", text, 0, std::make_shared<session::Settings>());
    CHECK_FALSE(session.find("a.py")->analyse({})->order_assumed);
    CHECK(codes(text + "\n", 1) == none);
    CHECK_FALSE(session.find("a.py")->judge_orders({}));
    // The last name's length.
    CHECK(codes(with("+=", "="), 2) == (assumes ? none : one));
    CHECK(session.find("a.py")->analyse({})->order_assumed == assumes);
    if (assumes) {
      CHECK(session.find("a.py")->judge_orders({}));
      CHECK(session.find("a.py")->analyse({})->findings.size() == 1);
      CHECK_FALSE(session.find("a.py")->judge_orders({}));
      CHECK(codes(with("+=", "=") + "\n", 3) == one);
    }
    CHECK(codes(with("for name in {\"a\", \"bb\"}", "for name in sorted({\"a\", \"bb\"})"), 4) == none);
    CHECK(codes(with("A[1]", "A[2]"), 5) == none);
    CHECK(codes(with("A[1]", "A[3]"), 6) == none);
    CHECK(session.find("a.py")->analyse({})->kernels_made == 1);
  }
}
