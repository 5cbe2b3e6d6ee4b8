# Sums, largest and smallest elements of tiles: who reduces what, which lanes exchange, and why not.
#--- by each thread (compute.md 11.2, rows 1 to 4)  [calls] [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import ComposeLayout, R, S, SwizzleLayout, TileLayout, laneid, tid_in_wg, tx, warpid, wid_in_wg

F = TileLayout(S[(2, 8, 16, 4, 2) : (2, 4 @ laneid, 4, 1 @ laneid, 1)])


def W(n):
    return TileLayout(S[(128, n) : (1 @ tid_in_wg, 1)])


def L(n):
    return TileLayout(S[(32, n) : (1 @ laneid, 1)])


@T.prim_func
def ex1():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((27,), "float32", scope="local")
    d = T.alloc_buffer((4,), "float32", scope="local")
    Tx.sum(d[2:3], a)

@T.prim_func
def ex2():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((16,), "float32", scope="local")
    d = T.alloc_buffer((1,), "float32", scope="local")
    Tx.max(d, a, accum=True)

@T.prim_func
def ex3():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((4,), "float32", scope="local")
    d = T.alloc_buffer((1,), "float32", scope="local")
    h = T.alloc_buffer((16,), "float16", scope="local")
    e = T.alloc_buffer((1,), "float16", scope="local")
    Tx.sum(d, a)
    Tx.sum(e, h)

@T.prim_func
def ex4():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((3, 4, 5), "float32", scope="local")
    d = T.alloc_buffer((3, 5), "float32", scope="local")
    Tx.sum(d, a, axes=(1,))
#| 25 sum -> packed_add_sum: elements 27, chunks 3, rest 3, packed_adds 11
#|   local not_tried: would serve; packed_add_sum is preferred (priority 20 over 10)
#|   shared not_tried: source is local and destination local; shared reduces tiles in shared memory
#| 36 max -> 3input_maxmin: elements 16, chunks 2, rest 0, three_inputs 6
#|   local not_tried: would serve; 3input_maxmin is preferred (priority 20 over 10)
#|   shared not_tried: source is local and destination local; shared reduces tiles in shared memory
#| 49 sum -> local: spatial 1, reduced 4
#|   packed_add_sum rejected: reduction_len 4 < 8
#|   shared not_tried: source is local and destination local; shared reduces tiles in shared memory
#| 50 sum -> local: spatial 1, reduced 16
#|   packed_add_sum rejected: dtype float16 != float32
#|   shared not_tried: source is local and destination local; shared reduces tiles in shared memory
#| 61 sum -> local: spatial 15, reduced 4
#|   packed_add_sum rejected: dst_len 15 != 1; src ndim 3 != 1
#|   shared not_tried: source is local and destination local; shared reduces tiles in shared memory

#--- before Blackwell one at a time (11.2, 3)  [calls] [cuda] [arch sm_90a]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import ComposeLayout, R, S, SwizzleLayout, TileLayout, laneid, tid_in_wg, tx, warpid, wid_in_wg

F = TileLayout(S[(2, 8, 16, 4, 2) : (2, 4 @ laneid, 4, 1 @ laneid, 1)])


def W(n):
    return TileLayout(S[(128, n) : (1 @ tid_in_wg, 1)])


def L(n):
    return TileLayout(S[(32, n) : (1 @ laneid, 1)])


@T.prim_func
def ex3():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((16,), "float32", scope="local")
    d = T.alloc_buffer((1,), "float32", scope="local")
    Tx.sum(d, a)
#| 25 sum -> local: spatial 1, reduced 16
#|   packed_add_sum rejected: sm_version 90 < 100
#|   shared not_tried: source is local and destination local; shared reduces tiles in shared memory

#--- by a warp or warpgroup together (11.2, 5 to 12)  [calls] [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import ComposeLayout, R, S, SwizzleLayout, TileLayout, laneid, tid_in_wg, tx, warpid, wid_in_wg

