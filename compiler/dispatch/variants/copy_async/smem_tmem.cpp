// copy_async from shared memory to tensor memory by tcgen05.cp (copy_async.md 6).
//
// One instruction takes rows of 16 or 32 bytes and writes them to four or eight 32-bit columns of as many lanes; the
// multicast shapes write each row to several quarters of the lanes alike. Block scale factors lie as .32x128b.warpx4
// writes them, the only shape of 0.25; from 0.26 on the call names the shape, or the layout of tensor memory tells. A
// matrix descriptor says where the rows are: eight rows of an atom at a pitch that is the swizzle's width, atoms a
// constant distance apart. What remains of the region besides one such piece becomes steps of the descriptor's address,
// of the column and of the lane.
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

bool chooses_shape(const CallContext& context) { return context.kernel.dialect() >= text::Dialect::V0_26; }

Reason operands(CallContext& context) {
  const CopyOperands& o = copy_operands(context);
  // It moves rows of 16 bytes, of whatever type: scale factors often are loaded as plain bytes.
  if (!o.invalid.empty() && !o.only_types_differ) return o.invalid;
  const ir::Buffer& cells = *o.dst.buffer;
  if (!ir::is_shared(o.src.buffer->scope) || cells.scope != StorageScope::Tmem) {
    return wrong_pair(o, "smem->tmem moves shared -> tensor memory");
  }
  if (chooses_shape(context)) {
    return cells.allocated_addr ? Reason() : cat(ir::spoken_name(cells), " has no address in tensor memory");
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

Reason smem_tmem_target(CallContext& context) { return no_such_instruction(context, copy_row(), "tcgen05.cp"); }

constexpr Predicate kSmemTmemPredicates[] = {
    {"validate_copy_op", operands}, {"single_thread", single_thread}, {"target", smem_tmem_target}};

// A form of the instruction, and which lanes one copy of its rows takes.
struct Shape {
  std::string_view name, multicast;
  std::int64_t rows, bits;  // bits of a row
  layout::Iters lanes, replica;

  std::string text() const { return cat(name, multicast.empty() ? "" : ".", multicast); }
};

// The widest first: a region of 256-bit rows can be cut into 128-bit ones, too.
const std::vector<Shape>& shapes() {
  constexpr Axis l = Axis::TLane;
  static const std::vector<Shape> all = {
      {"128x256b", "", 128, 256, {{128, 1, l}}, {}},
      {"4x256b", "", 4, 256, {{4, 32, l}}, {}},
      {"128x128b", "", 128, 128, {{128, 1, l}}, {}},
      {"64x128b", "warpx2::02_13", 64, 128, {{64, 1, l}}, {{2, 64, l}}},
      {"64x128b", "warpx2::01_23", 64, 128, {{2, 64, l}, {32, 1, l}}, {{2, 32, l}}},
      {"32x128b", "warpx4", 32, 128, {{32, 1, l}}, {{4, 32, l}}},
  };
  return all;
}

// Tensor memory is walked with one number a step: lanes count this much, columns 1.
constexpr std::int64_t kLane = std::int64_t{1} << 30;

bool same(const layout::Iters& a, const layout::Iters& b) {
  return std::ranges::equal(a, b, [](const layout::Iter& x, const layout::Iter& y) { return layout::same(x, y); });
}

// Shared memory and tensor memory walked together, lanes first, then columns from the outside.
struct Sides {
  Walks shared, tensor;
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
    Walk walk = walk_of(t.tile.shard[i]);
    if (t.tile.shard[i].axis == Axis::TLane) walk.stride *= kLane;
    out.tensor.push_back(walk);
    std::span<const Walk> run = runs->run(i);
    out.shared.insert(out.shared.end(), run.begin(), run.end());
  }
  out.shared = fuse(out.shared);
  out.tensor = fuse(out.tensor);
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
  std::int64_t extent, address, units;  // of tensor memory: lanes in the upper half, 32-bit columns; of 16 bytes
};

struct Pieces {
  std::int64_t atom_distance = 0;  // bytes between groups of eight rows
  std::int64_t pitch = 0;          // bytes between rows
  std::int64_t halves = 16;        // bytes between both 16 bytes of a row of 32
  std::vector<Step> steps;
};

// One side's walk cut into the instruction's rows, what lies between, and a row.
struct Cut {
  Walks rows, middle, row;
};
std::optional<Cut> cut(std::span<const Walk> walks, const Shape& shape, std::int64_t row) {
  const std::int64_t total = product(walks), piece = shape.rows * row;
  if (total < piece || total % piece != 0) return std::nullopt;
  const std::int64_t extents[] = {shape.rows, total / piece, row};
  auto runs = group(walks, extents);
  if (!runs) return std::nullopt;
  return Cut{fuse(runs->run(0)), fuse(runs->run(1)), fuse(runs->run(2))};
}

std::string walk_text(const Walks& walks) {
  std::string out;
  for (const Walk& w : walks) {
    const bool lane = w.stride % kLane == 0;
    out += cat(out.empty() ? "" : ", ", w.extent, " at stride ", lane ? w.stride / kLane : w.stride,
               lane ? " lanes" : " columns");
  }
  return out.empty() ? "1" : out;
}

Reason wrong_lanes(const Shape& shape, const Walks& rows) {
  Walks wanted;
  for (const layout::Iter& it : shape.lanes) wanted.push_back({it.extent.value(), it.stride.value() * kLane});
  auto equal = [](const Walk& a, const Walk& b) { return a.extent == b.extent && a.stride == b.stride; };
  if (std::ranges::equal(rows, wanted, equal)) return {};
  return cat(".", shape.text(), " writes ", walk_text(wanted), "; the region's first ", shape.rows, " rows are ",
             walk_text(rows));
}

// Scale factors: 32 lanes, and rows of 16 bytes.
Reason not_in_32_lanes(const Walks& tensor, std::int64_t row, int bits) {
  Walks lanes, columns;
  for (const Walk& w : tensor) (w.stride % kLane == 0 ? lanes : columns).push_back(w);
  if (lanes.size() != 1 || lanes[0].extent != 32 || lanes[0].stride != kLane) {
    return cat(".32x128b.warpx4 writes 32 neighbouring lanes; the region covers ", product(lanes));
  }
  if (product(columns) % row == 0) return {};
  return cat("a row of ", product(columns) * bits / 8, " bytes is no multiple of the 16 that one instruction moves");
}

// How the row groups of eight, and a row's halves, lie in shared memory.
Reason describe_rows(const Shape& shape, const Cut& shared, int bits, Pieces& out) {
  const std::int64_t unit = 128 / bits;
  auto bytes = [&](std::int64_t elements) { return elements * bits / 8; };
  const std::int64_t atoms[] = {std::max<std::int64_t>(shape.rows / 8, 1), std::min<std::int64_t>(shape.rows, 8)};
  auto rows = group(shared.rows, atoms);
  if (!rows || fuse(rows->run(0)).size() > 1 || fuse(rows->run(1)).size() != 1 ||
      (atoms[0] > 1 && rows->run(0).size() != 1)) {
    const std::string groups = atoms[0] == 4 ? "four" : std::to_string(atoms[0]);
    return cat("the ", shape.rows, " rows are not ",
               atoms[0] > 1 ? groups + " groups of eight at constant distances" : "at one distance",
               " in shared memory");
  }
  out.atom_distance = atoms[0] > 1 ? bytes(rows->run(0)[0].stride) : 0;
  out.pitch = bytes(fuse(rows->run(1))[0].stride);
  if (shape.bits == 128) return {};
  const std::int64_t parts[] = {2, unit};
  auto halves = group(shared.row, parts);
  if (!halves || halves->run(0).size() != 1 || halves->run(1).size() != 1 || halves->run(1)[0].stride != 1) {
    return "a row's 32 bytes are not two times 16 neighbours in shared memory";
  }
  out.halves = bytes(halves->run(0)[0].stride);
  if (out.halves % 16 != 0) return cat("both halves of a row are ", out.halves, " bytes apart, not a multiple of 16");
  return {};
}

std::expected<Pieces, Reason> pieces(const Window& s, const Window& t, int bits, const Shape& shape) {
  const std::int64_t row = shape.bits / bits, cell = 32 / bits;
  auto bytes = [&](std::int64_t elements) { return elements * bits / 8; };
  if (!same(t.tile.replica, shape.replica)) {
    return refuse(cat(".", shape.text(),
                      shape.replica.empty() ? " writes each row once, the layout repeats lanes"
                                            : " repeats lanes otherwise than the layout"));
  }
  auto sides = paired(s, t);
  if (!sides) return refuse(std::move(sides.error()));
  if (between_repetitions(sides->shared) != between_repetitions(sides->tensor)) {
    return refuse("the two sides do not repeat the same elements");
  }
  const Walks tensor = without_repetitions(sides->tensor);
  if (shape.rows == 32) {
    if (Reason why = not_in_32_lanes(tensor, row, bits); !why.empty()) return refuse(std::move(why));
  }
  auto in_shared = cut(without_repetitions(sides->shared), shape, row), in_tensor = cut(tensor, shape, row);
  if (!in_shared || !in_tensor) {
    return refuse(cat("the region cannot be cut into ", shape.rows, " rows of ", shape.bits / 8, " bytes"));
  }
  if (Reason why = wrong_lanes(shape, in_tensor->rows); !why.empty()) return refuse(std::move(why));
  if (in_tensor->row.size() != 1 || in_tensor->row[0].stride != 1) {
    return refuse(cat("a row's ", shape.bits / 8, " bytes are not neighbours in tensor memory"));
  }
  if (shape.bits == 128 && (in_shared->row.size() != 1 || in_shared->row[0].stride != 1)) {
    return refuse("a row's 16 bytes are not neighbours in shared memory");
  }
  Pieces out;
  const Walks &a = in_tensor->middle, &b = in_shared->middle;
  auto extents = [](const Walks& w) {
    std::vector<std::int64_t> e;
    for (const Walk& x : w) e.push_back(x.extent);
    return e;
  };
  if (product(a) > 1) {
    auto from_runs = group(b, extents(a));
    auto to_runs = from_runs ? group(a, extents(from_runs->walks)) : std::nullopt;
    if (!to_runs || to_runs->walks.size() != from_runs->walks.size()) {
      return refuse("the steps through shared and tensor memory do not divide each other");
    }
    for (std::size_t i = 0; i < to_runs->walks.size(); ++i) {
      const Walk &to = to_runs->walks[i], &from = from_runs->walks[i];
      if (to.extent == 1) continue;
      const bool lanes = to.stride % kLane == 0;
      if (bytes(from.stride) % 16 != 0 || (!lanes && to.stride % cell != 0)) {
        return refuse(cat("steps of ", bytes(from.stride), " bytes in shared memory and ", to.stride,
                          " elements in tensor memory are no multiples of 16 bytes and of ", cell, " elements"));
      }
      out.steps.push_back({to.extent, lanes ? to.stride / kLane << 16 : to.stride / cell, bytes(from.stride) / 16});
    }
  }
  if (Reason why = describe_rows(shape, *in_shared, bits, out); !why.empty()) return refuse(std::move(why));
  return out;
}

// The swizzle mode whose rows have this pitch, and that the layout has.
std::expected<int, Reason> mode_of(const Pieces& p, const Window& s, const ir::Buffer& shared) {
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

// What one form of the instruction makes of the call.
struct Form {
  const Shape* shape;
  Pieces pieces;
  int mode;
};

// Where the regions start: an address of tensor memory, from the buffer's own on, and 16-byte units of shared memory.
Reason misplaced(CallContext& context, const Form& form) {
  const CopyOperands& o = copy_operands(context);
  const ir::Buffer &shared = *o.src.buffer, &cells = *o.dst.buffer;
  const Window &t = *window(context, true), &s = *window(context, false);
  // From 0.26 on as the hardware asks: four columns at once.
  const std::int64_t cell = 32 / o.bits, grain = chooses_shape(context) ? 4 * cell : cell, unit = 128 / o.bits;
  std::int64_t lanes = 1;
  for (const layout::Iters* iters : {&t.tile.shard, &t.tile.replica}) {
    for (const layout::Iter& it : *iters) {
      if (it.axis == Axis::TLane) lanes += (it.extent.value() - 1) * it.stride.value();
    }
  }
  for (const auto& [axis, value] : t.offset) {
    if (axis == Axis::TCol ? layout::provably_divisible(value, grain) : value.is(0)) continue;
    if (axis == Axis::TLane && chooses_shape(context) && form.shape->rows == 4 && value.is_constant() &&
        value.value() >= 0 && value.value() + lanes <= 128) {
      continue;
    }
    return cat("the region of ", ir::spoken_name(cells), " starts at ", layout::to_string(value), " on ",
               layout::axis_name(axis), axis == Axis::TCol ? cat(", not a multiple of ", grain) : Reason());
  }
  // Under a swizzle only whole atoms of eight rows start where the descriptor's pattern starts.
  const std::int64_t atom = form.mode == 0 ? 16 : 8 * form.pieces.pitch;
  if (!layout::provably_divisible(s.start(), atom * 8 / o.bits)) {
    return cat("the region of ", ir::spoken_name(shared), " starts at offset ", layout::to_string(s.start()),
               " elements, not a multiple of ", atom, " bytes");
  }
  // Y21. Storage itself is aligned to the swizzles that look at it when it is allocated.
  const bool displaced = shared.elem_offset && !ir::provably_divisible(shared.elem_offset, atom * 8 / o.bits);
  if (displaced || !base_allows(shared, unit)) {
    return cat(ir::spoken_name(shared), " does not start on a multiple of ", atom,
               " bytes: allocate it with that alignment");
  }
  return {};
}

std::expected<Form, Reason> form_of(CallContext& context, const Shape& shape) {
  const CopyOperands& o = copy_operands(context);
  auto p = pieces(*window(context, false), *window(context, true), o.bits, shape);
  if (!p) return refuse(std::move(p.error()));
  auto mode = mode_of(*p, *window(context, false), *o.src.buffer);
  if (!mode) return refuse(std::move(mode.error()));
  if (shape.bits == 256 && *mode != 0 && p->halves != 16) {
    return refuse(
        cat("under a swizzle both halves of a row are neighbours, here they are ", p->halves, " bytes apart"));
  }
  Form out{&shape, std::move(*p), *mode};
  if (Reason why = misplaced(context, out); !why.empty()) return refuse(std::move(why));
  return out;
}

// A word of the call's options. Error: it is no string.
std::expected<std::string_view, Reason> word(const ir::TileCall& call, std::string_view key) {
  const Expr given = option(call, key);
  if (!given) return std::string_view();
  const auto* text = given.as<ir::StringImm>();
  if (!text) return std::unexpected(cat(key, "= is a string, not ", ir::to_string(given)));
  return text->value;
}

// The form that the call names, or the first that its layouts allow.
std::expected<Form, Reason> chosen_form(CallContext& context) {
  if (!chooses_shape(context)) return form_of(context, shapes().back());
  if (Expr packed = option(context.call, "decompress"); packed && !ir::is_constant(packed, 0)) {
    return std::unexpected(Reason("decompress= is not done by this variant: call the instruction itself"));
  }
  auto name = word(context.call, "shape"), multicast = word(context.call, "multicast");
  if (!name || !multicast) return std::unexpected(!name ? name.error() : multicast.error());
  const bool any_multicast = !option(context.call, "multicast");
  std::vector<const Shape*> asked;
  std::string known;
  for (const Shape& shape : shapes()) {
    known += cat(known.empty() ? "" : ", ", shape.text());
    if ((name->empty() || shape.name == *name) && (any_multicast || shape.multicast == *multicast)) {
      asked.push_back(&shape);
    }
  }
  if (asked.empty()) {
    return std::unexpected(
        cat("tcgen05.cp has no ", *name, multicast->empty() ? "" : ".", *multicast, ", it has ", known));
  }
  if (!name->empty() && asked.size() > 1) {
    return std::unexpected(cat("shape ", *name, " needs multicast=\"warpx2::02_13\" or \"warpx2::01_23\""));
  }
  Reason why;
  for (const Shape* shape : asked) {
    auto form = form_of(context, *shape);
    if (form) return form;
    why += asked.size() == 1 ? form.error() : cat(why.empty() ? "" : "; ", shape->text(), ": ", form.error());
  }
  return std::unexpected(std::move(why));
}

const ir::Stmt* copies(CallContext& context, const Form& form, Expr cta_group, std::int64_t issues) {
  const CopyOperands& o = copy_operands(context);
  const Pieces& p = form.pieces;
  const Window &t = *window(context, true), &s = *window(context, false);
  const std::int64_t cell = 32 / o.bits, unit = 128 / o.bits;  // a column and 16 bytes, in elements
  // Only unswizzled rows of 32 bytes have halves that the descriptor must find.
  const std::int64_t ldo = form.shape->bits == 256 && form.mode == 0 ? p.halves / 16
                           : form.shape->bits == 256                 ? 1
                           : chooses_shape(context)                  ? 0
                                                                     : 16;
  ir::BodyBuilder out(context.call.origin);
  Expr encoded = add_descriptor(context, out, "smem_desc", descriptor_row(), o.src.buffer,
                                {.ldo = ldo, .sdo = p.atom_distance / 16, .mode = form.mode});
  // The first pair of steps runs fastest.
  Expr i = round_variable("i", issues), rest = i;
  Expr moved = layout::offset_on(t.offset, Axis::TCol).expr() / Expr(cell), at = s.start().expr() / Expr(unit);
  moved = moved + layout::offset_on(t.offset, Axis::TLane).expr() * Expr(1 << 16);
  for (std::size_t k = 0; k < p.steps.size(); ++k) {
    const Step& step = p.steps[k];
    Expr digit = k + 1 == p.steps.size() ? rest : rest % Expr(step.extent);
    moved = moved + digit * Expr(step.address);
    at = at + digit * Expr(step.units);
    rest = rest / Expr(step.extent);
  }
  ir::BodyBuilder issue(context.call.origin);
  at = ir::simplify(at);
  Expr source = moved_descriptor(encoded, at);
  Expr address = ir::cast(ir::kUInt32, o.dst.buffer->allocated_addr);
  moved = ir::simplify(moved);
  if (!ir::is_constant(moved, 0)) address = ir::add(address, ir::cast(ir::kUInt32, moved));
  issue.add<ir::Evaluate>(row_call(copy_row(), {address, source, ir::string_imm(form.shape->name), cta_group,
                                                ir::string_imm(form.shape->multicast)}));
  add_rounds(out, i, issues, issue.finish(), ir::LoopKind::Unrolled);
  return out.finish();
}

}  // namespace

std::span<const Predicate> predicates() { return kSmemTmemPredicates; }

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
  auto form = chosen_form(context);
  if (!form) return decline(std::move(form.error()));

  std::int64_t issues = 1;
  for (const Step& step : form->pieces.steps) issues *= step.extent;
  Plan plan{.body = copies(context, *form, cta_group, issues)};
  plan.fact("issues", issues);
  if (chooses_shape(context)) plan.facts.push_back({"shape", form->shape->text()});
  plan.summary = cat(headline(context, "smem->tmem"), ", tcgen05.cp.", form->shape->text(), ", ", issues,
                     issues == 1 ? " issue" : " issues");
  return plan;
}

}  // namespace tilewright::dispatch::variants::copy_async_smem_tmem
