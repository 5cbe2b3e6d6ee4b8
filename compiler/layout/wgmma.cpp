#include "compiler/layout/wgmma.h"

#include "compiler/layout/detail.h"

namespace tilewright::layout {
namespace {

using detail::refuse;

constexpr std::int64_t kRows = 64;  // of one instruction

// Empty: whole instructions.
std::string not_whole(std::string_view what, std::int64_t rows, std::int64_t columns, std::int64_t unit) {
  const bool fits = rows > 0 && rows % kRows == 0 && columns > 0 && columns % unit == 0;
  if (fits) return {};
  return std::string(what) + " of wgmma have a multiple of 64 rows and of " + std::to_string(unit) + " columns, not " +
         std::to_string(rows) + " and " + std::to_string(columns);
}

// The rows of either: tiles, warps, halves, lanes. `tile` registers a tile, `half` between the halves.
Iters rows_of(std::int64_t rows, std::int64_t tile, std::int64_t half) {
  Iters out;
  if (rows > kRows) out.push_back({rows / kRows, tile, Axis::m});
  out.push_back({4, 1, Axis::wid_in_wg});
  out.push_back({2, half, Axis::m});
  out.push_back({8, 4, Axis::laneid});
  return out;
}

}  // namespace

Result<Layout> wgmma_accumulator_layout(std::int64_t columns, std::int64_t rows) {
  if (std::string why = not_whole("the accumulators", rows, columns, 8); !why.empty()) return refuse(std::move(why));
  Iters shard = rows_of(rows, columns / 2, 2);
  detail::append(shard, Iters{{columns / 8, 4, Axis::m}, {4, 1, Axis::laneid}, {2, 1, Axis::m}});
  return detail::plain({std::move(shard), {}, {}});
}

Result<Layout> wgmma_operand_layout(std::int64_t columns, expr::DataType dtype, std::int64_t rows) {
  const int bits = dtype.storage_bits() * dtype.lanes;
  if (bits != 8 && bits != 16 && bits != 32)
    return refuse("wgmma multiplies elements of 8, 16 or 32 bits, " + expr::dtype_name(dtype) + " has " +
                  std::to_string(bits));
  const std::int64_t word = 32 / bits, k = 8 * word;  // elements of a register, and of an instruction's K
  if (std::string why = not_whole("the registers of A", rows, columns, k); !why.empty()) return refuse(std::move(why));
  Iters shard = rows_of(rows, columns / 2, word);
  detail::append(
      shard, Iters{{columns / k, 4 * word, Axis::m}, {2, 2 * word, Axis::m}, {4, 1, Axis::laneid}, {word, 1, Axis::m}});
  return detail::plain({std::move(shard), {}, {}});
}

}  // namespace tilewright::layout
