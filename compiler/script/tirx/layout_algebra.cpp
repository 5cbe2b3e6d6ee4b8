// How layouts are written: S[...] + R[...], strides and offsets on axes, 4 @ laneid (layout.md 3).
#include "compiler/script/tirx/layout_values.h"

namespace tilewright::script {

using layout::Axis;
using layout::Dim;
using syntax::Operator;

namespace {

// A stride position: 4, 4 @ laneid, "laneid", (4, "laneid").
std::optional<std::pair<Dim, Axis>> stride_of(Interpreter& in, Value v, text::Span span) {
  if (AxisTerm* t = v.as<AxisTerm>()) {
    if (t->terms.size() == 1) return std::pair(t->terms[0].second, t->terms[0].first);
    in.fail(code::kLayout, span, "a stride lies on one axis");
    return std::nullopt;
  }
  if (AxisValue* a = v.as<AxisValue>()) return std::pair(Dim(1), a->axis);
  if (Str* s = v.as<Str>()) {
    if (auto axis = layout::parse_axis(s->text)) return std::pair(Dim(1), *axis);
    in.fail(code::kLayout, span, "there is no axis '" + s->text + "'", {}, "ValueError");
    return std::nullopt;
  }
  if (Tuple* t = v.as<Tuple>(); t && t->items.size() == 2) {
    auto d = in.as_dim(t->items[0], span, "a stride");
    auto a = d ? stride_of(in, t->items[1], span) : std::nullopt;
    if (!a) return std::nullopt;
    return std::pair(*d, a->second);
  }
  auto d = in.as_dim(v, span, "a stride");
  if (!d) return std::nullopt;
  return std::pair(*d, Axis::m);
}

std::optional<layout::Offsets> offset_terms(Interpreter& in, Value v, text::Span span) {
  if (AxisTerm* t = v.as<AxisTerm>()) return t->terms;
  if (auto n = in.as_big(v)) return layout::Offsets{{Axis::m, Dim(static_cast<std::int64_t>(*n))}};
  if (v.is_expr() && in.dialect() >= text::Dialect::V0_26) {
    auto d = in.as_dim(v, span, "an offset");
    if (!d) return std::nullopt;
    return layout::Offsets{{Axis::m, *d}};
  }
  if (v.is_expr()) {
    in.fail(code::kLayout, span, "a symbolic offset needs its axis", "write v @ m");
    return std::nullopt;
  }
  in.fail(code::kLayout, span, std::string(type_name(v)) + " is not an offset of a layout");
  return std::nullopt;
}

Value axis_get(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "Axis.get", {"name"}, 1);
  auto x = a ? axis_of(in, a[0], a.span(0)) : std::nullopt;
  return x ? axis_value(in, *x) : Value::error();
}

Value axis(Interpreter& in, const Record& record, Value) { return axis_value(in, *layout::parse_axis(record.name)); }

constexpr Record kLayoutAxisRecords[] = {
    {"layout", "bx", NameKind::Constant, "", "Axis: the x index of the CTA in the grid.", nullptr, axis},
    {"layout", "by", NameKind::Constant, "", "Axis: the y index of the CTA in the grid.", nullptr, axis},
    {"layout", "bz", NameKind::Constant, "", "Axis: the z index of the CTA in the grid.", nullptr, axis},
    {"layout", "cbx", NameKind::Constant, "", "Axis: the x index of the CTA in its cluster.", nullptr, axis},
    {"layout", "cby", NameKind::Constant, "", "Axis: the y index of the CTA in its cluster.", nullptr, axis},
    {"layout", "cbz", NameKind::Constant, "", "Axis: the z index of the CTA in its cluster.", nullptr, axis},
    {"layout", "tx", NameKind::Constant, "", "Axis: the thread in its CTA.", nullptr, axis},
    {"layout", "warpid", NameKind::Constant, "", "Axis: the warp in its CTA.", nullptr, axis},
    {"layout", "laneid", NameKind::Constant, "", "Axis: the lane in its warp.", nullptr, axis},
    {"layout", "wgid", NameKind::Constant, "", "Axis: the warpgroup in its CTA.", nullptr, axis},
    {"layout", "tid_in_wg", NameKind::Constant, "", "Axis: the thread in its warpgroup.", nullptr, axis},
    {"layout", "wid_in_wg", NameKind::Constant, "", "Axis: the warp in its warpgroup.", nullptr, axis},
    {"layout", "m", NameKind::Constant, "", "Axis: linear memory.", nullptr, axis},
    {"layout", "P", NameKind::Constant, "", "Axis: the partition of another target's memory.", nullptr, axis},
    {"layout", "F", NameKind::Constant, "", "Axis: the free dimension of another target's memory.", nullptr, axis},
    {"layout", "Bank", NameKind::Constant, "", "Axis: the bank of another target's memory.", nullptr, axis},
    {"layout", "TLane", NameKind::Constant, "", "Axis: the lane of tensor memory.", nullptr, axis},
    {"layout", "TCol", NameKind::Constant, "", "Axis: the column of tensor memory.", nullptr, axis},
    {"Axis", "get", NameKind::Function, "name", "The axis of this name.", axis_get},
    {"Axis", "bx", NameKind::Constant, "", "Axis: the x index of the CTA in the grid.", nullptr, axis},
    {"Axis", "by", NameKind::Constant, "", "Axis: the y index of the CTA in the grid.", nullptr, axis},
    {"Axis", "bz", NameKind::Constant, "", "Axis: the z index of the CTA in the grid.", nullptr, axis},
    {"Axis", "cbx", NameKind::Constant, "", "Axis: the x index of the CTA in its cluster.", nullptr, axis},
    {"Axis", "cby", NameKind::Constant, "", "Axis: the y index of the CTA in its cluster.", nullptr, axis},
    {"Axis", "cbz", NameKind::Constant, "", "Axis: the z index of the CTA in its cluster.", nullptr, axis},
    {"Axis", "tx", NameKind::Constant, "", "Axis: the thread in its CTA.", nullptr, axis},
    {"Axis", "warpid", NameKind::Constant, "", "Axis: the warp in its CTA.", nullptr, axis},
    {"Axis", "laneid", NameKind::Constant, "", "Axis: the lane in its warp.", nullptr, axis},
    {"Axis", "wgid", NameKind::Constant, "", "Axis: the warpgroup in its CTA.", nullptr, axis},
    {"Axis", "tid_in_wg", NameKind::Constant, "", "Axis: the thread in its warpgroup.", nullptr, axis},
    {"Axis", "wid_in_wg", NameKind::Constant, "", "Axis: the warp in its warpgroup.", nullptr, axis},
    {"Axis", "m", NameKind::Constant, "", "Axis: linear memory.", nullptr, axis},
    {"Axis", "P", NameKind::Constant, "", "Axis: the partition of another target's memory.", nullptr, axis},
    {"Axis", "F", NameKind::Constant, "", "Axis: the free dimension of another target's memory.", nullptr, axis},
    {"Axis", "Bank", NameKind::Constant, "", "Axis: the bank of another target's memory.", nullptr, axis},
    {"Axis", "TLane", NameKind::Constant, "", "Axis: the lane of tensor memory.", nullptr, axis},
    {"Axis", "TCol", NameKind::Constant, "", "Axis: the column of tensor memory.", nullptr, axis},
};

}  // namespace

