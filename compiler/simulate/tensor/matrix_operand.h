// How tensor cores read a matrix of shared memory: the descriptor of wgmma and tcgen05, the canonical layouts that it
// names, and the elements of each 16 bytes (PTX ISA, "matrix descriptor", "canonical layouts", "packing formats").
//
// A matrix has rows along M or N and columns along K. Shared memory holds it in units of 16 bytes, which run along K
// (K-major) or along M or N (MN-major). Eight units that follow the other direction are neighbours; from one such group
// to the next lead two distances, and a swizzle permutes the units of 128 bytes and less by the address bits above
// them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::simulate {

class Machine;
struct Thread;

// The 64 bits that a script gives to wgmma, tcgen05.mma and tcgen05.cp. All numbers are bytes.
struct MatrixDescriptor {
  enum class Swizzle : std::uint8_t { None, B32, B64, B128, B128Base32 };

  std::int64_t start = 0;  // in the shared window
  std::int64_t leading = 0, stride = 0;
  Swizzle swizzle = Swizzle::None;
  int base_offset = 0;    // by how many 128-byte rows the pattern starts behind its alignment
  bool absolute = false;  // `leading` is an address (bit 52; tcgen05 with 48 bytes of K)

  // The error says which field holds what no hardware takes.
  static std::expected<MatrixDescriptor, std::string> of_tcgen05(std::uint64_t bits);
  static MatrixDescriptor of_wgmma(std::uint64_t bits);

  std::int64_t span() const;  // bytes of a row of the pattern
  // Where the hardware puts the byte that the layout has at this address of the window.
  std::int64_t swizzled(std::int64_t address) const;
};

// What an element is.
enum class Element : std::uint8_t { F16, BF16, TF32, E4M3, E5M2, E2M3, E3M2, E2M1, S8, U8, B1, TI16 };
int bits_of(Element element);  // 1, 4, 6, 8, 16 or 32
// The number behind the bits of one element; exact in a float. Of tf32 the lower 13 bits do not count.
float number_of(Element element, std::uint32_t bits);

// A matrix as one instruction reads it.
struct MatrixForm {
  Element element = Element::F16;
  int rows = 0, columns = 0;  // of elements: M or N, and K
  bool mn_major = false;
  // Elements below 8 bits: 16 of them in each 16 bytes, the rest of which does not count; else they lie close together.
  bool padded = false;

  int unit() const;  // elements in 16 bytes
  int units() const { return rows * columns / unit(); }
};

// Calls f(address in the window, row, column) for each unit, with its first element; false ends it. The last unit along
// M or N may reach beyond the matrix.
template <class F>
bool each_unit(const MatrixDescriptor& d, const MatrixForm& form, F&& f) {
  constexpr std::int64_t kUnit = 16;
  const std::int64_t pitch = d.span();
  const int unit = form.unit();
  if (form.mn_major) {
    const bool plain = d.swizzle == MatrixDescriptor::Swizzle::None;
    const int deep = d.swizzle == MatrixDescriptor::Swizzle::B128Base32 ? 4 : 8;  // rows of K in a pattern
    const std::int64_t wide = pitch / kUnit, across = plain ? d.stride : d.leading,
                       along = plain ? d.leading : d.stride;
    for (int k = 0; k < form.columns; ++k) {
      for (int i = 0; i * unit < form.rows; ++i) {
        const std::int64_t at = d.start + i % wide * kUnit + i / wide * across + k % deep * pitch + k / deep * along;
        if (!f(d.swizzled(at), i * unit, k)) return false;
      }
    }
    return true;
  }
  const std::int64_t next = d.swizzle == MatrixDescriptor::Swizzle::None ? d.leading : kUnit;
  for (int r = 0; r < form.rows; ++r) {
    for (int j = 0; j < form.columns / unit; ++j) {
      const std::int64_t at = d.start + r / 8 * d.stride + r % 8 * pitch + j * next;
      if (!f(d.swizzled(at), r, j * unit)) return false;
    }
  }
  return true;
}

// The numbers of one unit, in their order: form.unit() of them.
void unpack(const MatrixForm& form, const std::byte* unit, float* numbers);

// A matrix of numbers, row by row. A row with an element that was never written is no number.
struct Matrix {
  int rows = 0, columns = 0;
  std::vector<float> numbers;
  std::vector<std::uint8_t> defined;  // by row

  Matrix() = default;
  Matrix(int rows, int columns);
  float* row(int r) { return numbers.data() + static_cast<std::ptrdiff_t>(r) * columns; }
  const float* row(int r) const { return numbers.data() + static_cast<std::ptrdiff_t>(r) * columns; }
};

// Reads the matrix out of a CTA's shared memory. Nothing: a finding was made; `what` names the operand in it.
std::optional<Matrix> read_matrix(Machine& m, const Thread& t, std::uint32_t cta, const MatrixDescriptor& descriptor,
                                  const MatrixForm& form, std::string_view what);
// Tells the search for races that operation `number` of the thread reads it.
void watch_matrix(Machine& m, const Thread& t, std::uint32_t number, std::uint32_t cta,
                  const MatrixDescriptor& descriptor, const MatrixForm& form);

// sums[r][c] += a[r] . b[c]: an element's products are exact and are added one after the other in the order of K, each
// sum rounded to a float. `sums` has a.rows rows of b.rows floats.
void multiply_into(const Matrix& a, const Matrix& b, float* sums);

}  // namespace tilewright::simulate
