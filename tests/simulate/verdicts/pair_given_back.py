# tilewright: arch sm_100a
# Tensor memory of a pair of CTAs: tcgen05.dealloc with cta_group 2 gives back the columns of both, so that both have to
# have read theirs (PTX ISA 9.7.16.7). In a published kernel the load warp gave them back while the peer still read.
# verdict given_back("cluster sync"): clean
# verdict given_back("arrive and wait"): clean
# verdict given_back("a barrier of both"): clean
# verdict given_back("cta sync"): warning TW5020 at `T.ptx.tcgen05.dealloc(`
# verdict given_back("nothing"): only TW5020 at `T.ptx.tcgen05.dealloc(`
# verdict given_back("a barrier of its own"): warning TW5020 at `T.ptx.tcgen05.dealloc(`
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.lang.pipeline import MBarrier, TCGen05Bar, TMABar
from tvm.tirx.lang.smem_desc import SmemDescriptor
from tvm.tirx.layout import S, TCol, TileLayout, TLane
from tvm.tirx.layout import tid_in_wg as axis_tid_in_wg

M, N, K, STEP = 256, 64, 256, 64
ROWS, SHARE = M // 2, N // 2  # of A and of B in one CTA
BYTES = (M + N) * STEP * 2
SWIZZLE_128B = 3



def given_back(kind):
    @T.prim_func
    def k(A_ptr: T.handle, B_ptr: T.handle, D_ptr: T.handle):
        A = T.match_buffer(A_ptr, (M, K), "float16")
        B = T.match_buffer(B_ptr, (N, K), "float16")
        D = T.match_buffer(D_ptr, (M, N), "float32")
        T.device_entry()
        rank = T.cta_id_in_cluster([2])
        T.cta_id([2])
        warp = T.warp_id([4])
        T.warpgroup_id([1])
        tid = T.thread_id([128])
        pool = T.SMEMPool()
        A_smem = pool.alloc_mma((ROWS, STEP), "float16")
        B_smem = pool.alloc_mma((SHARE, STEP), "float16")
        address = pool.alloc((1,), "uint32")
        loaded = TMABar(pool, 1)
        loaded.init(1)
        read = TCGen05Bar(pool, 1)
        read.init(1)
        done = pool.alloc((1,), "uint64", align=8)
        pool.commit()
        if tid == 0:
            T.ptx.mbarrier.init(done.ptr_to([0]), 2)
        counted = loaded.remote_view(0)
        if warp == 0:
            T.ptx.tcgen05.alloc(T.address_of(address), n_cols=64, cta_group=2)
        T.ptx.fence.mbarrier_init()
        # No CTA signals a barrier, or writes the tensor memory, of a CTA that has not set it up.
        T.cuda.cluster_sync()
        accumulator = T.decl_buffer(
            (ROWS, N),
            "float32",
            scope="tmem",
            allocated_addr=address[0],
            layout=TileLayout(S[(ROWS, N) : (1 @ TLane, 1 @ TCol)]),
        )
        if tid == 0:
            what = T.alloc_local((1,), "uint32")
            T.ptx.tcgen05.encode_instr_descriptor(
                what.ptr_to([0]),
                d_dtype="float32",
                a_dtype="float16",
                b_dtype="float16",
                M=M,
                N=N,
                K=16,
                trans_a=False,
                trans_b=False,
                n_cta_groups=2,
            )
            left = SmemDescriptor()
            left.init(A_smem.ptr_to([0, 0]), 1, 64, SWIZZLE_128B)
            right = SmemDescriptor()
            right.init(B_smem.ptr_to([0, 0]), 1, 64, SWIZZLE_128B)
            for step in T.serial(K // STEP):
                if rank == 0:
                    loaded.arrive(0, BYTES)
                Tx.copy_async(
                    A_smem[:, :],
                    A[rank * ROWS : rank * ROWS + ROWS, step * STEP : step * STEP + STEP],
                    dispatch="tma",
                    mbar=counted.ptr_to([0]),
                    cta_group=2,
                )
                Tx.copy_async(
                    B_smem[:, :],
                    B[rank * SHARE : rank * SHARE + SHARE, step * STEP : step * STEP + STEP],
                    dispatch="tma",
                    mbar=counted.ptr_to([0]),
                    cta_group=2,
                )
                if rank == 0:
                    loaded.wait(0, step % 2)
                    for k in T.unroll(STEP // 16):
                        T.ptx.tcgen05.mma(
                            address[0],
                            left.add_16B_offset(2 * k),
                            right.add_16B_offset(2 * k),
                            what[0],
                            d_dtype="float32",
                            a_dtype="float16",
                            b_dtype="float16",
                            use_a_tmem=False,
                            cta_group=2,
                            enable_input_d=T.Or(step > 0, k > 0),
                        )
                    read.arrive(0, cta_group=2, cta_mask=3)
                read.wait(0, step % 2)
        # The threads of a CTA wait for its thread 0, which has waited for the last products.
        T.cuda.cta_sync()
        T.ptx.tcgen05.fence.after_thread_sync()
        row = T.alloc_local((N,), "float32")
        into = row.view(ROWS, N, layout=TileLayout(S[(ROWS, N) : (1 @ axis_tid_in_wg, 1)]))
        Tx.wg.copy_async(into[:, :], accumulator[:, :])
        T.ptx.tcgen05.wait.ld()
        for column in T.unroll(N):
            D[rank * ROWS + tid, column] = row[column]
        if T.meta_var(kind == "cluster sync"):
            T.cuda.cluster_sync()
        if T.meta_var(kind == "cta sync"):
            T.cuda.cta_sync()
        if T.meta_var(kind == "arrive and wait"):
            T.ptx.barrier.cluster.arrive()
            T.ptx.barrier.cluster.wait()
        if T.meta_var(kind == "before the loads are done"):
            T.ptx.barrier.cluster.arrive()
        if T.meta_var(kind == "a barrier of both"):
            # The last threads of both CTAs arrive at the barrier of each.
            T.cuda.cta_sync()
            if tid < 2:
                T.ptx.mbarrier.arrive(done.ptr_to([0]), tid, True)
            T.ptx.mbarrier.try_wait(done.ptr_to([0]), 0)
        if T.meta_var(kind == "a barrier of its own"):
            T.cuda.cta_sync()
            if tid < 2:
                T.ptx.mbarrier.arrive(done.ptr_to([0]))
            T.ptx.mbarrier.try_wait(done.ptr_to([0]), 0)
        if warp == 0:
            T.ptx.tcgen05.relinquish_alloc_permit(cta_group=2)
            T.ptx.tcgen05.dealloc(address[0], n_cols=64, cta_group=2)
        if T.meta_var(kind != "cluster sync" and kind != "arrive and wait" and kind != "a barrier of both"):
            T.cuda.cluster_sync()

    return k
