# What release 0.27 changed in the names and statements of scripts. docs/language/dialects.md
#--- ids and loops of a type  [print]
# tilewright: dialect 0.27
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "float32")):
    T.device_entry()
    bx = T.cta_id([1], dtype="uint32")
    tx = T.thread_id([64], dtype="uint32")
    for i in T.serial(4, dtype="uint32"):
        A[i] = T.Cast("float32", tx + i + bx)
    for j in T.unroll(2, dtype="uint32"):
        A[j] = T.Cast("float32", tx + j)
    for i, j in T.grid(2, 3, dtype="uint32"):
        A[i * T.uint32(3) + j] = 1.0
    for q in T.vectorized(4, dtype="uint32"):
        A[q] = 2.0
    for q in T.serial(8, unroll=4):
        A[q] = 3.0
    for q in T.serial(8, dtype=None):
        A[q] = 3.0
    y = T.lane_id([32], dtype="int64")
#                             ^^^^^^^ error[TW2110]: dtype= of an id is "int32" or "uint32", not int64
    for q in T.serial(8, dtype="int8"):
#                              ^^^^^^ error[TW2104]: dtype= of a loop is "int32" or "uint32", not int8
        A[q] = 3.0
#| @T.prim_func
#| def k(A: T.Buffer((64,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([1])
#|     bx: T.let[T.uint32] = T.Cast("uint32", v)
#|     v_1 = T.thread_id([64])
#|     tx: T.let[T.uint32] = T.Cast("uint32", v_1)
#|     for i in T.serial(T.uint32(4)):
#|         A[i] = T.Cast("float32", tx + i + bx)
#|     for j in T.unroll(T.uint32(2)):
#|         A[j] = T.Cast("float32", tx + j)
#|     for i in T.serial(T.uint32(2)):
#|         for j in T.serial(T.uint32(3)):
#|             A[i * T.uint32(3) + j] = T.float32(1.0)
#|     for q in T.vectorized(T.uint32(4)):
#|         A[q] = T.float32(2.0)
#|     for q in T.serial(8, unroll=4):
#|         A[q] = T.float32(3.0)
#|     for q in range(8):
#|         A[q] = T.float32(3.0)

#--- a loop says how many copies of its body there are  [print]
# tilewright: dialect 0.27
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "float32")):
    T.device_entry()
    tx = T.thread_id([32])
    for i in range(2, unroll=1):
        A[i] = 1.0
    for i in T.serial(2, annotations={"pragma_unroll": 3}):
        A[i] = 1.0
    for i in T.parallel(2, annotations={"pragma_unroll": 3}):
#            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[TW2117]: each thread that gets here runs all rounds of this loop, one after the other
#   hint: write T.serial, or share the rounds out: for i in T.serial(first, stop, step=threads)
        A[i] = 1.0
    for i in T.serial(2, unroll=True):
        A[i] = 1.0
    for i in T.serial(2, unroll=0):
#            ^^^^^^^^^^^^^^^^^^^^^ error[TW2104]: unroll= of a loop is True, False or a number from 1 on, not 0
#   hint: write unroll=False for a loop that stays as it is
        A[i] = 1.0
#| @T.prim_func
#| def k(A: T.Buffer((64,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     tx = T.thread_id([32])
#|     for i in T.serial(2, unroll=1):
#|         A[i] = T.float32(1.0)
#|     for i in T.serial(2, unroll=3):
#|         A[i] = T.float32(1.0)
#|     for i in T.parallel(2, annotations={"pragma_unroll": 3}):
#|         A[i] = T.float32(1.0)
#|     for i in T.serial(2, unroll=True):
#|         A[i] = T.float32(1.0)

#--- before 0.27 a loop only says whether it is unrolled  [print]
# tilewright: dialect 0.26
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "float32")):
    T.device_entry()
    tx = T.thread_id([32])
    for i in T.serial(2, unroll=4):
        A[i] = 1.0
    for i in T.serial(2, unroll=0):
        A[i] = 1.0
