// Evaluation of expressions, in both modes.
#include <algorithm>

#include "compiler/script/aliases.h"
#include "compiler/script/class_scope.h"
#include "compiler/script/generators.h"
#include "compiler/script/interpreter.h"
#include "compiler/script/mode_guard.h"
#include "compiler/script/probe.h"
#include "compiler/script/python/lazy_iterators.h"
#include "compiler/script/python/namespaces.h"
#include "compiler/script/python/set_order.h"
#include "compiler/script/python/unicode.h"
#include "compiler/script/sure_truth.h"
#include "compiler/script/traced/truth.h"
#include "compiler/script/worlds.h"
#include "compiler/syntax/effects.h"
#include "compiler/syntax/walk.h"

namespace tilewright::script {

using syntax::NodeKind;
using syntax::Operator;

Value* Interpreter::find_binding(const syntax::Name& name, Scope* scope) {
  bool crossed_function = false;
  for (Scope* s = scope; s; s = s->parent) {
    // Methods do not see the names of their class body.
    bool visible = s->kind != Scope::Kind::Class || !crossed_function;
    if (visible) {
      if (auto* b = s->find(name)) return &b->value;
    }
    if (s->kind == Scope::Kind::Function) crossed_function = true;
  }
  return builtins_.find(name);
}

LocalNames* Interpreter::locals_of(const syntax::FunctionDef* def) {
  auto [at, is_new] = locals_.try_emplace(def);
  if (is_new) {
    at->second.names = syntax::effects_of(def->body).bound;
    std::vector<const syntax::Node*> todo(def->body.begin(), def->body.end());
    while (!todo.empty()) {
      const syntax::Node* n = todo.back();
      todo.pop_back();
      if (!n || n->kind == NodeKind::FunctionDef || n->kind == NodeKind::ClassDef) continue;
      auto* global = syntax::as<syntax::Global>(n);
      auto* nonlocal = syntax::as<syntax::Nonlocal>(n);
      if (global || nonlocal) {
        std::erase_if(at->second.names, [&](const syntax::Name& name) {
          const auto declared = global ? global->names : nonlocal->names;
          return std::ranges::find(declared, name) != declared.end();
        });
      }
      syntax::for_children(n, [&](const syntax::Node* child) {
        if (child->kind >= NodeKind::ExprStmt) todo.push_back(child);  // no expression declares names
      });
    }
    spend(4 * at->second.names.size());
    for (const syntax::Name& n : at->second.names) at->second.mask |= std::uint64_t{1} << (n.hash & 63);
  }
  return &at->second;
}

// Does the function bind the name somewhere, and has not yet?
static bool is_unbound_local(const Scope* s, const syntax::Name& name) {
  if (!s->locals || (s->locals->mask >> (name.hash & 63) & 1) == 0) return false;
  auto is_among = [&](const std::vector<syntax::Name>& names) { return std::ranges::find(names, name) != names.end(); };
  return is_among(s->locals->names) && !is_among(s->globals) && !is_among(s->nonlocals);
}

// Is it among the names that the body of this class binds?
static bool binds(Scope& of_class, const syntax::Name& name) {
  const Scope::Binding* bound = of_class.find(kBoundInClass);
  const Tuple* names = bound ? bound->value.as<Tuple>() : nullptr;
  if (std::ranges::find(of_class.nonlocals, name) != of_class.nonlocals.end()) return false;
  return names && std::ranges::any_of(names->items, [&](Value v) { return v.as<Str>()->text == name.text; });
}

Value Interpreter::lookup(const syntax::Name& name, Scope* scope, text::Span span) {
  bool in_function = false, in_class = false;
  for (Scope* s = scope; s; s = s->parent) {
    const bool is_class = s->kind == Scope::Kind::Class;
    Scope::Binding* b = is_class && in_function ? nullptr : s->find(name);
    if (b) return b->value;
    // What a class binds itself, it finds among its own names and those of the module.
    if (is_class && !in_function && binds(*s, name))
      while (s->parent && s->parent->parent) s = s->parent;
    in_class = in_class || is_class;
    if (s->kind != Scope::Kind::Function) continue;
    if (!in_function && !in_class && is_unbound_local(s, name)) {
      return refuse(
          code::kName, span,
          "'" + std::string(name.text) + "' is a name of this function, which binds it, and has no value here",
          "a name that a function binds is its own: write global or nonlocal, or take another name",
          "UnboundLocalError");
    }
    in_function = true;
  }
  if (Value* v = builtins_.find(name)) return *v;
  const Value v = unbound(name, scope, span);
  return !v.is_opaque() || may_raise(span) ? v : Value::error();
}

Value Interpreter::eval(const syntax::Node* node, Scope* scope) {
  at_ = span(node);
  if (!step(at_) || !enter(1, at_)) return Value::error();
  Value v = eval_node(node, scope);
  leave(1);
  if (errors_.pending) return Value::error();  // a comparison or a text that went too deep
  if (node == probed_) probe_->see(v, store_);
  if (v.is_expr() && node->kind != NodeKind::NameRef) return weighed(v, span(node));
  return v;
}

namespace {

// Whether CPython computes the expression when it compiles it.
bool is_folded(const syntax::Node* node) {
  switch (node->kind) {
    case NodeKind::IntLit:
    case NodeKind::FloatLit:
    case NodeKind::StringLit:
    case NodeKind::BytesLit:
    case NodeKind::BoolLit:
    case NodeKind::NoneLit:
    case NodeKind::EllipsisLit: return true;
    case NodeKind::UnaryOp: return is_folded(syntax::as<syntax::UnaryOp>(node)->operand);
    case NodeKind::BinOp:
      return is_folded(syntax::as<syntax::BinOp>(node)->left) && is_folded(syntax::as<syntax::BinOp>(node)->right);
    case NodeKind::Tuple: return std::ranges::all_of(syntax::as<syntax::Tuple>(node)->elements, is_folded);
    default: return false;
  }
}

// Three and more constants are kept as a frozenset, from which the set is made.
bool is_kept_set(const syntax::Node* node) {
  auto* set = syntax::as<syntax::Set>(node);
  return set && set->elements.size() > 2 && std::ranges::all_of(set->elements, is_folded);
}

}  // namespace

Value Interpreter::eval_node(const syntax::Node* node, Scope* scope) {
  switch (node->kind) {
    case NodeKind::NameRef: return lookup(syntax::as<syntax::NameRef>(node)->name, scope, span(node));
    case NodeKind::IntLit: {
      auto* lit = syntax::as<syntax::IntLit>(node);
      if (lit->too_large) return fail(code::kValue, span(node), "this number is too large");
      return big(lit->value);
    }
    case NodeKind::FloatLit: return Value::floating(syntax::as<syntax::FloatLit>(node)->value);
    case NodeKind::StringLit: return string(syntax::as<syntax::StringLit>(node)->value);
    case NodeKind::BytesLit: return Value::opaque("a bytes literal");
    case NodeKind::FString: return eval_fstring(syntax::as<syntax::FString>(node), scope);
    case NodeKind::BoolLit: return Value::boolean(syntax::as<syntax::BoolLit>(node)->value);
    case NodeKind::NoneLit: return Value::none();
    case NodeKind::EllipsisLit: return Value::ellipsis();
    case NodeKind::List: return eval_sequence(node, syntax::as<syntax::List>(node)->elements, scope);
    case NodeKind::Tuple: return eval_sequence(node, syntax::as<syntax::Tuple>(node)->elements, scope);
    case NodeKind::Set: return eval_set(syntax::as<syntax::Set>(node), scope);
    case NodeKind::Dict: return eval_dict(syntax::as<syntax::Dict>(node), scope);
    case NodeKind::Comprehension: return eval_comprehension(syntax::as<syntax::Comprehension>(node), scope);
    case NodeKind::Attribute: {
      auto* a = syntax::as<syntax::Attribute>(node);
      Value object = eval(a->object, scope);
      Value v = object.is_error() ? object : attribute(object, private_name(a->name.text, scope), span(a->name.at));
      if (v.is_error()) look_along(a, scope);
      return v;
    }
    case NodeKind::Subscript: return eval_subscript(syntax::as<syntax::Subscript>(node), scope);
    case NodeKind::Slice: return eval_slice(syntax::as<syntax::Slice>(node), scope);
    case NodeKind::Call: return eval_call(syntax::as<syntax::Call>(node), scope);
    case NodeKind::BinOp: {
      auto* op = syntax::as<syntax::BinOp>(node);
      Value a = eval(op->left, scope);
      if (a.is_error()) return a;
      Value b = eval(op->right, scope);
      if (b.is_error()) return b;
      return binary(op->op, a, b, span(node));
    }
    case NodeKind::UnaryOp: {
      auto* op = syntax::as<syntax::UnaryOp>(node);
      Value a = eval(op->operand, scope);
      if (a.is_error()) return a;
      if (op->op == Operator::Not && a.is_expr() && refuses_truth(*this)) {
        return no_truth(*this, span(node), "'not'", "txl.Not");
      }
      return unary(op->op, a, span(node));
    }
    case NodeKind::BoolOp: return eval_bool_op(syntax::as<syntax::BoolOp>(node), scope);
    case NodeKind::Compare: return eval_compare(syntax::as<syntax::Compare>(node), scope);
    case NodeKind::IfExp: return eval_if_exp(syntax::as<syntax::IfExp>(node), scope);
    case NodeKind::NamedExpr: return eval_named(syntax::as<syntax::NamedExpr>(node), scope);
    case NodeKind::Lambda: return eval_lambda(syntax::as<syntax::Lambda>(node), scope);
    case NodeKind::Starred: return fail(code::kUnsupported, span(node), "a starred expression is not allowed here");
    case NodeKind::Unsupported:
      if (!kernel_) return Value::opaque("an asynchronous or generator expression");
      return fail(code::kUnsupported, span(node),
                  "'" + std::string(syntax::as<syntax::Unsupported>(node)->text) + "' is not part of tile scripts");
    case NodeKind::Broken: return Value::poison();
    default: return fail(code::kUnsupported, span(node), "this is a statement, not an expression");
  }
}

// A loop over a kept set needs no set of its own. CPython makes the frozenset twice: from the constants, and from the
// first one when it joins equal constants.
Value Interpreter::eval_iterable(const syntax::Node* node, Scope* scope) {
  if (!is_kept_set(node)) return eval(node, scope);
  const Value first = eval_sequence(node, syntax::as<syntax::Set>(node)->elements, scope);
  if (!first.as<Set>()) return first;
  Set* kept = make<Set>();
  for (Value v : python::ordered_items(*first.as<Set>())) dict_set(&kept->entries, v, Value::none());
  return Value::object(kept);
}

Value Interpreter::eval_set(const syntax::Set* node, Scope* scope) {
  if (std::ranges::none_of(node->elements, [](const syntax::Node* e) { return e->kind == NodeKind::Starred; })) {
    if (!is_kept_set(node)) return eval_sequence(node, node->elements, scope);
    const Value kept = eval_iterable(node, scope);
    return kept.as<Set>() ? Value::object(python::copy_of(*this, *kept.as<Set>())) : kept;
  }
  Set* set = make<Set>();
  for (const syntax::Node* element : node->elements) {
    auto* star = syntax::as<syntax::Starred>(element);
    const Value v = eval(star ? star->value : element, scope);
    if (v.is_error() || (star && (v.is_opaque() || v.is_poison()))) return v;
    if (!step(span(element))) return Value::error();
    if (!star) {
      dict_set(&set->entries, v, Value::none());
    } else if (!python::change(*this, set, v, python::Combine::Union, span(element))) {
      return Value::error();
    }
    if (errors_.pending || Value::object(set).is_opaque()) return errors_.pending ? Value::error() : Value::object(set);
  }
  return Value::object(set);
}

Value Interpreter::eval_sequence(const syntax::Node* node, syntax::Exprs elements, Scope* scope) {
  std::vector<Value> items;
  items.reserve(elements.size());
  for (const syntax::Node* element : elements) {
    if (auto* star = syntax::as<syntax::Starred>(element)) {
      Value v = eval(star->value, scope);
      if (v.is_error()) return v;
      if (v.is_opaque() || v.is_poison()) return v;
      auto more = iterate(v, span(element));
      if (!more || !reserve((items.size() + more->size()) * sizeof(Value), span(element))) return Value::error();
      items.insert(items.end(), more->begin(), more->end());
      continue;
    }
    Value v = eval(element, scope);
    if (v.is_error()) return v;
    items.push_back(v);
  }
  if (node->kind == NodeKind::List) return list(std::move(items));
  if (node->kind == NodeKind::Tuple) return tuple(std::move(items));
  Set* set = make<Set>();
  for (Value v : items) {
    if (!step(span(node))) return Value::error();
    dict_set(&set->entries, v, Value::none());
  }
  return Value::object(set);
}

Value Interpreter::eval_dict(const syntax::Dict* node, Scope* scope) {
  Dict* dict = make<Dict>();
  for (const syntax::DictItem& item : node->items) {
    if (!item.key) {
      Value other = eval(item.value, scope);
      if (other.is_error()) return other;
      if (other.is_opaque() || other.is_poison()) return other;
      if (const Value inner = python::inner_dict_of(other); inner.is_opaque()) return inner;
      if (Dict* d = python::as_dict(other)) {
        if (!dict_add(dict, *d, span(item.value))) return Value::error();
        continue;
      }
      fail(code::kType, span(item.value), "what stands after ** must be a dict, not " + std::string(type_name(other)));
      return Value::error();
    }
    Value key = eval(item.key, scope);
    if (key.is_error()) return key;
    Value value = eval(item.value, scope);
    if (value.is_error()) return value;
    dict_set(dict, key, value);
  }
  return Value::object(dict);
}

Value Interpreter::eval_slice(const syntax::Slice* node, Scope* scope) {
  Slice* slice = make<Slice>();
  struct Part {
    const syntax::Node* node;
    Value* to;
  } parts[] = {{node->start, &slice->start}, {node->stop, &slice->stop}, {node->step, &slice->step}};
  for (Part& p : parts) {
    if (!p.node) continue;
    *p.to = eval(p.node, scope);
    if (p.to->is_error()) return *p.to;
  }
  return Value::object(slice);
}

Value Interpreter::eval_named(const syntax::NamedExpr* node, Scope* scope) {
  // A kernel's own expressions cannot bind names; a comprehension in one has a scope of its own and can.
  if (script_mode_ && scope == script_scope_) {
    return fail(code::kUnsupported, span(node), "':=' is not available in a kernel",
                "assign the value in a statement before");
  }
  Value v = eval(node->value, scope);
  if (v.is_error()) return v;
  Scope* to = scope;
  while (to->kind == Scope::Kind::Block && to->parent) to = to->parent;
  to->set(node->name, v);
  return v;
}

Value Interpreter::eval_lambda(const syntax::Lambda* node, Scope* scope) {
  LambdaFunction* f = make<LambdaFunction>();
  f->def = node;
  f->closure = scope;
  hold(scope);
  f->anchor = anchor_;
  f->kernel_mode = script_mode_;
  f->keep = top_level_;
  for (const syntax::Parameter& p : node->params) {
    if (!p.default_value) continue;
    Value v = eval(p.default_value, scope);
    if (v.is_error()) return v;
    f->defaults.push_back(v);
  }
  return Value::object(f);
}

// ---- calls ------------------------------------------------------------------------------------------------------

Value Interpreter::eval_super(const syntax::Call* node, Scope* scope) {
  auto* ref = syntax::as<syntax::NameRef>(node->function);
  if (!ref || ref->name.text != "super" || !node->args.empty() || !node->keywords.empty()) return Value::none();
  for (Scope* s = scope; s; s = s->parent) {  // the method around it
    auto* cls = s->find("__class__");
    if (!cls || s->bindings.empty()) continue;
    if (script_mode_) {
      return fail(code::kUnsupported, span(node), "super() without arguments is not available in a parsed method",
                  "call Base.method(self, ...)");
    }
    Super* super = make<Super>();
    super->after = cls->value.as<Class>();
    super->self = s->bindings[0].value;
    return Value::object(super);
  }
  return Value::none();
}

namespace {

// The positional arguments of a call; small lists live on the stack.
class Positional {
 public:
  explicit Positional(std::size_t written) : spilled_(written > kInline) {}

