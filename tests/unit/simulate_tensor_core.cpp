// Products of the tensor core held against a computation element by element, which places everything by itself.
#include <cmath>
#include <cstring>
#include <random>

#include "compiler/simulate/machine/number.h"
#include "compiler/simulate/tensor/tensor_core.h"
#include "tests/unit/catch.h"

using namespace tilewright;
using namespace tilewright::simulate;

namespace {

struct Case {
  const char* name;
  MmaKind kind;
  int m, n, ctas;
  std::uint32_t types;  // fields 4 to 12 of the descriptor, of block-scaled kinds 7 to 12
  bool sparse = false, from_tensor_memory = false, accumulate = true;
  int lane = 0, scale_vector = 0, scale_a = 0, scale_b = 0;
  std::uint32_t more = 0;  // other bits of the descriptor
};

std::uint32_t descriptor(const Case& c) {
  std::uint32_t bits = c.types << 4 | static_cast<std::uint32_t>(c.n / 8) << 17 | (c.sparse ? 4u : 0u) | c.more;
  if (c.scale_vector == 0) return bits | static_cast<std::uint32_t>(c.m / 16) << 24;
  return bits | static_cast<std::uint32_t>(c.m / 128) << 27 | static_cast<std::uint32_t>(c.scale_a) << 29 |
         static_cast<std::uint32_t>(c.scale_b) << 4;
}

Mma read(const Case& c) {
  Mma mma{.kind = c.kind, .sparse = c.sparse, .ctas = c.ctas, .scale_vector = c.scale_vector};
  auto good = mma.read_descriptor(descriptor(c));
  INFO(c.name << ": " << (good ? "" : good.error().text));
  REQUIRE(good);
  REQUIRE(mma.m == c.m);
  REQUIRE(mma.n == c.n);
  return mma;
}

// Where an element of D stands (PTX, layouts A, B, C, D and F).
struct Place {
  int cta, lane, column;
};
Place place_of_d(const Case& c, int m, int n) {
  const int half = c.n / 2;
  if (c.ctas == 1 && c.m == 128) return {0, m, n};
  if (c.ctas == 2 && c.m == 256) return {m / 128, m % 128, n};
  if (c.ctas == 2 && !c.sparse) return {m / 64, m % 64 + n / half * 64, n % half};
  const int row = m % 64;
  return {m / 64, row / 16 * 32 + row % 16 + c.lane, n};
}

class PairMemory {
 public:
  PairMemory() : ctas_{TensorMemory(false), TensorMemory(false)} {}
  TensorMemory& operator[](int cta) { return ctas_[cta]; }
  std::uint32_t get(Place p, int column) { return word(p, column); }
  void put(Place p, int column, std::uint32_t word) {
    View cell = ctas_[p.cta].cell(p.lane, column);
    std::memcpy(cell.bytes, &word, 4);
    std::memset(cell.defined, 1, 4);
  }
  void put_byte(int cta, int lane, std::int64_t byte, std::uint32_t value) {
    View cell = ctas_[cta].cell(lane, byte / 4).at(byte % 4);
    *cell.bytes = static_cast<std::byte>(value);
    *cell.defined = 1;
  }

