// tcgen05: allocation, loads and stores of fragments, copies from shared memory, commits (copy_async.md 5, 6, 8.4).
#include <bit>
#include <cstring>

#include "compiler/simulate/calls.h"
#include "compiler/simulate/codes.h"
#include "compiler/simulate/tensor_map.h"

namespace tilewright::simulate {
namespace {

using intrinsics::Arguments;

Step wrong(Machine& m, const Thread& t, std::string text) {
  m.finding(code::kTensorMemory, Severity::Error, std::move(text), &t);
  return Step::Failed;
}

// ---- allocation, by one warp ----

// dst, columns
Step allocate(Machine& m, std::span<Thread> lanes, const Site& s) {
  Thread& t = lanes[0];
  auto columns = static_cast<std::int64_t>(Machine::arg(t, s, 1));
  if (columns < TensorMemory::kUnit || columns > TensorMemory::kColumns ||
      !std::has_single_bit(static_cast<std::uint64_t>(columns)))
    return wrong(m, t, "columns are allocated by powers of two from 32 to 512, not " + std::to_string(columns));
  TensorMemory& memory = m.tensor_memory(t.cta);
  if (memory.relinquished) return wrong(m, t, "this CTA has given up its permit to allocate tensor memory");
  auto to = m.view(t, Machine::arg(t, s, 0), 4, 4, true, "the address of the tensor memory");
  if (!to) return Step::Failed;
  auto first = memory.allocate(columns);
  if (!first) return Step::Wait;  // until others give columns back
  auto address = static_cast<std::uint32_t>(*first);
  std::memcpy(to->bytes, &address, sizeof address);
  if (to->tags) std::memset(to->tags, 0, 4 * sizeof(std::uint32_t));
  return Step::Done;
}

// address, columns
Step release(Machine& m, std::span<Thread> lanes, const Site& s) {
  Thread& t = lanes[0];
  auto address = static_cast<std::int64_t>(Machine::arg(t, s, 0));
  auto columns = static_cast<std::int64_t>(Machine::arg(t, s, 1));
  if (m.tensor_memory(t.cta).release(address, columns)) return Step::Done;
  return wrong(m, t,
               std::to_string(columns) + " columns from " + std::to_string(address) +
                   " on are given back and were not allocated together");
}

Step relinquish(Machine& m, std::span<Thread> lanes, const Site&) {
  m.tensor_memory(lanes[0].cta).relinquished = true;
  return Step::Done;
}

// ---- fragments ----

enum class Shape { Rows32, Cols64, Cols128, Cols256, Halves };

// The cell that a lane's register holds, from the fragment's first one (PTX, "tcgen05 data movement shapes").
struct Cell {
  int lane, column;
};
Cell cell_of(Shape shape, int lane, int reg, int half) {
  switch (shape) {
    case Shape::Rows32: return {lane, reg};
    case Shape::Cols64: return {lane / 4 + 8 * (lane % 2), lane / 2 % 2 + 2 * reg};
    case Shape::Cols128: return {lane / 4 + 8 * (reg % 2), lane % 4 + 4 * (reg / 2)};
    case Shape::Cols256: return {lane / 4 + 8 * (reg / 2 % 2), reg % 2 + 2 * (lane % 4) + 8 * (reg / 4)};
    case Shape::Halves: return {lane % 16, reg + (lane >= 16 ? half : 0)};
  }
  return {0, 0};
}

bool set_up_fragment(Site& s, const Arguments& a) {
  constexpr std::string_view kNames[] = {"32x32b", "16x64b", "16x128b", "16x256b", "16x32bx2"};
  const std::string name = a.text("shape");
  for (int i = 0; i < 5; ++i)
    if (kNames[i] == name) s.code = i;
  s.flag = a.operand("pack") ? a.flag("pack") : a.flag("unpack");
  s.number = a.integer("num");
  return true;
}

// Where a register's 32 bits lie: in one cell, or packed, in the lower halves of two.
struct Places {
  View cells[2];
  int count = 0;
};

// addr, row, col; registers. Nothing: a finding was made.
std::optional<std::vector<Places>> places(Machine& m, Thread& t, const Site& s) {
  const auto address = static_cast<std::uint32_t>(Machine::arg(t, s, 0));
  // Neither field carries into the other.
  const int lane = static_cast<int>((address >> 16) + Machine::arg(t, s, 1)) & 0xffff,
            column = static_cast<int>(address + Machine::arg(t, s, 2)) & 0xffff;
  const int quarter = static_cast<int>(t.linear / 32 % 4);
  if (lane >= TensorMemory::kLanes || (lane / 32 != 0 && lane / 32 != quarter)) {
    wrong(m, t,
          "warp " + std::to_string(quarter) + " of a warpgroup reaches lanes " + std::to_string(32 * quarter) + " to " +
              std::to_string(32 * quarter + 31) + ", the address names lane " + std::to_string(lane));
    return std::nullopt;
  }
  const auto shape = static_cast<Shape>(s.code);
  const int rows = shape == Shape::Rows32 ? 32 : 16, packed = s.flag ? 2 : 1;
  if (lane % 32 + rows > 32) {
    wrong(m, t,
          "a fragment of " + std::to_string(rows) + " lanes starts at lane " + std::to_string(lane % 32) +
              " of the warp's 32");
    return std::nullopt;
  }
  TensorMemory& memory = m.tensor_memory(t.cta);
  std::vector<Places> out(s.items.size());
  for (std::size_t r = 0; r < out.size(); ++r) {
    Cell cell = cell_of(shape, static_cast<int>(t.linear % 32), static_cast<int>(r), static_cast<int>(s.number));
    for (int p = 0; p < packed; ++p) {
      const int at = column + cell.column * packed + p;
      if (!memory.holds(at)) {
        wrong(m, t, "column " + std::to_string(at) + " of tensor memory is used and not allocated");
        return std::nullopt;
      }
      out[r].cells[out[r].count++] = memory.cell(32 * quarter + lane % 32 + cell.lane, at);
    }
  }
  return out;
}

// One thread's tcgen05.ld or tcgen05.st on its way.
class FragmentCopy final : public Operation {
 public:
  FragmentCopy(bool loads, std::vector<Places> cells, std::vector<View> registers)
      : Operation(loads ? Queue::TmemLoad : Queue::TmemStore),
        loads_(loads),
        cells_(std::move(cells)),
        registers_(std::move(registers)) {}

