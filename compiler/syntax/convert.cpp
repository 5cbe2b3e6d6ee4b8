// One recursive descent with one tree cursor: the cursor stands on the node that a function converts, and stands there
// again when the function returns. Children are collected on shared stacks and copied to the arena at their final
// size, so that converting allocates nothing else.
#include "compiler/syntax/convert.h"

#include <tree_sitter/api.h>

#include <algorithm>
#include <string>

#include "compiler/syntax/bound_names.h"
#include "compiler/syntax/literals.h"
#include "compiler/syntax/vocabulary.h"

namespace tilewright::syntax {
namespace {

// The part of a shared stack that one node collects. Its items go to the arena when the node is complete.
template <class T>
class Items {
 public:
  explicit Items(std::vector<T>& stack) : stack_(stack), base_(stack.size()) {}
  ~Items() { stack_.resize(base_); }
  Items(const Items&) = delete;
  Items& operator=(const Items&) = delete;

  void push(const T& item) { stack_.push_back(item); }
  bool empty() const { return stack_.size() == base_; }
  std::size_t size() const { return stack_.size() - base_; }
  const T& back() const { return stack_.back(); }
  const T& front() const { return stack_[base_]; }
  std::span<T> span() { return std::span(stack_).subspan(base_); }
  std::span<const T> copy(Arena& arena) { return arena.copy(std::span<const T>(stack_).subspan(base_)); }

 private:
  std::vector<T>& stack_;
  std::size_t base_;
};

class Converter {
 public:
  Converter(const TSTree* tree, std::string_view text, Arena& arena, std::vector<SyntaxError>& errors)
      : text_(text), arena_(arena), errors_(errors), cursor_(ts_tree_cursor_new(ts_tree_root_node(tree))) {}
  ~Converter() { ts_tree_cursor_delete(&cursor_); }
  Converter(const Converter&) = delete;
  Converter& operator=(const Converter&) = delete;

  Converted run() {
    Items<Stmt> found(stmts_);
    statements(found);
    if (found.empty()) return {};
    return {found.front(), found.size() == 1};
  }

 private:
  // ---- the cursor ----------------------------------------------------------------------------------------------
  TSNode node() const { return ts_tree_cursor_current_node(&cursor_); }
  static Extent extent(TSNode n) { return {ts_node_start_byte(n), ts_node_end_byte(n)}; }
  Extent here() const { return extent(node()); }
  std::string_view view(Extent at) const { return text_.substr(at.begin, at.end - at.begin); }

  // Calls `visit(kind, field)` for each child but comments, with the cursor on it.
  template <class Visit>
  void children(Visit visit) {
    if (!ts_tree_cursor_goto_first_child(&cursor_)) return;
    do {
      Kind kind = kind_of(node());
      if (!is_extra(kind)) visit(kind, field_of(ts_tree_cursor_current_field_id(&cursor_)));
    } while (ts_tree_cursor_goto_next_sibling(&cursor_));
    ts_tree_cursor_goto_parent(&cursor_);
  }

  // Whether a child of this node could not be read. Bounded by what is broken: cheap where nothing is.
  bool is_hurt() {
    if (!ts_node_has_error(node())) return false;
    bool hurt = false;
    children([&](Kind kind, Field) { hurt = hurt || kind == Kind::error || ts_node_is_missing(node()); });
    return hurt;
  }

  Name name_at(Extent at) {
    std::string_view text = view(at);
    return {text, hash_name(text), at};
  }
  Name name() { return name_at(here()); }

  // ---- what is broken --------------------------------------------------------------------------------------------
  Expr broken(Extent at) { return arena_.make<Broken>(Node{NodeKind::Broken, at}, Exprs{}); }
  Expr required(Expr e, Extent at) { return e ? e : broken({at.end, at.end}); }

  // Collects the expressions below this node that could be read.
  void readable_parts(Items<Expr>& parts) {
    if (depth_ >= kMaxDepth) return;
    ++depth_;
    children([&](Kind kind, Field) {
      if (is_expression(kind) && !ts_node_is_missing(node())) {
        parts.push(expression());
      } else if (kind != Kind::block && kind != Kind::other_token) {
        readable_parts(parts);
      }
    });
    --depth_;
  }
  Expr broken_expression() {
    Extent at = here();
    Items<Expr> parts(exprs_);
    readable_parts(parts);
    return arena_.make<Broken>(Node{NodeKind::Broken, at}, parts.copy(arena_));
  }
  Stmt broken_statement_here(Extent at) {
    Items<Expr> parts(exprs_);
    readable_parts(parts);
    Items<Name> names(names_);
    for (const Extent& bound : bound_names(text_, at)) names.push(name_at(bound));
    return arena_.make<BrokenStmt>(Node{NodeKind::BrokenStmt, at}, parts.copy(arena_), names.copy(arena_));
  }

  bool too_deep(Extent at) {
    if (depth_ < kMaxDepth) return false;
    if (!reported_depth_) errors_.push_back({at.begin, std::min(at.end, at.begin + 1), "nested too deeply"});
    reported_depth_ = true;
    return true;
  }

  // ---- expressions -----------------------------------------------------------------------------------------------
  static bool is_expression(Kind kind) {
    switch (kind) {
      case Kind::identifier:
      case Kind::integer:
      case Kind::imaginary:
      case Kind::float_:
      case Kind::true_:
      case Kind::false_:
      case Kind::none_:
      case Kind::ellipsis:
      case Kind::string:
      case Kind::concatenated_string:
      case Kind::list:
      case Kind::tuple:
      case Kind::set:
      case Kind::dictionary:
      case Kind::list_comprehension:
      case Kind::set_comprehension:
      case Kind::dictionary_comprehension:
      case Kind::generator_expression:
      case Kind::parenthesized_expression:
      case Kind::attribute:
      case Kind::subscript:
      case Kind::slice:
      case Kind::call:
      case Kind::list_splat:
      case Kind::binary_operator:
      case Kind::unary_operator:
      case Kind::not_operator:
      case Kind::boolean_operator:
      case Kind::comparison_operator:
      case Kind::conditional_expression:
      case Kind::named_expression:
      case Kind::lambda:
      case Kind::await:
      case Kind::yield:
      case Kind::expression_list:
        return true;
      default:
        return false;
    }
  }

