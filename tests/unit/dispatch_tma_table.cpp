// copy_async/tma: the table of copy_async.md 10.2 with its own sizes and in its own columns. That the bytes arrive is
// shown with smaller tensors in dispatch_tma.cpp; here only the plan is looked at.
#include "compiler/dispatch/variants/copy_async/tma_problem.h"
#include "tests/unit/dispatch_tma_model.h"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

using Ranges = std::vector<std::pair<std::int64_t, std::int64_t>>;

struct Sides {
  ir::DataType dtype;
  TmaSide global, shared;
};

TmaSide plain(std::vector<std::int64_t> shape, Ranges region = {}) { return {std::move(shape), {}, std::move(region)}; }
TmaSide strided(std::vector<std::int64_t> shape, std::string_view layout, Ranges region = {}) {
  return {std::move(shape), parse_layout(layout), std::move(region)};
}
TmaSide atoms(ir::DataType dtype, int mode, std::vector<std::int64_t> shape, Ranges region = {}) {
  auto l = mma_tile(dtype, mode, shape);
  return {std::move(shape), std::move(l), std::move(region)};
}

std::string list(const std::vector<std::int64_t>& values) {
  std::string out;
  for (std::int64_t v : values) out += (out.empty() ? "" : ",") + std::to_string(v);
  return out;
}

// "2/2 | 4096,4096 | 8192 | 64,128 | 3 | 128,256 | - | 16384": j/chain, dims, strides in bytes, box, swizzle, start,
// issues as (extent,dimension,advance,stride) with dimensions from the innermost, bytes; or why there is no plan.
std::string row(const Sides& s) {
  KernelBuilder k;
  auto region = [&](const TmaSide& side, StorageScope scope) {
    std::vector<Expr> shape(side.shape.begin(), side.shape.end());
    layout::Shape dims(side.shape.begin(), side.shape.end());
    ir::Buffer* b = k.buffer("b", shape, s.dtype, scope, side.layout ? *side.layout : layout::row_major(dims));
    std::vector<std::pair<Expr, Expr>> ranges;
    for (std::size_t d = 0; d < side.shape.size(); ++d) {
      auto [lo, hi] = side.region.empty() ? std::pair<std::int64_t, std::int64_t>(0, side.shape[d]) : side.region[d];
      ranges.emplace_back(Expr(lo), Expr(hi - lo));
    }
    return KernelBuilder::region(b, ranges);
  };
  const ir::Region global = region(s.global, StorageScope::Global), shared = region(s.shared, StorageScope::Shared);
  auto window = dispatch::window_of(shared);
  REQUIRE(window);
  auto problem = dispatch::tma::problem_of(global, shared, *window);
  if (!problem) return problem.error();
  auto found = dispatch::tma::search(*problem);
  if (!found) return found.error();
  const dispatch::tma::Candidate& p = found->plan;
  std::vector<std::int64_t> dims, strides, box, start;
  for (std::size_t i = p.dims.size(); i-- > 0;) {
    dims.push_back(p.dims[i].shape.value());
    if (i + 1 < p.dims.size()) strides.push_back(p.dims[i].stride.value() * p.bits / 8);
    box.push_back(p.dims[i].box);
    start.push_back(p.dims[i].start.value());
  }
  std::string issues;
  for (const dispatch::tma::Step& step : p.steps) {
    if (step.extent == 1) continue;
    issues +=
        "(" +
        list({step.extent, static_cast<std::int64_t>(p.dims.size() - 1 - step.dimension), step.advance, step.stride}) +
        ")";
  }
  const std::int64_t bytes = p.issues() * p.box_elements() * p.bits / 8;
  return std::to_string(found->selected) + "/" + std::to_string(found->chain) + " | " + list(dims) + " | " +
         (strides.empty() ? "-" : list(strides)) + " | " + list(box) + " | " + std::to_string(problem->swizzle) +
         " | " + list(start) + " | " + (issues.empty() ? "-" : issues) + " | " + std::to_string(bytes);
}

constexpr auto kHalf = ir::kFloat16;

}  // namespace

