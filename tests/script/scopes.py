# Scope ids (surface.md 3) and tile primitives (12).
#--- every scope id  [print]
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    cl = T.cluster_id([8])
    cx, cy = T.cta_id_in_cluster([2, 2])
    bx, by, bz = T.cta_id([4, 4, 2])
    pair = T.cta_id_in_pair()
    wg = T.warpgroup_id([2])
    w = T.warp_id([8])
    ww = T.warp_id_in_wg([4])
    t = T.thread_id_in_wg([128])
    l = T.lane_id([32])
    tx = T.thread_id([256])
    A[0] = cl + cx + cy + bx + by + bz + pair + wg + w + ww + t + l + tx
#| @T.prim_func
#| def k(A: T.Buffer((64,), "int32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     cl = T.cluster_id([8])
#|     cx, cy = T.cta_id_in_cluster([2, 2])
#|     bx, by, bz = T.cta_id([4, 4, 2])
#|     pair = T.cta_id_in_pair()
#|     wg = T.warpgroup_id([2])
#|     w = T.warp_id([8])
#|     ww = T.warp_id_in_wg([4])
#|     t = T.thread_id_in_wg([128])
#|     l = T.lane_id([32])
#|     tx = T.thread_id([256])
#|     A[0] = cl + cx + cy + bx + by + bz + pair + wg + w + ww + t + l + tx

#--- deferred and generic ids  [print]
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    bx = T.cta_id([4])
    w = T.warp_id()
    tx = T.thread_id([256])
    g = T.scope_id([8], "cta", "warp")
    A[w] = tx + bx + g
#| @T.prim_func
#| def k(A: T.Buffer((64,), "int32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     bx = T.cta_id([4])
#|     w = T.warp_id()
#|     tx = T.thread_id([256])
#|     g = T.warp_id([8])
#|     A[w] = tx + bx + g

#--- scope ids that are refused  [cuda]
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "int32"), f: T.float32):
    T.device_entry()
    a = T.cta_id([1, 2, 3, 4])
#                ^^^^^^^^^^^^ error[TW2110]: T.cta_id takes 1 to 3 extents, 4 are given
    b = T.warp_id([2, 2])
#                 ^^^^^^ error[TW2110]: T.warp_id takes 1 extent, 2 are given
    c = T.cta_id([])
#                ^^ error[TW2110]: T.cta_id takes 1 to 3 extents, 0 are given
    d = T.thread_id(["x"])
#                   ^^^^^ error[TW2004]: the extents of T.thread_id must be a number or an expression, not str
    e = T.thread_id([f])
#                   ^^^ error[TW2004]: the extents of T.thread_id must be integers, not float32
    g = T.scope_id([1], "cta", "nothing")
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2110]: there is no scope id from cta to nothing
    h = T.cta_id([4], preferred=[1, 2])
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2110]: preferred= is only defined for T.cta_id_in_cluster
    i, j = T.cta_id([4])
#   ^^^^ error[TW2004]: a run-time expression cannot be iterated
    tx = T.thread_id([32])

@T.prim_func
def inconsistent(A: T.Buffer((64,), "int32")):
    T.device_entry()
    w = T.warp_id([4])
    tx = T.thread_id([64])
#        ^^^^^^^^^^^^^^^^^ error[TW3008]: thread_id[64] / warp_id[4] gives 16 threads a warp; the hardware has 32
    A[tx] = w

@T.prim_func
def unresolved(A: T.Buffer((64,), "int32")):
    T.device_entry()
    w = T.warp_id()
#       ^^^^^^^^^^^ error[TW3003]: cannot infer extent of warp_id (binding 4)
#   hint: write warp_id([n])
    A[0] = w

@T.prim_func
def not_warps(A: T.Buffer((64,), "int32")):
    T.device_entry()
    w = T.warp_id()
    tx = T.thread_id([40])
#        ^^^^^^^^^^^^^^^^^ error[TW3009]: a CTA of 40 threads is not a whole number of warps
    A[tx] = w

T.cta_id([4])
# @1:1-1:14 error[TW2112]: T.cta_id belongs into the body of a kernel
#   hint: decorate the function with @T.prim_func

