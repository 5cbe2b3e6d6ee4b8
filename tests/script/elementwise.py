# Arithmetic on tiles: the variant, how many elements it takes at a time, and why not.
#--- tiles in registers (compute.md 11.1, rows 1 to 13)  [calls] [cuda]
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
    wg = T.warpgroup_id([1])
    w = T.warp_id([4])
    T.lane_id([32])
    tid = T.thread_id([128])
    a = T.alloc_buffer((128, 16), "float32", scope="local", layout=W(16))
    b = T.alloc_buffer((128, 16), "float32", scope="local", layout=W(16))
    d = T.alloc_buffer((128, 16), "float32", scope="local", layout=W(16))
    Tx.wg.add(d, a, b)

@T.prim_func
def ex2():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((32,), "float16", scope="local")
    d = T.alloc_buffer((32,), "float16", scope="local")
    Tx.add(d, a, d)

@T.prim_func
def ex3():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((7,), "float32", scope="local")
    d = T.alloc_buffer((7,), "float32", scope="local")
    Tx.add(d, a, d)

@T.prim_func
def ex5():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((8,), "float32", scope="local")
    d = T.alloc_buffer((8,), "float32", scope="local")
    Tx.mul(d, 2.5, a)

@T.prim_func
def ex6():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((8,), "float32", scope="local")
    d = T.alloc_buffer((8,), "float32", scope="local")
    Tx.sub(d, a, a[3])

@T.prim_func
def ex7():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((8,), "float16", scope="local")
    d = T.alloc_buffer((8,), "float32", scope="local")
    Tx.add(d, a, 2.5)

@T.prim_func
def ex8():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((16, 128), "float32", scope="local", layout=F)
    d = T.alloc_buffer((16, 128), "float16", scope="local", layout=F)
    Tx.warp.cast(d, a)

@T.prim_func
def ex9():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((16, 128), "float32", scope="local", layout=F)
    d = T.alloc_buffer((16, 128), "float32", scope="local", layout=F)
    Tx.warp.sqrt(d, a, 0.88, 1.5)

@T.prim_func
def ex10():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((16, 128), "float32", scope="local", layout=F)
    b = T.alloc_buffer((16, 128), "float32", scope="local", layout=F)
    d = T.alloc_buffer((16, 128), "float32", scope="local", layout=F)
    Tx.warp.mul(d[:, 8:24], a[:, 8:24], b[:, 16:32])

@T.prim_func
def ex11():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((16, 128), "float32", scope="local", layout=F)
    b = T.alloc_buffer((16, 128), "float32", scope="local", layout=F)
    d = T.alloc_buffer((16, 128), "float32", scope="local", layout=F)
    Tx.warp.mul(d[0:8, :], a[0:8, :], b[8:16, :])

@T.prim_func
def ex12():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((16, 128), "float32", scope="local", layout=F)
    d = T.alloc_buffer((16, 128), "float32", scope="local", layout=F)
    Tx.warp.mul(d[:, 3:9], a[:, 3:9], d[:, 3:9])
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of mul serves this call at warp scope
#|    reg   declined: region d[0:16, 3:9] is not one strided block of its layout
#|    smem  rejected: d[0:16, 3:9] is local, smem works on tiles in shared memory

@T.prim_func
def ex13():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([2])
    T.lane_id([32])
    tid = T.thread_id([64])
    a = T.alloc_buffer((8, 2, 4, 4), "float32", scope="local", layout=TileLayout(S[(8, 2, 4, 4) : (4 @ laneid, 1 @ warpid, 1 @ laneid, 1)]))
    d = T.alloc_buffer((8, 2, 4, 4), "float16", scope="local", layout=TileLayout(S[(8, 2, 4, 4) : (4 @ laneid, 1 @ warpid, 1 @ laneid, 1)]))
    Tx.cta.cast(d[:, :, :, 0:2], a[:, :, :, 0:2])
