// Statements as Python runs them, one after the other; what stands in one line, and what catches errors.
#include <algorithm>

#include "compiler/script/arrivals.h"
#include "compiler/script/body/host_body.h"
#include "compiler/script/python/support.h"

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
    case NodeKind::Import: return flow_of(in_.import_names(syntax::as<syntax::Import>(node), scope));
    case NodeKind::ImportFrom: return flow_of(in_.import_from(syntax::as<syntax::ImportFrom>(node), scope));
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
  if (PendingStore* store = in_.kernel_ ? v.as<PendingStore>() : nullptr) in_.kernel_->emit(store->store);
  return Flow::Normal;
}

Flow HostBody::return_(const syntax::Return* node, Scope* scope) {
  in_.return_value_ = node->value ? in_.eval(node->value, scope) : Value::none();
  return in_.return_value_.is_error() ? Flow::Error : Flow::Return;
}

Flow HostBody::raise(const syntax::Raise* node, Scope* scope) {
  Value v = node->value ? in_.eval(node->value, scope) : Value::opaque("a re-raised exception");
  if (!v.is_error()) in_.raise(v, at(node));
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
  if (node->message) {
    Value m = in_.eval(node->message, scope);
    if (m.is_error()) return Flow::Error;
    message += ": " + in_.str(m);
  }
  in_.fail(code::kRaised, at(node), message, {}, "AssertionError");
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

// ---- context managers -----------------------------------------------------------------------------------------

Flow HostBody::meant_to_fail(syntax::Stmts body, Scope* scope) {
  std::vector<text::Diagnostic> expected;
  auto* reported = std::exchange(in_.context_.diagnostics, &expected);
  std::size_t kernels = in_.kernels_.size();
  Flow flow = run(body, scope);
  in_.context_.diagnostics = reported;
  in_.kernels_.resize(std::min(kernels, in_.kernels_.size()));
  if (flow != Flow::Error || (in_.pending_ && in_.pending_->fatal)) return flow;
  if (in_.pending_ && !in_.pending_->certain) in_.assume();
  in_.pending_.reset();
  return Flow::Normal;
}

Flow HostBody::with(const syntax::With* node, Scope* scope) {
  std::vector<Value> entered;
  bool expects_failure = false, may_fail = false;
  for (const syntax::WithItem& item : node->items) {
    Value v = in_.eval(item.value, scope);
    if (v.is_error()) return Flow::Error;
    expects_failure = expects_failure || python::is_expected_failure(in_, v);
    may_fail = may_fail || python::is_suppressing(in_, v);
    Value as = v;
    if (Instance* instance = v.as<Instance>(); instance && instance->cls->find("__enter__")) {
      as = in_.call(in_.attribute(v, "__enter__", at(item.value)), std::span<const Value>(), at(item.value));
      if (as.is_error()) return Flow::Error;
      entered.push_back(v);
    }
    if (item.target && !assign(item.target, as, scope)) return Flow::Error;
  }
  Arrivals here(in_, expects_failure || may_fail);
  in_.tries_ += expects_failure || may_fail ? 1 : 0;
  Flow flow = expects_failure ? meant_to_fail(node->body, scope) : run(node->body, scope);
  in_.tries_ -= expects_failure || may_fail ? 1 : 0;
  here.close();
  if (may_fail && flow == Flow::Error && in_.pending_ && !in_.pending_->fatal) {
    if (!in_.pending_->certain) in_.assume();
    in_.pending_.reset();
    in_.leave_unknown(node->body, scope, Value::opaque("a statement that may fail"), false);
    flow = Flow::Normal;
  }
  if (expects_failure || may_fail) flow = here.join(Flow::Error, flow);
  if (flow == Flow::Error) return flow;
  for (std::size_t i = entered.size(); i-- > 0;) {
    Value args[] = {Value::none(), Value::none(), Value::none()};
    if (in_.call(in_.attribute(entered[i], "__exit__", at(node)), args, at(node)).is_error()) return Flow::Error;
  }
  return flow;
}

// ---- try --------------------------------------------------------------------------------------------------------

std::optional<bool> HostBody::catches(const syntax::Handler& handler, Scope* scope) {
  if (!handler.type) return true;
  Value exception = in_.pending_->exception;
  Pending saved = in_.take_pending();
  Value types = in_.eval(handler.type, scope);
  if (types.is_error()) {
    if (in_.pending_->fatal) return std::nullopt;
    in_.pending_.reset();
    types = Value::opaque("an exception type");
  }
  in_.pending_ = std::move(saved);
  Tuple* tuple = types.as<Tuple>();
  const std::vector<Value> candidates = tuple ? tuple->items : std::vector<Value>{types};
  return std::ranges::any_of(candidates, [&](Value c) {
    Class* cls = c.as<Class>();
    if (!cls) return c.is_opaque();
    Instance* instance = exception.as<Instance>();
    return instance ? std::ranges::find(instance->cls->mro, cls) != instance->cls->mro.end()
                    : python::is_exception(in_, *in_.pending_, cls->name);
  });
}

Flow HostBody::handle(const syntax::Try* node, Scope* scope) {
  for (const syntax::Handler& h : node->handlers) {
    std::optional<bool> taken = catches(h, scope);
    if (!taken) return Flow::Error;
    if (!*taken) continue;
    Pending caught = in_.take_pending();
    if (!caught.certain) in_.assume();  // Python may not have come here
    if (!h.bound.text.empty()) {
      scope->set(h.bound, caught.exception.is_none() ? in_.string(caught.diagnostic.message) : caught.exception);
    }
    return run(h.body, scope);
  }
  return Flow::Error;
}

namespace {

// Is it about imports alone? A package that is named is taken to be there.
bool is_of_imports(const syntax::Handler& handler) {
  auto named = [](const syntax::Node* n) {
    auto* ref = syntax::as<syntax::NameRef>(n);
    return ref && (ref->name.text == "ImportError" || ref->name.text == "ModuleNotFoundError");
  };
  auto* all = syntax::as<syntax::Tuple>(handler.type);
  return all ? std::ranges::all_of(all->elements, named) : named(handler.type);
}

// What we cannot follow and Python may.
bool is_ours(const Pending& p) {
  const std::string_view code = p.diagnostic.code;
  return !p.refused && p.exception.is_none() &&
         (code == code::kOpaque || code == code::kUnsupported || code == code::kLimit);
}

}  // namespace

Flow HostBody::any_handler(const syntax::Try* node, std::size_t from, Scope* scope, Value unknown) {
  while (from < node->handlers.size() && is_of_imports(node->handlers[from])) ++from;
  if (from == node->handlers.size()) {
    in_.raise(Value::opaque("an exception that is not known"), at(node->body[0]));
    return Flow::Error;
  }
  const syntax::Handler& h = node->handlers[from];
  const Interpreter::Way taken{[&] {
                                 if (!h.bound.text.empty()) scope->set(h.bound, unknown);
                                 return run(h.body, scope);
                               },
                               h.body};
  const Interpreter::Way others{[&] { return any_handler(node, from + 1, scope, unknown); }};
  return in_.either(unknown, at(node->body[0]), scope, false, taken, others);
}

Flow HostBody::after_body(const syntax::Try* node, Scope* scope, Flow flow, bool unknown_calls) {
  const bool failed = flow == Flow::Error && in_.pending_ && !in_.pending_->fatal;
  const bool handled = std::ranges::any_of(node->handlers, [](const auto& h) { return !is_of_imports(h); });
  const Interpreter::Way goes_on = way(node->else_body, scope);
  if (failed && is_ours(*in_.pending_)) {
    // Whether anything is raised is not known, nor what the body would bind.
    const Value unknown = Value::opaque("a statement that failed");
    in_.leave_unknown(node->body, scope, unknown, true);
    Pending caught = in_.take_pending();
    const Interpreter::Way handler{[&] {
      in_.pending_ = caught;
      return handle(node, scope);
    }};
    return in_.either(unknown, at(node->body[0]), scope, false, handler, goes_on);
  }
  if (failed) {
    // Where Python would have gone on, the names are bound there.
    if (!in_.pending_->refused && in_.pending_->exception.is_none()) {
      in_.leave_unknown(node->body, scope, Value::opaque("a statement that failed"), false);
    }
    return handle(node, scope);
  }
  if (flow != Flow::Normal) return flow;
  if (!unknown_calls || !handled) return goes_on.run();
  const Value unknown = Value::opaque("a call that may raise");
  const Interpreter::Way raised{[&] {
    in_.leave_unknown(node->body, scope, Value::opaque(in_.depends_on(unknown, at(node->body[0]))), true);
    return any_handler(node, 0, scope, unknown);
  }};
  return in_.either(unknown, at(node->body[0]), scope, false, goes_on, raised);
}

Flow HostBody::finally(const syntax::Try* node, Scope* scope, Flow flow) {
  if (node->final_body.empty() || (in_.pending_ && in_.pending_->fatal)) return flow;
  std::optional<Pending> saved = std::move(in_.pending_);
  in_.pending_.reset();
  const Value returned = in_.return_value_;
  Flow last = run(node->final_body, scope);
  if (last != Flow::Normal) return last;
  in_.return_value_ = returned;
  in_.pending_ = std::move(saved);
  return flow;
}

Flow HostBody::try_(const syntax::Try* node, Scope* scope) {
  Arrivals here(in_, !node->handlers.empty());
  const std::uint64_t unknown_calls = in_.unknown_calls_;
  in_.tries_ += node->handlers.empty() ? 0 : 1;
  Flow flow = run(node->body, scope);
  in_.tries_ -= node->handlers.empty() ? 0 : 1;
  std::vector<Arrivals::Arrival> arrived = here.take();
  flow = finally(node, scope, after_body(node, scope, flow, in_.unknown_calls_ != unknown_calls));
  for (Arrivals::Arrival& a : arrived) {
    if (flow == Flow::Error && in_.pending_ && in_.pending_->fatal) return flow;
    // That way in its own state; the one that runs waits beside.
    Ended main = in_.ended(flow);
    a.state.swap();
    Flow other = in_.go_on(std::move(a.end));
    other = finally(node, scope, other == Flow::Error ? after_body(node, scope, other, false) : other);
    if (in_.additions() != a.additions) {
      in_.pending_.reset();
      in_.fail(code::kOpaque, a.at,
               "this condition is not known here, and statements of the kernel depend on it: " +
                   in_.whence(Value::opaque(a.why)),
               in_.remedy(Value::opaque(a.why)));
      return Flow::Error;
    }
    flow = in_.together(std::move(main), a.state, in_.ended(other), a.why, a.at, false);
  }
  return flow;
}

}  // namespace tilewright::script
