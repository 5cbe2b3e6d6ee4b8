// Limits: steps, memory, depth, the size of expressions and of kernels.
#include "compiler/script/interpreter.h"
#include "compiler/script/worlds.h"

namespace tilewright::script {

bool Interpreter::reserve(std::uint64_t bytes, text::Span span) {
  // The arena of a kernel and the objects of the script share one budget.
  std::uint64_t limit = memory_limit_, used = heap_.bytes() + Arena::current().bytes();
  if (used <= limit && bytes <= limit - used) return true;
  fail(code::kLimit, span,
       "the script needs more than " + std::to_string(context_.limits.memory_bytes >> 20) + " MB to evaluate",
       "look for data that grows without end, or raise the limit in tilewright.toml");
  pending_->fatal = true;
  return false;
}

Value Interpreter::unknown_within(Value v) {
  std::size_t parts = 0;
  const Value found = script::unknown_within(v, parts);
  spend(16 * parts);  // containers that hold many others are looked into each time that they are a key
  return found;
}

Value Interpreter::weighed(Value v, text::Span span) {
  using builder::kMaxExpressionDepth, builder::kMaxExpressionNodes;
  builder::Weight w = (kernel_ ? kernel_->weights() : module_weights_).of(v.as_expr());
  if (w.nodes <= kMaxExpressionNodes && w.depth <= kMaxExpressionDepth) return v;
  bool deep = w.depth > kMaxExpressionDepth;
  return fail(
      code::kLimit, span,
      deep ? "the expression is nested more than " + std::to_string(kMaxExpressionDepth) + " deep"
           : "the expression has more than " + std::to_string(kMaxExpressionNodes) + " parts when it is written out",
      "keep parts of it in a variable: x: T.let = ...");
}

namespace {
// What a scope takes, with its first bindings.
constexpr std::size_t kScopeBytes = sizeof(Scope) + 160;
}  // namespace

Scope* Interpreter::begin_scope(Scope* parent, Scope::Kind kind) {
  Scope* scope = nullptr;
  if (free_scopes_.empty()) {
    const std::size_t before = heap_.bytes();
    scope = make<Scope>();
    heap_.reset(before);
  } else {
    scope = free_scopes_.back();
    free_scopes_.pop_back();
  }
  heap_.count(kScopeBytes);
  if (!scope->bindings.empty()) scope->reuse();  // a way that ended in it was gone back to
  scope->parent = parent;
  scope->kind = kind;
  return scope;
}

void Interpreter::end_scope(Scope* scope) {
  if (scope->is_held) return;
  scope->reuse();
  heap_.uncount(kScopeBytes);
  free_scopes_.push_back(scope);
}

bool Interpreter::enter_value(std::size_t items) {
  steps_ += items;
  return step(at_) && enter(1, at_);
}

bool Interpreter::enter(std::uint32_t levels, text::Span span) {
  depth_ += levels;
  if (depth_ <= context_.limits.depth) return true;
  depth_ -= levels;
  bool first = !pending_;
  fail(code::kLimit, span, "evaluation is nested more than " + std::to_string(context_.limits.depth) + " deep",
       "look for a recursion without an end", "RecursionError");
  if (first) pending_->unwinds = true;
  return false;
}

bool Interpreter::step(text::Span span) {
  ++steps_;
  const bool large_kernel = kernel_ && kernel_->nodes() > builder::kMaxKernelNodes;
  bool small = heap_.bytes() <= memory_limit_ && !large_kernel;
  if ((steps_ & 255) != 0 && steps_ < step_limit_ && small) return true;
  if (pending_) return false;
  if (large_kernel) {
    fail(code::kLimit, span,
         "the kernel has more than " + std::to_string(builder::kMaxKernelNodes) + " parts of expressions",
         "use loops of the kernel instead of statements made one by one");
    pending_->fatal = true;
    return false;
  }
  if (steps_ >= step_limit_) {
    fail(code::kLimit, span, "the script takes more than " + std::to_string(context_.limits.steps) + " steps",
         "look for a loop that does not end, or raise the limit in tilewright.toml");
    pending_->fatal = true;
    return false;
  }
  if (!reserve(0, span)) return false;
  if (context_.stop.stop_requested()) {
    fail(code::kCancelled, span, "evaluation was cancelled");
    pending_->fatal = true;
    return false;
  }
  return true;
}

}  // namespace tilewright::script
