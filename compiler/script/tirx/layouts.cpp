// Layout objects of a script: S[...], R[...], 4 @ laneid, TileLayout(...), and their methods (layout.md 3, 4).
#include <algorithm>

#include "compiler/layout/mma.h"
#include "compiler/layout/wgmma.h"
#include "compiler/script/python/support.h"
#include "compiler/script/tirx/tirx.h"

namespace tilewright::script {
namespace {

using layout::Axis;
using layout::Dim;
using syntax::Operator;

Value failure(Interpreter& in, const layout::Error& e, text::Span span) {
  return in.fail(code::kLayout, span, e.message, {}, "ValueError");
}

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

std::optional<std::vector<Value>> sequence(Value v) {
  if (Tuple* t = v.as<Tuple>()) return t->items;
  if (List* l = v.as<List>()) return l->items;
  return std::nullopt;
}

std::optional<layout::Offsets> offset_terms(Interpreter& in, Value v, text::Span span) {
  if (AxisTerm* t = v.as<AxisTerm>()) return t->terms;
  if (auto n = in.as_big(v)) return layout::Offsets{{Axis::m, Dim(static_cast<std::int64_t>(*n))}};
  if (v.is_expr()) {
    in.fail(code::kLayout, span, "a symbolic offset needs its axis", "write v @ m");
    return std::nullopt;
  }
  in.fail(code::kLayout, span, std::string(type_name(v)) + " is not an offset of a layout");
  return std::nullopt;
}

std::optional<Axis> axis_of(Interpreter& in, Value v, text::Span span) {
  if (AxisValue* a = v.as<AxisValue>()) return a->axis;
  if (Str* s = v.as<Str>()) {
    if (auto axis = layout::parse_axis(s->text)) return axis;
    in.fail(code::kLayout, span, "there is no axis '" + s->text + "'", {}, "ValueError");
    return std::nullopt;
  }
  in.fail(code::kLayout, span, "an axis or its name is needed, not " + std::string(type_name(v)));
  return std::nullopt;
}

Value dim_value(Dim d) { return d.is_constant() ? Value::immediate_integer(d.value()) : Value::expr(d.expr()); }

Value iter_list(Interpreter& in, const layout::Iters& iters) {
  std::vector<Value> out;
  for (const layout::Iter& i : iters) {
    IterValue* v = in.make<IterValue>();
    v->iter = i;
    out.push_back(Value::object(v));
  }
  return in.list(std::move(out));
}

Value checked(Interpreter& in, layout::Result<layout::Layout> r, text::Span span) {
  if (!r) return failure(in, r.error(), span);
  return in.layout_value(std::move(*r));
}

Value optional_layout(Interpreter& in, layout::Result<std::optional<layout::Layout>> r, text::Span span) {
  if (!r) return failure(in, r.error(), span);
  return *r ? in.layout_value(std::move(**r)) : Value::none();
}

// ---- constructors ---------------------------------------------------------------------------------------------

Value tile_layout(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "TileLayout", {"spec"}, 1);
  if (!a) return Value::error();
  if (LayoutSpec* s = a[0].as<LayoutSpec>()) return in.layout_value({std::nullopt, s->tile});
  if (a[0].as<LayoutValue>() || a[0].is_opaque()) return a[0];
  return in.fail(code::kLayout, a.span(0),
                 "TileLayout takes S[...] with R[...] and offsets, not " + std::string(type_name(a[0])));
}

Value from_iters(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "TileLayout.from_iters", {"shard", "replica", "offset"}, 0);
  if (!a) return Value::error();
  layout::TileLayout t;
  for (int part = 0; part < 2; ++part) {
    if (!a.has(part)) continue;
    auto items = in.iterate(a[part], a.span(part));
    if (!items) return Value::error();
    for (Value v : *items) {
      IterValue* i = v.as<IterValue>();
      if (!i) return in.fail(code::kLayout, a.span(part), "an Iter is needed, not " + std::string(type_name(v)));
      (part == 0 ? t.shard : t.replica).push_back(i->iter);
    }
  }
  if (a.has(2)) {
    Dict* d = a[2].as<Dict>();
    if (!d) return in.fail(code::kLayout, a.span(2), "offset is a dict from axis to value");
    for (auto& [key, value] : d->items) {
      auto axis = axis_of(in, key, a.span(2));
      auto dim = axis ? in.as_dim(value, a.span(2), "an offset") : std::nullopt;
      if (!dim) return Value::error();
      layout::add_offset(t.offset, *axis, *dim);
    }
  }
  return in.layout_value({std::nullopt, t});
}

Value swizzle_layout(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "SwizzleLayout", {"per_element", "swizzle_len", "atom_len", "swizzle_inner"}, 3);
  if (!a) return Value::error();
  std::int64_t n[3];
  for (std::size_t i = 0; i < 3; ++i) {
    auto v = in.as_int(a[i], a.span(i), "a swizzle parameter");
    if (!v) return Value::error();
    if (*v < 0 || *v > 30)
      return in.fail(code::kLayout, a.span(i),
                     "a swizzle parameter lies between 0 and 30, this is " + std::to_string(*v));
    n[i] = *v;
  }
  bool inner = !a.given(3) || in.truth(a[3], a.span(3)).value_or(true);
  return checked(in,
                 layout::make_swizzle(static_cast<int>(n[0]), static_cast<int>(n[1]), static_cast<int>(n[2]), inner),
                 args.call);
}

