#include "compiler/dispatch/variants/copy_async/tma_layouts.h"

#include "compiler/dispatch/words.h"

namespace tilewright::dispatch::tma {
namespace {

Dim product(const layout::Shape& shape) {
  Dim n = 1;
  for (Dim d : shape) n = n * d;
  return n;
}

}  // namespace

layout::TileLayout strided_part(const ir::Buffer& buffer) {
  if (buffer.layout->tile) return *buffer.layout->tile;
  return {{{product(ir::shape_of(buffer)), 1, layout::Axis::m}}, {}, {}};
}

Reason not_memory(const layout::TileLayout& tile, std::string_view label) {
  if (!tile.replica.empty()) return cat(label, " layout contains replica iterators");
  for (const layout::Iter& it : tile.shard) {
    if (layout::is_memory_axis(it.axis)) continue;
    return cat(label, " layout must contain only memory iterators; got axis '", layout::axis_name(it.axis), "'");
  }
  for (const auto& [axis, value] : tile.offset) {
    if (layout::is_memory_axis(axis) || provably_equal(value, 0)) continue;
    return cat(label, " layout has non-memory offset ", layout::axis_name(axis), "=", layout::to_string(value));
  }
  return {};
}

Dim memory_offset(const layout::TileLayout& tile) {
  Dim sum = 0;
  for (const auto& [axis, value] : tile.offset) {
    if (layout::is_memory_axis(axis)) sum = sum + value;
  }
  return sum;
}

Dim element_offset(const ir::Buffer& buffer) { return buffer.elem_offset ? Dim(buffer.elem_offset) : Dim(0); }

std::expected<layout::TileLayout, Reason> sliced_shared(const ir::Region& region, std::string_view label) {
  layout::TileLayout tile = strided_part(*region.buffer);
  if (Reason why = not_memory(tile, label); !why.empty()) return std::unexpected(std::move(why));
  std::vector<layout::Range> ranges;
  for (const ir::Range& r : region.ranges) ranges.push_back({Dim(r.min), Dim(r.min) + Dim(r.extent)});
  auto sliced = layout::slice({std::nullopt, std::move(tile)}, ir::shape_of(*region.buffer), ranges);
  if (!sliced) return std::unexpected(std::move(sliced.error().message));
  if (!*sliced || !(*sliced)->tile) {
    return std::unexpected(cat(label, " layout cannot be sliced at ", ir::to_string(region)));
  }
  if (Reason why = not_memory(*(*sliced)->tile, cat("sliced ", label)); !why.empty()) {
    return std::unexpected(std::move(why));
  }
  return std::move(*(*sliced)->tile);
}

std::expected<int, Reason> swizzle_of(const ir::Buffer& shared) {
  const auto& swizzle = shared.layout->swizzle;
  if (!swizzle || swizzle->swizzle_len == 0) return 0;
  if (!swizzle->inner) {
    return std::unexpected(cat("swizzle direction mismatch: the hardware XORs high address bits down, and ",
                               ir::spoken_name(shared), " has swizzle_inner=False, which XORs low bits up"));
  }
  if (swizzle->swizzle_len > 3) {
    return std::unexpected(cat("cannot recognize shared swizzle in ", ir::spoken_name(shared), ": swizzle_len is ",
                               swizzle->swizzle_len, ", the hardware has 1, 2 and 3"));
  }
  return swizzle->swizzle_len;
}

std::int64_t start_alignment(int swizzle) { return std::int64_t{16} << swizzle; }

std::optional<Dim> in_bytes(Dim elements, int bits, bool must_know) {
  if (bits % 8 == 0) return elements * Dim(bits / 8);
  const Proof whole = prove_divisible(elements * Dim(bits), 8);
  if (whole == Proof::Disproven || (must_know && !proven(whole))) return std::nullopt;
  return floordiv(elements * Dim(bits), 8);
}

std::optional<Dim> base_of(const ir::Buffer& tensor, bool must_know) {
  return in_bytes(element_offset(tensor) + memory_offset(strided_part(tensor)), tensor.dtype.bits, must_know);
}

}  // namespace tilewright::dispatch::tma
