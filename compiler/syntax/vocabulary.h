// Node kinds and fields of the grammar as enumerators, so that a walk over the tree switches on small numbers.
#pragma once
#include <tree_sitter/api.h>

#include <cstddef>
#include <cstdint>

extern "C" const TSLanguage* tree_sitter_tilescript(void);
// The scanner sets the flag where the parser of this thread begins to repair; null: none.
extern "C" void tree_sitter_tilescript_stop_at_error(std::size_t* flag);

namespace tilewright::syntax {

// Named nodes, by the names of grammar/NODES.md.
// clang-format off
#define TILEWRIGHT_SYNTAX_NODES(X)                                                                                 \
  X(module) X(block) X(comment) X(line_continuation)                                                               \
  /* statements */                                                                                                 \
  X(expression_statement) X(assignment) X(augmented_assignment) X(return_statement) X(raise_statement)             \
  X(assert_statement) X(delete_statement) X(pass_statement) X(break_statement) X(continue_statement)               \
  X(global_statement) X(nonlocal_statement) X(import_statement) X(import_from_statement) X(dotted_name)            \
  X(aliased_import) X(relative_import) X(import_prefix) X(wildcard_import) X(type_alias_statement) X(if_statement) \
  X(elif_clause) X(else_clause) X(while_statement) X(for_statement) X(try_statement) X(except_clause)              \
  X(finally_clause) X(with_statement) X(with_item) X(match_statement) X(case_clause) X(function_definition)        \
  X(class_definition) X(decorated_definition) X(decorator) X(parameters) X(lambda_parameters) X(typed_parameter)   \
  X(default_parameter) X(typed_default_parameter) X(list_splat_pattern) X(dictionary_splat_pattern)                \
  X(keyword_separator) X(positional_separator) X(type_parameters)                                                  \
  /* expressions */                                                                                                \
  X(identifier) X(integer) X(imaginary) X(ellipsis) X(string) X(string_start) X(string_content)                    \
  X(escape_sequence) X(string_end) X(interpolation) X(type_conversion) X(format_specifier) X(concatenated_string)  \
  X(list) X(tuple) X(set) X(dictionary) X(pair) X(list_comprehension) X(set_comprehension)                         \
  X(dictionary_comprehension) X(generator_expression) X(for_in_clause) X(if_clause) X(parenthesized_expression)    \
  X(attribute) X(subscript) X(slice) X(call) X(argument_list) X(keyword_argument) X(list_splat)                    \
  X(dictionary_splat) X(binary_operator) X(unary_operator) X(not_operator) X(boolean_operator)                     \
  X(comparison_operator) X(conditional_expression) X(named_expression) X(lambda) X(await) X(yield)                 \
  X(expression_list)                                                                                               \
  /* patterns */                                                                                                   \
  X(as_pattern) X(or_pattern) X(parenthesized_pattern) X(sequence_pattern) X(star_pattern) X(mapping_pattern)      \
  X(pair_pattern) X(double_star_pattern) X(class_pattern) X(keyword_pattern)                                       \
  /* what is missing */                                                                                            \
  X(indented_block) X(block_header) X(header_rest) X(closing_quote) X(valid_escape) X(handler)

#define TILEWRIGHT_SYNTAX_FIELDS(X)                                                                                  \
  X(left) X(right) X(type) X(operator_) X(value) X(exception) X(cause) X(condition) X(message) X(target) X(name)     \
  X(alias) X(module_name) X(consequence) X(alternative) X(body) X(subject) X(parameters) X(return_type) X(arguments) \
  X(definition) X(expression) X(type_conversion) X(format_specifier) X(key) X(object) X(attribute) X(subscript)      \
  X(start) X(stop) X(step) X(function) X(operators) X(argument) X(pattern) X(guard) X(class_)
// clang-format on

enum class Kind : std::uint8_t {
#define X(name) name,
  TILEWRIGHT_SYNTAX_NODES(X)
#undef X
  // Words of the language whose names C++ has taken.
  float_,
  true_,
  false_,
  none_,
  // Tokens that carry meaning.
  token_async,
  token_lambda,
  token_comma,
  token_equal,
  token_open,
  token_operator,
  error,
  other_named,
  other_token,
};

enum class Field : std::uint8_t {
  none,
#define X(name) name,
  TILEWRIGHT_SYNTAX_FIELDS(X)
#undef X
};

Kind kind_of(TSNode node);
Field field_of(TSFieldId id);
// The child in that field; a null node: there is none.
TSNode child_of(TSNode node, Field field);

// Whether the kind is a statement, in a module or a block.
bool is_statement(Kind kind);
// Whether it may stand between any two nodes.
inline bool is_extra(Kind kind) { return kind == Kind::comment || kind == Kind::line_continuation; }

}  // namespace tilewright::syntax
