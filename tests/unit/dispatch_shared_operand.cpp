// Tiles of shared memory as descriptors: the typical values of gemm.md 3.4, the operands of its worked examples 9.2,
// and what hardware would read wrongly (G14 to G21).
#include "compiler/dispatch/blocks/shared_operand.h"
#include "tests/unit/copy_lab.h"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

using Bounds = std::vector<std::pair<Expr, Expr>>;  // begin, extent

struct OperandCase {
  std::vector<Expr> shape;
  Bounds region{};  // empty: all
  bool transposed = false;
  ir::DataType dtype = ir::kFloat16;
  layout::SwizzleMode mode = layout::SwizzleMode::B128;
  std::string layout{};    // empty: mma_shared_layout
  bool exchanged = false;  // mma_shared_layout of the exchanged shape: the same tile stored the other way round
  std::int64_t elem_offset = 0;
};

layout::Layout layout_of(const OperandCase& c) {
  if (!c.layout.empty()) return parse_layout(c.layout);
  std::vector<layout::Dim> shape;
  for (Expr e : c.shape) shape.emplace_back(e);
  if (!c.exchanged) return *layout::mma_shared_layout(c.dtype, c.mode, shape);
  std::swap(shape[0], shape[1]);
  auto other = layout::mma_shared_layout(c.dtype, c.mode, shape);
  REQUIRE(other);
  auto grouped = layout::group(*(other->tile ? *other : layout::row_major(shape)).tile, shape);
  REQUIRE(grouped);
  const int exchange[] = {1, 0};
  auto permuted = layout::permute_by_groups({std::nullopt, grouped->layout}, grouped->separators, exchange);
  REQUIRE(permuted);
  return {other->swizzle, permuted->tile};
}

std::expected<dispatch::SharedOperand, std::string> matched(KernelBuilder& k, const OperandCase& c) {
  ir::Buffer* b = k.buffer("S", c.shape, c.dtype, StorageScope::SharedDyn, layout_of(c));
  if (c.elem_offset) b->elem_offset = Expr(c.elem_offset);
  Bounds bounds = c.region;
  if (bounds.empty()) {
    for (Expr e : c.shape) bounds.emplace_back(Expr(0), e);
  }
  return dispatch::shared_operand(KernelBuilder::region(b, bounds), c.transposed);
}

// "ldo,sdo,mode K|MN: offsets of the K steps", or the reason.
std::string described(KernelBuilder& k, const OperandCase& c, std::int64_t step = 16) {
  auto o = matched(k, c);
  if (!o) return o.error();
  std::string out = std::to_string(o->ldo) + "," + std::to_string(o->sdo) + "," + std::to_string(o->mode) +
                    (o->mn_major ? " MN:" : " K:");
  for (std::int64_t at = 0; at + step <= o->k; at += step) {
    if (auto why = o->unreadable(0, o->mn, at, step); !why.empty()) return why;
    out += " " + ir::to_string(o->offset(0, at));
  }
  return out;
}
void refused(KernelBuilder& k, const OperandCase& c, std::string_view reason, std::int64_t step = 16) {
  const std::string text = described(k, c, step);
  INFO(text);
  CHECK(text.find(reason) != std::string::npos);
}

constexpr auto B32 = layout::SwizzleMode::B32, B64 = layout::SwizzleMode::B64;

}  // namespace

TEST_CASE("shared operands: the constants of the worked examples") {
  KernelBuilder k;
  CHECK(described(k, {.shape = {128, 64}}) == "64,64,3 K: 0 2 4 6");
  CHECK(described(k, {.shape = {3, 128, 64}, .region = {{1, 1}, {0, 128}, {0, 64}}}) ==
        "64,64,3 K: 1024 1026 1028 1030");
  CHECK(described(k, {.shape = {128, 128}}) == "1024,64,3 K: 0 2 4 6 1024 1026 1028 1030");
  CHECK(described(k, {.shape = {128, 64}, .mode = B64}) == "512,32,2 K: 0 2 512 514");
  CHECK(described(k, {.shape = {128, 64}, .mode = B32}) == "256,16,1 K: 0 256 512 768");
  CHECK(described(k, {.shape = {64, 128}, .transposed = true}) == "512,64,3 MN: 0 128 256 384");
  CHECK(described(k, {.shape = {128, 128}, .exchanged = true}) == "1024,64,3 MN: 0 128 256 384 512 640 768 896");
  CHECK(described(k, {.shape = {64, 128}, .transposed = true, .exchanged = true}) == "1024,64,3 K: 0 2 4 6");
  CHECK(described(k, {.shape = {128, 64}, .region = {{0, 128}, {16, 32}}}) == "64,64,3 K: 2 4");
  CHECK(described(k, {.shape = {128, 128}, .region = {{0, 128}, {48, 32}}}) == "64,64,3 K: 6 1024");
  CHECK(described(k, {.shape = {64, 128}, .region = {{0, 64}, {48, 32}}}) == "64,64,3 K: 6 512");
  CHECK(described(k, {.shape = {128, 256}, .dtype = *ir::parse_dtype("float8_e4m3fn")}, 32) ==
        "1024,64,3 K: 0 2 4 6 1024 1026 1028 1030");
}

