// Tile layouts: which hardware coordinates hold the element of a logical index (spec: layout.md).
//
// A layout is a tile part (strided iters over named axes), a swizzle (an XOR permutation of one linear address), or
// both composed, tile first. Extents, strides and offsets are `Dim`s: integers nearly always, symbolic where a buffer's
// extents are. Layouts are values; every operation returns a new one. Where layout.md's Notes (N1-N23) mark the
// reference as defective, the required behaviour is implemented.
#pragma once
#include <array>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/expr/expr.h"

namespace tilewright::layout {

// An integer that is usually known. Arithmetic on two constants stays here; otherwise it builds (simplified)
// expressions in the ambient arena.
class Dim {
 public:
  Dim() = default;
  Dim(std::int64_t value) : value_(value) {}  // NOLINT: extents are written as numbers
  Dim(int value) : value_(value) {}           // NOLINT
  explicit Dim(expr::Expr e);                 // a constant expression becomes a constant

  bool is_constant() const { return !symbol_; }
  std::int64_t value() const { return value_; }  // only for constants
  expr::Expr expr() const;                       // as an expression (int32 constants)
  bool is(std::int64_t v) const { return !symbol_ && value_ == v; }

 private:
  std::int64_t value_ = 0;
  expr::Expr symbol_;
};
// Constants that leave int64 stay at its end, so that absurd extents match no shape. Division by zero gives zero.
inline Dim operator+(Dim a, Dim b);
inline Dim operator-(Dim a, Dim b);
inline Dim operator*(Dim a, Dim b);
inline Dim floordiv(Dim a, Dim b);
inline Dim floormod(Dim a, Dim b);
inline bool provably_equal(Dim a, Dim b);
inline bool provably_divisible(Dim a, Dim b);
inline bool provably_less_equal(Dim a, Dim b);
std::string to_string(Dim d);

// The registered axes (layout.md 2). Unknown names are refused when a layout is built (N16).
enum class Axis : std::uint8_t {
  bx,
  by,
  bz,
  cbx,
  cby,
  cbz,
  wgid,
  warpid,
  tx,
  wid_in_wg,
  tid_in_wg,
  laneid,  // thread axes, in this order
  m,
  TLane,
  TCol,
  P,
  F,
  Bank,  // memory axes
};
inline constexpr int kAxisCount = 18;
// Wide to narrow.
enum class Unit : std::uint8_t { Kernel, Cluster, Cta, Warpgroup, Warp, Thread };

std::string_view axis_name(Axis axis);
std::optional<Axis> parse_axis(std::string_view name);
inline bool is_thread_axis(Axis axis) { return axis < Axis::m; }
inline bool is_memory_axis(Axis axis) { return axis >= Axis::m; }
// Unit that a thread axis counts, and the one inside which it counts.
Unit axis_subscope(Axis axis);
Unit axis_scope(Axis axis);
std::string_view unit_name(Unit unit);

struct Iter {
  Dim extent = 1;
  Dim stride = 1;
  Axis axis = Axis::m;
};
bool same(const Iter& a, const Iter& b);

using Iters = std::vector<Iter>;
// One value an axis, sorted by axis.
using Offsets = std::vector<std::pair<Axis, Dim>>;

struct TileLayout {
  Iters shard;
  Iters replica;
  Offsets offset;
};

// Calls f(dim) for every extent, stride and offset; `tile` is a TileLayout, constant or not.
template <class Tile, class F>
void for_each_dim(Tile& tile, F&& f) {
  for (auto* iters : {&tile.shard, &tile.replica}) {
    for (auto& iter : *iters) {
      f(iter.extent);
      f(iter.stride);
    }
  }
  for (auto& [axis, value] : tile.offset) f(value);
}

struct Swizzle {
  int per_element = 0;  // M: 2^M consecutive elements stay together
  int swizzle_len = 0;  // B: bits that are XORed
  int atom_len = 0;     // A >= B: distance of the two bit groups
  bool inner = true;    // high bits are XORed down; false: low bits up

  std::int64_t apply(std::int64_t x) const;
  expr::Expr apply(expr::Expr x) const;
  std::int64_t chunk() const { return std::int64_t{1} << per_element; }
  std::int64_t period() const { return std::int64_t{1} << (per_element + swizzle_len + atom_len); }
  friend bool operator==(const Swizzle&, const Swizzle&) = default;
};

struct Layout {
  std::optional<Swizzle> swizzle;
  std::optional<TileLayout> tile;  // absent: a bare swizzle, identity below it

