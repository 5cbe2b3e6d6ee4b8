// The worked examples of scope.md 9, and the active set against every thread of random kernels.
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "compiler/scope/closure.h"
#include "compiler/scope/tracker.h"
#include "tests/unit/catch.h"
#include "tests/unit/kernel_builder.h"

using namespace tilewright;
using namespace tilewright::testing;
using ir::ExecScope;
using ir::ScopeBinding;

namespace {

std::string box_text(const scope::Box& box) {
  std::string text;
  for (const auto& [axis, r] : box) {
    if (!text.empty()) text += ", ";
    text += std::string(scope::axis_name(axis)) + " (" + std::to_string(r.extent) + "," +
            (r.elected ? "sel" : std::to_string(r.offset)) + (r.stride != 1 ? "," + std::to_string(r.stride) : "") +
            ")";
  }
  return text;
}

// scope.md 7.3, "all threads active", by the ranges alone.
bool full(const scope::CallScope& s, std::int64_t threads) {
  auto is = [&](scope::ActiveAxis axis, std::int64_t n) {
    const scope::ActiveRange* r = scope::find(s.intra, axis);
    return r && !r->elected && r->extent == n && r->offset == 0;
  };
  switch (s.kind) {
    case ExecScope::Thread: return true;
    case ExecScope::Warp: return is(scope::ActiveAxis::laneid, 32);
    case ExecScope::Warpgroup: return is(scope::ActiveAxis::laneid, 32) && is(scope::ActiveAxis::wid_in_wg, 4);
    case ExecScope::Cta: return is(scope::ActiveAxis::laneid, 32) && is(scope::ActiveAxis::warpid, threads / 32);
    default: return false;
  }
}

// The five kernels of scope.md 9.
struct Example {
  KernelBuilder k;
  std::map<std::string, const Var*> v;
  const Var* n = ir::make_var("n", ir::kInt32, ir::VarRole::Parameter);
  scope::Closure closure;

  explicit Example(int which) {
    k.device();
    auto one = [&](ScopeBinding b, int extent, const char* name) { v[name] = k.id(b, extent, name); };
    switch (which) {
      case 1:
        one(ScopeBinding::KernelCta, 1, "bx");
        one(ScopeBinding::CtaWarp, 4, "w");
        one(ScopeBinding::WarpThread, 32, "l");
        one(ScopeBinding::CtaThread, 128, "tid");
        break;
      case 2:
        one(ScopeBinding::KernelCta, 1, "bx");
        one(ScopeBinding::CtaWarpgroup, 3, "wg");
        one(ScopeBinding::WarpgroupWarp, 4, "wi");
        one(ScopeBinding::WarpThread, 32, "l");
        one(ScopeBinding::WarpgroupThread, 128, "t");
        break;
      case 3: {
        auto grid = k.ids(ScopeBinding::KernelCta, {4, 6}, {"bx", "by"});
        v["bx"] = grid[0], v["by"] = grid[1];
        one(ScopeBinding::CtaWarp, 8, "w");
        one(ScopeBinding::WarpThread, 32, "l");
        break;
      }
      case 4:
        one(ScopeBinding::KernelCta, 8, "bx");
        one(ScopeBinding::ClusterCta, 4, "r");
        v["p"] = k.deferred(ScopeBinding::ClusterCtaPair, "p");
        one(ScopeBinding::CtaWarp, 8, "w");
        one(ScopeBinding::WarpThread, 32, "l");
        one(ScopeBinding::CtaThread, 256, "tid");
        break;
      case 5: {
        auto ranks = k.ids(ScopeBinding::ClusterCta, {4, 2}, {"cx", "cy"});
        v["cx"] = ranks[0], v["cy"] = ranks[1];
        v["p"] = k.deferred(ScopeBinding::ClusterCtaPair, "p");
        one(ScopeBinding::CtaThread, 32, "tid");
        break;
      }
    }
    Diagnostics d;
    closure = scope::close_scope_ids(k.finish(), d.context);
    REQUIRE(d.all.empty());
  }
  Expr operator[](const char* name) { return v.at(name); }