  Expr expression() {
    Extent at = here();
    if (too_deep(at)) return broken(at);
    ++depth_;
    Expr e = expression_of(kind_of(node()), at);
    --depth_;
    return e;
  }

  Expr expression_of(Kind kind, Extent at) {
    if (ts_node_has_error(node())) {
      if (ts_node_is_missing(node())) return broken(at);
      // Sequences keep their readable elements; in anything else a broken child spoils the whole.
      bool sequence = kind == Kind::list || kind == Kind::tuple || kind == Kind::set || kind == Kind::dictionary ||
                      kind == Kind::call || kind == Kind::subscript || kind == Kind::expression_list ||
                      kind == Kind::string || kind == Kind::concatenated_string;
      if (!sequence && is_hurt()) return broken_expression();
    }
    switch (kind) {
      case Kind::identifier:
        return arena_.make<NameRef>(Node{NodeKind::NameRef, at}, name_at(at));
      case Kind::integer: {
        IntegerValue number = integer_value(view(at));
        return arena_.make<IntLit>(Node{NodeKind::IntLit, at}, number.value, number.too_large);
      }
      case Kind::imaginary:
        return arena_.make<IntLit>(Node{NodeKind::IntLit, at}, __int128{0}, true);
      case Kind::float_:
        return arena_.make<FloatLit>(Node{NodeKind::FloatLit, at}, float_value(view(at)));
      case Kind::true_:
      case Kind::false_:
        return arena_.make<BoolLit>(Node{NodeKind::BoolLit, at}, kind == Kind::true_);
      case Kind::none_:
        return arena_.make<NoneLit>(Node{NodeKind::NoneLit, at});
      case Kind::ellipsis:
        return arena_.make<EllipsisLit>(Node{NodeKind::EllipsisLit, at});
      case Kind::string:
      case Kind::concatenated_string:
        return string_literal(kind, at);
      case Kind::list:
        return sequence<List>(at);
      case Kind::tuple:
      case Kind::expression_list:
        return sequence<Tuple>(at);
      case Kind::set:
        return sequence<Set>(at);
      case Kind::dictionary:
        return dictionary(at);
      case Kind::list_comprehension:
        return comprehension(ComprehensionKind::List, at);
      case Kind::set_comprehension:
        return comprehension(ComprehensionKind::Set, at);
      case Kind::dictionary_comprehension:
        return comprehension(ComprehensionKind::Dict, at);
      case Kind::generator_expression:
        return comprehension(ComprehensionKind::Generator, at);
      case Kind::parenthesized_expression:
        return required(only_child(), at);
      case Kind::attribute:
        return attribute(at);
      case Kind::subscript:
        return subscript(at);
      case Kind::slice:
        return slice(at);
      case Kind::call:
        return call(at);
      case Kind::binary_operator:
        return binary(at);
      case Kind::unary_operator:
        return unary(at);
      case Kind::not_operator:
        return arena_.make<UnaryOp>(Node{NodeKind::UnaryOp, at}, Operator::Not, required(only_child(), at));
      case Kind::boolean_operator:
        return boolean(at);
      case Kind::comparison_operator:
        return comparison(at);
      case Kind::conditional_expression:
        return conditional(at);
      case Kind::named_expression:
        return named(at);
      case Kind::lambda:
        return lambda(at);
      case Kind::list_splat:
        return arena_.make<Starred>(Node{NodeKind::Starred, at}, required(only_child(), at));
      case Kind::yield:
        yields_ = true;
        [[fallthrough]];
      case Kind::await:
        return arena_.make<Unsupported>(Node{NodeKind::Unsupported, at}, view(at));
      default:
        return broken_expression();
    }
  }

  // The one expression among the children; null if there is none.
  Expr only_child() {
    Expr e = nullptr;
    children([&](Kind kind, Field) {
      if (is_expression(kind)) e = expression();
    });
    return e;
  }

  // Elements of a sequence. What is broken among them leaves a Broken, so that nobody counts them.
  void elements(Items<Expr>& items) {
    children([&](Kind kind, Field) {
      if (is_expression(kind)) {
        items.push(expression());
      } else if (kind == Kind::error) {
        items.push(broken_expression());
      } else if (ts_node_is_missing(node())) {
        items.push(broken(here()));
      }
    });
  }

  template <class T>
  Expr sequence(Extent at) {
    Items<Expr> items(exprs_);
    elements(items);
    return arena_.make<T>(Node{T::kKind, at}, items.copy(arena_));
  }

  DictItem pair() {
    Extent at = here();
    DictItem item{};
    children([&](Kind, Field field) {
      if (field == Field::key) item.key = expression();
      if (field == Field::value) item.value = expression();
    });
    return {required(item.key, at), required(item.value, at)};
  }

  Expr dictionary(Extent at) {
    Items<DictItem> items(dict_items_);
    children([&](Kind kind, Field) {
      if (kind == Kind::pair) {
        items.push(pair());
      } else if (kind == Kind::dictionary_splat) {
        items.push({nullptr, required(only_child(), here())});
      } else if (kind == Kind::error) {
        items.push({nullptr, broken_expression()});
      } else if (ts_node_is_missing(node())) {
        items.push({nullptr, broken(here())});
      }
    });
    return arena_.make<Dict>(Node{NodeKind::Dict, at}, items.copy(arena_));
  }

