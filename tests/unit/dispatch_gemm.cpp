// gemm in registers: the worked examples of gemm.md 9.1, and what the reference gets wrong (G24 to G27).
#include "tests/unit/copy_lab.h"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

using Bounds = std::vector<std::pair<std::int64_t, std::int64_t>>;  // begin, end

struct Tile {
  std::vector<std::int64_t> shape;
  std::string layout;
  ir::DataType dtype = ir::kFloat16;
  Bounds region{};          // empty: all
  std::int64_t offset = 0;  // of the layout, in registers
  StorageScope scope = StorageScope::Local;
};
struct GemmCase {
  Tile d, a, b;
  Tile c{};  // no shape: D itself
  double alpha = 1, beta = 0;
  bool transpose_a = false, transpose_b = false;
  ExecScope scope = ExecScope::Warp;
  std::int64_t threads = 32;
  ir::Target target{8, 0, 0};
  std::int64_t lanes = 32;  // that get to the call
};

struct Result {
  dispatch::Outcome outcome = dispatch::Outcome::NotTried;
  std::string reason;
  std::vector<std::string> issues{};  // "d 0 1 2 3 a 0 2 4 6 b 0 2"
  int stores = 0, copies = 0;         // accumulators set to zero; C copied to D
};

ir::Region region_of(KernelBuilder& k, std::string_view name, const Tile& t) {
  layout::Layout layout = parse_layout(t.layout);
  if (t.offset) layout::add_offset(layout.tile->offset, layout::Axis::m, t.offset);
  std::vector<Expr> shape(t.shape.begin(), t.shape.end());
  ir::Buffer* b = k.buffer(name, shape, t.dtype, t.scope, layout);
  std::vector<std::pair<Expr, Expr>> bounds;
  for (std::size_t i = 0; i < t.shape.size(); ++i) {
    if (t.region.empty()) {
      bounds.emplace_back(Expr(0), Expr(t.shape[i]));
    } else {
      bounds.emplace_back(Expr(t.region[i].first), Expr(t.region[i].second - t.region[i].first));
    }
  }
  return KernelBuilder::region(b, bounds);
}

std::string registers(std::span<const Expr> args, std::size_t& at) {
  std::string out;
  for (std::int64_t n = *ir::constant(args[at++]); n > 0; --n, ++at) {
    out += " " + std::to_string(*ir::constant(args[at].as<ir::Call>()->args[0].as<ir::Load>()->indices[0]));
  }
  return out;
}

void read(const Stmt* body, ir::Target target, Result& out) {
  ir::walk_stmts(body, [&](const Stmt* s) {
    if (const auto* store = ir::as<ir::Store>(s)) {
      ++(store->value.as<ir::Load>() ? out.copies : out.stores);
    }
    const auto* e = ir::as<ir::Evaluate>(s);
    const auto* call = e ? e->value.as<ir::Call>() : nullptr;
    if (!call) return true;
    const auto* row = intrinsics::of(call->callee);
    CHECK_FALSE(intrinsics::verify(*row, call->args, target));
    std::size_t at = 7;
    const std::string d = registers(call->args, at), a = registers(call->args, at), b = registers(call->args, at);
    CHECK(registers(call->args, at) == d);
    out.issues.push_back("d" + d + " a" + a + " b" + b);
    return true;
  });
}

