#include "compiler/dispatch/copy_regions.h"

#include <algorithm>

#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch {
namespace {

using ir::Expr;

std::string shape_text(const std::vector<Expr>& extents) {
  std::string text;
  for (Expr e : extents) text += cat(text.empty() ? "" : " x ", ir::to_string(e));
  return text.empty() ? "one element" : text;
}

Expr payload(const ir::Region& region) {
  Expr bits(region.buffer->dtype.storage_bits() * region.buffer->dtype.lanes);
  for (const ir::Range& r : region.ranges) bits = bits * ir::cast(ir::kInt64, r.extent);
  return ir::simplify(bits);
}

// Tensor copies that the call names move bytes: only their number counts. gather4= takes four rows for the one that
// its source describes.
Reason unequal_payloads(const ir::TileCall& call, const ir::Region& dst, const ir::Region& src) {
  Expr to = payload(dst), from = payload(src);
  const bool gathers =
      std::ranges::any_of(call.config, [](const ir::ConfigItem& item) { return item.key == "gather4"; });
  if (call.dispatch == "tma_explicit" && gathers) from = ir::simplify(from * Expr(4));
  if (ir::provably_equal(to, from)) return {};
  return cat(call.primitive, " moves ", ir::to_string(from), " bits of ", ir::spoken_name(*src.buffer), " to ",
             ir::to_string(to), " bits of ", ir::spoken_name(*dst.buffer), "; both sides of a tensor copy are as long");
}

}  // namespace

std::vector<Expr> wide_extents(const ir::Region& region) {
  std::vector<Expr> out;
  for (const ir::Range& r : region.ranges) {
    if (!ir::is_constant(r.extent, 1)) out.push_back(r.extent);
  }
  return out;
}

Reason unequal_regions(const ir::TileCall& call, text::Dialect release) {
  if (release < text::Dialect::V0_26 || (call.primitive != "copy" && call.primitive != "copy_async")) return {};
  if (call.args.size() < 2 || !call.args[0].region.buffer || !call.args[1].region.buffer) return {};
  const ir::Region &dst = call.args[0].region, &src = call.args[1].region;
  if (call.dispatch == "tma_auto" || call.dispatch == "tma_explicit") return unequal_payloads(call, dst, src);
  const std::vector<Expr> to = wide_extents(dst), from = wide_extents(src);
  bool equal = to.size() == from.size();
  for (std::size_t i = 0; equal && i < to.size(); ++i) equal = ir::provably_equal(to[i], from[i]);
  if (equal) return {};
  return cat(call.primitive, " of ", ir::to_string(src), " to ", ir::to_string(dst), ": shapes differ, ",
             shape_text(from), " to ", shape_text(to), "; apart from extents of 1 they must be the same");
}

}  // namespace tilewright::dispatch
