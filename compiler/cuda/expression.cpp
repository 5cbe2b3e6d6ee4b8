// Expressions of a lowered kernel as C++: operators, casts, calls of instructions and of functions of the kernel.
#include <algorithm>
#include <charconv>
#include <tuple>

#include "compiler/cuda/codes.h"
#include "compiler/cuda/emitter.h"
#include "compiler/cuda/math.h"
#include "compiler/expr/analyzer.h"
#include "compiler/intrinsics/arguments.h"
#include "compiler/intrinsics/forms.h"
#include "compiler/intrinsics/say.h"
#include "compiler/text/escape.h"
#include "compiler/text/lookup.h"

namespace tilewright::cuda {

using namespace ir;

namespace {

struct Operator {
  std::string_view text;
  int precedence;
};

Operator operator_of(ExprKind kind) {
  switch (kind) {
    case ExprKind::Add: return {" + ", kSum};
    case ExprKind::Sub: return {" - ", kSum};
    case ExprKind::Mul: return {" * ", kProduct};
    case ExprKind::Div:
    case ExprKind::TruncDiv: return {" / ", kProduct};
    case ExprKind::TruncMod: return {" % ", kProduct};
    case ExprKind::EQ: return {" == ", kEquality};
    case ExprKind::NE: return {" != ", kEquality};
    case ExprKind::LT: return {" < ", kRelational};
    case ExprKind::LE: return {" <= ", kRelational};
    case ExprKind::GT: return {" > ", kRelational};
    case ExprKind::GE: return {" >= ", kRelational};
    case ExprKind::And: return {" && ", kLogicalAnd};
    case ExprKind::Or: return {" || ", kLogicalOr};
    case ExprKind::BitAnd: return {" & ", kBitAnd};
    case ExprKind::BitOr: return {" | ", kBitOr};
    case ExprKind::BitXor: return {" ^ ", kBitXor};
    case ExprKind::Shl: return {" << ", kShift};
    case ExprKind::Shr: return {" >> ", kShift};
    default: return {{}, 0};
  }
}

bool is_small_float(DataType d) { return d.is_float8() || d.is_float6() || d.is_float4(); }

// C computes narrow integers as int; these operators can leave their range.
bool may_leave_range(ExprKind kind) {
  return kind == ExprKind::Add || kind == ExprKind::Sub || kind == ExprKind::Mul || kind == ExprKind::Shl;
}

int log2_of(std::int64_t v) {
  return v > 0 && (v & (v - 1)) == 0 ? __builtin_ctzll(static_cast<std::uint64_t>(v)) : -1;
}

bool only_launch_variables(Expr e) {
  bool only = true;
  walk(e, [&](Expr x) {
    if (const Var* v = x.as<Var>()) only &= v->role == VarRole::Launch;
    only &= x.kind() != ExprKind::Load && x.kind() != ExprKind::Call;
    return only;
  });
  return only;
}

// Parentheses around a text that is appended between open() and close().
class Parentheses {
 public:
  Parentheses(std::string& out, bool wanted) : out_(out), wanted_(wanted) {
    if (wanted_) out_ += '(';
  }
  ~Parentheses() {
    if (wanted_) out_ += ')';
  }