#| 27 add -> reg: vec_elems 2, per_thread 16, outer 8, packed add.rz.ftz.f32x2
#|   smem not_tried: d[0:128, 0:16] is local, smem works on tiles in shared memory
#| 38 add -> reg: vec_elems 1, per_thread 32, outer 32
#|   smem not_tried: d[0:32] is local, smem works on tiles in shared memory
#| 49 add -> reg: vec_elems 1, per_thread 7, outer 7
#|   smem not_tried: d[0:7] is local, smem works on tiles in shared memory
#| 60 mul -> reg: vec_elems 2, per_thread 8, outer 4, packed mul.rz.ftz.f32x2
#|   smem not_tried: d[0:8] is local, smem works on tiles in shared memory
#| 71 sub -> reg: vec_elems 2, per_thread 8, outer 4, packed sub.rz.ftz.f32x2
#|   smem not_tried: d[0:8] is local, smem works on tiles in shared memory
#| 82 add -> reg: vec_elems 1, per_thread 8, outer 8
#|   smem not_tried: d[0:8] is local, smem works on tiles in shared memory
#| 93 cast -> reg: vec_elems 2, per_thread 64, outer 32, packed float32x2 to float16x2
#|   smem not_tried: d[0:16, 0:128] is local, smem works on tiles in shared memory
#| 104 sqrt -> reg: vec_elems 1, per_thread 64, outer 64
#|   smem not_tried: d[0:16, 0:128] is local, smem works on tiles in shared memory
#| 116 mul -> reg: vec_elems 2, per_thread 8, outer 4, packed mul.rz.ftz.f32x2
#|   smem not_tried: d[0:16, 8:24] is local, smem works on tiles in shared memory
#| 128 mul -> reg: vec_elems 2, per_thread 32, outer 16, packed mul.rz.ftz.f32x2
#|   smem not_tried: d[0:8, 0:128] is local, smem works on tiles in shared memory
#| 139 mul -> nothing
#|   reg declined: region d[0:16, 3:9] is not one strided block of its layout
#|   smem rejected: d[0:16, 3:9] is local, smem works on tiles in shared memory
#| 150 cast -> reg: vec_elems 2, per_thread 2, outer 1, packed float32x2 to float16x2
#|   smem not_tried: d[0:8, 0:2, 0:4, 0:2] is local, smem works on tiles in shared memory

#--- before Blackwell one at a time, and rounding_mode has no effect (11.1, 4)  [calls] [cuda] [arch sm_90a]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import ComposeLayout, R, S, SwizzleLayout, TileLayout, laneid, tid_in_wg, tx, warpid, wid_in_wg

F = TileLayout(S[(2, 8, 16, 4, 2) : (2, 4 @ laneid, 4, 1 @ laneid, 1)])


def W(n):
    return TileLayout(S[(128, n) : (1 @ tid_in_wg, 1)])


def L(n):
    return TileLayout(S[(32, n) : (1 @ laneid, 1)])


@T.prim_func
def ex4():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((8,), "float32", scope="local")
    d = T.alloc_buffer((8,), "float32", scope="local")
    Tx.add(d, a, d, rounding_mode="rn")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[TW3110]: `rounding_mode` has no effect: this add takes one element at a time and rounds to nearest
#   hint: two float32 at a time need sm_100, an even number of neighbouring elements and an even start
#| 25 add -> reg: vec_elems 1, per_thread 8, outer 8
#|   smem not_tried: d[0:8] is local, smem works on tiles in shared memory

#--- tiles in shared memory (11.1, 14 to 21)  [calls] [cuda]
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
    w = T.warp_id([2])
    T.lane_id([32])
    tid = T.thread_id([64])
    a = T.alloc_buffer((32, 32), "float16", scope="shared")
    b = T.alloc_buffer((32, 32), "float16", scope="shared")
    d = T.alloc_buffer((32, 32), "float16", scope="shared")
    Tx.cta.add(d, a, b)

@T.prim_func
def ex15():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([2])
    T.lane_id([32])
    tid = T.thread_id([64])
    a = T.alloc_buffer((32, 8, 12), "float16", scope="shared")
    b = T.alloc_buffer((32, 8, 12), "float16", scope="shared")
    Tx.cta.add(b[3:8, 1:7, 2:9], a[3:8, 1:7, 2:9], b[3:8, 1:7, 2:9])

@T.prim_func
def ex16():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([2])
    T.lane_id([32])
    tid = T.thread_id([64])
    a = T.alloc_buffer((64, 32), "float16", scope="shared")
    d = T.alloc_buffer((64, 32), "float16", scope="shared")
    Tx.add(d, a, a)
#   ^^^^^^^^^^^^^^^ warning[TW3111]: each of 64 threads does all of this add
#   hint: let one of them do it, or share the work: Tx.cta.add

@T.prim_func
def ex17():
    T.device_entry()
    T.cta_id([1])
    wg = T.warpgroup_id([2])
    w = T.warp_id([8])
    T.lane_id([32])
    tid = T.thread_id([256])
    d = T.alloc_buffer((32, 8), "float16", scope="shared")
    if w == 5:
        Tx.warp.zero(d)

@T.prim_func
def ex18():
    T.device_entry()
    T.cta_id([1])
    wg = T.warpgroup_id([1])
    w = T.warp_id([4])
    T.lane_id([32])
    tid = T.thread_id([128])
    a = T.alloc_buffer((256,), "float32", scope="shared")
    d = T.alloc_buffer((256,), "float32", scope="shared")
    Tx.wg.exp(d, a)

@T.prim_func
def ex19():
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([40])
    a = T.alloc_buffer((80,), "float32", scope="shared")
    d = T.alloc_buffer((80,), "float32", scope="shared")
    Tx.cta.exp(d, a)

