// The XOR permutation of an address (layout.md 6).
//
// Written over the quotient q = x >> M: bits [A, A+B) of q are XORed into bits [0, B), or the other way round. The
// groups do not overlap (A >= B), so applying it twice gives x back, and multiples of the period 2^(M+B+A) pass by.
#include "compiler/expr/fold.h"
#include "compiler/layout/detail.h"

namespace tilewright::layout {

std::int64_t Swizzle::apply(std::int64_t x) const {
  std::int64_t q = x >> per_element;
  std::int64_t low = x - (q << per_element);
  std::int64_t mask = (std::int64_t{1} << swizzle_len) - 1;
  q ^= inner ? (q >> atom_len) & mask : (q & mask) << atom_len;
  return q * chunk() + low;
}

expr::Expr Swizzle::apply(expr::Expr x) const {
  if (swizzle_len == 0) return x;
  auto number = [&](std::int64_t v) { return expr::int_imm(x.dtype(), v); };
  expr::Expr q = expr::floordiv(x, number(chunk()));
  expr::Expr low = expr::floormod(x, number(chunk()));
  expr::Expr len = number(std::int64_t{1} << swizzle_len), distance = number(std::int64_t{1} << atom_len);
  expr::Expr bits =
      inner ? expr::floormod(expr::floordiv(q, distance), len) : expr::mul(expr::floormod(q, len), distance);
  return expr::add(expr::mul(expr::binary(expr::ExprKind::BitXor, q, bits), number(chunk())), low);
}

Result<Layout> make_swizzle(int per_element, int swizzle_len, int atom_len, bool inner) {
  auto text = [&] {
    return "swizzle (" + std::to_string(per_element) + ", " + std::to_string(swizzle_len) + ", " +
           std::to_string(atom_len) + ")";
  };
  if (per_element < 0 || swizzle_len < 0 || atom_len < swizzle_len)
    return std::unexpected(
        Error{text() + ": per_element >= 0, swizzle_len >= 0 and atom_len >= swizzle_len are needed"});
  // Beyond any memory; the bound keeps shifts of 64-bit addresses defined. Each field on its own first: sums may wrap.
  if (per_element > 48 || atom_len > 48 || per_element + swizzle_len + atom_len > 48)
    return std::unexpected(Error{text() + ": the period exceeds 2^48 elements"});
  return Layout{Swizzle{per_element, swizzle_len, atom_len, inner}, std::nullopt};
}

Result<Layout> compose(const Layout& swizzle, const Layout& tile) {
  if (!swizzle.is_bare_swizzle()) return detail::fail("compose: the first part is a swizzle", swizzle);
  if (!tile.is_tile()) return detail::fail("compose: the second part is a tile layout", tile);
  if (auto fine = verify_well_formed(tile); !fine) return std::unexpected(fine.error());
  return Layout{swizzle.swizzle, tile.tile};
}

Layout row_major(ShapeView shape) {
  TileLayout tile;
  tile.shard.resize(shape.size());
  Dim stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    tile.shard[d] = {shape[d], stride, Axis::m};
    if (d > 0) stride = stride * shape[d];
  }
  return detail::plain(std::move(tile));
}

}  // namespace tilewright::layout
