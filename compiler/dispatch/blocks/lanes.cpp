#include "compiler/dispatch/blocks/lanes.h"

#include <algorithm>

#include "compiler/dispatch/blocks/emit.h"
#include "compiler/dispatch/blocks/iters.h"
#include "compiler/dispatch/blocks/width.h"
#include "compiler/expr/analyzer.h"
#include "compiler/intrinsics/intrinsic.h"

namespace tilewright::dispatch {
namespace {

using ir::Expr;

Expr address(const ir::Buffer* buffer, std::span<const Expr> index) {
  Expr element = ir::load(buffer, Arena::current().copy(index));
  return ir::call(ir::kHandle, ir::builtin::address_of, {&element, 1});
}

std::int64_t constant_product(const ir::Region& region) {
  std::int64_t n = 1;
  for (const ir::Range& r : region.ranges) {
    const std::int64_t* e = ir::constant(r.extent);
    n = e ? n * *e : 0;
  }
  return n;
}

std::int64_t lanes_of(const ir::Buffer* lanes) { return *ir::constant(lanes->shape[0]); }

}  // namespace

Reach reach_of(const ir::Region& region, std::int64_t v) {
  auto window = window_of(region);
  if (!window || region.ranges.empty() || !not_plain(*window, "").empty()) return Reach::Lanes;
  const std::int64_t* last = ir::constant(region.ranges.back().extent);
  const std::int64_t n = constant_product(region);
  if (!last || n == 0) return Reach::Lanes;
  Walks walks;
  for (const layout::Iter& it : window->tile.shard) walks.push_back(walk_of(it));
  const std::int64_t shape[] = {n / *last, *last};
  auto runs = group(walks, shape);
  if (!runs) return Reach::Lanes;
  // Neighbours from the inside of the last dimension out.
  std::span<const Walk> row = runs->run(1);
  std::int64_t tail = 1;
  std::vector<Walk> steps(runs->run(0).begin(), runs->run(0).end());
  for (std::size_t i = row.size(); i-- > 0;) {
    if (row[i].extent == 1) continue;
    const bool continues = steps.size() == runs->run(0).size() && !row[i].unit && row[i].stride == tail;
    if (continues) {
      tail *= row[i].extent;
    } else {
      steps.push_back(row[i]);
    }
  }
  if (tail % 2 != 0) return Reach::Lanes;
  const bool whole = tail % v == 0 && (!window->swizzle || window->swizzle->chunk() % v == 0) &&
                     layout::provably_divisible(window->start(), v) && base_allows(*region.buffer, v) &&
                     is_copy_width(v * region.buffer->dtype.storage_bits());
  const bool steady = std::ranges::all_of(steps, [&](const Walk& w) { return w.extent == 1 || step_divisible(w, v); });
  return whole && steady ? Reach::Vector : Reach::Narrower;
}

std::vector<Expr> element_index(const ir::Region& region, std::span<const std::int64_t> extents, Expr x, Expr lane) {
  std::vector<Expr> out(region.ranges.size());
  const std::size_t lead = extents.size() - region.ranges.size();
  Expr rest = x;
  for (std::size_t d = extents.size(); d-- > 0;) {
    Expr extent(extents[d]);
    Expr digit = d == 0 ? rest : rest % extent;
    if (d > 0) rest = rest / extent;
    if (d < lead) continue;
    const ir::Range& range = region.ranges[d - lead];
    const bool repeated = ir::is_constant(range.extent, 1);
    const bool innermost = d + 1 == extents.size();
    out[d - lead] = repeated ? range.min : ir::simplify(range.min + (innermost ? digit + lane : digit));
  }
  return out;
}

const ir::Buffer* local_lanes(const ir::Buffer* like, std::int64_t v) {
  ir::Buffer lanes;
  lanes.name = Arena::current().copy(std::string_view(std::string(like->name) + "_lanes"));
  lanes.dtype = like->dtype;
  lanes.scope = ir::StorageScope::Local;
  ir::Var* data = ir::make_var(lanes.name, ir::kHandle, ir::VarRole::Data);
  data->pointee = like->dtype;
  data->storage_scope = "local";
  lanes.data = data;
  Expr shape[] = {Expr(v)};
  lanes.shape = Arena::current().copy(std::span<const Expr>(shape));
  return Arena::current().make<ir::Buffer>(lanes);
}

namespace {

// One access, or one for each lane; `load` says which way.
void move_lanes(CallContext& context, ir::BodyBuilder& out, const ir::Region& region,
                std::span<const std::int64_t> extents, Expr x, const ir::Buffer* lanes, Reach reach, bool load) {
  const std::int64_t v = lanes_of(lanes);
  if (reach == Reach::Vector) {
    Expr zero[] = {Expr(0)};
    Expr memory = address(region.buffer, element_index(region, extents, x, Expr(0)));
    Expr args[] = {address(lanes, zero), memory};
    if (!load) std::swap(args[0], args[1]);
    const int bits = static_cast<int>(v * lanes->dtype.storage_bits());
    out.add<ir::Evaluate>(ir::call(ir::kVoid, intrinsics::copy_bytes_row(bits), args));
    return;
  }
  Expr lane = round_variable("v", v);
  std::vector<Expr> index = element_index(region, extents, x, lane);
  auto copied = [](std::span<const Expr> i) { return Arena::current().copy(i); };
  const std::span<const Expr> own = copied({&lane, 1}), there = copied(index);
  const ir::Stmt* move =
      load ? ir::make_stmt<ir::Store>(context.call.origin, lanes, own, ir::load(region.buffer, there))
           : ir::make_stmt<ir::Store>(context.call.origin, region.buffer, there, ir::load(lanes, own));
  add_rounds(out, lane, v, move, ir::LoopKind::Unrolled);
}

}  // namespace

void load_lanes(CallContext& context, ir::BodyBuilder& out, const ir::Region& region,
                std::span<const std::int64_t> extents, Expr x, const ir::Buffer* lanes, Reach reach) {
  move_lanes(context, out, region, extents, x, lanes, reach, true);
}
void store_lanes(CallContext& context, ir::BodyBuilder& out, const ir::Region& region,
                 std::span<const std::int64_t> extents, Expr x, const ir::Buffer* lanes, Reach reach) {
  move_lanes(context, out, region, extents, x, lanes, reach, false);
}

}  // namespace tilewright::dispatch