@T.prim_func
def ex20():
    T.device_entry()
    T.cta_id([1])
    wg = T.warpgroup_id([1])
    w = T.warp_id([4])
    T.lane_id([32])
    tid = T.thread_id([128])
    a = T.alloc_buffer((64, 64), "float16", scope="shared", layout=SwizzleLayout(3, 3, 3))
    d = T.alloc_buffer((64, 64), "float16", scope="shared", layout=SwizzleLayout(3, 3, 3))
    Tx.cta.exp(d, a)

@T.prim_func
def ex21():
    T.device_entry()
    T.cta_id([1])
    wg = T.warpgroup_id([1])
    w = T.warp_id([4])
    T.lane_id([32])
    tid = T.thread_id([128])
    a = T.alloc_buffer((128, 16), "float32", scope="shared")
    d = T.alloc_buffer((128, 16), "float32", scope="shared", layout=TileLayout(S[(128, 16) : (1, 128)]))
    Tx.cta.exp(d, a)
#| 26 add -> smem: vec_elems 8, vec_bits 128, threads 64, outer 2
#|   reg rejected: d[0:32, 0:32] is shared, reg works on tiles in registers
#| 37 add -> smem: vec_elems 1, vec_bits 16, threads 64, outer 4
#|   reg rejected: b[3:8, 1:7, 2:9] is shared, reg works on tiles in registers
#| 48 add -> smem: vec_elems 8, vec_bits 128, threads 1, outer 256
#|   reg rejected: d[0:64, 0:32] is shared, reg works on tiles in registers
#| 60 zero -> smem: vec_elems 8, vec_bits 128, threads 32, outer 1
#|   reg rejected: d[0:32, 0:8] is shared, reg works on tiles in registers
#| 72 exp -> smem: vec_elems 2, vec_bits 64, threads 128, outer 1
#|   reg rejected: d[0:256] is shared, reg works on tiles in registers
#| 81 exp -> smem: vec_elems 2, vec_bits 64, threads 40, outer 1
#|   reg rejected: d[0:80] is shared, reg works on tiles in registers
#| 93 exp -> smem: vec_elems 8, vec_bits 128, threads 128, outer 4
#|   reg rejected: d[0:64, 0:64] is shared, reg works on tiles in registers
#| 105 exp -> smem: vec_elems 4, vec_bits 128, threads 128, outer 4
#|   reg rejected: d[0:128, 0:16] is shared, reg works on tiles in registers

#--- what nothing serves (11.1, 22 to 27)  [calls] [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import ComposeLayout, R, S, SwizzleLayout, TileLayout, laneid, tid_in_wg, tx, warpid, wid_in_wg

F = TileLayout(S[(2, 8, 16, 4, 2) : (2, 4 @ laneid, 4, 1 @ laneid, 1)])


def W(n):
    return TileLayout(S[(128, n) : (1 @ tid_in_wg, 1)])


def L(n):
    return TileLayout(S[(32, n) : (1 @ laneid, 1)])


@T.prim_func
def ex22():
    T.device_entry()
    T.cta_id([1])
    wg = T.warpgroup_id([1])
    w = T.warp_id([4])
    T.lane_id([32])
    tid = T.thread_id([128])
    d = T.alloc_buffer((32, 8), "float16", scope="shared")
    if w == 1:
        Tx.cta.add(d, d, d)
#       ^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of add serves this call at cta scope: only warp 1 of 4 gets here
#   hint: only warp 1 gets here: use Tx.warp.add

@T.prim_func
def ex23():
    T.device_entry()
    T.cta_id([1])
    wg = T.warpgroup_id([1])
    w = T.warp_id([4])
    T.lane_id([32])
    tid = T.thread_id([128])
    d = T.alloc_buffer((128, 8), "float32", scope="local", layout=W(8))
    Tx.warp.add(d, d, d)
#   ^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of add serves this call at warp scope
#|    reg   rejected: d is spread over axes ['tid_in_wg']; warp scope takes laneid alone
#|    smem  rejected: d[0:128, 0:8] is local, smem works on tiles in shared memory
#   hint: the whole warpgroup gets here: use Tx.warpgroup.add

@T.prim_func
def ex24():
    T.device_entry()
    T.cta_id([1])
    wg = T.warpgroup_id([1])
    w = T.warp_id([4])
    T.lane_id([32])
    tid = T.thread_id([128])
    d = T.alloc_buffer((128, 8), "float32", scope="local", layout=W(8))
    r = T.alloc_buffer((1, 8), "float32", scope="local")
    Tx.wg.add(d, d, r)
#   ^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of add serves this call at warpgroup scope
#|    reg   declined: thread part mismatch between anchor and operand after alignment: r is held by other threads than d
#|    smem  rejected: d[0:128, 0:8] is local, smem works on tiles in shared memory

