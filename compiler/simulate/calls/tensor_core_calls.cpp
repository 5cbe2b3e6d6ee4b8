// tcgen05 beside the threads: products, copies from shared memory, shifts, the commits that tell of their end, and the
// descriptors that they read (copy_async.md 6, gemm.md 4; PTX ISA, "tcgen05.mma", "tcgen05.cp", "tcgen05.commit").
#include <algorithm>
#include <cstring>

#include "compiler/intrinsics/rows/tcgen05.h"
#include "compiler/simulate/calls/calls.h"
#include "compiler/simulate/calls/tensor_failure.h"
#include "compiler/simulate/codes.h"
#include "compiler/simulate/tensor/tensor_core.h"

namespace tilewright::simulate {
namespace {

using intrinsics::Arguments;

Step unmodelled(Machine& m, const Thread& t, const std::string& what) {
  m.finding(code::kNotModelled, Severity::Incomplete, "the simulator does not execute " + what, &t);
  return Step::Failed;
}

// The CTAs that an operation works in: the thread's own, or its pair. Nothing: a finding was made.
std::optional<std::vector<std::uint32_t>> ctas_of(Machine& m, const Thread& t, std::int64_t group) {
  if (group != 2) return std::vector{t.cta};
  const std::uint32_t first = t.cta & ~1u;
  if (first + 1 < m.ctas()) return std::vector{first, first + 1};
  wrong(m, t, "cta_group 2 works in a pair of CTAs of a cluster, and CTA " + std::to_string(t.cta) + " has no second");
  return std::nullopt;
}

bool is_allocated(Machine& m, const Thread& t, std::uint32_t cta, std::int64_t column, std::int64_t columns,
                  std::string_view what) {
  TensorMemory& memory = m.tensor_memory(cta);
  for (std::int64_t c = column; c < column + columns; ++c) {
    if (memory.holds(c)) continue;
    wrong(m, t, "column " + std::to_string(c) + " of tensor memory is " + std::string(what) + " and not allocated");
    return false;
  }
  return true;
}

// The descriptor of an operand. Nothing: a finding was made.
std::optional<MatrixDescriptor> matrix_of(Machine& m, const Thread& t, std::uint64_t bits) {
  auto d = MatrixDescriptor::of_tcgen05(bits);
  if (!d) {
    m.finding(code::kRefused, Severity::Error, d.error(), &t);
    return std::nullopt;
  }
  if (d->absolute) {
    unmodelled(m, t, "matrix descriptors with an absolute leading address");
    return std::nullopt;
  }
  return *d;
}

// The CTA of a pair whose shared memory an operation reads must not have ended.
bool is_there(Machine& m, const Thread& t, std::uint32_t cta, std::string_view what) {
  if (cta == t.cta || !m.has_ended(cta)) return true;
  m.finding(code::kEndedCta, Severity::Error,
            std::string(what) + " works in CTA " + std::to_string(cta) +
                " of the cluster, which has ended: a cluster_sync before the end is missing",
            &t);
  return false;
}

// ---- products ----

class Product final : public Operation {
 public:
  Product() : Operation(Queue::TensorCore) {}

  Mma mma;
  std::vector<std::uint32_t> ctas;
  std::optional<MatrixDescriptor> a;  // nothing: in tensor memory
  MatrixDescriptor b;
  bool second_places = false;  // of a B by a table: the second half of its places
  TensorAddress table{};
  std::uint64_t zeros = 0;  // the mask of columns of zeros
  MmaOperands places;       // of each CTA
  std::vector<std::uint32_t> disabled;
  bool reads_apart = false;  // some commit of the kernel arrives as soon as A is read

  bool take(Machine& m, Thread& t) override {
    for (std::size_t i = 0; reads_apart && a && i < ctas.size(); ++i) {
      auto left = read_matrix(m, t, ctas[i], *a, mma.a_form(), "A of tcgen05.mma");
      if (!left) return false;
      taken_.push_back(std::move(*left));
    }
    return true;
  }

