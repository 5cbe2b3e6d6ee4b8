// The logical lines of a script's text: where a statement can be put.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "server/ide/query.h"

namespace tilewright::ide {

struct LogicalLine {
  std::uint32_t begin = 0, end = 0;  // from the first byte of its first line to behind its last line break
  std::uint32_t indent = 0;          // blanks before its text
  bool opens = false;                // a block follows: it ends with a colon
};

// Those in `range`, without empty lines and comments of their own.
std::vector<LogicalLine> logical_lines(std::string_view text, Stretch range);

// A place for a statement: a line of its own at `at`, so many blanks deep.
struct StatementPlace {
  std::uint32_t at = 0, indent = 0;
  friend auto operator<=>(const StatementPlace&, const StatementPlace&) = default;
};

// Where a statement can go, without changing to which block another belongs: nearest to the lines that `near` stand in,
// before them and after them, from their own block outward, then all others of the range.
std::vector<StatementPlace> statement_places(std::string_view text, const std::vector<LogicalLine>& lines,
                                             const std::vector<std::uint32_t>& near);

}  // namespace tilewright::ide