#--- tile primitives  [print]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def k(A: T.Buffer((32, 64), "float16"), B: T.Buffer((32, 64), "float32")):
    T.device_entry()
    tx = T.thread_id([128])
    s = T.alloc_shared((32, 64), "float16")
    t = T.alloc_shared((32, 64), "float16")
    r = T.alloc_local((8,), "float32")
    Tx.copy(r, B[0, 0:8])
    Tx.warp.copy(s[:, :], A)
    Tx.wg.copy(s, A, dispatch="gmem_smem")
    Tx.warpgroup.copy(s, A)
    Tx.cta.copy_async(s, A, oob="zero")
    Tx.cluster.copy(s, A)
    T.cta.copy(s, A)
    T.tile.copy(r, B[0, 0:8])
    T.warp.cast(s, B)
    Tx.cta.fill(s, 0.0)
    Tx.cta.memset(s, 0)
    Tx.cta.zero(s)
    Tx.cta.exp(s, t)
    Tx.cta.exp(s)
    Tx.cta.exp2(s, t, T.float16(0.5), T.float16(2.0))
    Tx.cta.add(s, s, t)
    Tx.cta.mul(s, t, 2.0)
    Tx.cta.fma(s, t, 2.0, 1.0)
    Tx.cta.sum(s[:, 0:1], t, axes=-1, accum=True)
    Tx.cta.max(s[:, 0:1], t, [-1], False)
    Tx.cta.sum(s[0:1, 0:1], t, [0, 1])
    Tx.cta.gemm(s, s, t, s, transpose_B=True, alpha=2.0)
    Tx.cta.gemm_async(s, s, t, accum=True)
    Tx.cta.permute_layout(s, t)
    Tx.cta.binary_reduce(s, s[:, 0:1], s, t, "add", "sum")
    Tx.cta.unary_reduce(s, s[:, 0:1], t, "exp", "sum", None, 2.0)
    Tx.cta.binary_chain(s, t, 1.0, 2.0, "add", "mul")
    Tx.cta.reduce_negate(s[:, 0:1], t, "max")
    Tx.cta.copy(s, A, workspace={"a": t})
#| @T.prim_func
#| def k(A: T.Buffer((32, 64), "float16"), B: T.Buffer((32, 64), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     tx = T.thread_id([128])
#|     s = T.alloc_shared((32, 64), "float16")
#|     t = T.alloc_shared((32, 64), "float16")
#|     r = T.alloc_local((8,))
#|     T.tile.copy(r[0:8], B[0:1, 0:8])
#|     T.warp.copy(s[0:32, 0:64], A[0:32, 0:64])
#|     T.wg.copy(s[0:32, 0:64], A[0:32, 0:64], dispatch="gmem_smem")
#|     T.wg.copy(s[0:32, 0:64], A[0:32, 0:64])
#|     T.cta.copy_async(s[0:32, 0:64], A[0:32, 0:64], oob="zero")
#|     T.cluster.copy(s[0:32, 0:64], A[0:32, 0:64])
#|     T.cta.copy(s[0:32, 0:64], A[0:32, 0:64])
#|     T.tile.copy(r[0:8], B[0:1, 0:8])
#|     T.warp.cast(s[0:32, 0:64], B[0:32, 0:64])
#|     T.cta.fill(s[0:32, 0:64], T.float32(0.0))
#|     T.cta.memset(s[0:32, 0:64], 0)
#|     T.cta.zero(s[0:32, 0:64])
#|     T.cta.exp(s[0:32, 0:64], t[0:32, 0:64])
#|     T.cta.exp(s[0:32, 0:64])
#|     T.cta.exp2(s[0:32, 0:64], t[0:32, 0:64], T.float16(0.5), T.float16(2.0))
#|     T.cta.add(s[0:32, 0:64], s[0:32, 0:64], t[0:32, 0:64])
#|     T.cta.mul(s[0:32, 0:64], t[0:32, 0:64], T.float32(2.0))
#|     T.cta.fma(s[0:32, 0:64], t[0:32, 0:64], T.float32(2.0), T.float32(1.0))
#|     T.cta.sum(s[0:32, 0:1], t[0:32, 0:64], -1, T.bool(True))
#|     T.cta.max(s[0:32, 0:1], t[0:32, 0:64], -1, T.bool(False))
#|     T.cta.sum(s[0:1, 0:1], t[0:32, 0:64], "[0, 1]")
#|     T.cta.gemm(s[0:32, 0:64], s[0:32, 0:64], t[0:32, 0:64], s[0:32, 0:64], None, T.bool(True), T.float32(2.0))
#|     T.cta.gemm_async(s[0:32, 0:64], s[0:32, 0:64], t[0:32, 0:64], None, None, None, None, T.bool(True))
#|     T.cta.permute_layout(s[0:32, 0:64], t[0:32, 0:64])
#|     T.cta.binary_reduce(s[0:32, 0:64], s[0:32, 0:1], s[0:32, 0:64], t[0:32, 0:64], "add", "sum")
#|     T.cta.unary_reduce(s[0:32, 0:64], s[0:32, 0:1], t[0:32, 0:64], "exp", "sum", None, T.float32(2.0))
#|     T.cta.binary_chain(s[0:32, 0:64], t[0:32, 0:64], T.float32(1.0), T.float32(2.0), "add", "mul")
#|     T.cta.reduce_negate(s[0:32, 0:1], t[0:32, 0:64], "max")
#|     T.cta.copy(s[0:32, 0:64], A[0:32, 0:64], workspace={"a": t})