@T.prim_func
def ex25():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    d = T.alloc_buffer((16, 128), "float32", scope="local", layout=F)
    r = T.alloc_buffer((16, 1), "float32", scope="local", layout=TileLayout(S[(2, 8, 1) : (1, 4 @ laneid, 1)] + R[4 : 1 @ laneid]))
    Tx.warp.mul(d, d, r)
#   ^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of mul serves this call at warp scope
#|    reg   rejected: d and r are replicated over different threads (number of their replicas)
#|    smem  rejected: d[0:16, 0:128] is local, smem works on tiles in shared memory

@T.prim_func
def ex26():
    T.device_entry()
    T.cta_id([1])
    wg = T.warpgroup_id([1])
    w = T.warp_id([4])
    T.lane_id([32])
    tid = T.thread_id([128])
    d = T.alloc_buffer((128, 8), "float32", scope="local", layout=W(8))
    h = T.alloc_buffer((128, 8), "float16", scope="local", layout=W(8))
    Tx.wg.cast(h.local(8), d.local(8))
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of cast serves this call at warpgroup scope
#|    reg   rejected: the operand is a thread-local view: at warpgroup scope its layout would spread it over 128 threads on tid_in_wg; pass the tile instead of its .local()
#|    smem  rejected: buffer[0:8] is local, smem works on tiles in shared memory

@T.prim_func
def ex27():
    T.device_entry()
    T.cta_id([1])
    wg = T.warpgroup_id([2])
    w = T.warp_id([8])
    T.lane_id([32])
    tid = T.thread_id([256])
    d = T.alloc_buffer((128, 8), "float32", scope="local", layout=W(8))
    if w >= 2 and w < 6:
        Tx.wg.add(d, d, d)
#       ^^^^^^^^^^^^^^^^^^ error[TW3011]: active warps 2..5 cross a warpgroup boundary
#   hint: guard the call with warpgroup_id, or use warp or cta scope
#| 26 add -> nothing
#|   reg rejected: only warp 1 of 4 gets here
#|   smem rejected: only warp 1 of 4 gets here
#| 37 add -> nothing
#|   reg rejected: d is spread over axes ['tid_in_wg']; warp scope takes laneid alone
#|   smem rejected: d[0:128, 0:8] is local, smem works on tiles in shared memory
#| 49 add -> nothing
#|   reg declined: thread part mismatch between anchor and operand after alignment: r is held by other threads than d
#|   smem rejected: d[0:128, 0:8] is local, smem works on tiles in shared memory
#| 60 mul -> nothing
#|   reg rejected: d and r are replicated over different threads (number of their replicas)
#|   smem rejected: d[0:16, 0:128] is local, smem works on tiles in shared memory
#| 72 cast -> nothing
#|   reg rejected: the operand is a thread-local view: at warpgroup scope its layout would spread it over 128 threads on tid_in_wg; pass the tile instead of its .local()
#|   smem rejected: buffer[0:8] is local, smem works on tiles in shared memory
#| 84 add -> nothing
#|   reg rejected: active warps 2..5 cross a warpgroup boundary
#|   smem rejected: active warps 2..5 cross a warpgroup boundary

#--- how many a thread of shared memory takes (compute.md 6)  [calls] [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import ComposeLayout, R, S, SwizzleLayout, TileLayout, laneid, tid_in_wg, tx, warpid, wid_in_wg

F = TileLayout(S[(2, 8, 16, 4, 2) : (2, 4 @ laneid, 4, 1 @ laneid, 1)])


def W(n):
    return TileLayout(S[(128, n) : (1 @ tid_in_wg, 1)])


def L(n):
    return TileLayout(S[(32, n) : (1 @ laneid, 1)])


@T.prim_func
def packed_add():
    T.device_entry()
    T.cta_id([1])
    wg = T.warpgroup_id([1])
    w = T.warp_id([4])
    T.lane_id([32])
    tid = T.thread_id([128])
    a = T.alloc_buffer((128, 16), "float32", scope="shared")
    Tx.cta.add(a, a, a)

@T.prim_func
def packed_cast():
    T.device_entry()
    T.cta_id([1])
    wg = T.warpgroup_id([1])
    w = T.warp_id([4])
    T.lane_id([32])
    tid = T.thread_id([128])
    a = T.alloc_buffer((128, 16), "float32", scope="shared")
    d = T.alloc_buffer((128, 16), "float16", scope="shared")
    Tx.cta.cast(d, a)

@T.prim_func
def eight_bits():
    T.device_entry()
    T.cta_id([1])
    wg = T.warpgroup_id([1])
    w = T.warp_id([4])
    T.lane_id([32])
    tid = T.thread_id([128])
    a = T.alloc_buffer((2048,), "float8_e4m3fn", scope="shared")
    d = T.alloc_buffer((2048,), "float32", scope="shared")
    Tx.cta.cast(d, a)

