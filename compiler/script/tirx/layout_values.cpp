#include "compiler/script/tirx/layout_values.h"

namespace tilewright::script {

Value layout_failure(Interpreter& in, const layout::Error& e, text::Span span) {
  return in.fail(code::kLayout, span, e.message, {}, "ValueError");
}

Value checked_layout(Interpreter& in, layout::Result<layout::Layout> r, text::Span span) {
  if (!r) return layout_failure(in, r.error(), span);
  return in.layout_value(std::move(*r));
}

layout::Layout over_elements(Interpreter& in, layout::Layout l, layout::Dim elements) {
  if (in.dialect() < text::Dialect::V0_26 || !l.is_bare_swizzle()) return l;
  layout::TileLayout identity;
  identity.shard.push_back({elements, 1, layout::Axis::m});
  return {l.swizzle, std::move(identity)};
}

std::optional<layout::Axis> axis_of(Interpreter& in, Value v, text::Span span) {
  if (AxisValue* a = v.as<AxisValue>()) return a->axis;
  if (Str* s = v.as<Str>()) {
    if (auto axis = layout::parse_axis(s->text)) return axis;
    in.fail(code::kLayout, span, "there is no axis '" + s->text + "'", {}, "ValueError");
    return std::nullopt;
  }
  in.fail(code::kLayout, span, "an axis or its name is needed, not " + std::string(type_name(v)));
  return std::nullopt;
}

std::optional<std::vector<Value>> sequence_of(Value v) {
  if (Tuple* t = v.as<Tuple>()) return t->items;
  if (List* l = v.as<List>()) return l->items;
  return std::nullopt;
}

Value dim_value(layout::Dim d) { return d.is_constant() ? Value::immediate_integer(d.value()) : Value::expr(d.expr()); }

Value axis_value(Interpreter& in, layout::Axis axis) {
  AxisValue* v = in.make<AxisValue>();
  v->axis = axis;
  return Value::object(v);
}

}  // namespace tilewright::script
