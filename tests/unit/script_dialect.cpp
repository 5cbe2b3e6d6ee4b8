// Which release a script is found to be written in, and by what.
#include <map>

#include "compiler/script/dialect.h"
#include "compiler/script/dialect_names.h"
#include "compiler/script/evaluate.h"
#include "compiler/script/surface.h"
#include "tests/unit/catch.h"

using namespace tilewright;
using script::DialectHints;
using script::DialectSource;
using text::Dialect;

namespace {

std::shared_ptr<const syntax::Tree> tree_of(std::string_view text) {
  return syntax::Tree::parse(std::make_shared<text::Source>("main.py", std::string(text)));
}

script::DialectFound found(std::string_view text, const DialectHints& hints = {}) {
  return script::find_dialect(*tree_of(text), std::nullopt, hints);
}

constexpr std::string_view kOld = "from tvm.script import tirx as T\ndef f(b):\n    T.ret(b)\n";
constexpr std::string_view kNew = "from tvm.script import tirx as X\ndef f(b):\n    X.cuda.elect_sync()\n";

}  // namespace

TEST_CASE("the strongest word decides: caller, comment, settings, pins, names, what is installed") {
  using enum DialectSource;
  DialectHints hints;
  hints.installed = {Dialect::V0_26, ".venv has apache-tvm 0.26.0"};
  CHECK(found("x = 1\n", hints).choice.source == Installed);
  CHECK(found("x = 1\n", hints).choice.dialect == Dialect::V0_26);
  auto names = found(kNew, hints).choice;
  CHECK(names.source == Names);
  CHECK(names.words() == "0.27: T.cuda.elect_sync in line 3 is a name of 0.27");
  hints.pin = {Dialect::V0_26, "requirements.txt pins apache-tvm==0.26.0"};
  CHECK(found(kNew, hints).choice.words() == "0.26: requirements.txt pins apache-tvm==0.26.0");
  hints.setting = {Dialect::V0_25, "tilewright.toml says dialect = \"0.25\""};
  CHECK(found(kNew, hints).choice.source == Setting);
  CHECK(found("# tilewright: dialect 0.27\n", hints).choice.source == Comment);
  auto asked = script::find_dialect(*tree_of("# tilewright: dialect 0.27\n"), Dialect::V0_25, hints).choice;
  CHECK(asked.source == Asked);
  CHECK(asked.dialect == Dialect::V0_25);
}

TEST_CASE("names of imports, keywords, variants and chains tell the release") {
  auto release = [](std::string_view text) {
    const script::DialectFound f = found(std::string("from tvm.script import tirx as T\n"
                                                     "from tvm.script.tirx import tile as Tx\n") +
                                         std::string(text));
    REQUIRE(f.wrong.empty());
    return std::string(script::dialect_source_name(f.choice.source)) + " " +
           std::string(text::dialect_name(f.choice.dialect));
  };
  CHECK(release("from tvm.tirx.cuda.operator.tile_primitive.tma_utils import mma_shared_layout\n") == "names 0.25");
  CHECK(release("import tvm.sym\n") == "names 0.27");
  CHECK(release("import tirx_kernels.tirx_lite as txl\n") == "names 0.27");
  CHECK(release("from tirx_kernels import tirx_lite as txl\n") == "names 0.27");
  CHECK(release("p.alloc_mma((1, 2))\n") == "names 0.25");
  CHECK(release("Tx.copy_async(a, b, dispatch='tma')\n") == "names 0.25");
  CHECK(release("T.ptx['ld.global.f32'](a, b)\n") == "names 0.27");
  CHECK(release("T.ptx.mbarrier.init.shared.b64(a, b)\n") == "names 0.27");
  // 0.27 has the word, and no instruction of it takes such a call.
  CHECK(release("T.ptx.mbarrier.init(a, b)\n") == "assumed 0.26");
  CHECK(release("from tvm.tirx.layout import SwizzleLayout\n") == "names 0.25");
}