@T.prim_func
def guarded():
    T.device_entry()
    T.cta_id([1])
    wg = T.warpgroup_id([1])
    w = T.warp_id([4])
    T.lane_id([32])
    tid = T.thread_id([128])
    a = T.alloc_buffer((10, 10), "float16", scope="shared")
    Tx.cta.add(a, a, a)

@T.prim_func
def column():
    T.device_entry()
    T.cta_id([1])
    wg = T.warpgroup_id([1])
    w = T.warp_id([4])
    T.lane_id([32])
    tid = T.thread_id([128])
    a = T.alloc_buffer((64, 64), "float16", scope="shared")
    b = T.alloc_buffer((64, 1), "float16", scope="shared")
    Tx.cta.add(a, a, b)

@T.prim_func
def row():
    T.device_entry()
    T.cta_id([1])
    wg = T.warpgroup_id([1])
    w = T.warp_id([4])
    T.lane_id([32])
    tid = T.thread_id([128])
    a = T.alloc_buffer((64, 64), "float16", scope="shared")
    b = T.alloc_buffer((64,), "float16", scope="shared")
    Tx.cta.add(a, a, b)

@T.prim_func
def one_thread():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((256,), "float32", scope="shared")
    if tid == 0:
        Tx.add(a, a, 1.0)

@T.prim_func
def columns():
    T.device_entry()
    T.cta_id([1])
    wg = T.warpgroup_id([1])
    w = T.warp_id([4])
    T.lane_id([32])
    tid = T.thread_id([128])
    a = T.alloc_buffer((128, 12), "float32", scope="shared")
    Tx.cta.exp(a[:, 0:10], a[:, 0:10])
#| 25 add -> smem: vec_elems 2, vec_bits 64, threads 128, outer 8, packed add.rz.ftz.f32x2
#|   reg rejected: a[0:128, 0:16] is shared, reg works on tiles in registers
#| 37 cast -> smem: vec_elems 2, vec_bits 64, threads 128, outer 8, packed float32x2 to float16x2
#|   reg rejected: d[0:128, 0:16] is shared, reg works on tiles in registers
#| 49 cast -> smem: vec_elems 4, vec_bits 128, threads 128, outer 4
#|   reg rejected: d[0:2048] is shared, reg works on tiles in registers
#| 60 add -> smem: vec_elems 1, vec_bits 16, threads 128, outer 1
#|   reg rejected: a[0:10, 0:10] is shared, reg works on tiles in registers
#| 72 add -> smem: vec_elems 1, vec_bits 16, threads 128, outer 32
#|   reg rejected: a[0:64, 0:64] is shared, reg works on tiles in registers
#| 84 add -> smem: vec_elems 8, vec_bits 128, threads 128, outer 4
#|   reg rejected: a[0:64, 0:64] is shared, reg works on tiles in registers
#| 95 add -> smem: vec_elems 2, vec_bits 64, threads 1, outer 128, packed add.rz.ftz.f32x2
#|   reg rejected: a[0:256] is shared, reg works on tiles in registers
#| 106 exp -> smem: vec_elems 2, vec_bits 64, threads 128, outer 5
#|   reg rejected: a[0:128, 0:10] is shared, reg works on tiles in registers

#--- what is neighbours and where it starts decides the width (Q1 to Q4)  [calls] [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import ComposeLayout, R, S, SwizzleLayout, TileLayout, laneid, tid_in_wg, tx, warpid, wid_in_wg

F = TileLayout(S[(2, 8, 16, 4, 2) : (2, 4 @ laneid, 4, 1 @ laneid, 1)])


def W(n):
    return TileLayout(S[(128, n) : (1 @ tid_in_wg, 1)])


def L(n):
    return TileLayout(S[(32, n) : (1 @ laneid, 1)])


@T.prim_func
def shifted():
    T.device_entry()
    T.cta_id([1])
    wg = T.warpgroup_id([1])
    w = T.warp_id([4])
    T.lane_id([32])
    tid = T.thread_id([128])
    a = T.alloc_buffer((128, 16), "float16", scope="shared")
    d = T.alloc_buffer((128, 16), "float16", scope="shared")
    Tx.cta.exp(d[:, 1:9], a[:, 0:8])

@T.prim_func
def pitch():
    T.device_entry()
    T.cta_id([1])
    wg = T.warpgroup_id([1])
    w = T.warp_id([4])
    T.lane_id([32])
    tid = T.thread_id([128])
    a = T.alloc_buffer((128, 10), "float16", scope="shared")
    Tx.cta.exp(a[:, 0:8], a[:, 0:8])

@T.prim_func
def column_major_pairs():
    T.device_entry()
    T.cta_id([1])
    wg = T.warpgroup_id([1])
    w = T.warp_id([4])
    T.lane_id([32])
    tid = T.thread_id([128])
    a = T.alloc_buffer((128, 16), "float32", scope="shared")
    d = T.alloc_buffer((128, 16), "float16", scope="shared", layout=TileLayout(S[(128, 16) : (1, 128)]))
    Tx.cta.cast(d, a)

