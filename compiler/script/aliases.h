// Values that are not known and may be parts of containers of the script.
#pragma once
#include "compiler/script/interpreter.h"

namespace tilewright::script {

// A part of the container, at an index that is not known.
Value one_within(Interpreter& in, Value unknown, Value container, text::Span at);
// What a function of ours gives, where that is not known: it may be a part of what the function was given.
Value one_given(Interpreter& in, Value unknown, const Native* function, const Arguments& arguments);
// A call of a generator or an asynchronous function, whose body is not followed: what it may change is unknown.
Value unfollowed_call(Interpreter& in, const Function* function, const Arguments& arguments, Value self);

}  // namespace tilewright::script
