// Statements of a kernel.
//
// One set of nodes serves the evaluated kernel, the bodies that dispatch variants emit, and the lowered form; lowering
// removes the kinds marked [script] and flattens every buffer. Nodes are immutable, live in the kernel's arena, and
// carry the script range and the chain of inline calls that they came from.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/expr/expr.h"
#include "compiler/ir/buffer.h"
#include "compiler/text/span.h"

namespace tilewright::ir {

// Call sites of inlined functions that led to a node, innermost first.
struct CallSite {
  text::Span span;
  const CallSite* outer = nullptr;
};

struct Origin {
  text::Span span;
  const CallSite* chain = nullptr;
};

enum class StmtKind : std::uint8_t {
  Seq,
  Bind,
  Alloc,
  Decl,
  Store,
  For,
  While,
  If,
  Evaluate,
  Assert,
  Attr,
  Break,
  Continue,
  Return,
  ScopeIds,     // [script] T.cta_id([..]) and friends
  DeviceEntry,  // [script]
  TileCall,     // [script] Tx.copy(...) and friends
  Comment,      // made by lowering: what the following statements became, one line
};

struct Stmt {
  StmtKind kind;
  Origin origin;
};
using StmtList = std::span<const Stmt* const>;

struct Seq : Stmt {
  StmtList body;
  static constexpr StmtKind kKind = StmtKind::Seq;
};
struct Bind : Stmt {  // immutable
  const Var* var;
  Expr value;
  static constexpr StmtKind kKind = StmtKind::Bind;
};
struct Alloc : Stmt {
  const Buffer* buffer;
  static constexpr StmtKind kKind = StmtKind::Alloc;
};
struct Decl : Stmt {  // a view; nothing is allocated
  const Buffer* buffer;
  static constexpr StmtKind kKind = StmtKind::Decl;
};
struct Store : Stmt {
  const Buffer* buffer;
  std::span<const Expr> indices;
  Expr value;
  static constexpr StmtKind kKind = StmtKind::Store;
};
enum class LoopKind : std::uint8_t { Serial, Unrolled, Vectorized, Parallel, ThreadBinding };
enum class UnrollHint : std::int8_t { None, Full, Off };  // T.serial(unroll=True / False)
struct For : Stmt {
  const Var* var;
  Expr min;
  Expr extent;  // number of iterations
  Expr step;    // null: 1
  LoopKind loop = LoopKind::Serial;
  UnrollHint unroll = UnrollHint::None;
  std::string_view thread_tag;  // LoopKind::ThreadBinding
  const Stmt* body = nullptr;
  static constexpr StmtKind kKind = StmtKind::For;
};
struct While : Stmt {
  Expr condition;
  const Stmt* body;
  static constexpr StmtKind kKind = StmtKind::While;
};
struct If : Stmt {
  Expr condition;
  const Stmt* then_body;
  const Stmt* else_body;  // null: none
  static constexpr StmtKind kKind = StmtKind::If;
};
struct Evaluate : Stmt {  // a call for its effect
  Expr value;
  static constexpr StmtKind kKind = StmtKind::Evaluate;
};
struct Assert : Stmt {
  Expr condition;
  std::string_view message;
  static constexpr StmtKind kKind = StmtKind::Assert;
};
struct Attr : Stmt {  // annotates what follows in the block (body null) or its body
  std::string_view key;
  Expr value;
  const Var* node;  // null: none
  const Stmt* body = nullptr;
  static constexpr StmtKind kKind = StmtKind::Attr;
};
struct Break : Stmt {
  static constexpr StmtKind kKind = StmtKind::Break;
};
struct Continue : Stmt {
  static constexpr StmtKind kKind = StmtKind::Continue;
};
struct Return : Stmt {
  Expr value;  // null: the thread returns
  static constexpr StmtKind kKind = StmtKind::Return;
};

struct ScopeIds : Stmt {
  ScopeBinding binding;
  std::span<const Var* const> vars;  // one a dimension
  std::span<const Expr> extents;     // empty: deferred (one variable)
  std::span<const Expr> preferred;   // empty: none
  static constexpr StmtKind kKind = StmtKind::ScopeIds;
};
struct DeviceEntry : Stmt {
  static constexpr StmtKind kKind = StmtKind::DeviceEntry;
};

enum class ExecScope : std::uint8_t { Cluster = 2, Cta = 3, Warpgroup = 4, Warp = 5, Thread = 6 };
std::string_view exec_scope_name(ExecScope scope);

// One operand of a tile primitive: a region, or a scalar / constant / string.
struct Operand {
  Region region;  // buffer null: not a region
  Expr value;     // null: absent
  text::Span span;
};
struct ConfigItem {
  std::string_view key;
  Operand value;
  text::Span key_span{};  // of the key as written; nowhere: it is not
};
struct TileCall : Stmt {
  std::string_view primitive;  // "copy", "copy_async", ...
  ExecScope scope = ExecScope::Thread;
  std::span<const Operand> args;  // destination first
  std::span<const ConfigItem> config;
  std::span<const std::pair<std::string_view, const Buffer*>> workspace;
  std::string_view dispatch;   // forced variant; empty: none
  text::Span dispatch_span{};  // of the word that names it
  static constexpr StmtKind kKind = StmtKind::TileCall;
};

struct Comment : Stmt {
  std::string_view text;
  static constexpr StmtKind kKind = StmtKind::Comment;
};

template <class T>
const T* as(const Stmt* s) {
  return s && s->kind == T::kKind ? static_cast<const T*>(s) : nullptr;
}

// Makes a node in the ambient arena: make_stmt<Store>(origin, buffer, indices, value).
template <class T, class... Args>
const T* make_stmt(Origin origin, Args&&... args) {
  return Arena::current().make<T>(Stmt{T::kKind, origin}, std::forward<Args>(args)...);
}
// A block; a single statement stays itself.
const Stmt* make_seq(Origin origin, std::span<const Stmt* const> statements);

// Calls visit(stmt) for every statement below and including `s`, parents first; false stops the descent.
template <class F>
void walk_stmts(const Stmt* s, F&& visit) {
  if (!s || !visit(s)) return;
  switch (s->kind) {
    case StmtKind::Seq:
      for (const Stmt* child : static_cast<const Seq*>(s)->body) walk_stmts(child, visit);
      break;
    case StmtKind::For: walk_stmts(static_cast<const For*>(s)->body, visit); break;
    case StmtKind::While: walk_stmts(static_cast<const While*>(s)->body, visit); break;
    case StmtKind::If:
      walk_stmts(static_cast<const If*>(s)->then_body, visit);
      walk_stmts(static_cast<const If*>(s)->else_body, visit);
      break;
    case StmtKind::Attr: walk_stmts(static_cast<const Attr*>(s)->body, visit); break;
    default: break;
  }
}

// Collects statements into a block; how dispatch variants write their bodies.
class BodyBuilder {
 public:
  explicit BodyBuilder(Origin origin) : origin_(origin) {}
  void push(const Stmt* s) { statements_.push_back(s); }
  template <class T, class... Args>
  const T* add(Args&&... args) {
    const T* s = make_stmt<T>(origin_, std::forward<Args>(args)...);
    statements_.push_back(s);
    return s;
  }
  // An immutable int/pointer temporary: `T.let`.
  const Var* let(std::string_view name, Expr value);
  const Stmt* finish() const { return make_seq(origin_, statements_); }
  Origin origin() const { return origin_; }

 private:
  Origin origin_;
  std::vector<const Stmt*> statements_;
};

}  // namespace tilewright::ir
