// How the arguments of an intrinsic's call are written in a script: for the printer (compiler/ir/printer.h).
#pragma once
#include "compiler/ir/printer.h"

namespace tilewright::intrinsics {

// By position in the row's order; lists in brackets; an optional operand at its default is left out, and what follows a
// gap is passed by keyword.
std::vector<ir::PrintedArgument> printed_arguments(const ir::Call& call);

}  // namespace tilewright::intrinsics
