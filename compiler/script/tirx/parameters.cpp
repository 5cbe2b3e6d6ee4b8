// Parameters of a kernel: those of @T.jit that are known when it is specialised, then those of its launch
// (surface.md 2.1).
#include "compiler/script/tirx/signature.h"

namespace tilewright::script {
namespace {

bool is_constexpr(const syntax::Parameter& p) {
  auto* attribute = syntax::as<syntax::Attribute>(p.annotation);
  return attribute && attribute->name.text == "constexpr";
}

// T.Optional(type): specialize(NAME=None) leaves the parameter out.
bool is_optional(const syntax::Parameter& p) {
  auto* call = syntax::as<syntax::Call>(p.annotation);
  auto* attribute = call ? syntax::as<syntax::Attribute>(call->function) : nullptr;
  auto* name = call ? syntax::as<syntax::NameRef>(call->function) : nullptr;
  return (attribute && attribute->name.text == "Optional") || (name && name->name.text == "Optional");
}

// False: an error is pending.
bool may_leave_out(Interpreter& in, const Function* f, const syntax::Parameter& p, const Keyword* given) {
  if (f->mode != FunctionMode::Jit) {
    in.fail(code::kParameter, in.span(p.annotation), "T.Optional is for parameters of @T.jit alone",
            "decorate the kernel with @T.jit, or write the type without T.Optional");
    return false;
  }
  if (given && !given->value.is_none()) {
    in.fail(code::kJit, given->span,
            "'" + std::string(p.name.text) + "' is None or left out here: its value is given at the launch",
            "write " + std::string(p.name.text) + "=None, or drop it", "TypeError");
    return false;
  }
  return true;
}

// The compile-time parameters, which the annotations of the others may use. False: an error is pending.
bool bind_constexprs(Interpreter& in, Function* f, const Arguments* constexprs, Scope* scope) {
  text::Span def = {f->anchor, f->def->name.at.begin, f->def->name.at.end};
  const std::span<const Keyword> keywords = constexprs ? constexprs->keywords : std::span<const Keyword>();
  std::vector<bool> used(keywords.size());
  std::size_t next_default = 0;
  for (const syntax::Parameter& p : f->def->params) {
    Value default_value = p.default_value && next_default < f->defaults.size() ? f->defaults[next_default] : Value();
    bool has_default = p.default_value != nullptr;
    if (has_default) ++next_default;
    text::Span at = in.span(p.name.at);
    if (p.kind == syntax::ParamKind::VarArgs || p.kind == syntax::ParamKind::VarKeywords) {
      in.fail(code::kParameter, at, "a kernel cannot have *args or **kwargs");
      return false;
    }
    const Keyword* given = nullptr;
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (keywords[i].name != p.name.text) continue;
      used[i] = true;
      given = &keywords[i];
      scope->set(p.name, keywords[i].value);
    }
    if (in.dialect() >= text::Dialect::V0_26 && is_optional(p) && !may_leave_out(in, f, p, given)) {
      scope->set(p.name, Value::poison());
      return false;
    }
    if (!is_constexpr(p)) continue;
    if (f->mode != FunctionMode::Jit) {
      in.fail(code::kParameter, at, "'" + std::string(p.name.text) + "' is a compile-time parameter: that needs @T.jit",
              "decorate the kernel with @T.jit and call .specialize(" + std::string(p.name.text) + "=...)");
      return false;
    }
    if (given) continue;
    if (!has_default) {
      in.fail(code::kJit, constexprs ? constexprs->call : def,
              "specialize() needs a value for '" + std::string(p.name.text) + "'");
      return false;
    }
    scope->set(p.name, default_value);
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i]) continue;
    in.fail(code::kJit, keywords[i].span,
            std::string(f->def->name.text) + " has no compile-time parameter '" + std::string(keywords[i].name) + "'");
    return false;
  }
  return true;
}

// The parameter that an annotation means, as a value of the script; nothing: it means none.
std::optional<Value> make_parameter(Interpreter& in, std::string_view name, Value annotation) {
  builder::KernelBuilder& kernel = *in.kernel();
  TypeAnnotation* type = annotation.as<TypeAnnotation>();
  if (type && type->kind == TypeAnnotation::Kind::Optional) {
    annotation = type->inner;
    type = annotation.as<TypeAnnotation>();
  }
  Native* native = annotation.as<Native>();
  if (native && (native->name == "handle" || native->name == "Ptr")) {
    return Value::expr(kernel.parameter(name, ir::kHandle));
  }
  if (native && native->name == "TensorMap") return Value::expr(kernel.parameter(name, ir::kTensorMap));
  if (type && type->kind == TypeAnnotation::Kind::Handle) {
    return Value::expr(kernel.parameter(name, ir::kHandle, {type->pointee, type->storage_scope}));
  }
  if (type && type->kind == TypeAnnotation::Kind::TensorMap) {
    return Value::expr(kernel.parameter(name, ir::kTensorMap));
  }
  if (type && type->kind == TypeAnnotation::Kind::Buffer) {
    return in.buffer_value(kernel.tensor_parameter(name, type->buffer));
  }
  if (DataTypeValue* d = annotation.as<DataTypeValue>(); d && !d->subscripted) {
    return Value::expr(kernel.parameter(name, d->dtype));
  }
  return std::nullopt;
}

// A parameter of the launch. False: an error is pending.
bool bind_parameter(Interpreter& in, Function* f, const syntax::Parameter& p, Scope* scope) {
  text::Span at = in.span(p.name.at);
  if (!p.annotation) {
    in.fail(code::kParameter, at, "parameter '" + std::string(p.name.text) + "' needs a type annotation",
            "for example " + std::string(p.name.text) + ": T.handle");
    return false;
  }
  Value annotation = parameter_annotation(in, *f, p, scope);
  if (annotation.is_error()) return false;
  if (annotation.is_poison()) {
    scope->set(p.name, Value::poison());
    return true;
  }
  if (auto* var = extent_of_signature(in, p.name, scope)) {
    if (!takes_extent(in, *var, annotation, in.span(p.annotation))) return false;
    in.kernel()->parameter(var);
    return true;
  }
  std::optional<Value> made = make_parameter(in, p.name.text, annotation);
  if (!made) {
    in.fail(code::kParameter, in.span(p.annotation),
            std::string(type_name(annotation)) + " is not the type of a kernel parameter",
            syntax::as<syntax::Subscript>(p.annotation)
                ? "write it with parentheses: T.Buffer((64, 64), \"float16\")"
                : "use T.handle, T.Buffer(shape, dtype), T.TensorMap() or a dtype such as T.int32");
    return false;
  }
  scope->set(p.name, *made);
  if (p.default_value && f->mode != FunctionMode::Jit) {
    in.fail(code::kParameter, at, "a run-time parameter cannot have a default");
    return false;
  }
  return true;
}

}  // namespace

bool bind_kernel_parameters(Interpreter& in, Function* f, const Arguments* constexprs, Scope* scope) {
  if (!bind_constexprs(in, f, constexprs, scope)) return false;
  bool first = true;
  for (const syntax::Parameter& p : f->def->params) {
    const bool is_self = std::exchange(first, false) && p.name.text == "self" && !p.annotation;
    if (is_self || is_constexpr(p)) continue;  // self: a method of an @I.ir_module class
    const Scope::Binding* known = scope->find(p.name);
    if (in.dialect() >= text::Dialect::V0_26 && is_optional(p) && known && known->value.is_none()) continue;
    if (!bind_parameter(in, f, p, scope)) return false;
  }
  return true;
}

}  // namespace tilewright::script
