// copy_async/tma: the worked examples of copy_async.md 10.2, byte by byte on a model of the hardware, and the rules.
#include "tests/unit/dispatch_tma_model.h"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

using Ranges = std::vector<std::pair<std::int64_t, std::int64_t>>;

TmaSide side(std::vector<std::int64_t> shape, Ranges region = {}) { return {std::move(shape), {}, std::move(region)}; }
TmaSide tile(ir::DataType dtype, int mode, std::vector<std::int64_t> shape, Ranges region = {}) {
  auto l = mma_tile(dtype, mode, shape);
  return {std::move(shape), std::move(l), std::move(region)};
}
TmaSide strided(std::vector<std::int64_t> shape, std::string_view layout, Ranges region = {}) {
  return {std::move(shape), parse_layout(layout), std::move(region)};
}

// There and back: the same plan, and every byte where it belongs.
TmaResult check(int number, TmaCase c, std::string_view plan) {
  INFO("case " << number);
  TmaResult back;
  for (bool to_shared : {false, true}) {
    c.to_shared = to_shared;
    back = run_tma(c);
    CHECK(back.plan() == plan);
    CHECK(back.wrong == "");
  }
  return back;
}

// No plan, and the reason says why.
void refuse(int number, TmaCase c, std::string_view why) {
  INFO("case " << number);
  for (bool to_shared : {false, true}) {
    c.to_shared = to_shared;
    TmaResult r = run_tma(c);
    CHECK(r.report.variant == "");
    REQUIRE(r.report.trials.size() == 1);
    INFO(r.report.trials[0].reason);
    CHECK(r.report.trials[0].outcome == dispatch::Outcome::Declined);
    CHECK(r.report.trials[0].reason.find(why) != std::string::npos);
    CHECK(r.dispatched.tensor_maps.empty());
  }
}

std::string joined(const std::vector<std::int64_t>& values) {
  std::string out;
  for (std::int64_t v : values) out += (out.empty() ? "" : ",") + std::to_string(v);
  return out;
}

}  // namespace

