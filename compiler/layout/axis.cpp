// The registered axes and the two tables that relate them (layout.md 2).
#include <array>

#include "compiler/layout/detail.h"

namespace tilewright::layout {
namespace {

struct Row {
  std::string_view name;
  Unit subscope;  // what a thread axis counts
  Unit scope;     // inside which it counts it
};

// In the order of the enumeration. Grid axes live in the kernel (N1); memory axes have no scope.
constexpr std::array<Row, kAxisCount> kAxes = {{
    {"bx", Unit::Cta, Unit::Kernel},
    {"by", Unit::Cta, Unit::Kernel},
    {"bz", Unit::Cta, Unit::Kernel},
    {"cbx", Unit::Cta, Unit::Cluster},
    {"cby", Unit::Cta, Unit::Cluster},
    {"cbz", Unit::Cta, Unit::Cluster},
    {"wgid", Unit::Warpgroup, Unit::Cta},
    {"warpid", Unit::Warp, Unit::Cta},
    {"tx", Unit::Thread, Unit::Cta},
    {"wid_in_wg", Unit::Warp, Unit::Warpgroup},
    {"tid_in_wg", Unit::Thread, Unit::Warpgroup},
    {"laneid", Unit::Thread, Unit::Warp},
    {"m", Unit::Thread, Unit::Thread},
    {"TLane", Unit::Thread, Unit::Thread},
    {"TCol", Unit::Thread, Unit::Thread},
    {"P", Unit::Thread, Unit::Thread},
    {"F", Unit::Thread, Unit::Thread},
    {"Bank", Unit::Thread, Unit::Thread},
}};

}  // namespace

std::string_view axis_name(Axis axis) { return kAxes[static_cast<int>(axis)].name; }

std::optional<Axis> parse_axis(std::string_view name) {
  for (int i = 0; i < kAxisCount; ++i) {
    if (kAxes[i].name == name) return static_cast<Axis>(i);
  }
  return std::nullopt;
}

Unit axis_subscope(Axis axis) { return kAxes[static_cast<int>(axis)].subscope; }
Unit axis_scope(Axis axis) { return kAxes[static_cast<int>(axis)].scope; }

std::string_view unit_name(Unit unit) {
  switch (unit) {
    case Unit::Kernel: return "kernel";
    case Unit::Cluster: return "cluster";
    case Unit::Cta: return "cta";
    case Unit::Warpgroup: return "warpgroup";
    case Unit::Warp: return "warp";
    case Unit::Thread: return "thread";
  }
  return "";
}

namespace detail {

std::pair<Axis, std::int64_t> fused_axis(Axis axis, std::pair<Unit, Unit> scope) {
  const bool threads = scope.first == Unit::Thread, warps = scope.first == Unit::Warp;
  const bool in_cta = scope.second == Unit::Cta, in_warpgroup = scope.second == Unit::Warpgroup;
  switch (axis) {
    case Axis::laneid:
      if (threads && in_warpgroup) return {Axis::tid_in_wg, 1};
      if (threads && in_cta) return {Axis::tx, 1};
      break;
    case Axis::wid_in_wg:
      if (threads && in_warpgroup) return {Axis::tid_in_wg, 32};
      if (threads && in_cta) return {Axis::tx, 32};
      if (warps && in_cta) return {Axis::warpid, 1};
      break;
    case Axis::warpid:
      if (threads && in_cta) return {Axis::tx, 32};
      break;
    case Axis::tid_in_wg:
      if (threads && in_cta) return {Axis::tx, 1};
      break;
    case Axis::wgid:
      if (threads && in_cta) return {Axis::tx, 128};
      if (warps && in_cta) return {Axis::warpid, 4};  // N5
      break;
    default: break;
  }
  return {axis, 1};
}

std::optional<Split> split_axis(Axis axis, Unit scope) {
  if (axis == Axis::tx && scope == Unit::Warp) return Split{Axis::warpid, Axis::laneid, 32};
  if (axis == Axis::tx && scope == Unit::Warpgroup) return Split{Axis::wgid, Axis::tid_in_wg, 128};
  if (axis == Axis::tid_in_wg && scope == Unit::Warp) return Split{Axis::wid_in_wg, Axis::laneid, 32};
  if (axis == Axis::warpid && scope == Unit::Warpgroup) return Split{Axis::wgid, Axis::wid_in_wg, 4};  // N6
  return std::nullopt;
}

}  // namespace detail
}  // namespace tilewright::layout
