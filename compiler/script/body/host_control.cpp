// Branches and loops as Python takes them.
#include <algorithm>

#include "compiler/script/body/host_body.h"
#include "compiler/syntax/effects.h"

namespace tilewright::script {

Flow HostBody::branch(const syntax::If* node, Scope* scope) {
  Value c = in_.eval(node->condition, scope);
  if (c.is_error()) return Flow::Error;
  // A helper that branches on a run-time value: said at the condition.
  if (c.is_expr() && in_.kernel_ && !ir::constant(c.as_expr())) {
    in_.fail(code::kCondition, at(node->condition), "a helper function cannot branch on a run-time value",
             "decorate it with @T.inline, or use T.if_then_else");
    return Flow::Error;
  }
  auto t = in_.truth(c, at(node->condition));
  if (!t) return Flow::Error;
  if (!c.is_opaque() && !c.is_poison()) return run(*t ? node->then_body : node->else_body, scope);
  // The other branch may be the one that Python takes: what it binds is not known.
  const syntax::Effects other = syntax::effects_of(*t ? node->else_body : node->then_body);
  in_.perhaps_left_ = in_.perhaps_left_ || other.breaks || other.returns;
  Flow flow = run(*t ? node->then_body : node->else_body, scope);
  for (const syntax::Name& name : other.bound) {
    if (!scope->find(name)) scope->set(name, c);
  }
  if (other.stars) in_.leave_unknown(*t ? node->else_body : node->then_body, scope, c, false);
  return flow;
}

Flow HostBody::round(const syntax::For* node, Value value, Scope* scope) {
  if (!in_.step(at(node)) || !assign(node->target, value, scope)) return Flow::Error;
  const bool left = in_.perhaps_left_;  // out of this loop is not out of the one around it
  Flow flow = run(node->body, scope);
  in_.perhaps_left_ = left;
  return flow;
}

Flow HostBody::loop(const syntax::For* node, Scope* scope) {
  Value iterable = in_.eval(node->iterable, scope);
  if (iterable.is_error()) return Flow::Error;
  if (iterable.is_opaque() || iterable.is_poison()) {
    unknown_loop(node, node->target, node->body, scope, iterable);
    return Flow::Normal;
  }
  if (iterable.as<Frame>()) {
    in_.fail(code::kLoop, at(node->iterable), "a helper function cannot make a loop of the kernel",
             "decorate it with @T.inline; a Python loop needs bounds that are known now");
    return Flow::Error;
  }
  Range* range = iterable.as<Range>();  // no list of numbers is made
  auto items = range ? std::vector<Value>() : in_.iterate(iterable, at(node->iterable));
  if (!items) return Flow::Error;
  const std::int64_t n = range ? range->length() : static_cast<std::int64_t>(items->size());
  for (std::int64_t i = 0; i < n; ++i) {
    Value v = range ? Value::integer(range->start + i * range->step) : (*items)[static_cast<std::size_t>(i)];
    Flow flow = round(node, v, scope);
    if (flow == Flow::Break) return Flow::Normal;
    if (flow == Flow::Return || flow == Flow::Error) return flow;
  }
  return run(node->else_body, scope);
}

Flow HostBody::while_loop(const syntax::While* node, Scope* scope) {
  for (;;) {
    if (!in_.step(at(node))) return Flow::Error;
    Value c = in_.eval(node->condition, scope);
    if (c.is_error()) return Flow::Error;
    if (c.is_opaque() || c.is_poison()) {
      unknown_loop(node, nullptr, node->body, scope, c);
      return Flow::Normal;
    }
    auto t = in_.truth(c, at(node->condition));
    if (!t) return Flow::Error;
    if (!*t) return run(node->else_body, scope);
    const bool outer = std::exchange(in_.perhaps_left_, false);
    Flow flow = run(node->body, scope);
    const bool left = std::exchange(in_.perhaps_left_, outer);
    if (flow == Flow::Break) return Flow::Normal;
    if (flow == Flow::Return || flow == Flow::Error) return flow;
    if (left) {  // nobody knows how often it would run
      unknown_loop(node, nullptr, node->body, scope, Value::opaque("a loop that ends on an unknown condition"));
      return Flow::Normal;
    }
  }
}

namespace {

// "a, b, c, ..." of the names that a loop binds beside its own; how many there are.
std::size_t list_names(const std::vector<syntax::Name>& bound, const std::vector<syntax::Name>& counted,
                       std::string& names) {
  std::vector<syntax::Name> said;
  for (const syntax::Name& name : bound) {
    if (std::ranges::find(counted, name) != counted.end() || std::ranges::find(said, name) != said.end()) continue;
    said.push_back(name);
    if (said.size() <= 3) names += (names.empty() ? "" : ", ") + std::string(name.text);
  }
  if (said.size() > 3) names += ", ...";
  return said.size();
}

}  // namespace

void HostBody::unknown_loop(const syntax::Node* loop, const syntax::Node* target, syntax::Stmts body, Scope* scope,
                            Value unknown) {
  std::vector<syntax::Name> counted;
  syntax::add_targets(target, counted);
  for (const syntax::Name& name : counted) scope->set(name, unknown);
  const syntax::Effects effects = syntax::effects_of(body);
  in_.perhaps_returned_ = in_.perhaps_returned_ || effects.returns;
  in_.leave_unknown(body, scope, unknown, true);
  if (scope->kind != Scope::Kind::Module || in_.module_runs_.size() != 1 || !unknown.is_opaque()) return;
  std::string names;
  const std::size_t count = list_names(effects.bound, counted, names);
  if (count == 0) return;
  // The loop's head, without its body.
  const std::uint32_t end = body.empty() ? loop->at.end : std::max(loop->at.begin + 1, body[0]->at.begin);
  std::string_view head = in_.top_level_ ? std::string_view(in_.top_level_->text).substr(0, end) : std::string_view();
  const std::size_t line = head.find_last_not_of(" \t\r\n", head.rfind(':') == head.npos ? head.npos : head.rfind(':'));
  in_.warn(code::kOpaque, {in_.anchor_, loop->at.begin, line == head.npos ? end : static_cast<std::uint32_t>(line)},
           names + (count > 1 ? " are" : " is") + " not known below this loop: it runs over what comes from " +
               std::string(unknown.why),
           {}, text::Severity::Information);
}

}  // namespace tilewright::script
