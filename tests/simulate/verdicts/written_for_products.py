# tilewright: arch sm_100a
# Tiles that threads write by ordinary stores reach the tensor core behind a fence of the async proxy, which every writer makes
# before the barrier (PTX ISA 9.7.16.6.1, 9.7.13.4).
# verdict make("fenced", False): clean
# verdict make("none", False): TW5022 at `T.ptx.tcgen05.mma(`
# verdict make("of the issuer", False): TW5022 at `T.ptx.tcgen05.mma(`
# verdict make("behind the barrier", False): clean
# verdict make("before the writes", False): TW5022 at `T.ptx.tcgen05.mma(`
# verdict make("of global memory", False): TW5022 at `T.ptx.tcgen05.mma(`
# verdict make("fenced", True): clean
# verdict make("only the first round", True): TW5022 at `T.ptx.tcgen05.mma(`
# verdict make("not read out", True): TW5021 at `Tx.cta.copy(A_smem`
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.lang.smem_desc import SmemDescriptor
from tvm.tirx.layout import S, TCol, TileLayout, TLane
from tvm.tirx.layout import tid_in_wg as axis_tid_in_wg

M, N, STEP = 128, 64, 64
SWIZZLE_128B = 3


def make(fence, rounds):
    @T.prim_func
    def gemm(A: T.Buffer((2, M, STEP), "float16"), B: T.Buffer((N, STEP), "float16"), D: T.Buffer((M, N), "float32")):
        T.device_entry()
        T.cta_id([1])
        warp = T.warp_id([4])
        T.warpgroup_id([1])
        tid = T.thread_id([128])
        pool = T.SMEMPool()
        A_smem = pool.alloc_mma((M, STEP), "float16")
        B_smem = pool.alloc_mma((N, STEP), "float16")
        read = pool.alloc((1,), "uint64")
        address = pool.alloc((1,), "uint32")
        pool.commit()
        if warp == 0:
            T.ptx.tcgen05.alloc(T.address_of(address), n_cols=64, cta_group=1)
        if tid == 0:
            T.ptx.mbarrier.init(read.ptr_to([0]), 1)
            T.ptx.fence.mbarrier_init()
        T.cuda.cta_sync()
        accumulator = T.decl_buffer((M, N), "float32", scope="tmem", allocated_addr=address[0], layout=TileLayout(S[(M, N) : (1 @ TLane, 1 @ TCol)]))
        kind = T.alloc_local((1,), "uint32")
        T.ptx.tcgen05.encode_instr_descriptor(
            kind.ptr_to([0]), d_dtype="float32", a_dtype="float16", b_dtype="float16", M=M, N=N, K=16, trans_a=False, trans_b=False
        )
        left = SmemDescriptor()
        left.init(A_smem.ptr_to([0, 0]), 1, 64, SWIZZLE_128B)
        right = SmemDescriptor()
        right.init(B_smem.ptr_to([0, 0]), 1, 64, SWIZZLE_128B)
        for step in T.serial(2 if rounds else 1):
            if fence == "before the writes":
                T.ptx.fence.proxy_async("shared::cta")
            Tx.cta.copy(A_smem[:, :], A[step, :, :])
            if step == 0:
                Tx.cta.copy(B_smem[:, :], B[:, :])
            if fence == "fenced" or fence == "not read out":
                T.ptx.fence.proxy_async("shared::cta")
            if fence == "of global memory":
                T.ptx.fence.proxy_async("global")
            if fence == "of the issuer":
                if tid == 0:
                    T.ptx.fence.proxy_async("shared::cta")
            if fence == "only the first round":
                if step == 0:
                    T.ptx.fence.proxy_async("shared::cta")
            T.cuda.cta_sync()
            if tid == 0:
                if fence == "behind the barrier":
                    T.ptx.fence.proxy_async("shared::cta")
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
                if fence != "not read out":
                    T.ptx.mbarrier.try_wait(read.ptr_to([0]), step % 2)
            T.cuda.cta_sync()
        if fence == "not read out":
            T.ptx.mbarrier.try_wait(read.ptr_to([0]), 1)
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

    return gemm
