# tilewright: dialect 0.27
# tilewright: arch sm_103a
# cp.async.bulk with .ignore_oob: up to 15 bytes at either end may lie outside of the tensor, and hold nothing afterwards
# (PTX ISA, cp.async.bulk).
# verdict make(0, 12, 52, 0): clean
# verdict make(0, 12, 53, 0): TW5002
# verdict make(0, 11, 52, 0): TW5001 at `cp.async.bulk`
# verdict make(0, 16, 48, 0): TW5015 at `cp.async.bulk`
# verdict make(16, 12, 52, 0): TW5015 at `cp.async.bulk`
# verdict make(12, 12, 52, 12): clean
# verdict make(12, 12, 52, 11): TW5002
from tvm.script import tirx as T

SIZE = 64


def make(left, right, end, begin):
    @T.prim_func
    def k(A: T.Buffer((52,), "uint8"), B: T.Buffer((SIZE,), "uint8")):
        T.device_entry()
        T.cta_id([1])
        tx = T.thread_id([SIZE])
        bar = T.alloc_shared([1], "uint64")
        held = T.alloc_buffer((SIZE,), "uint8", scope="shared", align=16)
        if tx == 0:
            T.ptx.mbarrier.init.shared.b64(bar.ptr_to([0]), 1)
            T.ptx.fence.mbarrier_init.release.cluster()
            T.ptx.mbarrier.arrive.expect_tx.shared.b64(bar.ptr_to([0]), SIZE)
            T.ptx["cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob"](
                held.ptr_to([0]), A.ptr_to([0]), T.uint32(SIZE), T.uint32(left), T.uint32(right), bar.ptr_to([0]))
        T.ptx.bar.sync(0)
        T.cuda.mbarrier_wait(bar.ptr_to([0]), 0)
        if tx >= begin:
            if tx < end:
                B[tx] = held[tx]

    return k