  bool land(Machine& m, Thread& t) override {
    Matrix right(0, mma.k);
    for (std::uint32_t cta : ctas) {
      if (!is_there(m, t, cta, "tcgen05.mma")) return false;
      auto half = read_matrix(m, t, cta, b, mma.b_form(), "B of tcgen05.mma");
      if (!half) return false;
      if (mma.by_table) half = looked_up(mma, *half, second_places, table, m.tensor_memory(cta));
      right.rows += half->rows;
      right.numbers.insert(right.numbers.end(), half->numbers.begin(), half->numbers.end());
      right.defined.insert(right.defined.end(), half->defined.begin(), half->defined.end());
    }
    if (mma.stationary) mask_columns(mma, zeros, right);
    m.spend(std::int64_t{mma.m} * mma.n * mma.k / 8);
    for (std::size_t i = 0; i < ctas.size(); ++i) {
      std::optional<Matrix> left;
      if (!taken_.empty()) {
        left = std::move(taken_[i]);
      } else if (a) {
        left = read_matrix(m, t, ctas[i], *a, mma.a_form(), "A of tcgen05.mma");
        if (!left) return false;
      }
      MmaOperands operands = places;
      operands.a = left ? &*left : nullptr;
      operands.b = &right;
      for (std::size_t w = 0; w < 4 && 4 * i + w < disabled.size(); ++w)
        operands.disabled_lanes[w] = disabled[4 * i + w];
      tell(m, t, multiply(mma, operands, m.tensor_memory(ctas[i])));
    }
    return true;
  }

  // Calls f(CTA, lane, lanes, column, columns, written) for what it touches of tensor memory.
  template <class F>
  void each_touched(F&& f) const {
    for (std::uint32_t cta : ctas) {
      for (const MmaPart& part : parts_of(mma, places.d.lane)) {
        // D and what stands in the same lanes, run by run.
        for (std::size_t i = 0, n; i < part.lanes.size(); i += n) {
          for (n = 1; i + n < part.lanes.size() && part.lanes[i + n] == part.lanes[i] + static_cast<int>(n);) ++n;
          const int lane = part.lanes[i], lanes = static_cast<int>(n);
          if (!a) f(cta, lane, lanes, places.a_at.column, mma.a_columns(), false);
          if (mma.sparse) f(cta, lane, lanes, places.metadata.column, mma.metadata_columns(), false);
          // What is written may not be under way either: that D is also read says nothing new.
          f(cta, lane, lanes, places.d.column, part.count, true);
        }
      }
      if (mma.by_table) f(cta, table.lane, mma.n / mma.ctas / 8, table.column, 2, false);
      if (!mma.is_scaled()) continue;
      f(cta, 0, 128, places.scale_a.column, mma.scale_columns(mma.rows()), false);
      f(cta, 0, 128, places.scale_b.column, mma.scale_columns(parts_of(mma, 0)[0].count), false);
    }
  }

  void watch(Machine& m, const Thread& t) {
    const Observers& observers = m.observers();
    const std::uint32_t number = m.issue_number(t, Queue::TensorCore, TensorWork::Product);
    numbers = {number};
    if (reads_apart && a) numbers.push_back(m.issue_number(t, Queue::FactorRead));
    observers.tell(
        &Observer::multiply, t,
        2 * static_cast<std::uint64_t>(mma.m) * static_cast<std::uint64_t>(mma.n) * static_cast<std::uint64_t>(mma.k));
    for (std::uint32_t cta : ctas) {
      if (a) watch_matrix(m, t, numbers.back(), cta, *a, mma.a_form());
      watch_matrix(m, t, number, cta, b, mma.b_form());
    }
    each_touched([&](std::uint32_t cta, int lane, int lanes, int column, int columns, bool written) {
      TensorMemory::each_run(cta, lane, lanes, column, columns, [&](std::uint64_t place, std::int64_t cells) {
        if (written) {
          observers.write(t, number, place, cells);
        } else {
          observers.read(t, number, place, cells);
        }
      });
    });
  }

 private:
  std::vector<Matrix> taken_;  // A of each CTA, once it is read ahead of the product