TEST_CASE("a name that no release has, as one that is half typed, decides nothing") {
  for (std::string_view name :
       {"T.cuda.elect", "T.ptx.mbarrier.init.sha", "T.re", "T", "Tx.copy_asy", "unknown.alloc_mm"}) {
    const std::string text =
        "from tvm.script import tirx as T\nfrom tvm.script.tirx import tile as Tx\n" + std::string(name) + "(1)\n";
    INFO(name);
    CHECK(found(text).choice.source == DialectSource::Assumed);
  }
  // The name of another package's function, and of the script's own.
  CHECK(found("import cuda as T\nT.ret(1)\n").choice.source == DialectSource::Assumed);
}

TEST_CASE("where nothing decides, the newest release that has all names is assumed") {
  auto plain = found("from tvm.script import tirx as T\nT.cuda.cta_sync()\n").choice;
  CHECK(plain.source == DialectSource::Assumed);
  CHECK(plain.words() ==
        "0.27: assumed, the newest release that has all names of the script; they fit 0.25, 0.26, 0.27");
  auto wrapper = found("from tvm.script import tirx as T\nT.ptx.mbarrier.init(a, b)\n").choice;
  CHECK(wrapper.words() == "0.26: assumed, the newest release that has all names of the script; they fit 0.25, 0.26");
  // Without what stands around a script nothing is looked at.
  CHECK(script::find_dialect(*tree_of(kNew), {}, {}).choice.dialect == text::kDefaultDialect);
}

TEST_CASE("what stands on a line that cannot be parsed decides nothing") {
  const std::string start = "from tvm.script import tirx as T\ndef f(b):\n    ";
  CHECK(found(start + "T.ret(b\n").choice.dialect == Dialect::V0_27);
  CHECK(found(start + "T.ret(b)\n").choice.dialect == Dialect::V0_25);
  CHECK(found(start + "T.ptx.mbarrier.init(\n").choice.dialect == Dialect::V0_27);
  // Other lines of the same function do.
  CHECK(found(start + "T.ret(b)\n    x = (\n").choice.dialect == Dialect::V0_25);
  CHECK(found(start + "T.ret(b)\n    T.cuda.elect_sync(\n").choice.dialect == Dialect::V0_25);
}

TEST_CASE("the first name of each release is the first of all, and moves with its statement") {
  const std::string_view head = "from tvm.script import tirx as T\nfrom tvm.script.tirx import tile as Tx\n";
  for (std::string_view body : {
           "def f(a, b):\n    T.ptx.fence.proxy_async('a')\n    T.ptx.mbarrier.init(a, b)\n    T.ret(a)\n",
           "def f(a, b):\n    T.ret(T.ptx.mbarrier.init(a, T.ptx.elect_sync()))\nT.ptx.cp_async.wait_group(0)\n",
           "def f(a):\n    T.cuda.elect_sync()\ndef g(p):\n    p.alloc_mma(T.ptx.cp_async.commit_group())\n",
           "x = 1\ndef f(p):\n    p.arrive(0, cta_id=1)\n    T.ptx.mbarrier.init.shared.b64(p, 1)\n",
           "x = 1\n",
       }) {
    INFO(body);
    const auto tree = tree_of(std::string(head) + std::string(body));
    const std::string above = "# typed\n\n";
    const auto moved = syntax::Tree::reparse(
        *tree, std::make_shared<text::Source>("main.py", std::string(head) + above + std::string(body)));
    for (const text::DialectName& release : text::kDialects) {
      const auto all = script::names_of_others(*tree, release.dialect);
      const auto first = script::first_of_others(*tree, release.dialect, false);
      REQUIRE(first.has_value() == !all.empty());
      if (!first) continue;
      CHECK(first->begin == all.front().begin);
      CHECK(first->name == all.front().name);
      CHECK(first->releases == all.front().releases);
      const auto below = script::first_of_others(*moved, release.dialect, false);
      REQUIRE(below.has_value());
      CHECK(below->begin == first->begin + above.size());
      CHECK(below->end == first->end + above.size());
    }
  }
}

