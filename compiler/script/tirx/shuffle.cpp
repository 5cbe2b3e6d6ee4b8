// T.Shuffle(vectors, indices): chosen lanes of several vectors side by side, from release 0.26 on.
//
// No node of the kernel stands for it: a lane is read where its vector is made, and several lanes are a vector where
// they stand at equal distances in memory, are all the same, or are the bits of one number.
#include "compiler/script/tirx/shuffle.h"

#include <algorithm>

namespace tilewright::script {
namespace {

// Lane `i` of a vector that is the bits of a number: those bits of it.
ir::Expr lane_of_bits(ir::Expr number, ir::Expr vector, int i) {
  const ir::DataType element = vector.dtype().element();
  const ir::DataType from = number.dtype();
  if (from.lanes != 1 || !from.is_uint() || element.bits * vector.dtype().lanes != from.bits || element.bits < 8)
    return {};
  const ir::Expr moved = i == 0 ? number : ir::binary(ir::ExprKind::Shr, number, ir::int_imm(from, i * element.bits));
  const ir::Expr bits = ir::cast({ir::TypeCode::UInt, element.bits, 1}, moved);
  return ir::call(element, ir::builtin::reinterpret, {&bits, 1});
}

// Lane `i` as an expression of its own; null: it is not known where the vector is made.
ir::Expr lane(ir::Expr e, int i) {
  if (e.dtype().lanes == 1) return e;
  if (const auto* b = e.as<ir::Broadcast>()) return b->value;
  if (const auto* r = e.as<ir::Ramp>()) {
    return ir::simplify(ir::add(r->base, ir::mul(r->stride, ir::int_imm(r->stride.dtype(), i))));
  }
  if (const auto* c = e.as<ir::Call>(); c && c->callee == &ir::builtin::reinterpret)
    return lane_of_bits(c->args[0], e, i);
  if (const auto* c = e.as<ir::Cast>()) {
    const ir::Expr value = lane(c->value, i);
    return value ? ir::cast(e.dtype().element(), value) : value;
  }
  if (const auto* b = e.as<ir::Binary>()) {
    const ir::Expr x = lane(b->a, i), y = x ? lane(b->b, i) : x;
    return y ? ir::binary(e->kind, x, y) : y;
  }
  const auto* l = e.as<ir::Load>();
  if (!l || l->indices.empty() || l->buffer->dtype.lanes != 1) return {};
  std::vector<ir::Expr> indices(l->indices.begin(), l->indices.end());
  indices.back() = lane(indices.back(), i);
  return indices.back() ? ir::load(l->buffer, indices) : ir::Expr();
}

// Elements side by side, or at any one distance; null: they are not.
ir::Expr loaded_together(std::span<const ir::Expr> lanes, bool side_by_side) {
  const auto* first = lanes[0].as<ir::Load>();
  if (!first || first->indices.empty()) return {};
  const std::int64_t* distance = nullptr;
  for (std::size_t k = 1; k < lanes.size(); ++k) {
    const auto* l = lanes[k].as<ir::Load>();
    if (!l || l->buffer != first->buffer) return {};
    for (std::size_t d = 0; d + 1 < first->indices.size(); ++d) {
      if (!ir::structurally_equal(l->indices[d], first->indices[d])) return {};
    }
    const ir::Expr step = ir::simplify(ir::sub(l->indices.back(), first->indices.back()));
    if (k == 1) distance = ir::constant(step);
    if (side_by_side && distance && *distance != 1) return {};
    if (!distance || !ir::is_constant(step, static_cast<std::int64_t>(k) * *distance)) return {};
  }
  std::vector<ir::Expr> indices(first->indices.begin(), first->indices.end());
  const ir::Expr base = indices.back();
  indices.back() = ir::ramp(base, ir::int_imm(base.dtype(), *distance), static_cast<int>(lanes.size()));
  return ir::load(first->buffer, indices);
}

// Values as the bits of one number, the first of them lowest; null: no number has so many.
ir::Expr as_bits(std::span<const ir::Expr> lanes) {
  const ir::DataType element = lanes[0].dtype();
  const int bits = element.bits * static_cast<int>(lanes.size());
  if (element.bits < 8 || element.is_bool() || (bits != 16 && bits != 32 && bits != 64)) return {};
  const ir::DataType number{ir::TypeCode::UInt, static_cast<std::uint8_t>(bits), 1};
  const ir::DataType part{ir::TypeCode::UInt, element.bits, 1};
  ir::Expr all;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const ir::Expr same = element == part ? lanes[i] : ir::call(part, ir::builtin::reinterpret, {&lanes[i], 1});
    const auto shift = static_cast<std::int64_t>(i) * element.bits;
    ir::Expr moved = ir::cast(number, same);
    if (i > 0) moved = ir::binary(ir::ExprKind::Shl, moved, ir::int_imm(number, shift));
    all = all ? ir::binary(ir::ExprKind::BitOr, all, moved) : moved;
  }
  ir::DataType vector = element;
  vector.lanes = static_cast<decltype(vector.lanes)>(lanes.size());
  return ir::call(vector, ir::builtin::reinterpret, {&all, 1});
}

}  // namespace

Value shuffle(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.Shuffle", {"vectors", "indices"}, 2);
  auto vectors = a ? in.iterate(a[0], a.span(0)) : std::nullopt;
  auto indices = vectors ? in.iterate(a[1], a.span(1)) : std::nullopt;
  if (!indices) return Value::error();
  std::vector<std::pair<ir::Expr, int>> all;
  for (Value v : *vectors) {
    const ir::Expr e = in.as_expr(v, a.span(0), "a vector");
    if (!e) return Value::error();
    if (!all.empty() && all[0].first.dtype().element() != e.dtype().element()) {
      return in.fail(code::kType, a.span(0), "the vectors of T.Shuffle have one element type");
    }
    for (int i = 0; i < e.dtype().lanes; ++i) all.emplace_back(e, i);
  }
  std::vector<ir::Expr> chosen;
  for (Value v : *indices) {
    auto n = in.as_int(v, a.span(1), "the index of a lane");
    if (!n) return Value::error();
    if (*n < 0 || *n >= static_cast<std::int64_t>(all.size())) {
      return in.fail(code::kValue, a.span(1),
                     "there is no lane " + std::to_string(*n) + ": the vectors have " + std::to_string(all.size()));
    }
    const auto& [vector, i] = all[static_cast<std::size_t>(*n)];
    chosen.push_back(lane(vector, i));
    if (chosen.back()) continue;
    return in.fail(code::kUnsupported, a.span(0), "the lanes of this vector cannot be taken apart",
                   "load the elements one by one");
  }
  if (chosen.empty()) return in.fail(code::kValue, a.span(1), "T.Shuffle takes one lane at least");
  if (chosen.size() == 1) return Value::expr(chosen[0]);
  const bool same = std::ranges::all_of(chosen, [&](ir::Expr e) { return ir::structurally_equal(e, chosen[0]); });
  ir::Expr together = same ? ir::broadcast(chosen[0], static_cast<int>(chosen.size())) : loaded_together(chosen, true);
  if (!together) together = as_bits(chosen);
  if (!together) together = loaded_together(chosen, false);
  if (together) return Value::expr(together);
  return in.fail(code::kUnsupported, args.call,
                 "a vector of elements that are not at equal distances in memory is not supported",
                 "store them into a local array and load that as a vector");
}

}  // namespace tilewright::script
