// The surface against the evaluator, both ways: a record that denotes nothing would be completed into an error, a name
// without a record could neither be completed nor explained.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "compiler/expr/dtype_names.h"
#include "compiler/intrinsics/intrinsic.h"
#include "compiler/script/dialect.h"
#include "compiler/script/evaluate.h"
#include "compiler/script/prelude.h"
#include "compiler/script/releases.h"
#include "compiler/script/surface.h"
#include "compiler/script/tirx/modules.h"
#include "compiler/text/nearest.h"
#include "tests/unit/catch.h"

using namespace tilewright;
using script::NameKind;
using script::Record;
using script::Surface;
using text::Dialect;

namespace {

constexpr std::string_view kHead =
    "from tvm.script import tirx as T\n"
    "from tvm.script.tirx import tile as Tx\n"
    "from tvm.tirx.layout import S, R, TileLayout, SwizzleLayout, ComposeLayout, Iter, Axis, laneid\n"
    "import tvm.tirx.layout as layout\n"
    "import tvm.tirx.lang.pipeline as lang\n"
    "import numpy as unknown\n"
    "tiled = TileLayout(S[(8, 4) : (4, 1)])\n"
    "composed = ComposeLayout(SwizzleLayout(3, 3, 3), tiled)\n"
    "step = Iter(8, 1, \"m\")\n";

std::unique_ptr<script::Evaluation> evaluated(const std::string& text, const script::EvaluateOptions& options = {}) {
  return script::evaluate(syntax::Tree::parse(std::make_shared<text::Source>("names.py", text)), nullptr, {}, options);
}

// How a script reaches a record; empty: only on an object of a kernel.
std::string spelled(const Record& r) {
  std::string name(r.name);
  if (r.space == "buffer") return "tensor." + name;
  if (r.space == "Layout") return "composed." + name;
  if (r.space == "Iter") return "step." + name;
  if (r.space == "axis") return "laneid." + name;
  return std::string(r.space) + "." + name;
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> out;
  std::string part;
  int depth = 0;
  for (char c : text) {
    depth += (c == '(' || c == '[') - (c == ')' || c == ']');
    if (c == ',' && depth == 0) {
      out.push_back(std::exchange(part, {}));
    } else if (c != ' ' || !part.empty()) {
      part += c;
    }
  }
  if (!part.empty()) out.push_back(part);
  return out;
}

// The messages of each line of a script, from 1.
std::map<std::uint32_t, std::string> messages(const std::string& text) {
  auto e = evaluated(text);
  std::map<std::uint32_t, std::string> out;
  for (const text::Diagnostic& d : e->diagnostics) {
    text::Anchors::Place place = e->anchors.resolve(d.span);
    if (place.source) out[place.source->position(place.begin).line + 1] += d.message + "\n";
  }
  return out;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

const Surface& v25() { return script::surface_of(Dialect::V0_25); }

}  // namespace

TEST_CASE("each record of the surface denotes something") {
  auto e = evaluated(std::string(kHead));
  REQUIRE(e->diagnostics.empty());
  ArenaScope arena(e->arena());
  script::Interpreter& in = e->interpreter();
  std::map<std::string_view, script::Value> owners = {{"Layout", e->module->find("composed")->value},
                                                      {"Iter", e->module->find("step")->value},
                                                      {"axis", e->module->find("laneid")->value},
                                                      {"buffer", in.buffer_value(Arena::current().make<ir::Buffer>())}};
  std::size_t seen = 0;
  for (const Record* record : v25().records()) {
    const Record& r = *record;
    INFO(r.space << "." << r.name);
    CHECK(v25().find(r.space, r.name) == &r);  // once in its space
    CHECK(!r.documentation.empty());
    CHECK((r.function || r.make));
    auto owner = owners.find(r.space);
    script::Value v = owner != owners.end() ? in.member_of(owner->second, r.space, r.name) : in.denoted(r);
    if (r.kind == NameKind::Elsewhere) {
      REQUIRE(v.is_error());
      CHECK(has(in.take_pending().diagnostic.message, "is not available: it "));
    } else {
      CHECK(!v.is_error());
      CHECK(!v.is_opaque());
      if (owner == owners.end()) CHECK(in.is_identical(v, in.denoted(r)));
    }
    CHECK(!in.has_pending());
    ++seen;
  }
  CHECK(seen > 500);
}

TEST_CASE("whatever the evaluator and the tables behind it know is a record") {
  for (const intrinsics::Intrinsic& row : intrinsics::table()) {
    if (!intrinsics::is_intrinsic(text::kDefaultDialect, row.name)) continue;
    std::string path = "T." + std::string(row.name);
    std::size_t dot = path.rfind('.');
    const Record* r = v25().find(std::string_view(path).substr(0, dot), std::string_view(path).substr(dot + 1));
    INFO(path);
    REQUIRE(r);
    CHECK(r->kind == NameKind::Instruction);
    CHECK(r->detail == row.name);
  }
  for (std::string_view name : ir::dtype_names())
    CHECK((v25().find("T", name) || name == "void" || name.ends_with("128")));

  // Every word that stands in quotes in the evaluator's own text, asked for as a script would.
  std::set<std::string> words;
  namespace fs = std::filesystem;
  for (const auto& entry : fs::recursive_directory_iterator(TILEWRIGHT_SOURCE_DIR "/compiler/script")) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".py") continue;
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    static const std::regex word("\"([A-Za-z_][A-Za-z0-9_]*)\"");
    std::string all = text.str();
    for (std::sregex_iterator it(all.begin(), all.end(), word), end; it != end; ++it) words.insert((*it)[1]);
  }
  CHECK(words.size() > 800);
  auto e = evaluated(std::string(kHead));
  ArenaScope arena(e->arena());
  script::Interpreter& in = e->interpreter();
  for (auto [space, module] : {std::pair("T", "T"), {"Tx", "Tx"}, {"layout", "layout"}, {"Axis", "Axis"}}) {
    script::Value owner = e->module->find(module)->value;
    for (const std::string& word : words) {
      script::Value v = in.attribute(owner, word, {});
      if (v.is_error()) {
        in.take_pending();
        continue;
      }
      INFO(space << "." << word);
      auto dtype = ir::parse_dtype(word);
      // A module of the reference also gives what it imports itself.
      bool imported = space == std::string_view("layout") && script::lists_name("tvm.tirx.layout", word);
      CHECK((v25().find(space, word) || (dtype && dtype->lanes > 1) || imported));
    }
  }
}

