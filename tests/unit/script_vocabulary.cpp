// The vocabulary names what exists: a word that the evaluator does not know would be completed into an error.
#include <set>

#include "compiler/script/evaluate.h"
#include "compiler/script/vocabulary.h"
#include "tests/unit/catch.h"

using namespace tilewright;

TEST_CASE("each word of the vocabulary is known to the evaluator") {
  for (const script::Word& w : script::vocabulary()) {
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
  for (const script::Word& w : script::vocabulary()) {
    CHECK(seen.insert({w.space, w.name}).second);
    CHECK(!w.documentation.empty());
    CHECK(script::find_word(w.space, w.name) == &w);
  }
}
