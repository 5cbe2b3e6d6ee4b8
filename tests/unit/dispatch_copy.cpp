// The worked examples of dispatch.md 10, element by element, with the defects of section 9 fixed.
#include <ctime>
#include <random>

#include "compiler/dispatch/blocks/partition.h"
#include "compiler/dispatch/blocks/swizzled.h"
#include "tests/unit/copy_lab.h"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

constexpr auto kThread = ExecScope::Thread, kWarp = ExecScope::Warp, kGroup = ExecScope::Warpgroup,
               kCta = ExecScope::Cta, kCluster = ExecScope::Cluster;
constexpr auto G = StorageScope::Global, S = StorageScope::Shared, R = StorageScope::Local;
constexpr std::string_view kZ128 = "Z(3,3,3)";

std::string walks(const dispatch::Walks& w) {
  std::string text;
  for (auto& [e, s, unit] : w) text += (text.empty() ? "" : " ") + std::to_string(e) + ":" + std::to_string(s);
  return text;
}

void check_both_ways(CopyCase c, std::string_view variant,
                     std::initializer_list<std::pair<std::string_view, std::int64_t>> facts) {
  for (int way = 0; way < 2; ++way) {
    CopyResult r = run_copy(c);
    INFO((way ? "back: " : "there: ") << r.report.summary);
    CHECK(r.report.variant == variant);
    CHECK(r.wrong == "");
    for (auto& [name, value] : facts) {
      INFO(name);
      CHECK(r.fact(name) == value);
    }
    std::swap(c.src, c.dst);
  }
}

std::string fragment(int n) { return "S[(8,4," + std::to_string(n) + ",2):(4@laneid,1@laneid,2,1)]"; }
std::string a_fragment(int k) { return "S[(2,8," + std::to_string(k) + ",2,4,2):(2,4@laneid,8,4,1@laneid,1)]"; }

}  // namespace

TEST_CASE("copy: gmem_smem, the examples of 10.1") {
  auto example = [](int number, CopyCase c, std::int64_t v, std::int64_t outer) {
    INFO("case " << number);
    check_both_ways(std::move(c), "gmem_smem", {{"vec_elems", v}, {"outer", outer}});
  };
  example(1, {.scope = kWarp, .src = {G, {16, 64}}, .dst = {S, {16, 64}}}, 8, 4);
  example(2, {.scope = kCta, .threads = 128, .src = {G, {256, 256}, "", {{64, 128}, {128, 192}}}, .dst = {S, {64, 64}}},
          8, 4);
  example(3, {.scope = kCta, .threads = 256, .dtype = ir::kFloat32, .src = {G, {128, 128}}, .dst = {S, {128, 128}}}, 4,
          16);
  example(4, {.scope = kCta, .threads = 128, .src = {G, {64, 64}}, .dst = {S, {64, 64}, "Z(3,3,3) S[(64,64)]"}}, 8, 4);
  example(5, {.scope = kCta, .threads = 128, .src = {G, {128, 64}}, .dst = {S, {128, 64}, "Z(3,3,3)"}}, 8, 8);
  example(6,
          {.scope = kCta,
           .threads = 128,
           .src = {G, {64, 128}},
           .dst = {S, {64, 128}, "Z(3,3,3) S[(64,2,64):(64,4096,1)]"}},
          8, 8);
  example(7,
          {.scope = kGroup,
           .threads = 128,
           .dtype = ir::kUInt8,
           .src = {G, {64, 48}},
           .dst = {S, {64, 48}, "S[(64,48):(64,1)]"}},
          1, 24);
  example(8, {.scope = kWarp, .src = {G, {32, 12}}, .dst = {S, {32, 12}}}, 4, 3);
  example(9, {.scope = kWarp, .src = {G, {32, 20}, "", {{0, 32}, {4, 16}}}, .dst = {S, {32, 12}}}, 1, 12);
  example(10, {.scope = kCta, .threads = 96, .dtype = ir::kFloat32, .src = {G, {24, 40}}, .dst = {S, {24, 40}}}, 2, 5);
  example(12, {.scope = kWarp, .src = {G, {32, 64}, "S[(32,64):(1,32)]"}, .dst = {S, {32, 64}}}, 1, 64);
  example(13, {.scope = kThread, .dtype = ir::kFloat32, .src = {G, {4, 6}}, .dst = {S, {4, 6}}}, 4, 6);
  // X5: every second element of the tensor, so no vector.
  example(14, {.scope = kWarp, .src = {G, {32, 64}, "S[(32,64):(128,2)]"}, .dst = {S, {32, 64}}}, 1, 64);
  example(15, {.scope = kWarp, .dtype = ir::kFloat32, .src = {G, {32, 32}}, .dst = {S, {32, 32}, "S[(32,32):(1,32)]"}},
          1, 32);
}

