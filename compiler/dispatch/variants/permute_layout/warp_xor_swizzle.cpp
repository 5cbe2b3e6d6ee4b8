// A tile into another layout through the registers of one warp (compute.md 9): every lane reads its elements, all wait,
// every lane writes them. Read in the order of one layout, a column of the other would lie in a single bank; so lane l
// takes its element r in round r xor (high bits of l), and both phases spread over the banks.
#include <algorithm>
#include <array>
#include <bit>
#include <set>

#include "compiler/dispatch/blocks/coverage.h"
#include "compiler/dispatch/blocks/elementwise.h"
#include "compiler/dispatch/blocks/emit.h"
#include "compiler/dispatch/blocks/lanes.h"
#include "compiler/dispatch/blocks/row_call.h"
#include "compiler/dispatch/blocks/threads.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch::variants::permute_layout_warp_xor_swizzle {
namespace {

using ir::Expr;
constexpr std::int64_t kLanes = 32, kBanks = 32, kMostRegisters = 32;

struct Tiles {
  ir::Region dst, src;
  std::vector<std::int64_t> extents;                           // of both
  std::int64_t bytes = 0;                                      // of an element
  std::vector<std::int64_t> digits, dst_strides, src_strides;  // a common split of the elements' numbers
  std::int64_t volume = 1;
  std::int64_t registers() const { return volume / kLanes; }
};

std::string list(std::span<const std::int64_t> numbers) {
  std::string out;
  for (std::int64_t n : numbers) out += cat(out.empty() ? "" : ", ", n);
  return cat("[", out, "]");
}

std::expected<std::vector<std::int64_t>, Reason> extents_of(const ir::Region& region) {
  std::vector<std::int64_t> out;
  for (const ir::Range& r : region.ranges) {
    const std::int64_t* e = ir::constant(r.extent);
    if (!e) return std::unexpected("extents must be compile-time integers");
    out.push_back(*e);
  }
  return out;
}

Reason not_storage(const ir::Region& region) {
  const ir::Buffer& b = *region.buffer;
  if (!ir::is_shared(b.scope) && b.scope != ir::StorageScope::Global) {
    return cat(ir::spoken_name(b), " is ", scope_text(b), ": a warp exchanges through shared or global memory");  // Q30
  }
  return {};
}

std::expected<layout::TileLayout, Reason> part_of(const ir::Region& region, std::string_view role) {
  const ir::Buffer& b = *region.buffer;
  if (!b.layout || !b.layout->is_tile())
    return std::unexpected(cat(role, " buffer's layout is not a plain TileLayout"));
  auto part = part_of_layout(region);
  if (!part || !part->tile) {
    return std::unexpected(
        cat("layout.slice failed: ", region_text(region), " is not one strided block of its layout"));
  }
  auto canonical = layout::canonicalize(*part, layout::Fusion::Off);
  if (!canonical) return std::unexpected(std::move(canonical.error().message));
  if (layout::has_thread_axis(*canonical) || !canonical->tile->replica.empty()) {
    return std::unexpected(cat(ir::spoken_name(b), " is spread over threads"));
  }
  return std::move(*canonical->tile);
}

// Both tiles split alike: the destination where its dimensions are, and the source where the destination is.
std::expected<void, Reason> split(Tiles& t, const layout::TileLayout& dst, const layout::TileLayout& src) {
  layout::Shape shape;
  for (std::int64_t e : t.extents) {
    if (e != 1) shape.push_back(e);
  }
  auto take = [&](const layout::TileLayout& tile, const layout::Shape& by, std::string_view role,
                  std::vector<std::int64_t>& extents,
                  std::vector<std::int64_t>& strides) -> std::expected<void, Reason> {
    auto grouped = layout::group(tile, by);
    if (!grouped) return std::unexpected(cat("layout.group failed: ", role, ": ", grouped.error().message));
    for (const layout::Iter& it : grouped->layout.shard) {
      if (!it.extent.is_constant() || !it.stride.is_constant())
        return std::unexpected("regrouped layout shard contains non-integer extent/stride");
      extents.push_back(it.extent.value());
      strides.push_back(it.stride.value());
    }
    return {};
  };
  if (auto ok = take(dst, shape, "dst", t.digits, t.dst_strides); !ok) return ok;
  layout::Shape finer(t.digits.begin(), t.digits.end());
  std::vector<std::int64_t> same;
  if (auto ok = take(src, finer, "src", same, t.src_strides); !ok) return ok;
  if (same != t.digits) return std::unexpected("layout.group failed: the source splits further than the destination");
  return {};
}

std::int64_t offset(const Tiles& t, std::span<const std::int64_t> strides, std::int64_t x) {
  std::int64_t at = 0;
  for (std::size_t d = t.digits.size(); d-- > 0;) {
    at += x % t.digits[d] * strides[d];
    x /= t.digits[d];
  }
  return at;
}

bool is_bijection(const Tiles& t, std::span<const std::int64_t> strides) {
  std::set<std::int64_t> seen;
  for (std::int64_t x = 0; x < t.volume; ++x) {
    if (!seen.insert(offset(t, strides, x)).second) return false;
  }
  return true;
}

// The tests of compute.md 9 in order.
std::expected<Tiles, Reason> tiles_of(CallContext& context) {
  Tiles t;
  if (context.scope.kind != ir::ExecScope::Warp)
    return refuse(cat("scope '", ir::exec_scope_name(context.scope.kind), "' is not 'warp'"));
  if (Reason r = not_one_dimensional(context); !r.empty())
    return refuse(cat("multi-dim threadIdx is not supported: ", r));
  if (Reason r = not_all_here(context); !r.empty()) return refuse(std::move(r));  // Q18
  if (context.call.args.size() < 2 || !context.call.args[0].region.buffer || !context.call.args[1].region.buffer)
    return refuse("source and destination are buffer regions");
  t.dst = context.call.args[0].region;
  t.src = context.call.args[1].region;
  const ir::DataType to = t.dst.buffer->dtype, from = t.src.buffer->dtype;
  if (to != from) return refuse(cat("dtype mismatch: dst=", ir::dtype_name(to), " vs src=", ir::dtype_name(from)));
  for (const ir::Region* r : {&t.src, &t.dst}) {
    if (Reason why = not_storage(*r); !why.empty()) return refuse(std::move(why));
  }
  auto dst_extents = extents_of(t.dst), src_extents = extents_of(t.src);
  if (!dst_extents || !src_extents) return refuse(dst_extents ? src_extents.error() : dst_extents.error());
  if (*dst_extents != *src_extents)
    return refuse(cat("slice shape mismatch: src=", list(*src_extents), " vs dst=", list(*dst_extents)));
  t.extents = *dst_extents;
  t.bytes = to.lanes * to.storage_bits() / 8;
  if (t.bytes != 1 && t.bytes != 2 && t.bytes != 4 && t.bytes != 8 && t.bytes != 16)
    return refuse(cat("unsupported dtype byte width: ", t.bytes));
  auto src = part_of(t.src, "src"), dst = part_of(t.dst, "dst");
  if (!src || !dst) return refuse(src ? dst.error() : src.error());
  for (std::int64_t e : t.extents) {
    if (e <= 0 || __builtin_mul_overflow(t.volume, e, &t.volume)) return refuse("the tile is empty, or too large");
  }
  if (auto ok = split(t, *dst, *src); !ok) return refuse(std::move(ok.error()));
  if (t.volume % kLanes != 0) return refuse(cat("volume ", t.volume, " not divisible by warp size 32"));
  const std::int64_t p = t.registers();
  if (p > kMostRegisters || !std::has_single_bit(static_cast<std::uint64_t>(p)))
    return refuse(cat("per-thread count ", p, " must be power of 2 in [1, 32]"));
  if (!is_bijection(t, t.src_strides)) return refuse("src layout (regrouped) is not a bijection on the slice");
  if (!is_bijection(t, t.dst_strides)) return refuse("dst layout is not a bijection on the slice");
  return t;
}

std::int64_t taken_by(std::int64_t lane, std::int64_t r, int k) {
  return lane + kLanes * (r ^ ((lane >> (5 - k)) & ((1 << k) - 1)));
}

// Lanes that want the same bank in the worst round, of all rounds together; `clash`: two lanes meet in one at all.
struct Conflicts {
  std::int64_t ways = 0, worst = 1;
  bool clash = false;
};
void count(const Tiles& t, std::span<const std::int64_t> strides, int k, Conflicts& out) {
  for (std::int64_t r = 0; r < t.registers(); ++r) {
    std::array<std::set<std::int64_t>, kBanks> words;
    std::array<int, kBanks> lanes{};
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      const std::int64_t word = offset(t, strides, taken_by(lane, r, k)) * t.bytes / 4;
      const auto bank = static_cast<std::size_t>(((word % kBanks) + kBanks) % kBanks);
      words[bank].insert(word);
      out.clash |= ++lanes[bank] > 1;
    }
    std::int64_t most = 1;
    for (const auto& w : words) most = std::max(most, static_cast<std::int64_t>(w.size()));
    out.ways += most;
    out.worst = std::max(out.worst, most);
  }
}