#| @T.prim_func
#| def k(A: T.Buffer((64,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     tx = T.thread_id([32])
#|     for i in T.serial(2, unroll=True):
#|         A[i] = T.float32(1.0)
#|     for i in T.serial(2, unroll=False):
#|         A[i] = T.float32(1.0)

#--- shuffles under the names that methods of classes use
# tilewright: dialect 0.27
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "float32")):
    T.device_entry()
    tx = T.thread_id([32])
    A[tx] = T.cuda._shfl_sync(T.uint32(0xffffffff), A[tx], 0, 32) + T.cuda._shfl_xor_sync(T.uint32(0xffffffff), A[tx], 1, 32)
    A[tx] = T.cuda._shfl(A[tx])
#                  ^^^^^ error[TW2003]: 'T.cuda' has no attribute '_shfl'

#--- ids and loops of 0.26 have no dtype
# tilewright: dialect 0.26
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "float32")):
    T.device_entry()
    tx = T.thread_id([64], dtype="uint32")
#                          ^^^^^ error[TW2006]: T.thread_id has no argument 'dtype'
    for i in T.serial(4, dtype="uint32"):
#                        ^^^^^ error[TW2006]: T.serial has no argument 'dtype'
        A[i] = 1.0
    x = T.BitwiseAnd(1, 3)
#         ^^^^^^^^^^ error[TW2003]: 'T' has no attribute 'BitwiseAnd'
#   hint: T.BitwiseAnd is 0.27; 0.26 writes T.bitwise_and

#--- extents by type variables  [print]
# tilewright: dialect 0.27
from __future__ import annotations
from typing import TypeVar
from tvm.script import tirx as T
n = TypeVar("n")
m = TypeVar("other")
b = TypeVar("b", bound=int)

@T.prim_func
def k(A: T.Buffer((n, n * 2), "float32"), B: T.Buffer(("n",), "float32")):
    T.device_entry()
    bx = T.cta_id([4])
    tx = T.thread_id([64])
    B[bx] = A[bx, tx]

@T.prim_func
def parameters[q, r: int](A: T.Buffer((q, r), "float32")):
    T.device_entry()
    tx = T.thread_id([64])
    A[tx, 0] = 1.0

@T.prim_func
def other_name(A: T.Buffer((m,), "float32")):
#                           ^ error[TW2105]: the type variable of an extent has the name of its binding: this is TypeVar("other") under the name 'm'
#   hint: write m = TypeVar("m")
    T.device_entry()

@T.prim_func
def bounded(A: T.Buffer((b,), "float32")):
#                        ^ error[TW2105]: the type variable of an extent has no bound and no constraints
#   hint: write TypeVar("b")
    T.device_entry()
#| @T.prim_func
#| def k(A_handle: T.handle, B_handle: T.handle):
#|     n = T.int64()
#|     A = T.match_buffer(A_handle, (n, n * T.int64(2)))
#|     B = T.match_buffer(B_handle, (n,))
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     bx = T.cta_id([4])
#|     tx = T.thread_id([64])
#|     B[bx] = A[bx, tx]
#| @T.prim_func
#| def parameters(A_handle: T.handle):
#|     q = T.int64()
#|     r = T.int64()
#|     A = T.match_buffer(A_handle, (q, r))
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     tx = T.thread_id([64])
#|     A[tx, 0] = T.float32(1.0)
#| @T.prim_func
#| def other_name():
#|     T.attr({"tirx.device_entry": T.bool(True)})
#| @T.prim_func
#| def bounded():
#|     T.attr({"tirx.device_entry": T.bool(True)})

#--- a type variable without deferred annotations
# tilewright: dialect 0.27
from typing import TypeVar
from tvm.script import tirx as T
n = TypeVar("n")

@T.prim_func
def k(A: T.Buffer((n,), "float32")):
#                  ^ error[TW2105]: an extent that the signature names needs annotations that are not evaluated when the kernel is defined
#   hint: write `from __future__ import annotations` at the top of the script
    T.device_entry()