F = TileLayout(S[(2, 8, 16, 4, 2) : (2, 4 @ laneid, 4, 1 @ laneid, 1)])


def W(n):
    return TileLayout(S[(128, n) : (1 @ tid_in_wg, 1)])


def L(n):
    return TileLayout(S[(32, n) : (1 @ laneid, 1)])


@T.prim_func
def ex5():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((32, 8), "float32", scope="local", layout=L(8))
    d = T.alloc_buffer((32, 1), "float32", scope="local", layout=L(1))
    Tx.warp.sum(d, a)

@T.prim_func
def ex6():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((16, 128), "float32", scope="local", layout=F)
    d = T.alloc_buffer((16, 4), "float32", scope="local", layout=TileLayout(S[(2, 32) : (1, 1 @ laneid)]))
    Tx.warp.sum(d, a, thread_reduce=True)

@T.prim_func
def ex7():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((16, 128), "float32", scope="local", layout=F)
    d = T.alloc_buffer((16, 4), "float32", scope="local", layout=TileLayout(S[(2, 32) : (1, 1 @ laneid)]))
    Tx.warp.sum(d, a, accum=True, thread_reduce=True)

@T.prim_func
def ex8():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((32, 8), "float32", scope="local", layout=L(8))
    d = T.alloc_buffer((32, 8), "float32", scope="local", layout=L(8))
    Tx.warp.sum(d, a, axes=(0,), thread_reduce=True)

@T.prim_func
def ex9():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((16, 128), "float32", scope="local", layout=F)
    d = T.alloc_buffer((8, 128), "float32", scope="local", layout=TileLayout(S[(8, 16, 4, 2) : (4 @ laneid, 2, 1 @ laneid, 1)]))
    Tx.warp.sum(d, a, axes=(0,), thread_reduce=True)

@T.prim_func
def ex10():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((32,), "float32", scope="local", layout=TileLayout(S[32 : 1 @ laneid]))
    d = T.alloc_buffer((1,), "float32", scope="local", layout=TileLayout(S[1 : 1] + R[32 : 1 @ laneid]))
    Tx.warp.sum(d, a)

@T.prim_func
def ex11():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((4, 8), "float32", scope="local", layout=TileLayout(S[(4, 8) : (8 @ laneid, 1 @ laneid)]))
    d = T.alloc_buffer((4, 1), "float32", scope="local", layout=TileLayout(S[(4, 1) : (8 @ laneid, 1)] + R[8 : 1 @ laneid]))
    Tx.warp.sum(d, a)

@T.prim_func
def ex12():
    T.device_entry()
    T.cta_id([1])
    wg = T.warpgroup_id([1])
    w = T.warp_id([4])
    T.lane_id([32])
    tid = T.thread_id([128])
    a = T.alloc_buffer((128, 16), "float32", scope="local", layout=W(16))
    d = T.alloc_buffer((128, 1), "float32", scope="local", layout=W(1))
    Tx.wg.sum(d, a)
