// Elementwise operations on tiles in shared memory, shared out over the threads of the scope (compute.md 6).
//
// The elements of the destination are numbered row by row; in each round a thread takes `v` neighbours. Only extents
// decide who takes which: layouts and swizzles are applied where an element is accessed. Operands whose `v` lanes are
// provably neighbours on an aligned address move as one access, others lane by lane (Q1-Q3).
#include <algorithm>
#include <numeric>

#include "compiler/dispatch/blocks/elementwise.h"
#include "compiler/dispatch/blocks/emit.h"
#include "compiler/dispatch/blocks/iters.h"
#include "compiler/dispatch/blocks/lanes.h"
#include "compiler/dispatch/blocks/packed.h"
#include "compiler/dispatch/blocks/threads.h"
#include "compiler/dispatch/blocks/width.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch::variants::elementwise_smem {
namespace {

using ir::Expr;

Reason elementwise_smem_applicable(CallContext& context) {
  const Elementwise& e = elementwise(context);
  if (context.scope.kind == ir::ExecScope::Cluster) return "unsupported scope cluster";
  if (Reason r = not_all_here(context); !r.empty()) return r;
  if (!e.invalid.empty()) return e.invalid;
  if (Reason r = not_stored_in(e, ir::is_shared, "smem works on tiles in shared memory"); !r.empty()) return r;
  if (auto mode = packed_rounding(context.call); !mode) return mode.error();
  if (Reason r = not_broadcast(e); !r.empty()) return r;
  return e.elements ? Reason() : "an extent of the destination is known only at run time";
}

constexpr Predicate kSmemPredicates[] = {{"elementwise_smem", elementwise_smem_applicable}};

// As many elements as one access of the widest type moves, as far as the extents allow.
std::int64_t widest(const Elementwise& e, std::int64_t threads) {
  if (*e.elements % threads != 0) return 1;
  int bits = 8;
  std::int64_t common = 0;  // what divides every last extent
  for (const ir::Region* r : e.regions()) {
    bits = std::max(bits, r->buffer->dtype.storage_bits());
    const std::int64_t* last = r->ranges.empty() ? nullptr : ir::constant(r->ranges.back().extent);
    common = std::gcd(common, last ? *last : 1);
  }
  for (int width : kCopyWidths) {
    const std::int64_t c = width / bits;
    if (c >= 1 && *e.elements / threads % c == 0 && common % c == 0) return c;
  }
  return 1;
}

// What one thread does in one round: a width, and how each tile is reached, the destination first.
struct Work {
  std::int64_t vec = 1;
  bool packed = false;
  std::vector<Reach> reach;
};

Work share(CallContext& context, std::int64_t threads) {
  const Elementwise& e = elementwise(context);
  auto reached = [&](std::int64_t v) {
    std::vector<Reach> out;
    for (const ir::Region* r : e.regions()) out.push_back(reach_of(*r, v));
    return out;
  };
  const std::int64_t most = widest(e, threads);
  if (most % kPackedWidth == 0 && !packed_form(context).empty()) {
    std::vector<Reach> reach = reached(kPackedWidth);
    if (std::ranges::all_of(reach, [](Reach r) { return r == Reach::Vector; })) return {kPackedWidth, true, reach};
  }
  for (std::int64_t v = most; v > 1; v /= 2) {
    std::vector<Reach> reach = reached(v);
    const bool narrower = std::ranges::find(reach, Reach::Narrower) != reach.end();
    if (!narrower && std::ranges::find(reach, Reach::Vector) != reach.end()) return {v, false, std::move(reach)};
  }
  return {1, false, std::vector<Reach>(e.regions().size(), Reach::Lanes)};
}

class Writer {
 public:
  Writer(CallContext& context, const Work& work, std::int64_t threads)
      : context_(context), e_(elementwise(context)), work_(work), threads_(threads), out_(context.call.origin) {}

  // Error: the value of an element cannot be computed.
  std::expected<const ir::Stmt*, Reason> write() {
    const std::int64_t n = *e_.elements, step = work_.vec * threads_, rounds = (n + step - 1) / step;
    for (const Source& s : e_.sources) scalars_.push_back(s.is_region() ? Expr() : read_once(out_, s.scalar));
    Expr round = round_variable("s", rounds);
    Expr x = ir::simplify(round * Expr(step) + thread_index(context_) * Expr(work_.vec));
    ir::BodyBuilder body(context_.call.origin);
    auto done = work_.vec == 1 ? single(body, x) : several(body, x);
    if (!done) return std::unexpected(std::move(done.error()));
    const ir::Stmt* stmt = body.finish();
    if (rounds * step != n) {
      Expr inside = ir::binary(ir::ExprKind::LT, x, Expr(n));
      stmt = ir::make_stmt<ir::If>(context_.call.origin, inside, stmt, static_cast<const ir::Stmt*>(nullptr));
    }
    add_rounds(out_, round, rounds, stmt);
    add_barrier(context_, out_);
    return out_.finish();
  }

 private:
  Expr load(const ir::Region& region, Expr x, std::int64_t lane) {
    return ir::load(region.buffer, Arena::current().copy(element_index(region, e_.extents, x, lane)));
  }