  bool is_tile() const { return tile && !swizzle; }
  bool is_bare_swizzle() const { return swizzle && !tile; }
  bool is_compose() const { return swizzle && tile; }
};

// Why an operation is impossible: what, with the layout and the shape in the text.
struct Error {
  std::string message;
};
template <class T>
using Result = std::expected<T, Error>;
using Shape = std::vector<Dim>;
using ShapeView = std::span<const Dim>;

// Whether canonical forms may fuse thread axes (table 2.1): yes once a CUDA target is known.
enum class Fusion : bool { Off, Cuda };

// ---- construction ----------------------------------------------------------------------------------------------
Layout row_major(ShapeView shape);  // S[shape]
Result<Layout> make_swizzle(int per_element, int swizzle_len, int atom_len, bool inner = true);
Result<Layout> compose(const Layout& swizzle, const Layout& tile);
// Adds `value` to the offset of `axis`.
void add_offset(Offsets& offsets, Axis axis, Dim value);
Dim offset_on(const Offsets& offsets, Axis axis);

// ---- reading ---------------------------------------------------------------------------------------------------
Dim size(const Layout& l);
Result<Dim> size(const Layout& l, Axis axis);
Dim span(const Layout& l);
Result<Dim> span(const Layout& l, Axis axis);
// Elements that an allocation under this layout takes for a buffer of `elements` elements (section 8 with N10).
Result<Dim> allocation_elements(const Layout& l, Dim elements);
// (innermost subscope, outermost scope) of the thread axes; nothing without any in the shard or replica (N22).
Result<std::optional<std::pair<Unit, Unit>>> scope_of(const Layout& l);
bool is_trivial(const Layout& l);
bool is_swizzle(const Layout& l);             // bare swizzle only
bool has_thread_axis(const Layout& l);        // in shard or replica (N22)
bool same(const Layout& a, const Layout& b);  // structural, 5.11
// A buffer of this shape can have this layout: the element counts do not provably differ (N17; any shape suits a bare
// swizzle), and no extent is negative (N23).
Result<void> check_shape(const Layout& l, ShapeView shape);
// No extent is negative, strides and offsets are not negative constants (N23), thread axes fit together (5.3).
Result<void> verify_well_formed(const Layout& l);

// The coordinate on each axis, sorted by axis.
using Coordinates = std::vector<std::pair<Axis, expr::Expr>>;
using IntCoordinates = std::vector<std::pair<Axis, std::int64_t>>;
// A linear index.
Result<Coordinates> apply(const Layout& l, expr::Expr index);
Result<IntCoordinates> apply(const Layout& l, std::int64_t index);
// A coordinate in `shape`: split inside each dimension's own group where the layout groups by the shape.
Result<Coordinates> apply(const Layout& l, std::span<const expr::Expr> coordinate, ShapeView shape);
Result<IntCoordinates> apply(const Layout& l, std::span<const std::int64_t> coordinate, ShapeView shape);
// No shape, several coordinates: one a shard iter.
Result<Coordinates> apply_raw(const Layout& l, std::span<const expr::Expr> digits);
Result<std::vector<expr::Expr>> apply_to_shape(const Layout& l, std::span<const expr::Expr> coordinate,
                                               ShapeView shape);
// The value on axis m, zero when absent; an error when another axis occurs.
Result<expr::Expr> apply_m(const Layout& l, std::span<const expr::Expr> coordinate, ShapeView shape);

// ---- algebra (section 5) -------------------------------------------------------------------------------------
Result<Layout> canonicalize(const Layout& l, Fusion fusion = Fusion::Off);
struct Grouped {
  TileLayout layout;
  std::vector<std::size_t> separators;  // rank + 1; run d is shard[separators[d] .. separators[d+1])
};
Result<Grouped> group(const TileLayout& l, ShapeView shape);
Result<Layout> tile(const Layout& inner, const Layout& outer, ShapeView outer_shape, ShapeView inner_shape,
                    Fusion fusion = Fusion::Off);
Result<Layout> tile_to(const Layout& l, ShapeView to_shape, ShapeView current_shape, Fusion fusion = Fusion::Off);
Result<Layout> direct_sum(const Layout& right, const Layout& left, ShapeView left_shape, ShapeView right_shape,
                          Fusion fusion = Fusion::Off);
struct Range {
  Dim begin;
  Dim end;
};
// Nothing: the region is not one affine layout.
Result<std::optional<Layout>> slice(const Layout& l, ShapeView shape, std::span<const Range> region,
                                    Fusion fusion = Fusion::Off);
// As dispatch.md 7.8 needs it: without the layout's own offset, only what the region's start contributes.
Result<std::optional<Layout>> slice_relative(const Layout& l, ShapeView shape, std::span<const Range> region,
                                             Fusion fusion = Fusion::Off);
Result<std::optional<Layout>> is_tile_inner(const Layout& inner, const Layout& tiled, ShapeView tiled_shape,
                                            ShapeView inner_shape, Fusion fusion = Fusion::Off);
Result<std::optional<Layout>> is_tile_outer(const Layout& outer, const Layout& tiled, ShapeView tiled_shape,
                                            ShapeView outer_shape, Fusion fusion = Fusion::Off);
Result<std::optional<Layout>> is_direct_sum_right(const Layout& right, const Layout& sum, ShapeView interleaved_shape,
                                                  ShapeView right_shape, Fusion fusion = Fusion::Off);
Result<std::optional<Layout>> is_direct_sum_left(const Layout& left, const Layout& sum, ShapeView interleaved_shape,
                                                 ShapeView left_shape, Fusion fusion = Fusion::Off);
// An iter, replica or offset on a thread axis does not take part in the storage of one thread.
Layout storage(const Layout& l);
Result<Layout> pack(const Layout& l, std::int64_t n);
Result<Layout> unpack(const Layout& l, std::int64_t n);
Result<Layout> broadcast(const Layout& l, Dim n, int position = -1, Axis axis = Axis::m);
Result<Layout> permute_dims(const Layout& l, std::span<const int> permutation);
Result<Layout> permute_by_groups(const Layout& l, std::span<const std::size_t> separators,
                                 std::span<const int> permutation);

// ---- named helpers (sections 6 and 7), compiler/layout/named.cpp --------------------------------------------------
enum class SwizzleMode : std::uint8_t { None = 0, B32 = 1, B64 = 2, B128 = 3 };
Result<Layout> mma_atom_layout(expr::DataType dtype, SwizzleMode mode);
Result<Shape> mma_atom_shape(expr::DataType dtype, SwizzleMode mode, std::optional<ShapeView> shape = std::nullopt);
Result<Layout> mma_shared_layout(expr::DataType dtype, SwizzleMode mode, ShapeView shape);
std::optional<SwizzleMode> swizzle_mode_of(const Layout& l);
Layout wg_local_layout(std::int64_t columns, std::int64_t rows = 128);
Result<Layout> tmem_datapath_layout(std::string_view datapath, std::int64_t rows, std::int64_t columns);
Result<Layout> tcgen05_atom_layout(std::string_view shape, std::int64_t rows, std::int64_t columns,
                                   expr::DataType dtype);
Result<Layout> sf_tmem_layout(std::int64_t rows, std::int64_t sf_k, std::int64_t sf_per_mma, std::int64_t sf_reuse = 1,
                              std::optional<std::int64_t> pipe_depth = std::nullopt);
// gemm.md 5.4: scale factors in shared memory, as tcgen05.cp.32x128b.warpx4 reads them.
Result<Layout> sf_smem_layout(std::int64_t rows, std::int64_t sf_k, std::int64_t sf_per_mma, std::int64_t sf_reuse = 1,
                              std::optional<std::int64_t> pipe_depth = std::nullopt);
Result<Layout> trainium(std::string_view annotation, ShapeView shape, bool is_psum = false);
Result<Layout> to_psum(const Layout& l);
bool is_trainium(const Layout& l);  // only P, F and Bank among its memory axes, and one of them at least (N20)

// ---- text --------------------------------------------------------------------------------------------------------
// Printed form of section 3, with the prefix `T.`: parse(print(l)) is l.
std::string to_string(const Layout& l);
// Short form of the documents: S[(8,4):(4@laneid,1)], Z(3,3,3) o S[...]; for people and tests.
std::string to_short_string(const Layout& l);

// ---- constants stay inline ------------------------------------------------------------------------------------------
namespace detail {
Dim add(Dim a, Dim b);
Dim subtract(Dim a, Dim b);
Dim multiply(Dim a, Dim b);
Dim divide(Dim a, Dim b);
Dim remainder(Dim a, Dim b);
bool equal(Dim a, Dim b);
bool divisible(Dim a, Dim b);
bool less_equal(Dim a, Dim b);
inline bool constants(Dim a, Dim b) { return a.is_constant() && b.is_constant(); }
inline bool positive(Dim a, Dim b) { return constants(a, b) && a.value() >= 0 && b.value() > 0; }
}  // namespace detail

inline Dim operator+(Dim a, Dim b) {
  std::int64_t r;
  if (detail::constants(a, b) && !__builtin_add_overflow(a.value(), b.value(), &r)) return r;
  return detail::add(a, b);
}
inline Dim operator-(Dim a, Dim b) {
  std::int64_t r;
  if (detail::constants(a, b) && !__builtin_sub_overflow(a.value(), b.value(), &r)) return r;
  return detail::subtract(a, b);
}
inline Dim operator*(Dim a, Dim b) {
  std::int64_t r;
  if (detail::constants(a, b) && !__builtin_mul_overflow(a.value(), b.value(), &r)) return r;
  return detail::multiply(a, b);
}
inline Dim floordiv(Dim a, Dim b) { return detail::positive(a, b) ? Dim(a.value() / b.value()) : detail::divide(a, b); }
inline Dim floormod(Dim a, Dim b) {
  return detail::positive(a, b) ? Dim(a.value() % b.value()) : detail::remainder(a, b);
}
inline bool provably_equal(Dim a, Dim b) {
  return detail::constants(a, b) ? a.value() == b.value() : detail::equal(a, b);
}
// Nothing is divisible by zero.
inline bool provably_divisible(Dim a, Dim b) {
  return detail::positive(a, b) ? a.value() % b.value() == 0 : detail::divisible(a, b);
}
inline bool provably_less_equal(Dim a, Dim b) {
  return detail::constants(a, b) ? a.value() <= b.value() : detail::less_equal(a, b);
}

}  // namespace tilewright::layout
