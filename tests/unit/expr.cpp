// What the builders, the promoter, the printer and the simplifier promise.
#include "compiler/expr/expr.h"

#include <cmath>
#include <random>

#include "compiler/expr/analyzer.h"
#include "compiler/expr/fold.h"
#include "compiler/expr/promote.h"
#include "tests/unit/catch.h"

namespace tilewright::expr {

namespace {

// An arena and the variables that the tests speak of.
struct Fixture {
  Arena arena;
  ArenaScope scope{arena};
  Expr tid = ranged("tid", 0, 255), f = ranged("f", 0, 15), lane = ranged("lane", 0, 31);
  Expr n = make_var("n", kInt32), m = make_var("m", kInt32), kk = make_var("kk", kInt32);
  Expr c = make_var("c", kBool);
  Expr u = make_var("u", kUInt32), w = make_var("w", kInt64), M = make_var("M", kInt32, VarRole::Extent);

  static Expr ranged(std::string_view name, std::int64_t lo, std::int64_t hi) {
    Var* v = make_var(name, kInt32, VarRole::Loop);
    v->range = {lo, hi};
    return v;
  }
  static std::string s(Expr e) { return to_exact_string(simplify(e)); }
};

TEST_CASE_METHOD(Fixture, "words for people read as the script does", "[expr]") {
  CHECK(to_string(binary(ExprKind::BitXor, n, binary(ExprKind::Shl, m, Expr(2)))) == "n ^ (m << 2)");
  CHECK(to_string(add(binary(ExprKind::BitAnd, n, Expr(7)), m)) == "(n & 7) + m");
  CHECK(to_string(binary(ExprKind::EQ, binary(ExprKind::BitOr, n, m), Expr(3))) == "(n | m) == 3");
  CHECK(to_string(cast(kInt64, n + m) * cast(kInt64, kk)) == "(n + m) * kk");
  CHECK(to_string(cast(kFloat16, n)) == "T.cast(n, \"float16\")");
  CHECK(to_string(cast(kUInt8, n)) == "T.cast(n, \"uint8\")");
}

TEST_CASE("dtype: every name reads back", "[expr]") {
  for (const char* name :
       {"int8", "uint64", "bool", "float16", "bfloat16", "bfloat16x2", "float8_e4m3b11fnuz", "float8_e8m0fnu",
        "float6_e2m3fn", "float4_e2m1fn", "float4_e2m1fnx2", "int32x4", "handle", "void", "float64x64"}) {
    CAPTURE(name);
    std::optional<DataType> t = parse_dtype(name);
    REQUIRE(t);
    CHECK(dtype_name(*t) == name);
  }
  CHECK(parse_dtype("bf16") == kBFloat16);
  CHECK(parse_dtype("u8x16") == kUInt8.with_lanes(16));
  for (const char* name : {"", "int", "int7", "float8", "int32x", "int32x0", "x4", "int32x4x2", "handlex2", "Int32"})
    CHECK_FALSE(parse_dtype(name));
}

TEST_CASE_METHOD(Fixture, "builders fold with wrap-around", "[expr]") {
  CHECK(is_constant(add(Expr(2147483647), Expr(1)), -2147483648LL));
  CHECK(is_constant(mul(int_imm(kUInt32, 65536), int_imm(kUInt32, 65536)), 0));
  CHECK(is_constant(sub(int_imm(kUInt8, 3), int_imm(kUInt8, 5)), 254));
  CHECK(is_constant(floordiv(Expr(-7), Expr(2)), -4));
  CHECK(is_constant(floormod(Expr(-7), Expr(2)), 1));
  CHECK(is_constant(binary(ExprKind::TruncDiv, Expr(-7), Expr(2)), -3));
  CHECK(is_constant(binary(ExprKind::TruncMod, Expr(-7), Expr(2)), -1));
  CHECK(is_constant(floordiv(int_imm(kInt64, INT64_MIN), int_imm(kInt64, -1)), INT64_MIN));
  CHECK(floordiv(Expr(1), Expr(0)).kind() == ExprKind::FloorDiv);
  CHECK(is_constant(binary(ExprKind::LT, int_imm(kUInt32, -1), int_imm(kUInt32, 1)), 0));
  CHECK(same_node(add(n, Expr(0)), n));
  CHECK(same_node(mul(Expr(1), n), n));
  CHECK(is_constant(mul(n, Expr(0)), 0));
  CHECK(same_node(floordiv(n, Expr(1)), n));
  CHECK(to_exact_string(add(add(n, Expr(2)), Expr(3))) == "n + 5");
  CHECK(to_exact_string(sub(add(n, Expr(2)), Expr(3))) == "n - 1");
  CHECK(to_exact_string(mul(mul(n, Expr(2)), Expr(3))) == "n * 6");
  CHECK(add(float_imm(kFloat16, 1), float_imm(kFloat16, 0.0001)).as<FloatImm>()->value == 1.0);
  CHECK(float_imm(kFloat16, 65520).as<FloatImm>()->value == INFINITY);
  CHECK(float_imm(kBFloat16, 1.00390625).as<FloatImm>()->value == 1.0);
  CHECK(float_imm(kFloat16, std::ldexp(1.0, -25) * 1.5).as<FloatImm>()->value == std::ldexp(1.0, -24));
}

TEST_CASE_METHOD(Fixture, "printing follows Python's precedence", "[expr]") {
  CHECK(to_exact_string((n + m) * kk) == "(n + m) * kk");
  CHECK(to_exact_string(n - (m - kk)) == "n - (m - kk)");
  CHECK(to_exact_string((n / m) * 4 % 3) == "n // m * 4 % 3");
  CHECK(to_exact_string(n * (m / 4)) == "n * (m // 4)");
  CHECK(to_exact_string(logical_not(binary(ExprKind::LT, n, m))) == "not n < m");
  CHECK(to_exact_string(logical_and(c, binary(ExprKind::EQ, n, Expr(-1)))) == "c and n == -1");
  CHECK(to_exact_string(binary(ExprKind::EQ, binary(ExprKind::LT, n, m), c)) == "(n < m) == c");
  CHECK(to_exact_string(cast(kUInt32, n)) == "T.Cast(\"uint32\", n)");
  CHECK(to_exact_string(float_imm(kFloat32, 0.1)) == "T.float32(0.1)");
  CHECK(to_exact_string(float_imm(kFloat16, 2)) == "T.float16(2.0)");
  CHECK(to_exact_string(float_imm(kFloat32, -INFINITY)) == "T.float32(\"-inf\")");
  CHECK(to_exact_string(int_imm(kUInt64, -1)) == "T.uint64(18446744073709551615)");
  CHECK(to_exact_string(bool_imm(true)) == "T.bool(True)");
  CHECK(to_exact_string(ramp(n, Expr(1), 4)) == "T.ramp(n, 1, 4)");
  Expr bits[] = {float_imm(kFloat32, 1)};
  CHECK(to_exact_string(call(kUInt32, builtin::reinterpret, bits)) == "T.reinterpret(\"uint32\", T.float32(1.0))");
  Expr deep = n;
  for (int i = 0; i < 100000; ++i) deep = add(deep, m);
  CHECK(to_exact_string(deep).size() < 5000);
}

TEST_CASE_METHOD(Fixture, "promotion follows surface.md 6.2 to 6.4", "[expr]") {
  auto type = [](DataType a, DataType b) {
    auto t = promoted_type(a, b);
    return t ? dtype_name(*t) : "error";
  };
  const DataType fp8 = *parse_dtype("float8_e4m3fn"), fp4 = *parse_dtype("float4_e2m1fn");
  CHECK(type(kUInt8, kInt32) == "int32");
  CHECK(type(kUInt32, kInt32) == "uint32");
  CHECK(type(kFloat16, kInt32) == "float16");
  CHECK(type(kFloat16, kFloat32) == "float32");
  CHECK(type(kBFloat16, kFloat16) == "float16");
  CHECK(type(kBFloat16, kFloat32) == "float32");
  CHECK(type(kBFloat16, kInt64) == "bfloat16");
  CHECK(type(kBFloat16, fp8) == "bfloat16");
  CHECK(type(fp8, kInt32) == "float8_e4m3fn");
  CHECK(type(fp8, fp4) == "float8_e4m3fn");
  CHECK(type(kBool, kUInt8) == "uint8");
  CHECK(type(kInt64, kUInt32) == "int64");
  CHECK(type(kFloat32.with_lanes(4), kInt32) == "float32x4");
  CHECK(type(kInt32.with_lanes(4), kInt32.with_lanes(2)) == "error");
  CHECK(type(kHandle, kInt32) == "error");

  auto op = [](ExprKind k, Expr a, Expr b, bool la = false, bool lb = false, bool script = true) {
    auto r = apply_operator(k, a, b, la, lb, script);
    return r ? to_exact_string(*r) + " : " + dtype_name(r->dtype()) : "error: " + r.error();
  };
  CHECK(op(ExprKind::Add, u, literal(std::int64_t{1}), false, true) == "u + T.uint32(1) : uint32");
  CHECK(op(ExprKind::Add, u, literal(std::int64_t{-1}), false, true) == "error: -1 is out of range for uint32");
  CHECK(op(ExprKind::Div, n, m) ==
        "error: `/` of int32 and int32: integers divide by `//` (floor) or T.truncdiv (towards zero)");
  CHECK(op(ExprKind::Div, u, u) == "T.truncdiv(u, u) : uint32");
  CHECK(op(ExprKind::FloorDiv, n, Expr(0)) == "error: division by zero");
  CHECK(op(ExprKind::LT, u, literal(std::int64_t{3}), false, true) == "u < T.uint32(3) : bool");
  CHECK(op(ExprKind::LT, u, n).starts_with("error: mismatched types"));
  CHECK(op(ExprKind::LT, u, n, false, false, false) == "u < T.Cast(\"uint32\", n) : bool");
  Expr h = make_var("h", kFloat16), b = make_var("b", kBFloat16);
  CHECK(op(ExprKind::Mul, h, literal(2.0), false, true) == "T.Cast(\"float32\", h) * T.float32(2.0) : float32");
  CHECK(op(ExprKind::LT, h, literal(2.0), false, true) == "h < T.float16(2.0) : bool");
  CHECK(op(ExprKind::LT, b, literal(2.0), false, true).starts_with("error: mismatched types"));
  CHECK(op(ExprKind::And, u, c) == "error: `and` wants bool, not uint32: compare with `!= 0`");
  CHECK(op(ExprKind::BitAnd, h, n).starts_with("error"));
  CHECK(op(ExprKind::Shl, n, Expr(32)) == "error: shift by 32 is outside [0, 32)");
  CHECK(to_exact_string(*negate(n)) == "n * -1");
  CHECK(is_constant(*negate(Expr(5)), -5));
  CHECK_FALSE(negate(u));
  CHECK(literal(std::int64_t{1} << 40).dtype() == kInt64);
  CHECK(literal(1e39).dtype() == kFloat64);
  CHECK_FALSE(convert(kUInt8, Expr(256)));
  CHECK_FALSE(convert(kHandle, n));
  CHECK(convert(*parse_dtype("int8"), float_imm(kFloat32, 2.9))->as<IntImm>()->value == 2);
}

TEST_CASE_METHOD(Fixture, "simplify", "[expr]") {
  CHECK(s((f * 256 + tid * 8) / 8) == "f * 32 + tid");
  CHECK(s((tid * 8 + 3) % 8) == "3");
  CHECK(s((tid / 32) * 32 + tid % 32) == "tid");
  CHECK(s((tid % 128) % 32) == "tid % 32");
  CHECK(s((n / 4) / 8) == "n // 32");
  CHECK(s((n % 128) / 32) == "n // 32 % 4");
  CHECK(s((n / 4 + 3) / 8) == "(n + 12) // 32");
  CHECK(s(lane / 32) == "0");
  CHECK(s(lane % 32) == "lane");
  CHECK(s(tid * 8 + f * 256) == "f * 256 + tid * 8");
  CHECK(s(Expr(7) + tid * 8 + f * 256) == "f * 256 + tid * 8 + 7");
  CHECK(s(n - n % 8) == "n // 8 * 8");
  CHECK(s(n - (n / 8) * 8) == "n % 8");
  CHECK(s((n + 3) - (n + 3) % 8) == "(n + 3) // 8 * 8");
  CHECK(s(((n / 8) % 4) * 8 + n % 8) == "n % 32");
  CHECK(s((n / 32) * 32 + ((n / 8) % 4) * 8 + n % 8) == "n");
  CHECK(s((n + 1) * (n - 1) - n * n) == "-1");
  CHECK(s(binary(ExprKind::Shl, n, Expr(3)) - n * 8) == "0");
  CHECK(s(binary(ExprKind::BitAnd, n, Expr(7))) == "n % 8");
  CHECK(s(binary(ExprKind::BitAnd, n, Expr(-8))) == "n // 8 * 8");
  CHECK(s(binary(ExprKind::Shr, n * 16, Expr(2))) == "n * 4");
  CHECK(s(binary(ExprKind::Min, tid, Expr(300))) == "tid");
  CHECK(s(binary(ExprKind::Max, n + 1, n)) == "n + 1");
  CHECK(s(M % M) == "0");
  CHECK(s(M / M) == "1");
  CHECK(s((n * M + m * M * 4) % M) == "0");
  CHECK(s((n * M) / (M * 4)) == "n // 4");
  CHECK(s((n * M) % (M * 4)) == "n % 4 * M");
  CHECK(s((n / M) * M + n % M) == "n");
  CHECK(s(cast(kInt64, n + 3) - cast(kInt64, n)) == "T.int64(3)");
  CHECK(s(cast(kInt64, tid * 8) / 4) == "T.Cast(\"int64\", tid) * T.int64(2)");
  CHECK(s(cast(kInt32, cast(kInt64, tid) * 8)) == "tid * 8");
  CHECK(s(select(binary(ExprKind::LT, tid, Expr(256)), n, m)) == "n");
  CHECK(s(binary(ExprKind::LT, tid * 2, f * 2 + 60)) == "tid * 2 < f * 2 + 60");
  CHECK(s(binary(ExprKind::GE, tid, Expr(0))) == "T.bool(True)");
  CHECK(s(n * -1 + 3) == "3 - n");
  CHECK(s(n * -2) == "n * -2");
  // Unsigned numbers wrap: nothing opens that may have wrapped.
  CHECK(s((u * 8 - 8) / 8) == "(u * T.uint32(8) - T.uint32(8)) // T.uint32(8)");
  CHECK(s((u * 8 - 8) % 8) == "T.uint32(0)");
  CHECK(s((u * 8 + 16) / 8) == "u + T.uint32(2)");
  CHECK(s(binary(ExprKind::LT, u - 4, int_imm(kUInt32, 4))) == "u - T.uint32(4) < T.uint32(4)");
  // A swizzled address: the row passes by the XOR.
  Expr q = lane / 4 * 8 + f / 2;
  CHECK(s(binary(ExprKind::BitXor, tid + 256, Expr(5))) == "T.bitwise_xor(tid, 5) + 256");
  CHECK(s(binary(ExprKind::BitXor, q, q / 8 % 8)) == "lane // 4 * 8 + T.bitwise_xor(f // 2, lane // 4)");
}

TEST_CASE_METHOD(Fixture, "what dispatch.md 8.1 wants proved divisible by 8", "[expr]") {
  auto min = [](Expr a, Expr b) { return binary(ExprKind::Min, a, b); };
  std::vector<Expr> yes = {kk * 64,
                           (n / 8) * 8,
                           min(n * 8, 64),
                           n * 8 + m * 16,
                           (n % 4) * 8,
                           binary(ExprKind::Shl, n, Expr(3)),
                           n * m * 8,
                           binary(ExprKind::BitAnd, n, Expr(7)) * 8,
                           n - n % 8,
                           if_then_else(c, Expr(8), Expr(16)),
                           binary(ExprKind::BitAnd, n, Expr(-8)),
                           cast(kInt64, n * 8),
                           cast(kInt32, cast(kInt64, n) * 8),
                           (n * 64) / 8,
                           (n * 16) % 24};
  for (Expr e : yes) {
    CAPTURE(to_exact_string(e));
    CHECK(provably_divisible(e, 8));
    CHECK(provably_divisible(simplify(e), 8));
    CHECK_FALSE(provably_divisible(e + 4, 8));
  }
  CHECK_FALSE(provably_divisible(n, 8));
  CHECK_FALSE(provably_divisible(n * 4, 8));
  CHECK_FALSE(provably_divisible(if_then_else(c, Expr(8), Expr(12)), 8));
}

TEST_CASE_METHOD(Fixture, "bounds, order and bits", "[expr]") {
  CHECK(bounds(tid * 8 + 3) == Interval{3, 2043});
  CHECK(bounds(n % 8) == Interval{0, 7});
  CHECK(bounds(f - tid) == Interval{-255, 15});
  CHECK(bounds(if_then_else(c, tid, Expr(-5))) == Interval{-5, 255});
  CHECK(bounds(binary(ExprKind::BitXor, lane, f)) == Interval{0, 31});
  CHECK(bounds(n).bounded() == false);
  CHECK(bounds(M).lo == 0);
  CHECK(provably_less(lane, Expr(32)));
  CHECK_FALSE(provably_less(lane, Expr(31)));
  CHECK(provably_less(n, n + 1));
  CHECK(provably_equal((n + m) * 2, m * 2 + n + n));
  CHECK_FALSE(provably_equal(n, m));
  CHECK(provably_zero_bit(lane * 8, 2));
  CHECK_FALSE(provably_zero_bit(lane * 8, 3));
  CHECK(provably_zero_bit(lane * 8, 8));
  CHECK(provably_zero_bit(f * 64 + lane % 4 * 8, 5));
  CHECK(provably_zero_bit(binary(ExprKind::BitXor, lane * 8, lane / 4 * 16), 2));
  CHECK_FALSE(provably_zero_bit(n, 0));
}

// Random expressions. They are 64 bits wide: index arithmetic is taken not to overflow.
struct Random {
  std::mt19937 rng;
  std::vector<const Var*> vars;
  static Expr number(std::int64_t v) { return int_imm(kInt64, v); }
  int pick(int n) { return static_cast<int>(rng() % n); }
  Expr make(int depth) {
    if (depth == 0 || pick(6) == 0)
      return pick(4) ? Expr(vars[pick(static_cast<int>(vars.size()))]) : number(pick(40) - 10);
    static const int kDivisors[] = {1, 2, 3, 4, 5, 8, 12, 16, 32, 64};
    Expr d = number(kDivisors[pick(10)]);
    switch (pick(14)) {
      case 0:
      case 1:
      case 2: return make(depth - 1) + make(depth - 1);
      case 3: return make(depth - 1) - make(depth - 1);
      case 4:
      case 5: return make(depth - 1) * number(kDivisors[pick(10)]);
      case 6: return pick(3) ? make(depth - 1) * d : make(depth - 1) * make(depth - 2 < 0 ? 0 : depth - 2);
      case 7:
      case 8: return make(depth - 1) / d;
      case 9:
      case 10: return make(depth - 1) % d;
      case 11: return binary(pick(2) ? ExprKind::Min : ExprKind::Max, make(depth - 1), make(depth - 1));
      case 12:
        return binary(pick(2)   ? ExprKind::BitXor
                      : pick(2) ? ExprKind::BitAnd
                                : ExprKind::BitOr,
                      make(depth - 1), pick(2) ? make(depth - 1) : number((1 << pick(7)) - 1));
      default:
        return select(binary(pick(2) ? ExprKind::LT : ExprKind::EQ, make(depth - 1), make(depth - 1)), make(depth - 1),
                      make(depth - 1));
    }
  }
};

TEST_CASE_METHOD(Fixture, "property: simplify keeps the value, bounds hold, proofs are true", "[expr]") {
  unsigned seed = std::random_device()();
  INFO("seed " << seed);
  Random random{std::mt19937(seed), {}};
  const Interval ranges[] = {{0, 255}, {0, 15}, {0, 31}, {}};
  for (const Interval& range : ranges) {
    Var* v = make_var(std::string_view("abcd").substr(random.vars.size(), 1), kInt64);
    v->range = range;
    random.vars.push_back(v);
  }
  for (int round = 0; round < 4000; ++round) {
    Arena local;
    ArenaScope in(local);
    Expr e = random.make(4);
    Expr simple = simplify(e);
    Interval range = bounds(e);
    std::vector<std::int64_t> divisors;
    for (std::int64_t d : {2, 3, 4, 8, 16, 64}) {
      if (provably_divisible(e, d)) divisors.push_back(d);
    }
    INFO(to_exact_string(e) << "   ->   " << to_exact_string(simple));
    Expr twice = simplify(simple);
    for (int sample = 0; sample < 8; ++sample) {
      std::int64_t at[4] = {random.pick(256), random.pick(16), random.pick(32), random.pick(2000) - 1000};
      auto value = [&](Expr x) {
        Expr v = substitute(x, [&](const Var* var) {
          for (int i = 0; i < 4; ++i) {
            if (var == random.vars[i]) return Random::number(at[i]);
          }
          return Expr();
        });
        REQUIRE(constant(v));
        return *constant(v);
      };
      std::int64_t want = value(e);
      REQUIRE(value(simple) == want);
      REQUIRE(value(twice) == want);
      REQUIRE(want >= range.lo);
      REQUIRE(want <= range.hi);
      for (std::int64_t d : divisors) REQUIRE(want % d == 0);
      for (int bit = 0; bit < 8; ++bit) {
        if (provably_zero_bit(e, bit)) REQUIRE((want >> bit & 1) == 0);
      }
    }
  }
}

TEST_CASE_METHOD(Fixture, "hostile expressions end quickly", "[expr]") {
  Expr doubled = n, divided = n, shared = n, chain = n;
  for (int i = 0; i < 200; ++i) {
    doubled = add(mul(doubled, m), doubled);
    shared = binary(ExprKind::Min, add(shared, m), mul(shared, kk));
    divided = add(floormod(divided, Expr(7 + i)), floordiv(divided, Expr(3)));
  }
  for (int i = 0; i < 20000; ++i) chain = add(chain, make_var("v", kInt32));
  for (Expr e : {doubled, shared, divided, chain}) {
    simplify(e);
    bounds(e);
    provably_divisible(e, 8);
    provably_zero_bit(e, 3);
    structural_hash(e);
    to_exact_string(e);
    CHECK(provably_equal(e, e));
  }
}

TEST_CASE_METHOD(Fixture, "equality and hashes see structure", "[expr]") {
  CHECK(structurally_equal(n + m * 4, n + m * 4));
  CHECK_FALSE(structurally_equal(n + m, m + n));
  CHECK(structural_hash(n + m * 4) == structural_hash(n + m * 4));
  CHECK(structural_hash(n + m) != structural_hash(m + n));
}

}  // namespace
}  // namespace tilewright::expr
