// What the files of the `T` namespace share.
#pragma once
#include "compiler/intrinsics/intrinsic.h"
#include "compiler/script/interpreter.h"
#include "compiler/script/surface.h"

namespace tilewright::script {

using builder::BufferOptions;

// A row that the named release no longer has.
constexpr Record until(text::Dialect release, Record row) {
  row.releases = text::until(release);
  return row;
}

// Storage with its statement, as a value; it has no name yet.
Value allocate(Interpreter& in, const BufferOptions& options, text::Span span);
Value alloc_local(Interpreter& in, ir::DataType dtype, const std::vector<ir::Expr>& extents, text::Span span);
// The variable of a T.let binding; `type`: what its annotation says of a pointer, or null. Without a name one to be
// named.
ir::Var* bind_value(Interpreter& in, std::string_view name, ir::Expr value, const TypeAnnotation* type,
                    text::Span span);
// Parameters of a kernel from its annotations; false with a pending error.
bool bind_kernel_parameters(Interpreter& in, Function* f, const Arguments* constexprs, Scope* scope);
// Registers that tcgen05.ld.<shape> fills with (rows, columns), in the script's release (layout_helpers.cpp).
layout::Result<layout::Layout> fragment_layout(Interpreter& in, std::string_view shape, std::int64_t rows,
                                               std::int64_t columns, ir::DataType dtype);
// A region of a buffer: the same for slices and missing indices.
Value make_region(Interpreter& in, const ir::Buffer* buffer, const std::vector<ir::Range>& ranges);

// A namespace whose names are those of a space of the surface; `lookup` is lookup_surface, or asks it first.
Value surface_space(Interpreter& in, std::string path, std::string_view space,
                    Value (*lookup)(Interpreter&, Namespace&, std::string_view));
Value lookup_surface(Interpreter& in, Namespace& self, std::string_view name);
// The release whose names a namespace gives: that of the script; of the prelude's own code the first.
text::Dialect release_of(const Interpreter& in, const Namespace& space);
// What makes an expression of the reference's class of this name; null: it is no expression (expressions.cpp).
NativeFunction expression_constructor(std::string_view name);
// Calls the mathematical function of this name; Error tag without a pending error: there is none.
Value call_math(Interpreter& in, std::string_view name, const Arguments& args);

// The reference's class of this name, one an evaluation; null: none that scripts can tell apart (classes.cpp).
Class* tirx_class(Interpreter& in, std::string_view name);
// The class of a value that is an object of the reference; null for plain Python.
Class* tirx_type_of(Interpreter& in, Value v);
// What makes a layout of the class of this name, or null; and the makers that stand in the class itself (layouts.cpp).
NativeFunction layout_constructor(std::string_view name);
void add_layout_makers(Interpreter& in, Class* cls);
// The target serves the call of a row, or another one does where that is still open. False: an error is pending.
bool is_served(Interpreter& in, const intrinsics::Intrinsic& row, std::span<const ir::Expr> sample,
               const std::string& shown, text::Span call);
// `T.ptx` of 0.27 (instructions.cpp): is it a chain of words, its call, the chain of a text, and its record.
bool is_instruction(const Namespace& n);
Value call_instruction(Interpreter& in, const Namespace& chain, const Arguments& args);
Value instruction_named(Interpreter& in, Value text, text::Span span);
Record ptx_record();
// `tvm` or a module in it by its whole name; opaque: host code (packages.cpp).
Value tvm_package(Interpreter& in, std::string_view dotted);

}  // namespace tilewright::script