#| 25 sum -> local: form view, results 1, summands 8, distances []
#|   packed_add_sum rejected: unsupported exec_scope warp; dst_len 32 != 1; src ndim 2 != 1
#|   shared not_tried: source is local and destination local; shared reduces tiles in shared memory
#| 36 sum -> local: form view, results 2, summands 32, distances [1 2]
#|   packed_add_sum rejected: unsupported exec_scope warp; dst_len 64 != 1; src ndim 2 != 1
#|   shared not_tried: source is local and destination local; shared reduces tiles in shared memory
#| 47 sum -> local: form view, results 2, summands 32, distances [1 2]
#|   packed_add_sum rejected: unsupported exec_scope warp; dst_len 64 != 1; src ndim 2 != 1
#|   shared not_tried: source is local and destination local; shared reduces tiles in shared memory
#| 58 sum -> local: form view, results 8, summands 1, distances [1 2 4 8 16]
#|   packed_add_sum rejected: unsupported exec_scope warp; dst_len 256 != 1; src ndim 2 != 1
#|   shared not_tried: source is local and destination local; shared reduces tiles in shared memory
#| 69 sum -> local: form view, results 32, summands 2, distances [4 8 16]
#|   packed_add_sum rejected: unsupported exec_scope warp; dst_len 1024 != 1; src ndim 2 != 1
#|   shared not_tried: source is local and destination local; shared reduces tiles in shared memory
#| 80 sum -> local: form lanes, results 1, summands 1, distances [1 2 4 8 16]
#|   packed_add_sum rejected: unsupported exec_scope warp
#|   shared not_tried: source is local and destination local; shared reduces tiles in shared memory
#| 91 sum -> local: form lanes, results 1, summands 1, distances [1 2 4]
#|   packed_add_sum rejected: unsupported exec_scope warp; dst_len 4 != 1; src ndim 2 != 1
#|   shared not_tried: source is local and destination local; shared reduces tiles in shared memory
#| 103 sum -> local: form view, results 1, summands 16, distances []
#|   packed_add_sum rejected: unsupported exec_scope warpgroup; dst_len 128 != 1; src ndim 2 != 1
#|   shared not_tried: source is local and destination local; shared reduces tiles in shared memory

#--- what nothing serves (11.2, 13)  [calls] [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import ComposeLayout, R, S, SwizzleLayout, TileLayout, laneid, tid_in_wg, tx, warpid, wid_in_wg

F = TileLayout(S[(2, 8, 16, 4, 2) : (2, 4 @ laneid, 4, 1 @ laneid, 1)])


def W(n):
    return TileLayout(S[(128, n) : (1 @ tid_in_wg, 1)])


def L(n):
    return TileLayout(S[(32, n) : (1 @ laneid, 1)])


@T.prim_func
def ex13():
    T.device_entry()
    T.cta_id([1])
    wg = T.warpgroup_id([1])
    w = T.warp_id([4])
    T.lane_id([32])
    tid = T.thread_id([128])
    a = T.alloc_buffer((128, 16), "float32", scope="local", layout=W(16))
    d = T.alloc_buffer((128, 1), "float32", scope="local", layout=W(1))
    s = T.alloc_buffer((128, 1), "float32", scope="shared")
    Tx.wg.sum(d, a, thread_reduce=True)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of sum serves this call at warpgroup scope
#|    packed_add_sum  rejected: unsupported exec_scope warpgroup; dst_len 128 != 1; src ndim 2 != 1
#|    local           rejected: thread_reduce=True is only supported in warp scope: combine the warps through shared memory
#|    shared          rejected: source is local and destination local; shared reduces tiles in shared memory
    Tx.cta.sum(d, a)
#   ^^^^^^^^^^^^^^^^ error[TW3104]: no variant of sum serves this call at cta scope
#|    packed_add_sum  rejected: unsupported exec_scope cta; dst_len 128 != 1; src ndim 2 != 1
#|    local           rejected: unsupported exec_scope cta for local reduction
#|    shared          rejected: source is local and destination local; shared reduces tiles in shared memory
#   hint: the whole warpgroup gets here: use Tx.warpgroup.sum
    Tx.wg.sum(s, a)
#   ^^^^^^^^^^^^^^^ error[TW3104]: no variant of sum serves this call at warpgroup scope
#|    packed_add_sum  rejected: unsupported exec_scope warpgroup; src/dst must be local scope with matching dtype on CUDA; dst_len 128 != 1; src ndim 2 != 1
#|    local           rejected: source is local and destination shared; local reduces tiles in registers
#|    shared          rejected: source is local and destination shared; shared reduces tiles in shared memory
#| 27 sum -> nothing
#|   packed_add_sum rejected: unsupported exec_scope warpgroup; dst_len 128 != 1; src ndim 2 != 1
#|   local rejected: thread_reduce=True is only supported in warp scope: combine the warps through shared memory
#|   shared rejected: source is local and destination local; shared reduces tiles in shared memory
#| 28 sum -> nothing
#|   packed_add_sum rejected: unsupported exec_scope cta; dst_len 128 != 1; src ndim 2 != 1
#|   local rejected: unsupported exec_scope cta for local reduction
#|   shared rejected: source is local and destination local; shared reduces tiles in shared memory
#| 29 sum -> nothing
#|   packed_add_sum rejected: unsupported exec_scope warpgroup; src/dst must be local scope with matching dtype on CUDA; dst_len 128 != 1; src ndim 2 != 1
#|   local rejected: source is local and destination shared; local reduces tiles in registers
#|   shared rejected: source is local and destination shared; shared reduces tiles in shared memory

