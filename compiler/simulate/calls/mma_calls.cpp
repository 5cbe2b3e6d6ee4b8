// mma.sync: a warp multiplies fragments that its lanes hold in registers.
//
// Products are exact and summed up exactly, and the sum with C is rounded once. The units of a GPU cut what is added up
// to a few bits more than a float has, so sums of floats may differ there in their last bits; integers and float64 by
// one product at a time do not.
#include <array>
#include <cmath>

#include "compiler/simulate/calls/calls.h"
#include "compiler/simulate/codes.h"
#include "compiler/simulate/machine/value.h"
#include "compiler/simulate/tensor/fragments.h"

namespace tilewright::simulate {
namespace {

using intrinsics::Arguments;

constexpr int kLanes = 32, kMostRegisters = 8, kMostK = 256, kColumns = 8;
using Words = std::array<std::uint64_t, kMostRegisters>;

struct Multiply final : CallForm {
  int m = 0, k = 0;
  Number a{}, b{}, c{}, d{};
  bool quads = false;  // m8n8k4 of float16: four products, each by four lanes and the four that are 16 further
  bool a_by_column = false, b_by_row = false;
  bool saturates = false, parity = false;  // parity: 1-bit operands are multiplied by xor
  int stored_k = 0;                        // of A: half of k when it is sparse
  int selector = -1;                       // which lanes of four hold the metadata; -1: A is dense
  int group = 4;                           // elements of a sparse row of which half are stored
  bool ordered = false;                    // sp::ordered_metadata: indices grow

