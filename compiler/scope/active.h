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
  std::string term;                 // as the script prints it
  ir::ExprKind reason_kind;         // informational
  bool provably_divergent = false;  // depends on a thread axis below: cooperative variants of a wider scope refuse
  layout::Unit unit = layout::Unit::Thread;  // finest unit it distinguishes
  bool never_true = false;                   // no active thread satisfies it: what it guards is dead
  bool elects = false;                       // contains elect_sync()
  // What was asked, and which answer leads to the call: the threads of a narrower set may agree about it after all.
  // Null: it is not asked again.
  ir::Expr condition{};
  bool negated = false;
};
// Whether threads of one instance of a primitive at `scope` disagree about the condition, for certain.
bool divides(const Inexact& condition, ir::ExecScope scope);
// Whether they may: the value depends on what only the launch or memory decides (N11's review note).
bool may_divide(const Inexact& condition, ir::ExecScope scope);
struct CallScope;
// The first condition of a call that divides it; null: none is known.
const Inexact* dividing_condition(const CallScope& scope);

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
// An absent kind of extent is 1,1,1.
struct Launch {
  std::array<ir::Expr, 3> grid, block, cluster, preferred;
  bool has_block = false, has_grid = false, has_cluster = false, has_preferred = false;
  // Product of the block extents when constant, else nothing.
  std::optional<std::int64_t> threads() const;
};

// The active set itself: threads of a CTA as (warps x lanes), times CTAs. It always contains every thread that can
// reach the point; scope.md 5.1 says what it is at device entry.
//
// Offsets of CTA axes are relative to the cluster in a clustered kernel and to the grid otherwise (N12): `cta_id` names
// the rank in the one case and the grid index in the other.
struct ActiveSet {
  enum class Ctas : std::uint8_t { Unknown, Grid, Cluster };

  bool tracked = false;
  ActiveRange lanes{32}, warps;
  Ctas ctas = Ctas::Unknown;
  std::uint8_t cta_axes = 1;                        // 1: `cta_id`; 2, 3: one a dimension
  std::array<ActiveRange, 3> cta{};                 // active ones
  std::array<std::int64_t, 3> cta_extent{1, 1, 1};  // of the launch
  bool flat_threads = false;                        // the CTA is one-dimensional: thread_id is 32 * warp + lane
  std::int64_t threads = 0;                         // of the CTA

  ActiveAxis cta_axis(int dimension) const;
};

struct Closure;
ActiveSet at_device_entry(const Closure& closure);

// Splits the set for a primitive at scope `kind` (scope.md 7). `inexact` is left to the caller.
CallScope split(const ActiveSet& set, ir::ExecScope kind);

}  // namespace tilewright::scope
