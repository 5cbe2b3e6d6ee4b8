// Methods and attributes of layouts, iters and axes (layout.md 4).
#include <algorithm>

#include "compiler/layout/refine.h"
#include "compiler/script/tirx/layout_values.h"

namespace tilewright::script {
namespace {

using layout::Axis;
using text::Dialect::V0_26;

Value iter_list(Interpreter& in, const layout::Iters& iters) {
  std::vector<Value> out;
  for (const layout::Iter& i : iters) {
    IterValue* v = in.make<IterValue>();
    v->iter = i;
    out.push_back(Value::object(v));
  }
  return in.list(std::move(out));
}

Value optional_layout(Interpreter& in, layout::Result<std::optional<layout::Layout>> r, text::Span span) {
  if (!r) return layout_failure(in, r.error(), span);
  return *r ? in.layout_value(std::move(**r)) : Value::none();
}

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
  return r ? dim_value(*r) : layout_failure(in, r.error(), args.call);
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
    if (auto items = sequence_of(coordinates[0])) coordinates = *items;
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
      if (!r) return layout_failure(in, r.error(), args.call);
      for (auto& [axis, v] : *r) in.dict_set(out, in.string(layout::axis_name(axis)), Value::integer(v));
      return Value::object(out);
    }
    if (shape) {
      auto r = layout::apply(l, c, *shape);
      if (!r) return layout_failure(in, r.error(), args.call);
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
  if (!r) return layout_failure(in, r.error(), args.call);
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
  if (!r) return layout_failure(in, r.error(), args.call);
  std::vector<Value> out;
  for (ir::Expr e : *r) {
    const std::int64_t* k = ir::constant(e);
    out.push_back(k ? Value::integer(*k) : Value::expr(e));
  }
  return in.list(std::move(out));
}

Value canonicalize(Interpreter& in, const Arguments& args, Value self) {
  // A script runs without a current target, so nothing is fused across thread axes (layout.md 5.4 step 3).
  const layout::Layout l = self_layout(self);
  auto made = layout::canonicalize(l);
  if (made) made = over_elements(in, *std::move(made), layout::size(l));
  return checked_layout(in, std::move(made), args.call);
}

Value group_many(Interpreter& in, const Arguments& args, Value self) {
  Bound a(in, args, "group_many", {"shapes"}, 1);
  auto items = a ? in.iterate(a[0], a.span(0)) : std::nullopt;
  if (!items) return Value::error();
  std::vector<layout::Shape> shapes;
  for (Value v : *items) {
    auto shape = in.as_shape(v, a.span(0), "a shape");
    if (!shape) return Value::error();
    shapes.push_back(*std::move(shape));
  }
  const layout::Layout l = self_layout(self);
  if (!l.is_tile()) return in.fail(code::kLayout, args.call, "only a tile layout can be grouped");
  auto made = layout::refine(*l.tile, shapes);
  if (!made) {
    std::string why = made.error().message;
    if (const std::string own = "refine: "; why.starts_with(own)) why = "group_many: " + why.substr(own.size());
    return layout_failure(in, {std::move(why)}, args.call);
  }
  std::vector<Value> lists;
  for (const auto& separators : made->separators) {
    std::vector<Value> list;
    for (std::size_t s : separators) list.push_back(Value::integer(static_cast<std::int64_t>(s)));
    lists.push_back(in.list(std::move(list)));
  }
  return in.tuple({in.layout_value({std::nullopt, std::move(made->layout)}), in.list(std::move(lists))});
}

Value group(Interpreter& in, const Arguments& args, Value self) {
  Bound a(in, args, "group", {"shape"}, 1);
  auto shape = a ? in.as_shape(a[0], a.span(0), "the shape") : std::nullopt;
  if (!shape) return Value::error();
  layout::Layout l = self_layout(self);
  if (!l.is_tile()) return in.fail(code::kLayout, args.call, "only a tile layout can be grouped");
  auto r = layout::group(*l.tile, *shape);
  if (!r) return layout_failure(in, r.error(), args.call);
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
    case Pairwise::Tile: return checked_layout(in, layout::tile(l, *other, *x, *y), args.call);
    case Pairwise::DirectSum: return checked_layout(in, layout::direct_sum(l, *other, *x, *y), args.call);
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
  if (!y) return Value::error();
  auto made = layout::tile_to(self_layout(self), *x, *y);
  layout::Dim elements = 1;
  for (layout::Dim d : *x) elements = elements * d;
  if (made) made = over_elements(in, *std::move(made), elements);
  return checked_layout(in, std::move(made), args.call);
}

Value slice(Interpreter& in, const Arguments& args, Value self) {
  Bound a(in, args, "slice", {"shape", "region"}, 2);
  auto shape = a ? in.as_shape(a[0], a.span(0), "the shape") : std::nullopt;
  auto items = shape ? in.iterate(a[1], a.span(1)) : std::nullopt;
  if (!items) return Value::error();
  std::vector<layout::Range> region;
  for (Value v : *items) {
    Value from, to;
    if (auto pair = sequence_of(v); pair && pair->size() == 2) {
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
  return checked_layout(in, Pack ? layout::pack(self_layout(self), *n) : layout::unpack(self_layout(self), *n),
                        args.call);
}

Value broadcast(Interpreter& in, const Arguments& args, Value self) {
  Bound a(in, args, "broadcast", {"n", "position", "axis"}, 1);
  auto n = a ? in.as_dim(a[0], a.span(0), "the extent") : std::nullopt;
  if (!n) return Value::error();
  auto position = a.has(1) ? in.as_int(a[1], a.span(1), "the position") : std::optional<std::int64_t>(-1);
  auto axis = !position ? std::nullopt : a.has(2) ? axis_of(in, a[2], a.span(2)) : std::optional(Axis::m);
  return axis ? checked_layout(in, layout::broadcast(self_layout(self), *n, static_cast<int>(*position), *axis),
                               args.call)
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
  return p ? checked_layout(in, layout::permute_dims(self_layout(self), *p), args.call) : Value::error();
}

Value permute_by_groups(Interpreter& in, const Arguments& args, Value self) {
  Bound a(in, args, "permute_by_groups", {"separators", "perm"}, 2);
  auto s = a ? permutation(in, a[0], a.span(0)) : std::nullopt;
  auto p = s ? permutation(in, a[1], a.span(1)) : std::nullopt;
  if (!p) return Value::error();
  std::vector<std::size_t> separators(s->begin(), s->end());
  return checked_layout(in, layout::permute_by_groups(self_layout(self), separators, *p), args.call);
}

Value get_scope(Interpreter& in, const Arguments& args, Value self) {
  auto r = layout::scope_of(self_layout(self));
  if (!r) return layout_failure(in, r.error(), args.call);
  if (!*r) return Value::none();
  return in.tuple({in.string(layout::unit_name((*r)->first)), in.string(layout::unit_name((*r)->second))});
}

Value verify(Interpreter& in, const Arguments& args, Value self) {
  auto r = layout::scope_of(self_layout(self));
  return r ? Value::boolean(true) : layout_failure(in, r.error(), args.call);
}

Value to_psum(Interpreter& in, const Arguments& args, Value self) {
  return checked_layout(in, layout::to_psum(self_layout(self)), args.call);
}
Value is_swizzle(Interpreter& in, const Arguments&, Value self) {
  const layout::Layout l = self_layout(self);
  const bool alone = in.dialect() < V0_26 ? layout::is_swizzle(l)
                                          : l.swizzle && (!l.tile || layout::is_trivial({std::nullopt, l.tile}));
  return Value::boolean(alone);
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

constexpr Record kLayoutMethodRecords[] = {
    {"Layout", "size", NameKind::Function, "axis=None", "How many places there are, or those along an axis.",
     size_or_span<false>},
    {"Layout", "span", NameKind::Function, "axis=None", "How far places reach, or along an axis.", size_or_span<true>},
    {"Layout", "apply", NameKind::Function, "*coordinates, shape=None", "Where an element lies, by axis.", apply},
    {"Layout", "apply_to_shape", NameKind::Function, "coord, shape",
     "Where the element of a tensor of this shape lies.", apply_to_shape},
    {"Layout", "canonicalize", NameKind::Function, "", "The same layout in its simplest form.", canonicalize},
    {"Layout", "group", NameKind::Function, "shape", "The iters split and joined so that they match a shape.", group},
    since(V0_26, {"Layout", "group_many", NameKind::Function, "shapes",
                  "The iters split so that they match several shapes at once.", group_many}),
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
    until(V0_26,
          {"Layout", "swizzle", NameKind::Attribute, "", "The swizzle of a composed layout.", nullptr, part<false>}),
    until(V0_26,
          {"Layout", "layout_A", NameKind::Attribute, "", "The swizzle of a composed layout.", nullptr, part<false>}),
    {"Layout", "tile_layout", NameKind::Attribute, "", "The layout below the swizzle.", nullptr, part<true>},
    until(V0_26, {"Layout", "layout_B", NameKind::Attribute, "", "The layout below the swizzle.", nullptr, part<true>}),
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

std::span<const Record> layout_method_records() { return kLayoutMethodRecords; }

}  // namespace tilewright::script