@T.prim_func
def column_major_halves():
    T.device_entry()
    T.cta_id([1])
    wg = T.warpgroup_id([1])
    w = T.warp_id([4])
    T.lane_id([32])
    tid = T.thread_id([128])
    a = T.alloc_buffer((128, 16), "float16", scope="shared", layout=TileLayout(S[(128, 16) : (1, 128)]))
    Tx.cta.exp(a, a)

@T.prim_func
def odd_registers():
    T.device_entry()
    T.cta_id([1])
    wg = T.warpgroup_id([1])
    w = T.warp_id([4])
    T.lane_id([32])
    tid = T.thread_id([128])
    a = T.alloc_buffer((128, 8), "float32", scope="local", layout=W(8))
    Tx.wg.add(a[:, 1:5], a[:, 1:5], 1.0)

@T.prim_func
def even_registers():
    T.device_entry()
    T.cta_id([1])
    wg = T.warpgroup_id([1])
    w = T.warp_id([4])
    T.lane_id([32])
    tid = T.thread_id([128])
    a = T.alloc_buffer((128, 8), "float32", scope="local", layout=W(8))
    Tx.wg.add(a[:, 2:6], a[:, 2:6], 1.0)
#| 26 exp -> smem: vec_elems 1, vec_bits 16, threads 128, outer 8
#|   reg rejected: d[0:128, 1:9] is shared, reg works on tiles in registers
#| 37 exp -> smem: vec_elems 2, vec_bits 32, threads 128, outer 4
#|   reg rejected: a[0:128, 0:8] is shared, reg works on tiles in registers
#| 49 cast -> smem: vec_elems 4, vec_bits 128, threads 128, outer 4
#|   reg rejected: d[0:128, 0:16] is shared, reg works on tiles in registers
#| 60 exp -> smem: vec_elems 1, vec_bits 16, threads 128, outer 16
#|   reg rejected: a[0:128, 0:16] is shared, reg works on tiles in registers
#| 71 add -> reg: vec_elems 1, per_thread 4, outer 4
#|   smem not_tried: a[0:128, 1:5] is local, smem works on tiles in shared memory
#| 82 add -> reg: vec_elems 2, per_thread 4, outer 2, packed add.rz.ftz.f32x2
#|   smem not_tried: a[0:128, 2:6] is local, smem works on tiles in shared memory

#--- operands that the release of the reference drops or refuses are taken or refused with a word (Q6 to Q11)  [calls] [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import ComposeLayout, R, S, SwizzleLayout, TileLayout, laneid, tid_in_wg, tx, warpid, wid_in_wg

F = TileLayout(S[(2, 8, 16, 4, 2) : (2, 4 @ laneid, 4, 1 @ laneid, 1)])


def W(n):
    return TileLayout(S[(128, n) : (1 @ tid_in_wg, 1)])


def L(n):
    return TileLayout(S[(32, n) : (1 @ laneid, 1)])


@T.prim_func
def rounding():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((8,), "float32", scope="local")
    Tx.add(a, a, 1.0, rounding_mode="rn")
    Tx.fma(a, a, 2.0, 1.0, rounding_mode="rp")
    Tx.add(a, a, 1.0, rounding_mode="up")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of add serves this call at thread scope
#|    reg   rejected: rounding_mode is "up"; the modes are "rz", "rn", "rm" and "rp"
#|    smem  rejected: a[0:8] is local, smem works on tiles in shared memory

@T.prim_func
def bias():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((8,), "float32", scope="local")
    b = T.alloc_buffer((8,), "float32", scope="local")
    Tx.exp(a, a, b[3])
    Tx.exp(a, a, b, 2)
    Tx.exp2(a, a, None, b)
    Tx.sqrt(a, a, 1)

@T.prim_func
def whole_numbers():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((8,), "float32", scope="local")
    u = T.alloc_buffer((8,), "uint8", scope="local")
    Tx.fill(a, 3)
    Tx.fill(a, a)
    Tx.add(a, a, 2)
    Tx.fma(a, a, 2, 1)
    Tx.fill(u, 300)
#   ^^^^^^^^^^^^^^^ error[TW3104]: no variant of fill serves this call at thread scope
#|    reg   declined: 300 is out of range for uint8
#|    smem  rejected: u[0:8] is local, smem works on tiles in shared memory

@T.prim_func
def small():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((8,), "float4_e2m1fn", scope="local")
    b = T.alloc_buffer((8,), "float32", scope="local")
    Tx.cast(a, b)
#           ^ error[TW3104]: no variant of cast serves this call at thread scope: a is float4_e2m1fn: its elements share a byte

@T.prim_func
def functions():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((8,), "int32", scope="local")
    Tx.exp(a, a)