#--- in shared memory (11.2, 14 to 19)  [calls] [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import ComposeLayout, R, S, SwizzleLayout, TileLayout, laneid, tid_in_wg, tx, warpid, wid_in_wg

F = TileLayout(S[(2, 8, 16, 4, 2) : (2, 4 @ laneid, 4, 1 @ laneid, 1)])


def W(n):
    return TileLayout(S[(128, n) : (1 @ tid_in_wg, 1)])


def L(n):
    return TileLayout(S[(32, n) : (1 @ laneid, 1)])


@T.prim_func
def ex14():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((32, 32), "float32", scope="shared")
    d = T.alloc_buffer((32,), "float32", scope="shared")
    Tx.cta.sum(d, a)

@T.prim_func
def ex15():
    T.device_entry()
    T.cta_id([1])
    wg = T.warpgroup_id([1])
    w = T.warp_id([4])
    T.lane_id([32])
    tid = T.thread_id([128])
    a = T.alloc_buffer((10, 40), "float32", scope="shared")
    d = T.alloc_buffer((10,), "float32", scope="shared")
    Tx.cta.sum(d, a)

@T.prim_func
def ex16():
    T.device_entry()
    T.cta_id([1])
    wg = T.warpgroup_id([1])
    w = T.warp_id([4])
    T.lane_id([32])
    tid = T.thread_id([128])
    a = T.alloc_buffer((10, 5), "float16", scope="shared")
    d = T.alloc_buffer((10,), "float16", scope="shared")
    Tx.cta.max(d, a, accum=True)

@T.prim_func
def ex17():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((4, 8), "float32", scope="shared")
    d = T.alloc_buffer((4,), "float32", scope="shared")
    Tx.warp.sum(d, a)

@T.prim_func
def ex18():
    T.device_entry()
    T.cta_id([1])
    wg = T.warpgroup_id([1])
    w = T.warp_id([4])
    T.lane_id([32])
    tid = T.thread_id([128])
    a = T.alloc_buffer((100,), "float32", scope="shared")
    d = T.alloc_buffer((1,), "float32", scope="shared")
    Tx.cta.sum(d, a)

@T.prim_func
def ex19():
    T.device_entry()
    T.cta_id([1])
    wg = T.warpgroup_id([1])
    w = T.warp_id([4])
    T.lane_id([32])
    tid = T.thread_id([128])
    a = T.alloc_buffer((10, 1), "float32", scope="shared")
    d = T.alloc_buffer((10,), "float32", scope="shared")
    Tx.cta.min(d, a)
