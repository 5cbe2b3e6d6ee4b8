// The worked examples of layout.md 10, one test case a row.
#include "tests/unit/catch.h"
#include "tests/unit/layout_text.h"

namespace tilewright::layout {
namespace {

using test::L;
using test::show;

constexpr Fusion kCuda = Fusion::Cuda;
using Box = std::vector<Range>;
using At = std::vector<std::int64_t>;

std::string at(const Layout& l, const At& c, const Shape& shape) {
  return show(apply(l, std::span<const std::int64_t>(c), shape));
}
std::string canonical(const Layout& l, Fusion f = Fusion::Off) { return show(canonicalize(l, f)); }
std::string canonical(const Result<Layout>& l, Fusion f = Fusion::Off) { return l ? canonical(*l, f) : show(l); }
std::string canonical(const Result<std::optional<Layout>>& l, Fusion f = Fusion::Off) {
  return l && *l ? canonical(**l, f) : show(l);
}
bool is_error(const std::string& text, std::string_view what = "") {
  return text.starts_with("error: ") && text.find(what) != std::string::npos;
}
Result<Grouped> group_of(const Layout& l, const Shape& shape) { return group(*l.tile, shape); }
Result<std::optional<Layout>> cut(const Layout& l, const Shape& shape, const Box& box, Fusion f = Fusion::Off) {
  return slice(l, shape, box, f);
}
Result<Layout> shared(ir::DataType t, SwizzleMode mode, const Shape& shape) {
  return mma_shared_layout(t, mode, shape);
}

const std::string kFragment = "S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid";
const std::string kTile128 = "Z(3,3,3) o S[(64,4,64):(64,4096,1)]";

TEST_CASE("row 1: row-major strides and their canonical form", "[layout]") {
  CHECK(show(L("S[2,3,4]")) == "S[(2,3,4):(12,4,1)]");
  CHECK(canonical(L("S[2,3,4]")) == "S[24:1]");
  const Shape shape = {2, 3, 4};
  CHECK(same(row_major(shape), L("S[2,3,4]")));
}

TEST_CASE("row 2: apply a fragment with replica and offset", "[layout]") {
  Layout l = L(kFragment);
  CHECK(at(l, {0, 9}, {8, 16}) == "warpid=6 laneid=0 m=1");
  CHECK(at(l, {3, 6}, {8, 16}) == "warpid=5 laneid=15 m=0");
  CHECK(at(l, {7, 15}, {8, 16}) == "warpid=6 laneid=31 m=1");
}

TEST_CASE("row 3: size, span and scope of the fragment", "[layout]") {
  Layout l = L(kFragment);
  CHECK(to_string(size(l)) == "128");
  CHECK(to_string(span(l)) == "2");
  CHECK(show(span(l, Axis::warpid)) == "11");
  CHECK(show(scope_of(l)) == "(thread, cta)");
}

TEST_CASE("row 4: apply runs past the outermost extent", "[layout]") {
  Layout l = L("S[(8,8):(10,1)]");
  CHECK(show(apply(l, std::int64_t{19})) == "m=23");
  CHECK(show(apply(l, std::int64_t{70})) == "m=86");
  CHECK(at(l, {2, 5}, {4, 16}) == "m=45");
}

TEST_CASE("row 5: size and span of a padded tile", "[layout]") {
  Layout l = L("S[(8,8):(10,1)]");
  CHECK(to_string(size(l)) == "64");
  CHECK(to_string(span(l)) == "78");
  CHECK(canonical(l) == "S[(8,8):(10,1)]");
}

TEST_CASE("row 6: column-major", "[layout]") { CHECK(at(L("S[(4,8):(1,4)]"), {3, 5}, {4, 8}) == "m=23"); }

TEST_CASE("row 7: unit iters go, contiguous ones fuse", "[layout]") {
  CHECK(canonical(L("S[(4,1,8,1,2):(16,7,2,99,1)]")) == "S[64:1]");
}

TEST_CASE("row 8: unit iters alone keep the first axis", "[layout]") {
  CHECK(canonical(L("S[(1,8):(5@laneid,1)]")) == "S[8:1]");
  CHECK(canonical(L("S[(1,1):(4@laneid,9)]")) == "S[1:1@laneid]");
}

TEST_CASE("row 9: an axis in between stops fusion", "[layout]") {
  CHECK(canonical(L("S[(4,8,2,3):(48,6@laneid,3,1)]")) == "S[(4,8,6):(48,6@laneid,1)]");
}

TEST_CASE("row 10: fusion goes on from the fused iter", "[layout]") {
  CHECK(canonical(L("S[(4,6,2):(24,2,1)]")) == "S[(4,12):(24,1)]");
}

TEST_CASE("row 11: thread axes fuse under CUDA", "[layout]") {
  Layout l = L("S[(4,8,4,2):(1@warpid,4@laneid,1@laneid,1)]");
  CHECK(canonical(l) == "S[(4,32,2):(1@warpid,1@laneid,1)]");
  CHECK(canonical(l, kCuda) == "S[(128,2):(1@tx,1)]");
}

TEST_CASE("row 12: warpgroup, warp and lane become tx", "[layout]") {
  CHECK(canonical(L("S[(2,4,32):(1@wgid,1@wid_in_wg,1@laneid)]"), kCuda) == "S[256:1@tx]");
}

TEST_CASE("row 13: inside a warpgroup", "[layout]") {
  Layout l = L("S[(4,32):(1@wid_in_wg,1@laneid)]");
  CHECK(show(scope_of(l)) == "(thread, warpgroup)");
  CHECK(canonical(l, kCuda) == "S[128:1@tid_in_wg]");
}

TEST_CASE("row 14: axes that do not fit together", "[layout]") {
  CHECK(is_error(show(scope_of(L("S[(2,32):(1@wgid,1@laneid)]"))), "disconnected"));
  CHECK(is_error(show(scope_of(L("S[(2,32):(1@tx,1@laneid)]"))), "conflicting"));
}

TEST_CASE("row 15: group cuts inside iters", "[layout]") {
  Layout g = L("S[(8,8,8,8):(512,8,64,1)]");
  CHECK(show(group_of(g, {64, 64})) == "S[(8,8,8,8):(512,8,64,1)] seps 0,2,4");
  CHECK(show(group_of(g, {8, 64, 8})) == "S[(8,8,8,8):(512,8,64,1)] seps 0,1,3,4");
  CHECK(show(group_of(g, {16, 256})) == "S[(8,2,4,8,8):(512,32,8,64,1)] seps 0,2,5");
  CHECK(is_error(show(group_of(g, {64, 32})), "shape [64, 32]"));
}

TEST_CASE("row 16: group fails where an extent is cut unevenly", "[layout]") {
  CHECK(show(group_of(L("S[(4,3):(3,1)]"), {2, 6})) == "S[(2,2,3):(6,3,1)] seps 0,1,3");
  CHECK(is_error(show(group_of(L("S[(4,3):(3,1)]"), {6, 2}))));
}

TEST_CASE("row 17: a shape entry of one gives a unit iter", "[layout]") {
  CHECK(show(group_of(L("S[32:1@laneid]"), {8, 1, 4})) == "S[(8,1,4):(4@laneid,4@laneid,1@laneid)] seps 0,1,2,3");
}

TEST_CASE("row 18: tile", "[layout]") {
  const Shape outer = {8, 8}, inner = {2, 4};
  CHECK(show(tile(L("S[(2,4):(1,2)]"), L("S[(8,8):(8,1)]"), outer, inner)) == "S[(8,2,32):(64,1,2)]");
}

Layout row19() {
  const Shape outer = {8, 4}, inner = {1, 2};
  return tile(L("S[1,2]"), L("S[(8,4):(4@laneid,1@laneid)]"), outer, inner).value();
}

TEST_CASE("row 19: lanes over registers", "[layout]") { CHECK(show(row19()) == "S[(32,2):(1@laneid,1)]"); }

TEST_CASE("row 20: warps over lanes", "[layout]") {
  const Shape outer = {2, 2}, inner = {8, 8};
  CHECK(show(tile(row19(), L("S[(2,2):(2@warpid,1@warpid)]"), outer, inner)) ==
        "S[(2,8,2,4,2):(2@warpid,4@laneid,1@warpid,1@laneid,1)]");
}

TEST_CASE("row 21: tile_to", "[layout]") {
  const Shape to = {32, 64}, from = {8, 8}, other = {16, 8};
  CHECK(show(tile_to(L("S[8,8]"), to, from)) == "S[(4,8,8,8):(512,8,64,1)]");
  CHECK(show(tile_to(L("S[(8,8):(10,1)]"), other, from)) == "S[(2,8,8):(78,10,1)]");
}

TEST_CASE("row 22: the outer replica comes along", "[layout]") {
  const Shape outer = {2, 1}, inner = {64, 128};
  CHECK(show(tile(L("S[64,128]"), L("S[2:2@warpid] + R[2:1@warpid]"), outer, inner)) ==
        "S[(2,8192):(2@warpid,1)] + R[2:1@warpid]");
}

TEST_CASE("row 23: an inner offset counts into the span", "[layout]") {
  const Shape outer = {2}, inner = {4};
  CHECK(show(tile(L("S[4:1] + 8"), L("S[2:1]"), outer, inner)) == "S[(2,4):(12,1)] + 8");
}

TEST_CASE("row 24: shared-memory layouts of float16 (64, 256)", "[layout]") {
  CHECK(show(shared(ir::kFloat16, SwizzleMode::B128, {64, 256})) == kTile128);
  CHECK(show(shared(ir::kFloat16, SwizzleMode::B64, {64, 256})) == "Z(3,2,3) o S[(64,8,32):(32,2048,1)]");
  CHECK(show(shared(ir::kFloat16, SwizzleMode::B32, {64, 256})) == "Z(3,1,3) o S[(64,16,16):(16,1024,1)]");
  CHECK(show(shared(ir::kFloat16, SwizzleMode::None, {64, 256})) == "S[16384:1]");
}

TEST_CASE("row 25: one column of atoms is the bare swizzle", "[layout]") {
  CHECK(show(shared(ir::kFloat16, SwizzleMode::B128, {128, 64})) == "Z(3,3,3)");
  CHECK(show(shared(ir::kFloat16, SwizzleMode::B128, {2, 128, 64})) == "Z(3,3,3)");
  CHECK(show(shared(ir::kFloat32, SwizzleMode::B128, {4, 64, 32})) == "Z(2,3,3)");
}

TEST_CASE("row 26: uint8", "[layout]") {
  CHECK(show(shared(ir::kUInt8, SwizzleMode::B128, {64, 256})) == "Z(4,3,3) o S[(64,2,128):(128,8192,1)]");
}

std::vector<std::int64_t> swizzled(const Layout& l, const std::vector<std::int64_t>& xs) {
  std::vector<std::int64_t> out;
  for (std::int64_t x : xs) out.push_back(l.swizzle->apply(x));
  return out;
}

TEST_CASE("row 27: Z(3,3,3)", "[layout]") {
  CHECK(swizzled(L("Z(3,3,3)"), {64, 72, 77, 511, 576}) == At{72, 64, 69, 455, 584});
}

TEST_CASE("row 28: Z(3,2,3) and Z(3,1,3)", "[layout]") {
  CHECK(swizzled(L("Z(3,2,3)"), {96, 128, 255}) == At{104, 144, 231});
  CHECK(swizzled(L("Z(3,1,3)"), {72, 127}) == At{64, 119});
}

TEST_CASE("row 29: low bits up", "[layout]") {
  CHECK(swizzled(make_swizzle(0, 3, 3, false).value(), {1, 9, 63}) == At{9, 1, 7});
}

TEST_CASE("row 30: a swizzled tile", "[layout]") {
  Layout c = L(kTile128);
  const Shape shape = {64, 256};
  CHECK(at(c, {1, 0}, shape) == "m=72");
  CHECK(at(c, {1, 8}, shape) == "m=64");
  CHECK(at(c, {0, 64}, shape) == "m=4096");
  CHECK(at(c, {9, 72}, shape) == "m=4672");
  CHECK(at(c, {63, 255}, shape) == "m=16327");
}

TEST_CASE("row 31: slice of the leading dimension", "[layout]") {
  auto s = cut(L("S[3,128,128]"), {3, 128, 128}, {{2, 3}, {0, 128}, {0, 128}});
  CHECK(show(s) == "S[(1,128,128):(16384,128,1)] + 32768");
  CHECK(canonical(s) == "S[16384:1] + 32768");
}

TEST_CASE("row 32: slice of a box", "[layout]") {
  CHECK(show(cut(L("S[128,128]"), {128, 128}, {{16, 48}, {32, 96}})) == "S[(32,64):(128,1)] + 2080");
}

TEST_CASE("row 33: slice of whole atoms", "[layout]") {
  CHECK(canonical(cut(L(kTile128), {64, 256}, {{0, 64}, {64, 128}})) == "Z(3,3,3) o S[4096:1] + 4096");
}

TEST_CASE("row 34: slices of rows", "[layout]") {
  CHECK(show(cut(L(kTile128), {64, 256}, {{8, 16}, {0, 256}})) == "Z(3,3,3) o S[(8,4,64):(64,4096,1)] + 512");
  CHECK(show(cut(L(kTile128), {64, 256}, {{3, 5}, {0, 64}})) == "Z(3,3,3) o S[(2,1,64):(64,4096,1)] + 192");
}

TEST_CASE("row 35: slices of columns", "[layout]") {
  auto columns = [](int a, int b) { return show(cut(L(kTile128), {64, 256}, {{0, 64}, {a, b}})); };
  CHECK(columns(16, 48) == "Z(3,3,3) o S[(64,32):(64,1)] + 16");
  CHECK(columns(32, 96) == "Z(3,3,3) o S[(64,2,32):(64,4064,1)] + 32");
  CHECK(columns(16, 80) == "none");
}

TEST_CASE("row 36: the wrap needs room in the slower digit", "[layout]") {
  auto part = [](int a, int b) { return show(cut(L("S[(2,2,4):(100,10,1)]"), {16}, {{a, b}})); };
  CHECK(part(2, 6) == "S[(2,2):(8,1)] + 2");
  CHECK(part(4, 12) == "S[(2,1,4):(90,10,1)] + 10");
  CHECK(part(6, 10) == "none");
  CHECK(part(1, 6) == "none");
}

TEST_CASE("row 37: a slice keeps the layout's own offset", "[layout]") {
  CHECK(show(cut(L("S[64] + 100"), {64}, {{8, 16}})) == "S[8:1] + 108");
  const Shape shape = {64};
  const Box box = {{8, 16}};
  CHECK(show(slice_relative(L("S[64] + 100"), shape, box)) == "S[8:1] + 8");
}

TEST_CASE("row 38: slice of a bare swizzle", "[layout]") {
  CHECK(show(cut(L("Z(3,3,3)"), {8, 64}, {{2, 4}, {0, 64}})) == "Z(3,3,3) o S[(2,64):(64,1)] + 128");
}

TEST_CASE("row 39: direct sum", "[layout]") {
  const Shape s = {2, 2};
  CHECK(show(direct_sum(L("S[(2,2):(4,1)]"), L("S[(2,2):(8,2)]"), s, s)) == "S[16:1]");
}

TEST_CASE("row 40: storage", "[layout]") {
  CHECK(show(storage(L("S[(8,4,2):(4@laneid,1@laneid,1)] + R[2:1@warpid] + 3@laneid + 7"))) == "S[2:1] + 7");
}

TEST_CASE("row 41: pack and unpack", "[layout]") {
  CHECK(show(pack(L("S[8,16]"), 2)) == "S[(8,8):(8,1)]");
  CHECK(canonical(unpack(L("S[8,8]"), 2)) == "S[128:1]");
}

TEST_CASE("row 42: pack and unpack of a swizzle", "[layout]") {
  CHECK(show(pack(L("Z(3,3,3)"), 2)) == "Z(2,3,3)");
  CHECK(show(unpack(L("Z(3,3,3)"), 4)) == "Z(5,3,3)");
}

TEST_CASE("row 43: is_tile_inner", "[layout]") {
  const Shape tiled = {8, 8}, inner = {1, 2};
  CHECK(show(is_tile_inner(L("S[1,2]"), row19(), tiled, inner)) == "S[(8,4):(4@laneid,1@laneid)]");
}

TEST_CASE("row 44: is_tile_outer splits tx", "[layout]") {
  const Shape tiled = {16, 16}, outer = {2, 2};
  auto found = is_tile_outer(L("S[(2,2):(2@warpid,1@warpid)]"), L("S[(2,8,2,4,2):(64@tx,4@tx,32@tx,1@tx,1)]"), tiled,
                             outer, kCuda);
  CHECK(canonical(found, kCuda) == "S[(32,2):(1@laneid,1)]");
}

TEST_CASE("row 45: the 16x256b fragment", "[layout]") {
  Layout l = tcgen05_atom_layout("16x256b", 64, 32, ir::kFloat32).value();
  CHECK(show(l) == "S[(4,2,8,4,4,2):(1@wid_in_wg,2,4@laneid,4,1@laneid,1)]");
  CHECK(at(l, {21, 13}, {64, 32}) == "wid_in_wg=1 laneid=22 m=5");
  CHECK(canonical(l, kCuda) == "S[(4,2,8,4,4,2):(32@tid_in_wg,2,4@tid_in_wg,4,1@tid_in_wg,1)]");
  CHECK(show(storage(l)) == "S[(2,4,2):(2,4,1)]");
}

TEST_CASE("row 46: the 16x128b fragment of 128 rows", "[layout]") {
  CHECK(show(tcgen05_atom_layout("16x128b", 128, 16, ir::kFloat32)) ==
        "S[(4,2,2,8,4,4):(1@wid_in_wg,8,1,4@laneid,2,1@laneid)]");
}

TEST_CASE("row 47: datapath F", "[layout]") {
  Layout l = tmem_datapath_layout("F", 64, 8).value();
  CHECK(at(l, {37, 5}, {64, 8}) == "TLane=69 TCol=5");
  CHECK(show(span(l, Axis::TLane)) == "112");
}

TEST_CASE("row 48: span() adds memory axes together", "[layout]") {
  Layout l = L("S[(2,128,112):(112@TCol,1@TLane,1@TCol)]");
  CHECK(show(span(l, Axis::TCol)) == "224");
  CHECK(to_string(span(l)) == "351");
}

TEST_CASE("row 49: a trivial tile leaves the bare swizzle", "[layout]") {
  CHECK(canonical(L("Z(3,3,3) o S[8,64]")) == "Z(3,3,3)");
  CHECK(canonical(L("Z(3,3,3) o S[512:1] + 64")) == "Z(3,3,3) o S[512:1] + 64");
}

TEST_CASE("row 50: slice of a fragment's columns", "[layout]") {
  auto s =
      cut(L("S[(4,2,2,8,4,4,2):(1@wid_in_wg,16,2,4@laneid,4,1@laneid,1)]"), {128, 32}, {{0, 128}, {16, 32}}, kCuda);
  CHECK(canonical(s, kCuda) == "S[(4,2,2,8,2,4,2):(32@tid_in_wg,16,2,4@tid_in_wg,4,1@tid_in_wg,1)] + 8");
}

TEST_CASE("row 51: scale factors in tensor memory", "[layout]") {
  Layout l = sf_tmem_layout(128, 16, 4).value();
  CHECK(show(l) == "S[(4,32,4,4):(4@TCol,1@TLane,16@TCol,1@TCol)] + R[4:32@TLane]");
  CHECK(show(span(l, Axis::TCol)) == "64");
}

TEST_CASE("row 52: a warpgroup's register tile", "[layout]") {
  Layout l = wg_local_layout(16);
  CHECK(at(l, {77, 5}, {128, 16}) == "tid_in_wg=77 m=5");
  CHECK(to_string(size(l)) == "2048");
  CHECK(to_string(span(l)) == "16");
  CHECK(show(scope_of(l)) == "(thread, warpgroup)");
}

}  // namespace
}  // namespace tilewright::layout
