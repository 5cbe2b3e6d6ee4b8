// Parts of the instruction table, for those who do not need all of its rows: a row is read when it is first asked for.
#pragma once
#include "compiler/ptx/call.h"

namespace tilewright::ptx {

std::size_t row_count();
std::size_t row_index(const Row& row);  // its place in rows()
// The syntax (words.h) of the first row of a known family.
std::string family_syntax(std::string_view name);

// As refusal_of, for words that are known to be legal (fault_of finds nothing): those of a call that was made.
std::optional<std::string> operands_refusal(const Candidate& candidate, const Call& call, Resolved& out);

}  // namespace tilewright::ptx
