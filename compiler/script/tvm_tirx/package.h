// The package that follows 0.27, `from tvm_tirx.script import tirx as T` (dialects.md 8): its `T` is that of 0.27 but
// for the names of package.cpp, its instructions are those of 0.27, and tiles are moved by T.cuda.tile (tile.cpp).
//
// A kernel says its launch as a value, a plain assignment binds a name, and only what is declared with a dtype can be
// stored to. Launch and ids are Python of the prelude, tirx_launch.py.
#pragma once
#include <span>
#include <string_view>

#include "compiler/script/interpreter.h"

namespace tilewright::script {

struct Record;
std::span<const Record> package_records();
std::span<const Record> package_tile_records();  // of T.cuda.tile

// `tvm_tirx`, or a module below it.
bool is_tirx_package(std::string_view dotted);
// Does a statement of the module import it?
bool imports_tirx_package(const syntax::Tree& tree);
// Error: it is pending.
Value tirx_package(Interpreter& in, std::string_view dotted);

// Was it decorated by this package?
bool is_package_function(const Function& f);
// Before the parameters of its kernel are made.
void begin_package_kernel(Interpreter& in);
// Did the script give this tensor in registers no layout?
bool lacks_layout(Interpreter& in, const ir::Buffer* buffer);
// Notes what a plain assignment bound, and an expression with such names in place: what of it is arithmetic of indices.
void note_value(Interpreter& in, const ir::Var* var, ir::Expr value);
ir::Expr with_values(Interpreter& in, ir::Expr e);
// Is the kernel under construction one of the package? `scope`: of the statement; the prelude's own code is not.
bool is_package_kernel(const KernelState& kernel, const Scope* scope);

}  // namespace tilewright::script
