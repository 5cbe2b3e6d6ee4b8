// Script mode: the bodies of kernels and inlined functions (surface.md 5).
#include <algorithm>
#include <utility>

#include "compiler/script/interpreter.h"
#include "compiler/script/launch.h"
#include "compiler/script/mode_guard.h"
#include "compiler/script/tirx/tirx.h"

namespace tilewright::script {

using syntax::NodeKind;

bool Interpreter::require_kernel(text::Span span, std::string_view what) {
  if (kernel_) return true;
  fail(code::kOutside, span, std::string(what) + " belongs into the body of a kernel",
       "decorate the function with @T.prim_func");
  return false;
}

void Interpreter::emit(const ir::Stmt* stmt) {
  if (auto* s = ir::as<ir::Store>(stmt)) {
    kernel_nodes_ += weights_.of(s->value).nodes;
    for (ir::Expr i : s->indices) kernel_nodes_ += weights_.of(i).nodes;
  } else if (auto* b = ir::as<ir::Bind>(stmt)) {
    kernel_nodes_ += weights_.of(b->value).nodes;
  } else if (auto* e = ir::as<ir::Evaluate>(stmt)) {
    kernel_nodes_ += weights_.of(e->value).nodes;
  } else if (auto* i = ir::as<ir::If>(stmt)) {
    kernel_nodes_ += weights_.of(i->condition).nodes;
  }
  kernel_->blocks.back().push_back(stmt);
}

const ir::Stmt* Interpreter::pop_block(text::Span span) {
  std::vector<const ir::Stmt*> block = std::move(kernel_->blocks.back());
  kernel_->blocks.pop_back();
  return ir::make_seq(origin(span), block);
}

Value Interpreter::make_scalar(std::string_view name, ir::DataType dtype, ir::Expr initial, text::Span span) {
  const ir::Buffer* buffer = make_local_scalar(*this, name, dtype, span);
  if (initial) {
    ir::Expr zero = ir::int_imm(ir::kInt32, 0);
    emit_new<ir::Store>(span, buffer, Arena::current().copy(std::span<const ir::Expr>(&zero, 1)), initial);
  }
  ir::Expr zero = ir::int_imm(ir::kInt32, 0);
  return Value::expr(ir::load(buffer, {&zero, 1}));
}

bool Interpreter::emit_store(const ir::Buffer* buffer, std::vector<ir::Expr> indices, ir::Expr value, text::Span span) {
  int lanes = indices.empty() ? 1 : indices.back().dtype().lanes;
  ir::DataType want = buffer->dtype.with_lanes(buffer->dtype.lanes * lanes);
  if (value.dtype() != want) {
    if (value.dtype().lanes == 1 && want.lanes > 1) {
      auto element = ir::convert(want.element(), value);
      if (!element) {
        fail(code::kType, stored_at(span), element.error());
        return false;
      }
      value = ir::broadcast(*element, want.lanes);
    } else if (value.dtype().lanes != want.lanes) {
      fail(code::kType, stored_at(span),
           "cannot store " + ir::dtype_name(value.dtype()) + " into " + std::to_string(want.lanes) +
               (want.lanes == 1 ? " element of " : " elements of ") + std::string(buffer->name));
      return false;
    } else if (!(value.dtype().is_handle() && want.is_handle())) {
      auto converted = ir::convert(want, value);
      if (!converted) {
        fail(code::kType, stored_at(span), converted.error());
        return false;
      }
      value = *converted;
    }
  }
  emit_new<ir::Store>(span, buffer, Arena::current().copy(indices), value);
  return true;
}

ir::Expr Interpreter::settled(ir::Expr e) {
  if (!kernel_ || kernel_->lets.empty() || ir::constant(e)) return e;
  auto value_of = [&](const ir::Var* var) {
    auto known = kernel_->lets.find(var);
    return known == kernel_->lets.end() ? ir::Expr() : known->second;
  };
  return ir::simplify(ir::substitute(e, value_of));
}

ir::Expr Interpreter::in_first_round(ir::Expr e) {
  if (kernel_ && !kernel_->first_round.empty()) {
    e = ir::substitute(e, [&](const ir::Var* var) {
      auto known = kernel_->first_round.find(var);
      return known == kernel_->first_round.end() ? ir::Expr() : known->second;
    });
  }
  return ir::simplify(settled(e));
}

void Interpreter::name_value(Value v, std::string_view name, std::string_view path) {
  auto name_buffer = [&](const ir::Buffer* b) {
    if (b->name.empty()) name_draft(b, keep(name), path.empty() ? path : keep(path));
  };
  if (v.is_expr()) {
    if (const auto* l = v.as_expr().as<ir::Load>(); l && ir::is_one_element(*l->buffer)) name_buffer(l->buffer);
    if (const auto* var = v.as_expr().as<ir::Var>(); var && var->name.empty()) {
      if (ir::Var* draft = drafts_->find(var)) draft->name = keep(name);
    }
    return;
  }
  if (!v.is_object()) return;
  // What is part of a value is called after it, and reached through it: `st_stage` is `st.stage`.
  auto part = [&](Value item, std::string_view suffix, std::string_view before, std::string_view after) {
    std::string child(name), way(path.empty() ? name : path);
    child.append("_").append(suffix);
    name_value(item, child, way.append(before).append(suffix).append(after));
  };
  if (depth_ > context_.limits.depth) return;
  ++depth_;
  if (BufferValue* b = v.as<BufferValue>()) {
    name_buffer(b->buffer);
  } else if (List* l = v.as<List>()) {
    for (std::size_t i = 0; i < l->items.size(); ++i) part(l->items[i], std::to_string(i), "[", "]");
  } else if (Tuple* t = v.as<Tuple>()) {
    for (std::size_t i = 0; i < t->items.size(); ++i) part(t->items[i], std::to_string(i), "[", "]");
  } else if (Dict* d = v.as<Dict>()) {
    for (auto& [k, item] : d->items) {
      const bool text = k.as<Str>();
      part(item, str(k), text ? "[\"" : "[", text ? "\"]" : "]");
    }
  } else if (Instance* instance = v.as<Instance>(); instance && instance->cls->is_meta) {
    static const Value kNamed = Value::boolean(true);
    if (!instance->find("__named__")) {
      instance->set("__named__", kNamed);
      for (auto& [key, item] : std::vector(instance->attributes)) part(item, key, ".", "");
    }
  }
  --depth_;
}

void Interpreter::name_draft(const ir::Buffer* buffer, std::string_view name, std::string_view path) {
  ir::Buffer* draft = drafts_->find(buffer);
  if (!draft) return;
  draft->name = name;
  draft->path = path;
  if (!buffer->data || !buffer->data->name.empty()) return;
  if (ir::Var* data = drafts_->find(buffer->data)) data->name = keep(std::string(name) + "_ptr");
}

namespace {

// The one-element buffer that a bound value reads, or null.
const ir::Buffer* scalar_of(Value v) {
  if (v.is_expr()) {
    const auto* l = v.as_expr().as<ir::Load>();
    return l && l->buffer->is_scalar && ir::is_one_element(*l->buffer) ? l->buffer : nullptr;
  }
  BufferValue* b = v.as<BufferValue>();
  return b && ir::is_one_element(*b->buffer) ? b->buffer : nullptr;
}

}  // namespace

// Executes the statements of one script-mode body.
class KernelExecutor {
 public:
  explicit KernelExecutor(Interpreter& in) : in_(in) {}

