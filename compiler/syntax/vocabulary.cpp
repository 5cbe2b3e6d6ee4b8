#include "compiler/syntax/vocabulary.h"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright::syntax {
namespace {

Kind named_kind(std::string_view name) {
  static constexpr std::pair<std::string_view, Kind> kNames[] = {
#define X(name) {#name, Kind::name},
      TILEWRIGHT_SYNTAX_NODES(X)
#undef X
          {"float", Kind::float_},
      {"true", Kind::true_},
      {"false", Kind::false_},
      {"none", Kind::none_},
  };
  for (const auto& [text, kind] : kNames) {
    if (text == name) return kind;
  }
  return Kind::other_named;
}

Kind token_kind(std::string_view name) {
  if (name == "async") return Kind::token_async;
  if (name == "lambda") return Kind::token_lambda;
  if (name == ",") return Kind::token_comma;
  if (name == "=") return Kind::token_equal;
  if (name == "(" || name == "[" || name == "{") return Kind::token_open;
  return Kind::other_token;
}

// Indexed by the numbers of the generated parser; a name may have several (aliases).
struct Tables {
  std::vector<Kind> kinds;
  std::vector<Field> fields;

  static const Tables& get() {
    static const Tables tables;
    return tables;
  }

 private:
  Tables() {
    const TSLanguage* language = tree_sitter_tilescript();
    for (std::uint32_t i = 0; i < ts_language_symbol_count(language); ++i) {
      auto symbol = static_cast<TSSymbol>(i);
      const char* name = ts_language_symbol_name(language, symbol);
      bool named = ts_language_symbol_type(language, symbol) == TSSymbolTypeRegular;
      kinds.push_back(!name ? Kind::other_token : named ? named_kind(name) : token_kind(name));
    }
    fields.assign(ts_language_field_count(language) + 1, Field::none);
    for (std::uint32_t i = 1; i < fields.size(); ++i) {
      std::string_view name = ts_language_field_name_for_id(language, static_cast<TSFieldId>(i));
      if (name == "operator") name = "operator_";
      if (name == "class") name = "class_";
      static constexpr std::pair<std::string_view, Field> kNames[] = {
#define X(name) {#name, Field::name},
          TILEWRIGHT_SYNTAX_FIELDS(X)
#undef X
      };
      for (const auto& [text, field] : kNames) {
        if (text == name) fields[i] = field;
      }
    }
  }
};

}  // namespace

Kind kind_of(TSNode node) {
  static const Tables& tables = Tables::get();
  TSSymbol symbol = ts_node_symbol(node);
  return symbol < tables.kinds.size() ? tables.kinds[symbol] : Kind::error;
}

Field field_of(TSFieldId id) {
  static const Tables& tables = Tables::get();
  return id < tables.fields.size() ? tables.fields[id] : Field::none;
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
