// Arithmetic on floating-point numbers: rounding as the instruction says, subnormal numbers flushed where it has .ftz,
// one NaN.
#include <bit>
#include <cfenv>
#include <cmath>

#include "compiler/expr/rounded.h"
#include "compiler/ptx/compute_parts.h"

namespace tilewright::ptx {
namespace {

using Operator = expr::RoundedOp;

// a * b + c, or a + b, of halves as a double that is exact or rounded to odd, so that a second rounding is right.
double odd(Operator op, double a, double b, double c) {
  double x = op == Operator::Fma || op == Operator::Mul ? a * b : a;  // exact: at most 22 bits
  double y = op == Operator::Mul ? 0.0 : op == Operator::Fma ? c : op == Operator::Sub ? -b : b;
  if (op == Operator::Mul) return x;
  double sum = x + y;
  if (!std::isfinite(sum)) return sum;
  double part = sum - x;
  double lost = (x - (sum - part)) + (y - part);
  auto bits = std::bit_cast<std::uint64_t>(sum);
  if (lost == 0 || (bits & 1)) return sum;
  bool away = (lost > 0) == (sum > 0);
  return std::bit_cast<double>(away ? bits + 1 : bits - 1);
}

struct Manner {
  Operator op = Operator::Add;
  Type type;
  int direction = FE_TONEAREST;
  bool flushes = false, saturates = false, relu = false, oob = false;
};

// The NaN that tensor copies fill in outside of a tensor: with .oob a product with it is none.
constexpr Bits kOutside = 0x7ff7;

Bits flushed(const Manner& m, Bits bits) {
  return m.flushes && is_subnormal(m.type, bits) ? bits & Bits{1} << (m.type.bits - 1) : bits;
}

Bits clamped(const Manner& m, Bits bits) {
  bool nan = is_nan(m.type, bits);
  double value = real(m.type, bits);
  if (m.saturates && (nan || value <= 0)) return 0;
  if (m.saturates && value > 1) return rounded(m.type, 1.0, FE_TONEAREST);
  if (m.relu && !nan && (value < 0 || std::signbit(value))) return 0;
  return nan && m.type.bits != 64 ? nan_of(m.type) : bits;  // of 64 bits the operand's, or the processor's own
}

// One lane.
Bits operated_bits(const Manner& m, Bits a, Bits b, Bits c) {
  if (m.oob && (a == kOutside || b == kOutside)) return 0;
  a = flushed(m, a);
  b = flushed(m, b);
  c = flushed(m, c);
  Bits result = 0;
  // Of two NaNs of 64 bits a GPU takes the second one.
  bool second = m.type.bits == 64 && m.op <= Operator::Mul && is_nan(m.type, b);
  if (second) return b | Bits{1} << 51;
  if (m.type.bits == 64) {
    auto value = [](Bits bits) { return std::bit_cast<double>(static_cast<std::uint64_t>(bits)); };
    result = std::bit_cast<std::uint64_t>(expr::rounded_to(m.op, m.direction, value(a), value(b), value(c)));
  } else if (m.type.bits == 32) {
    auto value = [](Bits bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); };
    result = std::bit_cast<std::uint32_t>(expr::rounded_to(m.op, m.direction, value(a), value(b), value(c)));
  } else {
    result = rounded(m.type, odd(m.op, real(m.type, a), real(m.type, b), real(m.type, c)), m.direction);
  }
  return clamped(m, flushed(m, result));
}

Manner manner_of(const Form& form, Operator op, std::string_view slot = "rnd") {
  Type type = form.type();
  return {op, type, direction_of(form.word(slot)), form.has("ftz"), form.has("sat"), form.has("relu"), form.has("oob")};
}

// A half operand of an f32 instruction, as f32.
Bits widened(const Form& form, std::size_t i) {
  std::string_view from = form.word("srctype");
  if (from.empty()) return form.in(i);
  Type type = number_type(from);
  if (is_nan(type, form.in(i))) return nan_of({'f', 32, 1});
  return std::bit_cast<std::uint32_t>(static_cast<float>(real(type, form.in(i))));
}

// Each lane of a packed operation of two or three operands.
Bits lanes_of(const Form& form, const Manner& m) {
  bool three = m.op == Operator::Fma;
  Bits out = 0;
  Bits a = widened(form, 0), b = three ? widened(form, 1) : form.in(1), c = three ? form.in(2) : 0;
  for (int lane = 0; lane < m.type.lanes; ++lane) {
    int at = lane * m.type.bits;
    out |= operated_bits(m, low(a >> at, m.type.bits), low(b >> at, m.type.bits), low(c >> at, m.type.bits)) << at;
  }
  return out;
}

// The smaller or larger of two numbers; -0 is below +0. A NaN gives way, or wins with .NaN.
Bits extreme(const Manner& m, bool largest, bool nan_wins, Bits a, Bits b) {
  a = flushed(m, a);
  b = flushed(m, b);
  bool a_nan = is_nan(m.type, a), b_nan = is_nan(m.type, b);
  if ((a_nan && b_nan) || (nan_wins && (a_nan || b_nan))) return nan_of(m.type);
  if (a_nan || b_nan) return a_nan ? b : a;
  double x = real(m.type, a), y = real(m.type, b);
  bool a_below = x < y || (x == y && std::signbit(x) && !std::signbit(y));
  return a_below == largest ? b : a;
}

Results extremes(const Form& form) {
  Type type = form.type();
  bool largest = form.row().mnemonic == "max", relu = form.has("relu");
  if (!type.floating()) {
    return std::vector<Bits>{lanewise(type, form.in(0), form.in(1), [&](Bits a, Bits b) {
      __int128 x = extended(a, type), y = extended(b, type);
      __int128 r = (x < y) == largest ? y : x;
      return static_cast<Bits>(relu && r < 0 ? 0 : r);
    })};
  }
  Manner m{Operator::Add, type, FE_TONEAREST, form.has("ftz"), false, relu};
  bool nan_wins = form.has("NaN"), absolute = form.has("abs"), sign_xor = form.has("xorsign");
  Bits sign = Bits{1} << (type.bits - 1), out = 0;
  for (int lane = 0; lane < type.lanes; ++lane) {
    Bits result = 0, signs = 0;
    for (std::size_t i = 0; i < form.inputs(); ++i) {
      Bits value = low(form.in(i) >> (lane * type.bits), type.bits);
      signs ^= value & sign;
      if (absolute) value &= ~sign;
      result = i == 0 ? value : extreme(m, largest, nan_wins, result, value);
    }
    if (sign_xor && !is_nan(type, result)) result = (result & ~sign) | signs;
    out |= clamped(m, result) << (lane * type.bits);
  }
  return std::vector<Bits>{out};
}

Results signs(const Form& form) {
  Type type = form.type();
  Manner m = manner_of(form, Operator::Add);
  bool negates = form.row().mnemonic == "neg";
  return std::vector<Bits>{lanewise(type, form.in(0), 0, [&](Bits a, Bits) {
    Bits sign = Bits{1} << (type.bits - 1);
    a = flushed(m, a);
    if (is_nan(type, a)) return type.bits == 64 ? a : nan_of(type);
    return negates ? a ^ sign : a & ~sign;
  })};
}

// What PTX 9.4 computes on pairs of halves and floats, lane by lane. Up: halves are widened first. Down: floats, and
// the result is cut to a half. Of two kinds of halves the second one becomes the first one's before.
Bits mixed_lane(const Form& form, Operator op, int lane) {
  const Type a{form.type("atype").letter, form.type("atype").bits, 1},
      c{form.type("ctype").letter, form.type("ctype").bits, 1};
  const Type result{form.type("dtype").letter, form.type("dtype").bits, 1}, floats{'f', 32, 1};
  auto in = [&](std::size_t i, Type type) { return low(form.in(i) >> (lane * type.bits), type.bits); };
  auto wide = [&](Bits bits) {
    return is_nan(a, bits) ? nan_of(floats) : rounded(floats, real(a, bits), FE_TONEAREST);
  };
  Manner m{op, floats, direction_of(form.word("rnd")), form.has("ftz"), false, false};
  if (op == Operator::Fma) return operated_bits(m, wide(in(0, a)), in(1, floats), in(2, floats));
  if (result.bits == 32) return operated_bits(m, wide(in(0, a)), in(1, floats), 0);
  if (a.bits == 16) {
    m.type = a;
    const Bits other = is_nan(c, in(1, c)) ? nan_of(a) : rounded(a, real(c, in(1, c)), FE_TONEAREST);
    return operated_bits(m, in(0, a), other, 0);
  }
  m.direction = FE_TOWARDZERO;
  const Bits exact = operated_bits(m, in(0, a), in(1, c), 0);
  if (is_nan(floats, exact)) return nan_of(result);
  m.type = result;
  return flushed(m, rounded(result, real(floats, exact), FE_TOWARDZERO));
}

}  // namespace

