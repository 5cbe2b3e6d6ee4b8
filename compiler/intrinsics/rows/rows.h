// The families of the table, each in its file; table.cpp joins them.
#pragma once
#include <span>

#include "compiler/intrinsics/row.h"

namespace tilewright::intrinsics {

std::span<const Intrinsic> mbarrier_rows();
std::span<const Intrinsic> fence_rows();
std::span<const Intrinsic> cp_async_rows();
std::span<const Intrinsic> bulk_rows();
std::span<const Intrinsic> tensor_rows();
std::span<const Intrinsic> tensormap_rows();
std::span<const Intrinsic> memory_rows();
std::span<const Intrinsic> matrix_rows();
std::span<const Intrinsic> wgmma_rows();
std::span<const Intrinsic> tcgen05_rows();
std::span<const Intrinsic> descriptor_rows();
std::span<const Intrinsic> arithmetic_rows();
std::span<const Intrinsic> cuda_sync_rows();
std::span<const Intrinsic> cuda_memory_rows();
std::span<const Intrinsic> cuda_convert_rows();
std::span<const Intrinsic> debug_rows();
std::span<const Intrinsic> nvshmem_rows();
std::span<const Intrinsic> builtin_rows();

// What release 0.26 adds or writes with other operands.
std::span<const Intrinsic> arrival_rows();
std::span<const Intrinsic> packed_rows();
std::span<const Intrinsic> vector_memory_rows();
std::span<const Intrinsic> conversion_rows();
std::span<const Intrinsic> mark_rows();

// Rows that only dispatch makes; no script spelling leads to them.
std::span<const Intrinsic> internal_matrix_rows();
std::span<const Intrinsic> internal_wgmma_rows();

}  // namespace tilewright::intrinsics
