#include "compiler/simulate/unmodelled.h"

namespace tilewright::simulate {
namespace {

constexpr std::string_view kForeign = "its CUDA source is the author's own, and the simulator executes no CUDA",
                           kExtern = "its source comes from elsewhere",
                           kOpaque = "which lane holds which element of a wmma fragment is the compiler's secret",
                           kNever = "it never worked on any GPU",
                           kNumbered = "its form with the number of a barrier never worked on any GPU";

constexpr Unmodelled kRows[] = {
    {"C60", "cuda.func_call", kForeign},
    {"L11", "call_extern", kExtern},
    {"L11.pure", "call_pure_extern", kExtern},
    {"L12", "tvm_fill_fragment", kOpaque},
    {"L12.load", "tvm_load_matrix_sync", kOpaque},
    {"L12.store", "tvm_store_matrix_sync", kOpaque},
    {"L12.mma", "tvm_mma_sync", kOpaque},
    {"L12.bmma", "tvm_bmma_sync", kOpaque},
    {"P35", "ptx.cp_async.mbarrier.arrive", kNumbered},
    {"P43", "ptx.cp_async.bulk", kNever},
};

}  // namespace

std::span<const Unmodelled> unmodelled_rows() { return kRows; }

}  // namespace tilewright::simulate
