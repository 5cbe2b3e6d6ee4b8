// copy_async from shared memory to tensor memory by tcgen05.cp (copy_async.md 6).
//
// One instruction, .32x128b.warpx4, takes 32 rows of 16 bytes and writes them to four 32-bit columns, for all four
// quarters of the lanes alike: that is how block scale factors lie. A matrix descriptor says where the rows are: eight
// rows of an atom at a pitch that is the swizzle's width, four atoms a constant distance apart. What remains of the
// region besides one such piece becomes steps of the descriptor's address and of the column.
#include <algorithm>
#include <bit>
#include <numeric>

#include "compiler/dispatch/blocks/emit.h"
#include "compiler/dispatch/blocks/iters.h"
#include "compiler/dispatch/blocks/matrix_descriptor.h"
#include "compiler/dispatch/blocks/operands.h"
#include "compiler/dispatch/blocks/options.h"
#include "compiler/dispatch/blocks/row_call.h"
#include "compiler/dispatch/blocks/width.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch::variants::copy_async_smem_tmem {
namespace {

using ir::Expr;
using ir::StorageScope;
using layout::Axis;

const intrinsics::Intrinsic& copy_row() {
  static const intrinsics::Intrinsic& row = row_of("tmem_copy");
  return row;
}
const intrinsics::Intrinsic& descriptor_row() {
  static const intrinsics::Intrinsic& row = row_of("matrix_descriptor");
  return row;
}

Reason operands(CallContext& context) {
  const CopyOperands& o = copy_operands(context);
  // It moves rows of 16 bytes, of whatever type: scale factors often are loaded as plain bytes.
  if (!o.invalid.empty() && !o.only_types_differ) return o.invalid;
  const ir::Buffer& cells = *o.dst.buffer;
  if (!ir::is_shared(o.src.buffer->scope) || cells.scope != StorageScope::Tmem) {
    return wrong_pair(o, "smem->tmem moves shared -> tensor memory");
  }
  const layout::Iters* router = cells.layout->tile ? &cells.layout->tile->replica : nullptr;
  if (router && router->size() == 1 && layout::same((*router)[0], {4, 32, Axis::TLane})) return {};
  return cat("the layout of ", ir::spoken_name(cells),
             " does not repeat 32 lanes in all four quarters, R[4:32@TLane], as .warpx4 does");
}

Reason single_thread(CallContext& context) {
  if (context.scope.kind == ir::ExecScope::Thread) return {};
  return cat("one thread issues tcgen05.cp, this is ", ir::exec_scope_name(context.scope.kind),
             " scope: guard with one elected lane");
}

Reason target(CallContext& context) { return no_such_instruction(context, copy_row(), "tcgen05.cp"); }

constexpr Predicate kPredicates[] = {
    {"validate_copy_op", operands}, {"single_thread", single_thread}, {"target", target}};

// Shared memory and tensor memory walked together, lanes first, then columns from the outside.
struct Sides {
  Walks shared, lanes, columns;
};

std::expected<Sides, Reason> paired(const Window& s, const Window& t) {
  std::vector<std::int64_t> extents;
  for (const layout::Iter& it : t.tile.shard) {
    if (!it.extent.is_constant() || !it.stride.is_constant() || (it.axis != Axis::TLane && it.axis != Axis::TCol)) {
      return std::unexpected(Reason("the tensor-memory side is not a constant layout over lanes and columns"));
    }
    extents.push_back(it.extent.value());
  }
  Walks shared;
  for (const layout::Iter& it : s.tile.shard) shared.push_back(walk_of(it));
  auto runs = group(shared, extents);
  if (!runs) return std::unexpected(Reason("shared memory cannot be cut where the tensor-memory side is"));
  std::vector<std::size_t> order(extents.size());
  std::iota(order.begin(), order.end(), 0);
  auto key = [&](std::size_t i) {
    return std::pair(t.tile.shard[i].axis != Axis::TLane, -t.tile.shard[i].stride.value());
  };
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  Sides out;
  for (std::size_t i : order) {
    const layout::Iter& it = t.tile.shard[i];
    (it.axis == Axis::TLane ? out.lanes : out.columns).push_back(walk_of(it));
    std::span<const Walk> run = runs->run(i);
    out.shared.insert(out.shared.end(), run.begin(), run.end());
  }
  out.shared = fuse(out.shared);
  out.lanes = fuse(out.lanes);
  out.columns = fuse(out.columns);
  return out;
}

// Elements that both sides repeat need no copy of their own. The products of what lies between the repetitions,
// and their extents; both sides must agree.
std::vector<std::int64_t> between_repetitions(std::span<const Walk> walks) {
  std::vector<std::int64_t> out = {1};
  for (const Walk& w : walks) {
    if (w.stride != 0) {
      out.back() *= w.extent;
    } else if (w.extent != 1) {
      out.push_back(w.extent);
      out.push_back(1);
    }
  }
  return out;
}
Walks without_repetitions(Walks walks) {
  std::erase_if(walks, [](const Walk& w) { return w.stride == 0; });
  return fuse(walks);
}

// What one instruction leaves: `extent` pieces, so far apart on either side.
struct Step {
  std::int64_t extent, columns, units;  // 32-bit columns, units of 16 bytes
};

struct Pieces {
  std::int64_t atom_distance = 0;  // bytes between groups of eight rows
  std::int64_t pitch = 0;          // bytes between rows
  std::vector<Step> steps;
};

std::expected<Pieces, Reason> pieces(const Window& s, const Window& t, int bits) {
  auto refuse = [](Reason r) { return std::unexpected(std::move(r)); };
  const std::int64_t row = 128 / bits, cell = 32 / bits;
  auto bytes = [&](std::int64_t elements) { return elements * bits / 8; };
  auto sides = paired(s, t);
  if (!sides) return refuse(std::move(sides.error()));
  Walks both = sides->lanes;
  both.insert(both.end(), sides->columns.begin(), sides->columns.end());
  if (between_repetitions(sides->shared) != between_repetitions(both)) {
    return refuse("the two sides do not repeat the same elements");
  }
  const Walks shared = without_repetitions(sides->shared), columns = without_repetitions(sides->columns);
  if (sides->lanes.size() != 1 || sides->lanes[0].extent != 32 || sides->lanes[0].stride != 1) {
    return refuse(".32x128b.warpx4 writes 32 neighbouring lanes; the region covers " +
                  std::to_string(product(sides->lanes)));
  }
  const std::int64_t total = product(columns);
  if (total % row != 0) {
    return refuse(cat("a row of ", bytes(total), " bytes is no multiple of the 16 that one instruction moves"));
  }
  const std::int64_t middle = total / row;
  const std::int64_t shared_shape[] = {32, middle, row}, column_shape[] = {middle, row};
  auto in_shared = group(shared, shared_shape), in_columns = group(columns, column_shape);
  if (!in_shared || !in_columns) return refuse("the region cannot be cut into 32 rows of 16 bytes");
  auto contiguous = [&](std::span<const Walk> run) {
    Walks w = fuse(run);
    return w.size() == 1 && w[0].stride == 1;
  };
  if (!contiguous(in_columns->run(1))) return refuse("a row's 16 bytes are not neighbours in tensor memory");
  if (!contiguous(in_shared->run(2))) return refuse("a row's 16 bytes are not neighbours in shared memory");

  Pieces out;
  if (middle > 1) {
    Walks a = fuse(in_columns->run(0)), b = fuse(in_shared->run(1));
    auto extents = [](const Walks& w) {
      std::vector<std::int64_t> e;
      for (const Walk& x : w) e.push_back(x.extent);
      return e;
    };
    auto cut = group(b, extents(a));
    auto again = cut ? group(a, extents(cut->walks)) : std::nullopt;
    if (!again || again->walks.size() != cut->walks.size()) {
      return refuse("the steps through shared and tensor memory do not divide each other");
    }
    for (std::size_t i = 0; i < again->walks.size(); ++i) {
      const Walk &to = again->walks[i], &from = cut->walks[i];
      if (to.extent == 1) continue;
      if (bytes(from.stride) % 16 != 0 || to.stride % cell != 0) {
        return refuse(cat("steps of ", bytes(from.stride), " bytes in shared memory and ", to.stride,
                          " elements in tensor memory are no multiples of 16 bytes and of ", cell, " elements"));
      }
      out.steps.push_back({to.extent, to.stride / cell, bytes(from.stride) / 16});
    }
  }
  const std::int64_t atoms[] = {4, 8};
  auto rows = group(fuse(in_shared->run(0)), atoms);
  if (!rows || rows->run(0).size() != 1 || rows->run(1).size() != 1) {
    return refuse("the 32 rows are not four groups of eight at constant distances in shared memory");
  }
  out.atom_distance = bytes(rows->run(0)[0].stride);
  out.pitch = bytes(rows->run(1)[0].stride);
  return out;
}

// The swizzle mode whose rows have this pitch, and that the layout has.
std::expected<int, Reason> mode_of(const Pieces& p, const Window& s, const ir::Buffer& shared) {
  auto refuse = [](Reason r) { return std::unexpected(std::move(r)); };
  if (p.pitch != 16 && p.pitch != 32 && p.pitch != 64 && p.pitch != 128) {
    return refuse(cat("rows are ", p.pitch, " bytes apart in shared memory, a descriptor has 16, 32, 64 or 128"));
  }
  const int mode = std::countr_zero(static_cast<std::uint64_t>(p.pitch / 16));
  const int has = s.swizzle ? s.swizzle->swizzle_len : 0;
  if (mode != has) {
    return refuse(cat("rows ", p.pitch, " bytes apart need swizzle mode ", mode, ", the layout of ",
                      ir::spoken_name(shared), " has ", has));
  }
  if (s.swizzle) {
    auto atom = layout::mma_atom_layout(shared.dtype, static_cast<layout::SwizzleMode>(mode));
    if (!atom || atom->swizzle != s.swizzle) {
      return refuse(
          cat("the swizzle of ", ir::spoken_name(shared), " is not the hardware's for ", ir::dtype_name(shared.dtype)));
    }
  }
  if (p.atom_distance < 0 || p.atom_distance % 16 != 0 || p.atom_distance / 16 > 0x3fff) {
    return refuse(cat("groups of eight rows ", p.atom_distance, " bytes apart do not fit a descriptor"));
  }
  return mode;
}

}  // namespace