TEST_CASE("tma: plans that the reference makes, too") {
  const auto f16 = ir::kFloat16, u8 = ir::kUInt8;
  TmaResult r = check(1, {.global = side({1024, 1024}, {{256, 384}, {128, 192}}), .shared = tile(f16, 3, {128, 64})},
                      "1024,1024 | 2048 | 64,128 | 3 | 1");
  CHECK(joined(r.coordinates[0]) == "128,256");
  CHECK(std::get<std::string>(r.report.facts[0].value) == "g2s");
  r = check(2,
            {.global = side({512, 256}, {{256, 384}, {128, 192}}),
             .shared = tile(f16, 3, {4, 128, 64}, {{2, 3}, {0, 128}, {0, 64}})},
            "256,512 | 512 | 64,128 | 3 | 1");
  CHECK(r.places[0] == 16384 * 2);
  r = check(3, {.global = side({512, 512}, {{256, 384}, {128, 256}}), .shared = tile(f16, 3, {128, 128})},
            "64,512,8 | 1024,128 | 64,128,2 | 3 | 1");
  CHECK(joined(r.coordinates[0]) == "0,256,2");
  CHECK(r.bytes == 32768);
  check(4, {.dtype = u8, .global = side({1024, 1024}, {{128, 256}, {256, 512}}), .shared = tile(u8, 3, {128, 256})},
        "128,1024,8 | 1024,128 | 128,128,2 | 3 | 1");
  check(5, {.global = side({512, 512}, {{0, 256}, {64, 128}}), .shared = tile(f16, 2, {256, 64})},
        "32,512,16 | 1024,64 | 32,256,2 | 2 | 1");
  check(7, {.global = side({256, 192}, {{0, 64}, {0, 192}}), .shared = tile(f16, 3, {64, 192})},
        "64,256,3 | 384,128 | 64,64,3 | 3 | 1");
  check(8, {.dtype = ir::kFloat32, .global = side({16, 2048}, {{3, 4}, {512, 768}}), .shared = side({256})},
        "2048,16 | 8192 | 256,1 | 0 | 1");
  check(9, {.dtype = u8, .global = side({64, 32, 4, 4}, {{5, 6}, {0, 32}, {0, 4}, {0, 4}}), .shared = side({32, 4, 4})},
        "256,64 | 512 | 256,1 | 0 | 1");
  r = check(10, {.dtype = u8, .global = side({16, 8, 8, 4}), .shared = side({16, 8, 8, 4})},
            "32,16 | 256 | 32,16 | 0 | 1");
  CHECK(r.dispatched.tensor_maps[0].dtype == "uint64");
  check(11, {.dtype = u8, .global = side({64, 24}), .shared = side({64, 24})}, "192 |  | 192 | 0 | 1");
  check(12, {.global = side({32, 12}), .shared = side({32, 12})}, "192 |  | 192 | 0 | 1");
  check(15, {.global = side({64, 32}), .shared = strided({64, 32}, "S[(64,32):(64,1)]")}, "32,64 | 64 | 32,1 | 0 | 64");
  check(16, {.global = side({64, 64}), .shared = strided({64, 64}, "S[(64,8,8):(8,512,1)]")},
        "8,64,8 | 128,16 | 8,64,8 | 0 | 1");
  check(18, {.global = side({64, 128}, {{0, 64}, {4, 68}}), .shared = strided({64, 64}, "S[(64,8,8):(8,512,1)]")},
        "128,64 | 256 | 8,64 | 0 | 8");
  check(21,
        {.global = side({256, 256}, {{32, 96}, {64, 96}}), .shared = tile(f16, 3, {128, 128}, {{64, 128}, {64, 96}})},
        "256,256 | 512 | 32,1 | 3 | 64");
  check(
      23,
      {.global = side({64, 256}), .shared = strided({64, 256}, "Z(3,3,3) S[(4,2,8,2,2,64):(4096,1024,64,2048,512,1)]")},
      "64,8,2,8,2 | 512,128,4096,256 | 64,8,2,2,2 | 3 | 4");
  check(25, {.global = side({100, 64}, {{64, 128}, {0, 64}}), .shared = tile(f16, 3, {64, 64})},
        "64,100 | 128 | 64,64 | 3 | 1");
  check(26, {.dtype = ir::kFloat64, .global = side({128, 32}, {{0, 64}, {0, 16}}), .shared = side({64, 16})},
        "32,128 | 256 | 16,64 | 0 | 1");
  check(27,
        {.dtype = ir::kBFloat16,
         .global = side({128, 64}, {{0, 128}, {16, 32}}),
         .shared = tile(ir::kBFloat16, 1, {128, 16})},
        "64,128 | 128 | 16,128 | 1 | 1");
  check(28,
        {.dtype = ir::kInt32,
         .global = side({8, 128, 32}, {{2, 4}, {0, 128}, {0, 32}}),
         .shared = tile(ir::kInt32, 3, {2, 128, 32})},
        "32,128,8 | 128,16384 | 32,128,2 | 3 | 1");
  check(29, {.global = strided({4, 64, 64}, "S[(4,64,64):(64,256,1)]"), .shared = side({4, 64, 64})},
        "64,64,4 | 512,128 | 64,64,4 | 0 | 1");
}

