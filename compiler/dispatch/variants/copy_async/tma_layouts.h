// The layouts of the two operands of a tensor copy, as both planners of release 0.26 read them.
#pragma once
#include <string_view>

#include "compiler/dispatch/variants/copy_async/tma_spec.h"

namespace tilewright::dispatch::tma {

// The strided part of a buffer's layout; for a bare swizzle the identity over the buffer.
layout::TileLayout strided_part(const ir::Buffer& buffer);
// What of it is no plain memory: replicas, iters or offsets of threads; empty: nothing. `label` names the layout.
Reason not_memory(const layout::TileLayout& tile, std::string_view label);
// The sum of the offsets on memory axes, elements.
Dim memory_offset(const layout::TileLayout& tile);
Dim element_offset(const ir::Buffer& buffer);

// The layout of a region of shared memory, with the offset of its first element.
std::expected<layout::TileLayout, Reason> sliced_shared(const ir::Region& region, std::string_view label);

// 0..3, the swizzle of a tensor map that permutes as the layout does.
std::expected<int, Reason> swizzle_of(const ir::Buffer& shared);
// Shared memory has to start on a multiple of so many bytes under that swizzle.
std::int64_t start_alignment(int swizzle);

// Elements of a buffer as bytes; none: they are known not to be whole bytes, or with `must_know` not known to be.
std::optional<Dim> in_bytes(Dim elements, int bits, bool must_know);
// The element of the storage at coordinate 0 of the tensor, in bytes; none as above.
std::optional<Dim> base_of(const ir::Buffer& tensor, bool must_know);

}  // namespace tilewright::dispatch::tma