  bool take(Machine& m, Thread&) override {
    cargo_ = Cargo(static_cast<std::int64_t>(registers_.size()) * 4, m.options().trace);
    for (std::size_t r = 0; r < registers_.size(); ++r) {
      View to = cargo_.view().at(static_cast<std::int64_t>(r) * 4);
      if (!loads_) transfer(to, registers_[r], 4);
      for (int c = 0; loads_ && c < cells_[r].count; ++c)
        transfer(to.at(c * 2), cells_[r].cells[c], cells_[r].count == 1 ? 4 : 2);
    }
    return true;
  }
  bool land(Machine&, Thread&) override {
    for (std::size_t r = 0; r < registers_.size(); ++r) {
      View from = cargo_.view().at(static_cast<std::int64_t>(r) * 4);
      if (loads_) transfer(registers_[r], from, 4);
      for (int c = 0; !loads_ && c < cells_[r].count; ++c) {
        View cell = cells_[r].cells[c];
        transfer(cell, from.at(c * 2), cells_[r].count == 1 ? 4 : 2);
        if (cells_[r].count == 2) std::memset(cell.bytes + 2, 0, 2), std::memset(cell.defined + 2, 1, 2);
      }
    }
    return true;
  }

 private:
  bool loads_;
  std::vector<Places> cells_;
  std::vector<View> registers_;
  Cargo cargo_;
};

Step fragment(Machine& m, std::span<Thread> lanes, const Site& s, bool loads) {
  for (Thread& t : lanes) {
    auto cells = places(m, t, s);
    if (!cells) return Step::Failed;
    std::vector<View> registers;
    for (std::uint32_t item : s.items) {
      auto at = m.view(t, t.registers[item], 4, 4, false, "a register of tensor memory");
      if (!at) return Step::Failed;
      // Until the wait the registers hold nothing.
      if (loads && m.options().timing != Timing::Earliest) std::memset(at->defined, 0, 4);
      registers.push_back(*at);
    }
    auto op = std::make_unique<FragmentCopy>(loads, std::move(*cells), std::move(registers));
    // A store reads its registers when it is issued.
    if (!loads) op->taken = op->take(m, t);
    if (!m.engine().issue(m, t, std::move(op))) return Step::Failed;
  }
  return Step::Done;
}
Step load(Machine& m, std::span<Thread> lanes, const Site& s) { return fragment(m, lanes, s, true); }
Step store(Machine& m, std::span<Thread> lanes, const Site& s) { return fragment(m, lanes, s, false); }

Step wait(Machine& m, std::span<Thread> lanes, const Site& s) {
  for (Thread& t : lanes)
    if (!m.engine().finish_all(m, t, s.flag ? Queue::TmemLoad : Queue::TmemStore)) return Step::Failed;
  return Step::Done;
}

bool set_up_wait(Site& s, const Arguments& a) {
  s.flag = a.row().effects.front().object == intrinsics::Object::TensorLoads;
  return true;
}

// ---- copies from shared memory ----

// A matrix descriptor taken apart (intrinsics.md 4.1).
struct Matrix {
  std::int64_t start, leading, stride;  // bytes; from one 16-byte column to the next, from eight rows to the next
  int swizzle;                          // as a tensor map has it
  std::int64_t pitch() const { return std::int64_t{16} << swizzle; }
};
std::optional<Matrix> matrix_of(std::uint64_t d) {
  constexpr std::pair<std::uint64_t, int> kModes[] = {{0, 0}, {6, 1}, {4, 2}, {2, 3}};
  for (auto [code, swizzle] : kModes) {
    if (d >> 61 != code) continue;
    auto field = [&](int at) { return static_cast<std::int64_t>(d >> at & 0x3fff) << 4; };
    return Matrix{field(0), field(16), field(32), swizzle};
  }
  return std::nullopt;
}

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
};
// The lanes that hold row `row`: every quarter, two of them, or one.
std::vector<int> lanes_of(int shape, int row) {
  const int quarter = row / 32, in = row % 32;
  switch (shape) {
    case 2: return {32 * quarter + in, 32 * (quarter + 2) + in};
    case 3: return {64 * quarter + in, 64 * quarter + 32 + in};
    case 4: return {in, 32 + in, 64 + in, 96 + in};
    default: return {row};
  }
}

class MatrixCopy final : public Operation {
 public:
  MatrixCopy(int shape, const Matrix& matrix, std::int64_t lane, std::int64_t column)
      : Operation(Queue::TensorCore), shape_(shape), matrix_(matrix), lane_(lane), column_(column) {}