  Flow run(syntax::Stmts body, Scope* scope) {
    for (const syntax::Node* node : body) {
      if (!in_.step(in_.span(node))) return Flow::Error;
      in_.script_scope_ = scope;
      // Bodies in bodies: the parser's limit on nesting is not ours.
      if (!in_.enter(2, in_.span(node))) return Flow::Error;
      Flow flow = one(node, scope);
      in_.leave(2);
      if (flow == Flow::Error) {
        if (in_.pending_ && in_.pending_->unwinds) return Flow::Error;
        if (!in_.report_pending()) return Flow::Error;
        poison_targets(node, scope);
        continue;
      }
      if (flow == Flow::Return) return flow;
    }
    return Flow::Normal;
  }

 private:
  text::Span at(const syntax::Node* n) const { return in_.span(n); }
  Flow failed() { return Flow::Error; }

  void poison(const syntax::Node* target, Scope* scope) {
    if (!target) return;
    if (auto* ref = syntax::as<syntax::NameRef>(target)) {
      // Names that the assignment would have left alone keep their meaning: those of this block and scalars around it.
      if (scope->find(ref->name)) return;
      if (Value* v = in_.find_binding(ref->name, scope); !v || !scalar_of(*v)) scope->set(ref->name, Value::poison());
    } else if (auto* t = syntax::as<syntax::Tuple>(target)) {
      for (const syntax::Node* e : t->elements) poison(e, scope);
    } else if (auto* l = syntax::as<syntax::List>(target)) {
      for (const syntax::Node* e : l->elements) poison(e, scope);
    } else if (auto* s = syntax::as<syntax::Starred>(target)) {
      poison(s->value, scope);
    }
  }

  void poison_targets(const syntax::Node* node, Scope* scope) {
    if (auto* a = syntax::as<syntax::Assign>(node)) {
      for (const syntax::Node* t : a->targets) poison(t, scope);
    } else if (auto* a = syntax::as<syntax::AnnAssign>(node)) {
      poison(a->target, scope);
    } else if (auto* d = syntax::as<syntax::FunctionDef>(node)) {
      scope->set(d->name, Value::poison());
    } else if (auto* w = syntax::as<syntax::With>(node)) {
      for (const syntax::WithItem& item : w->items) poison(item.target, scope);
    }
  }

  Scope* block(Scope* parent) {
    Scope* s = in_.make<Scope>();
    s->parent = parent;
    s->kind = Scope::Kind::Block;
    return s;
  }

  Flow one(const syntax::Node* node, Scope* scope) {
    switch (node->kind) {
      case NodeKind::ExprStmt: return expression(syntax::as<syntax::ExprStmt>(node), scope);
      case NodeKind::Assign: return assign(syntax::as<syntax::Assign>(node), scope);
      case NodeKind::AugAssign: return augmented(syntax::as<syntax::AugAssign>(node), scope);
      case NodeKind::AnnAssign: return annotated(syntax::as<syntax::AnnAssign>(node), scope);
      case NodeKind::If: return branch(syntax::as<syntax::If>(node), scope);
      case NodeKind::For: return loop(syntax::as<syntax::For>(node), scope);
      case NodeKind::While: return while_loop(syntax::as<syntax::While>(node), scope);
      case NodeKind::With: return with(syntax::as<syntax::With>(node), scope);
      case NodeKind::Assert: return assertion(syntax::as<syntax::Assert>(node), scope);
      case NodeKind::Return: return return_(syntax::as<syntax::Return>(node), scope);
      case NodeKind::FunctionDef: return nested(syntax::as<syntax::FunctionDef>(node), scope);
      case NodeKind::Pass: return Flow::Normal;
      case NodeKind::BrokenStmt:  // what it would have bound stays silent from here on
        for (const syntax::Name& n : syntax::as<syntax::BrokenStmt>(node)->names) {
          if (!in_.find_binding(n, scope)) scope->set(n, Value::poison());
        }
        return Flow::Normal;
      case NodeKind::Break:
      case NodeKind::Continue:
        if (in_.kernel_->loop_depth == 0) {
          in_.fail(code::kLoop, at(node), "this stands outside of every loop");
          return Flow::Error;
        }
        if (node->kind == NodeKind::Break)
          in_.emit_new<ir::Break>(at(node));
        else
          in_.emit_new<ir::Continue>(at(node));
        return Flow::Normal;
      default: break;
    }
    std::string_view what = node->kind == NodeKind::Try         ? "try"
                            : node->kind == NodeKind::ClassDef  ? "class"
                            : node->kind == NodeKind::Delete    ? "del"
                            : node->kind == NodeKind::Raise     ? "raise"
                            : node->kind == NodeKind::Match     ? "match"
                            : node->kind == NodeKind::Global    ? "global"
                            : node->kind == NodeKind::Nonlocal  ? "nonlocal"
                            : node->kind == NodeKind::TypeAlias ? "type"
                                                                : "import";
    text::Span keyword = at(node);  // a statement may be long: its first word says enough
    if (node->kind == NodeKind::Try || node->kind == NodeKind::ClassDef || node->kind == NodeKind::Match) {
      keyword.end = std::min(keyword.end, keyword.begin + static_cast<std::uint32_t>(what.size()));
    }
    if (auto* c = syntax::as<syntax::ClassDef>(node)) keyword = in_.span(c->name.at);
    in_.fail(code::kUnsupported, keyword, "'" + std::string(what) + "' is not available in the body of a kernel",
             "move it into a plain function or to the module");
    return Flow::Error;
  }