TEST_CASE("tma: what the hardware would refuse or get wrong") {
  const auto f16 = ir::kFloat16;
  check(6, {.global = side({1024, 64}, {{0, 512}, {0, 64}}), .shared = tile(f16, 3, {512, 64})},
        "64,1024 | 128 | 64,256 | 3 | 2");
  refuse(13, {.global = side({64, 100}, {{0, 8}, {0, 100}}), .shared = side({8, 100})},
         "a stride of 200 bytes in the tensor");
  refuse(14, {.global = side({64, 64}), .shared = strided({64, 64}, "S[(64,64):(72,1)]")}, "144 bytes apart");
  refuse(17, {.global = side({64, 68}, {{0, 64}, {0, 64}}), .shared = strided({64, 64}, "S[(64,8,8):(8,512,1)]")},
         "a stride of 136 bytes");
  refuse(19, {.dtype = ir::kFloat32, .global = side({16, 16}), .shared = strided({16, 16}, "S[(16,16):(1,16)]")},
         "4 bytes: it must be a multiple of 16 bytes");
  refuse(20, {.global = side({64, 32}), .shared = strided({64, 32}, "Z(3,3,3) S[(64,32):(32,1)]")},
         "rows of 64 bytes under a 128-byte swizzle");
  refuse(22,
         {.global = side({256, 256}, {{32, 96}, {64, 96}}), .shared = tile(f16, 3, {128, 128}, {{64, 128}, {96, 128}})},
         "bytes into shared memory");
  TmaCase six{.global = side({2, 2, 2, 2, 2, 64}),
              .shared = strided({2, 2, 2, 2, 2, 64}, "S[(2,2,2,2,2,64):(64,128,256,512,1024,1)]")};
  refuse(30, six, "rank 6 > 5");
  // Z of another element size, and a shared tile that starts inside the swizzle's period.
  refuse(31, {.dtype = ir::kFloat32, .global = side({64, 32}), .shared = strided({64, 32}, "Z(3,3,3) S[(64,32)]")},
         "none that the hardware applies");
  TmaCase shifted{.global = side({64, 64}), .shared = tile(f16, 3, {64, 64})};
  shifted.shared.elem_offset = 64;
  refuse(32, shifted, "on a multiple of 1024 bytes");
  TmaCase view{.global = side({64, 64}), .shared = tile(f16, 3, {64, 64})};
  view.global.elem_offset = 4;
  refuse(33, view, "8 bytes into its storage");
  view.global.elem_offset = 4096;
  TmaResult r = check(34, view, "64,64 | 128 | 64,64 | 3 | 1");
  CHECK(*ir::constant(r.dispatched.tensor_maps[0].byte_offset) == 8192);
}

TEST_CASE("tma: more in one instruction than the reference") {
  // V9: four dimensions of which one element is taken do not cost rank.
  TmaResult r = check(40,
                      {.global = side({2, 3, 2, 3, 64, 64}, {{1, 2}, {2, 3}, {1, 2}, {0, 1}, {0, 64}, {0, 64}}),
                       .shared = tile(ir::kFloat16, 3, {64, 64})},
                      "64,64,3,2,6 | 128,8192,24576,49152 | 64,64,1,1,1 | 3 | 1");
  CHECK(joined(r.coordinates[0]) == "0,0,0,1,5");
  // A row longer than a box in wider elements.
  check(41, {.global = side({64, 512}), .shared = side({64, 512})}, "256,64 | 1024 | 256,64 | 0 | 1");
  // Rows that must be joined before wider elements bring them under 256.
  check(43,
        {.dtype = ir::kUInt8, .global = strided({4, 288, 6}, "S[(4,288,6):(1744,6,1)]"), .shared = side({4, 288, 6})},
        "216,4 | 1744 | 216,4 | 0 | 1");
  // Whole rows of half a span, as rows of a span.
  check(44, {.dtype = ir::kUInt8, .global = side({16, 2, 64}), .shared = strided({16, 2, 64}, "Z(4,3,3) S[(16,2,64)]")},
        "128,16 | 128 | 128,16 | 3 | 1");
  // The address of a single row moves, where its pitch is none of a map; and the report says what was gained.
  check(45, {.global = side({64, 100}, {{2, 3}, {0, 64}}), .shared = side({64})}, "100 |  | 64 | 0 | 1");
  // A row longer than the swizzle's, where the tile was not declared as atoms.
  check(42, {.global = side({64, 128}), .shared = strided({64, 128}, "Z(3,3,3) S[(64,128):(128,1)]")},
        "64,2,64 | 128,256 | 64,2,64 | 3 | 1");
}

