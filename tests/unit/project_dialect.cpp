// Pins and environments around a script, as far as they say its release.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "server/project/config.h"
#include "server/project/dialect_hints.h"
#include "tests/unit/catch.h"
#include "tests/unit/scratch.h"

using namespace tilewright;
using project::pinned_by;
using testing::Scratch;
using text::Dialect;
namespace fs = std::filesystem;

namespace {

void write(const fs::path& file, std::string_view text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

}  // namespace

TEST_CASE("requirements that leave one release") {
  using enum Dialect;
  CHECK(pinned_by("apache-tvm==0.26.0") == V0_26);
  CHECK(pinned_by("Apache_TVM[cuda] == 0.27.0.post1 ; python_version > '3.9'  # why") == V0_27);
  CHECK(pinned_by("apache-tvm~=0.25.0") == V0_25);
  CHECK(pinned_by("apache-tvm==0.26.*") == V0_26);
  CHECK(pinned_by("apache-tvm>=0.26,<0.27") == V0_26);
  CHECK(pinned_by("apache-tvm (>=0.27)") == V0_27);
  CHECK(pinned_by("apache-tvm<0.26") == V0_25);
  CHECK(pinned_by("apache-tvm>0.26.0,<0.27") == V0_26);
  CHECK(pinned_by("apache-tvm==0.26.0 --hash=sha256:00") == V0_26);
  CHECK(pinned_by("apache-tvm==0.26.0 \\") == V0_26);
  for (std::string_view open : {"apache-tvm", "apache-tvm>=0.26", "apache-tvm~=0.26", "apache-tvm==0.24.1",
                                "apache-tvm-ffi==0.26.0", "apache-tvm @ file:///x", "apache-tvm==", "torch==2.6",
                                "#apache-tvm==0.26.0", "apache-tvm==99999999999999999999.1", ""}) {
    INFO(open);
    CHECK(!pinned_by(open));
  }
}

TEST_CASE("the nearest folder with a pin says it, up to the top of the checkout") {
  const Scratch scratch;
  const fs::path top = scratch.path() / "checkout", script = top / "kernels" / "deep" / "a.py";
  fs::create_directories(top / ".git");
  write(script, "");
  CHECK(project::around(script, {}) == script::DialectHints());
  write(scratch.path() / "requirements.txt", "apache-tvm==0.25.0\n");  // outside of the checkout
  CHECK(!project::around(script, {}).pin);
  write(top / "requirements-dev.txt", "numpy\napache-tvm==0.26.0\n");
  auto hints = project::around(script, {});
  REQUIRE(hints.pin);
  CHECK(hints.pin->dialect == Dialect::V0_26);
  CHECK(hints.pin->words == "../../requirements-dev.txt pins apache-tvm==0.26.0");
  write(top / "kernels" / "pyproject.toml",
        "[project]\ndependencies = [\"numpy\", 'apache-tvm>=0.27',\n]  # \"apache-tvm==0.25.0\"\n");
  hints = project::around(script, {});
  CHECK(hints.pin->words == "../pyproject.toml pins apache-tvm>=0.27");
  CHECK(hints.pins_disagree.empty());
  write(top / "kernels" / "requirements.txt", "apache-tvm==0.25.0\n");
  CHECK(project::around(script, {})
            .pins_disagree.starts_with(
                "../pyproject.toml pins apache-tvm>=0.27, and ../requirements.txt pins apache-tvm==0.25.0: "));
  write(top / "kernels" / "deep" / "pyproject.toml", "[tool.poetry.dependencies]\napache-tvm = \"^0.26\"\n");
  CHECK(project::around(script, {}).pin->words == "pyproject.toml pins apache-tvm ^0.26");

  fs::create_directories(top / ".venv/lib/python3.11/site-packages/apache_tvm-0.27.0.post1.dist-info");
  CHECK(project::around(script, {}).installed->words == "../../.venv has apache-tvm 0.27.0.post1");

  // What the settings say needs no look around.
  const script::DialectHints::Said said{Dialect::V0_25, "tilewright.toml"};
  const auto set = project::around(script, {said, {}, {}, {}});
  CHECK(set.setting == said);
  CHECK(!set.pin);
}

TEST_CASE("each file that lists or locks packages is read in its own form") {
  struct Case {
    const char *file, *text, *words;  // words: empty: it pins nothing
  };
  constexpr Case kCases[] = {
      {"requirements.txt", "apache-tvm==0.26.0 \\\n    --hash=sha256:00\n", "requirements.txt pins apache-tvm==0.26.0"},
      {"requirements.in", "apache-tvm~=0.27.0\n", "requirements.in pins apache-tvm~=0.27.0"},
      {"dev-requirements.txt", "apache_tvm==0.25.0\r\n", "dev-requirements.txt pins apache-tvm==0.25.0"},
      {"requirements/gpu.txt", "apache-tvm==0.26.0\n", "requirements/gpu.txt pins apache-tvm==0.26.0"},
      {"constraints.txt", "apache-tvm==0.26.0\n", "constraints.txt pins apache-tvm==0.26.0"},
      {"requirements.txt", "./wheels/apache_tvm-0.26.0-cp310-abi3-linux_x86_64.whl\n",
       "requirements.txt takes apache_tvm-0.26.0"},
      {"requirements.txt", "apache-tvm @ https://x.org/apache_tvm-0.27.0.post1-cp310-abi3-linux_x86_64.whl\n",
       "requirements.txt takes apache_tvm-0.27.0.post1"},
      {"requirements.txt", "# ./apache_tvm-0.26.0-cp310-abi3-linux_x86_64.whl\n", ""},
      {"setup.cfg", "[options]\ninstall_requires =\n    numpy\n    apache-tvm==0.26.0\n",
       "setup.cfg pins apache-tvm==0.26.0"},
      {"setup.py", "setup(install_requires=[\"numpy\", 'apache-tvm==0.27.0'])  # 'apache-tvm==0.25.0'\n",
       "setup.py pins apache-tvm==0.27.0"},
      {"Pipfile", "[packages]\napache-tvm = \"==0.26.0\"\n", "Pipfile pins apache-tvm ==0.26.0"},
      {"Pipfile", "[packages]\napache-tvm = {version = \"==0.26.*\", extras = [\"cuda\"]}\n",
       "Pipfile pins apache-tvm ==0.26.*"},
      {"environment.yml", "dependencies:\n  - python=3.11\n  - apache-tvm=0.26\n",
       "environment.yml pins apache-tvm=0.26"},
      {"environment-dev.yaml", "dependencies:\n  - pip:\n    - \"apache-tvm==0.27.0\"  # newest\n",
       "environment-dev.yaml pins apache-tvm==0.27.0"},
      {"environment.yml", "dependencies:\n  - conda-forge::apache-tvm=0.25.0\n",
       "environment.yml pins apache-tvm=0.25.0"},
      {"uv.lock",
       "version = 1\n\n[[package]]\nname = \"apache-tvm-ffi\"\nversion = \"0.1.14\"\n\n[[package]]\n"
       "name = \"apache-tvm\"\nversion = \"0.27.0.post1\"\ndependencies = [\n    { name = \"numpy\" },\n]\n",
       "uv.lock locks apache-tvm 0.27.0.post1"},
      {"uv.lock", "[[package]]\nname = \"apache-tvm\"\nsource = { git = \"x\" }\n\n[[package]]\nversion = \"0.26.0\"\n",
       ""},
      {"poetry.lock", "[[package]]\nname = \"apache-tvm\"\nversion = \"0.26.0\"\noptional = false\n",
       "poetry.lock locks apache-tvm 0.26.0"},
      {"pylock.dev.toml", "[[packages]]\nname = \"apache-tvm\"\nversion = \"0.26.0\"\n",
       "pylock.dev.toml locks apache-tvm 0.26.0"},
      {"Pipfile.lock",
       "{\n  \"default\": {\n    \"apache-tvm\": {\n      \"hashes\": [\n        \"sha256:00\"\n      ],\n"
       "      \"version\": \"==0.26.0\"\n    },\n    \"numpy\": {\n      \"version\": \"==0.25.0\"\n    }\n  }\n}\n",
       "Pipfile.lock locks apache-tvm ==0.26.0"},
      {"notes.txt", "apache-tvm==0.26.0\n", ""},
  };
  for (const Case& c : kCases) {
    const Scratch scratch;
    const fs::path top = scratch.path() / "checkout";
    fs::create_directories(top / ".git");
    write(top / "a.py", "");
    write(top / c.file, c.text);
    const auto hints = project::around(top / "a.py", {});
    INFO(c.file << ": " << c.text);
    CHECK((hints.pin ? hints.pin->words : "") == c.words);
    CHECK(hints.pins_disagree.empty());
    // Once more from what was read before, and after a change.
    CHECK(project::around(top / "a.py", {}) == hints);
    write(top / c.file, "");
    CHECK(!project::around(top / "a.py", {}).pin);
  }
}

TEST_CASE("what a checkout puts there is not followed, not waited for and not shown") {
  const Scratch scratch;
  const fs::path top = scratch.path() / "checkout", script = top / "a.py";
  fs::create_directories(top / ".git");
  write(scratch.path() / "outside.txt", "apache-tvm==0.26.0\n");
  write(script, "");
  fs::create_symlink("../outside.txt", top / "requirements.txt");
  fs::create_symlink("/dev/zero", top / "requirements-zero.txt");
  REQUIRE(::mkfifo((top / "requirements-pipe.txt").c_str(), 0600) == 0);
  write(top / "requirements-large.txt", std::string(2 << 20, 'x') + "\napache-tvm==0.26.0\n");
  write(top / "requirements-escapes.txt", "apache-tvm==0.26.0\x1b[31m\n");
  write(top / "requirements-long.txt", "apache-tvm==0.26.0," + std::string(500, '<') + "\n");
  write(top / "pyproject.toml", "[[[[[[[[\n\"apache-tvm==0.26.0\n'\n");
  write(scratch.path() / "venv/lib/python3.11/site-packages/apache_tvm-0.26.0.dist-info/METADATA", "");
  fs::create_symlink("../venv", top / ".venv");
  CHECK(project::around(script, {}) == script::DialectHints());
}

TEST_CASE("a folder that all users may write to says nothing about the scripts below it") {
  const Scratch scratch;
  const fs::path shared = scratch.path() / "tmp", script = shared / "own" / "a.py";
  write(script, "");
  write(shared / "requirements.txt", "apache-tvm==0.26.0\n");
  CHECK(project::around(script, {}).pin);
  fs::permissions(shared, fs::perms::all | fs::perms::sticky_bit);
  CHECK(!project::around(script, {}).pin);
}
