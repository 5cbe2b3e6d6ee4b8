#include "compiler/layout/tensor_memory.h"

#include <algorithm>
#include <array>
#include <string>

#include "compiler/layout/detail.h"

namespace tilewright::layout {
namespace {

using detail::refuse;

// How a data path spreads rows and columns over the 128 lanes.
enum class Spread : std::uint8_t {
  Identity,   // row r is lane r
  Halves,     // 64 rows; the second half of the columns lies 64 lanes further
  Quarters,   // 32 rows; each quarter of the columns lies 32 lanes further
  Scattered,  // 64 rows, 16 for each warp
};

struct Datapath {
  char letter;
  std::int64_t rows;
  Spread spread;
};
constexpr std::array<Datapath, 7> kDatapaths = {{{'A', 128, Spread::Identity},
                                                 {'B', 64, Spread::Halves},
                                                 {'C', 64, Spread::Scattered},
                                                 {'D', 128, Spread::Identity},
                                                 {'E', 64, Spread::Halves},
                                                 {'F', 64, Spread::Scattered},
                                                 {'G', 32, Spread::Quarters}}};

std::string number(std::int64_t n) { return std::to_string(n); }

std::string shape_of(std::span<const std::int64_t> shape) {
  std::string out = "(";
  for (std::int64_t extent : shape) out += (out.size() > 1 ? ", " : "") + number(extent);
  return out + ")";
}

constexpr Axis kLane = Axis::TLane, kColumn = Axis::TCol;

Layout of(Iters shard, Iters replica = {}) { return detail::plain({std::move(shard), std::move(replica), {}}); }

// The data path of a matrix instruction, or why there is none.
Result<Datapath> datapath_of(const MmaInstruction& i) {
  const std::string asked = "M=" + number(i.m) + " with cta_group=" + number(i.cta_group);
  if (i.sparse) return refuse("sparse operands in tensor memory are not supported (" + asked + ")");
  if (i.weight_stationary && (i.cta_group != 1 || i.m != 64)) {
    return refuse("ws=True goes with M=64 and cta_group=1 alone; this is " + asked);
  }
  char letter = 0;
  if (i.cta_group == 1 && i.m == 128) letter = 'D';
  if (i.cta_group == 1 && i.m == 64) letter = i.weight_stationary ? 'E' : 'F';
  if (i.cta_group == 2 && i.m == 256) letter = 'A';
  if (i.cta_group == 2 && i.m == 128) letter = 'B';
  if (!letter) {
    return refuse("no data path has " + asked + ": M is 64 or 128 with cta_group=1, 128 or 256 with cta_group=2");
  }
  return *std::ranges::find(kDatapaths, letter, &Datapath::letter);
}

class OperandShape {
 public:
  OperandShape(std::string_view operand, std::span<const std::int64_t> shape, const MmaInstruction& instruction,
               Datapath datapath)
      : operand_(operand),
        shape_(shape),
        rows_(instruction.m / instruction.cta_group),
        datapath_(datapath),
        halves_(datapath.spread == Spread::Halves) {}

  Result<Layout> accumulator() const {
    const std::size_t rank = shape_.size();
    if (rank == 2) {
      if (shape_[0] != rows_) return wrong_rows(shape_[0]);
      return tmem_mma_datapath_layout(std::string_view(&datapath_.letter, 1), shape_[0], shape_[1]);
    }
    if (halves_ && rank == 3 && shape_[0] == 2) return batched();
    if (halves_ && rank == 3 && shape_[1] == 2) {
      if (shape_[0] != rows_) return wrong_rows(shape_[0]);
      return of({{shape_[0], 1, kLane}, {2, 64, kLane}, {shape_[2], 1, kColumn}});
    }
    if (halves_ && rank == 4 && shape_[2] == 2) return segments(shape_[0], shape_[1], shape_[3]);
    return unsupported(halves_
                           ? "(rows, columns), (2, rows, columns), (rows, 2, columns) or (rows, segments, 2, columns)"
                           : "(rows, columns)");
  }

  // A flat accumulator whose columns are cut into segments, each in two halves.
  Result<Layout> grouped(std::span<const std::int64_t> group) const {
    if (shape_.size() != 2) return refuse("group= is for a shape (rows, columns), not " + shape_of(shape_));
    if (group.size() != 3 || group[1] != 2) return refuse("group is (segments, 2, columns), not " + shape_of(group));
    if (group[0] * 2 * group[2] != shape_[1]) {
      return refuse("group " + shape_of(group) + " does not multiply to the " + number(shape_[1]) + " columns");
    }
    if (!halves_) return refuse("group= is for data paths B and E, this is " + std::string(1, datapath_.letter));
    return segments(shape_[0], group[0], group[2]);
  }

