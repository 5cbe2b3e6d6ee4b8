// T.cuda.tile.apply of tcgen05.ld and tcgen05.st: fragments between registers and tensor memory (dialects.md 8).
//
// The shape of the instruction says which lane's register holds which cell of its rows and columns. Here the views say
// so as well, and both must agree: nothing is moved and no other shape is looked for.
#include <algorithm>

#include "compiler/dispatch/blocks/options.h"
#include "compiler/dispatch/blocks/row_call.h"
#include "compiler/dispatch/blocks/tile_views.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"
#include "compiler/ptx/chain.h"

namespace tilewright::dispatch::variants::tile_apply_tmem {
namespace {

using ir::Expr;
using layout::Axis;
using scope::ActiveAxis;
using tile::Given;
using tile::Group;
using tile::Index;
using tile::View;

using Made = std::expected<void, Reason>;
// Rows and columns of words, and the registers of a lane, for x1.
struct Shape {
  std::string_view name;
  int rows, columns, registers;
};
constexpr Shape kShapes[] = {
    {"32x32b", 32, 1, 1}, {"16x64b", 16, 2, 1}, {"16x128b", 16, 4, 2}, {"16x256b", 16, 8, 4}, {"16x32bx2", 16, 1, 1}};

// The row and column of a lane's register (PTX ISA, data movement shapes of tcgen05).
Index cell_of(std::string_view shape, int lane, int reg) {
  if (shape == "32x32b") return {lane, reg};
  if (shape == "16x32bx2") return {lane % 16, reg};
  if (shape == "16x64b") return {lane / 4 + 8 * (lane % 2), lane / 2 % 2 + 2 * reg};
  if (shape == "16x128b") return {lane / 4 + 8 * (reg % 2), lane % 4 + 4 * (reg / 2)};
  return {lane / 4 + 8 * (reg / 2 % 2), reg % 2 + 2 * (lane % 4) + 8 * (reg / 4)};
}

class Fragments {
 public:
  explicit Fragments(CallContext& context)
      : context_(context), out_(context.call.origin), text_(tile::instruction_of(context)) {}

  Planned plan() {
    if (auto made = read(); !made) return decline(std::move(made.error()));
    if (auto made = views(); !made) return decline(std::move(made.error()));
    for (const Index& repeat : tile::indices_below(*repeats_)) {
      if (auto made = issue(repeat); !made) return decline(std::move(made.error()));
    }
    if (load_) {
      if (Reason r = registers_->overlaps(written_); !r.empty()) return decline(std::move(r));
    }
    Plan plan{.body = out_.finish()};
    plan.facts.push_back({"instruction", std::string(text_)});
    tile::tell_repetitions(plan, text_, group_, *repeats_);
    plan.constants = std::move(told_);
    return plan;
  }

 private:
  bool has_word(std::string_view word) const { return cat(".", text_, ".").find(cat(".", word, ".")) != text_.npos; }

  Made read() {
    auto chain = ptx::Chain::parse(text_);
    if (!chain) return refuse(chain.error());
    const bool whole = std::ranges::any_of(chain->candidates(), [](const auto& c) { return !ptx::fault_of(c); });
    load_ = text_.starts_with("tcgen05.ld.");
    if (!load_ && !text_.starts_with("tcgen05.st."))
      return refuse(cat(text_, " has no pattern here: of tensor memory tcgen05.ld and tcgen05.st have"));
    const auto shape = std::ranges::find_if(kShapes, [&](const Shape& s) { return has_word(s.name); });
    for (count_ = 128; count_ > 1 && !has_word(cat("x", count_)); count_ /= 2) {
    }
    if (!whole || shape == std::end(kShapes)) return refuse(cat(text_, " is not a whole instruction"));
    shape_ = *shape;
    packed_ = has_word("pack::16b") || has_word("unpack::16b");
    split_ = shape_.name == "16x32bx2";
    const std::size_t operands = split_ ? 3 : 2;
    if (context_.call.args.size() != operands)
      return refuse(split_ ? cat(text_, " takes registers and the views of both halves of tensor memory")
                           : cat(text_, " takes registers and a view of tensor memory"));
    const Expr offset = option(context_.call, "imm_half_splitoff");
    const std::int64_t* n = offset ? ir::constant(ir::simplify(offset)) : nullptr;
    if (split_ != (n != nullptr))
      return refuse(split_ ? cat(text_, " takes imm_half_splitoff=, a number: how far the second half lies")
                           : cat(text_, " takes no imm_half_splitoff="));
    split_offset_ = n ? *n : 0;
    return {};
  }

