// The two regions of a copy, and the tests that every copy variant shares (dispatch.md 7.1, 7.2, 7.4).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "compiler/dispatch/variant.h"

namespace tilewright::dispatch {

// A region under its buffer's layout: the strided part, canonical with thread axes fused, where it starts in the
// storage, and the swizzle to apply to the sum.
struct Window {
  layout::TileLayout tile;  // without offset
  layout::Offsets offset;   // the layout's own and the region's start
  std::optional<layout::Swizzle> swizzle;

  layout::Dim start() const { return layout::offset_on(offset, layout::Axis::m); }
};
using WindowResult = std::expected<Window, Reason>;  // error: why the region is no such window

struct CopyOperands {
  ir::Region dst, src;
  Reason invalid;                        // of 7.1; empty: a valid copy
  bool only_types_differ = false;        // `invalid` for that alone, and the types have one width
  std::optional<std::int64_t> elements;  // of the region; nothing: an extent is not constant
  bool global_to_shared = false, shared_to_global = false;
  bool local_shared = false, local_global = false;     // either direction
  int bits = 0;                                        // of one element in memory
  std::optional<WindowResult> dst_window, src_window;  // see window()

  const ir::Region& on(bool is_dst) const { return is_dst ? dst : src; }
};

// Worked out by the first variant that asks.
const CopyOperands& copy_operands(CallContext& context);

// The window of the destination or source, worked out once a call.
const WindowResult& window(CallContext& context, bool is_dst);
WindowResult window_of(const ir::Region& region);

// "A[0:32, 0:32]".
std::string region_text(const ir::Region& region);
std::string_view scope_text(const ir::Buffer& buffer);
// "source is global and destination shared".
std::string pair_words(const CopyOperands& operands);
// "source is global and destination shared; ldstmatrix moves local <-> shared".
Reason wrong_pair(const CopyOperands& operands, std::string_view expected);

// Offsets into a tensor of more than 2^31 elements are 64-bit: so is what they are made of.
ir::Expr widen_for(const ir::Buffer& buffer, ir::Expr index);

// Every iter on axis m with a constant extent, no replica: what address arithmetic can walk.
Reason not_plain(const Window& window, std::string_view buffer);
// Some stride of the layout as declared is known only at run time; empty: none.
Reason symbolic_pitch(const ir::Buffer& buffer);

}  // namespace tilewright::dispatch
