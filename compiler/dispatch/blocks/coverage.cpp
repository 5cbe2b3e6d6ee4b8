#include "compiler/dispatch/blocks/coverage.h"

#include <algorithm>
#include <set>

#include "compiler/dispatch/blocks/operands.h"
#include "compiler/dispatch/blocks/threads.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch {
namespace {

using layout::Axis;

layout::Result<std::optional<layout::Layout>> sliced(const ir::Region& region) {
  std::vector<layout::Range> ranges;
  for (const ir::Range& r : region.ranges) ranges.push_back({layout::Dim(r.min), layout::Dim(r.min + r.extent)});
  return layout::slice(*region.buffer->layout, ir::shape_of(*region.buffer), ranges, layout::Fusion::Off);
}

// The region's part of the layout; all of it where the region is no strided block. Error: the layout is not one of the
// buffer's dimensions.
layout::Result<layout::Layout> part_of(const ir::Region& region) {
  auto part = sliced(region);
  if (!part) return std::unexpected(std::move(part.error()));
  if (*part) return std::move(**part);
  return *region.buffer->layout;
}

// Threads joined; a single index of an axis is not a walk over it.
layout::Result<layout::Layout> joined(layout::Layout part) {
  if (part.tile) {
    part.tile->offset.clear();
    std::erase_if(part.tile->shard,
                  [](const layout::Iter& it) { return layout::is_thread_axis(it.axis) && it.extent.is(1); });
  }
  return layout::canonicalize(part, layout::Fusion::Cuda);
}

std::string name_of(const ir::Region& region) {
  std::string_view name = ir::spoken_name(*region.buffer);
  return std::string(name.empty() ? std::string_view("the operand") : name);
}

Axis axis_of(ir::ExecScope scope) {
  switch (scope) {
    case ir::ExecScope::Warp: return Axis::laneid;
    case ir::ExecScope::Warpgroup: return Axis::tid_in_wg;
    default: return Axis::tx;
  }
}

// What the axis is in every thread that executes the call; null: it may be anything.
bool is_here(CallContext& context, Axis axis, layout::Dim value) {
  ir::Expr own = axis_value(context, axis);
  if (own && ir::provably_equal(own, value.expr())) return true;
  const auto wanted = axis == Axis::warpid      ? scope::ActiveAxis::warpid
                      : axis == Axis::wid_in_wg ? scope::ActiveAxis::wid_in_wg
                                                : scope::ActiveAxis::wgid;
  const scope::ActiveRange* range = scope::find(context.scope.inter, wanted);
  return range && range->extent == 1 && value.is(range->offset);
}

}  // namespace

std::optional<layout::Layout> part_of_layout(const ir::Region& region) {
  auto part = sliced(region);
  return part ? std::move(*part) : std::nullopt;
}

WindowResult register_window(const ir::Region& region) {
  std::optional<layout::Layout> part = part_of_layout(region);
  if (!part || !part->tile) {
    return std::unexpected(cat("region ", region_text(region), " is not one strided block of its layout"));
  }
  Window out;
  out.swizzle = part->swizzle;
  for (const auto& [axis, value] : part->tile->offset) {
    if (layout::is_memory_axis(axis)) layout::add_offset(out.offset, axis, value);
  }
  auto canonical = joined(std::move(*part));
  if (!canonical) return std::unexpected(std::move(canonical.error().message));
  out.tile = std::move(*canonical->tile);
  return out;
}

