// Branches and loops as Python takes them.
#include <algorithm>

#include "compiler/script/arrivals.h"
#include "compiler/script/body/host_body.h"
#include "compiler/script/generators.h"
#include "compiler/script/python/lazy_iterators.h"
#include "compiler/script/sure_truth.h"
#include "compiler/syntax/effects.h"

namespace tilewright::script {

using syntax::NodeKind;

namespace {

// `a == b` of run-time values has a truth in Python: whether both are one object, which two expressions that are
// written apart never are. What is left out by that is said. Nothing: it has none.
std::optional<bool> sameness(Interpreter& in, const syntax::Node* condition, ir::Expr e) {
  const auto* sides = e.as<ir::Binary>();
  const bool equal = e.kind() == ir::ExprKind::EQ;
  if (!sides || !in.kernel()->traced || (!equal && e.kind() != ir::ExprKind::NE)) return std::nullopt;
  const bool same = ir::same_node(sides->a, sides->b);
  in.warn(code::kCondition, in.span(condition),
          std::string("Python asks a run-time value for its truth: `") + (equal ? "==" : "!=") +
              "` of two expressions is " + (same == equal ? "True" : "False") + " whatever they are worth, so " +
              (same == equal ? "the branch is always taken" : "the branch is never taken"),
          "write `with txl.If(condition), txl.Then():`, or txl.if_then_else");
  return same == equal;
}

// A condition of Python that only the GPU knows.
Flow branches_at_run_time(Interpreter& in, const syntax::Node* condition) {
  const bool traced = in.kernel()->traced;
  in.fail(code::kCondition, in.span(condition),
          traced ? "Python cannot branch on a run-time value" : "a helper function cannot branch on a run-time value",
          traced ? "write `with txl.If(condition), txl.Then():`, or txl.if_then_else"
                 : "decorate it with @T.inline, or use T.if_then_else");
  return Flow::Error;
}

}  // namespace

Flow HostBody::branch(const syntax::If* node, Scope* scope) {
  Value c = in_.eval(node->condition, scope);
  if (c.is_error()) return Flow::Error;
  // A helper that branches on a run-time value: said at the condition.
  if (c.is_expr() && in_.kernel_ && !ir::constant(c.as_expr())) {
    if (const auto taken = sameness(in_, node->condition, c.as_expr()))
      return run(*taken ? node->then_body : node->else_body, scope);
    return branches_at_run_time(in_, node->condition);
  }
  if (c.is_opaque()) {
    if (const std::optional<bool> sure = sure_truth(in_, node->condition, scope)) {
      return run(*sure ? node->then_body : node->else_body, scope);
    }
    const bool light = in_.binds_only(node->then_body, scope) && in_.binds_only(node->else_body, scope);
    return in_.either(c, at(node->condition), scope, light, way(node->then_body, scope), way(node->else_body, scope));
  }
  auto t = in_.truth(c, at(node->condition));
  if (!t) return Flow::Error;
  Flow flow = run(*t ? node->then_body : node->else_body, scope);
  if (!c.is_poison()) return flow;
  // The other branch may be the one that Python takes: what it binds has the same error.
  const syntax::Effects other = syntax::effects_of(node->then_body);
  for (const syntax::Name& name : other.bound) {
    if (!scope->find(name)) scope->set(name, c);
  }
  if (other.stars) in_.leave_unknown(node->then_body, scope, c, false);
  return flow;
}

Interpreter::Way HostBody::way(syntax::Stmts body, Scope* scope) {
  return {[this, body, scope] { return run(body, scope); }, body};
}

Flow HostBody::round(const syntax::For* node, Value value, Scope* scope) {
  if (!in_.step(at(node)) || !assign(node->target, value, scope)) return Flow::Error;
  Flow flow = run(node->body, scope);
  return flow == Flow::Continue ? Flow::Normal : flow;
}

Flow HostBody::loop(const syntax::For* node, Scope* scope) {
  Value iterable = in_.eval_iterable(node->iterable, scope);
  if (iterable.is_error()) return Flow::Error;
  Arrivals here(in_, false);
  if (iterable.is_opaque() || iterable.is_poison()) {
    // A generator of which it is not known how far it is runs on.
    const bool generator = iterable.is_object() && dynamic_cast<Iterator*>(iterable.o);
    if (generator && !in_.lose(iterable)) return Flow::Error;
    Flow flow = unknown_loop(here, node, node->iterable, node->target, node->body, scope, iterable);
    return finish_loop(here, node->else_body, scope, flow);
  }
  if (iterable.as<Frame>()) {
    const bool traced = in_.kernel_ && in_.kernel_->traced;
    in_.fail(code::kLoop, at(node->iterable), "a helper function cannot make a loop of the kernel",
             traced ? "write `with txl.serial(n) as i:`; a `for` of Python is written out"
                    : "decorate it with @T.inline; a Python loop needs bounds that are known now");
    return Flow::Error;
  }
  if (python::comes_by_items({&iterable, 1})) {
    const Flow flow = loop_over(here, node, iterable, scope);
    return finish_loop(here, node->else_body, scope, flow);
  }
  if (const python::TableRun table(iterable); table) {
    const Flow flow = loop_over_table(here, node, iterable, table, scope);
    return finish_loop(here, node->else_body, scope, flow);
  }
  if (iterable.as<List>()) {
    const Flow flow = loop_over_list(here, node, iterable, scope);
    return finish_loop(here, node->else_body, scope, flow);
  }
  Range* range = iterable.as<Range>();  // no list of numbers is made
  auto items = range ? std::vector<Value>() : in_.iterate(iterable, at(node->iterable));
  if (!items) return Flow::Error;
  const std::int64_t n = range ? range->length() : static_cast<std::int64_t>(items->size());
  Flow flow = Flow::Normal;
  Interpreter::Rounds rounds = in_.begin_rounds();
  for (std::int64_t i = 0; i < n && flow == Flow::Normal; ++i) {
    Value v = range ? Value::integer(range->start + i * range->step) : (*items)[static_cast<std::size_t>(i)];
    flow = here.join(Flow::Continue, round(node, v, scope));
    in_.end_round(rounds);
  }
  return finish_loop(here, node->else_body, scope, flow);
}

Flow HostBody::loop_over_table(Arrivals& here, const syntax::For* node, Value iterable, const python::TableRun& table,
                               Scope* scope) {
  const auto items = in_.iterate(iterable, at(node->iterable));
  if (!items) return Flow::Error;
  for (std::size_t i = 0;; ++i) {
    if (table.is_lost()) {
      return unknown_loop(here, node, node->iterable, node->target, node->body, scope, table.holder());
    }
    if (!table.goes_on(in_, at(node->iterable))) return Flow::Error;
    if (i >= items->size()) return Flow::Normal;
    const Flow flow = here.join(Flow::Continue, round(node, table.item(in_, i, (*items)[i]), scope));
    if (flow != Flow::Normal) return flow;
  }
}

// The body may change the list: what is added to it is gone through as well.
Flow HostBody::loop_over_list(Arrivals& here, const syntax::For* node, Value iterable, Scope* scope) {
  Interpreter::Rounds rounds = in_.begin_rounds();
  for (std::size_t i = 0;; ++i) {
    if (iterable.is_opaque()) {
      return unknown_loop(here, node, node->iterable, node->target, node->body, scope, iterable);
    }
    const std::vector<Value>& items = iterable.as<List>()->items;
    if (i >= items.size()) return Flow::Normal;
    const Flow flow = here.join(Flow::Continue, round(node, items[i], scope));
    if (flow != Flow::Normal) return flow;
    in_.end_round(rounds);
  }
}

// What it runs over comes item by item.
Flow HostBody::loop_over(Arrivals& here, const syntax::For* node, Value iterable, Scope* scope) {
  const Value iterator = in_.iterator_of(iterable, at(node->iterable));
  if (iterator.is_error()) return Flow::Error;
  Interpreter::Rounds rounds = in_.begin_rounds();
  while (true) {
    in_.end_round(rounds);
    Value item;
    const Next next = in_.next_of(iterator, &item, at(node->iterable));
    if (next == Next::End) return Flow::Normal;
    if (next == Next::Failed) return Flow::Error;
    if (next == Next::Unknown) return unknown_loop(here, node, node->iterable, node->target, node->body, scope, item);
    const Flow flow = here.join(Flow::Continue, round(node, item, scope));
    if (flow == Flow::Normal) continue;
    // Python ends a generator that nothing else names.
    Iterator* generator = node->iterable->kind == NodeKind::Call ? iterator.as<Iterator>() : nullptr;
    if (!generator || flow == Flow::Error) return flow;
    const Value returned = in_.return_value_;
    if (!close_generator(in_, generator, at(node->iterable))) return Flow::Error;
    in_.return_value_ = returned;
    return flow;
  }
}

Flow HostBody::finish_loop(Arrivals& here, syntax::Stmts else_body, Scope* scope, Flow flow) {
  if (flow == Flow::Normal)
    flow = run(else_body, scope);
  else if (flow == Flow::Break)
    flow = Flow::Normal;
  here.close();
  return here.join(Flow::Break, flow);
}

namespace {

// Does the expression stay what it is while the names in it do? Adds these to `names`.
bool depends_on_names_alone(const syntax::Node* node, std::vector<std::string_view>& names) {
  if (auto* name = syntax::as<syntax::NameRef>(node)) {
    names.push_back(name->name.text);
    return true;
  }
  if (auto* unary = syntax::as<syntax::UnaryOp>(node)) return depends_on_names_alone(unary->operand, names);
  if (auto* compare = syntax::as<syntax::Compare>(node)) {
    return depends_on_names_alone(compare->first, names) &&
           std::ranges::all_of(compare->rest, [&](const syntax::Node* n) { return depends_on_names_alone(n, names); });
  }
  return node->kind == NodeKind::BoolLit || node->kind == NodeKind::IntLit;
}

}  // namespace

// Nothing in the loop ends it, and nothing in it changes what it tests.
bool HostBody::never_ends(const syntax::While* node) const {
  const syntax::Effects effects = syntax::effects_of(node->body);
  std::vector<std::string_view> names;
  if (effects.breaks || effects.returns || !depends_on_names_alone(node->condition, names)) return false;
  const bool bound = std::ranges::any_of(
      effects.bound, [&](const syntax::Name& n) { return std::ranges::find(names, n.text) != names.end(); });
  // What is called in it may change a name of the module.
  const std::string_view text = in_.top_level_ ? std::string_view(in_.top_level_->text) : std::string_view();
  const bool calls =
      text.substr(std::min<std::size_t>(node->at.begin, text.size()), node->at.end - node->at.begin).find('(') !=
      text.npos;
  return !bound && (names.empty() || !calls);
}

Flow HostBody::while_loop(const syntax::While* node, Scope* scope) {
  const std::uint64_t assumed = in_.errors_.assumed;
  const Flow flow = rounds(node, scope);
  const bool spent = flow == Flow::Error && in_.errors_.pending && in_.errors_.pending->diagnostic.code == code::kLimit;
  if (spent && in_.errors_.pending->fatal && assumed == 0 && in_.budget_.is_spent() && never_ends(node)) {
    in_.errors_.pending->certain = true;
    in_.errors_.pending->diagnostic.hint = "nothing in this loop ends it";
    in_.errors_.pending->diagnostic.span = {in_.anchor_, node->at.begin, node->condition->at.end};
  }
  return flow;
}

Flow HostBody::rounds(const syntax::While* node, Scope* scope) {
  Arrivals here(in_, false);
  Interpreter::Rounds rounds = in_.begin_rounds();
  for (;;) {
    in_.end_round(rounds);
    if (!in_.step(at(node))) return Flow::Error;
    Value c = in_.eval(node->condition, scope);
    if (c.is_error()) return Flow::Error;
    if (c.is_opaque()) {
      if (const auto sure = sure_truth(in_, node->condition, scope)) c = Value::boolean(*sure);
    }
    if (c.is_opaque() || c.is_poison()) {
      Flow flow = unknown_loop(here, node, node->condition, nullptr, node->body, scope, c);
      return finish_loop(here, node->else_body, scope, flow);
    }
    auto t = in_.truth(c, at(node->condition));
    if (!t) return Flow::Error;
    if (!*t) return finish_loop(here, node->else_body, scope, Flow::Normal);
    Flow flow = run(node->body, scope);
    flow = here.join(Flow::Continue, flow == Flow::Continue ? Flow::Normal : flow);
    if (flow != Flow::Normal) return finish_loop(here, {}, scope, flow);
    if (!here.empty()) {  // how often it would run is not known
      const Value left = Value::opaque(here.why());
      return finish_loop(here, {}, scope, unknown_loop(here, node, node->condition, nullptr, node->body, scope, left));
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

Flow HostBody::unknown_loop(Arrivals& here, const syntax::Node* loop, const syntax::Node* over,
                            const syntax::Node* target, syntax::Stmts body, Scope* scope, Value unknown) {
  in_.assume();
  std::vector<syntax::Name> counted;
  syntax::add_targets(target, counted);
  for (const syntax::Name& name : counted) scope->set(name, unknown);
  if (unknown.is_poison()) {
    in_.leave_unknown(body, scope, unknown, true);
    return Flow::Normal;
  }
  say_unknown(loop, body, scope, counted, unknown);
  const Interpreter::Way once{[&] {
                                for (const syntax::Name& name : counted) scope->set(name, unknown);
                                if (target && counted.empty() && !assign(target, unknown, scope)) return Flow::Error;
                                Flow flow = run(body, scope);
                                return flow == Flow::Continue ? Flow::Normal : flow;
                              },
                              body};
  const Interpreter::Way none{[] { return Flow::Normal; }};
  // A round makes unknown what it changes; when one more makes no more unknown, any number of them leaves this.
  constexpr int kMaxRounds = 4;
  for (int rounds = 0;; ++rounds) {
    const std::uint64_t before = in_.unknowns_;
    const bool light = in_.binds_only(body, scope);
    Flow flow = here.join(Flow::Continue, in_.either(unknown, at(over), scope, light, once, none));
    if (flow != Flow::Normal || in_.unknowns_ == before) return flow;
    if (rounds == kMaxRounds) break;
  }
  in_.leave_unknown(body, scope, unknown, true);
  return Flow::Normal;
}

// At the module's own level: the names that are not known below the loop.
void HostBody::say_unknown(const syntax::Node* loop, syntax::Stmts body, Scope* scope,
                           const std::vector<syntax::Name>& counted, Value unknown) {
  if (scope->kind != Scope::Kind::Module || in_.modules_.runs().size() != 1 || in_.in_doubt()) return;
  const syntax::Effects effects = syntax::effects_of(body);
  std::string names;
  const std::size_t count = list_names(effects.bound, counted, names);
  if (count == 0) return;
  // The loop's head, without its body.
  const std::uint32_t end = body.empty() ? loop->at.end : std::max(loop->at.begin + 1, body[0]->at.begin);
  std::string_view head = in_.top_level_ ? std::string_view(in_.top_level_->text).substr(0, end) : std::string_view();
  const std::size_t line = head.find_last_not_of(" \t\r\n", head.rfind(':') == head.npos ? head.npos : head.rfind(':'));
  in_.warn(code::kOpaque, {in_.anchor_, loop->at.begin, line == head.npos ? end : static_cast<std::uint32_t>(line)},
           names + (count > 1 ? " are" : " is") + " not known below this loop: it runs over what comes from " +
               std::string(unknown.reason()),
           {}, text::Severity::Information);
}

}  // namespace tilewright::script
