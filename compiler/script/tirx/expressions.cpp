// Expressions by name: T.max, T.if_then_else, T.Cast, math, shuffles (surface.md 6.4, 6.5, 17).
#include <cmath>

#include "compiler/intrinsics/intrinsic.h"
#include "compiler/script/tirx/tirx.h"

namespace tilewright::script {
namespace {

using ir::ExprKind;

bool literal_value(Value v) { return v.is_int() || v.is_float() || v.is_bool(); }

template <ExprKind Kind>
Value two(Interpreter& in, const Arguments& args, Value) {
  if (args.positional.size() != 2) return in.fail(code::kArguments, args.call, "this takes two operands");
  if (args.positional[0].is_poison() || args.positional[1].is_poison()) return Value::poison();
  ir::Expr x = in.as_expr(args.positional[0], args.at(0)), y = x ? in.as_expr(args.positional[1], args.at(1)) : ir::Expr();
  if (!y) return Value::error();
  auto made = ir::apply_operator(Kind, x, y, literal_value(args.positional[0]), literal_value(args.positional[1]), false);
  if (!made) return in.fail(code::kType, args.call, made.error());
  return Value::expr(*made);
}

// T.min / T.max: infinities fold away.
template <ExprKind Kind>
Value extremum(Interpreter& in, const Arguments& args, Value) { return two<Kind>(in, args, Value()); }

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
    return in.fail(code::kType, args.call, "reinterpret between " + std::to_string(from) + " and " + std::to_string(to) + " bits");
  }
  return Value::expr(ir::call(*d, ir::builtin::reinterpret, {&e, 1}));
}

template <bool Lazy>
Value choose(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, Lazy ? "T.if_then_else" : "T.Select", {"condition", "true_value", "false_value"}, 3);
  if (!a) return Value::error();
  if (a[0].is_bool()) return a[0].b ? a[1] : a[2];
  ir::Expr c = in.as_expr(a[0], a.span(0)), x = c ? in.as_expr(a[1], a.span(1)) : c, y = x ? in.as_expr(a[2], a.span(2)) : x;
  if (!y) return Value::error();
  if (!c.dtype().is_bool()) {
    return in.fail(code::kCondition, a.span(0), "the condition must be bool, not " + ir::dtype_name(c.dtype()), "compare it: x != 0");
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
  if (*n < 1 || *n > 1024) return in.fail(code::kValue, a.span(1), "a vector cannot have " + std::to_string(*n) + " lanes");
  return Value::expr(ir::broadcast(e, static_cast<int>(*n)));
}

Value ramp(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "T.ramp", {"base", "stride", "lanes"}, 3);
  if (!a) return Value::error();
  ir::Expr base = in.as_expr(a[0], a.span(0)), stride = base ? in.as_expr(a[1], a.span(1)) : base;
  auto n = stride ? in.as_int(a[2], a.span(2), "the number of lanes") : std::nullopt;
  if (!n) return Value::error();
  if (*n < 2 || *n > 1024) return in.fail(code::kValue, a.span(2), "a ramp cannot have " + std::to_string(*n) + " lanes");
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
  if (!e.as<ir::Load>() && !map) return in.fail(code::kType, a.span(0), "only an element, a buffer or a tensor map has an address");
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
  BufferOptions o;
  o.dtype = dtype;
  o.shape = {ir::int_imm(ir::kInt32, 1)};
  o.data = var;
  o.scope = ir::parse_storage_scope(var->storage_scope);
  o.default_layout = false;
  const ir::Buffer* b = make_buffer(in, o, args.call);
  b->name = var->name;
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

// Constants of a type: T.min_value(d), T.max_value(d), T.infinity(d).
template <int Which>
Value limit(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "the limit of a type", {"dtype"}, 1);
  auto d = a ? in.as_dtype(a[0], a.span(0)) : std::nullopt;
  if (!d) return Value::error();
  if (d->is_floating()) {
    double v = Which == 2             ? INFINITY
               : d->bits == 64        ? 1.7976931348623157e308
               : d->is_bfloat()       ? 3.3895313892515355e38
               : d->bits == 16        ? 65504.0
               : d->code == ir::TypeCode::Float8E4M3FN ? 448.0
               : d->code == ir::TypeCode::Float8E5M2   ? 57344.0
                                      : 3.4028234663852886e38;
    return Value::expr(ir::float_imm(*d, Which == 0 ? -v : v));
  }
  int bits = d->is_bool() ? 1 : d->bits;
  if (d->is_uint() || d->is_bool()) return Value::expr(ir::int_imm(*d, Which == 0 ? 0 : bits == 64 ? -1 : (std::int64_t{1} << bits) - 1));
  std::int64_t top = bits == 64 ? INT64_MAX : (std::int64_t{1} << (bits - 1)) - 1;
  return Value::expr(ir::int_imm(*d, Which == 0 ? -top - 1 : top));
}

