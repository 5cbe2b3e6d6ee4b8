// A thread's neighbouring elements of a tile whose elements are numbered row by row: how they are reached.
#pragma once
#include <span>
#include <vector>

#include "compiler/dispatch/variant.h"

namespace tilewright::dispatch {

enum class Reach : std::uint8_t {
  Vector,    // one access: the lanes are neighbours in memory and start on a multiple of their number
  Narrower,  // neighbours, but not so many, or not on such an address
  Lanes,     // each by itself: they lie apart, or nothing is known of their distance
};
// Of `v` lanes that start at a multiple of `v`, where `v` divides the last extent of the region.
Reach reach_of(const ir::Region& region, std::int64_t v);

// The indices into the region's buffer of element `x` of a tile with these extents; dimensions that the region lacks or
// has only one of repeat it. `lane`: so many further along the last dimension.
std::vector<ir::Expr> element_index(const ir::Region& region, std::span<const std::int64_t> extents, ir::Expr x,
                                    ir::Expr lane);

// A buffer of `v` elements in registers, of the type of `like`.
const ir::Buffer* local_lanes(const ir::Buffer* like, std::int64_t v);
// The lanes that start at element `x` into the registers, and back.
void load_lanes(CallContext& context, ir::BodyBuilder& out, const ir::Region& region,
                std::span<const std::int64_t> extents, ir::Expr x, const ir::Buffer* lanes, Reach reach);
void store_lanes(CallContext& context, ir::BodyBuilder& out, const ir::Region& region,
                 std::span<const std::int64_t> extents, ir::Expr x, const ir::Buffer* lanes, Reach reach);

}  // namespace tilewright::dispatch