  static void tell(Machine& m, const Thread& t, const MmaOutcome& outcome) {
    if (!outcome.refused.empty()) m.finding(code::kRefused, Severity::Error, outcome.refused, &t);
    for (std::string_view name : outcome.unwritten) {
      Finding f;
      f.code = code::kUnwritten;
      f.message = "tcgen05.mma reads " + std::string(name) + ", of which nothing was written by then";
      f.hint = name == "D" ? "give enable_input_d=0 to the first product, which then writes D without reading it"
                           : "wait for what writes it before the product is issued";
      m.report(std::move(f), &t);
    }
  }
};

// Slots of all products.
enum : std::size_t {
  kD,
  kA,
  kB,
  kDescriptor,
  kEnable,
  kShift,
  kGroup,
  kPred,
  kScaleA,
  kScaleB,
  kMetadata,
  kZeros,
  kTable
};
constexpr std::string_view kProductSlots =
    "d_tmem_addr, a_operand, b_desc, i_desc, enable_input_d, scale_input_d, cta_group, pred, sfa_tmem_addr, "
    "sfb_tmem_addr, sp_tmem_addr, zero_col_mask, b_decompress_metadata";

// Site::code of a commit that arrives as soon as the products before it have read A in shared memory.
constexpr int kFollowsReads = 1;

constexpr int kStationary = 16;  // beside the kind: tcgen05.mma.ws

bool set_up_product(Site& s, const Arguments& a) {
  auto kind = intrinsics::tcgen05::kind_of(a);
  if (!kind) return false;
  s.code = static_cast<int>(mma_kind_named(kind->name)) | (a.row().id.ends_with(".ws") ? kStationary : 0);
  s.number = kind->scale_vector;
  s.flag = a.flag("use_a_tmem");
  return true;
}

// Is all that the product touches where it may be?
bool is_placed(Machine& m, const Thread& t, const Product& p) {
  const bool halves = p.mma.rows() == 64 && !p.mma.stationary && (p.mma.ctas == 1 || p.mma.sparse);
  if (p.places.d.lane != 0 && !(halves && p.places.d.lane == 16)) {
    wrong(m, t,
          "D of M = " + std::to_string(p.mma.m) + " starts at lane 0" + (halves ? " or 16" : "") +
              ", its address names lane " + std::to_string(p.places.d.lane));
    return false;
  }
  if (!p.a && p.places.a_at.lane != p.places.d.lane) {
    wrong(m, t,
          "A starts at lane " + std::to_string(p.places.a_at.lane) + " and D at lane " +
              std::to_string(p.places.d.lane) + " of tensor memory: rows of both stand in the same lanes");
    return false;
  }
  bool good = true;
  p.each_touched([&](std::uint32_t cta, int, int, int column, int columns, bool written) {
    good = good && is_allocated(m, t, cta, column, columns, written ? "written" : "read");
  });
  return good;
}

Step product(Machine& m, Thread& t, const Site& s) {
  if (Machine::arg(t, s, kPred, 1) == 0) return Step::Done;
  auto op = std::make_unique<Product>();
  Mma& mma = op->mma;
  mma.kind = static_cast<MmaKind>(s.code & ~kStationary);
  mma.stationary = (s.code & kStationary) != 0;
  mma.sparse = s.args[kMetadata] != Access::kNoRegister;
  mma.by_table = s.args[kTable] != Access::kNoRegister;
  mma.ctas = static_cast<int>(Machine::arg(t, s, kGroup, 1));
  mma.scale_vector = static_cast<int>(s.number);
  if (auto read = mma.read_descriptor(static_cast<std::uint32_t>(Machine::arg(t, s, kDescriptor))); !read) {
    if (!read.error().illegal) return unmodelled(m, t, "a tcgen05.mma with " + read.error().text);
    m.finding(code::kRefused, Severity::Error, "tcgen05.mma is refused: " + read.error().text, &t);
    return Step::Failed;
  }
  op->zeros = Machine::arg(t, s, kZeros);
  mma.shift = mask_shift(op->zeros);
  if (mma.shift > mma.most_shift) {
    m.finding(code::kRefused, Severity::Error,
              "tcgen05.mma.ws is refused: its mask shifts by " + std::to_string(mma.shift) +
                  " columns, and its instruction descriptor allows " + std::to_string(mma.most_shift),
              &t);
    return Step::Failed;
  }
  auto ctas = ctas_of(m, t, mma.ctas);
  auto b = matrix_of(m, t, Machine::arg(t, s, kB));
  if (!ctas || !b) return Step::Failed;
  op->ctas = *ctas;
  op->b = *b;
  if (!s.flag) {
    op->a = matrix_of(m, t, Machine::arg(t, s, kA));
    if (!op->a) return Step::Failed;
  }
  op->places.d = TensorAddress::of(Machine::arg(t, s, kD));
  op->places.a_at = TensorAddress::of(Machine::arg(t, s, kA));
  op->places.scale_a = TensorAddress::of(Machine::arg(t, s, kScaleA));
  op->places.scale_b = TensorAddress::of(Machine::arg(t, s, kScaleB));
  op->places.metadata = TensorAddress::of(Machine::arg(t, s, kMetadata));
  op->second_places = (Machine::arg(t, s, kB) >> 53 & 1) != 0;
  op->table = TensorAddress::of(Machine::arg(t, s, kTable));
  op->places.accumulate = Machine::arg(t, s, kEnable, 1) != 0;
  op->places.shift_d = static_cast<int>(Machine::arg(t, s, kShift));
  for (std::uint32_t item : s.items) op->disabled.push_back(static_cast<std::uint32_t>(t.registers[item]));
  if (!is_placed(m, t, *op)) return Step::Failed;
  op->reads_apart = m.tracks_reads();
  if (m.observers()) op->watch(m, t);
  return m.engine().issue(m, t, std::move(op)) ? Step::Done : Step::Failed;
}

// ---- copies from shared memory ----

enum class Packing { None, Four, Six };

// Rows of 16-byte pieces, and the lanes that each row goes to.
struct CopyShape {
  std::string_view name, multicast;
  int rows, pieces;
};
constexpr CopyShape kCopies[] = {
    {"128x256b", "", 128, 2},
    {"128x128b", "", 128, 1},
    {"64x128b", "warpx2::02_13", 64, 1},
    {"64x128b", "warpx2::01_23", 64, 1},
    {"32x128b", "warpx4", 32, 1},
    {"4x256b", "", 4, 2},
};
constexpr int kOneLane = 5;  // the shape that writes one lane of each quarter

// The lanes that hold row `row`: every quarter, two of them, or one.
std::vector<int> lanes_of(int shape, int row, int first) {
  const int quarter = row / 32, in = row % 32;
  switch (shape) {
    case 2: return {32 * quarter + in, 32 * (quarter + 2) + in};
    case 3: return {64 * quarter + in, 64 * quarter + 32 + in};
    case 4: return {in, 32 + in, 64 + in, 96 + in};
    case kOneLane: return {32 * row + first};
    default: return {row};
  }
}

// Elements of 4 or 6 bits become bytes: e2m1 in the middle of its byte, the others at its lower end.
Cargo unpacked(View from, Packing packing, bool trace) {
  Cargo out(16, trace);
  const int bits = packing == Packing::Four ? 4 : 6;
  for (int i = 0; i < 16; ++i) {
    const int at = i * bits / 8, last = (i * bits + bits - 1) / 8;
    const auto word = std::to_integer<std::uint32_t>(from.bytes[at]) | std::to_integer<std::uint32_t>(from.bytes[last])
                                                                           << 8;
    const std::uint32_t code = word >> i * bits % 8 & ((1u << bits) - 1);
    const auto index = static_cast<std::size_t>(i);
    out.bytes[index] = static_cast<std::byte>(packing == Packing::Four ? code << 2 : code);
    out.defined[index] = from.defined[at] && from.defined[last];
    if (trace) out.tags[index] = from.tags[at];
  }
  return out;
}

class MatrixCopy final : public Operation {
 public:
  MatrixCopy(int shape, Packing packing, const MatrixDescriptor& matrix, std::vector<std::uint32_t> ctas,
             TensorAddress to)
      : Operation(Queue::TensorCore),
        shape_(shape),
        packing_(packing),
        matrix_(matrix),
        ctas_(std::move(ctas)),
        to_(to) {}

