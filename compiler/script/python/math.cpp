// The module `math`, on values known while the script is evaluated.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "compiler/script/codes.h"
#include "compiler/script/python/support.h"

namespace tilewright::script::python {
namespace {

Value needs_number(Interpreter& in, const Arguments& args, std::size_t i, std::string_view name) {
  Value v = args.positional[i];
  if (in.can_be_expr(v) && !in.as_number(v)) {
    return in.fail(code::kType, args.at(i),
                   "math." + std::string(name) + "() needs a number known now; this is a run-time expression",
                   "use T." + std::string(name));
  }
  if (Instance* instance = v.as<Instance>()) {  // they are numbers by their own methods
    for (const char* own : {"__float__", "__index__", "__trunc__", "__floor__", "__ceil__"})
      if (instance->cls->find(own)) return Value::opaque("a function of math on an object of a class");
  }
  return wrong_type(in, args.at(i), "math." + std::string(name), "a number", v);
}

Value domain(Interpreter& in, const Arguments& args, std::string_view name) {
  return in.fail(code::kValue, args.call, "math." + std::string(name) + "() is not defined here", {}, "ValueError");
}

// A constant expression such as T.float32(2.0) counts as its value.
std::optional<double> number(Interpreter& in, Value v) {
  if (v.is_expr()) {
    if (const auto* i = v.as_expr().as<ir::IntImm>()) return static_cast<double>(i->value);
    if (const auto* f = v.as_expr().as<ir::FloatImm>()) return f->value;
  }
  return in.as_number(v);
}

Value finite(Interpreter& in, const Arguments& args, std::string_view name, double result, bool operands_finite) {
  if (std::isnan(result) && operands_finite) return domain(in, args, name);
  if (std::isinf(result) && operands_finite) {
    return in.fail(code::kValue, args.call, "the result of math." + std::string(name) + "() is out of range", {},
                   "OverflowError");
  }
  return Value::floating(result);
}

// Functions of one and of two numbers: one native each, whose self is the row.
struct Unary {
  std::string_view name;
  double (*function)(double);
};
struct Binary {
  std::string_view name;
  double (*function)(double, double);
};

template <bool (*F)(double)>
Value test(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "isfinite", 1, 1)) return Value::error();
  auto x = number(in, args.positional[0]);
  return x ? Value::boolean(F(*x)) : needs_number(in, args, 0, "isfinite");
}
bool is_nan(double x) { return std::isnan(x); }
bool is_inf(double x) { return std::isinf(x); }
bool is_finite(double x) { return std::isfinite(x); }

double positive_log(double x, double (*f)(double)) { return x > 0 ? f(x) : std::numeric_limits<double>::quiet_NaN(); }
double log10_of(double x) { return positive_log(x, std::log10); }
double log2_of(double x) { return positive_log(x, std::log2); }
double log_of(double x) { return positive_log(x, std::log); }
double log_gamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);  // std::lgamma writes a global
}
double degrees(double x) { return x * (180.0 / std::numbers::pi); }
double radians(double x) { return x * (std::numbers::pi / 180.0); }

constexpr Unary kUnary[] = {
    {"sqrt", std::sqrt},  {"cbrt", std::cbrt},  {"exp", std::exp},     {"exp2", std::exp2},    {"expm1", std::expm1},
    {"log2", log2_of},    {"log10", log10_of},  {"log1p", std::log1p}, {"sin", std::sin},      {"cos", std::cos},
    {"tan", std::tan},    {"asin", std::asin},  {"acos", std::acos},   {"atan", std::atan},    {"sinh", std::sinh},
    {"cosh", std::cosh},  {"tanh", std::tanh},  {"asinh", std::asinh}, {"acosh", std::acosh},  {"atanh", std::atanh},
    {"fabs", std::fabs},  {"erf", std::erf},    {"erfc", std::erfc},   {"gamma", std::tgamma}, {"lgamma", log_gamma},
    {"degrees", degrees}, {"radians", radians},
};
constexpr Unary kRounding[] = {{"floor", std::floor}, {"ceil", std::ceil}, {"trunc", std::trunc}};
constexpr Binary kBinary[] = {
    {"pow", std::pow},           {"fmod", std::fmod},           {"atan2", std::atan2},
    {"copysign", std::copysign}, {"remainder", std::remainder}, {"nextafter", std::nextafter},
};

