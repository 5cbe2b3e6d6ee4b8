# gemm_async on Blackwell: what a call says of its operands before anything is issued.
#--- scale factors come in pairs; flags are known before the launch  [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TCol, TileLayout, TLane, mma_shared_layout, sf_tmem_layout

@T.prim_func
def k():
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([128])
    a = T.alloc_buffer((128, 64), "float16", scope="shared", layout=mma_shared_layout("float16", 3, (128, 64)))
    c = T.decl_buffer((128, 128), "float32", scope="tmem", allocated_addr=0, layout=TileLayout(S[(128, 128) : (1 @ TLane, 1 @ TCol)]))
    sf = T.decl_buffer((128, 4), "float8_e8m0fnu", scope="tmem", allocated_addr=400, layout=sf_tmem_layout(128, 4, 1))
    if tid == 0:
        Tx.gemm_async(c, a, a, SFA=sf)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at thread scope
#|    tcgen05  declined: SFA and SFB must both be given
#|    wgmma    rejected: wgmma is issued by a warpgroup, this is thread scope; wgmma adds up in registers, C is tmem; wgmma needs sm_90a, the target is sm_100a
        Tx.gemm_async(c, a, a, SFB=sf)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at thread scope
#|    tcgen05  declined: SFA and SFB must both be given
#|    wgmma    rejected: wgmma is issued by a warpgroup, this is thread scope; wgmma adds up in registers, C is tmem; wgmma needs sm_90a, the target is sm_100a
        Tx.gemm_async(c, a, a, transA=tid < 64)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at thread scope
#|    tcgen05  declined: transA must be known before the launch, not tid < 64
#|    wgmma    rejected: wgmma is issued by a warpgroup, this is thread scope; wgmma adds up in registers, C is tmem; wgmma needs sm_90a, the target is sm_100a
        Tx.gemm_async(c, a, a, transB=tid < 64)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at thread scope
#|    tcgen05  declined: transB must be known before the launch, not tid < 64
#|    wgmma    rejected: wgmma is issued by a warpgroup, this is thread scope; wgmma adds up in registers, C is tmem; wgmma needs sm_90a, the target is sm_100a
        Tx.gemm_async(c, a, a, accum=tid < 64)

#--- C may not lie over what is read, wherever the allocation starts  [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TCol, TileLayout, TLane, mma_shared_layout

@T.prim_func
def k():
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([128])
    b = T.alloc_buffer((64, 64), "float16", scope="shared", layout=mma_shared_layout("float16", 3, (64, 64)))
    address = T.alloc_shared((1,), "uint32")
    c = T.decl_buffer((128, 64), "float32", scope="tmem", allocated_addr=address[0], layout=TileLayout(S[(128, 64) : (1 @ TLane, 1 @ TCol)]))
    over = T.decl_buffer((128, 64), "float16", scope="tmem", allocated_addr=address[0] + 32, layout=TileLayout(S[(128, 64) : (1 @ TLane, 1 @ TCol)]))
    beside = T.decl_buffer((128, 64), "float16", scope="tmem", allocated_addr=address[0] + 64, layout=TileLayout(S[(128, 64) : (1 @ TLane, 1 @ TCol)]))
    if tid == 0:
        Tx.gemm_async(c, over, b)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at thread scope
#|    tcgen05  declined: A starts 32 columns from C, which has 64: the product would write over A while it is read
#|    wgmma    rejected: wgmma is issued by a warpgroup, this is thread scope; wgmma adds up in registers, C is tmem; wgmma needs sm_90a, the target is sm_100a
        Tx.gemm_async(c, beside, b)

#--- operands that are stored the other way round  [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TCol, TileLayout, TLane, mma_shared_layout

@T.prim_func
def k():
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([128])
    a = T.alloc_buffer((128, 64), "float16", scope="shared", layout=mma_shared_layout("float16", 3, (128, 64)))
    b = T.alloc_buffer((64, 128), "float16", scope="shared", layout=mma_shared_layout("float16", 3, (64, 128)))
    c = T.decl_buffer((128, 128), "float32", scope="tmem", allocated_addr=0, layout=TileLayout(S[(128, 128) : (1 @ TLane, 1 @ TCol)]))
    if tid == 0:
        Tx.gemm_async(c, a, b)
#       ^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at thread scope
#|    tcgen05  declined: K is 64 in A and 128 in B, which would fit with transB=True
#|    wgmma    rejected: wgmma is issued by a warpgroup, this is thread scope; wgmma adds up in registers, C is tmem; wgmma needs sm_90a, the target is sm_100a
        Tx.gemm_async(c, b, a)
#       ^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at thread scope
#|    tcgen05  declined: C has 128 rows, A has 64, which would fit with transA=True
#|    wgmma    rejected: wgmma is issued by a warpgroup, this is thread scope; wgmma adds up in registers, C is tmem; wgmma needs sm_90a, the target is sm_100a
        Tx.gemm_async(c, a, a, transB=True)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at thread scope
#|    tcgen05  declined: K is 64 in A and 128 in B, which would fit with transB=False
#|    wgmma    rejected: wgmma is issued by a warpgroup, this is thread scope; wgmma adds up in registers, C is tmem; wgmma needs sm_90a, the target is sm_100a
        Tx.gemm_async(c, a, b[:, 0:64])
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at thread scope
#|    tcgen05  declined: C has 128 columns, B has 64 rows
#|    wgmma    rejected: wgmma is issued by a warpgroup, this is thread scope; wgmma adds up in registers, C is tmem; wgmma needs sm_90a, the target is sm_100a
