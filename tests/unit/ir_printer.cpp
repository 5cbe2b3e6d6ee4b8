// Kernels as script text.
#include "compiler/ir/printer.h"
#include "tests/unit/catch.h"
#include "tests/unit/kernel_builder.h"

using namespace tilewright;
using namespace tilewright::testing;
using namespace tilewright::ir;

namespace {

std::string text_of(Expr e) {
  ScriptWriter w(nullptr, text::kDefaultDialect);
  w.expression(e);
  return w.out;
}

}  // namespace

TEST_CASE("expressions print as the reference prints them") {
  Arena arena;
  ArenaScope scope(arena);
  const Var* x = make_var("x", kInt32);
  const Var* y = make_var("x", kInt32);  // a second one of that name
  const Var* u = make_var("u", kUInt32);
  ScriptWriter w(nullptr, text::kDefaultDialect);
  w.expression(add(mul(x, Expr(2)), y));
  CHECK(w.out == "x * 2 + x_1");
  CHECK(text_of(mul(add(x, Expr(1)), Expr(3))) == "(x + 1) * 3");
  CHECK(text_of(sub(x, sub(x, Expr(1)))) == "x - (x - 1)");
  CHECK(text_of(either(both(gt(x, Expr(3)), eq(x, Expr(0))), ne(x, Expr(5)))) == "x > 3 and x == 0 or x != 5");
  CHECK(text_of(both(gt(x, Expr(3)), either(eq(x, Expr(0)), ne(x, Expr(5))))) == "x > 3 and (x == 0 or x != 5)");
  CHECK(text_of(binary(ExprKind::BitXor, u, binary(ExprKind::Shl, u, int_imm(kUInt32, 2)))) ==
        "T.bitwise_xor(u, T.shift_left(u, T.uint32(2)))");
  CHECK(text_of(cast(kFloat16, x)) == "T.Cast(\"float16\", x)");
  CHECK(text_of(float_imm(kFloat16, 1)) == "T.float16(1.0)");
  CHECK(text_of(float_imm(kFloat32, -std::numeric_limits<double>::infinity())) == "T.float32(\"-inf\")");
  CHECK(text_of(bool_imm(true)) == "T.bool(True)");
  CHECK(text_of(floormod(floordiv(x, Expr(3)), Expr(5))) == "x // 3 % 5");
  CHECK(text_of(ramp(x, Expr(1), 4)) == "T.Ramp(x, 1, 4)");
}

TEST_CASE("for people a scalar is its name, and a part of a value the way to it") {
  KernelBuilder k;
  Buffer* m = k.buffer("m", {Expr(1)}, kInt32, StorageScope::Local, layout::row_major(layout::Shape{1}));
  Buffer* stage = k.buffer("st_stage", {Expr(1)}, kInt32, StorageScope::Local, layout::row_major(layout::Shape{1}));
  Buffer* tile =
      k.buffer("st_tile", {Expr(64), Expr(8)}, kInt32, StorageScope::Local, layout::row_major(layout::Shape{64, 8}));
  m->is_scalar = stage->is_scalar = true;
  stage->path = "st.stage";
  tile->path = "st.tile";
  const Expr zero[] = {Expr(0)};
  const Expr at = mul(load(m, zero), Expr(8)), row = load(stage, zero);
  CHECK(to_string(add(at, row)) == "m * 8 + st.stage");
  CHECK(to_exact_string(add(at, row)) == "m[0] * 8 + st_stage[0]");
  const Range ranges[] = {{at, Expr(8)}, {row, Expr(1)}};
  CHECK(to_string(Region{tile, ranges}) == "st.tile[m * 8:m * 8 + 8, st.stage]");
}

TEST_CASE("a kernel prints as the reference prints it") {
  KernelBuilder k;
  auto rows = [](std::initializer_list<std::int64_t> shape) {
    layout::Shape s;
    for (std::int64_t e : shape) s.emplace_back(e);
    return layout::row_major(s);
  };
  Buffer* a = k.buffer("A", {Expr(32), Expr(32)}, kFloat16, StorageScope::Global, rows({32, 32}));
  Buffer* b = k.buffer("B", {Expr(32), Expr(32)}, kFloat16, StorageScope::Global, rows({32, 32}));
  std::vector<Param> params{{make_var("A_ptr", kHandle, VarRole::Parameter), a},
                            {make_var("B_ptr", kHandle, VarRole::Parameter), b}};
  k.device();
  k.id(ScopeBinding::KernelCta, Expr(1));
  const Var* lane = k.id(ScopeBinding::WarpThread, Expr(32), "lane");
  k.id(ScopeBinding::CtaThread, Expr(32));
  Buffer* smem = k.buffer("A_smem", {Expr(32), Expr(32)}, kFloat16, StorageScope::Shared, rows({32, 32}));
  k.add(make_stmt<Alloc>(k.origin(), smem));
  k.add(k.call("copy", ExecScope::Warp, full_region(smem), full_region(a)));
  Buffer* x = k.buffer("x", {Expr(1)}, kInt32, StorageScope::Local, rows({1}));
  x->is_scalar = true;
  Expr zero = 0;
  std::span<const Expr> first = Arena::current().copy(std::span<const Expr>(&zero, 1));
  k.add(make_stmt<Alloc>(k.origin(), x));
  k.add(make_stmt<Store>(k.origin(), x, first, mul(lane, Expr(2))));
  Expr value = load(x, first);
  const Var* loop = make_var("k", kInt32, VarRole::Loop);
  Expr to[] = {loop, lane}, from[] = {Expr(loop) + Expr(1), value};
  const Stmt* store = make_stmt<Store>(k.origin(), smem, Arena::current().copy(std::span<const Expr>(to)),
                                       add(load(smem, from), float_imm(kFloat16, 1)));
  k.add(k.when(gt(value, Expr(4)), make_stmt<For>(k.origin(), loop, Expr(0), Expr(4), Expr(), LoopKind::Serial,
                                                  UnrollHint::None, std::string_view(), store)));
  k.add(k.call("copy", ExecScope::Warp, full_region(b), full_region(smem)));
  Kernel kernel = k.finish();
  kernel.params = params;
  CHECK(print_script(kernel) == R"(# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@I.ir_module
class Module:
    @T.prim_func
    def kernel(A: T.Buffer((32, 32), "float16"), B: T.Buffer((32, 32), "float16")):
        T.attr({"tirx.device_entry": T.bool(True)})
        v = T.cta_id([1])
        lane = T.lane_id([32])
        v_1 = T.thread_id([32])
        A_smem = T.alloc_shared((32, 32), "float16")
        T.warp.copy(A_smem[0:32, 0:32], A[0:32, 0:32])
        x: T.int32 = lane * 2
        if x > 4:
            for k in range(4):
                A_smem[k, lane] = A_smem[k + 1, x] + T.float16(1.0)
        T.warp.copy(B[0:32, 0:32], A_smem[0:32, 0:32])
)");
}
