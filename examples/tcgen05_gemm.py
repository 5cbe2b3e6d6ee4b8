# tilewright: arch sm_100a sm_103a
# tilewright: reference product
"""D = A B^T on the tensor core of sm_100a, one tile: TMA in, tcgen05.mma, commit, tcgen05.ld, out.

A and B come by steps of 64 along K: one atom of the 128-byte swizzle, and four instructions of 16 elements each, 32 bytes
further along the atom. D stays in tensor memory, a row a lane, until the last product is done. `loaded` counts the bytes of
a step, `read` its products: when they are done the tensor core has read both tiles, and the next step may overwrite them.
"""
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.lang.smem_desc import SmemDescriptor
from tvm.tirx.layout import S, TCol, TileLayout, TLane
from tvm.tirx.layout import tid_in_wg as axis_tid_in_wg

M, N, K, STEP = 128, 64, 256, 64
BYTES = (M + N) * STEP * 2
SWIZZLE_128B = 3


@T.prim_func
def gemm(A_ptr: T.handle, B_ptr: T.handle, D_ptr: T.handle):
    A = T.match_buffer(A_ptr, (M, K), "float16")
    B = T.match_buffer(B_ptr, (N, K), "float16")
    D = T.match_buffer(D_ptr, (M, N), "float32")
    T.device_entry()
    T.cta_id([1])
    warp = T.warp_id([4])
    T.warpgroup_id([1])
    tid = T.thread_id([128])
    pool = T.SMEMPool()
    A_smem = pool.alloc_mma((M, STEP), "float16")
    B_smem = pool.alloc_mma((N, STEP), "float16")
    loaded = pool.alloc((1,), "uint64")
    read = pool.alloc((1,), "uint64")
    address = pool.alloc((1,), "uint32")
    pool.commit()
    if warp == 0:
        T.ptx.tcgen05.alloc(T.address_of(address), n_cols=64, cta_group=1)
    if tid == 0:
        T.ptx.mbarrier.init(loaded.ptr_to([0]), 1)
        T.ptx.mbarrier.init(read.ptr_to([0]), 1)
        T.ptx.fence.mbarrier_init()
    T.cuda.cta_sync()
    accumulator = T.decl_buffer(
        (M, N),
        "float32",
        scope="tmem",
        allocated_addr=address[0],
        layout=TileLayout(S[(M, N) : (1 @ TLane, 1 @ TCol)]),
    )
    if tid == 0:
        kind = T.alloc_local((1,), "uint32")
        T.ptx.tcgen05.encode_instr_descriptor(
            kind.ptr_to([0]),
            d_dtype="float32",
            a_dtype="float16",
            b_dtype="float16",
            M=M,
            N=N,
            K=16,
            trans_a=False,
            trans_b=False,
        )
        # Rows of an atom follow each other; from eight rows to the next eight it is 1,024 bytes.
        left = SmemDescriptor()
        left.init(A_smem.ptr_to([0, 0]), 1, 64, SWIZZLE_128B)
        right = SmemDescriptor()
        right.init(B_smem.ptr_to([0, 0]), 1, 64, SWIZZLE_128B)
        for step in T.serial(K // STEP):
            T.ptx.mbarrier.arrive.expect_tx(loaded.ptr_to([0]), BYTES)
            Tx.copy_async(A_smem[:, :], A[:, step * STEP : step * STEP + STEP], dispatch="tma", mbar=loaded.ptr_to([0]))
            Tx.copy_async(B_smem[:, :], B[:, step * STEP : step * STEP + STEP], dispatch="tma", mbar=loaded.ptr_to([0]))
            T.ptx.mbarrier.try_wait(loaded.ptr_to([0]), step % 2)
            for k in T.unroll(STEP // 16):
                T.ptx.tcgen05.mma(
                    address[0],
                    left.add_16B_offset(2 * k),
                    right.add_16B_offset(2 * k),
                    kind[0],
                    d_dtype="float32",
                    a_dtype="float16",
                    b_dtype="float16",
                    use_a_tmem=False,
                    cta_group=1,
                    enable_input_d=T.Or(step > 0, k > 0),
                )
            T.ptx.tcgen05.commit(read.ptr_to([0]))
            T.ptx.mbarrier.try_wait(read.ptr_to([0]), step % 2)
    # Thread 0 has waited for the last products, and all others wait for it: a parity alone would not tell them which step
    # is done.
    T.cuda.cta_sync()
    T.ptx.tcgen05.fence.after_thread_sync()
    row = T.alloc_local((N,), "float32")
    into = row.view(M, N, layout=TileLayout(S[(M, N) : (1 @ axis_tid_in_wg, 1)]))
    Tx.wg.copy_async(into[:, :], accumulator[:, :])
    T.ptx.tcgen05.wait.ld()
    for column in T.unroll(N):
        D[tid, column] = row[column]
    T.cuda.cta_sync()
    if warp == 0:
        T.ptx.tcgen05.relinquish_alloc_permit(cta_group=1)
        T.ptx.tcgen05.dealloc(address[0], n_cols=64, cta_group=1)


@T.prim_func
def product(A_ptr: T.handle, B_ptr: T.handle, D_ptr: T.handle):
    A = T.match_buffer(A_ptr, (M, K), "float16")
    B = T.match_buffer(B_ptr, (N, K), "float16")
    D = T.match_buffer(D_ptr, (M, N), "float32")
    T.device_entry()
    row = T.cta_id([M])
    column = T.thread_id([N])
    total: T.float32 = 0.0
    for k in T.serial(K):
        total = total + T.cast(A[row, k], "float32") * T.cast(B[column, k], "float32")
    D[row, column] = total


def reference(A, B):
    return {"D": A.astype("float32") @ B.astype("float32").T}
