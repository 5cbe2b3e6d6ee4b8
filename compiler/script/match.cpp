// Host mode: `match`. syntax/ast.h says what expressions patterns are kept as.
#include <algorithm>

#include "compiler/script/interpreter.h"
#include "compiler/script/python/support.h"
#include "compiler/script/sure_truth.h"
#include "compiler/script/worlds.h"

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

using Match = Interpreter::Match;

Match yes_if(bool matches) { return matches ? Match::Yes : Match::No; }

}  // namespace

Flow Interpreter::match_host(const syntax::Match* node, Scope* scope) {
  Value subject = eval(node->subject, scope);
  return subject.is_error() ? Flow::Error : match_from(node, 0, subject, scope);
}

Flow Interpreter::match_from(const syntax::Match* node, std::size_t from, Value subject, Scope* scope) {
  for (std::size_t i = from; i < node->cases.size(); ++i) {
    const syntax::MatchCase& c = node->cases[i];
    if (!step(span(c.pattern))) return Flow::Error;
    auto matched = matches(c.pattern, subject, scope);
    if (!matched) return Flow::Error;
    if (*matched == Match::No) continue;
    const syntax::Node* const whole = node;
    const Way rest{[this, node, i, subject, scope] { return match_from(node, i + 1, subject, scope); }, {&whole, 1}};
    if (*matched == Match::Perhaps) {
      const Value part = unknown_within(subject);
      const Way taken{[&] { return guarded(c, scope, rest); }, c.body};
      const Value unknown = part.is_none() ? Value::opaque("what is matched") : part;
      return either(unknown, span(node->subject), scope, false, taken, rest);
    }
    if (c.guard) return guarded(c, scope, rest);
    return exec_host(c.body, scope);
  }
  return Flow::Normal;
}

// The body of a case whose pattern matches, if its guard holds; else the cases behind it.
Flow Interpreter::guarded(const syntax::MatchCase& c, Scope* scope, const Way& rest) {
  const Way body{[&] { return exec_host(c.body, scope); }, c.body};
  if (!c.guard) return body.run();
  Value guard = eval(c.guard, scope);
  if (guard.is_error()) return Flow::Error;
  if (guard.is_opaque()) {
    if (const auto sure = sure_truth(*this, c.guard, scope)) return *sure ? body.run() : rest.run();
  }
  if (guard.is_opaque()) return either(guard, span(c.guard), scope, false, body, rest);
  auto holds = truth(guard, span(c.guard));
  if (!holds) return Flow::Error;
  return *holds ? body.run() : rest.run();
}

std::optional<Interpreter::Match> Interpreter::matches(const syntax::Node* pattern, Value subject, Scope* scope) {
  if (!step(span(pattern))) return std::nullopt;
  auto bind = [&](const syntax::Node* target, Value v) -> std::optional<Match> {
    auto* ref = syntax::as<syntax::NameRef>(target);
    if (ref && ref->name.text == "_") return Match::Yes;
    if (!assign_host(target, v, scope)) return std::nullopt;
    return Match::Yes;
  };
  switch (pattern->kind) {
    case NodeKind::NameRef: return bind(pattern, subject);
    case NodeKind::NamedExpr: {
      auto* named = syntax::as<syntax::NamedExpr>(pattern);
      auto inner = matches(named->value, subject, scope);
      if (!inner || *inner == Match::No) return inner;
      syntax::NameRef name{{NodeKind::NameRef, named->name.at}, named->name};
      return bind(&name, subject) ? inner : std::nullopt;
    }
    case NodeKind::Set: {
      Match best = Match::No;
      for (const syntax::Node* alternative : syntax::as<syntax::Set>(pattern)->elements) {
        auto one = matches(alternative, subject, scope);
        if (!one || *one == Match::Yes) return one;
        if (*one == Match::Perhaps) best = Match::Perhaps;
      }
      return best;
    }
    case NodeKind::List: return matches_sequence(syntax::as<syntax::List>(pattern), subject, scope);
    case NodeKind::Dict: return matches_mapping(syntax::as<syntax::Dict>(pattern), subject, scope);
    case NodeKind::Call: return matches_class(syntax::as<syntax::Call>(pattern), subject, scope);
    case NodeKind::Broken: return Match::No;
    default: break;
  }
  Value wanted = eval(pattern, scope);
  if (wanted.is_error()) return std::nullopt;
  if (subject.is_poison() || wanted.is_poison()) return Match::No;
  if (subject.is_opaque() || wanted.is_opaque()) return Match::Perhaps;
  // None, True and False are compared by identity.
  if (wanted.is_none() || pattern->kind == NodeKind::BoolLit) return yes_if(is_identical(subject, wanted));
  bool equal = equals(subject, wanted);
  if (has_pending()) return std::nullopt;
  return !equal && !unknown_within(subject).is_none() ? Match::Perhaps : yes_if(equal);
}

