// Host mode: statements as ordinary Python.
#include <algorithm>

#include "compiler/script/interpreter.h"
#include "compiler/script/mode_guard.h"
#include "compiler/script/python/support.h"
#include "compiler/syntax/effects.h"

namespace tilewright::script {

using syntax::NodeKind;

bool Interpreter::assign_host(const syntax::Node* target, Value value, Scope* scope) {
  if (MetaVar* m = value.as<MetaVar>()) value = m->value;
  if (auto* ref = syntax::as<syntax::NameRef>(target)) {
    if (kernel_) name_value(value, ref->name.text);  // builder mode: buffers take the name of their variable
    for (const syntax::Name& g : scope->globals) {
      if (!(g == ref->name)) continue;
      Scope* s = scope;
      while (s->parent) s = s->parent;
      s->set(ref->name, value);
      return true;
    }
    for (const syntax::Name& n : scope->nonlocals) {
      if (!(n == ref->name)) continue;
      if (Value* v = find_binding(ref->name, scope->parent)) *v = value;
      return true;
    }
    scope->set(ref->name, value);
    heap_.count(sizeof(Scope::Binding));
    return true;
  }
  syntax::Exprs elements;
  if (auto* t = syntax::as<syntax::Tuple>(target)) elements = t->elements;
  if (auto* l = syntax::as<syntax::List>(target)) elements = l->elements;
  if (target->kind == NodeKind::Tuple || target->kind == NodeKind::List) {
    if (value.is_opaque() || value.is_poison()) {
      for (const syntax::Node* element : elements) {
        auto* star = syntax::as<syntax::Starred>(element);
        if (!assign_host(star ? star->value : element, value, scope)) return false;
      }
      return true;
    }
    auto items = iterate(value, span(target));
    if (!items) return false;
    std::size_t star_at = elements.size();
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (elements[i]->kind == NodeKind::Starred) star_at = i;
    }
    bool has_star = star_at != elements.size();
    if (has_star ? items->size() + 1 < elements.size() : items->size() != elements.size()) {
      fail(code::kValue, span(target),
           "cannot unpack " + std::to_string(items->size()) + " values into " + std::to_string(elements.size()) +
               " names",
           {}, "ValueError");
      return false;
    }
    std::size_t next = 0;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (i == star_at) {
        std::size_t count = items->size() - (elements.size() - 1);
        auto from = items->begin() + static_cast<std::ptrdiff_t>(next);
        Value rest = list({from, from + static_cast<std::ptrdiff_t>(count)});
        next += count;
        if (!assign_host(syntax::as<syntax::Starred>(elements[i])->value, rest, scope)) return false;
      } else if (!assign_host(elements[i], (*items)[next++], scope)) {
        return false;
      }
    }
    return true;
  }
  if (auto* a = syntax::as<syntax::Attribute>(target)) {
    Value object = eval(a->object, scope);
    if (object.is_error()) return false;
    return set_attribute(object, a->name.text, value, span(target));
  }
  if (auto* s = syntax::as<syntax::Subscript>(target)) {
    Value object = eval(s->object, scope);
    if (object.is_error()) return false;
    std::vector<Value> indices;
    std::vector<text::Span> spans;
    indices.reserve(s->indices.size());
    spans.reserve(s->indices.size());
    for (const syntax::Node* index : s->indices) {
      auto* star = syntax::as<syntax::Starred>(index);
      Value v = eval(star ? star->value : index, scope);
      if (v.is_error()) return false;
      if (star) {
        auto more = iterate(v, span(index));
        if (!more) return false;
        indices.insert(indices.end(), more->begin(), more->end());
      } else {
        indices.push_back(v);
      }
      spans.resize(indices.size(), span(index));
    }
    index_spans_ = std::move(spans);
    return set_subscript(object, indices, s->indices.size() == 1 && !s->trailing_comma, value, span(target));
  }
  if (target->kind == NodeKind::Broken) return true;
  fail(code::kAssignment, span(target), "this cannot be assigned to");
  return false;
}

