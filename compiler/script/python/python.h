// The host's Python as the interpreter sees it; the registration functions are in interpreter.h.
#pragma once
#include "compiler/script/interpreter.h"

namespace tilewright::script {

// Called after a class body ran, before its decorators: turns the assignments of an enum into members and gives a
// NamedTuple its constructor. `cls->fields` holds the annotated names of the body, in order. May leave a pending error.
void finish_class(Interpreter& in, Class* cls);

}  // namespace tilewright::script
