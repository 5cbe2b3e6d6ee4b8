#include "compiler/script/tirx/signature.h"

#include <algorithm>

namespace tilewright::script {

bool defers_annotations(Scope* scope) {
  while (scope && scope->parent) scope = scope->parent;
  if (scope && scope->frozen_from) scope = scope->frozen_from;
  return scope && scope->find(kDeferredAnnotations);
}

namespace {

Value refuse_now(Interpreter& in, text::Span at) {
  return in.fail(
      code::kParameter, at,
      "an extent that the signature names needs annotations that are not evaluated when the kernel is defined",
      "write `from __future__ import annotations` at the top of the script", "TypeError");
}

// The extents as the call of T.Buffer writes them; empty: it is none.
std::vector<const syntax::Node*> written_shape(const syntax::Call* call) {
  const syntax::Node* shape = call->args.empty() ? nullptr : call->args[0];
  for (const syntax::Keyword& k : call->keywords) {
    if (k.name.text == "shape") shape = k.value;
  }
  if (!shape) return {};
  if (auto* t = syntax::as<syntax::Tuple>(shape)) return {t->elements.begin(), t->elements.end()};
  if (auto* l = syntax::as<syntax::List>(shape)) return {l->elements.begin(), l->elements.end()};
  return {shape};
}

// The call, where it is one of T.Buffer with a quoted extent; else null.
const syntax::Call* with_quoted_extents(const syntax::Node* annotation) {
  auto* call = syntax::as<syntax::Call>(annotation);
  auto* callee = call ? syntax::as<syntax::Attribute>(call->function) : nullptr;
  if (!callee || callee->name.text != "Buffer") return nullptr;
  const auto shape = written_shape(call);
  const bool quoted =
      std::ranges::any_of(shape, [](const syntax::Node* e) { return e->kind == syntax::NodeKind::StringLit; });
  return quoted ? call : nullptr;
}

// The dtype of a parameter `name: T.int64`, which its extent has, too.
ir::DataType dtype_of(Interpreter& in, const Function& f, std::string_view name, Scope* scope) {
  for (const syntax::Parameter& p : f.def->params) {
    if (p.name.text != name || !p.annotation || p.annotation->kind != syntax::NodeKind::Attribute) continue;
    Value annotation = in.eval(p.annotation, scope);
    if (DataTypeValue* d = annotation.as<DataTypeValue>(); d && !d->subscripted) return d->dtype;
    if (in.has_pending()) in.take_pending();
  }
  return ir::kInt32;
}

// TypeVar("n") of a module (python/typing.cpp); null: something else.
const Instance* type_variable(Value* v) {
  Instance* instance = v ? v->as<Instance>() : nullptr;
  return instance && instance->cls->name == "TypeVar" && instance->find("__plain__") ? instance : nullptr;
}

// The names in brackets behind the name of the function: `def f[m, n: int](...)`.
std::vector<std::string_view> type_parameters(Interpreter& in, const Function& f) {
  const std::string_view header = in.written({f.anchor, f.def->name.at.end, f.def->header.end});
  std::vector<std::string_view> out;
  if (!header.starts_with('[')) return out;
  std::string_view list = header.substr(1, header.find(']') - 1);
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    std::string_view one = list.substr(0, std::min(end, list.find(':')));
    while (one.starts_with(' ')) one.remove_prefix(1);
    while (one.ends_with(' ')) one.remove_suffix(1);
    if (!one.empty()) out.push_back(one);
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return out;
}

class Extents {
 public:
  Extents(Interpreter& in, const Function& f, Scope* scope) : in_(in), f_(f), scope_(scope) {}

  // Makes a variable of each name in the expression that is a type variable. False: an error is pending.
  bool of(const syntax::Node* e) {
    if (!e) return true;
    if (auto* name = syntax::as<syntax::NameRef>(e)) return of_name(name->name, in_.span(e));
    if (auto* call = syntax::as<syntax::Call>(e)) {
      bool fine = all(call->args);
      for (const syntax::Keyword& k : call->keywords) fine = fine && of(k.value);
      return fine;
    }
    if (auto* t = syntax::as<syntax::Tuple>(e)) return all(t->elements);
    if (auto* l = syntax::as<syntax::List>(e)) return all(l->elements);
    if (auto* b = syntax::as<syntax::BinOp>(e)) return of(b->left) && of(b->right);
    if (auto* u = syntax::as<syntax::UnaryOp>(e)) return of(u->operand);
    return true;
  }

  bool of_name(const syntax::Name& name, text::Span at) {
    if (scope_->find(name)) return true;
    const auto parameters = type_parameters(in_, f_);
    const bool own_parameter = std::ranges::find(parameters, name.text) != parameters.end();
    const Instance* variable = own_parameter ? nullptr : type_variable(in_.find_binding(name, scope_));
    if (!variable && !own_parameter) return true;
    if (!defers_annotations(f_.closure)) {
      refuse_now(in_, at);
      return false;
    }
    if (own_parameter) return define(name.text, ir::kInt64);
    auto* copy = const_cast<Instance*>(variable);
    const Str* own = copy->find("__name__")->as<Str>();
    if (own->text != name.text) {
      in_.fail(code::kParameter, at,
               "the type variable of an extent has the name of its binding: this is TypeVar(\"" + own->text +
                   "\") under the name '" + std::string(name.text) + "'",
               "write " + std::string(name.text) + " = TypeVar(\"" + std::string(name.text) + "\")", "TypeError");
      return false;
    }
    if (!copy->find("__plain__")->b) {
      in_.fail(code::kParameter, at, "the type variable of an extent has no bound and no constraints",
               "write TypeVar(\"" + own->text + "\")", "TypeError");
      return false;
    }
    return define(name.text, ir::kInt64);
  }

