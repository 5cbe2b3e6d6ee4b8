// What catches exceptions, and what runs when statements are left: `try` and `with`.
#include <algorithm>

#include "compiler/script/arrivals.h"
#include "compiler/script/body/frames.h"
#include "compiler/script/body/host_body.h"
#include "compiler/script/python/support.h"

namespace tilewright::script {

// ---- exceptions that are not known ------------------------------------------------------------------------------

namespace {

constexpr int kMostRaises = 64;  // places of one `try` from which an exception that is not known may leave

// Is it about imports alone? A package that is named is taken to be there.
bool is_of_imports(const syntax::Handler& handler) {
  auto named = [](const syntax::Node* n) {
    auto* ref = syntax::as<syntax::NameRef>(n);
    return ref && (ref->name.text == "ImportError" || ref->name.text == "ModuleNotFoundError");
  };
  auto* all = syntax::as<syntax::Tuple>(handler.type);
  return all ? std::ranges::all_of(all->elements, named) : named(handler.type);
}

// Is there no exception that passes it by?
bool takes_all(const syntax::Handler& handler) {
  auto* name = syntax::as<syntax::NameRef>(handler.type);
  return !handler.type || (name && (name->name.text == "Exception" || name->name.text == "BaseException"));
}

}  // namespace

bool Interpreter::may_raise(text::Span at) {
  if (tries_ == 0 || raised_at_ == acts_) return true;
  auto taker =
      std::ranges::find_if(arrivals_.rbegin(), arrivals_.rend(), [](const Arrivals* a) { return a->catches(); });
  if (taker == arrivals_.rend() || errors_.pending) return true;
  raised_at_ = acts_;
  if (++(*taker)->unknown_exceptions_ > kMostRaises) return true;
  if (!charge(heap_.objects(), at)) return false;
  assume();
  const Value outer = return_value_;
  const Value unknown = Value::opaque("a call that may raise");
  const char* why = depends_on(unknown, at);
  raise(Value::opaque("an exception that is not known"), at);
  Ended end = ended(Flow::Error);
  leave_for(std::move(end), Snapshot(heap_.all()), why, at, additions());
  return_value_ = outer;
  return true;
}

bool Arrivals::met_many() const { return unknown_exceptions_ > kMostRaises; }

Flow HostBody::each_way(Flow flow, std::vector<Arrivals::Arrival> arrived, const std::function<Flow(Flow)>& rest) {
  flow = rest(flow);
  for (Arrivals::Arrival& a : arrived) {
    if (flow == Flow::Error && in_.errors_.pending && in_.errors_.pending->fatal) return flow;
    // That way in its own state; the one that runs waits beside.
    Ended main = in_.ended(flow);
    a.state.swap();
    Flow other = rest(in_.go_on(std::move(a.end)));
    if (in_.additions() != a.additions) return in_.refuse_additions(a.why, a.at);
    flow = in_.together(std::move(main), a.state, in_.ended(other), a.why, a.at, false);
  }
  return flow;
}

// ---- context managers -----------------------------------------------------------------------------------------

Flow HostBody::meant_to_fail(syntax::Stmts body, Scope* scope) {
  std::vector<text::Diagnostic> expected;
  auto* reported = std::exchange(in_.context_.diagnostics, &expected);
  std::size_t kernels = in_.kernels_.size();
  Flow flow = run(body, scope);
  in_.context_.diagnostics = reported;
  in_.kernels_.resize(std::min(kernels, in_.kernels_.size()));
  if (flow != Flow::Error || (in_.errors_.pending && in_.errors_.pending->fatal)) return flow;
  if (!in_.errors_.pending) return Flow::Normal;
  const Pending p = in_.take_pending();
  if (!p.certain) in_.assume();
  return !is_ours(p) || give_up(body, scope, p) ? Flow::Normal : Flow::Error;
}

bool HostBody::give_up(syntax::Stmts body, Scope* scope, const Pending& p) {
  const char* why = in_.keep("a statement that failed: " + p.diagnostic.message + '\0').data();
  in_.leave_unknown(body, scope, Value::opaque(why), true);
  return !in_.errors_.pending && in_.lose_left(p, why);
}

std::optional<bool> HostBody::enter(const syntax::WithItem& item, Value v, Scope* scope, std::vector<Value>& entered) {
  Value as = v;
  if (Instance* instance = v.as<Instance>(); instance && instance->cls->find("__enter__")) {
    as = in_.call(in_.attribute(v, "__enter__", at(item.value)), std::span<const Value>(), at(item.value));
    if (as.is_error()) return std::nullopt;
    entered.push_back(v);
  } else if (python::is_suppressing(in_, v)) {
    entered.push_back(v);
  }
  if (item.target && !assign(item.target, as, scope)) return std::nullopt;
  return python::is_expected_failure(in_, v);
}

// One manager, which is left by `flow`. What its __exit__ gives decides whether an exception goes on.
Flow HostBody::exit(Value manager, const syntax::With* node, Scope* scope, Flow flow) {
  const bool failed = flow == Flow::Error;
  if (failed && (!in_.errors_.pending || in_.errors_.pending->fatal)) return flow;
  const Interpreter::Way goes_on{[] { return Flow::Normal; }};
  if (python::is_suppressing(in_, manager)) {
    if (!failed) return flow;
    if (const Value unknown = in_.errors_.pending->exception; unknown.is_opaque() && in_.is_caught()) {
      const Pending pending = in_.take_pending();
      const Interpreter::Way leaves{[&] {
        in_.errors_.pending = pending;
        return Flow::Error;
      }};
      return in_.either(unknown, at(node), scope, true, goes_on, leaves);
    }
    if (in_.errors_.pending->exception.is_opaque() || !in_.errors_.pending->certain) in_.assume();
    const Value* types = manager.as<Instance>()->find("types");
    if (!is_ours(*in_.errors_.pending) && !in_.errors_.pending->exception.is_opaque() && !is_one_of(*types))
      return flow;
    const bool ours = is_ours(*in_.errors_.pending);
    if (ours && may_leave(node->body)) return flow;
    const Pending p = in_.take_pending();
    if (ours) return flow_of(give_up(node->body, scope, p));
    in_.leave_unknown(node->body, scope, Value::opaque("a statement that may fail"), false);
    return Flow::Normal;
  }
  if (failed && is_ours(*in_.errors_.pending)) {  // whether Python would leave here by an exception is not known
    Pending pending = in_.take_pending();
    const char* why = in_.keep("a statement that failed: " + pending.diagnostic.message + '\0').data();
    const Instance* instance = manager.as<Instance>();
    Value* leave = instance ? instance->cls->find("__exit__") : nullptr;
    const bool done = in_.lose(manager, why) && (!leave || in_.lose(*leave, why));
    if (done) in_.errors_.pending = std::move(pending);
    return Flow::Error;
  }
  const Value returned = in_.return_value_;
  std::optional<Pending> pending = std::move(in_.errors_.pending);
  in_.errors_.pending.reset();
  Value args[] = {Value::none(), Value::none(), Value::none()};
  if (failed) {
    const Value exception = python::exception_value(in_, *pending);
    args[0] = Value::opaque("the type of an exception");
    if (Class* cls = python::class_named(in_, pending->type); cls && pending->exception.is_none()) {
      args[0] = Value::object(cls);
    }
    if (Instance* instance = exception.as<Instance>()) args[0] = Value::object(instance->cls);
    args[1] = exception;
    args[2] = Value::opaque("a traceback");
  }
  const Value answer = in_.call(in_.attribute(manager, "__exit__", at(node)), args, at(node));
  if (answer.is_error()) return Flow::Error;
  in_.return_value_ = returned;
  if (!failed) return flow;
  const Interpreter::Way leaves{[&] {
    in_.errors_.pending = pending;
    return Flow::Error;
  }};
  if (answer.is_opaque() && in_.is_caught()) return in_.either(answer, at(node), scope, true, goes_on, leaves);
  // Where nothing takes it, the way that leaves makes no kernel.
  const std::optional<bool> handled = answer.is_opaque() ? true : in_.truth(answer, at(node));
  if (!handled) return Flow::Error;
  return *handled ? goes_on.run() : leaves.run();
}

Flow HostBody::with_items(const syntax::With* node, std::size_t index, Scope* scope) {
  std::vector<Value> entered;
  bool expects_failure = false;
  Value frame;  // of the kernel; None: there is none
  for (; index < node->items.size(); ++index) {
    const syntax::WithItem& item = node->items[index];
    const Value v = in_.eval(item.value, scope);
    if (v.is_error()) return Flow::Error;
    if (in_.kernel_ && (v.as<Frame>() || is_role(v))) {
      frame = v;
      break;
    }
    const std::optional<bool> expects = enter(item, v, scope, entered);
    if (!expects) return Flow::Error;
    expects_failure = expects_failure || *expects;
  }
  const std::function<Flow()> rest = [&] { return with_items(node, index + 1, scope); };
  const std::function<bool(Value)> bind = [&](Value v) { return assign(node->items[index].target, v, scope); };
  const auto body = [&] {
    if (frame.is_none()) return run(node->body, scope);
    const syntax::WithItem& item = node->items[index];
    const FrameItem part{at(item.value), at(node), item.target, bind, rest};
    return in_frame(in_, frame, part);
  };
  if (!frame.is_none() && entered.empty()) return body();
  const bool may_fail = expects_failure || !entered.empty();
  Arrivals here(in_, may_fail);
  in_.tries_ += may_fail ? 1 : 0;
  Flow flow = expects_failure ? meant_to_fail(node->body, scope) : body();
  in_.tries_ -= may_fail ? 1 : 0;
  return each_way(flow, here.take(), [&](Flow way) {
    if (expects_failure && way == Flow::Error && in_.errors_.pending && !in_.errors_.pending->fatal) {
      in_.errors_.pending.reset();
      way = Flow::Normal;
    }
    for (std::size_t i = entered.size(); i-- > 0;) way = exit(entered[i], node, scope, way);
    return way;
  });
}

// ---- try --------------------------------------------------------------------------------------------------------

bool HostBody::is_one_of(Value types) {
  Value exception = in_.errors_.pending->exception;
  Tuple* tuple = types.as<Tuple>();
  const std::vector<Value> candidates = tuple ? tuple->items : std::vector<Value>{types};
  return std::ranges::any_of(candidates, [&](Value c) {
    Class* cls = c.as<Class>();
    if (!cls) return c.is_opaque();
    Instance* instance = exception.as<Instance>();
    return instance ? std::ranges::find(instance->cls->mro, cls) != instance->cls->mro.end()
                    : python::is_exception(in_, *in_.errors_.pending, cls->name);
  });
}

std::optional<bool> HostBody::catches(const syntax::Handler& handler, Scope* scope) {
  if (!handler.type) return true;
  Pending saved = in_.take_pending();
  Value types = in_.eval(handler.type, scope);
  if (types.is_error()) {
    if (in_.errors_.pending->fatal) return std::nullopt;
    in_.errors_.pending.reset();
    types = Value::opaque("an exception type");
  }
  in_.errors_.pending = std::move(saved);
  return is_one_of(types);
}

// Python unbinds the name of the exception behind it. A `raise` alone raises it again.
Flow HostBody::run_handler(const syntax::Handler& handler, Scope* scope, Value exception) {
  const Scope::Binding* outer = scope->find(kHandled);
  const std::optional<Value> before = outer ? std::optional(outer->value) : std::nullopt;
  if (!handler.bound.text.empty()) scope->set(handler.bound, exception);
  scope->set(kHandled, exception);
  const Flow flow = run(handler.body, scope);
  if (!handler.bound.text.empty()) scope->erase(handler.bound);
  if (before) {
    scope->set(kHandled, *before);
  } else {
    scope->erase({kHandled, syntax::hash_name(kHandled), {}});
  }
  return flow;
}

Flow HostBody::handle(const syntax::Try* node, Scope* scope) {
  for (const syntax::Handler& h : node->handlers) {
    std::optional<bool> taken = catches(h, scope);
    if (!taken) return Flow::Error;
    if (!*taken) continue;
    Pending caught = in_.take_pending();
    if (!caught.certain) in_.assume();  // Python may not have come here
    return run_handler(h, scope, python::exception_value(in_, caught));
  }
  return Flow::Error;
}

Flow HostBody::any_handler(const syntax::Try* node, std::size_t from, Scope* scope, Value unknown) {
  while (from < node->handlers.size() && is_of_imports(node->handlers[from])) ++from;
  if (from == node->handlers.size()) {
    in_.raise(Value::opaque("an exception that is not known"), at(node->body[0]));
    return Flow::Error;
  }
  const syntax::Handler& h = node->handlers[from];
  if (takes_all(h)) {
    return run_handler(h, scope, unknown);
  }
  const Interpreter::Way taken{[&] { return run_handler(h, scope, unknown); }, h.body};
  const syntax::Node* const whole = node;
  const Interpreter::Way others{[&] { return any_handler(node, from + 1, scope, unknown); }, {&whole, 1}};
  return in_.either(unknown, at(node->body[0]), scope, false, taken, others);
}

Flow HostBody::after_body(const syntax::Try* node, Scope* scope, Flow flow, bool unknown_calls) {
  const bool failed = flow == Flow::Error && in_.errors_.pending && !in_.errors_.pending->fatal;
  const bool handled = std::ranges::any_of(node->handlers, [](const auto& h) { return !is_of_imports(h); });
  const Interpreter::Way goes_on = way(node->else_body, scope);
  const syntax::Node* const whole = node;
  if (failed && in_.errors_.pending->exception.is_opaque()) {
    const Value unknown = in_.take_pending().exception;
    return any_handler(node, 0, scope, unknown);
  }
  if (failed && is_ours(*in_.errors_.pending)) {
    // Whether anything is raised is not known, nor what the body would bind.
    if (may_leave(node->body)) return flow;
    const Value unknown = Value::opaque("a statement that failed");
    const Pending p = in_.take_pending();
    if (!give_up(node->body, scope, p)) return Flow::Error;
    const Interpreter::Way handler{[&] { return any_handler(node, 0, scope, unknown); }, {&whole, 1}};
    return in_.either(unknown, at(node->body[0]), scope, false, handler, goes_on);
  }
  if (failed) return handle(node, scope);
  if (flow != Flow::Normal) return flow;
  if (!unknown_calls || !handled) return goes_on.run();
  const Value unknown = Value::opaque("a call that may raise");
  const Interpreter::Way raised{[&] {
                                  in_.leave_unknown(node->body, scope,
                                                    Value::opaque(in_.depends_on(unknown, at(node->body[0]))), true);
                                  return any_handler(node, 0, scope, unknown);
                                },
                                {&whole, 1}};
  return in_.either(unknown, at(node->body[0]), scope, false, goes_on, raised);
}

Flow HostBody::finally(const syntax::Try* node, Scope* scope, Flow flow) {
  if (node->final_body.empty() || (in_.errors_.pending && in_.errors_.pending->fatal)) return flow;
  std::optional<Pending> saved = std::move(in_.errors_.pending);
  in_.errors_.pending.reset();
  const Value returned = in_.return_value_;
  Flow last = run(node->final_body, scope);
  if (last != Flow::Normal) return last;
  in_.return_value_ = returned;
  in_.errors_.pending = std::move(saved);
  return flow;
}

Flow HostBody::try_(const syntax::Try* node, Scope* scope) {
  Arrivals here(in_, !node->handlers.empty());
  in_.tries_ += node->handlers.empty() ? 0 : 1;
  Flow flow = run(node->body, scope);
  in_.tries_ -= node->handlers.empty() ? 0 : 1;
  bool unknown_calls = here.met_many();
  return each_way(flow, here.take(), [&](Flow way) {
    const bool body_ended = std::exchange(unknown_calls, false);
    return finally(node, scope, after_body(node, scope, way, body_ended));
  });
}

}  // namespace tilewright::script
