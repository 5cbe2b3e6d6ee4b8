// Modules and functions of Python that one file each gives, for the tables of library.cpp and builtins.cpp.
#pragma once
#include <span>
#include <string_view>

#include "compiler/script/python/support.h"

namespace tilewright::script::python {

std::span<const Entry> torch_cuda_names();  // torch_cuda.cpp
Value torch_cuda_name(Interpreter& in, std::string_view name);
std::span<const Entry> random_names();  // random.cpp
Value random_name(Interpreter& in, std::string_view name);
std::span<const Entry> re_names();  // patterns.cpp
// The path of a text that exec() runs.
inline constexpr std::string_view kExecuted = "<exec>";
Value py_exec(Interpreter& in, const Arguments& args, Value self);  // execute.cpp

}  // namespace tilewright::script::python
