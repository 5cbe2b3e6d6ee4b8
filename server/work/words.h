// Words about operands, threads and facts that every answer shares, and what NVIDIA's tools say, led back to the
// script.
#pragma once
#include <string>
#include <string_view>

#include "compiler/cuda/cuda.h"
#include "compiler/dispatch/dispatched.h"
#include "compiler/text/diagnostic.h"
#include "compiler/toolchain/compile_log.h"

namespace tilewright::work {

// "A_smem[0:32, 0:32] float16 shared", then `before_layout` and the layout where it has one.
std::string operand_text(const ir::Operand& operand, std::string_view before_layout);
// "laneid 0..31, warpid one elected"; "-" for no axis at all.
std::string box_text(const scope::Box& box);
std::string fact_text(const dispatch::FactValue& value);
// A message of NVRTC, led back to the script line that its CUDA line came from.
text::Diagnostic toolchain_diagnostic(const toolchain::LogEntry& entry, const cuda::CudaSource& source);

}  // namespace tilewright::work