#   ^^^^^^^^^^^^ error[TW3104]: no variant of exp serves this call at thread scope
#|    reg   declined: the device has no such function of int32
#|    smem  rejected: a[0:8] is local, smem works on tiles in shared memory
    Tx.reciprocal(a, a)
#   ^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of reciprocal serves this call at thread scope
#|    reg   declined: takes floating-point tiles, not int32
#|    smem  rejected: a[0:8] is local, smem works on tiles in shared memory

@T.prim_func
def divided():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((8,), "int32", scope="local")
    u = T.alloc_buffer((8,), "uint32", scope="local")
    Tx.fdiv(u, u, u)
    Tx.fdiv(a, a, a)
#   ^^^^^^^^^^^^^^^^ error[TW3104]: no variant of fdiv serves this call at thread scope
#|    reg   declined: fdiv of int32: signed integers divide in more than one way
#|    smem  rejected: a[0:8] is local, smem works on tiles in shared memory

@T.prim_func
def zeros():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((8,), "float32", scope="local")
    b = T.alloc_buffer((4,), "float32", scope="shared")
    Tx.zero(a, b)
#| 24 add -> reg: vec_elems 2, per_thread 8, outer 4, packed add.rn.ftz.f32x2
#|   smem not_tried: a[0:8] is local, smem works on tiles in shared memory
#| 25 fma -> reg: vec_elems 2, per_thread 8, outer 4, packed fma.rp.ftz.f32x2
#|   smem not_tried: a[0:8] is local, smem works on tiles in shared memory
#| 26 add -> nothing
#|   reg rejected: rounding_mode is "up"; the modes are "rz", "rn", "rm" and "rp"
#|   smem rejected: a[0:8] is local, smem works on tiles in shared memory
#| 37 exp -> reg: vec_elems 1, per_thread 8, outer 8
#|   smem not_tried: a[0:8] is local, smem works on tiles in shared memory
#| 38 exp -> reg: vec_elems 1, per_thread 8, outer 8
#|   smem not_tried: a[0:8] is local, smem works on tiles in shared memory
#| 39 exp2 -> reg: vec_elems 1, per_thread 8, outer 8
#|   smem not_tried: a[0:8] is local, smem works on tiles in shared memory
#| 40 sqrt -> reg: vec_elems 1, per_thread 8, outer 8
#|   smem not_tried: a[0:8] is local, smem works on tiles in shared memory
#| 51 fill -> reg: vec_elems 1, per_thread 8, outer 8
#|   smem not_tried: a[0:8] is local, smem works on tiles in shared memory
#| 52 fill -> reg: vec_elems 1, per_thread 8, outer 8
#|   smem not_tried: a[0:8] is local, smem works on tiles in shared memory
#| 53 add -> reg: vec_elems 2, per_thread 8, outer 4, packed add.rz.ftz.f32x2
#|   smem not_tried: a[0:8] is local, smem works on tiles in shared memory
#| 54 fma -> reg: vec_elems 2, per_thread 8, outer 4, packed fma.rz.ftz.f32x2
#|   smem not_tried: a[0:8] is local, smem works on tiles in shared memory
#| 55 fill -> nothing
#|   reg declined: 300 is out of range for uint8
#|   smem rejected: u[0:8] is local, smem works on tiles in shared memory
#| 66 cast -> nothing
#|   reg rejected: a is float4_e2m1fn: its elements share a byte
#|   smem rejected: a is float4_e2m1fn: its elements share a byte
#| 76 exp -> nothing
#|   reg declined: the device has no such function of int32
#|   smem rejected: a[0:8] is local, smem works on tiles in shared memory
#| 77 reciprocal -> nothing
#|   reg declined: takes floating-point tiles, not int32
#|   smem rejected: a[0:8] is local, smem works on tiles in shared memory
#| 88 fdiv -> reg: vec_elems 1, per_thread 8, outer 8
#|   smem not_tried: u[0:8] is local, smem works on tiles in shared memory
#| 89 fdiv -> nothing
#|   reg declined: fdiv of int32: signed integers divide in more than one way
#|   smem rejected: a[0:8] is local, smem works on tiles in shared memory
#| 100 zero -> reg: vec_elems 1, per_thread 8, outer 8
#|   smem not_tried: a[0:8] is local, smem works on tiles in shared memory

#--- one tile in the hands of several, and tiles that overlap (Q13 to Q16)  [calls] [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import ComposeLayout, R, S, SwizzleLayout, TileLayout, laneid, tid_in_wg, tx, warpid, wid_in_wg

F = TileLayout(S[(2, 8, 16, 4, 2) : (2, 4 @ laneid, 4, 1 @ laneid, 1)])


def W(n):
    return TileLayout(S[(128, n) : (1 @ tid_in_wg, 1)])


def L(n):
    return TileLayout(S[(32, n) : (1 @ laneid, 1)])