TEST_CASE("copy: the plans of 10.1") {
  KernelBuilder k;
  auto plan = [&](Side g, Side s, std::int64_t threads, ir::DataType dtype) {
    auto make = [&](const Side& side) {
      std::vector<Expr> shape(side.shape.begin(), side.shape.end());
      layout::Shape dims(side.shape.begin(), side.shape.end());
      return k.buffer("b", shape, dtype, side.scope,
                      side.layout.empty() ? layout::row_major(dims) : parse_layout(side.layout));
    };
    auto region = [&](const Side& side) {
      std::vector<std::pair<Expr, Expr>> ranges;
      for (auto& [lo, hi] : full_or(side)) ranges.emplace_back(Expr(lo), Expr(hi - lo));
      return KernelBuilder::region(make(side), ranges);
    };
    std::int64_t n = 1;
    for (auto& [lo, hi] : full_or(s)) n *= hi - lo;
    ir::Region gr = region(g), sr = region(s);
    auto p = dispatch::partition(*gr.buffer, *dispatch::window_of(gr), *sr.buffer, *dispatch::window_of(sr), n, threads,
                                 dtype.storage_bits(), dispatch::kCopyWidths);
    REQUIRE(p);
    return *p;
  };
  auto p2 = plan({G, {256, 256}, "", {{64, 128}, {128, 192}}}, {S, {64, 64}}, 128, ir::kFloat16);
  CHECK(p2.global_start.is(16512));
  CHECK(walks(p2.global) == "64:256 64:1");
  auto p6 = plan({G, {64, 128}}, {S, {64, 128}, "Z(3,3,3) S[(64,2,64):(64,4096,1)]"}, 128, ir::kFloat16);
  CHECK(walks(p6.shared) == "64:64 2:4096 64:1");
  REQUIRE(p6.loop);
  CHECK(walks(*p6.loop) == "8:512");
  auto p7 = plan({G, {64, 48}}, {S, {64, 48}, "S[(64,48):(64,1)]"}, 128, ir::kUInt8);
  CHECK(walks(p7.global) == "3072:1");
  CHECK(walks(p7.shared) == "64:64 48:1");
  CHECK_FALSE(p7.loop);
  auto p12 = plan({G, {32, 64}, "S[(32,64):(1,32)]"}, {S, {32, 64}}, 32, ir::kFloat16);
  CHECK(walks(p12.global) == "2048:1");
  CHECK(walks(p12.shared) == "64:1 32:64");
}

TEST_CASE("copy: swizzle digits of 7.9") {
  Arena arena;
  ArenaScope scope(arena);
  Var* tid = ir::make_var("tid", ir::kInt32, ir::VarRole::ScopeId);
  tid->range = {0, 127};
  layout::Swizzle z{3, 3, 3, true};
  auto betas = [&](dispatch::Walks loop, Expr base) -> std::vector<int> {
    auto d = dispatch::swizzle_digits(z, loop, base);
    return d ? d->betas : std::vector<int>{-1};
  };
  Expr base = Expr(tid) * Expr(8);
  CHECK(betas({{4, 1024}}, base) == std::vector<int>{8, 7});
  CHECK(betas({{8, 1024}}, base) == std::vector<int>{9, 8, 7});
  CHECK(betas({{8, 512}}, Expr(tid) / Expr(16) * Expr(64) + Expr(tid) % Expr(8) * Expr(8) +
                              Expr(tid) / Expr(8) % Expr(2) * Expr(4096)) == std::vector<int>{8, 7, 6});
  CHECK(betas({{8, 64}}, base) == std::vector<int>{-1});  // the thread sets those bits itself
  CHECK(betas({{8, 8}}, Expr(tid) * Expr(64)) == std::vector<int>{2, 1, 0});
  CHECK(betas({{2, 1024}, {2, 512}, {2, 32}}, Expr(tid) % Expr(8) * Expr(64)) == std::vector<int>{7, 6, 2});
  CHECK(betas({{5, 512}, {2, 32}}, Expr(tid) % Expr(8) * Expr(64)) == std::vector<int>{2});  // five whole periods
  CHECK(betas({{3, 64}}, Expr(0)) == std::vector<int>{-1});
  CHECK(betas({{2, 64}, {2, 8}}, Expr(0)) == std::vector<int>{-1});  // partners of one XOR
  // Case 4, thread 9, round 3: 3136.
  ir::BodyBuilder out({});
  dispatch::Walks loop{{4, 1024}};
  dispatch::RoundAddress address(out, z, &loop, base, "s");
  CHECK(address.fast());
  CHECK(z.apply(3 * 1024 + 9 * 8) == 3136);
}

TEST_CASE("copy: effects of the inputs in 8.1") {
  // dtype and width, as the seed tells it: 32x32, 32 threads.
  for (auto [dtype, v, outer, index] : {std::tuple{ir::kFloat32, 4, 8, "r * 128 + lane * 4"},
                                        {ir::kFloat16, 8, 4, "r * 256 + lane * 8"},
                                        {ir::kUInt8, 16, 2, "r * 512 + lane * 16"}}) {
    CopyResult r = run_copy({.dtype = dtype, .src = {G, {32, 32}}, .dst = {S, {32, 32}}});
    CHECK(r.fact("vec_elems") == v);
    CHECK(r.fact("vec_bits") == 128);
    CHECK(r.fact("outer") == outer);
    CHECK(r.fact("threads") == 32);
    // One loop, one address line, one copy.
    const auto* loop = ir::as<ir::For>(r.report.body);
    REQUIRE(loop);
    const auto* body = ir::as<ir::Seq>(loop->body);
    REQUIRE(body);
    REQUIRE(body->body.size() == 2);
    const auto* line = ir::as<ir::Bind>(body->body[0]);
    REQUIRE(line);
    CHECK(ir::to_string(line->value) == index);
  }
  CopyResult r = run_copy({.src = {G, {32, 32}}, .dst = {S, {32, 32}}});
  CHECK(r.report.summary ==
        "copy -> gmem_smem: src[0:32, 0:32] -> dst[0:32, 0:32], 128-bit, 8 elements a lane, 4 rounds");
  auto width = [](std::int64_t columns, std::int64_t start, std::string layout) {
    CopyResult r =
        run_copy({.src = {G, {32, 256}, "", {{0, 32}, {start, start + columns}}}, .dst = {S, {32, columns}, layout}});
    CHECK(r.wrong == "");
    return r.fact("vec_elems");
  };
  CHECK(width(64, 0, "") == 8);
  CHECK(width(64, 3, "") == 1);
  CHECK(width(64, 4, "") == 4);
  CHECK(width(64, 0, "S[(32,64):(72,1)]") == 8);
  CHECK(width(64, 0, "S[(32,64):(68,1)]") == 4);
  CHECK(width(64, 0, "S[(32,64):(66,1)]") == 2);
  CHECK(width(64, 0, "S[(32,64):(65,1)]") == 1);
  CHECK(width(64, 0, "Z(2,3,3) S[(32,64)]") == 4);  // X19
  CHECK(width(64, 0, "Z(1,3,3) S[(32,64)]") == 2);
  CHECK(width(64, 0, "Z(0,3,3) S[(32,64)]") == 1);
  CopyResult tiled =
      run_copy({.scope = kCta, .threads = 128, .src = {G, {64, 64}}, .dst = {S, {64, 64}, "S[(64,8,8):(8,512,1)]"}});
  CHECK(tiled.fact("vec_elems") == 8);
  CHECK(tiled.wrong == "");
}

