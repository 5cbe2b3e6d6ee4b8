// copy_async between tensor memory and registers: the worked examples of copy_async.md 10.4.
#include "tests/unit/copy_lab.h"

using namespace tilewright;
using namespace tilewright::testing;

namespace {

constexpr std::string_view kGroupRows = "32x32b";

struct TmemCase {
  ir::DataType dtype = ir::kFloat32;
  std::string_view fragment = kGroupRows;
  std::int64_t rows = 128, columns = 64;  // of the register buffer
  std::string_view datapath = "D";
  std::int64_t tmem_columns = 0;                          // 0: as many
  std::pair<std::int64_t, std::int64_t> local{}, tmem{};  // columns; empty: all
  std::pair<std::int64_t, std::int64_t> row_range{};      // of both regions; empty: all
  ir::Target target{10, 0, 'a'};
  ExecScope scope = ExecScope::Warpgroup;
};

struct TmemResult {
  std::string text;  // "32x32b.x64 (0,0,0)", or the reason of the refusal
  dispatch::Outcome outcome = dispatch::Outcome::NotTried;
  std::int64_t registers = 0;
};

TmemResult run(const TmemCase& c, bool loads) {
  KernelBuilder k;
  k.device();
  k.id(ScopeBinding::KernelCta, 1);
  k.id(ScopeBinding::CtaThread, 128, "tid");
  const bool f = c.datapath == "F";
  const std::int64_t tmem_columns = c.tmem_columns ? c.tmem_columns : c.columns, tmem_rows = f ? 64 : 128;
  auto registers = layout::tcgen05_atom_layout(c.fragment, c.rows, c.columns, c.dtype);
  layout::Layout by_row = layout::wg_local_layout(c.columns);
  if (c.fragment != kGroupRows) REQUIRE(registers);
  ir::Buffer* local = k.buffer("frag", {Expr(c.rows), Expr(c.columns)}, c.dtype, StorageScope::Local,
                               c.fragment == kGroupRows ? by_row : *registers);
  auto cells = layout::tmem_datapath_layout(c.datapath, tmem_rows, tmem_columns);
  REQUIRE(cells);
  ir::Buffer* tmem = k.buffer("acc", {Expr(tmem_rows), Expr(tmem_columns)}, c.dtype, StorageScope::Tmem, *cells);
  tmem->data = nullptr;
  tmem->allocated_addr = Expr(0);
  const std::int64_t rows = std::min(c.rows, tmem_rows);  // of the regions, which are alike
  auto columns = [](std::pair<std::int64_t, std::int64_t> r, std::int64_t all) {
    return r.second ? std::pair(Expr(r.first), Expr(r.second - r.first)) : std::pair(Expr(0), Expr(all));
  };
  ir::Region in_registers = KernelBuilder::region(local, {columns(c.row_range, rows), columns(c.local, c.columns)});
  ir::Region in_tmem = KernelBuilder::region(tmem, {columns(c.row_range, rows), columns(c.tmem, tmem_columns)});
  k.add(k.call("copy_async", c.scope, loads ? in_registers : in_tmem, loads ? in_tmem : in_registers));
  const ir::Kernel& kernel = k.finish(c.target);
  Diagnostics diagnostics;
  dispatch::Dispatched d = dispatch::dispatch(kernel, diagnostics.context);
  REQUIRE(d.calls.size() == 1);
  TmemResult out;
  for (const dispatch::Trial& t : d.calls[0].trials) {
    if (t.variant == "tmem<->local") out.text = t.reason, out.outcome = t.outcome;
  }
  if (out.outcome != dispatch::Outcome::Chosen) return out;
  for (const dispatch::Fact& fact : d.calls[0].facts) {
    if (fact.name == "registers") out.registers = std::get<std::int64_t>(fact.value);
  }
  ir::walk_stmts(d.body, [&](const Stmt* s) {
    const auto* e = ir::as<ir::Evaluate>(s);
    const auto* call = e ? e->value.as<ir::Call>() : nullptr;
    if (!call) return true;
    CHECK(call->callee->name == (loads ? "ptx.tcgen05.ld" : "ptx.tcgen05.st"));
    const auto* row = intrinsics::of(call->callee);
    CHECK_FALSE(intrinsics::verify(*row, call->args, c.target));
    auto number = [&](std::size_t i) { return std::to_string(*ir::constant(call->args[i])); };
    if (out.text.empty()) out.text = std::string(call->args[1].as<ir::StringImm>()->value) + ".x" + number(2);
    std::int64_t first = *ir::constant(call->args[6].as<ir::Load>()->indices[0]);
    for (std::size_t i = 6; i < call->args.size(); ++i) {
      CHECK(ir::is_constant(call->args[i].as<ir::Load>()->indices[0], first + static_cast<std::int64_t>(i) - 6));
    }
    out.text += " (" + number(3) + "," + number(4) + "," + std::to_string(first) + ")";
    return true;
  });
  return out;
}

void served(const TmemCase& c, std::string_view text, std::int64_t registers) {
  for (bool loads : {true, false}) {
    TmemResult r = run(c, loads);
    CHECK(r.text == text);
    CHECK(r.registers == registers);
  }
}
void declined(const TmemCase& c, std::string_view reason) {
  TmemResult r = run(c, true);
  INFO(r.text);
  CHECK(r.outcome == dispatch::Outcome::Declined);
  CHECK(r.text.find(reason) != std::string::npos);
}

}  // namespace

