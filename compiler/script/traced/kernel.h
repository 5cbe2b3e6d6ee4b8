// Kernels of the traced library: `@txl.kernel(warps=..., ...)` runs the function below it once, as plain Python, with
// its parameters as run-time values, and what it calls makes the statements (dialects.md 7).
//
// What surrounds the body (attributes, ids of the launch, roles, the pool of shared memory) is Python of the prelude,
// in its files traced_*.py; here is what needs the kernel under construction.
#pragma once
#include <span>
#include <string_view>

#include "compiler/script/interpreter.h"

namespace tilewright::script {

struct Record;

// Parameters and body of the kernel under construction; `options`: what the decorator was given, by name. Error:
// everything stops.
Flow trace_kernel(Interpreter& in, Function* f, const Arguments& options);
// Behind the last statement: branches of roles that follow each other become one chain, and what a traced kernel may
// not do is reported.
void finish_traced(Interpreter& in, ir::Kernel& kernel);

// Is it the library's module, or one below it? The library's own sources are never run.
bool is_traced_library(std::string_view dotted);
Value traced_module(Interpreter& in, std::string_view dotted);
// Has the script imported it so far?
bool uses_traced_library(Interpreter& in);

}  // namespace tilewright::script
