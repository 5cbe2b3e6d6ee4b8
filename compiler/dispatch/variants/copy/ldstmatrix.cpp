// copy between shared memory and matrix fragments in registers by ldmatrix / stmatrix (dispatch.md 8.3).
//
// The instruction moves `num` 8x8 tiles of 16-bit elements: lane L holds elements (row L/4, columns 2(L mod 4), +1) of
// each tile, or the transposed of that, and the row addresses come from lanes 8i .. 8i+7 for tile i. The plan looks for
// that pattern by cutting both sides at [warps, 8, 4, issues, num, 2] and reading off the strides.
#include <algorithm>
#include <numeric>

#include "compiler/dispatch/blocks/emit.h"
#include "compiler/dispatch/blocks/iters.h"
#include "compiler/dispatch/blocks/operands.h"
#include "compiler/dispatch/blocks/swizzled.h"
#include "compiler/dispatch/blocks/threads.h"
#include "compiler/dispatch/blocks/width.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"
#include "compiler/intrinsics/intrinsic.h"

namespace tilewright::dispatch::variants::copy_ldstmatrix {
namespace {

using ir::Expr;
using layout::Axis;

Reason ldstmatrix_applicable(CallContext& context) {
  ir::ExecScope kind = context.scope.kind;
  if (kind == ir::ExecScope::Cluster || kind == ir::ExecScope::Thread) {
    return cat("works at warp, warpgroup and cta scope, not at ", ir::exec_scope_name(kind), " scope");
  }
  const CopyOperands& o = copy_operands(context);
  if (!o.invalid.empty()) return o.invalid;
  if (!o.local_shared) return wrong_pair(o, "ldstmatrix moves registers <-> shared");
  return not_all_active(context);
}

constexpr Predicate kLdstmatrixPredicates[] = {{"ldstmatrix_applicable", ldstmatrix_applicable}};

// Both sides over the same index: threads first, then registers.
struct Pairing {
  Walks registers, shared;
};

enum Segment : std::size_t { kWarps, kRow, kColumn, kIssue, kTile, kPair };

struct Match {
  int num = 0;
  bool transposed = false;
  std::int64_t pitch = 0;  // of a row of 8 elements, in shared memory
  Runs registers{}, shared{};
};

bool multiples_of_8(std::span<const Walk> run) {
  return std::ranges::all_of(run, [](const Walk& w) { return w.extent == 1 || w.stride % 8 == 0; });
}
bool even(std::span<const Walk> run) {
  return std::ranges::all_of(run, [](const Walk& w) { return w.extent == 1 || w.stride % 2 == 0; });
}
const Walk* single(const Runs& runs, std::size_t segment) {
  std::span<const Walk> run = runs.run(segment);
  return run.size() == 1 ? &run[0] : nullptr;
}

std::optional<Match> match(const Pairing& pair, std::int64_t threads, std::int64_t per_thread, int num) {
  std::int64_t shape[] = {threads / 32, 8, 4, per_thread / (2 * num), num, 2};
  auto r = group(pair.registers, shape), s = group(pair.shared, shape);
  if (!r || !s) return std::nullopt;
  const Walk *r_row = single(*r, kRow), *r_column = single(*r, kColumn), *r_pair = single(*r, kPair);
  const Walk *row = single(*s, kRow), *column = single(*s, kColumn), *pair_of = single(*s, kPair);
  if (!r_row || !r_column || !r_pair || !row || !column || !pair_of) return std::nullopt;
  if (threads > 32) {
    const Walk* warps = single(*r, kWarps);
    if (!warps || warps->stride != 32) return std::nullopt;
  }
  if (r_row->stride != 4 || r_column->stride != 1 || r_pair->stride != 1) return std::nullopt;
  // Two registers' worth of an element pair is one 32-bit register.
  if (!even(r->run(kIssue)) || !even(r->run(kTile))) return std::nullopt;
  for (const Walk& w : s->run(kTile)) {
    if (num > 1 && (w.stride <= 0 || w.stride % 8 != 0)) return std::nullopt;
  }
  if (!multiples_of_8(s->run(kIssue)) || !multiples_of_8(s->run(kWarps))) return std::nullopt;
  Match out{.num = num};
  if (column->stride == 2 && pair_of->stride == 1 && row->stride > 0 && row->stride % 8 == 0) {
    out.pitch = row->stride;
  } else if (row->stride == 1 && pair_of->stride > 0 && pair_of->stride % 8 == 0 &&
             column->stride == 2 * pair_of->stride) {
    out.transposed = true;
    out.pitch = pair_of->stride;
  } else {
    return std::nullopt;
  }
  out.registers = std::move(*r);
  out.shared = std::move(*s);
  return out;
}

// The same pairs with the registers in the order of descending stride in shared memory; nothing where that is their
// order already, or cannot be followed on the register side.
std::optional<Pairing> sorted_alternative(const Pairing& pair, std::int64_t threads, std::int64_t per_thread) {
  std::int64_t shape[] = {threads / 32, 8, 4, per_thread / 2, 2};
  auto r = group(pair.registers, shape), s = group(pair.shared, shape);
  if (!r || !s) return std::nullopt;
  std::span<const Walk> steps = s->run(3);
  std::vector<std::size_t> order(steps.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return steps[a].stride > steps[b].stride; });
  if (std::ranges::is_sorted(order)) return std::nullopt;
  std::vector<std::int64_t> extents;
  for (const Walk& w : steps) extents.push_back(w.extent);
  auto cut = group(r->run(3), extents);
  if (!cut) return std::nullopt;
  Pairing out;
  auto append = [](Walks& to, std::span<const Walk> run) { to.insert(to.end(), run.begin(), run.end()); };
  for (std::size_t i = 0; i < 3; ++i) {
    append(out.registers, r->run(i));
    append(out.shared, s->run(i));
  }
  for (std::size_t i : order) {
    append(out.registers, cut->run(i));
    append(out.shared, steps.subspan(i, 1));
  }
  append(out.registers, r->run(4));
  append(out.shared, s->run(4));
  return out;
}

// The first of the rules that one 8x8 tile an instruction breaks, for people.
Reason why_no_match(const Pairing& pair, std::int64_t threads, std::int64_t per_thread) {
  std::int64_t shape[] = {threads / 32, 8, 4, per_thread / 2, 1, 2};
  auto r = group(pair.registers, shape), s = group(pair.shared, shape);
  const Walk* lanes[] = {r ? single(*r, kRow) : nullptr, r ? single(*r, kColumn) : nullptr,
                         r ? single(*r, kPair) : nullptr};
  if (!lanes[0] || !lanes[1] || !lanes[2] || lanes[0]->stride != 4 || lanes[1]->stride != 1 || lanes[2]->stride != 1) {
    return "the registers are not laid out as 8x8 tiles: lane L with row L/4, columns 2(L mod 4) and the next";
  }
  const Walk *row = s ? single(*s, kRow) : nullptr, *column = s ? single(*s, kColumn) : nullptr,
             *next = s ? single(*s, kPair) : nullptr;
  if (!row || !column || !next) return "shared memory cannot be cut into the fragment's 8x8 tiles";
  if ((next->stride == 1 && column->stride == 2) || row->stride == 1) {
    std::int64_t pitch = next->stride == 1 && column->stride == 2 ? row->stride : next->stride;
    if (pitch % 8 != 0)
      return cat("rows of a tile are ", pitch, " elements apart in shared memory, not a multiple of 8 (16 bytes)");
    return "tiles do not start on multiples of 8 elements (16 bytes) in shared memory";
  }
  return cat("the 8 elements of a tile's row are not neighbours in shared memory: steps ", column->stride, " and ",
             next->stride);
}

std::int64_t place_constant(std::span<const Walk> run, std::int64_t x) {
  std::int64_t sum = 0;
  for (std::size_t i = run.size(); i-- > 0;) {
    sum += (i == 0 ? x : x % run[i].extent) * run[i].stride;
    x /= run[i].extent;
  }
  return sum;
}

// The copy as far as it does not depend on how the fragment is cut.
struct Sides {
  const ir::Region &registers, &shared;
  const Window &r, &s;  // of the registers, of shared memory
  std::string_view register_name() const { return ir::spoken_name(*registers.buffer); }
  std::string_view shared_name() const { return ir::spoken_name(*shared.buffer); }
};

// Empty: both sides are of the kind that the instruction moves.
Reason unfit(const Sides& c) {
  if (c.r.swizzle) return cat("the register layout of ", c.register_name(), " is swizzled");
  if (c.s.swizzle && c.s.swizzle->per_element < 3) {
    return cat("the swizzle of ", c.shared_name(), " keeps ", c.s.swizzle->chunk(),
               " elements together, a row of a tile is 8");
  }
  if (Reason why = not_plain(c.s, c.shared_name()); !why.empty()) return why;
  if (Reason why = symbolic_pitch(*c.shared.buffer); !why.empty()) return why;
  if (!c.r.tile.replica.empty()) return cat(c.register_name(), " has a replicated layout");
  return {};
}

// The fragment as a thread has it: who has which element, and where that lies in shared memory.
struct Fragment {
  std::optional<Axis> axis;           // over which it is spread
  std::vector<std::int64_t> extents;  // of the register layout
  Walks threads, elements, paired;    // the threads', a thread's own, and all of them in shared memory
};

// Empty: `out` has the axis and the extents.
Reason read_fragment(const Sides& c, Fragment& out) {
  for (const layout::Iter& it : c.r.tile.shard) {
    if (!it.extent.is_constant() || !it.stride.is_constant()) return cat(c.register_name(), " has no constant layout");
    out.extents.push_back(it.extent.value());
    if (it.axis == Axis::m) continue;
    if (it.axis != Axis::laneid && it.axis != Axis::tid_in_wg && it.axis != Axis::tx) {
      return cat("no fragment on axis ", layout::axis_name(it.axis));
    }
    if (out.axis && *out.axis != it.axis) return cat(c.register_name(), " is spread over two thread axes");
    out.axis = it.axis;
  }
  if (!out.axis) return cat(c.register_name(), " is not spread over lanes");
  for (const auto& [on, value] : c.r.offset) {
    if (on != Axis::m && !value.is(0)) return cat("the region of ", c.register_name(), " starts inside a fragment");
  }
  return {};
}

// Threads first, then what each has, by falling strides. Empty: it is done.
Reason pair_up(const Sides& c, Fragment& f) {
  Walks shared_walks;
  for (const layout::Iter& it : c.s.tile.shard) shared_walks.push_back(walk_of(it));
  std::optional<Runs> runs = group(shared_walks, f.extents);
  if (!runs) return cat("the layout of ", c.shared_name(), " cannot be cut where the fragment is");
  std::vector<std::size_t> order(f.extents.size());
  std::iota(order.begin(), order.end(), 0);
  auto key = [&](std::size_t i) {
    const layout::Iter& it = c.r.tile.shard[i];
    return std::pair(it.axis == Axis::m, -it.stride.value());
  };
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  for (std::size_t i : order) {
    const layout::Iter& it = c.r.tile.shard[i];
    (it.axis == Axis::m ? f.elements : f.threads).push_back({it.extent.value(), it.stride.value()});
    std::span<const Walk> run = runs->run(i);
    f.paired.insert(f.paired.end(), run.begin(), run.end());
  }
  return {};
}

// The most tiles an instruction; nothing: not even one, and `why` says what is in the way.
std::optional<Match> best_match(const Fragment& f, std::int64_t threads, std::int64_t per_thread, Reason& why) {
  Pairing plain{fuse(f.threads), fuse(f.paired)};
  Walks elements = fuse(f.elements);
  plain.registers.insert(plain.registers.end(), elements.begin(), elements.end());
  std::optional<Pairing> sorted = sorted_alternative(plain, threads, per_thread);
  std::optional<Match> found;
  for (int num : {4, 2, 1}) {
    if (found || per_thread % (2 * num) != 0) continue;
    if (sorted) found = match(*sorted, threads, per_thread, num);
    if (!found) found = match(plain, threads, per_thread, num);
  }
  if (!found) why = why_no_match(plain, threads, per_thread);
  return found;
}

const ir::Stmt* issue_all(CallContext& context, const Sides& c, const Match& found, Axis axis, std::int64_t threads,
                          std::int64_t issues) {
  const bool loads = copy_operands(context).dst.buffer->scope == ir::StorageScope::Local;
  const int num = found.num;
  ir::BodyBuilder out(context.call.origin);
  Expr lane = context.scope_id(ir::ScopeBinding::WarpThread);
  Expr address = c.s.start().expr() + lane % Expr(8) * Expr(found.pitch);
  if (threads > 32) {
    Expr warp = context.scope_id(axis == Axis::tx ? ir::ScopeBinding::CtaWarp : ir::ScopeBinding::WarpgroupWarp);
    address = address + place(found.shared.run(kWarps), warp);
  }
  // Lanes beyond the last tile give addresses that the instruction ignores; they repeat those of its tiles.
  if (num > 1) address = address + place(found.shared.run(kTile), lane / Expr(8) % Expr(num));
  std::span<const Walk> steps = found.shared.run(kIssue);
  Walks loop(steps.begin(), steps.end());
  RoundAddress rounds(out, c.s.swizzle, &loop, address, "s");
  Expr base = ir::simplify(address);
  if (!c.s.swizzle && issues > 1) base = out.let("s_base", base);
  const intrinsics::Intrinsic& row = loads ? intrinsics::ldmatrix_row() : intrinsics::stmatrix_row();
  for (std::int64_t i = 0; i < issues; ++i) {
    Expr linear = base + Expr(place_constant(steps, i));
    Expr at = c.s.swizzle ? rounds.at(Expr(i), linear) : ir::simplify(linear);
    if (!at.as<ir::Var>() && !ir::constant(at)) at = out.let("s_offset", at);
    std::vector<Expr> args = {ir::int_imm(ir::kInt32, found.transposed), Expr(num),
                              element_pointer(context, c.shared.buffer, at)};
    for (int t = 0; t < num; ++t) {
      std::int64_t slot =
          place_constant(found.registers.run(kIssue), i) + place_constant(found.registers.run(kTile), t);
      args.push_back(element_pointer(context, c.registers.buffer, ir::simplify(c.r.start().expr() + Expr(slot))));
    }
    out.add<ir::Evaluate>(ir::call(ir::kVoid, row, args));
  }
  return out.finish();
}

}  // namespace