TEST_CASE("copy_async: tensor memory and registers, the examples of 10.4") {
  const ir::DataType f16 = ir::kFloat16;
  served({}, "32x32b.x64 (0,0,0)", 64);
  served({.columns = 32, .tmem_columns = 128, .tmem = {96, 128}}, "32x32b.x32 (0,96,0)", 32);
  served({.dtype = f16, .columns = 128}, "32x32b.x64 (0,0,0)", 64);
  declined({.columns = 48}, "Width 48");
  declined({.dtype = f16, .columns = 64, .tmem_columns = 128, .tmem = {1, 65}}, "not a multiple of 2");
  served({.columns = 64, .local = {16, 32}, .tmem = {16, 32}}, "32x32b.x16 (0,16,16)", 16);
  served({.fragment = "16x64b", .rows = 64}, "16x64b.x32 (0,0,0)", 32);
  served({.fragment = "16x256b"}, "16x256b.x8 (0,0,0) (16,0,32)", 64);
  served({.dtype = f16, .fragment = "16x128b"}, "16x128b.x8 (0,0,0) (16,0,16)", 32);
  served({.fragment = "16x256b", .rows = 64, .datapath = "F"}, "16x256b.x8 (0,0,0)", 32);
  declined({.fragment = "16x256b", .datapath = "F"}, "datapath");
  declined({.datapath = "F"}, "datapath");
  served({.fragment = "16x64b", .columns = 32, .tmem_columns = 128, .local = {16, 24}, .tmem = {100, 108}},
         "16x64b.x4 (0,100,8) (16,100,24)", 8);
  served({.dtype = f16, .fragment = "16x256b", .columns = 512}, "16x256b.x32 (0,0,0) (16,0,128)", 256);
}

TEST_CASE("copy_async: tensor memory refuses what its instructions cannot do") {
  // Y19: narrower than one repetition.
  declined({.fragment = "16x256b", .columns = 32, .local = {0, 4}, .tmem = {0, 4}}, "whole repetitions");
  declined({.fragment = "16x64b", .columns = 32, .local = {1, 9}, .tmem = {0, 8}}, "inside a repetition");
  // Y18: the registers start inside a word.
  declined({.dtype = ir::kFloat16, .columns = 64, .local = {1, 33}, .tmem = {0, 32}}, "inside a 32-bit register");
  // Y22: whole tiles of rows only.
  declined({.fragment = "16x256b", .rows = 64, .datapath = "F", .row_range = {0, 32}}, "all its 64 rows");
  declined({.fragment = "16x256b", .rows = 64, .datapath = "F", .row_range = {32, 64}}, "whole rows from 0");
  declined({.row_range = {0, 64}}, "all 128 rows");
  TmemResult r = run({.target = {9, 0, 'a'}}, true);
  CHECK(r.outcome == dispatch::Outcome::Rejected);
  CHECK(r.text.find("sm_90a") != std::string::npos);
  CHECK(run({.target = {10, 3, 'a'}}, true).outcome == dispatch::Outcome::Chosen);
  CHECK(run({.target = {12, 0, 'a'}}, true).outcome == dispatch::Outcome::Rejected);
  r = run({.scope = ExecScope::Warp}, true);
  CHECK(r.outcome == dispatch::Outcome::Rejected);
  CHECK(r.text.find("warp scope") != std::string::npos);
}
