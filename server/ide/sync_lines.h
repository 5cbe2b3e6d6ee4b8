// Statements that synchronise, as a script of a release could write them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "compiler/text/dialect.h"
#include "server/ide/logical_lines.h"

namespace tilewright::ide {

// One statement or several, that follow each other.
using SyncLines = std::vector<std::string>;

// The calls that a hint says to write, where it says all of their arguments: "put T.cuda.cta_sync() between them".
std::vector<SyncLines> lines_of_hint(std::string_view hint);
// Those that are usual for the finding's code, the likeliest first; then all others that need no arguments.
std::vector<SyncLines> usual_lines(std::string_view code, text::Dialect release);
struct RankedLines {
  SyncLines lines;
  bool meant = false;  // they are about a barrier that the finding is about
};
// Waits, arrivals and announcements at the barriers that the lines name, those first that are meant. `near`: where the
// finding and its places stand; `message`: of the finding, whose numbers of bytes may have to be announced.
std::vector<RankedLines> barrier_lines(std::string_view text, const std::vector<LogicalLine>& lines,
                                       const std::vector<std::uint32_t>& near, std::string_view message,
                                       text::Dialect release);

// The operation that a callee names, without the words of its modifiers: "init" of "T.ptx.mbarrier.init.shared.b64".
std::string_view operation_of(std::string_view callee);

// An argument of a call that synchronises.
struct SyncArgument {
  std::string_view callee;  // "T.ptx.mbarrier.init"
  std::string_view text;    // "(1) + 1"
  std::uint32_t at = 0;     // its first byte in the script
  std::size_t index = 0;
  std::string_view keyword;  // empty: by position
};
// Does a callee initialise a barrier: "ready.init", "T.ptx.mbarrier.init.shared.b64"?
bool initialises(std::string_view callee);
std::vector<SyncArgument> sync_arguments(std::string_view text, const LogicalLine& line);

}  // namespace tilewright::ide
