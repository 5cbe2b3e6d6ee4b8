#include "compiler/simulate/machine/value.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

#include "compiler/simulate/machine/number.h"

namespace tilewright::simulate {

using ir::DataType;

namespace {

float as_float(std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
std::uint64_t from_float(float value) { return std::bit_cast<std::uint32_t>(value); }

template <class Float>
Float combined_floats(Combine op, Float old, Float value) {
  switch (op) {
    case Combine::Min: return std::fmin(old, value);
    case Combine::Max: return std::fmax(old, value);
    case Combine::Exchange: return value;
    default: return old + value;
  }
}

}  // namespace

std::uint64_t to_bits(std::uint64_t value, DataType d) {
  if (d.is_floating() && d.bits < 32) return encode(d, as_float(value));
  if (d.storage_bits() < 64) return value & ((std::uint64_t{1} << d.storage_bits()) - 1);
  return value;
}

std::uint64_t from_bits(std::uint64_t bits, DataType d) {
  if (d.is_floating()) {
    if (d.bits < 32) return from_float(decode(d, static_cast<std::uint32_t>(bits)));
    return d.bits == 32 ? bits & 0xffffffff : bits;
  }
  return d.is_bool() ? bits != 0 : normalised(bits, d);
}

std::optional<Combine> combine_named(std::string_view name) {
  constexpr std::pair<std::string_view, Combine> kNames[] = {
      {"add", Combine::Add}, {"sum", Combine::Add},       {"min", Combine::Min}, {"max", Combine::Max},
      {"inc", Combine::Inc}, {"dec", Combine::Dec},       {"and", Combine::And}, {"or", Combine::Or},
      {"xor", Combine::Xor}, {"exch", Combine::Exchange},
  };
  const auto* found = std::ranges::find(kNames, name, &std::pair<std::string_view, Combine>::first);
  return found == std::end(kNames) ? std::nullopt : std::optional(found->second);
}

std::uint64_t combined(Combine op, DataType d, std::uint64_t old, std::uint64_t value) {
  if (d.is_floating() && d.bits == 64)
    return std::bit_cast<std::uint64_t>(combined_floats(op, std::bit_cast<double>(old), std::bit_cast<double>(value)));
  if (d.is_floating()) {
    float r = combined_floats(op, as_float(old), as_float(value));
    return from_float(d.bits < 32 ? rounded(d, r) : r);
  }
  const auto a = static_cast<std::int64_t>(old), b = static_cast<std::int64_t>(value);
  const bool less = d.is_int() ? b < a : value < old;
  switch (op) {
    case Combine::Add: return normalised(old + value, d);
    case Combine::Min: return less ? value : old;
    case Combine::Max: return less ? old : value;
    case Combine::Inc: return old >= value ? 0 : old + 1;
    case Combine::Dec: return old == 0 || old > value ? value : old - 1;
    case Combine::And: return old & value;
    case Combine::Or: return old | value;
    case Combine::Xor: return old ^ value;
    case Combine::Exchange: return value;
  }
  return value;
}

DataType ptx_type(std::string_view name) {
  std::size_t digits = name.find_first_of("0123456789");
  int bits = 32;
  if (digits != name.npos) std::from_chars(name.data() + digits, name.data() + name.size(), bits);
  std::string_view kind = name.substr(0, digits);
  ir::TypeCode code = kind == "f"    ? ir::TypeCode::Float
                      : kind == "bf" ? ir::TypeCode::BFloat
                      : kind == "s"  ? ir::TypeCode::Int
                                     : ir::TypeCode::UInt;
  return {code, static_cast<std::uint8_t>(bits), 1};
}

}  // namespace tilewright::simulate