@T.prim_func
def warps():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([2])
    T.lane_id([32])
    tid = T.thread_id([64])
    a = T.alloc_buffer((256,), "float32", scope="shared")
    Tx.warp.exp(a, a)
#   ^^^^^^^^^^^^^^^^^ warning[TW3111]: each of 2 warps does all of this exp, which works in place and so is applied 2 times
#   hint: let one of them do it, or share the work: Tx.cta.exp

@T.prim_func
def its_own():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([2])
    T.lane_id([32])
    tid = T.thread_id([64])
    a = T.alloc_buffer((2, 256), "float32", scope="shared")
    Tx.warp.exp(a[w, :], a[w, :])

@T.prim_func
def groups():
    T.device_entry()
    T.cta_id([1])
    wg = T.warpgroup_id([2])
    w = T.warp_id([8])
    T.lane_id([32])
    tid = T.thread_id([256])
    a = T.alloc_buffer((2, 256), "float32", scope="shared")
    Tx.wg.exp(a[wg, :], a[wg, :])

@T.prim_func
def overlap():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([2])
    T.lane_id([32])
    tid = T.thread_id([64])
    a = T.alloc_buffer((256,), "float32", scope="shared")
    Tx.cta.add(a[0:128], a[64:192], 1.0)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[TW3112]: a[0:128] is written while a[64:192], which overlaps it, is read
#   hint: elements are not read before others are written: use another tile for the result

@T.prim_func
def apart():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([2])
    T.lane_id([32])
    tid = T.thread_id([64])
    a = T.alloc_buffer((256,), "float32", scope="shared")
    Tx.cta.add(a[0:128], a[128:256], 1.0)
#| 24 exp -> smem: vec_elems 4, vec_bits 128, threads 32, outer 2
#|   reg rejected: a[0:256] is shared, reg works on tiles in registers
#| 34 exp -> smem: vec_elems 4, vec_bits 128, threads 32, outer 2
#|   reg rejected: a[w, 0:256] is shared, reg works on tiles in registers
#| 45 exp -> smem: vec_elems 2, vec_bits 64, threads 128, outer 1
#|   reg rejected: a[wg, 0:256] is shared, reg works on tiles in registers
#| 55 add -> smem: vec_elems 2, vec_bits 64, threads 64, outer 1, packed add.rz.ftz.f32x2
#|   reg rejected: a[0:128] is shared, reg works on tiles in registers
#| 65 add -> smem: vec_elems 2, vec_bits 64, threads 64, outer 1, packed add.rz.ftz.f32x2
#|   reg rejected: a[0:128] is shared, reg works on tiles in registers

#--- a tile over several warps, cut to one (Q33)  [calls] [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import ComposeLayout, R, S, SwizzleLayout, TileLayout, laneid, tid_in_wg, tx, warpid, wid_in_wg

F = TileLayout(S[(2, 8, 16, 4, 2) : (2, 4 @ laneid, 4, 1 @ laneid, 1)])


def W(n):
    return TileLayout(S[(128, n) : (1 @ tid_in_wg, 1)])


def L(n):
    return TileLayout(S[(32, n) : (1 @ laneid, 1)])


@T.prim_func
def zero():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([2])
    T.lane_id([32])
    tid = T.thread_id([64])
    a = T.alloc_buffer((2, 32, 8), "float32", scope="local", layout=TileLayout(S[(2, 32, 8) : (1 @ warpid, 1 @ laneid, 1)]))
    Tx.warp.exp(a[0], a[0])
#   ^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of exp serves this call at warp scope
#|    reg   rejected: a[0:1, 0:32, 0:8] belongs to the threads whose warpid is 0, which are not known to be those that execute the call
#|    smem  rejected: a[0:1, 0:32, 0:8] is local, smem works on tiles in shared memory

@T.prim_func
def own():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([2])
    T.lane_id([32])
    tid = T.thread_id([64])
    a = T.alloc_buffer((2, 32, 8), "float32", scope="local", layout=TileLayout(S[(2, 32, 8) : (1 @ warpid, 1 @ laneid, 1)]))
    Tx.warp.exp(a[w], a[w])
    if w == 1:
        Tx.warp.exp(a[1], a[1])
#| 24 exp -> nothing
#|   reg rejected: a[0:1, 0:32, 0:8] belongs to the threads whose warpid is 0, which are not known to be those that execute the call
#|   smem rejected: a[0:1, 0:32, 0:8] is local, smem works on tiles in shared memory
#| 34 exp -> reg: vec_elems 1, per_thread 8, outer 8
#|   smem not_tried: a[w, 0:32, 0:8] is local, smem works on tiles in shared memory
#| 36 exp -> reg: vec_elems 1, per_thread 8, outer 8
#|   smem not_tried: a[1:2, 0:32, 0:8] is local, smem works on tiles in shared memory