  Expr comprehension(ComprehensionKind form, Extent at) {
    Items<ComprehensionClause> clauses(clauses_);
    Expr element = nullptr;
    Expr value = nullptr;
    children([&](Kind kind, Field field) {
      if (field == Field::body) {
        if (kind == Kind::pair) {
          DictItem item = pair();
          element = item.key;
          value = item.value;
        } else {
          element = expression();
        }
      } else if (kind == Kind::for_in_clause) {
        Extent clause_at = here();
        ComprehensionClause clause{};
        children([&](Kind, Field inner) {
          if (inner == Field::left) clause.target = expression();
          if (inner == Field::right) clause.iterable = expression();
        });
        clause.target = required(clause.target, clause_at);
        clause.iterable = required(clause.iterable, clause_at);
        clauses.push(clause);
      } else if (kind == Kind::if_clause) {
        clauses.push({nullptr, nullptr, required(only_child(), here())});
      }
    });
    return arena_.make<Comprehension>(Node{NodeKind::Comprehension, at}, form, required(element, at), value,
                                      clauses.copy(arena_));
  }

  Expr attribute(Extent at) {
    Expr object = nullptr;
    Name attribute;
    children([&](Kind, Field field) {
      if (field == Field::object) object = expression();
      if (field == Field::attribute) attribute = name();
    });
    return arena_.make<Attribute>(Node{NodeKind::Attribute, at}, required(object, at), attribute);
  }

  Expr subscript(Extent at) {
    Expr object = nullptr;
    bool comma = false;
    Items<Expr> indices(exprs_);
    children([&](Kind kind, Field field) {
      if (field == Field::value) {
        object = expression();
      } else if (field == Field::subscript) {
        indices.push(expression());
        comma = false;
      } else if (kind == Kind::token_comma) {
        comma = true;
      } else if (kind == Kind::error) {
        indices.push(broken_expression());
      } else if (ts_node_is_missing(node())) {
        indices.push(broken(here()));
      }
    });
    return arena_.make<Subscript>(Node{NodeKind::Subscript, at}, required(object, at), indices.copy(arena_), comma);
  }

  Expr slice(Extent at) {
    Expr start = nullptr;
    Expr stop = nullptr;
    Expr step = nullptr;
    children([&](Kind, Field field) {
      if (field == Field::start) start = expression();
      if (field == Field::stop) stop = expression();
      if (field == Field::step) step = expression();
    });
    return arena_.make<Slice>(Node{NodeKind::Slice, at}, start, stop, step);
  }

  // The children of an argument_list, of a call or a class.
  void arguments(Items<Expr>& args, Items<Keyword>& keywords) {
    children([&](Kind kind, Field) {
      if (kind == Kind::keyword_argument) {
        Keyword keyword{};
        children([&](Kind, Field field) {
          if (field == Field::name) keyword.name = name();
          if (field == Field::value) keyword.value = expression();
        });
        if (keyword.name.text.empty()) {
          args.push(broken(here()));
        } else {
          keyword.value = required(keyword.value, here());
          keywords.push(keyword);
        }
      } else if (kind == Kind::dictionary_splat) {
        keywords.push({Name{{}, 0, here()}, required(only_child(), here())});
      } else if (is_expression(kind)) {
        args.push(expression());
      } else if (kind == Kind::error) {
        args.push(broken_expression());
      } else if (ts_node_is_missing(node())) {
        args.push(broken(here()));
      }
    });
  }

  Expr call(Extent at) {
    Expr function = nullptr;
    Items<Expr> args(exprs_);
    Items<Keyword> keywords(keywords_);
    children([&](Kind kind, Field field) {
      if (field == Field::function) {
        function = expression();
      } else if (kind == Kind::argument_list) {
        arguments(args, keywords);
      } else if (field == Field::arguments) {
        args.push(expression());
      } else if (kind == Kind::error) {
        args.push(broken_expression());
      }
    });
    return arena_.make<Call>(Node{NodeKind::Call, at}, required(function, at), args.copy(arena_),
                             keywords.copy(arena_));
  }

  static Operator binary_operator(std::string_view text) {
    switch (text[0]) {
      case '+':
        return Operator::Add;
      case '-':
        return Operator::Sub;
      case '*':
        return text.starts_with("**") ? Operator::Pow : Operator::Mul;
      case '@':
        return Operator::MatMul;
      case '/':
        return text.starts_with("//") ? Operator::FloorDiv : Operator::Div;
      case '%':
        return Operator::Mod;
      case '<':
        return Operator::LShift;
      case '>':
        return Operator::RShift;
      case '&':
        return Operator::BitAnd;
      case '|':
        return Operator::BitOr;
      default:
        return Operator::BitXor;
    }
  }

  static Operator comparison_operator(std::string_view text) {
    switch (text[0]) {
      case '=':
        return Operator::Eq;
      case '!':
        return Operator::Ne;
      case '<':
        return text.size() > 1 ? Operator::Le : Operator::Lt;
      case '>':
        return text.size() > 1 ? Operator::Ge : Operator::Gt;
      case 'n':
        return Operator::NotIn;
      default:
        break;
    }
    return text == "in" ? Operator::In : Operator::Is;
  }

  Expr binary(Extent at) {
    Expr left = nullptr;
    Expr right = nullptr;
    Operator op = Operator::Add;
    Extent op_at;
    children([&](Kind, Field field) {
      if (field == Field::left) left = expression();
      if (field == Field::right) right = expression();
      if (field == Field::operator_) op = binary_operator(view(op_at = here()));
    });
    return arena_.make<BinOp>(Node{NodeKind::BinOp, at}, op, required(left, at), required(right, at), op_at);
  }

  Expr unary(Extent at) {
    Operator op = Operator::Pos;
    Expr operand = nullptr;
    children([&](Kind, Field field) {
      if (field == Field::argument) operand = expression();
      if (field != Field::operator_) return;
      char c = text_[here().begin];
      op = c == '-' ? Operator::Neg : c == '~' ? Operator::Invert : Operator::Pos;
    });
    return arena_.make<UnaryOp>(Node{NodeKind::UnaryOp, at}, op, required(operand, at));
  }

