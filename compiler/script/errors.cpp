// What goes wrong: raising, passing on, reporting.
#include <algorithm>

#include "compiler/ir/origin.h"
#include "compiler/script/foreign.h"
#include "compiler/script/interpreter.h"

namespace tilewright::script {

namespace {

// The calls that led here; of a deep recursion its two ends.
std::vector<text::Span> short_chain(const ir::CallSite* innermost) {
  constexpr std::size_t kInner = 12, kOuter = 4;
  std::vector<text::Span> chain = ir::call_chain(innermost);
  if (chain.size() > kInner + kOuter) chain.erase(chain.begin() + kOuter, chain.end() - kInner);
  return chain;
}

}  // namespace

Value Interpreter::fail(std::string_view code, text::Span span, std::string message, std::string hint,
                        std::string_view python_type) {
  if (pending_) return Value::error();     // the first cause is the one to report
  if (code == code::kOpaque && kernel_) {  // of another language, "tl.dot"
    std::string foreign = foreign_hint(ForeignSpace::Any, path_at(written(span), 0), dialect_);
    if (!foreign.empty()) hint = std::move(foreign);
  }
  Pending p;
  p.type = python_type;
  p.diagnostic = {code, text::Severity::Error, std::move(message), span, {}, std::move(hint), {}};
  p.diagnostic.chain = short_chain(chain_);
  // Other kinds of errors may be ours alone: a method that is not known here, a conversion that is not followed.
  constexpr std::string_view kCertain[] = {"AssertionError", "IndexError", "KeyError", "SystemExit",
                                           "ZeroDivisionError"};
  p.certain =
      assumed_ == 0 && (code == code::kRaised || std::ranges::find(kCertain, python_type) != std::end(kCertain));
  if (!kernel_) p.diagnostic.related = called_from();
  pending_ = std::move(p);
  return Value::error();
}

Value Interpreter::fail(builder::Refusal refusal, text::Span span) {
  return fail(refusal.code, refusal.span ? refusal.span : span, std::move(refusal.message), std::move(refusal.hint));
}

Value Interpreter::raise(Value exception, text::Span span) {
  std::string type = "Exception", message;
  if (Instance* instance = exception.as<Instance>()) {
    type = instance->cls->name;
    if (Value* args = instance->find("args")) {
      if (Tuple* t = args->as<Tuple>()) {
        for (Value v : t->items) message += (message.empty() ? "" : ", ") + str(v);
      }
    }
  } else if (Class* cls = exception.as<Class>()) {
    type = cls->name;
  } else if (exception.is_opaque() || exception.is_poison()) {
    type = "an exception";
  }
  fail(code::kRaised, span, message.empty() ? type : type + ": " + message, {}, "Exception");
  if (pending_) {
    // A test that is skipped is no module that fails.
    const std::string_view why = exception.is_opaque() ? exception.why : "";
    if (why.find("unittest") != why.npos || why.find("pytest") != why.npos) pending_->certain = false;
    pending_->exception = exception;
    pending_->type = keep(type);
  }
  return Value::error();
}

Pending Interpreter::take_pending() {
  Pending p = std::move(*pending_);
  pending_.reset();
  return p;
}

bool Interpreter::report_pending() {
  if (!pending_) return true;
  bool fatal = pending_->fatal;
  if (kernel_) kernel_->failed = true;
  // An error without a code came from a poisoned value: its cause has been reported already.
  if (!pending_->diagnostic.code.empty()) context_.report(pending_->diagnostic);
  if (!fatal) pending_.reset();
  return !fatal;
}

void Interpreter::warn(std::string_view code, text::Span span, std::string message, std::string hint,
                       text::Severity severity) {
  text::Diagnostic d{code, severity, std::move(message), span, {}, std::move(hint), {}};
  d.chain = short_chain(chain_);
  context_.report(std::move(d));
}

}  // namespace tilewright::script