// What a call takes is told by how it refuses: a keyword that it lacks, one that is missing, one too many.
TEST_CASE("signatures say what the evaluator accepts") {
  struct Probe {
    std::string statement, expected;
    bool refused;
  };
  std::set<std::string> keywords;
  std::vector<const Record*> functions;
  for (const Record* record : v25().records()) {
    const Record& r = *record;
    if (r.kind != NameKind::Function || !r.function || r.name.starts_with('_') || r.space == "lang") continue;
    functions.push_back(record);
    for (const std::string& p : split(r.signature)) {
      if (!p.starts_with('*')) keywords.insert(p.substr(0, p.find('=')));
    }
  }
  std::size_t exact = 0;
  for (const Record* r : functions) {
    std::vector<std::string> names, required;
    bool open = false;  // takes any number of operands
    for (const std::string& p : split(r->signature)) {
      if (p.starts_with('*')) {
        open = true;
        continue;
      }
      names.push_back(p.substr(0, p.find('=')));
      if (!has(p, "=")) required.push_back(names.back());
    }
    std::vector<Probe> probes;
    auto call = [&](const std::string& arguments) { return spelled(*r) + "(" + arguments + ")"; };
    auto no_such = [](const std::string& keyword) { return "has no argument '" + keyword + "'"; };
    probes.push_back({call("no_such_name=unknown.x"), no_such("no_such_name"), true});
    for (const std::string& k : keywords) {
      bool mine = std::ranges::find(names, k) != names.end();
      probes.push_back({call(k + "=unknown.x"), no_such(k), !mine});
    }
    for (const std::string& missing : required) {
      std::string arguments;
      for (const std::string& other : required) {
        if (other != missing) arguments += (arguments.empty() ? "" : ", ") + other + "=unknown.x";
      }
      probes.push_back({call(arguments), "needs the argument '" + missing + "'", true});
    }
    if (!open) {
      std::string arguments = "unknown.x";
      for (std::size_t i = 0; i < names.size(); ++i) arguments += ", unknown.x";
      probes.push_back({call(arguments), "takes at most " + std::to_string(names.size()) + " positional", true});
    }
    std::string text(kHead);
    text += "@T.prim_func\ndef kernel(tensor: T.Buffer((8,), \"float32\")):\n    T.device_entry()\n";
    std::uint32_t line = static_cast<std::uint32_t>(std::ranges::count(text, '\n')), first = line + 1;
    for (const Probe& p : probes) text += "    " + p.statement + "\n";
    auto said = messages(text);
    // Those that look at their arguments one by one refuse no keyword in these words: nothing is enumerable there.
    if (!has(said[first], probes[0].expected)) continue;
    ++exact;
    for (std::size_t i = 0; i < probes.size(); ++i) {
      const std::string& answer = said[first + static_cast<std::uint32_t>(i)];
      INFO(probes[i].statement << ": " << answer);
      bool refused = has(answer, probes[i].expected) || has(answer, "a buffer takes the name it is assigned to");
      CHECK(refused == probes[i].refused);
    }
  }
  CHECK(exact > 80);
}