std::span<const Record> layout_axis_records() { return kLayoutAxisRecords; }

// S[8, 4], S[(8, 4) : (4 @ laneid, 1)], R[...]: the tuple of one index has been unpacked by the caller.
Value layout_subscript(Interpreter& in, LayoutBuilder* builder, std::span<const Value> indices, text::Span span) {
  LayoutSpec* spec = in.make<LayoutSpec>();
  layout::Iters& iters = builder->replica ? spec->tile.replica : spec->tile.shard;
  (builder->replica ? spec->has_replica : spec->has_shard) = true;
  for (const Value& v : indices) {
    if (v.is_poison() || v.is_opaque()) return v;
  }
  auto nested = [&](Value v) { return v.as<Tuple>() || v.as<List>(); };
  Slice* s = indices.size() == 1 ? indices[0].as<Slice>() : nullptr;
  if (s) {
    if (!s->step.is_none())
      return in.fail(code::kLayout, span, "a layout takes extents : strides, nothing more", {}, "ValueError");
    if (s->start.is_none() || s->stop.is_none()) {
      return in.fail(code::kLayout, span, "both the extents and the strides are needed", "write S[extents : strides]",
                     "ValueError");
    }
    auto extents = sequence_of(s->start);
    std::optional<std::vector<Value>> strides;
    if (extents) strides = sequence_of(s->stop);
    if (!extents) {
      extents = {s->start};
      strides = {s->stop};
    } else if (!strides) {
      strides = {s->stop};
    }
    if (extents->size() != strides->size()) {
      return in.fail(code::kLayout, span,
                     std::to_string(extents->size()) + " extents and " + std::to_string(strides->size()) + " strides",
                     {}, "ValueError");
    }
    for (std::size_t i = 0; i < extents->size(); ++i) {
      if (nested((*extents)[i])) return in.fail(code::kLayout, span, "shapes are not nested", {}, "ValueError");
      auto e = in.as_dim((*extents)[i], span, "an extent");
      auto stride = e ? stride_of(in, (*strides)[i], span) : std::nullopt;
      if (!stride) return Value::error();
      if (e->is_constant() && e->value() < 1)
        return in.fail(code::kLayout, span, "an extent must be positive, it is " + std::to_string(e->value()), {},
                       "ValueError");
      if (stride->first.is_constant() && stride->first.value() < 0)
        return in.fail(code::kLayout, span, "negative strides are not supported", {}, "ValueError");
      iters.push_back({*e, stride->first, stride->second});
    }
    return Value::object(spec);
  }
  for (const Value& v : indices) {
    if (v.as<Slice>() || nested(v))
      return in.fail(code::kLayout, span, "shapes are not nested", "write S[extents : strides]", "ValueError");
    auto e = in.as_dim(v, span, "an extent");
    if (!e) return Value::error();
    if (e->is_constant() && e->value() < 1)
      return in.fail(code::kLayout, span, "an extent must be positive, it is " + std::to_string(e->value()), {},
                     "ValueError");
    iters.push_back({*e, Dim(1), Axis::m});
  }
  Dim stride = 1;
  for (std::size_t i = iters.size(); i-- > 0;) {
    iters[i].stride = stride;
    stride = stride * iters[i].extent;
  }
  return Value::object(spec);
}

