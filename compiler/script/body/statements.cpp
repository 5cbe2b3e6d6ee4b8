// Statements of a kernel, one after the other, and those that stand in one line.
#include <algorithm>

#include "compiler/script/body/kernel_body.h"
#include "compiler/script/tvm_tirx/package.h"

namespace tilewright::script {

using syntax::NodeKind;

const ir::Buffer* scalar_of(Value v) {
  if (v.is_expr()) {
    const auto* l = v.as_expr().as<ir::Load>();
    return l && l->buffer->is_scalar && ir::is_one_element(*l->buffer) ? l->buffer : nullptr;
  }
  BufferValue* b = v.as<BufferValue>();
  return b && ir::is_one_element(*b->buffer) ? b->buffer : nullptr;
}

Flow KernelBody::run(syntax::Stmts body, Scope* scope) {
  for (const syntax::Node* node : body) {
    if (!in_.step(in_.span(node))) return Flow::Error;
    in_.script_scope_ = scope;
    // Bodies in bodies: the parser's limit on nesting is not ours.
    if (!in_.enter(2, in_.span(node))) return Flow::Error;
    Flow flow = one(node, scope);
    in_.leave(2);
    if (flow == Flow::Error) {
      if (in_.errors_.pending && in_.errors_.pending->unwinds) return Flow::Error;
      if (!in_.report_pending()) return Flow::Error;
      poison_targets(node, scope);
      continue;
    }
    if (flow == Flow::Return) return flow;
  }
  return Flow::Normal;
}

void KernelBody::poison(const syntax::Node* target, Scope* scope) {
  if (!target) return;
  if (auto* ref = syntax::as<syntax::NameRef>(target)) {
    // Names that the assignment would have left alone keep their meaning: those of this block and scalars around it.
    if (scope->find(ref->name)) return;
    if (Value* v = in_.find_binding(ref->name, scope); !v || !scalar_of(*v)) scope->set(ref->name, Value::poison());
  } else if (auto* t = syntax::as<syntax::Tuple>(target)) {
    for (const syntax::Node* e : t->elements) poison(e, scope);
  } else if (auto* l = syntax::as<syntax::List>(target)) {
    for (const syntax::Node* e : l->elements) poison(e, scope);
  } else if (auto* s = syntax::as<syntax::Starred>(target)) {
    poison(s->value, scope);
  }
}

void KernelBody::poison_targets(const syntax::Node* node, Scope* scope) {
  if (auto* a = syntax::as<syntax::Assign>(node)) {
    for (const syntax::Node* t : a->targets) poison(t, scope);
  } else if (auto* a = syntax::as<syntax::AnnAssign>(node)) {
    poison(a->target, scope);
  } else if (auto* d = syntax::as<syntax::FunctionDef>(node)) {
    scope->set(d->name, Value::poison());
  } else if (auto* w = syntax::as<syntax::With>(node)) {
    for (const syntax::WithItem& item : w->items) poison(item.target, scope);
  }
}

Scope* KernelBody::block(Scope* parent) {
  Scope* s = in_.make<Scope>();
  s->parent = parent;
  s->kind = Scope::Kind::Block;
  return s;
}

Flow KernelBody::one(const syntax::Node* node, Scope* scope) {
  switch (node->kind) {
    case NodeKind::ExprStmt: return expression(syntax::as<syntax::ExprStmt>(node), scope);
    case NodeKind::Assign: return assign(syntax::as<syntax::Assign>(node), scope);
    case NodeKind::AugAssign: return augmented(syntax::as<syntax::AugAssign>(node), scope);
    case NodeKind::AnnAssign: return annotated(syntax::as<syntax::AnnAssign>(node), scope);
    case NodeKind::If: return branch(syntax::as<syntax::If>(node), scope);
    case NodeKind::For: return loop(syntax::as<syntax::For>(node), scope);
    case NodeKind::While: return while_loop(syntax::as<syntax::While>(node), scope);
    case NodeKind::With: return with(syntax::as<syntax::With>(node), scope);
    case NodeKind::Assert: return assertion(syntax::as<syntax::Assert>(node), scope);
    case NodeKind::Return: return return_(syntax::as<syntax::Return>(node), scope);
    case NodeKind::FunctionDef: return nested(syntax::as<syntax::FunctionDef>(node), scope);
    case NodeKind::Pass: return Flow::Normal;
    case NodeKind::BrokenStmt:  // what it would have bound stays silent from here on
      for (const syntax::Name& n : syntax::as<syntax::BrokenStmt>(node)->names) {
        if (!in_.find_binding(n, scope)) scope->set(n, Value::poison());
      }
      return Flow::Normal;
    case NodeKind::Break:
    case NodeKind::Continue: return jump(node);
    default: return unsupported(node);
  }
}

Flow KernelBody::jump(const syntax::Node* node) {
  auto made = node->kind == NodeKind::Break ? kernel_.break_loop(origin(node)) : kernel_.continue_loop(origin(node));
  if (made) return Flow::Normal;
  in_.fail(std::move(made.error()), at(node));
  return Flow::Error;
}

Flow KernelBody::unsupported(const syntax::Node* node) {
  std::string_view what = node->kind == NodeKind::Try         ? "try"
                          : node->kind == NodeKind::ClassDef  ? "class"
                          : node->kind == NodeKind::Delete    ? "del"
                          : node->kind == NodeKind::Raise     ? "raise"
                          : node->kind == NodeKind::Match     ? "match"
                          : node->kind == NodeKind::Global    ? "global"
                          : node->kind == NodeKind::Nonlocal  ? "nonlocal"
                          : node->kind == NodeKind::TypeAlias ? "type"
                                                              : "import";
  text::Span keyword = at(node);  // a statement may be long: its first word says enough
  if (node->kind == NodeKind::Try || node->kind == NodeKind::ClassDef || node->kind == NodeKind::Match) {
    keyword.end = std::min(keyword.end, keyword.begin + static_cast<std::uint32_t>(what.size()));
  }
  if (auto* c = syntax::as<syntax::ClassDef>(node)) keyword = in_.span(c->name.at);
  return fail(code::kUnsupported, keyword, "'" + std::string(what) + "' is not available in the body of a kernel",
              "move it into a plain function or to the module");
}

Flow KernelBody::expression(const syntax::ExprStmt* node, Scope* scope) {
  Value v = in_.eval(node->value, scope);
  if (v.is_error()) return Flow::Error;
  if (v.is_expr()) {
    ir::Expr e = v.as_expr();
    if (e.as<ir::Call>()) kernel_.evaluate(origin(node), e);
    return Flow::Normal;  // a variable, a load or a constant alone does nothing
  }
  if (PendingStore* s = v.as<PendingStore>()) {
    kernel_.emit(s->store);
    return Flow::Normal;
  }
  if (Frame* f = v.as<Frame>()) return open_frame(f, node->value);
  if (v.is_none() || v.is_poison() || v.is_bool() || v.is_int() || v.is_float() || v.is_ellipsis() || v.as<Str>() ||
      v.as<BufferValue>() || v.as<Instance>() || v.as<List>() || v.as<Tuple>()) {
    return Flow::Normal;
  }
  if (v.is_opaque()) {
    return fail(code::kOpaque, at(node), "this statement cannot be evaluated: " + in_.whence(v), in_.remedy(v));
  }
  if (v.as<Namespace>() || v.as<Native>() || v.as<Function>() || v.as<BoundMethod>()) {
    return fail(code::kType, at(node), "this is a function, and nothing calls it", "write () after it");
  }
  return fail(code::kType, at(node),
              "a statement of type " + std::string(type_name(v)) + " has no meaning in a kernel");
}

Flow KernelBody::open_frame(Frame* f, const syntax::Node* node) {
  if (f->kind == FrameKind::Attribute) {
    kernel_.attributes(origin(node), f->attributes, f->node);
    return Flow::Normal;
  }
  if (f->kind == FrameKind::LaunchThread || f->kind == FrameKind::Host) return Flow::Normal;
  return fail(code::kLoop, at(node), "a loop needs a body", "write: for i in ...:");
}

std::optional<std::string> KernelBody::assertion_message(const syntax::Assert* node, Scope* scope) {
  if (!node->message) return "assertion failed";
  Value m = in_.eval(node->message, scope);
  if (m.is_error()) return std::nullopt;
  // ("ValueError", ["a", "b"]): the kind, and the message in parts.
  Tuple* parts = m.as<Tuple>();
  List* pieces = parts && parts->items.size() == 2 ? parts->items[1].as<List>() : nullptr;
  if (!pieces) return in_.str(m);
  std::string kind = in_.str(parts->items[0]);
  std::string message = kind == "RuntimeError" ? "" : kind + ": ";
  for (Value piece : pieces->items) message += in_.str(piece);
  return message;
}

Flow KernelBody::assertion(const syntax::Assert* node, Scope* scope) {
  Value c = in_.eval(node->condition, scope);
  if (c.is_error()) return Flow::Error;
  std::optional<std::string> message = assertion_message(node, scope);
  if (!message) return Flow::Error;
  if (c.is_poison()) return Flow::Normal;
  if (c.is_expr()) {
    kernel_.assertion(origin(node), c.as_expr(), *message);
    return Flow::Normal;
  }
  if (c.is_opaque()) return Flow::Normal;  // where it does not hold there is no kernel
  auto t = in_.truth(c, at(node->condition));
  if (!t) return Flow::Error;
  if (*t) return Flow::Normal;
  in_.fail(code::kRaised, at(node), "assertion failed: " + *message, {}, "AssertionError");
  return Flow::Error;
}

// In the package an inlined function gives a value, as a function of Python does.
Flow KernelBody::given_back(const syntax::Return* node, Scope* scope) {
  if (scope->kind != Scope::Kind::Function) {
    return fail(code::kUnsupported, at(node),
                "a return inside of a run-time branch or loop ends nothing: what follows it would run as well",
                "declare a scalar, `out: T.float32`, store to it in the branches, and return it at the end");
  }
  in_.return_value_ = node->value ? in_.eval(node->value, scope) : Value::none();
  return in_.return_value_.is_error() ? Flow::Error : Flow::Return;
}

Flow KernelBody::return_(const syntax::Return* node, Scope* scope) {
  const Scope* function = scope;
  while (function && function->kind == Scope::Kind::Block) function = function->parent;
  if (function && !function->is_kernel && is_package_kernel(kernel_, scope)) return given_back(node, scope);
  ir::Expr value;
  if (node->value) {
    Value v = in_.eval(node->value, scope);
    if (v.is_error()) return Flow::Error;
    if (v.is_poison()) return Flow::Return;
    if (!v.is_none()) {
      value = in_.as_expr(v, at(node->value), "the returned value");
      if (!value) return Flow::Error;
    }
  }
  if (!value) {
    return fail(code::kUnsupported, at(node), "a return without a value is not available in a kernel",
                "write T.thread_return() to end the thread, or leave it out at the end");
  }
  if (!ir::is_constant(value, 0)) {
    return fail(code::kUnsupported, at(node->value), "a kernel can only return 0");
  }
  kernel_.return_from(origin(node), value);
  return Flow::Return;
}

Flow KernelBody::nested(const syntax::FunctionDef* node, Scope* scope) {
  if (node->decorators.empty()) {
    return fail(code::kUnsupported, in_.span(node->name.at),
                "a function inside a kernel must be decorated with @T.inline",
                "decorate it, or move it out of the kernel");
  }
  if (auto* own = scope->find(node->name); own && !own->value.is_poison()) {
    return fail(code::kRebinding, in_.span(node->name.at),
                "'" + std::string(node->name.text) + "' is already defined in this scope");
  }
  Value v = in_.define_function(node, scope);
  if (v.is_error()) return Flow::Error;
  scope->set(node->name, v);
  return Flow::Normal;
}

}  // namespace tilewright::script
