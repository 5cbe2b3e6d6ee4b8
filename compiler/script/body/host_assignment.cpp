// Assignments as Python makes them.
#include <algorithm>
#include <limits>

#include "compiler/script/body/host_body.h"
#include "compiler/script/operators.h"
#include "compiler/script/python/lazy_iterators.h"
#include "compiler/script/python/set_order.h"
#include "compiler/script/python/support.h"
#include "compiler/script/worlds.h"
#include "compiler/syntax/walk.h"
#include "compiler/text/amounts.h"

namespace tilewright::script {

using syntax::NodeKind;

bool Interpreter::assign_host(const syntax::Node* target, Value value, Scope* scope) {
  return HostBody(*this).assign(target, value, scope);
}

bool HostBody::assign(const syntax::Node* target, Value value, Scope* scope) {
  if (MetaVar* m = value.as<MetaVar>()) value = m->value;
  if (auto* ref = syntax::as<syntax::NameRef>(target)) {
    bind(ref->name, value, scope);
    return true;
  }
  if (auto* t = syntax::as<syntax::Tuple>(target)) return unpack(target, t->elements, value, scope);
  if (auto* l = syntax::as<syntax::List>(target)) return unpack(target, l->elements, value, scope);
  if (auto* a = syntax::as<syntax::Attribute>(target)) {
    Value object = in_.eval(a->object, scope);
    return !object.is_error() && in_.set_attribute(object, in_.private_name(a->name.text, scope), value, at(target));
  }
  if (auto* s = syntax::as<syntax::Subscript>(target)) return assign_element(s, value, scope);
  if (target->kind == NodeKind::Broken) return true;
  in_.fail(code::kAssignment, at(target), "this cannot be assigned to");
  return false;
}

void HostBody::bind(const syntax::Name& name, Value value, Scope* scope) {
  // Builder mode: buffers take the name of their variable; those of a traced kernel that of a variable of the script's.
  if (in_.kernel_ && !(in_.kernel_->traced && is_of_prelude(scope))) in_.name_value(value, name.text);
  if (std::ranges::find(scope->globals, name) != scope->globals.end()) {
    Scope* s = scope;
    while (s->parent) s = s->parent;
    s->set(name, value);
  } else if (std::ranges::find(scope->nonlocals, name) != scope->nonlocals.end()) {
    if (Value* v = in_.find_binding(name, scope->parent)) *v = value;
  } else {
    scope->set(name, value);  // there are no more of them than the text has names
  }
}

bool HostBody::unpack(const syntax::Node* target, syntax::Exprs elements, Value value, Scope* scope) {
  if (value.is_opaque() || value.is_poison()) {
    for (const syntax::Node* element : elements) {
      auto* star = syntax::as<syntax::Starred>(element);
      if (!assign(star ? star->value : element, value, scope)) return false;
    }
    return true;
  }
  std::size_t star_at = elements.size();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (elements[i]->kind == NodeKind::Starred) star_at = i;
  }
  bool has_star = star_at != elements.size();
  // Python asks an iterator for one item more than there are names.
  const std::size_t most = has_star ? std::numeric_limits<std::size_t>::max() : elements.size() + 1;
  Value unknown;
  auto items = python::items_up_to(in_, value, most, at(target), unknown);
  if (!items) return false;
  if (!unknown.is_none()) return unpack(target, elements, unknown, scope);
  if (has_star ? items->size() + 1 < elements.size() : items->size() != elements.size()) {
    in_.fail(
        code::kValue, at(target),
        "cannot unpack " + text::counted(items->size(), "value") + " into " + text::counted(elements.size(), "name"),
        {}, "ValueError");
    in_.certainly();
    return false;
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (i == star_at) {
      std::size_t count = items->size() - (elements.size() - 1);
      auto from = items->begin() + static_cast<std::ptrdiff_t>(next);
      Value rest = in_.list({from, from + static_cast<std::ptrdiff_t>(count)});
      next += count;
      if (!assign(syntax::as<syntax::Starred>(elements[i])->value, rest, scope)) return false;
    } else if (!assign(elements[i], (*items)[next++], scope)) {
      return false;
    }
  }
  return true;
}

bool HostBody::assign_element(const syntax::Subscript* target, Value value, Scope* scope) {
  Value object = in_.eval(target->object, scope);
  if (object.is_error()) return false;
  std::vector<Value> indices;
  std::vector<text::Span> spans;
  indices.reserve(target->indices.size());
  spans.reserve(target->indices.size());
  for (const syntax::Node* index : target->indices) {
    auto* star = syntax::as<syntax::Starred>(index);
    Value v = in_.eval(star ? star->value : index, scope);
    if (v.is_error()) return false;
    if (star) {
      auto more = in_.iterate(v, at(index));
      if (!more) return false;
      indices.insert(indices.end(), more->begin(), more->end());
    } else {
      indices.push_back(v);
    }
    spans.resize(indices.size(), at(index));
  }
  in_.index_spans_ = std::move(spans);
  return in_.set_subscript(object, indices, target->indices.size() == 1 && !target->trailing_comma, value, at(target));
}

Flow HostBody::assign_all(const syntax::Assign* node, Scope* scope) {
  Value v = in_.eval(node->value, scope);
  if (v.is_error()) return Flow::Error;
  return flow_of(std::ranges::all_of(node->targets, [&](const syntax::Node* t) { return assign(t, v, scope); }));
}

