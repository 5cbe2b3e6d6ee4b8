// What has gone wrong while a script is evaluated: the exception on its way up, the calls that it is inside of, the
// statements of modules that could not be followed, and how far Python itself can be held to what is found.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/ir/origin.h"
#include "compiler/script/value.h"
#include "compiler/text/context.h"

namespace tilewright::script {

struct Pending {                        // the exception on its way up
  Value exception;                      // an Instance of an exception class; None for the interpreter's own errors
  std::string_view type = "TypeError";  // Python class name
  text::Diagnostic diagnostic;
  bool fatal = false;      // limits and cancellation: nothing recovers from it
  bool refused = false;    // Python would not run it either: a name that nothing binds, a module that lacks one
  bool certain = false;    // Python raises it, too: nothing that is not known led to it
  bool of_python = false;  // Python raises it, too, where it comes here with these values
  bool unwinds = false;    // too deep: the statements of a kernel do not recover from it, the kernel does
  std::vector<const Function*> through{};  // the functions that it left
  std::vector<Value> given{};              // what they were given and may have changed
};

// A statement of a module that could not be followed; its names are opaque.
struct Failure {
  const syntax::Node* statement;
  Pending pending;
};

// A call of a host function under way.
struct HostCall {
  text::Span at;
  std::string_view function;
};

struct Errors {
  std::optional<Pending> pending;
  std::vector<Failure> failures;
  std::vector<HostCall> calls;  // outermost first
  std::uint64_t assumed = 0;    // how often what is not known was taken for something

  // Records an error unless one is pending: the first cause is the one to report. Returns whether it was recorded.
  bool raise(text::Diagnostic diagnostic, std::string_view python_type);
  // What is pending is fatal from here on.
  void make_fatal() { pending->fatal = true; }
  // What is pending is an exception of Python's, and not a thing that is not known here.
  void make_certain() {
    if (!pending) return;
    pending->certain = assumed == 0;
    pending->of_python = true;
  }
  // Nothing is pending afterwards.
  Pending take();
  // Reports what is pending and clears it, unless it is fatal. False: it is.
  bool report(const text::Context& context);
  // The calls under way, innermost first; of a deep recursion its two ends.
  std::vector<text::Related> called_from() const;
};

// The calls of the kernel under construction that led there; of a deep recursion the two ends.
std::vector<text::Span> short_chain(const ir::CallSite* innermost);

}  // namespace tilewright::script
