// copy_async between tensor memory and registers by tcgen05.ld and tcgen05.st (copy_async.md 5).
//
// The instruction fixes which lane's register holds which cell, so the register layout chooses it: a fragment of
// 16x64b, 16x128b or 16x256b, else a row a thread (32x32b). A warp reaches the 32 lanes of tensor memory that belong to
// its place in the warpgroup; the 16-row shapes need a second issue for the upper half of them.
#include <algorithm>
#include <bit>

#include "compiler/dispatch/blocks/emit.h"
#include "compiler/dispatch/blocks/operands.h"
#include "compiler/dispatch/blocks/row_call.h"
#include "compiler/dispatch/blocks/threads.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch::variants::copy_async_tmem_local {
namespace {

using ir::Expr;
using ir::StorageScope;

struct Shape {
  std::string_view name;
  std::int64_t columns;    // 32-bit columns of one repetition
  std::int64_t registers;  // of one repetition and 16 rows; 32 rows for 32x32b
  std::int64_t repeats;    // at most
};
constexpr Shape kFragments[] = {{"16x64b", 2, 1, 128}, {"16x128b", 4, 2, 64}, {"16x256b", 8, 4, 32}};
constexpr Shape kRows = {"32x32b", 1, 1, 128};

const intrinsics::Intrinsic& load_row() {
  static const intrinsics::Intrinsic& row = row_of("tmem_load");
  return row;
}
const intrinsics::Intrinsic& store_row() {
  static const intrinsics::Intrinsic& row = row_of("tmem_store");
  return row;
}

Reason operands(CallContext& context) { return copy_operands(context).invalid; }

Reason exec_scope(CallContext& context) {
  if (context.scope.kind != ir::ExecScope::Warpgroup) {
    return cat("works at warpgroup scope, not at ", ir::exec_scope_name(context.scope.kind), " scope");
  }
  // All four warps execute it together. Where the launch is not known yet, the script is trusted.
  return context.scope.tracked ? not_all_active(context) : Reason();
}

Reason storage_scope(CallContext& context) {
  const CopyOperands& o = copy_operands(context);
  if (!o.invalid.empty()) return {};  // said by the operands' own test
  const StorageScope d = o.dst.buffer->scope, s = o.src.buffer->scope;
  if ((d == StorageScope::Tmem && s == StorageScope::Local) || (d == StorageScope::Local && s == StorageScope::Tmem)) {
    return {};
  }
  return wrong_pair(o, "tmem<->local moves tensor memory <-> registers");
}

Reason tmem_local_target(CallContext& context) { return no_such_instruction(context, load_row(), "tcgen05.ld"); }

constexpr Predicate kTmemLocalPredicates[] = {{"validate_copy_op", operands},
                                              {"exec_scope", exec_scope},
                                              {"storage_scope", storage_scope},
                                              {"target", tmem_local_target}};

// Same elements at the same places, however the layout is written.
bool matches(const layout::Layout& a, const layout::Layout& b) {
  auto x = layout::canonicalize(a, layout::Fusion::Cuda), y = layout::canonicalize(b, layout::Fusion::Cuda);
  return x && y && layout::same(*x, *y);
}
bool matches(const layout::Layout& a, const layout::Result<layout::Layout>& b) { return b && matches(a, *b); }

// A two-dimensional buffer and the columns of it that the copy takes.
struct Tile {
  const ir::Buffer* buffer;
  std::int64_t rows, columns;  // of the buffer
  std::int64_t row_count;      // of the region, which starts at row 0
  Expr start;                  // first column of the region
  std::int64_t width;
};

std::expected<Tile, Reason> tile_of(const ir::Region& region) {
  const ir::Buffer& b = *region.buffer;
  if (b.rank() != 2)
    return refuse(cat(ir::spoken_name(b), " has ", b.rank(), " dimensions, rows and columns are needed"));
  const std::int64_t *rows = ir::constant(b.shape[0]), *columns = ir::constant(b.shape[1]);
  const std::int64_t *count = ir::constant(region.ranges[0].extent), *width = ir::constant(region.ranges[1].extent);
  if (!rows || !columns || !count || !width)
    return refuse(cat("an extent of ", ir::spoken_name(b), " is known only at run time"));
  if (!ir::is_constant(ir::simplify(region.ranges[0].min), 0)) {
    return refuse(cat("the region of ", ir::spoken_name(b), " starts at row ", ir::to_string(region.ranges[0].min),
                      ", whole rows from 0 are needed"));
  }
  return Tile{&b, *rows, *columns, *count, ir::simplify(region.ranges[1].min), *width};
}

// The part of tensor memory that a region takes, from 0.26 on: the layout is sliced, so that stages of a larger buffer
// are windows like any other.
struct CellWindow {
  Tile tile;
  bool d = false, f = false;
  std::int64_t lane = 0;  // 16: the upper half of each warp's lanes
};

std::expected<CellWindow, Reason> cell_window(CallContext& context, bool is_dst) {
  const ir::Region& region = copy_operands(context).on(is_dst);
  const ir::Buffer& b = *region.buffer;
  const std::string_view name = ir::spoken_name(b);
  const std::size_t rank = region.ranges.size();
  if (rank < 2) return refuse(cat(name, " has ", rank, " dimensions, rows and columns are needed"));
  for (std::size_t d = 0; d + 2 < rank; ++d) {
    if (!ir::is_constant(ir::simplify(region.ranges[d].extent), 1)) {
      return refuse(cat("dimension ", d, " of ", ir::to_string(region),
                        " is longer than 1: one tile of rows and columns is copied"));
    }
  }
  const std::int64_t *rows = ir::constant(b.shape[rank - 2]), *columns = ir::constant(b.shape[rank - 1]);
  const std::int64_t *count = ir::constant(ir::simplify(region.ranges[rank - 2].extent)),
                     *width = ir::constant(ir::simplify(region.ranges[rank - 1].extent));
  if (!rows || !columns || !count || !width) return refuse(cat("an extent of ", name, " is known only at run time"));
  const WindowResult& window = dispatch::window(context, is_dst);
  if (!window) return refuse(window.error());
  CellWindow out{.tile = {&b, *rows, *columns, *count,
                          ir::simplify(layout::offset_on(window->offset, layout::Axis::TCol).expr()), *width}};
  const layout::Layout has{std::nullopt, window->tile};
  out.d = *rows == 128 &&
          matches(has,
                  layout::Layout{
                      std::nullopt,
                      layout::TileLayout{{{*count, 1, layout::Axis::TLane}, {*width, 1, layout::Axis::TCol}}, {}, {}}});
  out.f = *rows != 128 && *count == 64 && matches(has, layout::tmem_datapath_layout("F", 64, *width));
  for (const auto& [axis, value] : window->offset) {
    if (axis == layout::Axis::TCol || value.is(0)) continue;
    if (axis == layout::Axis::TLane && value.is(16) && out.f) {
      out.lane = 16;
      continue;
    }
    return refuse(cat("the region of ", name, " starts at ", layout::to_string(value), " on ", layout::axis_name(axis),
                      ": only the upper half of datapath F begins elsewhere than at lane 0, at 16"));
  }
  return out;
}

// What is issued: each at a lane offset, with its first register.
struct Issue {
  std::int64_t row;
  Expr first;
};
struct Issues {
  Shape shape = kRows;
  std::int64_t num = 0;  // .xN
  std::vector<Issue> each{};
};

Reason no_such_num(const Shape& shape, std::int64_t num) {
  if (num >= 1 && num <= shape.repeats && std::has_single_bit(static_cast<std::uint64_t>(num))) return {};
  return cat(shape.name, " moves .x1, .x2, .x4 up to .x", shape.repeats, ", not .x", num);
}

// 5.3: thread t holds row t.
std::expected<Issues, Reason> whole_rows(const Tile& local, const Tile& tmem, bool d, std::int64_t packed) {
  if (!d) {
    return refuse(
        cat(ir::spoken_name(*tmem.buffer), " is not on datapath D (row r in lane r, 128 rows), which 32x32b reads"));
  }
  if (local.rows != 128 || local.row_count != 128 || tmem.row_count != 128) {
    return refuse(cat("32x32b moves all 128 rows, the region has ", local.row_count, " of ", local.rows));
  }
  if (!matches(*local.buffer->layout, layout::wg_local_layout(local.columns))) {  // Y18
    return refuse(
        cat("the registers of ", ir::spoken_name(*local.buffer),
            " are neither a row a thread nor a tcgen05 fragment: ", layout::to_short_string(*local.buffer->layout)));
  }
  if (local.width % packed != 0) {
    return refuse(cat("Width ", local.width, " is not valid: ", packed, " elements share a 32-bit register"));
  }
  Issues out{.num = local.width / packed};
  if (Reason r = no_such_num(kRows, out.num); !r.empty()) {
    return refuse(cat("Width ", local.width, " is not valid: ", r));
  }
  if (!ir::provably_divisible(local.start, packed)) {
    return refuse(cat("the region of ", ir::spoken_name(*local.buffer), " starts inside a 32-bit register, at column ",
                      ir::to_string(local.start)));
  }
  out.each.push_back({0, local.start / Expr(packed)});
  return out;
}

// 5.4: fragments of 16 rows a warp, twice where the tile has 128 rows.
std::expected<Issues, Reason> fragment(const Shape& shape, const Tile& local, const Tile& tmem, bool d, bool f,
                                       std::int64_t packed, std::int64_t lane) {
  if (!d && !(f && local.rows == 64)) {
    return refuse(cat("a fragment of ", local.rows, " rows does not fit the datapath of ",
                      ir::spoken_name(*tmem.buffer), ": ",
                      f ? "F holds 64 rows" : "neither D (128 rows) nor F (64 rows)"));
  }
  if (local.row_count != local.rows) {
    return refuse(cat("a fragment moves all its ", local.rows, " rows, the region has ", local.row_count));
  }
  const std::int64_t unit = shape.columns * packed;
  if (local.width % unit != 0) {  // Y19
    return refuse(cat(local.width, " columns are no whole repetitions of ", shape.name, ", which has ", unit));
  }
  Issues out{.shape = shape, .num = local.width / unit};
  if (Reason r = no_such_num(shape, out.num); !r.empty()) return refuse(std::move(r));
  if (!ir::provably_divisible(local.start, unit)) {
    return refuse(cat("the region of ", ir::spoken_name(*local.buffer), " starts inside a repetition of ", unit,
                      " columns, at column ", ir::to_string(local.start)));
  }
  if (lane + local.rows / 4 > 32) {
    return refuse(
        cat("a fragment of ", local.rows, " rows takes all 32 lanes of a warp, the region starts at lane ", lane));
  }
  const std::int64_t slab = shape.registers * (local.columns / unit);
  Expr first = local.start / Expr(unit) * Expr(shape.registers);
  for (std::int64_t s = 0; s < local.rows / 64; ++s) out.each.push_back({lane + 16 * s, first + Expr(slab * s)});
  return out;
}

// Datapath B: both halves of the columns of 64 rows lie in lanes 0 to 63 and 64 to 127, so that a whole tile is a row a
// thread, each of half the columns.
bool on_datapath_b(const ir::Buffer& cells) {
  if (cells.rank() != 2 || !ir::is_constant(cells.shape[0], 64)) return false;
  const std::int64_t* columns = ir::constant(cells.shape[1]);
  if (!columns || *columns % 2 != 0) return false;
  using enum layout::Axis;
  return matches(*cells.layout,
                 layout::Layout{std::nullopt,
                                layout::TileLayout{{{64, 1, TLane}, {2, 64, TLane}, {*columns / 2, 1, TCol}}, {}, {}}});
}

std::expected<Issues, Reason> folded_halves(const Tile& local, const ir::Region& tmem, std::int64_t packed) {
  const ir::Buffer &registers = *local.buffer, &cells = *tmem.buffer;
  if (packed != 1) return refuse(cat("datapath B is read as float32, not as ", ir::dtype_name(registers.dtype)));
  using enum layout::Axis;
  const std::int64_t half = local.columns / 2;
  const layout::Layout image{std::nullopt,
                             layout::TileLayout{{{64, 1, tid_in_wg}, {2, 64, tid_in_wg}, {half, 1, m}}, {}, {}}};
  if (local.rows != 64 || local.columns % 2 != 0 || !matches(*registers.layout, image)) {
    return refuse(
        cat("datapath B wants registers of 64 rows, both halves of their columns in threads 64 apart: allocate ",
            ir::spoken_name(registers), " with T.alloc_tcgen05_ldst_frag(\"32x32b\", (64, N), \"float32\")"));
  }
  for (const ir::Region* r : {&tmem}) {
    for (std::size_t d = 0; d < 2; ++d) {
      const ir::Range& range = r->ranges[d];
      if (ir::is_constant(ir::simplify(range.min), 0) && ir::provably_equal(range.extent, cells.shape[d])) continue;
      return refuse(
          cat("a copy of datapath B takes all of ", ir::spoken_name(cells), ", this one takes ", ir::to_string(*r)));
    }
  }
  if (!ir::is_constant(local.start, 0) || local.width != local.columns || local.row_count != 64) {
    return refuse(cat("a copy of datapath B takes all of ", ir::spoken_name(registers)));
  }
  Issues out{.num = half};
  if (Reason r = no_such_num(kRows, out.num); !r.empty()) return refuse(std::move(r));
  out.each.push_back({0, Expr(0)});
  return out;
}

// Both sides of the call, and which of the three ways moves them.
struct Moves {
  const ir::Buffer *registers, *cells;
  Expr column;  // of tensor memory, in elements
  Issues issues;
};

std::expected<Moves, Reason> moves_of(CallContext& context, bool loads, std::int64_t packed) {
  const CopyOperands& o = copy_operands(context);
  auto local = tile_of(o.on(loads));
  if (!local) return refuse(local.error());
  const ir::Region& region = o.on(!loads);
  const bool windows = context.kernel.dialect() >= text::Dialect::V0_26;
  if (windows && on_datapath_b(*region.buffer)) {
    auto issues = folded_halves(*local, region, packed);
    if (!issues) return refuse(issues.error());
    return Moves{local->buffer, region.buffer, Expr(0), std::move(*issues)};
  }
  CellWindow cells;
  if (windows) {
    auto window = cell_window(context, !loads);
    if (!window) return refuse(window.error());
    cells = *window;
  } else {
    auto tile = tile_of(region);
    if (!tile) return refuse(tile.error());
    const layout::Layout& has = *region.buffer->layout;
    cells.tile = *tile;
    cells.d = matches(has, layout::tmem_datapath_layout("D", tile->rows, tile->columns));
    cells.f = matches(has, layout::tmem_datapath_layout("F", tile->rows, tile->columns));
  }
  const Tile& tmem = cells.tile;
  if (local->row_count != tmem.row_count || local->width != tmem.width) {
    return refuse(cat("the regions have ", local->row_count, " x ", local->width, " and ", tmem.row_count, " x ",
                      tmem.width, " elements"));
  }
  const ir::Buffer& registers = *local->buffer;
  const auto* shape = std::ranges::find_if(kFragments, [&](const Shape& s) {
    return matches(*registers.layout,
                   layout::tcgen05_atom_layout(s.name, local->rows, local->columns, registers.dtype));
  });
  auto issues = shape != std::end(kFragments) ? fragment(*shape, *local, tmem, cells.d, cells.f, packed, cells.lane)
                                              : whole_rows(*local, tmem, cells.d, packed);
  if (!issues) return refuse(issues.error());
  return Moves{&registers, tmem.buffer, tmem.start, std::move(*issues)};
}

}  // namespace