// How many bits of the lane number take part: none that meets another lane in a bank, else as few conflicts as there
// can be (Q31). Global memory has no banks.
std::pair<int, Conflicts> choose_bits(const Tiles& t) {
  std::optional<std::pair<int, Conflicts>> best;
  for (int k = 0; k <= std::countr_zero(static_cast<std::uint64_t>(t.registers())); ++k) {
    Conflicts c;
    if (ir::is_shared(t.src.buffer->scope)) count(t, t.src_strides, k, c);
    if (ir::is_shared(t.dst.buffer->scope)) count(t, t.dst_strides, k, c);
    if (!c.clash) return {k, c};
    if (!best || c.ways < best->second.ways) best = {k, c};
  }
  return *best;
}

const ir::Stmt* write(CallContext& context, const Tiles& t, int bits) {
  Arena& arena = Arena::current();
  ir::BodyBuilder out(context.call.origin);
  const std::int64_t p = t.registers();
  Expr lane = thread_index(context), turn(0);
  if (bits > 0) {
    turn = ir::binary(ir::ExprKind::BitAnd, ir::binary(ir::ExprKind::Shr, lane, Expr(5 - bits)), Expr((1 << bits) - 1));
    turn = out.let("turn", turn);
  }
  const ir::Buffer* registers = local_lanes(t.src.buffer, p);
  out.add<ir::Alloc>(registers);
  auto phase = [&](bool read) {
    Expr r = round_variable("r", p);
    Expr x = lane + Expr(kLanes) * (bits > 0 ? ir::binary(ir::ExprKind::BitXor, r, turn) : r);
    const std::span<const Expr> own = arena.copy(std::span<const Expr>(&r, 1));
    const ir::Region& region = read ? t.src : t.dst;
    const std::span<const Expr> there = arena.copy(element_index(region, t.extents, x, Expr(0)));
    const ir::Stmt* move =
        read ? ir::make_stmt<ir::Store>(context.call.origin, registers, own, ir::load(region.buffer, there))
             : ir::make_stmt<ir::Store>(context.call.origin, region.buffer, there, ir::load(registers, own));
    add_rounds(out, r, p, move, ir::LoopKind::Unrolled);
    add_barrier(context, out);
  };
  phase(true);
  phase(false);
  return out.finish();
}

}  // namespace

std::span<const Predicate> predicates() { return {}; }

Planned plan(CallContext& context) {
  auto t = tiles_of(context);
  if (!t) return decline(std::move(t.error()));
  const auto [bits, conflicts] = choose_bits(*t);
  Plan plan{.body = write(context, *t, bits)};
  plan.fact("per_thread", t->registers());
  plan.fact("xor_bits", bits);
  plan.fact("bank_ways", conflicts.worst);
  plan.summary = cat("permute_layout -> warp_xor_swizzle: ", region_text(t->src), " -> ", region_text(t->dst), ", ",
                     t->registers(), t->registers() == 1 ? " element a lane, " : " elements a lane, ",
                     bits == 0 ? std::string("lanes in order") : cat("order turned by ", bits, " bits of the lane"));
  const ir::Region regions[] = {t->dst, t->src};
  note_repetition(plan, context, regions, t->dst.buffer->data == t->src.buffer->data);
  return plan;
}

}  // namespace tilewright::dispatch::variants::permute_layout_warp_xor_swizzle