Value math_unary(Interpreter& in, const Arguments& args, Value self) {
  const Unary& row = kUnary[self.i];
  if (!takes(in, args, row.name, 1, 1)) return Value::error();
  auto x = number(in, args.positional[0]);
  if (!x) return needs_number(in, args, 0, row.name);
  return finite(in, args, row.name, row.function(*x), std::isfinite(*x));
}

Value math_binary(Interpreter& in, const Arguments& args, Value self) {
  const Binary& row = kBinary[self.i];
  if (!takes(in, args, row.name, 2, 2)) return Value::error();
  auto x = number(in, args.positional[0]), y = number(in, args.positional[1]);
  if (!x || !y) return needs_number(in, args, x ? 1 : 0, row.name);
  return finite(in, args, row.name, row.function(*x, *y), std::isfinite(*x) && std::isfinite(*y));
}

// floor, ceil and trunc give integers, and leave integers alone.
Value math_rounding(Interpreter& in, const Arguments& args, Value self) {
  const Unary& row = kRounding[self.i];
  if (!takes(in, args, row.name, 1, 1)) return Value::error();
  Value v = args.positional[0];
  if (auto i = in.as_big(v)) return in.big(*i);
  auto x = number(in, v);
  if (!x) return needs_number(in, args, 0, row.name);
  if (auto i = float_to_int(row.function(*x))) return Value::integer(*i);
  return in.fail(code::kValue, args.at(0), "this number has no integer near it", {}, "OverflowError");
}

Value math_log(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "log", 1, 2)) return Value::error();
  auto x = number(in, args.positional[0]);
  if (!x) return needs_number(in, args, 0, "log");
  double result = log_of(*x);
  if (args.positional.size() == 2) {
    auto base = number(in, args.positional[1]);
    if (!base) return needs_number(in, args, 1, "log");
    if (*base == 1) return in.fail(code::kValue, args.at(1), "division by zero", {}, "ZeroDivisionError");
    result /= log_of(*base);
  }
  return finite(in, args, "log", result, std::isfinite(*x));
}

std::optional<std::vector<__int128>> integers(Interpreter& in, const Arguments& args, std::string_view name) {
  std::vector<__int128> all;
  for (std::size_t i = 0; i < args.positional.size(); ++i) {
    auto v = in.as_big(args.positional[i]);
    if (!v) {
      if (auto c = in.as_int(args.positional[i], args.at(i), "an argument of math." + std::string(name) + "()")) v = *c;
    }
    if (!v) return std::nullopt;
    all.push_back(*v);
  }
  return all;
}

__int128 magnitude(__int128 v) { return v < 0 ? -v : v; }

__int128 gcd_of(__int128 a, __int128 b) {
  while (b != 0) {
    __int128 r = a % b;
    a = b;
    b = r;
  }
  return magnitude(a);
}

Value math_gcd(Interpreter& in, const Arguments& args, Value) {
  auto all = integers(in, args, "gcd");
  if (!all) return Value::error();
  __int128 result = 0;
  for (__int128 v : *all) result = gcd_of(result, v);
  return in.big(result);
}

Value too_large(Interpreter& in, const Arguments& args) {
  return in.fail(code::kValue, args.call, "the integer grows too large", {}, "OverflowError");
}

Value math_lcm(Interpreter& in, const Arguments& args, Value) {
  auto all = integers(in, args, "lcm");
  if (!all) return Value::error();
  __int128 result = 1;
  for (__int128 v : *all) {
    if (v == 0) return Value::integer(0);
    if (__builtin_mul_overflow(result / gcd_of(result, v), magnitude(v), &result)) return too_large(in, args);
  }
  return in.big(result);
}

