#include "compiler/syntax/acceptance.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "compiler/syntax/keywords.h"
#include "compiler/syntax/vocabulary.h"

namespace tilewright::syntax {
namespace {

bool is_null(TSNode node) { return ts_node_is_null(node); }

// The number of ERROR nodes in every language; Debian's library has no ts_node_is_error yet.
bool is_error(TSNode node) { return ts_node_symbol(node) == static_cast<TSSymbol>(-1); }

std::string_view first_line(std::string_view text) { return text.substr(0, text.find_first_of("\r\n")); }

std::string_view text_of(TSNode node, std::string_view text) {
  const std::size_t begin = ts_node_start_byte(node);
  return text.substr(begin, ts_node_end_byte(node) - begin);
}

// Calls `visit(child, field)` for each child of `node`.
template <typename Visit>
void for_each_child(TSNode node, Visit visit) {
  TSTreeCursor cursor = ts_tree_cursor_new(node);
  if (ts_tree_cursor_goto_first_child(&cursor)) {
    do {
      visit(ts_tree_cursor_current_node(&cursor), field_of(ts_tree_cursor_current_field_id(&cursor)));
    } while (ts_tree_cursor_goto_next_sibling(&cursor));
  }
  ts_tree_cursor_delete(&cursor);
}

// Visits `root` and all below it in text order; `visit(node)` says whether to go into the node.
template <typename Visit>
void walk(TSNode root, Visit visit) {
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  for (bool down = true;;) {
    if (down && visit(ts_tree_cursor_current_node(&cursor)) && ts_tree_cursor_goto_first_child(&cursor)) continue;
    down = true;
    if (ts_tree_cursor_goto_next_sibling(&cursor)) continue;
    if (!ts_tree_cursor_goto_parent(&cursor)) break;
    down = false;
  }
  ts_tree_cursor_delete(&cursor);
}

class Rules {
 public:
  explicit Rules(std::string_view text) : text_(text) {}

  // Whether to look below the node.
  bool visit(TSNode node) {
    const Kind kind = kind_of(node);
    if (kind == Kind::identifier) {
      if (!ts_node_is_missing(node) && is_keyword(text_of(node, text_))) {
        reject(node, "'" + std::string(text_of(node, text_)) + "' is a keyword and no name");
      }
      return false;
    }
    if (is_error(node)) return false;
    if (kind == Kind::assignment) {
      const TSNode left = child_of(node, Field::left);
      if (is_null(child_of(node, Field::type))) {
        check_target(left, "assign to");
      } else {
        check_single_target(left, "annotate");
      }
    } else if (kind == Kind::augmented_assignment) {
      check_single_target(child_of(node, Field::left), "assign in place to");
    } else if (kind == Kind::for_statement || kind == Kind::for_in_clause) {
      check_target(child_of(node, Field::left), "assign to");
    } else if (kind == Kind::with_item) {
      const TSNode alias = child_of(node, Field::alias);
      if (!is_null(alias)) check_target(alias, "assign to");
    } else if (kind == Kind::delete_statement) {
      for_each_child(node, [&](TSNode child, Field field) {
        if (field == Field::target) check_target(child, "delete", /*starred=*/false);
      });
    } else if (kind == Kind::argument_list) {
      check_arguments(node);
    } else if (kind == Kind::parameters || kind == Kind::lambda_parameters) {
      check_parameters(node);
    } else if (kind == Kind::concatenated_string) {
      check_concatenation(node);
    } else if (kind == Kind::as_pattern || kind == Kind::double_star_pattern) {
      const TSNode name = child_of(node, Field::name);
      if (!is_null(name) && text_of(name, text_) == "_") reject(name, "cannot use '_' as a target");
    } else if (kind == Kind::mapping_pattern || kind == Kind::class_pattern) {
      check_pattern_order(node, kind == Kind::class_pattern);
    } else if (kind == Kind::integer) {
      check_integer(node);
    } else if (kind == Kind::line_continuation && ts_node_end_byte(node) == text_.size()) {
      reject(node, "the text ends after a line continuation");
    }
    return true;
  }

  std::vector<Rejection> take() { return std::move(rejections_); }

 private:
  void reject(TSNode node, std::string message) {
    rejections_.push_back({ts_node_start_byte(node), ts_node_end_byte(node), std::move(message)});
  }

  static bool is_extra(TSNode node) { return syntax::is_extra(kind_of(node)); }

  // A broken part has its error already.
  static bool is_broken(TSNode node) { return is_null(node) || ts_node_has_error(node); }

  void reject_target(TSNode node, const char* verb) {
    reject(node, std::string("cannot ") + verb + " this: a name, an attribute or a subscript is needed");
  }