  Expr boolean(Extent at) {
    Expr left = nullptr;
    Expr right = nullptr;
    Operator op = Operator::And;
    Extent op_at;
    children([&](Kind, Field field) {
      if (field == Field::left) left = expression();
      if (field == Field::right) right = expression();
      if (field == Field::operator_) op = text_[(op_at = here()).begin] == 'o' ? Operator::Or : Operator::And;
    });
    return arena_.make<BoolOp>(Node{NodeKind::BoolOp, at}, op, required(left, at), required(right, at), op_at);
  }

  Expr comparison(Extent at) {
    Expr first = nullptr;
    Items<Expr> rest(exprs_);
    Items<Operator> ops(operators_);
    Items<Extent> op_at(extents_);
    children([&](Kind kind, Field field) {
      if (field == Field::operators) {
        if (ops.size() > rest.size()) {  // the second word of `not in` or `is not`, a token of its own
          if (ops.back() == Operator::Is) ops.span().back() = Operator::IsNot;
          op_at.span().back().end = here().end;
        } else {
          ops.push(comparison_operator(view(here())));
          op_at.push(here());
        }
      } else if (is_expression(kind)) {
        Expr operand = expression();
        first ? rest.push(operand) : void(first = operand);
      }
    });
    if (rest.size() != ops.size()) return broken(at);
    return arena_.make<Compare>(Node{NodeKind::Compare, at}, required(first, at), ops.copy(arena_), rest.copy(arena_),
                                op_at.copy(arena_));
  }

  Expr conditional(Extent at) {
    Expr condition = nullptr;
    Expr then_value = nullptr;
    Expr else_value = nullptr;
    children([&](Kind, Field field) {
      if (field == Field::condition) condition = expression();
      if (field == Field::consequence) then_value = expression();
      if (field == Field::alternative) else_value = expression();
    });
    return arena_.make<IfExp>(Node{NodeKind::IfExp, at}, required(condition, at), required(then_value, at),
                              required(else_value, at));
  }

  Expr named(Extent at) {
    Name bound;
    Expr value = nullptr;
    children([&](Kind, Field field) {
      if (field == Field::name) bound = name();
      if (field == Field::value) value = expression();
    });
    return arena_.make<NamedExpr>(Node{NodeKind::NamedExpr, at}, bound, required(value, at));
  }

  Expr lambda(Extent at) {
    Items<Parameter> params(params_);
    Expr body = nullptr;
    bool outer = yields_;
    children([&](Kind kind, Field) {
      if (kind == Kind::lambda_parameters) {
        parameters(params);
      } else if (is_expression(kind)) {
        body = expression();
      }
    });
    yields_ = outer;  // a yield in a lambda makes a generator of the lambda
    return arena_.make<Lambda>(Node{NodeKind::Lambda, at}, params.copy(arena_), required(body, at));
  }

  void parameters(Items<Parameter>& params) {
    ParamKind next = ParamKind::Positional;
    children([&](Kind kind, Field) {
      switch (kind) {
        case Kind::identifier:
          params.push({name(), next, nullptr, nullptr});
          break;
        case Kind::list_splat_pattern:
        case Kind::dictionary_splat_pattern:
        case Kind::typed_parameter:
        case Kind::default_parameter:
        case Kind::typed_default_parameter:
          params.push(parameter(kind, next));
          break;
        case Kind::keyword_separator:
          next = ParamKind::KeywordOnly;
          break;
        case Kind::positional_separator:
          for (Parameter& p : params.span()) {
            if (p.kind == ParamKind::Positional) p.kind = ParamKind::PositionalOnly;
          }
          break;
        default:
          break;
      }
      if (!params.empty() && params.back().kind == ParamKind::VarArgs) next = ParamKind::KeywordOnly;
    });
  }

  Parameter parameter(Kind kind, ParamKind param_kind) {
    Parameter p{{}, param_kind, nullptr, nullptr};
    auto splat = [&](Kind splat_kind) {
      p.kind = splat_kind == Kind::list_splat_pattern ? ParamKind::VarArgs : ParamKind::VarKeywords;
      children([&](Kind, Field field) {
        if (field == Field::name) p.name = name();
      });
    };
    if (kind == Kind::list_splat_pattern || kind == Kind::dictionary_splat_pattern) {
      splat(kind);
      return p;
    }
    children([&](Kind child, Field field) {
      if (field == Field::name) {
        child == Kind::identifier ? void(p.name = name()) : splat(child);
      } else if (field == Field::type) {
        p.annotation = expression();
      } else if (field == Field::value) {
        p.default_value = expression();
      }
    });
    return p;
  }

  // ---- strings -----------------------------------------------------------------------------------------------------
  // The parts of a literal as they come up. Text gathers in `buffer_` from `text_base` on, unless it is one piece of
  // the source that means itself.
  struct Joined {
    Items<FStringPart> parts;
    std::size_t text_base;
    std::string_view verbatim;  // all text so far, if `copied` is false
    bool copied = false;
    bool format = false;
    int bytes = 0, texts = 0;  // literals of each sort
  };

  void append_text(Joined& joined, std::string_view text, bool bytes) {
    if (text.empty()) return;
    if (!joined.copied) {
      if (joined.verbatim.empty() && is_verbatim(text, bytes)) return void(joined.verbatim = text);
      buffer_ += joined.verbatim;
      joined.copied = true;
    }
    append_verbatim(text, bytes, buffer_);
  }

  std::string_view take_text(Joined& joined) {
    std::string_view text = joined.verbatim;
    if (joined.copied) text = arena_.copy(std::string_view(buffer_).substr(joined.text_base));
    buffer_.resize(joined.text_base);
    joined.verbatim = {};
    joined.copied = false;
    return text;
  }

