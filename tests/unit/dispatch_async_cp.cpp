// copy_async from shared to tensor memory: the worked examples of copy_async.md 10.5.
#include "tests/unit/copy_lab.h"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

using layout::Axis;

struct CpCase {
  std::vector<std::int64_t> shape{};  // of the shared buffer
  std::string layout{};               // "": row-major; "Z2": swizzle mode 2, atoms side by side
  std::vector<std::pair<std::int64_t, std::int64_t>> region{};
  std::vector<std::int64_t> tmem_shape = {32, 16};
  layout::Iters tmem = {{32, 1, Axis::TLane}, {16, 1, Axis::TCol}};
  layout::Iters router = {{4, 32, Axis::TLane}};
  ir::DataType dtype = ir::kUInt8;
  std::int64_t displaced = 0;  // elements in front of the shared buffer in its storage
  int cta_group = 0;
  ir::Target target{10, 0, 'a'};
  ExecScope scope = ExecScope::Thread;
};

// "sdo 8 mode 0: (0,0) (32,8)": each issue as (units of 16 bytes, column); or the reason of the refusal.
std::string run(const CpCase& c, dispatch::Outcome* outcome = nullptr) {
  KernelBuilder k;
  k.device();
  k.id(ScopeBinding::KernelCta, 1);
  k.id(ScopeBinding::CtaThread, 32, "tid");
  std::vector<Expr> shape(c.shape.begin(), c.shape.end()), tmem_shape(c.tmem_shape.begin(), c.tmem_shape.end());
  layout::Shape dims(c.shape.begin(), c.shape.end());
  layout::Layout in_shared = layout::row_major(dims);
  if (c.layout.starts_with("Z")) {
    auto atoms = layout::mma_shared_layout(c.dtype, static_cast<layout::SwizzleMode>(c.layout[1] - '0'), dims);
    REQUIRE(atoms);
    in_shared = *atoms;
  } else if (!c.layout.empty()) {
    in_shared = parse_layout(c.layout);
  }
  ir::Buffer* shared = k.buffer("sf", shape, c.dtype, StorageScope::Shared, in_shared);
  if (c.displaced) shared->elem_offset = Expr(c.displaced);
  layout::Layout cells{std::nullopt, layout::TileLayout{c.tmem, c.router, {}}};
  ir::Buffer* tmem = k.buffer("sf_tmem", tmem_shape, c.dtype, StorageScope::Tmem, cells);
  tmem->data = nullptr;
  tmem->allocated_addr = Expr(0);
  auto region = [](const ir::Buffer* b, std::vector<std::pair<std::int64_t, std::int64_t>> box) {
    std::vector<std::pair<Expr, Expr>> ranges;
    if (box.empty()) {
      for (Expr e : b->shape) box.emplace_back(0, *ir::constant(e));
    }
    for (auto& [lo, hi] : box) ranges.emplace_back(Expr(lo), Expr(hi - lo));
    return KernelBuilder::region(b, ranges);
  };
  std::vector<ir::ConfigItem> config;
  if (c.cta_group) {
    ir::Operand group;
    group.value = Expr(c.cta_group);
    config.push_back({"cta_group", group});
  }
  k.add(k.call("copy_async", c.scope, region(tmem, {}), region(shared, c.region), "", config));
  const ir::Kernel& kernel = k.finish(c.target);
  Diagnostics diagnostics;
  dispatch::Dispatched d = dispatch::dispatch(kernel, diagnostics.context);
  for (const dispatch::Trial& t : d.calls.at(0).trials) {
    if (t.variant != "smem->tmem") continue;
    if (outcome) *outcome = t.outcome;
    if (t.outcome != dispatch::Outcome::Chosen) return t.reason;
  }
  std::string text;
  std::int64_t loops = 1;
  const Var* i = nullptr;
  ir::walk_stmts(d.body, [&](const Stmt* s) {
    if (const auto* loop = ir::as<ir::For>(s)) loops = *ir::constant(loop->extent), i = loop->var;
    const auto* e = ir::as<ir::Evaluate>(s);
    const auto* call = e ? e->value.as<ir::Call>() : nullptr;
    if (!call) return true;
    CHECK_FALSE(intrinsics::verify(*intrinsics::of(call->callee), call->args, c.target));
    auto number = [&](Expr x) { return std::to_string(*ir::constant(x)); };
    if (call->callee->name == "ptx.tcgen05.encode_matrix_descriptor") {
      CHECK(ir::is_constant(call->args[2], 16));
      text = "sdo " + number(call->args[3]) + " mode " + number(call->args[4]) + ":";
      return true;
    }
    REQUIRE(call->callee->name == "ptx.tcgen05.cp");
    const auto* sum = call->args[1].as<ir::Binary>();
    CHECK(ir::is_constant(call->args[3], c.cta_group ? c.cta_group : 1));
    for (std::int64_t n = 0; n < loops; ++n) {
      auto at = [&](Expr x) {
        return number(ir::simplify(ir::substitute(x, [&](const Var* v) { return v == i ? Expr(n) : Expr(); })));
      };
      text += " (" + (sum ? at(sum->b) : "0") + "," + at(call->args[0]) + ")";
    }
    return true;
  });
  for (const dispatch::Fact& fact : d.calls[0].facts) {
    if (fact.name == "issues") CHECK(std::get<std::int64_t>(fact.value) == loops);
  }
  return text;
}