TEST_CASE("copy: what can be proved of a symbolic start decides the width") {
  KernelBuilder k;
  const Var* n = ir::make_var("n", ir::kInt32, ir::VarRole::Extent);
  const Var* m = ir::make_var("m", ir::kInt32, ir::VarRole::Extent);
  k.device();
  k.id(ScopeBinding::WarpThread, 32, "lane");
  k.id(ScopeBinding::CtaThread, 32, "tid");
  Var* kk = ir::make_var("kk", ir::kInt32, ir::VarRole::Loop);
  kk->range = {0, 3};
  layout::Shape gs{32, 4096}, ss{32, 64};
  const ir::Buffer* g = k.buffer("A", {32, 4096}, ir::kFloat16, G, layout::row_major(gs));
  const ir::Buffer* s = k.buffer("A_smem", {32, 64}, ir::kFloat16, S, layout::row_major(ss));
  std::vector<Expr> starts = {Expr(kk) * Expr(64),
                              Expr(n) / Expr(8) * Expr(8),
                              Expr(n) * Expr(8) + Expr(m) * Expr(16),
                              Expr(n) % Expr(4) * Expr(8),
                              Expr(n) - Expr(n) % Expr(8),
                              Expr(n) * Expr(m) * Expr(8),
                              Expr(n)};
  for (Expr start : starts) {
    k.add(
        k.call("copy", kWarp, ir::full_region(s), KernelBuilder::region(g, {{Expr(0), Expr(32)}, {start, Expr(64)}})));
  }
  Diagnostics d;
  dispatch::Dispatched out = dispatch::dispatch(k.finish(), d.context);
  REQUIRE(out.calls.size() == starts.size());
  for (std::size_t i = 0; i < starts.size(); ++i) {
    INFO(ir::to_string(starts[i]));
    REQUIRE(out.calls[i].variant == "gmem_smem");
    CHECK(std::get<std::int64_t>(out.calls[i].facts[0].value) == (i + 1 == starts.size() ? 1 : 8));
  }
}

TEST_CASE("copy: reg, the examples of 10.2") {
  auto example = [](int number, CopyCase c, std::int64_t v, std::int64_t registers) {
    INFO("case " << number);
    std::int64_t bits = v * c.dtype.bits;
    check_both_ways(std::move(c), "reg", {{"vec_bits", bits}, {"per_thread", registers}});
  };
  example(1,
          {.scope = kWarp, .dtype = ir::kFloat32, .src = {S, {32, 8}}, .dst = {R, {32, 8}, "S[(32,8):(1@laneid,1)]"}},
          4, 8);
  example(2,
          {.scope = kGroup,
           .threads = 128,
           .src = {R, {128, 64}, "S[(128,64):(1@tid_in_wg,1)]"},
           .dst = {S, {128, 64}, std::string(kZ128)}},
          8, 64);
  example(3,
          {.scope = kGroup,
           .threads = 128,
           .src = {R, {128, 64}, "S[(128,64):(1@tid_in_wg,1)]", {{0, 128}, {16, 32}}},
           .dst = {S, {128, 64}, "", {{0, 128}, {16, 32}}}},
          8, 16);
  example(4,
          {.scope = kGroup,
           .threads = 128,
           .src = {R, {128, 64}, "S[(128,64):(1@tid_in_wg,1)]", {{0, 128}, {3, 7}}},
           .dst = {S, {128, 64}, "", {{0, 128}, {3, 7}}}},
          1, 4);
  example(5,
          {.scope = kThread,
           .threads = 32,
           .dtype = ir::kFloat32,
           .src = {S, {4, 16, 16}, "", {{3, 4}, {8, 16}, {8, 16}}},
           .dst = {R, {8, 8}}},
          4, 64);
  example(6, {.scope = kWarp, .src = {S, {2, 32, 8}}, .dst = {R, {2, 32, 8}, "S[(2,32,8):(8,1@laneid,1)]"}}, 8,
          16);  // X8
  example(7,
          {.scope = kCta,
           .threads = 256,
           .src = {S, {256, 4}, "S[(256,4):(8,1)]"},
           .dst = {R, {256, 4}, "S[(256,4):(1@tx,1)]"}},
          4, 4);
  example(8,
          {.scope = kGroup,
           .threads = 128,
           .src = {S, {128, 16}, "S[(128,16):(1,128)]"},
           .dst = {R, {128, 16}, "S[(128,16):(1@tid_in_wg,1)]"}},
          1, 16);
  example(9,
          {.scope = kGroup,
           .threads = 128,
           .src = {S, {128, 16}},
           .dst = {R, {128, 16}, "S[(4,32,16):(1@wid_in_wg,1@laneid,1)]"}},
          8, 16);
  example(11, {.scope = kWarp, .src = {S, {32, 8}, "Z(2,3,3)"}, .dst = {R, {32, 8}, "S[(32,8):(1@laneid,1)]"}}, 4,
          8);  // X11
  example(12,
          {.scope = kWarp, .src = {S, {32, 16}, "S[(32,16):(20,1)]"}, .dst = {R, {32, 16}, "S[(32,16):(1@laneid,1)]"}},
          4, 16);  // X9
  example(13, {.scope = kWarp, .src = {G, {32, 16}}, .dst = {R, {32, 16}, "S[(32,16):(1@laneid,1)]"}}, 8, 16);
  // Sixteen lanes hold a row each; the others stay out.
  example(14, {.scope = kWarp, .src = {S, {16, 8}}, .dst = {R, {16, 8}, "S[(16,8):(1@laneid,1)]"}}, 8, 8);
  CopyResult strided = run_copy({.src = {S, {32, 8}}, .dst = {R, {32, 8}, "S[(8,4,8):(4@laneid,1@laneid,1)]"}});
  CHECK(strided.report.variant.empty());  // a fragment as declared, though its strides count the lanes in order
}