constexpr Member kMembers[] = {
    {"min", extremum<ExprKind::Min>},
    {"max", extremum<ExprKind::Max>},
    {"floordiv", two<ExprKind::FloorDiv>},
    {"floormod", two<ExprKind::FloorMod>},
    {"truncdiv", two<ExprKind::TruncDiv>},
    {"truncmod", two<ExprKind::TruncMod>},
    {"indexdiv", two<ExprKind::FloorDiv>},
    {"indexmod", two<ExprKind::FloorMod>},
    {"Div", two<ExprKind::Div>},
    {"bitwise_and", two<ExprKind::BitAnd>},
    {"bitwise_or", two<ExprKind::BitOr>},
    {"bitwise_xor", two<ExprKind::BitXor>},
    {"shift_left", two<ExprKind::Shl>},
    {"shift_right", two<ExprKind::Shr>},
    {"And", logic<ExprKind::And>},
    {"Or", logic<ExprKind::Or>},
    {"all", logic<ExprKind::And>},
    {"any", logic<ExprKind::Or>},
    {"Not", not_},
    {"bitwise_not", bit_not},
    {"ceildiv", ceildiv},
    {"Cast", cast<true>},
    {"cast", cast<false>},
    {"reinterpret", reinterpret},
    {"Select", choose<false>},
    {"if_then_else", choose<true>},
    {"broadcast", broadcast},
    {"Broadcast", broadcast},
    {"ramp", ramp},
    {"Ramp", ramp},
    {"address_of", address_of},
    {"ptr_byte_offset", ptr_byte_offset},
    {"handle_add_byte_offset", ptr_byte_offset},
    {"isnullptr", one<ir::builtin::is_null, true>},
    {"likely", one<ir::builtin::likely, true>},
    {"tvm_access_ptr", tvm_access_ptr},
    {"type_annotation", type_annotation},
    {"buffer_offset", buffer_offset},
    {"min_value", limit<0>},
    {"max_value", limit<1>},
    {"infinity", limit<2>},
};

}  // namespace

Value expression_member(Interpreter& in, std::string_view name) { return find_member(in, kMembers, name); }

// ---- intrinsics -----------------------------------------------------------------------------------------------