Value math_isqrt(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "isqrt", 1, 1)) return Value::error();
  auto all = integers(in, args, "isqrt");
  if (!all) return Value::error();
  __int128 n = (*all)[0];
  if (n < 0) return domain(in, args, "isqrt");
  __int128 root = 0;
  for (int bit = 62; bit >= 0; --bit) {
    __int128 next = root | static_cast<__int128>(1) << bit;
    if (next * next <= n) root = next;
  }
  return in.big(root);
}

Value math_factorial(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "factorial", 1, 1)) return Value::error();
  auto all = integers(in, args, "factorial");
  if (!all) return Value::error();
  if ((*all)[0] < 0) return domain(in, args, "factorial");
  __int128 result = 1;
  for (__int128 i = 2; i <= (*all)[0]; ++i) {
    if (__builtin_mul_overflow(result, i, &result)) return too_large(in, args);
  }
  return in.big(result);
}

// n! / (n-k)!, divided by k! for combinations.
template <bool Ordered>
Value math_choose(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, Ordered ? "perm" : "comb", 1, 2)) return Value::error();
  auto all = integers(in, args, "comb");
  if (!all) return Value::error();
  __int128 n = (*all)[0], k = all->size() == 2 ? (*all)[1] : n;
  if (n < 0 || k < 0) return domain(in, args, Ordered ? "perm" : "comb");
  if (k > n) return Value::integer(0);
  if (!Ordered && k > n - k) k = n - k;
  __int128 result = 1;
  for (__int128 i = 0; i < k; ++i) {
    if (__builtin_mul_overflow(result, n - i, &result)) return too_large(in, args);
    if (!Ordered) result /= i + 1;
  }
  return in.big(result);
}

Value math_prod(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "prod", {"iterable", "start"}, 1);
  if (!a) return Value::error();
  auto items = in.iterate(a[0], a.span(0));
  if (!items) return Value::error();
  Value result = a.given(1) ? a[1] : Value::integer(1);
  for (std::size_t i = 0; i < items->size(); ++i) {
    if (!in.step(args.call)) return Value::error();
    Value item = (*items)[i];
    result = i == 0 && !a.given(1) && item.is_expr() ? item : in.binary(syntax::Operator::Mul, result, item, args.call);
    if (result.is_error()) return result;
  }
  return result;
}

Value math_fsum(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "fsum", 1, 1)) return Value::error();
  auto items = in.iterate(args.positional[0], args.at(0));
  if (!items || !work(in, args.call, items->size())) return Value::error();
  long double sum = 0;
  for (Value v : *items) {
    auto x = in.as_number(v);
    if (!x) return needs_number(in, args, 0, "fsum");
    sum += *x;
  }
  return Value::floating(static_cast<double>(sum));
}

Value math_hypot(Interpreter& in, const Arguments& args, Value) {
  double sum = 0;
  for (std::size_t i = 0; i < args.positional.size(); ++i) {
    auto x = number(in, args.positional[i]);
    if (!x) return needs_number(in, args, i, "hypot");
    sum = std::hypot(sum, *x);
  }
  return Value::floating(sum);
}

Value math_dist(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "dist", 2, 2)) return Value::error();
  auto p = in.iterate(args.positional[0], args.at(0)), q = in.iterate(args.positional[1], args.at(1));
  if (!p || !q) return Value::error();
  if (p->size() != q->size()) {
    return in.fail(code::kValue, args.call, "both points of dist() must have the same number of dimensions", {},
                   "ValueError");
  }
  double sum = 0;
  for (std::size_t i = 0; i < p->size(); ++i) {
    auto x = number(in, (*p)[i]), y = number(in, (*q)[i]);
    if (!x || !y) return Value::opaque("math.dist");
    sum = std::hypot(sum, *x - *y);
  }
  return Value::floating(sum);
}

