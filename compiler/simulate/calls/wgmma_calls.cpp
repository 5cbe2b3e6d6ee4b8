// wgmma: four warps multiply tiles of shared memory asynchronously and add to their registers.
//
// One operation stands for the work of all four warps. It reads shared memory whenever it likes between its issue and
// the wait for its group, one after the other in the order of their issue. Products are exact and are added up in
// floats; the units of a GPU cut sums to a few bits more than a float has, so that last bits may differ there. Sums of
// 8-bit floats have fewer bits (short_sums.h); those of integers are exact and wrap, or stop at the ends of an int32
// with .satfinite. A sum of float16 is rounded once an instruction, two neighbours of a row to a register; a product of
// single bits counts those that both have (PTX ISA, "wgmma.mma_async").
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include "compiler/simulate/calls/calls.h"
#include "compiler/simulate/codes.h"
#include "compiler/simulate/machine/number.h"
#include "compiler/simulate/tensor/fragments.h"
#include "compiler/simulate/tensor/matrix_operand.h"
#include "compiler/simulate/tensor/short_sums.h"

namespace tilewright::simulate {
namespace {

using intrinsics::Arguments;

constexpr int kWgmmaRows = 64, kWarps = 4;

struct Multiply final : CallForm {
  Number number{};  // of A
  MatrixForm a, b;
  float sign = 1;                                                                // of the product
  bool short_sums = false, integers = false, saturates = false, halves = false;  // halves: sums of float16
  int a_registers = 0;                                                           // 0: A is in shared memory
  int accumulators = 0;                                                          // registers of a lane
};

std::optional<Element> element_of(Number number) {
  switch (number) {
    case Number::Half: return Element::F16;
    case Number::BFloat: return Element::BF16;
    case Number::Tf32: return Element::TF32;
    case Number::E4m3: return Element::E4M3;
    case Number::E5m2: return Element::E5M2;
    case Number::S8: return Element::S8;
    case Number::U8: return Element::U8;
    case Number::Bit: return Element::B1;
    default: return std::nullopt;
  }
}

bool set_up(Site& s, const Arguments& a) {
  auto form = std::make_shared<Multiply>();
  Multiply& f = *form;
  const bool mixed = a.operand("a_dtype") != nullptr;
  auto number = number_named(a.text(mixed ? "a_dtype" : "in_dtype"));
  auto other = mixed ? number_named(a.text("b_dtype")) : number;
  auto element = number ? element_of(*number) : std::nullopt, right = other ? element_of(*other) : std::nullopt;
  if (!element || !right) return false;
  const int n = static_cast<int>(a.integer("N")), k = static_cast<int>(a.integer("K"));
  f.number = *number;
  auto transposed = [&](std::string_view which) { return a.operand(which) && a.flag(which); };
  f.a = {.element = *element, .rows = kWgmmaRows, .columns = k, .mn_major = transposed("transA")};
  f.b = {.element = *right, .rows = n, .columns = k, .mn_major = transposed("transB")};
  if (a.operand("scaleA")) f.sign = static_cast<float>(a.integer("scaleA") * a.integer("scaleB"));
  f.a_registers = a.operand("descA") ? 0 : kWgmmaRows * k * bits_of(*number) / (kWarps * 32 * 32);
  f.short_sums = *number == Number::E4m3 || *number == Number::E5m2;
  f.integers = *number == Number::S8 || *number == Number::U8 || *number == Number::Bit;
  f.saturates = mixed && a.flag("saturate");
  f.halves = mixed && a.text("out_dtype") == "float16";
  f.accumulators = kWgmmaRows * n / (kWarps * 32) / (f.halves ? 2 : 1);
  s.form = std::move(form);
  return true;
}

// Slots: the descriptors of A and B, whether the sums go on from what the accumulators hold.
enum Slot { kDescriptorA, kDescriptorB, kAccumulate };

// The registers of items [first, first + count), as runs of neighbours.
std::vector<Run> runs_of(const Thread& t, const Site& s, int first, int count) {
  std::vector<Run> out;
  for (int i = first; i < first + count; ++i) extend(out, t.registers[s.items[static_cast<std::size_t>(i)]], 4);
  return out;
}

// What a lane holds of a register array's run, not looked at as an access of the thread. Null: a finding was made.
std::optional<View> registers(Machine& m, const Thread& t, const Run& run) {
  return m.view(t, run.pointer, run.bytes, 4, false, "a register of wgmma");
}

class Product final : public Operation {
 public:
  Product(const Multiply& form, std::span<Thread> lanes, std::vector<Run> accumulators, std::vector<Run> fragments)
      : Operation(Queue::Wgmma),
        form_(form),
        lanes_(lanes),
        accumulators_(std::move(accumulators)),
        fragments_(std::move(fragments)) {}