TEST_CASE("tma: the table of 10.2, row by row") {
  const auto f16 = kHalf, u8 = ir::kUInt8, f32 = ir::kFloat32, bf16 = ir::kBFloat16, f64 = ir::kFloat64;
  const TmaSide corner = plain({4096, 4096}, {{256, 384}, {128, 192}});
  CHECK(row({f16, corner, atoms(f16, 3, {128, 64})}) == "2/2 | 4096,4096 | 8192 | 64,128 | 3 | 128,256 | - | 16384");
  CHECK(row({f16, corner, atoms(f16, 3, {4, 128, 64}, {{2, 3}, {0, 128}, {0, 64}})}) ==
        "2/2 | 4096,4096 | 8192 | 64,128 | 3 | 128,256 | - | 16384");
  CHECK(row({f16, plain({4096, 4096}, {{256, 384}, {128, 256}}), atoms(f16, 3, {128, 128})}) ==
        "3/3 | 64,4096,64 | 8192,128 | 64,128,2 | 3 | 0,256,2 | - | 32768");
  CHECK(row({u8, plain({1024, 1024}, {{128, 256}, {256, 512}}), atoms(u8, 3, {128, 256})}) ==
        "3/3 | 128,1024,8 | 1024,128 | 128,128,2 | 3 | 0,128,2 | - | 32768");
  CHECK(row({f16, plain({512, 512}, {{0, 256}, {64, 128}}), atoms(f16, 2, {256, 64})}) ==
        "3/3 | 32,512,16 | 1024,64 | 32,256,2 | 2 | 0,0,2 | - | 32768");
  CHECK(row({f16, plain({1024, 64}, {{0, 512}, {0, 64}}), atoms(f16, 3, {512, 64})}) ==
        "2/2 | 64,1024 | 128 | 64,256 | 3 | 0,0 | (2,1,256,16384) | 65536");
  CHECK(row({f16, plain({256, 192}, {{0, 64}, {0, 192}}), atoms(f16, 3, {64, 192})}) ==
        "3/3 | 64,256,3 | 384,128 | 64,64,3 | 3 | 0,0,0 | - | 24576");
  CHECK(row({f32, plain({16, 2048}, {{3, 4}, {512, 768}}), plain({256})}) ==
        "1/1 | 2048,16 | 8192 | 256,1 | 0 | 512,3 | - | 1024");
  CHECK(row({u8, plain({64, 32, 4, 4}, {{5, 6}, {0, 32}, {0, 4}, {0, 4}}), plain({32, 4, 4})}) ==
        "3/3 | 256,64 | 512 | 256,1 | 0 | 0,5 | - | 512");
  CHECK(row({u8, plain({16, 8, 8, 4}), plain({16, 8, 8, 4})}) == "4/4 | 32,16 | 256 | 32,16 | 0 | 0,0 | - | 4096");
  CHECK(row({u8, plain({64, 24}), plain({64, 24})}) == "2/2 | 192 | - | 192 | 0 | 0 | - | 1536");
  CHECK(row({f16, plain({32, 12}), plain({32, 12})}) == "2/2 | 192 | - | 192 | 0 | 0 | - | 768");
  CHECK(row({f16, plain({64, 32}), strided({64, 32}, "S[(64,32):(64,1)]")}) ==
        "1/1 | 32,64 | 64 | 32,1 | 0 | 0,0 | (64,1,1,64) | 4096");
  CHECK(row({f16, plain({64, 64}), strided({64, 64}, "S[(64,8,8):(8,512,1)]")}) ==
        "3/3 | 8,64,8 | 128,16 | 8,64,8 | 0 | 0,0,0 | - | 8192");
  CHECK(row({f16, plain({64, 128}, {{0, 64}, {4, 68}}), strided({64, 64}, "S[(64,8,8):(8,512,1)]")}) ==
        "2/3 | 128,64 | 256 | 8,64 | 0 | 4,0 | (8,0,8,512) | 8192");
  CHECK(row({f16, plain({256, 256}, {{32, 96}, {64, 96}}), atoms(f16, 3, {128, 128}, {{64, 128}, {64, 96}})}) ==
        "1/1 | 256,256 | 512 | 32,1 | 3 | 64,32 | (64,1,1,64) | 4096");
  // 16 x 128 blocks of 8 x 64 atoms, and 32 x 256 blocks of 8 x 128.
  CHECK(row({f16, plain({64, 256}), strided({64, 256}, "Z(3,3,3) S[(4,2,8,2,2,64):(4096,1024,64,2048,512,1)]")}) ==
        "5/6 | 64,8,2,8,2 | 512,128,4096,256 | 64,8,2,2,2 | 3 | 0,0,0,0,0 | (4,3,2,4096) | 32768");
  CHECK(row({u8, plain({64, 512}), strided({64, 512}, "Z(4,3,3) S[(2,4,8,2,2,128):(16384,2048,128,8192,1024,1)]")}) ==
        "5/6 | 128,8,2,8,2 | 512,128,4096,256 | 128,8,2,4,2 | 3 | 0,0,0,0,0 | (2,3,4,16384) | 32768");
  CHECK(row({f16, plain({100, 64}, {{64, 128}, {0, 64}}), atoms(f16, 3, {64, 64})}) ==
        "2/2 | 64,100 | 128 | 64,64 | 3 | 0,64 | - | 8192");
  CHECK(row({f64, plain({128, 32}, {{0, 64}, {0, 16}}), plain({64, 16})}) ==
        "2/2 | 32,128 | 256 | 16,64 | 0 | 0,0 | - | 8192");
  CHECK(row({bf16, plain({128, 64}, {{0, 128}, {16, 32}}), atoms(bf16, 1, {128, 16})}) ==
        "2/2 | 64,128 | 128 | 16,128 | 1 | 16,0 | - | 4096");
  CHECK(row({ir::kInt32, plain({8, 128, 32}, {{2, 4}, {0, 128}, {0, 32}}), atoms(ir::kInt32, 3, {2, 128, 32})}) ==
        "3/3 | 32,128,8 | 128,16384 | 32,128,2 | 3 | 0,0,2 | - | 32768");
  CHECK(row({f16, strided({4, 64, 64}, "S[(4,64,64):(64,256,1)]"), plain({4, 64, 64})}) ==
        "3/3 | 64,64,4 | 512,128 | 64,64,4 | 0 | 0,0,0 | - | 32768");
}

