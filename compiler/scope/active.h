// Who runs: the active set of threads at a point of a kernel, and its split at a tile primitive (scope.md 5-7).
#pragma once
#include <array>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/stmt.h"

namespace tilewright::scope {

// The axes that an active set is a box over, and those of a call's split.
enum class ActiveAxis : std::uint8_t { laneid, warpid, cta_id, bx, by, bz, cbx, cby, cbz, wid_in_wg, wgid };
std::string_view axis_name(ActiveAxis axis);

// {offset + stride*i : 0 <= i < extent}; an elected lane has extent 1 and an offset that only the hardware knows.
struct ActiveRange {
  std::int64_t extent = 1;
  std::int64_t offset = 0;
  std::int64_t stride = 1;
  bool elected = false;
  friend bool operator==(const ActiveRange&, const ActiveRange&) = default;
};
struct AxisRange {
  ActiveAxis axis;
  ActiveRange range;
};
using Box = std::vector<AxisRange>;  // in the order of the tables of scope.md 7
const ActiveRange* find(const Box& box, ActiveAxis axis);

// A condition on the way to a call that could not be applied exactly to the active set (N5, N11).
struct Inexact {
  text::Span span;
  std::string term;          // as the script prints it
  ir::ExprKind reason_kind;  // informational
  bool provably_divergent = false;  // depends on a thread axis below: cooperative variants of a wider scope refuse
  layout::Unit unit = layout::Unit::Thread;  // finest unit it distinguishes
};

// What a tile primitive's variants see of the threads around it.
struct CallScope {
  ir::ExecScope kind = ir::ExecScope::Thread;
  bool tracked = true;  // false: symbolic or absent thread extents, both boxes empty
  Box inter;            // axes that enumerate independent instances
  Box intra;            // axes of the threads that cooperate in one instance
  std::vector<Inexact> inexact;
  std::string failure;  // N9: why the split is impossible ("active warps 2..5 cross a warpgroup boundary"); empty: none
};

// Extents of the launch, each one to three expressions padded with 1 (constants or host expressions).
struct Launch {
  std::array<ir::Expr, 3> grid, block, cluster, preferred;
  bool has_block = false, has_grid = false, has_cluster = false, has_preferred = false;
  // Product of the block extents when constant, else nothing.
  std::optional<std::int64_t> threads() const;
};

}  // namespace tilewright::scope
