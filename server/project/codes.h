// All diagnostic codes of all rooms.
#pragma once
#include <string_view>
#include <vector>

#include "compiler/text/codes.h"

namespace tilewright::project {

// What the server itself says: NVIDIA's tools about a kernel, and a wrong result of a run that an editor asked for or
// an end by the device (nothing that the simulator's findings already say).
inline constexpr std::string_view kToolsCode = "TW6001";
inline constexpr std::string_view kRunCode = "TW6002";

// What a profile advises (server/work/profile.h).
inline constexpr std::string_view kConflictsCode = "TW7001";
inline constexpr std::string_view kScatteredCode = "TW7002";
inline constexpr std::string_view kNarrowCode = "TW7003";

// What NVIDIA's compiler says about speed (server/work/compiler_notes.h).
inline constexpr std::string_view kRegistersIgnoredCode = "TW7021";
inline constexpr std::string_view kSerializedCode = "TW7022";
inline constexpr std::string_view kSpilledCode = "TW7023";
inline constexpr std::string_view kLocalMemoryCode = "TW7024";

const text::CodeInfo* code_info(std::string_view code);  // null: no such code
std::vector<text::CodeInfo> all_codes();

}  // namespace tilewright::project
