// Expressions by name: T.max, T.if_then_else, T.Cast, math, shuffles (surface.md 6.4, 6.5, 17).
#include <cmath>

#include "compiler/script/tirx/shuffle.h"

namespace tilewright::script {
namespace {

using text::Dialect::V0_27;

using ir::ExprKind;

bool literal_value(Value v) { return v.is_int() || v.is_float() || v.is_bool(); }

template <ExprKind Kind>
Value two(Interpreter& in, const Arguments& args, Value) {
  if (args.positional.size() != 2) return in.fail(code::kArguments, args.call, "this takes two operands");
  if (args.positional[0].is_poison() || args.positional[1].is_poison()) return Value::poison();
  ir::Expr x = in.as_expr(args.positional[0], args.at(0)),
           y = x ? in.as_expr(args.positional[1], args.at(1)) : ir::Expr();
  if (!y) return Value::error();
  auto made =
      ir::apply_operator(Kind, x, y, literal_value(args.positional[0]), literal_value(args.positional[1]), false);
  if (!made) return in.fail(code::kType, args.call, made.error());
  return Value::expr(*made);
}

// T.min / T.max: infinities fold away.
// The reference prints both truncating and floating division by this name.
Value printed_div(Interpreter& in, const Arguments& args, Value) {
  bool integers = args.positional.size() == 2;
  for (Value v : args.positional) {
    integers = integers && (v.is_int() || (v.is_expr() && v.as_expr().dtype().is_integral()));
  }
  return integers ? two<ExprKind::TruncDiv>(in, args, Value()) : two<ExprKind::Div>(in, args, Value());
}

template <ExprKind Kind>
Value extremum(Interpreter& in, const Arguments& args, Value) {
  return two<Kind>(in, args, Value());
}

template <ExprKind Kind>
Value logic(Interpreter& in, const Arguments& args, Value) {
  ir::Expr all;
  for (std::size_t i = 0; i < args.positional.size(); ++i) {
    ir::Expr e = in.as_expr(args.positional[i], args.at(i));
    if (!e) return Value::error();
    if (!all) {
      all = e;
      continue;
    }
    auto made = ir::apply_operator(Kind, all, e);
    if (!made) return in.fail(code::kType, args.call, made.error());
    all = *made;
  }
  return all ? Value::expr(all) : in.fail(code::kArguments, args.call, "this needs operands");
}

Value not_(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.Not", {"x"}, 1);
  return a ? in.unary(syntax::Operator::Not, a[0], args.call) : Value::error();
}
Value bit_not(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.bitwise_not", {"x"}, 1);
  return a ? in.unary(syntax::Operator::Invert, a[0], args.call) : Value::error();
}

Value ceildiv(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.ceildiv", {"a", "b"}, 2);
  if (!a) return Value::error();
  using syntax::Operator;
  Value sum = in.binary(Operator::Add, a[0], a[1], args.call);
  if (sum.is_error()) return sum;
  Value less = in.binary(Operator::Sub, sum, Value::integer(1), args.call);
  if (less.is_error()) return less;
  return in.binary(Operator::FloorDiv, less, a[1], args.call);
}

// Cast(dtype, x) and cast(x, dtype).
template <bool DtypeFirst>
Value cast(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.Cast", {DtypeFirst ? "dtype" : "value", DtypeFirst ? "value" : "dtype"}, 2);
  if (!a) return Value::error();
  auto d = in.as_dtype(a[DtypeFirst ? 0 : 1], a.span(DtypeFirst ? 0 : 1));
  ir::Expr e = d ? in.as_expr(a[DtypeFirst ? 1 : 0], a.span(DtypeFirst ? 1 : 0)) : ir::Expr();
  if (!e) return Value::error();
  auto made = ir::convert(*d, e);
  if (!made) return in.fail(code::kType, args.call, made.error());
  return Value::expr(*made);
}

Value reinterpret(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.reinterpret", {"dtype", "value"}, 2);
  if (!a) return Value::error();
  TypeAnnotation* pointer = a[0].as<TypeAnnotation>();
  auto d = pointer ? std::optional(ir::kHandle) : in.as_dtype(a[0], a.span(0));
  ir::Expr e = d ? in.as_expr(a[1], a.span(1)) : ir::Expr();
  if (!e) return Value::error();
  int to = d->bits * d->lanes, from = e.dtype().bits * e.dtype().lanes;
  if (to != from && !(d->is_float4() || e.dtype().is_float4())) {
    return in.fail(code::kType, args.call,
                   "reinterpret between " + std::to_string(from) + " and " + std::to_string(to) + " bits");
  }
  return Value::expr(ir::call(*d, ir::builtin::reinterpret, {&e, 1}));
}

template <bool Lazy>
Value choose(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, Lazy ? "T.if_then_else" : "T.Select", {"condition", "true_value", "false_value"}, 3);
  if (!a) return Value::error();
  if (a[0].is_bool()) return a[0].b ? a[1] : a[2];
  ir::Expr c = in.as_expr(a[0], a.span(0)), x = c ? in.as_expr(a[1], a.span(1)) : c,
           y = x ? in.as_expr(a[2], a.span(2)) : x;
  if (!y) return Value::error();
  if (!c.dtype().is_bool()) {
    return in.fail(code::kCondition, a.span(0), "the condition must be bool, not " + ir::dtype_name(c.dtype()),
                   "compare it: x != 0");
  }
  auto type = ir::promoted_type(x.dtype(), y.dtype());
  if (!type) return in.fail(code::kType, args.call, type.error());
  x = ir::cast(*type, x);
  y = ir::cast(*type, y);
  return Value::expr(Lazy ? ir::if_then_else(c, x, y) : ir::select(c, x, y));
}

Value broadcast(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.broadcast", {"value", "lanes"}, 2);
  if (!a) return Value::error();
  ir::Expr e = in.as_expr(a[0], a.span(0));
  auto n = e ? in.as_int(a[1], a.span(1), "the number of lanes") : std::nullopt;
  if (!n) return Value::error();
  if (*n < 1 || *n > 1024)
    return in.fail(code::kValue, a.span(1), "a vector cannot have " + std::to_string(*n) + " lanes");
  return Value::expr(ir::broadcast(e, static_cast<int>(*n)));
}

Value ramp(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.ramp", {"base", "stride", "lanes"}, 3);
  if (!a) return Value::error();
  ir::Expr base = in.as_expr(a[0], a.span(0)), stride = base ? in.as_expr(a[1], a.span(1)) : base;
  auto n = stride ? in.as_int(a[2], a.span(2), "the number of lanes") : std::nullopt;
  if (!n) return Value::error();
  if (*n < 2 || *n > 1024)
    return in.fail(code::kValue, a.span(2), "a ramp cannot have " + std::to_string(*n) + " lanes");
  return Value::expr(ir::ramp(base, ir::cast(base.dtype(), stride), static_cast<int>(*n)));
}

Value address_of(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.address_of", {"x"}, 1);
  if (!a) return Value::error();
  if (BufferValue* b = a[0].as<BufferValue>()) {
    std::vector<ir::Expr> zeros(b->buffer->rank(), ir::int_imm(ir::kInt32, 0));
    ir::Expr element = ir::load(b->buffer, zeros);
    return Value::expr(ir::call(ir::kHandle, ir::builtin::address_of, {&element, 1}));
  }
  ir::Expr e = in.as_expr(a[0], a.span(0));
  if (!e) return Value::error();
  const auto* var = e.as<ir::Var>();
  bool map = var && (var->dtype == ir::kTensorMap);
  if (!e.as<ir::Load>() && !map)
    return in.fail(code::kType, a.span(0), "only an element, a buffer or a tensor map has an address");
  return Value::expr(ir::call(map ? ir::kUInt64 : ir::kHandle, ir::builtin::address_of, {&e, 1}));
}

Value ptr_byte_offset(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.ptr_byte_offset", {"ptr", "bytes", "dtype"}, 2);
  if (!a) return Value::error();
  ir::Expr operands[2] = {in.as_expr(a[0], a.span(0)), {}};
  operands[1] = operands[0] ? in.as_expr(a[1], a.span(1)) : ir::Expr();
  if (!operands[1]) return Value::error();
  return Value::expr(ir::call(ir::kHandle, ir::builtin::handle_byte_offset, operands));
}

template <const ir::Callee& Callee, bool Bool>
Value one(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, Callee.name, {"x"}, 1);
  if (!a) return Value::error();
  ir::Expr e = in.as_expr(a[0], a.span(0));
  if (!e) return Value::error();
  return Value::expr(ir::call(Bool ? ir::kBool : e.dtype(), Callee, {&e, 1}));
}