  void push(Value v, text::Span s) {
    if (!spilled_ && count_ < kInline) {
      small_[count_] = v;
      small_spans_[count_] = s;
    } else {
      if (!spilled_) {
        values_.assign(small_, small_ + count_);
        spans_.assign(small_spans_, small_spans_ + count_);
        spilled_ = true;
      }
      values_.push_back(v);
      spans_.push_back(s);
    }
    ++count_;
  }
  std::span<const Value> values() const {
    return spilled_ ? std::span<const Value>(values_) : std::span<const Value>(small_, count_);
  }
  std::span<const text::Span> spans() const {
    return spilled_ ? std::span<const text::Span>(spans_) : std::span<const text::Span>(small_spans_, count_);
  }

 private:
  static constexpr std::size_t kInline = 8;
  Value small_[kInline];
  text::Span small_spans_[kInline];
  std::vector<Value> values_;
  std::vector<text::Span> spans_;
  std::size_t count_ = 0;
  bool spilled_;
};

// Evaluates arguments in order. None: all are there. Opaque: one that is unpacked is not known, nor is what the call
// gives then. Poison, Error: the call is not made.
Value gather_positional(Interpreter& in, const syntax::Call* node, Scope* scope, Positional& into) {
  Value unknown;
  for (const syntax::Node* arg : node->args) {
    auto* star = syntax::as<syntax::Starred>(arg);
    Value v = in.eval(star ? star->value : arg, scope);
    if (v.is_error()) return v;
    if (!star) {
      if (MetaVar* m = v.as<MetaVar>()) v = m->value;
      into.push(v, in.span(arg));
      continue;
    }
    if (v.is_poison()) return v;
    if (v.is_opaque()) {
      unknown = v;
      continue;
    }
    auto more = in.iterate(v, in.span(arg));
    if (!more) return Value::error();
    for (Value item : *more) into.push(item, in.span(arg));
  }
  return unknown;
}

Value gather_keywords(Interpreter& in, const syntax::Call* node, Scope* scope, std::vector<Keyword>& into) {
  Value unknown;
  into.reserve(node->keywords.size());
  for (const syntax::Keyword& k : node->keywords) {
    Value v = in.eval(k.value, scope);
    if (v.is_error()) return v;
    if (MetaVar* m = v.as<MetaVar>()) v = m->value;
    if (!k.name.text.empty()) {
      into.push_back({k.name.text, v, in.span(k.value), in.span(k.name.at)});
      continue;
    }
    if (v.is_opaque()) {
      unknown = v;
      continue;
    }
    Dict* d = python::as_dict(v);
    if (!d) {
      return in.fail(code::kType, in.span(k.value),
                     "an argument after ** must be a dict, not " + std::string(type_name(v)));
    }
    for (auto& [key, value] : d->items) {
      auto name = in.as_string(key, in.span(k.value), "a keyword");
      if (!name) return Value::error();
      into.push_back({in.keep(*name), value, in.span(k.value)});
    }
  }
  return unknown;
}

}  // namespace

// Does a call of it iterate over its arguments to their end, with nothing in between?
static bool takes_all(Value function) {
  constexpr std::string_view kTaking[] = {"sum", "sorted", "min", "max", "join", "fsum", "prod", "extend", "update"};
  const Native* native = function.as<Native>();
  const Class* cls = function.as<Class>();
  const bool container = cls && cls->construct && !(cls->scope && cls->scope->parent);
  return container || (native && std::ranges::find(kTaking, native->name) != std::end(kTaking));
}

Value Interpreter::eval_call(const syntax::Call* node, Scope* scope) {
  Value function = eval(node->function, scope);
  if (function.is_error()) return function;
  if (Value super = eval_super(node, scope); !super.is_none()) return super;
  if (Value names = python::call_on_names(*this, node, function, scope); !names.is_none()) return names;
  if (function.is_poison()) return function;
  // Calls nest through their functions, f()()(), a thousand times on a small stack: what the arguments need is no part
  // of the frame that recurses.
  auto with_arguments = [&]() __attribute__((noinline)) -> Value {
    Positional positional(node->args.size());
    auto* generator = node->args.empty() ? nullptr : syntax::as<syntax::Comprehension>(node->args[0]);
    consumed_at_once_ = generator && generator->form == syntax::ComprehensionKind::Generator && takes_all(function);
    Value unknown = gather_positional(*this, node, scope, positional);
    consumed_at_once_ = false;
    if (unknown.is_error() || unknown.is_poison()) return unknown;
    std::vector<Keyword> keywords;
    Value unknown_keyword = gather_keywords(*this, node, scope, keywords);
    if (unknown_keyword.is_error()) return unknown_keyword;
    Arguments arguments;
    arguments.positional = positional.values();
    arguments.spans = positional.spans();
    arguments.keywords = keywords;
    arguments.call = span(node);
    arguments.function = span(node->function);
    for (Value v : {unknown_keyword, unknown, function}) {
      if (!v.is_opaque()) continue;
      auto* method = syntax::as<syntax::Attribute>(node->function);
      if (!function.is_opaque()) {
        if (!unknown_arguments(function, v, arguments)) return Value::error();
      } else if (!unknown_call(v, method ? method->name.text : "", arguments)) {
        return Value::error();
      }
      return may_raise(arguments.call) ? unknown_result(*this, v, arguments) : Value::error();
    }
    return call(function, arguments);
  };
  return with_arguments();
}

Value Interpreter::eval_subscript(const syntax::Subscript* node, Scope* scope) {
  Value object = eval(node->object, scope);
  if (object.is_error() || object.is_poison()) return object;
  std::vector<Value> indices;
  std::vector<text::Span> spans;
  indices.reserve(node->indices.size());
  spans.reserve(node->indices.size());
  for (const syntax::Node* index : node->indices) {
    if (auto* star = syntax::as<syntax::Starred>(index)) {
      Value v = eval(star->value, scope);
      if (v.is_error()) return v;
      auto more = iterate(v, span(index));
      if (!more) return Value::error();
      indices.insert(indices.end(), more->begin(), more->end());
      spans.resize(indices.size(), span(index));
      continue;
    }
    Value v = eval(index, scope);
    if (v.is_error()) return v;
    if (MetaVar* m = v.as<MetaVar>()) v = m->value;
    indices.push_back(v);
    spans.push_back(span(index));
  }
  index_spans_ = std::move(spans);
  bool single = node->indices.size() == 1 && !node->trailing_comma && node->indices[0]->kind != NodeKind::Starred;
  return subscript(object, indices, single, span(node));
}

namespace {

Value comprehended(Interpreter& in, syntax::ComprehensionKind form, std::vector<Value> items, Dict* dict) {
  switch (form) {
    case syntax::ComprehensionKind::List: return in.list(std::move(items));
    case syntax::ComprehensionKind::Dict: return Value::object(dict);
    case syntax::ComprehensionKind::Set: {
      if (Value::object(dict).is_opaque()) return Value::object(dict);
      Set* set = in.make<Set>();
      for (auto& [key, value] : dict->items) in.dict_set(&set->entries, key, value);
      return Value::object(set);
    }
    case syntax::ComprehensionKind::Generator: {
      Iterator* it = in.make<Iterator>();
      it->items = std::move(items);
      return Value::object(it);
    }
  }
  return Value::none();
}

}  // namespace

// Runs `each` for the items, one after the other; false: an error is pending. `unknown`: what leaves it open how many
// there are.
template <class F>
static bool for_items(Interpreter& in, Value iterable, text::Span span, Value& unknown, F each) {
  if (!python::comes_by_items({&iterable, 1})) {
    const python::TableRun table(iterable);
    auto values = in.iterate(iterable, span);
    if (!values) return false;
    for (std::size_t i = 0; i < values->size(); ++i) {
      if (!each(table && !table.is_lost() ? table.item(in, i, (*values)[i]) : (*values)[i])) return false;
      if (!table.goes_on(in, span)) return false;
    }
    return true;
  }
  const Value iterator = in.iterator_of(iterable, span);
  if (iterator.is_error()) return false;
  Value item;
  while (true) {
    const Next next = in.next_of(iterator, &item, span);
    if (next == Next::Unknown) unknown = item;
    if (next != Next::Item) return next != Next::Failed;
    if (!each(item)) return false;
  }
}

Value Interpreter::eval_comprehension(const syntax::Comprehension* node, Scope* scope) {
  const bool at_once = std::exchange(consumed_at_once_, false) || node->form != syntax::ComprehensionKind::Generator;
  // Names of a class are seen by its own statements alone, and by the first iterable.
  ScopeGuard guard(*this, scope->kind == Scope::Kind::Class ? scope->parent : scope, Scope::Kind::Block);
  Scope* inner = guard.scope;
  const Value first = eval_iterable(node->clauses[0].iterable, scope);
  if (first.is_error()) return first;
  const bool generator = node->form == syntax::ComprehensionKind::Generator;
  if (generator && !first.is_opaque() && !first.is_poison() && (!at_once || python::runs_script(first))) {
    return make_lazy_comprehension(*this, node, inner, first);
  }
  List* made = make<List>();  // is there before the first round, so that what it holds is kept (collect.cpp)
  std::vector<Value>& items = made->items;
  Dict* dict = node->form == syntax::ComprehensionKind::Dict || node->form == syntax::ComprehensionKind::Set
                   ? make<Dict>()
                   : nullptr;
  Value unknown;  // an opaque or poisoned iterable makes the whole unknown
  std::optional<Rounds> rounds;
  // What is made of it is not known; what making its items changes is what one way of two changes.
  auto unknown_clause = [&](auto&& self, const syntax::ComprehensionClause& c, std::size_t clause, Value condition) {
    unknown = Value::opaque(depends_on(condition, span(c.condition)));
    if (clause + 1 == node->clauses.size() && changes_nothing(node->element, inner) &&
        changes_nothing(node->value, inner))
      return true;
    const syntax::Node* const whole = node;
    const Way items_of{[&] { return self(self, clause + 1) ? Flow::Normal : Flow::Error; }, {&whole, 1}};
    return either(condition, span(c.condition), inner, false, items_of, {[] { return Flow::Normal; }}) != Flow::Error;
  };
  // Comprehension bodies run as ordinary Python (script.md, builder mode): loops here are never IR loops.
  // A clause is inside of the one before it.
  auto inside = [&](auto&& self, std::size_t clause) -> bool {
    if (!enter(2, span(node))) return false;
    const bool done = self(self, clause);
    leave(2);
    return done;
  };
  auto run = [&](auto&& self, std::size_t clause) -> bool {
    if (clause == node->clauses.size()) {
      Value v = eval(node->element, inner);
      if (v.is_error()) return false;
      if (node->form == syntax::ComprehensionKind::Dict) {
        Value value = eval(node->value, inner);
        if (value.is_error()) return false;
        dict_set(dict, v, value);
      } else if (node->form == syntax::ComprehensionKind::Set) {
        dict_set(dict, v, Value::none());
      } else {
        items.push_back(v);
        heap_.count(sizeof(Value));
      }
      return true;
    }
    const syntax::ComprehensionClause& c = node->clauses[clause];
    if (!c.target) {
      Value condition = eval(c.condition, inner);
      if (condition.is_error()) return false;
      const auto sure = condition.is_opaque() ? sure_truth(*this, c.condition, inner) : std::nullopt;
      if (sure) condition = Value::boolean(*sure);
      if (condition.is_opaque()) return unknown_clause(self, c, clause, condition);
      auto t = truth(condition, span(c.condition));
      if (!t) return false;
      return !*t || inside(self, clause + 1);
    }
    Value iterable = clause == 0 ? first : eval_iterable(c.iterable, inner);
    if (iterable.is_error()) return false;
    if (iterable.is_opaque() || iterable.is_poison()) {
      unknown = iterable;
      return true;
    }
    return for_items(*this, iterable, span(c.iterable), unknown, [&](Value v) {
      if (clause == 0 && !rounds) rounds = begin_rounds();
      const bool done = step(span(node)) && assign_host(c.target, v, inner) && inside(self, clause + 1);
      if (clause == 0 && done) end_round(*rounds);
      return done;
    });
  };
  if (!run(run, 0)) return Value::error();
  if (!unknown.is_none()) return unknown;
  return comprehended(*this, node->form, std::move(items), dict);
}

Value Interpreter::eval_fstring(const syntax::FString* node, Scope* scope) {
  std::string out;
  for (const syntax::FStringPart& part : node->parts) {
    out += part.text;
    if (!part.value) continue;
    Value v = eval(part.value, scope);
    if (v.is_error() || v.is_poison()) return v;
    if (const Value unknown = python::unknown_in_text(*this, v); !unknown.is_none()) return unknown;
    if (part.conversion == 'r') v = string(repr(v));
    if (part.conversion == 'a') v = string(python::escaped(repr(v)));
    if (part.conversion == 's') v = string(str(v));
    std::string spec;
    for (const syntax::Node* f : part.format) {
      Value text = eval(f, scope);
      if (text.is_error()) return text;
      spec += str(text);
    }
    if (part.self_documenting && part.conversion == 0 && part.format.empty()) {
      out += repr(v);
      continue;
    }
    auto text = format(v, spec, span(part.value));
    if (!text || !reserve(2 * (out.size() + text->size()), span(part.value))) return Value::error();
    out += *text;
  }
  return string(out);
}

Value Interpreter::eval_bool_op(const syntax::BoolOp* node, Scope* scope) {
  Value a = eval(node->left, scope);
  if (a.is_error()) return a;
  bool is_and = node->op == Operator::And;
  if (a.is_poison()) return a;
  // A run-time left side makes an IR node; everything else short-circuits as Python does (surface.md 6.4).
  bool runtime = a.is_expr();
  if (BufferValue* b = a.as<BufferValue>()) runtime = ir::is_one_element(*b->buffer);
  if (!runtime) {
    if (a.is_opaque()) {  // what the right side gives counts in one way of two
      if (changes_nothing(node->right, scope)) return a;
      Value either_side = either_value(a, node->left, scope, node->right, nullptr);
      return either_side.is_error() ? either_side : Value::opaque(depends_on(a, span(node->left)));
    }
    auto t = truth(a, span(node->left));
    if (!t) return Value::error();
    if (*t != is_and) return a;
    return eval(node->right, scope);
  }
  if (refuses_truth(*this))
    return no_truth(*this, span(node), is_and ? "'and'" : "'or'", is_and ? "txl.And" : "txl.Or");
  Value b = eval(node->right, scope);
  if (b.is_error() || b.is_poison()) return b;
  ir::Expr x = as_expr(a, span(node->left), "an operand of 'and'/'or'");
  ir::Expr y = x ? as_expr(b, span(node->right), "an operand of 'and'/'or'") : ir::Expr();
  if (!y) return Value::error();
  auto made = ir::apply_operator(is_and ? ir::ExprKind::And : ir::ExprKind::Or, x, y);
  if (!made) return fail(code::kType, span(node), made.error(), "compare with 0 first: (x != 0)");
  return Value::expr(*made);
}

Value Interpreter::eval_compare(const syntax::Compare* node, Scope* scope) {
  Value left = eval(node->first, scope);
  if (left.is_error()) return left;
  Value result;
  for (std::size_t i = 0; i < node->ops.size(); ++i) {
    Value right = eval(node->rest[i], scope);
    if (right.is_error()) return right;
    text::Span at = node->ops.size() == 1 ? span(node) : span(node->op_at[i]);
    Value one = compare(node->ops[i], left, right, at);
    if (one.is_error()) return one;
    if (i == 0) {
      result = one;
    } else if (result.is_expr() || one.is_expr()) {
      if (refuses_truth(*this)) return no_truth(*this, span(node), "a chain of comparisons", "txl.And");
      ir::Expr x = as_expr(result, at), y = x ? as_expr(one, at) : ir::Expr();
      if (!y) return Value::error();
      result = Value::expr(ir::logical_and(x, y));
    } else {
      result = one;
    }
    if (result.is_opaque()) {  // the others may be evaluated or not; what they would change is looked at
      for (std::size_t k = i + 1; k < node->rest.size(); ++k) {
        if (changes_nothing(node->rest[k], scope)) continue;
        if (either_value(result, node, scope, node->rest[k], nullptr).is_error()) return Value::error();
      }
      return result;
    }
    if (!result.is_expr()) {
      auto t = truth(result, at);
      if (!t) return Value::error();
      if (!*t) return result;
    }
    left = right;
  }
  return result;
}

Value Interpreter::eval_if_exp(const syntax::IfExp* node, Scope* scope) {
  Value condition = eval(node->condition, scope);
  if (condition.is_error() || condition.is_poison()) return condition;
  if (!condition.is_expr()) {
    if (script_mode_ && !condition.is_bool() && !condition.is_opaque()) {
      return fail(
          code::kCondition, span(node->condition),
          "the condition must be a Python bool or a run-time expression, not " + std::string(type_name(condition)),
          "compare it: (x != 0)");
    }
    if (condition.is_opaque()) {
      if (const auto sure = sure_truth(*this, node->condition, scope)) {
        return eval(*sure ? node->then_value : node->else_value, scope);
      }
      return either_value(condition, node->condition, scope, node->then_value, node->else_value);
    }
    auto t = truth(condition, span(node->condition));
    if (!t) return Value::error();
    return eval(*t ? node->then_value : node->else_value, scope);
  }
  Value a = eval(node->then_value, scope);
  if (a.is_error()) return a;
  Value b = eval(node->else_value, scope);
  if (b.is_error()) return b;
  if (a.is_poison()) return a;
  if (b.is_poison()) return b;
  if (!script_mode_) {
    return fail(code::kType, span(node->condition), "a run-time expression has no truth value in host code",
                "use T.if_then_else or T.Select");
  }
  ir::Expr c = condition.as_expr();
  ir::Expr x = as_expr(a, span(node->then_value)), y = x ? as_expr(b, span(node->else_value)) : ir::Expr();
  if (!y) return Value::error();
  if (!c.dtype().is_bool()) {
    return fail(code::kCondition, span(node->condition),
                "the condition of a conditional expression must be bool, not " + ir::dtype_name(c.dtype()),
                "compare it: (x != 0)");
  }
  auto type = ir::promoted_type(x.dtype(), y.dtype());
  if (!type) return fail(code::kType, span(node), type.error());
  return Value::expr(ir::if_then_else(c, ir::cast(*type, x), ir::cast(*type, y)));
}

}  // namespace tilewright::script
