// Tables, pictures and bank conflicts of layouts.
#include <array>

#include "compiler/layout/mma.h"
#include "compiler/layout/picture.h"
#include "tests/unit/catch.h"
#include "tests/unit/layout_text.h"

namespace tilewright::layout {
namespace {

using test::L;

template <class F>
Access access(int access_bits, int dtype_bits, F&& of_lane, int lanes = 32) {
  Access a;
  a.access_bits = access_bits;
  a.dtype_bits = dtype_bits;
  for (std::int64_t lane = 0; lane < lanes; ++lane) a.coordinates.push_back(of_lane(lane));
  return a;
}
using At = std::vector<std::int64_t>;

BankReport conflicts(std::string_view layout, const Shape& shape, const Access& a) {
  Result<BankReport> r = bank_conflicts(L(layout), shape, a);
  REQUIRE(r);
  return *r;
}

TEST_CASE("picture: by bank or by thread on request, an error where there is none", "[layout]") {
  const Shape four = {2, 4};
  PictureOptions bank;
  bank.dtype_bits = 32;
  bank.by = PictureOptions::By::Bank;
  CHECK(text_table(L("S[(2,4):(32,1)]"), four, bank).value() ==
        "       0      1      2      3\n"
        "0   0:b0   1:b1   2:b2   3:b3\n"
        "1  32:b0  33:b1  34:b2  35:b3\n");
  CHECK(svg_picture(L("S[(2,2,2):(2@laneid,1@laneid,1)]"), four, bank).value().contains("coloured by bank"));
  PictureOptions thread;
  thread.by = PictureOptions::By::Thread;
  CHECK(text_table(L("S[2,4]"), four, thread).error().message.contains("no thread axis"));
  CHECK(svg_picture(L("S[(2,2,2):(2@laneid,1@laneid,1)]"), four, thread).value().contains("coloured by thread"));
  CHECK(text_table(L("S[(2,4):(4@TCol,1@TCol)]"), four, bank).error().message.contains("no address"));
}

TEST_CASE("the fragments of mma as PTX draws them", "[layout]") {
  auto first = [](std::string_view operand, std::int64_t k, const Shape& shape) {
    const PictureOptions corner{.rows = 2, .columns = 4};
    const std::string text = text_table(mma_fragment_layout(operand, k).value(), shape, corner).value();
    return text.substr(0, text.rfind('\n', text.size() - 2) + 1);
  };
  CHECK(first("A", 16, Shape{16, 16}) ==
        "       0      1      2      3\n0  T0:r0  T0:r1  T1:r0  T1:r1\n1  T4:r0  T4:r1  T5:r0  T5:r1\n");
  CHECK(first("D", 16, Shape{16, 8}) == first("A", 8, Shape{16, 8}));
  CHECK(first("B", 16, Shape{16, 8}) ==
        "        0       1       2       3\n0   T0:r0   T4:r0   T8:r0  T12:r0\n1   T0:r1   T4:r1   T8:r1  T12:r1\n");
  // Rows eight further on are the next registers, and K eight further on those behind.
  const Layout a = mma_fragment_layout("A").value();
  CHECK(apply(a, std::vector<std::int64_t>{8, 0}, Shape{16, 16}).value().back().second == 2);
  CHECK(apply(a, std::vector<std::int64_t>{0, 8}, Shape{16, 16}).value().back().second == 4);
  CHECK(mma_fragment_layout("E").error().message.contains("not \"E\""));
  CHECK(mma_fragment_layout("A", 4).error().message.contains("8 or 16"));
}

TEST_CASE("picture: text table of threads, of addresses, of other axes", "[layout]") {
  const Shape four = {2, 4};
  CHECK(text_table(L("S[(2,2,2):(2@laneid,1@laneid,1)]"), four).value() ==
        "       0      1      2      3\n"
        "0  T0:r0  T0:r1  T1:r0  T1:r1\n"
        "1  T2:r0  T2:r1  T3:r0  T3:r1\n");
  CHECK(text_table(L("S[2,4]"), four).value() ==
        "   0  1  2  3\n"
        "0  0  1  2  3\n"
        "1  4  5  6  7\n");
  const Shape lanes = {2, 2};
  CHECK(text_table(L("S[(2,2):(1@TLane,1@TCol)]"), lanes).value() ==
        "       0      1\n"
        "0  L0:C0  L0:C1\n"
        "1  L1:C0  L1:C1\n");
  // Scale factors: four bytes share a column.
  PictureOptions bytes{.dtype_bits = 8};
  bytes.shared_columns = true;
  CHECK(text_table(L("S[(2,2,2):(4@TCol,1@TLane,1@TCol)]"), Shape{4, 2}, bytes).value() ==
        "         0        1\n"
        "0  L0:C0.0  L0:C0.1\n"
        "1  L1:C0.0  L1:C0.1\n"
        "2  L0:C1.0  L0:C1.1\n"
        "3  L1:C1.0  L1:C1.1\n");
  const Shape warps = {64};
  CHECK(text_table(L("S[(2,32):(1@warpid,1@laneid)]"), warps).value().find("T63") != std::string::npos);
  const Shape large = {1000, 1000};
  PictureOptions small{.rows = 2, .columns = 2};
  CHECK(text_table(L("S[1000,1000]"), large, small).value() ==
        "      0     1\n"
        "0     0     1\n"
        "1  1000  1001\n"
        "showing 2 of 1000 rows, 2 of 1000 columns\n");
  CHECK_FALSE(text_table(L("S[8]"), Shape{9}));
}

TEST_CASE("picture: SVG", "[layout]") {
  const Shape lanes = {2, 2};
  std::string tensor_memory = svg_picture(L("S[(2,2):(1@TLane,1@TCol)]"), lanes).value();
  CHECK(tensor_memory.find(">L1:C1</text>") != std::string::npos);
  CHECK(tensor_memory.find("coloured by column") != std::string::npos);
  CHECK(tensor_memory.find("#eeeeee") == std::string::npos);
  const Shape shape = {8, 64};
  std::string svg = svg_picture(L("Z(3,3,3)"), shape).value();
  CHECK(svg.starts_with("<svg xmlns="));
  CHECK(svg.ends_with("</svg>\n"));
  std::size_t cells = 0;
  for (std::size_t at = svg.find("<title>"); at != std::string::npos; at = svg.find("<title>", at + 1)) ++cells;
  CHECK(cells == 512);
  CHECK(svg.find("(1, 0) 72 bank 4") != std::string::npos);
  CHECK(svg_picture(L("S[32:1@laneid]"), Shape{32}).value().find("coloured by thread") != std::string::npos);
}

TEST_CASE("banks: a row of float32 is free, a column costs 32", "[layout]") {
  const Shape shape = {32, 32};
  BankReport row = conflicts("S[32,32]", shape, access(32, 32, [](auto lane) { return At{0, lane}; }));
  CHECK(row.degree == 1);
  CHECK(row.wavefronts == 1);
  BankReport column = conflicts("S[32,32]", shape, access(32, 32, [](auto lane) { return At{lane, 0}; }));
  CHECK(column.degree == 32);
  CHECK(column.wavefronts == 32);
  BankReport padded = conflicts("S[(32,32):(33,1)]", shape, access(32, 32, [](auto lane) { return At{lane, 0}; }));
  CHECK(padded.degree == 1);
  BankReport two = conflicts("S[(32,32):(34,1)]", shape, access(32, 32, [](auto lane) { return At{lane, 0}; }));
  CHECK(two.degree == 2);
}

TEST_CASE("banks: one word for all lanes is a broadcast", "[layout]") {
  const Shape shape = {32, 32};
  CHECK(conflicts("S[32,32]", shape, access(32, 32, [](auto) { return At{5, 5}; })).degree == 1);
  // Two float16 in a word: 32 lanes touch 16 banks once.
  BankReport half = conflicts("S[32,32]", shape, access(16, 16, [](auto lane) { return At{0, lane}; }));
  CHECK(half.degree == 1);
  CHECK(std::count(half.phases[0].words.begin(), half.phases[0].words.end(), 1) == 16);
}

TEST_CASE("banks: 16-byte accesses down the rows of a 128-byte tile", "[layout]") {
  const Shape shape = {64, 64};
  auto rows = access(128, 16, [](auto lane) { return At{lane, 0}; });
  BankReport plain = conflicts("S[64,64]", shape, rows);
  CHECK(plain.phases.size() == 4);
  CHECK(plain.degree == 8);
  CHECK(plain.wavefronts == 32);
  BankReport swizzled = conflicts("Z(3,3,3)", shape, rows);
  CHECK(swizzled.degree == 1);
  CHECK(swizzled.wavefronts == 4);
  CHECK(swizzled.ideal == 4);
  // The narrower modes on their own tiles.
  CHECK(conflicts("Z(3,2,3)", {64, 32}, rows).degree == 1);
  CHECK(conflicts("Z(3,1,3)", {64, 16}, rows).degree == 1);
  CHECK(conflicts("S[64,32]", {64, 32}, rows).degree == 4);
  CHECK(conflicts("S[64,16]", {64, 16}, rows).degree == 2);
}

TEST_CASE("banks: 8-byte accesses go by half-warps", "[layout]") {
  const Shape shape = {64, 64};
  BankReport along =
      conflicts("S[64,64]", shape, access(64, 16, [](auto lane) { return At{lane / 16, lane % 16 * 4}; }));
  CHECK(along.phases.size() == 2);
  CHECK(along.degree == 1);
  CHECK(along.wavefronts == 2);
}

TEST_CASE("banks: what cannot be an access is refused", "[layout]") {
  const Shape shape = {32, 32};
  CHECK_FALSE(bank_conflicts(L("S[32,32]"), shape, access(128, 16, [](auto lane) { return At{0, lane}; })));
  CHECK_FALSE(bank_conflicts(L("S[32,32]"), shape, access(24, 16, [](auto lane) { return At{0, lane}; })));
  CHECK_FALSE(
      bank_conflicts(L("S[(32,32):(1@laneid,1)]"), shape, access(32, 32, [](auto lane) { return At{lane, 0}; })));
  CHECK(conflicts("S[32,32]", shape, access(32, 32, [](auto lane) { return At{lane, 0}; }, 3)).degree == 3);
  CHECK(conflicts("S[32,32]", shape, access(32, 32, [](auto lane) { return At{lane, 0}; }, 0)).degree == 0);
}

// Wavefronts that Nsight Compute counted on an H100 (tests/gpu/bank_patterns.py): lane t reads 4, 8 or 16 bytes at that
// multiple of as many bytes.
TEST_CASE("picture: bank conflicts are those of a GPU") {
  struct Row {
    int (*at)(int lane);
    std::array<int, 3> wavefronts;
  };
  constexpr Row kRows[] = {
      {[](int) { return 0; }, {1, 1, 2}},
      {[](int t) { return t / 2; }, {1, 1, 2}},
      {[](int t) { return t / 16; }, {1, 1, 2}},
      {[](int t) { return t / 8; }, {1, 1, 2}},
      {[](int t) { return t % 8; }, {1, 2, 4}},
      {[](int t) { return t % 4; }, {1, 2, 4}},
      {[](int t) { return t % 16; }, {1, 2, 4}},
      {[](int t) { return t; }, {1, 2, 4}},
      {[](int t) { return t * 2; }, {2, 4, 8}},
      {[](int t) { return t * 4; }, {4, 8, 16}},
      {[](int t) { return t * 8; }, {8, 16, 32}},
      {[](int t) { return t * 3; }, {1, 2, 4}},
      {[](int t) { return t * 5; }, {1, 2, 4}},
      {[](int t) { return t % 8 * 8 + t / 8; }, {2, 8, 32}},
      {[](int t) { return t % 16 * 2 + t / 16; }, {1, 4, 8}},
      {[](int t) { return t % 4 * 16 + t / 4; }, {2, 8, 16}},
      {[](int t) { return t * 7 % 32; }, {1, 2, 4}},
  };
  for (const Row& row : kRows) {
    for (std::size_t w = 0; w < 3; ++w) {
      const int bits = 32 << w;
      std::array<std::int64_t, 32> address;
      for (int t = 0; t < 32; ++t) address[static_cast<std::size_t>(t)] = std::int64_t{row.at(t)} * bits;
      INFO("row " << &row - kRows << ", " << bits << " bits");
      CHECK(bank_conflicts(address, bits).wavefronts == row.wavefronts[w]);
    }
  }
}

}  // namespace
}  // namespace tilewright::layout