Value compose_layout(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "ComposeLayout", {"layout_A", "layout_B"}, 2);
  if (!a) return Value::error();
  auto x = in.as_layout(a[0], a.span(0));
  auto y = x ? in.as_layout(a[1], a.span(1)) : std::nullopt;
  if (!y) return Value::error();
  // A swizzle permutes addresses, and addresses lie on the memory axis alone.
  for (const auto* iters : {y->tile ? &y->tile->shard : nullptr, y->tile ? &y->tile->replica : nullptr}) {
    if (!iters) continue;
    for (const layout::Iter& i : *iters) {
      if (i.axis == layout::Axis::m) continue;
      return in.fail(code::kLayout, a.span(1),
                     "a swizzle composes with a layout on axis m only, this one has axis " +
                         std::string(layout::axis_name(i.axis)));
    }
  }
  return checked(in, layout::compose(*x, *y), args.call);
}

Value iter(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "Iter", {"extent", "stride", "axis"}, 3);
  if (!a) return Value::error();
  auto e = in.as_dim(a[0], a.span(0), "the extent");
  auto s = e ? in.as_dim(a[1], a.span(1), "the stride") : std::nullopt;
  auto x = s ? axis_of(in, a[2], a.span(2)) : std::nullopt;
  if (!x) return Value::error();
  IterValue* v = in.make<IterValue>();
  v->iter = {*e, *s, *x};
  return Value::object(v);
}

Value axis_value(Interpreter& in, Axis axis) {
  AxisValue* v = in.make<AxisValue>();
  v->axis = axis;
  return Value::object(v);
}

Value axis_get(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "Axis.get", {"name"}, 1);
  auto x = a ? axis_of(in, a[0], a.span(0)) : std::nullopt;
  return x ? axis_value(in, *x) : Value::error();
}

// ---- named helpers --------------------------------------------------------------------------------------------

// The enum of the swizzles of tensor copies.
Class* swizzle_mode_class(Interpreter& in) {
  return python::shared_class(in, "tirx.SwizzleMode", [&] {
    Class* base = in.attribute(python_module(in, "enum"), "Enum", {}).as<Class>();
    Class* cls = python::make_class(in, "SwizzleMode", {base});
    cls->is_enum = true;
    std::int64_t value = 0;
    for (std::string_view name : {"SWIZZLE_NONE", "SWIZZLE_32B_ATOM", "SWIZZLE_64B_ATOM", "SWIZZLE_128B_ATOM"}) {
      cls->scope->set(name, Value::integer(value++));
    }
    python::finish_enum(in, cls);
    return cls;
  });
}

std::optional<layout::SwizzleMode> mode_of(Interpreter& in, Value v, text::Span span) {
  if (Str* s = v.as<Str>()) {
    if (s->text == "none") return layout::SwizzleMode::None;
    if (s->text == "auto") return layout::SwizzleMode::B128;
    in.fail(code::kLayout, span, "unknown swizzle mode \"" + s->text + "\"", "\"auto\", \"none\", or 0 to 3",
            "ValueError");
    return std::nullopt;
  }
  if (Instance* member = v.as<Instance>(); member && member->cls->is_enum) {
    if (Value* value = member->find("value")) v = *value;
  }
  auto n = in.as_int(v, span, "the swizzle mode");
  if (!n) return std::nullopt;
  if (*n < 0 || *n > 3) {
    in.fail(code::kLayout, span, "the swizzle mode lies between 0 and 3, this is " + std::to_string(*n), {},
            "ValueError");
    return std::nullopt;
  }
  return static_cast<layout::SwizzleMode>(*n);
}

Value mma_shared(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "mma_shared_layout", {"dtype", "swizzle_mode", "shape"}, 3);
  auto d = a ? in.as_dtype(a[0], a.span(0)) : std::nullopt;
  auto m = d ? mode_of(in, a[1], a.span(1)) : std::nullopt;
  auto s = m ? in.as_shape(a[2], a.span(2), "the shape") : std::nullopt;
  if (!s) return Value::error();
  Value made = checked(in, layout::mma_shared_layout(*d, *m, *s), args.call);
  // A swizzle alone has no extents. Whoever looks at it wants to see those that were asked for.
  if (auto* l = made.as<LayoutValue>(); l && std::ranges::all_of(*s, &layout::Dim::is_constant)) {
    for (layout::Dim extent : *s) l->shape.push_back(extent.value());
  }
  return made;
}

Value mma_atom(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "mma_atom_layout", {"dtype", "swizzle_mode"}, 2);
  auto d = a ? in.as_dtype(a[0], a.span(0)) : std::nullopt;
  auto m = d ? mode_of(in, a[1], a.span(1)) : std::nullopt;
  return m ? checked(in, layout::mma_atom_layout(*d, *m), args.call) : Value::error();
}

Value mma_atom_shape(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "mma_atom_shape", {"dtype", "swizzle_mode", "shape"}, 2);
  auto d = a ? in.as_dtype(a[0], a.span(0)) : std::nullopt;
  auto m = d ? mode_of(in, a[1], a.span(1)) : std::nullopt;
  if (!m) return Value::error();
  std::optional<layout::ShapeView> view;
  layout::Shape shape;
  if (a.has(2)) {
    auto s = in.as_shape(a[2], a.span(2), "the shape");
    if (!s) return Value::error();
    shape = *s;
    view = shape;
  }
  auto r = layout::mma_atom_shape(*d, *m, view);
  if (!r) return failure(in, r.error(), args.call);
  std::vector<Value> out;
  for (Dim dim : *r) out.push_back(dim_value(dim));
  return in.list(std::move(out));
}

