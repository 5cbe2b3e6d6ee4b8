// What a value of a script is where the kernel needs a number, an expression, a region, a layout.
#include <algorithm>

#include "compiler/expr/dtype_names.h"
#include "compiler/script/foreign.h"
#include "compiler/script/interpreter.h"
#include "compiler/script/python/support.h"
#include "compiler/text/nearest.h"

namespace tilewright::script {

namespace {

std::string is_not_known(std::string_view what) {
  const bool several = what.starts_with("the extents") || what.starts_with("the indices");
  return std::string(what) + (several ? " are" : " is") + " not known here: ";
}

}  // namespace

std::optional<__int128> Interpreter::as_big(Value v) {
  if (v.is_int()) return v.i;
  if (v.is_bool()) return v.b ? 1 : 0;
  if (BigInt* b = v.as<BigInt>()) return b->value;
  if (Instance* instance = v.as<Instance>(); instance && instance->cls->is_int_enum) {
    if (Value* inner = instance->find("value")) return as_big(*inner);
  }
  return std::nullopt;
}

std::optional<double> Interpreter::as_number(Value v) {
  if (v.is_float()) return v.f;
  if (auto i = as_big(v)) return static_cast<double>(*i);
  return std::nullopt;
}

std::optional<std::int64_t> Interpreter::as_int(Value v, text::Span span, std::string_view what) {
  if (auto i = as_big(v); i && *i >= INT64_MIN && *i <= INT64_MAX) return static_cast<std::int64_t>(*i);
  if (v.is_expr()) {
    if (const std::int64_t* c = ir::constant(v.as_expr())) return *c;
  }
  if (MetaVar* m = v.as<MetaVar>()) return as_int(m->value, span, what);
  if (Instance* instance = v.as<Instance>(); instance && instance->cls->find("__index__")) {
    const Value number = call(attribute(v, "__index__", span), std::span<const Value>(), span);
    if (!number.as<Instance>()) return as_int(number, span, what);
  }
  if (v.is_opaque()) {
    fail(code::kOpaque, span, is_not_known(what) + whence(v), remedy(v));
  } else if (v.is_poison()) {
    fail({}, span, {});
  } else if (!v.is_error()) {
    fail(code::kType, span, std::string(what) + " must be an integer constant, not " + std::string(type_name(v)));
  }
  return std::nullopt;
}

std::optional<std::string_view> Interpreter::as_string(Value v, text::Span span, std::string_view what) {
  if (Str* s = v.as<Str>()) return s->text;
  if (v.is_expr()) {
    if (const auto* imm = v.as_expr().as<ir::StringImm>()) return imm->value;
  }
  if (DataTypeValue* d = v.as<DataTypeValue>()) return keep(ir::dtype_name(d->dtype));
  if (Instance* instance = v.as<Instance>(); instance && instance->cls->is_enum) {
    if (Value* inner = instance->find("value")) return as_string(*inner, span, what);
  }
  if (v.is_opaque()) {
    fail(code::kOpaque, span, is_not_known(what) + whence(v), remedy(v));
  } else if (v.is_poison()) {
    fail({}, span, {});
  } else if (!v.is_error()) {
    fail(code::kType, span, std::string(what) + " must be a string, not " + std::string(type_name(v)));
  }
  return std::nullopt;
}

// The method by which an object of the reference's own libraries says which scalar it is.
static constexpr std::string_view kIsExpression = "__tvm_ffi_object__";

bool Interpreter::can_be_expr(Value v) {
  switch (v.tag) {
    case Tag::Bool:
    case Tag::Int:
    case Tag::Float:
    case Tag::Expr: return true;
    case Tag::Object: break;
    default: return false;
  }
  if (v.as<BigInt>()) return true;
  if (BufferValue* b = v.as<BufferValue>()) return ir::is_one_element(*b->buffer);
  if (MetaVar* m = v.as<MetaVar>()) return can_be_expr(m->value);
  if (Instance* instance = v.as<Instance>()) return instance->cls->is_int_enum || instance->cls->find(kIsExpression);
  return false;
}

ir::Expr Interpreter::as_expr(Value v, text::Span span, std::string_view what) {
  if (v.is_opaque()) {
    fail(code::kOpaque, span, is_not_known(what) + whence(v), remedy(v));
    return {};
  }
  switch (v.tag) {
    case Tag::Bool: return ir::bool_imm(v.b);
    case Tag::Int: return ir::literal(v.i);
    case Tag::Float: return ir::literal(v.f);
    case Tag::Expr: return v.as_expr();
    case Tag::Error: return {};
    case Tag::Poison:  // its cause has been reported; stop silently
      fail({}, span, {});
      return {};
    default: break;
  }
  if (BigInt* b = v.as<BigInt>()) {
    if (b->value >= 0 && b->value <= static_cast<__int128>(UINT64_MAX)) {
      return ir::int_imm(ir::kUInt64, static_cast<std::int64_t>(static_cast<std::uint64_t>(b->value)));
    }
    fail(code::kValue, span, "the integer does not fit 64 bits", {}, "OverflowError");
    return {};
  }
  if (BufferValue* b = v.as<BufferValue>()) {
    if (ir::is_one_element(*b->buffer)) {
      ir::Expr index = ir::int_imm(ir::kInt32, 0);
      return ir::load(b->buffer, {&index, 1});
    }
    fail(code::kType, span,
         std::string(what) + " must be a scalar; this is the whole buffer " + std::string(b->buffer->name),
         "index it: " + std::string(b->buffer->name) + "[...]");
    return {};
  }
  if (MetaVar* m = v.as<MetaVar>()) return as_expr(m->value, span, what);
  if (Instance* instance = v.as<Instance>(); instance && instance->cls->is_int_enum) {
    if (Value* inner = instance->find("value")) return as_expr(*inner, span, what);
  } else if (instance && instance->cls->find(kIsExpression)) {
    const Value scalar = call(attribute(v, kIsExpression, span), std::span<const Value>(), span);
    return scalar.as<Instance>() ? ir::Expr() : as_expr(scalar, span, what);
  }
  if (RegionValue* r = v.as<RegionValue>()) {
    fail(code::kRegion, span,
         std::string(what) + " must be a scalar; this is a region of " + std::string(r->region.buffer->name),
         "give one index a dimension, or use T.ramp or .vload for a vector");
    return {};
  }
  fail(code::kType, span, std::string(what) + " must be a number or an expression, not " + std::string(type_name(v)));
  return {};
}

std::optional<ir::DataType> Interpreter::as_dtype(Value v, text::Span span) {
  if (DataTypeValue* d = v.as<DataTypeValue>()) return d->dtype;
  if (auto d = python::dtype_of(v)) return d;
  if (v.is_poison()) {
    fail({}, span, {});
    return std::nullopt;
  }
  auto text = as_string(v, span, "a dtype");
  if (!text) return std::nullopt;
  // Registers of 128 bits came with the instruction table.
  const bool has_wide = dialect() >= text::Dialect::V0_27;
  if (auto d = ir::parse_dtype(*text); d && (d->bits <= 64 || has_wide)) return d;
  text::Nearest nearest(*text, text::Nearest::Among::Few);
  for (std::string_view name : ir::dtype_names())
    if (has_wide || !name.ends_with("128")) nearest.consider(name);
  std::string meant(dtype_known_as(*text));
  if (meant.empty()) meant = nearest.found();
  fail(code::kType, span, "unknown dtype \"" + std::string(*text) + "\"",
       meant.empty() ? "for example float16, bfloat16, int32, uint8x16" : "did you mean \"" + meant + "\"?");
  if (!meant.empty()) offer({text::Fix::Kind::Replace, "Replace by " + meant, "\"" + meant + "\""});
  return std::nullopt;
}

std::optional<std::vector<ir::Expr>> Interpreter::as_extents(Value v, text::Span span, std::string_view what) {
  std::vector<ir::Expr> extents;
  if (v.as<List>() || v.as<Tuple>() || v.as<Iterator>() || v.as<Range>()) {
    auto items = iterate(v, span);
    if (!items) return std::nullopt;
    for (Value item : *items) {
      ir::Expr e = as_expr(item, span, what);
      if (!e) return std::nullopt;
      extents.push_back(e);
    }
  } else {
    ir::Expr e = as_expr(v, span, what);
    if (!e) return std::nullopt;
    extents.push_back(e);
  }
  for (ir::Expr e : extents) {
    if (!e.dtype().is_integral()) {
      fail(code::kType, span, std::string(what) + " must be integers, not " + ir::dtype_name(e.dtype()));
      return std::nullopt;
    }
  }
  return extents;
}

std::optional<ir::Region> Interpreter::as_region(Value v, text::Span span) {
  if (RegionValue* r = v.as<RegionValue>()) return r->region;
  if (BufferValue* b = v.as<BufferValue>()) return ir::full_region(b->buffer);
  if (v.is_expr()) {  // A[i, j] with every index given is a one-element region
    if (const auto* l = v.as_expr().as<ir::Load>()) {
      std::vector<ir::Range> ranges;
      for (ir::Expr index : l->indices) ranges.push_back({index, ir::int_imm(ir::kInt32, 1)});
      return ir::Region{l->buffer, Arena::current().copy(ranges)};
    }
  }
  if (v.is_poison()) {
    fail({}, span, {});
  } else if (v.is_opaque()) {
    fail(code::kOpaque, span, "this operand is not known here: " + whence(v), remedy(v));
  } else if (!v.is_error()) {
    fail(code::kRegion, span, "a tile is needed here, not " + std::string(type_name(v)),
         "pass a buffer or a slice of one, such as A[0:32, 0:32]");
  }
  return std::nullopt;
}

std::optional<ir::Operand> Interpreter::as_operand(Value v, text::Span span) {
  ir::Operand operand;
  operand.span = span;
  if (v.as<RegionValue>() || v.as<BufferValue>()) {
    operand.region = *as_region(v, span);
    return operand;
  }
  if (v.is_expr()) {
    if (const auto* l = v.as_expr().as<ir::Load>(); l && !l->buffer->is_scalar) {
      operand.region = *as_region(v, span);
      return operand;
    }
  }
  if (Str* s = v.as<Str>()) {
    operand.value = ir::string_imm(keep(s->text));
    return operand;
  }
  if (v.is_none()) return operand;
  ir::Expr e = as_expr(v, span, "this operand");
  if (!e) return std::nullopt;
  operand.value = e;
  return operand;
}

std::optional<layout::Dim> Interpreter::as_dim(Value v, text::Span span, std::string_view what) {
  if (auto i = as_big(v); i && *i >= INT64_MIN && *i <= INT64_MAX) return layout::Dim(static_cast<std::int64_t>(*i));
  ir::Expr e = as_expr(v, span, what);
  if (!e) return std::nullopt;
  if (!e.dtype().is_integral()) {
    fail(code::kType, span, std::string(what) + " must be an integer, not " + ir::dtype_name(e.dtype()));
    return std::nullopt;
  }
  return layout::Dim(e);
}

std::optional<layout::Shape> Interpreter::as_shape(Value v, text::Span span, std::string_view what) {
  layout::Shape shape;
  if (!v.as<List>() && !v.as<Tuple>()) {
    auto d = as_dim(v, span, what);
    if (!d) return std::nullopt;
    shape.push_back(*d);
    return shape;
  }
  auto items = iterate(v, span);
  if (!items) return std::nullopt;
  for (Value item : *items) {
    auto d = as_dim(item, span, what);
    if (!d) return std::nullopt;
    shape.push_back(*d);
  }
  return shape;
}

std::optional<layout::Layout> Interpreter::as_layout(Value v, text::Span span) {
  if (LayoutValue* l = v.as<LayoutValue>()) return *l->layout;
  if (v.is_poison()) {
    fail({}, span, {});
  } else if (v.is_opaque()) {
    fail(code::kOpaque, span, "this layout is not known here: " + whence(v), remedy(v));
  } else if (LayoutSpec* s = v.as<LayoutSpec>()) {
    return layout::Layout{std::nullopt, s->tile};
  } else if (!v.is_error()) {
    fail(code::kLayout, span, "a layout is needed here, not " + std::string(type_name(v)));
  }
  return std::nullopt;
}

}  // namespace tilewright::script
