# tilewright: dialect 0.27
# tilewright: arch sm_100a
# tilewright: entry taken
# tilewright: run taken reference=expected B=zeros
"""A cluster that is taken over: the answer as a value of 128 bits."""
from tvm.script import tirx as T


@T.prim_func
def taken(B: T.Buffer((8,), "uint32")):
    T.device_entry()
    cta = T.cta_id([8])
    tx = T.thread_id([32])
    answer = T.alloc_shared([4], "uint32", align=16)
    bar = T.alloc_shared([1], "uint64")
    v: T.uint128
    done: T.uint32
    more: T.uint32
    at: T.uint32
    if tx == 0:
        T.ptx.mbarrier.init.shared.b64(bar.ptr_to([0]), 1)
        T.ptx.fence.mbarrier_init.release.cluster()
        T.ptx.fence.proxy.async_.shared__cta()
        T.ptx.mbarrier.arrive.expect_tx.shared.b64(bar.ptr_to([0]), 16)
        T.ptx["clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128"](answer.ptr_to([0]), bar.ptr_to([0]))
    T.ptx.bar.sync(0)
    done = T.uint32(0)
    while done == 0:
        T.ptx.mbarrier.try_wait.parity.shared.b64(done, bar.ptr_to([0]), 0)
    T.ptx["ld.shared.b128"](v, answer.ptr_to([0]))
    T.ptx["clusterlaunchcontrol.query_cancel.is_canceled.pred.b128"](more, v)
    if tx == 0:
        B[cta] = T.uint32(1)
        if more != T.uint32(0):
            T.ptx["clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128"](at, v)
            B[at] = T.uint32(1)


@T.prim_func
def expected(B: T.Buffer((8,), "uint32")):
    T.device_entry()
    T.cta_id([1])
    tx = T.thread_id([8])
    B[tx] = T.uint32(1)
