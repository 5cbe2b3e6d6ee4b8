// Answers about statements that are remembered by their text.
#include "compiler/syntax/statement_bit.h"
#include "tests/unit/catch.h"
#include "tests/unit/syntax_testing.h"

using namespace tilewright::syntax;
using namespace tilewright::syntax::testing;

TEST_CASE("an answer about a statement is asked for once, and never given for another one") {
  static StatementBit has_two;
  std::size_t asked = 0;
  auto answers = [&](const Tree& tree) {
    std::string out;
    for (const Tree::Statement& s : tree.statements()) {
      out += has_two.of(*s.node, [&](const TopLevel& one) { return ++asked, one.text.contains('2'); }) ? 'y' : 'n';
    }
    return out;
  };
  const auto first = Tree::parse(source("x = 1\ny = 2\nz = 3\n"));
  CHECK(answers(*first) == "nyn");
  CHECK(asked == 3);
  const auto after = Tree::reparse(*first, source("\nx = 1\ny = 4\nz = 3\n"));
  CHECK(answers(*after) == "nnn");
  CHECK(asked == 4);
  // More statements than answers are kept.
  std::string text;
  for (int i = 0; i < 9'000; ++i) text += i % 3 == 0 ? "a = 2\n" : "a = 1\n";
  const auto large = Tree::parse(source(text));
  for (int turn = 0; turn < 2; ++turn) {
    const std::string given = answers(*large);
    for (std::size_t i = 0; i < given.size(); ++i) REQUIRE(given[i] == (i % 3 == 0 ? 'y' : 'n'));
  }
  CHECK(answers(*after) == "nnn");
}