  // What it reads, as bytes.
  MatrixForm form() const {
    return {.element = Element::U8, .rows = kCopies[shape_].rows, .columns = kCopies[shape_].pieces * 16};
  }

  bool land(Machine& m, Thread& t) override {
    const bool trace = m.options().trace;
    return std::ranges::all_of(ctas_, [&](std::uint32_t cta) {
      TensorMemory& memory = m.tensor_memory(cta);
      m.spend(form().units() * 64);
      return is_there(m, t, cta, "tcgen05.cp") && each_unit(matrix_, form(), [&](std::int64_t from, int row, int byte) {
               const std::uint64_t window = std::uint64_t{cta} << kRankShift | static_cast<std::uint64_t>(from);
               auto source = m.view(t, window, 16, 16, false, "tcgen05.cp's source");
               if (!source) return false;
               Cargo wide;
               if (packing_ != Packing::None) {
                 wide = unpacked(*source, packing_, trace);
                 source = wide.view();
               }
               for (int lane : lanes_of(shape_, row, to_.lane))
                 transfer(memory.cell(lane, to_.column + byte / 4), *source, 16);
               return true;
             });
    });
  }

  void watch(Machine& m, const Thread& t) {
    const auto kind = shape_ == kOneLane ? TensorWork::LaneCopy : TensorWork::MatrixCopy;
    const std::uint32_t number = m.issue_number(t, Queue::TensorCore, kind);
    numbers = {number};
    auto writes = [&](std::uint64_t place, std::int64_t cells) { m.observers().write(t, number, place, cells); };
    for (std::uint32_t cta : ctas_) {
      watch_matrix(m, t, number, cta, matrix_, form());
      const int columns = kCopies[shape_].pieces * 4;
      if (shape_ != kOneLane) TensorMemory::each_run(cta, 0, 128, to_.column, columns, writes);
      for (int row = 0; shape_ == kOneLane && row < 4; ++row)
        TensorMemory::each_run(cta, 32 * row + to_.lane, 1, to_.column, columns, writes);
    }
  }