#--- tile primitives that are refused
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def k(A: T.Buffer((32, 64), "float16"), B: T.Buffer((32, 64), "float32")):
    T.device_entry()
    s = T.alloc_shared((32, 64), "float16")
    Tx.copy(s)
#   ^^^^^^^^^^ error[TW2006]: Tx.copy needs 'src'
#   hint: its operands are dst, src
    Tx.copy(s, A, B)
#                 ^ error[TW2006]: Tx.copy takes 2 operands, 3 are given
    Tx.copy(s, 1.0)
#              ^^^ error[TW2108]: 'src' of Tx.copy is tile-only: a buffer or a region is needed
    Tx.copy(1.0, s)
#           ^^^ error[TW2108]: 'dst' of Tx.copy is tile-only: a buffer or a region is needed
    Tx.copy(s, A, dst=s)
#                     ^ error[TW2006]: Tx.copy is given 'dst' twice
    Tx.copy(s, A, scope="warp")
#                       ^^^^^^ error[TW2006]: the scope of a tile primitive is its namespace
#   hint: write Tx.warp.copy(...) and the like
    Tx.copy(s, A, dispatch=3)
#                          ^ error[TW2004]: dispatch= must be a string, not int
    Tx.copy(s, A, workspace=3)
#                           ^ error[TW2006]: workspace= takes a dict of buffers
    Tx.cast(s, 1.0)
#              ^^^ error[TW2108]: 'src' of Tx.cast is tile-only: a buffer or a region is needed
    Tx.cta.nothing(s, A)
#          ^^^^^^^ error[TW2003]: 'Tx.cta' has no attribute 'nothing'
    x = Tx.copy(s, A)
    Tx.copy(s, nothing)
#              ^^^^^^^ error[TW2002]: name 'nothing' is not defined
    Tx.copy(s, [1, 2])
#              ^^^^^^ error[TW2108]: 'src' of Tx.copy cannot be list: a buffer or a region is needed
    Tx.copy(s, "text")
#              ^^^^^^ error[TW2108]: 'src' of Tx.copy cannot be str: a buffer or a region is needed

Tx.copy(1, 2)
# @1:1-1:14 error[TW2112]: Tx.copy belongs into the body of a kernel
#   hint: decorate the function with @T.prim_func

#--- ids without a name print as they were written, whatever the later stages made of them  [print] [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def served(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([4])
    A[T.lane_id([32])] = T.warp_id([2])
    A[T.lane_id([32])] = 1

