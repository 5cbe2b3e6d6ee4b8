# From the shared memory of one CTA to that of its neighbour in the cluster, without a detour through global memory.
# tilewright: arch sm_90a sm_100a
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.cuda.operator.tile_primitive.tma_utils import mma_shared_layout
from tvm.tirx.lang.pipeline import TMABar
from tvm.tirx.layout import S, TileLayout

ROWS, COLS, PITCH = 32, 64, 72
BYTES = ROWS * COLS * 2


# tilewright: reference plain(2, ROWS, COLS)
def exchange(layout):
    """Each CTA of a pair sends its tile to the other one."""

    @T.prim_func
    def swap(A_ptr: T.handle, B_ptr: T.handle):
        A = T.match_buffer(A_ptr, (2, ROWS, COLS), "float16")
        B = T.match_buffer(B_ptr, (2, ROWS, COLS), "float16")
        T.device_entry()
        rank = T.cta_id_in_cluster([2])
        T.cta_id([2])
        tid = T.thread_id([128])
        mine = T.alloc_shared([ROWS, COLS], "float16", align=1024, layout=layout)
        theirs = T.alloc_shared([ROWS, COLS], "float16", align=1024, layout=layout)
        arrived = T.alloc_shared([1], "uint64")
        if tid == 0:
            T.ptx.mbarrier.init(arrived.ptr_to([0]), 1)
            T.ptx.fence.mbarrier_init()
            # The bytes of the other CTA's copies are counted here.
            T.ptx.mbarrier.arrive.expect_tx(arrived.ptr_to([0]), BYTES)
        Tx.cta.copy(mine[:, :], A[rank, :, :])
        # What threads wrote must be visible to the copy engine before one of them starts it.
        T.ptx.fence.proxy_async("shared::cta")
        T.cuda.cluster_sync()
        if tid == 0:
            Tx.copy_async(theirs[:, :], mine[:, :], dispatch="dsmem", mbar=arrived.ptr_to([0]), remote_cta_id=1 - rank)
        T.ptx.mbarrier.try_wait(arrived.ptr_to([0]), 0)
        Tx.cta.copy(B[rank, :, :], theirs[:, :])
        # No CTA leaves while a copy may still read or write its shared memory.
        T.cuda.cluster_sync()

    return swap


# tilewright: reference plain(1, 128, 64)
@T.prim_func
def forward(A_ptr: T.handle, B_ptr: T.handle):
    """One way only, with the barrier of the library: the first CTA loads and sends 16 KB, the second one writes them out."""
    A = T.match_buffer(A_ptr, (128, 64), "float16")
    B = T.match_buffer(B_ptr, (128, 64), "float16")
    T.device_entry()
    rank = T.cta_id_in_cluster([2])
    T.cta_id([2])
    tid = T.thread_id([128])
    pool = T.SMEMPool()
    sent = pool.alloc((128, 64), "float16", align=128, layout=TileLayout(S[128, 64]))
    received = pool.alloc((128, 64), "float16", align=128, layout=TileLayout(S[128, 64]))
    arrived = TMABar(pool, 1)
    pool.commit()
    arrived.init(1)
    T.ptx.fence.mbarrier_init()
    T.cuda.cluster_sync()
    if rank == 0:
        Tx.cta.copy(sent[:, :], A[:, :])
        T.ptx.fence.proxy_async("shared::cta")
        T.cuda.cta_sync()
        if tid == 0:
            Tx.copy_async(received[:, :], sent[:, :], mbar=arrived.ptr_to([0]), remote_cta_id=1)
    else:
        if tid == 0:
            arrived.arrive(0, 128 * 64 * 2)
        arrived.wait(0, 0)
        Tx.cta.copy(B[:, :], received[:, :])
    T.cuda.cluster_sync()


whole = exchange(TileLayout(S[ROWS, COLS]))  # one bulk copy
padded = exchange(TileLayout(S[(ROWS, COLS) : (PITCH, 1)]))  # one for each row
# The same permutation on both sides moves in one piece, too: whole spans map onto themselves.
swizzled = exchange(mma_shared_layout("float16", 3, (ROWS, COLS)))


def plain(tiles, rows, columns):
    """What `run` expects: the tiles in reverse order, every element on its own."""

    @T.prim_func
    def scalar(A_ptr: T.handle, B_ptr: T.handle):
        A = T.match_buffer(A_ptr, (tiles, rows, columns), "float16")
        B = T.match_buffer(B_ptr, (tiles, rows, columns), "float16")
        T.device_entry()
        tile, r = T.cta_id([tiles, rows])
        T.thread_id([1])
        for c in T.serial(columns):
            B[tile, r, c] = A[tiles - 1 - tile, r, c]

    return scalar


def reference(A):
    if A.ndim == 3:
        return {"B": A[::-1]}
    return {"B": A}
