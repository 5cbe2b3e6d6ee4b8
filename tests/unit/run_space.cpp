// Spaces of settings: what is read, what is refused, and which points a condition leaves.
#include "compiler/inputs/space.h"
#include "tests/unit/catch.h"

using namespace tilewright::inputs;

namespace {

std::string error_of(std::string_view text) {
  auto space = parse_space(text);
  return space ? "" : space.error();
}

std::string points(std::string_view text, std::size_t most = 100) {
  auto space = parse_space(text);
  if (!space) return space.error();
  auto all = points_of(*space, most);
  if (!all) return all.error();
  std::string out;
  for (const auto& point : *all) {
    for (const std::string& value : point) out += value + " ";
    out += "| ";
  }
  return out;
}

}  // namespace

TEST_CASE("spaces: values and ranges") {
  CHECK(points("A=1,2 B=3") == "1 3 | 2 3 | ");
  CHECK(points("A=1,2 B=3,4") == "1 3 | 1 4 | 2 3 | 2 4 | ");
  CHECK(points("A=2..5") == "2 | 3 | 4 | 5 | ");
  CHECK(points("A=64..256..64,300") == "64 | 128 | 192 | 256 | 300 | ");
  CHECK(points("A=5..5") == "5 | ");
  CHECK(points(R"(D="float16","a, b" T=(1, 2),True)") ==
        R"("float16" (1, 2) | "float16" True | "a, b" (1, 2) | "a, b" True | )");
}

TEST_CASE("spaces: conditions are Python's") {
  CHECK(points("A=1..4 if A % 2 == 0") == "2 | 4 | ");
  CHECK(points("A=1..4 if 1 < A <= 3") == "2 | 3 | ");
  CHECK(points("A=1..3 B=1..3 if A * B == 6 or not A < 3 and B == 1") == "2 3 | 3 1 | 3 2 | ");
  CHECK(points("A=-7 if A // 2 == -4 and A % 2 == 1 and -A == 7") == "-7 | ");
  CHECK(points("A=0,1 if (A)") == "1 | ");
  CHECK(points("F=True,False N=1 if F and N") == "True 1 | ");
  CHECK(points("A=1 if A > 5") == "");
}

TEST_CASE("spaces: what cannot be read is said") {
  CHECK(error_of("") == "there is no NAME=VALUES");
  CHECK(error_of("if A > 1") == "there is no NAME=VALUES");
  CHECK(error_of("A") == "'A' is no NAME=VALUES, as BM=64,128 without blanks");
  CHECK(error_of("1A=2") == "'1A=2' is no NAME=VALUES, as BM=64,128 without blanks");
  CHECK(error_of("A=") == "'A' has no value");
  CHECK(error_of("A=1,,2") == "'A=1,,2' has an empty value");
  CHECK(error_of("A=1 A=2") == "'A' is given twice");
  CHECK(error_of("A=4..1") == "the range '4..1' has no value");
  CHECK(error_of("A=1..x") == "'1..x' is no range: FIRST..LAST or FIRST..LAST..STEP");
  CHECK(error_of("A=1..9..0") == "'1..9..0' is no range: FIRST..LAST or FIRST..LAST..STEP");
  CHECK(error_of("A=1..9999999999") == "'1..9999999999' has more than 4096 values");
  CHECK(error_of("A=1 if ") == "a condition is missing after 'if'");
  CHECK(points("A=1..50 B=1..50") == "the space has more than 100 points");
  CHECK(points("A=1 if B > 1") == "'B > 1': 'B' is none of the space's names");
  CHECK(points("A=\"x\" if A > 1") == "'A > 1': '\"x\"' is no integer");
  CHECK(points("A=1 if A >") == "'A >': something is missing at its end");
  CHECK(points("A=1 if A ? 2") == "'A ? 2': '? 2' is not expected there");
  CHECK(points("A=0 if 1 // A") == "'1 // A': a division by zero");
  CHECK(points("A=9223372036854775807 if A + 1 > 0") == "'A + 1 > 0': a number beyond 64 bits");
  CHECK(points("A=1 if (A") == "'(A': a ')' is missing");
  CHECK(points("A=1 if " + std::string(1000, '(') + "A") ==
        "'" + std::string(1000, '(') + "A': the condition is nested too deeply");
  CHECK(points("A=1 if " + std::string(1000, '-') + "A") ==
        "'" + std::string(1000, '-') + "A': the condition is nested too deeply");
}