Flow HostBody::annotated(const syntax::AnnAssign* node, Scope* scope) {
  if (!node->value) return Flow::Normal;
  Value v = in_.eval(node->value, scope);
  return flow_of(!v.is_error() && assign(node->target, v, scope));
}

// `old op= by` where it changes `old` itself, as it does for lists, dicts and sets; nothing for other values.
std::optional<bool> HostBody::in_place(const syntax::AugAssign* node, Value old, Value by) {
  const syntax::Operator op = node->op;
  List* list = old.as<List>();
  Dict* dict = old.as<Dict>();
  Set* set = old.as<Set>();
  if ((set && (set->is_frozen || dynamic_cast<KeysView*>(set))) ||
      dynamic_cast<ValuesView*>(static_cast<Object*>(list)))
    return std::nullopt;  // another value takes its place, or none can
  const auto combine = set ? python::combination_of(op) : std::nullopt;
  const bool joins = (list && op == syntax::Operator::Add) || (dict && op == syntax::Operator::BitOr) || combine;
  if (joins && by.is_opaque()) {
    become_unknown(old.o, by.reason());
    return true;
  }
  if (list && op == syntax::Operator::Mul) {
    const Value product = in_.binary(op, old, by, at(node));
    if (product.is_error()) return false;
    if (List* made = product.as<List>())
      list->items = made->items;
    else
      become_unknown(list, product.reason());
    return true;
  }
  if (list && joins) {
    auto more = in_.iterate(by, at(node->value));
    if (!more || !in_.reserve(2 * more->size() * sizeof(Value), at(node))) return false;
    list->items.insert(list->items.end(), more->begin(), more->end());
    in_.heap_.count(more->size() * sizeof(Value));
    return true;
  }
  if (Dict* more = dict && joins ? python::as_dict(by) : nullptr) return in_.dict_add(dict, *more, at(node));
  if (set && combine && by.as<Set>()) return python::change(in_, set, by, *combine, at(node));
  return std::nullopt;
}

// Does evaluating it run a function?
static bool calls_within(const syntax::Node* root) {
  std::vector<const syntax::Node*> todo{root};
  while (!todo.empty()) {
    const syntax::Node* n = todo.back();
    todo.pop_back();
    if (!n) continue;
    if (n->kind == NodeKind::Call || n->kind == NodeKind::NamedExpr) return true;
    syntax::for_children(n, [&](const syntax::Node* child) { todo.push_back(child); });
  }
  return false;
}

// The value of a target whose parts are evaluated once, and what stores into it.
Value HostBody::place(const syntax::Node* target, Scope* scope, std::function<bool(Value)>& store) {
  if (auto* a = syntax::as<syntax::Attribute>(target)) {
    const Value object = in_.eval(a->object, scope);
    if (object.is_error()) return object;
    const std::string_view name = in_.private_name(a->name.text, scope);
    store = [this, object, name, span = at(target)](Value v) { return in_.set_attribute(object, name, v, span); };
    return in_.attribute(object, name, in_.span(a->name.at));
  }
  auto* s = syntax::as<syntax::Subscript>(target);
  const bool plain =
      s && std::ranges::none_of(s->indices, [](const syntax::Node* n) { return n->kind == NodeKind::Starred; });
  if (!plain) return in_.eval(target, scope);
  const Value object = in_.eval(s->object, scope);
  if (object.is_error()) return object;
  std::vector<Value> indices;
  for (const syntax::Node* index : s->indices) {
    indices.push_back(in_.eval(index, scope));
    if (indices.back().is_error()) return indices.back();
  }
  const bool single = indices.size() == 1 && !s->trailing_comma;
  const Value old = in_.subscript(object, indices, single, at(target));
  store = [this, object, indices = std::move(indices), single, span = at(target)](Value v) {
    return in_.set_subscript(object, indices, single, v, span);
  };
  return old;
}

Flow HostBody::augmented(const syntax::AugAssign* node, Scope* scope) {
  std::function<bool(Value)> store = [&](Value v) { return assign(node->target, v, scope); };
  const bool once = calls_within(node->target);  // in others, the parts are the same a second time
  Value old = once ? place(node->target, scope, store) : in_.eval(node->target, scope);
  if (old.is_error()) return Flow::Error;
  Value by = in_.eval(node->value, scope);
  if (by.is_error()) return Flow::Error;
  if (const auto done = in_place(node, old, by)) return flow_of(*done);
  if (Instance* instance = old.as<Instance>()) {
    const std::string name = "__i" + std::string(dunder(node->op)).substr(2);
    if (instance->cls->find(name)) {
      const Value v = in_.call(in_.attribute(old, name, at(node)), std::span<const Value>(&by, 1), at(node));
      if (v.tag != Tag::NotImplemented) return flow_of(!v.is_error() && store(v));
    }
  }
  // A list, a dict or a set is changed in place.
  const bool number = by.is_int() || by.is_float() || by.is_bool() || by.as<Str>();
  if (old.is_opaque() && !number) {
    in_.may_be_within(old.reason(), by);
    if (in_.has_aliases(old) && !in_.lose(old)) return Flow::Error;
  }
  Value v = in_.binary(node->op, old, by, at(node));
  return flow_of(!v.is_error() && store(v));
}

}  // namespace tilewright::script
