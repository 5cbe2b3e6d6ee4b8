#include "compiler/syntax/vocabulary.h"

#include <array>
#include <atomic>
#include <string_view>
#include <vector>

#include "compiler/syntax/word_table.h"

namespace tilewright::syntax {
namespace {

// In the order of the enumerators.
constexpr WordTable kKinds(std::to_array<std::string_view>({
#define X(name) #name,
    TILEWRIGHT_SYNTAX_NODES(X)
#undef X
        "float",
    "true",
    "false",
    "none",
}));
static_assert(kKinds.find("none") == static_cast<std::size_t>(Kind::none_));

// The same, from the first behind Field::none on. Two are words of C++.
constexpr WordTable kFields([] {
  auto names = std::to_array<std::string_view>({
#define X(name) #name,
      TILEWRIGHT_SYNTAX_FIELDS(X)
#undef X
  });
  for (std::string_view& name : names) {
    if (name.ends_with('_')) name.remove_suffix(1);
  }
  return names;
}());

Kind named_kind(std::string_view name) {
  const std::size_t place = kKinds.find(name);
  return place == kKinds.kNone ? Kind::other_named : static_cast<Kind>(place);
}

Kind token_kind(std::string_view name) {
  if (name == "async") return Kind::token_async;
  if (name == "lambda") return Kind::token_lambda;
  if (name == ",") return Kind::token_comma;
  if (name == "=") return Kind::token_equal;
  if (name == "(" || name == "[" || name == "{") return Kind::token_open;
  return Kind::other_token;
}

Kind kind_of_symbol(TSSymbol symbol) {
  const TSLanguage* language = tree_sitter_tilescript();
  if (symbol >= ts_language_symbol_count(language)) return Kind::error;
  const char* name = ts_language_symbol_name(language, symbol);
  if (!name) return Kind::other_token;
  return ts_language_symbol_type(language, symbol) == TSSymbolTypeRegular ? named_kind(name) : token_kind(name);
}

// One more than the kind, by the number of the generated parser (a name may have several: aliases); 0: not met yet.
// Most scripts meet a fifth of them. Threads that meet one at the same time write the same.
constinit std::array<std::atomic<std::uint8_t>, 512> kinds_met{};
static_assert(static_cast<unsigned>(Kind::other_token) < 0xFF);

// The fields in both directions.
struct Fields {
  std::vector<Field> fields;                                // by the number of the generated parser
  std::array<TSFieldId, kFields.words().size() + 1> ids{};  // by Field; 0: the grammar has none

  static const Fields& get() {
    static const Fields fields;
    return fields;
  }

 private:
  Fields() {
    const TSLanguage* language = tree_sitter_tilescript();
    fields.assign(ts_language_field_count(language) + 1, Field::none);
    for (std::uint32_t i = 1; i < fields.size(); ++i) {
      const std::size_t place = kFields.find(ts_language_field_name_for_id(language, static_cast<TSFieldId>(i)));
      if (place == kFields.kNone) continue;
      fields[i] = static_cast<Field>(place + 1);
      ids[place + 1] = static_cast<TSFieldId>(i);
    }
  }
};

}  // namespace

Kind kind_of(TSNode node) {
  const TSSymbol symbol = ts_node_symbol(node);
  if (symbol >= kinds_met.size()) return kind_of_symbol(symbol);
  std::atomic<std::uint8_t>& met = kinds_met[symbol];
  std::uint8_t kind = met.load(std::memory_order_relaxed);
  if (kind == 0) {
    kind = static_cast<std::uint8_t>(static_cast<unsigned>(kind_of_symbol(symbol)) + 1);
    met.store(kind, std::memory_order_relaxed);
  }
  return static_cast<Kind>(kind - 1);
}

Field field_of(TSFieldId id) {
  static const Fields& known = Fields::get();
  return id < known.fields.size() ? known.fields[id] : Field::none;
}

TSNode child_of(TSNode node, Field field) {
  static const Fields& known = Fields::get();
  return ts_node_child_by_field_id(node, known.ids[static_cast<std::size_t>(field)]);
}

bool is_statement(Kind kind) {
  switch (kind) {
    case Kind::expression_statement:
    case Kind::return_statement:
    case Kind::raise_statement:
    case Kind::assert_statement:
    case Kind::delete_statement:
    case Kind::pass_statement:
    case Kind::break_statement:
    case Kind::continue_statement:
    case Kind::global_statement:
    case Kind::nonlocal_statement:
    case Kind::import_statement:
    case Kind::import_from_statement:
    case Kind::type_alias_statement:
    case Kind::if_statement:
    case Kind::while_statement:
    case Kind::for_statement:
    case Kind::try_statement:
    case Kind::with_statement:
    case Kind::match_statement:
    case Kind::function_definition:
    case Kind::class_definition:
    case Kind::decorated_definition: return true;
    default: return false;
  }
}

}  // namespace tilewright::syntax