  scope::Tracker tracker() {
    scope::Tracker t(closure);
    for (const ir::ScopeIds* ids : closure.declarations) t.seen(ids);
    return t;
  }
  // A call below nested conditions; a null expression in front of one means its else-branch.
  scope::CallScope at(std::vector<Expr> conditions, ExecScope kind, bool otherwise = false) {
    scope::Tracker t = tracker();
    for (Expr c : conditions) {
      const auto* s = static_cast<const ir::If*>(KernelBuilder::when(c, nullptr));
      otherwise ? t.enter_else(s) : t.enter_then(s);
    }
    return t.at_call(kind);
  }
};

Expr in(int lo, Expr v, int hi) { return both(le(lo, v), lt(v, hi)); }

}  // namespace

TEST_CASE("active set: the worked examples of scope.md 9") {
  constexpr auto T = ExecScope::Thread, W = ExecScope::Warp, G = ExecScope::Warpgroup, C = ExecScope::Cta,
                 L = ExecScope::Cluster;
  auto row = [](int number, int kernel, std::vector<Expr> (*conditions)(Example&), ExecScope kind, std::string inter,
                std::string intra, int is_full, bool otherwise = false) {
    Example e(kernel);
    scope::CallScope s = e.at(conditions(e), kind, otherwise);
    INFO("row " << number);
    CHECK(box_text(s.inter) == inter);
    CHECK(box_text(s.intra) == intra);
    if (is_full >= 0) CHECK(full(s, *e.closure.launch.threads()) == (is_full == 1));
    CHECK(s.failure.empty() == (number != 33));
  };
  using E = Example;
  using V = std::vector<Expr>;
  auto none = [](E&) { return V{}; };
  row(1, 1, none, T, "laneid (32,0), warpid (4,0), cta_id (1,0)", "", 1);
  row(2, 1, none, W, "warpid (4,0), cta_id (1,0)", "laneid (32,0)", 1);
  row(3, 1, none, G, "wgid (1,0), cta_id (1,0)", "laneid (32,0), wid_in_wg (4,0)", 1);
  row(4, 1, none, C, "cta_id (1,0)", "laneid (32,0), warpid (4,0)", 1);
  row(5, 1, none, L, "", "laneid (32,0), warpid (4,0), cta_id (1,0)", -1);
  row(6, 1, [](E& e) { return V{eq(e["w"], 0)}; }, W, "warpid (1,0), cta_id (1,0)", "laneid (32,0)", 1);
  row(7, 1, [](E& e) { return V{eq(e["w"], 0)}; }, C, "cta_id (1,0)", "laneid (32,0), warpid (1,0)", 0);
  row(8, 1, [](E& e) { return V{eq(e["w"], 2)}; }, G, "wgid (1,0), cta_id (1,0)", "laneid (32,0), wid_in_wg (1,2)", 0);
  row(9, 1, [](E& e) { return V{lt(e["l"], 16)}; }, W, "warpid (4,0), cta_id (1,0)", "laneid (16,0)", 0);
  row(10, 1, [](E& e) { return V{eq(e["tid"], 37)}; }, T, "laneid (1,5), warpid (1,1), cta_id (1,0)", "", 1);
  row(11, 1, [](E& e) { return V{in(0, e["tid"], 64)}; }, C, "cta_id (1,0)", "laneid (32,0), warpid (2,0)", 0);
  row(12, 1, [](E& e) { return V{lt(e["tid"], 32)}; }, W, "warpid (1,0), cta_id (1,0)", "laneid (32,0)", 1);
  row(13, 1, [](E& e) { return V{ge(e["tid"], 96)}; }, W, "warpid (1,3), cta_id (1,0)", "laneid (32,0)", 1);
  row(14, 1, [](E& e) { return V{in(0, e["tid"], 40)}; }, C, "cta_id (1,0)", "laneid (32,0), warpid (4,0)", 1);
  row(
      15, 1, [](E& e) { return V{both(eq(e["w"], 0), truth(elect()))}; }, T,
      "laneid (1,sel), warpid (1,0), cta_id (1,0)", "", 1);
  row(16, 1, [](E&) { return V{elect()}; }, W, "warpid (4,0), cta_id (1,0)", "laneid (1,sel)", 0);
  row(17, 1, [](E& e) { return V{elect(), eq(e["w"], 3)}; }, T, "laneid (1,sel), warpid (1,3), cta_id (1,0)", "", 1);
  row(
      18, 1, [](E& e) { return V{either(eq(e["w"], 0), eq(e["w"], 1))}; }, W, "warpid (4,0), cta_id (1,0)",
      "laneid (32,0)", 1);
  row(19, 1, [](E& e) { return V{eq(e["w"], 0), eq(e["w"], 1)}; }, W, "warpid (1,0), cta_id (1,0)", "laneid (32,0)", 1);
  row(20, 1, [](E& e) { return V{lt(e["w"] - Expr(1), 2)}; }, W, "warpid (3,0), cta_id (1,0)", "laneid (32,0)", 1);
  row(
      21, 1, [](E& e) { return V{ir::binary(ExprKind::BitAnd, eq(e["w"], 1), gt(e.n, 3))}; }, W,
      "warpid (1,1), cta_id (1,0)", "laneid (32,0)", 1);
  row(22, 1, [](E& e) { return V{eq(e["tid"] / Expr(32), 0)}; }, C, "cta_id (1,0)", "laneid (32,0), warpid (4,0)", 1);
  // N5: the reference keeps all four warps here.
  row(23, 1, [](E& e) { return V{eq(e["w"], 0)}; }, C, "cta_id (1,0)", "laneid (32,0), warpid (3,1)", 0, true);
  row(
      24, 2, [](E& e) { return V{eq(e["wg"], 1)}; }, G, "wgid (1,1), cta_id (1,0)", "laneid (32,0), wid_in_wg (4,0)",
      1);
  row(
      25, 2, [](E& e) { return V{lt(e["wg"], 2)}; }, G, "wgid (2,0), cta_id (1,0)", "laneid (32,0), wid_in_wg (4,0)",
      1);
  row(26, 2, [](E& e) { return V{lt(0, e["wg"])}; }, C, "cta_id (1,0)", "laneid (32,0), warpid (8,4)", 0);
  row(27, 2, [](E& e) { return V{eq(e["wi"], 0)}; }, W, "warpid (12,0), cta_id (1,0)", "laneid (32,0)", 1);
  row(
      28, 2, [](E& e) { return V{both(eq(e["wi"], 1), eq(e["wg"], 2))}; }, W, "warpid (1,9), cta_id (1,0)",
      "laneid (32,0)", 1);
  row(
      29, 2, [](E& e) { return V{eq(e["wi"], 0), eq(e["wg"], 0)}; }, W, "warpid (4,0), cta_id (1,0)", "laneid (32,0)",
      1);
  row(
      30, 2, [](E& e) { return V{eq(e["wg"], 1), lt(e["wi"], 2)}; }, G, "wgid (1,1), cta_id (1,0)",
      "laneid (32,0), wid_in_wg (2,0)", 0);
  row(
      31, 2, [](E& e) { return V{eq(e["wg"], 1), in(32, e["t"], 64)}; }, G, "wgid (1,1), cta_id (1,0)",
      "laneid (32,0), wid_in_wg (1,1)", 0);
  row(
      32, 2, [](E& e) { return V{in(0, e["t"], 64)}; }, G, "wgid (3,0), cta_id (1,0)", "laneid (32,0), wid_in_wg (4,0)",
      1);
  row(33, 3, [](E& e) { return V{in(2, e["w"], 6)}; }, G, "", "", 0);
  row(34, 3, [](E& e) { return V{in(2, e["w"], 6)}; }, W, "warpid (4,2), bx (4,0), by (6,0)", "laneid (32,0)", 1);
  row(
      35, 3, [](E& e) { return V{eq(e["by"] % Expr(2), 1)}; }, C, "bx (4,0), by (3,1,2)", "laneid (32,0), warpid (8,0)",
      1);
  row(
      36, 3, [](E& e) { return V{ge(e["w"], 4)}; }, G, "wgid (1,1), bx (4,0), by (6,0)",
      "laneid (32,0), wid_in_wg (4,0)", 1);
  row(37, 4, none, L, "", "laneid (32,0), warpid (8,0), cta_id (4,0)", -1);
  row(38, 4, [](E& e) { return V{eq(e["bx"], 0)}; }, C, "cta_id (4,0)", "laneid (32,0), warpid (8,0)", 1);
  row(
      39, 4, [](E& e) { return V{ge(e["r"], 1), eq(e["p"], 0)}; }, C, "cta_id (1,2,2)", "laneid (32,0), warpid (8,0)",
      1);
  row(
      40, 4, [](E& e) { return V{both(both(eq(e["r"], 3), eq(e["w"], 0)), truth(elect()))}; }, T,
      "laneid (1,sel), warpid (1,0), cta_id (1,3)", "", 1);
  row(41, 5, [](E& e) { return V{eq(e["p"], 1)}; }, C, "cbx (2,1,2), cby (2,0)", "laneid (32,0), warpid (1,0)", 1);
  row(
      42, 5, [](E& e) { return V{ge(e["cx"], 1), eq(e["p"], 0)}; }, C, "cbx (1,2,2), cby (2,0)",
      "laneid (32,0), warpid (1,0)", 1);
}

