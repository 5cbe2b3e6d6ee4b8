// The reference's own classes, as far as scripts name them: in isinstance() and type(), and to build a node by hand
// (T.IntImm("int32", 4), tvm.tirx.Add(a, b)).
//
// One class a name and an evaluation, however it was imported. A value of ours is an instance of the class that the
// reference's value has; those of expressions follow the kind of their node.
#include <algorithm>

#include "compiler/script/python/support.h"
#include "compiler/script/tirx/tirx.h"

namespace tilewright::script {
namespace {

// The hidden key of each class begins with "tirx.": no identifier, so scripts cannot see it.
struct Named {
  std::string_view key, base;
  std::string_view name() const { return key.substr(5); }
};

// Bases stand before what derives from them.
constexpr Named kClasses[] = {
    {"tirx.Object", ""},
    {"tirx.Buffer", "tirx.Object"},
    {"tirx.BufferRegion", "tirx.Object"},
    {"tirx.BaseFunc", "tirx.Object"},
    {"tirx.PrimFunc", "tirx.BaseFunc"},
    {"tirx.Layout", "tirx.Object"},
    {"tirx.TileLayout", "tirx.Layout"},
    {"tirx.SwizzleLayout", "tirx.Layout"},
    {"tirx.ComposeLayout", "tirx.Layout"},
    {"tirx.Iter", "tirx.Object"},
    {"tirx.DataType", ""},
    {"tirx.BaseExpr", "tirx.Object"},
    {"tirx.PrimExpr", "tirx.BaseExpr"},
    {"tirx.ExprOp", "tirx.PrimExpr"},
    {"tirx.PrimExprWithOp", "tirx.ExprOp"},
    {"tirx.ConstExpr", "tirx.PrimExprWithOp"},
    {"tirx.IntImm", "tirx.ConstExpr"},
    {"tirx.FloatImm", "tirx.ConstExpr"},
    {"tirx.StringImm", "tirx.ConstExpr"},
    {"tirx.Var", "tirx.PrimExprWithOp"},
    {"tirx.SizeVar", "tirx.Var"},
    {"tirx.Cast", "tirx.PrimExprWithOp"},
    {"tirx.Select", "tirx.PrimExprWithOp"},
    {"tirx.Ramp", "tirx.PrimExprWithOp"},
    {"tirx.Broadcast", "tirx.PrimExprWithOp"},
    {"tirx.BufferLoad", "tirx.PrimExprWithOp"},
    {"tirx.Call", "tirx.PrimExprWithOp"},
    {"tirx.BinaryOpExpr", "tirx.PrimExprWithOp"},
    {"tirx.Add", "tirx.BinaryOpExpr"},
    {"tirx.Sub", "tirx.BinaryOpExpr"},
    {"tirx.Mul", "tirx.BinaryOpExpr"},
    {"tirx.Div", "tirx.BinaryOpExpr"},
    {"tirx.Mod", "tirx.BinaryOpExpr"},
    {"tirx.FloorDiv", "tirx.BinaryOpExpr"},
    {"tirx.FloorMod", "tirx.BinaryOpExpr"},
    {"tirx.Min", "tirx.BinaryOpExpr"},
    {"tirx.Max", "tirx.BinaryOpExpr"},
    {"tirx.CmpExpr", "tirx.PrimExprWithOp"},
    {"tirx.EQ", "tirx.CmpExpr"},
    {"tirx.NE", "tirx.CmpExpr"},
    {"tirx.LT", "tirx.CmpExpr"},
    {"tirx.LE", "tirx.CmpExpr"},
    {"tirx.GT", "tirx.CmpExpr"},
    {"tirx.GE", "tirx.CmpExpr"},
    {"tirx.LogicalExpr", "tirx.PrimExprWithOp"},
    {"tirx.And", "tirx.LogicalExpr"},
    {"tirx.Or", "tirx.LogicalExpr"},
    {"tirx.Not", "tirx.LogicalExpr"},
};

std::string_view class_of(ir::ExprKind kind) {
  switch (kind) {
    case ir::ExprKind::IntImm: return "IntImm";
    case ir::ExprKind::FloatImm: return "FloatImm";
    case ir::ExprKind::StringImm: return "StringImm";
    case ir::ExprKind::Var: return "Var";
    case ir::ExprKind::Cast: return "Cast";
    case ir::ExprKind::Add: return "Add";
    case ir::ExprKind::Sub: return "Sub";
    case ir::ExprKind::Mul: return "Mul";
    case ir::ExprKind::Div:
    case ir::ExprKind::TruncDiv: return "Div";
    case ir::ExprKind::TruncMod: return "Mod";
    case ir::ExprKind::FloorDiv: return "FloorDiv";
    case ir::ExprKind::FloorMod: return "FloorMod";
    case ir::ExprKind::Min: return "Min";
    case ir::ExprKind::Max: return "Max";
    case ir::ExprKind::EQ: return "EQ";
    case ir::ExprKind::NE: return "NE";
    case ir::ExprKind::LT: return "LT";
    case ir::ExprKind::LE: return "LE";
    case ir::ExprKind::GT: return "GT";
    case ir::ExprKind::GE: return "GE";
    case ir::ExprKind::And: return "And";
    case ir::ExprKind::Or: return "Or";
    case ir::ExprKind::Not: return "Not";
    case ir::ExprKind::Select: return "Select";
    case ir::ExprKind::Ramp: return "Ramp";
    case ir::ExprKind::Broadcast: return "Broadcast";
    case ir::ExprKind::Load: return "BufferLoad";
    case ir::ExprKind::BitAnd:
    case ir::ExprKind::BitOr:
    case ir::ExprKind::BitXor:
    case ir::ExprKind::BitNot:
    case ir::ExprKind::Shl:
    case ir::ExprKind::Shr:
    case ir::ExprKind::IfThenElse:
    case ir::ExprKind::Call: return "Call";
  }
  return "PrimExpr";
}

// What nothing of ours can be built as: it hurts where a kernel needs it.
Value construct_unknown(Interpreter&, const Arguments&, Value) { return Value::opaque("a class of tvm"); }

Value construct_data_type(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "DataType", {"dtype"}, 1);
  if (!a) return Value::error();
  if (a[0].is_opaque() || a[0].is_poison() || a[0].as<DataTypeValue>()) return a[0];
  auto text = in.as_string(a[0], a.span(0), "a dtype");
  auto d = text ? ir::parse_dtype(*text) : std::nullopt;
  if (text && !d)
    return in.fail(code::kValue, a.span(0), "unknown dtype \"" + std::string(*text) + "\"", {}, "ValueError");
  if (!d) return Value::error();
  DataTypeValue* v = in.make<DataTypeValue>();
  v->dtype = *d;
  return Value::object(v);
}

NativeFunction constructor_of(std::string_view name) {
  if (name == "DataType") return construct_data_type;
  if (NativeFunction layout = layout_constructor(name)) return layout;
  NativeFunction expression = expression_constructor(name);
  return expression ? expression : construct_unknown;
}

Value class_of_reference(Interpreter& in, const Record& record, Value) {
  return Value::object(tirx_class(in, record.name));
}

// Those that are members of `T`, too.
constexpr Record kClassRecords[] = {
    {"T", "Layout", NameKind::Class, "", "The class of all layouts.", nullptr, class_of_reference},
    {"T", "TileLayout", NameKind::Class, "spec", "Strided iters over named axes.", nullptr, class_of_reference},
    {"T", "SwizzleLayout", NameKind::Class, "per_element, swizzle_len, atom_len, swizzle_inner=True",
     "An XOR permutation of one linear address.", nullptr, class_of_reference},
    until(text::Dialect::V0_26, {"T", "ComposeLayout", NameKind::Class, "layout_A, layout_B",
                                 "A swizzle over a tile layout.", nullptr, class_of_reference}),
    since(text::Dialect::V0_26,
          {"T", "ComposeLayout", NameKind::Class, "per_element, swizzle_len, atom_len, tile_layout, swizzle_inner=True",
           "An XOR permutation of the addresses of a tile layout.", nullptr, class_of_reference}),
    {"T", "Iter", NameKind::Class, "extent, stride, axis", "One strided loop over an axis.", nullptr,
     class_of_reference},
    {"T", "IntImm", NameKind::Class, "dtype, value", "A whole number of a dtype.", nullptr, class_of_reference},
    {"T", "FloatImm", NameKind::Class, "dtype, value", "A floating number of a dtype.", nullptr, class_of_reference},
    {"T", "StringImm", NameKind::Class, "value", "A string constant.", nullptr, class_of_reference},
    {"T", "Var", NameKind::Class, "name, dtype", "A variable that has no value yet.", nullptr, class_of_reference},
    {"T", "SizeVar", NameKind::Class, "name, dtype", "A variable for an extent.", nullptr, class_of_reference},
    {"T", "Cast", NameKind::Function, "dtype, value", "Converts a value.", nullptr, class_of_reference},
    {"T", "Select", NameKind::Function, "condition, true_value, false_value", "One of two values; both are evaluated.",
     nullptr, class_of_reference},
    {"T", "Ramp", NameKind::Class, "base, stride, lanes", "The vector base, base + stride, ...", nullptr,
     class_of_reference},
    {"T", "Broadcast", NameKind::Class, "value, lanes", "A vector with the value in every lane.", nullptr,
     class_of_reference},
    {"T", "BufferLoad", NameKind::Class, "buffer, indices", "An element of a buffer.", nullptr, class_of_reference},
    until(text::Dialect::V0_26, {"T", "Call", NameKind::Class, "dtype, op, args",
                                 "A call of an intrinsic by its registered name.", nullptr, class_of_reference}),
    since(text::Dialect::V0_26, {"T", "Call", NameKind::Class, "op, args, attrs=None, ty_args=None, ret_ty=None",
                                 "A call of an intrinsic by its registered name.", nullptr, class_of_reference}),
    {"T", "Add", NameKind::Class, "a, b", "a + b", nullptr, class_of_reference},
    {"T", "Sub", NameKind::Class, "a, b", "a - b", nullptr, class_of_reference},
    {"T", "Mul", NameKind::Class, "a, b", "a * b", nullptr, class_of_reference},
    {"T", "Div", NameKind::Class, "a, b", "a / b; of integers rounded towards zero.", nullptr, class_of_reference},
    {"T", "Mod", NameKind::Class, "a, b", "The remainder of a division that rounds towards zero.", nullptr,
     class_of_reference},
    {"T", "FloorDiv", NameKind::Class, "a, b", "Division that rounds down.", nullptr, class_of_reference},
    {"T", "FloorMod", NameKind::Class, "a, b", "The remainder of a division that rounds down.", nullptr,
     class_of_reference},
    {"T", "Min", NameKind::Class, "a, b", "The smaller of two values.", nullptr, class_of_reference},
    {"T", "Max", NameKind::Class, "a, b", "The larger of two values.", nullptr, class_of_reference},
    {"T", "EQ", NameKind::Class, "a, b", "a == b", nullptr, class_of_reference},
    {"T", "NE", NameKind::Class, "a, b", "a != b", nullptr, class_of_reference},
    {"T", "LT", NameKind::Class, "a, b", "a < b", nullptr, class_of_reference},
    {"T", "LE", NameKind::Class, "a, b", "a <= b", nullptr, class_of_reference},
    {"T", "GT", NameKind::Class, "a, b", "a > b", nullptr, class_of_reference},
    {"T", "GE", NameKind::Class, "a, b", "a >= b", nullptr, class_of_reference},
    {"T", "And", NameKind::Function, "a, b", "Both hold; the second is evaluated only if the first does.", nullptr,
     class_of_reference},
    {"T", "Or", NameKind::Function, "a, b", "One of them holds; the second is evaluated only if the first does not.",
     nullptr, class_of_reference},
    {"T", "Not", NameKind::Function, "x", "The condition does not hold.", nullptr, class_of_reference},
};

}  // namespace

