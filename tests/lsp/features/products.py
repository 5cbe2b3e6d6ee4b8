# Matrix products: the descriptors that they encode, field by field.
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TCol, TileLayout, TLane


@T.prim_func
def kernel(a: T.handle):
    A = T.match_buffer(a, (32, 32), "float32")
    T.device_entry()
    T.cta_id([1])
    T.warp_id([4])
    tid = T.thread_id([128])
    pool = T.SMEMPool()
    left = pool.alloc_mma((128, 64), "float16")
    right = pool.alloc_mma((64, 128), "float16")
    address = pool.alloc((1,), "uint32")
    pool.commit()
    sums = T.decl_buffer(
        (128, 128), "float32", scope="tmem", allocated_addr=address[0], layout=TileLayout(S[(128, 128) : (1 @ TLane, 1 @ TCol)])
    )
    if tid == 0:
        Tx.gemm_async(sums[:, :], left[:, :], right[:, :], transB=True)
        #  ^ hover:
#| 23:9 Tx.gemm_async
#| gemm_async → tcgen05    thread, one thread
#|   A: left[0:128, 0:64] float16 shared.dyn
#|     layout Z(3,3,3)
#|   B: right[0:64, 0:128] float16 shared.dyn
#|     layout Z(3,3,3) o S[(64,2,64):(64,4096,1)]
#|   transB: T.bool(True)
#| → C: sums[0:128, 0:128] float32 tmem
#|     layout S[(128,128):(1@TLane,1@TCol)]
#| together -; instances laneid 0, warpid 0, cta_id 0
#| 4 issues, 65,536 bytes
#| descriptor of A 0x4000404000400000 + address: ldo 64 (1,024 bytes) · sdo 64 (1,024 bytes) · swizzle 128 bytes · K-major, which leaves ldo unused
#| descriptor of B 0x4000404002000000 + address: ldo 512 (8,192 bytes) · sdo 64 (1,024 bytes) · swizzle 128 bytes · MN-major
#| instruction descriptor 0x08210010: type of D float32 · type of A float16 · type of B float16 · A K-major · B MN-major · N 128 · M 128
#| not chosen: wgmma (wgmma is issued by a warpgroup, this is thread scope)
        Tx.gemm_async(sums[:, 0:24], left[:, :], right[:, 0:24], transB=True)
        #  ^ hover:
#| 25:9 Tx.gemm_async
#| gemm_async → no variant    thread, one thread
#|   A: left[0:128, 0:64] float16 shared.dyn
#|     layout Z(3,3,3)
#|   B: right[0:64, 0:24] float16 shared.dyn
#|     layout Z(3,3,3) o S[(64,2,64):(64,4096,1)]
#|   transB: T.bool(True)
#| → C: sums[0:128, 0:24] float32 tmem
#|     layout S[(128,128):(1@TLane,1@TCol)]
#| together -; instances laneid 0, warpid 0, cta_id 0
#| 12,288 bytes
#| not chosen: tcgen05 (N=24 is no sum of equal tiles of at most 256 columns that are multiples ...) · wgmma (wgmma is issued by a warpgroup, this is thread scope)
