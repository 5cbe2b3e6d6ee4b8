// Operands, equality and hashes of nodes.
//
// A helper function of a script can build `x = x + x` sixty times: sixty nodes whose tree has 2^60 leaves. Whatever
// walks two such graphs node by node must therefore count its steps. Equality answers "not equal" when they are spent,
// which every caller has to accept anyway; the hash looks at a bounded part of the tree only.

#include <bit>
#include <functional>

#include "compiler/expr/expr.h"

namespace tilewright::expr {
namespace {

constexpr int kEqualSteps = 20000;
constexpr int kHashSteps = 256;
constexpr int kDepth = 512;

bool equal(Expr a, Expr b, int& steps, int depth) {
  if (same_node(a, b)) return true;
  if (!a || !b || a.kind() != b.kind() || a.dtype() != b.dtype()) return false;
  if (--steps < 0 || depth > kDepth) return false;
  switch (a.kind()) {
    case ExprKind::IntImm: return a.as<IntImm>()->value == b.as<IntImm>()->value;
    case ExprKind::FloatImm: {
      // Bit for bit: NaN equals itself, and the zeros differ.
      auto bits = [](Expr e) { return std::bit_cast<std::uint64_t>(e.as<FloatImm>()->value); };
      return bits(a) == bits(b);
    }
    case ExprKind::StringImm: return a.as<StringImm>()->value == b.as<StringImm>()->value;
    case ExprKind::Var: return false;
    case ExprKind::Load:
      if (a.as<Load>()->buffer != b.as<Load>()->buffer) return false;
      break;
    case ExprKind::Call:
      if (a.as<Call>()->callee != b.as<Call>()->callee) return false;
      break;
    default: break;
  }
  Expr buffer_a[3], buffer_b[3];
  std::span<const Expr> of_a = children(*a.get(), buffer_a);
  std::span<const Expr> of_b = children(*b.get(), buffer_b);
  if (of_a.size() != of_b.size()) return false;
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    if (!equal(of_a[i], of_b[i], steps, depth + 1)) return false;
  }
  return true;
}

std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
  std::uint64_t h = (seed ^ value) * 0x9E3779B97F4A7C15ull;
  return h ^ (h >> 29);
}

std::uint64_t hash(Expr e, int& steps, int depth) {
  if (!e || --steps < 0 || depth > kDepth) return 0;
  DataType t = e.dtype();
  std::uint64_t h = mix(static_cast<std::uint64_t>(e.kind()),
                        (static_cast<std::uint64_t>(t.code) << 32) | (std::uint64_t{t.bits} << 16) | t.lanes);
  switch (e.kind()) {
    case ExprKind::IntImm: return mix(h, static_cast<std::uint64_t>(e.as<IntImm>()->value));
    case ExprKind::FloatImm: return mix(h, std::bit_cast<std::uint64_t>(e.as<FloatImm>()->value));
    case ExprKind::StringImm: return mix(h, std::hash<std::string_view>()(e.as<StringImm>()->value));
    case ExprKind::Var: return mix(h, e.as<Var>()->id);
    case ExprKind::Load: h = mix(h, reinterpret_cast<std::uintptr_t>(e.as<Load>()->buffer)); break;
    case ExprKind::Call: h = mix(h, reinterpret_cast<std::uintptr_t>(e.as<Call>()->callee)); break;
    default: break;
  }
  Expr buffer[3];
  for (Expr child : children(*e.get(), buffer)) h = mix(h, hash(child, steps, depth + 1));
  return h;
}

}  // namespace

std::span<const Expr> children(const ExprNode& node, Expr (&buffer)[3]) {
  switch (node.kind) {
    case ExprKind::IntImm:
    case ExprKind::FloatImm:
    case ExprKind::StringImm:
    case ExprKind::Var: return {};
    case ExprKind::Cast: buffer[0] = static_cast<const Cast&>(node).value; return {buffer, 1};
    case ExprKind::Not:
    case ExprKind::BitNot: buffer[0] = static_cast<const Unary&>(node).a; return {buffer, 1};
    case ExprKind::Broadcast: buffer[0] = static_cast<const Broadcast&>(node).value; return {buffer, 1};
    case ExprKind::Ramp:
      buffer[0] = static_cast<const Ramp&>(node).base;
      buffer[1] = static_cast<const Ramp&>(node).stride;
      return {buffer, 2};
    case ExprKind::Select:
    case ExprKind::IfThenElse:
      buffer[0] = static_cast<const Select&>(node).condition;
      buffer[1] = static_cast<const Select&>(node).when_true;
      buffer[2] = static_cast<const Select&>(node).when_false;
      return {buffer, 3};
    case ExprKind::Load: return static_cast<const Load&>(node).indices;
    case ExprKind::Call: return static_cast<const Call&>(node).args;
    default:
      buffer[0] = static_cast<const Binary&>(node).a;
      buffer[1] = static_cast<const Binary&>(node).b;
      return {buffer, 2};
  }
}

Expr rebuild(Expr e, std::span<const Expr> operands) {
  switch (e.kind()) {
    case ExprKind::IntImm:
    case ExprKind::FloatImm:
    case ExprKind::StringImm:
    case ExprKind::Var: return e;
    case ExprKind::Cast: return cast(e.dtype().element().with_lanes(operands[0].dtype().lanes), operands[0]);
    case ExprKind::Not: return logical_not(operands[0]);
    case ExprKind::BitNot: return bit_not(operands[0]);
    case ExprKind::Broadcast: return broadcast(operands[0], e.dtype().lanes);
    case ExprKind::Ramp: return ramp(operands[0], operands[1], e.dtype().lanes);
    case ExprKind::Select: return select(operands[0], operands[1], operands[2]);
    case ExprKind::IfThenElse: return if_then_else(operands[0], operands[1], operands[2]);
    case ExprKind::Load: {
      const Load* old = e.as<Load>();
      DataType dtype = e.dtype();
      if (!operands.empty()) {
        int element_lanes = dtype.lanes / old->indices.back().dtype().lanes;
        dtype = dtype.with_lanes(element_lanes * operands.back().dtype().lanes);
      }
      Arena& arena = Arena::current();
      return arena.make<Load>(ExprNode{ExprKind::Load, dtype}, old->buffer, old->called, arena.copy(operands));
    }
    case ExprKind::Call: return call(e.dtype(), *e.as<Call>()->callee, operands);
    default: return binary(e.kind(), operands[0], operands[1]);
  }
}

bool structurally_equal(Expr a, Expr b) {
  int steps = kEqualSteps;
  return equal(a, b, steps, 0);
}

std::uint64_t structural_hash(Expr e) {
  int steps = kHashSteps;
  return hash(e, steps, 0);
}

}  // namespace tilewright::expr