std::span<const Predicate> predicates() { return kPredicates; }

Planned plan(CallContext& context) {
  const CopyOperands& o = copy_operands(context);
  const ir::Buffer &shared = *o.src.buffer, &cells = *o.dst.buffer;
  Expr cta_group = option(context.call, "cta_group");
  if (!cta_group) cta_group = Expr(1);
  if (!ir::is_constant(cta_group, 1) && !ir::is_constant(cta_group, 2)) {
    return decline(cat("cta_group= is 1 or 2, not ", ir::to_string(cta_group)));
  }
  if (!cells.allocated_addr) return decline(cat(ir::spoken_name(cells), " has no address in tensor memory"));
  if (o.bits > 32 || 32 % o.bits != 0) {
    return decline(cat("elements of ", o.bits, " bits do not share 32-bit cells"));
  }
  const WindowResult &t = window(context, true), &s = window(context, false);
  if (!t || !s) return decline(t ? s.error() : t.error());
  if (Reason why = not_plain(*s, ir::spoken_name(shared)); !why.empty()) return decline(std::move(why));
  if (Reason why = symbolic_pitch(shared); !why.empty()) return decline(std::move(why));
  if (t->swizzle) return decline(cat(ir::spoken_name(cells), " is swizzled; tensor memory has lanes and columns only"));
  auto p = pieces(*s, *t, o.bits);
  if (!p) return decline(std::move(p.error()));
  auto mode = mode_of(*p, *s, shared);
  if (!mode) return decline(std::move(mode.error()));

  const std::int64_t cell = 32 / o.bits, unit = 128 / o.bits;  // a column and 16 bytes, in elements
  for (const auto& [axis, value] : t->offset) {
    if (axis == Axis::TCol ? layout::provably_divisible(value, cell) : value.is(0)) continue;
    return decline(cat("the region of ", ir::spoken_name(cells), " starts at ", layout::to_string(value), " on ",
                       layout::axis_name(axis), axis == Axis::TCol ? cat(", not a multiple of ", cell) : Reason()));
  }
  // Under a swizzle only whole atoms of eight rows start where the descriptor's pattern starts.
  const std::int64_t atom = *mode == 0 ? 16 : 8 * p->pitch;
  if (!layout::provably_divisible(s->start(), atom * 8 / o.bits)) {
    return decline(cat("the region of ", ir::spoken_name(shared), " starts at offset ", layout::to_string(s->start()),
                       " elements, not a multiple of ", atom, " bytes"));
  }
  // Y21. Storage itself is aligned to the swizzles that look at it when it is allocated.
  const bool displaced = shared.elem_offset && !ir::provably_divisible(shared.elem_offset, atom * 8 / o.bits);
  if (displaced || !base_allows(shared, unit)) {
    return decline(cat(ir::spoken_name(shared), " does not start on a multiple of ", atom,
                       " bytes: allocate it with that alignment"));
  }

  std::int64_t issues = 1;
  for (const Step& step : p->steps) issues *= step.extent;
  ir::BodyBuilder out(context.call.origin);
  Expr encoded = add_descriptor(context, out, "smem_desc", descriptor_row(), &shared,
                                {.ldo = 16, .sdo = p->atom_distance / 16, .mode = *mode});
  // The first pair of steps runs fastest.
  Expr i = round_variable("i", issues), rest = i;
  Expr column = layout::offset_on(t->offset, Axis::TCol).expr() / Expr(cell), at = s->start().expr() / Expr(unit);
  for (std::size_t k = 0; k < p->steps.size(); ++k) {
    const Step& step = p->steps[k];
    Expr digit = k + 1 == p->steps.size() ? rest : rest % Expr(step.extent);
    column = column + digit * Expr(step.columns);
    at = at + digit * Expr(step.units);
    rest = rest / Expr(step.extent);
  }
  ir::BodyBuilder issue(context.call.origin);
  at = ir::simplify(at);
  Expr source = moved_descriptor(encoded, at);
  Expr address = ir::cast(ir::kUInt32, cells.allocated_addr);
  column = ir::simplify(column);
  if (!ir::is_constant(column, 0)) address = ir::add(address, ir::cast(ir::kUInt32, column));
  issue.add<ir::Evaluate>(
      row_call(copy_row(), {address, source, ir::string_imm("32x128b"), cta_group, ir::string_imm("warpx4")}));
  add_rounds(out, i, issues, issue.finish(), ir::LoopKind::Unrolled);

  Plan plan{.body = out.finish()};
  plan.fact("issues", issues);
  plan.summary =
      cat(headline(context, "smem->tmem"), ", tcgen05.cp.32x128b.warpx4, ", issues, issues == 1 ? " issue" : " issues");
  return plan;
}

}  // namespace tilewright::dispatch::variants::copy_async_smem_tmem
