// Parts of the language server that need no client: differences, occupancy, names of views.
#include <future>
#include <random>
#include <sstream>

#include "protocol/lsp.h"
#include "server/ide/diff.h"
#include "server/ide/pool.h"
#include "server/lsp/changes.h"
#include "server/lsp/client_settings.h"
#include "server/lsp/view.h"
#include "server/work/occupancy.h"
#include "tests/unit/catch.h"

using namespace tilewright;
using namespace tilewright::lsp;
using work::occupancy, ide::unified_diff;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

// What `patch` would make of `left`.
std::string patched(const std::string& left, const std::string& diff) {
  std::vector<std::string> from = lines_of(left);
  std::string out;
  std::size_t at = 0;
  auto hunks = lines_of(diff);
  for (std::size_t i = 2; i < hunks.size(); ++i) {
    const std::string& h = hunks[i];
    if (h.starts_with("@@ ")) {
      std::size_t start = std::stoul(h.substr(4)), count = std::stoul(h.substr(h.find(',') + 1));
      if (count > 0) --start;
      while (at < start) out += from[at++] + "\n";
      continue;
    }
    if (h[0] != '+') {
      REQUIRE(from.at(at) == h.substr(1));
      ++at;
    }
    if (h[0] != '-') out += h.substr(1) + "\n";
  }
  while (at < from.size()) out += from[at++] + "\n";
  return out;
}

}  // namespace

TEST_CASE("a difference turns one text into the other") {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    auto text = [&] {
      std::string out;
      for (int n = static_cast<int>(random() % 30); n > 0; --n)
        out += std::string(1, static_cast<char>('a' + random() % 4)) + "\n";
      return out;
    };
    std::string left = text(), right = text();
    std::string diff = unified_diff(left, right, "left", "right");
    if (left == right) {
      CHECK(diff.empty());
    } else {
      CHECK(patched(left, diff) == right);
    }
  }
}