Value swizzle_mode_from_layout(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "get_swizzle_mode_from_layout", {"layout"}, 1);
  auto l = a ? in.as_layout(a[0], a.span(0)) : std::nullopt;
  if (!l) return Value::error();
  auto m = layout::swizzle_mode_of(*l);
  if (!m) return Value::none();
  std::vector<Value> members = python::enum_members(swizzle_mode_class(in));
  auto at = static_cast<std::size_t>(*m);
  return at < members.size() ? members[at] : Value::integer(static_cast<std::int64_t>(at));
}

Value wg_local(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "wg_local_layout", {"cols", "rows"}, 1);
  auto c = a ? in.as_int(a[0], a.span(0), "the columns") : std::nullopt;
  auto r = !c ? c : a.has(1) ? in.as_int(a[1], a.span(1), "the rows") : std::optional<std::int64_t>(128);
  return r ? in.layout_value(layout::wg_local_layout(*c, *r)) : Value::error();
}

Value mma_fragment(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "mma_fragment_layout", {"operand", "k"}, 1);
  auto operand = a ? in.as_string(a[0], a.span(0), "the operand") : std::nullopt;
  auto k = !operand   ? std::nullopt
           : a.has(1) ? in.as_int(a[1], a.span(1), "K of one instruction")
                      : std::optional<std::int64_t>(16);
  return k ? checked(in, layout::mma_fragment_layout(*operand, *k), args.call) : Value::error();
}

Value wgmma_accumulators(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "wgmma_accumulator_layout", {"cols", "rows"}, 1);
  auto c = a ? in.as_int(a[0], a.span(0), "the columns") : std::nullopt;
  auto r = !c ? c : a.has(1) ? in.as_int(a[1], a.span(1), "the rows") : std::optional<std::int64_t>(64);
  return r ? checked(in, layout::wgmma_accumulator_layout(*c, *r), args.call) : Value::error();
}

Value wgmma_operand(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "wgmma_operand_layout", {"cols", "dtype", "rows"}, 2);
  auto c = a ? in.as_int(a[0], a.span(0), "the columns") : std::nullopt;
  auto d = c ? in.as_dtype(a[1], a.span(1)) : std::nullopt;
  if (!d) return Value::error();
  auto r = a.has(2) ? in.as_int(a[2], a.span(2), "the rows") : std::optional<std::int64_t>(64);
  return r ? checked(in, layout::wgmma_operand_layout(*c, *d, *r), args.call) : Value::error();
}

Value tmem_datapath(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "tmem_datapath_layout", {"datapath", "rows", "cols"}, 3);
  auto d = a ? in.as_string(a[0], a.span(0), "the datapath") : std::nullopt;
  auto r = d ? in.as_int(a[1], a.span(1), "the rows") : std::nullopt;
  auto c = r ? in.as_int(a[2], a.span(2), "the columns") : std::nullopt;
  return c ? checked(in, layout::tmem_datapath_layout(*d, *r, *c), args.call) : Value::error();
}

Value tcgen05_atom(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "tcgen05_atom_layout", {"instr_shape", "tensor_shape", "dtype"}, 3);
  auto s = a ? in.as_string(a[0], a.span(0), "the instruction shape") : std::nullopt;
  auto t = s ? in.as_shape(a[1], a.span(1), "the tensor shape") : std::nullopt;
  auto d = t ? in.as_dtype(a[2], a.span(2)) : std::nullopt;
  if (!d) return Value::error();
  if (t->size() != 2 || !(*t)[0].is_constant() || !(*t)[1].is_constant()) {
    return in.fail(code::kLayout, a.span(1), "the tensor shape must be two constants (rows, columns)");
  }
  return checked(in, layout::tcgen05_atom_layout(*s, (*t)[0].value(), (*t)[1].value(), *d), args.call);
}

using ScaleFactorLayout = layout::Result<layout::Layout> (*)(std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                                                             std::optional<std::int64_t>);

Value scale_factors(Interpreter& in, const Arguments& args, std::string_view name, ScaleFactorLayout make) {
  Bound a(in, args, name, {"rows", "SF_K", "sf_per_mma", "sf_reuse", "pipe_depth"}, 3);
  if (!a) return Value::error();
  std::int64_t n[5] = {0, 0, 0, 1, 0};
  for (std::size_t i = 0; i < 5; ++i) {
    if (!a.has(i)) continue;
    auto v = in.as_int(a[i], a.span(i), "a parameter of " + std::string(name));
    if (!v) return Value::error();
    n[i] = *v;
  }
  return checked(in, make(n[0], n[1], n[2], n[3], a.has(4) ? std::optional(n[4]) : std::nullopt), args.call);
}

Value sf_tmem(Interpreter& in, const Arguments& args, Value) {
  return scale_factors(in, args, "sf_tmem_layout", layout::sf_tmem_layout);
}

Value sf_smem(Interpreter& in, const Arguments& args, Value) {
  return scale_factors(in, args, "sf_smem_layout", layout::sf_smem_layout);
}

