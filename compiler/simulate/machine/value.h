// What registers hold: values of a type, their bits in memory, and how two of them are combined.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "compiler/expr/dtype.h"

namespace tilewright::simulate {

// How an integer of a type stands in a register of 64 bits.
struct Extension {
  std::uint8_t above = 0;  // bits of the register above the value
  bool is_signed = false;  // they repeat its sign, else they are 0
};
inline Extension extension_of(ir::DataType d) {
  if (d.is_bool()) return {63, false};
  if (d.bits >= 64 || d.bits == 0 || d.is_handle()) return {};
  return {static_cast<std::uint8_t>(64 - d.bits), d.is_int()};
}
// The register of the value's lowest bits.
inline std::uint64_t normalised(std::uint64_t value, Extension e) {
  value <<= e.above;
  return e.is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value) >> e.above) : value >> e.above;
}
inline std::uint64_t normalised(std::uint64_t value, ir::DataType d) { return normalised(value, extension_of(d)); }
// Between a register and the bits of one element in memory.
std::uint64_t to_bits(std::uint64_t value, ir::DataType d);
std::uint64_t from_bits(std::uint64_t bits, ir::DataType d);

// Is either of the two what it is given, of elements of so many bytes?
inline bool is_plain(ir::DataType d, int bytes) {
  return d.bits == 8 * bytes && (d.is_floating() ? d.bits >= 32 : d.is_uint() || d.is_handle() || d.bits == 64);
}

// What atomics and reductions do to a memory cell.
enum class Combine : std::uint8_t { Add, Min, Max, Inc, Dec, And, Or, Xor, Exchange };
std::optional<Combine> combine_named(std::string_view name);  // "add", "sum", "min", ..., "exch"
// Of register values; `inc` counts up to `value` and starts again at 0, `dec` down to 0 and starts again at `value`.
std::uint64_t combined(Combine op, ir::DataType d, std::uint64_t old, std::uint64_t value);

// "b32", "u64", "s32", "f16", "bf16", ... as PTX instructions name types.
ir::DataType ptx_type(std::string_view name);

}  // namespace tilewright::simulate