// A loop that nobody can follow: what it binds and changes is not known afterwards. `target` may be null.
void Interpreter::unknown_loop(const syntax::Node* loop, const syntax::Node* target, syntax::Stmts body, Scope* scope,
                               Value unknown) {
  std::vector<syntax::Name> counted;
  syntax::add_targets(target, counted);
  for (const syntax::Name& name : counted) scope->set(name, unknown);
  const syntax::Effects effects = syntax::effects_of(body);
  perhaps_returned_ = perhaps_returned_ || effects.returns;
  leave_unknown(body, scope, unknown, true);
  if (scope->kind != Scope::Kind::Module || module_runs_.size() != 1 || !unknown.is_opaque()) return;
  std::string names;
  std::vector<syntax::Name> said;
  for (const syntax::Name& name : effects.bound) {
    if (std::ranges::find(counted, name) != counted.end() || std::ranges::find(said, name) != said.end()) continue;
    said.push_back(name);
    if (said.size() <= 3) names += (names.empty() ? "" : ", ") + std::string(name.text);
  }
  if (said.empty()) return;
  if (said.size() > 3) names += ", ...";
  // The loop's head, without its body.
  const std::uint32_t end = body.empty() ? loop->at.end : std::max(loop->at.begin + 1, body[0]->at.begin);
  std::string_view head = top_level_ ? std::string_view(top_level_->text).substr(0, end) : std::string_view();
  const std::size_t line = head.find_last_not_of(" \t\r\n", head.rfind(':') == head.npos ? head.npos : head.rfind(':'));
  warn(code::kOpaque, {anchor_, loop->at.begin, line == head.npos ? end : static_cast<std::uint32_t>(line)},
       names + (said.size() > 1 ? " are" : " is") + " not known below this loop: it runs over what comes from " +
           std::string(unknown.why),
       {}, text::Severity::Information);
}

Flow Interpreter::exec_host(syntax::Stmts body, Scope* scope) {
  for (const syntax::Node* node : body) {
    if (!step(span(node))) return Flow::Error;
    Flow flow = exec_host_one(node, scope);
    if (flow != Flow::Normal) return flow;
  }
  return Flow::Normal;
}

// What a test expects to fail: neither its errors nor its kernels are the script's.
Flow Interpreter::exec_meant_to_fail(syntax::Stmts body, Scope* scope) {
  std::vector<text::Diagnostic> expected;
  auto* reported = std::exchange(context_.diagnostics, &expected);
  std::size_t kernels = kernels_.size();
  Flow flow = exec_host(body, scope);
  context_.diagnostics = reported;
  kernels_.resize(std::min(kernels, kernels_.size()));
  if (flow != Flow::Error || (pending_ && pending_->fatal)) return flow;
  pending_.reset();
  return Flow::Normal;
}

