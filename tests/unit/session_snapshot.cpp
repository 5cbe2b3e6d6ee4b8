// What an edit costs: how many kernels are evaluated again.
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

TEST_CASE("undoing an edit, or mending the syntax, finds the kernels of before") {
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