// T.tvm_access_ptr(T.type_annotation(dtype), data, offset, extent, rw): the address of an element of raw storage.
Value tvm_access_ptr(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.tvm_access_ptr", {"type", "data", "offset", "extent", "rw_mask"}, 3);
  if (!a) return Value::error();
  ir::DataType dtype = ir::kFloat32;
  if (a[0].as<DataTypeValue>() || a[0].as<Str>()) {
    auto d = in.as_dtype(a[0], a.span(0));
    if (!d) return Value::error();
    dtype = *d;
  }
  ir::Expr data = in.as_expr(a[1], a.span(1)), offset = data ? in.as_expr(a[2], a.span(2)) : data;
  if (!offset) return Value::error();
  const auto* var = data.as<ir::Var>();
  if (!var) return in.fail(code::kType, a.span(1), "the data must be a pointer variable");
  BufferOptions options;
  options.dtype = dtype;
  ir::Expr extent = ir::int_imm(ir::kInt32, 1);
  if (a.has(3)) extent = in.as_expr(a[3], a.span(3));
  if (!extent) return Value::error();
  options.shape = {offset + extent};  // as far as the pointer may reach
  options.data = var;
  options.scope = ir::parse_storage_scope(var->storage_scope);
  options.default_layout = false;
  ir::Buffer* b = in.drafts().buffer(options, args.call);
  b->name = in.keep(std::string(var->name) + "_flat");
  if (in.kernel()) in.kernel()->declare(in.origin(args.call), b);
  ir::Expr element = ir::load(b, {&offset, 1});
  return Value::expr(ir::call(ir::kHandle, ir::builtin::address_of, {&element, 1}));
}

