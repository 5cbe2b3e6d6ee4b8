// What the compiler says about a script: one cause, one diagnostic, on the exact token.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "compiler/text/span.h"

namespace tilewright::text {

enum class Severity { Error, Warning, Information, Hint };

struct Related {
  Span span;
  std::string message;
};

struct Diagnostic {
  std::string_view code;  // "TW1203", a literal from codes.h; `tilewright explain CODE` says what it means
  Severity severity = Severity::Error;
  std::string message;
  Span span;
  std::vector<Related> related;
  std::string hint;         // the way out, when one is known
  std::vector<Span> chain;  // call sites that led here, outermost first; empty when `span` is in the kernel itself
};

}  // namespace tilewright::text
