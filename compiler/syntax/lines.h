// Logical lines: where the statements of a text stand, found without a parser.
//
// A script is cut into its statements by a scanner that knows only what decides where a line ends: brackets, strings,
// comments and line joins. It is a pure function of the text and reads about a gigabyte a second, so it runs again
// over whatever an edit may have changed; only statements whose bytes are new are then parsed. What the scanner finds
// broken (a bracket that is not closed, a string without its end) it bounds to as few lines as it can, which keeps
// a half-typed line from spoiling its neighbours, whatever the parser would make of it.
//
// Between two lines it remembers nothing, so that after an edit it can begin above it, and may stop at the first line
// below that the scan before the edit found as well: from there on both say the same (recut.h).
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/syntax/ast.h"

namespace tilewright::syntax {

// What the first word of a line says about the statement's shape.
enum class Word : std::uint8_t {
  Other,
  Decorator,   // @
  Definition,  // def, class
  Async,       // async def, async for, async with
  Compound,    // if, for, while, with, try
  Clause,      // elif, else, except, finally
  Match,       // match ... :
  Closer,      // ) ] }
};

// What the scanner itself finds wrong with a line.
struct Fault {
  enum class Kind : std::uint8_t { UnclosedBracket, UnmatchedBracket, UnterminatedString, TooDeep } kind;
  Extent at;            // the bracket; the string from its quote to the end of its line
  std::string closers;  // appended to the line, these would complete it; empty: nothing at its end can
};

struct Line {
  std::uint32_t begin = 0;   // first byte of the first token
  std::uint32_t end = 0;     // after the last token; comments and a final `;` are not part of it
  std::uint32_t column = 0;  // indentation as Python counts it: tabs lead to multiples of 8
  Word word = Word::Other;
  bool joined = false;                      // stands behind a `;`: the same column as the line before
  bool ends_colon = false;                  // the last token is a `:`
  bool has_colon = false;                   // a `:` outside of brackets that is no lambda's
  std::optional<std::uint32_t> fault = {};  // index in LineScan::faults
  Extent stray = {};  // the first value that follows a value (`f(a b)`): likely the cause if the line cannot be read
  // Bytes up to here decided what the line is; the end of the text counts as one. Those behind it were not looked at.
  std::uint32_t reach = 0;
};

struct LineScan {
  std::vector<Line> lines;
  std::vector<Fault> faults;
  std::vector<Extent> comments;  // only those that begin with `# tilewright:`
  std::uint64_t rescanned = 0;   // bytes that were read in vain, for which there is a ration
};

// Brackets and f-string fields deeper than this are not parsed: CPython's own limit.
inline constexpr std::size_t kMaxBrackets = 200;

// `column`: that of the text's first byte, where it is a statement cut out of a deeper block.
LineScan scan_lines(std::string_view text, std::uint32_t column = 0);
// The same from `from` on, where a line of the file begins outside of every bracket and string. `enough` is asked
// after each line of the file that is no comment; true: the rest is not read.
LineScan scan_lines_from(std::string_view text, std::uint32_t from, const std::function<bool(const LineScan&)>& enough);
// Up to so many bytes read in vain the scan of a line depends on nothing before it.
inline constexpr std::uint64_t kFreeRescans = 65536;

// One statement: consecutive lines.
struct Piece {
  std::uint32_t first = 0, last = 0;                                                 // half-open range of lines
  enum class Indent : std::uint8_t { Fine, Deeper, Between } indent = Indent::Fine;  // Between: left of its block
};

// Blocks within blocks beyond which nothing is read: CPython's own limit of nested indentations.
inline constexpr std::size_t kMaxBlocks = 100;
// How many blocks lie within each other at most, the first line's own level counting none.
std::size_t nested_blocks(std::span<const Line> lines);

// Cuts the lines of a block into its statements. `column` is where the block's statements stand; `above` is the column
// of the statement above the first line, `column` if there is none.
std::vector<Piece> cut(std::span<const Line> lines, std::uint32_t column);
std::vector<Piece> cut(std::span<const Line> lines, std::uint32_t column, std::uint32_t above);

}  // namespace tilewright::syntax