  Result<Layout> factor() const {
    const bool flat = shape_.size() == 2, in_banks = shape_.size() == 3 && shape_[0] == 2;
    if (halves_ && in_banks) return batched();
    // With .ws the second half of the lanes is read as well.
    if (datapath_.letter == 'E') return unsupported("(2, rows, columns)");
    if (!flat) return unsupported(halves_ ? "(rows, columns) or (2, rows, columns)" : "(rows, columns)");
    if (shape_[0] != rows_) return wrong_rows(shape_[0]);
    Iters replica;
    if (halves_) replica.push_back({2, 64, kLane});
    return of({{shape_[0], 1, kLane}, {shape_[1], 1, kColumn}}, std::move(replica));
  }

 private:
  std::unexpected<Error> wrong_rows(std::int64_t rows) const {
    return refuse("operand " + std::string(operand_) + " has " + number(rows_) + " rows a CTA, the shape " +
                  shape_of(shape_) + " has " + number(rows));
  }
  std::unexpected<Error> unsupported(std::string_view shapes) const {
    return refuse("operand " + std::string(operand_) + " on data path " + std::string(1, datapath_.letter) +
                  " has the shape " + std::string(shapes) + ", not " + shape_of(shape_));
  }
  Result<Layout> batched() const {
    if (shape_[1] != rows_) return wrong_rows(shape_[1]);
    return of({{2, 64, kLane}, {shape_[1], 1, kLane}, {shape_[2], 1, kColumn}});
  }
  Result<Layout> segments(std::int64_t rows, std::int64_t count, std::int64_t columns) const {
    if (rows != rows_) return wrong_rows(rows);
    return of({{rows, 1, kLane}, {count, columns, kColumn}, {2, 64, kLane}, {columns, 1, kColumn}});
  }

  std::string_view operand_;
  std::span<const std::int64_t> shape_;
  std::int64_t rows_;
  Datapath datapath_;
  bool halves_;
};

}  // namespace

Result<Layout> tmem_mma_datapath_layout(std::string_view datapath, std::int64_t rows, std::int64_t columns,
                                        std::int64_t sub_slab) {
  const auto path = std::ranges::find_if(
      kDatapaths, [&](const Datapath& d) { return datapath.size() == 1 && d.letter == datapath[0]; });
  if (path == kDatapaths.end()) {
    return refuse("no tensor-memory datapath \"" + std::string(datapath) + "\": the letters are A to G");
  }
  const std::string name = "datapath " + std::string(datapath);
  if (rows != path->rows) return refuse(name + " has " + number(path->rows) + " rows, not " + number(rows));
  if (sub_slab != 0 && sub_slab != 1) return refuse("sub_slab is 0 or 1, not " + number(sub_slab));
  if (sub_slab != 0 && path->spread != Spread::Scattered) {
    return refuse(name + " takes all 32 lanes of each warp: sub_slab must be 0");
  }
  const std::int64_t parts = path->spread == Spread::Halves ? 2 : path->spread == Spread::Quarters ? 4 : 1;
  if (columns % parts != 0) {
    return refuse(name + " cuts the columns into " + number(parts) + " parts: " + number(columns) +
                  " is no multiple of " + number(parts));
  }
  switch (path->spread) {
    case Spread::Identity: return of({{rows, 1, kLane}, {columns, 1, kColumn}});
    case Spread::Halves: return of({{rows, 1, kLane}, {2, 64, kLane}, {columns / 2, 1, kColumn}});
    case Spread::Quarters: return of({{rows, 1, kLane}, {4, 32, kLane}, {columns / 4, 1, kColumn}});
    case Spread::Scattered: break;
  }
  Layout scattered = of({{4, 32, kLane}, {16, 1, kLane}, {columns, 1, kColumn}});
  if (sub_slab) add_offset(scattered.tile->offset, kLane, 16);
  return scattered;
}

Result<Layout> tmem_mma_operand_layout(std::string_view operand, std::span<const std::int64_t> shape,
                                       const MmaInstruction& instruction,
                                       std::optional<std::span<const std::int64_t>> group) {
  const Result<Datapath> datapath = datapath_of(instruction);
  if (!datapath) return std::unexpected(datapath.error());
  const OperandShape given(operand, shape, instruction, *datapath);
  if (operand != "A" && operand != "D") {
    return refuse("the operand is \"A\" or \"D\", not \"" + std::string(operand) + "\"");
  }
  Result<Layout> made = operand == "A" ? given.factor() : group ? given.grouped(*group) : given.accumulator();
  return made ? canonicalize(*made) : made;
}

Result<Layout> tmem_halves_fragment_layout(std::int64_t columns, expr::DataType dtype) {
  const std::string subject = "tcgen05 32x32b fragment of (64, " + number(columns) + ") " + expr::dtype_name(dtype);
  if (dtype.storage_bits() * dtype.lanes != 32) return refuse(subject + ": with 64 rows 32 bits an element are needed");
  const std::int64_t half = columns / 2;
  const bool repeats = columns > 0 && columns % 2 == 0 && half <= 128 && (half & (half - 1)) == 0;
  if (!repeats) return refuse(subject + ": the columns are 2 times a power of two, at most 256");
  return of({{64, 1, Axis::tid_in_wg}, {2, 64, Axis::tid_in_wg}, {half, 1, Axis::m}});
}

}  // namespace tilewright::layout
