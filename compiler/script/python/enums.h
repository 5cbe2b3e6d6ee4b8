// Members of enumerations while their class body runs.
#pragma once
#include "compiler/script/interpreter.h"

namespace tilewright::script::python {

// An auto() that the class body has just bound gets its number, so that the statements that follow can use it. False
// after an error.
bool number_autos(Interpreter& in, Class* cls);

}  // namespace tilewright::script::python
