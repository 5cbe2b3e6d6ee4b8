// Diagnostics that look at a kernel as a whole: TW23xx.
#pragma once
#include "compiler/text/codes.h"

namespace tilewright::session {

namespace code {
inline constexpr std::string_view kUnused = "TW2301";
}  // namespace code

inline constexpr text::CodeInfo kCodes[] = {
    {code::kUnused, "not used",
     "The kernel makes this buffer or scalar, and nothing in it looks at it: no access, no address, no tile primitive, "
     "no shape. A buffer takes memory all the same, and a value is computed for nothing. Remove it, or begin its name "
     "with '_' if it is meant to stay. Where a function becomes several kernels, it is said only of what none of them "
     "uses."},
};

}  // namespace tilewright::session
