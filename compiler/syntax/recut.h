// Where the top-level statements of a file begin, and what is needed to find them again after an edit.
//
// A statement is what the lines of a file make it, and a line is decided by the bytes that the scanner looked at. So
// what stands above the first statement whose bytes the edit touches is as it was, but for the statement right above
// it, which may have received another line. Below the edit the scanner needs to go on only until it begins a statement
// where one began before: from there on it would read the same bytes in the same state.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/syntax/cuts.h"
#include "compiler/syntax/lines.h"
#include "compiler/text/edit.h"

namespace tilewright::syntax {

// A statement that was found by scanning.
struct FoundStatement {
  Cuts::Cut cut;
  Extent at;
  bool faulty = false;  // the scanner found something wrong with it, so that the parser need not try
};

// How the statements of a text come out of those before an edit: the first `kept` stand where they stood, those from
// `moved` on stand where the edit moved them to, and `found` stand between.
struct Recut {
  std::size_t kept = 0, moved = 0;
  std::vector<FoundStatement> found;
  std::uint32_t begin = 0, end = 0;  // the bytes of the text that were scanned
  std::vector<Extent> comments;      // `# tilewright: ...` among them
  std::uint64_t rescanned = 0;       // as in Cuts, of the whole text
};

// Is there something wrong with the lines of a statement, so that the parser need not try? Also where blocks lie too
// deep in each other: a parser that gives up on them takes its time first. `has_faults`: the scan found any faults at
// all.
bool is_faulty(std::span<const Line> lines, bool has_faults);

// `before`: the statements of the text before the edit; empty for a text that is new.
Recut recut(const Cuts& before, std::string_view text, const text::Edit& edit);

}  // namespace tilewright::syntax
