// The comments that speak to the compiler, `# tilewright: ...`, and what is wrong with those that say nothing.
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "compiler/syntax/tree.h"
#include "compiler/text/diagnostic.h"
#include "compiler/text/source.h"

namespace tilewright::session {

struct CommentWord {
  std::string_view word;     // "arch", "ignore"
  std::string_view example;  // "arch sm_90a"
  std::string_view form;     // what may follow: "ignore[CODE, ...]"; empty: it is read, and never offered
  std::string_view documentation;
};
// All words that such a comment may begin with.
std::span<const CommentWord> comment_words();

// The words of such a comment: with blanks, tabs or commas between them, before a further `#` that begins a remark.
std::vector<std::string_view> words_of_comment(std::string_view text);

// Findings at words without effect: a first word that is none of these, an architecture that does not exist, a
// code in ignore[...] that does not look like one.
std::vector<text::Diagnostic> misread_comments(const syntax::Tree& tree, text::Anchors& anchors);

}  // namespace tilewright::session