Value type_annotation(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.type_annotation", {"dtype"}, 1);
  auto d = a ? in.as_dtype(a[0], a.span(0)) : std::nullopt;
  if (!d) return Value::error();
  DataTypeValue* v = in.make<DataTypeValue>();
  v->dtype = *d;
  return Value::object(v);
}

Value buffer_offset(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.buffer_offset", {"element"}, 1);
  if (!a) return Value::error();
  ir::Expr e = in.as_expr(a[0], a.span(0));
  const auto* l = e ? e.as<ir::Load>() : nullptr;
  if (!l) return e ? in.fail(code::kType, a.span(0), "T.buffer_offset takes an element") : Value::error();
  std::vector<Value> indices;
  for (ir::Expr i : l->indices) indices.push_back(Value::expr(i));
  Value list = in.list(indices);
  return in.call(in.attribute(in.buffer_value(l->buffer), "elem_offset_of", args.call), {&list, 1}, args.call);
}

// T.call_intrin(dtype, "tirx.name", args...): an intrinsic or a mathematical function by its registered name.
Value call_intrin(Interpreter& in, const Arguments& args, Value) {
  if (args.positional.size() < 2)
    return in.fail(code::kArguments, args.call, "T.call_intrin takes a dtype, a name and operands");
  auto dtype = in.as_dtype(args.positional[0], args.at(0));
  auto name = dtype ? in.as_string(args.positional[1], args.at(1), "the name of the intrinsic") : std::nullopt;
  if (!name) return Value::error();
  std::string_view path = *name;
  if (path.starts_with("tirx.")) path.remove_prefix(5);
  Arguments rest = args;
  rest.positional = args.positional.subspan(2);
  rest.spans = args.spans.size() > 2 ? args.spans.subspan(2) : std::span<const text::Span>();
  Value v = call_math(in, path, rest);
  if (!v.is_error() || in.has_pending()) return v;
  return call_intrinsic(in, in.dialect(), path, rest);
}

