// copy_async: which variant serves which call (copy_async.md 1), and what the tests of the operands leave out (Y13).
#include "tests/unit/copy_lab.h"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

struct Ask {
  ExecScope scope = ExecScope::Thread;
  StorageScope src = StorageScope::Global, dst = StorageScope::Shared;
  std::string_view forced{};
  std::int64_t threads = 128;
  ir::Target target{10, 0, 'a'};
  std::vector<std::int64_t> src_shape = {32, 16}, dst_shape = {32, 16};
  std::vector<std::string_view> options{};
};

// The variant, or "none".
std::string chosen(const Ask& ask, dispatch::CallReport* report = nullptr) {
  KernelBuilder k;
  k.device();
  k.id(ScopeBinding::KernelCta, 1);
  k.id(ScopeBinding::CtaThread, ask.threads, "tid");
  auto make = [&](std::string_view name, StorageScope scope, const std::vector<std::int64_t>& extents) {
    std::vector<Expr> shape(extents.begin(), extents.end());
    layout::Layout l = layout::row_major(layout::Shape(extents.begin(), extents.end()));
    if (scope == StorageScope::Tmem) {
      l = {std::nullopt,
           layout::TileLayout{{{extents[0], 1, layout::Axis::TLane}, {extents[1], 1, layout::Axis::TCol}}, {}, {}}};
      if (extents[0] == 32) l.tile->replica = {{4, 32, layout::Axis::TLane}};
    }
    if (scope == StorageScope::Local) l = layout::wg_local_layout(extents[1]);
    ir::Buffer* b = k.buffer(name, shape, ir::kUInt8, scope, l);
    if (scope == StorageScope::Tmem) {
      b->data = nullptr;
      b->allocated_addr = Expr(0);
    }
    return b;
  };
  const ir::Buffer *src = make("src", ask.src, ask.src_shape), *dst = make("dst", ask.dst, ask.dst_shape);
  std::vector<ir::ConfigItem> config;
  for (std::string_view key : ask.options) {
    ir::Operand value;
    value.value = key == "mbar" ? Expr(ir::make_var("mbar", ir::kHandle)) : Expr(1);
    config.push_back({key, value});
  }
  k.add(k.call("copy_async", ask.scope, ir::full_region(dst), ir::full_region(src), ask.forced, config));
  const ir::Kernel& kernel = k.finish(ask.target);
  Diagnostics diagnostics;
  dispatch::Dispatched out = dispatch::dispatch(kernel, diagnostics.context);
  REQUIRE(out.calls.size() == 1);
  if (report) *report = out.calls[0];
  return out.calls[0].variant.empty() ? "none" : std::string(out.calls[0].variant);
}

constexpr auto G = StorageScope::Global, S = StorageScope::Shared, T = StorageScope::Tmem, L = StorageScope::Local;

}  // namespace

TEST_CASE("copy_async: the choice of a variant") {
  CHECK(chosen({}) == "ldgsts");
  CHECK(chosen({.forced = "tma", .options = {"mbar"}}) == "tma");
  CHECK(chosen({.src = S, .dst = G}) == "tma");
  for (ExecScope scope : {ExecScope::Cta, ExecScope::Warpgroup, ExecScope::Warp}) {
    CHECK(chosen({.scope = scope}) == "ldgsts");
    CHECK(chosen({.scope = scope, .forced = "tma", .options = {"mbar"}}) == "none");
  }
  CHECK(chosen({.src = S, .dst = S, .options = {"mbar", "remote_cta_id"}}) == "dsmem");
  CHECK(chosen({.src = S, .dst = T}) == "smem->tmem");
  const std::vector<std::int64_t> rows = {128, 16};
  CHECK(chosen({.scope = ExecScope::Warpgroup, .src = T, .dst = L, .src_shape = rows, .dst_shape = rows}) ==
        "tmem<->local");
  CHECK(chosen({.scope = ExecScope::Warpgroup, .src = L, .dst = T, .src_shape = rows, .dst_shape = rows}) ==
        "tmem<->local");
  // One thread where cp.async declines: rows of 3 bytes.
  CHECK(chosen({.src_shape = {16, 3}, .dst_shape = {16, 3}, .options = {"mbar"}}) == "ldgsts");
  CHECK(chosen({.src_shape = {5, 1}, .dst_shape = {5, 1}, .options = {"mbar"}}) == "none");
}

TEST_CASE("copy_async: every variant says why not") {
  dispatch::CallReport report;
  CHECK(chosen({.scope = ExecScope::Cta, .src = S, .dst = G}, &report) == "none");
  REQUIRE(report.trials.size() == 5);
  const std::string_view order[] = {"ldgsts", "dsmem", "smem->tmem", "tma", "tmem<->local"};
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(report.trials[i].variant == order[i]);
    CHECK(report.trials[i].priority == (i == 0 ? 20 : 10));
    CHECK(report.trials[i].outcome == dispatch::Outcome::Rejected);
    CHECK(!report.trials[i].reason.empty());
  }
  const std::vector<std::int64_t> rows = {128, 16};
  CHECK(chosen({.scope = ExecScope::Warp, .src = T, .dst = L, .src_shape = rows, .dst_shape = rows}, &report) ==
        "none");
  CHECK(report.trials.back().predicate == "exec_scope");
}

TEST_CASE("copy_async: unit dimensions do not count, others must pair (Y13)") {
  CHECK(chosen({.src_shape = {1, 32, 1, 16}, .dst_shape = {32, 16}}) == "ldgsts");
  CHECK(chosen({.src_shape = {2, 16, 16}, .dst_shape = {32, 16}}) == "none");
  CHECK(chosen({.src = S, .dst = G, .src_shape = {32, 16}, .dst_shape = {2, 16, 16}}) == "none");
}
