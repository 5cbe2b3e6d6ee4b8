// The exception with which an iterator says that it has no more items.
#pragma once
#include "compiler/script/interpreter.h"

namespace tilewright::script {

// Raises StopIteration, with what the generator returned as its `value`. `words`: what is said if nothing catches it.
Value stop_iteration(Interpreter& in, Value iterator, std::string words, text::Span span);

}  // namespace tilewright::script
