// What every conversion of tree nodes starts from: a cursor on the parser's tree and the marks of what is broken.
// Private to the room.
#pragma once
#include <tree_sitter/api.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "compiler/syntax/convert.h"
#include "compiler/syntax/items.h"
#include "compiler/syntax/keywords.h"
#include "compiler/syntax/vocabulary.h"

namespace tilewright::syntax {

class Reader {
 public:
  Reader(const TSTree* tree, std::string_view text, const Placement& placement, Arena& arena,
         std::vector<SyntaxError>& errors)
      : text_(text),
        placement_(placement),
        arena_(arena),
        errors_(errors),
        cursor_(ts_tree_cursor_new(ts_tree_root_node(tree))),
        depth_(placement.depth) {}
  ~Reader() { ts_tree_cursor_delete(&cursor_); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

 protected:
  // ---- the cursor ----------------------------------------------------------------------------------------------
  TSNode node() const { return ts_tree_cursor_current_node(&cursor_); }
  Extent here() const {
    TSNode n = node();
    Extent at{ts_node_start_byte(n), ts_node_end_byte(n)};
    if (!placement_.stretches.empty()) {
      at.begin = placement_.begin_of(at.begin);
      at.end = std::max(at.begin, placement_.end_of(at.end));
    }
    return at;
  }
  std::string_view view(Extent at) const { return text_.substr(at.begin, at.end - at.begin); }

  // Calls `visit(kind, field)` for each child but comments, with the cursor on it; or `visit(kind)`: which field a
  // child is takes the library long to find out.
  template <class Visit>
  void children(Visit visit) {
    if (!ts_tree_cursor_goto_first_child(&cursor_)) return;
    do {
      Kind kind = kind_of(node());
      if (!is_extra(kind)) {
        suspect_ = suspect_ || has_rules(kind);
        if constexpr (std::is_invocable_v<Visit, Kind>)
          visit(kind);
        else
          visit(kind, field_of(ts_tree_cursor_current_field_id(&cursor_)));
      }
    } while (ts_tree_cursor_goto_next_sibling(&cursor_));
    ts_tree_cursor_goto_parent(&cursor_);
  }

  // Whether a child of this node could not be read. Bounded by what is broken: cheap where nothing is.
  bool is_hurt() {
    if (!ts_node_has_error(node())) return false;
    bool hurt = false;
    children([&](Kind kind) { hurt = hurt || kind == Kind::error || ts_node_is_missing(node()); });
    return hurt;
  }

  Name name_at(Extent at) {
    std::string_view text = view(at);
    suspect_ = suspect_ || is_keyword(text);
    return {text, hash_name(text), at};
  }
  Name name() { return name_at(here()); }

  // ---- rules beside the grammar ------------------------------------------------------------------------------------
  // check_rules walks all of a tree once more, and hardly any statement breaks a rule. So the converter marks what
  // might: `suspect_` may be set without need, and must be wherever a rule is broken.
  static constexpr std::uint32_t kManyDigits = 1000;  // fewer digits than any rule about them names

  // Nodes that are rare, have rules of their own, or are not converted to the last name below them.
  static constexpr bool has_rules(Kind kind) {
    switch (kind) {
      case Kind::delete_statement:
      case Kind::import_statement:
      case Kind::import_from_statement:
      case Kind::type_alias_statement:
      case Kind::match_statement:
      case Kind::type_parameters:
      case Kind::error: return true;
      default: return false;
    }
  }
  // A line that goes on behind the end of the text.
  bool is_suspect() const {
    const std::size_t last = text_.find_last_not_of(" \t\f\r\n");
    return suspect_ || (last != text_.npos && text_[last] == '\\');
  }

  // ---- what is broken ----------------------------------------------------------------------------------------------
  Expr broken(Extent at) {
    suspect_ = true;
    return arena_.make<Broken>(Node{NodeKind::Broken, at}, Exprs{});
  }
  Expr required(Expr e, Extent at) { return e ? e : broken({at.end, at.end}); }
  bool too_deep(Extent at) {
    if (depth_ < kMaxDepth) return false;
    suspect_ = true;  // what lies below is not looked at
    if (!reported_depth_) errors_.push_back({at.begin, std::min(at.end, at.begin + 1), "nested too deeply"});
    reported_depth_ = true;
    return true;
  }
  Extent trimmed(Extent at) const {
    auto blank = [&](std::uint32_t i) {
      return text_[i] == ' ' || text_[i] == '\t' || text_[i] == '\n' || text_[i] == '\r';
    };
    while (at.end > at.begin && blank(at.end - 1)) --at.end;
    return at;
  }

  std::string_view text_;
  const Placement& placement_;
  Arena& arena_;
  std::vector<SyntaxError>& errors_;
  TSTreeCursor cursor_;
  unsigned depth_;
  bool reported_depth_ = false;
  bool yields_ = false;   // the function at hand has a yield
  bool suspect_ = false;  // a rule beside the grammar may be broken
};

}  // namespace tilewright::syntax