Value layout_binary(Interpreter& in, Operator op, Value a, Value b, text::Span span) {
  if (op == Operator::MatMul) {
    AxisValue* axis = b.as<AxisValue>();
    if (!axis)
      return in.fail(code::kLayout, span, "the right side of @ must be an axis, not " + std::string(type_name(b)));
    auto d = in.as_dim(a, span, "the left side of @");
    if (!d) return Value::error();
    AxisTerm* t = in.make<AxisTerm>();
    t->terms = {{axis->axis, *d}};
    return Value::object(t);
  }
  if (op != Operator::Add) {
    return in.fail(code::kLayout, span,
                   "operator " + std::string(syntax::operator_text(op)) + " is not defined on layouts");
  }
  LayoutSpec* x = a.as<LayoutSpec>();
  LayoutSpec* y = b.as<LayoutSpec>();
  LayoutSpec* out = in.make<LayoutSpec>();
  if (x && y) {
    if ((x->has_shard && y->has_shard) || (x->has_replica && y->has_replica)) {
      return in.fail(code::kLayout, span,
                     x->has_shard && y->has_shard ? "a layout has one S[...]" : "a layout has one R[...]",
                     "give all iters in one bracket", "ValueError");
    }
    *out = *x;
    out->has_shard |= y->has_shard;
    out->has_replica |= y->has_replica;
    out->tile.shard.insert(out->tile.shard.end(), y->tile.shard.begin(), y->tile.shard.end());
    out->tile.replica.insert(out->tile.replica.end(), y->tile.replica.begin(), y->tile.replica.end());
    for (auto& [axis, value] : y->tile.offset) layout::add_offset(out->tile.offset, axis, value);
    return Value::object(out);
  }
  if (x || y) {  // an offset from either side (N11)
    auto terms = offset_terms(in, x ? b : a, span);
    if (!terms) return Value::error();
    *out = x ? *x : *y;
    for (auto& [axis, value] : *terms) layout::add_offset(out->tile.offset, axis, value);
    return Value::object(out);
  }
  if (a.as<LayoutValue>() || b.as<LayoutValue>())
    return in.fail(code::kLayout, span, "offsets are added inside TileLayout(...)");
  auto p =
      a.as<AxisValue>() ? std::optional(layout::Offsets{{a.as<AxisValue>()->axis, Dim(1)}}) : offset_terms(in, a, span);
  auto q = !p                  ? p
           : b.as<AxisValue>() ? std::optional(layout::Offsets{{b.as<AxisValue>()->axis, Dim(1)}})
                               : offset_terms(in, b, span);
  if (!q) return Value::error();
  AxisTerm* sum = in.make<AxisTerm>();
  sum->terms = *p;
  for (auto& [axis, value] : *q) layout::add_offset(sum->terms, axis, value);
  return Value::object(sum);
}

}  // namespace tilewright::script
