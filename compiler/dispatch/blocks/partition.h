// Sharing out a region between threads where neither side is a register (dispatch.md 8.1): [outer, threads, vec].
//
// The global side drives the walk: its iters are taken in the order of descending stride, so that consecutive threads
// touch consecutive addresses; the shared side is regrouped to follow.
#pragma once
#include "compiler/dispatch/blocks/iters.h"
#include "compiler/dispatch/blocks/width.h"

namespace tilewright::dispatch {

struct Partition {
  Walks global{}, shared{};  // both in the order of the walk; equal index, same element
  layout::Dim global_start{}, shared_start{};
  std::optional<layout::Swizzle> swizzle;  // of the shared side
  std::int64_t vec = 1;                    // elements that one access moves
  std::int64_t threads = 1;
  std::int64_t outer = 1;       // rounds
  std::optional<Walks> loop{};  // walks of the shared side that the round number runs over; nothing: not separable (X7)
};

// `widths`: candidates in bits, widest first. Error: no partition, in words.
std::expected<Partition, Reason> partition(const ir::Buffer& global, const Window& global_window,
                                           const ir::Buffer& shared, const Window& shared_window, std::int64_t elements,
                                           std::int64_t threads, int bits, std::span<const int> widths,
                                           bool with_one = true);

// Offset before the swizzle of round `f`, thread `t`, first element.
ir::Expr global_offset(const Partition& p, ir::Expr f, ir::Expr t);
ir::Expr shared_offset(const Partition& p, ir::Expr f, ir::Expr t);

}  // namespace tilewright::dispatch