Value trainium(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "TileLayout.trainium", {"annotation", "shape", "is_psum"}, 2);
  auto t = a ? in.as_string(a[0], a.span(0), "the annotation") : std::nullopt;
  auto s = t ? in.as_shape(a[1], a.span(1), "the shape") : std::nullopt;
  if (!s) return Value::error();
  return checked(in, layout::trainium(*t, *s, a.has(2) && in.truth(a[2], a.span(2)).value_or(false)), args.call);
}

struct Constructor {
  std::string_view name;
  NativeFunction function;
};
constexpr Constructor kClasses[] = {
    {"TileLayout", tile_layout},
    {"SwizzleLayout", swizzle_layout},
    {"ComposeLayout", compose_layout},
    {"Iter", iter},
};

Value builder(Interpreter& in, const Record& record, Value) {
  LayoutBuilder* b = in.make<LayoutBuilder>();
  b->replica = record.name == "R";
  return Value::object(b);
}
Value layout_class(Interpreter& in, const Record& record, Value) { return Value::object(tirx_class(in, record.name)); }
Value swizzle_mode(Interpreter& in, const Record&, Value) { return Value::object(swizzle_mode_class(in)); }
Value axis_module(Interpreter& in, const Record& record, Value) {
  return surface_space(in, std::string(record.name), record.children, lookup_surface);
}
Value axis(Interpreter& in, const Record& record, Value) { return axis_value(in, *layout::parse_axis(record.name)); }

// ---- methods --------------------------------------------------------------------------------------------------

layout::Layout self_layout(Value self) {
  if (LayoutValue* l = self.as<LayoutValue>()) return *l->layout;
  return {std::nullopt, self.as<LayoutSpec>()->tile};
}

template <bool Span>
Value size_or_span(Interpreter& in, const Arguments& args, Value self) {
  Bound a(in, args, Span ? "span" : "size", {"axis"}, 0);
  if (!a) return Value::error();
  layout::Layout l = self_layout(self);
  if (!a.has(0)) return dim_value(Span ? layout::span(l) : layout::size(l));
  auto axis = axis_of(in, a[0], a.span(0));
  if (!axis) return Value::error();
  auto r = Span ? layout::span(l, *axis) : layout::size(l, *axis);
  return r ? dim_value(*r) : failure(in, r.error(), args.call);
}

Value apply(Interpreter& in, const Arguments& args, Value self) {
  constexpr std::string_view kShapeOnly[] = {"shape"};
  std::optional<layout::Shape> shape;
  for (const Keyword& k : args.keywords) {
    if (k.name != "shape") return in.unknown_keyword("apply", k, kShapeOnly);
    if (k.value.is_none()) continue;
    shape = in.as_shape(k.value, k.span, "the shape");
    if (!shape) return Value::error();
  }
  std::vector<Value> coordinates(args.positional.begin(), args.positional.end());
  if (coordinates.size() == 1) {
    if (auto items = sequence(coordinates[0])) coordinates = *items;
  }
  layout::Layout l = self_layout(self);
  bool constant = true;
  for (Value v : coordinates) constant = constant && in.as_big(v).has_value();
  Dict* out = in.make<Dict>();
  if (constant) {
    std::vector<std::int64_t> c;
    for (Value v : coordinates) c.push_back(static_cast<std::int64_t>(*in.as_big(v)));
    if (c.size() == 1 && !shape) {
      auto r = layout::apply(l, c[0]);
      if (!r) return failure(in, r.error(), args.call);
      for (auto& [axis, v] : *r) in.dict_set(out, in.string(layout::axis_name(axis)), Value::integer(v));
      return Value::object(out);
    }
    if (shape) {
      auto r = layout::apply(l, c, *shape);
      if (!r) return failure(in, r.error(), args.call);
      for (auto& [axis, v] : *r) in.dict_set(out, in.string(layout::axis_name(axis)), Value::integer(v));
      return Value::object(out);
    }
  }
  std::vector<ir::Expr> c;
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    ir::Expr e = in.as_expr(coordinates[i], args.at(i), "a coordinate");
    if (!e) return Value::error();
    c.push_back(e);
  }
  auto r = shape ? layout::apply(l, c, *shape) : c.size() == 1 ? layout::apply(l, c[0]) : layout::apply_raw(l, c);
  if (!r) return failure(in, r.error(), args.call);
  for (auto& [axis, e] : *r) {
    ir::Expr s = ir::simplify(e);
    const std::int64_t* k = ir::constant(s);
    in.dict_set(out, in.string(layout::axis_name(axis)), k ? Value::integer(*k) : Value::expr(s));
  }
  return Value::object(out);
}

Value apply_to_shape(Interpreter& in, const Arguments& args, Value self) {
  Bound a(in, args, "apply_to_shape", {"coord", "shape"}, 2);
  auto coordinates = a ? in.as_extents(a[0], a.span(0), "the coordinate") : std::nullopt;
  auto shape = coordinates ? in.as_shape(a[1], a.span(1), "the shape") : std::nullopt;
  if (!shape) return Value::error();
  auto r = layout::apply_to_shape(self_layout(self), *coordinates, *shape);
  if (!r) return failure(in, r.error(), args.call);
  std::vector<Value> out;
  for (ir::Expr e : *r) {
    const std::int64_t* k = ir::constant(e);
    out.push_back(k ? Value::integer(*k) : Value::expr(e));
  }
  return in.list(std::move(out));
}