TEST_CASE("tma: options") {
  Arena arena;
  ArenaScope scope(arena);
  auto base = [] {
    return TmaCase{.global = side({128, 64}, {{0, 64}, {0, 64}}), .shared = tile(ir::kFloat16, 3, {64, 64})};
  };
  auto reason = [](TmaCase c) { return run_tma(c).report.trials.at(0).reason; };
  TmaCase c = base();
  c.config = {{"oob", ir::string_imm("nan")}};
  CHECK(run_tma(c).dispatched.tensor_maps.at(0).oob_fill == 1);
  c.config = {{"oob", ir::string_imm("ones")}};
  CHECK(reason(c).starts_with("Unsupported TMA oob mode"));
  c.config = {{"cache_hint", ir::string_imm("evict_last_use")}};
  CHECK(reason(c).starts_with("no cache_hint"));
  c.config = {{"cta_group", Expr(2)}};
  CHECK(reason(c).starts_with("cta_group=2 needs"));
  c.target = {10, 0, 'a'};
  CHECK(reason(c) == "");
  c = base();
  c.config = {{"cta_mask", Expr(6)}};
  CHECK(reason(c) == "cta_mask 6 names CTAs beyond the 1 of the cluster");
  c.to_shared = false;
  CHECK(reason(c).starts_with("cta_mask names the CTAs that a load goes to"));
  c.config = {{"use_tma_reduce", ir::string_imm("add")}};
  CHECK(run_tma(c).wrong == "");
  c.config = {{"use_tma_reduce", ir::string_imm("xor")}};
  CHECK(reason(c) == "use_tma_reduce=\"xor\" does not work on float16");
  c.to_shared = true;
  CHECK(reason(c).find("this copy loads") != std::string::npos);
  c = base();
  c.scope = ExecScope::Warp;
  CHECK(run_tma(c).report.trials.at(0).predicate == "single_thread");
  c = base();
  c.target = {8, 0, 0};
  CHECK(run_tma(c).report.trials.at(0).predicate == "target");
  // Y6: a promoted map would change the arithmetic and the fill.
  c = {.global = side({32, 12}), .shared = side({32, 12}), .to_shared = false};
  CHECK(run_tma(c).wrong == "");
  c.config = {{"use_tma_reduce", ir::string_imm("add")}};
  CHECK(reason(c) != "");
  c.to_shared = true;
  c.config = {{"oob", ir::string_imm("nan")}};
  CHECK(reason(c) != "");
}

TEST_CASE("tma: calls share a tensor map where its description is the same") {
  KernelBuilder k;
  k.device();
  k.id(ScopeBinding::KernelCta, 1);
  k.id(ScopeBinding::CtaThread, 128, "tid");
  const ir::Buffer* g =
      k.buffer("A", {Expr(128), Expr(64)}, ir::kFloat16, StorageScope::Global, layout::row_major({{128, 64}}));
  const ir::Buffer* s =
      k.buffer("S", {Expr(64), Expr(64)}, ir::kFloat16, StorageScope::SharedDyn, mma_tile(ir::kFloat16, 3, {64, 64}));
  auto store = [&](std::int64_t row, std::int64_t rows, bool prefetch) {
    ir::Region to = KernelBuilder::region(g, {{Expr(row), Expr(rows)}, {Expr(0), Expr(64)}});
    ir::Region from = KernelBuilder::region(s, {{Expr(0), Expr(rows)}, {Expr(0), Expr(64)}});
    ir::ConfigItem item{"prefetch_tensormap", {.region = {}, .value = ir::bool_imm(true), .span = {}}};
    std::vector<ir::ConfigItem> config;
    if (prefetch) config.push_back(item);
    k.add(k.call("copy_async", ExecScope::Thread, to, from, {}, config));
  };
  store(0, 64, false);
  store(64, 64, true);
  store(0, 32, true);  // another box
  store(32, 32, true);
  const ir::Kernel& kernel = k.finish();
  Diagnostics diagnostics;
  dispatch::Dispatched out = dispatch::dispatch(kernel, diagnostics.context);
  CHECK_FALSE(out.failed);
  REQUIRE(out.tensor_maps.size() == 2);
  CHECK(out.tensor_maps[0].var->name == "A_tensormap");
  CHECK(out.tensor_maps[1].var->name == "A_tensormap_1");
  int prefetches = 0;
  ir::walk_stmts(out.body, [&](const Stmt* st) {
    const auto* e = ir::as<ir::Evaluate>(st);
    prefetches += e && e->value.as<ir::Call>()->callee->name == "ptx.prefetch_tensormap";
    return true;
  });
  CHECK(prefetches == 2);
}

