// Sample calls of every row: what the unit tests look at and what tests/toolchain/assemble_rows.cpp assembles.
#pragma once
#include <string>
#include <vector>

#include "compiler/intrinsics/intrinsic.h"

namespace tilewright::intrinsics::samples {

struct Sample {
  const Intrinsic* row;
  std::string what;            // the attributes that differ from the row's first sample
  std::vector<ir::Expr> args;  // bound
};

// Base samples, each attribute through all of its choices, each optional operand given once. Combinations that are
// never legal may be among them: verify() tells. Needs an ArenaScope.
std::vector<Sample> of(const Intrinsic& row);

// A kernel that makes this call with arguments from its own parameters, and the helper before it when `helper`.
std::string kernel(const Sample& sample, const Emitted& emitted, std::string_view name);
// The headers behind preamble tags.
std::string headers(std::string_view tags);

}  // namespace tilewright::intrinsics::samples
