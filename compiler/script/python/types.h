// What others use of the built-in classes and their constructors.
#pragma once
#include "compiler/script/python/support.h"

namespace tilewright::script::python {

Value construct_dict(Interpreter& in, const Arguments& args, Value self);
// An integer written as text, as int(text, base) reads it; nothing when it is none or too large.
std::optional<__int128> parse_integer(std::string_view text, int base);

}  // namespace tilewright::script::python