  Made views() {
    auto group = tile::group_of(context_, true);
    if (!group) return refuse(std::move(group.error()));
    group_ = std::move(*group);
    const std::int64_t columns = shape_.columns * count_;
    auto view = [&](std::string_view name, std::size_t i, Index atom, ir::StorageScope scope,
                    int bits) -> std::expected<View, Reason> {
      auto v = View::of(name, context_.call.args[i], group_, std::move(atom), repeats_);
      if (!v) return v;
      if (Reason r = v->not_in({scope}); !r.empty()) return std::unexpected(std::move(r));
      if (Reason r = v->not_bits(bits); !r.empty()) return std::unexpected(std::move(r));
      return v;
    };
    const std::size_t last = context_.call.args.size() - 1;
    Index atom = split_ ? Index{2, shape_.rows, columns} : Index{shape_.rows, columns};
    auto registers = view(load_ ? "dst" : "src", load_ ? 0 : last, std::move(atom), ir::StorageScope::Local, 32);
    if (!registers) return refuse(std::move(registers.error()));
    registers_ = std::move(*registers);
    for (std::size_t i = load_ ? 1 : 0; i < (load_ ? last + 1 : last); ++i) {
      const Index cells = packed_ ? Index{shape_.rows, columns, 2} : Index{shape_.rows, columns};
      auto memory = view(load_ ? "src" : "dst", i, cells, ir::StorageScope::Tmem, packed_ ? 16 : 32);
      if (!memory) return refuse(std::move(memory.error()));
      if (!memory->buffer().allocated_addr)
        return refuse(cat(memory->spoken(), " has no address in tensor memory: declare it with T.cuda.decl_tmem"));
      memories_.push_back(std::move(*memory));
    }
    return {};
  }

  // The warp of its warpgroup that executes the call for a member of the group. Nothing: it is not known.
  std::optional<std::int64_t> warp_of(const Index& member) const {
    for (std::size_t i = 0; i < group_.axes.size(); ++i) {
      const tile::GroupAxis& a = group_.axes[i];
      if (a.axis == ActiveAxis::wid_in_wg) return member[i] + a.offset;
      if (a.axis == ActiveAxis::warpid) return (member[i] + a.offset) % 4;
    }
    const scope::ActiveRange* warp = scope::find(context_.scope.inter, ActiveAxis::warpid);
    if (!warp || warp->extent != 1 || warp->elected) return std::nullopt;
    return warp->offset % 4;
  }

  struct Cell {
    std::int64_t row = 0;
    Expr column = 0;
  };
  std::expected<Cell, Reason> cell(const View& v, const Index& member, const Index& repeat, const Index& atom) const {
    auto placed = v.place(member, repeat, atom);
    if (!placed) return std::unexpected(std::move(placed.error()));
    Cell out;
    for (auto [axis, value] : *placed) {
      const std::int64_t* n = ir::constant(value);
      if (axis == Axis::TCol) {
        out.column = value;
      } else if (axis == Axis::TLane && n) {
        out.row = *n;
      } else if (axis == Axis::TLane || !n || *n != 0) {
        return std::unexpected(cat("the layout of ", v.spoken(), " puts an element at ", ir::to_string(value), " on ",
                                   layout::axis_name(axis), ": tensor memory has lanes that are known, and columns"));
      }
    }
    return out;
  }

  // The cells of one view in one repetition lie as the instruction takes them. Gives the first.
  std::expected<Cell, Reason> fits(const View& v, const Index& member, const Index& repeat, std::int64_t warp) const {
    const std::int64_t halves = packed_ ? 2 : 1;
    auto at = [&](std::int64_t row, std::int64_t column, std::int64_t half) {
      return packed_ ? Index{row, column, half} : Index{row, column};
    };
    auto first = cell(v, member, repeat, at(0, 0, 0));
    if (!first) return first;
    for (std::int64_t row = 0; row < shape_.rows; ++row) {
      for (std::int64_t column = 0; column < shape_.columns * count_; ++column) {
        for (std::int64_t half = 0; half < halves; ++half) {
          auto here = cell(v, member, repeat, at(row, column, half));
          if (!here) return here;
          const Expr wanted = first->column + Expr(halves * (halves * column + half));
          if (here->row != first->row + row || !ir::provably_equal(here->column, wanted))
            return std::unexpected(cat("row ", row, ", column ", column, " of ", v.spoken(), " lies in lane ",
                                       here->row, ", column ", ir::to_string(here->column),
                                       "; the instruction takes lane ", first->row + row, ", column ",
                                       ir::to_string(ir::simplify(wanted))));
        }
      }
    }
    if ((first->row + shape_.rows - 1) / 32 != warp || first->row / 32 != warp)
      return std::unexpected(cat("warp ", warp, " of its warpgroup reaches lanes ", 32 * warp, " to ", 32 * warp + 31,
                                 " of tensor memory, the view begins at lane ", first->row));
    if (packed_ && !ir::provably_divisible(first->column, 2))
      return std::unexpected(
          cat("the view begins in the upper half of a cell, at column ", ir::to_string(first->column), " of 16 bits"));
    first->column = ir::simplify(ir::floordiv(first->column, Expr(halves)));
    return first;
  }

