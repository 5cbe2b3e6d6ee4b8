// Script mode: walks the body of a kernel or of an inlined function and says to the builder of the kernel what each
// statement means (surface.md 5). The values of a script are decided here, nodes of the kernel are made there
// (builder/kernel_builder.h).
//
// Each statement is a recovery point: what it would have bound is poisoned, and the next one goes on.
#pragma once
#include "compiler/script/interpreter.h"

namespace tilewright::script {

class KernelBody {
 public:
  explicit KernelBody(Interpreter& in) : in_(in), kernel_(*in.kernel_) {}

  // Normal, Return, or Error with a pending error that nothing recovers from.
  Flow run(syntax::Stmts body, Scope* scope);

 private:
  text::Span at(const syntax::Node* n) const { return in_.span(n); }
  ir::Origin origin(const syntax::Node* n) const { return in_.origin(at(n)); }
  Scope* block(Scope* parent);
  Flow fail(std::string_view code, text::Span span, std::string message, std::string hint = {}) {
    in_.fail(code, span, std::move(message), std::move(hint));
    return Flow::Error;
  }

  // ---- statements.cpp
  Flow one(const syntax::Node* node, Scope* scope);
  Flow unsupported(const syntax::Node* node);
  Flow expression(const syntax::ExprStmt* node, Scope* scope);
  // A frame used as a statement stays open until the enclosing block ends.
  Flow open_frame(Frame* f, const syntax::Node* node);
  Flow jump(const syntax::Node* node);
  Flow assertion(const syntax::Assert* node, Scope* scope);
  // Nothing: an error is pending.
  std::optional<std::string> assertion_message(const syntax::Assert* node, Scope* scope);
  Flow return_(const syntax::Return* node, Scope* scope);
  Flow given_back(const syntax::Return* node, Scope* scope);
  Flow nested(const syntax::FunctionDef* node, Scope* scope);
  void poison(const syntax::Node* target, Scope* scope);
  void poison_targets(const syntax::Node* node, Scope* scope);

  // ---- assignment.cpp; false: an error is pending
  bool bind_name(const syntax::Name& name, Value value, Scope* scope, text::Span span, const syntax::Node* node);
  // A name that the block does not have yet.
  bool bind_fresh(const syntax::Name& name, Value value, bool meta, Scope* scope, text::Span span,
                  const syntax::Node* node);
  // As part of an unpacking.
  bool bind_new(const syntax::Name& name, Value value, Scope* scope, text::Span span, const syntax::Node* node);
  bool assign_target(const syntax::Node* target, Value value, Scope* scope, const syntax::Node* node);
  bool unpack(const syntax::Node* target, syntax::Exprs elements, Value value, Scope* scope, const syntax::Node* node);
  bool unpack_into(const syntax::Node* element, Value item, Scope* scope, const syntax::Node* node);
  Flow assign(const syntax::Assign* node, Scope* scope);
  // Assigns with messages about the value pointing at it.
  Flow assign_from(const syntax::Node* source, const syntax::Node* target, Value v, Scope* scope,
                   const syntax::Node* node);
  Flow augmented(const syntax::AugAssign* node, Scope* scope);
  Flow annotated(const syntax::AnnAssign* node, Scope* scope);
  Flow declare(const syntax::AnnAssign* node, const syntax::Name& name, const DataTypeValue& type, Value value,
               Scope* scope);
  Flow let(const syntax::AnnAssign* node, const syntax::Name& name, const TypeAnnotation& annotation, Value value,
           Scope* scope);
  // The value of the statement, converted to a dtype; null: an error is pending.
  ir::Expr converted(const syntax::AnnAssign* node, ir::Expr value, ir::DataType dtype);
  void make_scalar(const syntax::Name& name, ir::DataType dtype, ir::Expr initial, Scope* scope, text::Span span);

  // ---- control.cpp
  // A block of its own for these statements. Null: an error that nothing recovers from.
  builder::Block body(syntax::Stmts statements, Scope* scope, text::Span span);
  // Ends the open block, which `flow` came out of. Null: it came out with an error that nothing recovers from.
  builder::Block close(Flow flow, text::Span span);
  // Looks for errors of their own in statements of which it is not known whether they run; nothing is kept.
  Flow look_into(std::initializer_list<syntax::Stmts> arms, Scope* scope, text::Span span);
  Flow branch(const syntax::If* node, Scope* scope);
  Value iterable(const syntax::For* node, Scope* scope);
  Value serial_range(const syntax::Call* call, const syntax::NameRef* callee, const syntax::For* node, Scope* scope);
  Flow loop(const syntax::For* node, Scope* scope);
  Flow while_loop(const syntax::While* node, Scope* scope);
  void dropped_else(syntax::Stmts body);

  // ---- with.cpp
  Flow with(const syntax::With* node, Scope* scope) { return with_items(node, 0, block(scope)); }
  // The items from `index` on, and the body.
  Flow with_items(const syntax::With* node, std::size_t index, Scope* scope);
  Flow with_frame(const syntax::With* node, std::size_t index, Frame* frame, Scope* scope);
  Flow with_launch(const syntax::With* node, std::size_t index, const ir::Var* thread, Scope* scope);
  Flow with_role(const syntax::With* node, std::size_t index, Value role, Scope* scope);
  Flow with_manager(const syntax::With* node, std::size_t index, Value manager, Scope* scope);

  Interpreter& in_;
  KernelState& kernel_;
};

// The one-element buffer that a bound value reads, or null.
const ir::Buffer* scalar_of(Value v);

}  // namespace tilewright::script
