// Limits: steps, memory, depth, the size of expressions and of kernels.
#include "compiler/script/interpreter.h"
#include "compiler/script/much_memory.h"
#include "compiler/script/worlds.h"

namespace tilewright::script {
namespace {

constexpr std::size_t kMuchMemory = 16 << 20;
thread_local MuchMemory* innermost = nullptr;

}  // namespace

MuchMemory::MuchMemory(std::function<void()> then) : then_(std::move(then)), outer_(std::exchange(innermost, this)) {}

MuchMemory::~MuchMemory() { innermost = outer_; }

void MuchMemory::held(std::size_t bytes) {
  if (bytes < kMuchMemory || !innermost || !innermost->then_) return;
  std::exchange(innermost->then_, nullptr)();
}

bool Interpreter::reserve(std::uint64_t bytes, text::Span span) {
  // The arena of a kernel and the objects of the script share one budget.
  if (budget_.has_room(heap_.bytes() + Arena::current().bytes(), bytes)) return true;
  fail(code::kLimit, span,
       "the script needs more than " + std::to_string(budget_.whole().memory_bytes >> 20) + " MB to evaluate",
       "look for data that grows without end, or raise the limit in tilewright.toml");
  errors_.make_fatal();
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
  budget_.spend(items);
  return step(at_) && enter(1, at_);
}

bool Interpreter::too_deep(text::Span span) {
  bool first = !errors_.pending;
  fail(code::kLimit, span, "evaluation is nested more than " + std::to_string(budget_.whole().depth) + " deep",
       "look for a recursion without an end", "RecursionError");
  if (first) errors_.pending->unwinds = true;
  return false;
}

bool Interpreter::is_within_limits(text::Span span) {
  if (errors_.pending) return false;
  if (is_large_kernel()) {
    fail(code::kLimit, span,
         "the kernel has more than " + std::to_string(builder::kMaxKernelNodes) + " parts of expressions",
         "use loops of the kernel instead of statements made one by one");
    errors_.make_fatal();
    return false;
  }
  if (budget_.is_spent()) {
    fail(code::kLimit, span, "the script takes more than " + std::to_string(budget_.whole().steps) + " steps",
         "look for a loop that does not end, or raise the limit in tilewright.toml");
    errors_.make_fatal();
    return false;
  }
  if (!reserve(0, span)) return false;
  MuchMemory::held(heap_.bytes());
  if (context_.stop.stop_requested()) {
    fail(code::kCancelled, span, "evaluation was cancelled");
    errors_.make_fatal();
    return false;
  }
  return true;
}

}  // namespace tilewright::script
