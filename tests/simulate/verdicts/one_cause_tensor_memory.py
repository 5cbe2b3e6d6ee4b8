# tilewright: arch sm_100a
# tilewright: dialect 0.25
# One fault, one finding, of products in tensor memory.
# verdict tensor("right"): clean
# verdict tensor("no barrier"): only TW5020 at `ring.empty.wait(fill.stage`
# verdict tensor("sums kept"): only TW5002 at `Tx.gemm_async(sums`
# verdict tensor("done not waited"): only TW5020 at `Tx.wg.copy_async(into`
# verdict tensor("given back too early"): only TW5020 at `T.ptx.tcgen05.dealloc`
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.lang.pipeline import Pipeline, PipelineState, TCGen05Bar
from tvm.tirx.layout import S, TCol, TileLayout, TLane
from tvm.tirx.layout import tid_in_wg as axis_tid_in_wg


# On tensor cores of Blackwell: two stages, a warp loads, a warp multiplies, four write out.
def tensor(kind):
    M, N, K, STEP, STAGES = 128, 64, 192, 64, 2
    BYTES = (M + N) * STEP * 2

    @T.prim_func
    def tensor_kernel(A: T.Buffer((M, K), "float16"), B: T.Buffer((N, K), "float16"), D: T.Buffer((M, N), "float32")):
        T.device_entry()
        T.cta_id([1])
        warp = T.warp_id([6])
        lane = T.lane_id([32])
        tid = T.thread_id([192])
        pool = T.SMEMPool()
        a = pool.alloc_mma((STAGES, M, STEP), "float16")
        b = pool.alloc_mma((STAGES, N, STEP), "float16")
        address = pool.alloc((1,), "uint32")
        ring = Pipeline(pool, STAGES, full="tma", empty="tcgen05")
        done = TCGen05Bar(pool, 1)
        done.init(1)
        pool.commit()
        if warp == 0:
            T.ptx.tcgen05.alloc(T.address_of(address), n_cols=32 if kind == "columns" else 64, cta_group=1)
        T.ptx.fence.mbarrier_init()
        if kind != "no barrier":
            T.cuda.cta_sync()
        sums = T.decl_buffer((M, N), "float32", scope="tmem", allocated_addr=address[0], layout=TileLayout(S[(M, N) : (1 @ TLane, 1 @ TCol)]))
        if warp == 4:
            if lane == 0:
                fill = PipelineState(STAGES, phase=1)
                for step in T.serial(K // STEP):
                    if kind != "filled too early":
                        ring.empty.wait(fill.stage, fill.phase)
                    ring.full.arrive(fill.stage, BYTES - N * STEP * 2 if kind == "bytes" else BYTES)
                    k = T.meta_var(step * STEP)
                    Tx.copy_async(a[fill.stage], A[:, k : k + STEP], dispatch="tma", mbar=ring.full.ptr_to([fill.stage]))
                    Tx.copy_async(b[fill.stage], B[:, k : k + STEP], dispatch="tma", mbar=ring.full.ptr_to([fill.stage]))
                    fill.advance()
        elif warp == 5:
            if lane == 0:
                use = PipelineState(STAGES, phase=1 if kind == "parity" else 0)
                for step in T.serial(K // STEP):
                    if kind != "read too early":
                        ring.full.wait(use.stage, use.phase)
                    Tx.gemm_async(sums[:, :], a[use.stage, :, :], b[use.stage, :, :], accum=True if kind == "sums kept" else step > 0)
                    if kind != "no commit":
                        ring.empty.arrive(use.stage)
                    use.advance()
                if kind != "no last commit":
                    done.arrive(0)
        elif warp < 4:
            row = T.alloc_local((N,), "float32")
            into = row.view(M, N, layout=TileLayout(S[(M, N) : (1 @ axis_tid_in_wg, 1)]))
            if kind != "done not waited":
                done.wait(0, 0)
            T.ptx.tcgen05.fence.after_thread_sync()
            Tx.wg.copy_async(into[:, :], sums[:, :])
            if kind != "load not waited":
                T.ptx.tcgen05.wait.ld()
            for column in T.unroll(N):
                D[tid, column] = row[column]
        T.ptx.tcgen05.fence.before_thread_sync()
        if kind != "given back too early":
            T.cuda.cta_sync()
        if warp == 0:
            T.ptx.tcgen05.relinquish_alloc_permit(cta_group=1)
            if kind != "not given back":
                T.ptx.tcgen05.dealloc(address[0], n_cols=64, cta_group=1)

    return tensor_kernel