  bool take(Machine& m, Thread& t) override {
    auto b = read_matrix(m, t, t.cta, descriptor_b, form_.b, "wgmma's B");
    if (!b) return false;
    b_ = std::move(*b);
    if (form_.a_registers != 0) return take_fragments(m);
    auto a = read_matrix(m, t, t.cta, descriptor_a, form_.a, "wgmma's A");
    if (a) a_ = std::move(*a);
    return a.has_value();
  }

  bool land(Machine& m, Thread& t) override {
    // Those before it come first: they may add to the same registers.
    if (!m.engine().finish_before(m, t, Queue::Wgmma, sequence)) return false;
    const auto columns = static_cast<std::size_t>(form_.b.rows);
    std::vector<float> sums(form_.short_sums ? 0 : kWgmmaRows * columns);
    if (!form_.short_sums) multiply_into(a_, b_, sums.data());
    m.spend(std::int64_t{kWgmmaRows} * form_.b.rows * form_.b.columns / 8);
    Warpgroups::Moving moving(m.warpgroups());
    auto whole = [](const Matrix& matrix) {
      return std::memchr(matrix.defined.data(), 0, matrix.defined.size()) == nullptr;
    };
    const bool defined = whole(a_) && whole(b_);
    auto products = [&](int row, int column) {
      return sums[static_cast<std::size_t>(row) * columns + static_cast<std::size_t>(column)];
    };
    auto sum = [&](int row, int column, float before) {
      if (form_.short_sums) return short_sum(a_.row(row), b_.row(column), a_.columns, form_.sign, before);
      return before + form_.sign * products(row, column);
    };
    if (form_.integers) {
      return add<1>(m, defined, [&](int row, int column, std::uint32_t before) {
        return integer_sum(static_cast<std::int32_t>(before), products(row, column));
      });
    }
    if (form_.halves) {
      return add<2>(m, defined, [&](int row, int column, std::uint32_t before) {
        return half_from_float(sum(row, column, float_from_half(static_cast<std::uint16_t>(before))));
      });
    }
    return add<1>(m, defined, [&](int row, int column, std::uint32_t before) {
      return std::bit_cast<std::uint32_t>(sum(row, column, std::bit_cast<float>(before)));
    });
  }

  MatrixDescriptor descriptor_a, descriptor_b;
  bool accumulates = false;

 private:
  bool take_fragments(Machine& m) {
    Warpgroups::Moving moving(m.warpgroups());
    a_ = Matrix(form_.a.rows, form_.a.columns);
    const int bits = bits_of(form_.number), count = 32 / bits;
    for (std::size_t l = 0; l < lanes_.size(); ++l) {
      int reg = 0;
      for (const Run& run : fragments_) {
        auto from = registers(m, lanes_[l], run);
        if (!from) return false;
        for (std::int64_t at = 0; at < run.bytes; at += 4, ++reg) {
          std::uint32_t word;
          from->at(at).get(&word, sizeof word);
          for (int e = 0; e < count; ++e) {
            const Place place = place_in_a(form_.number, 16, static_cast<int>(l % 32), reg, e);
            a_.row(static_cast<int>(l / 32) * 16 + place.row)[place.column] =
                number_of(form_.a.element, bits == 32 ? word : word >> (e * bits) & ((1u << bits) - 1));
          }
        }
      }
    }
    return true;
  }

  // Adds the products to the registers of all lanes, which hold kEach elements each. `sum` returns the bits of an
  // element with the products of its row and column added to it, of float16 in the lower 16. `defined`: all that was
  // multiplied was ever written.
  template <int kEach, class Sum>
  bool add(Machine& m, bool defined, const Sum& sum) {
    for (const Thread& lane : lanes_)
      if (!add_to<kEach>(m, lane, defined, sum)) return false;
    return true;
  }

