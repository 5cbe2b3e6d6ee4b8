// Diagnostics that look at a kernel as a whole: TW23xx.
#pragma once
#include "compiler/text/codes.h"

namespace tilewright::session {

namespace code {
inline constexpr std::string_view kUnused = "TW2301";
inline constexpr std::string_view kNotSilenced = "TW2302";
inline constexpr std::string_view kFoundArchitecture = "TW2311";
inline constexpr std::string_view kNoArchitecture = "TW2312";
inline constexpr std::string_view kComment = "TW2313";
}  // namespace code

inline constexpr text::CodeInfo kCodes[] = {
    {code::kUnused, "not used",
     "The kernel makes this buffer or scalar, and nothing in it looks at it: no access, no address, no tile primitive, "
     "no shape. A buffer takes memory all the same, and a value is computed for nothing. Remove it, or begin its name "
     "with '_' if it is meant to stay. Where a function becomes several kernels, it is said only of what none of them "
     "uses."},
    {code::kNotSilenced, "an error cannot be silenced",
     "Only what leaves the kernel whole, warnings and advice, can be silenced by a comment "
     "`# tilewright: ignore[CODE]` or set off in tilewright.toml. An error says that something cannot be made, so it "
     "stays and so does the exit status 1. Fix what it says, and remove the comment. A finding of the simulator "
     "(TW50xx) is silenced by a comment with a reason, `ignore[TW5020: reason]`; it is counted, and its kernel does "
     "not "
     "count as checked."},
    {code::kFoundArchitecture, "architecture found out",
     "The script names no architecture: no --arch, no comment, no tilewright.toml, no "
     "KERNEL_META[\"compute_capability\"]. sm_90a, the default, does not have all that the kernel calls, so it is "
     "compiled for the lowest architecture that has; the call named here asked for it. `# tilewright: arch sm_100a` in "
     "the script says it once and for all."},
    {code::kNoArchitecture, "no architecture serves the kernel",
     "The script names no architecture, and none has all that the kernel calls. The two calls named "
     "here have no architecture in common: wgmma, say, exists on sm_90a alone, and tcgen05 from sm_100a on. Write a "
     "kernel for each, or choose between them where the script is evaluated (a Python `if`)."},
    {code::kComment, "comment for Tilewright that says nothing",
     "A comment that begins with `# tilewright:` is for this compiler. It is `entry EXPR`, `reference EXPR`, `sequence "
     "A then B`, `arch sm_90a ...`, `dialect 0.26`, `tvm=0.26`, `ignore[CODE]` or `ignore[CODE: reason]`. Other words "
     "have no effect, and an "
     "architecture that does not exist is never compiled for."},
};

}  // namespace tilewright::session