std::span<const Predicate> predicates() { return kLdstmatrixPredicates; }

Planned plan(CallContext& context) {
  const CopyOperands& o = copy_operands(context);
  const bool loads = o.dst.buffer->scope == ir::StorageScope::Local;
  if (o.bits != 16) return decline(cat("moves elements of 16 bits, these have ", o.bits));
  const int needs = loads ? 75 : 90;
  if (!context.target().at_least(needs)) {
    context.lacks_instruction = true;
    return decline(
        cat(loads ? "ldmatrix" : "stmatrix", " needs sm_", needs, ", the target is ", context.target().name()));
  }
  if (!o.elements) return decline("an extent of the region is known only at run time");
  const WindowResult &r = window(context, loads), &s = window(context, !loads);
  if (!r || !s) return decline(r ? s.error() : r.error());
  const Sides c{o.on(loads), o.on(!loads), *r, *s};
  if (Reason why = unfit(c); !why.empty()) return decline(std::move(why));
  Fragment f;
  if (Reason why = read_fragment(c, f); !why.empty()) return decline(std::move(why));
  if (Reason why = pair_up(c, f); !why.empty()) return decline(std::move(why));

  const std::int64_t threads = product(f.threads), per_thread = product(f.elements);
  if (threads != axis_extent(context, *f.axis)) {
    return decline(cat("the fragment covers ", threads, " of ", axis_extent(context, *f.axis), " threads on ",
                       layout::axis_name(*f.axis)));
  }
  if (per_thread % 2 != 0) return decline(cat(per_thread, " elements a thread are no whole registers"));
  Reason why;
  std::optional<Match> found = best_match(f, threads, per_thread, why);
  if (!found) return decline(std::move(why));
  if (!layout::provably_divisible(c.s.start(), 8) || !base_allows(*c.shared.buffer, 8)) {
    return decline(cat("the region of ", c.shared_name(), " does not start on a multiple of 16 bytes"));
  }
  if (!layout::provably_divisible(c.r.start(), 2) || !base_allows(*c.registers.buffer, 2)) {
    return decline(cat("the region of ", c.register_name(), " starts inside a 32-bit register"));
  }

  const std::int64_t issues = per_thread / (2 * found->num);
  Plan plan{.body = issue_all(context, c, *found, *f.axis, threads, issues)};
  plan.fact("matrices", found->num);
  plan.fact("trans", found->transposed);
  plan.fact("issues", issues);
  plan.summary = cat(headline(context, "ldstmatrix"), ", ", loads ? "ldmatrix" : "stmatrix", ".x", found->num,
                     found->transposed ? ".trans, " : ", ", issues, issues == 1 ? " issue" : " issues");
  return plan;
}

}  // namespace tilewright::dispatch::variants::copy_ldstmatrix