Result run(KernelBuilder& k, const GemmCase& c) {
  k.device();
  k.id(ScopeBinding::KernelCta, 1);
  k.id(ScopeBinding::CtaThread, c.threads, "tid");
  const Var* lane = k.id(ScopeBinding::WarpThread, 32, "lane");
  std::vector<ir::Operand> args(8);
  args[0].region = region_of(k, "d", c.d);
  args[1].region = region_of(k, "a", c.a);
  args[2].region = region_of(k, "b", c.b);
  args[3].region = c.c.shape.empty() ? args[0].region : region_of(k, "c", c.c);
  args[4].value = ir::bool_imm(c.transpose_a), args[5].value = ir::bool_imm(c.transpose_b);
  args[6].value = ir::float_imm(ir::kFloat32, c.alpha), args[7].value = ir::float_imm(ir::kFloat32, c.beta);
  const auto* call = ir::make_stmt<ir::TileCall>(
      KernelBuilder::origin(), "gemm", c.scope, Arena::current().copy(std::span<const ir::Operand>(args)),
      std::span<const ir::ConfigItem>(), std::span<const std::pair<std::string_view, const ir::Buffer*>>(), "");
  k.add(c.lanes == 32 ? static_cast<const Stmt*>(call) : KernelBuilder::when(lt(lane, Expr(c.lanes)), call));
  const ir::Kernel& kernel = k.finish(c.target);
  Diagnostics diagnostics;
  dispatch::Dispatched d = dispatch::dispatch(kernel, diagnostics.context);
  REQUIRE(d.calls.size() == 1);
  REQUIRE(d.calls[0].trials.size() == 1);
  Result out{.outcome = d.calls[0].trials[0].outcome, .reason = d.calls[0].trials[0].reason};
  if (out.outcome == dispatch::Outcome::Chosen) read(d.body, c.target, out);
  return out;
}

void refused(const GemmCase& c, std::string_view reason, dispatch::Outcome outcome = dispatch::Outcome::Declined) {
  KernelBuilder k;
  Result r = run(k, c);
  INFO(r.reason);
  CHECK(r.outcome == outcome);
  CHECK(r.reason.find(reason) != std::string::npos);
}
std::vector<std::string> issues(const GemmCase& c) {
  KernelBuilder k;
  Result r = run(k, c);
  INFO(r.reason);
  CHECK(r.outcome == dispatch::Outcome::Chosen);
  return r.issues;
}

const Tile kD{{16, 8}, "S[(2,8,4,2):(2,4@laneid,1@laneid,1)]", ir::kFloat32};
const Tile kA{{16, 16}, "S[(2,8,2,4,2):(2,4@laneid,4,1@laneid,1)]"};
const Tile kB{{16, 8}, "S[(2,4,2,8):(2,1@laneid,1,4@laneid)]"};
// 32 x 16 x 32, tiles of these.
const Tile kLargeD{{32, 16}, "S[(2,2,8,2,4,2):(8,2,4@laneid,4,1@laneid,1)]", ir::kFloat32};
const Tile kLargeA{{32, 32}, "S[(2,2,8,2,2,4,2):(16,2,4@laneid,8,4,1@laneid,1)]"};
const Tile kLargeB{{32, 16}, "S[(2,2,4,2,2,8):(8,2,1@laneid,1,4,4@laneid)]"};

}  // namespace

TEST_CASE("gemm: one instruction, and tiles of it") {
  KernelBuilder k;
  Result one = run(k, {.d = kD, .a = kA, .b = kB});
  CHECK(one.issues == std::vector<std::string>{"d 0 1 2 3 a 0 2 4 6 b 0 2"});
  CHECK(one.stores == 4);
  const auto large = issues({.d = kLargeD, .a = kLargeA, .b = kLargeB});
  REQUIRE(large.size() == 8);
  CHECK(large[0] == "d 0 1 2 3 a 0 2 4 6 b 0 2");
  CHECK(large[1] == "d 0 1 2 3 a 8 10 12 14 b 8 10");
  CHECK(large[2] == "d 4 5 6 7 a 0 2 4 6 b 4 6");
  CHECK(large[3] == "d 4 5 6 7 a 8 10 12 14 b 12 14");
  // A part of them.
  Tile d = kLargeD, a = kLargeA, b = kLargeB;
  d.region = {{16, 32}, {8, 16}}, a.region = {{16, 32}, {0, 32}}, b.region = {{0, 32}, {8, 16}};
  CHECK(issues({.d = d, .a = a, .b = b}) ==
        std::vector<std::string>{"d 12 13 14 15 a 16 18 20 22 b 4 6", "d 12 13 14 15 a 24 26 28 30 b 12 14"});
}