  // Where a view begins, as the executing thread sees it: the lane within its warp's, and the column.
  std::expected<Cell, Reason> origin(const View& v, const Index& repeat) const {
    std::optional<Cell> found;
    for (const Index& member : group_.members()) {
      const auto warp = warp_of(member);
      if (!warp)
        return std::unexpected(
            "which warp executes it is not known: write scope=\"warpgroup\" with its four warps, or "
            "guard it with a number of the warp");
      auto here = fits(v, member, repeat, *warp);
      if (!here) return here;
      here->row %= 32;
      if (!found) found = *here;
      if (found->row != here->row || !ir::provably_equal(found->column, here->column))
        return std::unexpected(cat("the warps begin at different places of ", v.spoken(), ": lane ", found->row,
                                   ", column ", ir::to_string(found->column), " and lane ", here->row, ", column ",
                                   ir::to_string(here->column), " of their own"));
    }
    return *found;
  }

  Made issue(const Index& repeat) {
    std::vector<Given> registers;
    const ir::Buffer* flat = context_.kernel.flat_view(&registers_->buffer());
    for (int reg = 0; reg < shape_.registers * count_; ++reg) {
      auto m = registers_->register_of(group_, repeat, 32, [&](int lane) {
        Index at = cell_of(shape_.name, lane, reg);
        if (split_) at.insert(at.begin(), lane / 16);
        return at;
      });
      if (!m) return refuse(std::move(m.error()));
      const Expr index[] = {*m};
      registers.push_back({Given::Kind::Register, ir::load(flat, index)});
      written_.push_back(*m);
    }
    auto first = origin(memories_[0], repeat);
    if (!first) return refuse(std::move(first.error()));
    if (first->row % shape_.rows != 0)
      return refuse(cat("the view begins at lane ", first->row, ": it must be a multiple of ", shape_.rows));
    if (split_) {
      auto second = origin(memories_[1], repeat);
      if (!second) return refuse(std::move(second.error()));
      const Expr wanted = first->column + Expr((first->row - second->row) * 65536 + split_offset_);
      if (!ir::provably_equal(second->column, wanted))
        return refuse(cat("the second half begins at lane ", second->row, ", column ", ir::to_string(second->column),
                          "; imm_half_splitoff=", split_offset_, " says column ", ir::to_string(ir::simplify(wanted))));
    }
    static const intrinsics::Intrinsic& address_row = *intrinsics::row_of_id("C37");
    const Expr address = row_call(address_row, {memories_[0].buffer().allocated_addr, Expr(first->row), first->column});
    std::vector<Given> given = {{Given::Kind::Value, address}};
    if (split_) given.push_back({Given::Kind::Value, Expr(split_offset_)});
    given.insert(load_ ? given.begin() : given.end(), registers.begin(), registers.end());
    auto call = tile::instruction_call(context_, text_, given, {}, false);
    if (!call) return refuse(std::move(call.error()));
    out_.add<ir::Evaluate>(*call);
    tell(repeat, *first);
    return {};
  }

  void tell(const Index& repeat, const Cell& first) {
    tile::tell_repetition(told_, repeat,
                          cat(shape_.rows, " lanes from lane ", first.row, " of each warp's, ", shape_.columns * count_,
                              " columns from column ", ir::to_string(first.column), load_ ? ", to " : ", from ",
                              shape_.registers * count_, " registers of ", registers_->spoken()));
  }

  CallContext& context_;
  ir::BodyBuilder out_;
  std::string_view text_;
  Shape shape_{};
  int count_ = 1;
  bool load_ = true, packed_ = false, split_ = false;
  std::int64_t split_offset_ = 0;
  Group group_;
  std::optional<Index> repeats_;
  std::optional<View> registers_;
  std::vector<View> memories_;
  std::vector<Expr> written_;
  std::vector<std::string> told_;
};

}  // namespace

std::span<const Predicate> predicates() { return {}; }
Planned plan(CallContext& context) { return Fragments(context).plan(); }

}  // namespace tilewright::dispatch::variants::tile_apply_tmem
