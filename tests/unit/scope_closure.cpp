// The closure table of scope.md 2.1 with its notes, and launch dimensions.
#include "compiler/scope/closure.h"
#include "compiler/scope/codes.h"
#include "tests/unit/catch.h"
#include "tests/unit/kernel_builder.h"

using namespace tilewright;
using namespace tilewright::testing;
using ir::ScopeBinding;
namespace code = scope::code;

namespace {

struct Declared {
  ScopeBinding binding;
  std::vector<std::int64_t> extents;  // empty: deferred
};

struct Closed {
  scope::Closure closure;
  std::string code;  // of the first error
  std::string message;
};

Closed close(const std::vector<Declared>& list) {
  KernelBuilder k;
  k.device();
  for (const Declared& d : list) {
    std::vector<Expr> extents(d.extents.begin(), d.extents.end());
    k.ids(d.binding, extents);
  }
  Diagnostics diagnostics;
  Closed out{scope::close_scope_ids(k.finish(), diagnostics.context), "", ""};
  if (!diagnostics.all.empty()) out.code = diagnostics.all[0].code, out.message = diagnostics.all[0].message;
  CHECK(out.closure.failed == !diagnostics.all.empty());
  CHECK(diagnostics.all.size() <= 1);
  return out;
}

constexpr auto cluster = ScopeBinding::KernelCluster, cta = ScopeBinding::KernelCta,
               in_cluster = ScopeBinding::ClusterCta, wg = ScopeBinding::CtaWarpgroup, warp = ScopeBinding::CtaWarp,
               warp_in_wg = ScopeBinding::WarpgroupWarp, lane = ScopeBinding::WarpThread,
               thread = ScopeBinding::CtaThread, thread_in_wg = ScopeBinding::WarpgroupThread,
               pair = ScopeBinding::ClusterCtaPair;

std::int64_t extent(const Closed& c, ScopeBinding b) {
  const scope::Binding& known = c.closure[b];
  return known.known && known.extent.is_constant() ? known.extent.value() : -1;
}

}  // namespace

TEST_CASE("closure: the table of scope.md 2.1") {
  SECTION("thread count from warps and lanes") {
    Closed c = close({{warp, {4}}, {lane, {32}}, {thread, {}}});
    CHECK(c.code == "");
    CHECK(extent(c, thread) == 128);
  }
  SECTION("64 against 128 threads") {
    Closed c = close({{cta, {32}}, {warp, {2}}, {lane, {32}}, {thread, {128}}});
    CHECK(c.code == code::kInconsistent);
    CHECK(c.message.find("64") != std::string::npos);
    CHECK(c.message.find("128") != std::string::npos);
  }
  SECTION("clusters that fit the grid") {
    Closed c = close({{cta, {8, 10, 12}}, {in_cluster, {2, 2, 1}}, {cluster, {4, 5, 12}}, {thread, {32}}});
    CHECK(c.code == "");
    CHECK(extent(c, cta) == 960);
  }
  SECTION("clusters that do not") {
    CHECK(close({{cta, {8, 10, 12}}, {in_cluster, {2, 2, 1}}, {cluster, {3, 5, 12}}}).code == code::kInconsistent);
  }
  SECTION("warps that do not divide threads") {
    Closed c = close({{warp, {3}}, {thread, {100}}});
    CHECK(c.code == code::kNotDivisible);
    CHECK(c.message.find("100") != std::string::npos);
  }
  SECTION("a cluster larger than the grid") {
    CHECK(close({{in_cluster, {2, 2}}, {cta, {1}}, {thread, {128}}}).code == code::kNotDivisible);
  }
  SECTION("nothing says the grid") {
    Closed c = close({{cta, {}}, {thread, {128}}});
    CHECK(c.code == code::kNotInferred);
    CHECK(c.message.find("binding 1") != std::string::npos);
  }
  SECTION("a warp has 32 lanes (N1; the reference cannot infer this one)") {
    Closed c = close({{cta, {1}}, {thread, {128}}, {lane, {}}});
    CHECK(c.code == "");
    CHECK(extent(c, lane) == 32);
  }
  SECTION("lanes from threads and warps") {
    Closed c = close({{cta, {1}}, {thread, {128}}, {warp, {4}}, {lane, {}}});
    CHECK(c.code == "");
    CHECK(extent(c, lane) == 32);
  }
  SECTION("everything from warpgroups") {
    Closed c = close({{wg, {3}}, {warp_in_wg, {4}}, {lane, {32}}});
    CHECK(c.code == "");
    CHECK(extent(c, warp) == 12);
    CHECK(extent(c, thread) == 384);
    CHECK(extent(c, thread_in_wg) == 128);
  }
  SECTION("a late contradiction") {
    CHECK(close({{warp, {4}}, {lane, {32}}, {thread, {}}, {thread, {64}}}).code == code::kInconsistent);
  }
  SECTION("preferred of another size") {
    KernelBuilder k;
    k.device();
    k.ids(in_cluster, {2, 1}, {}, {2});
    Diagnostics d;
    scope::close_scope_ids(k.finish(), d.context);
    CHECK(d.find(code::kPreferred));
  }
  SECTION("no threads") { CHECK(close({{cta, {32}}}).code == code::kNoThreads); }
  SECTION("a pair without a cluster") { CHECK(close({{thread, {32}}, {pair, {}}}).code == code::kPairWithoutCluster); }
}