Reason not_spread_over_scope(CallContext& context, const ir::Region& region) {
  const ir::ExecScope scope = context.scope.kind;
  if (scope == ir::ExecScope::Thread) return {};
  const Axis wanted = axis_of(scope);
  std::string_view axis = layout::axis_name(wanted);
  const std::string name = name_of(region);
  const std::int64_t threads = member_count(context);
  auto part = part_of(region);
  if (!part) return part.error().message;
  auto canonical = joined(std::move(*part));
  if (!canonical) return canonical.error().message;
  if (!canonical->tile) return cat(name, " is swizzled");
  layout::Iters held;
  std::set<std::string_view> foreign;
  for (const layout::Iter& it : canonical->tile->shard) {
    if (!layout::is_thread_axis(it.axis)) continue;
    held.push_back(it);
    if (it.axis != wanted) foreign.insert(layout::axis_name(it.axis));
    if (!it.extent.is_constant() || !it.stride.is_constant())
      return cat(name, " is spread in a way known only at run time");
  }
  if (held.empty()) {
    return cat(name, " is a thread-local view: at ", ir::exec_scope_name(scope),
               " scope its layout would spread it over ", threads, " threads on ", axis,
               "; pass the tile instead of its .local()");
  }
  if (!foreign.empty()) {
    std::string list;
    for (std::string_view f : foreign) list += cat(list.empty() ? "'" : ", '", f, "'");
    return cat(name, " is spread over axes [", list, "]; ", ir::exec_scope_name(scope), " scope takes ", axis,
               " alone");
  }
  std::ranges::stable_sort(held, {}, [](const layout::Iter& it) { return it.stride.value(); });
  std::int64_t reached = 1;
  for (const layout::Iter& it : held) {
    if (it.stride.value() != reached) {
      return cat(name, " must be spread over all ", threads, " threads on ", axis, ": its layout has stride ",
                 it.stride.value(), " there where ", reached, " is needed");
    }
    reached *= it.extent.value();
  }
  if (reached == threads) return {};
  return cat(name, " is held by a span of ", reached, " threads, not the full ", threads, " of the ",
             ir::exec_scope_name(scope));
}

Reason of_another_warp(CallContext& context, const ir::Region& region) {
  const ir::ExecScope scope = context.scope.kind;
  const layout::Layout& whole = *region.buffer->layout;
  if (!whole.tile || (scope != ir::ExecScope::Warp && scope != ir::ExecScope::Warpgroup)) return {};
  std::optional<layout::Layout> part = part_of_layout(region);
  if (!part || !part->tile) return {};
  auto has = [](const layout::TileLayout& tile, Axis axis) {
    return std::ranges::any_of(tile.shard, [&](const layout::Iter& it) { return it.axis == axis && !it.extent.is(1); });
  };
  for (Axis axis : {Axis::warpid, Axis::wid_in_wg, Axis::wgid}) {
    if (scope == ir::ExecScope::Warpgroup && axis != Axis::wgid) continue;
    if (!has(*whole.tile, axis) || has(*part->tile, axis)) continue;
    const layout::Dim at = layout::offset_on(part->tile->offset, axis);
    if (is_here(context, axis, at)) continue;
    return cat(region_text(region), " belongs to the threads whose ", layout::axis_name(axis), " is ",
               layout::to_string(at), ", which are not known to be those that execute the call");
  }
  return {};
}

Reason replicas_differ(const ir::Region& anchor, const ir::Region& other) {
  layout::Iters replicas[2];
  for (int i = 0; i < 2; ++i) {
    auto part = part_of(i == 0 ? anchor : other);
    if (!part) return part.error().message;
    auto canonical = layout::canonicalize(*part, layout::Fusion::Off);
    if (!canonical) return canonical.error().message;
    if (!canonical->is_tile()) return "layout has no signature (not a TileLayout?)";
    replicas[i] = canonical->tile->replica;
  }
  const auto &a = replicas[0], &b = replicas[1];
  auto differ = [&](std::string_view how) {
    return cat(ir::spoken_name(*anchor.buffer), " and ", ir::spoken_name(*other.buffer),
               " are replicated over different threads (", how, " of their replicas)");
  };
  if (a.size() != b.size()) return differ("number");
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].axis != b[i].axis) return differ("axis");
    if (!layout::provably_equal(a[i].extent, b[i].extent)) return differ("extent");
    if (!layout::provably_equal(a[i].stride, b[i].stride)) return differ("stride");
  }
  return {};
}

}  // namespace tilewright::dispatch
