// The layout under a cursor: of a buffer, of a region of one, or of a layout value; what a picture of it shows, and
// what the kernel's accesses of it cost in shared memory.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "compiler/layout/picture.h"
#include "compiler/lower/banks.h"
#include "server/ide/query.h"

namespace tilewright::ide {

struct LayoutAsked {
  layout::PictureOptions picture;  // its dtype_bits are found, not asked
  bool svg = false;
};

// An extent, a stride or an offset: a number, or the expression as text.
struct Extent {
  std::optional<std::int64_t> number;
  std::string text;
};

struct LayoutAt {
  enum class Kind { Buffer, Region, Layout };
  struct IterAt {
    Extent extent, stride;
    std::string_view axis;
  };
  // A statement of the kernel that touches the buffer.
  struct Access {
    text::Anchors::Place place;  // null source: nowhere that a reader could go to
    std::string what;            // "copy → gmem_smem", "element by element"
    bool reads = false, writes = false;
    std::optional<lower::BankAccess> worst;
    std::string unknown;  // why there is no `worst`
  };

  Kind kind = Kind::Layout;
  std::string name;  // as written; may be empty
  Stretch at;        // what it is about
  std::string printed, short_form, words;
  std::optional<layout::Swizzle> swizzle;
  std::vector<IterAt> shard, replica;
  std::vector<std::pair<std::string_view, Extent>> offset;
  std::vector<Extent> shape;
  int bits = 16;                                  // of an element; of a bare layout as if it were float16
  std::string dtype, scope;                       // of a buffer, else empty
  std::optional<std::int64_t> bytes;              // that a buffer takes
  std::vector<std::pair<Extent, Extent>> region;  // begin and extent in each dimension

  std::optional<layout::Grid> grid;
  std::string table, svg;             // of the grid; svg only where it was asked for
  std::string problem;                // why there is no grid
  std::vector<std::int64_t> holders;  // as layout::holders; empty: not known

  std::string entry, architecture;  // of the kernel that the accesses are from; empty: no kernel has the buffer
  std::vector<Access> accesses;     // in the order of the kernel
  std::size_t accesses_left_out = 0;
  // Keep what `accesses` point to.
  Script script;
  std::shared_ptr<const session::Analysis> analysis;
};
// Nothing: what stands there has no layout, or no entry of the script evaluates it.
Answer<std::optional<LayoutAt>> layout_at(const Query& q, std::uint32_t offset, const LayoutAsked& asked);
// Of a buffer of a compiled kernel, which the caller keeps: nothing points at it, so `at` stays empty.
LayoutAt layout_of(const session::Snapshot& script, const session::Compiled& compiled,
                   const session::CompiledKernel& kernel, const ir::Buffer& buffer, const LayoutAsked& asked);

}  // namespace tilewright::ide