Value canonicalize(Interpreter& in, const Arguments& args, Value self) {
  // A script runs without a current target, so nothing is fused across thread axes (layout.md 5.4 step 3).
  return checked(in, layout::canonicalize(self_layout(self)), args.call);
}

Value group(Interpreter& in, const Arguments& args, Value self) {
  Bound a(in, args, "group", {"shape"}, 1);
  auto shape = a ? in.as_shape(a[0], a.span(0), "the shape") : std::nullopt;
  if (!shape) return Value::error();
  layout::Layout l = self_layout(self);
  if (!l.is_tile()) return in.fail(code::kLayout, args.call, "only a tile layout can be grouped");
  auto r = layout::group(*l.tile, *shape);
  if (!r) return failure(in, r.error(), args.call);
  std::vector<Value> separators;
  for (std::size_t s : r->separators) separators.push_back(Value::integer(static_cast<std::int64_t>(s)));
  return in.tuple({in.layout_value({std::nullopt, r->layout}), in.list(std::move(separators))});
}

// Methods over (layout, shape, shape): one table for tile, direct_sum and the recognisers.
enum class Pairwise { Tile, DirectSum, TileInner, TileOuter, DirectSumLeft, DirectSumRight };
template <Pairwise Which>
Value pairwise(Interpreter& in, const Arguments& args, Value self) {
  Bound a(in, args, "this method", {"other", "first_shape", "second_shape"}, 3);
  if (!a) return Value::error();
  auto other = in.as_layout(a[0], a.span(0));
  auto x = other ? in.as_shape(a[1], a.span(1), "the first shape") : std::nullopt;
  auto y = x ? in.as_shape(a[2], a.span(2), "the second shape") : std::nullopt;
  if (!y) return Value::error();
  layout::Layout l = self_layout(self);
  switch (Which) {
    case Pairwise::Tile: return checked(in, layout::tile(l, *other, *x, *y), args.call);
    case Pairwise::DirectSum: return checked(in, layout::direct_sum(l, *other, *x, *y), args.call);
    case Pairwise::TileInner: return optional_layout(in, layout::is_tile_inner(l, *other, *x, *y), args.call);
    case Pairwise::TileOuter: return optional_layout(in, layout::is_tile_outer(l, *other, *x, *y), args.call);
    case Pairwise::DirectSumLeft: return optional_layout(in, layout::is_direct_sum_left(l, *other, *x, *y), args.call);
    case Pairwise::DirectSumRight:
      return optional_layout(in, layout::is_direct_sum_right(l, *other, *x, *y), args.call);
  }
  return Value::none();
}

Value tile_to(Interpreter& in, const Arguments& args, Value self) {
  Bound a(in, args, "tile_to", {"to_shape", "current_shape"}, 2);
  auto x = a ? in.as_shape(a[0], a.span(0), "the target shape") : std::nullopt;
  auto y = x ? in.as_shape(a[1], a.span(1), "the current shape") : std::nullopt;
  return y ? checked(in, layout::tile_to(self_layout(self), *x, *y), args.call) : Value::error();
}

Value slice(Interpreter& in, const Arguments& args, Value self) {
  Bound a(in, args, "slice", {"shape", "region"}, 2);
  auto shape = a ? in.as_shape(a[0], a.span(0), "the shape") : std::nullopt;
  auto items = shape ? in.iterate(a[1], a.span(1)) : std::nullopt;
  if (!items) return Value::error();
  std::vector<layout::Range> region;
  for (Value v : *items) {
    Value from, to;
    if (auto pair = sequence(v); pair && pair->size() == 2) {
      from = (*pair)[0];
      to = (*pair)[1];
    } else if (Slice* s = v.as<Slice>()) {
      from = s->start.is_none() ? Value::integer(0) : s->start;
      to = s->stop;
    } else {
      return in.fail(code::kLayout, a.span(1), "a region is a list of (begin, end) pairs");
    }
    auto b = in.as_dim(from, a.span(1), "the begin");
    auto e = b ? in.as_dim(to, a.span(1), "the end") : std::nullopt;
    if (!e) return Value::error();
    region.push_back({*b, *e});
  }
  return optional_layout(in, layout::slice(self_layout(self), *shape, region), args.call);
}

Value storage(Interpreter& in, const Arguments&, Value self) {
  return in.layout_value(layout::storage(self_layout(self)));
}

template <bool Pack>
Value pack(Interpreter& in, const Arguments& args, Value self) {
  Bound a(in, args, Pack ? "pack" : "unpack", {"n"}, 1);
  auto n = a ? in.as_int(a[0], a.span(0), "the factor") : std::nullopt;
  if (!n) return Value::error();
  return checked(in, Pack ? layout::pack(self_layout(self), *n) : layout::unpack(self_layout(self), *n), args.call);
}

Value broadcast(Interpreter& in, const Arguments& args, Value self) {
  Bound a(in, args, "broadcast", {"n", "position", "axis"}, 1);
  auto n = a ? in.as_dim(a[0], a.span(0), "the extent") : std::nullopt;
  if (!n) return Value::error();
  auto position = a.has(1) ? in.as_int(a[1], a.span(1), "the position") : std::optional<std::int64_t>(-1);
  auto axis = !position ? std::nullopt : a.has(2) ? axis_of(in, a[2], a.span(2)) : std::optional(Axis::m);
  return axis ? checked(in, layout::broadcast(self_layout(self), *n, static_cast<int>(*position), *axis), args.call)
              : Value::error();
}

