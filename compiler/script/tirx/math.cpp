// Mathematical functions by name: T.exp, T.pow, T.isnan, T.popcount, ... (surface.md 6.4).
//
// A function becomes a call of a callee that carries its script name; the CUDA and simulator rooms know what each is
// for each operand type. What has no instruction of its own is written out here with those that have one.
#include <algorithm>
#include <array>
#include <cmath>

#include "compiler/script/tirx/tirx.h"

namespace tilewright::script {
namespace {

enum class Kind : std::uint8_t {
  Float,     // operands become one floating type, which is the result's too
  Numeric,   // integers stay what they are
  Whole,     // rounding: integers are their own result
  Test,      // a question about a float: bool, and a constant answer for an integer
  IntToInt,  // bits of an integer; the result has its type
  Count,     // bits of an integer; the result is int32
  Scale,     // (float, int)
};

struct Row {
  ir::Callee callee;
  std::size_t operands;
  Kind kind;
  std::string_view words;
};

constexpr ir::Callee pure(std::string_view name) { return {name, ir::Effect::Pure}; }

// Their addresses are the identity of the calls made from them.
constexpr Row kMathRows[] = {
    {pure("exp"), 1, Kind::Float, "e to the power of x."},
    {pure("exp2"), 1, Kind::Float, "2 to the power of x."},
    {pure("exp10"), 1, Kind::Float, "10 to the power of x."},
    {pure("log"), 1, Kind::Float, "The natural logarithm."},
    {pure("log2"), 1, Kind::Float, "The logarithm to base 2."},
    {pure("log10"), 1, Kind::Float, "The logarithm to base 10."},
    {pure("log1p"), 1, Kind::Float, "The natural logarithm of 1 + x."},
    {pure("sqrt"), 1, Kind::Float, "The square root."},
    {pure("rsqrt"), 1, Kind::Float, "One over the square root."},
    {pure("sin"), 1, Kind::Float, "The sine of an angle in radians."},
    {pure("cos"), 1, Kind::Float, "The cosine of an angle in radians."},
    {pure("tan"), 1, Kind::Float, "The tangent of an angle in radians."},
    {pure("sinh"), 1, Kind::Float, "The hyperbolic sine."},
    {pure("cosh"), 1, Kind::Float, "The hyperbolic cosine."},
    {pure("tanh"), 1, Kind::Float, "The hyperbolic tangent."},
    {pure("asin"), 1, Kind::Float, "The angle of a sine."},
    {pure("acos"), 1, Kind::Float, "The angle of a cosine."},
    {pure("atan"), 1, Kind::Float, "The angle of a tangent."},
    {pure("asinh"), 1, Kind::Float, "The inverse hyperbolic sine."},
    {pure("acosh"), 1, Kind::Float, "The inverse hyperbolic cosine."},
    {pure("atanh"), 1, Kind::Float, "The inverse hyperbolic tangent."},
    {pure("erf"), 1, Kind::Float, "The error function."},
    {pure("atan2"), 2, Kind::Float, "The angle of the point (b, a)."},
    {pure("pow"), 2, Kind::Float, "a to the power of b."},
    {pure("fmod"), 2, Kind::Float, "The remainder of a / b, with the sign of a."},
    {pure("hypot"), 2, Kind::Float, "The length of the vector (a, b)."},
    {pure("copysign"), 2, Kind::Float, "a with the sign of b."},
    {pure("nextafter"), 2, Kind::Float, "The next number after a towards b."},
    {pure("fma"), 3, Kind::Float, "a * b + c, rounded once."},
    {pure("ldexp"), 2, Kind::Scale, "a times 2 to the power of b."},
    {pure("floor"), 1, Kind::Whole, "Rounds down."},
    {pure("ceil"), 1, Kind::Whole, "Rounds up."},
    {pure("round"), 1, Kind::Whole, "Rounds to the nearest integer."},
    {pure("trunc"), 1, Kind::Whole, "Rounds towards zero."},
    {pure("nearbyint"), 1, Kind::Whole, "Rounds to the nearest integer, ties to even."},
    {pure("fabs"), 1, Kind::Float, "The absolute value of a float."},
    {pure("abs"), 1, Kind::Numeric, "The absolute value."},
    {pure("isnan"), 1, Kind::Test, "Is x no number?"},
    {pure("isinf"), 1, Kind::Test, "Is x infinite?"},
    {pure("isfinite"), 1, Kind::Test, "Is x neither infinite nor NaN?"},
    {pure("popcount"), 1, Kind::IntToInt, "How many bits are set."},
    {pure("clz"), 1, Kind::Count, "How many leading bits are zero."},
};

const Row* find_row(std::string_view name) {
  auto row =
      std::find_if(std::begin(kMathRows), std::end(kMathRows), [&](const Row& r) { return r.callee.name == name; });
  return row == std::end(kMathRows) ? nullptr : row;
}

// |x| is infinite and no NaN; the opposite question asks that it is neither.
Value infinite(Interpreter& in, ir::Expr x, bool yes, const Arguments& args) {
  ir::Expr magnitude = ir::call(x.dtype(), find_row("fabs")->callee, {&x, 1});
  ir::Expr nan = ir::call(ir::kBool.with_lanes(x.dtype().lanes), find_row("isnan")->callee, {&x, 1});
  ir::Expr infinity = ir::cast(x.dtype(), ir::float_imm(x.dtype().element(), INFINITY));
  Value equal = in.binary(syntax::Operator::Eq, Value::expr(magnitude), Value::expr(infinity), args.call);
  auto number = ir::apply_not(nan);
  if (equal.is_error()) return equal;
  if (!number) return in.fail(code::kType, args.call, number.error());
  ir::Expr is_infinite = ir::logical_and(equal.as_expr(), *number);
  if (yes) return Value::expr(is_infinite);
  auto finite = ir::apply_not(is_infinite);
  if (!finite) return in.fail(code::kType, args.call, finite.error());
  return Value::expr(ir::logical_and(*finite, *number));
}

Value apply(Interpreter& in, const Row& row, std::span<ir::Expr> operands, const Arguments& args) {
  std::string shown = "T." + std::string(row.callee.name);
  ir::DataType first = operands[0].dtype();
  auto fail = [&](std::size_t i, std::string_view wanted) {
    return in.fail(code::kType, args.at(i),
                   shown + " takes " + std::string(wanted) + ", not " + ir::dtype_name(operands[i].dtype()));
  };
  switch (row.kind) {
    case Kind::Whole:
    case Kind::Test:
      if (first.is_integral() || first.is_bool()) {
        return row.kind == Kind::Whole ? Value::expr(operands[0])
                                       : Value::expr(ir::bool_imm(row.callee.name == "isfinite"));
      }
      break;
    case Kind::Numeric:
      if (first.is_uint() || first.is_bool()) return Value::expr(operands[0]);
      if (first.is_int()) {
        ir::Expr zero = ir::cast(first, ir::int_imm(first.element(), 0));
        Value positive = in.binary(syntax::Operator::Ge, Value::expr(operands[0]), Value::expr(zero), args.call);
        Value negative = in.binary(syntax::Operator::Sub, Value::expr(zero), Value::expr(operands[0]), args.call);
        if (positive.is_error() || negative.is_error()) return Value::error();
        return Value::expr(ir::select(positive.as_expr(), operands[0], negative.as_expr()));
      }
      break;
    case Kind::IntToInt:
    case Kind::Count:
      if (!first.is_integral()) return fail(0, "an integer");
      return Value::expr(
          ir::call(row.kind == Kind::Count ? ir::kInt32.with_lanes(first.lanes) : first, row.callee, operands));
    default: break;
  }
  // The operands meet in one type; where none of them is floating, that is float32.
  std::size_t floats = row.kind == Kind::Scale ? 1 : operands.size();
  ir::DataType type = first;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].dtype().is_handle() || operands[i].as<ir::StringImm>()) return fail(i, "numbers");
    if (i == 0 || i >= floats) continue;
    auto promoted = ir::promoted_type(type, operands[i].dtype());
    if (!promoted) return in.fail(code::kType, args.call, promoted.error());
    type = *promoted;
  }
  if (!type.is_floating()) type = ir::kFloat32.with_lanes(type.lanes);
  for (std::size_t i = 0; i < floats; ++i) operands[i] = ir::cast(type, operands[i]);
  if (row.kind == Kind::Scale) {
    if (!operands[1].dtype().is_integral()) return fail(1, "an integer exponent");
    operands[1] = ir::cast(ir::kInt32.with_lanes(type.lanes), operands[1]);
  }
  if (row.kind == Kind::Test && row.callee.name != "isnan")
    return infinite(in, operands[0], row.callee.name == "isinf", args);
  bool test = row.kind == Kind::Test;
  const ir::Callee& callee = row.kind == Kind::Numeric ? find_row("fabs")->callee : row.callee;
  return Value::expr(ir::call(test ? ir::kBool.with_lanes(type.lanes) : type, callee, operands));
}