TEST_CASE("copy: reg with a pitch known only at run time, gmem_smem without") {
  KernelBuilder k;
  const Var* n = ir::make_var("n", ir::kInt32, ir::VarRole::Extent);
  k.device();
  k.id(ScopeBinding::WarpThread, 32, "lane");
  k.id(ScopeBinding::CtaThread, 128, "tid");
  layout::Shape dynamic{128, layout::Dim(Expr(n))}, aligned{128, layout::Dim(Expr(n) * Expr(8))}, fixed{128, 64};
  const ir::Buffer* c = k.buffer("C", {128, n}, ir::kFloat16, G, layout::row_major(dynamic));
  const ir::Buffer* d = k.buffer("D", {128, Expr(n) * Expr(8)}, ir::kFloat16, G, layout::row_major(aligned));
  const ir::Buffer* s = k.buffer("S", {128, 64}, ir::kFloat16, S, layout::row_major(fixed));
  const ir::Buffer* r = k.buffer("R", {128, 64}, ir::kFloat16, R, parse_layout("S[(128,64):(1@tid_in_wg,1)]"));
  auto window = [](const ir::Buffer* b) {
    return KernelBuilder::region(b, {{Expr(0), Expr(128)}, {Expr(0), Expr(64)}});
  };
  k.add(k.call("copy", kGroup, window(c), window(r)));
  k.add(k.call("copy", kGroup, window(d), window(r)));
  k.add(k.call("copy", kGroup, window(s), window(c)));
  Diagnostics diagnostics;
  dispatch::Dispatched out = dispatch::dispatch(k.finish(), diagnostics.context);
  REQUIRE(out.calls.size() == 3);
  CHECK(out.calls[0].variant == "reg");
  CHECK(std::get<std::int64_t>(out.calls[0].facts[0].value) == 16);  // rows may start anywhere
  CHECK(out.calls[1].variant == "reg");
  CHECK(std::get<std::int64_t>(out.calls[1].facts[0].value) == 128);
  const auto* loop = ir::as<ir::For>(out.calls[1].body);
  REQUIRE(loop);
  CHECK(ir::to_string(ir::as<ir::Bind>(ir::as<ir::Seq>(loop->body)->body[0])->value).find("tid_in_wg * n") !=
        std::string::npos);
  // As the reference, which cannot sort such strides.
  CHECK(out.calls[2].variant == "fallback");
  CHECK(out.calls[2].trials[0].outcome == dispatch::Outcome::Declined);
  CHECK(out.calls[2].trials[0].reason == "C has a pitch known only at run time (n elements)");
}