TEST_CASE("a class of the prelude is listed with the parameters of its constructor") {
  for (const Record* record : v25().names("T")) {
    const Record& r = *record;
    if (!script::is_of_prelude(r) || r.kind != NameKind::Class) continue;
    INFO(r.name);
    auto e = evaluated(std::string(kHead));
    ArenaScope arena(e->arena());
    script::Value v = e->interpreter().denoted(r);
    auto* cls = v.as<script::Class>();
    REQUIRE(cls);
    script::Value* init = cls->find("__init__");
    std::string listed;
    if (auto* f = init ? init->as<script::Function>() : nullptr) {
      for (const syntax::Parameter& p : f->def->params) {
        if (p.name.text == "self") continue;
        listed += (listed.empty() ? "" : ",") + std::string(p.name.text) + (p.default_value ? "=" : "");
      }
    }
    std::string signature;
    for (const std::string& p : split(r.signature)) {
      if (p == "*") continue;
      signature += (signature.empty() ? "" : ",") + p.substr(0, p.find('=')) + (has(p, "=") ? "=" : "");
    }
    CHECK(signature == listed);
  }
}

TEST_CASE("a name of another release is not known, and the hint says who has it") {
  CHECK(!v25().find("T.cuda", "elect_sync"));
  CHECK(v25().advice("T.cuda", "elect_sync") == "T.cuda.elect_sync is 0.27; 0.25 writes T.ptx.elect_sync");
  CHECK(v25().advice("T", "Optional") == "T.Optional is 0.26; 0.25 has nothing like it");
  CHECK(v25().advice("T.ptx.mbarrier.init", "shared") ==
        "T.ptx.mbarrier.init.shared.b64 is 0.27; 0.25 writes T.ptx.mbarrier.init");
  CHECK(v25().advice("buffer", "rearrange") == ".rearrange is 0.26; 0.25 has nothing like it");
  CHECK(v25().advice("T.SMEMPool", "alloc_tcgen05_mma_AB") ==
        "T.SMEMPool.alloc_tcgen05_mma_AB is 0.26; 0.25 writes T.SMEMPool.alloc_mma");
  // Through two releases.
  CHECK(v25().advice("T.ptx", "cp") ==
        "T.ptx.cp is 0.27; 0.25 writes T.ptx.cp_async.bulk.commit_group, T.ptx.cp_async_bulk_s2g or "
        "T.ptx.cp_async_bulk_prefetch");
  CHECK(v25().advice("T.ptx.cp.async_.bulk", "tensor") ==
        "T.ptx.cp.async_.bulk.tensor is 0.27; 0.25 writes T.ptx.cp_async.bulk.tensor.g2c");

  const Surface& later = script::surface_of(Dialect::V0_27);
  CHECK(!later.find("T.ptx", "any_sync"));
  const Record* renamed = later.find("T.cuda", "any_sync");
  REQUIRE(renamed);
  CHECK(renamed->detail == "cuda.any_sync");
  CHECK(later.advice("T.ptx", "any_sync") == "T.ptx.any_sync is 0.26; 0.27 writes T.cuda.any_sync");
  CHECK(later.advice("T", "TMEMStages") == "T.TMEMStages is 0.25; 0.27 has nothing like it");
  CHECK(later.find("T", "uint128"));
  CHECK_FALSE(v25().find("T", "uint128"));
  CHECK(later.find("T.ptx", "mbarrier"));
  CHECK(later.find("T.ptx", "ld"));
  CHECK(later.find("T", "Optional"));
  CHECK(later.find("T", "BufferLoad"));
}