std::optional<std::vector<ir::Expr>> operands_of(Interpreter& in, const Arguments& args, std::string_view name,
                                                 std::size_t count) {
  std::size_t given = args.positional.size() +
                      static_cast<std::size_t>(std::count_if(args.keywords.begin(), args.keywords.end(),
                                                             [](const Keyword& k) { return k.name != "dtype"; }));
  if (given != count) {
    in.fail(code::kArguments, args.call,
            "T." + std::string(name) + " takes " + std::to_string(count) + (count == 1 ? " operand, " : " operands, ") +
                std::to_string(given) + (given == 1 ? " is given" : " are given"));
    return std::nullopt;
  }
  std::vector<ir::Expr> out;
  auto add = [&](Value v, text::Span span) {
    ir::Expr e = in.as_expr(v, span, "an operand of T." + std::string(name));
    if (e) out.push_back(e);
    return static_cast<bool>(e);
  };
  for (std::size_t i = 0; i < args.positional.size(); ++i) {
    if (!add(args.positional[i], args.at(i))) return std::nullopt;
  }
  for (const Keyword& k : args.keywords) {  // a dtype= of the old form says nothing new
    if (k.name != "dtype" && !add(k.value, k.span)) return std::nullopt;
  }
  return out;
}

Value function(Interpreter& in, const Arguments& args, Value self) {
  const Row& row = kMathRows[static_cast<std::size_t>(self.i)];
  auto operands = operands_of(in, args, row.callee.name, row.operands);
  return operands ? apply(in, row, *operands, args) : Value::error();
}