  void check_target(TSNode node, const char* verb, bool starred = true) {
    if (is_broken(node)) return;
    const Kind kind = kind_of(node);
    if (kind == Kind::identifier || kind == Kind::attribute || kind == Kind::subscript) return;
    const bool sequence = kind == Kind::tuple || kind == Kind::list || kind == Kind::expression_list;
    if (sequence || kind == Kind::parenthesized_expression || (starred && kind == Kind::list_splat)) {
      for_each_child(node, [&](TSNode child, Field) {
        // One star at most on each element.
        const bool below = starred && kind != Kind::list_splat;
        if (ts_node_is_named(child) && !is_extra(child)) check_target(child, verb, below);
      });
      return;
    }
    reject_target(node, verb);
  }

  void check_single_target(TSNode node, const char* verb) {
    if (is_broken(node)) return;
    const Kind kind = kind_of(node);
    if (kind == Kind::identifier || kind == Kind::attribute || kind == Kind::subscript) return;
    if (kind != Kind::parenthesized_expression) return reject_target(node, verb);
    for_each_child(node, [&](TSNode child, Field) {
      if (ts_node_is_named(child) && !is_extra(child)) check_single_target(child, verb);
    });
  }

  void check_arguments(TSNode node) {
    bool keyword = false;
    bool unpacked = false;
    for_each_child(node, [&](TSNode child, Field) {
      if (!ts_node_is_named(child) || is_extra(child) || is_error(child)) return;
      const Kind kind = kind_of(child);
      if (kind == Kind::keyword_argument) {
        keyword = true;
      } else if (kind == Kind::dictionary_splat) {
        unpacked = true;
      } else if (kind == Kind::list_splat) {
        if (unpacked) reject(child, "iterable argument unpacking follows keyword argument unpacking");
      } else if (unpacked) {
        reject(child, "positional argument follows keyword argument unpacking");
      } else if (keyword) {
        reject(child, "positional argument follows keyword argument");
      }
    });
  }

  void check_parameters(TSNode node) {
    bool any = false;
    bool slash = false;
    bool star = false;
    bool keywords = false;
    bool defaulted = false;
    std::optional<TSNode> bare_star;
    for_each_child(node, [&](TSNode child, Field) {
      if (!ts_node_is_named(child) || is_extra(child) || is_error(child)) return;
      Kind kind = kind_of(child);
      if (kind == Kind::typed_parameter) {
        const Kind name = kind_of(child_of(child, Field::name));
        if (name != Kind::identifier) kind = name;
      }
      if (keywords) {
        reject(child, "parameters cannot follow the keyword parameters '**'");
      } else if (kind == Kind::positional_separator) {
        if (!any) reject(child, "at least one parameter must precede '/'");
        if (slash) reject(child, "'/' may appear only once");
        if (star) reject(child, "'/' must be ahead of '*'");
        slash = true;
      } else if (kind == Kind::keyword_separator || kind == Kind::list_splat_pattern) {
        if (star) reject(child, "'*' may appear only once");
        star = true;
        if (kind == Kind::keyword_separator) bare_star = child;
      } else if (kind == Kind::dictionary_splat_pattern) {
        keywords = true;
        if (bare_star) reject(*bare_star, "named parameters must follow a bare '*'");
        bare_star.reset();
      } else {
        const bool has_default = kind == Kind::default_parameter || kind == Kind::typed_default_parameter;
        if (!has_default && defaulted && !star) reject(child, "parameter without a default follows one with a default");
        defaulted = defaulted || has_default;
        bare_star.reset();
      }
      any = true;
    });
    if (bare_star) reject(*bare_star, "named parameters must follow a bare '*'");
  }

  void check_concatenation(TSNode node) {
    bool bytes = false;
    bool text = false;
    for_each_child(node, [&](TSNode child, Field) {
      if (!ts_node_is_named(child) || is_extra(child)) return;
      const std::string_view start = text_of(ts_node_child(child, 0), text_);
      (start.find_first_of("bB") == std::string_view::npos ? text : bytes) = true;
    });
    if (bytes && text) reject(node, "cannot mix bytes and text literals");
  }

  void check_pattern_order(TSNode node, bool is_class) {
    bool last = false;
    bool first = true;
    for_each_child(node, [&](TSNode child, Field) {
      if (!ts_node_is_named(child) || is_extra(child) || is_error(child)) return;
      if (is_class && std::exchange(first, false)) return;
      const Kind kind = kind_of(child);
      if (kind == Kind::keyword_pattern || kind == Kind::double_star_pattern) {
        if (last && !is_class) reject(child, "'**' may appear only once");
        last = true;
      } else if (last) {
        reject(child, is_class ? "positional patterns follow keyword patterns" : "'**' must be the last pattern");
      }
    });
  }

