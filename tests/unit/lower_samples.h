// Kernels that between them use what lowering, CUDA text and the simulator know.
#pragma once
#include "tests/unit/lower_testing.h"

namespace tilewright::testing {

// Symbolic extent, host-side grid, scalar parameter, guard.
inline void vector_add(Script& s) {
  const Var* n = s.extent("n");
  Buffer* a = s.param("A", {Expr(n)}, kFloat32);
  Buffer* b = s.param("B", {Expr(n)}, kFloat32);
  Buffer* c = s.param("C", {Expr(n)}, kFloat32);
  const Var* alpha = s.scalar_param("alpha", kFloat32);
  s.device();
  const Var* bx = s.id(ScopeBinding::KernelCta, (Expr(n) + Expr(255)) / Expr(256), "bx");
  const Var* tx = s.id(ScopeBinding::CtaThread, Expr(256), "tx");
  const Var* i = make_var("i", kInt32);
  s.add(make_stmt<Bind>(s.origin(), i, Expr(bx) * Expr(256) + Expr(tx)));
  s.add(s.when(lt(i, n), s.store(c, {i}, add(mul(alpha, s.at(a, {i})), s.at(b, {i})))));
}

// Scalars, loops of all kinds, conditions, floor division, selects, casts.
inline void statements(Script& s) {
  Buffer* a = s.param("A", {Expr(16), Expr(64)}, kFloat32);
  Buffer* b = s.param("B", {Expr(16), Expr(64)}, kInt32);
  s.device();
  s.id(ScopeBinding::KernelCta, Expr(1), "cta");
  const Var* warp = s.id(ScopeBinding::CtaWarp, Expr(2), "warp");
  s.id(ScopeBinding::WarpThread, Expr(32), "lane");
  const Var* tid = s.id(ScopeBinding::CtaThread, Expr(64), "tid");
  Buffer* sum = s.scalar("sum", kFloat32, float_imm(kFloat32, 0.0));
  Buffer* x = s.scalar("x", kInt32, Expr(tid) * Expr(2) - Expr(9));
  const Var* k = s.loop_var("k");
  s.add(s.loop(k, Expr(16), s.store(sum, {Expr(0)}, add(s.get(sum), s.at(a, {Expr(k), Expr(tid)})))));
  const Var* one = s.loop_var("one");
  s.add(s.loop(one, Expr(1), s.store(a, {Expr(one), Expr(tid)}, s.get(sum))));
  const Var* u = s.loop_var("u");
  s.add(s.loop(u, Expr(4), s.store(b, {Expr(u), Expr(tid)}, floormod(floordiv(s.get(x), Expr(3)), Expr(5))),
               LoopKind::Unrolled));
  const Var* v = s.loop_var("v");
  s.add(s.loop(v, Expr(2), s.store(b, {Expr(v) + Expr(4), Expr(tid)}, floormod(floordiv(s.get(x), Expr(4)), Expr(8))),
               LoopKind::Serial, UnrollHint::Off));
  s.add(make_stmt<While>(s.origin(), lt(s.get(sum), float_imm(kFloat32, 3.5)),
                         s.seq({s.store(sum, {Expr(0)}, add(s.get(sum), float_imm(kFloat32, 1.0))),
                                s.when(eq(tid, Expr(4)), make_stmt<Break>(s.origin()))})));
  s.add(s.when(
      either(both(gt(s.get(x), Expr(3)), eq(warp, Expr(0))), ne(tid, Expr(5))),
      s.store(a, {Expr(2), Expr(tid)}, if_then_else(gt(s.get(x), Expr(4)), s.get(sum), float_imm(kFloat32, 0.5))),
      s.when(eq(warp, Expr(1)), s.store(a, {Expr(3), Expr(tid)}, cast(kFloat32, s.get(x))),
             s.store(a, {Expr(4), Expr(tid)}, binary(ExprKind::Max, s.get(sum), float_imm(kFloat32, -1e20))))));
  s.add(s.when(lt(tid, Expr(64)), s.store(b, {Expr(8), Expr(tid)},
                                          bit_not(binary(ExprKind::BitXor, binary(ExprKind::Shl, s.get(x), Expr(2)),
                                                         binary(ExprKind::BitAnd, s.get(x), Expr(15)))))));
}

// A pool with views of other types and starts, a swizzled tile, element access through layouts, f16 arithmetic.
inline void pool(Script& s) {
  Buffer* a = s.param("A", {Expr(64), Expr(64)}, kFloat16);
  Buffer* b = s.param("B", {Expr(64), Expr(64)}, kFloat16);
  s.device();
  s.id(ScopeBinding::KernelCta, Expr(2), "cta");
  s.id(ScopeBinding::CtaWarp, Expr(4), "warp");
  const Var* lane = s.id(ScopeBinding::WarpThread, Expr(32), "lane");
  const Var* tid = s.id(ScopeBinding::CtaThread, Expr(128), "tid");
  Buffer* arena = s.shared("pool_buf", {Expr(0)}, kUInt8, rows({0}), StorageScope::SharedDyn);
  layout::Layout swizzled = *layout::compose(*layout::make_swizzle(3, 3, 3), rows({64, 64}));
  Buffer* tile = s.view("tile", arena, {Expr(64), Expr(64)}, kFloat16, Expr(0), swizzled);
  Buffer* sums = s.view("sums", arena, {Expr(128)}, kFloat32, Expr(2048), rows({128}));
  s.add(s.call("copy", ExecScope::Cta, s.whole(tile), s.whole(a)));
  s.add(s.sync());
  const Var* j = s.loop_var("j");
  s.add(s.store(sums, {Expr(tid)}, float_imm(kFloat32, 0)));
  s.add(s.loop(j, Expr(64),
               s.store(sums, {Expr(tid)},
                       add(s.at(sums, {Expr(tid)}), cast(kFloat32, s.at(tile, {Expr(tid) / Expr(2), Expr(j)}))))));
  s.add(s.sync());
  s.add(s.when(lt(tid, Expr(64)),
               s.store(tile, {Expr(tid), Expr(lane)},
                       add(s.at(tile, {Expr(tid), Expr(lane)}), cast(kFloat16, s.at(sums, {Expr(tid) * Expr(2)}))))));
  s.add(s.sync());
  s.add(s.call("copy", ExecScope::Cta, s.whole(b), s.whole(tile)));
}

// Vector accesses, a vectorised loop, pointers in variables, narrow integers, reinterpretation.
inline void vectors(Script& s) {
  Buffer* a = s.param("A", {Expr(256)}, kFloat32);
  Buffer* b = s.param("B", {Expr(256)}, kFloat32);
  Buffer* c = s.param("C", {Expr(256)}, DataType{TypeCode::Int, 8, 1});
  Buffer* d = s.param("D", {Expr(256)}, kFloat16);
  s.device();
  const Var* lane = s.id(ScopeBinding::WarpThread, Expr(32), "lane");
  s.id(ScopeBinding::CtaThread, Expr(32), "tid");
  Expr four = ramp(Expr(lane) * Expr(4), Expr(1), 4);
  s.add(s.store(b, {four}, add(s.at(a, {four}), broadcast(float_imm(kFloat32, 1), 4))));
  const Var* v = s.loop_var("v");
  s.add(s.loop(v, Expr(4),
               s.store(b, {Expr(lane) * Expr(4) + Expr(v) + Expr(128)},
                       mul(s.at(a, {Expr(lane) * Expr(4) + Expr(v)}), float_imm(kFloat32, 2))),
               LoopKind::Vectorized));
  DataType i8{TypeCode::Int, 8, 1};
  s.add(s.store(c, {Expr(lane)}, floordiv(add(s.at(c, {Expr(lane)}), int_imm(i8, 100)), int_imm(i8, 2))));
  Expr bits[] = {s.at(a, {Expr(lane)})};
  Expr word = ir::call(kUInt32, builtin::reinterpret, bits);
  Expr back[] = {binary(ExprKind::BitOr, word, int_imm(kUInt32, 0x80000000))};
  s.add(s.store(b, {Expr(lane)}, ir::call(kFloat32, builtin::reinterpret, back)));
  Buffer* r = s.local("r", {Expr(8)}, kFloat16, rows({8}));
  Expr source[] = {s.at(d, {Expr(lane) * Expr(8)})}, target[] = {s.at(r, {Expr(0)})};
  Expr copy[] = {ir::call(kHandle, builtin::address_of, target), ir::call(kHandle, builtin::address_of, source)};
  s.add(make_stmt<Evaluate>(s.origin(), ir::call(kVoid, intrinsics::copy_bytes_row(128), copy)));
  s.add(s.store(d, {Expr(lane) * Expr(8)}, add(s.at(r, {Expr(7)}), float_imm(kFloat16, 0.1))));
}

}  // namespace tilewright::testing
