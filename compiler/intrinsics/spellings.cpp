#include "compiler/intrinsics/spellings.h"

namespace tilewright::intrinsics {
namespace {

using enum text::Dialect;

constexpr Spelling kSpellings[] = {
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
};

}  // namespace

std::span<const Spelling> spellings() { return kSpellings; }

}  // namespace tilewright::intrinsics