  // Lanes of four that hold metadata.
  int metadata_lanes() const { return k / group / 4; }
  bool indexed = false;  // pointers to consecutive registers, in place of a list
  int a_registers = 0, b_registers = 0, c_registers = 0, d_registers = 0;
  int a_unit = 1, b_unit = 1, c_unit = 1, metadata_unit = 1;  // bytes that an index counts
};

// "m16n8k8"
void read_shape(Multiply& f, std::string_view text) {
  int n = 0;
  int* to = nullptr;
  for (char c : text) {
    if (c == 'm') to = &f.m;
    if (c == 'n') to = &n;
    if (c == 'k') to = &f.k;
    if (c >= '0' && c <= '9' && to) *to = *to * 10 + (c - '0');
  }
}

void count_registers(Multiply& f) {
  auto registers = [&](int elements, Number n) {
    return elements * bits_of(n) / (f.quads ? kLanes / 4 : kLanes) / register_bits(n);
  };
  f.a_registers = registers(f.m * f.stored_k, f.a);
  f.b_registers = registers(f.k * kColumns, f.b);
  f.c_registers = registers(f.m * kColumns, f.c);
  f.d_registers = registers(f.m * kColumns, f.d);
}

bool set_up(Site& s, const Arguments& a) {
  auto form = std::make_shared<Multiply>();
  Multiply& f = *form;
  f.indexed = a.operand("multiplicand_a") != nullptr;
  const bool sparse = a.operand("sparse_selector") != nullptr;
  auto number = [&](std::string_view listed, std::string_view by_index) {
    return number_named(a.text(f.indexed ? by_index : listed));
  };
  auto na = number("a_type", "A_dtype"), nb = number("b_type", "B_dtype"), nc = number("c_type", "C_dtype"),
       nd = number("d_type", "C_dtype");
  if (!na || !nb || !nc || !nd) return false;
  f.a = *na;
  f.b = *nb;
  f.c = *nc;
  f.d = *nd;
  read_shape(f, a.text("shape"));
  f.stored_k = sparse ? f.k / 2 : f.k;
  f.quads = f.a == Number::Half && f.m == 8;
  f.a_by_column = a.text(f.indexed ? "A_layout" : "a_layout") == "col";
  f.b_by_row = a.text(f.indexed ? "B_layout" : "b_layout") == "row";
  f.saturates = a.flag("saturate");
  f.parity = a.text(f.indexed ? "operator" : "bit_op") == "xor";
  count_registers(f);
  if (f.indexed) {
    f.a_unit = bytes_of_pointee(a["multiplicand_a"]);
    f.b_unit = bytes_of_pointee(a["multiplicand_b"]);
    f.c_unit = bytes_of_pointee(a["accumulator"]);
  }
  if (sparse) {
    f.selector = static_cast<int>(a.integer("sparse_selector"));
    f.group = f.a == Number::Tf32 ? 2 : bits_of(f.a) == 4 ? 8 : 4;
    f.ordered = a.operand("variant") && a.text("variant") == "sp::ordered_metadata";
    if (f.indexed) f.metadata_unit = bytes_of_pointee(a["metadata"]);
    if (f.metadata_lanes() < 1 || f.selector < 0 || f.selector >= 4 / f.metadata_lanes()) return false;
  }
  s.form = std::move(form);
  return true;
}

// ---- where the elements are ----

// The rows of the four products of m8n8k4 stand below each other.
Place quad_place_a(const Multiply& f, int lane, int reg, int e) {
  const int i = reg * 2 + e, first = lane % 16 / 4 * 8, high = lane < 16 ? 0 : 4;
  return f.a_by_column ? Place{first + high + i, lane % 4} : Place{first + high + lane % 4, i};
}
Place quad_place_b(const Multiply& f, int lane, int reg, int e) {
  const int i = reg * 2 + e, high = lane < 16 ? 0 : 4;
  return f.b_by_row ? Place{lane % 4, high + i} : Place{i, high + lane % 4};
}
Place quad_place_c(Number number, int lane, int reg, int e) {
  const int first = lane % 16 / 4 * 8 + (lane < 16 ? 0 : 4);
  if (number == Number::Half) return {first + lane % 4, reg * 2 + e};
  return {first + (lane & 1) + (reg & 2), (reg & 4) + (lane & 2) + (reg & 1)};
}

// Calls f(element's bits, lane, register, element) for all that the lanes hold.
template <class F>
void each_element(Number number, const std::array<Words, kLanes>& words, int registers, F&& f) {
  const int bits = bits_of(number), count = register_bits(number) / bits;
  for (int lane = 0; lane < kLanes; ++lane)
    for (int r = 0; r < registers; ++r)
      for (int e = 0; e < count; ++e)
        f(words[static_cast<std::size_t>(lane)][static_cast<std::size_t>(r)] >> (e * bits), lane, r, e);
}

// ---- the product ----

struct Matrices {
  std::array<std::array<double, kMostK>, kLanes> a{};  // rows, of quads all four below each other
  std::array<std::array<std::array<double, kMostK>, kColumns>, 4> b{};
  std::array<std::array<double, kColumns>, kLanes> c{};
};

// Of each group of elements of a row half are stored; four bits of metadata say which (PTX ISA 9.7.14.6.1, "Sparse
// matrix storage"): two indices of an element in a group of four, of a pair of elements in a group of eight, or one
// element of two in words of its own. Elements of 16 and 32 bits: a lane's word holds four groups, those of row r in
// its lower half and those of row r + 8 in the upper one. Elements of 8 and 4 bits: it holds eight groups of one row,
// and the lane after it those of row r + 8 (measured on an H100).
std::uint64_t indices_of(const Multiply& f, const std::array<std::uint64_t, kLanes>& metadata, int row, int group) {
  const int lanes = f.metadata_lanes(), first = row % 8 * 4 + (lanes == 4 ? 0 : f.selector * lanes);
  const bool narrow = bits_of(f.a) <= 8 && lanes >= 2;
  const int lane = narrow ? first + group / 8 * 2 + row / 8 : first + group / 4;
  const int bit = narrow ? group % 8 * 4 : row / 8 * 16 + group % 4 * 4;
  return metadata[static_cast<std::size_t>(lane)] >> bit & 15;
}

int dense_k(const Multiply& f, const std::array<std::uint64_t, kLanes>& metadata, int row, int stored) {
  const int half = f.group / 2, group = stored / half, within = stored % half;
  const auto bits = static_cast<int>(indices_of(f, metadata, row, group));
  if (f.group == 2) return group * 2 + (bits & 3) / 2;
  if (f.group == 8) return group * 8 + (bits >> (within / 2 * 2) & 3) * 2 + within % 2;
  return group * 4 + (bits >> (within * 2) & 3);
}

// Metadata that PTX leaves undefined: the same index twice, one that does not grow where it must, and of words of 32
// bits anything but 0b0100 and 0b1110.
bool check_metadata(Machine& m, const Thread& t, const Multiply& f, const std::array<std::uint64_t, kLanes>& metadata) {
  for (int row = 0; row < f.m; ++row) {
    for (int group = 0; group < f.k / f.group; ++group) {
      const std::uint64_t bits = indices_of(f, metadata, row, group), low = bits & 3, high = bits >> 2;
      const bool good = f.group == 2 ? bits == 4 || bits == 14 : f.ordered ? low < high : low != high;
      if (good) continue;
      std::string text = "0b";
      for (int b = 3; b >= 0; --b) text += bits >> b & 1 ? '1' : '0';
      m.finding(code::kRefused, Severity::Error,
                "the metadata of row " + std::to_string(row) + " of A says " + text + " for elements " +
                    std::to_string(group * f.group) + " to " + std::to_string((group + 1) * f.group - 1) +
                    (f.group == 2 ? ": it is 0b0100 or 0b1110 for tf32"
                     : f.ordered  ? ": the second of the two indices is the larger one"
                                  : ": the two indices differ") +
                    " (PTX 9.7.14.6.1)",
                &t);
      return false;
    }
  }
  return true;
}

double dot(const Multiply& f, const std::array<double, kMostK>& row, const std::array<double, kMostK>& column,
           double c) {
  double sum = 0;
  if (f.a == Number::Double) {
    for (int k = 0; k < f.k; ++k)
      c = std::fma(row[static_cast<std::size_t>(k)], column[static_cast<std::size_t>(k)], c);
    return c;
  }
  for (std::size_t k = 0; k < static_cast<std::size_t>(f.k); ++k)
    sum += f.parity ? static_cast<double>(row[k] != column[k]) : row[k] * column[k];
  return c + sum;
}

// ---- the call ----

bool gather(Machine& m, const Thread& t, const Site& s, std::size_t slot, std::size_t first_item, int registers,
            int unit, int bits, std::uint64_t* out, std::string_view what) {
  std::array<std::uint64_t, kMostRegisters> pointers{};
  const Multiply& f = form_of<Multiply>(s);
  for (std::size_t r = 0; r < static_cast<std::size_t>(registers); ++r) {
    if (f.indexed) {
      const auto index = static_cast<std::int64_t>(Machine::arg(t, s, slot + 1));
      pointers[r] = moved(Machine::arg(t, s, slot), index * unit + static_cast<std::int64_t>(r) * bits / 8);
    } else {
      pointers[r] = t.registers[s.items[first_item + r]];
    }
  }
  return read_registers(m, t, {pointers.data(), static_cast<std::size_t>(registers)}, bits, out, what);
}

bool scatter(Machine& m, const Thread& t, const Site& s, const Words& values) {
  const Multiply& f = form_of<Multiply>(s);
  std::array<std::uint64_t, kMostRegisters> pointers{};
  const auto count = static_cast<std::size_t>(f.d_registers);
  for (std::size_t r = 0; r < count; ++r) {
    if (f.indexed) {
      const auto index = static_cast<std::int64_t>(Machine::arg(t, s, 5));
      pointers[r] =
          moved(Machine::arg(t, s, 4), index * f.c_unit + static_cast<std::int64_t>(r) * register_bits(f.d) / 8);
    } else {
      pointers[r] = t.registers[s.items[r]];
    }
  }
  return write_registers(m, t, {pointers.data(), count}, register_bits(f.d), values.data(), "a register of D");
}

// Slots: A and its index, B, the accumulator, the metadata, each with its index. Items: the lists of D, A, B and C.
bool load(Machine& m, std::span<Thread> lanes, const Site& s, Matrices& to) {
  const Multiply& f = form_of<Multiply>(s);
  std::array<Words, kLanes> a{}, b{}, c{};
  std::array<std::uint64_t, kLanes> metadata{};
  const auto d_items = static_cast<std::size_t>(f.d_registers), a_items = static_cast<std::size_t>(f.a_registers),
             b_items = static_cast<std::size_t>(f.b_registers);
  const bool accumulates = f.indexed || s.items.size() > d_items + a_items + b_items;
  for (std::size_t l = 0; l < kLanes; ++l) {
    const Thread& t = lanes[l];
    if (!gather(m, t, s, 0, d_items, f.a_registers, f.a_unit, register_bits(f.a), a[l].data(), "a register of A") ||
        !gather(m, t, s, 2, d_items + a_items, f.b_registers, f.b_unit, register_bits(f.b), b[l].data(),
                "a register of B"))
      return false;
    if (accumulates && !gather(m, t, s, 4, d_items + a_items + b_items, f.c_registers, f.c_unit, register_bits(f.c),
                               c[l].data(), "a register of C"))
      return false;
    // The other lanes' words say nothing.
    if (f.selector < 0 || static_cast<int>(l % 4) / f.metadata_lanes() != f.selector) continue;
    if (!f.indexed) {
      metadata[l] = Machine::arg(t, s, 6) & 0xffffffff;
    } else if (!gather(m, t, s, 6, 0, 1, f.metadata_unit, 32, &metadata[l], "the metadata of A")) {
      return false;
    }
  }
  if (f.selector >= 0 && !check_metadata(m, lanes[0], f, metadata)) return false;
  each_element(f.a, a, f.a_registers, [&](std::uint64_t bits, int lane, int r, int e) {
    Place at = f.quads ? quad_place_a(f, lane, r, e) : place_in_a(f.a, f.m, lane, r, e);
    if (f.selector >= 0) at.column = dense_k(f, metadata, at.row, at.column);
    to.a[static_cast<std::size_t>(at.row)][static_cast<std::size_t>(at.column)] = value_of(f.a, bits);
  });
  each_element(f.b, b, f.b_registers, [&](std::uint64_t bits, int lane, int r, int e) {
    const Place at = f.quads ? quad_place_b(f, lane, r, e) : place_in_b(f.b, lane, r, e);
    const auto product = static_cast<std::size_t>(f.quads ? lane % 16 / 4 : 0);
    to.b[product][static_cast<std::size_t>(at.column)][static_cast<std::size_t>(at.row)] = value_of(f.b, bits);
  });
  each_element(f.c, c, f.c_registers, [&](std::uint64_t bits, int lane, int r, int e) {
    const Place at = f.quads ? quad_place_c(f.c, lane, r, e) : place_in_c(f.c, lane, r, e);
    to.c[static_cast<std::size_t>(at.row)][static_cast<std::size_t>(at.column)] = value_of(f.c, bits);
  });
  return true;
}

Step multiply(Machine& m, std::span<Thread> lanes, const Site& s) {
  const Multiply& f = form_of<Multiply>(s);
  Matrices matrices;
  if (!load(m, lanes, s, matrices)) return Step::Failed;
  m.spend(f.m * f.k);
  m.observers().tell(&Observer::multiply, lanes[0],
                     2 * static_cast<std::uint64_t>(f.m) * kColumns * static_cast<std::uint64_t>(f.k));
  const int count = register_bits(f.d) / bits_of(f.d);
  for (int lane = 0; lane < kLanes; ++lane) {
    Words words{};
    for (int r = 0; r < f.d_registers; ++r) {
      for (int e = 0; e < count; ++e) {
        const Place at = f.quads ? quad_place_c(f.d, lane, r, e) : place_in_c(f.d, lane, r, e);
        const auto row = static_cast<std::size_t>(at.row), column = static_cast<std::size_t>(at.column);
        const double value =
            dot(f, matrices.a[row], matrices.b[f.quads ? row / 8 : 0][column], matrices.c[row][column]);
        words[static_cast<std::size_t>(r)] |= bits_from(f.d, value, f.saturates) << (e * bits_of(f.d));
      }
    }
    if (!scatter(m, lanes[static_cast<std::size_t>(lane)], s, words)) return Step::Failed;
  }
  return Step::Done;
}

// ---- the old helpers around it ----

struct Elements final : CallForm {
  ir::DataType from, to;
};

std::uint64_t converted(std::uint64_t value, ir::DataType from, ir::DataType to) {
  if (from == to) return value;
  return from_bits(to_bits(value, to), to);
}

// dst, src, src_offset, dst_stride
Step store_fragment(Machine& m, Thread& t, const Site& s) {
  const Elements& f = form_of<Elements>(s);
  const std::int64_t from_bytes = f.from.storage_bits() / 8, to_bytes = f.to.storage_bits() / 8;
  const auto offset = static_cast<std::int64_t>(Machine::arg(t, s, 2)),
             stride = static_cast<std::int64_t>(Machine::arg(t, s, 3));
  const std::int64_t lane = t.linear % kLanes;
  for (std::int64_t i = 0; i < 8; ++i) {
    const std::int64_t row = i % 4 / 2 * 8 + lane / 4, column = i / 4 * 8 + lane % 4 * 2 + i % 2;
    const std::uint64_t from = moved(Machine::arg(t, s, 1), (offset + i) * from_bytes),
                        to = moved(Machine::arg(t, s, 0), (row * stride + column) * to_bytes);
    std::uint64_t raw = 0;
    t.carried = 0;
    if (!read_registers(m, t, {&from, 1}, static_cast<int>(from_bytes * 8), &raw, "a register of the fragment", true))
      return Step::Failed;
    raw = to_bits(converted(from_bits(raw, f.from), f.from, f.to), f.to);
    if (!write_registers(m, t, {&to, 1}, static_cast<int>(to_bytes * 8), &raw, "the fragment's store"))
      return Step::Failed;
  }
  return Step::Done;
}

bool set_up_store(Site& s, const Arguments& a) {
  auto form = std::make_shared<Elements>();
  form->from = pointee_of(a["src_ptr"]);
  form->to = pointee_of(a["dst_ptr"]);
  auto stands = [](ir::DataType d) { return d.is_floating() && d.lanes == 1 && d.storage_bits() >= 16; };
  const bool alike = form->from == form->to || (form->from.bits != 64 && form->to.bits != 64);
  const bool good = stands(form->from) && stands(form->to) && alike;
  s.form = std::move(form);
  return good;
}

// ptr, offset
Step fill_fragment(Machine& m, Thread& t, const Site& s) {
  const Elements& f = form_of<Elements>(s);
  const std::int64_t bytes = f.to.storage_bits() / 8, offset = static_cast<std::int64_t>(Machine::arg(t, s, 1));
  for (std::int64_t i = 0; i < s.number; ++i) {
    const std::uint64_t to = moved(Machine::arg(t, s, 0), (offset + i) * bytes), zero = 0;
    if (!write_registers(m, t, {&to, 1}, static_cast<int>(bytes * 8), &zero, "the fragment's fill"))
      return Step::Failed;
  }
  return Step::Done;
}

bool set_up_fill(Site& s, const Arguments& a) {
  auto form = std::make_shared<Elements>();
  form->to = pointee_of(a["local_ptr"]);
  s.number = a.integer("local_size");
  const bool good = form->to.lanes == 1 && form->to.storage_bits() >= 8;
  s.form = std::move(form);
  return good;
}

constexpr std::string_view kSlots =
    "multiplicand_a, a_index, multiplicand_b, b_index, accumulator, c_index, metadata, meta_index";

constexpr CallRow kMmaRows[] = {
    {.meaning = Meaning::Mma, .slots = kSlots, .warp = multiply, .set_up = set_up},
    {.meaning = Meaning::MmaSparse, .slots = kSlots, .warp = multiply, .set_up = set_up},
    {.meaning = Meaning::MmaStore,
     .slots = "dst_ptr, src_ptr, src_offset, dst_stride",
     .thread = store_fragment,
     .set_up = set_up_store},
    {.meaning = Meaning::MmaFill, .slots = "local_ptr, offset", .thread = fill_fragment, .set_up = set_up_fill},
};

}  // namespace

std::span<const CallRow> mma_calls() { return kMmaRows; }

}  // namespace tilewright::simulate