#| 25 sum -> shared: threads 32, group 32, parallel 1, steps 32, inner 1, shuffles 5
#|   packed_add_sum rejected: unsupported exec_scope cta; src/dst must be local scope with matching dtype on CUDA; dst_len 32 != 1; src ndim 2 != 1
#|   local rejected: source is shared and destination shared; local reduces tiles in registers
#| 37 sum -> shared: threads 128, group 32, parallel 4, steps 3, inner 2, shuffles 5
#|   packed_add_sum rejected: unsupported exec_scope cta; src/dst must be local scope with matching dtype on CUDA; dst_len 10 != 1; src ndim 2 != 1
#|   local rejected: source is shared and destination shared; local reduces tiles in registers
#| 49 max -> shared: threads 128, group 8, parallel 16, steps 1, inner 1, shuffles 3
#|   3input_maxmin rejected: unsupported exec_scope cta; src/dst must be local scope with matching dtype on CUDA; dst_len 10 != 1; src ndim 2 != 1; dtype float16 != float32
#|   local rejected: source is shared and destination shared; local reduces tiles in registers
#| 60 sum -> shared: threads 32, group 8, parallel 4, steps 1, inner 1, shuffles 3
#|   packed_add_sum rejected: unsupported exec_scope warp; src/dst must be local scope with matching dtype on CUDA; dst_len 4 != 1; src ndim 2 != 1
#|   local rejected: source is shared and destination shared; local reduces tiles in registers
#| 72 sum -> shared: threads 128, group 32, parallel 4, steps 1, inner 4, shuffles 5
#|   packed_add_sum rejected: unsupported exec_scope cta; src/dst must be local scope with matching dtype on CUDA
#|   local rejected: source is shared and destination shared; local reduces tiles in registers
#| 84 min -> shared: threads 128, group 1, parallel 128, steps 1, inner 1, shuffles 0
#|   3input_maxmin rejected: unsupported exec_scope cta; src/dst must be local scope with matching dtype on CUDA; dst_len 10 != 1; src ndim 2 != 1
#|   local rejected: source is shared and destination shared; local reduces tiles in registers

#--- sizes, axes and overlaps are looked at (Q17, Q23, Q28)  [calls] [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import ComposeLayout, R, S, SwizzleLayout, TileLayout, laneid, tid_in_wg, tx, warpid, wid_in_wg

F = TileLayout(S[(2, 8, 16, 4, 2) : (2, 4 @ laneid, 4, 1 @ laneid, 1)])


def W(n):
    return TileLayout(S[(128, n) : (1 @ tid_in_wg, 1)])


def L(n):
    return TileLayout(S[(32, n) : (1 @ laneid, 1)])


@T.prim_func
def size():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((16,), "float32", scope="local")
    d = T.alloc_buffer((2,), "float32", scope="local")
    Tx.sum(d, a)
#   ^^^^^^^^^^^^ error[TW3104]: no variant of sum serves this call at thread scope
#|    packed_add_sum  rejected: dst_len 2 != 1
#|    local           rejected: dst size 2 != expected spatial size 1: a[0:16] reduced along axis 0 leaves that many
#|    shared          rejected: source is local and destination local; shared reduces tiles in shared memory

@T.prim_func
def axis():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((16,), "float32", scope="local")
    d = T.alloc_buffer((1,), "float32", scope="local")
    Tx.sum(d, a, axes=1)
#   ^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of sum serves this call at thread scope
#|    packed_add_sum, local  rejected: reduce axis 1 out of range for ndim=1
#|    shared                 rejected: source is local and destination local; shared reduces tiles in shared memory

@T.prim_func
def first_of_itself():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((4,), "float32", scope="local")
    Tx.sum(a[0:1], a)
#   ^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of sum serves this call at thread scope
#|    packed_add_sum  rejected: reduction_len 4 < 8
#|    local           declined: a[0:1] takes the results while a[0:4], which overlaps it, is still read: reduce into another tile
#|    shared          rejected: source is local and destination local; shared reduces tiles in shared memory

@T.prim_func
def in_place():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((32, 8), "float32", scope="local", layout=L(8))
    Tx.warp.sum(a[:, 0:1], a)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of sum serves this call at warp scope
#|    packed_add_sum  rejected: unsupported exec_scope warp; dst_len 32 != 1; src ndim 2 != 1
#|    local           declined: a[0:32, 0:1] takes the results while a[0:32, 0:8], which overlaps it, is still read: reduce into another tile
#|    shared          rejected: source is local and destination local; shared reduces tiles in shared memory
    Tx.warp.sum(a, a, axes=0, thread_reduce=True)
    Tx.warp.sum(a, a, axes=0, accum=True, thread_reduce=True)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of sum serves this call at warp scope
