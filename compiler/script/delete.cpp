// Host mode: `del`.
#include <algorithm>

#include "compiler/script/instance_names.h"
#include "compiler/script/interpreter.h"
#include "compiler/script/python/support.h"
#include "compiler/script/slices.h"
#include "compiler/script/worlds.h"

namespace tilewright::script {

using syntax::NodeKind;

bool Interpreter::delete_host(const syntax::Node* target, Scope* scope) {
  if (auto* ref = syntax::as<syntax::NameRef>(target)) {
    Scope* owner = scope;
    auto declared = [&](const std::vector<syntax::Name>& names) {
      return std::find(names.begin(), names.end(), ref->name) != names.end();
    };
    if (declared(scope->globals)) {
      while (owner->parent) owner = owner->parent;
    } else if (declared(scope->nonlocals)) {
      while (owner->parent && (owner == scope || !owner->find(ref->name))) owner = owner->parent;
    }
    if (!charge(owner->bindings.size(), span(target))) return false;
    if (owner->erase(ref->name)) return true;
    fail(code::kName, span(target), "name '" + std::string(ref->name.text) + "' is not defined", {}, "NameError");
    return false;
  }
  if (target->kind == NodeKind::Tuple || target->kind == NodeKind::List) {
    for (const syntax::Node* element : target->kind == NodeKind::Tuple ? syntax::as<syntax::Tuple>(target)->elements
                                                                       : syntax::as<syntax::List>(target)->elements) {
      if (!delete_host(element, scope)) return false;
    }
    return true;
  }
  if (auto* a = syntax::as<syntax::Attribute>(target)) {
    Value object = eval(a->object, scope);
    if (object.is_error()) return false;
    Class* cls = object.as<Class>();
    if (cls && erase_in_class(cls, private_name(a->name.text, scope))) return true;
    Instance* instance = object.as<Instance>();
    if (!instance || instance->cls->has_unknown_base) return true;  // of things that this evaluator does not follow
    const std::string_view name = private_name(a->name.text, scope);
    if (erase_in_instance(*this, instance, name)) return true;
    fail(code::kAttribute, span(target),
         "'" + std::string(instance->cls->name) + "' has no attribute '" + std::string(a->name.text) + "' to delete",
         {}, "AttributeError");
    return false;
  }
  if (auto* s = syntax::as<syntax::Subscript>(target)) {
    Value object = eval(s->object, scope);
    if (object.is_error()) return false;
    std::vector<Value> indices;
    for (const syntax::Node* index : s->indices) {
      indices.push_back(eval(index, scope));
      if (indices.back().is_error()) return false;
    }
    bool single = indices.size() == 1 && !s->trailing_comma;
    return delete_subscript(object, single ? indices[0] : tuple(std::move(indices)), span(target));
  }
  return true;  // broken: said already
}

bool Interpreter::delete_subscript(Value object, Value index, text::Span span) {
  if (object.is_opaque()) return !has_aliases(object) || lose(object);
  if (object.is_poison() || index.is_poison()) return true;
  Value unknown = unknown_within(index);
  if (Slice* s = index.as<Slice>()) {
    for (Value bound : {s->start, s->stop, s->step}) unknown = bound.is_opaque() ? bound : unknown;
  }
  if (!unknown.is_none()) {  // it may be any of them
    become_unknown(object.o, unknown.reason());
    return true;
  }
  if (List* l = object.as<List>()) {
    if (Slice* s = index.as<Slice>()) return delete_slice(*this, *l, *s, span);
    auto at = element_position(*this, l->items.size(), index, span);
    if (!at || !charge(l->items.size() - *at, span)) return false;
    l->items.erase(l->items.begin() + static_cast<std::ptrdiff_t>(*at));
    return true;
  }
  if (Dict* d = object.as<Dict>()) {
    if (auto at = dict_position(d, index)) {
      if (!charge(d->items.size() - *at, span)) return false;
      python::dict_erase(d, *at);
      return true;
    }
    if (!has_pending()) fail(code::kIndex, span, "key " + repr(index) + " is not in the dict", {}, "KeyError");
    return false;
  }
  if (Instance* instance = object.as<Instance>()) {
    if (instance->cls->find("__delitem__")) {
      return !call(attribute(object, "__delitem__", span), std::span<const Value>(&index, 1), span).is_error();
    }
    if (const Value inner = python::inner_dict_of(object); !inner.is_none())
      return delete_subscript(inner, index, span);
    if (instance->cls->has_unknown_base) return true;
  }
  fail(code::kType, span, std::string(type_name(object)) + " does not support deletion of an element");
  return false;
}

}  // namespace tilewright::script