#--- operators as functions, sources  [print]
# tilewright: dialect 0.27
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    tx = T.thread_id([64])
    A[tx] = T.BitwiseAnd(tx, 3) + T.BitwiseOr(tx, 4) + T.BitwiseXor(tx, 5) + T.BitwiseNot(tx) + T.LShift(tx, 2) + T.RShift(tx, 1)
    x: T.int32 = 1
    B = x.source
    C = A[3].source
    A[tx] = B[0] + C[2]
    v: T.let = A.vload([0], "int32x4")
    A.vstore([8], v, predicate=None)
#                    ^^^^^^^^^ error[TW2006]: predicate= is 0.26; 0.27 writes T.masked_store
#   hint: drop predicate=
    s = T.StringImm("x")
#         ^^^^^^^^^ error[TW2003]: 'T' has no attribute 'StringImm'
#   hint: T.StringImm is 0.26; 0.27 has nothing like it
#| @T.prim_func
#| def k(A: T.Buffer((64,), "int32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     tx = T.thread_id([64])
#|     A[tx] = T.bitwise_and(tx, 3) + T.bitwise_or(tx, 4) + T.bitwise_xor(tx, 5) + T.bitwise_not(tx) + T.shift_left(tx, 2) + T.shift_right(tx, 1)
#|     x: T.int32 = 1
#|     A[tx] = x + A[2]
#|     v: T.let[T.int32x4] = A[T.Ramp(0, 1, 4)]

#--- barriers
# tilewright: dialect 0.27
from tvm.script import tirx as T
from tvm.tirx.lang.pipeline import MBarrier, TMABar, TCGen05Bar
from tvm.backend.cuda.lang.clc import query_cancel_first_ctaid_x

@T.prim_func
def k(A: T.Buffer((64, 64), "float16")):
    T.device_entry()
    cx = T.cta_id_in_cluster([2])
    tx = T.thread_id([128])
    pool = T.SMEMPool()
    bar = MBarrier(pool, 2)
    tma = TMABar(pool, 2)
    tc = TCGen05Bar(pool, 1)
    answer = pool.alloc((4,), "uint32", align=16)
    pool.commit()
    bar.init(1)
    bar.arrive(0)
    bar.arrive(0, count=2)
    bar.arrive(0, pred=tx == 0)
    bar.arrive(1, remote=0)
    tma.arrive(0, 128)
    tma.arrive(0, 128, remote=1)
    v = bar.remote_view(1)
    v.arrive(0)
    tc.arrive(0)
    tc.arrive(0, cta_group=2, cta_mask=2)
    tc.arrive(0, cta_group=2, cta_mask=3, pred=tx == 0)
    bar.wait(0, 0)
    first: T.uint32 = 0
    query_cancel_first_ctaid_x(first, answer.ptr_to([0]))

#--- modules that moved
# tilewright: dialect 0.27
from tvm.script import tirx as T
from tvm.sym import Analyzer
from tvm.ir import StringImm, TensorLoad, TensorRegion
from tvm.arith import Analyzer as Old
#    ^^^^^^^^^ error[TW2203]: there is no module 'tvm.arith' in 0.27
#   hint: 0.27 writes tvm.sym
from tvm.backend.cuda.operator.tile_primitive.tma_utils import SwizzleMode
#    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2203]: there is no module 'tvm.backend.cuda.operator.tile_primitive.tma_utils' in 0.27
#   hint: 0.27 writes tvm.backend.cuda.tile_primitive.tma_utils

@T.prim_func
def k(A: T.Buffer((64,), "float32")):
    T.device_entry()

#--- what printed kernels of 0.27 hold  [print] [arch sm_100a]
# tilewright: dialect 0.27
from tvm.script import tirx as T