// T.ptx.*, T.cuda.* and the math builtins: binds the arguments to the operands of the row that the call form names.
Value call_intrinsic(Interpreter& in, std::string_view path, const Arguments& args) {
  std::vector<std::string_view> names;
  for (const Keyword& k : args.keywords) names.push_back(k.name);
  const intrinsics::Intrinsic* row = intrinsics::find(path, args.positional.size(), names);
  std::string shown = "T." + std::string(path);
  if (!row) {
    return in.fail(code::kIntrinsic, args.call, shown + " has no form with these arguments",
                   intrinsics::is_namespace(path) ? "this is a namespace: name one of its members" : "");
  }
  if (!in.require_kernel(args.call, shown)) return Value::error();
  std::vector<ir::Expr> operands;
  std::vector<bool> used(args.keywords.size());
  std::size_t next = 0;
  auto convert = [&](const intrinsics::Operand& o, Value v, text::Span span) -> bool {
    using intrinsics::OperandKind;
    if (MetaVar* m = v.as<MetaVar>()) v = m->value;
    ir::Expr e;
    if (Str* s = v.as<Str>()) {
      e = ir::string_imm(in.keep(s->text));
    } else if (v.is_none()) {
      e = ir::string_imm("");
    } else if (BufferValue* b = v.as<BufferValue>(); b && o.kind != OperandKind::Value && o.kind != OperandKind::Attribute &&
                                                     !b->buffer->is_scalar) {
      std::vector<ir::Expr> zeros(b->buffer->rank(), ir::int_imm(ir::kInt32, 0));
      ir::Expr element = ir::load(b->buffer, zeros);
      e = ir::call(ir::kHandle, ir::builtin::address_of, {&element, 1});
    } else if (DataTypeValue* d = v.as<DataTypeValue>()) {
      e = ir::string_imm(in.keep(ir::dtype_name(d->dtype)));
    } else if (v.as<List>() || v.as<Tuple>()) {
      if (o.kind == OperandKind::Variadic) {
        auto items = in.iterate(v, span);
        for (Value item : *items) {
          ir::Expr x = in.as_expr(item, span);
          if (!x) return false;
          operands.push_back(x);
        }
        return true;
      }
      in.fail(code::kIntrinsic, span, "'" + std::string(o.name) + "' of " + shown + " takes one value, not a list");
      return false;
    } else {
      e = in.as_expr(v, span, std::string(o.name));
      if (!e) return false;
    }
    if (o.kind == OperandKind::Attribute) {
      e = ir::simplify(e);
      if (e.kind() != ExprKind::IntImm && e.kind() != ExprKind::FloatImm && e.kind() != ExprKind::StringImm) {
        in.fail(code::kIntrinsic, span, "'" + std::string(o.name) + "' of " + shown + " must be known at compile time");
        return false;
      }
    } else if (o.kind == OperandKind::Value && !o.dtype.is_void() && e.dtype() != o.dtype && !e.as<ir::StringImm>() &&
               !e.dtype().is_handle() && !o.dtype.is_handle()) {
      auto converted = ir::convert(o.dtype, e);
      if (!converted) {
        in.fail(code::kIntrinsic, span, "'" + std::string(o.name) + "' of " + shown + ": " + converted.error());
        return false;
      }
      e = *converted;
    }
    operands.push_back(e);
    return true;
  };
  for (const Value& v : args.positional) {
    if (v.is_poison()) return Value::poison();
  }
  for (const Keyword& k : args.keywords) {
    if (k.value.is_poison()) return Value::poison();
  }
  for (const intrinsics::Operand& o : row->operands) {
    if (o.kind == intrinsics::OperandKind::Variadic) {
      for (; next < args.positional.size(); ++next) {
        if (!convert(o, args.positional[next], args.at(next))) return Value::error();
      }
      continue;
    }
    bool found = false;
    for (std::size_t i = 0; i < used.size() && !found; ++i) {
      if (used[i] || args.keywords[i].name != o.name) continue;
      used[i] = found = true;
      if (!convert(o, args.keywords[i].value, args.keywords[i].span)) return Value::error();
    }
    if (found) continue;
    if (next < args.positional.size()) {
      if (!convert(o, args.positional[next], args.at(next))) return Value::error();
      ++next;
      continue;
    }
    if (o.default_text.empty()) {
      return in.fail(code::kIntrinsic, args.call, shown + " needs '" + std::string(o.name) + "'");
    }
    std::string_view d = o.default_text;
    if (d == "True" || d == "False") operands.push_back(ir::bool_imm(d == "True"));
    else if (d.front() == '"') operands.push_back(ir::string_imm(d.substr(1, d.size() - 2)));
    else if (d == "None") operands.push_back(ir::string_imm(""));
    else if (d.find('.') != std::string_view::npos) operands.push_back(ir::float_imm(ir::kFloat32, std::strtod(std::string(d).c_str(), nullptr)));
    else {
      ir::Expr e = ir::literal(static_cast<std::int64_t>(std::strtoll(std::string(d).c_str(), nullptr, 0)));
      if (o.kind != intrinsics::OperandKind::Attribute && o.dtype.is_integral()) e = ir::cast(o.dtype, e);
      operands.push_back(e);
    }
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i] || args.keywords[i].name == "dtype") continue;  // dtype= on ordinary intrinsics is dropped (surface.md 1)
    return in.fail(code::kIntrinsic, args.keywords[i].span, shown + " has no argument '" + std::string(args.keywords[i].name) + "'");
  }
  if (next < args.positional.size()) {
    return in.fail(code::kIntrinsic, args.at(next), shown + " takes " + std::to_string(next) + " arguments, " +
                   std::to_string(args.positional.size()) + " are given");
  }
  if (auto problem = intrinsics::verify(*row, operands, in.target())) {
    return in.fail(code::kIntrinsic, args.call, shown + ": " + *problem);
  }
  ir::DataType dtype = row->result ? row->result(operands) : ir::kVoid;
  ir::Expr e = ir::call(dtype, *row, operands);
  // In builder mode other calls than allocations and stores emit only inside T.evaluate (script.md); calls without a
  // result have no other use, so they emit wherever they are written.
  if (!in.in_script_mode() && dtype.is_void()) {
    in.emit_new<ir::Evaluate>(args.call, e);
    return Value::none();
  }
  return Value::expr(e);
}

}  // namespace tilewright::script
