#include "compiler/simulate/tensor/tensor_core.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include "compiler/simulate/machine/number.h"

namespace tilewright::simulate {
namespace {

constexpr int kLanesOfWarp = 32;

MmaRefusal illegal(std::string text) { return {true, std::move(text)}; }

std::string number(int n) { return std::to_string(n); }

// The type that a kind's number stands for (PTX, table "instruction descriptor").
std::expected<Element, MmaRefusal> element_of(MmaKind kind, std::uint32_t code, std::string_view operand) {
  auto none = [&] {
    return std::unexpected(illegal("its instruction descriptor has " + number(static_cast<int>(code)) +
                                   " for the type of " + std::string(operand) + ", which this kind does not know"));
  };
  switch (kind) {
    case MmaKind::F16:
      if (code > 1) return none();
      return code ? Element::BF16 : Element::F16;
    case MmaKind::Tf32:
      if (code != 2) return none();
      return Element::TF32;
    case MmaKind::I8:
      if (code > 1) return none();
      return code ? Element::S8 : Element::U8;
    case MmaKind::Ti16:
      if (code != 3) return none();
      return Element::TI16;
    case MmaKind::Mxf4:
    case MmaKind::Mxf4nvf4:
      if (code != 1) return none();
      return Element::E2M1;
    default: break;
  }
  switch (code) {
    case 0: return Element::E4M3;
    case 1: return Element::E5M2;
    case 3: return Element::E2M3;
    case 4: return Element::E3M2;
    case 5: return Element::E2M1;
    default: return none();
  }
}

int dense_k(MmaKind kind) {
  switch (kind) {
    case MmaKind::F16:
    case MmaKind::Ti16: return 16;
    case MmaKind::Tf32: return 8;
    case MmaKind::Mxf4:
    case MmaKind::Mxf4nvf4: return 64;
    default: return 32;
  }
}

// M and N that any form of the instruction has; what each kind takes of them the encoding rows check.
std::expected<void, MmaRefusal> check_extents(const Mma& mma) {
  const std::string where = " with cta_group " + number(mma.ctas);
  const bool legal_m = mma.ctas == 2
                           ? mma.m == 128 || mma.m == 256
                           : mma.m == 128 || (mma.m == 64 && !mma.is_scaled()) || (mma.m == 32 && mma.stationary);
  if (!legal_m || (mma.is_scaled() && mma.sparse && mma.ctas == 2 && mma.m != 256))
    return std::unexpected(illegal("M = " + number(mma.m) + " of its instruction descriptor is not possible" + where));
  if (mma.stationary && mma.n != 64 && mma.n != 128 && mma.n != 256)
    return std::unexpected(illegal("N = " + number(mma.n) + " of its instruction descriptor is not possible with .ws"));
  if (mma.by_table && mma.rows() == 64)
    return std::unexpected(illegal("M = " + number(mma.m) + " of its instruction descriptor is not possible" + where +
                                   " where B comes by a table"));
  if (mma.n < 8 * mma.ctas || mma.n > 256 || mma.n % (8 * mma.ctas) != 0)
    return std::unexpected(illegal("N = " + number(mma.n) + " of its instruction descriptor is not possible" + where));
  return {};
}

// K of twice the length, which sm_107 has (PTX ISA 9.4, "instruction descriptor"), and what B by a table needs.
std::expected<void, MmaRefusal> check_wide(const Mma& mma, bool wide) {
  if (mma.by_table && (mma.b != Element::E4M3 || mma.b_mn_major))
    return std::unexpected(illegal("B by a table is of e4m3 and stands along K"));
  if (mma.by_table && !wide) return std::unexpected(MmaRefusal{false, "a table and K = 32"});
  if (!wide) return {};
  if (mma.sparse && mma.kind == MmaKind::F8F6F4)
    return std::unexpected(illegal("a sparse product of kind::f8f6f4 has no K = 128"));
  if (mma.sparse) return std::unexpected(MmaRefusal{false, "a sparse K = 128"});
  if (bits_of(mma.a) < 8 || bits_of(mma.b) < 8)
    return std::unexpected(MmaRefusal{false, "K = 64 of elements of 6 and 4 bits"});
  return {};
}

}  // namespace

MmaKind mma_kind_named(std::string_view name) {
  constexpr std::string_view kNames[] = {"f16", "tf32", "f8f6f4", "i8", "ti16", "mxf8f6f4", "mxf4", "mxf4nvf4"};
  return static_cast<MmaKind>(std::ranges::find(kNames, name) - std::begin(kNames));
}

std::expected<void, MmaRefusal> Mma::read_descriptor(std::uint32_t bits) {
  auto field = [&](int at, int width) { return static_cast<int>(bits >> at & ((1u << width) - 1)); };
  if ((field(2, 1) != 0) != sparse)
    return std::unexpected(illegal(sparse ? "its instruction descriptor is that of a dense product"
                                          : "its instruction descriptor is that of a sparse product"));
  if (sparse && field(0, 2) != 0) return std::unexpected(MmaRefusal{false, "a sparsity selector other than 0"});
  if (is_scaled() && kind != MmaKind::Mxf8f6f4 && field(31, 1) != 0)
    return std::unexpected(MmaRefusal{false, "K = 96"});
  if (is_scaled() && kind != MmaKind::Mxf8f6f4 && field(3, 1) != 0)
    return std::unexpected(MmaRefusal{false, "K = 128"});
  auto left = element_of(kind, bits >> 7 & 7, "A"), right = element_of(kind, bits >> 10 & 7, "B");
  if (!left) return std::unexpected(left.error());
  if (!right) return std::unexpected(right.error());
  a = *left;
  b = *right;
  negate_a = field(13, 1);
  negate_b = field(14, 1);
  a_mn_major = field(15, 1);
  b_mn_major = field(16, 1);
  n = field(17, 6) * 8;
  const bool wide = (kind == MmaKind::F8F6F4 && field(29, 1)) || (kind == MmaKind::Mxf8f6f4 && field(31, 1));
  k = dense_k(kind) * (sparse ? 2 : 1) * (wide ? 2 : 1);
  if (auto taken = check_wide(*this, wide); !taken) return taken;
  if (stationary) most_shift = field(30, 2) == 0 ? 0 : 4 << field(30, 2);
  if (is_scaled()) {
    m = field(27, 2) * 128;
    d = Result::F32;
    scales_are_powers = field(23, 1);
    scale_a_byte = field(29, 2);
    scale_b_byte = field(4, 2);
    for (int id : {scale_a_byte, scale_b_byte})
      if (id % scale_vector != 0 || id + scale_vector > 4)
        return std::unexpected(illegal("a scale id of " + number(id) + " with " + number(scale_vector) +
                                       " scales along K: they stand at a multiple of their number"));
  } else {
    m = field(24, 5) * 16;
    saturate = kind == MmaKind::I8 && field(3, 1);
    const int type = field(4, 2);
    const bool integers = kind == MmaKind::I8 || kind == MmaKind::Ti16;
    const bool fits = integers ? type == 2 : kind == MmaKind::Tf32 ? type == 1 : type < 2;
    if (!fits)
      return std::unexpected(illegal("its instruction descriptor has " + number(type) +
                                     " for the type of D, which this kind does not know"));
    d = static_cast<Result>(type);
  }
  if (kind == MmaKind::Ti16 && (a_mn_major || b_mn_major))
    return std::unexpected(MmaRefusal{false, "elements of ti16 that do not stand along K"});
  return check_extents(*this);
}

MatrixForm Mma::a_form() const {
  return {.element = a,
          .rows = rows(),
          .columns = stored_k(),
          .mn_major = a_mn_major,
          .padded = bits_of(a) < 8 && (kind == MmaKind::F8F6F4 || kind == MmaKind::Mxf8f6f4)};
}

MatrixForm Mma::b_form() const {
  constexpr int kPlaceBits = 3;
  if (by_table) return {.element = Element::U8, .rows = n / ctas, .columns = 2 * k * kPlaceBits / 8};
  return {.element = b,
          .rows = n / ctas + shift,
          .columns = k,
          .mn_major = b_mn_major,
          .padded = bits_of(b) < 8 && (kind == MmaKind::F8F6F4 || kind == MmaKind::Mxf8f6f4)};
}

// Padded elements take a byte each.
int Mma::a_columns() const { return stored_k() * (a_form().padded ? 8 : bits_of(a)) / 32; }
int Mma::metadata_columns() const { return dense_k(kind) <= 16 ? 1 : 2; }

std::vector<MmaPart> parts_of(const Mma& mma, int lane) {
  const int rows = mma.rows();
  std::vector<MmaPart> parts(1);
  // Columns of D side by side: two halves of 64 rows (layouts B and E), four quarters of 32 (G).
  const bool folded = mma.stationary ? rows < 128 : rows == 64 && mma.ctas == 2 && !mma.sparse;
  if (folded) parts.resize(static_cast<std::size_t>(128 / rows));
  for (std::size_t p = 0; p < parts.size(); ++p) {
    MmaPart& part = parts[p];
    part.count = mma.n / static_cast<int>(parts.size());
    part.first = static_cast<int>(p) * part.count;
    for (int r = 0; r < rows; ++r) {
      part.rows.push_back(r);
      // All lanes (layouts A and D); those of this part of the columns; the half of each warp's lanes (C and F).
      part.lanes.push_back(rows == 128 ? r : folded ? r + rows * static_cast<int>(p) : lane + r / 16 * 32 + r % 16);
    }
  }
  return parts;
}

namespace {

bool all_written(View at, std::int64_t bytes) { return !std::memchr(at.defined, 0, static_cast<std::size_t>(bytes)); }

std::uint32_t word_at(View at) {
  std::uint32_t word;
  std::memcpy(&word, at.bytes, sizeof word);
  return word;
}

void note_if_none(const std::vector<std::uint8_t>& defined, std::string_view name, MmaOutcome& outcome) {
  if (std::ranges::find(defined, 1) == defined.end()) outcome.unwritten.push_back(name);
}

// The rows of A that a part has, from shared memory or from the lanes of tensor memory.
Matrix left_of(const Mma& mma, const MmaOperands& o, const MmaPart& part, TensorMemory& memory) {
  Matrix out(static_cast<int>(part.rows.size()), mma.stored_k());
  const MatrixForm form = mma.a_form();
  const int bits = form.padded ? 8 : bits_of(mma.a);
  for (std::size_t i = 0; i < part.rows.size(); ++i) {
    const int r = static_cast<int>(i);
    if (o.a) {
      std::copy_n(o.a->row(part.rows[i]), out.columns, out.row(r));
      out.defined[i] = o.a->defined[static_cast<std::size_t>(part.rows[i])];
      continue;
    }
    View from = memory.cell(part.lanes[i], o.a_at.column);
    out.defined[i] = all_written(from, mma.a_columns() * TensorMemory::kCellBytes);
    for (int k = 0; k < out.columns; ++k) {
      std::uint32_t code = 0;
      std::memcpy(&code, from.bytes + k * bits / 8, static_cast<std::size_t>(std::max(1, bits / 8)));
      if (bits == 4) code = code >> k % 2 * 4 & 15;
      // An e2m1 in a byte of its own stands in the middle of it.
      if (form.padded && mma.a == Element::E2M1) code = code >> 2 & 15;
      out.row(r)[k] = number_of(mma.a, code);
    }
  }
  return out;
}

// The metadata of `width` bits for the elements of a row from k on; `lane` is that of its row of D.
std::uint32_t metadata_at(const Mma& mma, const MmaOperands& o, TensorMemory& memory, int lane, int k, bool* written) {
  int bit;
  if (mma.metadata_columns() == 1) {
    // Eight rows share eight lanes of a group of sixteen with the eight rows behind them: one lane for each half of K.
    const int half = mma.k / 2, per = 16 / half;
    bit = lane / 8 % 2 * 16 + k % half * per;
    lane = lane / 16 * 16 + lane % 8 + k / half * 8;
  } else {
    bit = k * 64 / mma.k;
  }
  View cell = memory.cell(lane, o.metadata.column + bit / 32);
  *written = *written && all_written(cell, TensorMemory::kCellBytes);
  return word_at(cell) >> bit % 32 & 15;
}

// A with its zeros. Four bits say which of a group's elements are there: of two one (tf32), of four two, and of four
// pairs two (fp4).
Matrix spread(const Mma& mma, const MmaOperands& o, const MmaPart& part, TensorMemory& memory, const Matrix& stored,
              MmaOutcome& outcome) {
  Matrix out(stored.rows, mma.k);
  out.defined = stored.defined;
  const bool one_of_two = mma.kind == MmaKind::Tf32, pairs = mma.kind == MmaKind::Mxf4 || mma.kind == MmaKind::Mxf4nvf4;
  const int group = one_of_two ? 2 : pairs ? 8 : 4, wide = pairs ? 2 : 1;
  bool any = false;
  for (int r = 0; r < out.rows; ++r) {
    bool written = true;
    for (int k = 0; k < mma.k; k += group) {
      const std::uint32_t code = metadata_at(mma, o, memory, part.lanes[static_cast<std::size_t>(r)], k, &written);
      const int first = static_cast<int>(code & 3), second = static_cast<int>(code >> 2);
      const bool legal = one_of_two ? code == 0b0100 || code == 0b1110 : first < second;
      if (written && !legal && outcome.refused.empty())
        outcome.refused = "the metadata of row " + number(r) + " holds " + number(static_cast<int>(code)) +
                          " for its elements from " + number(k) + " on" +
                          (one_of_two ? ", not 4 or 14" : ": the places of the two that are there do not ascend");
      const float* from = stored.row(r) + k / 2;
      float* to = out.row(r) + k;
      if (one_of_two) {
        to[first / 2] = from[0];
        continue;
      }
      std::copy_n(from, wide, to + first * wide);
      std::copy_n(from + wide, wide, to + second * wide);
    }
    any |= written;
    if (!written) out.defined[static_cast<std::size_t>(r)] = 0;
  }
  if (!any) outcome.unwritten.push_back("the metadata of A");
  return out;
}

// The scales of rows, for one quarter of the lanes: row r stands in lane r mod 32 of the column r / 32.
struct Scales {
  std::vector<double> numbers;  // by row, then along K
  std::vector<std::uint8_t> defined;
};
Scales scales_of(const Mma& mma, TensorAddress at, int first_byte, int rows, int quarter, TensorMemory& memory) {
  Scales out;
  for (int r = 0; r < rows; ++r) {
    View cell = memory.cell(quarter * kLanesOfWarp + r % kLanesOfWarp, at.column + r / kLanesOfWarp);
    out.defined.push_back(all_written(cell.at(first_byte), mma.scale_vector));
    for (int i = 0; i < mma.scale_vector; ++i) {
      const auto code = std::to_integer<std::uint32_t>(cell.bytes[first_byte + i]);
      out.numbers.push_back(!mma.scales_are_powers ? static_cast<double>(number_of(Element::E4M3, code & 0x7f))
                            : code == 0xff         ? std::numeric_limits<double>::quiet_NaN()
                                                   : std::ldexp(1.0, static_cast<int>(code) - 127));
    }
  }
  return out;
}

// A matrix's columns [first, first + count).
Matrix block_of(const Matrix& whole, int first, int count) {
  Matrix out(whole.rows, count);
  for (int r = 0; r < whole.rows; ++r) std::copy_n(whole.row(r) + first, count, out.row(r));
  return out;
}

constexpr float kHigh = 64;

// One part of D on its way: its sums row by row, and which of its rows and columns hold numbers.
struct Sums {
  std::vector<float> numbers;
  std::vector<float> high{};  // of ti16: multiples of kHigh, to be added
  std::vector<std::uint8_t> rows;
  std::array<std::vector<std::uint8_t>, 4> columns;  // by quarter of the lanes
};

void add_scaled(const Mma& mma, const MmaOperands& o, const MmaPart& part, TensorMemory& memory, const Matrix& a,
                const Matrix& b, Sums& sums, MmaOutcome& outcome) {
  const int vector = mma.scale_vector, block = mma.k / vector;
  std::array<Scales, 4> left, right;
  std::vector<std::uint8_t> any_left, any_right;
  for (int q = 0; q < 4; ++q) {
    const auto at = static_cast<std::size_t>(q);
    left[at] = scales_of(mma, o.scale_a, mma.scale_a_byte, mma.rows(), q, memory);
    right[at] = scales_of(mma, o.scale_b, mma.scale_b_byte, part.count, q, memory);
    any_left.insert(any_left.end(), left[at].defined.begin(), left[at].defined.end());
    any_right.insert(any_right.end(), right[at].defined.begin(), right[at].defined.end());
    for (std::size_t c = 0; c < sums.columns[at].size(); ++c) sums.columns[at][c] &= right[at].defined[c];
  }
  note_if_none(any_left, "the scales of A", outcome);
  note_if_none(any_right, "the scales of B", outcome);
  const auto wide = static_cast<std::size_t>(part.count);
  std::vector<float> products(sums.numbers.size());
  for (int i = 0; i < vector; ++i) {
    std::ranges::fill(products, 0.0f);
    multiply_into(block_of(a, i * block, block), block_of(b, i * block, block), products.data());
    for (std::size_t r = 0; r < part.rows.size(); ++r) {
      const auto quarter = static_cast<std::size_t>(part.lanes[r] / kLanesOfWarp);
      const auto row = static_cast<std::size_t>(part.rows[r]);
      const double own = left[quarter].numbers[row * static_cast<std::size_t>(vector) + static_cast<std::size_t>(i)];
      sums.rows[r] &= left[quarter].defined[row];
      const double* others = right[quarter].numbers.data() + i;
      for (std::size_t c = 0; c < wide; ++c) {
        float& sum = sums.numbers[r * wide + c];
        sum = static_cast<float>(static_cast<double>(sum) + static_cast<double>(products[r * wide + c]) * own *
                                                                others[c * static_cast<std::size_t>(vector)]);
      }
    }
  }
}

// What becomes of a cell: `sum` includes the old number, but not where D holds integers.
std::uint32_t new_of(const Mma& mma, float sum, float high, std::uint32_t old) {
  if (mma.d == Mma::Result::F32) return std::bit_cast<std::uint32_t>(sum);
  if (mma.d == Mma::Result::F16) return half_from_float(sum);
  // Sums of one instruction's products of integers are exact in a float, those of ti16 in two.
  const std::int64_t total = static_cast<std::int64_t>(static_cast<std::int32_t>(old)) +
                             static_cast<std::int64_t>(sum) + static_cast<std::int64_t>(high * kHigh);
  constexpr std::int64_t kLeast = std::numeric_limits<std::int32_t>::min(),
                         kMost = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::uint32_t>(mma.saturate ? std::clamp(total, kLeast, kMost) : total);
}

void read_old(const Mma& mma, const MmaOperands& o, const MmaPart& part, TensorMemory& memory, Sums& sums) {
  const float scale = std::ldexp(1.0f, -o.shift_d);
  for (std::size_t r = 0; r < part.rows.size(); ++r) {
    View from = memory.cell(part.lanes[r], o.d.column);
    const auto count = static_cast<std::size_t>(part.count);
    float* to = sums.numbers.data() + r * count;
    if (mma.d == Mma::Result::F32) {
      std::memcpy(to, from.bytes, count * sizeof(float));
    } else {
      for (int c = 0; c < part.count; ++c) to[c] = number_of(Element::F16, word_at(from.at(4 * c)) & 0xffff);
    }
    for (std::size_t c = 0; o.shift_d != 0 && c < count; ++c) to[c] *= scale;
  }
}

void write_new(const Mma& mma, const MmaOperands& o, const MmaPart& part, TensorMemory& memory, const Sums& sums) {
  for (std::size_t r = 0; r < part.rows.size(); ++r) {
    const int lane = part.lanes[r];
    if (o.disabled_lanes[static_cast<std::size_t>(lane / 32)] >> lane % 32 & 1) continue;
    const auto& columns = sums.columns[static_cast<std::size_t>(lane / 32)];
    const std::size_t first = r * static_cast<std::size_t>(part.count);
    const float *from = sums.numbers.data() + first, *high = sums.high.empty() ? nullptr : sums.high.data() + first;
    View to = memory.cell(lane, o.d.column);
    const auto bytes = static_cast<std::size_t>(part.count) * sizeof(float);
    if (to.tags) std::fill_n(to.tags, bytes, 0u);
    // Nearly always all of a row is there.
    if (mma.d == Mma::Result::F32 && sums.rows[r] && !std::memchr(columns.data(), 0, columns.size()) &&
        (!o.accumulate || all_written(to, static_cast<std::int64_t>(bytes)))) {
      std::memcpy(to.bytes, from, bytes);
      std::memset(to.defined, 1, bytes);
      continue;
    }
    for (int c = 0; c < part.count; ++c) {
      View cell = to.at(4 * c);
      const bool written = sums.rows[r] && columns[static_cast<std::size_t>(c)] && (!o.accumulate || cell.defined[0]);
      const std::uint32_t word = new_of(mma, from[c], high ? high[c] : 0.0f, o.accumulate ? word_at(cell) : 0);
      std::memcpy(cell.bytes, &word, sizeof word);
      std::memset(cell.defined, written, sizeof word);
    }
  }
}

bool any_old(const MmaPart& part, const MmaOperands& o, TensorMemory& memory) {
  return std::ranges::any_of(part.lanes, [&](int lane) {
    return std::memchr(memory.cell(lane, o.d.column).defined, 1, static_cast<std::size_t>(part.count) * 4) != nullptr;
  });
}

// A D that is told to be unwritten counts as written from then on.
void clear_old(const MmaPart& part, const MmaOperands& o, TensorMemory& memory) {
  for (const int lane : part.lanes) {
    const View cell = memory.cell(lane, o.d.column);
    std::memset(cell.bytes, 0, static_cast<std::size_t>(part.count) * 4);
    std::memset(cell.defined, 1, static_cast<std::size_t>(part.count) * 4);
  }
}

// Products of 11 bits by 11, whose sums do not fit a float's 24: A's upper and lower bits by themselves.
void multiply_integers(Matrix a, Matrix b, Sums& sums, MmaOutcome& outcome) {
  for (Matrix* factor : {&a, &b}) {
    for (int r = 0; r < factor->rows; ++r) {
      std::span<float> row(factor->row(r), static_cast<std::size_t>(factor->columns));
      if (!factor->defined[static_cast<std::size_t>(r)]) std::ranges::fill(row, 0.0f);
      if (std::ranges::any_of(row, [](float x) { return std::isnan(x); })) {
        outcome.refused = "an element of kind::ti16 has bits between its sign and its magnitude of 11 bits";
        return;
      }
    }
  }
  Matrix high = a;
  for (std::size_t i = 0; i < a.numbers.size(); ++i) {
    high.numbers[i] = std::trunc(a.numbers[i] / kHigh);
    a.numbers[i] -= high.numbers[i] * kHigh;
  }
  sums.high.resize(sums.numbers.size());
  multiply_into(a, b, sums.numbers.data());
  multiply_into(high, b, sums.high.data());
}

}  // namespace

Matrix looked_up(const Mma& mma, const Matrix& places, bool second, TensorAddress table, TensorMemory& memory) {
  constexpr int kNumbers = 8, kBits = 3;
  Matrix out(places.rows, mma.k);
  for (int r = 0; r < out.rows; ++r) {
    View numbers = memory.cell(table.lane + r / kNumbers, table.column);
    const auto row = static_cast<std::size_t>(r);
    out.defined[row] = places.defined[row] && all_written(numbers, kNumbers);
    for (int k = 0; k < mma.k && out.defined[row]; ++k) {
      const int bit = ((second ? mma.k : 0) + k) * kBits, byte = bit / 8;
      auto word = static_cast<std::uint32_t>(places.row(r)[byte]);
      if (byte + 1 < places.columns) word |= static_cast<std::uint32_t>(places.row(r)[byte + 1]) << 8;
      const auto code = std::to_integer<std::uint32_t>(numbers.bytes[word >> bit % 8 & 7]);
      out.row(r)[k] = number_of(Element::E4M3, code);
    }
  }
  return out;
}

void mask_columns(const Mma& mma, std::uint64_t mask, Matrix& b) {
  const int first = mask_shift(mask);
  Matrix out(mma.n, b.columns);
  std::copy_n(b.row(first), out.numbers.size(), out.numbers.begin());
  std::copy_n(b.defined.begin() + first, mma.n, out.defined.begin());
  b = std::move(out);
  if (!(mask >> 39 & 1)) return;
  // As the examples of the text count them: so many columns are used, then so many are zero.
  const int zeros = static_cast<int>(mask >> 40 & 255) + 1, used = static_cast<int>(mask >> 48 & 255) + 1;
  const int each = mma.n * mma.m / 128;  // columns of a sub-mask
  for (int c = 0; c < mma.n; ++c) {
    const int part = c / each;
    const int at = (c % each + static_cast<int>(mask >> 8 * part & 255)) % (used + zeros);
    const bool begins_with_zeros = mask >> (32 + part) & 1;
    if (begins_with_zeros ? at >= zeros : at < used) continue;
    std::fill_n(b.row(c), b.columns, 0.0f);
    b.defined[static_cast<std::size_t>(c)] = 1;
  }
}

MmaOutcome multiply(const Mma& mma, const MmaOperands& o, TensorMemory& memory) {
  MmaOutcome outcome;
  for (const MmaPart& part : parts_of(mma, o.d.lane)) {
    Matrix a = left_of(mma, o, part, memory);
    note_if_none(a.defined, "A", outcome);
    if (mma.sparse) a = spread(mma, o, part, memory, a, outcome);
    Matrix b(part.count, mma.k);
    std::copy_n(o.b->row(part.first), b.numbers.size(), b.numbers.data());
    std::copy_n(o.b->defined.begin() + part.first, part.count, b.defined.begin());
    note_if_none(b.defined, "B", outcome);
    if (mma.negate_a != mma.negate_b)
      for (float& x : b.numbers) x = -x;
    Sums sums{.numbers = std::vector<float>(part.rows.size() * static_cast<std::size_t>(part.count)),
              .rows = a.defined,
              .columns = {b.defined, b.defined, b.defined, b.defined}};
    if (o.accumulate && !any_old(part, o, memory)) {
      outcome.unwritten.push_back("D");
      clear_old(part, o, memory);
    }
    if (o.accumulate && mma.d != Mma::Result::S32) read_old(mma, o, part, memory, sums);
    if (mma.is_scaled()) {
      add_scaled(mma, o, part, memory, a, b, sums, outcome);
    } else if (mma.kind == MmaKind::Ti16) {
      multiply_integers(std::move(a), std::move(b), sums, outcome);
    } else {
      multiply_into(a, b, sums.numbers.data());
    }
    write_new(mma, o, part, memory, sums);
  }
  return outcome;
}

}  // namespace tilewright::simulate
