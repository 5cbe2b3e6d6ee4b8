#include "compiler/simulate/tensor/tensor_map.h"

#include <algorithm>
#include <cstring>

namespace tilewright::simulate {
namespace {

// Where fields lie in the object. Extents and counts are kept less one, so that zeros are legal.
constexpr std::size_t kAddress = 0, kDims = 8, kStrides = 32, kBox = 64, kElementStrides = 74, kRank = 79,
                      kElement = 80, kInterleave = 81, kSwizzle = 82, kAtomicity = 83, kFill = 84;

template <class T>
T get(std::span<const std::byte, TensorMap::kBytes> o, std::size_t at) {
  T value;
  std::memcpy(&value, o.data() + at, sizeof value);
  return value;
}
template <class T>
void put(std::span<std::byte, TensorMap::kBytes> o, std::size_t at, std::uint64_t value) {
  T narrow = static_cast<T>(value);
  std::memcpy(o.data() + at, &narrow, sizeof narrow);
}

struct Element {
  std::string_view names;  // dtype strings of the encode call
  int bytes;
  bool floating;
  std::uint64_t nan;  // what is filled in outside of the tensor: the one that fma.oob knows, twice or four times
};
// In the order of tensormap.replace.
constexpr Element kElements[] = {
    {"|uint8|int8|bool|", 1, false, 0},
    {"|uint16|int16|", 2, false, 0},
    {"|uint32|", 4, false, 0},
    {"|int32|", 4, false, 0},
    {"|uint64|", 8, false, 0},
    {"|int64|", 8, false, 0},
    {"|float16|", 2, true, 0x7ff7},
    {"|float32|", 4, true, 0x7ff77ff7},
    {"|float32.ftz|", 4, true, 0x7ff77ff7},
    {"|float64|", 8, true, 0x7ff77ff77ff77ff7},
    {"|bfloat16|", 2, true, 0x7ff7},
    {"|tfloat32|", 4, true, 0x7ff77ff7},
    {"|tfloat32.ftz|", 4, true, 0x7ff77ff7},
};
const Element& element_of(int number) {
  return kElements[number >= 0 && number < static_cast<int>(std::size(kElements)) ? number : 0];
}

std::int64_t span_bytes(int swizzle) { return std::int64_t{16} << swizzle; }

}  // namespace

TensorMap TensorMap::decode(std::span<const std::byte, kBytes> o) {
  TensorMap m;
  m.address = get<std::uint64_t>(o, kAddress);
  m.rank = get<std::uint8_t>(o, kRank) + 1;
  for (std::size_t d = 0; d < 5; ++d) {
    m.dims[d] = std::int64_t{get<std::uint32_t>(o, kDims + 4 * d)} + 1;
    m.box[d] = get<std::uint16_t>(o, kBox + 2 * d) + 1;
    m.element_strides[d] = get<std::uint8_t>(o, kElementStrides + d) + 1;
    if (d < 4) m.strides[d] = static_cast<std::int64_t>(get<std::uint64_t>(o, kStrides + 8 * d));
  }
  m.element = get<std::uint8_t>(o, kElement);
  m.interleave = get<std::uint8_t>(o, kInterleave);
  m.swizzle = get<std::uint8_t>(o, kSwizzle);
  m.atomicity = get<std::uint8_t>(o, kAtomicity);
  m.fill = get<std::uint8_t>(o, kFill);
  return m;
}

void TensorMap::encode(std::span<std::byte, kBytes> o) const {
  std::ranges::fill(o, std::byte{0});
  put<std::uint64_t>(o, kAddress, address);
  put<std::uint8_t>(o, kRank, static_cast<std::uint64_t>(rank - 1));
  for (std::size_t d = 0; d < 5; ++d) {
    put<std::uint32_t>(o, kDims + 4 * d, static_cast<std::uint64_t>(dims[d] - 1));
    put<std::uint16_t>(o, kBox + 2 * d, static_cast<std::uint64_t>(box[d] - 1));
    put<std::uint8_t>(o, kElementStrides + d, static_cast<std::uint64_t>(element_strides[d] - 1));
    if (d < 4) put<std::uint64_t>(o, kStrides + 8 * d, static_cast<std::uint64_t>(strides[d]));
  }
  put<std::uint8_t>(o, kElement, static_cast<std::uint64_t>(element));
  put<std::uint8_t>(o, kInterleave, static_cast<std::uint64_t>(interleave));
  put<std::uint8_t>(o, kSwizzle, static_cast<std::uint64_t>(swizzle));
  put<std::uint8_t>(o, kAtomicity, static_cast<std::uint64_t>(atomicity));
  put<std::uint8_t>(o, kFill, static_cast<std::uint64_t>(fill));
}

int TensorMap::element_named(std::string_view dtype) {
  if (dtype.starts_with("float8")) return 0;
  const std::string wanted = "|" + std::string(dtype) + "|";
  for (std::size_t i = 0; i < std::size(kElements); ++i)
    if (kElements[i].names.find(wanted) != std::string_view::npos) return static_cast<int>(i);
  return -1;
}

void TensorMap::set_swizzle(int code) {
  swizzle = std::min(code, 3);
  atomicity = std::max(0, code - 3);
}

int TensorMap::element_bytes() const { return element_of(element).bytes; }
bool TensorMap::is_float() const { return element_of(element).floating; }
std::uint64_t TensorMap::fill_bits() const { return fill ? element_of(element).nan : 0; }

std::int64_t TensorMap::rows() const {
  std::int64_t n = 1;
  for (int d = 1; d < rank; ++d) n *= count(d);
  return n;
}

std::int64_t TensorMap::pitch() const { return swizzle && !interleave ? span_bytes(swizzle) : row_bytes(); }

std::int64_t TensorMap::swizzled(std::int64_t place) const {
  // log2 of the unit; its number within the span is combined with as many bits from 7 on.
  const int unit = atomicity == 0 ? 4 : atomicity == 1 ? 5 : 6, bits = swizzle - (unit - 4);
  if (bits <= 0) return place;
  return place ^ (place >> 7 & ((1 << bits) - 1)) << unit;
}

std::string TensorMap::refused() const {
  auto number = [](std::int64_t n) { return std::to_string(n); };
  if (rank < 1 || rank > 5) return "rank " + number(rank) + " is not 1 to 5";
  if (element < 0 || element > 15) return "there is no element type " + number(element);
  if (interleave && rank < 3) return "an interleaved tensor has rank 3 or more";
  if (interleave < 0 || interleave > 2) return "there is no interleave mode " + number(interleave);
  const int align = interleave == 2 ? 32 : 16;
  if (address % static_cast<std::uint64_t>(align) != 0)
    return "the tensor does not start on a multiple of " + number(align) + " bytes";
  for (int d = 0; d < rank; ++d) {
    const std::string which = " of dimension " + number(d);
    if (dims[d] < 1 || dims[d] > std::int64_t{1} << 32) return "the extent" + which + " is " + number(dims[d]);
    if (box[d] < 1 || box[d] > 256) return "the box" + which + " is " + number(box[d]) + ", not 1 to 256";
    if (element_strides[d] < 1 || element_strides[d] > 8)
      return "the element stride" + which + " is " + number(element_strides[d]) + ", not 1 to 8";
    if (d && (strides[d - 1] % align != 0 || strides[d - 1] < 0 || strides[d - 1] >= std::int64_t{1} << 40))
      return "the stride" + which + " is " + number(strides[d - 1]) + " bytes, not a multiple of " + number(align) +
             " below 2^40";
  }
  if (row_bytes() % 16 != 0) return "a row of the box has " + number(row_bytes()) + " bytes, not a multiple of 16";
  if (swizzle < 0 || swizzle > 3) return "there is no swizzle mode " + number(swizzle);
  if (interleave == 2 && swizzle != 1) return "slices of 32 bytes need the swizzle of 32 bytes";
  if (swizzle && !interleave && row_bytes() > span_bytes(swizzle))
    return "a row of the box has " + number(row_bytes()) + " bytes, more than the swizzle's " +
           number(span_bytes(swizzle));
  if (fill && !is_float()) return "only floating-point tensors are filled with NaN";
  return {};
}

std::string TensorMap::unmodelled() const {
  if (interleave && element_strides[0] != 1) return "interleaved tensors with an element stride of the width";
  if (element >= static_cast<int>(std::size(kElements))) return "packed elements below one byte";
  if (atomicity == 2) return "the swizzle that flips 8 bytes";
  return {};
}

}  // namespace tilewright::simulate
