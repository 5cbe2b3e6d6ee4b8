// Arithmetic whose rounding and special values PTX spells out, and conversions by CUDA's functions: to the bit.
//
// The processor that this runs on rounds as IEEE 754 says, in the direction that it is told. What differs on a GPU is
// done around that: a NaN of 32 bits and less has one form, subnormal numbers may count as zero, sums may be clamped.
#include <array>
#include <bit>
#include <cfenv>
#include <cmath>

#include "compiler/expr/rounded.h"
#include "compiler/intrinsics/operand_forms.h"
#include "compiler/simulate/calls/calls.h"
#include "compiler/simulate/machine/conversion.h"
#include "compiler/simulate/machine/number.h"
#include "compiler/simulate/machine/value.h"
#include "compiler/simulate/tensor/fragments.h"

namespace tilewright::simulate {
namespace {

using intrinsics::Arguments;

constexpr std::uint32_t kNan = 0x7fffffff;
constexpr std::uint16_t kHalfNan = 0x7fff;

float float_of(std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
std::uint32_t bits_of_float(float value) { return std::isnan(value) ? kNan : std::bit_cast<std::uint32_t>(value); }

// ---- one operation, rounded as asked ----

using Operator = ir::RoundedOp;

struct Rounding final : CallForm {
  Operator op = Operator::Add;
  int direction = FE_TONEAREST;
  bool flushes = false, saturates = false, nan = false;
  bool wide = false;  // float64
  int elements = 1;   // 2: two float32 in 64 bits
};

float flushed(const Rounding& f, float value) {
  return f.flushes && std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}

std::uint32_t single(const Rounding& f, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  float r = flushed(
      f, ir::rounded_to(f.op, f.direction, flushed(f, float_of(a)), flushed(f, float_of(b)), flushed(f, float_of(c))));
  // Of what is clamped a NaN is +0.
  if (f.saturates) r = std::isnan(r) || r <= 0 ? 0.0f : std::fmin(r, 1.0f);
  return bits_of_float(r);
}

bool set_up_rounding(Site& s, const Arguments& a) {
  auto form = std::make_shared<Rounding>();
  Rounding& f = *form;
  using enum Meaning;
  const Meaning meaning = a.row().meaning;
  f.op = meaning == AddFloat || meaning == AddFloat2   ? Operator::Add
         : meaning == SubFloat || meaning == SubFloat2 ? Operator::Sub
         : meaning == MulFloat || meaning == MulFloat2 ? Operator::Mul
                                                       : Operator::Fma;
  f.elements = meaning >= AddFloat2 && meaning <= FmaFloat2 ? 2 : 1;
  f.wide = a.operand("a")->dtype == ir::kFloat64;
  const std::string rounding = a.operand("rounding") ? a.text("rounding") : "rn";
  f.direction = rounding == "rz"   ? FE_TOWARDZERO
                : rounding == "rm" ? FE_DOWNWARD
                : rounding == "rp" ? FE_UPWARD
                                   : FE_TONEAREST;
  f.flushes = a.operand("ftz") && a.flag("ftz");
  f.saturates = a.operand("sat") && a.flag("sat");
  s.form = std::move(form);
  return true;
}

// d_addr, a, b, c; without an address the result is the call's
Step calculate(Machine& m, Thread& t, const Site& s) {
  const Rounding& f = form_of<Rounding>(s);
  const std::uint64_t a = Machine::arg(t, s, 1), b = Machine::arg(t, s, 2), c = Machine::arg(t, s, 3);
  std::uint64_t r = 0;
  if (f.wide) {
    r = std::bit_cast<std::uint64_t>(ir::rounded_to(f.op, f.direction, std::bit_cast<double>(a),
                                                    std::bit_cast<double>(b), std::bit_cast<double>(c)));
  } else {
    auto element = [&](int at) {
      return std::uint64_t{single(f, a >> at & 0xffffffff, b >> at & 0xffffffff, c >> at & 0xffffffff)} << at;
    };
    r = f.elements == 2 ? element(0) | element(32) : element(0);
  }
  if (s.args[0] == Access::kNoRegister) {
    Machine::set_result(t, s, r);
    return Step::Done;
  }
  const std::uint64_t to = Machine::arg(t, s, 0);
  const int bits = f.wide || f.elements == 2 ? 64 : 32;
  return write_registers(m, t, {&to, 1}, bits, &r, "the result") ? Step::Done : Step::Failed;
}

// acc, x: the bits of a bfloat16
Step add_mixed(Machine&, Thread& t, const Site& s) {
  const float x = float_from_bfloat(static_cast<std::uint16_t>(Machine::arg(t, s, 1)));
  Machine::set_result(t, s, bits_of_float(float_of(Machine::arg(t, s, 0)) + x));
  return Step::Done;
}

// ---- the greater and the lesser ----

// A NaN loses, and wins with `nan`; -0 is less than +0.
float lesser(float a, float b, bool greater, bool nan) {
  if (std::isnan(a) || std::isnan(b)) {
    if (nan || (std::isnan(a) && std::isnan(b))) return std::bit_cast<float>(kNan);
    return std::isnan(a) ? b : a;
  }
  if (a == b) return std::signbit(a) != greater ? a : b;
  return (a < b) != greater ? a : b;
}

bool set_up_extreme(Site& s, const Arguments& a) {
  auto form = std::make_shared<Rounding>();
  form->flushes = a.operand("ftz") && a.flag("ftz");
  form->nan = a.operand("nan") && a.flag("nan");
  s.flag = a.row().meaning == Meaning::Max3 || a.row().meaning == Meaning::MaxFloat ||
           a.row().meaning == Meaning::BFloat2Max;
  s.form = std::move(form);
  return true;
}

// a, b, c
Step extreme(Machine&, Thread& t, const Site& s) {
  const Rounding& f = form_of<Rounding>(s);
  float r = flushed(f, float_of(Machine::arg(t, s, 0)));
  for (std::size_t i = 1; i < 3 && s.args[i] != Access::kNoRegister; ++i)
    r = lesser(r, flushed(f, float_of(Machine::arg(t, s, i))), s.flag, f.nan);
  Machine::set_result(t, s, bits_of_float(r));
  return Step::Done;
}

// a, b: two bfloat16 each
Step extreme_of_pairs(Machine&, Thread& t, const Site& s) {
  std::uint64_t r = 0;
  for (int at = 0; at < 32; at += 16) {
    auto half = [&](std::size_t i) {
      return float_from_bfloat(static_cast<std::uint16_t>(Machine::arg(t, s, i) >> at));
    };
    r |= std::uint64_t{bfloat_from_float(lesser(half(0), half(1), s.flag, false))} << at;
  }
  Machine::set_result(t, s, r);
  return Step::Done;
}

// ---- conversions ----

std::uint16_t half_of(float value) { return std::isnan(value) ? kHalfNan : half_from_float(value); }

// Between float32 and float16 in memory, two by two.
bool convert_pairs(Machine& m, Thread& t, std::uint64_t to, std::uint64_t from, int pairs, bool narrows) {
  for (int i = 0; i < pairs; ++i) {
    const std::uint64_t source = moved(from, i * (narrows ? 8 : 4)), target = moved(to, i * (narrows ? 4 : 8));
    std::uint64_t in = 0, out = 0;
    t.carried = 0;
    if (!read_registers(m, t, {&source, 1}, narrows ? 64 : 32, &in, "what is converted", true)) return false;
    for (int e = 0; e < 2; ++e) {
      if (narrows) {
        out |= std::uint64_t{half_of(float_of(in >> (32 * e)))} << (16 * e);
      } else {
        out |= std::uint64_t{bits_of_float(float_from_half(static_cast<std::uint16_t>(in >> (16 * e))))} << (32 * e);
      }
    }
    if (!write_registers(m, t, {&target, 1}, narrows ? 32 : 64, &out, "the converted numbers")) return false;
  }
  return true;
}

// dst, src
Step convert_in_memory(Machine& m, Thread& t, const Site& s) {
  const bool narrows = s.call->meaning != Meaning::Half8ToFloat8;
  const int pairs = s.call->meaning == Meaning::Float2ToHalf2 ? 1 : 4;
  return convert_pairs(m, t, Machine::arg(t, s, 0), Machine::arg(t, s, 1), pairs, narrows) ? Step::Done : Step::Failed;
}

// Values that travel in integers; slots as the row has them.
Step pack(Machine&, Thread& t, const Site& s) {
  const std::uint64_t a = Machine::arg(t, s, 0), b = Machine::arg(t, s, 1);
  auto brains = [](float low, float high) {
    return std::uint64_t{bfloat_from_float(high)} << 16 | bfloat_from_float(low);
  };
  std::uint64_t r = 0;
  switch (s.call->meaning) {
    case Meaning::PackFloat2: r = b << 32 | (a & 0xffffffff); break;
    case Meaning::Float2First: r = a & 0xffffffff; break;
    case Meaning::Float2Second: r = a >> 32; break;
    case Meaning::FloatsToBFloat2: r = brains(float_of(a), float_of(b)); break;
    case Meaning::Float2ToBFloat2: r = brains(float_of(a), float_of(a >> 32)); break;
    case Meaning::BFloat2ToFloat2: r = (a & 0xffff0000) << 32 | (a & 0xffff) << 16; break;
    case Meaning::FloatsToFp8x4: {
      constexpr ir::DataType kE4m3{ir::TypeCode::Float8E4M3FN, 8, 1};
      for (std::size_t i = 0; i < 4; ++i) {
        const float value = float_of(Machine::arg(t, s, i));
        r |= std::uint64_t{std::isnan(value) ? 0x7f : encode(kE4m3, value)} << (8 * i);
      }
      break;
    }
    default: break;
  }
  Machine::set_result(t, s, r);
  return Step::Done;
}

// One cvt as a call has it.
struct Converting final : CallForm {
  std::string to, from, rounding;
  Conversion how;
  ir::DataType value;  // that the operands have in the script
};

bool set_up_convert(Site& s, const Arguments& a) {
  auto form = std::make_shared<Converting>();
  form->to = a.text("dtype");
  form->from = a.text("atype");
  form->rounding = a.text("rounding");
  form->how = {form->to, form->from, form->rounding, a.flag("ftz"), a.flag("sat"), a.flag("relu"), a.flag("satfinite")};
  form->value = a.items("values")[0].dtype();
  const bool known = is_modelled(form->how) && !a.given("scaled") && form->value.lanes == 1;
  s.form = std::move(form);
  return known;
}

// values
Step convert(Machine&, Thread& t, const Site& s) {
  const Converting& f = form_of<Converting>(s);
  std::array<std::uint64_t, 4> words{};
  const std::size_t n = std::min(s.items.size(), words.size());
  for (std::size_t i = 0; i < n; ++i) words[i] = to_bits(t.registers[s.items[i]], f.value);
  Machine::set_result(t, s, from_bits(converted(f.how, {words.data(), n}), s.type));
  return Step::Done;
}

// ---- bits ----

// The lowest set bit, counted from 1.
Step find_first(Machine&, Thread& t, const Site& s) {
  const auto value = static_cast<std::uint32_t>(Machine::arg(t, s, 0));
  Machine::set_result(t, s, value ? static_cast<std::uint64_t>(std::countr_zero(value) + 1) : 0);
  return Step::Done;
}

// mask, base, offset: upwards from base, or downwards when the offset is negative (PTX ISA, fns).
Step find_nth(Machine&, Thread& t, const Site& s) {
  const auto mask = static_cast<std::uint32_t>(Machine::arg(t, s, 0));
  const std::uint64_t base = Machine::arg(t, s, 1) & 0xffffffff;
  const auto offset = static_cast<std::int32_t>(Machine::arg(t, s, 2));
  auto is_set = [&](std::int64_t at) { return (mask >> at & 1) != 0; };
  std::uint64_t found = 0xffffffff;
  if (base < 32 && offset == 0 && is_set(static_cast<std::int64_t>(base))) found = base;
  std::int64_t left = std::abs(std::int64_t{offset});
  for (auto at = static_cast<std::int64_t>(base); left > 0 && at >= 0 && at < 32; at += offset > 0 ? 1 : -1) {
    if (!is_set(at) || --left > 0) continue;
    found = static_cast<std::uint64_t>(at);
    break;
  }
  Machine::set_result(t, s, found);
  return Step::Done;
}

constexpr CallRow rounding(Meaning meaning) {
  return {
      .meaning = meaning, .slots = "d_addr, a, b, c", .thread = calculate, .set_up = set_up_rounding, .carries = true};
}

constexpr CallRow kFloatRows[] = {
    rounding(Meaning::AddFloat),
    rounding(Meaning::SubFloat),
    rounding(Meaning::MulFloat),
    rounding(Meaning::FmaFloat),
    rounding(Meaning::AddFloat2),
    rounding(Meaning::SubFloat2),
    rounding(Meaning::MulFloat2),
    rounding(Meaning::FmaFloat2),
    {.meaning = intrinsics::kConvert, .slots = "", .thread = convert, .set_up = set_up_convert, .carries = true},
    {.meaning = Meaning::AddMixed, .slots = "acc, x", .thread = add_mixed, .carries = true},
    {.meaning = Meaning::Max3, .slots = "a, b, c", .thread = extreme, .set_up = set_up_extreme, .carries = true},
    {.meaning = Meaning::Min3, .slots = "a, b, c", .thread = extreme, .set_up = set_up_extreme, .carries = true},
    {.meaning = Meaning::MaxFloat, .slots = "a, b, c", .thread = extreme, .set_up = set_up_extreme, .carries = true},
    {.meaning = Meaning::BFloat2Min,
     .slots = "a, b",
     .thread = extreme_of_pairs,
     .set_up = set_up_extreme,
     .carries = true},
    {.meaning = Meaning::BFloat2Max,
     .slots = "a, b",
     .thread = extreme_of_pairs,
     .set_up = set_up_extreme,
     .carries = true},
    {.meaning = Meaning::Float2ToHalf2,
     .slots = "dst|dst_addr, src|src_addr",
     .thread = convert_in_memory,
     .carries = true},
    {.meaning = Meaning::Half8ToFloat8,
     .slots = "dst|dst_addr, src|src_addr",
     .thread = convert_in_memory,
     .carries = true},
    {.meaning = Meaning::Float8ToHalf8,
     .slots = "dst|dst_addr, src|src_addr",
     .thread = convert_in_memory,
     .carries = true},
    {.meaning = Meaning::PackFloat2, .slots = "x, y", .thread = pack, .carries = true},
    {.meaning = Meaning::Float2First, .slots = "packed, unused", .thread = pack, .carries = true},
    {.meaning = Meaning::Float2Second, .slots = "packed, unused", .thread = pack, .carries = true},
    {.meaning = Meaning::FloatsToBFloat2, .slots = "v0, v1", .thread = pack, .carries = true},
    {.meaning = Meaning::Float2ToBFloat2, .slots = "packed, unused", .thread = pack, .carries = true},
    {.meaning = Meaning::BFloat2ToFloat2, .slots = "packed, unused", .thread = pack, .carries = true},
    {.meaning = Meaning::FloatsToFp8x4, .slots = "x, y, z, w", .thread = pack, .carries = true},
    {.meaning = Meaning::FindFirstSet, .slots = "value", .thread = find_first, .carries = true},
    {.meaning = Meaning::FindNthSet, .slots = "mask, base, offset", .thread = find_nth, .carries = true},
};

}  // namespace

std::span<const CallRow> float_calls() { return kFloatRows; }

}  // namespace tilewright::simulate
