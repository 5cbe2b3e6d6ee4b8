// What fixes a finding: edits where something else was written than was meant.
//
// An edit that is spelled out by a finding (text::Fix) is not here: it comes with the finding. Here is what needs the
// script around it. What could be wrong is tried: the edit is made in a copy of the script, and offered where the
// finding is gone and nothing new has come.
#pragma once
#include <string>
#include <vector>

#include "compiler/text/diagnostic.h"
#include "server/ide/query.h"

namespace tilewright::ide {

struct QuickFix {
  std::string title;
  Stretch at;  // becomes `text`
  std::string text;
  bool preferred = false;
};

// A variable of the function around the place that `make` gave its value, as in `tid = T.thread_id([128])`; empty:
// none.
std::string variable_with(const Query& q, std::string_view make, std::uint32_t offset);
// Is the finding at `at` gone after the edit, and nothing new there?
bool holds(const Query& q, const text::Diagnostic& d, Stretch at, const session::Analysis& analysis,
           const QuickFix& fix);
// A name at `at` that nothing binds: the import that it needs, or the nearest name that is seen there.
std::vector<QuickFix> name_fixes(const Query& q, Stretch at);
// A tile primitive at `at` with the finding `d` about who calls it or which variant serves it: another scope, a guard,
// another variant. Each has been tried. Fewer after a stop.
std::vector<QuickFix> call_fixes(const Query& q, const text::Diagnostic& d, Stretch at,
                                 const session::Analysis& analysis);
// An architecture at `at` that does not exist: the nearest that the script's kernels can be compiled for.
std::vector<QuickFix> target_fixes(const Query& q, const text::Diagnostic& d, Stretch at,
                                   const session::Analysis& analysis);
// A subscript at `at` with a slice that ends behind its buffer: it ends with the buffer, or where another operand of
// the call does. Each has been tried.
std::vector<QuickFix> slice_fixes(const Query& q, const text::Diagnostic& d, Stretch at,
                                  const session::Analysis& analysis);

}  // namespace tilewright::ide