  bool define(std::string_view name, ir::DataType dtype) {
    ir::Var* var = in_.drafts().variable(dtype, ir::VarRole::Extent);
    var->range = {0, ir::Interval::kMax};
    in_.drafts().name(var, name);
    in_.kernel()->extents.push_back(var);
    scope_->set(in_.keep(name), Value::expr(var));
    return true;
  }

 private:
  bool all(syntax::Exprs list) {
    return std::ranges::all_of(list, [&](const syntax::Node* e) { return of(e); });
  }

  Interpreter& in_;
  const Function& f_;
  Scope* scope_;
};

class ShapeReader {
 public:
  ShapeReader(Interpreter& in, const Function& f, Scope* scope) : in_(in), f_(f), scope_(scope) {}

  // The annotation with its shape read. Error: that is pending.
  Value read(const syntax::Call* call) {
    std::vector<Value> extents;
    for (const syntax::Node* e : written_shape(call)) {
      auto* literal = syntax::as<syntax::StringLit>(e);
      extents.push_back(literal ? quoted(literal) : in_.eval(e, scope_));
      if (extents.back().is_error()) return Value::error();
    }
    return with_shape(call, in_.tuple(std::move(extents)));
  }

 private:
  Value quoted(const syntax::StringLit* literal) {
    Extents extents(in_, f_, scope_);
    bool fine = true;
    Value v = in_.eval_quoted(literal, scope_, [&](std::span<const syntax::Name> names) {
      for (const syntax::Name& name : names) {
        if (in_.dialect() >= text::Dialect::V0_27) fine = fine && extents.of_name(name, in_.span(literal));
        if (!in_.find_binding(name, scope_)) extents.define(name.text, dtype_of(in_, f_, name.text, scope_));
      }
    });
    return fine ? v : Value::error();
  }

  Value with_shape(const syntax::Call* call, Value shape) {
    std::vector<Value> positional;
    std::vector<text::Span> spans;
    std::vector<Keyword> keywords;
    for (std::size_t i = 0; i < call->args.size(); ++i) {
      positional.push_back(i == 0 ? shape : in_.eval(call->args[i], scope_));
      spans.push_back(in_.span(call->args[i]));
      if (positional.back().is_error()) return Value::error();
    }
    for (const syntax::Keyword& k : call->keywords) {
      const Value value = k.name.text == "shape" ? shape : in_.eval(k.value, scope_);
      if (value.is_error()) return Value::error();
      keywords.push_back({k.name.text, value, in_.span(k.value), in_.span(k.name.at)});
    }
    const Value function = in_.eval(call->function, scope_);
    if (function.is_error()) return Value::error();
    return in_.call(function, Arguments{positional, keywords, spans, in_.span(call), in_.span(call->function)});
  }

  Interpreter& in_;
  const Function& f_;
  Scope* scope_;
};

}  // namespace

Value parameter_annotation(Interpreter& in, const Function& f, const syntax::Parameter& p, Scope* scope) {
  const text::Dialect release = in.dialect();
  const syntax::Call* call = release < text::Dialect::V0_26 ? nullptr : with_quoted_extents(p.annotation);
  if (release >= text::Dialect::V0_27 && !Extents(in, f, scope).of(p.annotation)) return Value::error();
  if (!call) return in.eval(p.annotation, scope);
  if (!defers_annotations(f.closure)) return refuse_now(in, in.span(p.annotation));
  return ShapeReader(in, f, scope).read(call);
}

const ir::Var* extent_of_signature(Interpreter& in, const syntax::Name& name, Scope* scope) {
  if (!in.kernel() || in.kernel()->extents.empty()) return nullptr;
  const Scope::Binding* bound = scope->find(name);
  const ir::Var* var = bound && bound->value.is_expr() ? bound->value.as_expr().as<ir::Var>() : nullptr;
  return var && std::ranges::find(in.kernel()->extents, var) != in.kernel()->extents.end() ? var : nullptr;
}

bool takes_extent(Interpreter& in, const ir::Var& var, Value value, text::Span span) {
  const DataTypeValue* type = value.as<DataTypeValue>();
  const auto* fresh = value.is_expr() ? value.as_expr().as<ir::Var>() : nullptr;
  const ir::DataType dtype = type ? type->dtype : fresh ? fresh->dtype : ir::kVoid;
  if (dtype == var.dtype) return true;
  const std::string name(var.name);
  in.fail(code::kRebinding, span,
          "'" + name + "' is an extent of the signature, of type " + ir::dtype_name(var.dtype) +
              (dtype.is_void() ? std::string() : ", not " + ir::dtype_name(dtype)),
          dtype.is_void() ? "choose another name" : "write " + name + " = T." + ir::dtype_name(var.dtype) + "()");
  return false;
}

}  // namespace tilewright::script
