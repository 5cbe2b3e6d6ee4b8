// Findings of the simulator: TW50xx.
#pragma once
#include "compiler/text/codes.h"

namespace tilewright::simulate {

inline constexpr text::CodeInfo kCodes[] = {
    {"TW5001", "access out of bounds",
     "The address lies outside the buffer. On a GPU this faults or damages other data."},
    {"TW5002", "read of memory that nobody wrote",
     "The bytes were never written in this run: an input is missing, or a copy or a synchronisation comes too late."},
    {"TW5003", "misaligned access",
     "An access of n bytes needs an address that is a multiple of n. On a GPU a misaligned one faults."},
    {"TW5004", "deadlock", "Every thread that is left waits for others that will not come."},
    {"TW5005", "threads of one CTA meet at different calls",
     "Some threads wait at one cta_sync and some at another. The hardware counts them together; the script probably "
     "does not mean that."},
    {"TW5006", "warp instruction without the whole warp",
     "A shuffle, vote or matrix instruction needs all lanes that its mask names, at the same call. Some have left the "
     "kernel or wait elsewhere."},
    {"TW5007", "step limit reached", "The run was stopped: a loop may not end. The limit is an option."},
    {"TW5008", "not modelled", "The simulator does not execute this call; the run stops here and is not a pass."},
    {"TW5009", "input missing",
     "The kernel needs this parameter and the run was given none, or one of the wrong size."},
    {"TW5010", "trap", "T.cuda.trap_when_assert_failed found its condition false."},
    {"TW5011", "division by zero", "An integer division or remainder by zero."},
    {"TW5012", "null or foreign pointer", "The pointer does not lead into any buffer of this run."},
};

}  // namespace tilewright::simulate
