// Assignments of a kernel: a name is bound, or a scalar stored to (surface.md 5.1).
#include <utility>

#include "compiler/expr/promote.h"
#include "compiler/script/body/kernel_body.h"
#include "compiler/script/tirx/signature.h"
#include "compiler/script/tvm_tirx/package.h"
#include "compiler/text/amounts.h"

namespace tilewright::script {

using syntax::NodeKind;

namespace {

std::string already_defined(const syntax::Name& name) {
  return "'" + std::string(name.text) + "' is already defined in this scope";
}

// A scope of this kernel around the block's that has the name. Null: none.
Scope::Binding* bound_around(const syntax::Name& name, Scope* scope) {
  for (Scope* s = scope; s && s->kind == Scope::Kind::Block; s = s->parent) {
    if (Scope::Binding* found = s->parent ? s->parent->find(name) : nullptr) {
      return s->parent->kind == Scope::Kind::Block || s->parent->is_kernel ? found : nullptr;
    }
  }
  return nullptr;
}

// T.int32(), which nothing has named yet.
bool is_fresh_variable(Value value) {
  const auto* var = value.is_expr() ? value.as_expr().as<ir::Var>() : nullptr;
  return var && var->name.empty();
}

}  // namespace

void KernelBody::make_scalar(const syntax::Name& name, ir::DataType dtype, ir::Expr initial, Scope* scope,
                             text::Span span) {
  scope->set(name, Value::expr(kernel_.scalar(in_.origin(span), name.text, dtype, initial)));
}

bool KernelBody::bind_name(const syntax::Name& name, Value value, Scope* scope, text::Span span,
                           const syntax::Node* node) {
  bool meta = false;
  if (MetaVar* m = value.as<MetaVar>()) {
    value = m->value;
    meta = true;
  }
  // What the value failed of has been said: the name stays what it is.
  if (value.is_poison() && scope->find(name)) return true;
  Value* existing = in_.find_binding(name, scope);
  if (existing && !meta && (in_.can_be_expr(value) || value.is_opaque())) {
    if (const ir::Buffer* scalar = scalar_of(*existing)) {
      // Only a scalar that belongs to this kernel: names of other kernels around do not occur (kernels do not nest).
      ir::Expr e = in_.as_expr(value, in_.stored_at(span));
      return e && in_.emit_store(scalar, e, span);
    }
  }
  if (const ir::Var* extent = extent_of_signature(in_, name, scope); extent && is_fresh_variable(value)) {
    return takes_extent(in_, *extent, value, span);
  }
  if (auto* own = scope->find(name); own && !own->value.is_poison()) {
    if (in_.is_identical(own->value, value)) return true;
    if (is_package_kernel(kernel_, scope)) return bind_fresh(name, value, meta, scope, span, node);
    in_.fail(code::kRebinding, span, already_defined(name), "choose another name; only scalars can be assigned again");
    return false;
  }
  const bool of_package = is_package_kernel(kernel_, scope);
  if (const auto* outer = of_package && in_.can_be_expr(value) ? bound_around(name, scope) : nullptr) {
    if (!outer->value.is_poison() && in_.can_be_expr(outer->value)) {
      const ir::Expr was = outer->value.is_expr() ? outer->value.as_expr() : ir::Expr();
      in_.fail(code::kRebinding, span,
               "'" + std::string(name.text) +
                   "' is bound outside of this block: an assignment here makes another name, which ends with the block",
               was ? "declare it above as a scalar: " + std::string(name.text) + ": T." + ir::dtype_name(was.dtype()) +
                         " = ..."
                   : "choose another name");
      return false;
    }
  }
  return bind_fresh(name, value, meta, scope, span, node);
}

bool KernelBody::bind_fresh(const syntax::Name& name, Value value, bool meta, Scope* scope, text::Span span,
                            const syntax::Node* node) {
  if (meta || !in_.can_be_expr(value) || value.as<BufferValue>()) {
    if (Frame* f = value.as<Frame>()) {
      if (open_frame(f, node) == Flow::Error) return false;
    }
    if (!meta || !value.is_expr()) in_.name_value(value, name.text);
    scope->set(name, value);
    return true;
  }
  ir::Expr e = value.is_expr() ? value.as_expr() : in_.as_expr(value, span);
  if (!e) return false;
  if (value.is_expr()) {
    const auto* l = e.as<ir::Load>();
    const auto* var = e.as<ir::Var>();
    bool fresh = (l && l->buffer->is_scalar && l->buffer->name.empty()) || (var && var->name.empty());
    if (fresh) {
      in_.name_value(value, name.text);
      scope->set(name, value);
      return true;
    }
  }
  // From 0.26 on a pointer is bound, and not kept in a local that could be assigned again.
  if (e.dtype().is_handle() && in_.dialect() >= text::Dialect::V0_26) {
    scope->set(name, Value::expr(bind_value(in_, name.text, e, nullptr, span)));
    return true;
  }
  if (is_package_kernel(kernel_, scope)) {  // only what is declared with a dtype can be stored to
    const ir::Var* var = e.as<ir::Var>();   // a value that has a name gets another one
    if (!var) {
      var = bind_value(in_, name.text, e, nullptr, span);
      kernel_.know(var, e);
      note_value(in_, var, e);
    }
    scope->set(name, Value::expr(var));
    return true;
  }
  make_scalar(name, e.dtype(), e, scope, span);
  return true;
}

bool KernelBody::assign_target(const syntax::Node* target, Value value, Scope* scope, const syntax::Node* node) {
  if (auto* ref = syntax::as<syntax::NameRef>(target)) return bind_name(ref->name, value, scope, at(target), node);
  if (auto* t = syntax::as<syntax::Tuple>(target)) return unpack(target, t->elements, value, scope, node);
  if (auto* l = syntax::as<syntax::List>(target)) return unpack(target, l->elements, value, scope, node);
  return in_.assign_host(target, value, scope);
}

// Unpacking makes one new binding a name, never a store into an existing scalar (surface.md 5.1).
bool KernelBody::unpack(const syntax::Node* target, syntax::Exprs elements, Value value, Scope* scope,
                        const syntax::Node* node) {
  if (value.is_poison()) {
    for (const syntax::Node* e : elements) poison(e, scope);
    return true;
  }
  if (MetaVar* m = value.as<MetaVar>()) value = m->value;
  auto items = in_.iterate(value, at(target));
  if (!items) return false;
  std::size_t star = elements.size();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (elements[i]->kind == NodeKind::Starred) star = i;
    auto* a = syntax::as<syntax::NameRef>(elements[i]);
    for (std::size_t j = 0; a && j < i; ++j) {
      auto* b = syntax::as<syntax::NameRef>(elements[j]);
      if (b && b->name == a->name && a->name.text != "_") {
        in_.fail(code::kAssignment, at(elements[i]), "'" + std::string(a->name.text) + "' is assigned twice");
        return false;
      }
    }
  }
  bool has_star = star != elements.size();
  if (has_star ? items->size() + 1 < elements.size() : items->size() != elements.size()) {
    in_.fail(
        code::kAssignment, at(target),
        "cannot unpack " + text::counted(items->size(), "value") + " into " + text::counted(elements.size(), "name"));
    return false;
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    Value item;
    const syntax::Node* element = elements[i];
    if (i == star) {
      std::size_t count = items->size() - (elements.size() - 1);
      auto from = items->begin() + static_cast<std::ptrdiff_t>(next);
      item = in_.list({from, from + static_cast<std::ptrdiff_t>(count)});
      next += count;
      element = syntax::as<syntax::Starred>(element)->value;
    } else {
      item = (*items)[next++];
    }
    if (!unpack_into(element, item, scope, node)) return false;
  }
  return true;
}