TEST_CASE("a difference is as short as can be, with three lines around it") {
  CHECK(unified_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", "a", "b") ==
        "--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
  CHECK(unified_diff("", "x\n", "a", "b") == "--- a\n+++ b\n@@ -0,0 +1,1 @@\n+x\n");
}

TEST_CASE("occupancy follows the limit that is reached first") {
  ir::Target hopper{9, 0, 'a'}, ada{8, 9, 0};
  auto o = occupancy(hopper, 128, 32, 0);
  REQUIRE(o);
  CHECK(o->ctas == 16);  // 64 warps, 4 a CTA
  CHECK(std::string(o->bound) == "warps");
  o = occupancy(hopper, 128, 255, 0);
  REQUIRE(o);
  CHECK(o->ctas == 2);  // 8,192 registers a warp
  CHECK(std::string(o->bound) == "registers");
  o = occupancy(hopper, 32, 32, 100 << 10);
  REQUIRE(o);
  CHECK(o->ctas == 2);  // 228 KB, 101 KB each
  CHECK(std::string(o->bound) == "shared memory");
  o = occupancy(ada, 32, 16, 0);
  REQUIRE(o);
  CHECK(o->ctas == 24);
  CHECK(std::string(o->bound) == "CTAs");
  CHECK_FALSE(occupancy(hopper, 1024, 255, 0));   // does not fit
  CHECK_FALSE(occupancy({7, 5, 0}, 128, 32, 0));  // not known
}

TEST_CASE("the name of a view says all of it, whatever the entry holds") {
  for (std::string entry : {"make(shape=(128, 64), dtype=\"float16\")", "a&entry=b", "größe?#%25"}) {
    ide::ViewName name{ide::ViewKind::Sass, "sm_90a", "copy_1", entry, "/tmp/a b&c/größe.py"};
    auto again = parse_view(view_uri(name));
    REQUIRE(again);
    CHECK(again->kind == name.kind);
    CHECK(again->architecture == name.architecture);
    CHECK(again->kernel == name.kernel);
    CHECK(again->entry == name.entry);
    CHECK(again->document == name.document);
  }
  for (std::string_view bad :
       {"", "tilewright://", "tilewright://cuda/sm_90a/k.cu", "tilewright://poem/sm_90a/k.cu?document=a&entry=b",
        "file:///k.cu", "tilewright://cuda/sm_90a/k.cu?entry=b"}) {
    CHECK_FALSE(parse_view(bad));
  }
}

TEST_CASE("diagnostics overtake requests, and requests the work in the background") {
  std::promise<void> begin, done;
  std::string order;
  ide::Pool pool(1);
  pool.run([wait = begin.get_future().share()] { wait.wait(); });
  pool.run([&] { done.set_value(); }, ide::Pool::Urgency::Background);
  pool.run([&] { order += "request "; });
  pool.run([&] { order += "request "; });
  pool.run([&] { order += "diagnostics "; }, ide::Pool::Urgency::Diagnostics);
  begin.set_value();
  done.get_future().wait();
  CHECK(order == "diagnostics request request ");
}

TEST_CASE("each change of a document is meant for the text that the one before left") {
  auto source = std::make_shared<text::Source>("a.py", "x = 'ä😀'\ny = 2\n");
  auto edit = [](int l0, int c0, int l1, int c1, const char* text) {
    return protocol::Json{
        {"range", protocol::Range{{std::uint32_t(l0), std::uint32_t(c0)}, {std::uint32_t(l1), std::uint32_t(c1)}}},
        {"text", text}};
  };
  auto after = [&](protocol::Json changes, text::Encoding encoding = text::Encoding::Utf16) {
    const Changed now = changed(source, changes, encoding);
    // The edit takes in all that differs.
    const std::string_view before = source->text(), text = now.source->text();
    CHECK(before.substr(0, now.edit.begin) == text.substr(0, now.edit.begin));
    CHECK(before.substr(now.edit.old_end) == text.substr(now.edit.new_end));
    return std::string(text);
  };
  CHECK(after(protocol::Json::array()) == "x = 'ä😀'\ny = 2\n");
  CHECK(after({edit(1, 0, 1, 1, "z")}) == "x = 'ä😀'\nz = 2\n");
  CHECK(after({edit(0, 0, 0, 0, "a = 0\n"), edit(2, 4, 2, 5, "3")}) == "a = 0\nx = 'ä😀'\ny = 3\n");
  CHECK(after({{{"text", "p = 1\n"}}, edit(0, 4, 0, 5, "2")}) == "p = 2\n");
  CHECK(after({edit(0, 0, 0, 0, "lost"), {{"text", "whole\n"}}}) == "whole\n");
  // A surrogate pair is two units of UTF-16, one code point, four bytes.
  CHECK(after({edit(0, 6, 0, 8, "")}) == "x = 'ä'\ny = 2\n");
  CHECK(after({edit(0, 6, 0, 7, "")}, text::Encoding::Utf32) == "x = 'ä'\ny = 2\n");
  CHECK(after({edit(0, 7, 0, 11, "")}, text::Encoding::Utf8) == "x = 'ä'\ny = 2\n");
  // Outside of the text, and backwards.
  CHECK(after({edit(70, 0, 90, 9, "# end\n")}) == "x = 'ä😀'\ny = 2\n# end\n");
  CHECK(after({edit(1, 4, 0, 0, "1")}) == "x = 'ä😀'\ny = 12\n");
  CHECK_THROWS_AS(after({{{"range", 1}}}), protocol::Json::exception);
}

TEST_CASE("architectures of one document are taken from the client's section, and what does not fit is named") {
  using Words = std::vector<std::string>;
  auto read = [](const char* text, std::string& problem) {
    return read_client_settings(protocol::Json::parse(text), problem);
  };
  std::string problem;
  auto made = read(R"({"architectures": ["sm_80"], "documents": {"file:///a%20b.py": {"architectures": ["sm_120a"]},
                       "untitled:1": {"architectures": ["sm_90a", "sm_80"]}, "file:///c.py": {}}})",
                   problem);
  CHECK(problem.empty());
  CHECK(made.architectures == Words{"sm_80"});
  REQUIRE(made.architectures_of.size() == 2);
  CHECK(made.architectures_of.at("/a b.py") == Words{"sm_120a"});
  CHECK(made.architectures_of.at("untitled:1") == Words{"sm_90a", "sm_80"});
  made = read(R"({"documents": {"file:///a.py": {"architectures": ["sm_12", "sm_90a"]}}})", problem);
  CHECK(problem == "tilewright.architectures: \"sm_12\" is not understood");
  CHECK(made.architectures_of.at("/a.py") == Words{"sm_90a"});
  problem.clear();
  CHECK(read(R"({"documents": ["file:///a.py"]})", problem).architectures_of.empty());
  CHECK(problem == "tilewright.documents must be an object");
  problem.clear();
  CHECK(read(R"({"documents": {"file:///a.py": 7}})", problem).architectures_of.empty());
  CHECK(problem.empty());
}

TEST_CASE("the release of scripts that do not say is taken from the client's section") {
  auto read = [](const char* text, std::string& problem) {
    return read_client_settings(protocol::Json::parse(text), problem).dialect;
  };
  std::string problem;
  CHECK(read(R"({"dialect": "0.26"})", problem) == text::Dialect::V0_26);
  CHECK_FALSE(read(R"({"dialect": ""})", problem));
  CHECK_FALSE(read(R"({})", problem));
  CHECK(problem.empty());
  CHECK_FALSE(read(R"({"dialect": "0.9"})", problem));
  CHECK(problem == "tilewright.dialect: there is no release '0.9' of the dialect; this version reads 0.25, 0.26, 0.27");
  CHECK_FALSE(read(R"({"dialect": 27})", problem));
  CHECK(problem == "tilewright.dialect must be a text, such as \"0.27\"");
}