TEST_CASE("changes are listed by release, and start from names that the release before has") {
  auto all = script::changes();
  const Surface& v26 = script::surface_of(Dialect::V0_26);
  CHECK(std::ranges::is_sorted(all, {}, &script::Change::release));
  for (const script::Change& c : all) {
    INFO(c.was << " -> " << c.is);
    using enum script::Change::Kind;
    CHECK(c.was.empty() == (c.kind == Added));
    CHECK(c.is.empty() == (c.kind == Dropped));
    if (c.was.empty() || c.was == "Tx.compose_op") continue;  // which never was of use on CUDA
    std::string_view space = c.was.substr(0, c.was.rfind('.')), name = c.was.substr(c.was.rfind('.') + 1);
    bool of_prelude = space.ends_with("Pool");
    CHECK((of_prelude || v25().find(space, name) || (c.release == Dialect::V0_27 && v26.find(space, name))));
  }
}

TEST_CASE("each release has the names that the changes leave it, of every table") {
  auto find = [](const Surface& surface, std::string_view path) {
    const std::size_t dot = path.rfind('.');
    return surface.find(path.substr(0, dot), path.substr(dot + 1));
  };
  for (const text::DialectName& release : text::kDialects) {
    const Surface& surface = script::surface_of(release.dialect);
    for (const script::Change& c : script::changes()) {
      INFO(release.name << ": " << c.was << " -> " << c.is);
      using enum script::Change::Kind;
      if (c.release > release.dialect) {
        CHECK((c.kind != Added || !find(surface, c.is)));
      } else if (c.kind != Added && c.kind != Beside) {
        const Record* gone = find(surface, c.was);  // or another thing of this name
        CHECK((!gone || gone->releases.since >= c.release));
      }
    }
  }
  // 0.27 has the families of PTX by their words, and nothing of them stands elsewhere.
  const Surface& latest = script::surface_of(Dialect::V0_27);
  CHECK(find(latest, "T.ptx")->children == "T.ptx");
  for (std::string_view path : {"T.ptx.SINK", "T.ptx.addr", "T.ptx.pred", "T.ptx.tcgen05", "T.ptx.lop3"})
    CHECK(find(latest, path));
  const auto names = latest.names("T.ptx");
  CHECK(names.size() > 100);
  for (const Record* r : latest.records()) {
    INFO(r->space << "." << r->name);
    CHECK(latest.find(r->space, r->name) == r);
    CHECK((r->space == "T.ptx") == (std::ranges::find(names, r) != names.end()));
  }
}