  // Calls f(pointer to 16 bytes in shared memory, row, piece); false ends it.
  template <class F>
  bool each(const Thread& t, F&& f) const {
    TensorMap pattern;
    pattern.swizzle = matrix_.swizzle;
    for (int row = 0; row < kCopies[shape_].rows; ++row) {
      for (int piece = 0; piece < kCopies[shape_].pieces; ++piece) {
        std::int64_t at = matrix_.start + row / 8 * matrix_.stride + row % 8 * matrix_.pitch() +
                          piece * (matrix_.swizzle ? 16 : matrix_.leading);
        auto window = static_cast<std::uint64_t>(pattern.swizzled(at)) | std::uint64_t{t.cta} << kRankShift;
        if (!f(window, row, piece)) return false;
      }
    }
    return true;
  }

  bool land(Machine& m, Thread& t) override {
    TensorMemory& memory = m.tensor_memory(t.cta);
    return each(t, [&](std::uint64_t from, int row, int piece) {
      auto source = m.view(t, from, 16, 16, false, "tcgen05.cp's source");
      if (!source) return false;
      m.spend(64);
      for (int to : lanes_of(shape_, row)) {
        for (int c = 0; c < 4; ++c)
          transfer(memory.cell((lane_ + to) % TensorMemory::kLanes, column_ + piece * 4 + c), source->at(c * 4), 4);
      }
      return true;
    });
  }

 private:
  int shape_;
  Matrix matrix_;
  std::int64_t lane_, column_;
};

bool set_up_copy(Site& s, const Arguments& a) {
  if (!a.text("decompress").empty()) return false;
  for (int i = 0; i < static_cast<int>(std::size(kCopies)); ++i) {
    if (kCopies[i].name != a.text("shape") || kCopies[i].multicast != a.text("multicast")) continue;
    s.code = i;
    return true;
  }
  return false;
}

// taddr, desc, row, col
Step copy(Machine& m, Thread& t, const Site& s) {
  auto matrix = matrix_of(Machine::arg(t, s, 1));
  if (!matrix) {
    m.finding(code::kNotModelled, Severity::Incomplete, "the simulator does not execute this descriptor's swizzle", &t);
    return Step::Failed;
  }
  const auto address = static_cast<std::uint32_t>(Machine::arg(t, s, 0));
  const auto lane = static_cast<std::int64_t>((address >> 16) + Machine::arg(t, s, 2)) & 0xffff,
             column = static_cast<std::int64_t>(address + Machine::arg(t, s, 3)) & 0xffff;
  const std::int64_t columns = kCopies[s.code].pieces * 4;
  for (std::int64_t c = column; c < column + columns; ++c)
    if (!m.tensor_memory(t.cta).holds(c))
      return wrong(m, t, "column " + std::to_string(c) + " of tensor memory is written and not allocated");
  if (lane != 0) return wrong(m, t, "tcgen05.cp starts at lane 0, not at lane " + std::to_string(lane));
  auto op = std::make_unique<MatrixCopy>(s.code, *matrix, lane, column);
  bool inside = op->each(t, [&](std::uint64_t from, int, int) {
    return m.view(t, from, 16, 16, false, "tcgen05.cp's source").has_value();
  });
  if (inside && m.races()) {
    op->raced = {m.races()->issue(t, Queue::TensorCore)};
    op->each(t, [&](std::uint64_t from, int, int) {
      m.races()->operation_reads(t, op->raced[0], from, 16);
      return true;
    });
  }
  return inside && m.engine().issue(m, t, std::move(op)) ? Step::Done : Step::Failed;
}

// The arrival of a thread whose earlier tensor-core work is done.
class Commit final : public Operation {
 public:
  explicit Commit(std::vector<std::uint64_t> barriers) : Operation(Queue::Arrival), barriers_(std::move(barriers)) {
    barrier = barriers_[0];
  }
  bool land(Machine& m, Thread& t) override {
    if (!m.engine().finish_before(m, t, Queue::TensorCore, sequence)) return false;
    for (std::uint64_t at : barriers_)
      if (!m.counted(t, at, "tcgen05.commit", [&](Mbarrier& b) {
            if (m.races()) m.races()->counted_before(t, Queue::TensorCore, raced[0], at);
            return b.arrive(1);
          }))
        return false;
    return true;
  }

