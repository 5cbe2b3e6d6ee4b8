// What the compiler says about a script: one cause, one diagnostic, on the exact token.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/text/span.h"
#include "compiler/text/words.h"

namespace tilewright::text {

enum class Severity { Error, Warning, Information, Hint };
inline constexpr auto kSeverityWords = words_of<Severity>({"error", "warning", "information", "hint"});

struct Related {
  Span span;
  std::string message;
};

// An edit that fixes the cause. Empty if no edit is certain to be right.
struct Fix {
  enum class Kind : std::uint8_t {
    None,
    Replace,    // what the diagnostic's span covers becomes `text`
    OneLane,    // the statement at the span goes below a test that elects one lane
    LineAbove,  // `text` becomes a line above the top-level statement around the span
  };
  Kind kind = Kind::None;
  std::string title{};  // what an editor offers: "Guard with one elected lane"
  std::string text{};
};

struct Diagnostic {
  std::string_view code;  // "TW1203", a literal from codes.h; `tilewright explain CODE` says what it means
  Severity severity = Severity::Error;
  std::string message;
  Span span;
  std::vector<Related> related;
  std::string hint;         // the way out, when one is known
  std::vector<Span> chain;  // call sites that led here, outermost first; empty when `span` is in the kernel itself
  Fix fix{};
  bool fails = false;  // an error from the start: something is not made, and nothing silences or lowers it
};

}  // namespace tilewright::text
