#include "compiler/lower/vectorize.h"

#include "compiler/expr/analyzer.h"

namespace tilewright::lower {
namespace {

using namespace ir;

class Vectorizer {
 public:
  Vectorizer(const Var* var, std::int64_t first, int lanes) : var_(var), first_(first), lanes_(lanes) {}

  bool depends(Expr e) const {
    bool found = false;
    walk(e, [&](Expr x) {
      found |= x.get() == var_;
      return !found;
    });
    return found;
  }
  Expr at(Expr e, std::int64_t offset) const {
    return simplify(
        substitute(e, [&](const Var* v) { return v == var_ ? int_imm(v->dtype, first_ + offset) : Expr(); }));
  }
  // The ramp of a flat index that advances by one and starts aligned; null otherwise.
  Expr ramp_of(Expr index) const {
    Expr base = at(index, 0);
    Expr running =
        simplify(substitute(index, [&](const Var* v) { return v == var_ ? Expr(v) + Expr(1) : Expr(); }) - index);
    if (!is_constant(running, 1) || !provably_divisible(base, lanes_)) return {};
    return ramp(base, int_imm(base.dtype(), 1), lanes_);
  }
  // A view may start anywhere in its storage.
  bool aligned(const Buffer* buffer) const {
    return !buffer->elem_offset || provably_divisible(buffer->elem_offset, lanes_);
  }
  // The value over all lanes; null when some part of it is not elementwise.
  Expr widen(Expr e) const {
    if (!depends(e)) return e.dtype().is_vector() ? Expr() : broadcast(e, lanes_);
    switch (e.kind()) {
      case ExprKind::Load: {
        const Load* node = e.as<Load>();
        if (node->dtype.is_vector() || node->buffer->is_scalar) return {};
        Expr index = aligned(node->buffer) ? ramp_of(node->indices[0]) : Expr();
        return index ? load(node->buffer, std::span<const Expr>(&index, 1)) : Expr();
      }
      case ExprKind::Cast: {
        Expr value = widen(e.as<Cast>()->value);
        return value ? cast(e.dtype().with_lanes(lanes_), value) : Expr();
      }
      case ExprKind::Add:
      case ExprKind::Sub:
      case ExprKind::Mul:
      case ExprKind::Div:
      case ExprKind::Min:
      case ExprKind::Max: {
        const Binary* node = e.as<Binary>();
        Expr a = widen(node->a), b = widen(node->b);
        return a && b ? binary(e.kind(), a, b) : Expr();
      }
      default: return {};
    }
  }

 private:
  const Var* var_;
  std::int64_t first_;
  int lanes_;
};

}  // namespace

const Stmt* vectorized(const Var* var, std::int64_t first, std::int64_t count, const Stmt* body) {
  const Store* store = as<Store>(body);
  if (!store || count < 2 || count > 16 || (count & (count - 1))) return nullptr;
  DataType type = store->buffer->dtype;
  if (type.is_vector() || type.is_bool() || type.bits < 8 || type.bits * count > 128 || store->buffer->is_scalar)
    return nullptr;
  Vectorizer v(var, first, static_cast<int>(count));
  Expr index = v.ramp_of(store->indices[0]);
  if (!index || !v.aligned(store->buffer)) return nullptr;
  Expr value = v.widen(store->value);
  if (!value) return nullptr;
  // The reads of a wider type would exceed one access.
  bool fits = true;
  walk(value, [&](Expr e) {
    if (e.kind() == ExprKind::Load) fits &= e.dtype().bits * e.dtype().lanes <= 128;
    return fits;
  });
  if (!fits) return nullptr;
  return make_stmt<Store>(body->origin, store->buffer, Arena::current().copy(std::span<const Expr>(&index, 1)), value);
}

}  // namespace tilewright::lower
