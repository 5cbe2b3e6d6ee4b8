// Operands of T.cuda.tile: views whose dimensions are the threads of the scope, the repetitions, and what one
// instruction takes (dialects.md 8).
//
// Nothing is chosen here: a view is evaluated at its coordinates, and what does not fit the instruction is refused with
// the place where it does not.
#pragma once
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/dispatch/variant.h"

namespace tilewright::dispatch::tile {

using Index = std::vector<std::int64_t>;

// The threads of the scope, as the leading dimensions of each view.
struct GroupAxis {
  scope::ActiveAxis axis;
  std::int64_t extent = 1, offset = 0;
  ir::Expr coordinate;  // of the executing thread, from 0
};
struct Group {
  std::vector<GroupAxis> axes;
  Index shape() const;
  std::vector<Index> members() const;  // all coordinates
};
// `by_warp`: one instruction takes all lanes of a warp, which then are no dimension of the views.
std::expected<Group, Reason> group_of(CallContext& context, bool by_warp);

// All indices below the extents, the last dimension fastest.
std::vector<Index> indices_below(const Index& extents);

// Adds to the plan what is the same for all instructions that are repeated: the number and extents of the repetitions,
// the threads, and the summary.
void tell_repetitions(Plan& plan, std::string_view instruction, const Group& group, const Index& repeats);

// The instruction that the call repeats, as it is written; empty: it is no text.
std::string_view instruction_of(const CallContext& context);
// Adds what a repetition does, for people; after the first few "..." says that there are more.
void tell_repetition(std::vector<std::string>& told, const Index& repeat, const std::string& what);

class View {
 public:
  // `repeats`: of the call; the first view of a call decides them where it is empty. `axes`: which of them the view
  // has; none: all.
  static std::expected<View, Reason> of(std::string_view name, const ir::Operand& operand, const Group& group,
                                        Index atom, std::optional<Index>& repeats,
                                        std::optional<std::vector<std::size_t>> axes = {});

  const ir::Buffer& buffer() const { return *region_->buffer; }
  const ir::Region& region() const { return *region_; }
  std::string_view name() const { return name_; }
  std::string_view spoken() const;  // the tensor's name
  int bits() const;
  const Index& atom() const { return atom_; }

  // "dst must be in registers (local), A is in global memory"; empty: it is in one of the scopes.
  Reason not_in(std::initializer_list<ir::StorageScope> scopes) const;
  Reason not_bits(int bits) const;

  // Of the executing thread.
  std::vector<ir::Expr> element(const Index& repeat, std::span<const ir::Expr> atom) const;
  ir::Expr pointer(const Index& repeat, std::span<const ir::Expr> atom) const;

  // Where the layout puts an element: axes with their values, m among them.
  std::expected<layout::Coordinates, Reason> place(const Index& member, const Index& repeat, const Index& atom) const;

  // The register that holds an element in the thread that the layout says: `atom(lane)` is what lane `lane` takes; one
  // lane where the instruction is a thread's. Refused: the layout gives the element to another thread, or the register
  // is not the same in all.
  template <class Atom>
  std::expected<ir::Expr, Reason> register_of(const Group& group, const Index& repeat, int lanes, Atom&& atom) const {
    std::optional<ir::Expr> found;
    for (const Index& member : group.members()) {
      for (int lane = 0; lane < lanes; ++lane) {
        const Index at = atom(lane);
        auto here = owned_register(group, member, lanes > 1 ? lane : -1, repeat, at);
        if (!here) return std::unexpected(std::move(here.error()));
        if (!found) found = *here;
        if (Reason r = differs(*found, *here, repeat, at); !r.empty()) return std::unexpected(std::move(r));
      }
    }
    return *found;
  }
  // The elements lie side by side, in this order, and begin at a multiple of so many bytes.
  Reason not_contiguous(const Group& group, const Index& repeat, std::span<const Index> atoms, int bytes) const;
  // Registers that are written twice.
  Reason overlaps(const std::vector<ir::Expr>& registers) const;

 private:
  std::string at(const Index& repeat, const Index& atom) const;
  Reason differs(ir::Expr a, ir::Expr b, const Index& repeat, const Index& atom) const;
  std::expected<ir::Expr, Reason> owned_register(const Group& group, const Index& member, int lane, const Index& repeat,
                                                 const Index& atom) const;
  std::vector<ir::Expr> coordinates(std::span<const ir::Expr> member, const Index& repeat,
                                    std::span<const ir::Expr> atom) const;

  std::string_view name_;
  const ir::Region* region_ = nullptr;
  const layout::Layout* layout_ = nullptr;
  layout::Layout row_major_;  // of a buffer without a layout
  layout::Shape shape_;
  std::vector<std::size_t> axes_;
  Index atom_;
  std::vector<ir::Expr> group_coordinates_;
};

// One call of an instruction with these operands. Refused: no row of the instruction takes them, or the target lacks
// it.
struct Given {
  enum class Kind : std::uint8_t { Register, Pointer, Value } kind = Kind::Value;
  ir::Expr value;
  bool predicate = false;
};
std::expected<ir::Expr, Reason> instruction_call(CallContext& context, std::string_view text,
                                                 const std::vector<Given>& given, ir::Expr pred, bool preserve_dst);

}  // namespace tilewright::dispatch::tile
