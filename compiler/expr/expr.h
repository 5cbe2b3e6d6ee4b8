// Expressions of a kernel: immutable nodes in the ambient arena (arena.h), passed around as `Expr`.
//
// The builders at the end fold constants and keep nodes in a light normal form; deeper rewriting is analyzer.h's.
// Promotion of operand types follows surface.md 6.2-6.4 and happens in promote.h, before nodes are built: the builders
// here demand equal operand types.
#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/expr/arena.h"
#include "compiler/expr/dtype.h"
#include "compiler/text/dialect.h"
#include "compiler/text/span.h"

namespace tilewright::ir {
struct Buffer;  // compiler/ir/buffer.h
}

namespace tilewright::expr {

enum class ExprKind : std::uint8_t {
  IntImm,
  FloatImm,
  StringImm,
  Var,
  Cast,
  Add,
  Sub,
  Mul,
  Div,  // Div: floating point only
  FloorDiv,
  FloorMod,
  TruncDiv,
  TruncMod,
  Min,
  Max,
  EQ,
  NE,
  LT,
  LE,
  GT,
  GE,
  And,
  Or,
  Not,  // bool, short-circuit in the output
  BitAnd,
  BitOr,
  BitXor,
  BitNot,
  Shl,
  Shr,
  Select,      // both sides evaluated
  IfThenElse,  // lazy
  Ramp,
  Broadcast,
  Load,
  Call,
};

struct ExprNode {
  ExprKind kind;
  DataType dtype;
};

// Inclusive; the extreme values of int64 mean "unbounded on that side".
struct Interval {
  static constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  static constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  std::int64_t lo = kMin;
  std::int64_t hi = kMax;
  static Interval point(std::int64_t v) { return {v, v}; }
  bool is_point() const { return lo == hi; }
  bool bounded() const { return lo != kMin && hi != kMax; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

// A handle to a node. Null handles exist ("absent"); integers convert to int32 (int64 when out of range) constants.
class Expr {
 public:
  Expr() = default;
  Expr(const ExprNode* node) : node_(node) {}  // NOLINT: nodes are expressions
  Expr(int value);                             // NOLINT: literals read better bare
  Expr(std::int64_t value);                    // NOLINT

  explicit operator bool() const { return node_ != nullptr; }
  const ExprNode* get() const { return node_; }
  const ExprNode* operator->() const { return node_; }
  ExprKind kind() const { return node_->kind; }
  DataType dtype() const { return node_->dtype; }
  // The node as its type when it is of that kind, else null.
  template <class T>
  const T* as() const {
    return node_ && T::is(node_->kind) ? static_cast<const T*>(node_) : nullptr;
  }
  friend bool operator==(const Expr&, const Expr&) = delete;  // ambiguous: same_node() or structurally_equal()

 private:
  const ExprNode* node_ = nullptr;
};

struct IntImm : ExprNode {
  std::int64_t value;  // uint64 constants are stored bit for bit; bool is 0 or 1
  static bool is(ExprKind k) { return k == ExprKind::IntImm; }
};
struct FloatImm : ExprNode {
  double value;
  static bool is(ExprKind k) { return k == ExprKind::FloatImm; }
};
struct StringImm : ExprNode {
  std::string_view value;
  static bool is(ExprKind k) { return k == ExprKind::StringImm; }
};

// Why a variable exists; tells printers and analyses what may be assumed of it.
enum class VarRole : std::uint8_t {
  Plain,      // T.let, T.int32(), ...
  Parameter,  // scalar or handle parameter of the kernel
  Extent,     // symbolic extent bound by a tensor's shape: non-negative
  Data,       // data pointer of a buffer
  Loop,
  ScopeId,  // T.cta_id(...), T.lane_id(...), ...: `scope_id` says which
  Launch,   // blockIdx.x, threadIdx.x, ...: after lowering
};
// The ten bindings of scope.md 2, by their `code`.
enum class ScopeBinding : std::uint8_t {
  KernelCluster = 0,
  KernelCta = 1,
  ClusterCta = 2,
  CtaWarpgroup = 3,
  CtaWarp = 4,
  WarpgroupWarp = 5,
  WarpThread = 6,
  CtaThread = 7,
  WarpgroupThread = 8,
  ClusterCtaPair = 9,
  None = 255,
};

struct Var : ExprNode {
  std::uint32_t id;  // unique in its arena's kernel; order of creation
  VarRole role = VarRole::Plain;
  ScopeBinding scope_id = ScopeBinding::None;  // for VarRole::ScopeId
  std::uint8_t dimension = 0;                  // of the scope id: 0 x, 1 y, 2 z
  DataType pointee = kVoid;                    // element type a handle points to; void when opaque
  std::string_view name;                       // empty: printers choose one
  std::string_view storage_scope;              // of what a handle points to: "global", "shared", "" unknown
  Interval range;                              // what the value is known to lie in
  static bool is(ExprKind k) { return k == ExprKind::Var; }
};

struct Cast : ExprNode {
  Expr value;
  static bool is(ExprKind k) { return k == ExprKind::Cast; }
};
struct Binary : ExprNode {
  Expr a, b;
  static bool is(ExprKind k) {
    return (k >= ExprKind::Add && k <= ExprKind::Or) ||
           (k >= ExprKind::BitAnd && k <= ExprKind::Shr && k != ExprKind::BitNot);
  }
};
struct Unary : ExprNode {  // Not, BitNot
  Expr a;
  static bool is(ExprKind k) { return k == ExprKind::Not || k == ExprKind::BitNot; }
};
struct Select : ExprNode {  // Select, IfThenElse
  Expr condition, when_true, when_false;
  static bool is(ExprKind k) { return k == ExprKind::Select || k == ExprKind::IfThenElse; }
};
struct Ramp : ExprNode {
  Expr base, stride;  // lanes are the dtype's
  static bool is(ExprKind k) { return k == ExprKind::Ramp; }
};
struct Broadcast : ExprNode {
  Expr value;
  static bool is(ExprKind k) { return k == ExprKind::Broadcast; }
};
// What an expression knows of the buffer that it reads; ir::Buffer is one.
struct BufferName {
  std::string_view name;   // empty: printers choose one
  std::string_view path;   // how the script reaches it where that is not its name: "st.stage"
  bool is_scalar = false;  // made as a one-element variable of the script: reads like a number
};
// What people call it, for messages and comments.
inline std::string_view spoken_name(const BufferName& b) { return b.path.empty() ? b.name : b.path; }

struct Load : ExprNode {
  const ir::Buffer* buffer;
  const BufferName* called;       // the same object, for what knows no more of buffers
  std::span<const Expr> indices;  // one a dimension; the last may be a vector
  static bool is(ExprKind k) { return k == ExprKind::Load; }
};

// What evaluating a call does; analyses and the emitter order calls by it.
enum class Effect : std::uint8_t { Pure, Reads, Writes, Synchronises, Opaque };

// How a release of the dialect and those after it spell a callable, as far as it differs from the release before.
struct Respelling {
  text::Dialect since;
  std::string_view name;  // empty: they have no such call
};

// Identity of a callable: a builtin below, or a row of the intrinsic table (which derives from this).
struct Callee {
  std::string_view name;  // in the first release, as printed after `T.`: "ptx.mbarrier.init", "address_of"
  Effect effect = Effect::Pure;
  bool elects = false;   // not 0 in one lane of the warp alone, which the hardware chooses
  bool assigns = false;  // stores into elements that it is given by reference (Loads among its arguments)
  std::span<const Respelling> respelled{};  // in the order of the releases

  // As a release spells it; empty: it has no such call.
  constexpr std::string_view name_in(text::Dialect release) const {
    std::string_view found = name;
    for (const Respelling& r : respelled) {
      if (r.since <= release) found = r.name;
    }
    return found;
  }
};

struct Call : ExprNode {
  const Callee* callee;
  std::span<const Expr> args;  // attributes are constants among them, at the positions that the callee documents
  static bool is(ExprKind k) { return k == ExprKind::Call; }
};

// Builtins that every stage knows (surface.md 6.4-6.5). Arguments in parentheses.
namespace builtin {
extern const Callee address_of;          // (load | tensor-map var): pointer, or uint64 for a tensor map
extern const Callee reinterpret;         // (value): bits as the call's dtype
extern const Callee pointer_offset;      // (pointer, elements): typed pointer plus elements
extern const Callee handle_byte_offset;  // (pointer, bytes)
extern const Callee warp_shuffle;        // (mask, value, lane, width, warp_size)
extern const Callee likely;              // (condition)
extern const Callee is_null;             // (handle)
extern const Callee undef;               // ()
}  // namespace builtin

// ---- builders -------------------------------------------------------------------------------------------------

Expr int_imm(DataType dtype, std::int64_t value);  // the value is wrapped to the width of dtype
Expr float_imm(DataType dtype, double value);
Expr string_imm(std::string_view text);
Expr bool_imm(bool value);
Expr zero(DataType dtype);
// The maker of a variable may set its fields until it hands it out; then it is as constant as every node.
Var* make_var(std::string_view name, DataType dtype, VarRole role = VarRole::Plain);
// The same variable for a later stage that calls it by another name or knows a narrower range of it. It keeps the id;
// within one stage's result one of the two stands for the other everywhere.
const Var* with_name(const Var* var, std::string_view name);
const Var* with_range(const Var* var, Interval range);

// Equal operand types; integer constants fold with wrap-around; x+0, x*1, x*0, x//1, x%1 and the like are dropped.
Expr add(Expr a, Expr b);
Expr sub(Expr a, Expr b);
Expr mul(Expr a, Expr b);
Expr div(Expr a, Expr b);
Expr floordiv(Expr a, Expr b);
Expr floormod(Expr a, Expr b);
Expr binary(ExprKind kind, Expr a, Expr b);  // any Binary kind; comparisons and And/Or give bool
Expr logical_and(Expr a, Expr b);
Expr logical_not(Expr a);
Expr bit_not(Expr a);
Expr cast(DataType dtype, Expr value);  // folds constants; no node when the type is the same
Expr select(Expr condition, Expr t, Expr f);
Expr if_then_else(Expr condition, Expr t, Expr f);
Expr ramp(Expr base, Expr stride, int lanes);
Expr broadcast(Expr value, int lanes);
Expr call(DataType dtype, const Callee& callee, std::span<const Expr> args);

// Integer index arithmetic for planners: operands of different integer width are widened to the wider.
inline Expr operator+(Expr a, Expr b);
inline Expr operator-(Expr a, Expr b);
inline Expr operator*(Expr a, Expr b);
Expr index_binary(ExprKind kind, Expr a, Expr b);
inline Expr operator+(Expr a, Expr b) { return index_binary(ExprKind::Add, a, b); }
inline Expr operator-(Expr a, Expr b) { return index_binary(ExprKind::Sub, a, b); }
inline Expr operator*(Expr a, Expr b) { return index_binary(ExprKind::Mul, a, b); }
inline Expr operator/(Expr a, Expr b) { return index_binary(ExprKind::FloorDiv, a, b); }
inline Expr operator%(Expr a, Expr b) { return index_binary(ExprKind::FloorMod, a, b); }

// ---- questions ------------------------------------------------------------------------------------------------

// The value of an integer constant; nothing for anything else.
inline const std::int64_t* constant(Expr e) {
  const IntImm* imm = e.as<IntImm>();
  return imm ? &imm->value : nullptr;
}
inline bool is_constant(Expr e, std::int64_t value) {
  const std::int64_t* v = constant(e);
  return v && *v == value;
}
inline bool same_node(Expr a, Expr b) { return a.get() == b.get(); }
bool structurally_equal(Expr a, Expr b);
std::uint64_t structural_hash(Expr e);

// Calls `visit` for every node below and including `e`, parents first; stops descending where it returns false.
template <class F>
void walk(Expr e, F&& visit);
std::span<const Expr> children(const ExprNode& node, Expr (&buffer)[3]);  // the direct operands; helper of walk

// Replaces variables; `map(var)` gives the replacement or a null Expr to keep it.
template <class F>
Expr substitute(Expr e, F&& map);
Expr rebuild(Expr e, std::span<const Expr> operands);  // same node over other operands

// An expression in words for people, one line: as the script would write it, so that a scalar is its name and not the
// first element of a buffer. Text beyond a few thousand characters ends in `...`. Messages, reports, hovers and
// comments ask here and nowhere else; the printer prints kernels.
std::string to_string(Expr e);
// The same with the nodes as they are and the prefix `T.` (surface.md 17): what a script's own str() shows.
std::string to_exact_string(Expr e);

// ---- templates ------------------------------------------------------------------------------------------------

template <class F>
void walk(Expr e, F&& visit) {
  if (!e || !visit(e)) return;
  Expr buffer[3];
  for (Expr child : children(*e.get(), buffer)) walk(child, visit);
}

template <class F>
Expr substitute(Expr e, F&& map) {
  if (!e) return e;
  if (const Var* var = e.as<Var>()) {
    Expr to = map(var);
    return to ? to : e;
  }
  Expr buffer[3];
  std::span<const Expr> old = children(*e.get(), buffer);
  if (old.empty()) return e;
  Expr small[8];
  std::vector<Expr> large;
  Expr* now = small;
  if (old.size() > 8) {
    large.resize(old.size());
    now = large.data();
  }
  bool changed = false;
  for (std::size_t i = 0; i < old.size(); ++i) {
    now[i] = substitute(old[i], map);
    changed |= !same_node(now[i], old[i]);
  }
  return changed ? rebuild(e, {now, old.size()}) : e;
}

}  // namespace tilewright::expr
