#include "compiler/intrinsics/spellings.h"

namespace tilewright::intrinsics {
namespace {

using enum text::Dialect;

constexpr Spelling kSpellings[] = {
    // 0.26: rows with other operands take these names, or the name is another
    {"P5", {V0_26, {}}},
    {"E8", {V0_26, {}}},
    {"E1", {V0_26, {}}},
    {"P35", {V0_26, {}}},
    {"P25", {V0_26, {}}},
    {"P28", {V0_26, {}}},
    {"P44", {V0_26, {}}},
    {"P45", {V0_26, {}}},
    {"P46", {V0_26, {}}},
    {"P47", {V0_26, {}}},
    {"P50", {V0_26, "ptx.cp_async.bulk.tensor.prefetch"}},
    {"E15", {V0_26, {}}},
    {"P52", {V0_26, {}}},
    {"P53", {V0_26, {}}},
    {"P54", {V0_26, {}}},
    {"P57", {V0_26, {}}},
    {"P102", {V0_26, {}}},
    {"P103", {V0_26, {}}},
    {"P104", {V0_26, {}}},
    {"P105", {V0_26, {}}},
    {"C26", {V0_26, {}}},
    {"C27", {V0_26, {}}},
    {"C28", {V0_26, {}}},
    {"C29", {V0_26, {}}},
    {"C30", {V0_26, {}}},
    {"C31", {V0_26, {}}},
    {"C49", {V0_26, {}}},
    // 0.27: what had been PTX and is a helper of CUDA
    {"P22", {V0_27, "cuda.elect_sync"}},
    {"E32", {V0_27, {}}},
    {"P23", {V0_27, "cuda.any_sync"}},
    {"P24", {V0_27, "cuda.mov_sreg"}},
    {"P8", {V0_27, "cuda.mbarrier_wait"}},
    {"P10", {V0_27, "cuda.mbarrier_wait_acquire_cluster"}},
    {"P90", {V0_27, "cuda.tcgen05.encode_matrix_descriptor"}},
    {"P91", {V0_27, "cuda.tcgen05.encode_instr_descriptor"}},
    {"P92", {V0_27, "cuda.tcgen05.encode_instr_descriptor_block_scaled"}},
    {"P71", {V0_27, "cuda.wgmma.encode_matrix_descriptor"}},
    {"P70", {V0_27, "cuda.wgmma.noop_barrier"}},
    // 0.27: what is kept for texts that were printed
    {"P66", {V0_27, "ptx_legacy.mma"}},
    {"P66.short", {V0_27, "ptx_legacy.mma"}},
    {"P62", {V0_27, "ptx_legacy.ldmatrix"}},
    {"P62.short", {V0_27, "ptx_legacy.ldmatrix"}},
    {"P56", {V0_27, "s_tir.ldg32"}},
    {"P32.elem", {V0_27, "s_tir.cp_async_raw"}},
    {"P32", {V0_27, "s_tir.cp_async_raw.legacy"}},
    {"P32.legacy", {V0_27, "s_tir.cp_async_raw.legacy"}},
};

}  // namespace

// W: the wrappers of 0.26.
text::Dialect first_release(std::string_view id) { return id.starts_with('W') ? V0_26 : V0_25; }

std::span<const Spelling> spellings() { return kSpellings; }

}  // namespace tilewright::intrinsics
