// A kernel from its first line to its last, and what the evaluator asks of the one under construction.
#include "compiler/script/traced/kernel.h"

#include <utility>

#include "compiler/ir/origin.h"
#include "compiler/script/body/kernel_body.h"
#include "compiler/script/interpreter.h"
#include "compiler/script/mode_guard.h"
#include "compiler/script/tirx/tirx.h"
#include "compiler/script/tvm_tirx/package.h"
#include "compiler/text/symbol.h"

namespace tilewright::script {

bool Interpreter::require_kernel(text::Span span, std::string_view what) {
  if (kernel_) return true;
  fail(code::kOutside, span, std::string(what) + " belongs into the body of a kernel",
       "decorate the function with @T.prim_func");
  return false;
}

void Interpreter::of_another_target(text::Span span, std::string_view hardware) {
  const text::Span kernel = kernel_ ? kernel_->name_span() : span;
  if (std::ranges::none_of(foreign_, [&](const Foreign& f) { return f.kernel == kernel; })) {
    foreign_.push_back({kernel, hardware});
  }
  fail({}, span, {});
}

// A fraction that a store drops is said, with the place that made the target one of integers.
void Interpreter::truncates(const ir::Buffer* buffer, ir::Expr value, text::Span span) {
  if (!value.dtype().is_float() || !buffer->dtype.is_integral() || buffer->dtype.is_bool()) return;
  const std::string from = ir::dtype_name(value.dtype()), to = ir::dtype_name(buffer->dtype);
  // A nameless local of a traced kernel says no name to begin with.
  const std::string_view own = ir::spoken_name(*buffer);
  const std::string name(own.empty() ? "what is stored to" : own);
  text::Diagnostic d;
  d.code = code::kTruncation;
  d.severity = text::Severity::Warning;
  d.message = name + " is " + to + ", and this stores " + from + ": the fraction is dropped";
  d.span = stored_at(span);
  d.hint = buffer->is_scalar && !own.empty()
               ? "begin with " + name + ": T." + from + " = 0, or write T." + to + "(...) where it is meant"
               : "write T." + to + "(...) where it is meant";
  if (buffer->span && !(buffer->span == span)) d.related.push_back({buffer->span, name + " is made here, as " + to});
  d.chain = ir::call_chain(chain_);
  context_.report(std::move(d));
}

bool Interpreter::emit_store(const ir::Buffer* buffer, std::span<const ir::Expr> indices, ir::Expr value,
                             text::Span span) {
  const int lanes = buffer->dtype.lanes * (indices.empty() ? 1 : indices.back().dtype().lanes);
  if (value.dtype().lanes == 1 && lanes > 1) {
    const text::Span at = stored_at(span);
    const std::string value_text(written(at));
    fail(code::kType, at,
         "a store into a slice takes a vector: this is 1 value, the target has " + std::to_string(lanes) +
             " elements of " + std::string(ir::spoken_name(*buffer)),
         "write T.broadcast(" + (value_text.find('\n') == value_text.npos ? value_text : "...") + ", " +
             std::to_string(lanes) + ")");
    return false;
  }
  truncates(buffer, value, span);
  auto made = kernel_->store(origin(span), buffer, indices, value);
  if (!made) fail(std::move(made.error()), stored_at(span));
  return made.has_value();
}

bool Interpreter::emit_store(const ir::Buffer* scalar, ir::Expr value, text::Span span) {
  ir::Expr zero = ir::int_imm(ir::kInt32, 0);
  return emit_store(scalar, {&zero, 1}, value, span);
}

void Interpreter::name_value(Value v, std::string_view name, std::string_view path) {
  auto name_buffer = [&](const ir::Buffer* b) {
    if (b->name.empty()) drafts_->name(b, name, path);
  };
  if (v.is_expr()) {
    if (const auto* l = v.as_expr().as<ir::Load>(); l && ir::is_one_element(*l->buffer)) name_buffer(l->buffer);
    if (const auto* var = v.as_expr().as<ir::Var>(); var && var->name.empty()) drafts_->name(var, name);
    return;
  }
  if (!v.is_object()) return;
  // What is part of a value is called after it, and reached through it: `st_stage` is `st.stage`.
  auto part = [&](Value item, std::string_view suffix, std::string_view before, std::string_view after) {
    std::string child(name), way(path.empty() ? name : path);
    child.append("_").append(suffix);
    name_value(item, child, way.append(before).append(suffix).append(after));
  };
  // A value in a value a thousand times makes long names, and a shared one makes them again.
  if (budget_.is_too_deep()) return;
  budget_.spend(1 + path.size() / 16);
  if (budget_.is_exceeded()) return;
  budget_.descend(1);
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
  budget_.leave(1);
}

Flow Interpreter::exec_script(syntax::Stmts body, Scope* scope) { return KernelBody(*this).run(body, scope); }

Flow Interpreter::run_body(Function* f, const Arguments* constexprs) {
  if (f->mode == FunctionMode::Traced) return trace_kernel(*this, f, *constexprs);
  if (is_package_function(*f)) begin_package_kernel(*this);
  Scope* scope = make<Scope>();
  scope->parent = f->closure;
  scope->kind = Scope::Kind::Function;
  scope->is_kernel = true;
  Flow flow = Flow::Normal;
  if (!bind_kernel_parameters(*this, f, constexprs, scope)) {
    kernel_->failed = true;
    if (!report_pending()) flow = Flow::Error;
    for (const syntax::Parameter& p : f->def->params) {
      if (!scope->find(p.name)) scope->set(p.name, Value::poison());
    }
  }
  Scope* outer_script_scope = script_scope_;
  if (flow == Flow::Normal) flow = exec_script(f->def->body, scope);
  script_scope_ = outer_script_scope;
  return flow;
}

Flow Interpreter::run_kernel(Function* f, const Arguments* constexprs) {
  Flow flow = run_body(f, constexprs);
  if (flow == Flow::Error && errors_.pending && errors_.pending->unwinds && report_pending()) flow = Flow::Normal;
  kernel_->finish(origin(span(f->def->name.at)));
  if (flow == Flow::Error) {
    kernel_->failed = true;
    return flow;
  }
  if (auto bound = kernel_->bind_launch(kernel_->failed); !bound) {
    fail(std::move(bound.error()), span(f->def->name.at));
    kernel_->failed = true;
    if (!report_pending()) flow = Flow::Error;
  }
  return flow;
}

Value Interpreter::evaluate_kernel_now(Function* f, const Arguments* constexprs, bool is_private, bool persistent) {
  KernelValue* value = make<KernelValue>();
  value->source = f;
  value->def_anchor = f->anchor;
  auto store = std::make_shared<Store>();
  store->outer = store_;
  std::shared_ptr<Store> outer_store = std::exchange(store_, store);
  ir::Kernel& kernel = value->kernel;
  kernel.arena = std::shared_ptr<Arena>(store, &store->arena);
  ArenaScope arena(store->arena);
  ModeGuard guard(*this);
  guard.enter(true, f->anchor, f->keep);

  KernelState state(kernel, drafts_);
  drafts_ = &state.drafts();
  KernelState* outer = std::exchange(kernel_, &state);
  std::vector<Arrivals*> outer_arrivals = std::exchange(arrivals_, {});  // its statements recover by themselves
  const ir::CallSite* outer_chain = std::exchange(chain_, nullptr);

  state.set_name(f->def->name.text);
  kernel.target = target_;
  kernel.target_choice = find_target_ ? ir::TargetChoice::Preferred : ir::TargetChoice::Fixed;
  kernel.dialect = dialect_;
  kernel.is_private = is_private;
  kernel.span = span(f->def->name.at);
  if (persistent) state.set_attribute("tirx.persistent_kernel", ir::bool_imm(true));

  Flow flow = run_kernel(f, constexprs);
  if (state.target) {
    kernel.target = *state.target;
    kernel.target_choice = ir::TargetChoice::Fixed;
  }
  if (state.traced && !state.failed && flow != Flow::Error) finish_traced(*this, kernel);
  // Python takes letters of any language, and the body may have given it another name.
  if (auto why = text::why_no_symbol(kernel.name); why && !state.failed && !errors_.pending) {
    state.failed = true;
    warn(code::kSymbol, kernel.span, "the name of a kernel is an identifier in ASCII: " + *why,
         "add T.func_attr({\"global_symbol\": \"name\"}), or rename the function", text::Severity::Error);
  }

  value->failed = state.failed;
  heap_.count(kernel.arena->bytes());
  kernel_ = outer;
  arrivals_ = std::move(outer_arrivals);
  chain_ = outer_chain;
  drafts_ = state.drafts().outer();  // from here on the kernel's nodes are final
  store_ = std::move(outer_store);
  if (flow == Flow::Error && errors_.pending) return Value::error();  // fatal: everything stops
  kernels_.push_back(value);
  return Value::object(value);
}

}  // namespace tilewright::script