  // The contents of a string, or of a format specifier.
  void contents(Joined& joined, StringStart start) {
    children([&](Kind kind, Field) {
      switch (kind) {
        case Kind::string_start:
          start = string_start(view(here()));
          joined.format = joined.format || start.format;
          ++(start.bytes ? joined.bytes : joined.texts);
          break;
        case Kind::string_content:
          append_text(joined, view(here()), start.bytes);
          break;
        case Kind::escape_sequence: {
          std::string_view escape = view(here());
          if (escape[0] != '\\') {  // a doubled brace
            append_text(joined, escape.substr(1), start.bytes);
          } else if (start.raw) {
            append_text(joined, escape, start.bytes);
          } else {
            if (!joined.copied) buffer_ += joined.verbatim;
            joined.copied = true;
            append_escape(escape, start.bytes, buffer_);
          }
          break;
        }
        case Kind::interpolation: {
          if (std::string_view text = take_text(joined); !text.empty())
            joined.parts.push({text, nullptr, 0, {}, false});
          joined.parts.push(interpolation());
          break;
        }
        default:
          break;
      }
    });
  }

  FStringPart interpolation() {
    Extent at = here();
    FStringPart part;
    std::uint32_t equal_end = 0;  // where the text of `{x = }` ends: at the next token behind the `=`
    bool equal = false;
    children([&](Kind kind, Field field) {
      if (equal && equal_end == 0) equal_end = here().begin;
      if (kind == Kind::token_equal) {
        equal = true;
      } else if (kind == Kind::type_conversion) {
        std::string_view text = view(here());
        part.conversion = text.empty() ? '\0' : text.back();
      } else if (kind == Kind::format_specifier) {
        Extent format_at = here();
        if (too_deep(format_at)) return;
        ++depth_;
        Joined joined{Items<FStringPart>(parts_), buffer_.size(), {}};
        contents(joined, {});
        if (std::string_view text = take_text(joined); !text.empty()) joined.parts.push({text, nullptr, 0, {}, false});
        Expr format = arena_.make<FString>(Node{NodeKind::FString, format_at}, joined.parts.copy(arena_));
        part.format = arena_.copy(std::span<const Expr>(&format, 1));
        --depth_;
      } else if (field == Field::expression || (is_expression(kind) && !part.value)) {
        part.value = expression();
      }
    });
    part.value = required(part.value, at);
    if (equal) {
      part.self_documenting = true;
      part.text = view({at.begin + 1, std::max(equal_end, at.begin + 1)});
    }
    return part;
  }

  Expr string_literal(Kind kind, Extent at) {
    Joined joined{Items<FStringPart>(parts_), buffer_.size(), {}};
    if (kind == Kind::string) {
      contents(joined, {});
    } else {
      children([&](Kind child, Field) {
        if (child == Kind::string) contents(joined, {});
      });
    }
    std::string_view text = take_text(joined);
    if (joined.bytes > 0 && joined.texts > 0) return broken(at);  // check_rules says why
    if (joined.bytes > 0) return arena_.make<BytesLit>(Node{NodeKind::BytesLit, at}, text);
    if (!joined.format) return arena_.make<StringLit>(Node{NodeKind::StringLit, at}, text);
    if (!text.empty()) joined.parts.push({text, nullptr, 0, {}, false});
    return arena_.make<FString>(Node{NodeKind::FString, at}, joined.parts.copy(arena_));
  }

  // ---- statements --------------------------------------------------------------------------------------------------
  // All statements among the children of this node: a module, a block, or what is broken.
  void statements(Items<Stmt>& into) {
    children([&](Kind kind, Field) {
      if (is_statement(kind)) {
        into.push(statement(kind));
      } else if (kind == Kind::block) {  // lines that are indented without reason
        if (too_deep(here())) return;
        ++depth_;
        statements(into);
        --depth_;
      } else if (kind == Kind::error) {
        broken_lines(into);
      }
    });
  }

  // Text that is no statement. Whole statements of the same block may have got into it: they stay.
  void broken_lines(Items<Stmt>& into) {
    std::uint32_t column = ts_node_start_point(node()).column;
    Extent at = here();
    std::uint32_t begin = at.begin;
    Items<Stmt> kept(kept_);
    children([&](Kind kind, Field) {
      if (is_statement(kind) && ts_node_start_point(node()).column == column) kept.push(statement(kind));
    });
    if (kept.empty()) return into.push(broken_statement_here(trimmed(at)));
    for (Stmt s : kept.span()) {
      if (s->at.begin > begin) into.push(broken_text({begin, s->at.begin}));
      into.push(s);
      begin = s->at.end;
    }
    if (!trimmed_view({begin, at.end}).empty()) into.push(broken_text({begin, at.end}));
  }

  Stmt broken_text(Extent at) {
    at = trimmed(at);
    Items<Name> names(names_);
    for (const Extent& bound : bound_names(text_, at)) names.push(name_at(bound));
    return arena_.make<BrokenStmt>(Node{NodeKind::BrokenStmt, at}, Exprs{}, names.copy(arena_));
  }

  Extent trimmed(Extent at) const {
    auto blank = [&](std::uint32_t i) {
      return text_[i] == ' ' || text_[i] == '\t' || text_[i] == '\n' || text_[i] == '\r';
    };
    while (at.end > at.begin && blank(at.end - 1)) --at.end;
    return at;
  }
  std::string_view trimmed_view(Extent at) const { return view(trimmed(at)); }

  Stmts block() {
    if (too_deep(here())) return {};
    ++depth_;
    Items<Stmt> items(stmts_);
    statements(items);
    --depth_;
    return items.copy(arena_);
  }

  // Where a compound statement ends: with the last statement of its last block. (The node goes on to the next line.)
  static Extent until(Extent at, Stmts block) { return {at.begin, block.empty() ? at.end : block.back()->at.end}; }

  Stmt statement(Kind kind) {
    Extent at = here();
    if (too_deep(at)) return broken_text(at);
    ++depth_;
    Stmt s = statement_of(kind, at);
    --depth_;
    return s;
  }