// T.Call(dtype, op, args): the same with a list. From 0.26 on T.Call(op, args, attrs, ty_args, ret_ty).
Value call_node(Interpreter& in, const Arguments& args, Value) {
  const bool typed_last = in.dialect() >= text::Dialect::V0_26;
  const Bound a = typed_last ? Bound(in, args, "T.Call", {"op", "args", "attrs", "ty_args", "ret_ty"}, 2)
                             : Bound(in, args, "T.Call", {"dtype", "op", "args"}, 3);
  const std::size_t list = typed_last ? 1 : 2;
  auto operands = a ? in.iterate(a[list], a.span(list)) : std::nullopt;
  if (!operands) return Value::error();
  if (typed_last) {
    operands->insert(operands->begin(), {a.has(4) ? a[4] : in.string("int32"), a[0]});
  } else {
    operands->insert(operands->begin(), {a[0], a[1]});
  }
  Arguments all = args;
  all.positional = *operands;
  all.keywords = {};
  all.spans = {};
  return call_intrin(in, all, Value());
}

// T.IntImm(dtype, value), T.FloatImm(dtype, value)
template <bool Whole>
Value immediate(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, Whole ? "T.IntImm" : "T.FloatImm", {"dtype", "value"}, 2);
  auto d = a ? in.as_dtype(a[0], a.span(0)) : std::nullopt;
  ir::Expr e = d ? in.as_expr(a[1], a.span(1), "the value") : ir::Expr();
  if (!e) return Value::error();
  if (Whole ? !d->is_integral() && !d->is_bool() : !d->is_floating()) {
    return in.fail(code::kType, a.span(0),
                   ir::dtype_name(*d) + (Whole ? " is no type of integers" : " is not floating"), {}, "ValueError");
  }
  auto made = ir::convert(*d, e);
  return made ? Value::expr(*made) : in.fail(code::kType, args.call, made.error(), {}, "ValueError");
}

Value string_imm(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.StringImm", {"value"}, 1);
  auto text = a ? in.as_string(a[0], a.span(0), "the value") : std::nullopt;
  return text ? Value::expr(ir::string_imm(in.keep(*text))) : Value::error();
}

// T.Var(name, dtype): a variable that has no value yet. It is called what the script binds it to.
Value variable(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.Var", {"name", in.dialect() < text::Dialect::V0_26 ? "dtype" : "ty"}, 2);
  if (!a) return Value::error();
  if (a[1].is_opaque()) return a[1];
  auto name = in.as_string(a[0], a.span(0), "the name");
  auto d = !name ? std::nullopt : a[1].as<TypeAnnotation>() ? std::optional(ir::kHandle) : in.as_dtype(a[1], a.span(1));
  return d ? Value::expr(in.drafts().variable(*d)) : Value::error();
}

Value buffer_load(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.BufferLoad", {"buffer", "indices"}, 2);
  if (!a) return Value::error();
  BufferValue* b = a[0].as<BufferValue>();
  if (!b) return in.fail(code::kType, a.span(0), "T.BufferLoad takes a buffer, not " + std::string(type_name(a[0])));
  auto indices = in.iterate(a[1], a.span(1));
  return indices ? index_buffer(in, b->buffer, *indices, args.call) : Value::error();
}

// T.filter(var, pred) is `pred`: which of its terms narrow the active threads is found out from `pred` (scope.md 6.4).
Value filter(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.filter", {"var", "pred"}, 2);
  ir::Expr var = a ? in.as_expr(a[0], a.span(0), "the variable of T.filter") : ir::Expr();
  ir::Expr e = var ? in.as_expr(a[1], a.span(1), "the condition of T.filter") : var;
  if (!e) return Value::error();
  if (e.dtype().is_bool()) return Value::expr(e);
  auto made = ir::apply_operator(ExprKind::NE, e, ir::int_imm(ir::kInt32, 0), false, true, true);
  return made ? Value::expr(*made) : in.fail(code::kType, a.span(1), made.error());
}

// T.tvm_thread_invariant(x): x, with a promise to the reference's own passes.
Value itself(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.tvm_thread_invariant", {"condition"}, 1);
  return a ? a[0] : Value::error();
}

Value undefined(Interpreter&, const Arguments&, Value) {
  return Value::expr(ir::call(ir::kFloat32, ir::builtin::undef, {}));
}

