// The names of a module as a dict: `globals()`, `exec()` without a namespace of its own.
#pragma once
#include "compiler/script/interpreter.h"

namespace tilewright::script::python {

// What a call of globals(), locals() or exec() without arguments of their own gives in this scope. None: it is another
// call, or one that is not followed.
Value call_on_names(Interpreter& in, const syntax::Call* call, Value function, Scope* scope);

// `value` is bound to a name of the module that is not known: each of its own may be it. False: a limit is pending.
bool bind_any(Interpreter& in, Scope* scope, Value unknown, Value value);

}  // namespace tilewright::script::python