// 1 / (1 + exp(-x))
Value sigmoid(Interpreter& in, const Arguments& args, Value) {
  auto operands = operands_of(in, args, "sigmoid", 1);
  if (!operands) return Value::error();
  ir::Expr x = (*operands)[0];
  if (!x.dtype().is_floating()) x = ir::cast(ir::kFloat32.with_lanes(x.dtype().lanes), x);
  auto negative = ir::negate(x);
  if (!negative) return in.fail(code::kType, args.call, negative.error());
  ir::Expr one = ir::cast(x.dtype(), ir::float_imm(x.dtype().element(), 1.0));
  Value e = apply(in, *find_row("exp"), std::span<ir::Expr>(&*negative, 1), args);
  if (e.is_error()) return e;
  Value sum = in.binary(syntax::Operator::Add, Value::expr(one), e, args.call);
  return sum.is_error() ? sum : in.binary(syntax::Operator::Div, Value::expr(one), sum, args.call);
}

// (x * y * 2^-s) rounded, of fixed-point numbers with q fraction bits.
Value q_multiply_shift(Interpreter& in, const Arguments& args, Value) {
  auto operands = operands_of(in, args, "q_multiply_shift", 4);
  if (!operands) return Value::error();
  for (ir::Expr& e : *operands) {
    if (!e.dtype().is_integral()) return in.fail(code::kType, args.call, "T.q_multiply_shift takes integers");
    e = ir::cast(ir::kInt64.with_lanes(e.dtype().lanes), e);
  }
  ir::DataType result = ir::kInt32.with_lanes((*operands)[0].dtype().lanes);
  ir::Expr one = ir::int_imm(ir::kInt64, 1);
  using syntax::Operator;
  Value shift = in.binary(Operator::Add, Value::expr((*operands)[2]), Value::expr((*operands)[3]), args.call);
  Value less = shift.is_error() ? shift : in.binary(Operator::Sub, shift, Value::expr(one), args.call);
  Value half = less.is_error() ? less : in.binary(Operator::LShift, Value::expr(one), less, args.call);
  Value product = half.is_error()
                      ? half
                      : in.binary(Operator::Mul, Value::expr((*operands)[0]), Value::expr((*operands)[1]), args.call);
  Value sum = product.is_error() ? product : in.binary(Operator::Add, product, half, args.call);
  Value out = sum.is_error() ? sum : in.binary(Operator::RShift, sum, shift, args.call);
  return out.is_error() ? out : Value::expr(ir::cast(result, out.as_expr()));
}

Value math_function(Interpreter& in, const Record& record, Value) {
  return in.native(record.name, function, Value::integer(record.number));
}

constexpr auto kMathRecords = [] {
  constexpr std::string_view kOperands[] = {"", "x", "a, b", "a, b, c"};
  std::array<Record, std::size(kMathRows) + 2> out;
  for (std::size_t i = 0; i < std::size(kMathRows); ++i) {
    const Row& row = kMathRows[i];
    out[i] = {"T",
              row.callee.name,
              NameKind::Function,
              kOperands[row.operands],
              row.words,
              nullptr,
              math_function,
              {},
              static_cast<std::int32_t>(i)};
  }
  out[std::size(kMathRows)] = {"T", "sigmoid", NameKind::Function, "x", "1 / (1 + exp(-x))", sigmoid};
  out[std::size(kMathRows) + 1] = {"T",
                                   "q_multiply_shift",
                                   NameKind::Function,
                                   "x, y, q, s",
                                   "x * y / 2^s of fixed-point numbers with q fraction bits, rounded.",
                                   q_multiply_shift};
  return out;
}();

}  // namespace

// T.call_intrin(dtype, "tirx.exp", x) and its kin name the same functions.
Value call_math(Interpreter& in, std::string_view name, const Arguments& args) {
  if (name == "sigmoid") return sigmoid(in, args, Value());
  if (name == "q_multiply_shift") return q_multiply_shift(in, args, Value());
  const Row* row = find_row(name);
  return row ? function(in, args, Value::integer(row - kMathRows)) : Value::error();
}

std::span<const Record> math_records() { return kMathRecords; }

}  // namespace tilewright::script
