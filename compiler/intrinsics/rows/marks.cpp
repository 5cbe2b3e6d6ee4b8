// Marks of IKET, NVIDIA's tracer inside kernels: names of moments and ranges. Builds without the tracer leave them out.
#include "compiler/intrinsics/rows/rows.h"

namespace tilewright::intrinsics {
namespace {

constexpr Intrinsic kMarkRows[] = {
    row<"name: attr, payload: any = None">("W22", "cuda.iket.mark", Meaning::None)
        .pure()
        .inline_cxx("((void)0)")
        .says("Names a moment for the tracer."),
    row<"name: attr, payload: any = None">("W23", "cuda.iket.range_start", Meaning::None)
        .returns<ir::kUInt32>()
        .pure()
        .inline_cxx("0u")
        .says("Begins a named range and returns its token, which range_end takes."),
    row<"token: u32, payload: any = None">("W24", "cuda.iket.range_end", Meaning::None)
        .pure()
        .inline_cxx("((void)0)")
        .says("Ends the range of a token."),
    row<"name: attr, payload: any = None">("W25", "cuda.iket.range_push", Meaning::None)
        .pure()
        .inline_cxx("((void)0)")
        .says("Begins a named range that ends with the next range_pop."),
    row<"">("W26", "cuda.iket.range_pop", Meaning::None)
        .pure()
        .inline_cxx("((void)0)")
        .says("Ends the range that the last range_push began."),
    row<"name: attr">("W27", "cuda.iket.sentinel_token", Meaning::None)
        .returns<ir::kUInt32>()
        .pure()
        .inline_cxx("0u")
        .says("A token of no range, for threads that begin none."),
    row<"event_id: attr, source_code: attr = '', payload: any = None">("W28", "cuda.iket.official_event", Meaning::None)
        .returns<ir::kUInt32>()
        .pure()
        .inline_cxx("0u")
        .says("The end of a range as the tracer's own compiler writes it."),
};

}  // namespace

std::span<const Intrinsic> mark_rows() { return kMarkRows; }

}  // namespace tilewright::intrinsics
