#include "compiler/script/errors.h"

#include <algorithm>

#include "compiler/script/codes.h"
#include "compiler/script/foreign.h"
#include "compiler/script/interpreter.h"

namespace tilewright::script {

std::vector<text::Span> short_chain(const ir::CallSite* innermost) {
  constexpr std::size_t kInner = 12, kOuter = 4;
  std::vector<text::Span> chain = ir::call_chain(innermost);
  if (chain.size() > kInner + kOuter) chain.erase(chain.begin() + kOuter, chain.end() - kInner);
  return chain;
}

bool Errors::raise(text::Diagnostic diagnostic, std::string_view python_type) {
  if (pending) return false;
  // Other kinds of errors may be ours alone: a method that is not known here, a conversion that is not followed.
  constexpr std::string_view kCertain[] = {"AssertionError", "IndexError", "KeyError", "SystemExit",
                                           "ZeroDivisionError"};
  Pending p;
  p.type = python_type;
  p.certain = assumed == 0 &&
              (diagnostic.code == code::kRaised || std::ranges::find(kCertain, python_type) != std::end(kCertain));
  p.diagnostic = std::move(diagnostic);
  pending = std::move(p);
  return true;
}

Pending Errors::take() {
  Pending p = std::move(*pending);
  pending.reset();
  return p;
}

bool Errors::report(const text::Context& context) {
  if (!pending) return true;
  // An error without a code came from a poisoned value: its cause has been reported already.
  if (!pending->diagnostic.code.empty()) context.report(pending->diagnostic);
  if (pending->fatal) return false;
  pending.reset();
  return true;
}

std::vector<text::Related> Errors::called_from() const {
  constexpr std::size_t kInner = 8, kOuter = 2;
  std::vector<text::Related> out;
  for (std::size_t i = calls.size(); i-- > 0;) {
    if (!calls[i].at) continue;
    if (calls.size() > kInner + kOuter && out.size() >= kInner && i >= kOuter) continue;
    out.push_back({calls[i].at, "called from here"});
  }
  return out;
}

// ---- the interpreter's own: with the kernel under construction and the text of the script ----

Value Interpreter::fail(std::string_view code, text::Span span, std::string message, std::string hint,
                        std::string_view python_type) {
  if (errors_.pending) return Value::error();
  if (code == code::kOpaque && kernel_) {  // of another language, "tl.dot"
    std::string foreign = foreign_hint(ForeignSpace::Any, path_at(written(span), 0), dialect_);
    if (!foreign.empty()) hint = std::move(foreign);
  }
  text::Diagnostic d{code, text::Severity::Error, std::move(message), span, {}, std::move(hint), {}};
  d.chain = short_chain(chain_);
  if (!kernel_) d.related = errors_.called_from();
  errors_.raise(std::move(d), python_type);
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
  if (Pending* p = errors_.pending ? &*errors_.pending : nullptr) {
    // A test that is skipped is no module that fails.
    const std::string_view why = exception.is_opaque() ? exception.why : "";
    if (why.find("unittest") != why.npos || why.find("pytest") != why.npos) p->certain = false;
    p->exception = exception;
    p->type = keep(type);
  }
  return Value::error();
}

bool Interpreter::report_pending() {
  if (errors_.pending && kernel_) kernel_->failed = true;
  return errors_.report(context_);
}

void Interpreter::warn(std::string_view code, text::Span span, std::string message, std::string hint,
                       text::Severity severity) {
  text::Diagnostic d{code, severity, std::move(message), span, {}, std::move(hint), {}};
  d.chain = short_chain(chain_);
  context_.report(std::move(d));
}

}  // namespace tilewright::script