  Stmt statement_of(Kind kind, Extent at) {
    switch (kind) {
      case Kind::expression_statement:
        return is_hurt() ? broken_statement_here(trimmed(at)) : expression_statement(at);
      case Kind::if_statement:
        return if_statement(at);
      case Kind::while_statement:
        return while_statement(at);
      case Kind::for_statement:
        return for_statement(at);
      case Kind::try_statement:
        return try_statement(at);
      case Kind::with_statement:
        return with_statement(at);
      case Kind::match_statement:
        return match_statement(trimmed(at));
      case Kind::function_definition:
        return function(at, {}, at.begin);
      case Kind::class_definition:
        return class_definition(at, {}, at.begin);
      case Kind::decorated_definition:
        return decorated(at);
      default:
        break;
    }
    if (is_hurt()) return broken_statement_here(trimmed(at));
    switch (kind) {
      case Kind::return_statement:
        return arena_.make<Return>(Node{NodeKind::Return, at}, only_child());
      case Kind::raise_statement: {
        auto [value, cause] = two(Field::exception, Field::cause);
        return arena_.make<Raise>(Node{NodeKind::Raise, at}, value, cause);
      }
      case Kind::assert_statement: {
        auto [condition, message] = two(Field::condition, Field::message);
        return arena_.make<Assert>(Node{NodeKind::Assert, at}, required(condition, at), message);
      }
      case Kind::delete_statement: {
        Items<Expr> targets(exprs_);
        elements(targets);
        return arena_.make<Delete>(Node{NodeKind::Delete, at}, targets.copy(arena_));
      }
      case Kind::pass_statement:
        return arena_.make<Pass>(Node{NodeKind::Pass, at});
      case Kind::break_statement:
        return arena_.make<Break>(Node{NodeKind::Break, at});
      case Kind::continue_statement:
        return arena_.make<Continue>(Node{NodeKind::Continue, at});
      case Kind::global_statement:
        return arena_.make<Global>(Node{NodeKind::Global, at}, identifiers());
      case Kind::nonlocal_statement:
        return arena_.make<Nonlocal>(Node{NodeKind::Nonlocal, at}, identifiers());
      case Kind::import_statement:
        return import_statement(at);
      case Kind::import_from_statement:
        return import_from(at);
      case Kind::type_alias_statement: {
        Name alias;
        Expr value = nullptr;
        children([&](Kind, Field field) {
          if (field == Field::name) alias = name();
          if (field == Field::value) value = expression();
        });
        return arena_.make<TypeAlias>(Node{NodeKind::TypeAlias, at}, alias, required(value, at));
      }
      default:
        return broken_statement_here(trimmed(at));
    }
  }

  std::pair<Expr, Expr> two(Field first, Field second) {
    std::pair<Expr, Expr> found{};
    children([&](Kind, Field field) {
      if (field == first) found.first = expression();
      if (field == second) found.second = expression();
    });
    return found;
  }

  std::span<const Name> identifiers() {
    Items<Name> names(names_);
    children([&](Kind kind, Field) {
      if (kind == Kind::identifier) names.push(name());
    });
    return names.copy(arena_);
  }

  Stmt expression_statement(Extent at) {
    Stmt s = nullptr;
    children([&](Kind kind, Field) {
      if (kind == Kind::assignment) {
        s = assignment(at);
      } else if (kind == Kind::augmented_assignment) {
        s = augmented(at);
      } else if (is_expression(kind)) {
        s = arena_.make<ExprStmt>(Node{NodeKind::ExprStmt, at}, expression());
      }
    });
    return s ? s : broken_statement_here(at);
  }

  Stmt assignment(Extent at) {
    if (is_hurt()) return broken_statement_here(at);
    Items<Expr> targets(exprs_);
    Expr annotation = nullptr;
    Expr value = nullptr;
    assignment_parts(targets, annotation, value);
    if (annotation) {
      Expr target = targets.empty() ? broken(at) : targets.front();
      return arena_.make<AnnAssign>(Node{NodeKind::AnnAssign, at}, target, annotation, value);
    }
    return arena_.make<Assign>(Node{NodeKind::Assign, at}, targets.copy(arena_), required(value, at));
  }

  // `a = b = v`: the right side is an assignment again.
  void assignment_parts(Items<Expr>& targets, Expr& annotation, Expr& value) {
    children([&](Kind kind, Field field) {
      if (field == Field::left) targets.push(expression());
      if (field == Field::type) annotation = expression();
      if (field != Field::right) return;
      if (kind != Kind::assignment) {
        value = expression();
      } else if (is_hurt()) {
        value = broken_expression();
      } else if (!too_deep(here())) {
        ++depth_;
        assignment_parts(targets, annotation, value);
        --depth_;
      }
    });
  }

  Stmt augmented(Extent at) {
    if (is_hurt()) return broken_statement_here(at);
    Expr target = nullptr;
    Expr value = nullptr;
    Operator op = Operator::Add;
    children([&](Kind, Field field) {
      if (field == Field::left) target = expression();
      if (field == Field::right) value = expression();
      if (field == Field::operator_) op = binary_operator(view(here()));
    });
    return arena_.make<AugAssign>(Node{NodeKind::AugAssign, at}, required(target, at), op, required(value, at));
  }

  // The expression of a header, or a Broken if anything between its keyword and its colon is.
  Expr header(Expr e, Extent at, bool hurt) { return hurt ? broken(at) : required(e, at); }

  Stmts clause_block() {
    Stmts found;
    children([&](Kind kind, Field) {
      if (kind == Kind::block) found = block();
    });
    return found;
  }

