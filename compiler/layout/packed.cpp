#include "compiler/layout/packed.h"

#include "compiler/layout/detail.h"

namespace tilewright::layout {

Result<Layout> mma_packed_layout(expr::DataType dtype, ShapeView shape) {
  const std::size_t rank = shape.size();
  if (rank < 2 || !shape[rank - 1].is_constant() || !shape[rank - 2].is_constant()) {
    return std::unexpected(
        Error{"an MMA shared layout needs rows and columns that are known, shape " + detail::shape_text(shape)});
  }
  constexpr int kUnitBits = 128;
  const int bits = dtype.storage_bits() * dtype.lanes;
  const std::int64_t unit = kUnitBits / bits, rows = shape[rank - 2].value(), columns = shape[rank - 1].value();
  if (unit == 0 || columns % unit != 0) return canonicalize(row_major(shape));
  TileLayout tile;
  Dim stride = Dim(rows) * columns;
  tile.shard.resize(rank + 1);
  for (std::size_t d = rank - 2; d-- > 0;) {
    tile.shard[d] = {shape[d], stride, Axis::m};
    stride = stride * shape[d];
  }
  tile.shard[rank - 2] = {rows, unit, Axis::m};
  tile.shard[rank - 1] = {columns / unit, rows * unit, Axis::m};
  tile.shard[rank] = {unit, 1, Axis::m};
  return canonicalize(detail::plain(std::move(tile)));
}

}  // namespace tilewright::layout
