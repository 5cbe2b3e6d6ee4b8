# From the shared memory of one CTA to that of its neighbour in the cluster, without a detour through global memory.
# tilewright: arch sm_90a sm_100a
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout

ROWS, COLS, PITCH = 32, 64, 72
BYTES = ROWS * COLS * 2


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
        mine = T.alloc_shared([ROWS, COLS], "float16", layout=layout)
        theirs = T.alloc_shared([ROWS, COLS], "float16", layout=layout)
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
        # Nobody leaves while a copy may still read or write its shared memory.
        T.cuda.cluster_sync()

    return swap


whole = exchange(TileLayout(S[ROWS, COLS]))  # one bulk copy
padded = exchange(TileLayout(S[(ROWS, COLS) : (PITCH, 1)]))  # one for each row
