// A traced kernel is plain Python, in which `and`, `or` and `not` ask for the truth of a value at once: run-time values
// have none.
#pragma once
#include "compiler/script/interpreter.h"

namespace tilewright::script {

bool refuses_truth(Interpreter& in);
// Fails at `what`, which is written by `instead`.
Value no_truth(Interpreter& in, text::Span at, std::string_view what, std::string_view instead);

}  // namespace tilewright::script