Flow Interpreter::exec_host_one(const syntax::Node* node, Scope* scope) {
  switch (node->kind) {
    case NodeKind::ExprStmt: {
      Value v = eval(syntax::as<syntax::ExprStmt>(node)->value, scope);
      if (v.is_error()) return Flow::Error;
      if (kernel_) {
        if (PendingStore* store = v.as<PendingStore>()) emit(store->store);
      }
      return Flow::Normal;
    }
    case NodeKind::Assign: {
      auto* a = syntax::as<syntax::Assign>(node);
      Value v = eval(a->value, scope);
      if (v.is_error()) return Flow::Error;
      for (const syntax::Node* target : a->targets) {
        if (!assign_host(target, v, scope)) return Flow::Error;
      }
      return Flow::Normal;
    }
    case NodeKind::AnnAssign: {
      auto* a = syntax::as<syntax::AnnAssign>(node);
      if (!a->value) return Flow::Normal;
      Value v = eval(a->value, scope);
      if (v.is_error() || !assign_host(a->target, v, scope)) return Flow::Error;
      return Flow::Normal;
    }
    case NodeKind::AugAssign: {
      auto* a = syntax::as<syntax::AugAssign>(node);
      Value old = eval(a->target, scope);
      if (old.is_error()) return Flow::Error;
      Value by = eval(a->value, scope);
      if (by.is_error()) return Flow::Error;
      if (a->op == syntax::Operator::Add) {
        if (List* l = old.as<List>()) {  // in place, as Python does
          auto more = iterate(by, span(a->value));
          if (!more) return Flow::Error;
          if (!reserve(2 * more->size() * sizeof(Value), span(node))) return Flow::Error;
          l->items.insert(l->items.end(), more->begin(), more->end());
          heap_.count(more->size() * sizeof(Value));
          return Flow::Normal;
        }
      }
      Value v = binary(a->op, old, by, span(node));
      if (v.is_error() || !assign_host(a->target, v, scope)) return Flow::Error;
      return Flow::Normal;
    }
    case NodeKind::Return: {
      auto* r = syntax::as<syntax::Return>(node);
      return_value_ = r->value ? eval(r->value, scope) : Value::none();
      if (return_value_.is_error()) return Flow::Error;
      return Flow::Return;
    }
    case NodeKind::If: {
      auto* i = syntax::as<syntax::If>(node);
      Value c = eval(i->condition, scope);
      if (c.is_error()) return Flow::Error;
      if (c.is_expr() && kernel_) {  // a helper that branches on a run-time value: say so at the condition
        if (!ir::constant(c.as_expr())) {
          fail(code::kCondition, span(i->condition), "a helper function cannot branch on a run-time value",
               "decorate it with @T.inline, or use T.if_then_else");
          return Flow::Error;
        }
      }
      auto t = truth(c, span(i->condition));
      if (!t) return Flow::Error;
      if (!c.is_opaque() && !c.is_poison()) return exec_host(*t ? i->then_body : i->else_body, scope);
      // The other branch may be the one that Python takes: what it binds is not known.
      const syntax::Effects other = syntax::effects_of(*t ? i->else_body : i->then_body);
      perhaps_left_ = perhaps_left_ || other.breaks || other.returns;
      Flow flow = exec_host(*t ? i->then_body : i->else_body, scope);
      for (const syntax::Name& name : other.bound) {
        if (!scope->find(name)) scope->set(name, c);
      }
      if (other.stars) leave_unknown(*t ? i->else_body : i->then_body, scope, c, false);
      return flow;
    }
    case NodeKind::For: {
      auto* f = syntax::as<syntax::For>(node);
      Value iterable = eval(f->iterable, scope);
      if (iterable.is_error()) return Flow::Error;
      if (iterable.is_opaque() || iterable.is_poison()) {
        unknown_loop(node, f->target, f->body, scope, iterable);
        return Flow::Normal;
      }
      if (Range* r = iterable.as<Range>()) {  // no list of numbers is made
        std::int64_t n = r->length();
        for (std::int64_t i = 0; i < n; ++i) {
          if (!step(span(node))) return Flow::Error;
          if (!assign_host(f->target, Value::integer(r->start + i * r->step), scope)) return Flow::Error;
          const bool left = perhaps_left_;  // out of this loop is not out of the one around it
          Flow flow = exec_host(f->body, scope);
          perhaps_left_ = left;
          if (flow == Flow::Break) return Flow::Normal;
          if (flow == Flow::Return || flow == Flow::Error) return flow;
        }
        return exec_host(f->else_body, scope);
      }
      if (iterable.as<Frame>()) {
        fail(code::kLoop, span(f->iterable), "a helper function cannot make a loop of the kernel",
             "decorate it with @T.inline; a Python loop needs bounds that are known now");
        return Flow::Error;
      }
      auto items = iterate(iterable, span(f->iterable));
      if (!items) return Flow::Error;
      for (Value v : *items) {
        if (!step(span(node))) return Flow::Error;
        if (!assign_host(f->target, v, scope)) return Flow::Error;
        const bool left = perhaps_left_;
        Flow flow = exec_host(f->body, scope);
        perhaps_left_ = left;
        if (flow == Flow::Break) return Flow::Normal;
        if (flow == Flow::Return || flow == Flow::Error) return flow;
      }
      return exec_host(f->else_body, scope);
    }
    case NodeKind::While: {
      auto* w = syntax::as<syntax::While>(node);
      for (;;) {
        if (!step(span(node))) return Flow::Error;
        Value c = eval(w->condition, scope);
        if (c.is_error()) return Flow::Error;
        if (c.is_opaque() || c.is_poison()) {
          unknown_loop(node, nullptr, w->body, scope, c);
          return Flow::Normal;
        }
        auto t = truth(c, span(w->condition));
        if (!t) return Flow::Error;
        if (!*t) break;
        const bool outer = std::exchange(perhaps_left_, false);
        Flow flow = exec_host(w->body, scope);
        const bool left = std::exchange(perhaps_left_, outer);
        if (flow == Flow::Break) return Flow::Normal;
        if (flow == Flow::Return || flow == Flow::Error) return flow;
        if (left) {  // nobody knows how often it would run
          unknown_loop(node, nullptr, w->body, scope, Value::opaque("a loop that ends on an unknown condition"));
          return Flow::Normal;
        }
      }
      return exec_host(w->else_body, scope);
    }
    case NodeKind::With: {
      auto* w = syntax::as<syntax::With>(node);
      std::vector<Value> entered;
      bool meant_to_fail = false, may_fail = false;
      for (const syntax::WithItem& item : w->items) {
        Value v = eval(item.value, scope);
        if (v.is_error()) return Flow::Error;
        meant_to_fail = meant_to_fail || python::is_expected_failure(*this, v);
        may_fail = may_fail || python::is_suppressing(*this, v);
        Value as = v;
        if (Instance* instance = v.as<Instance>(); instance && instance->cls->find("__enter__")) {
          as = call(attribute(v, "__enter__", span(item.value)), std::span<const Value>(), span(item.value));
          if (as.is_error()) return Flow::Error;
          entered.push_back(v);
        }
        if (item.target && !assign_host(item.target, as, scope)) return Flow::Error;
      }
      tries_ += meant_to_fail || may_fail ? 1 : 0;
      Flow flow = meant_to_fail ? exec_meant_to_fail(w->body, scope) : exec_host(w->body, scope);
      tries_ -= meant_to_fail || may_fail ? 1 : 0;
      if (may_fail && flow == Flow::Error && pending_ && !pending_->fatal) {
        pending_.reset();
        leave_unknown(w->body, scope, Value::opaque("a statement that may fail"), false);
        flow = Flow::Normal;
      }
      for (std::size_t i = entered.size(); i-- > 0;) {
        if (flow == Flow::Error) break;
        Value args[] = {Value::none(), Value::none(), Value::none()};
        if (call(attribute(entered[i], "__exit__", span(node)), args, span(node)).is_error()) return Flow::Error;
      }
      return flow;
    }
    case NodeKind::FunctionDef: {
      auto* d = syntax::as<syntax::FunctionDef>(node);
      Value v = define_function(d, scope);
      if (v.is_error()) return Flow::Error;
      scope->set(d->name, v);
      return Flow::Normal;
    }
    case NodeKind::ClassDef: {
      auto* d = syntax::as<syntax::ClassDef>(node);
      Value v = define_class(d, scope);
      if (v.is_error()) return Flow::Error;
      scope->set(d->name, v);
      return Flow::Normal;
    }
    case NodeKind::Import: return import_names(syntax::as<syntax::Import>(node), scope) ? Flow::Normal : Flow::Error;
    case NodeKind::ImportFrom:
      return import_from(syntax::as<syntax::ImportFrom>(node), scope) ? Flow::Normal : Flow::Error;
    case NodeKind::Raise: {
      auto* r = syntax::as<syntax::Raise>(node);
      Value v = r->value ? eval(r->value, scope) : Value::opaque("a re-raised exception");
      if (v.is_error()) return Flow::Error;
      raise(v, span(node));
      return Flow::Error;
    }
    case NodeKind::Assert: {
      auto* a = syntax::as<syntax::Assert>(node);
      Value c = eval(a->condition, scope);
      if (c.is_error()) return Flow::Error;
      if (c.is_opaque() || c.is_poison() || c.is_expr()) return Flow::Normal;
      auto t = truth(c, span(a->condition));
      if (!t) return Flow::Error;
      if (*t) return Flow::Normal;
      std::string message = "assertion failed";
      if (a->message) {
        Value m = eval(a->message, scope);
        if (m.is_error()) return Flow::Error;
        message += ": " + str(m);
      }
      fail(code::kRaised, span(node), message, {}, "AssertionError");
      return Flow::Error;
    }
    case NodeKind::Pass: return Flow::Normal;
    case NodeKind::Break: return Flow::Break;
    case NodeKind::Continue: return Flow::Continue;
    case NodeKind::Global: {
      for (const syntax::Name& n : syntax::as<syntax::Global>(node)->names) scope->globals.push_back(n);
      return Flow::Normal;
    }
    case NodeKind::Nonlocal: {
      for (const syntax::Name& n : syntax::as<syntax::Nonlocal>(node)->names) scope->nonlocals.push_back(n);
      return Flow::Normal;
    }
    case NodeKind::Delete:
      for (const syntax::Node* target : syntax::as<syntax::Delete>(node)->targets) {
        if (!delete_host(target, scope)) return Flow::Error;
      }
      return Flow::Normal;
    case NodeKind::Try: {
      auto* t = syntax::as<syntax::Try>(node);
      tries_ += t->handlers.empty() ? 0 : 1;
      Flow flow = exec_host(t->body, scope);
      tries_ -= t->handlers.empty() ? 0 : 1;
      // Where Python would have gone on, the names are bound there.
      if (flow == Flow::Error && pending_ && !pending_->fatal && !pending_->refused && pending_->exception.is_none()) {
        leave_unknown(t->body, scope, Value::opaque("a statement that failed"), false);
      }
      if (flow == Flow::Error && pending_ && !pending_->fatal) {
        for (const syntax::Handler& h : t->handlers) {
          bool matches = !h.type;
          Value exception = pending_->exception;
          if (h.type) {
            Pending saved = take_pending();
            Value types = eval(h.type, scope);
            if (types.is_error()) {
              if (pending_->fatal) return Flow::Error;
              pending_.reset();
              types = Value::opaque("an exception type");
            }
            pending_ = std::move(saved);
            std::vector<Value> candidates;
            if (Tuple* tuple = types.as<Tuple>())
              candidates = tuple->items;
            else
              candidates.push_back(types);
            for (Value c : candidates) {
              Class* cls = c.as<Class>();
              if (!cls) {
                matches = matches || c.is_opaque();
                continue;
              }
              if (Instance* instance = exception.as<Instance>()) {
                for (Class* base : instance->cls->mro) matches = matches || base == cls;
              } else {
                matches = matches || python::is_exception(*this, *pending_, cls->name);
              }
            }
          }
          if (!matches) continue;
          Pending caught = take_pending();
          if (!h.bound.text.empty()) {
            scope->set(h.bound, caught.exception.is_none() ? string(caught.diagnostic.message) : caught.exception);
          }
          flow = exec_host(h.body, scope);
          break;
        }
      } else if (flow == Flow::Normal) {
        flow = exec_host(t->else_body, scope);
      }
      if (!t->final_body.empty() && !(pending_ && pending_->fatal)) {
        std::optional<Pending> saved = std::move(pending_);
        pending_.reset();
        Flow last = exec_host(t->final_body, scope);
        if (last != Flow::Normal) return last;
        pending_ = std::move(saved);
      }
      return flow;
    }
    case NodeKind::Match: return match_host(syntax::as<syntax::Match>(node), scope);
    case NodeKind::TypeAlias: {
      auto* t = syntax::as<syntax::TypeAlias>(node);
      scope->set(t->name, Value::opaque("a type alias"));
      return Flow::Normal;
    }
    case NodeKind::BrokenStmt:  // what it would have bound stays silent from here on
      for (const syntax::Name& n : syntax::as<syntax::BrokenStmt>(node)->names) {
        if (!scope->find(n)) scope->set(n, Value::poison());
      }
      return Flow::Normal;
    default: return eval(node, scope).is_error() ? Flow::Error : Flow::Normal;
  }
}

}  // namespace tilewright::script
