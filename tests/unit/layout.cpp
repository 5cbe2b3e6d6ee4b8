// Notes N1 to N23 of layout.md, failure conditions, text, and what the worked examples leave out.
#include "compiler/layout/layout.h"

#include "compiler/expr/analyzer.h"
#include "tests/unit/catch.h"
#include "tests/unit/layout_text.h"

namespace tilewright::layout {
namespace {

using test::L;
using test::show;

bool is_error(const std::string& text, std::string_view what = "") {
  return text.starts_with("error: ") && text.find(what) != std::string::npos;
}

TEST_CASE("N1: grid axes count inside the kernel", "[layout]") {
  CHECK(show(scope_of(L("S[4:1@bx]"))) == "(cta, kernel)");
  CHECK(show(scope_of(L("S[(4,128):(1@bx,1@tx)]"))) == "(thread, kernel)");
  CHECK(show(scope_of(L("S[(2,4,32):(1@cbx,1@warpid,1@laneid)]"))) == "(thread, cluster)");
}

TEST_CASE("N4: offsets that meet in one axis add up", "[layout]") {
  CHECK(show(canonicalize(L("S[(4,32):(1@warpid,1@laneid)] + 1@warpid + 3@laneid"), Fusion::Cuda)) ==
        "S[128:1@tx] + 35@tx");
}

TEST_CASE("N5: warpgroups and warps of a CTA become warpid", "[layout]") {
  CHECK(show(canonicalize(L("S[(2,4):(1@wgid,1@wid_in_wg)]"), Fusion::Cuda)) == "S[8:1@warpid]");
}

TEST_CASE("N6: warpid splits at warpgroups", "[layout]") {
  const Shape tiled = {8}, inner = {4};
  CHECK(show(is_tile_inner(L("S[4:1@wid_in_wg]"), L("S[8:1@warpid]"), tiled, inner, Fusion::Cuda)) == "S[2:1@wgid]");
}

TEST_CASE("N8: outer replicas step over whole tiles, outer offsets are refused", "[layout]") {
  const Shape outer = {2}, inner = {4};
  CHECK(show(tile(L("S[4:1]"), L("S[2:2] + R[2:1]"), outer, inner)) == "S[(2,4):(8,1)] + R[2:4]");
  CHECK(is_error(show(tile(L("S[4:1]"), L("S[2:1] + 3"), outer, inner)), "offset"));
  CHECK(show(tile(L("S[4:1]"), L("S[2:1@laneid] + 3@laneid"), outer, inner)) == "S[(2,4):(1@laneid,1)] + 3@laneid");
  const Shape tiled = {8};
  CHECK(show(is_tile_inner(L("S[4:1]"), L("S[(2,4):(8,1)] + R[2:4]"), tiled, inner)) == "S[2:2] + R[2:1]");
}

TEST_CASE("a pitch that is no multiple of the inner span is no tile", "[layout]") {
  const Shape tiled = {8}, inner = {4};
  CHECK(show(is_tile_inner(L("S[4:1]"), L("S[(2,4):(8,1)]"), tiled, inner)) == "S[2:2]");
  CHECK(show(is_tile_inner(L("S[4:1]"), L("S[(2,4):(6,1)]"), tiled, inner)) == "none");
  CHECK(show(is_tile_outer(L("S[2:1]"), L("S[(2,4):(6,1)]"), tiled, Shape{2})) == "none");
}

TEST_CASE("N9: pack and unpack touch the packed memory axis only", "[layout]") {
  CHECK(show(pack(L("S[(32,8,4):(1@laneid,4,1)] + R[2:32] + 8"), 4)) == "S[(32,8,1):(1@laneid,1,1)] + R[2:8] + 2");
  CHECK(is_error(show(pack(L("S[(8,4):(6,1)]"), 4)), "not a multiple"));
  CHECK(is_error(show(pack(L("S[(8,6):(8,1)]"), 4))));
  CHECK(is_error(show(pack(L("S[(8,4):(4,1@laneid)]"), 4))));
  CHECK(show(unpack(L("S[(32,8):(1@laneid,1)] + 3"), 2)) == "S[(32,8,2):(1@laneid,2,1)] + 6");
  CHECK(show(unpack(L("S[(128,64):(1@TLane,1@TCol)]"), 2)) == "S[(128,64,2):(1@TLane,2@TCol,1@TCol)]");
  CHECK(is_error(show(pack(L("Z(0,3,3)"), 2))));
  CHECK(is_error(show(unpack(L("Z(3,3,3)"), 3))));
}

TEST_CASE("N10: an allocation holds the padding", "[layout]") {
  CHECK(show(allocation_elements(L("S[(8,8):(10,1)]"), 64)) == "78");
  CHECK(show(allocation_elements(L("S[64]"), 64)) == "64");
  CHECK(show(allocation_elements(L("Z(3,3,3) o S[(3,8):(40,1)]"), 24)) == "128");
  CHECK(show(allocation_elements(L("Z(3,3,3)"), 4096)) == "4096");
  CHECK(show(allocation_elements(*compose(*make_swizzle(3, 3, 3, false), L("S[(3,8):(40,1)]")), 24)) == "512");
  CHECK(show(allocation_elements(L("S[(32,4):(1@laneid,2)] + 1"), 128)) == "8");
  CHECK(is_error(show(allocation_elements(L("S[(128,4):(1@TLane,1@TCol)]"), 512)), "memory axis"));
}

TEST_CASE("N12: one coordinate with a shape that contradicts the layout", "[layout]") {
  const Shape eight = {8}, nine = {9};
  const std::int64_t x[] = {5};
  CHECK(show(apply(L("S[(2,4):(10,1)]"), x, eight)) == "m=11");
  CHECK(is_error(show(apply(L("S[(2,4):(10,1)]"), x, nine)), "8 elements"));
}

TEST_CASE("N13: direct sums over a bare swizzle", "[layout]") {
  const Shape interleaved = {2, 8, 2, 64}, right = {8, 64};
  Layout z = L("Z(3,3,3)");
  const Shape left_shape = {2, 2};
  Layout sum = direct_sum(z, L("S[(2,2):(512,1024)]"), left_shape, right).value();
  CHECK(show(is_direct_sum_right(z, sum, interleaved, right)) == "S[(2,2):(512,1024)]");
  CHECK(show(is_direct_sum_left(L("S[(2,2):(512,1024)]"), sum, interleaved, left_shape)) ==
        "Z(3,3,3) o S[(8,64):(64,1)]");
}

TEST_CASE("N14: tile_to and shared layouts demand whole tiles", "[layout]") {
  const Shape to = {32, 60}, from = {8, 8}, small = {4, 8};
  CHECK(is_error(show(tile_to(L("S[8,8]"), to, from)), "dimension 1: 60 is not a multiple of 8"));
  CHECK(is_error(show(tile_to(L("S[8,8]"), small, from)), "dimension 0: 4 is not a multiple of 8"));
  const Shape odd = {64, 100}, rows = {12, 64}, one = {64};
  CHECK(is_error(show(mma_shared_layout(ir::kFloat16, SwizzleMode::B128, odd)), "dimension 1"));
  CHECK(is_error(show(mma_shared_layout(ir::kFloat16, SwizzleMode::B128, rows)), "multiple of 8"));
  CHECK(is_error(show(mma_shared_layout(ir::kFloat16, SwizzleMode::B128, one)), "two dimensions"));
  CHECK(is_error(show(mma_atom_layout(*ir::parse_dtype("float6_e2m3fn"), SwizzleMode::B128)), "float6"));
}

TEST_CASE("N16: unknown axes have no name here", "[layout]") {
  CHECK_FALSE(parse_axis("warp_id"));
  for (int i = 0; i < kAxisCount; ++i) CHECK(parse_axis(axis_name(static_cast<Axis>(i))) == static_cast<Axis>(i));
}

TEST_CASE("N17 and N23: shapes must suit their layout", "[layout]") {
  const Shape right = {8, 8}, wrong = {8, 9}, negative = {-8, -8};
  CHECK(check_shape(L("S[64]"), right));
  CHECK_FALSE(check_shape(L("S[64]"), wrong));
  CHECK_FALSE(check_shape(L("S[64]"), negative));
  CHECK(check_shape(L("Z(3,3,3)"), wrong));
  CHECK_FALSE(verify_well_formed(L("S[8:-1]")));
  CHECK_FALSE(verify_well_formed(L("S[-8:1]")));
}

TEST_CASE("N20: Trainium layouts have a Trainium axis", "[layout]") {
  CHECK(is_trainium(L("S[(128,64):(1@P,1@F)]")));
  CHECK_FALSE(is_trainium(L("S[32:1@laneid]")));
  CHECK_FALSE(is_trainium(L("S[(128,64):(1@P,1)]")));
}

TEST_CASE("N21: reuse and depth walk columns", "[layout]") {
  CHECK(show(sf_tmem_layout(32, 4, 4, 2, 3)) == "S[(3,32,4,2):(4@TCol,1@TLane,1@TCol,0@TCol)] + R[4:32@TLane]");
}

TEST_CASE("N22: replicas count for the scope, offsets alone do not", "[layout]") {
  CHECK(show(scope_of(L("S[8:1] + R[4:1@warpid]"))) == "(warp, cta)");
  CHECK(show(scope_of(L("S[8:1] + 3@laneid"))) == "none");
  CHECK(has_thread_axis(L("S[8:1] + R[4:1@warpid]")));
  CHECK_FALSE(has_thread_axis(L("S[8:1] + 3@laneid")));
}

TEST_CASE("scale factors", "[layout]") {
  CHECK(show(sf_tmem_layout(128, 4, 1)) == "S[(4,32,4):(4@TCol,1@TLane,1@TCol)] + R[4:32@TLane]");
  CHECK(show(sf_tmem_layout(128, 8, 1)) == "S[(4,32,2,4):(4@TCol,1@TLane,16@TCol,1@TCol)] + R[4:32@TLane]");
  CHECK(show(sf_tmem_layout(128, 6, 2)) == "S[(4,32,3,2):(4@TCol,1@TLane,16@TCol,1@TCol)] + R[4:32@TLane]");
  CHECK(is_error(show(sf_tmem_layout(100, 4, 1))));
  CHECK(is_error(show(sf_tmem_layout(128, 6, 4))));
}

TEST_CASE("Trainium helpers", "[layout]") {
  const Shape two = {128, 64}, split = {512, 64}, three = {2, 64, 32};
  CHECK(show(trainium("PF", two)) == "S[(128,64):(1@P,1@F)]");
  CHECK(show(trainium("PF", split)) == "S[(4,128,64):(64@F,1@P,1@F)]");
  CHECK(show(trainium("PPF", three)) == "S[(2,64,32):(64@P,1@P,1@F)]");
  CHECK(show(trainium("FPF", three)) == "S[(2,64,32):(32@F,1@P,1@F)]");
  CHECK(is_error(show(trainium("PXF", three))));
  CHECK(is_error(show(trainium("PF", three))));
  CHECK(show(to_psum(L("S[(4,128,512):(512@F,1@P,1@F)]"))) == "S[(4,128,1,512):(1@Bank,1@P,1@Bank,1@F)]");
  CHECK(show(to_psum(L("S[(128,64):(1@P,1@F)]"))) == "S[(128,64):(1@P,1@F)]");
  CHECK(is_error(show(to_psum(L("S[8:300@F]")))));
}

TEST_CASE("failure conditions of section 9", "[layout]") {
  const Shape flat = {64}, square = {8, 8}, other = {7, 9};
  const std::vector<Range> box = {{0, 1}};
  CHECK(is_error(show(tile(L("S[64]"), L("S[4]"), flat, square)), "rank"));
  CHECK(is_error(show(slice(L("S[64]"), other, std::vector<Range>{{0, 1}, {0, 1}})), "shape [7, 9]"));
  CHECK(is_error(show(slice(L("S[64]"), square, box)), "rank 1"));
  CHECK(is_error(show(is_tile_inner(L("S[3]"), L("S[64]"), flat, Shape{3}))));
  CHECK(is_error(show(is_direct_sum_right(L("S[3]"), L("S[64]"), flat, Shape{3})), "twice"));
  CHECK(is_error(show(make_swizzle(3, 3, 2))));
  CHECK(is_error(show(make_swizzle(-1, 3, 3))));
  CHECK(is_error(show(make_swizzle(2147483647, 2147483647, 2147483647))));
  CHECK(is_error(show(size(L("Z(3,3,3)"), Axis::m))));
  CHECK(is_error(show(canonicalize(L("S[(2,32):(1@wgid,1@laneid)]"))), "S[(2,32):(1@wgid,1@laneid)]"));
  CHECK(is_error(show(compose(L("Z(3,3,3)"), L("S[(2,32):(1@wgid,1@laneid)]")))));
  CHECK(is_error(show(apply(L("Z(3,3,3) o S[32:1@laneid]"), std::int64_t{3})), "axis m"));
  CHECK(is_error(show(permute_dims(L("S[2,3]"), std::vector<int>{0, 0}))));
  CHECK(is_error(show(tmem_datapath_layout("D", 64, 8))));
  CHECK(is_error(show(tmem_datapath_layout("B", 64, 8))));
  CHECK(is_error(show(tcgen05_atom_layout("16x256b", 64, 24, ir::kFloat32)), "repeats"));
  CHECK(is_error(show(tcgen05_atom_layout("32x32b", 64, 24, ir::kFloat32)), "128 rows"));
  CHECK(is_error(show(tcgen05_atom_layout("16x64b", 64, 2, ir::kUInt8)), "16 or 32 bits"));
  CHECK(is_error(show(is_tile_inner(L("S[4]"), L("S[0]"), Shape{0}, Shape{4}))));
}

TEST_CASE("permute, broadcast, trivial", "[layout]") {
  CHECK(show(permute_dims(L("S[2,3,4]"), std::vector<int>{2, 0, 1})) == "S[(4,2,3):(1,12,4)]");
  CHECK(show(permute_by_groups(L("S[2,3,4]"), std::vector<std::size_t>{0, 1, 3}, std::vector<int>{1, 0})) ==
        "S[(3,4,2):(4,1,12)]");
  CHECK(show(broadcast(L("S[2,3]"), 5)) == "S[(2,3,5):(3,1,0)]");
  CHECK(show(broadcast(L("S[2,3]"), 5, -3, Axis::laneid)) == "S[(5,2,3):(0@laneid,3,1)]");
  CHECK(is_error(show(broadcast(L("S[2,3]"), 5, 3))));
  CHECK(is_error(show(broadcast(L("Z(3,3,3)"), 5))));
  CHECK(is_trivial(L("S[8,8]")));
  CHECK(is_trivial(L("S[()]")));
  CHECK_FALSE(is_trivial(L("S[(8,8):(9,1)]")));
  CHECK_FALSE(is_trivial(L("S[8] + 1")));
  CHECK_FALSE(is_trivial(L("S[32:1@laneid]")));
  CHECK_FALSE(is_trivial(L("Z(3,3,3)")));
}

TEST_CASE("text", "[layout]") {
  CHECK(to_string(L("S[8:1]")) == "T.TileLayout(T.S[8:1])");
  CHECK(to_string(L("S[(8,4):(4@laneid,1)] + R[4:1@warpid] + 5@warpid + 3")) ==
        "T.TileLayout(T.S[(8, 4):(4 @ Axis.laneid, 1)] + T.R[4:1 @ Axis.warpid] + 3 + 5 @ Axis.warpid)");
  CHECK(to_string(L("R[4:1@warpid]")) == "T.TileLayout(T.R[4:1 @ Axis.warpid])");
  CHECK(to_string(L("S[()]")) == "T.TileLayout(T.S[()])");
  CHECK(to_string(L("S[()] + 5@warpid")) == "T.TileLayout.from_iters(offset={\"warpid\": 5})");
  CHECK(to_string(L("Z(3,3,3)")) == "T.SwizzleLayout(3, 3, 3, swizzle_inner=True)");
  CHECK(to_string(L("Z(3,3,3) o S[8:1]")) ==
        "T.ComposeLayout(T.SwizzleLayout(3, 3, 3, swizzle_inner=True), T.TileLayout(T.S[8:1]))");
}

// ---- symbolic extents ---------------------------------------------------------------------------------------------

struct Symbols {
  Arena arena;
  ArenaScope scope{arena};
  ir::Expr M = ir::make_var("M", ir::kInt32, ir::VarRole::Extent);
  ir::Expr K = ir::make_var("K", ir::kInt32, ir::VarRole::Extent);
  ir::Expr i = ir::make_var("i", ir::kInt32), j = ir::make_var("j", ir::kInt32);
};

TEST_CASE_METHOD(Symbols, "symbolic: group and apply", "[layout]") {
  const Shape shape = {Dim(M), Dim(K)};
  Layout l = row_major(shape);
  CHECK(show(l) == "S[(M,K):(K,1)]");
  CHECK(show(canonicalize(l)) == "S[M * K:1]");
  CHECK(show(group(*l.tile, shape)) == "S[(M,K):(K,1)] seps 0,1,2");
  CHECK(show(group(*canonicalize(l)->tile, shape)) == "S[(M,K):(K,1)] seps 0,1,2");
  const ir::Expr at[] = {i, j};
  CHECK(ir::to_string(*apply_m(l, at, shape)) == "i * K + j");
  CHECK(ir::to_string(*apply_m(canonicalize(l).value(), at, shape)) == "i * K + j");
  const Shape split = {Dim(M), Dim(ir::floordiv(K, ir::Expr(64))), 64};
  CHECK(is_error(show(group(*l.tile, split))));
  const Shape by64 = {Dim(M), Dim(K) * 64};
  const Shape split64 = {Dim(M), Dim(K), 64};
  CHECK(show(group(*row_major(by64).tile, split64)) == "S[(M,K,64):(K * 64,64,1)] seps 0,1,2,3");
}

TEST_CASE_METHOD(Symbols, "symbolic: slice at a run-time place", "[layout]") {
  const Shape shape = {Dim(M), Dim(K)};
  const std::vector<Range> box = {{Dim(i * 64), Dim(i * 64 + 64)}, {Dim(j * 32), Dim(j * 32 + 32)}};
  // One run a dimension: the canonical form of M x K is one iter, cut again along the shape.
  CHECK(show(slice(row_major(shape), shape, box)) == "S[(64,32):(K,1)] + (i * K * 64 + j * 32)");
  const Shape c = {64, 256};
  const std::vector<Range> atoms = {{0, 64}, {Dim(j * 64), Dim(j * 64 + 64)}};
  CHECK(show(slice(L("Z(3,3,3) o S[(64,4,64):(64,4096,1)]"), c, atoms)) ==
        "Z(3,3,3) o S[(64,1,64):(64,4096,1)] + (j % 4 * 4096)");
  const std::vector<Range> anywhere = {{0, 64}, {Dim(j), Dim(j + 16)}};
  CHECK(show(slice(L("Z(3,3,3) o S[(64,4,64):(64,4096,1)]"), c, anywhere)) == "none");
}

TEST_CASE_METHOD(Symbols, "symbolic: tiles and shared layouts", "[layout]") {
  const Shape shape = {Dim(M) * 8, Dim(K) * 64};
  CHECK(show(mma_shared_layout(ir::kFloat16, SwizzleMode::B128, shape)) == "Z(3,3,3) o S[(M * 8,K,64):(64,M * 512,1)]");
  const Shape to = {Dim(M) * 8, 64}, from = {8, 64};
  CHECK(show(tile_to(L("S[8,64]"), to, from)) == "S[M * 512:1]");
  CHECK(is_error(show(mma_shared_layout(ir::kFloat16, SwizzleMode::B128, Shape{Dim(M), 64})), "multiple of 8"));
}

TEST_CASE_METHOD(Symbols, "symbolic: a swizzled address reads well", "[layout]") {
  ir::Var *row_var = ir::make_var("row", ir::kInt32), *col_var = ir::make_var("col", ir::kInt32);
  row_var->range = {0, 63};
  col_var->range = {0, 7};
  ir::Expr row = row_var, col = col_var;
  const Shape shape = {64, 64};
  const ir::Expr at[] = {row, col * 8};
  CHECK(ir::to_string(*apply_m(L("Z(3,3,3)"), at, shape)) == "row * 64 + (col ^ row % 8) * 8");
}

TEST_CASE("absurd extents do not overflow into sense", "[layout]") {
  Dim huge = std::int64_t{1} << 40;
  CHECK((huge * huge).value() == std::numeric_limits<std::int64_t>::max());
  CHECK((Dim(0) - huge * huge - huge * huge).value() == std::numeric_limits<std::int64_t>::min());
  CHECK_FALSE(
      check_shape(Layout{std::nullopt, TileLayout{{{huge, 1, Axis::m}, {huge, 1, Axis::m}}, {}, {}}}, Shape{1, 0}));
  CHECK(is_error(show(group(*L("S[0]").tile, Shape{0}))));
}

}  // namespace
}  // namespace tilewright::layout