#|    packed_add_sum  rejected: unsupported exec_scope warp; dst_len 256 != 1; src ndim 2 != 1
#|    local           declined: works in place and accumulates: the old value would count twice
#|    shared          rejected: source is local and destination local; shared reduces tiles in shared memory
#| 25 sum -> nothing
#|   packed_add_sum rejected: dst_len 2 != 1
#|   local rejected: dst size 2 != expected spatial size 1: a[0:16] reduced along axis 0 leaves that many
#|   shared rejected: source is local and destination local; shared reduces tiles in shared memory
#| 36 sum -> nothing
#|   packed_add_sum rejected: reduce axis 1 out of range for ndim=1
#|   local rejected: reduce axis 1 out of range for ndim=1
#|   shared rejected: source is local and destination local; shared reduces tiles in shared memory
#| 46 sum -> nothing
#|   packed_add_sum rejected: reduction_len 4 < 8
#|   local declined: a[0:1] takes the results while a[0:4], which overlaps it, is still read: reduce into another tile
#|   shared rejected: source is local and destination local; shared reduces tiles in shared memory
#| 56 sum -> nothing
#|   packed_add_sum rejected: unsupported exec_scope warp; dst_len 32 != 1; src ndim 2 != 1
#|   local declined: a[0:32, 0:1] takes the results while a[0:32, 0:8], which overlaps it, is still read: reduce into another tile
#|   shared rejected: source is local and destination local; shared reduces tiles in shared memory
#| 57 sum -> local: form view, results 8, summands 1, distances [1 2 4 8 16]
#|   packed_add_sum rejected: unsupported exec_scope warp; dst_len 256 != 1; src ndim 2 != 1
#|   shared not_tried: source is local and destination local; shared reduces tiles in shared memory
#| 58 sum -> nothing
#|   packed_add_sum rejected: unsupported exec_scope warp; dst_len 256 != 1; src ndim 2 != 1
#|   local declined: works in place and accumulates: the old value would count twice
#|   shared rejected: source is local and destination local; shared reduces tiles in shared memory

#--- only some threads get here (Q18)  [calls] [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import ComposeLayout, R, S, SwizzleLayout, TileLayout, laneid, tid_in_wg, tx, warpid, wid_in_wg

F = TileLayout(S[(2, 8, 16, 4, 2) : (2, 4 @ laneid, 4, 1 @ laneid, 1)])


def W(n):
    return TileLayout(S[(128, n) : (1 @ tid_in_wg, 1)])


def L(n):
    return TileLayout(S[(32, n) : (1 @ laneid, 1)])


@T.prim_func
def some_warps():
    T.device_entry()
    T.cta_id([1])
    wg = T.warpgroup_id([1])
    w = T.warp_id([4])
    T.lane_id([32])
    tid = T.thread_id([128])
    a = T.alloc_buffer((10, 40), "float32", scope="shared")
    d = T.alloc_buffer((10,), "float32", scope="shared")
    if w == 0:
        Tx.cta.sum(d, a)
#       ^^^^^^^^^^^^^^^^ error[TW3104]: no variant of sum serves this call at cta scope
#|    packed_add_sum  rejected: unsupported exec_scope cta; src/dst must be local scope with matching dtype on CUDA; dst_len 10 != 1; src ndim 2 != 1
#|    local           rejected: source is shared and destination shared; local reduces tiles in registers
#|    shared          rejected: only warp 0 of 4 gets here
#   hint: only warp 0 gets here: use Tx.warp.sum

@T.prim_func
def some_lanes():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((32, 8), "float32", scope="local", layout=L(8))
    d = T.alloc_buffer((32, 8), "float32", scope="local", layout=L(8))
    if tid < 16:
        Tx.warp.sum(d, a, axes=0, thread_reduce=True)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of sum serves this call at warp scope