std::optional<std::vector<int>> permutation(Interpreter& in, Value v, text::Span span) {
  auto items = in.iterate(v, span);
  if (!items) return std::nullopt;
  std::vector<int> out;
  for (Value item : *items) {
    auto n = in.as_int(item, span, "a dimension");
    if (!n) return std::nullopt;
    if (*n < 0 || *n > 1'000'000) {
      in.fail(code::kLayout, span, "a permutation has no entry " + std::to_string(*n));
      return std::nullopt;
    }
    out.push_back(static_cast<int>(*n));
  }
  return out;
}

Value permute_dims(Interpreter& in, const Arguments& args, Value self) {
  Bound a(in, args, "permute_dims", {"perm"}, 1);
  auto p = a ? permutation(in, a[0], a.span(0)) : std::nullopt;
  return p ? checked(in, layout::permute_dims(self_layout(self), *p), args.call) : Value::error();
}

Value permute_by_groups(Interpreter& in, const Arguments& args, Value self) {
  Bound a(in, args, "permute_by_groups", {"separators", "perm"}, 2);
  auto s = a ? permutation(in, a[0], a.span(0)) : std::nullopt;
  auto p = s ? permutation(in, a[1], a.span(1)) : std::nullopt;
  if (!p) return Value::error();
  std::vector<std::size_t> separators(s->begin(), s->end());
  return checked(in, layout::permute_by_groups(self_layout(self), separators, *p), args.call);
}

Value get_scope(Interpreter& in, const Arguments& args, Value self) {
  auto r = layout::scope_of(self_layout(self));
  if (!r) return failure(in, r.error(), args.call);
  if (!*r) return Value::none();
  return in.tuple({in.string(layout::unit_name((*r)->first)), in.string(layout::unit_name((*r)->second))});
}

Value verify(Interpreter& in, const Arguments& args, Value self) {
  auto r = layout::scope_of(self_layout(self));
  return r ? Value::boolean(true) : failure(in, r.error(), args.call);
}

Value to_psum(Interpreter& in, const Arguments& args, Value self) {
  return checked(in, layout::to_psum(self_layout(self)), args.call);
}
Value is_swizzle(Interpreter&, const Arguments&, Value self) {
  return Value::boolean(layout::is_swizzle(self_layout(self)));
}
Value is_trivial(Interpreter&, const Arguments&, Value self) {
  return Value::boolean(layout::is_trivial(self_layout(self)));
}
Value is_trainium(Interpreter&, const Arguments&, Value self) {
  layout::Layout l = self_layout(self);
  bool any = false;  // N20: a P, F or Bank axis must occur
  if (!l.is_tile()) return Value::boolean(false);
  for (const layout::Iter& i : l.tile->shard) {
    if (!layout::is_memory_axis(i.axis)) continue;
    if (i.axis != Axis::P && i.axis != Axis::F && i.axis != Axis::Bank) return Value::boolean(false);
    any = true;
  }
  return Value::boolean(any);
}

// ---- attributes ---------------------------------------------------------------------------------------------

Value iters(Interpreter& in, const Record& record, Value of) {
  layout::Layout l = self_layout(of);
  return l.tile ? iter_list(in, record.name == "shard" ? l.tile->shard : l.tile->replica) : Value::error();
}

Value offset(Interpreter& in, const Record&, Value of) {
  layout::Layout l = self_layout(of);
  if (!l.tile) return Value::error();
  Dict* d = in.make<Dict>();
  for (auto& [axis, value] : l.tile->offset) in.dict_set(d, axis_value(in, axis), dim_value(value));
  return Value::object(d);
}

template <bool Tile>
Value part(Interpreter& in, const Record&, Value of) {
  layout::Layout l = self_layout(of);
  if (Tile ? !l.tile : !l.swizzle) return Value::error();
  return Tile ? in.layout_value({std::nullopt, l.tile}) : in.layout_value({l.swizzle, std::nullopt});
}

Value swizzle_bits(Interpreter&, const Record& record, Value of) {
  layout::Layout l = self_layout(of);
  if (!l.swizzle) return Value::error();
  if (record.name == "per_element") return Value::integer(l.swizzle->per_element);
  if (record.name == "swizzle_len") return Value::integer(l.swizzle->swizzle_len);
  if (record.name == "atom_len") return Value::integer(l.swizzle->atom_len);
  return Value::boolean(l.swizzle->inner);
}

Value iter_part(Interpreter& in, const Record& record, Value of) {
  const layout::Iter& i = of.as<IterValue>()->iter;
  if (record.name == "extent") return dim_value(i.extent);
  return record.name == "stride" ? dim_value(i.stride) : axis_value(in, i.axis);
}

Value axis_name(Interpreter& in, const Record&, Value of) {
  return in.string(layout::axis_name(of.as<AxisValue>()->axis));
}
Value is_thread(Interpreter&, const Arguments&, Value self) {
  return Value::boolean(layout::is_thread_axis(self.as<AxisValue>()->axis));
}
Value is_memory(Interpreter&, const Arguments&, Value self) {
  return Value::boolean(layout::is_memory_axis(self.as<AxisValue>()->axis));
}