TEST_CASE("what a script has for several releases decides nothing") {
  const std::string start = "from tvm.script import tirx as T\nfrom tvm.script.tirx import tile as Tx\n";
  auto words = [&](std::string_view text) {
    const script::DialectFound f = found(start + std::string(text));
    REQUIRE(f.wrong.empty());
    return std::string(script::dialect_source_name(f.choice.source)) + " " +
           std::string(text::dialect_name(f.choice.dialect));
  };
  const std::string newer = "    from tvm.backend.cuda.tile_primitive.tma_utils import SwizzleMode\n";
  const std::string older = "    from tvm.backend.cuda.operator.tile_primitive.tma_utils import SwizzleMode\n";
  for (std::string_view expected :
       {"ImportError", "ModuleNotFoundError as e", "(ImportError, AttributeError)", "AttributeError"}) {
    INFO(expected);
    const std::string either = "try:\n" + newer + "except " + std::string(expected) + ":\n" + older;
    CHECK(words(either) == "assumed 0.27");
    CHECK(words(either + "p.alloc_tcgen05_mma_AB((1, 2))\nT.ptx.mbarrier.init(a, b)\n") == "names 0.26");
    CHECK(words(either + "T.ret(1)\n") == "names 0.25");
  }
  // Another error is no word about releases.
  CHECK(words("try:\n" + newer + "except ValueError:\n    pass\nT.ptx.mbarrier.init(a, b)\n") == "names 0.26");
  CHECK(words("import tvm\nif tvm.__version__ < '0.26':\n    T.ret(1)\nelse:\n    T.Return(0)\n") == "assumed 0.27");
  CHECK(words("if hasattr(T, 'ret'):\n    T.ret(1)\n") == "assumed 0.27");
  CHECK(words("NEW = hasattr(T, 'Return')\ndef f():\n    T.Return(0) if NEW else T.ret(0)\n") == "assumed 0.27");
  CHECK(words("OTHER = 1\nif OTHER:\n    T.ret(1)\n") == "names 0.25");
  // Options in a dict, and imports in a function.
  CHECK(words("HOW = {'dispatch': 'tma', 'mbar': bar}\n") == "names 0.25");
  const auto inner = found("def get():\n    from tvm.script import ir as I, tirx as X\n    X.ret(1)\n");
  CHECK(inner.choice.words() == "0.25: T.ret in line 3 is a name of 0.25");
}

TEST_CASE("a release may be named as it is installed") {
  CHECK(script::known_dialect("0.26.0") == Dialect::V0_26);
  CHECK(script::known_dialect("0.27.0.post1") == Dialect::V0_27);
  for (std::string_view name : {"0.26.", "0.2", "0.260", "0.26-0", "0.28.0", "0.26.x", ""}) {
    INFO(name);
    CHECK(!script::known_dialect(name));
  }
}

TEST_CASE("the names of what a script imports count for its release") {
  struct Helpers final : script::Loader {
    std::map<std::string, std::string, std::less<>> texts;
    std::shared_ptr<const syntax::Tree> load(std::string_view module, int, std::string_view) override {
      const auto it = texts.find(module);
      if (it == texts.end()) return nullptr;
      return syntax::Tree::parse(std::make_shared<text::Source>("kernels/" + it->first + ".py", it->second));
    }
  } loader;
  const std::string start = "from tvm.script import tirx as T\n";
  loader.texts = {{"old", start + "def f(b):\n    T.ret(b)\n"},
                  {"new", start + "def f():\n    return T.cuda.elect_sync()\n"},
                  {"said", "# tilewright: dialect 0.25\nSIZE = 4\n"},
                  {"ring", "import middle\n"},
                  {"middle", "import ring, new\n"}};
  auto words = [&](std::string_view text, const DialectHints& hints = {}) {
    const script::DialectFound f = script::find_dialect(*tree_of(start + std::string(text)), {}, hints, &loader);
    return f.wrong.empty() ? std::string(script::dialect_source_name(f.choice.source)) + " " + f.choice.words() : "";
  };
  CHECK(words("from old import f\n") == "names 0.25: T.ret in line 3 of old.py is a name of 0.25");
  CHECK(words("import ring\n") == "names 0.27: T.cuda.elect_sync in line 3 of new.py is a name of 0.27");
  CHECK(words("try:\n    import said\nexcept ImportError:\n    pass\n") ==
        "names 0.25: the comment in line 1 of said.py says 0.25");
  CHECK(words("import numpy\n").starts_with("assumed 0.27"));
  // Stronger than what is installed, as the script's own names are, and weaker than these.
  DialectHints hints;
  hints.installed = {Dialect::V0_26, ".venv has apache-tvm 0.26.0"};
  CHECK(words("from old import f\n", hints).starts_with("names 0.25"));
  CHECK(words("from old import f\nT.cuda.elect_sync()\n").starts_with("names 0.27: T.cuda.elect_sync in line 3 is"));
  // Of two helpers that no release has both the first decides; the other is told at its import.
  CHECK(words("import old, new\n").starts_with("names 0.25"));
  // What is imported in a function is not looked at.
  CHECK(words("def g():\n    import old\n").starts_with("assumed 0.27"));
}

