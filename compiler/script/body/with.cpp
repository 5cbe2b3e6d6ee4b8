// `with` in a kernel: attributes, launch dimensions, roles of the prelude, context managers of the script.
#include <algorithm>

#include "compiler/script/body/frames.h"
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
  const bool is_loop = f->kind == FrameKind::Loop || f->kind == FrameKind::Grid;
  // The variables of a loop are bound as they are; what a kernel assigns else may become a scalar.
  const std::function<bool(Value)> bind = [&](Value v) {
    auto* ref = syntax::as<syntax::NameRef>(item.target);
    if (is_loop && ref) {
      scope->set(ref->name, v);
      return true;
    }
    Tuple* variables = is_loop ? v.as<Tuple>() : nullptr;
    auto* names = syntax::as<syntax::Tuple>(item.target);
    const bool named = variables && names && names->elements.size() == variables->items.size() &&
                       std::ranges::all_of(names->elements, [](auto* n) { return syntax::as<syntax::NameRef>(n); });
    if (!named) return assign_target(item.target, v, scope, node);
    for (std::size_t i = 0; i < variables->items.size(); ++i) {
      scope->set(syntax::as<syntax::NameRef>(names->elements[i])->name, variables->items[i]);
    }
    return true;
  };
  const std::function<Flow()> rest = [&] { return with_items(node, index + 1, scope); };
  return in_frame(in_, Value::object(f), {at(item.value), at(node), item.target, bind, rest});
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