 private:
  std::string& out_;
  bool wanted_;
};

}  // namespace

std::string Emitter::type(DataType dtype) {
  std::string name = type_name(dtype, unit_.needs);
  if (name.empty()) error(code::kType, "CUDA has no type for " + dtype_name(dtype));
  return name;
}

std::string Emitter::storage_type(DataType dtype) {
  std::string name = storage_type_name(dtype, unit_.needs);
  if (name.empty()) error(code::kType, "CUDA has no type for " + dtype_name(dtype));
  return name;
}

void Emitter::extremum(const Binary* e, int at_least) {
  DataType d = e->dtype;
  bool max = e->kind == ExprKind::Max;
  bool half = d.lanes == 1 && ((d.is_float() && d.bits == 16) || d.is_bfloat());
  bool narrow = d.lanes == 1 && d.is_integral() && d.bits < 32;
  if (is_small_float(d) && d.lanes == 1) {
    out_.append(type(d)).append(max ? "(fmaxf((float)" : "(fminf((float)");
    expression(e->a, kUnary);
    out_ += ", (float)";
    expression(e->b, kUnary);
    out_ += "))";
    return;
  }
  Parentheses p(out_, narrow && at_least > kUnary);
  if (narrow) out_.append("(").append(type(d)).append(")");
  if (half) {
    out_ += max ? "__hmax(" : "__hmin(";
  } else if (d.is_float() && d.lanes == 1) {
    out_ += d.bits == 64 ? (max ? "fmax(" : "fmin(") : (max ? "fmaxf(" : "fminf(");
  } else {
    out_ += max ? "max(" : "min(";
  }
  expression(e->a, kConditional);
  out_ += ", ";
  expression(e->b, kConditional);
  out_ += ")";
}

void Emitter::choice(const Select* e, int at_least) {
  if (e->condition.dtype().is_vector()) {
    type(e->dtype);
    out_ += "select(";
    expression(e->condition);
    out_ += ", ";
    expression(e->when_true);
    out_ += ", ";
    expression(e->when_false);
    out_ += ")";
    return;
  }
  Parentheses p(out_, at_least > kConditional);
  expression(e->condition, kLogicalOr);
  out_ += " ? ";
  expression(e->when_true, kConditional + 1);
  out_ += " : ";
  expression(e->when_false, kConditional);
}

void Emitter::expression(Expr e, int at_least) {
  switch (e.kind()) {
    case ExprKind::IntImm: {
      Parentheses p(out_, e.as<IntImm>()->value < 0 && !e.dtype().is_uint() && at_least > kUnary);
      append_constant(out_, *e.as<IntImm>());
      return;
    }
    case ExprKind::FloatImm: {
      Parentheses p(out_, e.as<FloatImm>()->value < 0 && at_least > kUnary);
      append_constant(out_, *e.as<FloatImm>(), unit_.needs);
      return;
    }
    case ExprKind::StringImm: text::append_quoted(out_, e.as<StringImm>()->value); return;
    case ExprKind::Var: variable(e.as<Var>(), at_least); return;
    case ExprKind::Cast: conversion(e.as<Cast>(), at_least); return;
    case ExprKind::FloorDiv:
    case ExprKind::FloorMod: division(e.as<Binary>(), at_least); return;
    case ExprKind::Min:
    case ExprKind::Max: extremum(e.as<Binary>(), at_least); return;
    case ExprKind::Not: {
      Parentheses p(out_, at_least > kUnary);
      out_ += "!";
      expression(e.as<Unary>()->a, kUnary);
      return;
    }
    case ExprKind::BitNot: {
      DataType d = e.dtype();
      Parentheses p(out_, at_least > kUnary);
      if (d.is_bool()) {
        out_ += "!";
      } else {
        if (d.bits < 32) out_.append("(").append(type(d)).append(")");
        out_ += "~";
      }
      expression(e.as<Unary>()->a, kUnary);
      return;
    }
    case ExprKind::Select:
    case ExprKind::IfThenElse: choice(e.as<Select>(), at_least); return;
    case ExprKind::Ramp:
      out_.append(type(e.dtype())).append("::ramp(");
      expression(e.as<Ramp>()->base);
      out_ += ", ";
      expression(e.as<Ramp>()->stride);
      out_ += ")";
      return;
    case ExprKind::Broadcast:
      out_.append(type(e.dtype())).append("::fill(");
      expression(e.as<Broadcast>()->value);
      out_ += ")";
      return;
    case ExprKind::Load: {
      const Load* node = e.as<Load>();
      element(node->buffer, node->indices[0], e.dtype(), at_least);
      return;
    }
    case ExprKind::Call: call(e.as<Call>(), at_least); return;
    default: binary(e.as<Binary>(), at_least); return;
  }
}

// Beside an operand of its own type, a small constant needs no suffix: C converts it.
void Emitter::operand(Expr e, int at_least, Expr other) {
  const IntImm* imm = e.as<IntImm>();
  if (imm && imm->value >= 0 && imm->value < 0x10000 && !other.as<IntImm>() && !e.dtype().is_bool()) {
    append_int(out_, imm->value);
    return;
  }
  expression(e, at_least);
}

void Emitter::binary(const Binary* e, int at_least) {
  Operator op = operator_of(e->kind);
  DataType d = e->a.dtype();
  if (op.text.empty()) {
    error(code::kNoForm, "no CUDA form for this expression: " + to_string(e));
    return;
  }
  bool logical = e->kind == ExprKind::And || e->kind == ExprKind::Or;
  bool comparison = e->kind >= ExprKind::EQ && e->kind <= ExprKind::GE;
  if (is_small_float(d) && d.lanes == 1) {
    // No arithmetic of its own: computed in float and rounded once.
    Parentheses p(out_, comparison && at_least > op.precedence);
    if (!comparison) out_.append(type(e->dtype)).append("(");
    out_ += "(float)";
    expression(e->a, kUnary);
    out_ += op.text;
    out_ += "(float)";
    expression(e->b, kUnary);
    if (!comparison) out_ += ")";
    return;
  }
  bool narrow = d.lanes == 1 && d.is_integral() && d.bits < 32 && may_leave_range(e->kind);
  if (narrow) {
    Parentheses p(out_, at_least > kUnary);
    out_.append("(").append(type(e->dtype)).append(")(");
    operand(e->a, op.precedence, e->b);
    out_ += op.text;
    operand(e->b, op.precedence + 1, e->a);
    out_ += ")";
    return;
  }
  std::string_view text = op.text;
  Expr a = e->a, b = e->b;
  // x + -4 is x - 4.
  if (const IntImm* imm = b.as<IntImm>(); imm && !b.dtype().is_uint() && imm->value < 0 && imm->value > -0x10000 &&
                                          e->kind == ExprKind::Add && !a.as<IntImm>()) {
    Parentheses p(out_, at_least > kSum);
    expression(a, kSum);
    out_ += " - ";
    append_int(out_, -imm->value);
    return;
  }
  // Readers do not know the order of shifts and bit operators by heart: sums below them keep parentheses.
  int left = op.precedence, right = op.precedence + 1;
  if (op.precedence == kShift || op.precedence == kBitAnd || op.precedence == kBitOr || op.precedence == kBitXor) {
    left = right = kUnary;
    if (Binary::is(a.kind()) && a.kind() == e->kind) left = op.precedence;
  }
  if (e->kind == ExprKind::Or && (a.kind() == ExprKind::And)) left = kUnary;
  if (e->kind == ExprKind::Or && (b.kind() == ExprKind::And)) right = kUnary;
  bool associative = (logical || e->kind == ExprKind::BitAnd || e->kind == ExprKind::BitOr) && b.kind() == e->kind;
  if (associative) right = op.precedence;
  if (comparison) left = op.precedence + 1;
  Parentheses p(out_, at_least > op.precedence);
  if (logical) {
    expression(a, left);
    out_ += text;
    expression(b, right);
    return;
  }
  // The type of a shift is that of its left side alone.
  op.precedence == kShift ? expression(a, left) : operand(a, left, b);
  out_ += text;
  operand(b, right, a);
}

// Floor semantics. Powers of two are shifts and masks, which round down for negative numbers as well; otherwise C's
// truncating operators serve where nothing is negative, and a helper where something may be.
void Emitter::division(const Binary* e, int at_least) {
  DataType d = e->dtype;
  bool div = e->kind == ExprKind::FloorDiv;
  const std::int64_t* by = constant(e->b);
  int shift = by ? log2_of(*by) : -1;
  bool launch = launch_arithmetic_ && only_launch_variables(e->a);
  bool natural = launch || d.is_uint() || d.is_vector();
  if (!natural && shift < 0) {
    Interval b = bounds(e->b);
    natural = b.lo > 0 && bounds(e->a).lo >= 0;
  }
  if (natural || (shift >= 0 && d.is_bool())) {
    Parentheses p(out_, at_least > kProduct);
    operand(e->a, kProduct, e->b);
    out_ += div ? " / " : " % ";
    operand(e->b, kProduct + 1, e->a);
    return;
  }
  if (shift >= 0) {
    Parentheses p(out_, at_least > (div ? kShift : kBitAnd));
    expression(e->a, kUnary);
    out_ += div ? " >> " : " & ";
    append_int(out_, div ? shift : *by - 1);
    return;
  }
  (div ? unit_.needs.floor_div : unit_.needs.floor_mod) = true;
  out_ += div ? "floor_div(" : "floor_mod(";
  expression(e->a, kConditional);
  out_ += ", ";
  expression(e->b, kConditional);
  out_ += ")";
}

void Emitter::conversion(const Cast* e, int at_least) {
  DataType to = e->dtype, from = e->value.dtype();
  if (to.is_vector()) {
    out_.append(type(to)).append("::from(");
    expression(e->value);
    out_ += ")";
    return;
  }
  Parentheses p(out_, at_least > kUnary);
  out_.append("(").append(type(to)).append(")");
  // 16-bit formats and the small ones have no conversion between each other but through float.
  bool via_float =
      (to.is_bfloat() && from.is_float() && from.bits == 16) || (from.is_bfloat() && to.is_float() && to.bits == 16) ||
      (is_small_float(to) && is_small_float(from)) || (is_small_float(from) && (to.is_integral() || to.is_bool()));
  if (via_float) out_ += "(float)";
  expression(e->value, kUnary);
}

void Emitter::variable(const Var* v, int at_least) {
  if (v->role == VarRole::Launch) {
    static constexpr std::string_view kSpecial[] = {"cluster_ctarank", "cluster_ctaid.x", "cluster_ctaid.y",
                                                    "cluster_ctaid.z", "clusterid.x",     "clusterid.y",
                                                    "clusterid.z"};
    Parentheses p(out_, !launch_arithmetic_ && at_least > kUnary);
    if (!launch_arithmetic_) out_ += "(int)";
    for (int i = 0; i < 7; ++i) {
      if (v->name != kSpecial[i]) continue;
      unit_.needs.special_register[i] = true;
      std::string function(v->name);
      std::ranges::replace(function, '.', '_');
      out_.append(function).append("()");
      return;
    }
    out_ += v->name;
    return;
  }
  if (auto found = var_names_.find(v); found != var_names_.end()) {
    out_ += found->second;
    return;
  }
  if (const Storage* s = storage(v)) {
    if (s->variable) {
      Parentheses p(out_, at_least > kUnary);
      out_.append("&").append(s->name);
    } else {
      out_ += s->name;
    }
    return;
  }
  error(code::kNoForm, "`" + std::string(v->name) + "` has no value here");
  out_ += identifier(v->name);
}

const Emitter::Storage* Emitter::storage(const Var* data) const { return text::found_in(storages_, data); }

void Emitter::base(const Buffer* buffer) {
  if (auto found = bases_.find(buffer); found != bases_.end()) {
    out_ += found->second;
    return;
  }
  for (const auto& [view, name] : views_) {
    if (!same_window(*view, *buffer)) continue;
    out_ += name;
    return;
  }
  const Storage* s = storage(buffer->data);
  if (!s) {
    error(code::kNoForm, "the storage of `" + std::string(buffer->name) + "` is not known here");
    out_ += bases_[buffer] = identifier(buffer->name);
    return;
  }
  std::string text = s->variable ? "(&" + s->name + ")" : s->name;
  if (s->dtype != buffer->dtype) text = "((" + storage_type(buffer->dtype) + "*)" + text + ")";
  if (buffer->elem_offset) {
    text = "(" + text + " + " + written(buffer->elem_offset, kSum) + ")";
    // An offset that reads memory is evaluated at each access.
    bool volatile_offset = false;
    walk(buffer->elem_offset, [&](Expr e) {
      volatile_offset |= e.kind() == ExprKind::Load;
      return !volatile_offset;
    });
    if (volatile_offset) {
      out_ += text;
      return;
    }
  }
  out_ += bases_[buffer] = std::move(text);
}

void Emitter::element(const Buffer* buffer, Expr index, DataType dtype, int at_least) {
  const Storage* s = storage(buffer->data);
  if (buffer->dtype.storage_bits() < 8 && !buffer->dtype.is_handle()) {
    error(code::kSubByte,
          "`" + std::string(ir::spoken_name(*buffer)) + "` holds " + dtype_name(buffer->dtype) +
              ": its elements cannot be accessed one by one",
          "take .view(\"uint8\")");
  }
  if (index.dtype().is_vector()) {
    const Ramp* ramp = index.as<Ramp>();
    DataType stored = dtype.is_bool() ? DataType{TypeCode::Int, 8, dtype.lanes} : dtype;
    if (ramp && is_constant(ramp->stride, 1)) {
      Parentheses p(out_, at_least > kUnary);
      out_.append("*(").append(type(stored)).append("*)");
      address(buffer, ramp->base, kUnary);
    } else if (ramp) {
      type(stored);
      out_.append("gather<").append(std::to_string(index.dtype().lanes)).append(">(");
      address(buffer, ramp->base, kConditional);
      out_ += ", ";
      expression(ramp->stride);
      out_ += ")";
    } else if (const Broadcast* same = index.as<Broadcast>()) {
      out_.append(type(stored)).append("::fill(");
      element(buffer, same->value, buffer->dtype, kConditional);
      out_ += ")";
    } else {
      error(code::kNoForm, "a vector index that is no ramp has no CUDA form");
    }
    return;
  }
  if (s && s->variable && !buffer->elem_offset && s->dtype == buffer->dtype && !bases_.contains(buffer)) {
    out_ += s->name;
    return;
  }
  bool as_bool = dtype.is_bool();
  Parentheses p(out_, as_bool && at_least > kUnary);
  if (as_bool) out_ += "(bool)";
  base(buffer);
  out_ += "[";
  operand(index, kComma, {});
  out_ += "]";
}

void Emitter::address(const Buffer* buffer, Expr index, int at_least) {
  const Storage* s = storage(buffer->data);
  if (const Ramp* ramp = index.as<Ramp>()) index = ramp->base;
  bool zero = is_constant(index, 0);
  if (int bits = buffer->dtype.storage_bits(); bits < 8 && !buffer->dtype.is_handle() && bits > 0) {
    Parentheses p(out_, !zero && at_least > kSum);
    base(buffer);
    if (!zero) {
      out_ += " + ";
      expression(simplify((index * Expr(bits)) / Expr(8)), kSum);
    }
    return;
  }
  if (s && s->variable && !buffer->elem_offset && s->dtype == buffer->dtype && !bases_.contains(buffer)) {
    Parentheses p(out_, at_least > kUnary);
    out_.append("&").append(s->name);
    return;
  }
  if (zero) {
    base(buffer);
    return;
  }
  Parentheses p(out_, at_least > kUnary);
  out_ += "&";
  base(buffer);
  out_ += "[";
  operand(index, kComma, {});
  out_ += "]";
}

// The element type that a pointer expression has in C++; void when it is a void*.
DataType Emitter::pointee(Expr pointer) const {
  if (const Var* v = pointer.as<Var>()) {
    if (const Storage* s = storage(v)) return s->dtype;
    return v->pointee;
  }
  if (const Call* c = pointer.as<Call>()) {
    if (c->callee == &builtin::address_of)
      if (const Load* element = c->args[0].as<Load>()) return element->buffer->dtype;
    if (c->callee == &builtin::pointer_offset) return pointee(c->args[0]);
  }
  return kVoid;
}

void Emitter::call(const Call* e, int at_least) {
  const Callee* callee = e->callee;
  if (callee == &builtin::address_of) {
    if (const Load* element = e->args[0].as<Load>()) {
      address(element->buffer, element->indices[0], at_least);
    } else {
      Parentheses p(out_, at_least > kUnary);
      out_ += "(unsigned long long)&";
      expression(e->args[0], kUnary);
    }
  } else if (callee == &builtin::reinterpret) {
    DataType to = e->dtype, from = e->args[0].dtype();
    if (to == from) {
      expression(e->args[0], at_least);
    } else if (to.is_handle() || from.is_handle()) {
      Parentheses p(out_, at_least > kUnary);
      out_.append("(").append(type(to)).append(")");
      expression(e->args[0], kUnary);
    } else {
      unit_.needs.bit_cast = true;
      out_.append("bit_cast<").append(type(to)).append(">(");
      // A literal is an int to C++; its bits are to be of its own width.
      if (e->args[0].as<IntImm>() && from.bits < 32) out_.append("(").append(type(from)).append(")");
      expression(e->args[0]);
      out_ += ")";
    }
  } else if (callee == &builtin::pointer_offset) {
    Parentheses p(out_, at_least > kSum);
    if (pointee(e->args[0]).is_void()) out_ += "(char*)";
    expression(e->args[0], kSum);
    out_ += " + ";
    expression(e->args[1], kSum + 1);
  } else if (callee == &builtin::handle_byte_offset) {
    Parentheses p(out_, at_least > kUnary);
    out_ += "(void*)((char*)";
    expression(e->args[0], kUnary);
    out_ += " + ";
    expression(e->args[1], kSum + 1);
    out_ += ")";
  } else if (callee == &builtin::warp_shuffle) {
    out_ += "__shfl_sync(";
    expression(e->args[0]);
    out_ += ", ";
    expression(e->args[1]);
    out_ += ", ";
    expression(e->args[2]);
    if (!is_constant(e->args[3], 32)) {
      out_ += ", ";
      expression(e->args[3]);
    }
    out_ += ")";
  } else if (callee == &builtin::likely) {
    expression(e->args[0], at_least);
  } else if (callee == &builtin::is_null) {
    Parentheses p(out_, at_least > kEquality);
    expression(e->args[0], kEquality + 1);
    out_ += " == nullptr";
  } else if (callee == &builtin::undef) {
    out_.append(type(e->dtype)).append("()");
  } else if (const intrinsics::Intrinsic* row = intrinsics::of(callee)) {
    intrinsic(*row, e, at_least);
  } else if (MathFunction f = math_function(callee->name, e->dtype, e->args.empty() ? e->dtype : e->args[0].dtype());
             !f.name.empty()) {
    Parentheses p(out_, f.through_float && at_least > kUnary);
    if (f.through_float) out_.append("(").append(type(e->dtype)).append(")");
    out_.append(f.name).append("(");
    for (std::size_t i = 0; i < e->args.size(); ++i) {
      if (i) out_ += ", ";
      if (f.through_float) out_ += "(float)";
      expression(e->args[i], f.through_float ? kUnary : kConditional);
    }
    out_ += ")";
  } else {
    error(code::kNoForm, intrinsics::say(*callee, kernel_.kernel->dialect) + " has no CUDA form");
  }
}

namespace {

// A helper by another name; its definition holds the name wherever it stands as a whole.
intrinsics::Emitted renamed(intrinsics::Emitted helper, std::string name) {
  const std::string call = helper.helper_name + "(";
  for (std::size_t at = 0; (at = helper.helper_source.find(call, at)) != std::string::npos; at += name.size()) {
    helper.helper_source.replace(at, helper.helper_name.size(), name);
  }
  helper.helper_name = std::move(name);
  return helper;
}

}  // namespace

// Calls of one row with equal attributes and operand types share their helper: they are recognised without making its
// text.
const Emitter::Helper& Emitter::helper(const intrinsics::Intrinsic& row, const Call* e) {
  std::uint64_t key = reinterpret_cast<std::uintptr_t>(&row);
  auto mix = [&](std::uint64_t v) { key = (key ^ v) * 0x9E3779B97F4A7C15ull + (key >> 29); };
  bool foreign = row.meaning == intrinsics::Meaning::CallSource || row.meaning == intrinsics::Meaning::Print;
  for (Expr arg : e->args) {
    mix(static_cast<std::uint64_t>(arg.kind() == ExprKind::IntImm) * 2 + intrinsics::is_absent(arg));
    DataType d = arg.dtype();
    mix(static_cast<std::uint64_t>(d.code) | std::uint64_t{d.bits} << 8 | std::uint64_t{d.lanes} << 16);
    if (const IntImm* imm = arg.as<IntImm>()) mix(static_cast<std::uint64_t>(imm->value));
    if (const StringImm* text = arg.as<StringImm>()) mix(std::hash<std::string_view>()(text->value));
  }
  auto [at, fresh] = helper_cache_.try_emplace(key);
  if (!fresh && at->second.row == &row && !foreign) return at->second;
  at->second = {row.emit(row, e->args, kernel_.kernel->target), &row};
  const intrinsics::Emitted& made = at->second.emitted;
  std::string_view tags = made.preamble;
  while (!tags.empty()) {
    std::size_t end = std::min(tags.find(','), tags.size());
    std::string_view tag = tags.substr(0, end);
    Needs& n = unit_.needs;
    if (tag == "fp16") n.fp16 = true;
    if (tag == "bf16") n.bf16 = true;
    if (tag == "fp8") n.fp8 = true;
    if (tag == "fp6") n.fp6 = true;
    if (tag == "fp4") n.fp4 = true;
    if (tag == "cooperative_groups") n.cooperative_groups = true;
    if (tag == "cuda/barrier" || tag == "barrier") n.barrier = true;
    if (tag == "mma") n.mma = true;
    if (tag == "nvshmem") n.nvshmem = true;
    tags.remove_prefix(std::min(end + 1, tags.size()));
  }
  auto mentions = [&](std::string_view word) { return made.helper_source.find(word) != std::string::npos; };
  if (row.meaning == intrinsics::Meaning::CallSource) unit_.needs.foreign_source = true;
  if (intrinsics::form_of(row)) unit_.needs.fixed_integers = true;
  if (mentions("half")) unit_.needs.fp16 = true;
  if (mentions("bfloat16")) unit_.needs.bf16 = true;
  if (!made.helper_name.empty() && !made.helper_source.empty()) {
    auto known = unit_.helpers.find(made.helper_name);
    if (known != unit_.helpers.end() && known->second != made.helper_source && !foreign) {
      // An instruction of 0.27, and a row of an earlier release that tile primitives are lowered to.
      at->second.emitted = renamed(made, made.helper_name + "_op");
    }
    bool added = false;
    std::tie(known, added) = unit_.helpers.emplace(made.helper_name, made.helper_source);
    if (added) {
      unit_.helper_order.push_back(made.helper_name);
    } else if (known->second != made.helper_source) {
      error(code::kHelper, "the device function `" + made.helper_name + "` has two different source texts");
    }
  }
  return at->second;
}

void Emitter::intrinsic(const intrinsics::Intrinsic& row, const Call* e, int at_least) {
  if (!row.emit) {
    error(code::kNoForm, intrinsics::say(row, kernel_.kernel->dialect) + " has no CUDA form");
    return;
  }
  const intrinsics::Emitted& made = helper(row, e).emitted;
  const intrinsics::Form* form = intrinsics::form_of(row);
  if (!made.helper_name.empty()) {
    out_.append(made.helper_name).append("(");
    bool first = true;
    for (int position : made.argument_positions) {
      if (!first) out_ += ", ";
      first = false;
      const auto at = static_cast<std::size_t>(position);
      expression(form ? intrinsics::forwarded_argument(*form, e->args, at) : e->args[at]);
    }
    out_ += ")";
    return;
  }
  // A text with {0}, {1} for the arguments; those that stand between commas or parentheses need none of their own.
  std::string_view text = made.expression;
  bool whole_call = text.find('(') != text.npos && text.ends_with(')');
  Parentheses p(out_, !whole_call && at_least > kConditional);
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::size_t end = text[i] == '{' ? text.find('}', i) : text.npos;
    bool number =
        end != text.npos && end > i + 1 && text.substr(i + 1, end - i - 1).find_first_not_of("0123456789") == text.npos;
    if (!number) {
      out_ += text[i];
      continue;
    }
    std::size_t position = 0;
    std::from_chars(text.data() + i + 1, text.data() + end, position);
    bool enclosed = i > 0 && (text[i - 1] == '(' || text[i - 1] == ' ') && end + 1 < text.size() &&
                    (text[end + 1] == ',' || text[end + 1] == ')');
    if (position < e->args.size()) expression(e->args[position], enclosed ? kConditional : kPostfix);
    i = end;
  }
}

}  // namespace tilewright::cuda
