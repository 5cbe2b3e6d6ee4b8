// What the module of the layout algebra holds: S and R, and the classes of layouts with what makes them (layout.md 3,
// 4).
#include <algorithm>

#include "compiler/script/tirx/layout_values.h"

namespace tilewright::script {
namespace {

using text::Dialect::V0_26;

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

// The numbers of a swizzle in the first three arguments; `inner`: which one is swizzle_inner. Nothing: an error is
// pending.
std::optional<layout::Swizzle> swizzle_of(Interpreter& in, const Bound& a, std::size_t inner) {
  int n[3];
  for (std::size_t i = 0; i < 3; ++i) {
    auto v = in.as_int(a[i], a.span(i), "a swizzle parameter");
    if (!v) return std::nullopt;
    if (*v < 0 || *v > 30) {
      in.fail(code::kLayout, a.span(i), "a swizzle parameter lies between 0 and 30, this is " + std::to_string(*v));
      return std::nullopt;
    }
    n[i] = static_cast<int>(*v);
  }
  auto down = a.given(inner) ? in.truth(a[inner], a.span(inner)) : std::optional(true);
  if (!down) return std::nullopt;
  return layout::Swizzle{n[0], n[1], n[2], *down};
}

Value swizzle_layout(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "SwizzleLayout", {"per_element", "swizzle_len", "atom_len", "swizzle_inner"}, 3);
  auto z = a ? swizzle_of(in, a, 3) : std::nullopt;
  if (!z) return Value::error();
  return checked_layout(in, layout::make_swizzle(z->per_element, z->swizzle_len, z->atom_len, z->inner), args.call);
}

// A swizzle over a tile; `at`: of the tile.
Value composed(Interpreter& in, const layout::Layout& x, const layout::Layout& y, text::Span at, text::Span call) {
  // A swizzle permutes addresses, and addresses lie on the memory axis alone.
  for (const auto* iters : {y.tile ? &y.tile->shard : nullptr, y.tile ? &y.tile->replica : nullptr}) {
    if (!iters) continue;
    for (const layout::Iter& i : *iters) {
      if (i.axis == layout::Axis::m) continue;
      return in.fail(code::kLayout, at,
                     "a swizzle composes with a layout on axis m only, this one has axis " +
                         std::string(layout::axis_name(i.axis)));
    }
  }
  return checked_layout(in, layout::compose(x, y), call);
}

// From 0.26 on: the numbers of the swizzle, and the tile that it is applied to.
Value combined_layout(Interpreter& in, const Arguments& args) {
  if (!args.positional.empty() && (args.positional[0].as<LayoutValue>() || args.positional[0].as<LayoutSpec>())) {
    return in.fail(code::kArguments, args.at(0),
                   "ComposeLayout takes the three numbers of the swizzle before the tile, not another layout",
                   "write ComposeLayout(per_element, swizzle_len, atom_len, tile_layout)");
  }
  Bound a(in, args, "ComposeLayout", {"per_element", "swizzle_len", "atom_len", "tile_layout", "swizzle_inner"}, 4);
  if (!a) return Value::error();
  auto swizzle = swizzle_of(in, a, 4);
  auto tile = swizzle ? in.as_layout(a[3], a.span(3)) : std::nullopt;
  if (!tile) return Value::error();
  if (tile->swizzle) return in.fail(code::kLayout, a.span(3), "the tile of a swizzle has no swizzle of its own");
  auto bare = layout::make_swizzle(swizzle->per_element, swizzle->swizzle_len, swizzle->atom_len, swizzle->inner);
  return bare ? composed(in, *bare, *tile, a.span(3), args.call) : layout_failure(in, bare.error(), args.call);
}

Value compose_layout(Interpreter& in, const Arguments& args, Value) {
  if (in.dialect() >= text::Dialect::V0_26) return combined_layout(in, args);
  Bound a(in, args, "ComposeLayout", {"layout_A", "layout_B"}, 2);
  if (!a) return Value::error();
  auto x = in.as_layout(a[0], a.span(0));
  auto y = x ? in.as_layout(a[1], a.span(1)) : std::nullopt;
  return y ? composed(in, *x, *y, a.span(1), args.call) : Value::error();
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

Value trainium(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "TileLayout.trainium", {"annotation", "shape", "is_psum"}, 2);
  auto t = a ? in.as_string(a[0], a.span(0), "the annotation") : std::nullopt;
  auto s = t ? in.as_shape(a[1], a.span(1), "the shape") : std::nullopt;
  auto psum = s && a.has(2) ? in.truth(a[2], a.span(2)) : std::optional(false);
  if (!s || !psum) return Value::error();
  return checked_layout(in, layout::trainium(*t, *s, *psum), args.call);
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
    until(V0_26, {"layout", "ComposeLayout", NameKind::Class, "layout_A, layout_B", "A swizzle over a tile layout.",
                  nullptr, layout_class}),
    since(V0_26, {"layout", "ComposeLayout", NameKind::Class,
                  "per_element, swizzle_len, atom_len, tile_layout, swizzle_inner=True",
                  "An XOR permutation of the addresses of a tile layout.", nullptr, layout_class}),
    {"layout", "Iter", NameKind::Class, "extent, stride, axis", "One strided loop over an axis.", nullptr,
     layout_class},
    {"layout", "Layout", NameKind::Class, "", "The class of all layouts.", nullptr, layout_class},
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

}  // namespace tilewright::script