TEST_CASE("active set: conditions that part the threads of a call (N11)") {
  Example e(1);
  auto parted = [&](Expr c, ExecScope kind, bool otherwise = false) {
    scope::CallScope s = e.at({c}, kind, otherwise);
    return scope::dividing_condition(s) != nullptr;
  };
  CHECK(parted(in(0, e["tid"], 40), ExecScope::Cta));
  CHECK(parted(in(0, e["tid"], 40), ExecScope::Warp));
  CHECK(parted(eq(e["tid"] / Expr(32), 0), ExecScope::Cta));
  CHECK_FALSE(parted(eq(e["tid"] / Expr(32), 0), ExecScope::Warp));  // evaluated: the same in each warp
  CHECK(parted(either(eq(e["w"], 0), eq(e["w"], 1)), ExecScope::Cta));
  CHECK_FALSE(parted(either(eq(e["w"], 0), eq(e["w"], 1)), ExecScope::Warp));
  CHECK(parted(eq(e["tid"] % Expr(2), 0), ExecScope::Warp));
  CHECK_FALSE(parted(gt(e.n, 3), ExecScope::Cta));
  CHECK(parted(truth(elect()), ExecScope::Warp, true));
  // True for every thread: nothing to remember.
  CHECK(e.at({lt(e["tid"] / Expr(2), 64)}, ExecScope::Cta).inexact.empty());
  // A runtime extent is no proof, only a note.
  scope::CallScope s = e.at({lt(e["tid"], e.n)}, ExecScope::Cta);
  REQUIRE(s.inexact.size() == 1);
  CHECK_FALSE(s.inexact[0].provably_divergent);
  // Exponential graphs are looked at for a while only.
  Expr x = e["tid"];
  for (int i = 0; i < 60; ++i) x = x + x;
  e.at({lt(x, 7)}, ExecScope::Cta);
  Expr y = e["tid"] % Expr(7);
  for (int i = 0; i < 60; ++i) y = ir::binary(ExprKind::BitXor, y, ir::binary(ExprKind::BitOr, y, Expr(1)));
  e.at({lt(y, 7)}, ExecScope::Cta);
}