@T.prim_func
def printed(a_ptr: T.handle, n: T.uint32):
    a = T.match_buffer(a_ptr, (64, 512), "float4_e2m1fn")
    v: T.let[T.handle("tensormap")] = T.tvm_stack_alloca("tensormap", 1)
    T.call_packed("runtime.cuTensorMapEncodeTiled", v, "float4_e2m1fn", 2, a.data, 512, 64, 256, 256, 64, 1, 1, 0, 3, 2, 0, 13)
    T.device_entry()
    T.cta_id([1])
    tx = T.thread_id([32])
    desc: T.uint32
    T.cuda.tcgen05.encode_instr_descriptor(T.address_of(desc), "float32", "float16", "float16", 128, 64, 16, T.bool(False), T.bool(True), 1, T.bool(False), T.bool(False), T.bool(False), T.bool(False))
    rounds: T.uint32 = n
    for i in range(rounds):
        T.tvm_storage_sync("shared", T.bool(False), -1)
    for i in range(tx, n):
#            ^^^^^^^^^^^^ error[TW2104]: the loop would run from int32 to uint32: both bounds need one type
#   hint: cast one of them; T.serial(n) starts at a 0 of the type of n
        pass
#| @T.prim_func
#| def printed(a: T.Buffer((64, 512), "float4_e2m1fn"), n: T.uint32):
#|     v: T.let[T.handle("tensormap")] = T.tvm_stack_alloca("tensormap", 1)
#|     T.call_packed("runtime.cuTensorMapEncodeTiled", v, "float4_e2m1fn", 2, a.data, 512, 64, 256, 256, 64, 1, 1, 0, 3, 2, 0, 13)
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v_1 = T.cta_id([1])
#|     tx = T.thread_id([32])
#|     desc: T.uint32
#|     T.cuda.tcgen05.encode_instr_descriptor(T.address_of(desc.buffer), d_dtype="float32", a_dtype="float16", b_dtype="float16", M=128, N=64, K=16, trans_a=T.bool(False), trans_b=T.bool(True))
#|     rounds: T.uint32 = n
#|     for i in T.serial(rounds):
#|         T.tvm_storage_sync("shared")

#--- a branch that is never taken keeps what could not be read  [print]
# tilewright: dialect 0.27
from tvm.script import tirx as T

@T.prim_func
def kernel(A: T.Buffer((64,), "float32")):
    T.device_entry()
    tx = T.thread_id([64])
    if T.bool(False):
        A[tx] = A[-1]
    else:
        A[tx] = A[64]
#                 ^^ error[TW2107]: index 64 is outside of dimension 0 of A, which has 64 elements
    if tx < 4:
        A[tx] = A[-1]
#                 ^^ error[TW2107]: index -1 is outside of dimension 0 of A, which has 64 elements
#| @T.prim_func
#| def kernel(A: T.Buffer((64,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     tx = T.thread_id([64])
#|     if T.bool(False):
#|         A[tx] = A[-1]
#|     else:
#|         pass
#|     if tx < 4:
#|         pass

#--- and its CUDA  [cuda]
# tilewright: dialect 0.27
from tvm.script import tirx as T

@T.prim_func
def kernel(A: T.Buffer((64,), "float32")):
    T.device_entry()
    tx = T.thread_id([64])
    if T.bool(False):
        A[tx] = A[-1]
    A[tx] = A[63 - tx]

#--- blocks of scales are of sm_100a, B in its collector is not  [arch sm_100a]
# tilewright: dialect 0.27
from tvm.script import tirx as T

@T.prim_func
def kernel(A: T.Buffer((64,), "uint64")):
    T.device_entry()
    tx = T.thread_id([64])
    T.ptx["tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.block32"](T.uint32(0), A[0], A[1], T.uint32(0), T.uint32(64), T.uint32(68), T.ptx.pred(1))
    T.ptx["tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.block32.collector::a::fill.collector::b::fill"](T.uint32(0), A[0], A[1], T.uint32(0), T.uint32(64), T.uint32(68), T.ptx.pred(1))
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx.tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.block32.collector::a::fill.collector::b::fill: needs sm_107f (PTX 9.4), this is sm_100a