Value math_isclose(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "isclose", {"a", "b", "rel_tol", "abs_tol"}, 2);
  if (!a) return Value::error();
  auto x = number(in, a[0]), y = number(in, a[1]);
  double relative = a.has(2) ? number(in, a[2]).value_or(1e-9) : 1e-9;
  double absolute = a.has(3) ? number(in, a[3]).value_or(0) : 0;
  if (!x || !y) return wrong_type(in, a.span(x ? 1 : 0), "math.isclose", "numbers", a[x ? 1 : 0]);
  if (*x == *y) return Value::boolean(true);
  if (std::isinf(*x) || std::isinf(*y)) return Value::boolean(false);
  double difference = std::abs(*x - *y);
  return Value::boolean(difference <= std::max(relative * std::max(std::abs(*x), std::abs(*y)), absolute));
}

Value math_ldexp(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "ldexp", 2, 2)) return Value::error();
  auto x = number(in, args.positional[0]);
  if (!x) return needs_number(in, args, 0, "ldexp");
  auto e = in.as_int(args.positional[1], args.at(1), "the exponent");
  if (!e) return Value::error();
  return finite(in, args, "ldexp", std::ldexp(*x, static_cast<int>(std::clamp<std::int64_t>(*e, -5000, 5000))),
                std::isfinite(*x));
}

Value math_frexp(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "frexp", 1, 1)) return Value::error();
  auto x = number(in, args.positional[0]);
  if (!x) return needs_number(in, args, 0, "frexp");
  int exponent = 0;
  double mantissa = std::frexp(*x, &exponent);
  return in.tuple({Value::floating(mantissa), Value::integer(std::isfinite(*x) ? exponent : 0)});
}

Value math_modf(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "modf", 1, 1)) return Value::error();
  auto x = number(in, args.positional[0]);
  if (!x) return needs_number(in, args, 0, "modf");
  double whole = 0, fraction = std::modf(*x, &whole);
  return in.tuple({Value::floating(fraction), Value::floating(whole)});
}

template <double const& V>
Value constant(Interpreter&) {
  return Value::floating(V);
}

constexpr double kPi = std::numbers::pi, kE = std::numbers::e, kTau = 2 * std::numbers::pi;
constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();

constexpr Entry kMathNames[] = {
    {"log", known<math_log>},
    {"isnan", known<test<is_nan>>},
    {"isinf", known<test<is_inf>>},
    {"isfinite", known<test<is_finite>>},
    {"isclose", known<math_isclose>},
    {"gcd", known<math_gcd>},
    {"lcm", known<math_lcm>},
    {"isqrt", known<math_isqrt>},
    {"factorial", known<math_factorial>},
    {"comb", known<math_choose<false>>},
    {"perm", known<math_choose<true>>},
    {"prod", known<math_prod>},
    {"fsum", known<math_fsum>},
    {"hypot", known<math_hypot>},
    {"dist", known<math_dist>},
    {"ulp", opaque_function},
    {"ldexp", known<math_ldexp>},
    {"frexp", known<math_frexp>},
    {"modf", known<math_modf>},
    {"pi", nullptr, constant<kPi>},
    {"e", nullptr, constant<kE>},
    {"tau", nullptr, constant<kTau>},
    {"inf", nullptr, constant<kInf>},
    {"nan", nullptr, constant<kNan>},
};

}  // namespace

std::span<const Entry> math_names() { return kMathNames; }

Value math_function(Interpreter& in, std::string_view name) {
  auto find = [&](auto& rows, NativeFunction function) {
    for (std::size_t i = 0; i < std::size(rows); ++i) {
      if (rows[i].name == name) return in.native(rows[i].name, function, Value::integer(static_cast<std::int64_t>(i)));
    }
    return Value::error();
  };
  Value v = find(kUnary, known<math_unary>);
  if (v.is_error()) v = find(kBinary, known<math_binary>);
  if (v.is_error()) v = find(kRounding, known<math_rounding>);
  return v;
}

}  // namespace tilewright::script::python