TEST_CASE("active set: other forms of elect_sync (N6)") {
  Example e(1);
  auto lanes = [&](Expr c) { return box_text(e.at({c}, ExecScope::Thread).inter); };
  CHECK(lanes(ne(elect(), ir::int_imm(ir::kUInt32, 0))) == "laneid (1,sel), warpid (4,0), cta_id (1,0)");
  CHECK(lanes(eq(elect(), ir::int_imm(ir::kUInt32, 1))) == "laneid (1,sel), warpid (4,0), cta_id (1,0)");
  CHECK(lanes(eq(elect(), ir::int_imm(ir::kUInt32, 0))) == "laneid (32,0), warpid (4,0), cta_id (1,0)");
  CHECK(lanes(ir::binary(ExprKind::BitAnd, ir::cast(ir::kUInt32, eq(e["w"], 2)), elect())) ==
        "laneid (1,sel), warpid (1,2), cta_id (1,0)");
  CHECK(lanes(either(eq(e["w"], 0), truth(elect()))) == "laneid (32,0), warpid (4,0), cta_id (1,0)");
}

TEST_CASE("active set: small and unknown CTAs") {
  auto entry = [](Expr threads) {
    KernelBuilder k;
    k.device();
    k.id(ScopeBinding::CtaThread, threads);
    Diagnostics d;
    scope::Closure c = scope::close_scope_ids(k.finish(), d.context);
    return box_text(scope::Tracker(c).at_call(ExecScope::Cta).intra);
  };
  CHECK(entry(8) == "laneid (8,0), warpid (1,0)");  // N4
  CHECK(entry(48) == "laneid (32,0), warpid (2,0)");
  Arena arena;
  ArenaScope scope(arena);
  CHECK(entry(ir::make_var("n", ir::kInt32, ir::VarRole::Extent)) == "");
}

namespace {

// One thread, and an evaluation of conditions for it that knows nothing of boxes.
struct At {
  std::int64_t grid[2], rank[2], warp, lane, elected, threads;
  std::int64_t cluster_x = 1, n = 10;