TEST_CASE("the modules below tvm.tirx.lang give the prelude and nothing else") {
  const Record* pipeline = v25().find("lang", "Pipeline");
  REQUIRE(pipeline);
  CHECK(pipeline == v25().find("T", "Pipeline"));
  CHECK(v25().find("lang", "_element_bits"));
  CHECK(!v25().find("T", "_element_bits"));
  CHECK(!v25().find("lang", "prim_func"));
  auto names = v25().names("lang");
  CHECK(std::ranges::find(names, pipeline) != names.end());
}

TEST_CASE("an unknown name brings the nearest that there is") {
  CHECK(v25().advice("T", "alloc_bufer") == "did you mean T.alloc_buffer?");
  CHECK(v25().advice("Tx", "coppy") == "did you mean Tx.copy?");
  CHECK(v25().advice("T.ptx.mbarrier", "innit") == "did you mean T.ptx.mbarrier.init?");
  CHECK(v25().advice("layout", "SwizzleLayuot") == "did you mean SwizzleLayout?");
  CHECK(v25().advice("buffer", "veiw") == "did you mean .view?");
  CHECK(v25().advice("T", "nothing_of_the_kind").empty());
  CHECK(v25().advice("T", "__rang__").empty());  // private names are not offered

  auto e = evaluated("from tvm.script import tirx as T\n@T.prim_func\ndef f():\n    T.device_entri()\n");
  REQUIRE(e->diagnostics.size() == 1);
  CHECK(e->diagnostics[0].message == "'T' has no attribute 'device_entri'");
  CHECK(e->diagnostics[0].hint == "did you mean T.device_entry?");

  // Below an instruction that is no namespace in this release.
  auto below = evaluated(
      "from tvm.script import tirx as T\n@T.prim_func\ndef f():\n    T.device_entry()\n"
      "    T.ptx.mbarrier.init.shared.b64(0, 1)\n");
  REQUIRE(below->diagnostics.size() == 1);
  CHECK(below->diagnostics[0].hint == "T.ptx.mbarrier.init.shared.b64 is 0.27; 0.25 writes T.ptx.mbarrier.init");
}

TEST_CASE("the hint to a name of a later release is what this one has for it, and not what stood for that before") {
  CHECK(v25().advice("T.ptx.ld", "global_") == "T.ptx.ld.global_ is 0.27; 0.25 writes T.ptx.ld");
  CHECK(v25().advice("T.ptx", "add") == "T.ptx.add is 0.27; 0.25 writes T.ptx.add_f32");
}

TEST_CASE("importing a name that a module of the dialect lacks is an error where it stands") {
  auto e = evaluated(
      "from tvm.tirx.layout import TileLayuot, tmem_mma_operand_layout, Sequence\n"
      "from tvm.tirx.lang.pipeline import MBarier\n");
  REQUIRE(e->diagnostics.size() == 3);
  CHECK(e->diagnostics[0].message == "'tvm.tirx.layout' has no name 'TileLayuot'");
  CHECK(e->diagnostics[0].hint == "did you mean TileLayout?");
  CHECK(e->diagnostics[1].hint == "tmem_mma_operand_layout is 0.26; 0.25 has nothing like it");
  CHECK(e->diagnostics[2].hint == "did you mean MBarrier?");
  CHECK(e->module->find("TileLayuot")->value.is_poison());
}