 private:
  std::uint32_t word(Place p, int column) {
    std::uint32_t out;
    std::memcpy(&out, ctas_[p.cta].cell(p.lane, column).bytes, 4);
    return out;
  }
  TensorMemory ctas_[2];
};

// The code of a small number in a type: what is left over after division stays away.
std::uint32_t any_code(Element e, std::mt19937& random) {
  const int value = static_cast<int>(random() % 9) - 4;
  switch (e) {
    case Element::F16: return half_from_float(static_cast<float>(value));
    case Element::BF16: return bfloat_from_float(static_cast<float>(value));
    case Element::TF32: return __builtin_bit_cast(std::uint32_t, static_cast<float>(value));
    case Element::S8: return static_cast<std::uint32_t>(random() % 256);
    case Element::U8: return static_cast<std::uint32_t>(random() % 256);
    case Element::E4M3: return random() % 2 << 7 | (random() % 40 + 32);
    case Element::E5M2: return random() % 2 << 7 | (random() % 24 + 48);
    case Element::E2M3:
    case Element::E3M2: return static_cast<std::uint32_t>(random() % 64);
    default: return static_cast<std::uint32_t>(random() % 16);
  }
}

constexpr int kD = 0, kA = 256, kScaleA = 400, kScaleB = 404, kMetadata = 480;

// One operand's codes and numbers: rows, then K.
struct Operand {
  int rows, columns;
  std::vector<std::uint32_t> codes;
  std::vector<double> numbers;
  Operand(Element e, int rows, int columns, std::mt19937& random) : rows(rows), columns(columns) {
    for (int i = 0; i < rows * columns; ++i) {
      codes.push_back(any_code(e, random));
      numbers.push_back(static_cast<double>(number_of(e, codes.back())));
    }
  }
  double& at(int r, int k) { return numbers[static_cast<std::size_t>(r * columns + k)]; }
};

Matrix matrix_of(Operand& o, int first, int count) {
  Matrix out(count, o.columns);
  for (int r = 0; r < count; ++r)
    for (int k = 0; k < o.columns; ++k) out.row(r)[k] = static_cast<float>(o.at(first + r, k));
  return out;
}

// Chooses which of A's elements are there and writes that down: `dense` gets them at their places.
void choose(const Case& c, const Mma& mma, Operand& stored, Operand& dense, PairMemory& memory, std::mt19937& random) {
  const bool fp4 = mma.kind == MmaKind::Mxf4 || mma.kind == MmaKind::Mxf4nvf4, tf32 = mma.kind == MmaKind::Tf32;
  std::ranges::fill(dense.numbers, 0.0);
  for (int m = 0; m < c.m; ++m) {
    const Place d = place_of_d(c, m, 0);
    std::uint64_t bits = 0;  // of the whole row, four for each group
    const int group = tf32 ? 2 : fp4 ? 8 : 4;
    for (int g = 0; g < mma.k / group; ++g) {
      int first = static_cast<int>(random() % 3), second = first + 1 + static_cast<int>(random() % (3 - first));
      if (tf32) first = static_cast<int>(random() % 2) * 2, second = first + 1;
      bits |= static_cast<std::uint64_t>(first | second << 2) << 4 * g;
      if (tf32) {
        dense.at(m, 2 * g + first / 2) = stored.at(m, g);
      } else if (fp4) {
        for (int i = 0; i < 2; ++i) {
          dense.at(m, 8 * g + 2 * first + i) = stored.at(m, 4 * g + i);
          dense.at(m, 8 * g + 2 * second + i) = stored.at(m, 4 * g + 2 + i);
        }
      } else {
        dense.at(m, 4 * g + first) = stored.at(m, 2 * g);
        dense.at(m, 4 * g + second) = stored.at(m, 2 * g + 1);
      }
    }
    // 16-bit and 32-bit elements: 32 bits a row, 16 in each of two lanes that rows m and m + 8 share; else 64 bits.
    if (mma.kind == MmaKind::F16 || tf32) {
      const int lane = d.lane / 16 * 16 + d.lane % 8, half = d.lane / 8 % 2;
      for (int i = 0; i < 4; ++i)
        memory.put_byte(d.cta, lane + i / 2 * 8, kMetadata * 4 + half * 2 + i % 2, bits >> 8 * i & 0xff);
    } else {
      for (int i = 0; i < 8; ++i) memory.put_byte(d.cta, d.lane, kMetadata * 4 + i, bits >> 8 * i & 0xff);
    }
  }
}

// A in tensor memory, in the lanes of D: of a folded D in both halves.
void put_a(const Case& c, const Mma& mma, const Operand& a, PairMemory& memory) {
  const bool padded = mma.a_form().padded, folded = c.ctas == 2 && c.m == 128 && !c.sparse;
  for (int m = 0; m < c.m; ++m) {
    for (int half = 0; half < (folded ? 2 : 1); ++half) {
      const Place d = place_of_d(c, m, half * c.n / 2);
      std::vector<std::uint8_t> row(static_cast<std::size_t>(mma.a_columns()) * 4);
      for (int k = 0; k < a.columns; ++k) {
        const std::uint32_t code = a.codes[static_cast<std::size_t>(m * a.columns + k)];
        const int bits = padded ? 8 : bits_of(mma.a);
        const std::uint32_t wide = padded && mma.a == Element::E2M1 ? code << 2 : code;
        for (int b = 0; b < bits; ++b)
          row[static_cast<std::size_t>((k * bits + b) / 8)] |= (wide >> b & 1) << (k * bits + b) % 8;
      }
      for (std::size_t i = 0; i < row.size(); ++i)
        memory.put_byte(d.cta, d.lane, kA * 4 + static_cast<std::int64_t>(i), row[i]);
    }
  }
}

// Scales of `rows` rows in all quarters of the lanes, four to a cell of which some count; the numbers by row and block.
std::vector<double> put_scales(const Mma& mma, PairMemory& memory, int cta, int column, int id, int rows,
                               int first_quarter, int quarters, std::mt19937& random) {
  std::vector<double> out;
  for (int r = 0; r < rows; ++r) {
    for (int i = 0; i < mma.scale_vector; ++i) {
      const auto code = static_cast<std::uint32_t>(mma.scales_are_powers ? 124 + random() % 7 : 40 + random() % 30);
      out.push_back(mma.scales_are_powers ? std::ldexp(1.0, static_cast<int>(code) - 127)
                                          : static_cast<double>(number_of(Element::E4M3, code)));
      for (int q = first_quarter; q < first_quarter + quarters; ++q)
        memory.put_byte(cta, 32 * q + r % 32, (column + r / 32) * 4 + id + i, code);
    }
  }
  return out;
}

void compare(const Case& c) {
  INFO(c.name);
  std::mt19937 random(7);
  const Mma mma = read(c);
  PairMemory memory;
  Operand a(mma.a, c.m, mma.stored_k(), random), b(mma.b, c.n, mma.k, random), dense(mma.a, c.m, mma.k, random);
  if (c.sparse) choose(c, mma, a, dense, memory, random);
  if (c.from_tensor_memory) put_a(c, mma, a, memory);
  Operand& left = c.sparse ? dense : a;
  std::vector<double> old(static_cast<std::size_t>(c.m * c.n));
  for (int m = 0; m < c.m; ++m) {
    for (int n = 0; n < c.n; ++n) {
      const Place p = place_of_d(c, m, n);
      const int value = static_cast<int>(random() % 200) - 100;
      old[static_cast<std::size_t>(m * c.n + n)] = value;
      memory.put(p, kD + p.column,
                 mma.d == Mma::Result::S32   ? static_cast<std::uint32_t>(value)
                 : mma.d == Mma::Result::F16 ? half_from_float(static_cast<float>(value))
                                             : __builtin_bit_cast(std::uint32_t, static_cast<float>(value)));
    }
  }
  // Rows of one CTA, and columns that one quarter of the lanes has.
  const bool folded = c.ctas == 2 && c.m == 128 && !c.sparse;
  std::vector<double> scales_a, scales_b;
  for (int cta = 0; c.scale_vector && cta < c.ctas; ++cta) {
    auto own = put_scales(mma, memory, cta, kScaleA, c.scale_a, mma.rows(), 0, 4, random);
    scales_a.insert(scales_a.end(), own.begin(), own.end());
    std::mt19937 same(11);  // B's are those of the pair
    scales_b.clear();
    for (int half = 0; half < (folded ? 2 : 1); ++half) {
      auto part =
          put_scales(mma, memory, cta, kScaleB, c.scale_b, folded ? c.n / 2 : c.n, 2 * half, folded ? 2 : 4, same);
      scales_b.insert(scales_b.end(), part.begin(), part.end());
    }
  }
  const Matrix right = matrix_of(b, 0, c.n);
  for (int cta = 0; cta < c.ctas; ++cta) {
    Matrix own = matrix_of(a, cta * mma.rows(), mma.rows());
    MmaOperands operands{.a = c.from_tensor_memory ? nullptr : &own,
                         .b = &right,
                         .d = {c.lane, kD},
                         .a_at = {c.lane, kA},
                         .scale_a = {0, kScaleA},
                         .scale_b = {0, kScaleB},
                         .metadata = {0, kMetadata},
                         .accumulate = c.accumulate};
    const MmaOutcome outcome = multiply(mma, operands, memory[cta]);
    CHECK(outcome.unwritten.empty());
    CHECK(outcome.refused.empty());
  }
  int wrong = 0;
  for (int m = 0; m < c.m; ++m) {
    for (int n = 0; n < c.n; ++n) {
      const double before = c.accumulate ? old[static_cast<std::size_t>(m * c.n + n)] : 0;
      double sum = 0, size = std::fabs(before);
      for (int k = 0; k < mma.k; ++k) {
        const int v = c.scale_vector, block = v ? k * v / mma.k : 0;
        const double scale =
            v ? scales_a[static_cast<std::size_t>(m * v + block)] * scales_b[static_cast<std::size_t>(n * v + block)]
              : 1;
        const double product = left.at(m, k) * b.at(n, k) * scale;
        sum += product, size += std::fabs(product);
      }
      if (mma.negate_a != mma.negate_b) sum = -sum;
      sum += before;
      const Place p = place_of_d(c, m, n);
      const std::uint32_t got = memory.get(p, kD + p.column);
      const bool right_one =
          mma.d == Mma::Result::S32 ? static_cast<std::int32_t>(got) == static_cast<std::int32_t>(sum)
          : mma.d == Mma::Result::F16
              ? std::fabs(static_cast<double>(float_from_half(static_cast<std::uint16_t>(got))) - sum) <= size / 1024
              : std::fabs(static_cast<double>(__builtin_bit_cast(float, got)) - sum) <= size * 1e-6;
      if (!right_one && wrong++ == 0) UNSCOPED_INFO("D[" << m << ", " << n << "] should be " << sum);
    }
  }
  CHECK(wrong == 0);
}

// Type fields: D from bit 0 (of the word's bit 4), A from 3, B from 6.
constexpr std::uint32_t types(std::uint32_t d, std::uint32_t a, std::uint32_t b) { return d | a << 3 | b << 6; }
constexpr std::uint32_t kPowers = 1u << 23;

constexpr Case kCases[] = {
    {"f16", MmaKind::F16, 128, 64, 1, types(1, 0, 0)},
    {"f16, D without input", MmaKind::F16, 128, 256, 1, types(1, 0, 0), false, false, false},
    {"bf16, A in tensor memory", MmaKind::F16, 128, 48, 1, types(1, 1, 1), false, true},
    {"f16 into f16", MmaKind::F16, 128, 32, 1, types(0, 0, 0)},
    {"f16, half of the lanes", MmaKind::F16, 64, 24, 1, types(1, 0, 0), false, false, true, 16},
    {"f16, half of the lanes, A there", MmaKind::F16, 64, 8, 1, types(1, 0, 0), false, true, true, 16},
    {"f16, pair", MmaKind::F16, 256, 64, 2, types(1, 0, 0)},
    {"f16, pair, A in tensor memory", MmaKind::F16, 256, 32, 2, types(1, 0, 0), false, true},
    {"f16, pair, folded", MmaKind::F16, 128, 64, 2, types(1, 0, 0)},
    {"f16, pair, folded, A in tensor memory", MmaKind::F16, 128, 96, 2, types(1, 0, 0), false, true},
    {"f16, sparse", MmaKind::F16, 128, 32, 1, types(1, 0, 0), true},
    {"f16, sparse, A in tensor memory", MmaKind::F16, 128, 32, 1, types(1, 0, 0), true, true},
    {"f16, sparse, half of the lanes", MmaKind::F16, 64, 16, 1, types(1, 0, 0), true, false, true, 16},
    {"f16, sparse, pair", MmaKind::F16, 128, 32, 2, types(1, 0, 0), true},
    {"tf32", MmaKind::Tf32, 128, 64, 1, types(1, 2, 2)},
    {"tf32, sparse, A in tensor memory", MmaKind::Tf32, 128, 16, 1, types(1, 2, 2), true, true},
    {"e4m3 by e5m2", MmaKind::F8F6F4, 128, 64, 1, types(1, 0, 1)},
    {"e2m3 by e3m2, A in tensor memory", MmaKind::F8F6F4, 128, 16, 1, types(1, 3, 4), false, true},
    {"e2m1 by e4m3, A in tensor memory", MmaKind::F8F6F4, 128, 16, 1, types(1, 5, 0), false, true},
    {"e4m3, sparse", MmaKind::F8F6F4, 128, 16, 1, types(1, 0, 0), true},
    {"u8 by s8", MmaKind::I8, 128, 24, 1, types(2, 0, 1)},
    {"s8, pair, A in tensor memory", MmaKind::I8, 256, 32, 2, types(2, 1, 1), false, true},
    {"s8, sparse", MmaKind::I8, 128, 16, 1, types(2, 1, 1), true},
    {"negated A", MmaKind::F16, 128, 16, 1, types(1, 0, 0), false, false, true, 0, 0, 0, 0, 1u << 13},
    {"both negated", MmaKind::F16, 128, 16, 1, types(1, 0, 0), false, false, true, 0, 0, 0, 0, 3u << 13},
    {"mxf8f6f4, each scale id", MmaKind::Mxf8f6f4, 128, 40, 1, types(0, 0, 1), false, false, true, 0, 1, 3, 1, kPowers},
    {"mxf8f6f4, pair", MmaKind::Mxf8f6f4, 256, 256, 2, types(0, 0, 0), false, false, true, 0, 1, 2, 0, kPowers},
    {"mxf8f6f4, pair, folded", MmaKind::Mxf8f6f4, 128, 128, 2, types(0, 0, 0), false, false, true, 0, 1, 0, 1, kPowers},
    {"mxf8f6f4, e2m1 in tensor memory", MmaKind::Mxf8f6f4, 128, 8, 1, types(0, 5, 3), false, true, true, 0, 1, 0, 0,
     kPowers},
    {"mxf8f6f4, sparse", MmaKind::Mxf8f6f4, 128, 8, 1, types(0, 0, 0), true, false, true, 0, 1, 1, 2, kPowers},
    {"mxf4", MmaKind::Mxf4, 128, 64, 1, types(0, 1, 1), false, false, true, 0, 2, 2, 0, kPowers},
    {"mxf4, A in tensor memory", MmaKind::Mxf4, 128, 16, 1, types(0, 1, 1), false, true, true, 0, 2, 0, 2, kPowers},
    {"nvf4", MmaKind::Mxf4nvf4, 128, 64, 1, types(0, 1, 1), false, false, false, 0, 4},
    {"nvf4, pair", MmaKind::Mxf4nvf4, 256, 64, 2, types(0, 1, 1), false, false, true, 0, 4},
    {"nvf4, sparse", MmaKind::Mxf4nvf4, 128, 16, 1, types(0, 1, 1), true, false, true, 0, 4},
};

}  // namespace

