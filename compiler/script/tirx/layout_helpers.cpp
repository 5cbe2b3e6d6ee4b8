// Layouts that have names: what matrix and copy instructions expect in shared memory, registers and tensor memory
// (layout.md 7).
#include <algorithm>

#include "compiler/layout/mma.h"
#include "compiler/layout/packed.h"
#include "compiler/layout/tensor_memory.h"
#include "compiler/layout/wgmma.h"
#include "compiler/script/python/support.h"
#include "compiler/script/tirx/layout_values.h"

namespace tilewright::script {

using text::Dialect::V0_26;

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

namespace {

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
  const bool packs = *m == layout::SwizzleMode::None && in.dialect() >= V0_26;
  auto layout = packs ? layout::mma_packed_layout(*d, *s) : layout::mma_shared_layout(*d, *m, *s);
  layout::Dim elements = 1;
  for (layout::Dim extent : *s) elements = elements * extent;
  if (layout) layout = over_elements(in, *std::move(layout), elements);
  Value made = checked_layout(in, std::move(layout), args.call);
  // A swizzle alone has no extents. A reader wants to see those that were asked for.
  if (auto* l = made.as<LayoutValue>(); l && std::ranges::all_of(*s, &layout::Dim::is_constant)) {
    for (layout::Dim extent : *s) l->shape.push_back(extent.value());
  }
  return made;
}

Value mma_atom(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "mma_atom_layout", {"dtype", "swizzle_mode"}, 2);
  auto d = a ? in.as_dtype(a[0], a.span(0)) : std::nullopt;
  auto m = d ? mode_of(in, a[1], a.span(1)) : std::nullopt;
  return m ? checked_layout(in, layout::mma_atom_layout(*d, *m), args.call) : Value::error();
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
  if (!r) return layout_failure(in, r.error(), args.call);
  std::vector<Value> out;
  for (layout::Dim dim : *r) out.push_back(dim_value(dim));
  return in.list(std::move(out));
}

Value swizzle_mode_from_layout(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "get_swizzle_mode_from_layout", {"layout"}, 1);
  auto l = a ? in.as_layout(a[0], a.span(0)) : std::nullopt;
  if (!l) return Value::error();
  if (in.dialect() >= V0_26 && l->swizzle && l->swizzle->swizzle_len > 0 && !l->swizzle->inner) {
    return in.fail(
        code::kLayout, a.span(0),
        "a swizzle with swizzle_inner=False is none of the hardware: its rows are changed by the units of 16 "
        "bytes, not the units by the rows",
        "leave swizzle_inner out", "ValueError");
  }
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
  return k ? checked_layout(in, layout::mma_fragment_layout(*operand, *k), args.call) : Value::error();
}

Value wgmma_accumulators(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "wgmma_accumulator_layout", {"cols", "rows"}, 1);
  auto c = a ? in.as_int(a[0], a.span(0), "the columns") : std::nullopt;
  auto r = !c ? c : a.has(1) ? in.as_int(a[1], a.span(1), "the rows") : std::optional<std::int64_t>(64);
  return r ? checked_layout(in, layout::wgmma_accumulator_layout(*c, *r), args.call) : Value::error();
}

Value wgmma_operand(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "wgmma_operand_layout", {"cols", "dtype", "rows"}, 2);
  auto c = a ? in.as_int(a[0], a.span(0), "the columns") : std::nullopt;
  auto d = c ? in.as_dtype(a[1], a.span(1)) : std::nullopt;
  if (!d) return Value::error();
  auto r = a.has(2) ? in.as_int(a[2], a.span(2), "the rows") : std::optional<std::int64_t>(64);
  return r ? checked_layout(in, layout::wgmma_operand_layout(*c, *d, *r), args.call) : Value::error();
}

// From 0.26 on: seven data paths, two of which leave half of the lanes free.
Value tmem_mma_datapath(Interpreter& in, const Arguments& args) {
  Bound a(in, args, "tmem_datapath_layout", {"datapath", "rows", "cols", "sub_slab"}, 3);
  auto d = a ? in.as_string(a[0], a.span(0), "the datapath") : std::nullopt;
  auto r = d ? in.as_int(a[1], a.span(1), "the rows") : std::nullopt;
  auto c = r ? in.as_int(a[2], a.span(2), "the columns") : std::nullopt;
  auto s = !c ? c : a.has(3) ? in.as_int(a[3], a.span(3), "sub_slab") : std::optional<std::int64_t>(0);
  return s ? checked_layout(in, layout::tmem_mma_datapath_layout(*d, *r, *c, *s), args.call) : Value::error();
}

std::optional<std::vector<std::int64_t>> numbers(Interpreter& in, Value v, text::Span span, std::string_view what) {
  auto items = in.iterate(v, span);
  if (!items) return std::nullopt;
  std::vector<std::int64_t> out;
  for (Value item : *items) {
    auto n = in.as_int(item, span, what);
    if (!n) return std::nullopt;
    if (*n < 1 || *n > 1 << 30) {
      in.fail(code::kLayout, span, std::string(what) + " is a positive number, not " + std::to_string(*n), {},
              "ValueError");
      return std::nullopt;
    }
    out.push_back(*n);
  }
  return out;
}

