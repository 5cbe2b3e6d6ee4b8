// Comments that silence what is found on their line: `# tilewright: ignore[TW3106]`, and for findings of the simulator
// `# tilewright: ignore[TW5020: reason]`.
//
// Advice about a kernel may be silenced without a word. A finding of the simulator says that the kernel can go wrong,
// so a reason has to be given; the finding stays in the record (Silenced), is counted, and keeps its kernel from
// counting as checked. An error of the language is silenced by nothing.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/syntax/tree.h"
#include "compiler/text/diagnostic.h"
#include "compiler/text/source.h"

namespace tilewright::session {

// One entry of `ignore[...]`; the reason is empty where none is given.
struct IgnoredCode {
  std::string_view code, reason;
};
// Those of a comment, as far as its bracket is closed. A reason ends before a comma that another code follows.
std::vector<IgnoredCode> ignored_codes(std::string_view directive);
// Where the bracket that opens at `open` is closed; npos: nowhere.
std::size_t closing_bracket(std::string_view text, std::size_t open);

// A finding of the simulator (TW50xx): it needs a reason to be silenced.
bool needs_reason(std::string_view code);

struct Silenced {
  text::Diagnostic diagnostic;
  std::string reason;
  bool by_comment = true;  // else by the settings
};

// The comment that names the diagnostic's code, or every code, on the line where it stands; of what lies in another
// file, on the line of the innermost call of the script that led there. Null: there is none.
const syntax::Directive* comment_about(const syntax::Tree& tree, const text::Diagnostic& d,
                                       const text::Anchors& anchors);

// Why a finding of the simulator is silenced by a comment; nullopt: it is not.
std::optional<std::string> reason_for(const syntax::Tree& tree, const text::Diagnostic& d,
                                      const text::Anchors& anchors);

}  // namespace tilewright::session