  std::int64_t value(Expr e) const {
    if (const std::int64_t* c = ir::constant(e)) return *c;
    if (const Var* v = e.as<Var>()) {
      std::int64_t tid = warp * 32 + lane;
      switch (v->scope_id) {
        case ScopeBinding::KernelCta: return grid[v->dimension];
        case ScopeBinding::ClusterCta: return rank[v->dimension];
        case ScopeBinding::ClusterCtaPair: return (rank[0] + rank[1] * cluster_x) % 2;
        case ScopeBinding::CtaWarpgroup: return warp / 4;
        case ScopeBinding::CtaWarp: return warp;
        case ScopeBinding::WarpgroupWarp: return warp % 4;
        case ScopeBinding::WarpThread: return lane;
        case ScopeBinding::CtaThread: return tid;
        case ScopeBinding::WarpgroupThread: return tid % 128;
        default: return n;  // the parameter
      }
    }
    if (e.as<ir::Call>()) return lane == elected;
    if (const auto* c = e.as<ir::Cast>()) return value(c->value);
    if (const auto* u = e.as<ir::Unary>()) return !value(u->a);
    const auto* b = e.as<ir::Binary>();
    REQUIRE(b);
    std::int64_t x = value(b->a), y = value(b->b);
    switch (e.kind()) {
      case ExprKind::Add: return x + y;
      case ExprKind::Sub: return x - y;
      case ExprKind::FloorDiv: return x / y;  // ids are not negative
      case ExprKind::FloorMod: return x % y;
      case ExprKind::EQ: return x == y;
      case ExprKind::NE: return x != y;
      case ExprKind::LT: return x < y;
      case ExprKind::LE: return x <= y;
      case ExprKind::GT: return x > y;
      case ExprKind::GE: return x >= y;
      case ExprKind::And: return x && y;
      case ExprKind::Or: return x || y;
      default: FAIL("unexpected operator"); return 0;
    }
  }
};

bool holds(const scope::ActiveRange& r, std::int64_t x, std::int64_t elected) {
  if (r.elected) return x == elected;
  std::int64_t i = x - r.offset;
  return i >= 0 && i % r.stride == 0 && i / r.stride < r.extent;
}

}  // namespace

