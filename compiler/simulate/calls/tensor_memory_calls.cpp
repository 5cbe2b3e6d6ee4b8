// tcgen05 in the threads: allocation, loads and stores of fragments, waits and fences (copy_async.md 5, 7, 8.4).
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "compiler/ptx/compute.h"
#include "compiler/simulate/calls/calls.h"
#include "compiler/simulate/calls/tensor_failure.h"
#include "compiler/simulate/codes.h"
#include "compiler/simulate/machine/value.h"
#include "compiler/simulate/tensor/tensor_memory.h"

namespace tilewright::simulate {
namespace {

using intrinsics::Arguments;

// ---- allocation, by one warp ----

// Site::code of those with .exclusive.
constexpr int kAlone = 1;

// dst, columns
Step allocate(Machine& m, std::span<Thread> lanes, const Site& s) {
  Thread& t = lanes[0];
  const bool alone = s.code == kAlone;
  auto columns = static_cast<std::int64_t>(Machine::arg(t, s, 1));
  if (alone &&
      (columns < TensorMemory::kUnit || columns > TensorMemory::kMostColumns || columns % TensorMemory::kUnit != 0))
    return wrong(m, t, "all columns are allocated by multiples of 32 up to 576, not " + std::to_string(columns));
  if (!alone && (columns < TensorMemory::kUnit || columns > TensorMemory::kColumns ||
                 !std::has_single_bit(static_cast<std::uint64_t>(columns))))
    return wrong(m, t, "columns are allocated by powers of two from 32 to 512, not " + std::to_string(columns));
  TensorMemory& memory = m.tensor_memory(t.cta);
  if (memory.relinquished) return wrong(m, t, "this CTA has given up its permit to allocate tensor memory");
  auto to = m.view(t, Machine::arg(t, s, 0), 4, 4, true, "the address of the tensor memory");
  if (!to) return Step::Failed;
  auto first = alone ? memory.allocate_alone(columns) : memory.allocate(columns);
  if (!first) return Step::Wait;  // until others give columns back
  memory.made_at(*first, m.origin_of(t));
  auto address = static_cast<std::uint32_t>(*first);
  to->put(&address, sizeof address);
  // The warp does it together; others have to wait for it.
  m.observers().write(t, Machine::arg(t, s, 0), sizeof address);
  m.meet(lanes);
  to->drop_tags(4);
  return Step::Done;
}

// address, columns
Step release(Machine& m, std::span<Thread> lanes, const Site& s) {
  Thread& t = lanes[0];
  auto address = static_cast<std::int64_t>(Machine::arg(t, s, 0));
  auto columns = static_cast<std::int64_t>(Machine::arg(t, s, 1));
  const bool alone = m.tensor_memory(t.cta).is_alone();
  if (alone != (s.code == kAlone) && m.tensor_memory(t.cta).any_allocated())
    return wrong(m, t,
                 alone ? "columns that were allocated with .exclusive are given back without it"
                       : "columns that were allocated without .exclusive are given back with it");
  if (m.tensor_memory(t.cta).release(address, columns)) {
    const std::uint32_t peer = s.flag && m.ctas() > 1 ? t.cta ^ 1 : t.cta;
    m.observers().tell(&Observer::release_columns, t, address, columns, peer);
    return Step::Done;
  }
  const std::int64_t there = m.tensor_memory(t.cta).columns_from(address);
  Finding f;
  f.code = code::kTensorMemory;
  f.message = std::to_string(columns) + " columns from " + std::to_string(address) + " on are given back, and " +
              (there ? std::to_string(there) + " were allocated there" : std::string("none were allocated there"));
  f.hint = there ? "give back what was allocated: n_cols=" + std::to_string(there)
                 : "pass the address that tcgen05.alloc has written, and the same n_cols";
  if (there) f.related.push_back({m.tensor_memory(t.cta).origin_of(address), "allocated here"});
  m.report(std::move(f), &t);
  return Step::Failed;
}

bool set_up_release(Site& s, const Arguments& a) {
  s.flag = a.integer("cta_group") == 2;
  return true;
}

Step relinquish(Machine& m, std::span<Thread> lanes, const Site&) {
  m.tensor_memory(lanes[0].cta).relinquished = true;
  return Step::Done;
}

// ---- fragments ----

enum class Shape { Rows32, Cols64, Cols128, Cols256, Halves };

// The cell that a lane's register holds, from the fragment's first one (PTX, "tcgen05 data movement shapes").
struct MemoryCell {
  int lane, column;
};
MemoryCell cell_of(Shape shape, int lane, int reg) {
  switch (shape) {
    case Shape::Rows32: return {lane, reg};
    case Shape::Cols64: return {lane / 4 + 8 * (lane % 2), lane / 2 % 2 + 2 * reg};
    case Shape::Cols128: return {lane / 4 + 8 * (reg % 2), lane % 4 + 4 * (reg / 2)};
    case Shape::Cols256: return {lane / 4 + 8 * (reg / 2 % 2), reg % 2 + 2 * (lane % 4) + 8 * (reg / 4)};
    case Shape::Halves: return {lane % 16, reg};
  }
  return {0, 0};
}

// tcgen05.ld.red: one value of each lane from all that it loads; .spcompress: of each four numbers two, and where they
// stood.
struct Reduction final : CallForm {
  bool reduces = false, compresses = false;
  Combine op{};
  ir::DataType type{};
  bool magnitudes = false, tells_nan = false;
};

std::uint64_t reduced(const Reduction& form, std::span<const View> loaded) {
  std::optional<std::uint64_t> out;
  bool nan = false;
  for (const View& one : loaded) {
    std::uint64_t bits = 0;
    one.get(&bits, 4);
    if (form.magnitudes) bits &= 0x7fffffff;
    nan |= form.type.is_floating() && (bits & 0x7fffffff) > 0x7f800000;
    const std::uint64_t value = from_bits(bits, form.type);
    out = out ? combined(form.op, form.type, *out, value) : value;
  }
  if (nan && (form.tells_nan || (*out & 0x7fffffff) > 0x7f800000)) return 0x7fffffff;
  return to_bits(*out, form.type);
}

bool set_up_fragment(Site& s, const Arguments& a) {
  constexpr std::string_view kNames[] = {"32x32b", "16x64b", "16x128b", "16x256b", "16x32bx2"};
  const std::string name = a.text("shape");
  for (int i = 0; i < 5; ++i)
    if (kNames[i] == name) s.code = i;
  s.flag = a.operand("pack") ? a.flag("pack") : a.flag("unpack");
  s.number = a.integer("num");
  // How far the second half of 16x32bx2 lies behind the first one.
  const bool split = a.operand("imm_half_splitoff") != nullptr;
  s.count = s.code != 4 ? 0 : split ? a.integer("imm_half_splitoff") : s.number * (s.flag ? 2 : 1);
  const bool reduces = a.operand("redval"), compresses = a.operand("rowop");
  if (!reduces && !compresses) return true;
  auto form = std::make_shared<Reduction>();
  form->reduces = reduces;
  form->compresses = compresses;
  form->op = combine_named(a.text(compresses ? "rowop" : "redop")).value_or(Combine::Add);
  form->type = compresses ? ir::kFloat32 : ptx_type(a.text("type"));
  form->magnitudes = !a.text("abs").empty();
  form->tells_nan = reduces && !a.text(compresses ? "NaN" : "nan").empty();
  s.form = std::move(form);
  return true;
}

// Where a register's 32 bits lie: in one cell, or packed, in the lower halves of two.
struct Places {
  View cells[2];
  int count = 0;
};

// addr, row, col; registers. Nothing: a finding was made.
std::optional<std::vector<Places>> places(Machine& m, Thread& t, const Site& s) {
  const auto [lane, column] = TensorAddress::of(Machine::arg(t, s, 0), Machine::arg(t, s, 1), Machine::arg(t, s, 2));
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
  const bool compresses = s.form && form_of<Reduction>(s).compresses;
  std::vector<Places> out(compresses ? static_cast<std::size_t>(s.number) : s.items.size());
  for (std::size_t r = 0; r < out.size(); ++r) {
    const auto own = static_cast<int>(t.linear % 32);
    MemoryCell cell = cell_of(shape, own, static_cast<int>(r));
    const int half = shape == Shape::Halves && own >= 16 ? static_cast<int>(s.count) : 0;
    for (int p = 0; p < packed; ++p) {
      const int at = column + cell.column * packed + p + half;
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
  // `pointers` of the registers.
  FragmentCopy(bool loads, std::vector<Places> cells, std::vector<View> registers,
               std::span<const std::uint64_t> pointers)
      : Operation(loads ? Queue::TmemLoad : Queue::TmemStore),
        loads_(loads),
        cells_(std::move(cells)),
        registers_(std::move(registers)) {
    for (std::uint64_t pointer : pointers) extend(runs_, pointer, 4);
  }

  bool told = false;                     // a finding has told that what it loads is not there yet
  const Reduction* reduction = nullptr;  // null: what is loaded comes to the registers as it is
  std::optional<View> result{};          // where the reduction's value goes

  bool covers(std::uint64_t pointer, std::int64_t bytes) const override {
    return loads_ && std::ranges::any_of(runs_, [&](const Run& run) { return run.meets(pointer, bytes); });
  }
  bool take(Machine& m, Thread&) override {
    cargo_ = Cargo(static_cast<std::int64_t>(cells_.size()) * 4, m.options().trace);
    for (std::size_t r = 0; r < cells_.size(); ++r) {
      View to = cargo_.view().at(static_cast<std::int64_t>(r) * 4);
      if (!loads_) transfer(to, registers_[r], 4);
      for (int c = 0; loads_ && c < cells_[r].count; ++c)
        transfer(to.at(c * 2), cells_[r].cells[c], cells_[r].count == 1 ? 4 : 2);
    }
    return true;
  }
  bool land(Machine&, Thread&) override {
    if (result) reduce();
    if (reduction && reduction->compresses) {
      compress();
      return true;
    }
    for (std::size_t r = 0; r < registers_.size(); ++r) {
      View from = cargo_.view().at(static_cast<std::int64_t>(r) * 4);
      if (loads_) {
        transfer(registers_[r], from, 4);
        if (told) registers_[r].mark(true, 4);
      }
      for (int c = 0; !loads_ && c < cells_[r].count; ++c) {
        View cell = cells_[r].cells[c];
        transfer(cell, from.at(c * 2), cells_[r].count == 1 ? 4 : 2);
        if (cells_[r].count == 2) {
          std::memset(cell.bytes + 2, 0, 2);
          std::memset(cell.defined + 2, 1, 2);
        }
      }
    }
    return true;
  }

 private:
  void reduce() {
    std::vector<View> loaded;
    for (std::size_t r = 0; r < cells_.size(); ++r)
      loaded.push_back(cargo_.view().at(static_cast<std::int64_t>(r) * 4));
    const std::uint64_t value = reduced(*reduction, loaded);
    result->put(&value, 4);
    result->mark(cargo_.view().is_written(static_cast<std::int64_t>(cells_.size()) * 4), 4);
    result->drop_tags(4);
  }

  // The places stand in the first registers, two bits each, the first one lowest (PTX ISA 9.4, "tcgen05.ld").
  void compress() {
    const std::size_t kept = cells_.size() / 2, places = registers_.size() - kept;
    std::vector<std::uint32_t> words(places);
    std::vector<std::uint8_t> written(places, 1);
    for (std::size_t group = 0; group < cells_.size() / 4; ++group) {
      View four = cargo_.view().at(static_cast<std::int64_t>(group) * 16);
      std::array<ptx::Bits, 4> numbers{};
      for (std::int64_t i = 0; i < 4; ++i) {
        std::uint32_t word;
        four.at(i * 4).get(&word, 4);
        numbers[static_cast<std::size_t>(i)] = word;
      }
      const auto chosen = ptx::kept_of_four(numbers, reduction->op == Combine::Min, reduction->magnitudes);
      for (std::size_t i = 0; i < 2; ++i) {
        const std::size_t at = group * 2 + i;
        words[at / 16] |= static_cast<std::uint32_t>(chosen[i]) << at % 16 * 2;
        written[at / 16] &= four.is_written(16) ? 1 : 0;
        transfer(registers_[places + at], four.at(static_cast<std::int64_t>(chosen[i]) * 4), 4);
        if (!four.is_written(16)) registers_[places + at].mark(false, 4);
      }
    }
    for (std::size_t i = 0; i < places; ++i) {
      registers_[i].put(&words[i], 4);
      registers_[i].mark(written[i] != 0, 4);
      registers_[i].drop_tags(4);
    }
  }

  bool loads_;
  std::vector<Places> cells_;
  std::vector<View> registers_;
  std::vector<Run> runs_;  // the registers
  Cargo cargo_;
};

// A warp's access as one operation of its first lane: what all lanes touch together. Was there a finding?
bool watch_fragment(Machine& m, const Thread& first, const Site& s, bool loads) {
  constexpr int kColumns[] = {1, 2, 4, 8, 1};  // of each repetition
  const Observers& observers = m.observers();
  const auto shape = static_cast<Shape>(s.code);
  const auto at = TensorAddress::of(Machine::arg(first, s, 0), Machine::arg(first, s, 1), Machine::arg(first, s, 2));
  const std::uint32_t number = m.issue_number(first, loads ? Queue::TmemLoad : Queue::TmemStore);
  const std::int64_t lane = first.linear / 32 % 4 * 32 + at.lane % 32, lanes = shape == Shape::Rows32 ? 32 : 16;
  const std::int64_t packed = s.flag ? 2 : 1, columns = s.number * kColumns[s.code] * packed;
  const std::uint64_t before = m.conflicts();
  auto touch = [&](std::int64_t column) {
    TensorMemory::each_run(first.cta, lane, lanes, column, columns, [&](std::uint64_t place, std::int64_t cells) {
      if (loads) {
        observers.read(first, number, place, cells);
      } else {
        observers.write(first, number, place, cells);
      }
    });
  };
  touch(at.column);
  if (shape == Shape::Halves) touch(at.column + s.count);
  return m.conflicts() != before;
}

Step fragment(Machine& m, std::span<Thread> lanes, const Site& s, bool loads) {
  bool told = false;
  for (Thread& t : lanes) {
    auto cells = places(m, t, s);
    if (!cells) return Step::Failed;
    if (m.observers() && t.number == lanes[0].number) told = watch_fragment(m, t, s, loads);
    std::vector<View> registers;
    std::vector<std::uint64_t> pointers;
    for (std::uint32_t item : s.items) {
      pointers.push_back(t.registers[item]);
      auto at = m.view(t, pointers.back(), 4, 4, false, "a register of tensor memory");
      if (!at) return Step::Failed;
      // Until the wait the registers hold nothing.
      if (loads && m.options().timing != Timing::Earliest) at->mark(false, 4);
      registers.push_back(*at);
    }
    std::optional<View> result;
    if (loads && s.args.size() > 3 && s.args[3] != Access::kNoRegister) {
      pointers.push_back(t.registers[s.args[3]]);
      result = m.view(t, pointers.back(), 4, 4, false, "a register of tensor memory");
      if (!result) return Step::Failed;
      if (m.options().timing != Timing::Earliest) result->mark(false, 4);
    }
    auto op = std::make_unique<FragmentCopy>(loads, std::move(*cells), std::move(registers), pointers);
    op->told = told;
    op->result = result;
    if (s.form) op->reduction = &form_of<Reduction>(s);
    // A store reads its registers when it is issued.
    if (!loads) op->taken = op->take(m, t);
    if (!m.engine().issue(m, t, std::move(op))) return Step::Failed;
  }
  return Step::Done;
}
Step load(Machine& m, std::span<Thread> lanes, const Site& s) { return fragment(m, lanes, s, true); }
Step store(Machine& m, std::span<Thread> lanes, const Site& s) { return fragment(m, lanes, s, false); }

Step wait(Machine& m, std::span<Thread> lanes, const Site& s) {
  const Queue queue = s.flag ? Queue::TmemLoad : Queue::TmemStore;
  for (Thread& t : lanes)
    if (!m.engine().finish_all(m, t, queue)) return Step::Failed;
  m.observers().tell(&Observer::wait, lanes, queue, std::nullopt, false);
  return Step::Done;
}

bool set_up_wait(Site& s, const Arguments& a) {
  s.flag = a.row().effects.front().object == intrinsics::Object::TensorLoads;
  return true;
}

Step fence(Machine& m, Thread& t, const Site& s) {
  const Fence fence{.kind = s.flag ? Fence::Kind::TensorBefore : Fence::Kind::TensorAfter};
  m.observers().tell(&Observer::fence, t, fence);
  return Step::Done;
}

bool set_up_fence(Site& s, const Arguments& a) {
  s.flag = a.row().effects.front().object == intrinsics::Object::BeforeThreadSync;
  return true;
}

// ---- addresses ----

// addr, row, col
Step address(Machine&, Thread& t, const Site& s) {
  const auto at = TensorAddress::of(Machine::arg(t, s, 0), Machine::arg(t, s, 1), Machine::arg(t, s, 2));
  Machine::set_result(t, s, static_cast<std::uint64_t>(at.lane) << 16 | static_cast<std::uint64_t>(at.column));
  return Step::Done;
}

constexpr CallRow kTensorMemoryRows[] = {
    {.meaning = Meaning::TmemAlloc, .slots = "dst_ptr, n_cols", .warp = allocate},
    {.meaning = Meaning::TmemDealloc, .slots = "taddr, n_cols", .warp = release, .set_up = set_up_release},
    {.meaning = Meaning::TmemRelinquish, .slots = "", .warp = relinquish},
    {.meaning = Meaning::TmemLoad, .slots = "src_addr, row, col, redval", .warp = load, .set_up = set_up_fragment},
    {.meaning = Meaning::TmemStore, .slots = "dst_addr, row, col", .warp = store, .set_up = set_up_fragment},
    {.meaning = Meaning::TmemWait, .slots = "", .warp = wait, .set_up = set_up_wait},
    {.meaning = Meaning::TmemFence, .slots = "", .thread = fence, .set_up = set_up_fence},
    {.meaning = Meaning::TmemAddress, .slots = "addr, row_offset, col_offset", .thread = address},
};

}  // namespace

std::span<const CallRow> tensor_memory_calls() { return kTensorMemoryRows; }

}  // namespace tilewright::simulate
