// Members of enumerations while their class body runs, and combinations of those of flags.
#pragma once
#include "compiler/script/interpreter.h"

namespace tilewright::script::python {

// An auto() that the class body has just bound gets its number, so that the statements that follow can use it. False
// after an error.
bool number_autos(Interpreter& in, Class* cls);

// Enum("Name", "A B"), Enum("Name", {"A": 1}): a class that a call of a base without members makes.
Value enum_by_call(Interpreter& in, Class* base, const Arguments& args);

// ---- enum.Flag and enum.IntFlag (flags.cpp) ----

// Set in a class whose `boundary=` says what becomes of bits that no member has: its combinations are not followed.
inline constexpr std::string_view kBoundary = "<boundary>";

bool is_flag_class(const Class* cls);
// `in`, iteration, len() and truth of members; for the class Flag itself.
void add_flag_methods(Interpreter& in, Class* cls);
// The member of a flag with this value, named or not; opaque where the class has its own ways to make one.
Value flag_member(Interpreter& in, Class* cls, Value wanted, text::Span span);
// a | b, a & b, a ^ b and ~v of members; None: it is none of these.
Value combined_flags(Interpreter& in, syntax::Operator op, Value a, Value b, text::Span span);
Value inverted_flag(Interpreter& in, Value v, text::Span span);

}  // namespace tilewright::script::python