  template <int kEach, class Sum>
  bool add_to(Machine& m, const Thread& t, bool defined, const Sum& sum) {
    const int lane = static_cast<int>(t.linear % 32);
    const int top = static_cast<int>(t.linear % Warpgroups::kThreads / 32) * 16 + lane / 4, left = lane % 4 * 2;
    auto row = [&](int element) { return top + element / 2 % 2 * 8; };
    auto column = [&](int element) { return left + element / 4 * 8 + element % 2; };
    std::vector<std::uint32_t> words;
    int element = 0;
    for (const Run& run : accumulators_) {
      auto to = registers(m, t, run);
      if (!to) return false;
      words.assign(static_cast<std::size_t>(run.bytes / 4), 0);  // a sum of nothing is +0, whatever the signs
      if (accumulates) to->get(words.data(), run.bytes);
      // Where all is defined, registers that were added to are so as they were.
      for (std::int64_t at = 0; !(defined && accumulates) && at < run.bytes; at += 4) {
        const View cell = to->at(at);
        bool known = !accumulates || cell.is_written(4);
        for (int e = element + static_cast<int>(at / 4) * kEach, end = e + kEach; e < end; ++e)
          known =
              known && a_.defined[static_cast<std::size_t>(row(e))] && b_.defined[static_cast<std::size_t>(column(e))];
        cell.mark(known, 4);
      }
      for (std::uint32_t& word : words) {
        std::uint32_t after = 0;
        for (int half = 0; half < kEach; ++half, ++element)
          after |= static_cast<std::uint32_t>(sum(row(element), column(element), word >> 16 * half)) << 16 * half;
        word = after;
      }
      to->put(words.data(), run.bytes);
      to->drop_tags(run.bytes);
    }
    return true;
  }

  // 32 products of 8 bits each, or 256 of one, are an integer that a float holds.
  std::uint32_t integer_sum(std::int32_t before, float products) const {
    const std::int64_t total = std::int64_t{before} + static_cast<std::int64_t>(products);
    using Limits = std::numeric_limits<std::int32_t>;
    return static_cast<std::uint32_t>(form_.saturates ? std::clamp<std::int64_t>(total, Limits::min(), Limits::max())
                                                      : total);
  }

