# What the reference takes and a compiler may well refuse by mistake; beside it what looks alike and is wrong.
#--- a ring of one stage indexed by a variable  [cuda]
# tilewright: arch sm_90a
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

STAGES, ROWS, COLS = 1, 64, 64


@T.prim_func
def kernel(a: T.handle, b: T.handle):
    A = T.match_buffer(a, (256, 64), "float16")
    B = T.match_buffer(b, (256, 64), "float16")
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([128])
    pool = T.SMEMPool()
    tiles = pool.alloc_mma((STAGES, ROWS, COLS), "float16")
    full = pool.alloc((STAGES,), "uint64", align=8)
    pool.commit()
    if tid == 0:
        T.ptx.mbarrier.init(full.ptr_to([0]), 1)
        T.ptx.fence.mbarrier_init()
    T.cuda.cta_sync()
    stage: T.int32 = 0
    for i in T.serial(4):
        if tid == 0:
            T.ptx.mbarrier.arrive.expect_tx(full.ptr_to([i % STAGES]), 8192)
            Tx.copy_async(tiles[stage, :, :], A[i * 64 : i * 64 + 64, :], dispatch="tma", mbar=full.ptr_to([i % STAGES]))
        T.ptx.mbarrier.try_wait(full.ptr_to([i % STAGES]), i // STAGES % 2)
        Tx.cta.copy(B[i * 64 : i * 64 + 64, :], tiles[stage, :, :])
        T.cuda.cta_sync()

#--- a tile of four elements a lane into four replicated elements  [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import R, S, TileLayout, laneid

@T.prim_func
def k(B: T.Buffer((4,), "float32")):
    T.device_entry()
    T.cta_id([1])
    T.warp_id([1])
    T.lane_id([32])
    T.thread_id([32])
    x = T.alloc_local((4, 32), "float32", layout=TileLayout(S[(4, 32):(1, 1@laneid)]))
    y = T.alloc_local((4,), "float32", layout=TileLayout(S[4:1] + R[32:1@laneid]))
    x_of_lane = x.local(4)
    for i in range(4):
        x_of_lane[i] = T.float32(1.0)
    Tx.warp.sum(y, x)
    y_of_lane = y.local(4)
    for i in range(4):
        B[i] = y_of_lane[i]

#--- the element of a scalar as the reference prints it  [cuda]
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func
    def k(A: T.Buffer((4,), "float32"), B: T.Buffer((1,), "float32")):
        T.attr({"tirx.device_entry": T.bool(True)})
        v = T.cta_id([1])
        v_1 = T.thread_id([32])
        A_local = T.alloc_local((4,))
        B_local: T.float32
        for i in range(4):
            A_local[i] = A[i]
        T.tile.max(B_local.buffer[0], A_local[0:4], [-1], False)
        B[0] = B_local

#--- a scalar as the destination of a reduction  [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def k(A: T.Buffer((4,), "float32"), B: T.Buffer((1,), "float32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A_local = T.alloc_local((4,), "float32")
    B_local = T.local_scalar("float32")
    for i in range(4):
        A_local[i] = A[i]
    Tx.thread.max(B_local, A_local[0:4])
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of max serves this call at thread scope: destination is not a buffer region
    B[0] = B_local

#--- a variable that gives a type and a name  [cuda]
from tvm.ir import PointerType, PrimType
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((4,), "uint64")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    p: T.let[T.Var(name="p", dtype=PointerType(PrimType("uint64")))] = A.ptr_to([0])
    B = T.decl_buffer((4,), "uint64", data=p)
    B[0] = T.uint64(1)

#--- an extent of the launch from a T.let that has no constant  [cuda]
from tvm.script import tirx as T

@T.prim_func
def k(a: T.handle, n: T.int32):
    A = T.match_buffer(a, (n,), "float32")
    blocks: T.let = n // 32
    T.device_entry()
    block = T.cta_id([blocks])
    thread = T.thread_id([32])
    A[block * 32 + thread] = 1.0

#--- elements are stored at an index that is no list  [cuda]
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "float32"), B: T.Buffer((8, 8), "float32")):
    T.device_entry()
    T.cta_id([1])
    thread = T.thread_id([32])
    T.buffer_store(A, T.float32(1), 0)
    T.buffer_store(A, T.float32(1), thread)
    T.buffer_store(B, T.float32(1), [0, thread % 8])

#--- compiled modules beside Python's of nearly the same name
from _foo import z
from _struct import pack
from _weakref import ref
from foo import y
import _bisect
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((32,), "uint8")):
    T.device_entry()
    T.cta_id([1])
    thread = T.thread_id([32])
    A[thread] = y
#--- file foo.py
from _foo import x
y = 3

#--- static shared memory of sm_90a  [cuda] [arch sm_90a]
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((32,), "uint8")):
    T.device_entry()
    T.cta_id([1])
    thread = T.thread_id([32])
    s = T.alloc_buffer((232448,), "uint8", scope="shared")
    s[thread] = A[thread]
    A[thread] = s[thread]

#--- static shared memory of sm_90  [cuda] [arch sm_90]
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((32,), "uint8")):
    T.device_entry()
    T.cta_id([1])
    thread = T.thread_id([32])
    s = T.alloc_buffer((49153,), "uint8", scope="shared")
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW4008]: static shared memory reaches 49153 bytes with `s`; the limit of sm_90 is 49152
#   hint: allocate it with scope="shared.dyn", for instance from a T.SMEMPool
    s[thread] = A[thread]
    A[thread] = s[thread]

#--- static shared memory of sm_120a  [cuda] [arch sm_120a]
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((32,), "uint8")):
    T.device_entry()
    T.cta_id([1])
    thread = T.thread_id([32])
    s = T.alloc_buffer((101376,), "uint8", scope="shared")
    s[thread] = A[thread]
    A[thread] = s[thread]
    t = T.alloc_buffer((16,), "uint8", scope="shared")
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW4008]: static shared memory reaches 101392 bytes with `t`; the limit of sm_120a is 101376
#   hint: allocate it with scope="shared.dyn", for instance from a T.SMEMPool
    t[thread % 16] = A[thread]