bool KernelBody::unpack_into(const syntax::Node* element, Value item, Scope* scope, const syntax::Node* node) {
  if (auto* ref = syntax::as<syntax::NameRef>(element)) {
    return ref->name.text == "_" || bind_new(ref->name, item, scope, at(element), node);
  }
  if (element->kind == NodeKind::Tuple || element->kind == NodeKind::List) {
    return assign_target(element, item, scope, node);
  }
  // Its store would come before what the other values still have to read.
  in_.fail(code::kAssignment, at(element), "unpacking binds names; it stores into no element and no attribute",
           "write one assignment a line, through another name where values change places");
  return false;
}

bool KernelBody::bind_new(const syntax::Name& name, Value value, Scope* scope, text::Span span,
                          const syntax::Node* node) {
  Value* existing = in_.find_binding(name, scope);
  // A scalar of this scope would be stored to, and the next value might read it: `x, y = y, x` is no exchange.
  if (auto* own = scope->find(name); own && scalar_of(own->value)) {
    in_.fail(code::kRebinding, span, already_defined(name),
             "unpacking makes new names; assign to scalars one a line, through another name where they change places");
    return false;
  }
  // A name of an outer scope is shadowed instead of stored to.
  if (existing && scalar_of(*existing) && !scope->find(name) && in_.can_be_expr(value)) {
    ir::Expr e = in_.as_expr(value, span);
    if (!e) return false;
    const auto* var = e.as<ir::Var>();
    if (var && var->name.empty()) {
      in_.name_value(value, name.text);
      scope->set(name, value);
    } else {
      make_scalar(name, e.dtype(), e, scope, span);
    }
    return true;
  }
  return bind_name(name, value, scope, span, node);
}

Flow KernelBody::assign(const syntax::Assign* node, Scope* scope) {
  if (node->targets.size() > 1) {
    return fail(code::kAssignment, at(node), "chained assignment is not available in a kernel",
                "write one assignment a line");
  }
  Value v = in_.eval(node->value, scope);
  if (v.is_error()) return Flow::Error;
  return assign_from(node->value, node->targets[0], v, scope, node);
}

Flow KernelBody::assign_from(const syntax::Node* source, const syntax::Node* target, Value v, Scope* scope,
                             const syntax::Node* node) {
  text::Span outer = std::exchange(in_.stored_at_, at(source));
  bool ok = assign_target(target, v, scope, node);
  in_.stored_at_ = outer;
  return ok ? Flow::Normal : Flow::Error;
}

