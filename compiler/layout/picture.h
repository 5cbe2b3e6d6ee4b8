// Layouts to look at: who holds which element, at which address, and what a warp's access costs in shared memory.
//
// Used by `tilewright layout EXPR` and by hovers. Everything here is for people; nothing decides about code.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compiler/layout/layout.h"

namespace tilewright::layout {

struct PictureOptions {
  int dtype_bits = 16;      // of one element: decides the bank of an address
  std::int64_t rows = 128;  // shown at most; what is left out is said in words
  std::int64_t columns = 128;
  // Cells are labelled with threads and registers when the layout spreads over threads, with addresses otherwise.
  // Colours follow the labels unless asked otherwise; by bank, a table adds the bank to the address: "65:b0".
  enum class By : std::uint8_t { Auto, Thread, Bank } by = By::Auto;
  // Tensor memory has columns of 32 bits, which elements of fewer bits share: "L0:C5.2" is the third of column 5.
  // Otherwise an element counts as a column.
  bool shared_columns = false;
};

// One element of a picture. What a layout does not say is -1.
struct Cell {
  std::int64_t thread = -1;   // linear among the thread axes of the layout
  std::int64_t address = -1;  // on m: of a layout over threads the register, else the element in memory
  std::int64_t tmem_lane = -1, tmem_column = -1;  // of tensor memory
  std::int64_t tmem_part = -1;                    // of that column, where elements share it
  std::string other;                              // coordinates that are none of these
};
// "T3:r1", "65", "L0:C4", "L0:C1.0".
std::string label(const Cell& cell);
// The shared-memory bank of an element's address; there are 32, of 4 bytes.
std::int64_t bank_of(std::int64_t address, int dtype_bits);

// What both pictures show, row by row: the leading dimensions are flattened into rows.
struct Grid {
  std::int64_t rows = 1, columns = 1;              // of the whole shape
  std::int64_t shown_rows = 1, shown_columns = 1;  // of the picture
  std::vector<Cell> cells;                         // shown_rows * shown_columns
  bool threads = false;                            // coloured by owner, not by bank
  const Cell& at(std::int64_t r, std::int64_t c) const { return cells[r * shown_columns + c]; }
};
Result<Grid> picture_grid(const Layout& l, ShapeView shape, const PictureOptions& options = {});
// "showing 64 of 128 rows, 32 of 64 columns"; empty: everything is shown.
std::string left_out(const Grid& grid);

// Who else holds an element that thread t holds: t + each of these, of the layout's replica; {0}: no other. At most
// `most`. An error where an extent or stride is symbolic.
Result<std::vector<std::int64_t>> holders(const Layout& l, std::size_t most = 1024);

// A 1- or 2-dimensional shape (more dimensions: the leading ones are flattened into rows) as a table of
// "T3:r1" (thread 3, register 1), of addresses, or of coordinates on other axes. An error for symbolic layouts, and for
// a layout without threads, or without addresses, that is to be shown by them.
Result<std::string> text_table(const Layout& l, ShapeView shape, const PictureOptions& options = {});

// The same as a standalone SVG document. Cells are coloured by owner thread, or by shared-memory bank (32 banks of
// 4 bytes) for layouts that map to addresses.
Result<std::string> svg_picture(const Layout& l, ShapeView shape, const PictureOptions& options = {});

// What one warp instruction reads or writes: lane i starts at coordinates[i] and moves `access_bits` contiguous bits.
struct Access {
  std::vector<std::vector<std::int64_t>> coordinates;  // one a lane, 32 at most; fewer: the others are inactive
  int access_bits = 32;                                // 8, 16, 32, 64 or 128
  int dtype_bits = 16;
};

// How shared memory serves an access. 128-bit accesses go quarter-warp by quarter-warp, 64-bit ones by half-warps,
// narrower ones all at once; within such a phase a bank delivers one 4-byte word a cycle, to every lane that wants it.
// Two neighbouring phases are one where each lane of theirs shares its address with its neighbour i ^ 1, or each with i
// ^ 2. (Measured on an H100 by tests/gpu/beside_ncu.py with tests/gpu/bank_patterns.py.)
struct BankReport {
  struct Phase {
    int first_lane = 0;
    int lanes = 0;
    int degree = 0;          // most words that one bank must deliver: the wavefronts of this phase
    int bank = 0;            // the first such bank
    std::vector<int> words;  // distinct words of each of the 32 banks
  };
  std::vector<Phase> phases;
  int degree = 0;      // of the worst phase; 1: no conflicts, 0: no access
  int wavefronts = 0;  // of all phases together
  int ideal = 0;       // wavefronts without conflicts
};
Result<BankReport> bank_conflicts(const Layout& l, ShapeView shape, const Access& access);
// The same for lane i at bit address[i], a multiple of `access_bits`; an address below zero: the lane is inactive.
BankReport bank_conflicts(std::span<const std::int64_t> address, int access_bits);

}  // namespace tilewright::layout