// Constants of a type: T.min_value(d), T.max_value(d), T.infinity(d).
template <int Which>
Value limit(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "the limit of a type", {"dtype"}, 1);
  auto d = a ? in.as_dtype(a[0], a.span(0)) : std::nullopt;
  if (!d) return Value::error();
  if (d->bits > 64) return in.fail(code::kType, args.call, "constants of " + ir::dtype_name(*d) + " have 64 bits");
  if (d->is_floating()) {
    double v = Which == 2                              ? INFINITY
               : d->bits == 64                         ? 1.7976931348623157e308
               : d->is_bfloat()                        ? 3.3895313892515355e38
               : d->bits == 16                         ? 65504.0
               : d->code == ir::TypeCode::Float8E4M3FN ? 448.0
               : d->code == ir::TypeCode::Float8E5M2   ? 57344.0
                                                       : 3.4028234663852886e38;
    return Value::expr(ir::float_imm(*d, Which == 0 ? -v : v));
  }
  int bits = d->is_bool() ? 1 : d->bits;
  if (d->is_uint() || d->is_bool())
    return Value::expr(ir::int_imm(*d, Which == 0 ? 0 : bits == 64 ? -1 : (std::int64_t{1} << bits) - 1));
  std::int64_t top = bits == 64 ? INT64_MAX : (std::int64_t{1} << (bits - 1)) - 1;
  return Value::expr(ir::int_imm(*d, Which == 0 ? -top - 1 : top));
}

// What makes an expression of the reference's class of this name (classes.cpp).
struct Constructor {
  std::string_view name;
  NativeFunction function;
};
constexpr Constructor kConstructors[] = {
    {"Add", two<ExprKind::Add>},
    {"Sub", two<ExprKind::Sub>},
    {"Mul", two<ExprKind::Mul>},
    {"Mod", two<ExprKind::TruncMod>},
    {"FloorDiv", two<ExprKind::FloorDiv>},
    {"FloorMod", two<ExprKind::FloorMod>},
    {"Min", two<ExprKind::Min>},
    {"Max", two<ExprKind::Max>},
    {"EQ", two<ExprKind::EQ>},
    {"NE", two<ExprKind::NE>},
    {"LT", two<ExprKind::LT>},
    {"LE", two<ExprKind::LE>},
    {"GT", two<ExprKind::GT>},
    {"GE", two<ExprKind::GE>},
    {"IntImm", immediate<true>},
    {"FloatImm", immediate<false>},
    {"StringImm", string_imm},
    {"Var", variable},
    {"SizeVar", variable},
    {"BufferLoad", buffer_load},
    {"Call", call_node},
    {"Div", printed_div},
    {"And", logic<ExprKind::And>},
    {"Or", logic<ExprKind::Or>},
    {"Not", not_},
    {"Cast", cast<true>},
    {"Select", choose<false>},
    {"Broadcast", broadcast},
    {"Ramp", ramp},
};