constexpr Record kLayoutRecords[] = {
    {"layout", "S", NameKind::Constant, "", "Shard: S[extents : strides], a stride being a number or number @ axis.",
     nullptr, builder},
    {"layout", "R", NameKind::Constant, "", "Replica: R[extents : strides], copies of the same elements.", nullptr,
     builder},
    {"layout",
     "Axis",
     NameKind::Namespace,
     "",
     "The axes by name: Axis.get(\"laneid\").",
     nullptr,
     axis_module,
     {},
     0,
     "Axis"},
    {"layout", "SwizzleMode", NameKind::Class, "", "The swizzles of tensor copies.", nullptr, swizzle_mode},
    {"layout", "TileLayout", NameKind::Class, "spec", "Strided iters over named axes.", nullptr, layout_class},
    {"layout", "SwizzleLayout", NameKind::Class, "per_element, swizzle_len, atom_len, swizzle_inner=True",
     "An XOR permutation of one linear address.", nullptr, layout_class},
    {"layout", "ComposeLayout", NameKind::Class, "layout_A, layout_B", "A swizzle over a tile layout.", nullptr,
     layout_class},
    {"layout", "Iter", NameKind::Class, "extent, stride, axis", "One strided loop over an axis.", nullptr,
     layout_class},
    {"layout", "Layout", NameKind::Class, "", "The class of all layouts.", nullptr, layout_class},
    {"layout", "mma_shared_layout", NameKind::Function, "dtype, swizzle_mode, shape",
     "The swizzled layout that wgmma and tcgen05 read from shared memory.", mma_shared},
    {"layout", "tma_shared_layout", NameKind::Function, "dtype, swizzle_mode, shape",
     "The same layout under its name for tensor copies.", mma_shared},
    {"layout", "mma_atom_layout", NameKind::Function, "dtype, swizzle_mode", "The atom of mma_shared_layout.",
     mma_atom},
    {"layout", "tma_atom_layout", NameKind::Function, "dtype, swizzle_mode",
     "mma_atom_layout under its name for tensor copies.", mma_atom},
    {"layout", "mma_atom_shape", NameKind::Function, "dtype, swizzle_mode, shape=None", "The shape of that atom.",
     mma_atom_shape},
    {"layout", "tma_atom_shape", NameKind::Function, "dtype, swizzle_mode, shape=None",
     "mma_atom_shape under its name for tensor copies.", mma_atom_shape},
    {"layout", "get_swizzle_mode_from_layout", NameKind::Function, "layout",
     "The swizzle of tensor copies that a shared layout has.", swizzle_mode_from_layout},
    {"layout", "wg_local_layout", NameKind::Function, "cols, rows=128", "Registers of a warpgroup, one row a thread.",
     wg_local},
    {"layout", "mma_fragment_layout", NameKind::Function, "operand, k=16",
     "Registers of a warp as mma.m16n8kX has its operand \"A\", \"B\", \"C\" or \"D\". The name is Tilewright's own, "
     "the "
     "reference has none.",
     mma_fragment},
    {"layout", "wgmma_accumulator_layout", NameKind::Function, "cols, rows=64",
     "Registers of a warpgroup as wgmma adds up in them. The name is Tilewright's own, the reference has none.",
     wgmma_accumulators},
    {"layout", "wgmma_operand_layout", NameKind::Function, "cols, dtype, rows=64",
     "Registers of a warpgroup as wgmma takes A from them. The name is Tilewright's own, the reference has none.",
     wgmma_operand},
    {"layout", "tmem_datapath_layout", NameKind::Function, "datapath, rows, cols",
     "Tensor memory as a datapath of tcgen05 sees it.", tmem_datapath},
    {"layout", "tcgen05_atom_layout", NameKind::Function, "instr_shape, tensor_shape, dtype",
     "Registers as tcgen05.ld and tcgen05.st move them.", tcgen05_atom},
    {"layout", "sf_tmem_layout", NameKind::Function, "rows, SF_K, sf_per_mma, sf_reuse=1, pipe_depth=None",
     "Scale factors in tensor memory.", sf_tmem},
    {"gemm_async", "sf_smem_layout", NameKind::Function, "rows, SF_K, sf_per_mma, sf_reuse=1, pipe_depth=None",
     "Scale factors in shared memory, as copies into tensor memory read them.", sf_smem},
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
    {"Layout", "size", NameKind::Function, "axis=None", "How many places there are, or those along an axis.",
     size_or_span<false>},
    {"Layout", "span", NameKind::Function, "axis=None", "How far places reach, or along an axis.", size_or_span<true>},
    {"Layout", "apply", NameKind::Function, "*coordinates, shape=None", "Where an element lies, by axis.", apply},
    {"Layout", "apply_to_shape", NameKind::Function, "coord, shape",
     "Where the element of a tensor of this shape lies.", apply_to_shape},
    {"Layout", "canonicalize", NameKind::Function, "", "The same layout in its simplest form.", canonicalize},
    {"Layout", "group", NameKind::Function, "shape", "The iters split and joined so that they match a shape.", group},
    {"Layout", "tile", NameKind::Function, "other, first_shape, second_shape",
     "This layout as the tile of an outer one.", pairwise<Pairwise::Tile>},
    {"Layout", "direct_sum", NameKind::Function, "other, first_shape, second_shape", "Two layouts side by side.",
     pairwise<Pairwise::DirectSum>},
    {"Layout", "is_tile_inner", NameKind::Function, "other, first_shape, second_shape",
     "The outer layout, if this is the inner tile of it.", pairwise<Pairwise::TileInner>},
    {"Layout", "is_tile_outer", NameKind::Function, "other, first_shape, second_shape",
     "The inner layout, if this is the outer one of it.", pairwise<Pairwise::TileOuter>},
    {"Layout", "is_direct_sum_left", NameKind::Function, "other, first_shape, second_shape",
     "The right side, if this is the left one of a sum.", pairwise<Pairwise::DirectSumLeft>},
    {"Layout", "is_direct_sum_right", NameKind::Function, "other, first_shape, second_shape",
     "The left side, if this is the right one of a sum.", pairwise<Pairwise::DirectSumRight>},
    {"Layout", "tile_to", NameKind::Function, "to_shape, current_shape", "Repeats this layout up to a shape.", tile_to},
    {"Layout", "slice", NameKind::Function, "shape, region", "The layout of a region.", slice},
    {"Layout", "storage", NameKind::Function, "", "The layout without its thread axes.", storage},
    {"Layout", "pack", NameKind::Function, "n", "The layout of elements n times as large.", pack<true>},
    {"Layout", "unpack", NameKind::Function, "n", "The layout of elements n times as small.", pack<false>},
    {"Layout", "broadcast", NameKind::Function, "n, position=None, axis=None", "Repeats this layout.", broadcast},
    {"Layout", "permute_dims", NameKind::Function, "perm", "The layout with its dimensions in another order.",
     permute_dims},
    {"Layout", "permute_by_groups", NameKind::Function, "separators, perm",
     "The layout with groups of dimensions in another order.", permute_by_groups},
    {"Layout", "get_scope", NameKind::Function, "", "The pair of scopes that the thread axes lead through.", get_scope},
    {"Layout", "verify_well_formed", NameKind::Function, "", "True, or an error that says what is wrong.", verify},
    {"Layout", "to_psum", NameKind::Function, "", "The layout in another target's accumulators.", to_psum},
    {"Layout", "is_swizzle", NameKind::Function, "", "Is this a swizzle alone?", is_swizzle},
    {"Layout", "is_trivial", NameKind::Function, "", "Is the place the index itself?", is_trivial},
    {"Layout", "is_trainium", NameKind::Function, "", "Does it lie in another target's memory?", is_trainium},
    {"Layout", "shard", NameKind::Attribute, "", "The iters that place elements.", nullptr, iters},
    {"Layout", "replica", NameKind::Attribute, "", "The iters that repeat them.", nullptr, iters},
    {"Layout", "offset", NameKind::Attribute, "", "The offset of each axis, as a dict.", nullptr, offset},
    {"Layout", "swizzle", NameKind::Attribute, "", "The swizzle of a composed layout.", nullptr, part<false>},
    {"Layout", "layout_A", NameKind::Attribute, "", "The swizzle of a composed layout.", nullptr, part<false>},
    {"Layout", "tile_layout", NameKind::Attribute, "", "The layout below the swizzle.", nullptr, part<true>},
    {"Layout", "layout_B", NameKind::Attribute, "", "The layout below the swizzle.", nullptr, part<true>},
    {"Layout", "per_element", NameKind::Attribute, "", "Low bits that a swizzle keeps.", nullptr, swizzle_bits},
    {"Layout", "swizzle_len", NameKind::Attribute, "", "How many bits a swizzle changes.", nullptr, swizzle_bits},
    {"Layout", "atom_len", NameKind::Attribute, "", "How far the bits lie apart that a swizzle combines.", nullptr,
     swizzle_bits},
    {"Layout", "swizzle_inner", NameKind::Attribute, "", "Does it change the low bits?", nullptr, swizzle_bits},
    {"Iter", "extent", NameKind::Attribute, "", "How many steps it makes.", nullptr, iter_part},
    {"Iter", "stride", NameKind::Attribute, "", "How far a step goes.", nullptr, iter_part},
    {"Iter", "axis", NameKind::Attribute, "", "The axis that it goes along.", nullptr, iter_part},
    {"axis", "name", NameKind::Attribute, "", "The name of the axis.", nullptr, axis_name},
    {"axis", "is_thread", NameKind::Function, "", "Does it count threads?", is_thread},
    {"axis", "is_memory", NameKind::Function, "", "Does it count places in memory?", is_memory},
};

}  // namespace

std::span<const Record> layout_records() { return kLayoutRecords; }

NativeFunction layout_constructor(std::string_view name) {
  auto row =
      std::find_if(std::begin(kClasses), std::end(kClasses), [&](const Constructor& c) { return c.name == name; });
  return row == std::end(kClasses) ? nullptr : row->function;
}

void add_layout_makers(Interpreter& in, Class* cls) {
  if (cls->name != "TileLayout") return;
  for (const Constructor& m : {Constructor{"from_iters", from_iters}, Constructor{"trainium", trainium}}) {
    StaticMethod* s = in.make<StaticMethod>();
    s->function = in.native(m.name, m.function);
    cls->scope->set(m.name, Value::object(s));
  }
}

Value layout_module(Interpreter& in) { return surface_space(in, "tvm.tirx.layout", "layout", lookup_surface); }

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
    auto extents = sequence(s->start);
    std::optional<std::vector<Value>> strides;
    if (extents) strides = sequence(s->stop);
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
