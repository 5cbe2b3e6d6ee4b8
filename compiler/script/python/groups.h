// itertools.groupby and functools.cmp_to_key.
#pragma once
#include "compiler/script/interpreter.h"

namespace tilewright::script::python {

// groupby(iterable, key=None). A group is over once the next one is asked for, as in Python.
Value group_by(Interpreter& in, const Arguments& args, Value self);
// cmp_to_key(compare): what makes keys that are ordered by `compare`.
Value cmp_to_key(Interpreter& in, const Arguments& args, Value self);

}  // namespace tilewright::script::python