TEST_CASE("closure: rules of declarations and hardware") {
  CHECK(close({{lane, {16}}}).code == code::kHardware);
  CHECK(close({{warp_in_wg, {8}}, {thread, {256}}}).code == code::kHardware);
  CHECK(close({{thread_in_wg, {64}}, {thread, {128}}}).code == code::kHardware);
  CHECK(close({{warp, {2, 2}}}).code == code::kMalformed);
  CHECK(close({{thread, {48}}, {lane, {}}}).code == code::kThreadCount);
  CHECK(close({{thread, {48}}}).code == "");
  CHECK(close({{thread, {8}}}).code == "");
  CHECK(close({{thread, {0}}}).code == code::kThreadCount);
  CHECK(close({{thread, {2048}}}).code == code::kThreadCount);
  CHECK(close({{thread, {64, 2}}, {thread, {128}}}).code == code::kShapeRedeclared);
  CHECK(close({{cta, {4}}, {in_cluster, {1}}, {thread, {32}}}).code == "");
  CHECK(close({{cta, {4, 4}}, {in_cluster, {1, 16}}, {thread, {32}}}).code == code::kGridNotDivisible);
}

TEST_CASE("closure: ids of the host part are refused (N14)") {
  KernelBuilder k;
  k.id(cta, 4);
  k.device();
  k.id(thread, 32);
  Diagnostics d;
  CHECK(scope::close_scope_ids(k.finish(), d.context).failed);
  CHECK(d.find(code::kOnHost));
}

TEST_CASE("closure: launch and ranges") {
  SECTION("grid, block, cluster") {
    KernelBuilder k;
    k.device();
    auto grid = k.ids(cta, {8, 10, 12}, {"bx", "by", "bz"});
    k.ids(in_cluster, {2, 2, 1}, {}, {4, 2, 1});
    k.id(warp, 4);
    const Var* l = k.deferred(lane);
    Diagnostics d;
    scope::Closure c = scope::close_scope_ids(k.finish(), d.context);
    REQUIRE(d.all.empty());
    CHECK(c.launch.threads() == 128);
    CHECK(c.launch.has_cluster);
    CHECK(c.launch.has_preferred);
    CHECK(ir::is_constant(c.launch.preferred[0], 4));
    CHECK(ir::is_constant(c.launch.grid[1], 10));
    CHECK(ir::is_constant(c.launch.cluster[2], 1));
    CHECK(c.range(grid[2]) == ir::Interval{0, 11});
    CHECK(c.range(l) == ir::Interval{0, 31});
  }
  SECTION("a cluster alone is the grid (N2)") {
    Closed c = close({{in_cluster, {4, 2}}, {thread, {32}}});
    CHECK(ir::is_constant(c.closure.launch.grid[0], 4));
    CHECK(ir::is_constant(c.closure.launch.grid[1], 2));
    CHECK(c.closure.launch.has_grid);
  }
  SECTION("clusters times their CTAs, dimension by dimension") {
    Closed c = close({{cluster, {3, 5}}, {in_cluster, {2, 1}}, {thread, {32}}});
    CHECK(ir::is_constant(c.closure.launch.grid[0], 6));
    CHECK(ir::is_constant(c.closure.launch.grid[1], 5));
  }
  SECTION("a cluster of one CTA is none (N3)") {
    Closed c = close({{cta, {4}}, {in_cluster, {1}}, {thread, {32}}});
    CHECK_FALSE(c.closure.launch.has_cluster);
  }
  SECTION("symbolic extents") {
    KernelBuilder k;
    const Var* n = ir::make_var("n", ir::kInt32, ir::VarRole::Extent);
    k.device();
    k.id(cta, Expr(n) / Expr(64));
    k.id(cta, Expr(n) / Expr(64));
    const Var* t = k.id(thread, 64);
    Diagnostics d;
    scope::Closure c = scope::close_scope_ids(k.finish(), d.context);
    CHECK(d.all.empty());
    CHECK(c.range(t) == ir::Interval{0, 63});
    CHECK_FALSE(c[cta].extent.is_constant());
  }
}