#|    packed_add_sum  rejected: unsupported exec_scope warp; dst_len 256 != 1; src ndim 2 != 1
#|    local           rejected: only lanes 0 to 15 of 32 get here
#|    shared          rejected: source is local and destination local; shared reduces tiles in shared memory
#   hint: only lanes 0 to 15 get here: let the whole warp reach the call
#| 27 sum -> nothing
#|   packed_add_sum rejected: unsupported exec_scope cta; src/dst must be local scope with matching dtype on CUDA; dst_len 10 != 1; src ndim 2 != 1
#|   local rejected: source is shared and destination shared; local reduces tiles in registers
#|   shared rejected: only warp 0 of 4 gets here
#| 39 sum -> nothing
#|   packed_add_sum rejected: unsupported exec_scope warp; dst_len 256 != 1; src ndim 2 != 1
#|   local rejected: only lanes 0 to 15 of 32 get here
#|   shared rejected: source is local and destination local; shared reduces tiles in shared memory

#--- lanes exchange over what the layouts say, or not at all (Q19 to Q22)  [calls] [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import ComposeLayout, R, S, SwizzleLayout, TileLayout, laneid, tid_in_wg, tx, warpid, wid_in_wg

F = TileLayout(S[(2, 8, 16, 4, 2) : (2, 4 @ laneid, 4, 1 @ laneid, 1)])


def W(n):
    return TileLayout(S[(128, n) : (1 @ tid_in_wg, 1)])


def L(n):
    return TileLayout(S[(32, n) : (1 @ laneid, 1)])


@T.prim_func
def far():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((8, 4), "float32", scope="local", layout=TileLayout(S[(8, 4) : (4 @ laneid, 1 @ laneid)]))
    d = T.alloc_buffer((4,), "float32", scope="local", layout=TileLayout(S[4 : 1 @ laneid] + R[8 : 4 @ laneid]))
    Tx.warp.sum(d, a, axes=0)
    Tx.warp.sum(d, a, axes=0, accum=True)
    Tx.warp.sum(d, a, axes=1)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of sum serves this call at warp scope
#|    packed_add_sum  rejected: unsupported exec_scope warp; dst_len 4 != 1; src ndim 2 != 1
#|    local           rejected: d is not repeated over the lanes that a is reduced over
#|    shared          rejected: source is local and destination local; shared reduces tiles in shared memory

@T.prim_func
def columns():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((16, 128), "float32", scope="local", layout=F)
    d = T.alloc_buffer((16, 4), "float32", scope="local", layout=TileLayout(S[(2, 32) : (1, 1 @ laneid)]))
    Tx.warp.sum(d, a[:, 0:16], thread_reduce=True)
    Tx.warp.sum(d, a[:, 8:16], thread_reduce=True)

@T.prim_func
def rows():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((32, 8, 4), "float32", scope="local", layout=TileLayout(S[(32, 8, 4) : (1 @ laneid, 4, 1)]))
    d = T.alloc_buffer((32, 8), "float32", scope="local", layout=L(8))
    Tx.warp.sum(d[:, 0:4], a[:, 4:8, :])

@T.prim_func
def not_trailing():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((32, 4, 8), "float32", scope="local", layout=TileLayout(S[(32, 4, 8) : (1 @ laneid, 8, 1)]))
    d = T.alloc_buffer((32, 8), "float32", scope="local", layout=L(8))
    Tx.warp.sum(d, a, axes=1)

@T.prim_func
def twenty_four():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((24, 8), "float32", scope="local", layout=TileLayout(S[(24, 8) : (1 @ laneid, 1)]))
    d = T.alloc_buffer((24, 8), "float32", scope="local", layout=TileLayout(S[(24, 8) : (1 @ laneid, 1)]))
    Tx.warp.sum(d, a, axes=0, thread_reduce=True)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of sum serves this call at warp scope
