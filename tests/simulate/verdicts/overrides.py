# tilewright: dialect 0.27
# tilewright: arch sm_107a
"""What a copy may say of a tensor in place of its map: an address with 128 KiB behind it, extents of 8 bits, no start but 0."""
from tvm.script import tirx as T

# verdict make(0, 50, 0): clean
# verdict make(4, 255, 0): clean
# verdict make(1, 50, 0): TW5015 at `T.ptx["cp.async`
# verdict make(64, 50, 0): TW5001 at `T.ptx["cp.async`
# verdict make(0, 256, 0): TW5015 at `T.ptx["cp.async`
# verdict make(0, 50, 4): TW5015 at `T.ptx["cp.async`


def make(first, extent, start):
    @T.prim_func
    def kernel(A_ptr: T.handle, B: T.Buffer((64,), "uint32")):
        A = T.match_buffer(A_ptr, (32768 + 16,), "uint32")
        A_map: T.let[T.handle("tensormap")] = T.tvm_stack_alloca("tensormap", 1)
        T.call_packed("runtime.cuTensorMapEncodeTiled", A_map, "uint32", 1, A.data, 64, 64, 1, 0, 0, 0, 0)
        T.device_entry()
        T.cta_id([1])
        tx = T.thread_id([64])
        S = T.alloc_shared([64], "uint32", align=128)
        bar = T.alloc_shared([1], "uint64")
        if tx == 0:
            T.ptx.mbarrier.init.shared.b64(bar.ptr_to([0]), 1)
            T.ptx.fence.mbarrier_init.release.cluster()
        T.cuda.cta_sync()
        if tx == 0:
            T.ptx.mbarrier.arrive.expect_tx.shared.b64(bar.ptr_to([0]), 256)
            T.ptx["cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes.override::global_address.override::global_dim"](
                S.ptr_to([0]), T.address_of(A_map), T.reinterpret("uint64", A.ptr_to([first])), T.uint16(extent), start, bar.ptr_to([0]))
        T.cuda.mbarrier_wait(bar.ptr_to([0]), 0)
        B[tx] = S[tx]

    return kernel
