// How long a kernel is in machine code.
#pragma once
#include <cstdint>
#include <string>

namespace tilewright::work {

// The instructions of a disassembly, without those that only fill up the last line of the code.
std::int64_t count_instructions(const std::string& sass);

}  // namespace tilewright::work