 private:
  int shape_;
  Packing packing_;
  MatrixDescriptor matrix_;
  std::vector<std::uint32_t> ctas_;
  TensorAddress to_;
};

bool set_up_copy(Site& s, const Arguments& a) {
  const std::string packed = a.text("decompress");
  s.number = static_cast<std::int64_t>(packed.empty()                ? Packing::None
                                       : packed == "b8x16.b4x16_p64" ? Packing::Four
                                                                     : Packing::Six);
  for (int i = 0; i < static_cast<int>(std::size(kCopies)); ++i) {
    if (kCopies[i].name != a.text("shape") || kCopies[i].multicast != a.text("multicast")) continue;
    s.code = i;
    return true;
  }
  return false;
}

// taddr, desc, row, col, cta_group
Step copy(Machine& m, Thread& t, const Site& s) {
  auto matrix = matrix_of(m, t, Machine::arg(t, s, 1));
  auto ctas = ctas_of(m, t, static_cast<std::int64_t>(Machine::arg(t, s, 4, 1)));
  if (!matrix || !ctas) return Step::Failed;
  const auto to = TensorAddress::of(Machine::arg(t, s, 0), Machine::arg(t, s, 2), Machine::arg(t, s, 3));
  if (to.lane >= (s.code == kOneLane ? 32 : 1))
    return wrong(m, t,
                 "tcgen05.cp starts at lane 0" + std::string(s.code == kOneLane ? " to 31" : "") + ", not at lane " +
                     std::to_string(to.lane));
  for (std::uint32_t cta : *ctas)
    if (!is_allocated(m, t, cta, to.column, kCopies[s.code].pieces * 4, "written")) return Step::Failed;
  auto op = std::make_unique<MatrixCopy>(s.code, static_cast<Packing>(s.number), *matrix, *ctas, to);
  if (m.observers()) op->watch(m, t);
  return m.engine().issue(m, t, std::move(op)) ? Step::Done : Step::Failed;
}

// ---- shifts ----

// 32 bytes of each of a warp's lanes but the last go to the next lane.
class Shift final : public Operation {
 public:
  static constexpr int kLanes = 32, kColumns = 8;

  Shift(std::vector<std::uint32_t> ctas, TensorAddress at)
      : Operation(Queue::TensorCore), ctas_(std::move(ctas)), at_(at) {}