  // if and elif: each elif is an If that is all of the else before it. Built from the last to the first.
  struct Branch {
    Extent at;
    Expr condition;
    Stmts body;
  };
  Stmt if_statement(Extent at) {
    Items<Branch> branches(branches_);
    branches.push({at, nullptr, {}});
    Stmts last;  // the else
    bool hurt = false;
    children([&](Kind kind, Field field) {
      if (field == Field::condition) {
        branches.span()[0].condition = expression();
      } else if (field == Field::consequence) {
        Stmts body = block();
        branches.span()[0].body = body;
      } else if (kind == Kind::elif_clause) {
        if (depth_ + branches.size() >= kMaxDepth) return void(too_deep_here());
        Branch branch{here(), nullptr, {}};
        bool clause_hurt = false;
        children([&](Kind inner, Field inner_field) {
          if (inner_field == Field::condition) branch.condition = expression();
          if (inner_field == Field::consequence) branch.body = block();
          clause_hurt = clause_hurt || inner == Kind::error;
        });
        branch.condition = header(branch.condition, branch.at, clause_hurt);
        branches.push(branch);
      } else if (kind == Kind::else_clause) {
        last = clause_block();
      } else if (kind == Kind::error) {
        hurt = true;
      }
    });
    branches.span()[0].condition = header(branches.front().condition, at, hurt);
    Stmt s = nullptr;
    auto all = branches.span();
    for (std::size_t i = all.size(); i-- > 0;) {
      Extent extent = until(until(all[i].at, all[i].body), last);
      s = arena_.make<If>(Node{NodeKind::If, extent}, all[i].condition, all[i].body, last);
      last = arena_.copy(std::span<const Stmt>(&s, 1));
    }
    return s;
  }
  void too_deep_here() {
    unsigned depth = std::exchange(depth_, kMaxDepth);
    too_deep(here());
    depth_ = depth;
  }

  Stmt while_statement(Extent at) {
    Expr condition = nullptr;
    Stmts body;
    Stmts otherwise;
    bool hurt = false;
    children([&](Kind kind, Field field) {
      if (field == Field::condition) condition = expression();
      if (kind == Kind::block) body = block();
      if (kind == Kind::else_clause) otherwise = clause_block();
      hurt = hurt || kind == Kind::error;
    });
    return arena_.make<While>(Node{NodeKind::While, until(until(at, body), otherwise)}, header(condition, at, hurt),
                              body, otherwise);
  }

  Stmt for_statement(Extent at) {
    Expr target = nullptr;
    Expr iterable = nullptr;
    Stmts body;
    Stmts otherwise;
    bool is_async = false;
    bool hurt = false;
    children([&](Kind kind, Field field) {
      if (field == Field::left) target = expression();
      if (field == Field::right) iterable = expression();
      if (kind == Kind::block) body = block();
      if (kind == Kind::else_clause) otherwise = clause_block();
      is_async = is_async || kind == Kind::token_async;
      hurt = hurt || kind == Kind::error;
    });
    return arena_.make<For>(Node{NodeKind::For, until(until(at, body), otherwise)}, required(target, at),
                            header(iterable, at, hurt), body, otherwise, is_async);
  }

  Stmt try_statement(Extent at) {
    Items<Handler> handlers(handlers_);
    Stmts body;
    Stmts otherwise;
    Stmts last;
    Extent end = at;
    children([&](Kind kind, Field) {
      if (kind == Kind::block) {
        body = block();
        end = until(at, body);
      } else if (kind == Kind::except_clause) {
        Handler handler{};
        children([&](Kind inner, Field field) {
          if (field == Field::type) handler.type = expression();
          if (field == Field::name) handler.bound = name();
          if (inner == Kind::block) handler.body = block();
        });
        end = until(end, handler.body);
        handlers.push(handler);
      } else if (kind == Kind::else_clause) {
        otherwise = clause_block();
        end = until(end, otherwise);
      } else if (kind == Kind::finally_clause) {
        last = clause_block();
        end = until(end, last);
      }
    });
    return arena_.make<Try>(Node{NodeKind::Try, end}, body, handlers.copy(arena_), otherwise, last);
  }

  Stmt with_statement(Extent at) {
    Items<WithItem> items(with_items_);
    Stmts body;
    bool is_async = false;
    children([&](Kind kind, Field) {
      if (kind == Kind::with_item) {
        auto [value, target] = two(Field::value, Field::alias);
        items.push({is_hurt() ? broken(here()) : required(value, here()), target});
      } else if (kind == Kind::error) {
        items.push({broken_expression(), nullptr});
      } else if (kind == Kind::block) {
        body = block();
      } else if (kind == Kind::token_async) {
        is_async = true;
      }
    });
    return arena_.make<With>(Node{NodeKind::With, until(at, body)}, items.copy(arena_), body, is_async);
  }

  Stmt match_statement(Extent at) {
    Expr subject = nullptr;
    children([&](Kind, Field field) {
      if (field == Field::subject) subject = expression();
    });
    return arena_.make<Match>(Node{NodeKind::Match, at}, required(subject, at));
  }

  Stmt decorated(Extent at) {
    Items<Expr> decorators(exprs_);
    Stmt s = nullptr;
    children([&](Kind kind, Field) {
      if (kind == Kind::decorator) {
        decorators.push(is_hurt() ? broken_expression() : required(only_child(), here()));
      } else if (kind == Kind::error) {
        decorators.push(broken_expression());
      } else if (kind == Kind::function_definition) {
        s = function(here(), decorators.copy(arena_), at.begin);
      } else if (kind == Kind::class_definition) {
        s = class_definition(here(), decorators.copy(arena_), at.begin);
      }
    });
    if (s) return s;
    at = trimmed(at);
    return arena_.make<BrokenStmt>(Node{NodeKind::BrokenStmt, at}, decorators.copy(arena_), std::span<const Name>{});
  }