std::span<const Predicate> predicates() { return kTmemLocalPredicates; }

Planned plan(CallContext& context) {
  const CopyOperands& o = copy_operands(context);
  const bool loads = o.dst.buffer->scope == StorageScope::Local;
  if (!o.on(!loads).buffer->allocated_addr) {
    return decline(cat(ir::spoken_name(*o.on(!loads).buffer), " has no address in tensor memory"));
  }
  if (o.bits > 32 || 32 % o.bits != 0) return decline(cat("no 32-bit cell holds elements of ", o.bits, " bits"));
  const std::int64_t packed = 32 / o.bits;
  auto moves = moves_of(context, loads, packed);
  if (!moves) return decline(std::move(moves.error()));
  const ir::Buffer &registers = *moves->registers, &cells = *moves->cells;
  const Issues* issues = &moves->issues;
  if (!ir::provably_divisible(moves->column, packed)) {
    return decline(cat("the region of ", ir::spoken_name(cells), " starts at column ", ir::to_string(moves->column),
                       ", not a multiple of ", packed, ": elements share 32-bit cells"));
  }
  if (registers.elem_offset && !ir::provably_divisible(registers.elem_offset, packed)) {
    return decline(cat(ir::spoken_name(registers), " starts inside a 32-bit register"));
  }

  const Shape& issued = issues->shape;
  const std::int64_t count = issued.registers * issues->num;
  // Floats stay what they are.
  const ir::Buffer* file =
      packed == 1 ? context.kernel.flat_view(&registers) : register_words(context, registers, packed);
  Expr column = ir::simplify(moves->column / Expr(packed));
  ir::BodyBuilder out(context.call.origin);
  for (const Issue& issue : issues->each) {
    std::vector<Expr> regs;
    for (std::int64_t i = 0; i < count; ++i) {
      Expr at[] = {ir::simplify(issue.first + Expr(i))};
      regs.push_back(ir::load(file, at));
    }
    // A buffer's address already counts 32-bit columns.
    out.add<ir::Evaluate>(row_call(
        loads ? load_row() : store_row(),
        {cells.allocated_addr, ir::string_imm(issued.name), Expr(issues->num), Expr(issue.row), column}, regs));
  }

  const auto n = static_cast<std::int64_t>(issues->each.size());
  Plan plan{.body = out.finish()};
  plan.facts.push_back({"direction", std::string(loads ? "tmem->local" : "local->tmem")});
  plan.facts.push_back({"shape", std::string(issued.name)});
  plan.fact("num", issues->num);
  plan.fact("issues", n);
  plan.fact("registers", count * n);
  plan.summary = cat(headline(context, "tmem<->local"), ", tcgen05.", loads ? "ld" : "st", ".", issued.name, ".x",
                     issues->num, ", ", n, n == 1 ? " issue, " : " issues, ", count * n, " registers a thread");
  if (count * n > 255) plan.summary += ", more than the 255 there are: copy fewer columns at a time";
  return plan;
}

}  // namespace tilewright::dispatch::variants::copy_async_tmem_local