TEST_CASE("copy: ldstmatrix, the examples of 10.3") {
  auto example = [](int number, CopyCase c, std::int64_t num, bool trans, std::int64_t issues) {
    INFO("case " << number);
    check_both_ways(std::move(c), "ldstmatrix", {{"matrices", num}, {"trans", trans}, {"issues", issues}});
  };
  example(1, {.src = {S, {256}, "S[(8,4,4,2):(32,2,8,1)]"}, .dst = {R, {256}, fragment(4)}}, 4, false, 1);
  example(2, {.src = {S, {128}, "S[(8,4,2,2):(1,32,8,16)]"}, .dst = {R, {128}, fragment(2)}}, 2, true, 1);
  example(3, {.src = {S, {16, 64}}, .dst = {R, {16, 64}, a_fragment(4)}}, 4, false, 4);
  example(4, {.src = {S, {16, 64}, "Z(3,3,3)"}, .dst = {R, {16, 64}, a_fragment(4)}}, 4, false, 4);
  example(5, {.src = {S, {16, 64}, "S[(16,64):(72,1)]"}, .dst = {R, {16, 64}, a_fragment(4)}}, 4, false, 4);
  example(8, {.src = {S, {64, 64}, "", {{16, 32}, {32, 48}}}, .dst = {R, {16, 16}, a_fragment(1)}}, 4, false, 1);
  const std::string accumulator = "S[(4,2,8,8,4,2):(32@tid_in_wg,2,4@tid_in_wg,4,1@tid_in_wg,1)]";
  example(9, {.scope = kGroup, .threads = 128, .src = {S, {64, 64}, "Z(3,3,3)"}, .dst = {R, {64, 64}, accumulator}}, 4,
          false, 4);
  example(
      10,
      {.scope = kGroup, .threads = 128, .src = {S, {64, 64}, "S[(64,64):(1,64)]"}, .dst = {R, {64, 64}, accumulator}},
      4, true, 4);
  auto declined = [](CopyCase c) {
    for (int way = 0; way < 2; ++way) {
      CopyResult r = run_copy(c);
      const dispatch::Trial* t = r.trial("ldstmatrix");
      REQUIRE(t);
      CHECK(t->outcome == dispatch::Outcome::Declined);
      CHECK(r.report.variant != "ldstmatrix");
      CHECK(r.wrong == "");
      std::swap(c.src, c.dst);
    }
  };
  declined({.src = {S, {16, 64}, "S[(16,64):(68,1)]"}, .dst = {R, {16, 64}, a_fragment(4)}});      // 6
  declined({.src = {S, {16, 64}, "Z(2,3,3)"}, .dst = {R, {16, 64}, a_fragment(4)}});               // 7
  declined({.src = {S, {64, 64}, "", {{16, 32}, {4, 20}}}, .dst = {R, {16, 16}, a_fragment(1)}});  // 11, X12
  CopyCase pairs{.scope = kGroup,
                 .threads = 128,
                 .dtype = ir::kFloat32,
                 .src = {S, {128, 2}},
                 .dst = {R, {128, 2}, "S[(128,2):(1@tid_in_wg,1)]"}};
  declined(pairs);  // 12
  CHECK(run_copy(pairs).fact("vec_bits") == 64);
  CopyCase old{.src = {R, {256}, fragment(4)}, .dst = {S, {256}, "S[(8,4,4,2):(32,2,8,1)]"}, .target = {8, 0, 0}};
  CHECK(run_copy(old).trial("ldstmatrix")->reason.find("sm_90") != std::string::npos);  // stmatrix
  std::swap(old.src, old.dst);
  CHECK(run_copy(old).report.variant == "ldstmatrix");  // ldmatrix
}

TEST_CASE("copy: fallback, the examples of 10.4") {
  auto example = [](int number, CopyCase c, std::string guard) {
    CopyResult r = run_copy(c);
    INFO("case " << number);
    CHECK(r.report.variant == "fallback");
    CHECK(r.wrong == "");
    const auto* i = ir::as<ir::If>(r.report.body);
    CHECK((i ? ir::to_string(i->condition) : "") == guard);
    const text::Diagnostic* warning = r.diagnostics.find(dispatch::code::kFallback);
    REQUIRE(warning);
    CHECK(warning->message.find("copy/fallback") != std::string::npos);
  };
  Side g46{G, {4, 6}}, s46{S, {4, 6}}, g48{G, {4, 8}}, s48{S, {4, 8}}, g88{G, {8, 8}}, s88{S, {8, 8}};
  example(1, {.dtype = ir::kFloat32, .src = g46, .dst = s46}, "lane == 0");
  example(2, {.dtype = ir::kFloat32, .src = {G, {1, 8}}, .dst = {S, {8}}}, "lane == 0");
  example(3, {.scope = kGroup, .threads = 128, .src = g46, .dst = s46}, "tid_in_wg == 0");
  example(4, {.scope = kGroup, .threads = 128, .src = g48, .dst = s48}, "tid_in_wg == 0");
  example(5, {.scope = kCta, .threads = 256, .src = g48, .dst = s48}, "tid == 0");
  example(6, {.scope = kCta, .threads = 1024, .src = g88, .dst = s88}, "tid == 0");
  example(7, {.scope = kCta, .threads = 8, .src = g48, .dst = s48}, "tid == 0");
  example(8, {.src = {G, {10, 10}}, .dst = {S, {10, 10}}}, "lane == 0");
  example(9,
          {.scope = kCta,
           .threads = 128,
           .src = {G, {64, 64}},
           .dst = {S, {64, 64}},
           .condition = [](Expr w, Expr) { return eq(w, 2); }},
          "tid == 64");
  example(10, {.src = {S, {4, 8}}, .dst = {S, {4, 8}}}, "lane == 0");
  example(11, {.scope = kThread, .src = {G, {4, 8}}, .dst = {G, {4, 8}}}, "");
  example(14, {.src = {G, {1, 1}}, .dst = {S, {1}}}, "lane == 0");  // X14
  // Swizzled shared memory goes through its layout.
  example(15, {.src = {G, {10, 10}}, .dst = {S, {10, 10}, "Z(0,3,3) S[(10,10)]"}}, "lane == 0");
  // X13: the registers of 31 other lanes are out of reach.
  CopyResult r = run_copy({.src = {S, {16, 64}, "S[(16,64):(68,1)]"}, .dst = {R, {16, 64}, a_fragment(4)}});
  CHECK(r.report.variant == "");
  CHECK(r.trial("fallback")->outcome == dispatch::Outcome::Rejected);
}

