// Host mode: `match`. syntax/ast.h says what expressions patterns are kept as.
//
// A subject that is not known here matches what matches anything, as an unknown condition takes the `else`.
#include <algorithm>

#include "compiler/script/interpreter.h"
#include "compiler/script/python/support.h"

namespace tilewright::script {

using syntax::NodeKind;

namespace {

// Built-in classes whose one positional pattern is the subject itself.
bool takes_itself(Interpreter& in, const Class* cls) {
  for (const char* name : {"bool", "bytes", "dict", "float", "int", "list", "set", "str", "tuple"}) {
    if (cls == python::class_named(in, name)) return true;
  }
  return false;
}

}  // namespace

Flow Interpreter::match_host(const syntax::Match* node, Scope* scope) {
  Value subject = eval(node->subject, scope);
  if (subject.is_error()) return Flow::Error;
  for (const syntax::MatchCase& c : node->cases) {
    if (!step(span(c.pattern))) return Flow::Error;
    auto matched = matches(c.pattern, subject, scope);
    if (!matched) return Flow::Error;
    if (!*matched) continue;
    if (c.guard) {
      Value guard = eval(c.guard, scope);
      if (guard.is_error()) return Flow::Error;
      auto holds = truth(guard, span(c.guard));
      if (!holds) return Flow::Error;
      if (!*holds) continue;
    }
    return exec_host(c.body, scope);
  }
  return Flow::Normal;
}

std::optional<bool> Interpreter::matches(const syntax::Node* pattern, Value subject, Scope* scope) {
  if (!step(span(pattern))) return std::nullopt;
  auto bind = [&](const syntax::Node* target, Value v) -> std::optional<bool> {
    auto* ref = syntax::as<syntax::NameRef>(target);
    if (ref && ref->name.text == "_") return true;
    if (!assign_host(target, v, scope)) return std::nullopt;
    return true;
  };
  switch (pattern->kind) {
    case NodeKind::NameRef: return bind(pattern, subject);
    case NodeKind::NamedExpr: {
      auto* named = syntax::as<syntax::NamedExpr>(pattern);
      auto inner = matches(named->value, subject, scope);
      if (!inner || !*inner) return inner;
      syntax::NameRef name{{NodeKind::NameRef, named->name.at}, named->name};
      return bind(&name, subject);
    }
    case NodeKind::Set: {
      for (const syntax::Node* alternative : syntax::as<syntax::Set>(pattern)->elements) {
        auto one = matches(alternative, subject, scope);
        if (!one || *one) return one;
      }
      return false;
    }
    case NodeKind::List: return matches_sequence(syntax::as<syntax::List>(pattern), subject, scope);
    case NodeKind::Dict: return matches_mapping(syntax::as<syntax::Dict>(pattern), subject, scope);
    case NodeKind::Call: return matches_class(syntax::as<syntax::Call>(pattern), subject, scope);
    case NodeKind::Broken: return false;
    default: break;
  }
  Value wanted = eval(pattern, scope);
  if (wanted.is_error()) return std::nullopt;
  if (subject.is_opaque() || subject.is_poison() || wanted.is_opaque() || wanted.is_poison()) return false;
  // None, True and False are compared by identity.
  if (wanted.is_none() || pattern->kind == NodeKind::BoolLit) return is_identical(subject, wanted);
  bool equal = equals(subject, wanted);
  if (has_pending()) return std::nullopt;
  return equal;
}

std::optional<bool> Interpreter::matches_sequence(const syntax::List* pattern, Value subject, Scope* scope) {
  syntax::Exprs elements = pattern->elements;
  bool is_sequence = subject.as<List>() || subject.as<Tuple>() || subject.as<Range>() ||
                     python::is_instance(*this, subject, Value::object(python::class_named(*this, "tuple")));
  if (!is_sequence) return false;
  auto items = iterate(subject, span(pattern));
  if (!items) return std::nullopt;
  std::size_t star = 0;
  while (star < elements.size() && elements[star]->kind != NodeKind::Starred) ++star;
  bool has_star = star < elements.size();
  if (has_star ? items->size() + 1 < elements.size() : items->size() != elements.size()) return false;
  std::size_t taken = has_star ? items->size() + 1 - elements.size() : 0;
  for (std::size_t i = 0, next = 0; i < elements.size(); ++i) {
    std::optional<bool> one;
    if (i == star) {
      auto from = items->begin() + static_cast<std::ptrdiff_t>(next);
      one = matches(syntax::as<syntax::Starred>(elements[i])->value,
                    list({from, from + static_cast<std::ptrdiff_t>(taken)}), scope);
      next += taken;
    } else {
      one = matches(elements[i], (*items)[next++], scope);
    }
    if (!one || !*one) return one;
  }
  return true;
}

std::optional<bool> Interpreter::matches_mapping(const syntax::Dict* pattern, Value subject, Scope* scope) {
  Dict* dict = subject.as<Dict>();
  if (!dict) return false;
  std::vector<Value> keys;
  for (const syntax::DictItem& item : pattern->items) {
    if (!item.key) continue;
    Value key = eval(item.key, scope);
    if (key.is_error()) return std::nullopt;
    if (key.is_opaque() || key.is_poison()) return false;
    Value* found = dict_find(dict, key);
    if (has_pending()) return std::nullopt;
    if (!found) return false;
    keys.push_back(key);
    auto one = matches(item.value, *found, scope);
    if (!one || !*one) return one;
  }
  for (const syntax::DictItem& item : pattern->items) {
    if (item.key) continue;
    Dict* rest = make<Dict>();
    if (!charge(dict->items.size() * (keys.size() + 1), span(item.value))) return std::nullopt;
    for (const auto& [key, value] : std::vector(dict->items)) {
      bool named = std::any_of(keys.begin(), keys.end(), [&, k = key](Value other) { return equals(k, other); });
      if (has_pending()) return std::nullopt;
      if (!named) dict_set(rest, key, value);
    }
    return matches(item.value, Value::object(rest), scope);
  }
  return true;
}

std::optional<bool> Interpreter::matches_class(const syntax::Call* pattern, Value subject, Scope* scope) {
  Value cls_value = eval(pattern->function, scope);
  if (cls_value.is_error()) return std::nullopt;
  if (!python::is_instance(*this, subject, cls_value)) return false;
  Class* cls = cls_value.as<Class>();
  std::vector<std::string> names;  // of the positional patterns
  if (cls && !pattern->args.empty()) {
    if (pattern->args.size() == 1 && takes_itself(*this, cls)) {
      auto one = matches(pattern->args[0], subject, scope);
      if (!one || !*one) return one;
    } else if (Value* given = cls->find("__match_args__"); given && given->as<Tuple>()) {
      for (Value v : given->as<Tuple>()->items) names.push_back(v.as<Str>() ? std::string(v.as<Str>()->text) : "");
    } else {
      names = cls->fields;
    }
    if (names.size() < pattern->args.size() && !takes_itself(*this, cls)) {
      fail(code::kType, span(pattern),
           cls->name + "() takes " + std::to_string(names.size()) + " positional patterns, here are " +
               std::to_string(pattern->args.size()),
           "name the attributes: " + cls->name + "(attribute=...)");
      return std::nullopt;
    }
  }
  auto attribute_matches = [&](std::string_view name, const syntax::Node* inner) -> std::optional<bool> {
    auto v = python::find_attribute(*this, subject, name, span(inner));
    if (has_pending()) return std::nullopt;
    if (!v) return false;
    return matches(inner, *v, scope);
  };
  for (std::size_t i = 0; i < pattern->args.size() && i < names.size(); ++i) {
    auto one = attribute_matches(names[i], pattern->args[i]);
    if (!one || !*one) return one;
  }
  for (const syntax::Keyword& k : pattern->keywords) {
    auto one = attribute_matches(k.name.text, k.value);
    if (!one || !*one) return one;
  }
  return true;
}

}  // namespace tilewright::script