  bool land(Machine& m, Thread&) override {
    for (std::uint32_t cta : ctas_) {
      TensorMemory& memory = m.tensor_memory(cta);
      for (int lane = at_.lane + kLanes - 1; lane > at_.lane; --lane)
        transfer(memory.cell(lane, at_.column), memory.cell(lane - 1, at_.column), kColumns * TensorMemory::kCellBytes);
    }
    return true;
  }

  void watch(Machine& m, const Thread& t) {
    const std::uint32_t number = m.issue_number(t, Queue::TensorCore, TensorWork::Shift);
    numbers = {number};
    for (std::uint32_t cta : ctas_) {
      TensorMemory::each_run(cta, at_.lane, kLanes, at_.column, kColumns, [&](std::uint64_t place, std::int64_t cells) {
        m.observers().read(t, number, place, cells);
        m.observers().write(t, number, place, cells);
      });
    }
  }

 private:
  std::vector<std::uint32_t> ctas_;
  TensorAddress at_;
};

// taddr, cta_group
Step shift(Machine& m, Thread& t, const Site& s) {
  auto ctas = ctas_of(m, t, static_cast<std::int64_t>(Machine::arg(t, s, 1, 1)));
  if (!ctas) return Step::Failed;
  const auto at = TensorAddress::of(Machine::arg(t, s, 0));
  if (at.lane % Shift::kLanes != 0 || at.lane >= TensorMemory::kLanes)
    return wrong(m, t, "tcgen05.shift starts at a multiple of 32 lanes, not at lane " + std::to_string(at.lane));
  for (std::uint32_t cta : *ctas)
    if (!is_allocated(m, t, cta, at.column, Shift::kColumns, "shifted")) return Step::Failed;
  auto op = std::make_unique<Shift>(*ctas, at);
  if (m.observers()) op->watch(m, t);
  return m.engine().issue(m, t, std::move(op)) ? Step::Done : Step::Failed;
}

// ---- their end ----

// The arrival of a thread whose earlier tensor-core work is done.
class Commit final : public Operation {
 public:
  Commit(std::vector<std::uint64_t> barriers, bool after_reads)
      : Operation(Queue::Commit), barriers_(std::move(barriers)), after_reads_(after_reads) {
    barrier = barriers_[0];
  }
  bool follows_reads() const override { return after_reads_; }
  bool land(Machine& m, Thread& t) override {
    if (!m.engine().finish_before(m, t, Queue::TensorCore, sequence, after_reads_)) return false;
    // A later commit tracks all that an earlier one does: the earlier one arrives first.
    if (!after_reads_ && !m.engine().finish_before(m, t, Queue::Commit, sequence)) return false;
    for (std::uint64_t at : barriers_) {
      // Whether it may end before is judged by the order of the two, not by this run's (Races::end_cta).
      if (const auto rank = m.rank_of(at); rank && *rank != t.cta && m.has_ended(*rank) && m.hazards()) continue;
      if (!m.counted(t, at, "tcgen05.commit", [&](Mbarrier& b) {
            m.observers().tell(&Observer::arrive_after, t, *this, at);
            return b.arrive(1);
          }))
        return false;
    }
    return true;
  }
  std::span<const std::uint64_t> signals() const override { return barriers_; }