TEST_CASE("copy: choice of variant, 10.5") {
  auto outcomes = [](const CopyResult& r) {
    std::string text;
    for (const auto& t : r.report.trials)
      text += std::string(t.variant) + " " + std::string(dispatch::outcome_name(t.outcome)) + "; ";
    return text;
  };
  CHECK(outcomes(run_copy({.src = {G, {16, 64}}, .dst = {S, {16, 64}}})) ==
        "gmem_smem chosen; ldstmatrix not_tried; reg not_tried; fallback not_tried; ");
  CHECK(outcomes(run_copy({.src = {S, {256}, "S[(8,4,4,2):(32,2,8,1)]"}, .dst = {R, {256}, fragment(4)}})) ==
        "gmem_smem rejected; ldstmatrix chosen; reg not_tried; fallback not_tried; ");
  CHECK(outcomes(run_copy({.src = {S, {32, 8}}, .dst = {R, {32, 8}, "S[(32,8):(1@laneid,1)]"}})) ==
        "gmem_smem rejected; ldstmatrix declined; reg chosen; fallback not_tried; ");
  CopyResult cluster = run_copy({.scope = kCluster, .src = {G, {16, 64}}, .dst = {S, {16, 64}}});
  CHECK(outcomes(cluster) == "gmem_smem rejected; ldstmatrix rejected; reg rejected; fallback declined; ");
  REQUIRE(cluster.diagnostics.find(dispatch::code::kNotServed));
  CHECK(cluster.dispatched.failed);
  std::string table = dispatch::failure_table(cluster.report);
  CHECK(table.starts_with("TIRx schedule dispatch failed: op=copy target=cuda\n"));
  CHECK(table.find("| gmem_smem (prio=10)  | rejected: gmem_smem_applicable — ") != std::string::npos);
  CHECK(table.find("| fallback (prio=0)    | declined — ") != std::string::npos);
  CHECK(table.find("opcall: T.cluster.copy(dst[0:16, 0:64], src[0:16, 0:64])") != std::string::npos);
  CHECK(outcomes(run_copy({.src = {G, {16, 64}}, .dst = {S, {16, 64}}, .forced = "reg"})) == "reg rejected; ");
  CopyResult unknown = run_copy({.src = {G, {16, 64}}, .dst = {S, {16, 64}}, .forced = "regs"});
  REQUIRE(unknown.diagnostics.find(dispatch::code::kUnknownVariant));
  CHECK(unknown.diagnostics.all[0].message.find("no variant named 'regs' is registered") != std::string::npos);
  CopyResult tmem = run_copy({.scope = kGroup,
                              .threads = 128,
                              .src = {StorageScope::Tmem, {128, 8}, "S[(128,8):(1@TLane,1@TCol)]"},
                              .dst = {R, {128, 8}, "S[(128,8):(1@tid_in_wg,1)]"}});
  CHECK(outcomes(tmem) == "gmem_smem rejected; ldstmatrix rejected; reg rejected; fallback rejected; ");
  CopyResult other = run_copy({.src = {G, {16, 64}}, .dst = {S, {16, 64}}, .primitive = "memset"});
  CHECK(other.diagnostics.find(dispatch::code::kNoVariants));
}

TEST_CASE("copy: conditions that part the threads (N5, N11)") {
  CopyCase c{.scope = kCta, .threads = 128, .src = {G, {64, 64}}, .dst = {S, {64, 64}}};
  c.condition = [](Expr, Expr tid) { return both(le(0, tid), lt(tid, 40)); };
  CopyResult r = run_copy(c);
  CHECK(r.report.variant == "");
  REQUIRE(r.diagnostics.find(dispatch::code::kNotServed));
  CHECK(r.trial("gmem_smem")->reason.find("tid < 40") != std::string::npos);
  c.condition = [](Expr, Expr tid) { return eq(tid / Expr(32), 0); };
  CHECK(run_copy(c).report.variant == "");
  c.scope = kWarp;
  CHECK(run_copy(c).report.variant == "gmem_smem");
  // All threads pass: nothing is lost.
  c.scope = kCta;
  c.condition = [](Expr, Expr tid) { return lt(tid / Expr(2), 64); };
  CHECK(run_copy(c).report.variant == "gmem_smem");
  // Straddling warpgroups (N9).
  CopyCase straddling{.scope = kGroup, .threads = 256, .src = {G, {64, 64}}, .dst = {S, {64, 64}}};
  straddling.condition = [](Expr w, Expr) { return both(le(2, w), lt(w, 6)); };
  CopyResult s = run_copy(straddling);
  REQUIRE(s.diagnostics.all.size() == 1);
  CHECK(s.diagnostics.all[0].code == "TW3011");
  CHECK(s.diagnostics.all[0].message == "active warps 2..5 cross a warpgroup boundary");
}