  Flow expression(const syntax::ExprStmt* node, Scope* scope) {
    Value v = in_.eval(node->value, scope);
    if (v.is_error()) return Flow::Error;
    if (v.is_expr()) {
      ir::Expr e = v.as_expr();
      if (e.as<ir::Call>()) in_.emit_new<ir::Evaluate>(at(node), e);
      return Flow::Normal;  // a variable, a load or a constant alone does nothing
    }
    if (PendingStore* s = v.as<PendingStore>()) {
      in_.emit(s->store);
      return Flow::Normal;
    }
    if (Frame* f = v.as<Frame>()) return open_frame(f, node->value);
    if (v.is_none() || v.is_poison() || v.is_bool() || v.is_int() || v.is_float() || v.is_ellipsis() || v.as<Str>() ||
        v.as<BufferValue>() || v.as<Instance>() || v.as<List>() || v.as<Tuple>()) {
      return Flow::Normal;
    }
    if (v.is_opaque()) {
      in_.fail(code::kOpaque, at(node), std::string("this statement cannot be evaluated: it comes from ") + v.why);
      return Flow::Error;
    }
    if (v.as<Namespace>() || v.as<Native>() || v.as<Function>() || v.as<BoundMethod>()) {
      in_.fail(code::kType, at(node), "this is a function, and nothing calls it", "write () behind it");
      return Flow::Error;
    }
    in_.fail(code::kType, at(node), "a statement of type " + std::string(type_name(v)) + " has no meaning in a kernel");
    return Flow::Error;
  }

  // A frame used as a statement stays open until the enclosing block ends.
  Flow open_frame(Frame* f, const syntax::Node* node) {
    if (f->kind == FrameKind::Attribute) {
      for (auto& [key, value] : f->attributes) in_.emit_new<ir::Attr>(at(node), key, value, f->node);
      return Flow::Normal;
    }
    if (f->kind == FrameKind::LaunchThread || f->kind == FrameKind::Host) return Flow::Normal;
    in_.fail(code::kLoop, at(node), "a loop needs a body", "write: for i in ...:");
    return Flow::Error;
  }

  // ---- assignment -----------------------------------------------------------------------------------------------