TEST_CASE("tma: the operands of an issue") {
  Arena arena;
  ArenaScope scope(arena);
  TmaCase c{.global = side({128, 64}, {{0, 64}, {0, 64}}), .shared = tile(ir::kFloat16, 3, {64, 64})};
  auto argument = [&](std::string_view name) {
    TmaResult r = run_tma(c);
    INFO(r.plan());
    std::string text = "no issue";
    ir::walk_stmts(r.report.body, [&](const Stmt* st) {
      const auto* e = ir::as<ir::Evaluate>(st);
      const auto* call = e ? e->value.as<ir::Call>() : nullptr;
      const auto* row = call ? intrinsics::of(call->callee) : nullptr;
      for (std::size_t i = 0; row && i < row->operands.size(); ++i) {
        if (row->operands[i].name == name) text = ir::to_string(call->args[i]);
      }
      return true;
    });
    return text;
  };
  // Y16: without the option no qualifier, except on sm_100a.
  CHECK(argument("cta_group") == "-1");
  c.target = {10, 0, 'a'};
  CHECK(argument("cta_group") == "1");
  c.target = {10, 3, 'a'};
  CHECK(argument("cta_group") == "-1");
  c.config = {{"cta_group", Expr(2)}};
  CHECK(argument("cta_group") == "2");
  // Y14: a mask of one bit stays a mask; none is a copy to this CTA.
  c.config = {};
  CHECK(argument("cta_mask") == "T.uint16(0)");
  c.config = {{"cta_mask", Expr(1)}};
  CHECK(argument("cta_mask") == "T.uint16(1)");
  c.config = {{"cache_hint", ir::string_imm("evict_last")}};
  CHECK(argument("cache_hint") == "\"evict_last\"");
  c.to_shared = false;
  c.config = {{"use_tma_reduce", ir::string_imm("max")}};
  CHECK(argument("red_op") == "\"max\"");
}

TEST_CASE("tma: a map has the tensor's own type") {
  for (std::string_view dtype : {"int16", "int8", "float8_e4m3fn", "bfloat16", "uint64"}) {
    KernelBuilder k;
    k.device();
    k.id(ScopeBinding::KernelCta, 1);
    k.id(ScopeBinding::CtaThread, 128, "tid");
    const ir::DataType type = *ir::parse_dtype(dtype);
    auto* g = k.buffer("A", {Expr(64), Expr(64)}, type, StorageScope::Global, layout::row_major({{64, 64}}));
    auto* s = k.buffer("S", {Expr(64), Expr(64)}, type, StorageScope::SharedDyn, layout::row_major({{64, 64}}));
    k.add(k.call("copy_async", ExecScope::Thread, ir::full_region(g), ir::full_region(s), "tma"));
    const ir::Kernel& kernel = k.finish();
    Diagnostics diagnostics;
    dispatch::Dispatched out = dispatch::dispatch(kernel, diagnostics.context);
    REQUIRE(out.tensor_maps.size() == 1);
    CHECK(out.tensor_maps[0].dtype == dtype);
  }
}

TEST_CASE("tma: one storage under two types has two maps (Y5)") {
  KernelBuilder k;
  k.device();
  k.id(ScopeBinding::KernelCta, 1);
  k.id(ScopeBinding::CtaThread, 128, "tid");
  ir::Buffer* halves =
      k.buffer("A", {Expr(64), Expr(64)}, ir::kFloat16, StorageScope::Global, layout::row_major({{64, 64}}));
  ir::Buffer* words = k.buffer("V", {Expr(64), Expr(64)}, *ir::parse_dtype("uint16"), StorageScope::Global,
                               layout::row_major({{64, 64}}));
  words->data = halves->data;
  for (ir::Buffer* g : {halves, words, halves}) {
    const ir::Buffer* s =
        k.buffer("S", {Expr(64), Expr(64)}, g->dtype, StorageScope::SharedDyn, mma_tile(ir::kFloat16, 3, {64, 64}));
    k.add(k.call("copy_async", ExecScope::Thread, ir::full_region(g), ir::full_region(s), "tma"));
  }
  const ir::Kernel& kernel = k.finish();
  Diagnostics diagnostics;
  dispatch::Dispatched out = dispatch::dispatch(kernel, diagnostics.context);
  CHECK_FALSE(out.failed);
  REQUIRE(out.tensor_maps.size() == 2);
  CHECK(out.tensor_maps[0].dtype == "float16");
  CHECK(out.tensor_maps[1].dtype == "uint16");
}