TEST_CASE("products of every kind are those of their elements") {
  for (const Case& c : kCases) compare(c);
}

TEST_CASE("integers wrap, or stay at the largest") {
  for (bool saturate : {false, true}) {
    const Case c{"s8", MmaKind::I8, 128, 8, 1, types(2, 1, 1)};
    Mma mma = read(c);
    mma.saturate = saturate;
    PairMemory memory;
    for (int m = 0; m < 128; ++m)
      for (int n = 0; n < 8; ++n) memory.put({0, m, n}, n, 0x7fffffff);
    Matrix a(128, 32), b(8, 32);
    std::ranges::fill(a.numbers, 1.0f);
    std::ranges::fill(b.numbers, 2.0f);
    multiply(mma, {.a = &a, .b = &b, .accumulate = true}, memory[0]);
    CHECK(memory.get({0, 5, 0}, 3) == (saturate ? 0x7fffffffu : 0x7fffffffu + 64));
  }
}

TEST_CASE("what stays as it is, what is scaled, and what is unwritten") {
  const Case c{"f16", MmaKind::F16, 128, 8, 1, types(1, 0, 0)};
  const Mma mma = read(c);
  PairMemory memory;
  Matrix a(128, 16), b(8, 16);
  std::ranges::fill(a.numbers, 1.0f);
  std::ranges::fill(b.numbers, 1.0f);
  MmaOperands operands{.a = &a, .b = &b};
  SECTION("D is read only where it counts") {
    CHECK(multiply(mma, operands, memory[0]).unwritten.empty());
    operands.accumulate = true;
    PairMemory other;
    CHECK(multiply(mma, operands, other[0]).unwritten == std::vector<std::string_view>{"D"});
  }
  SECTION("disabled lanes keep what they hold") {
    multiply(mma, operands, memory[0]);
    operands.disabled_lanes = {0, 1u << 3, 0, 0};
    operands.accumulate = true;
    multiply(mma, operands, memory[0]);
    CHECK(__builtin_bit_cast(float, memory.get({0, 35, 0}, 0)) == 16);
    CHECK(__builtin_bit_cast(float, memory.get({0, 36, 0}, 0)) == 32);
  }
  SECTION("the old D divided by a power of two") {
    multiply(mma, operands, memory[0]);
    operands.accumulate = true;
    operands.shift_d = 3;
    multiply(mma, operands, memory[0]);
    CHECK(__builtin_bit_cast(float, memory.get({0, 0, 0}, 0)) == 18);
  }
  SECTION("rows and columns of which something is missing") {
    a.defined[7] = 0;
    b.defined[2] = 0;
    multiply(mma, operands, memory[0]);
    CHECK_FALSE(memory[0].cell(7, 0).defined[0]);
    CHECK_FALSE(memory[0].cell(6, 2).defined[0]);
    CHECK(memory[0].cell(6, 1).defined[0]);
  }
  SECTION("operands of which nothing is there") {
    std::ranges::fill(b.defined, std::uint8_t{0});
    CHECK(multiply(mma, operands, memory[0]).unwritten == std::vector<std::string_view>{"B"});
    operands.a = nullptr;
    CHECK(multiply(mma, operands, memory[0]).unwritten == std::vector<std::string_view>{"A", "B"});
  }
  SECTION("metadata that names no two places") {
    const Case sparse{"f16", MmaKind::F16, 128, 8, 1, types(1, 0, 0), true};
    Matrix wide(8, 32);
    for (int lane = 0; lane < 128; ++lane) memory.put({0, lane, 0}, kMetadata, 0x44444444);
    operands.b = &wide;
    operands.metadata = {0, kMetadata};
    CHECK(multiply(read(sparse), operands, memory[0]).refused.empty());
    memory.put({0, 0, 0}, kMetadata, 0x44444441);
    CHECK(multiply(read(sparse), operands, memory[0]).refused.starts_with("the metadata of row 0 holds 1 "));
  }
}

