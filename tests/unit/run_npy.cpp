#include "compiler/run/npy.h"
#include "tests/unit/catch.h"

using namespace tilewright;
using run::NpyArray;

namespace {

// A version 1 file with this header and these elements.
std::string npy(const std::string& header, const std::string& data, char version = 1) {
  std::string out = "\x93NUMPY";
  out += version;
  out += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) out += static_cast<char>(header.size() >> (8 * i) & 0xFF);
  return out + header + data;
}
std::string error_of(const std::string& file) {
  auto array = run::read_npy(file);
  return array ? "" : array.error();
}
bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("npy: what is written is read again") {
  for (const char* name : {"float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8",
                           "uint16", "uint32", "uint64", "bool", "float8_e4m3fn", "float8_e5m2", "float4_e2m1fn"}) {
    ir::DataType dtype = *ir::parse_dtype(name);
    for (const std::vector<std::int64_t>& shape :
         {std::vector<std::int64_t>{}, std::vector<std::int64_t>{4}, std::vector<std::int64_t>{2, 3, 8}}) {
      std::int64_t elements = 1;
      for (std::int64_t n : shape) elements *= n;
      std::string data;
      for (std::int64_t i = 0; i < (elements * dtype.storage_bits() + 7) / 8; ++i) data += static_cast<char>(i * 37);
      std::string file = run::write_npy(run::to_npy(dtype, shape, data));
      INFO(name);
      REQUIRE(file.find('\n') % 64 == 63);
      auto array = run::read_npy(file);
      REQUIRE(array.has_value());
      CHECK(array->data == data);
      CHECK(run::matches(*array, dtype, shape).has_value());
      CHECK(run::tensor_shape(*array, dtype) == shape);
    }
  }
}

TEST_CASE("npy: headers as others write them") {
  std::string four("\1\2\3\4", 4);
  CHECK(run::read_npy(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\n", four))->shape ==
        std::vector<std::int64_t>{1});
  // Keys in another order, other quotes, no blanks, versions 2 and 3.
  CHECK(run::read_npy(npy("{\"shape\":(2,2),\"fortran_order\":False,\"descr\":\"|u1\"}", four, 2))->kind == 'u');
  CHECK(run::read_npy(npy("{'descr':'|V2','fortran_order':True,'shape':(2,)}", four, 3))->item_bytes == 2);
  auto raw = run::read_npy(npy("{'descr':'|V2','fortran_order':False,'shape':(2,)}", four));
  CHECK(run::matches(*raw, ir::kBFloat16, {2}).has_value());
}

TEST_CASE("npy: unkind files are refused with a reason") {
  std::string four("\1\2\3\4", 4);
  std::string good = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", four);
  for (std::size_t n = 0; n < good.size(); ++n) {
    INFO(n);
    CHECK(!error_of(good.substr(0, n)).empty());  // cut anywhere
  }
  CHECK(says(error_of(good + "x"), "takes 4 bytes, it has 5"));
  CHECK(says(error_of(npy("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", four)), "big-endian"));
  CHECK(says(error_of(npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }", four)), "Fortran"));
  CHECK(says(error_of(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 99999999999)}", four)),
             "too large"));
  CHECK(says(error_of(npy("{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", four)), "type"));
  CHECK(says(error_of(npy("{'descr': '<f999999999999', 'fortran_order': False, 'shape': (1,)}", four)), "type"));
  CHECK(says(error_of(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", four)), "header"));
  CHECK(says(error_of(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", four)), "header"));
  CHECK(says(error_of(npy("{'descr': '<f4', 'shape': (1,)}", four)), "header"));
  CHECK(says(error_of(npy("{'descr': '", four)), "header"));
  CHECK(says(error_of(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", four, 9)), "version is 9"));
  std::string huge = "\x93NUMPY";
  huge += std::string("\2\0\xff\xff\xff\xff", 6);
  CHECK(says(error_of(huge), "ends in its header"));
}

TEST_CASE("npy: what does not fit a tensor says what it is") {
  NpyArray floats{'f', 4, {2, 2}, std::string(16, 'x')};
  CHECK(says(run::matches(floats, ir::kFloat16, {2, 2}).error(), "it holds float32, float16 is wanted"));
  CHECK(says(run::matches(floats, ir::kFloat32, {4}).error(), "its shape is (2, 2), (4,) is wanted"));
  CHECK(says(run::matches(floats, ir::kBFloat16, {2, 2}).error(), "bfloat16 is wanted (as uint16)"));
  NpyArray bits{'u', 2, {2}, std::string(4, 'x')};
  CHECK(run::matches(bits, ir::kFloat16, {2}).has_value());  // raw bits of a float16
  CHECK(!run::matches(bits, {ir::TypeCode::Int, 16, 1}, {2}).has_value());
}
