// Tensor maps: what the copy engine knows of a tensor and of the boxes that it moves (intrinsics.md 6.3, 7.3).
//
// The object has 128 bytes in an encoding of our own, which kernels can copy, edit field by field and publish; all
// zeros describe one element of one byte. Dimensions count from the innermost.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tilewright::simulate {

struct TensorMap {
  static constexpr std::int64_t kBytes = 128;

  std::uint64_t address = 0;  // a pointer of the run
  int rank = 1;
  std::array<std::int64_t, 5> dims{1, 1, 1, 1, 1};  // elements
  std::array<std::int64_t, 4> strides{};            // bytes, of dimension 1 and up
  std::array<std::int64_t, 5> box{1, 1, 1, 1, 1};   // elements that it spans
  std::array<std::int64_t, 5> element_strides{1, 1, 1, 1, 1};
  int element = 0;  // the numbers of tensormap.replace, elemtype
  int interleave = 0;
  int swizzle = 0;    // 0 none, 1 32 bytes, 2 64 bytes, 3 128 bytes
  int atomicity = 0;  // 0 16 bytes, 1 32 bytes, 2 32 bytes with 8-byte flip, 3 64 bytes
  int fill = 0;       // of what lies outside: 0 zeros, 1 NaN

  static TensorMap decode(std::span<const std::byte, kBytes> object);
  void encode(std::span<std::byte, kBytes> object) const;

  // The number of a dtype string of the encode call; -1: there is none.
  static int element_named(std::string_view dtype);
  // A swizzle of the encode call, 0..6.
  void set_swizzle(int code);

  int element_bytes() const;
  bool is_float() const;
  std::uint64_t fill_bits() const;
  // Of one step of the innermost dimension: an element, or the slice of channels of an interleaved tensor.
  std::int64_t cell_bytes() const { return interleave ? 16 * interleave : element_bytes(); }
  // Cells along a dimension of a loaded box. Strides of the innermost dimension do not count; a copy moves one slice of
  // channels, the dimension before the last.
  std::int64_t count(int d) const {
    if (interleave && d == rank - 2) return 1;
    return d == 0 ? box[0] : (box[d] + element_strides[d] - 1) / element_strides[d];
  }
  std::int64_t rows() const;  // of the innermost dimension in a box
  std::int64_t row_bytes() const { return box[0] * cell_bytes(); }
  std::int64_t pitch() const;                                  // bytes from row to row in shared memory
  std::int64_t bytes() const { return rows() * row_bytes(); }  // counted on a barrier
  // Where the hardware puts the byte at this absolute shared address: it permutes units by the address bits above them.
  std::int64_t swizzled(std::int64_t place) const;

  // The rule that encoding breaks; empty: none.
  std::string refused() const;
  // What of it the simulator does not execute; empty: nothing.
  std::string unmodelled() const;
};

}  // namespace tilewright::simulate
