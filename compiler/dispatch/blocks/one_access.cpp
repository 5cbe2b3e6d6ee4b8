#include "compiler/dispatch/blocks/one_access.h"

#include "compiler/dispatch/blocks/iters.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch {

using ir::Expr;

std::optional<std::int64_t> elements_of(const ir::Region& region) {
  std::int64_t n = 1;
  for (const ir::Range& r : region.ranges) {
    const std::int64_t* e = ir::constant(ir::simplify(r.extent));
    if (!e || __builtin_mul_overflow(n, *e, &n)) return std::nullopt;
  }
  return n;
}

Reason scattered(CallContext& context, bool is_dst, std::int64_t count, std::int64_t word) {
  if (count == 1) return {};
  const ir::Region& region = copy_operands(context).on(is_dst);
  const WindowResult& window = dispatch::window(context, is_dst);
  if (!window) return window.error();
  std::string_view name = ir::spoken_name(*region.buffer);
  if (Reason r = not_plain(*window, name); !r.empty()) return r;
  Walks walks;
  for (const layout::Iter& it : window->tile.shard) walks.push_back(walk_of(it));
  walks = fuse(walks);
  if (walks.size() != 1 || walks[0].unit || walks[0].stride != 1) {
    return cat(ir::to_string(region), " is not ", count, " neighbouring elements: one access cannot move it");
  }
  if (window->swizzle && word > window->swizzle->chunk()) {
    return cat("the swizzle of ", name, " parts every ", window->swizzle->chunk(), " elements, one access moves ",
               word);
  }
  const std::int64_t* start = ir::constant(ir::simplify(window->start().expr()));
  if (start && *start % word != 0) {
    return cat(ir::to_string(region), " starts at element ", *start, ", an access of ", word, " at a multiple of that");
  }
  return {};
}

Expr pointer_into(const ir::Region& region, std::int64_t skipped) {
  std::vector<Expr> at;
  for (const ir::Range& r : region.ranges) at.push_back(r.min);
  for (std::size_t d = at.size(); skipped > 0 && d-- > 0;) {  // row-major within the region
    const std::int64_t extent = *ir::constant(ir::simplify(region.ranges[d].extent));
    at[d] = ir::simplify(at[d] + Expr(skipped % extent));
    skipped /= extent;
  }
  Expr element[] = {ir::load(region.buffer, at)};
  return ir::call(ir::kHandle, ir::builtin::address_of, element);
}

}  // namespace tilewright::dispatch