  // `begin`: of the first decorator. A header that cannot be read spoils the definition: nobody could call it rightly.
  Stmt function(Extent at, Exprs decorators, std::uint32_t begin) {
    Name function_name;
    Items<Parameter> params(params_);
    Expr returns = nullptr;
    Stmts body;
    Extent header = at;
    bool is_async = false;
    bool hurt = false;
    bool outer = std::exchange(yields_, false);
    children([&](Kind kind, Field field) {
      if (field == Field::name) {
        function_name = name();
      } else if (kind == Kind::parameters) {
        hurt = hurt || is_hurt();
        parameters(params);
        header.end = here().end;
      } else if (field == Field::return_type) {
        returns = expression();
      } else if (kind == Kind::block) {
        body = block();
      } else if (kind == Kind::token_async) {
        is_async = true;
      } else if (kind == Kind::error) {
        hurt = true;
      }
    });
    bool is_generator = std::exchange(yields_, outer);
    Extent all = {begin, until(at, body).end};
    if (hurt) return broken_definition(all, decorators, function_name);
    return arena_.make<FunctionDef>(Node{NodeKind::FunctionDef, all}, function_name, params.copy(arena_), returns,
                                    decorators, body, is_async, is_generator, header);
  }

  Stmt broken_definition(Extent at, Exprs parts, Name defined) {
    std::span<const Name> names;
    if (!defined.text.empty()) names = arena_.copy(std::span<const Name>(&defined, 1));
    return arena_.make<BrokenStmt>(Node{NodeKind::BrokenStmt, at}, parts, names);
  }

  Stmt class_definition(Extent at, Exprs decorators, std::uint32_t begin) {
    Name class_name;
    Items<Expr> bases(exprs_);
    Items<Keyword> keywords(keywords_);
    Stmts body;
    bool hurt = false;
    bool outer = yields_;
    children([&](Kind kind, Field field) {
      if (field == Field::name) class_name = name();
      if (kind == Kind::argument_list) arguments(bases, keywords);
      if (kind == Kind::block) body = block();
      hurt = hurt || kind == Kind::error;
    });
    yields_ = outer;
    Extent all = {begin, until(at, body).end};
    if (hurt) return broken_definition(all, decorators, class_name);
    return arena_.make<ClassDef>(Node{NodeKind::ClassDef, all}, class_name, bases.copy(arena_), keywords.copy(arena_),
                                 decorators, body);
  }

  // ---- imports -----------------------------------------------------------------------------------------------------
  // `a.b` as one text, though blanks may stand around its dots.
  std::string_view dotted() {
    std::string_view whole = view(here());
    if (whole.find_first_of(" \t\f\\\r\n#") == std::string_view::npos) return whole;
    std::string joined;
    children([&](Kind kind, Field) {
      if (kind != Kind::identifier) return;
      if (!joined.empty()) joined += '.';
      joined += view(here());
    });
    return arena_.copy(std::string_view(joined));
  }

  ImportedName imported(Kind kind, bool whole) {
    ImportedName import{{}, {}, here()};
    auto dotted_name = [&] {
      import.name = dotted();
      if (whole) {
        import.bound = name();
      } else {  // `import a.b` binds a
        bool first = true;
        children([&](Kind inner, Field) {
          if (inner == Kind::identifier && std::exchange(first, false)) import.bound = name();
        });
      }
    };
    if (kind == Kind::dotted_name) {
      dotted_name();
    } else {
      children([&](Kind, Field field) {
        if (field == Field::name) dotted_name();
        if (field == Field::alias) import.bound = name();
      });
    }
    return import;
  }

  Stmt import_statement(Extent at) {
    Items<ImportedName> names(imports_);
    children([&](Kind kind, Field field) {
      if (field == Field::name) names.push(imported(kind, false));
    });
    return arena_.make<Import>(Node{NodeKind::Import, at}, names.copy(arena_));
  }

  Stmt import_from(Extent at) {
    Items<ImportedName> names(imports_);
    std::string_view module;
    int level = 0;
    children([&](Kind kind, Field field) {
      if (kind == Kind::relative_import) {
        children([&](Kind inner, Field) {
          if (inner == Kind::import_prefix) level = static_cast<int>(std::ranges::count(view(here()), '.'));
          if (inner == Kind::dotted_name) module = dotted();
        });
      } else if (field == Field::module_name) {
        module = dotted();
      } else if (field == Field::name) {
        names.push(imported(kind, true));
      } else if (kind == Kind::wildcard_import) {
        names.push({"*", Name{{}, 0, here()}, here()});
      }
    });
    return arena_.make<ImportFrom>(Node{NodeKind::ImportFrom, at}, module, level, names.copy(arena_));
  }

  std::string_view text_;
  Arena& arena_;
  std::vector<SyntaxError>& errors_;
  TSTreeCursor cursor_;
  unsigned depth_ = 0;
  bool reported_depth_ = false;
  bool yields_ = false;  // the function at hand has a yield

  // Stacks of what is being collected.
  std::vector<Expr> exprs_;
  std::vector<Stmt> stmts_, kept_;
  std::vector<Name> names_;
  std::vector<DictItem> dict_items_;
  std::vector<ComprehensionClause> clauses_;
  std::vector<Keyword> keywords_;
  std::vector<Operator> operators_;
  std::vector<Extent> extents_;
  std::vector<Parameter> params_;
  std::vector<FStringPart> parts_;
  std::vector<Branch> branches_;
  std::vector<Handler> handlers_;
  std::vector<WithItem> with_items_;
  std::vector<ImportedName> imports_;
  std::string buffer_;  // text of the string literals at hand
};

}  // namespace

Converted convert(const TSTree* tree, std::string_view text, Arena& arena, std::vector<SyntaxError>& errors) {
  return Converter(tree, text, arena, errors).run();
}

Stmt broken_statement(std::string_view text, Arena& arena) {
  std::vector<Name> names;
  Extent all{0, static_cast<std::uint32_t>(text.size())};
  for (Extent at : bound_names(text, all)) {
    std::string_view name = text.substr(at.begin, at.end - at.begin);
    names.push_back({name, hash_name(name), at});
  }
  return arena.make<BrokenStmt>(Node{NodeKind::BrokenStmt, all}, Exprs{}, arena.copy(names));
}

}  // namespace tilewright::syntax