std::span<const Record> class_records() { return kClassRecords; }

Class* tirx_class(Interpreter& in, std::string_view name) {
  auto row = std::find_if(std::begin(kClasses), std::end(kClasses), [&](const Named& c) { return c.name() == name; });
  if (row == std::end(kClasses)) return nullptr;
  return python::shared_class(in, row->key, [&] {
    Class* base = row->base.empty() ? python::class_named(in, "object") : tirx_class(in, row->base.substr(5));
    Class* cls = python::make_class(in, name, {base}, constructor_of(name));
    add_layout_makers(in, cls);
    if (name == "Buffer") {  // the access masks
      cls->scope->set("READ", Value::integer(1));
      cls->scope->set("WRITE", Value::integer(2));
    }
    return cls;
  });
}

Class* tirx_type_of(Interpreter& in, Value v) {
  if (v.is_int()) return v.immediate ? tirx_class(in, "IntImm") : nullptr;
  if (v.is_expr()) return tirx_class(in, class_of(v.e->kind));
  if (!v.is_object()) return nullptr;
  switch (v.o->type) {
    case Type::Buffer: return tirx_class(in, "Buffer");
    case Type::Region: return tirx_class(in, "BufferRegion");
    case Type::Kernel: return tirx_class(in, "PrimFunc");
    case Type::Iter: return tirx_class(in, "Iter");
    case Type::DataType: return tirx_class(in, "DataType");
    case Type::Layout: {
      const layout::Layout& l = *v.as<LayoutValue>()->layout;
      return tirx_class(in, !l.swizzle ? "TileLayout" : l.tile ? "ComposeLayout" : "SwizzleLayout");
    }
    default: return nullptr;
  }
}

}  // namespace tilewright::script