Results compute_mixed(const Form& form) {
  const std::string_view id = form.id();
  if (id.find("_mixed_vec") == id.npos) return std::nullopt;
  const Operator op = id.starts_with("add")   ? Operator::Add
                      : id.starts_with("sub") ? Operator::Sub
                      : id.starts_with("mul") ? Operator::Mul
                                              : Operator::Fma;
  const int bits = form.type("dtype").bits;
  return std::vector<Bits>{mixed_lane(form, op, 1) << bits | mixed_lane(form, op, 0)};
}

int direction_of(std::string_view word) {
  if (word.starts_with("rz")) return FE_TOWARDZERO;
  if (word.starts_with("rm")) return FE_DOWNWARD;
  return word.starts_with("rp") ? FE_UPWARD : FE_TONEAREST;
}

double real(Type type, Bits bits) {
  if (type.bits == 64) return std::bit_cast<double>(static_cast<std::uint64_t>(bits));
  if (type.bits == 32) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  if (type.letter == 'B') return std::bit_cast<float>(static_cast<std::uint32_t>(bits << 16));
  auto half = static_cast<unsigned>(bits);
  int exponent = static_cast<int>(half >> 10 & 31);
  double fraction = half & 1023;
  double value = exponent == 31  ? (fraction != 0 ? std::nan("") : HUGE_VAL)
                 : exponent == 0 ? std::ldexp(fraction, -24)
                                 : std::ldexp(1024 + fraction, exponent - 25);
  return half >> 15 & 1 ? -value : value;
}

