// Columns within lines of a megabyte: marks on the way, so that none is counted from the line's beginning.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/text/position.h"

namespace tilewright::text {

class LongLines {
 public:
  // A place in a line where a character begins, and its column in each encoding.
  struct Mark {
    std::uint32_t offset = 0;  // in bytes, in the text
    std::array<std::uint32_t, 3> columns{};
    std::uint32_t column(Encoding encoding) const { return columns[static_cast<std::size_t>(encoding)]; }
  };

  LongLines() = default;
  // `lines`: the offset of each line's first byte.
  LongLines(std::string_view text, std::span<const std::uint32_t> lines);

  // The last mark that is not behind `offset`, of the line that begins at `begin`; the line's beginning where there is
  // none.
  Mark before(std::uint32_t begin, std::uint32_t offset) const;
  // The same by column.
  Mark before(std::uint32_t begin, std::uint32_t column, Encoding encoding) const;

 private:
  std::span<const Mark> of_line(std::uint32_t begin) const;
  struct Line {
    std::uint32_t begin;
    std::uint32_t first;  // of its marks
  };
  std::vector<Line> lines_;  // those of more than kStep bytes
  std::vector<Mark> marks_;
};

}  // namespace tilewright::text