 private:
  std::vector<std::uint64_t> barriers_;
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
  for (std::uint64_t at : barriers)
    if (m.races()) m.races()->use_barrier_by_proxy(t, at);
  auto op = std::make_unique<Commit>(std::move(barriers));
  if (m.races()) op->raced = {m.races()->issued_so_far(t, Queue::TensorCore)};
  return m.engine().issue(m, t, std::move(op)) ? Step::Done : Step::Failed;
}

bool set_up_commit(Site& s, const Arguments& a) {
  s.flag = !ir::is_constant(a["cta_mask"], 0);
  return true;
}

// ---- addresses and descriptors ----

// desc, addr, ldo, sdo, swizzle
Step descriptor(Machine& m, Thread& t, const Site& s) {
  constexpr std::uint64_t kLayout[] = {0, 6, 4, 2, 1};
  auto start = m.window_address(Machine::arg(t, s, 1));
  if (!start) {
    m.finding(code::kPointer, Severity::Error, "a matrix descriptor describes shared memory", &t);
    return Step::Failed;
  }
  auto to = m.view(t, Machine::arg(t, s, 0), 8, 8, true, "the descriptor");
  if (!to) return Step::Failed;
  std::uint64_t bits = (*start >> 4 & 0x3fff) | (Machine::arg(t, s, 2) & 0x3fff) << 16 |
                       (Machine::arg(t, s, 3) & 0x3fff) << 32 | std::uint64_t{1} << 46 |
                       kLayout[Machine::arg(t, s, 4) % 5] << 61;
  std::memcpy(to->bytes, &bits, sizeof bits);
  if (to->tags) std::memset(to->tags, 0, 8 * sizeof(std::uint32_t));
  return Step::Done;
}

// addr, row, col
Step address(Machine&, Thread& t, const Site& s) {
  auto base = static_cast<std::uint32_t>(Machine::arg(t, s, 0));
  auto lane = static_cast<std::uint32_t>((base >> 16) + Machine::arg(t, s, 1)) & 0xffff,
       column = static_cast<std::uint32_t>(base + Machine::arg(t, s, 2)) & 0xffff;
  Machine::set_result(t, s, lane << 16 | column);
  return Step::Done;
}

constexpr CallRow kRows[] = {
    {.meaning = Meaning::TmemAlloc, .slots = "dst_ptr, n_cols", .warp = allocate},
    {.meaning = Meaning::TmemDealloc, .slots = "taddr, n_cols", .warp = release},
    {.meaning = Meaning::TmemRelinquish, .slots = "", .warp = relinquish},
    {.meaning = Meaning::TmemLoad, .slots = "src_addr, row, col", .warp = load, .set_up = set_up_fragment},
    {.meaning = Meaning::TmemStore, .slots = "dst_addr, row, col", .warp = store, .set_up = set_up_fragment},
    {.meaning = Meaning::TmemWait, .slots = "", .warp = wait, .set_up = set_up_wait},
    {.meaning = Meaning::TmemCopy, .slots = "taddr, src_desc, row, col", .thread = copy, .set_up = set_up_copy},
    {.meaning = Meaning::TmemCommit, .slots = "bar, cta_mask, pred", .thread = commit, .set_up = set_up_commit},
    {.meaning = Meaning::TmemDescriptor, .slots = "desc, addr, ldo, sdo, swizzle", .thread = descriptor},
    {.meaning = Meaning::TmemAddress, .slots = "addr, row_offset, col_offset", .thread = address},
};

}  // namespace

std::span<const CallRow> tensor_memory_calls() { return kRows; }

}  // namespace tilewright::simulate