  // Python converts no decimal number of more digits (sys.int_info.default_max_str_digits).
  void check_integer(TSNode node) {
    constexpr std::ptrdiff_t kMaxDigits = 4300;
    const std::string_view digits = text_of(node, text_);
    if (static_cast<std::ptrdiff_t>(digits.size()) <= kMaxDigits || digits[0] == '0') return;
    if (std::ranges::count_if(digits, [](char c) { return c != '_'; }) > kMaxDigits) {
      reject(node, "this number has more than 4300 digits");
    }
  }

  std::string_view text_;
  std::vector<Rejection> rejections_;
};

bool is_list_of_statements(TSNode node) {
  const std::string_view kind = ts_node_type(node);
  return kind == "module" || kind == "block";
}

std::string missing_message(TSNode node) {
  const std::string_view kind = ts_node_type(node);
  if (kind == "indented_block") return "expected an indented block";
  if (kind == "block_header") return "unexpected indent";
  if (kind == "closing_quote") return "the string has no closing quote";
  if (kind == "valid_escape") return "not allowed in this string literal";
  if (kind == "header_rest") return "this header is not complete";
  if (kind == "handler") return "expected 'except' or 'finally'";
  const std::string name(kind);
  return ts_node_is_named(node) ? "expected " + name : "expected '" + name + "'";
}

}  // namespace

std::vector<Rejection> check_errors(TSNode root, std::string_view text) {
  std::vector<Rejection> rejections;
  walk(root, [&](TSNode node) {
    if (!ts_node_has_error(node)) return false;
    if (!is_error(node) && !ts_node_is_missing(node)) return true;
    const bool missing = ts_node_is_missing(node);
    std::string message = missing ? missing_message(node) : "invalid syntax";
    if (!missing && ts_node_start_byte(node) < ts_node_end_byte(node)) {
      message += ": " + std::string(first_line(text_of(node, text)).substr(0, 40));
    }
    rejections.push_back({ts_node_start_byte(node), ts_node_end_byte(node), std::move(message)});
    return false;
  });
  // The one missing token that is hidden is the line break between two statements.
  walk(root, [&](TSNode node) {
    if (!ts_node_has_error(node) || is_error(node)) return false;
    std::optional<TSPoint> end;
    bool below = false;
    for_each_child(node, [&](TSNode child, Field) {
      below = below || ts_node_has_error(child) || ts_node_is_missing(child);
      const std::size_t begin = ts_node_start_byte(child);
      const bool follows = end && end->row == ts_node_start_point(child).row && end->column > 0;
      const bool separates = !ts_node_is_named(child) || kind_of(child) == Kind::comment;
      if (follows && !separates && is_list_of_statements(node)) {
        const bool semicolon = text.substr(0, begin).find_last_not_of(" \t\f") != std::string_view::npos &&
                               text[text.substr(0, begin).find_last_not_of(" \t\f")] == ';';
        if (!semicolon) rejections.push_back({begin, ts_node_end_byte(child), "expected a line break before this"});
      }
      end = ts_node_end_point(child);
    });
    return below;
  });
  std::ranges::stable_sort(rejections, {}, &Rejection::begin);
  return rejections;
}

std::vector<Rejection> check_rules(TSNode root, std::string_view text) {
  Rules rules(text);
  walk(root, [&](TSNode node) { return rules.visit(node); });
  return rules.take();
}

std::expected<void, Rejection> accept(std::string_view bytes) {
  auto decoded = decode(bytes);
  if (!decoded) return std::unexpected(std::move(decoded.error()));
  const std::string& text = decoded->text;

  const std::unique_ptr<TSParser, decltype(&ts_parser_delete)> parser(ts_parser_new(), &ts_parser_delete);
  ts_parser_set_language(parser.get(), tree_sitter_tilescript());
  const std::unique_ptr<TSTree, decltype(&ts_tree_delete)> tree(
      ts_parser_parse_string(parser.get(), nullptr, text.data(), static_cast<std::uint32_t>(text.size())),
      &ts_tree_delete);
  const TSNode root = ts_tree_root_node(tree.get());
  if (ts_node_has_error(root)) {
    auto errors = check_errors(root, text);
    if (errors.empty()) return std::unexpected(Rejection{0, 0, "invalid syntax"});
    return std::unexpected(std::move(errors.front()));
  }
  auto broken = check_rules(root, text);
  if (!broken.empty()) return std::unexpected(std::move(broken.front()));
  return {};
}

}  // namespace tilewright::syntax
