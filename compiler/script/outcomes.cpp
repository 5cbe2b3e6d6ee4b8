// What running one statement of a module came to, for the next run of an edited script (last_run.h).
#include <algorithm>

#include "compiler/script/interpreter.h"
#include "compiler/script/last_run.h"
#include "compiler/script/literals.h"
#include "compiler/script/memo.h"

namespace tilewright::script {
namespace {

using syntax::NodeKind;

// Nothing changes it, wherever it is handed.
bool is_inert(Value v) {
  switch (v.tag) {
    case Tag::Error:
    case Tag::Expr: return false;
    case Tag::Object: break;
    default: return true;
  }
  switch (v.o->type) {
    case Type::Str:
    case Type::BigInt:
    case Type::Range:
    case Type::Layout:
    case Type::LayoutBuilder:
    case Type::Axis:
    case Type::Iter:
    case Type::DataType: return true;
    case Type::Native: return v.as<Native>()->self.is_none();
    case Type::Class: return v.as<Class>()->construct != nullptr;
    case Type::Namespace: return v.as<Namespace>()->scope == nullptr;
    default: return false;
  }
}

// No call stands in it, and nothing else that could change a value.
bool calls_nothing(const syntax::Node* node) {
  if (is_literal(node)) return true;
  switch (node->kind) {
    case NodeKind::NameRef: return true;
    case NodeKind::UnaryOp: return calls_nothing(syntax::as<syntax::UnaryOp>(node)->operand);
    case NodeKind::Attribute: return calls_nothing(syntax::as<syntax::Attribute>(node)->object);
    case NodeKind::Tuple: return std::ranges::all_of(syntax::as<syntax::Tuple>(node)->elements, calls_nothing);
    case NodeKind::List: return std::ranges::all_of(syntax::as<syntax::List>(node)->elements, calls_nothing);
    default: return false;
  }
}

}  // namespace

bool Reuse::names_inert(const syntax::TopLevel& statement, Scope* module) {
  return std::ranges::all_of(statement.names, [&](const syntax::Name& name) {
    Scope::Binding* b = module->find(name);
    const Value* v = b ? &b->value : in_.builtins_.find(name);
    return !v || (is_inert(*v) && !in_.has_aliases(*v));
  });
}

// The decorator is made, and what it is called with changes nothing but the function.
bool Reuse::decorates_only(const syntax::Node* decorator, Scope* module) {
  if (auto* call = syntax::as<syntax::Call>(decorator)) {
    if (!std::ranges::all_of(call->args, calls_nothing)) return false;
    if (!std::ranges::all_of(call->keywords, [](const auto& k) { return calls_nothing(k.value); })) return false;
    decorator = call->function;
  }
  const syntax::Node* root = decorator;
  while (auto* a = syntax::as<syntax::Attribute>(root)) root = a->object;
  auto* name = syntax::as<syntax::NameRef>(root);
  if (!name) return false;
  Value* v = in_.find_binding(name->name, module);
  return v && is_inert(*v);
}

Reuse::Progress Reuse::progress() const {
  const auto* diagnostics = in_.context_.diagnostics;
  return {in_.budget_.steps(),         in_.heap_.bytes(),
          in_.heap_.objects(),         in_.kernels_.size(),
          in_.errors_.failures.size(), diagnostics ? diagnostics->size() : 0,
          in_.modules_.asked(),        calls_};
}

bool Reuse::remembers_runs() const { return memo_ && memo_->remembers(); }

void Reuse::begin_run(std::shared_ptr<const syntax::Tree> tree) {
  rerun_ = std::make_unique<Rerun>(memo_->take_last_run(surroundings()), std::move(tree));
}

void Reuse::enter(std::size_t number) { rerun_->enter(number); }

void Reuse::end_run(bool complete) {
  const bool all = complete && !in_.budget_.met_limits() && !prelude_touched_ && !in_.drawn_order() &&
                   !in_.context_.stop.stop_requested();
  memo_->keep_last_run(surroundings(), std::exchange(rerun_, nullptr)->finish(all));
}

void Reuse::answered(const std::shared_ptr<const syntax::Tree>& tree) {
  if (rerun_) rerun_->answered(tree);
}

void Reuse::asked_otherwise() {
  if (rerun_) rerun_->asked_otherwise();
}

Reuse::Before Reuse::before(const syntax::TopLevel& statement, Scope* module) {
  Before out{.progress = progress()};
  out.is_new = rerun_ && rerun_->current() == &statement && !rerun_->known();
  out.inert = out.is_new && statement.statement->kind == syntax::NodeKind::Assign && names_inert(statement, module);
  return out;
}

void Reuse::ran(const syntax::TopLevel& statement, Scope* module, const Before& before) {
  rerun_->ran(outcome_of(statement, module, before));
}

StatementOutcome Reuse::outcome_of(const syntax::TopLevel& statement, Scope* module, const Before& start) {
  StatementOutcome out = std::move(rerun_->making());
  const syntax::Node* node = statement.statement;
  const Progress now = progress();
  const Progress& before = start.progress;
  const bool ran = now.failures == before.failures && !in_.errors_.pending && now.calls == before.calls;
  const bool asked = now.asked != before.asked;
  auto* function = syntax::as<syntax::FunctionDef>(node);
  auto* assign = syntax::as<syntax::Assign>(node);
  auto* from = syntax::as<syntax::ImportFrom>(node);
  if (function) {
    auto makes = [&](const syntax::Parameter& p) { return p.default_value && !calls_nothing(p.default_value); };
    Scope::Binding* b = out.kernel ? module->find(function->name) : nullptr;
    KernelValue* kernel = b ? b->value.as<KernelValue>() : nullptr;
    const bool one = kernel && kernel->record == out.kernel && now.kernels == before.kernels + 1;
    if (!one) out.kernel = nullptr;
    out.reaches_others =
        !ran || asked || !(one || now.kernels == before.kernels) || std::ranges::any_of(function->params, makes) ||
        !std::ranges::all_of(function->decorators, [&](const syntax::Node* d) { return decorates_only(d, module); });
  } else if (assign) {
    const bool binds =
        std::ranges::all_of(assign->targets, [](const syntax::Node* t) { return syntax::as<syntax::NameRef>(t); });
    out.reaches_others = !ran || asked || !binds || !start.inert || now.kernels != before.kernels;
    const bool one = assign->targets.size() == 1 && statement.free_names().bound.size() == 1;
    auto* target = one ? syntax::as<syntax::NameRef>(assign->targets[0]) : nullptr;
    Scope::Binding* b = target && !out.reaches_others ? module->find(target->name) : nullptr;
    LayoutValue* layout = b ? b->value.as<LayoutValue>() : nullptr;
    // One that is held elsewhere as well must stay the same object.
    const bool fresh = layout && !layout->in_kernel && in_.heap_.is_since(before.objects, layout);
    if (fresh && now.diagnostics == before.diagnostics) {
      out.layout = std::make_shared<const layout::Layout>(*layout->layout);
      out.shape = layout->shape;
      out.steps = now.steps - before.steps;
      out.bytes = now.bytes - before.bytes;
    }
  } else if (from) {
    // How annotations are read changes with the module, and no name says so.
    out.reaches_others = !ran || from->names.empty() || from->names[0].name == "*" || from->module == "__future__";
  } else if (node->kind == NodeKind::Import || node->kind == NodeKind::Pass) {
    out.reaches_others = !ran;
  } else if (auto* text = syntax::as<syntax::ExprStmt>(node)) {
    out.reaches_others = text->value->kind != NodeKind::StringLit;
  }
  if (out.reaches_others) out.kernel = nullptr;
  if (!out.kernel) out.statements.clear();
  return out;
}

bool Reuse::bind_known(const syntax::TopLevel& statement, Scope* module) {
  const bool own = rerun_ && rerun_->current() == &statement;
  const StatementOutcome* known = own ? rerun_->known() : nullptr;
  if (!known || !known->layout) return false;
  const std::size_t bytes = in_.heap_.bytes();
  LayoutValue* v = in_.make<LayoutValue>();
  v->layout = known->layout.get();
  v->shape = known->shape;
  in_.store_->kept.push_back(known->layout);
  module->set(syntax::as<syntax::NameRef>(syntax::as<syntax::Assign>(statement.statement)->targets[0])->name,
              Value::object(v));
  in_.heap_.reset(bytes + known->bytes);
  in_.budget_.spend(known->steps);
  return true;
}

}  // namespace tilewright::script