  const Multiply& form_;
  std::span<Thread> lanes_;
  std::vector<Run> accumulators_, fragments_;
  Matrix a_, b_;
};

// The threads of a warpgroup give one instruction the same operands. False: a finding was made.
bool agree(Machine& m, std::span<const Thread> lanes, const Site& s) {
  constexpr std::string_view kNames[] = {"A's descriptor", "B's descriptor", "scaleD"};
  auto differ = [&](const Thread& t, std::string_view what) {
    m.finding(code::kWarpgroup, Severity::Error,
              "threads " + std::to_string(lanes[0].linear) + " and " + std::to_string(t.linear) +
                  " of a warpgroup give a wgmma different values of " + std::string(what),
              &t);
    return false;
  };
  for (const Thread& t : lanes) {
    for (std::size_t slot = 0; slot < s.args.size(); ++slot)
      if (Machine::arg(t, s, slot) != Machine::arg(lanes[0], s, slot)) return differ(t, kNames[slot]);
    for (std::uint32_t item : s.items)
      if (t.registers[item] != lanes[0].registers[item]) return differ(t, "a register's place");
  }
  return true;
}

// Registers that the instruction reads and that were never written.
bool check_read(Machine& m, std::span<const Thread> lanes, std::span<const Run> runs, std::string_view what) {
  Warpgroups::Moving moving(m.warpgroups());
  for (const Run& run : runs) {
    if (m.warpgroups().writes(lanes[0], run.pointer)) continue;  // by the wgmma before it
    for (const Thread& t : lanes) {
      auto at = registers(m, t, run);
      if (!at) return false;
      if (!m.options().uninitialised_reads) continue;
      const std::int64_t hole = at->hole(run.bytes);
      if (hole == run.bytes) continue;
      m.undefined_read(t, moved(run.pointer, hole), std::string(what) + " is read");
      at->mark(true, run.bytes);
    }
  }
  return true;
}

Step multiply(Machine& m, std::span<Thread> lanes, const Site& s) {
  const Multiply& f = form_of<Multiply>(s);
  if (!agree(m, lanes, s)) return Step::Failed;
  Thread& t = lanes[0];
  std::vector<Run> fragments = runs_of(t, s, 0, f.a_registers),
                   accumulators = runs_of(t, s, f.a_registers, f.accumulators);
  const bool accumulates = Machine::arg(t, s, kAccumulate) != 0;
  if (!check_read(m, lanes, fragments, "a register of A")) return Step::Failed;
  if (accumulates && !check_read(m, lanes, accumulators, "an accumulator")) return Step::Failed;
  m.warpgroups().issue(m, lanes, accumulators, fragments);
  auto op = std::make_unique<Product>(f, lanes, std::move(accumulators), std::move(fragments));
  op->accumulates = accumulates;
  op->descriptor_b = MatrixDescriptor::of_wgmma(Machine::arg(t, s, kDescriptorB));
  if (f.a_registers == 0) op->descriptor_a = MatrixDescriptor::of_wgmma(Machine::arg(t, s, kDescriptorA));
  if (m.observers()) {
    op->numbers = {m.issue_number(t, Queue::Wgmma)};
    if (f.a_registers == 0) watch_matrix(m, t, op->numbers[0], t.cta, op->descriptor_a, f.a);
    watch_matrix(m, t, op->numbers[0], t.cta, op->descriptor_b, f.b);
    m.observers().tell(&Observer::multiply, t,
                       2 * static_cast<std::uint64_t>(kWgmmaRows) * static_cast<std::uint64_t>(f.b.rows) *
                           static_cast<std::uint64_t>(f.b.columns));
  }
  return m.engine().issue(m, t, std::move(op)) ? Step::Done : Step::Failed;
}

Step fence(Machine& m, std::span<Thread> lanes, const Site&) {
  m.warpgroups().fence(lanes);
  return Step::Done;
}

Step commit(Machine& m, std::span<Thread> lanes, const Site&) {
  m.warpgroups().commit(lanes[0]);
  m.engine().commit(lanes[0], Queue::Wgmma);
  m.observers().tell(&Observer::commit, lanes[0], Queue::Wgmma);
  return Step::Done;
}

// n
Step wait(Machine& m, std::span<Thread> lanes, const Site& s) {
  const std::uint64_t allowed = Machine::arg(lanes[0], s, 0);
  m.warpgroups().wait(lanes[0], allowed);
  m.observers().tell(&Observer::wait, lanes, Queue::Wgmma, allowed, false);
  return m.engine().finish(m, lanes[0], Queue::Wgmma, allowed) ? Step::Done : Step::Failed;
}

// desc, addr, ldo, sdo, swizzle
Step descriptor(Machine& m, Thread& t, const Site& s) {
  constexpr std::uint64_t kLayout[] = {0, 3, 2, 1};
  auto start = m.window_address(Machine::arg(t, s, 1));
  if (!start) {
    m.finding(code::kPointer, Severity::Error, "a matrix descriptor describes shared memory", &t);
    return Step::Failed;
  }
  const std::uint64_t bits = (*start >> 4 & 0x3fff) | (Machine::arg(t, s, 2) & 0x3fff) << 16 |
                             (Machine::arg(t, s, 3) & 0x3fff) << 32 | kLayout[Machine::arg(t, s, 4) & 3] << 62;
  const std::uint64_t to = Machine::arg(t, s, 0);
  return write_registers(m, t, {&to, 1}, 64, &bits, "the descriptor") ? Step::Done : Step::Failed;
}

constexpr CallRow kCalls[] = {
    {.meaning = Meaning::WgmmaMma, .slots = "descA, descB, scaleD", .warpgroup = multiply, .set_up = set_up},
    {.meaning = Meaning::WgmmaFence, .slots = "", .warpgroup = fence},
    {.meaning = Meaning::WgmmaCommit, .slots = "", .warpgroup = commit},
    {.meaning = Meaning::WgmmaWait, .slots = "n", .warpgroup = wait},
    {.meaning = Meaning::WgmmaDescriptor, .slots = "desc, addr, ldo, sdo, swizzle", .thread = descriptor},
};

}  // namespace

std::span<const CallRow> wgmma_calls() { return kCalls; }

}  // namespace tilewright::simulate
