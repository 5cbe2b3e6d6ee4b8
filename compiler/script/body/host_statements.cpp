// Statements as Python runs them, one after the other; and what stands in one line.
#include <algorithm>

#include "compiler/script/arrivals.h"
#include "compiler/script/body/host_body.h"
#include "compiler/script/python/support.h"
#include "compiler/script/tvm_tirx/package.h"

namespace tilewright::script {

using syntax::NodeKind;

Flow Interpreter::exec_host(syntax::Stmts body, Scope* scope) { return HostBody(*this).run(body, scope); }

Flow HostBody::run(syntax::Stmts body, Scope* scope) {
  for (const syntax::Node* node : body) {
    if (!in_.step(at(node))) return Flow::Error;
    Flow flow = one(node, scope);
    if (flow != Flow::Normal) return flow;
  }
  return Flow::Normal;
}

Flow HostBody::one(const syntax::Node* node, Scope* scope) {
  ++in_.acts_;
  switch (node->kind) {
    case NodeKind::ExprStmt: return expression(syntax::as<syntax::ExprStmt>(node), scope);
    case NodeKind::Assign: return assign_all(syntax::as<syntax::Assign>(node), scope);
    case NodeKind::AnnAssign: return annotated(syntax::as<syntax::AnnAssign>(node), scope);
    case NodeKind::AugAssign: return augmented(syntax::as<syntax::AugAssign>(node), scope);
    case NodeKind::Return: return return_(syntax::as<syntax::Return>(node), scope);
    case NodeKind::If: return branch(syntax::as<syntax::If>(node), scope);
    case NodeKind::For: return loop(syntax::as<syntax::For>(node), scope);
    case NodeKind::While: return while_loop(syntax::as<syntax::While>(node), scope);
    case NodeKind::With: return with(syntax::as<syntax::With>(node), scope);
    case NodeKind::FunctionDef: return function(syntax::as<syntax::FunctionDef>(node), scope);
    case NodeKind::ClassDef: return class_(syntax::as<syntax::ClassDef>(node), scope);
    case NodeKind::Import: return flow_of(in_.modules_.import_names(syntax::as<syntax::Import>(node), scope));
    case NodeKind::ImportFrom: return flow_of(in_.modules_.import_from(syntax::as<syntax::ImportFrom>(node), scope));
    case NodeKind::Raise: return raise(syntax::as<syntax::Raise>(node), scope);
    case NodeKind::Assert: return assertion(syntax::as<syntax::Assert>(node), scope);
    case NodeKind::Pass: return Flow::Normal;
    case NodeKind::Break: return Flow::Break;
    case NodeKind::Continue: return Flow::Continue;
    case NodeKind::Global:
      for (const syntax::Name& n : syntax::as<syntax::Global>(node)->names) scope->globals.push_back(n);
      return Flow::Normal;
    case NodeKind::Nonlocal:
      for (const syntax::Name& n : syntax::as<syntax::Nonlocal>(node)->names) scope->nonlocals.push_back(n);
      return Flow::Normal;
    case NodeKind::Delete: return delete_(syntax::as<syntax::Delete>(node), scope);
    case NodeKind::Try: return try_(syntax::as<syntax::Try>(node), scope);
    case NodeKind::Match: return in_.match_host(syntax::as<syntax::Match>(node), scope);
    case NodeKind::TypeAlias:
      scope->set(syntax::as<syntax::TypeAlias>(node)->name, Value::opaque("a type alias"));
      return Flow::Normal;
    case NodeKind::BrokenStmt:  // what it would have bound stays silent from here on
      for (const syntax::Name& n : syntax::as<syntax::BrokenStmt>(node)->names) {
        if (!scope->find(n)) scope->set(n, Value::poison());
      }
      return Flow::Normal;
    default: return flow_of(!in_.eval(node, scope).is_error());
  }
}

Flow HostBody::expression(const syntax::ExprStmt* node, Scope* scope) {
  Value v = in_.eval(node->value, scope);
  if (v.is_error()) return Flow::Error;
  // What it would have done to the kernel is not known.
  if (in_.kernel_ && v.is_opaque() && *v.reason() == '`' && node->value->kind == NodeKind::Call) {
    in_.fail(code::kOpaque, at(node), "this call is not known here: " + in_.whence(v), in_.remedy(v));
    return Flow::Error;
  }
  // In a helper of a script a frame that no `with` enters says nothing; pools of the prelude say their size so.
  if (Frame* f = in_.kernel_ && is_of_prelude(scope) ? v.as<Frame>() : nullptr; f && f->kind == FrameKind::Attribute) {
    in_.kernel_->attributes(in_.origin(at(node)), f->attributes, f->node);
  }
  // A call without a value makes its statement.
  const bool emits = in_.kernel_ && (in_.kernel_->traced || is_package_kernel(*in_.kernel_, scope));
  const auto* call = emits && v.is_expr() ? v.as_expr().as<ir::Call>() : nullptr;
  if (call && call->dtype.is_void()) in_.kernel_->evaluate(in_.origin(at(node)), v.as_expr());
  if (PendingStore* store = in_.kernel_ ? v.as<PendingStore>() : nullptr) in_.kernel_->emit(store->store);
  return Flow::Normal;
}

Flow HostBody::return_(const syntax::Return* node, Scope* scope) {
  in_.return_value_ = node->value ? in_.eval(node->value, scope) : Value::none();
  return in_.return_value_.is_error() ? Flow::Error : Flow::Return;
}

Flow HostBody::raise(const syntax::Raise* node, Scope* scope) {
  Scope::Binding* handled = node->value ? nullptr : scope->find(kHandled);
  Value v = handled ? handled->value : Value::opaque("a re-raised exception");
  if (node->value) v = in_.eval(node->value, scope);
  if (Class* cls = v.as<Class>(); cls && cls->is_exception) v = in_.call(v, std::span<const Value>(), at(node));
  if (v.is_error()) return Flow::Error;
  if (node->cause) {
    const Value cause = in_.eval(node->cause, scope);
    if (cause.is_error()) return Flow::Error;
    if (Instance* instance = v.as<Instance>()) instance->set("__cause__", cause);
  }
  in_.raise(v, at(node));
  return Flow::Error;
}

Flow HostBody::assertion(const syntax::Assert* node, Scope* scope) {
  Value c = in_.eval(node->condition, scope);
  if (c.is_error()) return Flow::Error;
  if (c.is_opaque() && in_.is_caught()) {
    const Interpreter::Way holds{[] { return Flow::Normal; }}, fails{[&] {
      in_.fail(code::kRaised, at(node), "assertion failed", {}, "AssertionError");
      return Flow::Error;
    }};
    return in_.either(c, at(node->condition), scope, true, holds, fails);
  }
  if (c.is_opaque() || c.is_poison() || c.is_expr()) return Flow::Normal;
  auto t = in_.truth(c, at(node->condition));
  if (!t) return Flow::Error;
  if (*t) return Flow::Normal;
  std::string message = "assertion failed";
  std::vector<Value> said;
  if (node->message) {
    said.push_back(in_.eval(node->message, scope));
    if (said[0].is_error()) return Flow::Error;
    message += ": " + in_.str(said[0]);
  }
  in_.fail(code::kRaised, at(node), message, {}, "AssertionError");
  Class* cls = python::class_named(in_, "AssertionError");
  if (cls && in_.errors_.pending)
    in_.errors_.pending->exception = Value::object(python::make_exception(in_, cls, std::move(said)));
  return Flow::Error;
}

Flow HostBody::function(const syntax::FunctionDef* node, Scope* scope) {
  Value v = in_.define_function(node, scope);
  if (v.is_error()) return Flow::Error;
  scope->set(node->name, v);
  return Flow::Normal;
}

Flow HostBody::class_(const syntax::ClassDef* node, Scope* scope) {
  Value v = in_.define_class(node, scope);
  if (v.is_error()) return Flow::Error;
  scope->set(node->name, v);
  return Flow::Normal;
}

Flow HostBody::delete_(const syntax::Delete* node, Scope* scope) {
  return flow_of(std::ranges::all_of(node->targets, [&](const syntax::Node* t) { return in_.delete_host(t, scope); }));
}

}  // namespace tilewright::script