TEST_CASE("the release is what an option says, else the comment, else the project's") {
  auto comment = [](std::string_view line) {
    auto source = std::make_shared<text::Source>("c.py", "import math\n" + std::string(line) + "\n");
    return script::dialect_comment(*syntax::Tree::parse(source));
  };
  CHECK(comment("# tilewright: dialect 0.25")->dialect == Dialect::V0_25);
  CHECK(comment("# tilewright: tvm=0.25")->dialect == Dialect::V0_25);
  CHECK(!comment("# tilewright: arch sm_90a"));
  CHECK(comment("# tilewright: dialect 0.27")->dialect == Dialect::V0_27);
  CHECK(comment("# tilewright: dialect 9")->dialect.error() ==
        "there is no release '9' of the dialect; this version reads 0.25, 0.26, 0.27");

  const std::string later =
      "# tilewright: dialect 9\nfrom tvm.script import tirx as T\n@T.prim_func\ndef f():\n    T.device_entry()\n";
  auto refused = evaluated(later);
  REQUIRE(refused->diagnostics.size() == 1);
  CHECK(refused->diagnostics[0].code == script::code::kDialect);
  CHECK(refused->anchors.resolve(refused->diagnostics[0].span).begin == 0);
  CHECK(refused->entries.empty());
  script::EvaluateOptions outright;
  outright.dialect = Dialect::V0_25;
  auto taken = evaluated(later, outright);
  CHECK(taken->diagnostics.empty());
  CHECK(taken->dialect.dialect == Dialect::V0_25);
  CHECK(taken->entries.size() == 1);
}

TEST_CASE("a script and what it imports are of one release") {
  struct Helper final : script::Loader {
    std::shared_ptr<const syntax::Tree> load(std::string_view module, int, std::string_view) override {
      if (module != "helper") return nullptr;
      return syntax::Tree::parse(std::make_shared<text::Source>("helper.py", "# tilewright: dialect 9\nSIZE = 4\n"));
    }
  } loader;
  auto source = std::make_shared<text::Source>("main.py", "from helper import SIZE\n");
  auto e = script::evaluate(syntax::Tree::parse(source), &loader, {}, {});
  REQUIRE(e->diagnostics.size() == 1);
  CHECK(e->diagnostics[0].code == script::code::kDialect);
  CHECK(e->diagnostics[0].message ==
        "helper.py: there is no release '9' of the dialect; this version reads 0.25, 0.26, 0.27");
}

TEST_CASE("near is what one or two edits make of a word") {
  CHECK(text::edit_distance("copy", "copy", 2) == 0);
  CHECK(text::edit_distance("cpoy", "copy", 2) == 1);  // neighbours exchanged
  CHECK(text::edit_distance("cop", "copy", 2) == 1);
  CHECK(text::edit_distance("kopie", "copy", 2) == 3);  // above the limit
  auto nearest = [](std::string_view wrong, std::initializer_list<std::string_view> names) {
    text::Nearest near(wrong);
    for (std::string_view name : names) near.consider(name);
    return near.found();
  };
  CHECK(nearest("seriel", {"serial", "parallel"}) == "serial");
  CHECK(nearest("maxx", {"min", "max", "maxi"}) == "max");  // of equals the first
  CHECK(nearest("mx", {"max"}) == "max");
  CHECK(nearest("all", {"Call"}).empty());  // a short word keeps its first letter
  CHECK(nearest("cal", {"Call"}).empty());
  CHECK(nearest("itd", {"tid"}) == "tid");  // its first two exchanged
  CHECK(nearest("bar", {"mbar"}).empty());
  CHECK(nearest("x", {"y"}).empty());
  CHECK(nearest("relu", {"silu"}).empty());  // two edits make another word of so few letters
  CHECK(nearest("mean", {"max"}).empty());
  text::Nearest few("bar", text::Nearest::Among::Few);  // a keyword of a call, say
  few.consider("mbar");
  CHECK(few.found() == "mbar");
  text::Nearest letter("c", text::Nearest::Among::Few);
  letter.consider("A");
  CHECK(letter.found().empty());
  letter.consider("C");  // a letter in the other case
  CHECK(letter.found() == "C");
  CHECK(nearest("t", {"T"}).empty());
}
