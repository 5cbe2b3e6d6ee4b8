// What the files of the `T` namespace share.
#pragma once
#include "compiler/script/interpreter.h"

namespace tilewright::script {

// Options of a buffer constructor (surface.md 4.1), evaluated.
struct BufferOptions {
  ir::DataType dtype = ir::kFloat32;
  std::vector<ir::Expr> shape;
  std::vector<ir::Expr> strides;
  const ir::Var* data = nullptr;
  ir::Expr elem_offset;
  ir::StorageScope scope = ir::StorageScope::Global;
  std::string_view scope_text;
  int align = 64;
  const layout::Layout* layout = nullptr;  // null with default_layout: row-major of the shape
  bool default_layout = true;
  ir::Expr allocated_addr;
  bool is_scalar = false;
};
// Makes the buffer; without data a data variable of its own (none for tmem).
ir::Buffer* make_buffer(Interpreter& in, const BufferOptions& options, text::Span span);
// Emits the allocation and remembers the buffer as not yet named.
Value allocate(Interpreter& in, const BufferOptions& options, text::Span span);
Value alloc_local(Interpreter& in, ir::DataType dtype, const std::vector<ir::Expr>& extents, text::Span span);
const ir::Buffer* make_local_scalar(Interpreter& in, std::string_view name, ir::DataType dtype, text::Span span);
// The variable of a T.let binding: pointers keep what they point to.
ir::Var* make_pointer_or_value_var(Interpreter& in, std::string_view name, ir::Expr value, const TypeAnnotation* type);
// Parameters of a kernel from its annotations; false with a pending error.
bool bind_kernel_parameters(Interpreter& in, Function* f, const Arguments* constexprs, Scope* scope);
// A region of a buffer: the same for slices and missing indices.
Value make_region(Interpreter& in, const ir::Buffer* buffer, const std::vector<ir::Range>& ranges);

// Members of `T`, one function a file; Error tag without a pending error: not mine.
Value scope_id_member(Interpreter& in, std::string_view name);
Value buffer_member(Interpreter& in, std::string_view name);
Value loop_member(Interpreter& in, std::string_view name);
Value expression_member(Interpreter& in, std::string_view name);
Value decorator_member(Interpreter& in, std::string_view name);
Value statement_member(Interpreter& in, std::string_view name);
Value math_member(Interpreter& in, std::string_view name);
// Calls the mathematical function of this name; Error tag without a pending error: there is none.
Value call_math(Interpreter& in, std::string_view name, const Arguments& args);

// The reference's class of this name, one an evaluation; null: none that scripts can tell apart (classes.cpp).
Class* tirx_class(Interpreter& in, std::string_view name);
// The class of a value that is an object of the reference; null for plain Python.
Class* tirx_type_of(Interpreter& in, Value v);
// What makes a layout of the class of this name, or null; and the makers that stand in the class itself (layouts.cpp).
NativeFunction layout_constructor(std::string_view name);
void add_layout_makers(Interpreter& in, Class* cls);
// `tvm` or a module in it by its whole name; opaque: host code (packages.cpp).
Value tvm_package(Interpreter& in, std::string_view dotted);

// A table of names and functions, searched by name.
struct Member {
  std::string_view name;
  NativeFunction function;
};
Value find_member(Interpreter& in, std::span<const Member> table, std::string_view name);

}  // namespace tilewright::script