TEST_CASE("copy: CTAs of odd sizes and several dimensions") {
  CopyResult ragged = run_copy({.scope = kCta, .threads = 48, .src = {G, {8, 8}}, .dst = {S, {8, 8}}});
  CHECK(ragged.report.variant == "fallback");  // X15
  CHECK(ragged.trial("gmem_smem")->reason == "a CTA of 48 threads is not a whole number of warps");
  CHECK(ragged.wrong == "");
  KernelBuilder k;
  k.device();
  k.ids(ScopeBinding::CtaThread, {Expr(16), Expr(4)}, {"tx", "ty"});
  layout::Shape shape{16, 64};
  const ir::Buffer* g = k.buffer("A", {16, 64}, ir::kFloat16, G, layout::row_major(shape));
  const ir::Buffer* s = k.buffer("A_smem", {16, 64}, ir::kFloat16, S, layout::row_major(shape));
  k.add(k.call("copy", kCta, ir::full_region(s), ir::full_region(g)));
  Diagnostics d;
  dispatch::Dispatched out = dispatch::dispatch(k.finish(), d.context);
  REQUIRE(out.calls.size() == 1);
  CHECK(out.calls[0].variant == "gmem_smem");  // X16
  const auto* loop = ir::as<ir::For>(out.calls[0].body);
  REQUIRE(loop);
  CHECK(ir::to_string(ir::as<ir::Bind>(ir::as<ir::Seq>(loop->body)->body[0])->value).find("ty * 128") !=
        std::string::npos);
}

TEST_CASE("copy: unknown options and lost side effects") {
  KernelBuilder k;
  k.device();
  k.id(ScopeBinding::CtaThread, 32, "tid");
  layout::Shape shape{16, 64};
  const ir::Buffer* g = k.buffer("A", {16, 64}, ir::kFloat16, G, layout::row_major(shape));
  const ir::Buffer* s = k.buffer("A_smem", {16, 64}, ir::kFloat16, S, layout::row_major(shape));
  ir::ConfigItem mbar{"mbarr", {{}, Expr(1), {}}};
  k.add(k.call("copy", kWarp, ir::full_region(s), ir::full_region(g), "", {mbar}));
  Diagnostics d;
  dispatch::Dispatched out = dispatch::dispatch(k.finish(), d.context);
  CHECK(d.find(dispatch::code::kUnknownOption));
  CHECK_FALSE(out.failed);
  // No lane_id was declared: the variant's own is added, once, and only as the accepted plan needs it.
  REQUIRE(out.scope_ids.size() == 2);
  CHECK(out.scope_ids[1]->scope_id == ScopeBinding::WarpThread);
  CHECK(out.scope_ids[1]->range == ir::Interval{0, 31});
}

TEST_CASE("copy: random compact layouts under a swizzle, either direction") {
  std::mt19937 rng(7);
  auto pick = [&](int n) { return static_cast<int>(rng() % static_cast<unsigned>(n)); };
  int served = 0;
  for (int round = 0; round < 400; ++round) {
    // A shape of powers of two, and two permuted compact layouts of it.
    std::vector<std::int64_t> shape;
    int log = 0, dims = 1 + pick(4);
    for (int i = 0; i < dims; ++i) {
      int l = pick(4);
      shape.push_back(std::int64_t{1} << l);
      log += l;
    }
    if (log < 5) shape[0] <<= 5 - log;
    if (pick(4) == 0) shape.back() *= 3;
    auto compact = [&](bool permute) {
      std::vector<std::size_t> order(shape.size());
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
      if (permute) std::shuffle(order.begin(), order.end(), rng);
      std::vector<std::int64_t> strides(shape.size());
      std::int64_t stride = 1;
      for (std::size_t i = order.size(); i-- > 0;) strides[order[i]] = stride, stride *= shape[order[i]];
      std::string a, b;
      for (std::size_t i = 0; i < shape.size(); ++i) {
        a += (i ? "," : "") + std::to_string(shape[i]);
        b += (i ? "," : "") + std::to_string(strides[i]);
      }
      return "S[(" + a + "):(" + b + ")]";
    };
    std::string z = pick(3) ? "Z(" + std::to_string(pick(4)) + "," + std::to_string(pick(4)) + ",3) " : "";
    CopyCase c{.scope = kWarp,
               .dtype = pick(2) ? ir::kFloat16 : ir::kFloat32,
               .src = {G, shape, compact(pick(2))},
               .dst = {S, shape, z + compact(pick(2))}};
    if (pick(3) == 0) c.scope = kThread;
    if (pick(2)) std::swap(c.src, c.dst);
    CopyResult r = run_copy(c);
    INFO(c.src.layout << " -> " << c.dst.layout << ": " << r.report.summary);
    CHECK(r.wrong == "");
    served += r.report.variant == "gmem_smem";
  }
  CHECK(served > 350);
}

