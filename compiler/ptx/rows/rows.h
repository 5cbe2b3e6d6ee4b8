// The rows of the table by subject, each in its file; table.cpp joins them.
#pragma once
#include <span>

#include "compiler/ptx/row_text.h"

namespace tilewright::ptx {

std::span<const RowText> integer_rows();
std::span<const RowText> floating_rows();
std::span<const RowText> compare_rows();
std::span<const RowText> convert_rows();
std::span<const RowText> move_rows();
std::span<const RowText> memory_rows();
std::span<const RowText> atomic_rows();
std::span<const RowText> bulk_rows();
std::span<const RowText> tensor_rows();
std::span<const RowText> override_rows();
std::span<const RowText> mbarrier_rows();
std::span<const RowText> sync_rows();
std::span<const RowText> matrix_rows();
std::span<const RowText> wgmma_rows();
std::span<const RowText> tcgen05_rows();
std::span<const RowText> tcgen05_mma_rows();
std::span<const RowText> fabric_rows();

}  // namespace tilewright::ptx
