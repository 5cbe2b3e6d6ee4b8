#include <cmath>
#include <cstring>

#include "compiler/run/element.h"
#include "compiler/run/fill.h"
#include "tests/unit/catch.h"

using namespace tilewright;
using namespace tilewright::run;

namespace {

std::vector<double> values(std::string_view words, ir::DataType dtype, std::int64_t count) {
  auto fill = parse_fill(words);
  REQUIRE(fill);
  auto bytes = filled(*fill, dtype, packed_bytes(dtype, count), 1);
  REQUIRE(bytes);
  std::vector<double> out;
  for (std::int64_t i = 0; i < count; ++i)
    out.push_back(*decode_element(dtype.element(), element_bits(dtype.element(), *bytes, i)));
  return out;
}

const ir::DataType kFp8{ir::TypeCode::Float8E4M3FN, 8, 1}, kFp4{ir::TypeCode::Float4E2M1FN, 4, 1},
    kFp6{ir::TypeCode::Float6E3M2FN, 6, 1}, kBf16{ir::TypeCode::BFloat, 16, 1}, kInt4{ir::TypeCode::Int, 4, 1};

}  // namespace

TEST_CASE("run: fills of every width") {
  CHECK(values("arange", ir::kInt32, 5) == std::vector<double>{0, 1, 2, 3, 4});
  CHECK(values("arange(start=-4, step=2)", ir::kFloat32, 4) == std::vector<double>{-4, -2, 0, 2});
  // What a type cannot count to begins again.
  CHECK(values("arange", kFp8, 18).at(17) == 1);
  CHECK(values("arange", kFp4, 6) == std::vector<double>{0, 1, 2, 3, 0, 1});
  CHECK(values("arange", kInt4, 10) == std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7, -8, -7});
  CHECK(values("arange", ir::kBool, 4) == std::vector<double>{0, 1, 0, 1});
  CHECK(values("ones", kFp6, 5) == std::vector<double>(5, 1));
  CHECK(values("-1.5", kBf16, 3) == std::vector<double>(3, -1.5));
  CHECK(values("zeros", kFp8, 3) == std::vector<double>(3, 0));
  CHECK(std::isnan(values("nan", ir::kFloat16, 1)[0]));
}

TEST_CASE("run: random fills keep to their bounds and their seed") {
  for (double v : values("random(low=2, high=5)", ir::kInt32, 1000)) CHECK((v == 2 || v == 3 || v == 4));
  for (double v : values("random(high=8)", ir::kInt32, 1000)) CHECK((v >= 0 && v < 8));
  for (double v : values("random(low=0)", ir::kFloat32, 1000)) CHECK((v >= 0 && v < 1));
  CHECK(values("random(seed=7)", ir::kFloat32, 9) == values("random(seed=7)", ir::kFloat32, 9));
  CHECK(values("random(seed=7)", ir::kFloat32, 9) != values("random(seed=8)", ir::kFloat32, 9));
}

TEST_CASE("run: fills that mean nothing say where and what may be meant") {
  auto error = [](std::string_view text) {
    auto fill = parse_fill(text);
    REQUIRE_FALSE(fill);
    return fill.error();
  };
  CHECK(error("randm(seed=7)").at == "randm");
  CHECK(error("randm(seed=7)").meant == "random");
  CHECK(error("random(sed=7)").at == "sed");
  CHECK(error("random(sed=7)").meant == "seed");
  CHECK(error("random(seed=x)").at == "x");
  CHECK(error("random(seed=7").at == "(seed=7");
  CHECK(error("random(low=3, high=1)").message == "low has to be less than high");
  CHECK(error("zeros(3)").message == "zeros takes no arguments");
}