TEST_CASE("two names that no release has both are an error that names both places") {
  const std::string text = std::string(kOld) + "    T.cuda.elect_sync()\n";
  const script::DialectFound f = found(text);
  REQUIRE(f.wrong.size() == 2);
  CHECK(f.wrong[0].words == "T.ret is a name of 0.25");
  CHECK(f.wrong[1].words == "T.cuda.elect_sync is a name of 0.27");
  script::EvaluateOptions options;
  options.dialect_hints = DialectHints();
  auto e = script::evaluate(tree_of(text), nullptr, {}, options);
  REQUIRE(e->diagnostics.size() == 1);
  CHECK(e->diagnostics[0].code == script::code::kDialect);
  CHECK(e->diagnostics[0].message ==
        "T.cuda.elect_sync is a name of 0.27, and T.ret is a name of 0.25: no release has both");
  REQUIRE(e->diagnostics[0].related.size() == 1);
  CHECK(e->anchors.resolve(e->diagnostics[0].related[0].span).begin == text.find("T.ret"));

  // Of three names the two that have no release in common.
  const script::DialectFound three =
      found("from tvm.script import tirx as T\ndef f(b):\n    T.Return(0)\n    T.cuda.elect_sync()\n    T.ret(b)\n");
  REQUIRE(three.wrong.size() == 2);
  CHECK(three.wrong[0].words == "T.Return is a name of 0.26 and 0.27");
  CHECK(three.wrong[1].words == "T.ret is a name of 0.25");

  DialectHints pins;
  pins.pins_disagree = "a pins apache-tvm==0.26.0, and b pins apache-tvm==0.27.0";
  CHECK(found("x = 1\n", pins).wrong.size() == 1);
  CHECK(found("# tilewright: dialect 0.26\n", pins).wrong.empty());
}

TEST_CASE("a helper of another release than its caller is a finding at the import") {
  struct Helper final : script::Loader {
    std::shared_ptr<const syntax::Tree> load(std::string_view module, int, std::string_view) override {
      if (module != "helper") return nullptr;
      return syntax::Tree::parse(std::make_shared<text::Source>(
          "helper.py", "from tvm.script import tirx as T\nSIZE = 4\ndef lead():\n    return T.cuda.elect_sync()\n"));
    }
  } loader;
  const std::string text = "from tvm.script import tirx as T\nfrom helper import SIZE\n";
  auto e = script::evaluate(tree_of(text), &loader, {}, {});
  REQUIRE(e->diagnostics.size() == 1);
  CHECK(e->diagnostics[0].code == script::code::kDialect);
  CHECK(e->diagnostics[0].message ==
        "helper.py is written in another release: T.cuda.elect_sync is a name of 0.27, and this script is in 0.25");
  CHECK(e->anchors.resolve(e->diagnostics[0].span).begin == text.find("from helper"));
  REQUIRE(e->diagnostics[0].related.size() == 1);
}