Flow KernelBody::augmented(const syntax::AugAssign* node, Scope* scope) {
  Value old = in_.eval(node->target, scope);
  if (old.is_error()) return Flow::Error;
  Value by = in_.eval(node->value, scope);
  if (by.is_error()) return Flow::Error;
  if (old.is_poison() || by.is_poison()) return Flow::Normal;
  Value v = in_.binary(node->op, old, by, at(node));
  if (v.is_error()) return Flow::Error;
  return assign_from(node->value, node->target, v, scope, node);
}

Flow KernelBody::annotated(const syntax::AnnAssign* node, Scope* scope) {
  auto* ref = syntax::as<syntax::NameRef>(node->target);
  if (!ref) return fail(code::kAssignment, at(node->target), "only a name can be annotated");
  Value annotation = in_.eval(node->annotation, scope);
  if (annotation.is_error()) return Flow::Error;
  Value value;
  if (node->value) {
    value = in_.eval(node->value, scope);
    if (value.is_error()) return Flow::Error;
    if (MetaVar* m = value.as<MetaVar>()) value = m->value;
  }
  if (annotation.is_poison() || value.is_poison()) {
    scope->set(ref->name, Value::poison());
    return Flow::Normal;
  }
  if (auto* own = scope->find(ref->name); own && !own->value.is_poison() && !is_package_kernel(kernel_, scope)) {
    return fail(code::kRebinding, at(node->target), already_defined(ref->name));
  }
  if (DataTypeValue* d = annotation.as<DataTypeValue>()) return declare(node, ref->name, *d, value, scope);
  if (TypeAnnotation* t = annotation.as<TypeAnnotation>()) return let(node, ref->name, *t, value, scope);
  if (Native* n = annotation.as<Native>(); n && n->name == "handle") {  // the printed form `d: T.handle = e`
    return let(node, ref->name, *in_.make<TypeAnnotation>(), value, scope);
  }
  return fail(code::kAssignment, at(node->annotation), std::string(type_name(annotation)) + " is not a type here",
              "write a dtype such as T.int32, or T.let");
}

ir::Expr KernelBody::converted(const syntax::AnnAssign* node, ir::Expr value, ir::DataType dtype) {
  auto made = ir::convert(dtype, value);
  if (made) return *made;
  in_.fail(code::kType, at(node->value), made.error());
  return {};
}

// x: T.int32 = value, x: T.int32[4]
Flow KernelBody::declare(const syntax::AnnAssign* node, const syntax::Name& name, const DataTypeValue& type,
                         Value value, Scope* scope) {
  if (type.subscripted) {
    if (node->value) {
      return fail(code::kAssignment, at(node->value), "a local array cannot be initialised in its declaration",
                  "assign its elements, or use Tx.fill");
    }
    auto extents = in_.as_extents(in_.tuple(type.shape), at(node->annotation), "the extents");
    if (!extents) return Flow::Error;
    Value v = alloc_local(in_, type.dtype, *extents, at(node));
    if (v.is_error()) return Flow::Error;
    in_.name_value(v, name.text);
    scope->set(name, v);
    return Flow::Normal;
  }
  ir::Expr initial;
  if (node->value) {
    ir::Expr e = in_.as_expr(value, at(node->value));
    initial = e ? converted(node, e, type.dtype) : e;
    if (!initial) return Flow::Error;
  }
  make_scalar(name, type.dtype, initial, scope, at(node->target));
  return Flow::Normal;
}

// x: T.let = value, x: T.let[T.int32] = value, p: T.handle("float32") = value
Flow KernelBody::let(const syntax::AnnAssign* node, const syntax::Name& name, const TypeAnnotation& annotation,
                     Value value, Scope* scope) {
  if (!node->value) return fail(code::kAssignment, at(node), "T.let needs a value");
  ir::Expr e = in_.as_expr(value, at(node->value));
  if (!e) return Flow::Error;
  const TypeAnnotation* type = &annotation;
  if (annotation.kind == TypeAnnotation::Kind::Let) {
    type = annotation.inner.as<TypeAnnotation>();
    if (DataTypeValue* d = annotation.inner.as<DataTypeValue>()) e = converted(node, e, d->dtype);
    // T.let[T.Var(name=..., dtype=...)], as kernels are printed: the type is that of the variable.
    const auto* like = annotation.inner.is_expr() ? annotation.inner.as_expr().as<ir::Var>() : nullptr;
    if (like && like->dtype.is_handle()) {
      type = in_.make<TypeAnnotation>();
    } else if (like) {
      e = converted(node, e, like->dtype);
    }
    if (!e) return Flow::Error;
  }
  const ir::Var* var = bind_value(in_, name.text, e, type, at(node));
  kernel_.know(var, e);
  if (is_package_kernel(kernel_, scope)) note_value(in_, var, e);
  scope->set(name, Value::expr(var));
  return Flow::Normal;
}

}  // namespace tilewright::script
