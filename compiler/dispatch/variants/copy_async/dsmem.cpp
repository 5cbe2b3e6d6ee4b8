// copy_async from this CTA's shared memory to that of another CTA of the cluster (copy_async.md 4).
//
// One thread issues bulk copies of the longest run that is contiguous on both sides; the bytes are counted on the
// destination's barrier. A bulk copy moves raw storage, so under a swizzle both sides must permute alike: the same
// swizzle, and addresses that agree modulo its period. Then a chunk that covers whole swizzle spans lies where it would
// without the swizzle, and a smaller power of two, aligned to its size, in one piece somewhere inside its span.
#include <bit>

#include "compiler/dispatch/blocks/emit.h"
#include "compiler/dispatch/blocks/iters.h"
#include "compiler/dispatch/blocks/operands.h"
#include "compiler/dispatch/blocks/options.h"
#include "compiler/dispatch/blocks/row_call.h"
#include "compiler/dispatch/blocks/threads.h"
#include "compiler/dispatch/blocks/width.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch::variants::copy_async_dsmem {
namespace {

using ir::Expr;

const intrinsics::Intrinsic& copy_row() {
  static const intrinsics::Intrinsic& row = row_of("bulk_to_cluster");
  return row;
}
const intrinsics::Intrinsic& map_row() {
  static const intrinsics::Intrinsic& row = row_of("map_shared_rank");
  return row;
}

Reason operands(CallContext& context) { return copy_operands(context).invalid; }

Reason single_thread(CallContext& context) {
  if (context.scope.kind == ir::ExecScope::Thread) return {};
  return cat("one thread issues bulk copies, this is ", ir::exec_scope_name(context.scope.kind),
             " scope: guard with one elected lane");
}

Reason pair(CallContext& context) {
  const CopyOperands& o = copy_operands(context);
  if (!o.invalid.empty()) return {};  // said by the operands' own test
  if (ir::is_shared(o.src.buffer->scope) && ir::is_shared(o.dst.buffer->scope)) return {};
  return wrong_pair(o, "dsmem moves shared -> shared of another CTA");
}

Reason dsmem_target(CallContext& context) { return no_such_instruction(context, copy_row(), "cp.async.bulk"); }

constexpr Predicate kDsmemPredicates[] = {{"validate_copy_op", operands},
                                          {"single_thread", single_thread},
                                          {"is_shared_to_shared", pair},
                                          {"target", dsmem_target}};

// Both sides walked together: equal positions, same elements.
struct Sides {
  Walks src, dst;
};

std::expected<Sides, Reason> paired(const Window& src, const Window& dst, const ir::Region& region) {
  std::vector<std::int64_t> shape;
  for (const ir::Range& r : region.ranges) {
    if (!ir::is_constant(r.extent, 1)) shape.push_back(*ir::constant(r.extent));
  }
  auto walks = [](const Window& w) {
    Walks out;
    for (const layout::Iter& it : w.tile.shard) out.push_back(walk_of(it));
    return out;
  };
  auto extents = [](const Walks& w) {
    std::vector<std::int64_t> out;
    for (const Walk& x : w) out.push_back(x.extent);
    return out;
  };
  auto no_cut = [] { return std::unexpected(Reason("the two layouts cannot be cut into the same pieces")); };
  auto from = group(walks(src), shape);
  if (!from) return no_cut();
  auto to = group(walks(dst), extents(from->walks));
  if (!to) return no_cut();
  // A finer destination cuts the source further.
  auto again = group(from->walks, extents(to->walks));
  if (!again || again->walks.size() != to->walks.size()) return no_cut();
  return Sides{std::move(again->walks), std::move(to->walks)};
}

// The walks that together make neighbouring elements, innermost first.
std::vector<std::size_t> contiguous_chain(const Walks& walks) {
  std::vector<std::size_t> chain;
  for (std::int64_t next = 1;;) {
    std::size_t i = 0;
    while (i < walks.size() && (walks[i].extent == 1 || walks[i].unit || walks[i].stride != next)) ++i;
    if (i == walks.size()) return chain;
    chain.push_back(i);
    next *= walks[i].extent;
  }
}

// Where a chunk of `chunk` elements lies under the swizzle, given where it would lie without.
enum class Placement { Plain, Block };

std::expected<Placement, Reason> placement(const Window& src, const Window& dst, std::int64_t chunk, const Walks& s,
                                           const Walks& d) {
  if (!src.swizzle && !dst.swizzle) return Placement::Plain;
  auto text = [](const Window& w) { return w.swizzle ? cat("swizzled ", w.swizzle->swizzle_len) : Reason("plain"); };
  if (src.swizzle != dst.swizzle) {
    return std::unexpected(cat("a bulk copy keeps bytes in their order, but the source is ", text(src),
                               " and the destination ", text(dst)));
  }
  const layout::Swizzle& z = *src.swizzle;
  if (!z.inner) return std::unexpected(Reason("the swizzle moves low address bits up, chunks do not stay together"));
  const std::int64_t span = std::int64_t{1} << (z.per_element + z.swizzle_len);
  if (!layout::provably_divisible(src.start() - dst.start(), z.period())) {
    return std::unexpected(
        cat("source and destination start at different places of the swizzle's period of ", z.period(), " elements"));
  }
  for (std::size_t i = 0; i < s.size(); ++i) {
    if ((s[i].stride - d[i].stride) % z.period() != 0) {
      return std::unexpected(cat("steps of ", s[i].stride, " and ", d[i].stride,
                                 " elements differ within the swizzle's period of ", z.period()));
    }
  }
  const bool whole = chunk % span == 0;
  if (!whole && !std::has_single_bit(static_cast<std::uint64_t>(chunk))) {
    return std::unexpected(cat("chunks of ", chunk, " elements are neither whole swizzle spans of ", span,
                               " elements nor a power of two"));
  }
  const std::int64_t unit = whole ? span : chunk;
  bool aligned = layout::provably_divisible(src.start(), unit);
  for (const Walk& w : s) aligned = aligned && w.stride % unit == 0;
  if (!aligned) {
    return std::unexpected(cat("chunks of ", chunk, " elements do not start on multiples of ", unit,
                               " elements, so the swizzle tears them apart"));
  }
  return whole ? Placement::Plain : Placement::Block;
}

// The remote CTA and its barrier. Empty: they are given, and of the right kind.
Reason wrong_remote(CallContext& context, Expr rank, Expr barrier) {
  if (!rank) return "remote_cta_id= is missing: the rank in the cluster of the CTA to copy to";
  if (!barrier) return "mbar= is missing: the barrier that counts the bytes in the destination CTA";
  if (!rank.dtype().is_integral()) return "remote_cta_id= is not an integer";
  if (const std::int64_t *to = ir::constant(rank), ctas = cluster_size(context);
      to && (*to < 0 || (ctas > 1 && *to >= ctas))) {
    return cat("remote_cta_id=", *to, " is the rank of no CTA of the cluster");
  }
  if (!barrier.dtype().is_handle()) return "mbar= is not a pointer to a barrier";
  return {};
}

// The copy cut into chunks that are contiguous on both sides, and the steps from one to the next.
struct Chunks {
  std::int64_t elements = 1;  // of one
  Walks src, dst;
};
Chunks chunks_of(const Walks& src, const Walks& dst) {
  std::vector<std::size_t> from = contiguous_chain(src), to = contiguous_chain(dst);
  std::vector<bool> inside(src.size());
  Chunks out;
  for (std::size_t i = 0; i < from.size() && i < to.size() && from[i] == to[i]; ++i) {
    inside[from[i]] = true;
    out.elements *= src[from[i]].extent;
  }
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] || src[i].extent == 1) continue;
    out.src.push_back(src[i]);
    out.dst.push_back(dst[i]);
  }
  return out;
}