#|    packed_add_sum  rejected: unsupported exec_scope warp; dst_len 192 != 1; src ndim 2 != 1
#|    local           rejected: lanes exchange over powers of two, not over 24 steps of 1 on axis laneid
#|    shared          rejected: source is local and destination local; shared reduces tiles in shared memory
#| 25 sum -> local: form lanes, results 1, summands 1, distances [4 8 16]
#|   packed_add_sum rejected: unsupported exec_scope warp; dst_len 4 != 1; src ndim 2 != 1
#|   shared not_tried: source is local and destination local; shared reduces tiles in shared memory
#| 26 sum -> local: form lanes, results 1, summands 1, distances [4 8 16]
#|   packed_add_sum rejected: unsupported exec_scope warp; dst_len 4 != 1; src ndim 2 != 1
#|   shared not_tried: source is local and destination local; shared reduces tiles in shared memory
#| 27 sum -> nothing
#|   packed_add_sum rejected: unsupported exec_scope warp; dst_len 4 != 1; src ndim 2 != 1
#|   local rejected: d is not repeated over the lanes that a is reduced over
#|   shared rejected: source is local and destination local; shared reduces tiles in shared memory
#| 38 sum -> local: form view, results 2, summands 4, distances [1 2]
#|   packed_add_sum rejected: unsupported exec_scope warp; dst_len 64 != 1; src ndim 2 != 1
#|   shared not_tried: source is local and destination local; shared reduces tiles in shared memory
#| 39 sum -> local: form view, results 2, summands 2, distances [1 2]
#|   packed_add_sum rejected: unsupported exec_scope warp; dst_len 64 != 1; src ndim 2 != 1
#|   shared not_tried: source is local and destination local; shared reduces tiles in shared memory
#| 50 sum -> local: form view, results 4, summands 4, distances []
#|   packed_add_sum rejected: unsupported exec_scope warp; dst_len 128 != 1; src ndim 3 != 1
#|   shared not_tried: source is local and destination local; shared reduces tiles in shared memory
#| 61 sum -> local: form view, results 8, summands 4, distances []
#|   packed_add_sum rejected: unsupported exec_scope warp; dst_len 256 != 1; src ndim 3 != 1
#|   shared not_tried: source is local and destination local; shared reduces tiles in shared memory
#| 72 sum -> nothing
#|   packed_add_sum rejected: unsupported exec_scope warp; dst_len 192 != 1; src ndim 2 != 1
#|   local rejected: lanes exchange over powers of two, not over 24 steps of 1 on axis laneid
#|   shared rejected: source is local and destination local; shared reduces tiles in shared memory

#--- any number of threads (Q25)  [calls] [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import ComposeLayout, R, S, SwizzleLayout, TileLayout, laneid, tid_in_wg, tx, warpid, wid_in_wg

F = TileLayout(S[(2, 8, 16, 4, 2) : (2, 4 @ laneid, 4, 1 @ laneid, 1)])


def W(n):
    return TileLayout(S[(128, n) : (1 @ tid_in_wg, 1)])


def L(n):
    return TileLayout(S[(32, n) : (1 @ laneid, 1)])


@T.prim_func
def forty_eight():
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([48])
    a = T.alloc_buffer((10, 40), "float32", scope="shared")
    d = T.alloc_buffer((10,), "float32", scope="shared")
    Tx.cta.sum(d, a)

@T.prim_func
def twenty_four():
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([24])
    a = T.alloc_buffer((10, 40), "float32", scope="shared")
    d = T.alloc_buffer((10,), "float32", scope="shared")
    Tx.cta.sum(d, a)
#| 23 sum -> shared: threads 48, group 32, parallel 1, steps 10, inner 2, shuffles 5
#|   packed_add_sum rejected: unsupported exec_scope cta; src/dst must be local scope with matching dtype on CUDA; dst_len 10 != 1; src ndim 2 != 1
#|   local rejected: source is shared and destination shared; local reduces tiles in registers
#| 32 sum -> shared: threads 24, group 16, parallel 1, steps 10, inner 3, shuffles 4
#|   packed_add_sum rejected: unsupported exec_scope cta; src/dst must be local scope with matching dtype on CUDA; dst_len 10 != 1; src ndim 2 != 1
#|   local rejected: source is shared and destination shared; local reduces tiles in registers

