#include "compiler/simulate/tensor/matrix_operand.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "compiler/simulate/machine/machine.h"
#include "compiler/simulate/machine/number.h"

namespace tilewright::simulate {
namespace {

constexpr std::int64_t kUnit = 16;

std::int64_t field(std::uint64_t bits, int at) { return static_cast<std::int64_t>(bits >> at & 0x3fff) << 4; }

ir::DataType type_of(Element element) {
  const ir::TypeCode code = element == Element::E4M3   ? ir::TypeCode::Float8E4M3FN
                            : element == Element::E5M2 ? ir::TypeCode::Float8E5M2
                            : element == Element::E2M3 ? ir::TypeCode::Float6E2M3FN
                            : element == Element::E3M2 ? ir::TypeCode::Float6E3M2FN
                                                       : ir::TypeCode::Float4E2M1FN;
  ir::DataType out{};
  out.code = code;
  out.bits = static_cast<std::uint8_t>(bits_of(element));
  return out;
}

// The numbers of all codes of a format of 8 bits or less.
using Codes = std::array<float, 256>;
Codes codes_of(Element element) {
  Codes out{};
  const int bits = bits_of(element);
  for (std::uint32_t code = 0; code < out.size(); ++code) {
    const std::uint32_t own = code & ((1u << bits) - 1);
    out[code] = element == Element::U8 || element == Element::B1 ? static_cast<float>(own)
                : element == Element::S8                         ? static_cast<float>(static_cast<std::int8_t>(own))
                                                                 : decode(type_of(element), own);
  }
  return out;
}
const Codes& narrow(Element element) {
  static const auto kAll = [] {
    std::array<Codes, 8> all;
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = codes_of(static_cast<Element>(i + static_cast<std::size_t>(Element::E4M3)));
    return all;
  }();
  return kAll[static_cast<std::size_t>(element) - static_cast<std::size_t>(Element::E4M3)];
}

}  // namespace

std::expected<MatrixDescriptor, std::string> MatrixDescriptor::of_tcgen05(std::uint64_t bits) {
  constexpr std::optional<Swizzle> kModes[] = {Swizzle::None, Swizzle::B128Base32, Swizzle::B128, std::nullopt,
                                               Swizzle::B64,  std::nullopt,        Swizzle::B32,  std::nullopt};
  if ((bits >> 46 & 7) != 1)
    return std::unexpected("bits 46 to 48 of a matrix descriptor for tcgen05 hold 1, this one holds " +
                           std::to_string(bits >> 46 & 7));
  const auto mode = kModes[bits >> 61];
  if (!mode) return std::unexpected("a matrix descriptor has no swizzle mode " + std::to_string(bits >> 61));
  return MatrixDescriptor{
      field(bits, 0), field(bits, 16), field(bits, 32), *mode, static_cast<int>(bits >> 49 & 7), (bits >> 52 & 1) != 0};
}

MatrixDescriptor MatrixDescriptor::of_wgmma(std::uint64_t bits) {
  constexpr Swizzle kModes[] = {Swizzle::None, Swizzle::B128, Swizzle::B64, Swizzle::B32};
  return {field(bits, 0),    field(bits, 16), field(bits, 32), kModes[bits >> 62], static_cast<int>(bits >> 49 & 7),
          /*absolute=*/false};
}

std::int64_t MatrixDescriptor::span() const {
  switch (swizzle) {
    case Swizzle::None: return 16;
    case Swizzle::B32: return 32;
    case Swizzle::B64: return 64;
    default: return 128;
  }
}

std::int64_t MatrixDescriptor::swizzled(std::int64_t address) const {
  const std::int64_t row = (address >> 7) - base_offset;
  switch (swizzle) {
    case Swizzle::None: return address;
    case Swizzle::B32: return address ^ (row & 1) << 4;
    case Swizzle::B64: return address ^ (row & 3) << 4;
    case Swizzle::B128: return address ^ (row & 7) << 4;
    case Swizzle::B128Base32: return address ^ (row & 3) << 5;
  }
  return address;
}

int bits_of(Element element) {
  switch (element) {
    case Element::F16:
    case Element::BF16:
    case Element::TI16: return 16;
    case Element::TF32: return 32;
    case Element::E2M3:
    case Element::E3M2: return 6;
    case Element::E2M1: return 4;
    case Element::B1: return 1;
    default: return 8;
  }
}

float number_of(Element element, std::uint32_t bits) {
  switch (element) {
    case Element::F16: return float_from_half(static_cast<std::uint16_t>(bits));
    case Element::BF16: return float_from_bfloat(static_cast<std::uint16_t>(bits));
    case Element::TF32: return std::bit_cast<float>(bits & ~0x1fffu);
    case Element::TI16: {  // a sign, four zeros and a magnitude
      if (bits & 0x7800) return std::numeric_limits<float>::quiet_NaN();
      const auto magnitude = static_cast<float>(bits & 0x7ff);
      return bits & 0x8000 ? -magnitude : magnitude;
    }
    default: return narrow(element)[bits & 0xff];
  }
}

int MatrixForm::unit() const { return padded ? 16 : static_cast<int>(kUnit) * 8 / bits_of(element); }

void unpack(const MatrixForm& form, const std::byte* unit, float* numbers) {
  const int count = form.unit(), bits = bits_of(form.element);
  if (bits == 32) {
    for (int i = 0; i < count; ++i) {
      std::uint32_t word;
      std::memcpy(&word, unit + 4 * i, sizeof word);
      numbers[i] = number_of(form.element, word);
    }
  } else if (bits == 16) {
    for (int i = 0; i < count; ++i) {
      std::uint16_t half;
      std::memcpy(&half, unit + 2 * i, sizeof half);
      numbers[i] = number_of(form.element, half);
    }
  } else {
    const Codes& codes = narrow(form.element);
    for (int i = 0; i < count; ++i) {
      const int at = i * bits;
      auto wide = std::to_integer<std::uint32_t>(unit[at / 8]);
      if (at % 8 + bits > 8) wide |= std::to_integer<std::uint32_t>(unit[at / 8 + 1]) << 8;
      numbers[i] = codes[wide >> at % 8 & ((1u << bits) - 1)];
    }
  }
}

Matrix::Matrix(int rows, int columns)
    : rows(rows),
      columns(columns),
      numbers(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns)),
      defined(static_cast<std::size_t>(rows), 1) {}

