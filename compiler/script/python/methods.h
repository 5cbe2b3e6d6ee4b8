// Tables of the methods of built-in types. Each native finds its object in `self`.
#pragma once
#include "compiler/script/python/support.h"

namespace tilewright::script::python {

std::span<const Entry> str_methods();   // text.cpp
std::span<const Entry> list_methods();  // containers.cpp
std::span<const Entry> tuple_methods();
std::span<const Entry> dict_methods();
std::span<const Entry> set_methods();

Value dict_fromkeys(Interpreter& in, const Arguments& args, Value self);
// Has Python's object an attribute of this name? Nothing: it is of no type whose names are listed here.
std::optional<bool> has_python_name(Interpreter& in, Value v, std::string_view name);
const Entry* find_entry(std::span<const Entry> entries, std::string_view name);

}  // namespace tilewright::script::python
