// Files, encodings, settings and tile scripts around a folder of the test's own.
#include <fstream>

#include "server/project/load.h"
#include "server/project/scripts.h"
#include "server/project/workspace.h"
#include "tests/unit/catch.h"
#include "tests/unit/scratch.h"

using namespace tilewright;
namespace fs = std::filesystem;

namespace {

void write(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace

TEST_CASE("the bytes of a script become text in one way for all readers") {
  testing::Scratch scratch;
  const fs::path root = scratch.path();
  const std::string latin = "# coding: latin-1\nNAME = '\xE4'\n", utf8 = "# coding: latin-1\nNAME = 'ä'\n";
  write(root / "latin.py", latin);
  write(root / "plain.py", "NAME = 'ä'\n");
  write(root / "broken.py", "NAME = '\xE4'\n");
  CHECK(project::read_script(root / "latin.py")->text == utf8);
  CHECK(project::read_script(root / "plain.py")->text == "NAME = 'ä'\n");
  auto broken = project::read_script(root / "broken.py");
  REQUIRE(broken);
  REQUIRE(broken->undecodable);
  CHECK(broken->undecodable->begin == 8);
  CHECK(broken->text == "NAME = '\xE4'\n");
  CHECK_FALSE(project::read_script(root / "none.py"));
  CHECK_FALSE(project::read_script(root / "latin.py", 8));

  // As a file that is named, as an import, and as a file around the open documents.
  CHECK(project::load((root / "latin.py").string())->source->text() == utf8);
  project::FileLoader loader(root / "plain.py");
  CHECK(loader.load("latin", 0, (root / "plain.py").string())->source()->text() == utf8);
  project::Workspace workspace;
  CHECK(workspace.tree_of(root / "latin.py")->source()->text() == utf8);
}

TEST_CASE("a tile script speaks of tvm or to us, or imports one that does") {
  testing::Scratch scratch;
  const fs::path root = scratch.path();
  write(root / "speaks.py", "from tvm.script import tirx as T\n");
  write(root / "comment.py", "# tilewright: arch sm_80\n");
  write(root / "by_import.py", "import os, speaks\n");
  write(root / "far.py", "from by_import import *\n");
  write(root / "other.py", "import os\nprint('hello')\n");
  write(root / "ring_a.py", "import ring_b\n");
  write(root / "ring_b.py", "import ring_a, other\n");
  project::ScriptLooks looks;
  for (int again = 0; again < 2; ++again) {
    project::ScriptSearch search(looks);
    for (const char* name : {"speaks.py", "comment.py", "by_import.py", "far.py", "missing.py"}) {
      INFO(name);
      CHECK(search.is_script(root / name));
    }
    for (const char* name : {"ring_a.py", "ring_b.py", "other.py"}) {
      INFO(name);
      CHECK_FALSE(search.is_script(root / name));
    }
  }
  // A search tells how things are when it begins; the next one sees what changed.
  write(root / "other.py", "import tvm  # from now on\n");
  CHECK(project::ScriptSearch(looks).is_script(root / "ring_a.py"));
}

TEST_CASE("a project raises limits so far, and its user without a bound") {
  CHECK(project::parse_config("[limits]\nsteps = 80000000\nmemory_mb = 1024\n", "t.toml"));
  auto more = project::parse_config("[limits]\nsteps = 80000001\n", "t.toml");
  REQUIRE_FALSE(more);
  CHECK(more.error().find("80000001; settings of a project raise it to at most 80000000") != std::string::npos);
  auto user = project::parse_config("[limits]\nsteps = 100000000\n", "config.toml", project::Owner::User);
  REQUIRE(user);
  CHECK(project::parse_config("[limits]\nsteps = 80000001\n", "t.toml", project::Owner::Project, *user));
  CHECK(project::parse_config("", "t.toml", project::Owner::Project, *user)->limits.steps == 100000000);
  CHECK_FALSE(project::parse_config("arch = \"sm_90a\"\n", "config.toml", project::Owner::User));
  CHECK_FALSE(project::parse_config("[limits]\nsteps = 1\n", "r.toml", project::Owner::Remotes));
}

TEST_CASE("what a wrong document of settings holds between its words is an error and nothing else") {
  for (const char* text : {"é = 1\n", "[limi\uFE7Fts]\n", "steps = 、\n", "[[{x]]\n", "x = \"\"\"\\é\"\"\"\n",
                           "x = \"\"\"\\\n é\"\"\"\n"}) {
    INFO(text);
    const auto config = project::parse_config(text, "t.toml");
    REQUIRE_FALSE(config);
    CHECK(config.error().starts_with("t.toml:"));
  }
  CHECK(project::parse_config("# é\n[limits]\nsteps = 5 # 、\n", "t.toml"));
}

TEST_CASE("settings are the same object until they change, on any thread") {
  testing::Scratch scratch;
  const fs::path root = scratch.path();
  write(root / "tilewright.toml", "[limits]\nsteps = 5\n[severity]\nTW3106 = \"error\"\n");
  write(root / "a.py", "");
  project::Workspace workspace;
  workspace.set_folders({root.string()});
  auto first = workspace.settings((root / "a.py").string());
  CHECK(first.problem.empty());
  CHECK(first.settings->limits.steps == 5);
  CHECK(first.settings->severity);
  CHECK(workspace.settings((root / "b.py").string()).settings == first.settings);
  CHECK(workspace.settings("untitled:1").settings == first.settings);
  const std::string own = (root / "b.py").string();
  workspace.configure({.architectures = {"sm_80"},
                       .entries = {},
                       .architectures_of = {{own, {"sm_80", "sm_120a"}}, {"untitled:2", {"sm_100a"}}},
                       .deny_fallback = true,
                       .dialect = text::Dialect::V0_26});
  CHECK(workspace.settings("untitled:1").settings->dialect_hints->setting->words ==
        "the editor's setting tilewright.dialect is 0.26");
  auto second = workspace.settings((root / "a.py").string());
  CHECK(second.settings != first.settings);
  CHECK(second.settings->architectures == std::vector<std::string>{"sm_80"});
  CHECK(second.settings->deny_fallback);
  CHECK(second.settings->limits.steps == 5);
  // What the user chose for one document is that document's alone; all else is the same for both.
  CHECK(workspace.settings(own).settings->architectures == std::vector<std::string>{"sm_80", "sm_120a"});
  CHECK(workspace.settings(own).settings == workspace.settings(own).settings);
  CHECK(workspace.settings(own).settings->limits.steps == 5);
  CHECK(workspace.settings("untitled:2").settings->architectures == std::vector<std::string>{"sm_100a"});
  CHECK(workspace.settings("untitled:1").settings == second.settings);
  // A folder that says its release says more than the editor.
  write(root / "tilewright.toml", "dialect = \"0.27\"\n");
  workspace.files_changed();
  CHECK(workspace.settings(own).settings->dialect_hints->setting->dialect == text::Dialect::V0_27);
  write(root / "tilewright.toml", "[limits]\nsteps = 5\n");
  workspace.files_changed();
  CHECK(workspace.settings((root / "a.py").string()).settings->limits.steps == 5);
  // What is wrong is told to all who ask, not only to the first.
  write(root / "tilewright.toml", "[limits]\nsteps = -1\n");
  CHECK(workspace.settings((root / "a.py").string()).problem.empty());
  workspace.files_changed();
  for (int i = 0; i < 2; ++i) {
    auto third = workspace.settings((root / "a.py").string());
    CHECK_THAT(third.problem, Catch::Matchers::ContainsSubstring("limits.steps must be a positive number"));
    CHECK(third.settings->limits.steps == text::Limits().steps);
    CHECK(third.settings->dialect_hints->setting->dialect == text::Dialect::V0_26);
  }
}