std::optional<Matrix> read_matrix(Machine& m, const Thread& t, std::uint32_t cta, const MatrixDescriptor& descriptor,
                                  const MatrixForm& form, std::string_view what) {
  constexpr std::uint8_t kAll[kUnit] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  Matrix out(form.rows, form.columns);
  const int unit = form.unit();
  // Padding holds nothing, and is not asked for.
  const auto counts = static_cast<std::size_t>(unit * bits_of(form.element) / 8);
  bool inside = each_unit(descriptor, form, [&](std::int64_t address, int r, int k) {
    const std::uint64_t window = std::uint64_t{cta} << kRankShift | static_cast<std::uint64_t>(address);
    auto view = m.view(t, window, kUnit, kUnit, false, what);
    if (!view) return false;
    float numbers[128];  // single bits
    unpack(form, view->bytes, numbers);
    const bool defined = std::memcmp(view->defined, kAll, counts) == 0;
    if (!form.mn_major) {
      std::copy_n(numbers, unit, out.row(r) + k);
      if (!defined) out.defined[static_cast<std::size_t>(r)] = 0;
    } else {
      const int count = std::min(unit, form.rows - r);
      for (int i = 0; i < count; ++i) out.row(r + i)[k] = numbers[i];
      if (!defined) std::fill_n(out.defined.begin() + r, count, std::uint8_t{0});
    }
    return true;
  });
  m.spend(form.units() * kUnit);
  if (!inside) return std::nullopt;
  return out;
}

void watch_matrix(Machine& m, const Thread& t, std::uint32_t number, std::uint32_t cta,
                  const MatrixDescriptor& descriptor, const MatrixForm& form) {
  each_unit(descriptor, form, [&](std::int64_t address, int, int) {
    const std::uint64_t window = std::uint64_t{cta} << kRankShift | static_cast<std::uint64_t>(address);
    m.observers().read(t, number, window, kUnit);
    return true;
  });
}

namespace {

// A block of sums that stays in registers: rows, and columns by fours.
using Four = float __attribute__((vector_size(16)));
constexpr std::size_t kHigh = 2, kFours = 4, kWide = 4 * kFours;

// The sums of kHigh rows of `a` and kWide columns, which lie side by side in `b`, `columns` floats apart along K. The
// steps are spelled out for all of the block at once: only then a compiler keeps it in registers.
template <std::size_t... Row, std::size_t... Part>
void multiply_block(const float* a, std::size_t depth, const float* b, std::size_t columns, float* sums,
                    std::index_sequence<Row...>, std::index_sequence<Part...>) {
  Four own[kHigh][kFours], line[kFours], left[kHigh];
  auto each_row = [&](auto&& f) { (f(std::integral_constant<std::size_t, Row>()), ...); };
  each_row([&](auto r) { (std::memcpy(&own[r][Part], sums + r * columns + 4 * Part, sizeof(Four)), ...); });
  for (std::size_t k = 0; k < depth; ++k, b += columns) {
    (std::memcpy(&line[Part], b + 4 * Part, sizeof(Four)), ...);
    each_row([&](auto r) {
      const float x = a[r * depth + k];
      left[r] = Four{x, x, x, x};
      ((own[r][Part] += left[r] * line[Part]), ...);
    });
  }
  each_row([&](auto r) { (std::memcpy(sums + r * columns + 4 * Part, &own[r][Part], sizeof(Four)), ...); });
}

}  // namespace

void multiply_into(const Matrix& a, const Matrix& b, float* sums) {
  const auto depth = static_cast<std::size_t>(a.columns), columns = static_cast<std::size_t>(b.rows),
             rows = static_cast<std::size_t>(a.rows);
  // Along K the numbers of neighbouring columns lie side by side.
  std::vector<float> across(b.numbers.size());
  for (std::size_t c = 0; c < columns; ++c)
    for (std::size_t k = 0; k < depth; ++k) across[k * columns + c] = b.numbers[c * depth + k];
  const std::size_t high = rows / kHigh * kHigh, wide = columns / kWide * kWide;
  for (std::size_t c = 0; c < wide; c += kWide)
    for (std::size_t r = 0; r < high; r += kHigh)
      multiply_block(a.numbers.data() + r * depth, depth, across.data() + c, columns, sums + r * columns + c,
                     std::make_index_sequence<kHigh>(), std::make_index_sequence<kFours>());
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = r < high ? wide : 0; c < columns; ++c)
      for (std::size_t k = 0; k < depth; ++k)
        sums[r * columns + c] += a.numbers[r * depth + k] * b.numbers[c * depth + k];
}

}  // namespace tilewright::simulate