@T.prim_func
def refused(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([4])
    A[T.lane_id([32])] = T.warp_id([2])
    A[T.lane_id([32])] = 1
    s = T.alloc_shared([64], "int32")
    Tx.cluster.copy(s, A)
#   ^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy serves this call at cluster scope
#|    gmem_smem, reg  rejected: works at thread, warp, warpgroup and cta scope, not at cluster scope
#|    ldstmatrix      rejected: works at warp, warpgroup and cta scope, not at cluster scope
#|    fallback        declined: cluster scope has no single thread that could work for all
#   hint: call it at cta scope in each CTA: Tx.cta.copy
#| @T.prim_func
#| def served(A: T.Buffer((64,), "int32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([4])
#|     v_1 = T.warp_id([2])
#|     v_2 = T.lane_id([32])
#|     A[v_2] = v_1
#|     v_3 = T.lane_id([32])
#|     A[v_3] = 1
#| @T.prim_func
#| def refused(A: T.Buffer((64,), "int32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([4])
#|     v_1 = T.warp_id([2])
#|     v_2 = T.lane_id([32])
#|     A[v_2] = v_1
#|     v_3 = T.lane_id([32])
#|     A[v_3] = 1
#|     s = T.alloc_shared((64,), "int32")
#|     T.cluster.copy(s[0:64], A[0:64])

#--- filters  [print] [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def k(A: T.Buffer((128,), "float32"), B: T.Buffer((128,), "float32")):
    T.device_entry()
    warp = T.warp_id([4])
    lane = T.lane_id([32])
    tid = T.thread_id([128])
    if T.filter(tid, tid == 0):
        A[0] = 1
    if T.filter(lane, pred=T.ptx.elect_sync()):
        A[1] = 1
    if (warp == 0) & T.filter(lane, T.ptx.elect_sync() != 0):
        Tx.copy(B[0:128], A[0:128])
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[TW3106]: copy/fallback: global -> global at thread scope goes element by element through one thread
#   hint: ldstmatrix: works at warp, warpgroup and cta scope, not at thread scope; gmem_smem, reg: source is global and destination global
#| @T.prim_func
#| def k(A: T.Buffer((128,), "float32"), B: T.Buffer((128,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     warp = T.warp_id([4])
#|     lane = T.lane_id([32])
#|     tid = T.thread_id([128])
#|     if tid == 0:
#|         A[0] = T.float32(1.0)
#|     if T.ptx.elect_sync() != T.uint32(0):
#|         A[1] = T.float32(1.0)
#|     if T.bitwise_and(warp == 0, T.ptx.elect_sync() != T.uint32(0)):
#|         T.tile.copy(B[0:128], A[0:128])

#--- filters that are refused
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((128,), "float32")):
    T.device_entry()
    tid = T.thread_id([128])
    if T.filter(tid, 0, 4):
#                       ^ error[TW2006]: T.filter takes at most 2 positional arguments, 3 are given
        A[0] = 1
    if T.filter(tid):
#      ^^^^^^^^^^^^^ error[TW2006]: T.filter needs the argument 'pred'
        A[0] = 1

#--- what earlier branches left out is no division of those that remain  [cuda] [arch sm_90a]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def k(A: T.Buffer((128, 32), "float16")):
    T.device_entry()
    T.cta_id([1])
    T.warpgroup_id([2])
    w = T.warp_id([8])
    T.lane_id([32])
    T.thread_id([256])
    s = T.alloc_shared((128, 32), "float16")
    if w == 2:
        T.evaluate(0)
    elif w == 3:
        T.evaluate(0)
    elif w >= 4:
        Tx.wg.copy(s[:, :], A[:, :])
    if w == 5:
        T.evaluate(0)
    elif w >= 4:
        Tx.wg.copy(s[:, :], A[:, :])
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy serves this call at warpgroup scope
#|    gmem_smem, fallback  rejected: only some threads of the warpgroup pass `not (w == 5)`
#|    ldstmatrix, reg      rejected: source is global and destination shared
#   hint: let all threads of the warpgroup reach the call: move it out of `if not (w == 5)`

#--- after an error nothing is missed that the failed statement would have made  [cuda]
from tvm.script import tirx as T

@T.prim_func
def threads(A: T.Buffer((128,), "float32")):
    T.device_entry()
    T.cta_id([1])
    tid = T.tread_id([128])