bool is_nan(Type type, Bits bits) { return std::isnan(real(type, bits)); }

bool is_subnormal(Type type, Bits bits) {
  int fraction = type.bits == 64 ? 52 : type.bits == 32 ? 23 : type.letter == 'B' ? 7 : 10;
  Bits magnitude = low(bits, type.bits - 1);
  return magnitude != 0 && magnitude >> fraction == 0;
}

Bits nan_of(Type type) {
  if (type.bits == 64) return 0x7ff8000000000000;
  return type.bits == 32 ? 0x7fffffff : 0x7fff;
}

Bits rounded(Type type, double value, int direction) {
  if (std::isnan(value)) return nan_of(type);
  if (type.bits == 64) return std::bit_cast<std::uint64_t>(value);
  if (type.bits == 32) {
    volatile double from = value;
    std::fesetround(direction);
    volatile float to = static_cast<float>(from);
    std::fesetround(FE_TONEAREST);
    return std::bit_cast<std::uint32_t>(static_cast<float>(to));
  }
  int fraction = type.letter == 'B' ? 7 : 10, bias = type.letter == 'B' ? 127 : 15;
  Bits sign = std::signbit(value) ? 0x8000 : 0, infinity = Bits(2 * bias + 1) << fraction;
  double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) return sign | infinity;
  if (magnitude == 0) return sign;
  int exponent = std::max(std::ilogb(magnitude), 1 - bias);
  double steps = std::ldexp(magnitude, fraction - exponent);  // of the last place: exact
  double whole = std::floor(steps), rest = steps - whole;
  bool up = direction == FE_TONEAREST
                ? rest > 0.5 || (rest == 0.5 && std::fmod(whole, 2) == 1)
                : rest > 0 && (direction == FE_UPWARD ? sign == 0 : direction == FE_DOWNWARD && sign != 0);
  auto units = static_cast<std::uint64_t>(whole) + up;
  // The units carry into the exponent by themselves; a normal number has its first bit among them.
  Bits bits = (Bits(exponent + bias - 1) << fraction) + units;
  if (bits >= infinity) {
    bool to_largest =
        direction == FE_TOWARDZERO || (direction == FE_UPWARD && sign != 0) || (direction == FE_DOWNWARD && sign == 0);
    bits = to_largest ? infinity - 1 : infinity;
  }
  return sign | bits;
}

Results compute_float(const Form& form) {
  std::string_view id = form.id(), mnemonic = form.row().mnemonic;
  if (form.has("approx") || form.has("full")) return std::nullopt;
  auto lanes = [&](Operator op) { return std::vector<Bits>{lanes_of(form, manner_of(form, op))}; };
  if (id == "add" || id == "add_half") return lanes(Operator::Add);
  if (id == "sub" || id == "sub_half") return lanes(Operator::Sub);
  if (id == "mul" || id == "mul_half") return lanes(Operator::Mul);
  if (id == "fma" || id == "fma_half" || id == "mad_f") return lanes(Operator::Fma);
  if (id == "div_f") return std::vector<Bits>{lanes_of(form, manner_of(form, Operator::Div, "mode"))};
  if (mnemonic == "min" || mnemonic == "max") return extremes(form);
  if (id == "abs_f" || id == "neg" || id == "abs_half" || id == "neg_half") return signs(form);
  if (id == "sqrt" || id == "rcp") {
    Manner m = manner_of(form, id == "sqrt" ? Operator::Sqrt : Operator::Div, "mode");
    Bits one = rounded(m.type, 1.0, FE_TONEAREST);
    return std::vector<Bits>{id == "sqrt" ? operated_bits(m, form.in(0), 0, 0) : operated_bits(m, one, form.in(0), 0)};
  }
  return std::nullopt;
}

}  // namespace tilewright::ptx