  std::expected<void, Reason> single(ir::BodyBuilder& body, Expr x) {
    std::vector<Expr> values;
    for (std::size_t i = 0; const Source& s : e_.sources) {
      values.push_back(s.is_region() ? load(s.region, x, 0) : scalars_[i]);
      ++i;
    }
    auto value = element_value(e_, values);
    if (!value) return std::unexpected(std::move(value.error()));
    body.add<ir::Store>(e_.dst.buffer, Arena::current().copy(element_index(e_.dst, e_.extents, x, 0)), *value);
    return {};
  }

  // The lanes of each source into registers, the result in registers, and from there to the destination.
  std::expected<void, Reason> several(ir::BodyBuilder& body, Expr x) {
    std::vector<const ir::Buffer*> lanes;  // of the sources; null: a scalar
    for (std::size_t at = 1; const Source& s : e_.sources) {
      lanes.push_back(s.is_region() ? local_lanes(s.region.buffer, work_.vec) : nullptr);
      if (!s.is_region()) continue;
      out_.add<ir::Alloc>(lanes.back());
      load_lanes(context_, body, s.region, e_.extents, x, lanes.back(), work_.reach[at++]);
    }
    const ir::Buffer* result = local_lanes(e_.dst.buffer, work_.vec);
    out_.add<ir::Alloc>(result);
    auto at_lane = [&](std::size_t i, Expr lane) { return lanes[i] ? ir::load(lanes[i], {&lane, 1}) : scalars_[i]; };
    if (work_.packed) {
      std::vector<std::array<Expr, 2>> pairs;
      for (std::size_t i = 0; i < lanes.size(); ++i) pairs.push_back({at_lane(i, Expr(0)), at_lane(i, Expr(1))});
      add_packed(context_, body, result, Expr(0), pairs);
    } else {
      Expr lane = round_variable("v", work_.vec);
      std::vector<Expr> values;
      for (std::size_t i = 0; i < lanes.size(); ++i) values.push_back(at_lane(i, lane));
      auto value = element_value(e_, values);
      if (!value) return std::unexpected(std::move(value.error()));
      add_rounds(body, lane, work_.vec,
                 ir::make_stmt<ir::Store>(context_.call.origin, result,
                                          Arena::current().copy(std::span<const Expr>(&lane, 1)), *value),
                 ir::LoopKind::Unrolled);
    }
    store_lanes(context_, body, e_.dst, e_.extents, x, result, work_.reach[0]);
    return {};
  }

  CallContext& context_;
  const Elementwise& e_;
  const Work& work_;
  std::int64_t threads_;
  ir::BodyBuilder out_;
  std::vector<Expr> scalars_;  // one a source; null: a tile
};

void describe(Plan& plan, CallContext& context, const Work& work, std::int64_t threads) {
  const Elementwise& e = elementwise(context);
  const std::int64_t step = work.vec * threads, rounds = (*e.elements + step - 1) / step;
  int bits = 0;
  std::string apart;
  for (std::size_t i = 0; const ir::Region* r : e.regions()) {
    if (work.reach[i++] == Reach::Vector) {
      bits = std::max(bits, static_cast<int>(work.vec) * r->buffer->dtype.storage_bits());
    } else if (work.vec > 1) {
      apart += cat(apart.empty() ? "" : ", ", ir::spoken_name(*r->buffer));
    }
  }
  if (work.vec == 1) bits = e.dst.buffer->dtype.storage_bits();
  plan.fact("vec_elems", work.vec);
  plan.fact("vec_bits", bits);
  plan.fact("threads", threads);
  plan.fact("outer", rounds);
  if (work.packed) plan.facts.emplace_back("packed", packed_form(context));
  plan.summary = cat(elementwise_headline(context, "smem"), ", ", bits, "-bit, ", work.vec,
                     work.vec == 1 ? " element " : " elements ", worker_name(context.scope.kind), ", ", rounds,
                     rounds == 1 ? " round" : " rounds");
  if (work.packed) plan.summary += cat(" (", packed_form(context), ")");
  if (!apart.empty()) plan.summary += cat(", ", apart, " element by element");
}

}  // namespace

std::span<const Predicate> predicates() { return kSmemPredicates; }

Planned plan(CallContext& context) {
  const Elementwise& e = elementwise(context);
  if (Reason r = not_one_dimensional(context); !r.empty()) return decline(std::move(r));
  const std::int64_t threads = member_count(context);
  if (threads <= 0) return decline("the number of threads of the CTA is not known before the launch");
  const Work work = share(context, threads);
  auto body = Writer(context, work, threads).write();
  if (!body) return decline(std::move(body.error()));
  Plan plan{.body = *body};
  describe(plan, context, work, threads);
  if (!work.packed) note_scalar_rounding(plan, context);
  std::vector<ir::Region> regions;
  for (const ir::Region* r : e.regions()) regions.push_back(*r);
  auto sources = std::span(regions).subspan(1);
  note_overlap(plan, e.dst, sources);
  note_repetition(plan, context, regions, std::ranges::any_of(sources, [&](const ir::Region& s) {
                    return s.buffer->data == e.dst.buffer->data;
                  }));
  return plan;
}

}  // namespace tilewright::dispatch::variants::elementwise_smem
