# tilewright: dialect 0.26
# tilewright: arch sm_100a
"""tma_explicit: four rows by number, a map that is chosen at run time, fills, and loops of tma_auto that store."""

from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout

BLOCKS = TileLayout(S[(16, 8, 32) : (32, 512, 1)])


@T.prim_func
def plain_rows(A: T.Buffer((64, 64), "float16"), B: T.Buffer((4, 32), "float16")):
    T.device_entry()
    tid = T.thread_id([32])
    for r in T.unroll(4):
        B[r, tid] = A[3 + r * r * 5, 32 + tid]


# tilewright: reference plain_rows
@T.prim_func
def rows(A: T.Buffer((64, 64), "float16"), B: T.Buffer((4, 32), "float16")):
    T.device_entry()
    tid = T.thread_id([32])
    s = T.alloc_buffer((4, 32), "float16", scope="shared", align=128)
    bar = T.alloc_buffer((1,), "uint64", scope="shared")
    if tid == 0:
        T.ptx.mbarrier.init(bar.ptr_to([0]), 1)
        T.ptx.fence.mbarrier_init()
        T.ptx.mbarrier.arrive.expect_tx(bar.ptr_to([0]), 256)
        Tx.copy_async(s, A[0:1, 32:64], dispatch="tma_explicit", mbar=bar.ptr_to([0]), gather4=(3, 8, 23, 48))
    T.cuda.cta_sync()
    T.ptx.mbarrier.try_wait(bar.ptr_to([0]), 0)
    for r in T.unroll(4):
        B[r, tid] = s[r, tid]


@T.prim_func
def plain_chosen(
    A: T.Buffer((64, 64), "float32"), C: T.Buffer((96, 64), "float32"), D: T.Buffer((16, 64), "float32"),
    B: T.Buffer((4, 8, 64), "float32"),
):  # fmt: skip
    T.device_entry()
    bx = T.cta_id([4])
    tid = T.thread_id([64])
    for r in T.serial(8):
        if bx == 1:
            B[bx, r, tid] = C[8 + r, tid]
        elif bx > 2:
            B[bx, r, tid] = D[8 + r, tid]
        else:
            B[bx, r, tid] = A[8 + r, tid]


# tilewright: reference plain_chosen
@T.prim_func
def chosen(
    A: T.Buffer((64, 64), "float32"), C: T.Buffer((96, 64), "float32"), D: T.Buffer((16, 64), "float32"),
    B: T.Buffer((4, 8, 64), "float32"),
):  # fmt: skip
    T.device_entry()
    bx = T.cta_id([4])
    tid = T.thread_id([64])
    s = T.alloc_buffer((8, 64), "float32", scope="shared", align=128)
    bar = T.alloc_buffer((1,), "uint64", scope="shared")
    if tid == 0:
        T.ptx.mbarrier.init(bar.ptr_to([0]), 1)
        T.ptx.fence.mbarrier_init()
        T.ptx.mbarrier.arrive.expect_tx(bar.ptr_to([0]), 2048)
        Tx.copy_async(
            s, A[8:16, 0:64], dispatch="tma_explicit", mbar=bar.ptr_to([0]), src_selector=[(bx == 1, C), (bx > 2, D)]
        )
    T.cuda.cta_sync()
    T.ptx.mbarrier.try_wait(bar.ptr_to([0]), 0)
    for r in T.serial(8):
        B[bx, r, tid] = s[r, tid]


@T.prim_func
def plain_filled(A: T.Buffer((20, 64), "float32"), B: T.Buffer((32, 64), "float32")):
    T.device_entry()
    tid = T.thread_id([64])
    for r in T.serial(32):
        B[r, tid] = 0.0
        if r < 20:
            B[r, tid] = A[r, tid]


# tilewright: reference plain_filled
@T.prim_func
def filled(A: T.Buffer((20, 64), "float32"), B: T.Buffer((32, 64), "float32")):
    T.device_entry()
    tid = T.thread_id([64])
    s = T.alloc_buffer((32, 64), "float32", scope="shared", align=128)
    bar = T.alloc_buffer((1,), "uint64", scope="shared")
    if tid == 0:
        T.ptx.mbarrier.init(bar.ptr_to([0]), 1)
        T.ptx.fence.mbarrier_init()
        T.ptx.mbarrier.arrive.expect_tx(bar.ptr_to([0]), 8192)
        Tx.copy_async(s, A[0:32, 0:64], dispatch="tma_explicit", mbar=bar.ptr_to([0]), oob="zero", mbarrier_addr=True)
    T.cuda.cta_sync()
    T.ptx.mbarrier.try_wait(bar.ptr_to([0]), 0)
    for r in T.serial(32):
        B[r, tid] = s[r, tid]


@T.prim_func
def plain_added(A: T.Buffer((16, 256), "float32"), B: T.Buffer((32, 512), "float32")):
    T.device_entry()
    tid = T.thread_id([256])
    for r in T.serial(16):
        B[8 + r, 256 + tid] = B[8 + r, 256 + tid] + A[r, tid]


# tilewright: reference plain_added
@T.prim_func
def added(A: T.Buffer((16, 256), "float32"), B: T.Buffer((32, 512), "float32")):
    T.device_entry()
    tid = T.thread_id([256])
    s = T.alloc_buffer((16, 256), "float32", scope="shared", align=128, layout=BLOCKS)
    for r in T.serial(16):
        s[r, tid] = A[r, tid]
    T.ptx.fence.proxy_async("shared::cta")
    T.cuda.cta_sync()
    if tid == 0:
        Tx.copy_async(B[8:24, 256:512], s, dispatch="tma_auto", use_tma_reduce="add")
        T.ptx.cp_async.bulk.commit_group()
        T.ptx.cp_async.bulk.wait_group(0)