TEST_CASE("gemm: K in eights") {
  const Tile a24{{16, 24}, "S[(2,8,3,4,2):(2,4@laneid,4,1@laneid,1)]"},
      b24{{24, 8}, "S[(3,4,2,8):(2,1@laneid,1,4@laneid)]"};
  CHECK(issues({.d = kD, .a = a24, .b = b24}) ==
        std::vector<std::string>{"d 0 1 2 3 a 0 2 b 0", "d 0 1 2 3 a 4 6 b 2", "d 0 1 2 3 a 8 10 b 4"});
  const Tile a48{{16, 48}, "S[(2,8,6,4,2):(2,4@laneid,4,1@laneid,1)]"},
      b48{{48, 8}, "S[(6,4,2,8):(2,1@laneid,1,4@laneid)]"};
  CHECK(issues({.d = kD, .a = a48, .b = b48}).size() == 3);
  // sm_75 knows float16 by eights, and nothing else of it.
  CHECK(issues({.d = kD, .a = a24, .b = b24, .target = {7, 5, 0}}).size() == 3);
  CHECK(issues({.d = kD, .a = a48, .b = b48, .target = {7, 5, 0}}).size() == 6);
  Tile a = a24, b = b24;
  a.dtype = b.dtype = ir::kBFloat16;
  refused({.d = kD, .a = a, .b = b, .target = {7, 5, 0}}, "needs sm_80, the target is sm_75");
}

TEST_CASE("gemm: what is added up") {
  const Tile d{{16, 16}, "S[(2,8,2,4,2):(2,4@laneid,4,1@laneid,1)]", ir::kFloat32};
  const Tile b{{16, 16}, "S[(2,4,2,2,8):(2,1@laneid,1,4,4@laneid)]"};
  KernelBuilder k;
  Result other = run(k, {.d = d, .a = kA, .b = b, .c = d, .beta = 1});
  CHECK(other.copies == 8);
  CHECK(other.issues.size() == 2);
  KernelBuilder k2;
  Result in_place = run(k2, {.d = d, .a = kA, .b = b, .beta = 1});
  CHECK(in_place.copies + in_place.stores == 0);
  refused({.d = kD, .a = kA, .b = kB, .alpha = 2}, "only alpha=1");
  refused({.d = kD, .a = kA, .b = kB, .beta = 0.5}, "only beta 0 or 1");
}

TEST_CASE("gemm: transposed operands lie the other way round") {
  const Tile a{{16, 16}, "S[(2,4,2,2,8):(4,1@laneid,1,2,4@laneid)]"},
      b{{8, 16}, "S[(8,2,4,2):(4@laneid,2,1@laneid,1)]"};
  CHECK(issues({.d = kD, .a = a, .b = b, .transpose_a = true, .transpose_b = true}) ==
        std::vector<std::string>{"d 0 1 2 3 a 0 2 4 6 b 0 2"});
}

TEST_CASE("gemm: rows over warps") {
  const Tile d{{64, 8}, "S[(4,2,8,4,2):(32@tx,2,4@tx,1@tx,1)]", ir::kFloat32};
  const Tile a{{64, 16}, "S[(4,2,8,2,4,2):(32@tx,2,4@tx,4,1@tx,1)]"};
  CHECK(issues({.d = d, .a = a, .b = kB, .scope = ExecScope::Cta, .threads = 128}) ==
        std::vector<std::string>{"d 0 1 2 3 a 0 2 4 6 b 0 2"});
  refused({.d = d, .a = a, .b = kB, .threads = 128}, "spread over 128 threads, the warp has 32");
  // G24: each warp would multiply its own rows.
  Tile part = d, rows = a;
  part.region = {{16, 32}, {0, 8}}, rows.region = {{16, 32}, {0, 16}};
  refused({.d = part, .a = rows, .b = kB, .scope = ExecScope::Cta, .threads = 128}, "a slice cannot choose threads");
  // G26: K over warps.
  const Tile ka{{16, 32}, "S[(2,8,2,2,4,2):(2,4@tx,32@tx,4,1@tx,1)]"},
      kb{{32, 8}, "S[(2,2,4,2,8):(32@tx,2,1@tx,1,4@tx)]"};
  refused({.d = kD, .a = ka, .b = kb, .scope = ExecScope::Cta, .threads = 64}, "nothing adds their sums up");
}

