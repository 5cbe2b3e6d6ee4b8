// Tables of words that are known when the compiler is built, and the grammar's own words.
#include <set>
#include <string>

#include "compiler/syntax/vocabulary.h"
#include "compiler/syntax/word_table.h"
#include "tests/unit/catch.h"

using namespace tilewright::syntax;

namespace {

constexpr WordTable kWords(std::to_array<std::string_view>({"len", "range", "", "ran", "ranger", "__init__"}));
static_assert(kWords.find("range") == 1);

// As grammar.js names what C++ has taken the word of.
std::string plain(std::string name) {
  if (name.ends_with('_')) name.pop_back();
  return name;
}

}  // namespace

TEST_CASE("a table of words finds each at its place, and no other") {
  for (std::size_t i = 0; i < kWords.words().size(); ++i) CHECK(kWords.find(kWords.words()[i]) == i);
  for (std::string_view other : {"l", "rang", "rangers", "Len", "init", " "}) CHECK(kWords.find(other) == kWords.kNone);
  // The letters decide, where hashes agree.
  CHECK(kWords.find("other", hash_name("range")) == kWords.kNone);
}

TEST_CASE("each field that conversion reads is one of the grammar, and the child in it is found") {
  const TSLanguage* language = tree_sitter_tilescript();
  std::set<std::string> known;
#define X(name) known.insert(plain(#name));
  TILEWRIGHT_SYNTAX_FIELDS(X)
#undef X
  for (const std::string& name : known) {
    INFO(name);
    const TSFieldId id = ts_language_field_id_for_name(language, name.data(), static_cast<std::uint32_t>(name.size()));
    CHECK(id != 0);
    CHECK(field_of(id) != Field::none);
  }
  CHECK(field_of(0) == Field::none);
  CHECK(field_of(static_cast<TSFieldId>(ts_language_field_count(language) + 1)) == Field::none);

  const std::string text = "x: int = 1\n";
  TSParser* parser = ts_parser_new();
  ts_parser_set_language(parser, language);
  TSTree* tree = ts_parser_parse_string(parser, nullptr, text.data(), static_cast<std::uint32_t>(text.size()));
  TSNode node = ts_node_named_child(ts_tree_root_node(tree), 0);
  if (kind_of(node) == Kind::expression_statement) node = ts_node_named_child(node, 0);
  CHECK(kind_of(node) == Kind::assignment);
  CHECK(kind_of(child_of(node, Field::left)) == Kind::identifier);
  CHECK(kind_of(child_of(node, Field::right)) == Kind::integer);
  CHECK(ts_node_is_null(child_of(node, Field::cause)));
  ts_tree_delete(tree);
  ts_parser_delete(parser);
}

TEST_CASE("each kind of node is known by the name that the grammar gives it") {
  const TSLanguage* language = tree_sitter_tilescript();
  std::size_t named = 0;
#define X(name)                                                                                                    \
  {                                                                                                                \
    const std::string word = #name;                                                                                \
    INFO(word);                                                                                                    \
    CHECK(ts_language_symbol_for_name(language, word.data(), static_cast<std::uint32_t>(word.size()), true) != 0); \
    ++named;                                                                                                       \
  }
  TILEWRIGHT_SYNTAX_NODES(X)
#undef X
  CHECK(named == static_cast<std::size_t>(Kind::float_));
}
