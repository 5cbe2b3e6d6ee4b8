#include "compiler/dispatch/blocks/operands.h"

#include <limits>

#include "compiler/dispatch/copy_regions.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch {
namespace {

using ir::Expr;
using ir::StorageScope;

std::string shape_text(const ir::Region& region) {
  std::string text;
  for (const ir::Range& r : region.ranges) text += (text.empty() ? "" : " x ") + ir::to_string(r.extent);
  return text.empty() ? "no dimensions" : text;
}

Reason validate(const ir::TileCall& call, const ir::Region& dst, const ir::Region& src, bool& only_types_differ) {
  if (call.args.size() != 2) return cat("takes a destination and a source, got ", call.args.size(), " operands");
  if (!dst.buffer) return "destination is not a buffer region";
  if (!src.buffer) return "source is not a buffer region";
  for (const ir::Region* r : {&dst, &src}) {
    if (!r->buffer->layout) return cat(ir::spoken_name(*r->buffer), " has no layout");
  }
  const ir::DataType to = dst.buffer->dtype, from = src.buffer->dtype;
  std::vector<Expr> d = wide_extents(dst), s = wide_extents(src);
  bool equal = d.size() == s.size();
  for (std::size_t i = 0; equal && i < d.size(); ++i) equal = ir::provably_equal(d[i], s[i]);
  if (to != from) {
    only_types_differ = equal && to.storage_bits() * to.lanes == from.storage_bits() * from.lanes;
    return cat("element types differ: ", ir::dtype_name(from), " to ", ir::dtype_name(to));
  }
  if (!equal) return cat("shapes differ: ", shape_text(src), " to ", shape_text(dst));
  return {};
}

CopyOperands read_operands(const ir::TileCall& call) {
  CopyOperands out;
  if (call.args.size() > 0) out.dst = call.args[0].region;
  if (call.args.size() > 1) out.src = call.args[1].region;
  out.invalid = validate(call, out.dst, out.src, out.only_types_differ);
  if (!out.dst.buffer || !out.src.buffer) return out;
  StorageScope d = out.dst.buffer->scope, s = out.src.buffer->scope;
  out.global_to_shared = s == StorageScope::Global && ir::is_shared(d);
  out.shared_to_global = ir::is_shared(s) && d == StorageScope::Global;
  bool local = (d == StorageScope::Local) != (s == StorageScope::Local);
  StorageScope other = d == StorageScope::Local ? s : d;
  out.local_shared = local && ir::is_shared(other);
  out.local_global = local && other == StorageScope::Global;
  out.bits = out.dst.buffer->dtype.storage_bits() * out.dst.buffer->dtype.lanes;
  std::int64_t product = 1;
  bool known = true;
  for (const ir::Range& r : out.dst.ranges) {
    const std::int64_t* v = ir::constant(r.extent);
    known = known && v && *v > 0 && !__builtin_mul_overflow(product, *v, &product);
  }
  for (const ir::Range& r : out.src.ranges) known = known && ir::constant(r.extent);
  if (known) out.elements = product;
  return out;
}

CopyOperands& operands_of(CallContext& context) {
  return context.once<CopyOperands>([&] { return read_operands(context.call); });
}

}  // namespace

const CopyOperands& copy_operands(CallContext& context) { return operands_of(context); }

std::string_view scope_text(const ir::Buffer& buffer) {
  return buffer.scope == StorageScope::Other ? buffer.scope_text : ir::storage_scope_name(buffer.scope);
}

std::string region_text(const ir::Region& region) { return ir::to_string(region); }

std::string pair_words(const CopyOperands& operands) {
  return cat("source is ", scope_text(*operands.src.buffer), " and destination ", scope_text(*operands.dst.buffer));
}

Reason wrong_pair(const CopyOperands& operands, std::string_view expected) {
  return cat(pair_words(operands), "; ", expected);
}

Expr widen_for(const ir::Buffer& buffer, Expr index) {
  std::optional<std::int64_t> n = ir::constant_elements(buffer.shape);
  return n && *n > std::numeric_limits<std::int32_t>::max() ? ir::cast(ir::kInt64, index) : index;
}

const WindowResult& window(CallContext& context, bool is_dst) {
  CopyOperands& operands = operands_of(context);
  std::optional<WindowResult>& slot = is_dst ? operands.dst_window : operands.src_window;
  if (!slot) slot.emplace(window_of(operands.on(is_dst)));
  return *slot;
}

WindowResult window_of(const ir::Region& region) {
  const ir::Buffer& buffer = *region.buffer;
  if (!buffer.layout) return std::unexpected(cat(ir::spoken_name(buffer), " has no layout"));
  std::vector<layout::Range> ranges;
  ranges.reserve(region.ranges.size());
  for (const ir::Range& r : region.ranges) {
    layout::Dim begin(buffer.scope == StorageScope::Global ? widen_for(buffer, r.min) : r.min);
    ranges.push_back({begin, begin + layout::Dim(r.extent)});
  }
  auto sliced = layout::slice(*buffer.layout, ir::shape_of(buffer), ranges, layout::Fusion::Cuda);
  if (!sliced) return std::unexpected(std::move(sliced.error().message));
  if (!*sliced || !(*sliced)->tile) {
    return std::unexpected(cat("region ", region_text(region), " is not one strided block of its layout"));
  }
  Window out;
  out.swizzle = (*sliced)->swizzle;
  out.offset = std::move((*sliced)->tile->offset);
  layout::Layout tile{.swizzle = std::nullopt, .tile = std::move((*sliced)->tile)};
  tile.tile->offset.clear();
  auto canonical = layout::canonicalize(tile, layout::Fusion::Cuda);
  if (!canonical) return std::unexpected(std::move(canonical.error().message));
  out.tile = std::move(*canonical->tile);
  return out;
}

Reason not_plain(const Window& window, std::string_view buffer) {
  if (!window.tile.replica.empty()) return cat(buffer, " has a replicated layout");
  for (const layout::Iter& it : window.tile.shard) {
    if (it.axis != layout::Axis::m) return cat(buffer, " is distributed over axis ", layout::axis_name(it.axis));
    if (!it.extent.is_constant()) return cat(buffer, " has an extent known only at run time");
  }
  for (const auto& [axis, value] : window.offset) {
    if (axis != layout::Axis::m && !value.is(0)) return cat(buffer, " has an offset on axis ", layout::axis_name(axis));
  }
  return {};
}

Reason symbolic_pitch(const ir::Buffer& buffer) {
  if (!buffer.layout || !buffer.layout->tile) return {};
  for (const layout::Iter& it : buffer.layout->tile->shard) {
    if (!it.stride.is_constant()) {
      return cat(ir::spoken_name(buffer), " has a pitch known only at run time (", layout::to_string(it.stride),
                 " elements)");
    }
  }
  return {};
}

}  // namespace tilewright::dispatch