TEST_CASE("tma: issues run through their axes, the last one fastest (case 19 as pattern)") {
  // Where the hardware takes no such box: the axes of the plan that selects nothing.
  dispatch::tma::Problem p;
  p.bits = 32;
  p.shared_start = 0;
  p.global_base = 0;
  p.runs.push_back({.shape = 16, .stride = 16, .start = 0, .extent = 16, .shards = {{16, 1}}});
  p.runs.push_back({.shape = 16, .stride = 1, .start = 0, .extent = 16, .shards = {{16, 16}}});
  auto none = dispatch::tma::assemble(p, {});
  REQUIRE(none);
  REQUIRE(none->steps.size() == 2);
  CHECK(none->issues() == 256);
  CHECK((none->steps[0].dimension == 0 && none->steps[0].stride == 1 && none->steps[0].advance == 1));
  CHECK((none->steps[1].dimension == 1 && none->steps[1].stride == 16 && none->steps[1].advance == 1));
  // As emitted, on boxes that are legal: stages of four rows, by column block and by stage.
  TmaCase c{.global = plain({4, 16, 128}), .shared = {}};
  c.shared = {{4, 16, 128}, parse_layout("S[(4,16,2,64):(4096,64,2048,1)]"), {}};
  TmaResult r = run_tma(c);
  CHECK(r.wrong == "");
  REQUIRE(r.coordinates.size() == 8);
  for (std::size_t i = 0; i < 8; ++i) {
    const auto n = static_cast<std::int64_t>(i);
    CHECK(r.places[i] == (n / 2 * 4096 + n % 2 * 2048) * 2);
    CHECK(list(r.coordinates[i]) == list({n % 2 * 64, 0, n / 2}));
  }
}

TEST_CASE("tma: what no tensor map describes") {
  auto reason = [](const Sides& s) { return row(s); };
  // V2: strides below 2^40, V11: extents up to 2^32; and what is just inside.
  const std::int64_t far = std::int64_t{1} << 39;
  auto rows = [](std::int64_t stride) { return strided({16, 64}, "S[(16,64):(" + std::to_string(stride) + ",1)]"); };
  CHECK(reason({kHalf, rows(far), plain({16, 64})}).find("below 2^40") != std::string::npos);
  CHECK(reason({kHalf, rows(far - 8), plain({16, 64})}) == "2/2 | 64,16 | 1099511627760 | 64,16 | 0 | 0,0 | - | 2048");
  const std::int64_t most = std::int64_t{1} << 32;
  CHECK(reason({ir::kUInt8, plain({most + 1}, {{0, 64}}), plain({64})}).find("2^32") != std::string::npos);
  CHECK(reason({ir::kUInt8, plain({most}, {{0, 64}}), plain({64})}) == "1/1 | 4294967296 | - | 64 | 0 | 0 | - | 64");
  CHECK(
      reason({ir::kUInt8, plain({most}, {{most / 2 + 1, most / 2 + 65}}), plain({64})}).find("does not fit 32 bits") !=
      std::string::npos);
  // V10: elements narrower than a byte.
  CHECK(reason({*ir::parse_dtype("float4_e2m1fn"), plain({64, 64}), plain({64, 64})}).find("a tensor map has 8, 16") !=
        std::string::npos);
  // Elements that do not lie side by side.
  CHECK(reason({kHalf, strided({64, 64}, "S[(64,64):(128,2)]"), plain({64, 64})}).find("stride 2 in the tensor") !=
        std::string::npos);
  // A single row of a tensor whose pitch no map describes: its address moves there, if 16 bytes allow.
  CHECK(reason({kHalf, plain({64, 100}, {{2, 3}, {0, 64}}), plain({64})}) == "1/1 | 100 | - | 64 | 0 | 0 | - | 128");
  CHECK(reason({kHalf, plain({64, 100}, {{1, 2}, {0, 64}}), plain({64})}).find("200 bytes") != std::string::npos);
}
