// Writes kernels as script text (surface.md 15, 17): the form in which the reference prints them, readable again.
//
// One writer serves the evaluated kernel and the lowered one. Views print as `T.decl_buffer(..., data=...)`, scalars by
// their name alone; everything that has a default and equals it is left out.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/ir/kernel.h"
#include "compiler/text/names.h"

namespace tilewright::ir {

// How a call's arguments are written: this room does not know the operands of intrinsics.
struct PrintedArgument {
  std::string_view keyword;  // empty: positional
  std::span<const Expr> items;
  bool list = false;  // [a, b]; otherwise exactly one item
};
using ArgumentWriter = std::vector<PrintedArgument> (*)(const Call& call);

// Where a statement's text begins, in bytes of the printed text, and where it came from; ascending.
struct PrintedOrigin {
  std::size_t offset = 0;
  Origin origin;
};
// The whole script of a kernel. `arguments` spells the arguments of its calls; null: all of them by position.
std::string print_script(const Kernel& kernel, ArgumentWriter arguments, std::vector<PrintedOrigin>* origins = nullptr);

class ScriptWriter {
 public:
  ScriptWriter(ArgumentWriter arguments, text::Dialect release);

  std::string out;
  std::vector<PrintedOrigin>* origins = nullptr;  // null: origins are not wanted

  void header();  // comments and the module's class line
  void open() {
    names_.open();
    ++indent_;
    blocks_.push_back(declared_.size());
  }
  void close();
  void begin() { out.append(static_cast<std::size_t>(indent_) * 4, ' '); }
  void line(std::string_view text) {
    begin();
    out.append(text).append("\n");
  }

  // The name of a variable or buffer, given at its first mention.
  std::string_view name(const Var* var);
  std::string_view name(const Buffer* buffer);
  void rename(const Var* var, std::string text) { vars_[var] = std::move(text); }
  // From now on `data` prints as `<buffer>.data`.
  void owns(const Buffer* buffer) { owners_[buffer->data] = buffer; }

  void statement(const Stmt* s);
  void block(const Stmt* s);  // an indented body, `pass` when empty
  void statements(StmtList list);
  void expression(Expr e, int outer = 0);
  void list(std::span<const Expr> items);
  void shape(std::span<const Expr> extents);  // (a, b), (n,)
  // shape, dtype and what differs from the defaults; `scope` is left to the caller's function when it is implied.
  void declaration(const Buffer& buffer, bool with_data, bool with_scope);
  std::string dtype_call(DataType dtype);  // T.int32, T.bool
  // `A: T.handle("float16")`: a parameter of a kernel, by its variable.
  void parameter(const Param& param);

 private:
  void call(const Call& call);
  void string(std::string_view text);
  void integer(const IntImm& imm, int outer);
  void floating(const FloatImm& imm);
  void element(const Buffer* buffer, std::span<const Expr> indices);
  void region(const Region& region);
  void operand(const Operand& operand);
  void tile_call(const TileCall* s);
  void loop(const For* s);
  void branch(const If* s, std::string_view keyword);
  void scope_ids(const ScopeIds* s);
  void bind(const Bind* s);
  void let_type(const Var& var);  // what stands in the brackets of T.let
  void declare_view(const Buffer* buffer);
  void evaluate(Expr value);
  void attribute(const Attr* s);
  void comment(std::string_view text);  // on one line
  void allocate(const Buffer* buffer, const Store* initial);
  bool prints_as_scalar(const Buffer* buffer) const;

  ArgumentWriter arguments_;
  text::Dialect release_;
  text::Names names_;
  int indent_ = 0;
  std::unordered_map<const Var*, std::string> vars_;
  std::unordered_map<const Buffer*, std::string> buffers_;
  std::unordered_map<const Var*, const Buffer*> owners_;
  std::vector<const Buffer*> declared_;  // views of the open blocks
  std::vector<std::size_t> blocks_;
};

}  // namespace tilewright::ir