TEST_CASE("descriptors that no instruction has") {
  auto refused = [](Case c) {
    Mma mma{.kind = c.kind, .sparse = c.sparse, .ctas = c.ctas, .scale_vector = c.scale_vector};
    auto read = mma.read_descriptor(descriptor(c));
    return read ? "" : (read.error().illegal ? "illegal: " : "not modelled: ") + read.error().text;
  };
  const Case good{"", MmaKind::F16, 128, 64, 1, types(1, 0, 0)};
  CHECK(refused(good).empty());
  Case c = good;
  c.m = 96;
  CHECK(refused(c) == "illegal: M = 96 of its instruction descriptor is not possible with cta_group 1");
  c = good;
  c.n = 264;
  CHECK(refused(c).starts_with("illegal: N = 264"));
  c = good;
  c.types = types(2, 0, 0);
  CHECK(refused(c).starts_with("illegal: its instruction descriptor has 2 for the type of D"));
  c = good;
  c.types = types(1, 2, 2);
  CHECK(refused(c).starts_with("illegal: its instruction descriptor has 2 for the type of A"));
  c = good;
  c.more = 4;
  CHECK(refused(c) == "illegal: its instruction descriptor is that of a sparse product");
  c = good;
  c.sparse = true;
  c.more = 1;
  CHECK(refused(c) == "not modelled: a sparsity selector other than 0");
  c = {"", MmaKind::Mxf4, 128, 64, 1, types(0, 1, 1), false, false, true, 0, 2, 1, 0, kPowers};
  CHECK(refused(c).starts_with("illegal: a scale id of 1 with 2 scales"));
}