constexpr Record kExpressionRecords[] = {
    {"T", "filter", NameKind::Function, "var, pred", "A condition that picks some of the threads that var counts.",
     filter},
    {"T", "tvm_thread_invariant", NameKind::Function, "condition",
     "The condition, with a promise that all threads agree on it.", itself},
    {"T", "min", NameKind::Function, "a, b", "The smaller of two values.", extremum<ExprKind::Min>},
    {"T", "max", NameKind::Function, "a, b", "The larger of two values.", extremum<ExprKind::Max>},
    {"T", "floordiv", NameKind::Function, "a, b", "Division that rounds down.", two<ExprKind::FloorDiv>},
    {"T", "floormod", NameKind::Function, "a, b", "The remainder of floordiv; never negative for a positive divisor.",
     two<ExprKind::FloorMod>},
    {"T", "truncdiv", NameKind::Function, "a, b", "Division that rounds towards zero, as in C.",
     two<ExprKind::TruncDiv>},
    {"T", "truncmod", NameKind::Function, "a, b", "The remainder of truncdiv.", two<ExprKind::TruncMod>},
    {"T", "indexdiv", NameKind::Function, "a, b", "floordiv of indices.", two<ExprKind::FloorDiv>},
    {"T", "indexmod", NameKind::Function, "a, b", "floormod of indices.", two<ExprKind::FloorMod>},
    {"T", "bitwise_and", NameKind::Function, "a, b", "a & b", two<ExprKind::BitAnd>},
    {"T", "bitwise_or", NameKind::Function, "a, b", "a | b", two<ExprKind::BitOr>},
    {"T", "bitwise_xor", NameKind::Function, "a, b", "a ^ b", two<ExprKind::BitXor>},
    {"T", "shift_left", NameKind::Function, "a, b", "a << b", two<ExprKind::Shl>},
    {"T", "shift_right", NameKind::Function, "a, b", "a >> b", two<ExprKind::Shr>},
    {"T", "bitwise_not", NameKind::Function, "x", "~x", bit_not},
    since(text::Dialect::V0_26, {"T", "Shuffle", NameKind::Function, "vectors, indices",
                                 "Lanes of vectors, in the order of the indices.", shuffle}),
    since(V0_27, {"T", "BitwiseAnd", NameKind::Function, "a, b", "a & b", two<ExprKind::BitAnd>}),
    since(V0_27, {"T", "BitwiseOr", NameKind::Function, "a, b", "a | b", two<ExprKind::BitOr>}),
    since(V0_27, {"T", "BitwiseXor", NameKind::Function, "a, b", "a ^ b", two<ExprKind::BitXor>}),
    since(V0_27, {"T", "BitwiseNot", NameKind::Function, "x", "~x", bit_not}),
    since(V0_27, {"T", "LShift", NameKind::Function, "a, b", "a << b", two<ExprKind::Shl>}),
    since(V0_27, {"T", "RShift", NameKind::Function, "a, b", "a >> b", two<ExprKind::Shr>}),
    {"T", "ceildiv", NameKind::Function, "a, b", "Division that rounds up.", ceildiv},
    {"T", "cast", NameKind::Function, "value, dtype", "Converts a value.", cast<false>},
    {"T", "reinterpret", NameKind::Function, "dtype, value", "The same bits as another dtype of the same size.",
     reinterpret},
    {"T", "if_then_else", NameKind::Function, "condition, true_value, false_value",
     "One of two values; only that one is evaluated.", choose<true>},
    {"T", "broadcast", NameKind::Function, "value, lanes", "A vector with the value in every lane.", broadcast},
    {"T", "ramp", NameKind::Function, "base, stride, lanes", "The vector base, base + stride, ...", ramp},
    {"T", "address_of", NameKind::Function, "x", "The address of an element or of a tensor map.", address_of},
    {"T", "ptr_byte_offset", NameKind::Function, "ptr, bytes, dtype=None", "A pointer moved by some bytes.",
     ptr_byte_offset},
    {"T", "handle_add_byte_offset", NameKind::Function, "ptr, bytes, dtype=None", "A pointer moved by some bytes.",
     ptr_byte_offset},
    {"T", "isnullptr", NameKind::Function, "x", "Is the pointer null?", one<ir::builtin::is_null, true>},
    {"T", "likely", NameKind::Function, "x", "A condition that nearly always holds.", one<ir::builtin::likely, true>},
    {"T", "tvm_access_ptr", NameKind::Function, "type, data, offset, extent=None, rw_mask=None",
     "A pointer to a part of a buffer.", tvm_access_ptr},
    {"T", "type_annotation", NameKind::Function, "dtype", "A dtype as an operand.", type_annotation},
    {"T", "buffer_offset", NameKind::Function, "element", "The linear element offset of an access after its layout.",
     buffer_offset},
    {"T", "call_intrin", NameKind::Function, "dtype, name, *args",
     "Calls an intrinsic or a mathematical function by its registered name.", call_intrin},
    {"T", "undef", NameKind::Function, "", "An undefined value: no result may depend on it.", undefined},
    {"T", "min_value", NameKind::Function, "dtype", "The smallest value of a dtype.", limit<0>},
    {"T", "max_value", NameKind::Function, "dtype", "The largest value of a dtype.", limit<1>},
    {"T", "infinity", NameKind::Function, "dtype", "Positive infinity.", limit<2>},
};

}  // namespace

std::span<const Record> expression_records() { return kExpressionRecords; }

NativeFunction expression_constructor(std::string_view name) {
  for (const Constructor& c : kConstructors) {
    if (c.name == name) return c.function;
  }
  return nullptr;
}

}  // namespace tilewright::script
