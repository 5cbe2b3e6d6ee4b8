// All diagnostic codes of all rooms.
#pragma once
#include <vector>

#include "compiler/text/codes.h"

namespace tilewright::project {

const text::CodeInfo* code_info(std::string_view code);  // null: no such code
std::vector<text::CodeInfo> all_codes();

}  // namespace tilewright::project