TEST_CASE("shared operands: eight rows count as those of a whole atom") {
  KernelBuilder k;
  // gemm.md 3.4 rule 1: eight columns are matched as 16, the second eight where the layout has them or would have them.
  CHECK(described(k, {.shape = {16, 8}, .transposed = true, .mode = B32, .exchanged = true}) == "32,16,1 K: 0");
  CHECK(described(k, {.shape = {32, 8}, .transposed = true, .mode = B32, .exchanged = true}) == "16,16,1 K: 0 16");
  CHECK(described(k, {.shape = {16, 32},
                      .region = {{0, 16}, {8, 8}},
                      .transposed = true,
                      .mode = B32,
                      .layout = "Z(3,1,3) S[(16,4,8):(1,256,16)]"}) == "64,32,1 K: 32");
}

TEST_CASE("shared operands: slices by whole K steps, aligned to an atom or not") {
  KernelBuilder k;
  // G18: of an atom's length and across a seam; G14: no strided block, and yet each step is readable.
  CHECK(described(k, {.shape = {128, 128}, .region = {{0, 128}, {32, 64}}}) == "64,64,3 K: 4 6 1024 1026");
  CHECK(described(k, {.shape = {128, 128}, .region = {{0, 128}, {16, 64}}}) == "64,64,3 K: 2 4 6 1024");
  refused(k, {.shape = {128, 128}, .region = {{0, 128}, {40, 32}}}, "cross the end of that row");  // G14, G15
  refused(k, {.shape = {128, 128}, .region = {{0, 128}, {56, 16}}}, "cross the end of that row");
  refused(k, {.shape = {128, 64}, .region = {{0, 128}, {4, 16}}}, "not a multiple of 8 (16 bytes)");
  // G20.
  refused(k, {.shape = {144, 64}, .region = {{4, 128}, {0, 64}}}, "starts in row 4 of the eight");
  refused(k, {.shape = {144, 64}, .region = {{8, 12}, {0, 64}}}, "not a multiple of the 8 rows");
}

TEST_CASE("shared operands: a start known only at run time") {
  KernelBuilder k;
  ir::Var* stage = ir::make_var("stage", ir::kInt32, ir::VarRole::Loop);
  stage->range = {0, 2};
  ir::Var* any = ir::make_var("n", ir::kInt32, ir::VarRole::Loop);
  any->range = {0, 1 << 20};
  Expr s(stage), n(any);
  auto first = matched(k, {.shape = {3, 128, 64}, .region = {{s, 1}, {0, 128}, {0, 64}}});
  REQUIRE(first);
  CHECK(ir::provably_equal(first->offset(0, 16), s * Expr(1024) + Expr(2)));
  // Steps of a K loop inside one atom's row.
  auto step = matched(k, {.shape = {128, 64}, .region = {{0, 128}, {s * Expr(16), 16}}});
  REQUIRE(step);
  CHECK(step->unreadable(0, 128, 0, 16).empty());
  CHECK(ir::provably_equal(step->offset(0, 0), s * Expr(2)));
  refused(k, {.shape = {128, 64}, .region = {{0, 128}, {s * Expr(20), 16}}}, "not provably");
  refused(k, {.shape = {256, 64}, .region = {{n, 128}, {0, 64}}}, "not provably");
  refused(k, {.shape = {128, 128}, .region = {{0, 128}, {s * Expr(32), 64}}}, "run over a seam");
}

TEST_CASE("shared operands: what no descriptor says") {
  KernelBuilder k;
  refused(k, {.shape = {128, 64}, .layout = "S[(128,64):(64,1)]"}, "has no swizzle");
  refused(k, {.shape = {128, 64}, .layout = "Z(4,3,3) S[(128,64):(64,1)]"}, "the hardware's for float16 is");
  // G19: rows in two blocks.
  refused(k, {.shape = {128, 64}, .layout = "Z(3,3,3) S[(2,64,64):(8192,64,1)]"}, "not at one distance");
  refused(k, {.shape = {128, 64}, .layout = "Z(3,3,3) S[(128,64):(128,1)]"}, "eight rows of an atom are 64 apart");
  refused(k, {.shape = {128, 64}, .layout = "Z(3,3,3) S[(128,64):(128,2)]"}, "neither dimension of S is contiguous");
  refused(k, {.shape = {64, 64}, .elem_offset = 256}, "where no atom of 512 elements starts");
  refused(k, {.shape = {2, 64, 64}}, "a matrix has two extents larger than 1");
  // G16: M or N from inside an atom and across its end.
  refused(k, {.shape = {64, 128}, .region = {{0, 64}, {48, 32}}, .transposed = true},
          "must start where an atom starts");
  CHECK(described(k, {.shape = {64, 128}, .region = {{0, 64}, {32, 32}}, .transposed = true}) ==
        "64,64,3 MN: 4 132 260 388");
}