// Empty: the side begins at multiples of 16 bytes, and so does each of its chunks.
Reason misaligned(const ir::Buffer& b, const Window& w, const Walks& steps, int bits) {
  const std::int64_t sixteen = 128 / bits;  // bytes, in elements
  if (!layout::provably_divisible(w.start(), sixteen) || !base_allows(b, sixteen)) {
    return cat("the region of ", ir::spoken_name(b), " does not start on a multiple of 16 bytes");
  }
  for (const Walk& step : steps) {
    if (step.stride % sixteen == 0) continue;
    return cat("chunks of ", ir::spoken_name(b), " are ", step.stride * bits / 8, " bytes apart, not a multiple of 16");
  }
  return {};
}

}  // namespace

std::span<const Predicate> predicates() { return kDsmemPredicates; }

Planned plan(CallContext& context) {
  const Expr rank = option(context.call, "remote_cta_id"), barrier = option(context.call, "mbar");
  if (Reason why = wrong_remote(context, rank, barrier); !why.empty()) return decline(std::move(why));
  const CopyOperands& o = copy_operands(context);
  if (!o.elements) return decline("an extent of the region is known only at run time");
  const ir::Buffer &dst = *o.dst.buffer, &src = *o.src.buffer;
  const WindowResult &d = window(context, true), &s = window(context, false);
  if (!d || !s) return decline(d ? s.error() : d.error());
  for (const ir::Buffer* b : {&src, &dst}) {
    const Window& w = b == &src ? *s : *d;
    if (Reason why = not_plain(w, ir::spoken_name(*b)); !why.empty()) return decline(std::move(why));
    if (Reason why = symbolic_pitch(*b); !why.empty()) return decline(std::move(why));
  }
  auto sides = paired(*s, *d, o.src);
  if (!sides) return decline(std::move(sides.error()));

  const Chunks cut = chunks_of(sides->src, sides->dst);
  const std::int64_t chunk = cut.elements;
  const Walks &src_steps = cut.src, &dst_steps = cut.dst;
  if (chunk * o.bits % 128 != 0) {
    return decline(cat("the run that is contiguous on both sides has chunk_bytes=", chunk * o.bits / 8,
                       ", bulk copies move multiples of 16 bytes"));
  }
  if (Reason why = misaligned(src, *s, src_steps, o.bits); !why.empty()) return decline(std::move(why));
  if (Reason why = misaligned(dst, *d, dst_steps, o.bits); !why.empty()) return decline(std::move(why));
  auto where = placement(*s, *d, chunk, src_steps, dst_steps);
  if (!where) return decline(std::move(where.error()));

  std::vector<const ir::Var*> loops;
  Expr src_at = s->start().expr(), dst_at = d->start().expr();
  for (std::size_t i = 0; i < src_steps.size(); ++i) {
    ir::Var* var = ir::make_var(Arena::current().copy(std::string_view(cat("c", i))), ir::kInt32, ir::VarRole::Loop);
    var->range = {0, src_steps[i].extent - 1};
    loops.push_back(var);
    src_at = src_at + Expr(var) * Expr(src_steps[i].stride);
    dst_at = dst_at + Expr(var) * Expr(dst_steps[i].stride);
  }
  if (*where == Placement::Block) {
    auto block = [&](Expr at) { return s->swizzle->apply(ir::simplify(at)) / Expr(chunk) * Expr(chunk); };
    src_at = block(src_at);
    dst_at = block(dst_at);
  }
  src_at = ir::simplify(src_at);
  dst_at = ir::simplify(dst_at);

  const ir::Origin origin = context.call.origin;
  const std::int64_t bytes = chunk * o.bits / 8;
  ir::BodyBuilder out(origin), copy(origin);
  Expr remote_barrier = out.let("remote_mbar", row_call(map_row(), {barrier, rank}));
  bind_offsets(copy, dst_at, "dst_offset", src_at, "src_offset");
  Expr remote = copy.let("remote_dst", row_call(map_row(), {element_pointer(context, &dst, dst_at), rank}));
  copy.add<ir::Evaluate>(
      row_call(copy_row(), {remote, element_pointer(context, &src, src_at), Expr(bytes), remote_barrier}));
  const ir::Stmt* body = copy.finish();
  for (std::size_t i = loops.size(); i-- > 0;) {
    body = ir::make_stmt<ir::For>(origin, loops[i], Expr(0), Expr(src_steps[i].extent), Expr(), ir::LoopKind::Serial,
                                  ir::UnrollHint::None, std::string_view(), body);
  }
  out.push(body);

  const std::int64_t chunks = product(src_steps);
  Plan plan{.body = out.finish()};
  plan.fact("chunk_bytes", bytes);
  plan.fact("chunks", chunks);
  plan.summary = cat(headline(context, "dsmem"), ", ", chunks, chunks == 1 ? " bulk copy of " : " bulk copies of ",
                     bytes, " bytes");
  return plan;
}

}  // namespace tilewright::dispatch::variants::copy_async_dsmem