void declined(const CpCase& c, std::string_view reason) {
  dispatch::Outcome outcome = dispatch::Outcome::NotTried;
  std::string text = run(c, &outcome);
  INFO(text);
  CHECK(outcome == dispatch::Outcome::Declined);
  CHECK(text.find(reason) != std::string::npos);
}

}  // namespace

TEST_CASE("copy_async: shared to tensor memory, the examples of 10.5") {
  CHECK(run({.shape = {32, 16}}) == "sdo 8 mode 0: (0,0)");
  CHECK(run({.shape = {32, 32}, .layout = "Z1", .region = {{0, 32}, {0, 16}}}) == "sdo 16 mode 1: (0,0)");
  CHECK(run({.shape = {32, 64}, .layout = "Z2", .region = {{0, 32}, {0, 16}}}) == "sdo 32 mode 2: (0,0)");
  CHECK(run({.shape = {32, 128}, .layout = "Z3", .region = {{0, 32}, {0, 16}}}) == "sdo 64 mode 3: (0,0)");
  CHECK(run({.shape = {64, 128}, .layout = "Z3", .region = {{0, 32}, {0, 16}}}) == "sdo 64 mode 3: (0,0)");
  CHECK(run({.shape = {64, 128}, .layout = "Z3", .region = {{8, 40}, {0, 16}}}) == "sdo 64 mode 3: (64,0)");
  CHECK(run({.shape = {32, 256}, .layout = "Z2", .region = {{0, 32}, {64, 80}}}) == "sdo 32 mode 2: (128,0)");
  CHECK(run({.shape = {64, 32}, .layout = "S[(8,8,2,16):(128,16,1024,1)]", .region = {{4, 36}, {0, 16}}}) ==
        "sdo 8 mode 0: (4,0)");
  declined({.shape = {64, 128}, .layout = "Z3", .region = {{4, 36}, {0, 16}}}, "not a multiple of 1024 bytes");
  declined({.shape = {32, 128}, .layout = "Z2", .region = {{0, 32}, {32, 48}}}, "not a multiple of 512 bytes");
  declined({.shape = {64, 64}, .region = {{4, 36}, {0, 16}}}, "swizzle mode 2");
  CHECK(run({.shape = {4, 32, 16},
             .tmem_shape = {4, 32, 16},
             .tmem = {{4, 16, Axis::TCol}, {32, 1, Axis::TLane}, {16, 1, Axis::TCol}}}) ==
        "sdo 8 mode 0: (0,0) (32,4) (64,8) (96,12)");
  CHECK(run({.shape = {256, 16},
             .layout = "S[(2,4,32,4,4):(2048,4,16,512,1)]",
             .tmem_shape = {256, 16},
             .tmem = {{2, 16, Axis::TCol},
                      {4, 4, Axis::TCol},
                      {32, 1, Axis::TLane},
                      {4, 32, Axis::TCol},
                      {4, 1, Axis::TCol}}}) ==
        "sdo 8 mode 0: (0,0) (32,8) (64,16) (96,24) (128,4) (160,12) (192,20) (224,28)");
}

TEST_CASE("copy_async: tcgen05.cp moves packed elements of 4 bits") {
  const ir::DataType fp4 = *ir::parse_dtype("float4_e2m1fn");
  const layout::Iters row = {{32, 1, Axis::TLane}, {32, 1, Axis::TCol}};
  CHECK(run({.shape = {32, 32}, .tmem_shape = {32, 32}, .tmem = row, .dtype = fp4}) == "sdo 8 mode 0: (0,0)");
  CHECK(run({.shape = {96, 32}, .region = {{32, 64}, {0, 32}}, .tmem_shape = {32, 32}, .tmem = row, .dtype = fp4}) ==
        "sdo 8 mode 0: (32,0)");
}

TEST_CASE("copy_async: tcgen05.cp has its targets, its scope and its groups") {
  dispatch::Outcome outcome = dispatch::Outcome::NotTried;
  CHECK(run({.shape = {32, 16}, .target = {9, 0, 'a'}}, &outcome).find("sm_90a") != std::string::npos);
  CHECK(outcome == dispatch::Outcome::Rejected);
  CHECK(run({.shape = {32, 16}, .scope = ExecScope::Warp}, &outcome).find("warp scope") != std::string::npos);
  CHECK(outcome == dispatch::Outcome::Rejected);
  CHECK(run({.shape = {32, 16}, .cta_group = 2}) == "sdo 8 mode 0: (0,0)");
  declined({.shape = {32, 16}, .cta_group = 3}, "cta_group= is 1 or 2");
}

TEST_CASE("copy_async: a descriptor's pattern starts with the memory it describes (Y21)") {
  declined({.shape = {32, 128}, .layout = "Z3", .region = {{0, 32}, {0, 16}}, .displaced = 512},
           "does not start on a multiple of 1024 bytes");
  declined({.shape = {32, 16}, .displaced = 8}, "does not start on a multiple of 16 bytes");
  CHECK(run({.shape = {32, 16}, .displaced = 16}) == "sdo 8 mode 0: (0,0)");
}

TEST_CASE("copy_async: tcgen05.cp writes all quarters of the lanes, and the layout has to say so") {
  dispatch::Outcome outcome = dispatch::Outcome::NotTried;
  for (const layout::Iters& router : {layout::Iters{}, {{2, 32, Axis::TLane}}, {{4, 16, Axis::TLane}}}) {
    CHECK(run({.shape = {32, 16}, .router = router}, &outcome).find("R[4:32@TLane]") != std::string::npos);
    CHECK(outcome == dispatch::Outcome::Rejected);
  }
}