#--- a pointer into shared memory is no global and no generic address
# tilewright: dialect 0.27
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "float32")):
    T.device_entry()
    tx = T.thread_id([32])
    s = T.alloc_shared([64], "float32")
    v = s.view(8, 8)
    x: T.float32
    T.ptx.ld.global_.f32(x, s.ptr_to([0]))
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx: none of the 4 forms of ld.global.f32 takes this call: ld: 'addr' is a global address, here it is a pointer into shared memory; ld_proxy_readonly: .proxy::readonly is missing; ld_vec: vec is missing, legal here: .v2 or .v4; ld_vec256: .v8 is missing
    T.ptx.ld.f32(x, v.ptr_to([0, 0]))
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx: none of the 4 forms of ld.f32 takes this call: ld: 'addr' is a generic address, here it is a pointer into shared memory; ld_proxy_readonly: .proxy::readonly is missing; ld_vec: vec is missing, legal here: .v2 or .v4; ld_vec256: .v8 is missing
    T.ptx.ld.global_.f32(x, T.handle_add_byte_offset(s.ptr_to([0]), 4))
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx: none of the 4 forms of ld.global.f32 takes this call: ld: 'addr' is a global address, here it is a pointer into shared memory; ld_proxy_readonly: .proxy::readonly is missing; ld_vec: vec is missing, legal here: .v2 or .v4; ld_vec256: .v8 is missing
    T.ptx.ld.shared.f32(x, s.ptr_to([0]))
    A[tx] = x

#--- modules that 0.27 moved
# tilewright: dialect 0.27
from tvm.script import tirx as T
from tvm import arith
#               ^^^^^ error[TW2203]: there is no module 'tvm.arith' in 0.27
#   hint: 0.27 writes tvm.sym
from tvm import sym

#--- what 0.27 writes for the whole name, and for its keywords
# tilewright: dialect 0.27
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "float32")):
    T.device_entry()
    tx = T.thread_id([32])
    T.ptx.cp_async.commit_group()
#         ^^^^^^^^ error[TW2003]: 'T.ptx' has no attribute 'cp_async'
#   hint: T.ptx.cp_async.commit_group is 0.26; 0.27 writes T.ptx.cp.async_.commit_group
    T.ptx.cp_async.bulk.wait_group(0)
#         ^^^^^^^^ error[TW2003]: 'T.ptx' has no attribute 'cp_async'
#   hint: T.ptx.cp_async.bulk.wait_group is 0.26; 0.27 writes T.ptx.cp.async_.bulk.wait_group
    T.ptx.tcgen05.wait.ld()
#                 ^^^^ error[TW2003]: T.ptx: tcgen05 takes no .wait: .wait is no modifier of it; legal here: shape .128x128b, .128x256b, .16x128b, .16x256b, .16x64b, .32x128b, .4x256b or .64x128b; .16x32bx2; .32x32b; .NaN; .abs; .aligned and words of 44 more slots
#   hint: T.ptx.tcgen05.wait.ld is 0.26; 0.27 writes T.ptx.tcgen05.wait__ld.sync.aligned
    T.ptx.mbarrier.arrive(A.ptr_to([0]), remote=0)
#                                        ^^^^^^ error[TW2006]: T.ptx.mbarrier.arrive has no argument 'remote'
#   hint: T.ptx.mbarrier.arrive is 0.26; 0.27 writes T.ptx.mbarrier.arrive.shared.b64
    T.ptx.wgmma.fence()
#   ^^^^^^^^^^^^^^^^^^^ error[TW2111]: T.ptx: wgmma.fence: .sync is missing
#   hint: T.ptx.wgmma.fence is 0.26; 0.27 writes T.ptx.wgmma.fence.sync.aligned
    T.ptx["multimem.st.global.b32"](A.ptr_to([tx]), T.uint32(0))
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2003]: T.ptx: there is no instruction family multimem in T.ptx: write multimem_st.global.b32
    A[tx] = 1.0

#--- the type of an id is int32 or uint32, None is none of them
# tilewright: dialect 0.27
from tvm.script import tirx as T

@T.prim_func
def ids(A: T.Buffer((128,), "float32")):
    T.device_entry()
    T.cta_id([1], dtype=None)
#                       ^^^^ error[TW2110]: dtype= of an id is "int32" or "uint32", not None
#   hint: leave dtype= out
    t = T.thread_id([32], dtype="uint32")
    for i in T.serial(4, dtype=None):
        A[i] = T.float32(0)
