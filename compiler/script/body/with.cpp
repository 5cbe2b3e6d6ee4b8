// `with` in a kernel: attributes, launch dimensions, roles of the prelude, context managers of the script.
#include "compiler/script/body/kernel_body.h"

namespace tilewright::script {

Flow KernelBody::with_items(const syntax::With* node, std::size_t index, Scope* scope) {
  if (index == node->items.size()) return run(node->body, scope);
  const syntax::WithItem& item = node->items[index];
  Value v = in_.eval(item.value, scope);
  if (v.is_error()) return Flow::Error;
  if (v.is_poison()) {  // who would run the body is not known: it is looked into for errors of its own
    poison(item.target, scope);
    kernel_.open();
    Flow flow = with_items(node, index + 1, scope);
    kernel_.close(origin(node));
    return flow;
  }
  if (Frame* f = v.as<Frame>()) return with_frame(node, index, f, scope);
  const ir::Var* thread = v.is_expr() ? v.as_expr().as<ir::Var>() : nullptr;
  if (thread && thread->role == ir::VarRole::ScopeId) return with_launch(node, index, thread, scope);
  Instance* instance = v.as<Instance>();
  if (instance && instance->cls->find("__branch__")) return with_role(node, index, v, scope);
  if (instance && instance->cls->find("__enter__")) return with_manager(node, index, v, scope);
  return fail(code::kType, at(item.value), std::string(type_name(v)) + " cannot be used in a with statement",
              "use a frame such as T.attr(...), or a context manager");
}

Flow KernelBody::with_frame(const syntax::With* node, std::size_t index, Frame* f, Scope* scope) {
  const syntax::WithItem& item = node->items[index];
  if (f->kind == FrameKind::Loop || f->kind == FrameKind::Grid) {
    return fail(code::kLoop, at(item.value), "a loop is written with for, not with");
  }
  if (item.target) {
    Value bound = f->var ? Value::expr(f->var) : Value::object(f);
    if (!assign_target(item.target, bound, scope, node)) return Flow::Error;
  }
  kernel_.open();
  Flow flow = with_items(node, index + 1, scope);
  builder::Block made = close(flow, at(node));
  if (!made) return flow;
  if (f->kind == FrameKind::Attribute)
    kernel_.attributes(origin(item.value), f->attributes, f->node, made);
  else
    kernel_.emit(made);
  return Flow::Normal;
}

// with T.launch_thread(...) as x
Flow KernelBody::with_launch(const syntax::With* node, std::size_t index, const ir::Var* thread, Scope* scope) {
  const syntax::WithItem& item = node->items[index];
  const ir::Attr* taken = kernel_.take_launch(thread);
  if (item.target && !assign_target(item.target, Value::expr(thread), scope, node)) return Flow::Error;
  if (!taken) return with_items(node, index + 1, scope);
  kernel_.open();
  Flow flow = with_items(node, index + 1, scope);
  if (builder::Block made = close(flow, at(node))) kernel_.launch_for(taken, made);
  return flow;
}

// A role of the prelude: the body stands under the branch that `__branch__` gives, behind what `__prologue__` emits.
// The evaluator opens and closes the branch itself, so that no script can leave one open.
Flow KernelBody::with_role(const syntax::With* node, std::size_t index, Value role, Scope* scope) {
  const syntax::WithItem& item = node->items[index];
  text::Span span = at(item.value);
  Value c = in_.call(in_.attribute(role, "__branch__", span), std::span<const Value>(), span);
  if (c.is_error()) return Flow::Error;
  ir::Expr condition;
  if (!c.is_poison()) {
    condition = in_.as_expr(c, span, "the condition of this role");
    if (!condition) return Flow::Error;
  }
  if (item.target && !assign_target(item.target, role, scope, node)) return Flow::Error;
  kernel_.open();
  bool failed = false;
  if (role.as<Instance>()->cls->find("__prologue__")) {
    failed = in_.call(in_.attribute(role, "__prologue__", span), std::span<const Value>(), span).is_error();
  }
  Flow flow = failed ? Flow::Error : with_items(node, index + 1, scope);
  builder::Block made = close(flow, at(node));
  if (!made) return flow;
  if (condition) kernel_.branch(in_.origin(span), condition, made, nullptr);
  return Flow::Normal;
}

Flow KernelBody::with_manager(const syntax::With* node, std::size_t index, Value manager, Scope* scope) {
  const syntax::WithItem& item = node->items[index];
  text::Span span = at(item.value);
  Value entered = in_.call(in_.attribute(manager, "__enter__", span), std::span<const Value>(), span);
  if (entered.is_error()) return Flow::Error;
  if (item.target && !assign_target(item.target, entered, scope, node)) return Flow::Error;
  Flow flow = with_items(node, index + 1, scope);
  if (flow == Flow::Error) return flow;
  Value args[] = {Value::none(), Value::none(), Value::none()};
  if (in_.call(in_.attribute(manager, "__exit__", span), args, span).is_error()) return Flow::Error;
  return flow;
}

}  // namespace tilewright::script