std::optional<Interpreter::Match> Interpreter::matches_sequence(const syntax::List* pattern, Value subject,
                                                                Scope* scope) {
  syntax::Exprs elements = pattern->elements;
  Match all = Match::Yes;
  if (subject.is_opaque()) {  // what it would bind is not known either
    for (const syntax::Node* element : elements) {
      auto* star = syntax::as<syntax::Starred>(element);
      if (!matches(star ? star->value : element, subject, scope)) return std::nullopt;
    }
    return Match::Perhaps;
  }
  bool is_sequence = subject.as<List>() || subject.as<Tuple>() || subject.as<Range>() ||
                     python::is_instance(*this, subject, Value::object(python::class_named(*this, "tuple")));
  if (!is_sequence) return Match::No;
  auto items = iterate(subject, span(pattern));
  if (!items) return std::nullopt;
  std::size_t star = 0;
  while (star < elements.size() && elements[star]->kind != NodeKind::Starred) ++star;
  bool has_star = star < elements.size();
  if (has_star ? items->size() + 1 < elements.size() : items->size() != elements.size()) return Match::No;
  std::size_t taken = has_star ? items->size() + 1 - elements.size() : 0;
  for (std::size_t i = 0, next = 0; i < elements.size(); ++i) {
    std::optional<Match> one;
    if (i == star) {
      auto from = items->begin() + static_cast<std::ptrdiff_t>(next);
      one = matches(syntax::as<syntax::Starred>(elements[i])->value,
                    list({from, from + static_cast<std::ptrdiff_t>(taken)}), scope);
      next += taken;
    } else {
      one = matches(elements[i], (*items)[next++], scope);
    }
    if (!one || *one == Match::No) return one;
    if (*one == Match::Perhaps) all = Match::Perhaps;
  }
  return all;
}

std::optional<Interpreter::Match> Interpreter::matches_mapping(const syntax::Dict* pattern, Value subject,
                                                               Scope* scope) {
  Match all = Match::Yes;
  if (subject.is_opaque()) {
    for (const syntax::DictItem& item : pattern->items) {
      if (!matches(item.value, subject, scope)) return std::nullopt;
    }
    return Match::Perhaps;
  }
  Dict* dict = subject.as<Dict>();
  if (!dict) return Match::No;
  std::vector<Value> keys;
  for (const syntax::DictItem& item : pattern->items) {
    if (!item.key) continue;
    Value key = eval(item.key, scope);
    if (key.is_error()) return std::nullopt;
    if (key.is_poison()) return Match::No;
    if (key.is_opaque()) return Match::Perhaps;
    Value* found = dict_find(dict, key);
    if (has_pending()) return std::nullopt;
    if (!found) return Match::No;
    keys.push_back(key);
    auto one = matches(item.value, *found, scope);
    if (!one || *one == Match::No) return one;
    if (*one == Match::Perhaps) all = Match::Perhaps;
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
    auto others = matches(item.value, Value::object(rest), scope);
    return others && *others == Match::Yes ? std::optional(all) : others;
  }
  return all;
}

std::optional<Interpreter::Match> Interpreter::matches_class(const syntax::Call* pattern, Value subject, Scope* scope) {
  Value cls_value = eval(pattern->function, scope);
  if (cls_value.is_error()) return std::nullopt;
  Match all = Match::Yes;
  const Value is_one = python::instance_answer(*this, subject, cls_value);
  if (is_one.is_opaque()) {
    all = Match::Perhaps;
    for (const syntax::Node* arg : pattern->args) {
      if (!matches(arg, Value::opaque(is_one.reason()), scope)) return std::nullopt;
    }
    for (const syntax::Keyword& k : pattern->keywords) {
      if (!matches(k.value, Value::opaque(is_one.reason()), scope)) return std::nullopt;
    }
    return all;
  }
  if (!is_one.b) return Match::No;
  Class* cls = cls_value.as<Class>();
  std::vector<std::string> names;  // of the positional patterns
  if (cls && !pattern->args.empty()) {
    if (pattern->args.size() == 1 && takes_itself(*this, cls)) {
      auto one = matches(pattern->args[0], subject, scope);
      if (!one || *one == Match::No) return one;
      if (*one == Match::Perhaps) all = Match::Perhaps;
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
  auto attribute_matches = [&](std::string_view name, const syntax::Node* inner) -> std::optional<Match> {
    auto v = python::find_attribute(*this, subject, name, span(inner));
    if (has_pending()) return std::nullopt;
    if (!v) return Match::No;
    return matches(inner, *v, scope);
  };
  for (std::size_t i = 0; i < pattern->args.size() && i < names.size(); ++i) {
    auto one = attribute_matches(names[i], pattern->args[i]);
    if (!one || *one == Match::No) return one;
    if (*one == Match::Perhaps) all = Match::Perhaps;
  }
  for (const syntax::Keyword& k : pattern->keywords) {
    auto one = attribute_matches(k.name.text, k.value);
    if (!one || *one == Match::No) return one;
    if (*one == Match::Perhaps) all = Match::Perhaps;
  }
  return all;
}

}  // namespace tilewright::script