TEST_CASE("gemm: orders of digits") {
  // Rows as (8, 2) in D alone, where A has (2, 8).
  const Tile d{{16, 8}, "S[(8,2,4,2):(4@laneid,2,1@laneid,1)]", ir::kFloat32};
  refused({.d = d, .a = kA, .b = kB}, "no mma instruction fits M=16, N=8, K=16");
  // K permuted alike in A and B.
  const Tile a{{16, 16}, "S[(2,8,4,4):(4,4@laneid,1@laneid,1)]"}, b{{16, 8}, "S[(4,4,8):(1@laneid,1,4@laneid)]"};
  CHECK(issues({.d = kD, .a = a, .b = b}) == std::vector<std::string>{"d 0 1 2 3 a 0 4 2 6 b 0 2"});
}

TEST_CASE("gemm: registers of the layout's own offset") {
  Tile d = kD, a = kA;
  d.offset = 8, a.offset = 2;
  CHECK(issues({.d = d, .a = a, .b = kB}) == std::vector<std::string>{"d 8 9 10 11 a 2 4 6 8 b 0 2"});
  a.offset = 1;
  refused({.d = kD, .a = a, .b = kB}, "starts at an odd one");
}

TEST_CASE("gemm: what it refuses") {
  const auto rejected = dispatch::Outcome::Rejected;
  Tile shared = kA;
  shared.scope = StorageScope::Shared, shared.layout = "S[(16,16):(16,1)]";
  refused({.d = kD, .a = shared, .b = kB}, "A must be in registers (local), a is in shared");
  Tile half = kD;
  half.dtype = ir::kFloat16;
  refused({.d = half, .a = kA, .b = kB}, "none multiplies float16 by float16");
  Tile bf16 = kA;
  bf16.dtype = ir::kBFloat16;
  refused({.d = kD, .a = bf16, .b = kB}, "none multiplies bfloat16 by float16");
  Tile narrow = kB;
  narrow.region = {{0, 8}, {0, 8}};
  refused({.d = kD, .a = kA, .b = narrow}, "K is 16 in A and 8 in B");
  refused({.d = kA, .a = kA, .b = kB}, "D is [16, 16], the product is [16, 8]");
  Tile row = kA;
  row.region = {{0, 1}, {0, 16}};
  refused({.d = kD, .a = row, .b = kB}, "a matrix has two extents larger than 1");
  refused({.d = kD, .a = kA, .b = kB, .lanes = 16}, "only lanes 0 to 15 of 32 get here", rejected);
  refused({.d = kD, .a = kA, .b = kB, .scope = ExecScope::Thread}, "not at thread scope", rejected);
  refused({.d = kD, .a = kA, .b = kB, .scope = ExecScope::Cluster}, "not at cluster scope", rejected);
  Tile plain = kD;
  plain.layout = "S[(16,8):(8,1)]";
  refused({.d = plain, .a = kA, .b = kB}, "M of D is held by 1 thread in 16 registers");
  const Tile many_d{{512, 352}, "S[(32,2,8,44,4,2):(176,2,4@laneid,4,1@laneid,1)]", ir::kFloat32},
      many_a{{512, 48}, "S[(32,2,8,3,2,4,2):(24,2,4@laneid,8,4,1@laneid,1)]"},
      many_b{{48, 352}, "S[(3,2,4,2,44,8):(176,2,1@laneid,1,4,4@laneid)]"};
  refused({.d = many_d, .a = many_a, .b = many_b}, "a warp would take 4224 instructions, all unrolled; at most 4096");
}