  bool bind_name(const syntax::Name& name, Value value, Scope* scope, text::Span span, const syntax::Node* node) {
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
        return e && in_.emit_store(scalar, {ir::int_imm(ir::kInt32, 0)}, e, span);
      }
    }
    if (auto* own = scope->find(name); own && !own->value.is_poison()) {
      if (!in_.is_identical(own->value, value)) {
        in_.fail(code::kRebinding, span, "'" + std::string(name.text) + "' is already defined in this scope",
                 "choose another name; only scalars can be assigned again");
        return false;
      }
      return true;
    }
    if (meta || !in_.can_be_expr(value) || value.as<BufferValue>()) {
      if (Frame* f = value.as<Frame>()) {
        if (open_frame(f, node) == Flow::Error) return false;
      }
      if (!meta || !value.is_expr()) in_.name_value(value, name.text);
      scope->set(name, value);
      return true;
    }
    if (value.is_expr()) {
      ir::Expr e = value.as_expr();
      const auto* l = e.as<ir::Load>();
      const auto* var = e.as<ir::Var>();
      bool fresh = (l && l->buffer->is_scalar && l->buffer->name.empty()) || (var && var->name.empty());
      if (fresh) {
        in_.name_value(value, name.text);
        scope->set(name, value);
        return true;
      }
      scope->set(name, in_.make_scalar(name.text, e.dtype(), e, span));
      return true;
    }
    ir::Expr e = in_.as_expr(value, span);
    if (!e) return false;
    scope->set(name, in_.make_scalar(name.text, e.dtype(), e, span));
    return true;
  }

  bool assign_target(const syntax::Node* target, Value value, Scope* scope, const syntax::Node* node) {
    if (auto* ref = syntax::as<syntax::NameRef>(target)) return bind_name(ref->name, value, scope, at(target), node);
    if (target->kind != NodeKind::Tuple && target->kind != NodeKind::List) return in_.assign_host(target, value, scope);
    // Unpacking makes one new binding a name, never a store into an existing scalar (surface.md 5.1).
    syntax::Exprs elements = target->kind == NodeKind::Tuple ? syntax::as<syntax::Tuple>(target)->elements
                                                             : syntax::as<syntax::List>(target)->elements;
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
      in_.fail(code::kAssignment, at(target),
               "cannot unpack " + std::to_string(items->size()) + " values into " + std::to_string(elements.size()) +
                   " names");
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
      if (auto* ref = syntax::as<syntax::NameRef>(element)) {
        if (ref->name.text == "_") continue;
        if (!bind_new(ref->name, item, scope, at(element), node)) return false;
      } else if (element->kind != NodeKind::Tuple && element->kind != NodeKind::List) {
        // Its store would come before what the other values still have to read.
        in_.fail(code::kAssignment, at(element), "unpacking binds names; it stores into no element and no attribute",
                 "write one assignment a line, through another name where values change places");
        return false;
      } else if (!assign_target(element, item, scope, node)) {
        return false;
      }
    }
    return true;
  }

  bool bind_new(const syntax::Name& name, Value value, Scope* scope, text::Span span, const syntax::Node* node) {
    Value* existing = in_.find_binding(name, scope);
    // A scalar of this scope would be stored to, and the next value might read it: `x, y = y, x` is no exchange.
    if (auto* own = scope->find(name); own && scalar_of(own->value)) {
      in_.fail(
          code::kRebinding, span, "'" + std::string(name.text) + "' is already defined in this scope",
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
        scope->set(name, in_.make_scalar(name.text, e.dtype(), e, span));
      }
      return true;
    }
    return bind_name(name, value, scope, span, node);
  }

  Flow assign(const syntax::Assign* node, Scope* scope) {
    if (node->targets.size() > 1) {
      in_.fail(code::kAssignment, at(node), "chained assignment is not available in a kernel",
               "write one assignment a line");
      return Flow::Error;
    }
    Value v = in_.eval(node->value, scope);
    if (v.is_error()) return Flow::Error;
    return assign_from(node->value, node->targets[0], v, scope, node);
  }

  // Assigns with messages about the value pointing at it.
  Flow assign_from(const syntax::Node* source, const syntax::Node* target, Value v, Scope* scope,
                   const syntax::Node* node) {
    text::Span outer = std::exchange(in_.stored_at_, at(source));
    bool ok = assign_target(target, v, scope, node);
    in_.stored_at_ = outer;
    return ok ? Flow::Normal : Flow::Error;
  }

  Flow augmented(const syntax::AugAssign* node, Scope* scope) {
    Value old = in_.eval(node->target, scope);
    if (old.is_error()) return Flow::Error;
    Value by = in_.eval(node->value, scope);
    if (by.is_error()) return Flow::Error;
    if (old.is_poison() || by.is_poison()) return Flow::Normal;
    Value v = in_.binary(node->op, old, by, at(node));
    if (v.is_error()) return Flow::Error;
    return assign_from(node->value, node->target, v, scope, node);
  }

  Flow annotated(const syntax::AnnAssign* node, Scope* scope) {
    auto* ref = syntax::as<syntax::NameRef>(node->target);
    if (!ref) {
      in_.fail(code::kAssignment, at(node->target), "only a name can be annotated");
      return Flow::Error;
    }
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
    text::Span span = at(node->target);
    if (auto* own = scope->find(ref->name); own && !own->value.is_poison()) {
      in_.fail(code::kRebinding, span, "'" + std::string(ref->name.text) + "' is already defined in this scope");
      return Flow::Error;
    }
    if (DataTypeValue* d = annotation.as<DataTypeValue>()) {
      if (d->subscripted) {
        if (node->value) {
          in_.fail(code::kAssignment, at(node->value), "a local array cannot be initialised in its declaration",
                   "assign its elements, or use Tx.fill");
          return Flow::Error;
        }
        auto extents = in_.as_extents(in_.tuple(d->shape), at(node->annotation), "the extents");
        if (!extents) return Flow::Error;
        Value v = alloc_local(in_, d->dtype, *extents, at(node));
        if (v.is_error()) return Flow::Error;
        in_.name_value(v, ref->name.text);
        scope->set(ref->name, v);
        return Flow::Normal;
      }
      ir::Expr initial;
      if (node->value) {
        ir::Expr e = in_.as_expr(value, at(node->value));
        if (!e) return Flow::Error;
        auto converted = ir::convert(d->dtype, e);
        if (!converted) {
          in_.fail(code::kType, at(node->value), converted.error());
          return Flow::Error;
        }
        initial = *converted;
      }
      scope->set(ref->name, in_.make_scalar(ref->name.text, d->dtype, initial, span));
      return Flow::Normal;
    }
    TypeAnnotation* t = annotation.as<TypeAnnotation>();
    if (Native* n = annotation.as<Native>(); n && n->name == "handle") {  // the printed form `d: T.handle = e`
      t = in_.make<TypeAnnotation>();
      t->kind = TypeAnnotation::Kind::Handle;
    }
    if (!t) {
      in_.fail(code::kAssignment, at(node->annotation), std::string(type_name(annotation)) + " is not a type here",
               "write a dtype such as T.int32, or T.let");
      return Flow::Error;
    }
    if (!node->value) {
      in_.fail(code::kAssignment, at(node), "T.let needs a value");
      return Flow::Error;
    }
    ir::Expr e = in_.as_expr(value, at(node->value));
    if (!e) return Flow::Error;
    const TypeAnnotation* type = t;
    if (t->kind == TypeAnnotation::Kind::Let) type = t->inner.as<TypeAnnotation>();
    if (t->kind == TypeAnnotation::Kind::Let && t->inner.as<DataTypeValue>()) {
      auto converted = ir::convert(t->inner.as<DataTypeValue>()->dtype, e);
      if (!converted) {
        in_.fail(code::kType, at(node->value), converted.error());
        return Flow::Error;
      }
      e = *converted;
    }
    const ir::Var* var = make_pointer_or_value_var(in_, ref->name.text, e, type);
    in_.emit_new<ir::Bind>(at(node), var, e);
    if (ir::Expr known = in_.settled(e); ir::constant(known)) in_.kernel_->lets.emplace(var, known);
    scope->set(ref->name, Value::expr(var));
    return Flow::Normal;
  }

  // ---- control --------------------------------------------------------------------------------------------------

  const ir::Stmt* body(syntax::Stmts statements, Scope* scope, text::Span span, bool* fatal) {
    in_.push_block();
    Flow flow = run(statements, scope);
    *fatal = flow == Flow::Error;
    return in_.pop_block(span);
  }

  Flow branch(const syntax::If* node, Scope* scope) {
    Value c = in_.eval(node->condition, scope);
    if (c.is_error()) return Flow::Error;
    if (MetaVar* m = c.as<MetaVar>()) c = m->value;
    if (c.as<BufferValue>() && in_.can_be_expr(c)) c = Value::expr(in_.as_expr(c, at(node->condition)));
    bool fatal = false;
    if (c.is_bool()) {
      return run(c.b ? node->then_body : node->else_body, block(scope)) == Flow::Error ? Flow::Error : Flow::Normal;
    }
    if (c.is_poison()) {  // look into both arms for errors of their own; nothing is kept
      in_.push_block();
      Flow a = run(node->then_body, block(scope));
      Flow b = a == Flow::Error ? a : run(node->else_body, block(scope));
      in_.pop_block(at(node));
      return b == Flow::Error ? b : Flow::Normal;
    }
    if (c.is_opaque()) {
      in_.fail(code::kOpaque, at(node->condition),
               std::string("this condition is not known here: it comes from ") + c.why,
               "give the value in the script, or name an entry with known arguments");
      return Flow::Error;
    }
    if (!c.is_expr() || !(c.as_expr().dtype().is_bool() || c.as_expr().dtype().is_integral()) ||
        c.as_expr().dtype().lanes != 1) {
      in_.fail(code::kCondition, at(node->condition),
               "If condition must be a boolean expression, not " +
                   (c.is_expr() ? ir::dtype_name(c.as_expr().dtype()) : std::string(type_name(c))),
               "compare it, e.g. x != 0, or make it a Python bool");
      return Flow::Error;
    }
    const ir::Stmt* then_body = body(node->then_body, block(scope), at(node), &fatal);
    if (fatal) return Flow::Error;
    const ir::Stmt* else_body = nullptr;
    if (!node->else_body.empty()) {
      else_body = body(node->else_body, block(scope), at(node), &fatal);
      if (fatal) return Flow::Error;
    }
    in_.emit_new<ir::If>(at(node->condition), c.as_expr(), then_body, else_body);
    return Flow::Normal;
  }

  // `range(...)` in a `for` of a kernel is always a serial loop of the kernel.
  Value iterable(const syntax::For* node, Scope* scope) {
    auto* call = syntax::as<syntax::Call>(node->iterable);
    auto* callee = call ? syntax::as<syntax::NameRef>(call->function) : nullptr;
    if (callee && callee->name.text == "range") {
      Value* found = in_.find_binding(callee->name, scope);
      auto* builtin = in_.builtins()->find(callee->name);
      if (found && builtin && in_.is_identical(*found, builtin->value)) {
        Value serial = in_.attribute(tirx_namespace(in_), "__range__", at(callee));
        std::vector<Value> args;
        std::vector<text::Span> spans;
        std::vector<Keyword> keywords;
        for (const syntax::Node* a : call->args) {
          auto* star = syntax::as<syntax::Starred>(a);
          Value v = in_.eval(star ? star->value : a, scope);
          if (v.is_error() || v.is_poison()) return v;
          if (star) {
            auto more = in_.iterate(v, at(a));
            if (!more) return Value::error();
            for (Value item : *more) {
              args.push_back(item);
              spans.push_back(at(a));
            }
            continue;
          }
          args.push_back(v);
          spans.push_back(at(a));
        }
        for (const syntax::Keyword& k : call->keywords) {
          Value v = in_.eval(k.value, scope);
          if (v.is_error()) return v;
          keywords.push_back({k.name.text, v, at(k.value), in_.span(k.name.at)});
        }
        Arguments arguments;
        arguments.positional = args;
        arguments.spans = spans;
        arguments.keywords = keywords;
        arguments.call = at(node->iterable);
        arguments.function = at(callee);
        return in_.call(serial, arguments);
      }
    }
    Value v = in_.eval(node->iterable, scope);
    if (Range* r = v.as<Range>()) {  // a range made elsewhere
      Value bounds[] = {Value::integer(r->start), Value::integer(r->stop), Value::integer(r->step)};
      return in_.call(in_.attribute(tirx_namespace(in_), "__range__", at(node)), bounds, at(node->iterable));
    }
    return v;
  }

  Flow loop(const syntax::For* node, Scope* scope) {
    Value v = iterable(node, scope);
    if (v.is_error()) return Flow::Error;
    Scope* inner = block(scope);
    if (v.is_poison()) {
      poison(node->target, inner);
      in_.push_block();
      ++in_.kernel_->loop_depth;
      Flow flow = run(node->body, inner);
      --in_.kernel_->loop_depth;
      in_.pop_block(at(node));
      return flow == Flow::Error ? flow : Flow::Normal;
    }
    Frame* f = v.as<Frame>();
    if (!f || (f->kind != FrameKind::Loop && f->kind != FrameKind::Grid)) {
      in_.fail(code::kLoop, at(node->iterable),
               (v.is_opaque() ? std::string("this iterable is not known here: it comes from ") + v.why
                              : "a kernel cannot loop over " + std::string(type_name(v))),
               "use range, T.serial, T.unroll, T.vectorized, T.parallel, T.grid or T.thread_binding");
      return Flow::Error;
    }
    // One variable a range. The target takes them as an assignment would: one name all of them, a starred one the rest.
    std::size_t count = f->ranges.size();
    syntax::Exprs names;
    const syntax::Node* single[] = {node->target};
    if (auto* t = syntax::as<syntax::Tuple>(node->target))
      names = t->elements;
    else if (auto* l = syntax::as<syntax::List>(node->target))
      names = l->elements;
    else
      names = single;
    bool unpacks = names.data() != single;
    std::size_t star = names.size();
    std::vector<syntax::Name> named;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const syntax::Node* name = names[i];
      if (auto* s = syntax::as<syntax::Starred>(name); s && unpacks && star == names.size()) {
        star = i;
        name = s->value;
      }
      auto* ref = syntax::as<syntax::NameRef>(name);
      if (!ref) {
        if (name->kind == NodeKind::Broken) return Flow::Normal;
        in_.fail(code::kLoop, at(name), "a loop target must be a name");
        return Flow::Error;
      }
      if (std::ranges::any_of(named, [&](const syntax::Name& other) { return other == ref->name; })) {
        in_.fail(code::kLoop, at(name), "'" + std::string(ref->name.text) + "' names two variables of this loop");
        return Flow::Error;
      }
      named.push_back(ref->name);
    }
    bool starred = star != names.size();
    bool fits = unpacks ? (starred ? count + 1 >= names.size() : count == names.size())
                        : count == 1 || f->kind == FrameKind::Grid;
    bool single_variable = unpacks && count == 1;  // which is no sequence
    if (!fits || single_variable) {
      in_.fail(code::kLoop, at(node->target),
               "this loop has " + std::to_string(count) + (count == 1 ? " variable, " : " variables, ") +
                   (fits ? "there is nothing to unpack"
                         : std::to_string(names.size()) + (names.size() == 1 ? " is named" : " are named")));
      return Flow::Error;
    }
    std::size_t rest = starred ? count + 1 - names.size() : 0;  // variables of the starred name
    std::vector<const ir::Var*> vars;
    std::vector<Value> gathered;  // for the starred name, or the only one
    for (std::size_t i = 0; i < count; ++i) {
      auto& [min, extent] = f->ranges[i];
      ir::DataType dtype = min.dtype().bits > extent.dtype().bits ? min.dtype() : extent.dtype();
      const syntax::NameRef* own = nullptr;  // the name that stands for this variable alone
      std::string name;
      if (!unpacks) {
        own = count == 1 ? syntax::as<syntax::NameRef>(names[0]) : nullptr;
        name = "i";
      } else if (starred && i >= star && i < star + rest) {
        auto* s = syntax::as<syntax::Starred>(names[star]);
        name = std::string(syntax::as<syntax::NameRef>(s->value)->name.text) + "_" + std::to_string(i - star);
      } else {
        own = syntax::as<syntax::NameRef>(names[starred && i >= star ? i + 1 - rest : i]);
      }
      std::string_view kept = in_.keep(own ? own->name.text : std::string_view(name));
      auto hardware = f->thread_tag.empty() ? std::nullopt : launch_dimension(f->thread_tag);
      if (hardware) {  // a thread-bound loop: its variable is an index of the launch
        ir::Var* var = make_launch_var(in_, *hardware);
        var->name = kept;
        vars.push_back(var);
        if (own) inner->set(own->name, Value::expr(var));
        continue;
      }
      ir::Var* var = ir::make_var(kept, dtype, ir::VarRole::Loop);
      ir::Interval lo = ir::bounds(min), n = ir::bounds(extent);
      if (lo.bounded() && n.bounded() && !f->step)
        var->range = {lo.lo, lo.hi + std::max<std::int64_t>(n.hi - 1, 0)};
      else if (lo.lo != ir::Interval::kMin)
        var->range.lo = lo.lo;
      vars.push_back(var);
      if (own)
        inner->set(own->name, Value::expr(var));
      else
        gathered.push_back(Value::expr(var));
    }
    if (starred) {
      auto* s = syntax::as<syntax::Starred>(names[star]);
      inner->set(syntax::as<syntax::NameRef>(s->value)->name, in_.list(std::move(gathered)));
    } else if (!gathered.empty()) {
      inner->set(syntax::as<syntax::NameRef>(names[0])->name, in_.tuple(std::move(gathered)));
    }
    // All iterations of a thread-bound loop run at once: there is nothing to break out of.
    int depth = in_.kernel_->loop_depth;
    in_.kernel_->loop_depth = f->thread_tag.empty() ? depth + 1 : 0;
    bool fatal = false;
    auto nested = static_cast<std::uint32_t>(2 * std::min<std::size_t>(count - 1, 1 << 20));  // loops in loops
    if (!in_.enter(nested, at(node->iterable))) return Flow::Error;
    ir::Expr first = f->loop == ir::LoopKind::Unrolled && count == 1 ? in_.settled(f->ranges[0].first) : ir::Expr();
    if (first && ir::constant(first)) in_.kernel_->first_round.emplace(vars[0], first);
    const ir::Stmt* made = body(node->body, inner, at(node), &fatal);
    if (first) in_.kernel_->first_round.erase(vars[0]);
    in_.leave(nested);
    in_.kernel_->loop_depth = depth;
    if (fatal) return Flow::Error;
    for (std::size_t i = f->ranges.size(); i-- > 0;) {
      made = ir::make_stmt<ir::For>(in_.origin(at(node->target)), vars[i], f->ranges[i].first, f->ranges[i].second,
                                    f->step, f->loop, f->unroll, f->thread_tag, made);
    }
    in_.emit(made);
    dropped_else(node->else_body);
    return Flow::Normal;
  }

  // The reference drops it without a word, so it compiles; but a branch that never runs is no one's intention.
  void dropped_else(syntax::Stmts body) {
    if (body.empty()) return;
    in_.warn(code::kUnsupported, at(body.front()), "'else' after a loop of a kernel is dropped: it never runs",
             "write it behind the loop, under a condition if it needs one");
  }

  Flow while_loop(const syntax::While* node, Scope* scope) {
    Value c = in_.eval(node->condition, scope);
    if (c.is_error()) return Flow::Error;
    ir::Expr condition;
    if (!c.is_poison()) {
      condition = in_.as_expr(c, at(node->condition), "the condition");
      if (!condition) return Flow::Error;
      if (condition.dtype().lanes != 1 || !(condition.dtype().is_bool() || condition.dtype().is_integral())) {
        in_.fail(code::kCondition, at(node->condition), "the condition of a loop must be a scalar boolean");
        return Flow::Error;
      }
    }
    ++in_.kernel_->loop_depth;
    bool fatal = false;
    const ir::Stmt* made = body(node->body, block(scope), at(node), &fatal);
    --in_.kernel_->loop_depth;
    if (fatal) return Flow::Error;
    if (condition) in_.emit_new<ir::While>(at(node->condition), condition, made);
    dropped_else(node->else_body);
    return Flow::Normal;
  }

  Flow with(const syntax::With* node, Scope* scope) { return with_items(node, 0, block(scope)); }

  Flow with_items(const syntax::With* node, std::size_t index, Scope* scope) {
    if (index == node->items.size()) return run(node->body, scope);
    const syntax::WithItem& item = node->items[index];
    Value v = in_.eval(item.value, scope);
    if (v.is_error()) return Flow::Error;
    if (v.is_poison()) {  // who would run the body is not known: it is looked into for errors of its own
      poison(item.target, scope);
      in_.push_block();
      Flow flow = with_items(node, index + 1, scope);
      in_.pop_block(at(node));
      return flow;
    }
    if (Frame* f = v.as<Frame>()) {
      if (f->kind == FrameKind::Loop || f->kind == FrameKind::Grid) {
        in_.fail(code::kLoop, at(item.value), "a loop is written with for, not with");
        return Flow::Error;
      }
      if (item.target) {
        Value bound = f->var ? Value::expr(f->var) : v;
        if (!assign_target(item.target, bound, scope, node)) return Flow::Error;
      }
      in_.push_block();
      Flow flow = with_items(node, index + 1, scope);
      const ir::Stmt* made = in_.pop_block(at(node));
      if (flow == Flow::Error) return flow;
      if (f->kind == FrameKind::Attribute) {
        for (std::size_t i = f->attributes.size(); i-- > 0;) {
          auto& [key, value] = f->attributes[i];
          made = ir::make_stmt<ir::Attr>(in_.origin(at(item.value)), key, value, f->node, made);
        }
      }
      in_.emit(made);
      return Flow::Normal;
    }
    const ir::Var* thread = v.is_expr() ? v.as_expr().as<ir::Var>() : nullptr;
    if (thread && thread->role == ir::VarRole::ScopeId) {  // with T.launch_thread(...) as x
      std::vector<const ir::Stmt*>& block = in_.kernel_->blocks.back();
      const ir::Attr* marker = block.empty() ? nullptr : as_launch_marker(block.back());
      if (marker && marker->node == thread) block.pop_back();
      if (item.target && !assign_target(item.target, v, scope, node)) return Flow::Error;
      if (!marker || marker->node != thread) return with_items(node, index + 1, scope);
      in_.push_block();
      Flow flow = with_items(node, index + 1, scope);
      const ir::Stmt* made = in_.pop_block(at(node));
      if (flow == Flow::Error) return flow;
      in_.emit(launch_region(marker, made));
      return flow;
    }
    Instance* instance = v.as<Instance>();
    if (instance && instance->cls->find("__branch__")) return role(node, index, v, scope);
    if (!instance || !instance->cls->find("__enter__")) {
      in_.fail(code::kType, at(item.value), std::string(type_name(v)) + " cannot be used in a with statement",
               "use a frame such as T.attr(...), or a context manager");
      return Flow::Error;
    }
    Value entered = in_.call(in_.attribute(v, "__enter__", at(item.value)), std::span<const Value>(), at(item.value));
    if (entered.is_error()) return Flow::Error;
    if (item.target && !assign_target(item.target, entered, scope, node)) return Flow::Error;
    Flow flow = with_items(node, index + 1, scope);
    if (flow == Flow::Error) return flow;
    Value args[] = {Value::none(), Value::none(), Value::none()};
    if (in_.call(in_.attribute(v, "__exit__", at(item.value)), args, at(item.value)).is_error()) return Flow::Error;
    return flow;
  }

  // A role of the prelude: the body stands under the branch that `__branch__` gives, behind what `__prologue__` emits.
  // The evaluator opens and closes the branch itself, so that no script can leave one open.
  Flow role(const syntax::With* node, std::size_t index, Value v, Scope* scope) {
    const syntax::WithItem& item = node->items[index];
    text::Span span = at(item.value);
    Value c = in_.call(in_.attribute(v, "__branch__", span), std::span<const Value>(), span);
    if (c.is_error()) return Flow::Error;
    ir::Expr condition;
    if (!c.is_poison()) {
      condition = in_.as_expr(c, span, "the condition of this role");
      if (!condition) return Flow::Error;
    }
    if (item.target && !assign_target(item.target, v, scope, node)) return Flow::Error;
    in_.push_block();
    bool failed = false;
    if (v.as<Instance>()->cls->find("__prologue__")) {
      failed = in_.call(in_.attribute(v, "__prologue__", span), std::span<const Value>(), span).is_error();
    }
    Flow flow = failed ? Flow::Error : with_items(node, index + 1, scope);
    const ir::Stmt* made = in_.pop_block(at(node));
    if (flow == Flow::Error) return flow;
    if (condition) in_.emit_new<ir::If>(span, condition, made, nullptr);
    return Flow::Normal;
  }

  Flow assertion(const syntax::Assert* node, Scope* scope) {
    Value c = in_.eval(node->condition, scope);
    if (c.is_error()) return Flow::Error;
    std::string message = "assertion failed";
    if (node->message) {
      Value m = in_.eval(node->message, scope);
      if (m.is_error()) return Flow::Error;
      // ("ValueError", ["a", "b"]): the kind, and the message in parts.
      Tuple* parts = m.as<Tuple>();
      List* pieces = parts && parts->items.size() == 2 ? parts->items[1].as<List>() : nullptr;
      if (pieces) {
        std::string kind = in_.str(parts->items[0]);
        message = kind == "RuntimeError" ? "" : kind + ": ";
        for (Value piece : pieces->items) message += in_.str(piece);
      } else {
        message = in_.str(m);
      }
    }
    if (c.is_poison()) return Flow::Normal;
    if (c.is_expr()) {
      in_.emit_new<ir::Assert>(at(node), c.as_expr(), in_.keep(message));
      return Flow::Normal;
    }
    auto t = in_.truth(c, at(node->condition));
    if (!t) return Flow::Error;
    if (*t || c.is_opaque()) return Flow::Normal;
    in_.fail(code::kRaised, at(node), "assertion failed: " + message, {}, "AssertionError");
    return Flow::Error;
  }

  Flow return_(const syntax::Return* node, Scope* scope) {
    ir::Expr value;
    if (node->value) {
      Value v = in_.eval(node->value, scope);
      if (v.is_error()) return Flow::Error;
      if (v.is_poison()) return Flow::Return;
      if (!v.is_none()) {
        value = in_.as_expr(v, at(node->value), "the returned value");
        if (!value) return Flow::Error;
      }
    }
    if (!value) {
      in_.fail(code::kUnsupported, at(node), "a return without a value is not available in a kernel",
               "write T.thread_return() to end the thread, or leave it out at the end");
      return Flow::Error;
    }
    if (!ir::is_constant(value, 0)) {
      in_.fail(code::kUnsupported, at(node->value), "a kernel can only return 0");
      return Flow::Error;
    }
    in_.emit_new<ir::Return>(at(node), value);
    return Flow::Return;
  }

  Flow nested(const syntax::FunctionDef* node, Scope* scope) {
    if (node->decorators.empty()) {
      in_.fail(code::kUnsupported, in_.span(node->name.at),
               "a function inside a kernel must be decorated with @T.inline",
               "decorate it, or move it out of the kernel");
      return Flow::Error;
    }
    if (auto* own = scope->find(node->name); own && !own->value.is_poison()) {
      in_.fail(code::kRebinding, in_.span(node->name.at),
               "'" + std::string(node->name.text) + "' is already defined in this scope");
      return Flow::Error;
    }
    Value v = in_.define_function(node, scope);
    if (v.is_error()) return Flow::Error;
    scope->set(node->name, v);
    return Flow::Normal;
  }

  Interpreter& in_;
};

