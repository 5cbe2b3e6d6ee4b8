// Typed view of a script's syntax: what the evaluator walks.
//
// The tree-sitter tree is lossless and incremental but slow to walk; each top-level statement is turned once into these
// nodes, which live in the statement's own arena and hold positions relative to its start (text/span.h). A statement
// that did not change keeps its nodes.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace tilewright::syntax {

// Half-open bytes, from the start of the top-level statement.
struct Extent {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

// An identifier with its hash, so that scopes compare numbers before letters.
struct Name {
  std::string_view text;
  std::uint32_t hash = 0;
  Extent at;
  friend bool operator==(const Name& a, const Name& b) { return a.hash == b.hash && a.text == b.text; }
};
constexpr std::uint32_t hash_name(std::string_view text) {
  std::uint32_t hash = 2166136261u;  // FNV-1a: names are short, and collisions only cost time
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

// From here on a table of nodes, which reads best as one.
// clang-format off
enum class NodeKind : std::uint8_t {
  // expressions
  NameRef, IntLit, FloatLit, StringLit, BytesLit, FString, BoolLit, NoneLit, EllipsisLit,
  List, Tuple, Set, Dict, Comprehension, Attribute, Subscript, Slice, Call,
  BinOp, UnaryOp, BoolOp, Compare, IfExp, NamedExpr, Lambda, Starred, Unsupported /* await, yield: see `text` */,
  Broken,  // syntax error here; evaluates to a silent poison value
  // statements
  ExprStmt, Assign, AugAssign, AnnAssign, Return, If, For, While, With, FunctionDef, ClassDef, Import, ImportFrom,
  Raise, Assert, Pass, Break, Continue, Global, Nonlocal, Delete, Try, Match, TypeAlias, BrokenStmt,
};

struct Node {
  NodeKind kind;
  Extent at;
};
using Expr = const Node*;
using Stmt = const Node*;
using Exprs = std::span<const Node* const>;
using Stmts = std::span<const Node* const>;

// ---- expressions ---------------------------------------------------------------------------------------------
struct NameRef : Node { Name name; static constexpr NodeKind kKind = NodeKind::NameRef; };
struct IntLit : Node {
  __int128 value;
  bool too_large;  // beyond 127 bits, or imaginary
  static constexpr NodeKind kKind = NodeKind::IntLit;
};
struct FloatLit : Node { double value; static constexpr NodeKind kKind = NodeKind::FloatLit; };
struct StringLit : Node {  // adjacent literals joined, escapes decoded, UTF-8
  std::string_view value;
  static constexpr NodeKind kKind = NodeKind::StringLit;
};
struct BytesLit : Node { std::string_view value; static constexpr NodeKind kKind = NodeKind::BytesLit; };
struct FStringPart {  // either text, or an expression with its conversion and format
  std::string_view text;
  Expr value = nullptr;
  char conversion = 0;         // 'r', 's', 'a' or 0
  Exprs format;                // parts of the format specifier: empty, or one FString
  bool self_documenting = false;  // f"{x=}": `text` holds "x="
};
struct FString : Node { std::span<const FStringPart> parts; static constexpr NodeKind kKind = NodeKind::FString; };
struct BoolLit : Node { bool value; static constexpr NodeKind kKind = NodeKind::BoolLit; };
struct NoneLit : Node { static constexpr NodeKind kKind = NodeKind::NoneLit; };
struct EllipsisLit : Node { static constexpr NodeKind kKind = NodeKind::EllipsisLit; };
struct List : Node { Exprs elements; static constexpr NodeKind kKind = NodeKind::List; };
struct Tuple : Node { Exprs elements; static constexpr NodeKind kKind = NodeKind::Tuple; };
struct Set : Node { Exprs elements; static constexpr NodeKind kKind = NodeKind::Set; };
struct DictItem { Expr key; Expr value; };  // key null: `**value`
struct Dict : Node { std::span<const DictItem> items; static constexpr NodeKind kKind = NodeKind::Dict; };
enum class ComprehensionKind : std::uint8_t { List, Set, Dict, Generator };
struct ComprehensionClause {
  Expr target;      // null: an `if` clause
  Expr iterable;    // of a `for` clause
  Expr condition;   // of an `if` clause
};
struct Comprehension : Node {
  ComprehensionKind form;
  Expr element;  // the key of a dict comprehension
  Expr value;    // dict comprehension only
  std::span<const ComprehensionClause> clauses;
  static constexpr NodeKind kKind = NodeKind::Comprehension;
};
struct Attribute : Node { Expr object; Name name; static constexpr NodeKind kKind = NodeKind::Attribute; };
struct Subscript : Node {
  Expr object;
  Exprs indices;  // as written between the brackets; a[(1, 2)] has one tuple, a[1, 2] two indices
  bool trailing_comma;
  static constexpr NodeKind kKind = NodeKind::Subscript;
};
struct Slice : Node { Expr start, stop, step; static constexpr NodeKind kKind = NodeKind::Slice; };
struct Keyword { Name name; Expr value; };  // name.text empty: `**value`
struct Call : Node {
  Expr function;
  Exprs args;  // Starred for `*x`
  std::span<const Keyword> keywords;
  static constexpr NodeKind kKind = NodeKind::Call;
};
enum class Operator : std::uint8_t {
  Add, Sub, Mul, MatMul, Div, FloorDiv, Mod, Pow, LShift, RShift, BitAnd, BitOr, BitXor,
  Pos, Neg, Invert, Not, And, Or,
  Eq, Ne, Lt, Le, Gt, Ge, Is, IsNot, In, NotIn,
};
std::string_view operator_text(Operator op);
struct BinOp : Node {
  Operator op;
  Expr left, right;
  Extent op_at;
  static constexpr NodeKind kKind = NodeKind::BinOp;
};
struct UnaryOp : Node { Operator op; Expr operand; static constexpr NodeKind kKind = NodeKind::UnaryOp; };
struct BoolOp : Node {
  Operator op;
  Expr left, right;
  Extent op_at;
  static constexpr NodeKind kKind = NodeKind::BoolOp;
};
struct Compare : Node {
  Expr first;
  std::span<const Operator> ops;
  Exprs rest;
  std::span<const Extent> op_at;
  static constexpr NodeKind kKind = NodeKind::Compare;
};
struct IfExp : Node { Expr condition, then_value, else_value; static constexpr NodeKind kKind = NodeKind::IfExp; };
struct NamedExpr : Node { Name name; Expr value; static constexpr NodeKind kKind = NodeKind::NamedExpr; };
struct Starred : Node { Expr value; static constexpr NodeKind kKind = NodeKind::Starred; };
struct Unsupported : Node {
  std::string_view text;
  Expr value = nullptr;  // what is awaited or yielded; null: nothing
  bool yields = false;
  bool from = false;  // `yield from value`
  static constexpr NodeKind kKind = NodeKind::Unsupported;
};
struct Broken : Node {
  Exprs parts;  // what could be read inside, in text order: for hover and completion, never evaluated
  static constexpr NodeKind kKind = NodeKind::Broken;
};

enum class ParamKind : std::uint8_t { PositionalOnly, Positional, VarArgs, KeywordOnly, VarKeywords };
struct Parameter {
  Name name;
  ParamKind kind;
  Expr annotation;     // null: none
  Expr default_value;  // null: none
};
struct Lambda : Node {
  std::span<const Parameter> params;
  Expr body;
  static constexpr NodeKind kKind = NodeKind::Lambda;
};

// ---- statements ----------------------------------------------------------------------------------------------
struct ExprStmt : Node { Expr value; static constexpr NodeKind kKind = NodeKind::ExprStmt; };
struct Assign : Node {  // targets from left to right: `a = b = v` has two
  Exprs targets;
  Expr value;
  static constexpr NodeKind kKind = NodeKind::Assign;
};
struct AugAssign : Node {
  Expr target;
  Operator op;
  Expr value;
  static constexpr NodeKind kKind = NodeKind::AugAssign;
};
struct AnnAssign : Node {
  Expr target, annotation, value;  // value null: none
  static constexpr NodeKind kKind = NodeKind::AnnAssign;
};
struct Return : Node { Expr value; static constexpr NodeKind kKind = NodeKind::Return; };
struct If : Node {  // `elif` is an If inside else_body
  Expr condition;
  Stmts then_body, else_body;
  static constexpr NodeKind kKind = NodeKind::If;
};
struct For : Node {
  Expr target, iterable;
  Stmts body, else_body;
  bool is_async;
  static constexpr NodeKind kKind = NodeKind::For;
};
struct While : Node { Expr condition; Stmts body, else_body; static constexpr NodeKind kKind = NodeKind::While; };
struct WithItem { Expr value; Expr target; };  // target null: none
struct With : Node {
  std::span<const WithItem> items;
  Stmts body;
  bool is_async;
  static constexpr NodeKind kKind = NodeKind::With;
};
struct FunctionDef : Node {
  Name name;
  std::span<const Parameter> params;
  Expr returns;      // null: none
  Exprs decorators;  // outermost first
  Stmts body;
  bool is_async;
  bool is_generator;  // has a yield of its own
  Extent header;     // `def name(...)`, for messages
  static constexpr NodeKind kKind = NodeKind::FunctionDef;
};
struct ClassDef : Node {
  Name name;
  Exprs bases;
  std::span<const Keyword> keywords;
  Exprs decorators;
  Stmts body;
  static constexpr NodeKind kKind = NodeKind::ClassDef;
};
struct ImportedName {
  std::string_view name;  // dotted for Import; "*" for a wildcard
  Name bound;             // what it is called here
  Extent at;
};
struct Import : Node { std::span<const ImportedName> names; static constexpr NodeKind kKind = NodeKind::Import; };
struct ImportFrom : Node {
  std::string_view module;  // without the leading dots
  int level;                // number of leading dots
  std::span<const ImportedName> names;
  static constexpr NodeKind kKind = NodeKind::ImportFrom;
};
struct Raise : Node { Expr value, cause; static constexpr NodeKind kKind = NodeKind::Raise; };
struct Assert : Node { Expr condition, message; static constexpr NodeKind kKind = NodeKind::Assert; };
struct Pass : Node { static constexpr NodeKind kKind = NodeKind::Pass; };
struct Break : Node { static constexpr NodeKind kKind = NodeKind::Break; };
struct Continue : Node { static constexpr NodeKind kKind = NodeKind::Continue; };
struct Global : Node { std::span<const Name> names; static constexpr NodeKind kKind = NodeKind::Global; };
struct Nonlocal : Node { std::span<const Name> names; static constexpr NodeKind kKind = NodeKind::Nonlocal; };
struct Delete : Node { Exprs targets; static constexpr NodeKind kKind = NodeKind::Delete; };
struct Handler {
  Expr type;  // null: bare except
  Name bound; // text empty: none
  Stmts body;
};
struct Try : Node {
  Stmts body;
  std::span<const Handler> handlers;
  Stmts else_body, final_body;
  static constexpr NodeKind kKind = NodeKind::Try;
};
// A pattern is kept as the expression that it reads like, so that a walk over expressions visits it, too:
//   a literal or a dotted name   itself: compared with the subject
//   a name                       NameRef: bound to the subject; `_` only matches
//   [a, *b], (a, b), a, b        List; what `*b` takes is a Starred
//   a | b                        Set, of the alternatives
//   {k: a, **rest}               Dict; the rest has no key
//   C(a, k=b)                    Call
//   p as name                    NamedExpr
// Only the roots of dotted names and the functions of calls are read; every other name is bound.
struct MatchCase {
  Expr pattern;
  Expr guard;  // null: none
  Stmts body;
};
struct Match : Node {
  Expr subject;
  std::span<const MatchCase> cases;
  static constexpr NodeKind kKind = NodeKind::Match;
};
struct TypeAlias : Node { Name name; Expr value; static constexpr NodeKind kKind = NodeKind::TypeAlias; };
struct BrokenStmt : Node {
  Exprs parts;  // as in Broken
  // What it would bind, as far as can be told: poison from here on, so that uses stay silent.
  std::span<const Name> names;
  static constexpr NodeKind kKind = NodeKind::BrokenStmt;
};

// clang-format on

template <class T>
const T* as(const Node* n) {
  return n && n->kind == T::kKind ? static_cast<const T*>(n) : nullptr;
}

}  // namespace tilewright::syntax
