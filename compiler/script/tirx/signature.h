// Extents that a kernel's signature names: T.Buffer(("n", "2 * n"), "float32"), from release 0.26 on.
//
// With `from __future__ import annotations` a quoted extent is an expression whose unknown names become variables of
// the kernel. The shape of a tensor binds them at the launch; `n = T.int32()` in the body and a parameter `n: T.int32`
// mean the same variable.
#pragma once
#include "compiler/script/tirx/tirx.h"

namespace tilewright::script {

// Does the module around begin with `from __future__ import annotations`?
bool defers_annotations(Scope* scope);
// What the annotation of a parameter denotes. Error: that is pending.
Value parameter_annotation(Interpreter& in, const Function& f, const syntax::Parameter& p, Scope* scope);
// The variable of the signature that `name` denotes in its scope; null: it denotes something else.
const ir::Var* extent_of_signature(Interpreter& in, const syntax::Name& name, Scope* scope);
// Is it declared once more with the same type? `value`: a dtype, or a fresh variable. False: an error is pending.
bool takes_extent(Interpreter& in, const ir::Var& var, Value value, text::Span span);

}  // namespace tilewright::script
