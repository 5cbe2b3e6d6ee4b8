// The words that an editor offers name what exists: one that the evaluator does not know would be completed into an
// error.
#include <set>

#include "compiler/ir/primitive.h"
#include "compiler/script/evaluate.h"
#include "compiler/script/surface.h"
#include "tests/unit/catch.h"

using namespace tilewright;

namespace {

const script::Surface& surface() { return script::surface_of(text::kDefaultDialect); }

std::vector<const script::Record*> words() {
  std::vector<const script::Record*> out;
  for (std::string_view space : {"T", "Tx", "layout", "buffer"}) {
    for (const script::Record* r : surface().names(space)) {
      if (r->is_word()) out.push_back(r);
    }
  }
  return out;
}

}  // namespace

TEST_CASE("each word is known to the evaluator") {
  for (const script::Record* word : words()) {
    const script::Record& w = *word;
    if (w.space == "buffer") continue;  // of an object: script_surface.cpp has one
    std::string name(w.name);
    std::string script = w.space == "layout" ? "from tvm.tirx.layout import " + name + " as found\n"
                         : w.space == "Tx"   ? "found = Tx." + name + "\n"
                                             : "found = T." + name + "\n";
    script = "from tvm.script import tirx as T\nfrom tvm.script.tirx import tile as Tx\n" + script;
    auto tree = syntax::Tree::parse(std::make_shared<text::Source>("word.py", script));
    auto e = script::evaluate(tree, nullptr, {}, {});
    INFO(w.space << "." << name);
    auto* found = e->module->find("found");
    REQUIRE(found);
    CHECK(!found->value.is_opaque());
    CHECK(e->interpreter().failures().empty());
  }
}

TEST_CASE("words stand once in their space, and each has a sentence") {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const script::Record* word : words()) {
    const script::Record& w = *word;
    CHECK(seen.insert({w.space, w.name}).second);
    CHECK(!w.documentation.empty());
    CHECK(surface().find(w.space, w.name) == &w);
  }
}

TEST_CASE("the words of Tx and the table of tile primitives name the same") {
  for (const ir::Primitive& row : ir::primitives()) {
    if (!row.releases.has(text::kDefaultDialect)) continue;
    INFO(row.name);
    const script::Record* word = surface().find("Tx", row.name);
    REQUIRE(word);
    CHECK(word->kind == script::NameKind::Primitive);
    CHECK(word->signature == row.signature());
    CHECK(word->documentation == row.words);
  }
  for (const script::Record* word : words()) {
    const script::Record& w = *word;
    INFO(w.space << "." << w.name);
    CHECK((w.kind == script::NameKind::Primitive) == (w.space == "Tx" && ir::find_primitive(w.name) != nullptr));
  }
}

TEST_CASE("each tile primitive is found at each scope") {
  std::string script = "from tvm.script import tirx as T\nfrom tvm.script.tirx import tile as Tx\nfound = [";
  std::size_t count = 0;
  for (const ir::Primitive& row : ir::primitives()) {
    if (!row.releases.has(text::kDefaultDialect)) continue;
    ++count;
    for (std::string_view scope : {"Tx", "Tx.thread", "Tx.warp", "Tx.wg", "Tx.warpgroup", "Tx.cta", "Tx.cluster"}) {
      script.append(scope).append(".").append(row.name).append(", ");
    }
  }
  script += "]\n";
  auto tree = syntax::Tree::parse(std::make_shared<text::Source>("scopes.py", script));
  auto e = script::evaluate(tree, nullptr, {}, {});
  CHECK(e->interpreter().failures().empty());
  auto* found = e->module->find("found");
  REQUIRE(found);
  REQUIRE(found->value.as<script::List>());
  CHECK(found->value.as<script::List>()->items.size() == 7 * count);
}