Flow Interpreter::exec_script(syntax::Stmts body, Scope* scope) { return KernelExecutor(*this).run(body, scope); }

// ---- kernels --------------------------------------------------------------------------------------------------

Value Interpreter::evaluate_kernel_now(Function* f, const Arguments* constexprs, bool is_private, bool persistent) {
  KernelValue* value = make<KernelValue>();
  value->source = f;
  value->def_anchor = f->anchor;
  auto store = std::make_shared<Store>();
  store->outer = store_;
  std::shared_ptr<Store> outer_store = std::exchange(store_, store);
  value->kernel.arena = std::shared_ptr<Arena>(store, &store->arena);
  ArenaScope arena(store->arena);
  ModeGuard guard(*this);
  guard.enter(true, f->anchor, f->keep);

  KernelState state;
  Drafts drafts(drafts_);
  drafts_ = &drafts;
  state.kernel = &value->kernel;
  state.function = f;
  state.blocks.emplace_back();
  KernelState* outer = std::exchange(kernel_, &state);
  const ir::CallSite* outer_chain = std::exchange(chain_, nullptr);

  value->kernel.name = keep(f->def->name.text);
  value->kernel.target = target_;
  value->kernel.target_choice = find_target_ ? ir::TargetChoice::Preferred : ir::TargetChoice::Fixed;
  value->kernel.dialect = dialect_;
  value->kernel.is_private = is_private;
  value->kernel.span = span(f->def->name.at);
  if (persistent) value->kernel.attributes.push_back({"tirx.persistent_kernel", ir::bool_imm(true)});
  Scope* scope = make<Scope>();
  scope->parent = f->closure;
  scope->kind = Scope::Kind::Function;
  scope->is_kernel = true;

  bool ok = bind_kernel_parameters(*this, f, constexprs, scope);
  Flow flow = Flow::Normal;
  if (!ok) {
    state.failed = true;
    if (!report_pending()) flow = Flow::Error;
    for (const syntax::Parameter& p : f->def->params) {
      if (!scope->find(p.name)) scope->set(p.name, Value::poison());
    }
  }
  Scope* outer_script_scope = script_scope_;
  if (flow == Flow::Normal) flow = exec_script(f->def->body, scope);
  script_scope_ = outer_script_scope;
  if (flow == Flow::Error && pending_ && pending_->unwinds && report_pending()) flow = Flow::Normal;
  while (state.blocks.size() > 1) pop_block(value->kernel.span);  // what an unwinding left open
  value->kernel.body = pop_block(value->kernel.span);
  if (flow == Flow::Error) state.failed = true;
  if (flow != Flow::Error && !bind_launch(*this, value->kernel, state.failed)) {
    state.failed = true;
    if (!report_pending()) flow = Flow::Error;
  }
  value->failed = state.failed;
  heap_.count(value->kernel.arena->bytes());
  weights_.clear();
  kernel_nodes_ = 0;
  kernel_ = outer;
  chain_ = outer_chain;
  drafts_ = drafts.outer();  // from here on the kernel's nodes are final
  store_ = std::move(outer_store);
  if (flow == Flow::Error && pending_) return Value::error();  // fatal: everything stops
  kernels_.push_back(value);
  return Value::object(value);
}

}  // namespace tilewright::script
