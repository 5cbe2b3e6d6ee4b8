// NumPy's .npy files: versions 1 to 3, C order, little-endian elements.
//
// Types that NumPy lacks travel as unsigned integers of their width (bfloat16: uint16, float8: uint8), those narrower
// than a byte packed into uint8. Reading also takes the raw `V1`, `V2`, ... that extensions of NumPy write for them.
#pragma once
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/expr/dtype.h"
#include "compiler/run/contents.h"

namespace tilewright::run {

struct NpyArray {
  char kind = 'u';  // NumPy's letter: b bool, i, u, f, V raw
  int item_bytes = 1;
  std::vector<std::int64_t> shape;
  Contents data;  // exactly the elements
};

// Any bytes may come in. The error says what is wrong with the file, for people.
std::expected<NpyArray, std::string> read_npy(std::string_view file);
// The same from an open file, at the speed of its cache. It is read, not mapped: a file that shrinks while a kernel
// runs must be an error and not the end of this process.
std::expected<NpyArray, std::string> read_npy_file(int fd);
// What stands before the elements in a file.
std::string npy_header(const NpyArray& array);
std::string write_npy(const NpyArray& array);

// The array as NumPy would hold elements of `dtype`; packed types become bytes, counted in the last dimension.
NpyArray to_npy(ir::DataType dtype, const std::vector<std::int64_t>& shape, Contents data);
// Whether the array holds elements of `dtype` in this shape. The error says what it holds instead.
std::expected<void, std::string> matches(const NpyArray& array, ir::DataType dtype,
                                         const std::vector<std::int64_t>& shape);
// The shape of the tensor of `dtype` elements that this array would be, to bind symbolic extents with.
std::vector<std::int64_t> tensor_shape(const NpyArray& array, ir::DataType dtype);

}  // namespace tilewright::run