#           ^^^^^^^^ error[TW2003]: 'T' has no attribute 'tread_id'
#   hint: did you mean T.thread_id?
    A[tid] = 1.0

@T.prim_func
def entry(A: T.Buffer((128,), "float32")):
    T.device_enttry()
#     ^^^^^^^^^^^^^ error[TW2003]: 'T' has no attribute 'device_enttry'
#   hint: did you mean T.device_entry?
    T.cta_id([1])
    tid = T.thread_id([128])
    A[tid] = 1.0

#--- calls of a block that lack one guard are one finding  [cuda] [arch sm_90a]
from tvm.script import tirx as T

@T.prim_func
def kernel(A: T.Buffer((64, 64), "float16"), B: T.Buffer((64, 64), "float16")):
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([32])
    a = T.alloc_shared((64, 64), "float16", align=1024)
    b = T.alloc_shared((64, 64), "float16", align=1024)
    bar = T.alloc_shared([1], "uint64")
    T.tile.copy_async(a[:, :], A[:, :], dispatch="tma", mbar=bar.ptr_to([0]))
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[TW3107]: 32 threads of the CTA reach this call, and each of them issues it
#   hint: guard it with `if T.ptx.elect_sync():` or a test of thread_id
    T.tile.copy_async(b[:, :], B[:, :], dispatch="tma", mbar=bar.ptr_to([0]))
    if tid < 16:
        T.tile.copy_async(B[:, :], b[:, :], dispatch="tma")
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[TW3107]: 16 threads of the CTA reach this call, and each of them issues it
#   hint: guard it with `if T.ptx.elect_sync():` or a test of thread_id

#--- a keyword that is not read was meant to be another  [cuda] [arch sm_90a]
from tvm.script import tirx as T

@T.prim_func
def kernel(A: T.Buffer((50, 64), "float16")):
    T.device_entry()
    bx = T.cta_id([2])
    tid = T.thread_id([32])
    a = T.alloc_shared((32, 64), "float16", align=1024)
    bar = T.alloc_shared([1], "uint64")
    if tid == 0:
        T.tile.copy_async(a[:, :], A[bx * 32 : bx * 32 + 32, :], disspatch="tma", mbar=bar.ptr_to([0]))
#                                                                ^^^^^^^^^ warning[TW3105]: copy_async has no option `disspatch`
#   hint: did you mean dispatch=? it knows mbar, remote_cta_id, cta_group, cta_mask, cache_hint, oob, use_tma_reduce, prefetch_tensormap

#--- a CTA of fewer than four warps is one warpgroup that is not full  [cuda]
from tvm.script import tirx as T

@T.prim_func
def warps(A_ptr: T.handle):
    A = T.match_buffer(A_ptr, (64,), "float32")
    T.device_entry()
    T.cta_id([1])
    T.warpgroup_id([1])
    w = T.warp_id_in_wg([2])
    lane = T.lane_id([32])
    A[w * 32 + lane] = 1.0

@T.prim_func
def threads(A_ptr: T.handle):
    A = T.match_buffer(A_ptr, (96,), "float32")
    T.device_entry()
    T.cta_id([1])
    T.thread_id([96])
    t = T.thread_id_in_wg([96])
    w = T.warp_id_in_wg([3])
    A[t] = T.cast(w, "float32")

@T.prim_func
def full(A_ptr: T.handle):
    A = T.match_buffer(A_ptr, (64,), "float32")
    T.device_entry()
    T.cta_id([1])
    T.thread_id([128])
    w = T.warp_id_in_wg([2])
#       ^^^^^^^^^^^^^^^^^^^^ error[TW3008]: warp_id_in_wg[2] gives 2 warps a warpgroup; the hardware has 4
    A[w] = 1.0

@T.prim_func
def two_of_three(A_ptr: T.handle):
    A = T.match_buffer(A_ptr, (64,), "float32")
    T.device_entry()
    T.cta_id([1])
    T.warp_id([3])
    t = T.thread_id_in_wg([64])
#       ^^^^^^^^^^^^^^^^^^^^^^^ error[TW3008]: thread_id_in_wg[64] gives 64 threads a warpgroup; the hardware has 128
    A[t] = 1.0
