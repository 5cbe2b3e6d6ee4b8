// Which options of NVRTC a client may choose: those that change code, never those that name files.
#pragma once
#include <span>
#include <string>

namespace tilewright::toolchain {

// Empty if all are allowed; else what is wrong, naming the option. Allowed are the options of the reference
// (reference_options), other values of them, and those of rounding, registers and language below; each stands in one
// text with '=' before its value. Options that read or write files (--include-path, --pre-include, @FILE, --dlink-…,
// --time), that link or that go on to other tools are refused.
std::string wrong_options(std::span<const std::string> options);
// "sm_90", "sm_90a", "compute_100f", ...: nothing else reaches NVRTC as an architecture.
bool is_architecture(const std::string& arch);

}  // namespace tilewright::toolchain
