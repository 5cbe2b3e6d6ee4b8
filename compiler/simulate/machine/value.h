// What registers hold: values of a type, their bits in memory, and how two of them are combined.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "compiler/expr/dtype.h"

namespace tilewright::simulate {

// An integer register holds its value extended to 64 bits.
std::uint64_t normalised(std::uint64_t value, ir::DataType d);
// Between a register and the bits of one element in memory.
std::uint64_t to_bits(std::uint64_t value, ir::DataType d);
std::uint64_t from_bits(std::uint64_t bits, ir::DataType d);

// What atomics and reductions do to a memory cell.
enum class Combine : std::uint8_t { Add, Min, Max, Inc, Dec, And, Or, Xor, Exchange };
std::optional<Combine> combine_named(std::string_view name);  // "add", "sum", "min", ..., "exch"
// Of register values; `inc` counts up to `value` and starts again at 0, `dec` down to 0 and starts again at `value`.
std::uint64_t combined(Combine op, ir::DataType d, std::uint64_t old, std::uint64_t value);

// "b32", "u64", "s32", "f16", "bf16", ... as PTX instructions name types.
ir::DataType ptx_type(std::string_view name);

}  // namespace tilewright::simulate