TEST_CASE("copy: random register rows") {
  std::mt19937 rng(11);
  auto pick = [&](int n) { return static_cast<int>(rng() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 300; ++round) {
    std::int64_t a = std::int64_t{1} << pick(3), b = std::int64_t{1} << pick(4);
    // Registers (a, 32 lanes, b) with either memory order; memory with a pitch or a swizzle.
    std::string reg =
        pick(2) ? "S[(" + std::to_string(a) + ",32," + std::to_string(b) + "):(" + std::to_string(b) + ",1@laneid,1)]"
                : "S[(" + std::to_string(a) + ",32," + std::to_string(b) + "):(1,1@laneid," + std::to_string(a) + ")]";
    std::int64_t pitch = b + (pick(2) ? std::int64_t{4} * pick(3) : 0);
    std::string mem = "S[(" + std::to_string(a) + ",32," + std::to_string(b) + "):(" + std::to_string(32 * pitch) +
                      "," + std::to_string(pitch) + ",1)]";
    if (pitch == b && pick(2)) mem = "Z(" + std::to_string(pick(4)) + "," + std::to_string(1 + pick(3)) + ",3) " + mem;
    CopyCase c{.dtype = pick(2) ? ir::kFloat16 : ir::kUInt8, .src = {S, {a, 32, b}, mem}, .dst = {R, {a, 32, b}, reg}};
    if (pick(2)) std::swap(c.src, c.dst);
    CopyResult r = run_copy(c);
    INFO(c.src.layout << " -> " << c.dst.layout << ": " << r.report.summary);
    if (a * b == 1) {  // one element a thread: the reference's plan fails there, so ours declines
      CHECK(r.report.variant != "reg");
      continue;
    }
    // Rows of two 16-bit elements are fragments as well, where their addresses allow it.
    CHECK((r.report.variant == "reg" || (r.report.variant == "ldstmatrix" && b == 2)));
    CHECK(r.wrong == "");
  }
}

TEST_CASE("copy: random fragments, pitches, swizzles and starts") {
  std::mt19937 rng(13);
  auto pick = [&](int n) { return static_cast<int>(rng() % static_cast<unsigned>(n)); };
  int matrices = 0, served = 0;
  for (int round = 0; round < 300; ++round) {
    const bool group = pick(3) == 0;
    const int k = 1 << pick(3);
    const std::int64_t rows = group ? 64 : 16, columns = 16 * k;
    std::string reg = group
                          ? "S[(4,2,8," + std::to_string(2 * k) + ",4,2):(32@tid_in_wg,2,4@tid_in_wg,4,1@tid_in_wg,1)]"
                          : a_fragment(k);
    // A window of a taller, wider tile, row- or column-major, with a pitch or a swizzle.
    const std::int64_t tall = rows * (1 + pick(2)), wide = columns * (1 + pick(2));
    const bool transposed = pick(3) == 0;
    const std::int64_t inner = transposed ? tall : wide, pitch = inner + 4 * pick(5);
    std::string mem = "S[(" + std::to_string(tall) + "," + std::to_string(wide) +
                      "):" + (transposed ? "(1," + std::to_string(pitch) : "(" + std::to_string(pitch) + ",1") + ")]";
    if (pick(2)) mem = "Z(" + std::to_string(2 + pick(3)) + "," + std::to_string(pick(4)) + ",3) " + mem;
    const std::int64_t row = (tall - rows) / 8 * pick(9), column = (wide - columns) / 4 * pick(5);
    CopyCase c{.scope = group ? kGroup : kWarp,
               .threads = 128,
               .src = {S, {tall, wide}, mem, {{row, row + rows}, {column, column + columns}}},
               .dst = {R, {rows, columns}, reg}};
    if (pick(2)) std::swap(c.src, c.dst);
    CopyResult r = run_copy(c);
    INFO(c.src.layout << " -> " << c.dst.layout << ": " << r.report.summary);
    CHECK(r.wrong == "");
    served += !r.report.variant.empty();
    matrices += r.report.variant == "ldstmatrix";
  }
  CHECK(matrices > 60);
  CHECK(served == matrices);  // only matrices have such fragments
}

TEST_CASE("dispatch: time a call", "[.time]") {
  KernelBuilder k;
  k.device();
  k.id(ScopeBinding::WarpThread, 32, "lane");
  const Var* tid = k.id(ScopeBinding::CtaThread, 128, "tid");
  (void)tid;
  layout::Shape shape{64, 64}, rows{128, 64};
  const ir::Buffer* g = k.buffer("A", {64, 64}, ir::kFloat16, G, layout::row_major(shape));
  const ir::Buffer* s = k.buffer("A_smem", {64, 64}, ir::kFloat16, S, parse_layout("Z(3,3,3) S[(64,64)]"));
  const ir::Buffer* t = k.buffer("C_smem", {128, 64}, ir::kFloat16, S, parse_layout("Z(3,3,3)"));
  const ir::Buffer* r = k.buffer("C", {128, 64}, ir::kFloat16, R, parse_layout("S[(128,64):(1@tid_in_wg,1)]"));
  const ir::Buffer* m = k.buffer("M_smem", {64, 64}, ir::kFloat16, S, parse_layout("Z(3,3,3)"));
  const ir::Buffer* f = k.buffer("F", {64, 64}, ir::kFloat16, R,
                                 parse_layout("S[(4,2,8,8,4,2):(32@tid_in_wg,2,4@tid_in_wg,4,1@tid_in_wg,1)]"));
  constexpr int kCalls = 300;
  struct Kind {
    const char* name;
    ExecScope scope;
    const ir::Buffer *dst, *src;
  };
  for (Kind kind : {Kind{"gmem_smem", kCta, s, g}, Kind{"reg", kGroup, t, r}, Kind{"ldstmatrix", kGroup, f, m}}) {
    KernelBuilder one;
    one.device();
    one.id(ScopeBinding::WarpThread, 32, "lane");
    one.id(ScopeBinding::CtaThread, 128, "tid");
    for (int i = 0; i < kCalls; ++i)
      one.add(one.call("copy", kind.scope, ir::full_region(kind.dst), ir::full_region(kind.src)));
    const ir::Kernel& kernel = one.finish();
    Diagnostics d;
    dispatch::dispatch(kernel, d.context);
    double took = 1e9;  // processor time, the best of a few: the machine may be busy
    for (int i = 0; i < 7; ++i) {
      std::clock_t start = std::clock();
      dispatch::Dispatched out = dispatch::dispatch(kernel, d.context);
      took = std::min(took, 1e6 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
      REQUIRE(out.calls[0].variant == kind.name);
    }
    WARN(kind.name << ": " << took / kCalls << " us a call");
    CHECK(took / kCalls < 100);
  }
}