 private:
  std::vector<std::uint64_t> barriers_;
  bool after_reads_;
};

// bar, mask, pred
Step commit(Machine& m, Thread& t, const Site& s) {
  if (Machine::arg(t, s, 2, 1) == 0) return Step::Done;
  const std::uint64_t bar = m.generic(Machine::arg(t, s, 0)), mask = Machine::arg(t, s, 1);
  std::vector<std::uint64_t> barriers;
  if (s.flag && mask >> m.ctas()) return wrong(m, t, "the mask of a commit names CTAs beyond the cluster");
  for (std::uint32_t cta = 0; s.flag && cta < m.ctas(); ++cta)
    if (mask >> cta & 1) barriers.push_back(m.in_cta(bar, cta));
  if (!s.flag) barriers = {bar};
  if (barriers.empty()) return Step::Done;
  for (std::uint64_t at : barriers)
    if (!m.barrier_at(t, at, "tcgen05.commit")) return Step::Failed;
  auto op = std::make_unique<Commit>(std::move(barriers), s.code == kFollowsReads);
  return m.engine().issue(m, t, std::move(op)) ? Step::Done : Step::Failed;
}

bool set_up_commit(Site& s, const Arguments& a) {
  s.flag = !ir::is_constant(a["cta_mask"], 0);
  return true;
}

// ---- descriptors ----

// Writes a number of `bytes` that a descriptor's encoder makes.
Step put(Machine& m, Thread& t, std::uint64_t pointer, std::uint64_t bits, std::int64_t bytes) {
  auto to = m.view(t, pointer, bytes, bytes, true, "the descriptor");
  if (!to) return Step::Failed;
  m.observers().write(t, pointer, bytes);
  to->put(&bits, bytes);
  to->drop_tags(bytes);
  return Step::Done;
}

// desc, addr, ldo, sdo, swizzle
Step matrix_descriptor(Machine& m, Thread& t, const Site& s) {
  constexpr std::uint64_t kLayout[] = {0, 6, 4, 2, 1};
  auto start = m.window_address(Machine::arg(t, s, 1));
  if (!start) {
    m.finding(code::kPointer, Severity::Error, "a matrix descriptor describes shared memory", &t);
    return Step::Failed;
  }
  const std::uint64_t bits = (*start >> 4 & 0x3fff) | (Machine::arg(t, s, 2) & 0x3fff) << 16 |
                             (Machine::arg(t, s, 3) & 0x3fff) << 32 | std::uint64_t{1} << 46 |
                             kLayout[Machine::arg(t, s, 4) % 5] << 61;
  return put(m, t, Machine::arg(t, s, 0), bits, 8);
}

bool set_up_instruction(Site& s, const Arguments& a) {
  s.number = intrinsics::tcgen05::instruction_descriptor_bits(a);
  return true;
}

// desc
Step instruction_descriptor(Machine& m, Thread& t, const Site& s) {
  return put(m, t, Machine::arg(t, s, 0), static_cast<std::uint64_t>(s.number), 4);
}

// desc, sf_id
Step scale_ids(Machine& m, Thread& t, const Site& s) {
  const std::uint64_t pointer = Machine::arg(t, s, 0), id = Machine::arg(t, s, 1);
  auto at = m.view(t, pointer, 4, 4, false, "the descriptor");
  if (!at) return Step::Failed;
  if (!at->is_written(4)) m.undefined_read(t, pointer, "the instruction descriptor is read");
  std::uint32_t bits;
  at->get(&bits, sizeof bits);
  return put(m, t, pointer, (bits & ~0x60000030u) | static_cast<std::uint32_t>(id << 29 | id << 4), 4);
}

constexpr CallRow kTensorCoreRows[] = {
    {.meaning = Meaning::TmemMma, .slots = kProductSlots, .thread = product, .set_up = set_up_product},
    {.meaning = Meaning::TmemMmaSparse, .slots = kProductSlots, .thread = product, .set_up = set_up_product},
    {.meaning = Meaning::TmemMmaBlockScale, .slots = kProductSlots, .thread = product, .set_up = set_up_product},
    {.meaning = Meaning::TmemCopy,
     .slots = "taddr, src_desc, row, col, cta_group",
     .thread = copy,
     .set_up = set_up_copy},
    {.meaning = Meaning::TmemShift, .slots = "taddr, cta_group", .thread = shift},
    {.meaning = Meaning::TmemCommit, .slots = "bar, cta_mask, pred", .thread = commit, .set_up = set_up_commit},
    {.meaning = Meaning::TmemDescriptor, .slots = "desc, addr, ldo, sdo, swizzle", .thread = matrix_descriptor},
    {.meaning = Meaning::TmemInstructionDescriptor,
     .slots = "desc",
     .thread = instruction_descriptor,
     .set_up = set_up_instruction},
    {.meaning = Meaning::TmemInstructionDescriptorBlockScaled,
     .slots = "desc",
     .thread = instruction_descriptor,
     .set_up = set_up_instruction},
    {.meaning = Meaning::TmemInstructionDescriptorScaleId, .slots = "desc, sf_id", .thread = scale_ids},
};

}  // namespace

std::span<const CallRow> tensor_core_calls() { return kTensorCoreRows; }

}  // namespace tilewright::simulate