Value tmem_operand(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "tmem_mma_operand_layout", {"operand", "shape", "dtype", "M", "cta_group", "ws", "sparse", "group"},
          5);
  auto operand = a ? in.as_string(a[0], a.span(0), "the operand") : std::nullopt;
  auto shape = operand ? numbers(in, a[1], a.span(1), "an extent of the operand") : std::nullopt;
  auto m = shape ? in.as_int(a[3], a.span(3), "M") : std::nullopt;
  auto ctas = m ? in.as_int(a[4], a.span(4), "cta_group") : std::nullopt;
  auto ws = !ctas ? std::nullopt : a.has(5) ? in.truth(a[5], a.span(5)) : std::optional(false);
  auto sparse = !ws ? ws : a.has(6) ? in.truth(a[6], a.span(6)) : std::optional(false);
  if (!sparse) return Value::error();
  std::optional<std::vector<std::int64_t>> group;
  if (a.has(7)) {
    group = numbers(in, a[7], a.span(7), "a part of group=");
    if (!group) return Value::error();
  }
  const layout::MmaInstruction instruction{*m, *ctas, *ws, *sparse};
  return checked_layout(
      in,
      layout::tmem_mma_operand_layout(*operand, *shape, instruction,
                                      group ? std::optional(std::span<const std::int64_t>(*group)) : std::nullopt),
      args.call);
}

Value tmem_datapath(Interpreter& in, const Arguments& args, Value) {
  if (in.dialect() >= V0_26) return tmem_mma_datapath(in, args);
  Bound a(in, args, "tmem_datapath_layout", {"datapath", "rows", "cols"}, 3);
  auto d = a ? in.as_string(a[0], a.span(0), "the datapath") : std::nullopt;
  auto r = d ? in.as_int(a[1], a.span(1), "the rows") : std::nullopt;
  auto c = r ? in.as_int(a[2], a.span(2), "the columns") : std::nullopt;
  return c ? checked_layout(in, layout::tmem_datapath_layout(*d, *r, *c), args.call) : Value::error();
}

}  // namespace

layout::Result<layout::Layout> fragment_layout(Interpreter& in, std::string_view shape, std::int64_t rows,
                                               std::int64_t columns, ir::DataType dtype) {
  const bool halves = in.dialect() >= V0_26 && shape == "32x32b" && rows == 64;
  return halves ? layout::tmem_halves_fragment_layout(columns, dtype)
                : layout::tcgen05_atom_layout(shape, rows, columns, dtype);
}

namespace {

Value tcgen05_atom(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "tcgen05_atom_layout", {"instr_shape", "tensor_shape", "dtype"}, 3);
  auto s = a ? in.as_string(a[0], a.span(0), "the instruction shape") : std::nullopt;
  auto t = s ? in.as_shape(a[1], a.span(1), "the tensor shape") : std::nullopt;
  auto d = t ? in.as_dtype(a[2], a.span(2)) : std::nullopt;
  if (!d) return Value::error();
  if (t->size() != 2 || !(*t)[0].is_constant() || !(*t)[1].is_constant()) {
    return in.fail(code::kLayout, a.span(1), "the tensor shape must be two constants (rows, columns)");
  }
  return checked_layout(in, fragment_layout(in, *s, (*t)[0].value(), (*t)[1].value(), *d), args.call);
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
  return checked_layout(in, make(n[0], n[1], n[2], n[3], a.has(4) ? std::optional(n[4]) : std::nullopt), args.call);
}

Value sf_tmem(Interpreter& in, const Arguments& args, Value) {
  return scale_factors(in, args, "sf_tmem_layout", layout::sf_tmem_layout);
}

Value sf_smem(Interpreter& in, const Arguments& args, Value) {
  return scale_factors(in, args, "sf_smem_layout", layout::sf_smem_layout);
}

constexpr Record kLayoutHelperRecords[] = {
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
     "the reference has none.",
     mma_fragment},
    {"layout", "wgmma_accumulator_layout", NameKind::Function, "cols, rows=64",
     "Registers of a warpgroup as wgmma adds up in them. The name is Tilewright's own, the reference has none.",
     wgmma_accumulators},
    {"layout", "wgmma_operand_layout", NameKind::Function, "cols, dtype, rows=64",
     "Registers of a warpgroup as wgmma takes A from them. The name is Tilewright's own, the reference has none.",
     wgmma_operand},
    until(V0_26, {"layout", "tmem_datapath_layout", NameKind::Function, "datapath, rows, cols",
                  "Tensor memory as a datapath of tcgen05 sees it.", tmem_datapath}),
    since(V0_26, {"layout", "tmem_datapath_layout", NameKind::Function, "datapath, rows, cols, sub_slab=0",
                  "Tensor memory as a datapath of tcgen05 sees it: \"A\" to \"G\".", tmem_datapath}),
    since(V0_26, {"layout", "tmem_mma_operand_layout", NameKind::Function,
                  "operand, shape, dtype, *, M, cta_group, ws=False, sparse=False, group=None",
                  "Operand \"A\" or \"D\" of tcgen05.mma in tensor memory.", tmem_operand}),
    {"layout", "tcgen05_atom_layout", NameKind::Function, "instr_shape, tensor_shape, dtype",
     "Registers as tcgen05.ld and tcgen05.st move them.", tcgen05_atom},
    {"layout", "sf_tmem_layout", NameKind::Function, "rows, SF_K, sf_per_mma, sf_reuse=1, pipe_depth=None",
     "Scale factors in tensor memory.", sf_tmem},
    {"gemm_async", "sf_smem_layout", NameKind::Function, "rows, SF_K, sf_per_mma, sf_reuse=1, pipe_depth=None",
     "Scale factors in shared memory, as copies into tensor memory read them.", sf_smem},
};

}  // namespace

std::span<const Record> layout_helper_records() { return kLayoutHelperRecords; }

}  // namespace tilewright::script