TEST_CASE("active set: contains every thread of random kernels, and is equal where it says so") {
  std::mt19937 rng(20260101);
  auto pick = [&](int n) { return static_cast<int>(rng() % static_cast<unsigned>(n)); };
  int exact = 0, runs = 0;
  for (int round = 0; round < 1500; ++round) {
    KernelBuilder k;
    k.device();
    const bool clustered = pick(2);
    const std::int64_t warps = std::vector<std::int64_t>{1, 2, 4, 6, 8, 12}[static_cast<std::size_t>(pick(6))];
    std::int64_t cx = 1, cy = 1, gx = 1 + pick(4), gy = 1 + pick(3);
    std::vector<const Var*> ids;
    bool two = pick(2);
    if (!two) gy = 1;
    if (clustered) {
      cx = 1 + pick(4), cy = two ? 1 + pick(3) : 1;
      if (cx * cy == 1) cx = 2;
      gx = cx * (1 + pick(2)), gy = cy;
      for (const Var* v : two ? k.ids(ScopeBinding::ClusterCta, {cx, cy}, {"cx", "cy"})
                              : k.ids(ScopeBinding::ClusterCta, {cx}, {"cx"}))
        ids.push_back(v);
      ids.push_back(k.deferred(ScopeBinding::ClusterCtaPair, "p"));
    }
    for (const Var* v :
         two ? k.ids(ScopeBinding::KernelCta, {gx, gy}, {"bx", "by"}) : k.ids(ScopeBinding::KernelCta, {gx}, {"bx"}))
      ids.push_back(v);
    ids.push_back(k.id(ScopeBinding::CtaWarp, warps, "w"));
    ids.push_back(k.id(ScopeBinding::WarpThread, 32, "l"));
    ids.push_back(k.deferred(ScopeBinding::CtaThread, "tid"));
    if (warps % 4 == 0) {
      ids.push_back(k.id(ScopeBinding::CtaWarpgroup, warps / 4, "wg"));
      ids.push_back(k.deferred(ScopeBinding::WarpgroupWarp, "wi"));
      ids.push_back(k.deferred(ScopeBinding::WarpgroupThread, "t"));
    }
    const Var* n = ir::make_var("n", ir::kInt32, ir::VarRole::Parameter);
    Diagnostics d;
    scope::Closure closure = scope::close_scope_ids(k.finish(), d.context);
    REQUIRE(d.all.empty());

    bool parameter_used = false;
    auto atom = [&]() -> Expr {
      const Var* v = ids[static_cast<std::size_t>(pick(static_cast<int>(ids.size())))];
      std::int64_t hi = closure.range(v).hi + 1;
      Expr x = v;
      // Bounds near multiples of 32 make flat thread tests boxes now and then.
      Expr c(hi > 40 && pick(2) ? std::int64_t{32} * pick(static_cast<int>(hi / 32) + 1)
                                : std::int64_t{pick(static_cast<int>(hi) + 2)});
      switch (pick(14)) {
        case 0: return eq(x, c);
        case 1: return lt(x, c);
        case 2: return le(x, c);
        case 3: return gt(x, c);
        case 4: return ge(x, c);
        case 5: return eq(c, x);
        case 6: return both(le(c, x), lt(x, c + Expr(1 + pick(static_cast<int>(hi)))));
        case 7: return lt(x - Expr(1), c);
        case 8: return ge(c - x, 0);
        case 9: return eq(x % Expr(2 + pick(2)), pick(3));
        case 10: return truth(elect());
        case 11: return ne(x, c);
        case 12:
          if (parameter_used) return lt(x, c);
          parameter_used = true;
          return gt(n, 3);
        default: return either(eq(x, c), eq(Expr(ids[0]), 0));
      }
    };
    scope::Tracker tracker(closure);
    for (const ir::ScopeIds* s : closure.declarations) tracker.seen(s);
    std::vector<std::pair<Expr, bool>> path;
    for (int depth = 1 + pick(3); depth > 0; --depth) {
      Expr c = atom();
      for (int more = pick(3); more > 0; --more) c = both(c, atom());
      bool otherwise = pick(3) == 0;
      const auto* s = static_cast<const ir::If*>(KernelBuilder::when(c, nullptr));
      otherwise ? tracker.enter_else(s) : tracker.enter_then(s);
      path.emplace_back(c, otherwise);
    }
    const scope::ActiveSet& set = tracker.set();
    scope::CallScope call = tracker.at_call(ExecScope::Cta);
    ++runs;

    const std::int64_t elected = pick(32);
    std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> satisfied;  // (cta in the set's axes, warp, lane)
    bool any = false;
    for (std::int64_t x = 0; x < gx; ++x) {
      for (std::int64_t y = 0; y < gy; ++y) {
        for (std::int64_t w = 0; w < warps; ++w) {
          for (std::int64_t l = 0; l < 32; ++l) {
            At at{{x, y}, {x % cx, y % cy}, w, l, elected, warps * 32, cx};
            bool reached = false;
            for (std::int64_t value : {0, 10}) {
              at.n = value;
              bool ok = true;
              for (auto& [c, otherwise] : path) ok = ok && (at.value(c) != 0) != otherwise;
              reached |= ok;
            }
            if (!reached) continue;
            any = true;
            std::int64_t a = clustered ? at.rank[0] : x, b = clustered ? at.rank[1] : y;
            bool inside = holds(set.warps, w, 0) && holds(set.lanes, l, elected) && holds(set.cta[0], a, 0) &&
                          (set.cta_axes < 2 || holds(set.cta[1], b, 0));
            if (!inside) {
              std::string text;
              for (auto& [c, otherwise] : path) text += (otherwise ? " else " : " if ") + ir::to_string(c);
              INFO(text << " loses warp " << w << " lane " << l << " cta " << x << "," << y);
              CHECK(inside);
            }
            satisfied.insert({a * 100 + b, w, l});
          }
        }
      }
    }
    if (!call.inexact.empty()) {
      // Dead code is never reached.
      for (const auto& i : call.inexact) {
        if (i.never_true) CHECK_FALSE(any);
      }
      continue;
    }
    // The lane elected here may be one that another condition excludes.
    if (set.lanes.elected && !any) continue;
    ++exact;
    std::int64_t size =
        set.warps.extent * set.lanes.extent * set.cta[0].extent * (set.cta_axes < 2 ? 1 : set.cta[1].extent);
    std::string text;
    for (auto& [c, otherwise] : path) text += (otherwise ? " else " : " if ") + ir::to_string(c);
    INFO(text);
    CHECK(static_cast<std::int64_t>(satisfied.size()) == size);
  }
  CHECK(exact > runs / 10);
}
