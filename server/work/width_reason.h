// Why a copy moves as many bytes at a time as it does.
#pragma once
#include <string>

#include "compiler/dispatch/dispatched.h"

namespace tilewright::work {

// "4 bytes: the rows of s are 33 elements apart, and 16 bytes need a multiple of 8; 40 gives 16 bytes". Empty: the call
// has no width, or nothing that is declared says why it is no wider.
std::string width_reason(const dispatch::CallReport& call);

}  // namespace tilewright::work
