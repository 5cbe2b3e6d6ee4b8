// Texts by their code points: what ascii() writes, and str.maketrans() with translate().
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "compiler/script/python/support.h"

namespace tilewright::script::python {

// Of the character that begins a text, which is not empty; `size`: its bytes.
std::uint32_t code_point_of(std::string_view text, std::size_t* size);
// What is beyond ASCII as \\xe9, \\u20ac, \\U0001f600.
std::string escaped(std::string_view text);
Value str_maketrans(Interpreter& in, const Arguments& args, Value self);
Value str_translate(Interpreter& in, const Arguments& args, Value self);

}  // namespace tilewright::script::python
