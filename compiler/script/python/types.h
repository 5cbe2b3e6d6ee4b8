// The built-in classes and their constructors.
#pragma once
#include "compiler/script/python/support.h"

namespace tilewright::script::python {

void install_types(Interpreter& in, Scope* scope);       // int, str, list, ...
void install_exceptions(Interpreter& in, Scope* scope);  // BaseException and below

Value construct_dict(Interpreter& in, const Arguments& args, Value self);
// An integer written as text, as int(text, base) reads it; nothing when it is none or too large.
std::optional<__int128> parse_integer(std::string_view text, int base);

}  // namespace tilewright::script::python
