// Which CUDA would take what the one at hand does not: words for messages of its compiler and assembler.
#pragma once
#include <string>
#include <string_view>

namespace tilewright::toolchain {

// The newest CUDA that this build is tested with.
inline constexpr std::string_view kNewestCuda = "13.5";

// `version`: of the CUDA at hand, "13.0"; empty: not known. Both return nothing where no newer one is known to help.
// Of an architecture that the compiler refused: "CUDA 13.0 does not know sm_107a: CUDA 13.4 and later do".
std::string newer_for_architecture(std::string_view arch, std::string_view version);
// Of a message of the assembler: " (this is CUDA 13.0; CUDA 13.5 knows more of PTX)".
std::string newer_for_message(std::string_view message, std::string_view version);
// Of an instruction at which the compiler crashes: " (this is CUDA 13.0; try CUDA 13.5)".
std::string newer_for_crash(std::string_view version);

}  // namespace tilewright::toolchain
