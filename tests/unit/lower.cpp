// What lowering makes of kernels: launch plan, flat buffers, scope ids; and what it refuses.
#include "compiler/lower/lower.h"

#include "tests/unit/golden.h"
#include "tests/unit/lower_samples.h"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

lower::LoweredKernel lowered_of(Script& s) {
  auto lowered = s.lowered();
  INFO(s.messages());
  REQUIRE(lowered);
  return std::move(*lowered);
}

// The code of the one error that lowering this kernel gives.
std::string error_of(Script& s) {
  CHECK_FALSE(s.lowered());
  std::string codes;
  for (const auto& d : s.said.all)
    if (d.severity == text::Severity::Error) codes += std::string(d.code) + " ";
  return codes;
}

}  // namespace

TEST_CASE("lowered forms print") {
  SECTION("round trip") {
    Script s;
    round_trip(s, 32, 32, kFloat16, 32, ExecScope::Warp, rows({32, 32}));
    check_golden("round_trip.lowered.py", lower::print_lowered(lowered_of(s)));
  }
  SECTION("vector add") {
    Script s;
    vector_add(s);
    check_golden("vector_add.lowered.py", lower::print_lowered(lowered_of(s)));
  }
  SECTION("pool") {
    Script s;
    pool(s);
    check_golden("pool.lowered.py", lower::print_lowered(lowered_of(s)));
  }
  SECTION("statements") {
    Script s;
    statements(s);
    check_golden("statements.lowered.py", lower::print_lowered(lowered_of(s)));
  }
}

TEST_CASE("the launch plan") {
  Script s;
  vector_add(s);
  lower::LoweredKernel k = lowered_of(s);
  CHECK(k.symbol == "kernel_kernel");
  std::vector<std::string> names;
  for (const auto& p : k.plan.params) names.emplace_back(p.var->name);
  CHECK(names == std::vector<std::string>{"A_ptr", "B_ptr", "C_ptr", "alpha", "n"});
  CHECK(k.plan.params[3].kind == lower::ParamKind::Scalar);
  REQUIRE(k.plan.extents.size() == 3);
  CHECK(k.plan.extents[0].var->name == "n");
  CHECK(k.plan.static_shared_bytes == 0);
}

TEST_CASE("a parameter that the device does not use is no kernel parameter") {
  Script s;
  Buffer* a = s.param("A", {Expr(32)}, kFloat32);
  s.param("unused", {Expr(32)}, kFloat32);
  s.device();
  const Var* tid = s.id(ScopeBinding::CtaThread, Expr(32), "tid");
  s.add(s.store(a, {Expr(tid)}, float_imm(kFloat32, 1)));
  CHECK(lowered_of(s).plan.params.size() == 1);
}

TEST_CASE("shared memory") {
  SECTION("a pool grows to its views") {
    Script s;
    pool(s);
    lower::LoweredKernel k = lowered_of(s);
    CHECK(k.plan.dynamic_shared_bytes == 2048 * 4 + 128 * 4);
    REQUIRE(k.shared.size() == 1);
    CHECK(k.shared[0].align == 1024);
    CHECK(k.shared[0].dynamic);
  }
  SECTION("an attribute says how much") {
    Script s;
    s.device();
    const Var* tid = s.id(ScopeBinding::CtaThread, Expr(32), "tid");
    Buffer* arena = s.shared("pool", {Expr(0)}, kUInt8, rows({0}), StorageScope::SharedDyn);
    s.add(make_stmt<Attr>(s.origin(), "tirx.pool_max_bytes", Expr(9216), arena->data, nullptr));
    Buffer* view = s.view("v", arena, {Expr(32)}, kFloat32, Expr(0), rows({32}));
    s.add(s.store(view, {Expr(tid)}, float_imm(kFloat32, 1)));
    CHECK(lowered_of(s).plan.dynamic_shared_bytes == 9216);
  }
  SECTION("static blocks add up, aligned") {
    Script s;
    Buffer* out = s.param("A", {Expr(32)}, kFloat32);
    s.device();
    const Var* tid = s.id(ScopeBinding::CtaThread, Expr(32), "tid");
    Buffer* x = s.shared("x", {Expr(3)}, kFloat32, rows({3}));
    Buffer* y = s.shared("y", {Expr(4)}, kFloat32, rows({4}));
    s.add(s.store(out, {Expr(tid)}, add(s.at(x, {Expr(0)}), s.at(y, {Expr(0)}))));
    CHECK(lowered_of(s).plan.static_shared_bytes == 64 + 16);
  }
}

TEST_CASE("refusals") {
  Script s;
  Buffer* a = s.param("A", {Expr(64)}, kFloat32);
  SECTION("no device part") { CHECK(error_of(s).find("TW4001") != std::string::npos); }
  SECTION("element of a distributed buffer") {
    s.device();
    s.id(ScopeBinding::WarpThread, Expr(32), "lane");
    s.id(ScopeBinding::CtaThread, Expr(32), "tid");
    layout::Layout spread;
    spread.tile = layout::TileLayout{{{32, 1, layout::Axis::laneid}, {2, 1, layout::Axis::m}}, {}, {}};
    Buffer* r = s.local("r", {Expr(64)}, kFloat32, spread);
    s.add(s.store(a, {Expr(0)}, s.at(r, {Expr(3)})));
    CHECK(error_of(s) == "TW4002 ");
  }
  SECTION("too much static shared memory") {
    s.device();
    s.id(ScopeBinding::CtaThread, Expr(32), "tid");
    Buffer* big = s.shared("big", {Expr(60000)}, kFloat32, rows({60000}));
    s.add(s.store(a, {Expr(0)}, s.at(big, {Expr(3)})));
    CHECK(error_of(s) == "TW4008 ");
  }
  SECTION("global memory on the device") {
    s.device();
    s.id(ScopeBinding::CtaThread, Expr(32), "tid");
    s.shared("g", {Expr(20)}, kFloat32, rows({20}), StorageScope::Global);
    CHECK(error_of(s) == "TW4009 ");
  }
  SECTION("a host scalar on the device") {
    Buffer* host = s.scalar("h", kInt32, Expr(3));
    s.device();
    s.id(ScopeBinding::CtaThread, Expr(32), "tid");
    s.add(s.store(a, {s.get(host)}, float_imm(kFloat32, 1)));
    CHECK(error_of(s).find("TW4010") != std::string::npos);
  }
}
