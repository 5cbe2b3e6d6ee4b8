// Generator expressions, evaluated item by item.
//
// One that a function of Python takes as a whole (sum, list, sorted, ...) is evaluated at once (expressions.cpp), which
// is the same: nothing runs in between. Others wait until they are asked, as Python's do.
#include <algorithm>

#include "compiler/script/aliases.h"
#include "compiler/script/generators.h"
#include "compiler/script/mode_guard.h"
#include "compiler/script/sure_truth.h"
#include "compiler/script/worlds.h"

namespace tilewright::script {

class ItemsOfComprehension final : public Source {
 public:
  ItemsOfComprehension(Interpreter& in, const syntax::Comprehension* node, Scope* scope)
      : node(node), scope(scope), anchor(in.anchor_), keep(in.top_level_), script_mode(in.script_mode_) {}
  Next pull(Interpreter& in, Value sent, Value* item, text::Span span) override;
  std::unique_ptr<Source> copy() const override { return std::make_unique<ItemsOfComprehension>(*this); }
  bool same(const Source& other) const override {
    auto* o = dynamic_cast<const ItemsOfComprehension*>(&other);
    return o && o->node == node && o->scope == scope && o->done == done && o->begun == begun && o->lost == lost &&
           std::ranges::equal(o->over, over, is_same);
  }
  std::vector<Value> parts() const override {
    std::vector<Value> out = over;
    for (const Scope::Binding& b : scope->bindings) out.push_back(b.value);
    return out;
  }
  void add_held(std::vector<Object*>& held) const override { held.push_back(scope); }
  void add_changed(Interpreter& in, const char* why, std::vector<Value>& changed) const override {
    if (done && !lost) return;
    for (const syntax::ComprehensionClause& c : node->clauses) {
      add_changed_by_expression(in, c.target ? c.iterable : c.condition, scope, why, changed);
    }
    add_changed_by_expression(in, node->element, scope, why, changed);
  }

  const syntax::Comprehension* node;
  Scope* scope;
  std::uint32_t anchor;
  std::shared_ptr<const syntax::TopLevel> keep;
  bool script_mode;
  std::vector<Value> over;  // one a clause: what a `for` runs over, as far as it has begun
  bool begun = false, done = false;
  const char* lost = nullptr;

 private:
  Next next(Interpreter& in, Value* item);
  Next give_up(Interpreter& in, Value unknown, Value* item) {
    in.assume();
    lost = unknown.reason();
    std::vector<Value> changed = parts();
    add_changed(in, lost, changed);
    for (Value v : changed) {
      if (!in.lose(v, lost)) return Next::Failed;
    }
    *item = unknown;
    return Next::Unknown;
  }
};

Next ItemsOfComprehension::next(Interpreter& in, Value* item) {
  const std::size_t clauses = node->clauses.size();
  std::size_t i = begun ? clauses : 0;
  bool back = begun;  // looks for the next item of a `for` that has begun
  begun = true;
  while (true) {
    if (back) {
      while (i > 0 && !node->clauses[i - 1].target) --i;
      if (i == 0) return Next::End;
      --i;
    }
    if (i == clauses) {
      *item = in.eval(node->element, scope);
      return item->is_error() ? Next::Failed : Next::Item;
    }
    const syntax::ComprehensionClause& c = node->clauses[i];
    if (!c.target) {
      Value condition = in.eval(c.condition, scope);
      if (condition.is_error()) return Next::Failed;
      if (condition.is_opaque()) {
        if (const auto sure = sure_truth(in, c.condition, scope)) condition = Value::boolean(*sure);
      }
      if (condition.is_opaque() || condition.is_poison()) {
        const text::Span at = in.span(c.condition);
        return give_up(in, condition.is_opaque() ? Value::opaque(in.depends_on(condition, at)) : condition, item);
      }
      const auto holds = in.truth(condition, in.span(c.condition));
      if (!holds) return Next::Failed;
      back = !*holds;
      if (*holds) ++i;
      continue;
    }
    if (!back && i > 0) {
      const Value iterable = in.eval_iterable(c.iterable, scope);
      over[i] = iterable.is_error() ? iterable : in.iterator_of(iterable, in.span(c.iterable));
      if (over[i].is_error()) return Next::Failed;
    }
    Value v;
    const Next found = in.next_of(over[i], &v, in.span(c.iterable));
    if (found == Next::Failed) return found;
    if (found == Next::Unknown) return give_up(in, v, item);
    back = found == Next::End;
    if (back) continue;
    if (!in.assign_host(c.target, v, scope)) return Next::Failed;
    ++i;
  }
}

Next ItemsOfComprehension::pull(Interpreter& in, Value, Value* item, text::Span) {
  if (lost) {
    *item = Value::opaque(lost);
    return Next::Unknown;
  }
  if (done) return Next::End;
  ModeGuard guard(in);
  guard.enter(script_mode, anchor, keep);
  const Next found = next(in, item);
  done = found == Next::End || found == Next::Failed;
  return found;
}

Value make_lazy_comprehension(Interpreter& in, const syntax::Comprehension* node, Scope* scope, Value first) {
  auto source = std::make_unique<ItemsOfComprehension>(in, node, scope);
  source->over.resize(node->clauses.size());
  source->over[0] = in.iterator_of(first, in.span(node->clauses[0].iterable));
  if (source->over[0].is_error()) return Value::error();
  Interpreter::hold(scope);
  Iterator* it = in.make<Iterator>();
  it->source = std::move(source);
  in.heap().count(sizeof(ItemsOfComprehension) + 128);
  return Value::object(it);
}

}  // namespace tilewright::script
