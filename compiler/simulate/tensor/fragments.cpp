#include "compiler/simulate/tensor/fragments.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "compiler/intrinsics/checks.h"
#include "compiler/simulate/machine/number.h"

namespace tilewright::simulate {
namespace {

constexpr ir::DataType kE4m3{ir::TypeCode::Float8E4M3FN, 8, 1}, kE5m2{ir::TypeCode::Float8E5M2, 8, 1};

struct NumberRow {
  Number number;
  std::string_view names;
  int bits;
};
constexpr NumberRow kNumbers[] = {
    {Number::Half, "fp16|float16|f16", 16},
    {Number::BFloat, "bf16|bfloat16", 16},
    {Number::Tf32, "tf32", 32},
    {Number::E4m3, "e4m3|float8_e4m3fn", 8},
    {Number::E5m2, "e5m2|float8_e5m2", 8},
    {Number::Single, "fp32|float32|f32", 32},
    {Number::Double, "fp64|float64|f64", 64},
    {Number::S8, "s8|int8", 8},
    {Number::U8, "u8|uint8", 8},
    {Number::S4, "s4|int4", 4},
    {Number::U4, "u4|uint4", 4},
    {Number::Bit, "b1|int1|uint1", 1},
    {Number::S32, "s32|int32", 32},
};

int elements_of(Number number) { return register_bits(number) / bits_of(number); }

}  // namespace

std::optional<Number> number_named(std::string_view name) {
  for (const NumberRow& row : kNumbers)
    if (intrinsics::is_one_of(name, row.names)) return row.number;
  return std::nullopt;
}

int bits_of(Number number) { return kNumbers[static_cast<std::size_t>(number)].bits; }

double value_of(Number number, std::uint64_t bits) {
  const auto word = static_cast<std::uint32_t>(bits);
  switch (number) {
    case Number::Half: return float_from_half(static_cast<std::uint16_t>(word));
    case Number::BFloat: return float_from_bfloat(static_cast<std::uint16_t>(word));
    case Number::Tf32: return std::bit_cast<float>(word & 0xffffe000u);
    case Number::E4m3: return decode(kE4m3, word & 0xff);
    case Number::E5m2: return decode(kE5m2, word & 0xff);
    case Number::Single: return std::bit_cast<float>(word);
    case Number::Double: return std::bit_cast<double>(bits);
    case Number::S8: return static_cast<std::int8_t>(word);
    case Number::U8: return static_cast<std::uint8_t>(word);
    case Number::S4: return static_cast<std::int32_t>(word << 28) >> 28;
    case Number::U4: return word & 15;
    case Number::Bit: return word & 1;
    case Number::S32: return static_cast<std::int32_t>(word);
  }
  return 0;
}

std::uint64_t bits_from(Number number, double value, bool saturate) {
  constexpr std::uint32_t kNan = 0x7fffffff, kHalfNan = 0x7fff;  // what the units write
  switch (number) {
    case Number::Half: return std::isnan(value) ? kHalfNan : half_from_float(static_cast<float>(value));
    case Number::Single: return std::isnan(value) ? kNan : std::bit_cast<std::uint32_t>(static_cast<float>(value));
    case Number::Double: return std::bit_cast<std::uint64_t>(value);
    default: {
      using Limits = std::numeric_limits<std::int32_t>;
      if (saturate && value > Limits::max()) value = Limits::max();
      if (saturate && value < Limits::min()) value = Limits::min();
      return static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
    }
  }
}

Place place_in_a(Number number, int rows, int lane, int reg, int e) {
  const int n = elements_of(number), halves = rows / 8;
  return {lane / 4 + 8 * (reg % halves), reg / halves * 4 * n + lane % 4 * n + e};
}

Place place_in_b(Number number, int lane, int reg, int e) {
  const int n = elements_of(number);
  return {reg * 4 * n + lane % 4 * n + e, lane / 4};
}

Place place_in_c(Number number, int lane, int reg, int e) {
  // Two neighbours of a row, whatever registers they fill.
  const int element = reg * elements_of(number) + e;
  return {lane / 4 + 8 * (element / 2), lane % 4 * 2 + element % 2};
}

bool read_registers(Machine& m, const Thread& t, std::span<const std::uint64_t> pointers, int bits, std::uint64_t* out,
                    std::string_view what, bool carries) {
  const std::int64_t bytes = bits / 8;
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    auto from = m.view(t, pointers[i], bytes, bytes, false, what);
    if (!from) return false;
    m.observers().read(t, pointers[i], bytes);
    if (m.options().uninitialised_reads && !from->is_written(bytes)) {
      const auto text = [&] { return std::string(what) + " is read"; };
      if (carries) {
        m.thread(t.number).carried = m.undefined_at(t, pointers[i], text);
      } else {
        m.undefined_read(t, pointers[i], text());
        from->mark(true, bytes);
      }
    }
    out[i] = 0;
    from->get(&out[i], bytes);
  }
  return true;
}

bool write_registers(Machine& m, const Thread& t, std::span<const std::uint64_t> pointers, int bits,
                     const std::uint64_t* values, std::string_view what) {
  const std::int64_t bytes = bits / 8;
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    auto to = m.view(t, pointers[i], bytes, bytes, true, what);
    if (!to) return false;
    m.observers().write(t, pointers[i], bytes, to->bytes, reinterpret_cast<const std::byte*>(&values[i]));
    to->put(&values[i], bytes);
    to->drop_tags(bytes);
    if (t.carried) m.store_undefined(t, pointers[i], *to, bytes, t.carried);
  }
  return true;
}

}  // namespace tilewright::simulate
